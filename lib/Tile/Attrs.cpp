//===- Attrs.cpp - Enums and promises of the tile dialect -----------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Tile/Verify.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;

#include "dialect/tile/TileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/tile/TileAttrs.cpp.inc"

void TileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/tile/TileAttrs.cpp.inc"
      >();
}

LogicalResult DivByAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t divisor, std::optional<int64_t> every,
                                std::optional<int64_t> along) {
  // div_by_c1
  if (!isPowerOfTwo(divisor))
    return emitError() << "expected the divisor to be a positive power of two, got "
                       << divisor;
  // div_by_c2
  if (every.has_value() != along.has_value())
    return emitError() << "expected both of `every` and `along`, or none, got "
                       << (every ? "`every`" : "`along`") << " alone";
  return success();
}

LogicalResult BoundedAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  std::optional<int64_t> lower,
                                  std::optional<int64_t> upper) {
  // bounded_c1
  if (lower && upper && *lower > *upper)
    return emitError() << "expected the upper bound to be at least " << *lower
                       << ", got " << *upper;
  return success();
}
