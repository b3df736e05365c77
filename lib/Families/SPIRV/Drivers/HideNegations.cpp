//===- HideNegations.cpp - Negations that a driver takes for uniform ------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The CPU driver splits a kernel at the barriers of a work-group, and keeps what is
// needed on both sides for each work-item. It takes the result of LLVM's fneg, and all
// that is computed from it alone, for something that all work-items share: each
// subgroup then reads what the last one wrote. Where LLVM may have a negation on the
// way to a value that lives across a barrier, the operations that it could make one of
// get a zero that no optimizer knows (docs/decisions/cpu-driver.md).
//
//===----------------------------------------------------------------------===//

#include "dialect/DiscardableAttrs.h"
#include "dialect/Passes.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Families/SPIRV/Drivers/Dataflow.h"
#include "lib/Families/SPIRV/Drivers/Driver.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_HIDENEGATIONSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// Finds the numbers that LLVM may negate for a value that lives across a barrier.
class ExposureFinder {
public:
  ExposureFinder(Operation *kernel, const Crossings &crossings)
      : flow(kernel), crossings(crossings), varying(flow.findVarying()) {
    findAnchored();
  }

  bool isVarying(Value value) const { return varying.contains(value); }

  DenseSet<Value> find() const {
    SmallVector<Value> open;
    for (Value value : flow.getValues())
      if (varying.contains(value) ? !anchored.contains(value) : isFromChoice(value))
        open.push_back(value);
    return connect(findOrigins(std::move(open)));
  }

private:
  /// Whether a number is computed from a choice. The driver does not come to an end
  /// with the negation of a choice that all work-items share between negations.
  bool isFromChoice(Value value) const {
    const Origin &origin = flow.getOrigin(value);
    return !origin.isChoice && hasSign(value) &&
           llvm::any_of(origin.sources,
                        [&](Value source) { return flow.getOrigin(source).isChoice; });
  }

  /// The values that stay between two barriers: what a work-item reads at an address of
  /// its own, which no optimizer moves across a barrier, and what is computed from it.
  /// The others are needed on both sides, or are computed from such alone.
  void findAnchored() {
    auto isAnchored = [&](Value value) { return anchored.contains(value); };
    flow.grow(anchored, [&](const Origin &origin, Value value) {
      if (crossings.crosses(value))
        return false;
      if (origin.isRead)
        return !origin.isPrivate && (origin.differs || varying.contains(value));
      if (!origin.isChoice)
        return llvm::any_of(origin.sources, isAnchored);
      SmallVector<Value> leaves = findLeaves(value);
      // A choice between two other parts may be made on its own.
      return llvm::any_of(leaves, isAnchored) &&
             llvm::count_if(leaves, isAnchored) + 2 > int64_t(leaves.size());
    });
  }

  /// The values that a choice, of choices perhaps, is made from.
  SmallVector<Value> findLeaves(Value choice) const {
    SmallVector<Value> leaves, open = {choice};
    DenseSet<Value> visited;
    while (!open.empty()) {
      Value value = open.pop_back_val();
      if (!visited.insert(value).second)
        continue;
      const Origin &origin = flow.getOrigin(value);
      if (origin.isChoice && (value == choice || !crossings.crosses(value)))
        llvm::append_range(open, origin.sources);
      else
        leaves.push_back(value);
    }
    return leaves;
  }

  /// All that some values are computed from, in any way.
  DenseSet<Value> findOrigins(SmallVector<Value> open) const {
    DenseSet<Value> origins;
    while (!open.empty()) {
      Value value = open.pop_back_val();
      if (!origins.insert(value).second)
        continue;
      const Origin &origin = flow.getOrigin(value);
      llvm::append_range(open, origin.sources);
      llvm::append_range(open, origin.deciders);
      // An optimizer may know what has been stored.
      if (origin.isRead)
        llvm::append_range(open, flow.getStored());
    }
    return origins;
  }

  /// LLVM may move a negation along uses, stores and loads. Values that all work-items
  /// share are safe, so it stops there.
  DenseSet<Value> connect(const DenseSet<Value> &seeds) const {
    DenseSet<Value> stored(flow.getStored().begin(), flow.getStored().end());
    SmallVector<Value> open(seeds.begin(), seeds.end());
    DenseSet<Value> connected;
    bool isMemoryConnected = false;
    while (!open.empty()) {
      Value value = open.pop_back_val();
      if (!hasSign(value) || !connected.insert(value).second)
        continue;
      llvm::append_range(open, flow.getOrigin(value).sources);
      if (!varying.contains(value))
        continue;
      llvm::append_range(open, flow.getDependents(value));
      if (isMemoryConnected ||
          !(flow.getOrigin(value).isRead || stored.contains(value)))
        continue;
      isMemoryConnected = true;
      llvm::append_range(open, flow.getStored());
      llvm::copy_if(flow.getValues(), std::back_inserter(open),
                    [&](Value value) { return flow.getOrigin(value).isRead; });
    }
    return connected;
  }

  static bool hasSign(Value value) {
    Type type = getElementTypeOrSelf(value.getType());
    return isa<FloatType, ComplexType>(type);
  }

  Dataflow flow;
  const Crossings &crossings;
  DenseSet<Value> varying, anchored;
};

/// Writes operations so that LLVM cannot make negations of them.
class NegationHider {
public:
  explicit NegationHider(const Crossings &crossings) : crossings(crossings) {}

  /// Nothing is known of the result, and it is the same: adding -0.0 changes no number.
  void hide(Operation *op) {
    ImplicitLocOpBuilder builder(op->getLoc(), op);
    Type type = op->getResult(0).getType();
    if (isa<IntegerType>(type)) {
      builder.setInsertionPointAfter(op);
      auto sum = arith::AddIOp::create(builder, op->getResult(0), getZero(op, type));
      op->getResult(0).replaceAllUsesExcept(sum, sum);
      return;
    }
    Value zero = getZero(op, type);
    for (OpOperand &operand : getDecidingOperands(op))
      operand.set(arith::AddFOp::create(builder, operand.get(), zero));
    if (!isa<arith::NegFOp>(op))
      return;
    Value difference = arith::SubFOp::create(builder, zero, op->getOperand(0));
    op->getResult(0).replaceAllUsesWith(difference);
    op->erase();
  }

private:
  /// The operands that make LLVM turn an operation into a negation if it knows them:
  /// -0.0 - x, x / -1, x * -1, and x * -0.0, which copies a negated sign. A fused
  /// multiply-add is a product if it adds -0.0.
  static MutableArrayRef<OpOperand> getDecidingOperands(Operation *op) {
    MutableArrayRef<OpOperand> operands = op->getOpOperands();
    if (isa<arith::SubFOp>(op))
      return operands.take_front(1);
    if (isa<arith::DivFOp, math::FmaOp>(op))
      return operands.take_back(1);
    return isa<arith::MulFOp>(op) ? operands : MutableArrayRef<OpOperand>();
  }

  /// -0.0 or the integer 0, of which optimizers know nothing. One serves all up to the
  /// next barrier, in loops as well.
  Value getZero(Operation *op, Type type) {
    auto [block, barrier] = crossings.getStretch(op);
    Value &zero = zeros[{block, {barrier, type}}];
    if (zero)
      return zero;
    ImplicitLocOpBuilder builder(op->getLoc(), op->getContext());
    if (barrier)
      builder.setInsertionPointAfter(barrier);
    else
      builder.setInsertionPointToStart(block);
    unsigned width = type.getIntOrFloatBitWidth();
    bool isInteger = isa<IntegerType>(type);
    APInt bits = isInteger ? APInt(64, 0) : APInt::getSignMask(width).sext(64);
    Value index = arith::ConstantIndexOp::create(builder, bits.getSExtValue());
    Value opaque = OpaqueIndexOp::create(builder, index);
    Value integer =
        arith::IndexCastOp::create(builder, builder.getIntegerType(width), opaque);
    if (isInteger)
      return zero = integer;
    return zero = arith::BitcastOp::create(builder, type, integer);
  }

  DenseMap<std::pair<Block *, std::pair<Operation *, Type>>, Value> zeros;
  const Crossings &crossings;
};

} // namespace

static bool mayNegate(Operation *op) {
  return isa<arith::NegFOp, arith::SubFOp, arith::DivFOp, arith::MulFOp, math::FmaOp>(
      op);
}

/// Whether the bits of a number are an integer, whose sign LLVM makes a negation of the
/// number where a program turns it over or sets it.
static bool takesBits(Operation *op) {
  return isa<arith::BitcastOp>(op) && isa<FloatType>(op->getOperand(0).getType()) &&
         isa<IntegerType>(op->getResult(0).getType());
}

/// Whether the driver splits the kernel: a barrier of one subgroup costs nothing.
static bool isSplit(gpu::GPUFuncOp kernel) {
  std::optional<ArrayRef<int32_t>> group = kernel.getKnownBlockSize();
  IntegerAttr lanes = getDiscardable<TinyTCDialect::SubgroupSizeAttrHelper>(kernel);
  if (group && lanes && llvm::product_of(*group) == lanes.getInt())
    return false;
  return kernel.walk([](gpu::BarrierOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

static void hideNegations(gpu::GPUFuncOp kernel) {
  SmallVector<Operation *> negations;
  kernel.walk([&](Operation *op) {
    if (mayNegate(op) || takesBits(op))
      negations.push_back(op);
  });
  if (negations.empty() || !isSplit(kernel))
    return;
  Crossings crossings(kernel);
  ExposureFinder finder(kernel, crossings);
  DenseSet<Value> exposed = finder.find();
  NegationHider hider(crossings);
  for (Operation *op : negations)
    if (takesBits(op) ? finder.isVarying(op->getResult(0))
                      : exposed.contains(op->getResult(0)))
      hider.hide(op);
}

namespace {
struct HideNegations final : tinytc::impl::HideNegationsPassBase<HideNegations> {
  using HideNegationsPassBase::HideNegationsPassBase;

  void runOnOperation() override {
    FailureOr<TargetAttr> target = getTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    if (getDriver(*target).sharesNegations)
      getOperation().walk(hideNegations);
  }
};
} // namespace
