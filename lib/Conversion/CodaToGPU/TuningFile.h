//===- TuningFile.h - Schedules that somebody measured ----------*- C++ -*-===//

#ifndef CODA_LIB_CONVERSION_CODATOGPU_TUNINGFILE_H
#define CODA_LIB_CONVERSION_CODATOGPU_TUNINGFILE_H

#include "coda/Dialect/Coda/IR/Coda.h"

namespace coda {

/// Which sizes an entry is for.
struct SizeRange {
  /// Whether `size`, kDynamic where it is not known, is one of them.
  bool contains(int64_t size) const;

  int64_t low = 0, high = std::numeric_limits<int64_t>::max();
  bool isAny = true;      ///< known or not
  bool isUnknown = false; ///< only what is not known
};

/// One entry: what it is for, and the schedule.
struct TuningEntry {
  bool matches(GemmOp gemm, llvm::StringRef chip) const;

  std::string label; ///< for messages
  std::optional<std::string> chip;
  mlir::Type inputType;
  DimsAttr lhs, rhs;
  std::optional<int64_t> rhsCount;
  std::optional<llvm::SmallVector<mlir::Type>> outTypes;
  SizeRange m, n, k;
  ScheduleAttr schedule;
};

/// A tuning file, docs/tuning.md.
struct TuningFile {
  /// Reads the file, or emits one error.
  static mlir::FailureOr<TuningFile> read(mlir::MLIRContext *context,
                                          llvm::StringRef path);
  /// The first entry that matches, or null.
  const TuningEntry *find(GemmOp gemm, llvm::StringRef chip) const;

  std::string path;
  std::vector<TuningEntry> entries;
};

} // namespace coda

#endif // CODA_LIB_CONVERSION_CODATOGPU_TUNINGFILE_H
