//===- RawElements.cpp - The bytes of constants ---------------------------===//

#include "coda/Dialect/Coda/Utils/RawElements.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace coda;

std::optional<RawElements> RawElements::get(ElementsAttr attribute) {
  ShapedType type = attribute.getShapedType();
  Type element = type.getElementType();
  int64_t width = element.isIndex()        ? 64
                  : element.isIntOrFloat() ? element.getIntOrFloatBitWidth()
                                           : 0;
  if (!width || width % 8)
    return std::nullopt;
  RawElements elements;
  if (auto dense = dyn_cast<DenseElementsAttr>(attribute)) {
    elements.bytes = dense.getRawData();
    elements.splat = dense.isSplat();
  } else if (auto dense = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    AsmResourceBlob *blob = dense.getRawHandle().getBlob();
    if (!blob)
      return std::nullopt;
    elements.bytes = blob->getData();
    elements.resource = true;
  } else {
    return std::nullopt;
  }
  int64_t count = elements.splat ? 1 : type.getNumElements();
  if (static_cast<int64_t>(elements.bytes.size()) != count * (width / 8))
    return std::nullopt;
  return elements;
}
