//===- Solves.h - Solves as factorisations and their use -------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_IR_SOLVES_H
#define TINYTC_LIB_IR_SOLVES_H

#include "dialect/TinyTC.h"

namespace mlir::tinytc {

/// Makes `cholesky`, `lu`, `swap_rows` and `trsm` of `solve.spd` and `solve.lu`.
void decomposeSolves(FuncOp func);

/// Makes of each `syrk` a loop over the elements of the triangle.
void decomposeTriangularProducts(FuncOp func);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_IR_SOLVES_H
