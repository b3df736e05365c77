//===- MatrixUnit.h - Products on the matrix unit ---------------*- C++ -*-===//

#ifndef TINYTC_LIB_CONVERSION_TINYTCTOLINALG_MATRIXUNIT_H
#define TINYTC_LIB_CONVERSION_TINYTCTOLINALG_MATRIXUNIT_H

#include "lib/Conversion/TinyTCToLinalg/CoopMatrixProduct.h"

namespace mlir::tinytc {

/// Adds A B to `sums`, the components of C, which have the type that the matrix unit
/// sums up in; those of A and B have their own. The layouts are those of
/// `isMatrixUnitProduct`.
void emitMatrixUnitProduct(ImplicitLocOpBuilder &builder,
                           const CoopMatrixProduct &product, ValueRange a, ValueRange b,
                           MutableArrayRef<Value> sums);

/// Whether the work-items hold coopmatrices as the matrix unit takes them: C has at
/// least as many rows as there are lanes, and the depth is a multiple of the unit's.
bool isMatrixUnitProduct(const CoopMatrixProduct &product);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_TINYTCTOLINALG_MATRIXUNIT_H
