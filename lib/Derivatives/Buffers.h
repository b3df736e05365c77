//===- Buffers.h - Memory that launches of derivatives allocate -*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Values that a derivative keeps outside of local memory are in buffers: parameters
// whose sizes follow from the other parameters, so that a launch can allocate them. If
// the kernel asks for the index of a group, each group has a part of its own.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_DERIVATIVES_BUFFERS_H
#define TINYTC_LIB_DERIVATIVES_BUFFERS_H

#include "lib/IR/Instructions.h"

namespace mlir::tinytc::derivatives {

using namespace instructions;

/// A size that a launch knows: (value + added) / divisor, where the value is that of an
/// integer parameter, the size of a mode of an array, or a number of groups. In the
/// order of the attribute tinytc.buffer.
struct LaunchSize {
  static constexpr int64_t kGroups = -1, kScalar = -1;

  /// The number of the parameter, or kGroups.
  int64_t parameter;
  /// The mode of an array, kScalar for an integer; the dimension of groups.
  int64_t mode;
  int64_t added = 0, divisor = 1;
};
using LaunchSizes = SmallVector<LaunchSize>;

/// The value of an integer in a kernel, if a launch knows it.
std::optional<LaunchSize> getLaunchSize(FuncOp func, Value value);
/// The sizes of the dynamic modes of a memref, if a launch knows all of them.
std::optional<LaunchSizes> getLaunchSizes(FuncOp func, Value memref);

/// Whether a value is a parameter that is a buffer.
bool isBuffer(Value value);

/// The dimensions of the grid whose indices a kernel asks for.
SmallVector<Dimension> getGridDimensions(FuncOp func);

/// Appends a buffer to a kernel: for each group in `dimensions` a part with this shape,
/// whose dynamic modes have these sizes. Returns the part of the group that runs.
Value createBuffer(ImplicitLocOpBuilder &builder, FuncOp kernel,
                   ArrayRef<int64_t> shape, Type element, LaunchSizes sizes,
                   ArrayRef<Dimension> dimensions);

/// The part of a buffer of the group that runs.
Value createPart(ImplicitLocOpBuilder &builder, Value buffer);

/// Lets all of a kernel access each buffer through one view, the part of the group that
/// runs, so that whatever keeps or restores the buffer's contents does so for that
/// part.
LogicalResult separateParts(FuncOp kernel);

/// Removes the buffers that a kernel does not use.
void eraseUnusedBuffers(FuncOp kernel);

} // namespace mlir::tinytc::derivatives

#endif // TINYTC_LIB_DERIVATIVES_BUFFERS_H
