//===- LocalView.h - A range of a kernel's local memory ---------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_BUILDERS_LOCALVIEW_H
#define TINYTC_LIB_BUILDERS_LOCALVIEW_H

#include "lib/Analysis/LocalMemory.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::tinytc {

/// A range of the local memory of the kernel around `op`, as numbers of type `element`;
/// null if the kernel has none.
Value createLocalView(ImplicitLocOpBuilder &builder, Operation *op, LocalRange range,
                      Type element);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_BUILDERS_LOCALVIEW_H
