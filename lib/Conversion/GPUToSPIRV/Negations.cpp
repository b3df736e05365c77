//===- Negations.cpp - Negations that a driver takes for uniform ----------===//
//
// The CPU driver splits a kernel at the barriers of a work-group, and keeps what is
// needed on both sides for each work-item. It takes the result of LLVM's fneg, and what
// is computed from it alone, for a value that all work-items share: each subgroup then
// reads what the last one wrote. LLVM moves a value across a barrier if it depends on
// nothing but the number of the work-item and what is the same for all; other values
// are on both sides only where the kernel needs them there. Where such a value, or one
// that it is computed from, is negated, a difference takes the place of the negation.
// Its minuend is a zero that no optimizer knows: a known one would make it a negation
// again (docs/decisions/negations.md).
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/GPUToSPIRV/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Whether the result tells work-items apart.
static bool isNumberOfWorkItem(Operation *op) {
  return isa_and_present<gpu::LaneIdOp, gpu::SubgroupIdOp, gpu::ThreadIdOp,
                         gpu::GlobalIdOp>(op);
}

static bool isPrivate(MemRefType type) {
  auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
  return space && space.getValue() == gpu::AddressSpace::Private;
}

/// The values of which `value` is one, depending on the control flow; none if there is
/// no choice.
static SmallVector<Value> getSources(Value value) {
  if (auto select = value.getDefiningOp<arith::SelectOp>())
    return {select.getTrueValue(), select.getFalseValue()};
  auto argument = dyn_cast<BlockArgument>(value);
  Operation *owner =
      argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
  auto branch = dyn_cast<RegionBranchOpInterface>(owner);
  if (!branch)
    return {};
  SmallVector<RegionSuccessor> successors;
  branch.getSuccessorRegions(RegionBranchPoint::parent(), successors);
  for (Region &region : owner->getRegions())
    branch.getSuccessorRegions(region, successors);
  SmallVector<Value> sources;
  for (RegionSuccessor successor : successors) {
    ValueRange inputs = successor.getSuccessorInputs();
    auto input = llvm::find(inputs, value);
    if (input == inputs.end())
      continue;
    branch.getPredecessorValues(successor, std::distance(inputs.begin(), input),
                                sources);
    break;
  }
  return sources;
}

namespace {

/// Tells which values a kernel needs on both sides of a barrier, as it is written.
class Crossings {
public:
  explicit Crossings(Operation *root) {
    DenseSet<Operation *> known;
    root->walk([&](gpu::BarrierOp barrier) {
      for (Operation *op = barrier; op != root; op = op->getParentOp())
        if (known.insert(op).second)
          holders[op->getBlock()].push_back(op);
    });
  }

  bool crosses(Value value) const {
    auto found = holders.find(value.getParentBlock());
    if (found == holders.end())
      return false;
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      return llvm::any_of(found->second, [&](Operation *holder) {
        return isBetween(value, holder, user);
      });
    });
  }

private:
  static bool isBetween(Value value, Operation *holder, Operation *user) {
    Operation *def = value.getDefiningOp();
    if (def && !def->isBeforeInBlock(holder))
      return false;
    Operation *ancestor = holder->getBlock()->findAncestorOpInBlock(*user);
    return ancestor == holder ? user != holder : holder->isBeforeInBlock(ancestor);
  }

  /// In each block, the barriers and what contains some.
  DenseMap<Block *, SmallVector<Operation *>> holders;
};

/// What LLVM can do with a value. Too much of both costs a subtraction, no more.
struct Mobility {
  /// Can be moved across a barrier.
  bool isMovable = true;
  /// Can be moved, and differs between work-items.
  bool isVarying = true;
};

class MobilityFinder {
public:
  explicit MobilityFinder(const Crossings &crossings) : crossings(crossings) {}

  Mobility find(Value value) {
    // A value that depends on itself starts with both.
    auto [entry, isNew] = found.try_emplace(value);
    if (!isNew)
      return entry->second;
    SmallVector<Value> sources = getSources(value);
    Mobility result =
        sources.empty() ? findResult(value.getDefiningOp()) : findChoice(sources);
    // What is on both sides can be negated on either, and kept.
    if (!result.isMovable && crossings.crosses(value))
      result = {/*isMovable=*/true, /*isVarying=*/true};
    return found[value] = result;
  }

private:
  /// An optimizer may move a part of a choice on its own, but then a part that is the
  /// same for all does no harm.
  Mobility findChoice(ArrayRef<Value> sources) {
    bool areMovable = true;
    bool isVarying = false;
    for (Value source : sources) {
      Mobility mobility = find(source);
      areMovable &= mobility.isMovable;
      isVarying |= mobility.isVarying;
    }
    bool tellsWorkItemsApart = isVarying || areMovable;
    return {tellsWorkItemsApart, tellsWorkItemsApart};
  }

  Mobility findResult(Operation *op) {
    // An argument of the kernel, or a variable of a loop.
    if (!op)
      return {/*isMovable=*/true, /*isVarying=*/false};
    if (isNumberOfWorkItem(op))
      return {/*isMovable=*/true, /*isVarying=*/true};
    if (auto load = dyn_cast<memref::LoadOp>(op))
      return findElement(load);
    if (!isMemoryEffectFree(op) && !isa<OpaqueIndexOp>(op))
      return {/*isMovable=*/false, /*isVarying=*/false};
    Mobility result{/*isMovable=*/true, /*isVarying=*/false};
    for (Value operand : op->getOperands()) {
      Mobility mobility = find(operand);
      result.isMovable &= mobility.isMovable;
      result.isVarying |= mobility.isVarying;
      if (!result.isMovable)
        return {/*isMovable=*/false, /*isVarying=*/false};
    }
    return result;
  }

  /// A load stays between two barriers. One that all work-items share may have been
  /// before both from the start, and private memory becomes registers.
  Mobility findElement(memref::LoadOp load) {
    if (isPrivate(load.getMemRefType()))
      return {/*isMovable=*/true, /*isVarying=*/true};
    bool isOwn = llvm::any_of(load->getOperands(), [this](Value operand) {
      llvm::SmallPtrSet<Value, 16> visited;
      return dependsOnWorkItem(operand, visited);
    });
    return {/*isMovable=*/!isOwn, /*isVarying=*/false};
  }

  static bool dependsOnWorkItem(Value value, llvm::SmallPtrSetImpl<Value> &visited) {
    if (!visited.insert(value).second)
      return false;
    Operation *op = value.getDefiningOp();
    if (isNumberOfWorkItem(op))
      return true;
    SmallVector<Value> operands = getSources(value);
    if (operands.empty() && op)
      llvm::append_range(operands, op->getOperands());
    return llvm::any_of(
        operands, [&](Value operand) { return dependsOnWorkItem(operand, visited); });
  }

  const Crossings &crossings;
  DenseMap<Value, Mobility> found;
};

/// Whether `value` can be this constant.
bool mayBe(Value value, const APFloat &constant,
           llvm::SmallPtrSetImpl<Value> &visited) {
  APFloat found = constant;
  if (matchPattern(value, m_ConstantFloat(&found)))
    return found.bitwiseIsEqual(constant);
  return visited.insert(value).second &&
         llvm::any_of(getSources(value),
                      [&](Value source) { return mayBe(source, constant, visited); });
}

bool mayBe(Value value, double constant) {
  APFloat expected(constant);
  bool losesInfo;
  expected.convert(cast<FloatType>(value.getType()).getFloatSemantics(),
                   APFloat::rmNearestTiesToEven, &losesInfo);
  llvm::SmallPtrSet<Value, 4> visited;
  return mayBe(value, expected, visited);
}

/// The operand that makes LLVM turn the operation into a negation: x * -1, x / -1,
/// -0.0 - x. Null if there is none.
OpOperand *findNegatingOperand(Operation *op) {
  auto findIf = [&](unsigned index, double constant) {
    OpOperand &operand = op->getOpOperand(index);
    return mayBe(operand.get(), constant) ? &operand : nullptr;
  };
  if (isa<arith::SubFOp>(op))
    return findIf(0, -0.0);
  if (isa<arith::DivFOp>(op))
    return findIf(1, -1);
  if (!isa<arith::MulFOp>(op))
    return nullptr;
  OpOperand *left = findIf(0, -1);
  return left ? left : findIf(1, -1);
}

/// -0.0, of which optimizers know nothing.
Value createOpaqueZero(ImplicitLocOpBuilder &builder, FloatType type) {
  unsigned width = type.getWidth();
  APInt bits = APInt::getSignMask(width).sext(64);
  Value index = arith::ConstantIndexOp::create(builder, bits.getSExtValue());
  Value opaque = OpaqueIndexOp::create(builder, index);
  Value integer =
      arith::IndexCastOp::create(builder, builder.getIntegerType(width), opaque);
  return arith::BitcastOp::create(builder, type, integer);
}

} // namespace

/// The values that live across barriers, or that LLVM can make so, and that differ
/// between work-items, and what they are computed from: what is negated before a choice
/// or a product may be negated after it.
static DenseSet<Value> findExposed(Operation *root) {
  Crossings crossings(root);
  MobilityFinder mobility(crossings);
  // With whether its sources are exposed although they stay where they are.
  SmallVector<std::pair<Value, bool>> open;
  auto addValue = [&](Value value) {
    if (mobility.find(value).isVarying)
      open.emplace_back(value, crossings.crosses(value));
  };
  root->walk([&](Operation *op) {
    llvm::for_each(op->getResults(), addValue);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), addValue);
    // A register, which a choice may yield.
    if (auto store = dyn_cast<memref::StoreOp>(op))
      if (isPrivate(store.getMemRefType()))
        open.emplace_back(store.getValue(), false);
  });
  DenseSet<Value> exposed, crossing;
  while (!open.empty()) {
    auto [value, isCrossing] = open.pop_back_val();
    if (isCrossing ? !crossing.insert(value).second : !mobility.find(value).isMovable)
      continue;
    if (!exposed.insert(value).second && !isCrossing)
      continue;
    SmallVector<Value> sources = getSources(value);
    Operation *op = value.getDefiningOp();
    if (sources.empty() && op && isMemoryEffectFree(op))
      llvm::append_range(sources, op->getOperands());
    for (Value source : sources)
      open.emplace_back(source, isCrossing);
  }
  return exposed;
}

void tinytc::hideNegations(Operation *root) {
  SmallVector<Operation *> negations;
  root->walk([&](Operation *op) {
    if (isa<arith::NegFOp>(op) || findNegatingOperand(op))
      negations.push_back(op);
  });
  if (negations.empty()) // the usual case, quickly
    return;
  DenseSet<Value> exposed = findExposed(root);
  llvm::erase_if(negations,
                 [&](Operation *op) { return !exposed.contains(op->getResult(0)); });
  for (Operation *op : negations) {
    ImplicitLocOpBuilder builder(op->getLoc(), op);
    Value zero = createOpaqueZero(builder, cast<FloatType>(op->getResult(0).getType()));
    if (OpOperand *operand = findNegatingOperand(op)) {
      operand->set(arith::AddFOp::create(builder, operand->get(), zero));
      continue;
    }
    Value difference = arith::SubFOp::create(builder, zero, op->getOperand(0));
    op->getResult(0).replaceAllUsesWith(difference);
    op->erase();
  }
}
