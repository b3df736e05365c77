//===- Drivers.h - What drivers for SPIR-V make necessary -------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Changes of the gpu stage that exist for the habits of one driver (lib/Target/Driver.h
// names them). The conversion to SPIR-V asks for none of them: it calls the two
// functions that prepare kernels.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_TARGET_SPIRV_DRIVERS_DRIVERS_H
#define TINYTC_LIB_TARGET_SPIRV_DRIVERS_DRIVERS_H

#include "dialect/TinyTC.h"
#include "lib/Target/Driver.h"

namespace mlir::gpu {
class GPUModuleOp;
} // namespace mlir::gpu

namespace mlir::tinytc {

/// Prepares kernels for their driver while they compute with all types.
void prepareForDriver(Operation *root, const Driver &driver);
/// The same after types that SPIR-V does not have are gone.
void prepareMemoryForDriver(gpu::GPUModuleOp kernels, const Driver &driver);

/// Writes what may become a negation on the way to a value that lives across a barrier
/// so that it cannot.
void hideNegations(Operation *root);
/// Computes functions of a subgroup without it where all lanes have the same.
void foldSharedExchanges(Operation *root);

/// Keeps the driver from knowing that a condition holds for the first lane alone.
void hideFirstLanes(Operation *root);

/// Finds how much an index grows from one lane to the next.
class LaneStrides {
public:
  /// None if it is not a constant.
  std::optional<int64_t> find(Value index);

private:
  std::optional<int64_t> findOfLoop(Value variable, ArrayRef<Value> values);
  std::optional<int64_t> findResult(Operation *op);
  static std::optional<int64_t> findOfArithmetic(Operation *op,
                                                 std::optional<int64_t> left,
                                                 std::optional<int64_t> right);

  DenseMap<Value, std::optional<int64_t>> known;
  /// Variables of loops that do not grow alike in all iterations.
  DenseSet<Value> varying;
};

/// Keeps the driver from knowing how far apart lanes load numbers of 8 and 16 bits, and
/// integers that may become such, unless they are neighbours or the same.
void hideLaneStrides(gpu::GPUModuleOp kernels);

/// An index as a value and a constant distance from it.
std::pair<Value, int64_t> splitConstant(Value index);

/// Loads adjacent elements of 4 bytes that lanes read across lines of memory at once,
/// as vectors of two.
void gatherPairs(gpu::GPUModuleOp kernels);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_TARGET_SPIRV_DRIVERS_DRIVERS_H
