//===- Elementwise.cpp - Distribution of parallel loops -------------------===//

#include "lib/Conversion/LinalgToGPU/LinalgToGPU.h"
#include "lib/Conversion/TinyTCToLinalg/Patterns.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::tinytc;

Value tinytc::loadElement(OpBuilder &builder, linalg::GenericOp op, unsigned i,
                          ValueRange indices) {
  AffineMap map = op.getIndexingMapsArray()[i];
  SmallVector<Value> position = llvm::map_to_vector(
      map.getResults(),
      [&](AffineExpr expr) { return indices[cast<AffineDimExpr>(expr).getPosition()]; });
  return memref::LoadOp::create(builder, op.getLoc(), op->getOperand(i), position);
}

Value tinytc::cloneBody(OpBuilder &builder, linalg::GenericOp op, ValueRange elements) {
  IRMapping mapping;
  Block *body = op.getBody();
  for (auto [argument, element] : llvm::zip(body->getArguments(), elements))
    if (element)
      mapping.map(argument, element);
  for (Operation &nested : body->without_terminator())
    builder.clone(nested, mapping);
  return mapping.lookupOrDefault(body->getTerminator()->getOperand(0));
}

/// Where the old value of the destination is loaded: in front of its first use, inside
/// of the branch that alone uses it.
static void loadOldValue(OpBuilder &builder, linalg::GenericOp op, Operation *first,
                         Operation *last, ValueRange indices) {
  BlockArgument old = op.getBody()->getArguments().back();
  SmallVector<OpOperand *> uses;
  for (Operation *top = first; top != last->getNextNode(); top = top->getNextNode())
    top->walk([&](Operation *nested) {
      for (OpOperand &operand : nested->getOpOperands())
        if (operand.get() == old)
          uses.push_back(&operand);
    });
  if (uses.empty())
    return;
  Block *block = uses.front()->getOwner()->getBlock();
  bool isOneBlock = llvm::all_of(
      uses, [&](OpOperand *use) { return use->getOwner()->getBlock() == block; });
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(isOneBlock ? uses.front()->getOwner() : first);
  Value value = loadElement(builder, op, op.getNumDpsInputs(), indices);
  for (OpOperand *use : uses)
    use->set(value);
}

/// The summand of an atomic sum `summand + old`; null if the result does not use old.
static FailureOr<Value> matchAtomicSummand(linalg::GenericOp op) {
  BlockArgument old = op.getBody()->getArguments().back();
  if (old.use_empty())
    return Value();
  Operation *sum = op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  bool isSum =
      isa_and_present<arith::AddIOp, arith::AddFOp, complex::AddOp>(sum) &&
      old.hasOneUse() && llvm::is_contained(sum->getOperands(), old);
  if (!isSum)
    return op.emitError("expected an atomic update to yield the sum of a value and "
                        "the old element, or a value that does not use it");
  return sum->getOperand(0) == old ? sum->getOperand(1) : sum->getOperand(0);
}

LogicalResult tinytc::emitElement(OpBuilder &builder, linalg::GenericOp op,
                                  ValueRange indices, ArrayRef<Value> elements) {
  Location loc = op.getLoc();
  SmallVector<Value> inputs(elements);
  for (unsigned i = 0; i < op.getNumDpsInputs(); ++i)
    if (!inputs[i])
      inputs[i] = loadElement(builder, op, i, indices);
  Value dest = op.getDpsInits().front();
  if (op->hasAttr("tinytc.atomic")) {
    FailureOr<Value> summand = matchAtomicSummand(op);
    if (failed(summand))
      return failure();
    IRMapping mapping;
    mapping.map(op.getBody()->getArguments().drop_back(), inputs);
    Value result = *summand ? *summand : op.getBody()->getTerminator()->getOperand(0);
    for (Operation &nested : op.getBody()->without_terminator())
      if (!*summand || !llvm::is_contained(nested.getOperands(),
                                           op.getBody()->getArguments().back()))
        builder.clone(nested, mapping);
    createStore(builder, loc, *summand ? StoreFlag::AtomicAdd : StoreFlag::Atomic,
                mapping.lookupOrDefault(result), dest, indices);
    return success();
  }
  // The old value stays open until it is known where it is needed.
  inputs.push_back(Value());
  Block *block = builder.getBlock();
  bool isAtStart = builder.getInsertionPoint() == block->begin();
  Operation *before = isAtStart ? nullptr : &*std::prev(builder.getInsertionPoint());
  Value value = cloneBody(builder, op, inputs);
  Operation *store = memref::StoreOp::create(builder, loc, value, dest, indices);
  Operation *first = before ? before->getNextNode() : &block->front();
  loadOldValue(builder, op, first, store, indices);
  return success();
}

/// Distributes the dimensions [0, count) of a loop nest, the first one innermost and
/// along the first dimension of the work-group.
static void distributeDims(OpBuilder &builder, Location loc, const WorkGroup &group,
                           ArrayRef<OpFoldResult> lower, ArrayRef<OpFoldResult> upper,
                           unsigned count, SmallVectorImpl<Value> &indices,
                           function_ref<void(OpBuilder &)> emit) {
  if (count == 0)
    return emit(builder);
  unsigned dim = count - 1;
  auto emitInner = [&](OpBuilder &b, Location l, Value index) {
    indices[dim] = index;
    distributeDims(b, l, group, lower, upper, dim, indices, emit);
  };
  if (dim < 2)
    return group.distribute(builder, loc, dim, lower[dim], upper[dim], emitInner);
  // Dimensions beyond the second are walked through by every work-item.
  auto loop = scf::ForOp::create(
      builder, loc, getValueOrCreateConstantIndexOp(builder, loc, lower[dim]),
      getValueOrCreateConstantIndexOp(builder, loc, upper[dim]),
      arith::ConstantIndexOp::create(builder, loc, 1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  emitInner(builder, loc, loop.getInductionVar());
}

/// Distributes a loop nest of any rank; `emit` gets the indices.
static void distributeNest(OpBuilder &builder, Location loc, const WorkGroup &group,
                           SmallVector<OpFoldResult> lower,
                           SmallVector<OpFoldResult> upper,
                           function_ref<void(OpBuilder &, ValueRange)> emit) {
  size_t rank = lower.size();
  // Fewer than two dimensions are work for one row or one item of the work-group.
  lower.resize(std::max<size_t>(rank, 2), builder.getIndexAttr(0));
  upper.resize(std::max<size_t>(rank, 2), builder.getIndexAttr(1));
  SmallVector<Value> indices(lower.size());
  distributeDims(builder, loc, group, lower, upper, lower.size(), indices,
                 [&](OpBuilder &b) { emit(b, ArrayRef(indices).take_front(rank)); });
}

LogicalResult tinytc::distributeElementwise(OpBuilder &builder, const WorkGroup &group,
                                            linalg::GenericOp op) {
  Location loc = op.getLoc();
  Value dest = op.getDpsInits().front();
  SmallVector<OpFoldResult> upper = memref::getMixedSizes(builder, loc, dest);
  SmallVector<OpFoldResult> lower(upper.size(), builder.getIndexAttr(0));
  LogicalResult result = success();
  SmallVector<Value> toLoad(op.getNumDpsInputs());
  distributeNest(builder, loc, group, lower, upper, [&](OpBuilder &b, ValueRange indices) {
    if (failed(emitElement(b, op, indices, toLoad)))
      result = failure();
  });
  return result;
}

LogicalResult tinytc::distributeParallel(OpBuilder &builder, const WorkGroup &group,
                                         scf::ParallelOp op) {
  if (op.getNumReductions() != 0)
    return op.emitError("expected a parallel loop without reductions, got ")
           << op.getNumReductions();
  if (!llvm::all_of(op.getStep(), [](Value step) {
        return getConstantIntValue(step) == 1;
      }))
    return op.emitError("expected a parallel loop with steps of 1");
  distributeNest(builder, op.getLoc(), group, getAsOpFoldResult(op.getLowerBound()),
                 getAsOpFoldResult(op.getUpperBound()),
                 [&](OpBuilder &b, ValueRange indices) {
                   IRMapping mapping;
                   mapping.map(op.getInductionVars(), indices);
                   for (Operation &nested : op.getBody()->without_terminator())
                     b.clone(nested, mapping);
                 });
  return success();
}
