//===- Flops.h - Floating-point operations of a kernel ----------*- C++ -*-===//

#ifndef TINYTC_LIB_ANALYSIS_FLOPS_H
#define TINYTC_LIB_ANALYSIS_FLOPS_H

#include "dialect/TinyTC.h"

#include <optional>

namespace mlir::tinytc {

/// The multiplications and additions of the products of two factors that a kernel
/// computes for one group, not counting scaling by alpha and beta; nothing if they
/// depend on dynamic sizes or on control flow.
std::optional<int64_t> countFlops(FuncOp func);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_FLOPS_H
