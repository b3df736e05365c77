//===- WorkGroup.h - Work-items of a work-group in loops --------*- C++ -*-===//

#ifndef TINYTC_LIB_CONVERSION_LINALGTOGPU_WORKGROUP_H
#define TINYTC_LIB_CONVERSION_LINALGTOGPU_WORKGROUP_H

#include "dialect/TinyTC.h"

#include "mlir/IR/Builders.h"

namespace mlir::tinytc {

/// Emits the body of a distributed loop for one index.
using EmitBody = function_ref<void(OpBuilder &, Location, Value)>;
/// Emits the body for several indices that one work-item treats at once.
using EmitTile = function_ref<void(OpBuilder &, Location, ArrayRef<Value>)>;

/// The two-dimensional work-group that a kernel runs in: the first dimension goes along
/// the rows of a destination, the second one along its columns.
class WorkGroup {
public:
  /// Creates the local ids where the builder stands.
  WorkGroup(OpBuilder &builder, Location loc, ArrayRef<int32_t> size,
            int32_t subgroupSize);

  int64_t getSize(unsigned dim) const { return size[dim]; }
  Value getId(unsigned dim) const { return ids[dim]; }
  int32_t getSubgroupSize() const { return subgroupSize; }

  /// Loops over [lower, upper) with the work-items of dimension `dim`.
  void distribute(OpBuilder &builder, Location loc, unsigned dim, OpFoldResult lower,
                  OpFoldResult upper, EmitBody emit) const;

  /// Loops over [0, upper); each work-item takes up to `count` indices at a time that
  /// lie `getSize(dim)` apart.
  void distributeStrided(OpBuilder &builder, Location loc, unsigned dim,
                         OpFoldResult upper, int64_t count, EmitTile emit) const;

  /// Loops over [0, upper); each work-item takes up to `count` adjacent indices.
  void distributeAdjacent(OpBuilder &builder, Location loc, unsigned dim,
                          OpFoldResult upper, int64_t count, EmitTile emit) const;

private:
  SmallVector<int64_t, 2> size;
  SmallVector<Value, 2> ids;
  int32_t subgroupSize;
};

/// `a + b` on indices, folded where both are constant.
Value createIndexAdd(OpBuilder &builder, Location loc, OpFoldResult a, OpFoldResult b);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_LINALGTOGPU_WORKGROUP_H
