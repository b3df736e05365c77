//===- FoldSharedExchanges.cpp - Functions of subgroups of shared numbers -===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The CPU driver's code generator fails on some functions of a subgroup whose operand
// is the same in all lanes: on sums of a constant of 64 bits, and on what negates a
// number that all work-items load from one address. Such a function has a result
// without an exchange between lanes (docs/decisions/cpu-driver.md).
//
//===----------------------------------------------------------------------===//

#include "dialect/DiscardableAttrs.h"
#include "dialect/Passes.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Families/SPIRV/Drivers/Dataflow.h"
#include "lib/Families/SPIRV/Drivers/Driver.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_FOLDSHAREDEXCHANGESPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

/// Whether some lanes of a subgroup may run an operation without the others.
static bool diverges(Operation *op, const DenseSet<Value> &varying) {
  for (Operation *parent = op->getParentOp(); !isa<gpu::GPUFuncOp>(parent);
       parent = parent->getParentOp())
    if (llvm::any_of(getDeciders(parent),
                     [&](Value value) { return varying.contains(value); }))
      return true;
  return false;
}

/// How many lanes run an operation, as a number of a type. The driver's code generator
/// does not fail on sums of 32 bits.
static Value createCount(ImplicitLocOpBuilder &b, Type type) {
  Value one = arith::ConstantIntOp::create(b, 1, 32);
  Value count =
      gpu::SubgroupReduceOp::create(b, one, gpu::AllReduceOperation::ADD, false);
  if (isa<FloatType>(type))
    return arith::SIToFPOp::create(b, type, count);
  if (type.isIndex())
    return arith::IndexCastOp::create(b, type, count);
  unsigned width = type.getIntOrFloatBitWidth();
  if (width > 32)
    return arith::ExtSIOp::create(b, type, count);
  return width < 32 ? Value(arith::TruncIOp::create(b, type, count)) : count;
}

/// The sum of a number that all lanes share. A product with a power of two is exact as
/// the sums of pairs are.
static Value createSum(gpu::SubgroupReduceOp reduce, int64_t lanes, bool isOfAll) {
  ImplicitLocOpBuilder b(reduce.getLoc(), reduce);
  Type type = reduce.getType();
  bool isFloat = isa<FloatType>(type);
  TypedAttr all = isFloat ? TypedAttr(b.getFloatAttr(type, lanes))
                          : TypedAttr(b.getIntegerAttr(type, lanes));
  Value factor = isOfAll ? arith::ConstantOp::create(b, all) : createCount(b, type);
  if (isFloat)
    return arith::MulFOp::create(b, reduce.getValue(), factor);
  return arith::MulIOp::create(b, reduce.getValue(), factor);
}

/// The result of a subgroup's function if all lanes that run it have the same; null if
/// it is none of those.
static Value createResult(Operation *op, int64_t lanes,
                          const DenseSet<Value> &varying) {
  if (auto broadcast = dyn_cast<gpu::SubgroupBroadcastOp>(op))
    return broadcast.getSrc();
  auto reduce = dyn_cast<gpu::SubgroupReduceOp>(op);
  if (!reduce || !reduce.getType().isIntOrIndexOrFloat() || reduce.getClusterSize())
    return Value();
  switch (reduce.getOp()) {
  case gpu::AllReduceOperation::ADD:
    return createSum(reduce, lanes, !diverges(op, varying));
  case gpu::AllReduceOperation::MAXNUMF:
  case gpu::AllReduceOperation::MAXSI:
  case gpu::AllReduceOperation::MINNUMF:
  case gpu::AllReduceOperation::MINSI:
    return reduce.getValue();
  default:
    return Value();
  }
}

static void foldSharedExchanges(gpu::GPUFuncOp kernel) {
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
  SmallVector<Operation *> replaced;
  for (Operation *op : exchanges) {
    Value result = createResult(op, lanes.getInt(), varying);
    if (!result)
      continue;
    op->getResult(0).replaceAllUsesWith(result);
    replaced.push_back(op);
  }
  // Not before: a new value could get the memory of one that varies.
  for (Operation *op : replaced)
    op->erase();
}

namespace {
struct FoldSharedExchanges final
    : tinytc::impl::FoldSharedExchangesPassBase<FoldSharedExchanges> {
  using FoldSharedExchangesPassBase::FoldSharedExchangesPassBase;

  void runOnOperation() override {
    FailureOr<TargetAttr> target = getTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    if (getDriver(*target).failsOnSharedExchanges)
      getOperation().walk(foldSharedExchanges);
  }
};
} // namespace
