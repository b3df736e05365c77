//===- CoopMatrixProduct.h - Products of coopmatrices -----------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_CONVERSION_LOWERTOUNITS_COOPMATRIXPRODUCT_H
#define TINYTC_LIB_CONVERSION_LOWERTOUNITS_COOPMATRIXPRODUCT_H

#include "lib/Analysis/MatrixUnit.h"
#include "lib/Builders/TypeConverter.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::tinytc {

/// Adds A B to `sums`, the components of C. All components have the type in which the
/// product is computed. Components of A and B go from one work-item to others: all of
/// the subgroup must be active.
void emitProduct(ImplicitLocOpBuilder &builder, const CoopMatrixProduct &product,
                 ValueRange a, ValueRange b, MutableArrayRef<Value> sums,
                 const CoopMatrixLimits &limits);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_LOWERTOUNITS_COOPMATRIXPRODUCT_H
