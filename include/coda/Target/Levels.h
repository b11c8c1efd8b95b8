//===- Levels.h - The texts on the way from input to PTX --------*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_TARGET_LEVELS_H
#define CODA_TARGET_LEVELS_H

#include "coda/Target/PTX.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <initializer_list>
#include <optional>

namespace coda {

struct FusionOptions;

/// What a module becomes, in the order in which it is made.
enum class Level {
  input,
  fused,
  scheduled,
  bufferized,
  gpu,
  manifest,
  llvm,
  ptx,
  host
};

struct LevelInfo {
  llvm::StringLiteral name, description;
};

/// One entry a level, in their order.
llvm::ArrayRef<LevelInfo> getLevelInfos();

inline llvm::StringRef stringifyLevel(Level level) {
  return getLevelInfos()[static_cast<unsigned>(level)].name;
}
std::optional<Level> symbolizeLevel(llvm::StringRef name);

class LevelSet {
public:
  LevelSet() = default;
  LevelSet(std::initializer_list<Level> levels) {
    for (Level level : levels)
      insert(level);
  }
  void insert(Level level) { bits |= 1u << static_cast<unsigned>(level); }
  bool empty() const { return !bits; }
  bool contains(Level level) const {
    return bits >> static_cast<unsigned>(level) & 1;
  }
  /// Whether it has `first` or anything made after it.
  bool reaches(Level first) const {
    return bits >> static_cast<unsigned>(first);
  }

private:
  unsigned bits = 0;
};

/// Compiles `module` as far down as a level in `wanted`, and gives the text of
/// each of these to `keep`. `stopAfter` of the options does not matter.
mlir::LogicalResult
compileToLevels(mlir::ModuleOp module, LevelSet wanted,
                const FusionOptions &fusion, const ToPtxOptions &lowering,
                PassRunner run,
                llvm::function_ref<void(Level, std::string text)> keep);

} // namespace coda

#endif // CODA_TARGET_LEVELS_H
