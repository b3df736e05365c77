//===- MatrixUnit.h - Products on the matrix unit ---------------*- C++ -*-===//

#ifndef TINYTC_LIB_CONVERSION_TINYTCTOLINALG_MATRIXUNIT_H
#define TINYTC_LIB_CONVERSION_TINYTCTOLINALG_MATRIXUNIT_H

#include "lib/Analysis/MatrixUnit.h"
#include "lib/Conversion/TinyTCToLinalg/CoopMatrixProduct.h"

namespace mlir::tinytc {

/// Row blocks and columns of the tile of C that a subgroup computes.
struct MatrixUnitTile {
  int64_t rowBlocks, columns;
};

/// The tile for a product of factors of `type` by so many subgroups; sizes are null if
/// they are only known at run time.
MatrixUnitTile chooseMatrixUnitTile(const Machine &machine, Type type,
                                    std::optional<int64_t> numRows,
                                    std::optional<int64_t> numColumns,
                                    int64_t numSubgroups, bool byBlocks,
                                    ScheduleAttr schedule);

/// Adds A B to `sums`, the components of C, which have the type that the matrix unit
/// sums up in; those of A and B have their own. The layouts are those of
/// `isMatrixUnitProduct`; of f32, `b` may instead be a half for each column, as the op
/// takes it, if the depth is that of one operation.
void emitMatrixUnitProduct(ImplicitLocOpBuilder &builder,
                           const CoopMatrixProduct &product, ValueRange a, ValueRange b,
                           MutableArrayRef<Value> sums);

/// Whether the work-items hold coopmatrices as the matrix unit takes them: C has at
/// least as many rows as there are lanes, and the depth is a multiple of the unit's.
bool isMatrixUnitProduct(const CoopMatrixProduct &product);

/// The same on the tensor cores of a warp, in the layouts of `isTensorCoreProduct`.
void emitTensorCoreProduct(ImplicitLocOpBuilder &builder,
                           const CoopMatrixProduct &product, ValueRange a, ValueRange b,
                           MutableArrayRef<Value> sums);

/// Whether fragments for tensor cores are few exchanges away: C has multiples of 32
/// rows, the depth is a multiple of 32 or that of one operation, and it is no large
/// product.
bool isTensorCoreProduct(const CoopMatrixProduct &product);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_TINYTCTOLINALG_MATRIXUNIT_H
