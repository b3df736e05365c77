//===- Solves.h - Solves as factorisations and their use -------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_IR_SOLVES_H
#define TINYTC_LIB_IR_SOLVES_H

#include "lib/IR/Instructions.h"

namespace mlir::tinytc {

/// The most rows of a matrix whose eigenvalues are computed.
inline constexpr int64_t kMaxEigenvalues = 64;

/// Makes `cholesky`, `lu`, `swap_rows` and `trsm` of `solve.spd` and `solve.lu`.
void decomposeSolves(FuncOp func);

/// The same, and makes loops of `syrk`, `qr` and `apply_q`, whose derivatives are those
/// of the loops.
void decomposeForDerivatives(FuncOp func);

namespace instructions {

/// z := alpha x y + beta z, for a z whose elements may be stored.
void createMatrixProduct(ImplicitLocOpBuilder &builder, Value alpha, MatrixForm x,
                         MatrixForm y, double beta, MatrixForm z);

/// The conjugate of a number that may be real.
Value createConjugate(ImplicitLocOpBuilder &builder, Value number);

/// A vector as a matrix of one column.
MatrixForm asMatrix(ImplicitLocOpBuilder &builder, Value memref);

} // namespace instructions
} // namespace mlir::tinytc

#endif // TINYTC_LIB_IR_SOLVES_H
