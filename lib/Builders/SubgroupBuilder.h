//===- SubgroupBuilder.h - Subgroup operations on any scalar ----*- C++ -*-===//

#ifndef TINYTC_LIB_BUILDERS_SUBGROUPBUILDER_H
#define TINYTC_LIB_BUILDERS_SUBGROUPBUILDER_H

#include "dialect/TinyTC.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::tinytc {

/// The value that work-item `lane` (i32, uniform) of the subgroup holds. All work-items
/// of the subgroup must be active.
Value createBroadcast(ImplicitLocOpBuilder &builder, Value value, Value lane);

enum class GroupReduction { Add, Max, Min };

/// Emits reductions and scans over the subgroup in terms of gpu.subgroup_reduce and
/// gpu.shuffle. All work-items of the subgroup must be active.
class SubgroupBuilder {
public:
  SubgroupBuilder(ImplicitLocOpBuilder &builder, GroupReduction reduction,
                  int32_t subgroupSize)
      : builder(builder), reduction(reduction), subgroupSize(subgroupSize) {}

  Value emit(GroupOperation mode, Value value);

private:
  Value combine(Value a, Value b);
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
