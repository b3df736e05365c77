//===- MatrixUnit.h - What a matrix unit multiplies -------------*- C++ -*-===//

#ifndef TINYTC_LIB_ANALYSIS_MATRIXUNIT_H
#define TINYTC_LIB_ANALYSIS_MATRIXUNIT_H

#include "dialect/TinyTC.h"
#include "lib/Target/Machine.h"

namespace mlir::tinytc {

/// The type in which the matrix unit sums up products of `a` and `b` for a result of
/// type `c`; null if it does not have them.
Type getMatrixUnitSumType(Type a, Type b, Type c);

/// The rows of B that the unit sums over at once, for elements of `type`.
int64_t getMatrixUnitDepth(Type type);

/// Whether subgroups of that size compute a product on the matrix unit.
bool runsOnMatrixUnit(GemmOp op, const Machine &machine, int32_t subgroupSize);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_MATRIXUNIT_H
