//===- SubgroupBuilder.h - Subgroup operations on any scalar ----*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_BUILDERS_SUBGROUPBUILDER_H
#define TINYTC_LIB_BUILDERS_SUBGROUPBUILDER_H

#include "dialect/TinyTC.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::tinytc {

/// The value that work-item `lane` (i32, uniform) of the subgroup holds. All work-items
/// of the subgroup must be active.
Value createBroadcast(ImplicitLocOpBuilder &builder, Value value, Value lane);

/// The value that the work-item named by `lane` (i32, any of the subgroup) holds. All
/// work-items of the subgroup must be active.
Value createShuffle(ImplicitLocOpBuilder &builder, Value value, Value lane,
                    int32_t subgroupSize);

enum class GroupReduction { Add, Max, Min };

/// Emits reductions and scans over the subgroup in terms of gpu.subgroup_reduce and
/// gpu.shuffle. All work-items of the subgroup must be active.
class SubgroupBuilder {
public:
  SubgroupBuilder(ImplicitLocOpBuilder &builder, GroupReduction reduction,
                  int32_t subgroupSize)
      : builder(builder), reduction(reduction), subgroupSize(subgroupSize) {}

  Value emit(GroupOperation mode, Value value);

  /// Combines the values of the work-items whose lanes are equal, but for the bits from
  /// `first` up to `last`, both powers of two; each of them gets the result.
  Value emitAmong(Value value, int32_t first, int32_t last);

  Value combine(Value a, Value b);
  /// The value that changes nothing when it is combined; of any scalar type. Among
  /// minima and maxima of floating-point numbers it is NaN, which loses to infinities,
  /// too.
  Value createNeutral(Type type);

private:
  /// The first result of an exclusive scan.
  Value createIdentity(Type type);
  Value createReduce(Value value);
  Value createInclusiveScan(Value value);
  /// The value of the work-item `distance` lanes below; `fallback` if there is none.
  Value createShuffleUp(Value value, int32_t distance, Value fallback);

  ImplicitLocOpBuilder &builder;
  GroupReduction reduction;
  int32_t subgroupSize;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_BUILDERS_SUBGROUPBUILDER_H
