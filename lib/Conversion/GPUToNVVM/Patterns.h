//===- Patterns.h - What upstream does not convert to NVVM ------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The first of two conversions: afterwards memory is accessed through pointers of the
// llvm dialect, and all that is left is what upstream converts rightly.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_CONVERSION_GPUTONVVM_PATTERNS_H
#define TINYTC_LIB_CONVERSION_GPUTONVVM_PATTERNS_H

#include "dialect/TinyTC.h"
#include "lib/Conversion/GPUToLLVM/Patterns.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace mlir::gpu {
class GPUFuncOp;
} // namespace mlir::gpu

namespace mlir::tinytc {

struct Machine;

/// Arrays of a single work-item are allocated on its stack, whose pointers are generic;
/// LLVM keeps them in registers or infers the address space.
inline constexpr AddressSpaces kNVVMSpaces = {
    static_cast<unsigned>(NVVM::NVVMMemorySpace::Global),
    static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared),
    static_cast<unsigned>(NVVM::NVVMMemorySpace::Generic),
    static_cast<unsigned>(NVVM::NVVMMemorySpace::Constant)};

/// The sizes of a kernel that what its lanes exchange depends on.
struct KernelShape {
  /// Work-items of a warp.
  static constexpr int32_t kWarp = 32;

  /// Work-items of a group in x and y, and those of a subgroup, a warp or a part of
  /// one.
  int32_t width, height, subgroupSize;
  /// Groups side by side in a block, which are its third dimension. If there are
  /// several, each is a warp or an aligned part of one.
  int32_t groups;

  int32_t getNumWorkItems() const { return width * height; }
};

/// The sizes of the kernel around `op`; an error if it does not have them.
FailureOr<KernelShape> getKernelShape(Operation *op);

/// The lane in its subgroup, which lies along x.
Value createLane(ImplicitLocOpBuilder &builder, KernelShape shape);

/// The lanes of the subgroup, as bits of their warp.
Value createMask(ImplicitLocOpBuilder &builder, KernelShape shape);

/// For each function of a subgroup that some of its lanes may run without the others,
/// those that do, as bits of their warp.
using LaneMasks = DenseMap<Operation *, Value>;

/// Finds these functions in a kernel, and computes who runs them.
LogicalResult nameRunningLanes(gpu::GPUFuncOp kernel, LaneMasks &masks);

/// Makes a kernel of as many groups as its manifest says run side by side out of that
/// of one group.
void packGroupsIntoBlocks(gpu::GPUFuncOp kernel);

/// Local memory, and requests for what will be loaded.
void populateNVVMMemoryPatterns(const PointerTypeConverter &converter,
                                RewritePatternSet &patterns);
/// tinytc.atomic, memref.atomic_rmw and memref.generic_atomic_rmw.
void populateNVVMAtomicPatterns(const PointerTypeConverter &converter,
                                RewritePatternSet &patterns, const Machine &machine);
/// Barriers, ids and sizes of subgroups.
void populateNVVMExecutionPatterns(const TypeConverter &converter,
                                   RewritePatternSet &patterns);
/// Shuffles, broadcasts, reductions. Those without a mask are run by all lanes of the
/// subgroup.
void populateNVVMExchangePatterns(const TypeConverter &converter,
                                  RewritePatternSet &patterns, const LaneMasks &masks);
/// tinytc.warp_matrix_mul_add.
void populateNVVMTensorCorePatterns(const TypeConverter &converter,
                                    RewritePatternSet &patterns,
                                    const Machine &machine);
/// Functions of math, of which NVIDIA's GPUs approximate some.
void populateNVVMFunctionPatterns(const TypeConverter &converter,
                                  RewritePatternSet &patterns);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_GPUTONVVM_PATTERNS_H
