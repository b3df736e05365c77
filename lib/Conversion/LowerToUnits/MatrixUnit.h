//===- MatrixUnit.h - Products on the matrix unit ---------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_CONVERSION_LOWERTOUNITS_MATRIXUNIT_H
#define TINYTC_LIB_CONVERSION_LOWERTOUNITS_MATRIXUNIT_H

#include "lib/Analysis/MatrixUnit.h"
#include "lib/Conversion/LowerToUnits/CoopMatrixProduct.h"

namespace mlir::tinytc {

/// Row blocks and columns of the tile of C that a subgroup computes.
struct MatrixUnitTile {
  int64_t rowBlocks, columns;
};

/// Adds A B to `sums`, the components of C, which have the type that the matrix unit
/// sums up in; those of A and B have their own. The layouts are those of
/// `isMatrixUnitProduct`; of f32, `b` may instead be a half for each column, as the op
/// takes it, if the depth is that of one operation.
void emitMatrixUnitProduct(ImplicitLocOpBuilder &builder,
                           const CoopMatrixProduct &product, ValueRange a, ValueRange b,
                           MutableArrayRef<Value> sums);

/// The same on the tensor cores of a warp, in the layouts of `isTensorCoreProduct`.
void emitTensorCoreProduct(ImplicitLocOpBuilder &builder,
                           const CoopMatrixProduct &product, ValueRange a, ValueRange b,
                           MutableArrayRef<Value> sums);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_LOWERTOUNITS_MATRIXUNIT_H
