//===- GroupsAsLanes.h - Vectors of groups of one work-item -----*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_CONVERSION_GPUTOVECTOR_GROUPSASLANES_H
#define TINYTC_LIB_CONVERSION_GPUTOVECTOR_GROUPSASLANES_H

#include "lib/Analysis/LaneShapes.h"

#include <optional>

namespace mlir::tinytc {

/// Loads or stores of elements next to each other, as far apart for each two lanes.
struct AccessRun {
  /// One for each element, and all, in the order of the program.
  SmallVector<Operation *> elements, accesses;
  Value memref;
  /// The index of lane 0 is `base + first`, and that of the next lane `step` more, or
  /// `stride` if there is one: base is then the number of the group times that.
  Value base, stride;
  int64_t first, step;
  bool isStore;

  int64_t getSize() const { return elements.size(); }
  /// Whether few elements are all between the first of two lanes: whole vectors of them
  /// are loaded and stored.
  bool isDense() const;
  /// Where all of them can be: at the first load, or the last store.
  Operation *getPlace() const { return isStore ? accesses.back() : accesses.front(); }
};

/// How consecutive groups of a kernel, each of which is one work-item, run as the lanes
/// of vectors.
class GroupsAsLanes {
public:
  /// Nothing if groups do more than compute numbers, or if that is not worth it.
  static std::optional<GroupsAsLanes> find(gpu::GPUFuncOp kernel,
                                           int64_t registerBytes);

  KernelWorkGroup group;
  LaneShapes shapes;
  SmallVector<AccessRun> runs;

private:
  GroupsAsLanes(gpu::GPUFuncOp kernel, KernelWorkGroup group)
      : group(group), shapes(kernel, group) {}

  void findRuns(Block &block);
  bool isWorthIt(gpu::GPUFuncOp kernel) const;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_GPUTOVECTOR_GROUPSASLANES_H
