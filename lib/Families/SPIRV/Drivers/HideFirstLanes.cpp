//===- HideFirstLanes.cpp - Conditions that hold for the first lane alone -===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The CPU driver keeps a mask of the lanes that run. Where it finds that this is the
// first lane at most, under a condition that all lanes share, the bits of the other
// lanes may be anything; it then runs what no lane should. So it is kept from finding
// that (docs/decisions/cpu-driver.md).
//
//===----------------------------------------------------------------------===//

#include "dialect/DiscardableAttrs.h"
#include "dialect/Passes.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Families/SPIRV/Drivers/Dataflow.h"
#include "lib/Families/SPIRV/Drivers/Driver.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_HIDEFIRSTLANESPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// Conditions on lanes as a driver may know them.
class LaneConditions {
public:
  explicit LaneConditions(int64_t numLanes) : numLanes(numLanes) {}

  /// Whether a driver that unrolls all loops may know the value.
  bool mayBeConstant(Value value);
  /// Whether it may know for the first lane, and for no other, that it runs where
  /// `condition` of `op` holds, or where it does not.
  bool mayBeOfFirstLane(Operation *op, Value condition, bool holds);

private:
  /// The value in one lane, or null.
  Attribute evaluate(Value value, int64_t lane);
  Attribute compute(Operation *op, int64_t lane);
  /// Whether the condition certainly is `bit` in one lane.
  bool isKnown(Value condition, int64_t lane, bool bit);
  /// Whether no condition around `op` keeps the lane from running it.
  bool mayRun(Operation *op, int64_t lane);

  int64_t numLanes;
  DenseMap<Value, bool> known;
  DenseMap<std::pair<Value, int64_t>, Attribute> attributes;
};

} // namespace

/// Whether a driver may know a variable of a region: that of a loop, if it unrolls it.
static bool mayBeConstant(BlockArgument variable) {
  Operation *owner = variable.getOwner()->getParentOp();
  auto loop = dyn_cast<scf::WhileOp>(owner);
  return !isa<FunctionOpInterface>(owner) && !(loop && getUnroll(loop) == false);
}

bool LaneConditions::mayBeConstant(Value value) {
  if (auto variable = dyn_cast<BlockArgument>(value))
    return ::mayBeConstant(variable);
  auto [entry, isNew] = known.try_emplace(value, true);
  if (!isNew)
    return entry->second;
  Operation *op = value.getDefiningOp();
  bool result = isa<gpu::LaneIdOp, gpu::SubgroupIdOp, RegionBranchOpInterface>(op);
  if (isa<OpaqueIndexOp>(op) || isa<arith::ArithDialect>(op->getDialect()))
    result = llvm::all_of(op->getOperands(), [&](Value v) { return mayBeConstant(v); });
  return known[value] = result;
}

Attribute LaneConditions::compute(Operation *op, int64_t lane) {
  if (isa<gpu::LaneIdOp>(op))
    return Builder(op).getIndexAttr(lane);
  if (auto opaque = dyn_cast<OpaqueIndexOp>(op))
    return evaluate(opaque.getIndex(), lane);
  if (!isa<arith::ArithDialect>(op->getDialect()))
    return {};
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands())
    operands.push_back(evaluate(operand, lane));
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(operands, results)) || results.size() != 1)
    return {};
  if (auto value = dyn_cast<Value>(results.front()))
    return evaluate(value, lane);
  return cast<Attribute>(results.front());
}

Attribute LaneConditions::evaluate(Value value, int64_t lane) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  auto [entry, isNew] = attributes.try_emplace({value, lane});
  if (!isNew)
    return entry->second;
  Attribute attribute = compute(op, lane);
  return attributes[{value, lane}] = attribute;
}

bool LaneConditions::isKnown(Value condition, int64_t lane, bool bit) {
  auto value = dyn_cast_or_null<IntegerAttr>(evaluate(condition, lane));
  return value && value.getValue().isOne() == bit;
}

bool LaneConditions::mayRun(Operation *op, int64_t lane) {
  for (Region *region = op->getParentRegion(); region;
       region = region->getParentRegion()) {
    auto branch = dyn_cast_or_null<scf::IfOp>(region->getParentOp());
    if (branch &&
        isKnown(branch.getCondition(), lane, region != &branch.getThenRegion()))
      return false;
  }
  return true;
}

bool LaneConditions::mayBeOfFirstLane(Operation *op, Value condition, bool holds) {
  bool isSure = true, isOther = false;
  for (int64_t lane = 0; lane < numLanes; ++lane) {
    if (!mayRun(op, lane) || isKnown(condition, lane, !holds))
      continue;
    isSure &= isKnown(condition, lane, holds);
    isOther |= lane != 0;
  }
  return !isSure || !isOther;
}

/// A number that is 0 in all launches, which the driver does not know: there are fewer
/// than 2^63 work-groups.
static Value createHiddenZero(ImplicitLocOpBuilder &builder) {
  Type i64 = builder.getI64Type();
  Value count = gpu::GridDimOp::create(builder, gpu::Dimension::x);
  count = arith::IndexCastOp::create(builder, i64, count);
  Value width = arith::ConstantOp::create(builder, builder.getI64IntegerAttr(63));
  Value sign = arith::ShRUIOp::create(builder, count, width);
  return arith::TruncIOp::create(builder, builder.getI32Type(), sign);
}

/// Makes a condition of one that may be known. Another form, whether it or `zero` is
/// not 0, becomes two branches, of which the driver forms no vectors.
static void hide(OpOperand &condition, Value zero) {
  ImplicitLocOpBuilder builder(condition.getOwner()->getLoc(), condition.getOwner());
  Value bit = arith::ExtUIOp::create(builder, zero.getType(), condition.get());
  condition.set(arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, bit, zero));
}

/// Whether an operation decides which of its regions run, other than a loop that
/// certainly runs for the first time.
static bool isDecision(Operation *op) {
  auto loop = dyn_cast<scf::WhileOp>(op);
  if (!loop)
    return isa<RegionBranchOpInterface>(op);
  auto comparison = loop.getConditionOp().getCondition().getDefiningOp<arith::CmpIOp>();
  return !comparison || !llvm::all_of(comparison->getOperands(), [&](Value value) {
    auto variable = dyn_cast<BlockArgument>(value);
    if (variable && variable.getOwner() == loop.getBeforeBody())
      value = loop.getInits()[variable.getArgNumber()];
    return matchPattern(value, m_Constant());
  });
}

/// Whether a second condition decides what runs in the regions of `op`.
static bool containsDecision(Operation *op) {
  return op
      ->walk([op](Operation *nested) {
        return nested != op && isDecision(nested) ? WalkResult::interrupt()
                                                  : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The conditions on lanes that others are in, or are around.
static SmallVector<OpOperand *> findConditions(gpu::GPUFuncOp kernel) {
  DenseSet<Value> varying = Dataflow(kernel).findVarying();
  auto isVarying = [&](Operation *op) {
    return isa<scf::IfOp, scf::ConditionOp>(op) && varying.contains(op->getOperand(0));
  };
  auto isIn = [&](Operation *op) {
    for (op = op->getParentOp(); op; op = op->getParentOp())
      if (isVarying(op))
        return true;
    return false;
  };
  SmallVector<OpOperand *> conditions;
  kernel.walk([&](Operation *op) {
    if (isVarying(op) &&
        (isa<scf::ConditionOp>(op) || containsDecision(op) || isIn(op)))
      conditions.push_back(&op->getOpOperand(0));
  });
  return conditions;
}

static void hideFirstLanes(gpu::GPUFuncOp kernel) {
  IntegerAttr numLanes = getDiscardable<TinyTCDialect::SubgroupSizeAttrHelper>(kernel);
  if (!numLanes)
    return;
  LaneConditions lanes(numLanes.getInt());
  SmallVector<OpOperand *> conditions = findConditions(kernel);
  llvm::erase_if(conditions, [&](OpOperand *use) {
    auto branch = dyn_cast<scf::IfOp>(use->getOwner());
    bool mayBeElse = branch && branch.elseBlock() &&
                     lanes.mayBeOfFirstLane(branch, use->get(), /*holds=*/false);
    return !lanes.mayBeConstant(use->get()) ||
           !(mayBeElse || lanes.mayBeOfFirstLane(use->getOwner(), use->get(), true));
  });
  if (conditions.empty())
    return;
  ImplicitLocOpBuilder builder(kernel.getLoc(), kernel.getContext());
  builder.setInsertionPointToStart(&kernel.getBody().front());
  Value zero = createHiddenZero(builder);
  for (OpOperand *use : conditions)
    hide(*use, zero);
}

namespace {
struct HideFirstLanes final : tinytc::impl::HideFirstLanesPassBase<HideFirstLanes> {
  using HideFirstLanesPassBase::HideFirstLanesPassBase;

  void runOnOperation() override {
    FailureOr<TargetAttr> target = getTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    if (getDriver(*target).losesMasksOfFirstLanes)
      getOperation().walk(hideFirstLanes);
  }
};
} // namespace
