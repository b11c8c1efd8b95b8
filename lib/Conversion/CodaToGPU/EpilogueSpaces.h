//===- EpilogueSpaces.h - Which columns a tile's columns stand for -*- C++ -*-//
//
// A thread holds pairs of neighbouring columns of the product. The columns of a
// tile are those, or halves of pairs of columns, or groups of them, or there is
// one for all; that decides what of the tile a thread can compute by itself.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_CONVERSION_CODATOGPU_EPILOGUESPACES_H
#define CODA_LIB_CONVERSION_CODATOGPU_EPILOGUESPACES_H

#include "coda/Dialect/Coda/IR/Coda.h"

namespace coda {

struct ColumnSpace {
  enum class Kind {
    /// One column for all: a value of each row.
    One,
    /// Partial results of each row, which a reduction combines to One.
    Parts,
    /// The product's columns.
    Full,
    /// First or second columns of pairs of stride `parameter` (coda.unpair).
    Half,
    /// Groups of `parameter` columns.
    Group,
    /// An operand with one column for every `parameter` of the product's:
    /// halves or groups, as its users have it.
    Open,
  };
  Kind kind = Kind::One;
  int64_t parameter = 0;

  bool operator==(const ColumnSpace &other) const {
    return kind == other.kind && parameter == other.parameter;
  }
  /// Whether a thread holds neighbouring columns in pairs.
  bool inPairs() const {
    return kind == Kind::Full || (kind == Kind::Half && parameter > 1);
  }
};

/// The column spaces of all tiles of an epilogue.
class EpilogueSpaces {
public:
  /// For tiles of `columns` columns of the product. `why` says what does not
  /// fit such tiles, if something does not. Where `willSplit`, reductions of
  /// whole rows and columns, and what is computed from them, are left out:
  /// coda-schedule will take them apart.
  static mlir::FailureOr<EpilogueSpaces>
  create(GemmOp gemm, int64_t columns, bool willSplit, std::string &why);

  ColumnSpace columns(mlir::Value tile) const { return spaces.lookup(tile); }
  /// Whether the tile varies along rows. Sizes do not tell: M may be 1.
  bool alongRows(mlir::Value tile) const { return rows.lookup(tile); }
  /// Where destination `index` is stored from; Open ones are settled.
  ColumnSpace out(size_t index) const { return outs[index]; }
  /// Whether destination `index` holds groups of rows.
  bool isRowReduction(size_t index) const { return rowReductions[index]; }

private:
  bool settle(GemmOp gemm, size_t out, int64_t columns, llvm::raw_ostream &why);

  llvm::DenseMap<mlir::Value, ColumnSpace> spaces;
  llvm::DenseMap<mlir::Value, bool> rows;
  llvm::SmallVector<ColumnSpace> outs;
  llvm::SmallVector<bool> rowReductions;
};

/// Rows that one warp holds of a block of 64: what a reduction of rows is split
/// into.
inline constexpr int64_t kWarpRows = 16;

/// Whether `reduce` takes in whole rows (columns) that need not lie in one tile
/// of `columns` columns, so that its result is there after a finish only.
bool needsFinish(ReduceOp reduce, int64_t columns);

} // namespace coda

#endif // CODA_LIB_CONVERSION_CODATOGPU_EPILOGUESPACES_H
