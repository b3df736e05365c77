//===- SharedExchanges.cpp - Functions of subgroups of shared numbers -----===//
//
// The CPU driver's code generator fails on some functions of a subgroup whose operand
// is the same in all lanes: on sums of a constant of 64 bits, and on what negates a
// number that all work-items load from one address. Such a function has a result
// without an exchange between lanes (docs/decisions/shared-exchanges.md).
//
//===----------------------------------------------------------------------===//

#include "dialect/DiscardableAttrs.h"
#include "lib/Target/SPIRV/Drivers/Dataflow.h"
#include "lib/Target/SPIRV/Drivers/Drivers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The sum of a number that `lanes` lanes share. A product with a power of two is exact
/// as the sums of pairs are.
static Value createSum(OpBuilder &builder, Location loc, Value value, int64_t lanes) {
  ImplicitLocOpBuilder b(loc, builder);
  Type type = value.getType();
  if (isa<FloatType>(type)) {
    Value factor = arith::ConstantOp::create(b, b.getFloatAttr(type, lanes));
    return arith::MulFOp::create(b, value, factor);
  }
  Value factor = arith::ConstantOp::create(b, b.getIntegerAttr(type, lanes));
  return arith::MulIOp::create(b, value, factor);
}

/// What a function of a subgroup gives if all lanes have the same; null if it is none
/// of those.
static Value createResult(Operation *op, int64_t lanes) {
  if (auto broadcast = dyn_cast<gpu::SubgroupBroadcastOp>(op))
    return broadcast.getSrc();
  auto reduce = dyn_cast<gpu::SubgroupReduceOp>(op);
  if (!reduce || !reduce.getType().isIntOrIndexOrFloat() || reduce.getClusterSize())
    return Value();
  switch (reduce.getOp()) {
  case gpu::AllReduceOperation::ADD: {
    OpBuilder builder(op);
    return createSum(builder, op->getLoc(), reduce.getValue(), lanes);
  }
  case gpu::AllReduceOperation::MAXNUMF:
  case gpu::AllReduceOperation::MAXSI:
  case gpu::AllReduceOperation::MINNUMF:
  case gpu::AllReduceOperation::MINSI:
    return reduce.getValue();
  default:
    return Value();
  }
}

void tinytc::foldSharedExchanges(Operation *root) {
  root->walk([](gpu::GPUFuncOp kernel) {
    IntegerAttr lanes = getDiscardable<TinyTCDialect::SubgroupSizeAttrHelper>(kernel);
    SmallVector<Operation *> exchanges;
    kernel.walk([&](Operation *op) {
      if (isa<gpu::SubgroupBroadcastOp, gpu::SubgroupReduceOp>(op))
        exchanges.push_back(op);
    });
    if (exchanges.empty() || !lanes)
      return;
    Dataflow flow(kernel);
    DenseSet<Value> varying = flow.findVarying();
    llvm::erase_if(exchanges,
                   [&](Operation *op) { return varying.contains(op->getOperand(0)); });
    for (Operation *op : exchanges) {
      Value result = createResult(op, lanes.getInt());
      if (!result)
        continue;
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
    }
  });
}
