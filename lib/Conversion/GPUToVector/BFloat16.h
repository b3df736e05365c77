//===- BFloat16.h - Arithmetic on bf16 --------------------------*- C++ -*-===//

#ifndef TINYTC_LIB_CONVERSION_GPUTOVECTOR_BFLOAT16_H
#define TINYTC_LIB_CONVERSION_GPUTOVECTOR_BFLOAT16_H

#include "mlir/IR/Operation.h"

namespace mlir::tinytc {

/// Lets arithmetic on bf16 be that of f32, and rounds by operations on integers: the
/// instruction of processors turns subnormal numbers into 0, and LLVM calls functions
/// where there is none.
LogicalResult expandBFloat16(Operation *module);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_GPUTOVECTOR_BFLOAT16_H
