//===- Factorization.h - Elements as sums of separable terms ----*- C++ -*-===//
//
// Part of Coda, a compiler for GEMM-plus-epilogue kernels.
//
//===----------------------------------------------------------------------===//
//
// An element e[m, k] that elementwise linalg ops compute is written as
//
//   sum over terms of  c * (product of rows r[m]) * (product of elements x[m,
//   k])
//
// in real arithmetic: conversions between float types are looked through. A sum
// over k of such an element, weighted or not, is then a sum over terms whose
// row factors stand outside. That is what moves a normalisation through a
// matrix product.
//
//===----------------------------------------------------------------------===//

#ifndef CODA_LIB_DIALECT_CODA_TRANSFORMS_FACTORIZATION_H
#define CODA_LIB_DIALECT_CODA_TRANSFORMS_FACTORIZATION_H

#include "FusionUtils.h"
#include "llvm/ADT/SetVector.h"

#include <map>

namespace coda {

/// What a loop, or a dimension of a tensor, runs over.
enum class Role : uint8_t { none, row, k };

/// An element of a tensor, or a scalar in the body of a linalg op.
struct Element {
  mlir::Value value;
  /// The role of each dimension of the tensor, or of each loop of the op.
  llvm::SmallVector<Role, 3> roles;

  bool isTensor() const { return llvm::isa<mlir::TensorType>(value.getType()); }
  mlir::Type getType() const;
  bool operator==(const Element &other) const {
    return value == other.value && roles == other.roles;
  }
  /// An order without a meaning, for maps.
  bool operator<(const Element &other) const {
    return std::tuple(value.getAsOpaquePointer(), roles) <
           std::tuple(other.value.getAsOpaquePointer(), other.roles);
  }
};

/// The op whose body `scalar` is in, null if that is no linalg op.
mlir::linalg::LinalgOp getOwner(mlir::Value scalar);

struct Factor {
  Element element;
  bool isInverse = false;
  bool operator==(const Factor &other) const {
    return element == other.element && isInverse == other.isInverse;
  }
};

struct Term {
  double coefficient = 1;
  llvm::SmallVector<Factor> rows, inner;
};

/// Products (contractions) that an element is computed from.
struct Origin {
  /// Elementwise.
  llvm::SmallSetVector<mlir::Operation *, 4> products;
  /// By way of a reduction of rows or columns.
  llvm::SmallSetVector<mlir::Operation *, 4> reduced;
};

/// Reads elements; keeps what it found until the IR changes.
class Factorizer {
public:
  /// Replaces a row factor by terms of its own, or gives none.
  using RowRule =
      std::function<std::optional<llvm::SmallVector<Term>>(const Element &)>;

  explicit Factorizer(RowRule rule = {}) : rule(std::move(rule)) {}

  /// The element that `operand` of `op`, whose loops have `roles`, reads; none
  /// if it is indexed by anything but loops.
  std::optional<Element> read(mlir::OpOperand &operand,
                              llvm::ArrayRef<Role> roles);
  /// The scalar that computes a tensor's element, if an elementwise op does.
  std::optional<Element> getDefinition(const Element &element);
  /// `element` before exact conversions, as a tensor's where it is one's.
  Element getSource(Element element);

  bool dependsOn(const Element &element, Role role);
  Origin getOrigin(const Element &element);
  /// Whether a product computes `element` in its epilogue: it is computed from
  /// one, and from no reduction of it.
  bool isFusible(const Element &element);

  /// The terms of `element`, expanded until those computed from a product are
  /// fusible; none if that cannot be. Where `splitAll`, until no row factor is
  /// left in a product.
  std::optional<llvm::SmallVector<Term>> expand(const Element &element,
                                                bool splitAll = false);

private:
  std::optional<llvm::SmallVector<Term>>
  expandAny(const Element &element, bool splitAll, unsigned depth);
  bool hasRowFactor(const Element &element);
  unsigned getMask(const Element &element);

  RowRule rule;
  std::map<Element, unsigned> masks;
  std::map<Element, Origin> origins;
};

/// Terms with one product of inner factors: the sum of their row factors, and
/// the product.
struct TermGroup {
  llvm::SmallVector<Factor> inner;
  llvm::SmallVector<Term> rows;
};
llvm::SmallVector<TermGroup> groupByInner(llvm::ArrayRef<Term> terms);

} // namespace coda

#endif // CODA_LIB_DIALECT_CODA_TRANSFORMS_FACTORIZATION_H
