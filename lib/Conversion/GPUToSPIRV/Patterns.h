//===- Patterns.h - What upstream does not convert to SPIR-V ----*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_CONVERSION_GPUTOSPIRV_PATTERNS_H
#define TINYTC_LIB_CONVERSION_GPUTOSPIRV_PATTERNS_H

#include "dialect/TinyTC.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"

namespace mlir::gpu {
class GPUModuleOp;
class ShuffleOp;
} // namespace mlir::gpu

namespace mlir::tinytc {

/// Conversions of pointers to pointers and of values that are bits.
void populateTypeConversions(SPIRVTypeConverter &converter);

/// Pointers to pointers, local memory, bitcasts.
void populatePointerPatterns(const SPIRVTypeConverter &converter,
                             RewritePatternSet &patterns);
/// tinytc.atomic, memref.atomic_rmw and memref.generic_atomic_rmw.
void populateAtomicPatterns(const SPIRVTypeConverter &converter,
                            RewritePatternSet &patterns);
/// Remainders, constants that are bits.
void populateArithmeticPatterns(const SPIRVTypeConverter &converter,
                                RewritePatternSet &patterns);
/// Loads and stores of vectors, which access up to four numbers of 8 bytes at once.
void populateVectorAccessPatterns(const SPIRVTypeConverter &converter,
                                  RewritePatternSet &patterns);
/// Checks what the conversion of gpu.shuffle relies on: that the whole subgroup takes
/// part. The kernel has its spirv.entry_point_abi already.
LogicalResult verifyShuffle(gpu::ShuffleOp op);
/// Native functions, powers of two, logarithms to base 2.
void populateFunctionPatterns(const SPIRVTypeConverter &converter,
                              RewritePatternSet &patterns);
/// Products and block loads of subgroups.
void populateMatrixUnitPatterns(const SPIRVTypeConverter &converter,
                                RewritePatternSet &patterns);
/// gpu.barrier with fences, gpu.shuffle; opaque indices and prefetches, which become
/// nothing.
void populateExecutionPatterns(const SPIRVTypeConverter &converter,
                               RewritePatternSet &patterns);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_GPUTOSPIRV_PATTERNS_H
