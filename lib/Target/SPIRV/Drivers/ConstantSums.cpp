//===- ConstantSums.cpp - Sums over lanes of what is constant -------------===//
//
// For processors with f16, the CPU driver's code generator does not come to an end with
// the sum over a subgroup of a constant of 64 bits that more is added to. So it must
// not know what is summed up (docs/decisions/constant-sums.md).
//
//===----------------------------------------------------------------------===//

#include "lib/Target/SPIRV/Drivers/Dataflow.h"
#include "lib/Target/SPIRV/Drivers/Drivers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Whether all that a value is computed from is constant.
static bool isOfConstants(const Dataflow &flow, Value value) {
  SmallVector<Value> open = {value};
  DenseSet<Value> visited;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!visited.insert(next).second)
      continue;
    const Origin &origin = flow.getOrigin(next);
    Operation *op = next.getDefiningOp();
    bool isLeaf = origin.sources.empty() && origin.deciders.empty();
    if (origin.isRead || origin.differs ||
        (isLeaf && !(op && op->hasTrait<OpTrait::ConstantLike>())))
      return false;
    llvm::append_range(open, origin.sources);
    llvm::append_range(open, origin.deciders);
  }
  return true;
}

void tinytc::hideConstantSums(Operation *root) {
  root->walk([](gpu::GPUFuncOp kernel) {
    SmallVector<gpu::SubgroupReduceOp> sums;
    kernel.walk([&](gpu::SubgroupReduceOp op) {
      if (op.getType().isInteger(64) && op.getOp() == gpu::AllReduceOperation::ADD)
        sums.push_back(op);
    });
    if (sums.empty())
      return;
    Dataflow flow(kernel);
    llvm::erase_if(sums, [&](gpu::SubgroupReduceOp op) {
      return !isOfConstants(flow, op.getValue());
    });
    for (gpu::SubgroupReduceOp op : sums) {
      ImplicitLocOpBuilder builder(op.getLoc(), op);
      Value index =
          arith::IndexCastOp::create(builder, builder.getIndexType(), op.getValue());
      Value opaque = OpaqueIndexOp::create(builder, index);
      op.getValueMutable().assign(
          arith::IndexCastOp::create(builder, op.getType(), opaque));
    }
  });
}
