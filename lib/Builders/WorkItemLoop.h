//===- WorkItemLoop.h - Loops that work-items share -------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_BUILDERS_WORKITEMLOOP_H
#define TINYTC_LIB_BUILDERS_WORKITEMLOOP_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::tinytc {

/// The mapping of a loop whose iterations the work-items share.
ArrayAttr getWorkItemMapping(MLIRContext *context, int64_t rank);

/// A loop over [lower, upper) whose iterations the work-items share, in any order, with
/// an empty body. It is mapped to them, so that it remains a loop if it has a single
/// iteration.
scf::ForallOp createWorkItemLoop(ImplicitLocOpBuilder &builder, ValueRange lower,
                                 ValueRange upper, ValueRange steps);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_BUILDERS_WORKITEMLOOP_H
