//===- Tangent.cpp - Forward derivatives of kernels -----------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The kernel is copied. Beside each array and value that is active, there is its
// tangent; an instruction that updates memory comes after that of its tangent, which is
// made of old values.
//
//===----------------------------------------------------------------------===//

#include "lib/Derivatives/Derivatives.h"
#include "lib/Derivatives/Signature.h"

#include "dialect/Passes.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_TANGENTPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::derivatives;

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

Value TangentEmitter::getTangent(Value value) {
  if (Value tangent = tangents.lookup(value))
    return tangent;
  return createNumber(builder, value.getType(), 0);
}

LogicalResult TangentEmitter::run(FuncOp func) {
  if (failed(visit(func.getBody().front())))
    return failure();
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
  return success();
}

LogicalResult TangentEmitter::visit(Block &block) {
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  for (Operation *op : ops)
    if (failed(visit(op)))
      return failure();
  return success();
}

LogicalResult TangentEmitter::visit(Operation *op) {
  builder.setLoc(op->getLoc());
  builder.setInsertionPoint(op);
  if (isMemoryName(op)) {
    visitMemory(op);
    return success();
  }
  if (!activity.isActive(op))
    return success();
  if (auto loop = dyn_cast<ForOp>(op))
    return visitFor(loop);
  if (auto branch = dyn_cast<IfOp>(op))
    return visitIf(branch);
  if (auto apply = dyn_cast<CooperativeMatrixApplyOp>(op))
    return visitApply(apply);
  if (isa<ForeachOp, ForeachTileOp, ParallelOp>(op))
    return visit(op->getRegion(0).front());
  if (auto rule = dyn_cast<DifferentiableOpInterface>(op))
    return rule.emitTangent(*this);
  return refuseWithoutRule(op);
}

/// Views, members of groups and allocas: the same of the tangent.
void TangentEmitter::visitMemory(Operation *op) {
  Value memref = isa<LifetimeStopOp>(op) ? op->getOperand(0) : op->getResult(0);
  if (!isActive(memref))
    return;
  builder.setInsertionPointAfter(op);
  if (isa<LifetimeStopOp>(op))
    LifetimeStopOp::create(builder, getTangent(memref));
  else if (isa<AllocaOp>(op))
    setTangent(memref, builder.clone(*op)->getResult(0));
  else
    setTangent(memref,
               createView(builder, op, getTangent(op->getOperand(0)), IRMapping()));
}

/// The numbers of the values that are active.
static SmallVector<unsigned> getActive(const Activity &activity, ValueRange values) {
  SmallVector<unsigned> numbers;
  for (auto [number, value] : llvm::enumerate(values))
    if (activity.isActive(value))
      numbers.push_back(number);
  return numbers;
}

void TangentEmitter::extendYield(Block &block, ArrayRef<unsigned> numbers) {
  Operation *yield = block.getTerminator();
  builder.setInsertionPoint(yield);
  SmallVector<Value> values(yield->getOperands());
  for (unsigned number : numbers)
    values.push_back(getTangent(values[number]));
  yield->setOperands(values);
}

void TangentEmitter::replace(Operation *op, Operation *by) {
  for (auto [result, newResult] : llvm::zip(op->getResults(), by->getResults())) {
    activity.copy(result, newResult);
    result.replaceAllUsesWith(newResult);
  }
  replaced.push_back(op);
}

LogicalResult TangentEmitter::visitFor(ForOp loop) {
  SmallVector<unsigned> numbers = getActive(activity, loop.getResults());
  SmallVector<Value> inits(loop.getInits());
  for (unsigned number : numbers)
    inits.push_back(getTangent(loop.getInits()[number]));
  auto extended = ForOp::create(builder, loop.getFrom(), loop.getTo(), loop.getStep(),
                                inits, loop.getUnrollAttr());
  extended.getBody().takeBody(loop.getBody());
  Block &body = extended.getBody().front();
  loop.getBody().emplaceBlock();
  for (auto [place, number] : llvm::enumerate(numbers)) {
    Value carried = extended.getRegionIterArgs()[number];
    setTangent(carried, body.addArgument(carried.getType(), loop.getLoc()));
    setTangent(extended.getResult(number),
               extended.getResult(loop.getNumResults() + place));
  }
  replace(loop, extended);
  if (failed(visit(body)))
    return failure();
  extendYield(body, numbers);
  return success();
}

LogicalResult TangentEmitter::visitIf(IfOp op) {
  SmallVector<unsigned> numbers = getActive(activity, op.getResults());
  SmallVector<Type> types(op.getResultTypes());
  for (unsigned number : numbers)
    types.push_back(types[number]);
  auto extended = IfOp::create(builder, types, op.getCondition());
  for (auto [region, old] : llvm::zip_equal(extended->getRegions(), op->getRegions()))
    region.takeBody(old);
  for (auto [place, number] : llvm::enumerate(numbers))
    setTangent(extended.getResult(number),
               extended.getResult(op.getNumResults() + place));
  replace(op, extended);
  for (Region &region : extended->getRegions()) {
    if (region.empty())
      continue;
    if (failed(visit(region.front())))
      return failure();
    extendYield(region.front(), numbers);
  }
  return success();
}

/// A second function, which also takes the tangents of components, yields the tangent.
LogicalResult TangentEmitter::visitApply(CooperativeMatrixApplyOp apply) {
  if (failed(refuseWrites(apply)))
    return failure();
  IRMapping mapping;
  builder.setInsertionPointAfter(apply);
  auto tangent = cast<CooperativeMatrixApplyOp>(builder.clone(*apply, mapping));
  for (auto [value, copy] : mapping.getValueMap())
    activity.copy(value, copy);
  Block &body = tangent.getBody().front();
  for (auto [number, matrix] : llvm::enumerate(apply.getMatrices())) {
    if (!isActive(matrix))
      continue;
    builder.setInsertionPoint(tangent);
    tangent->insertOperands(tangent->getNumOperands(), getTangent(matrix));
    Value component = body.getArgument(number + 2);
    setTangent(component, body.addArgument(component.getType(), apply.getLoc()));
  }
  if (failed(visit(body)))
    return failure();
  Operation *yield = body.getTerminator();
  builder.setInsertionPoint(yield);
  yield->setOperand(0, getTangent(yield->getOperand(0)));
  setTangent(apply.getResult(), tangent.getResult());
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Adds the kernel of the tangents of `func` after it.
static LogicalResult addTangentKernel(FuncOp func, ArrayRef<std::string> wrt) {
  FailureOr<SmallVector<unsigned>> parameters = selectParameters(func, wrt);
  if (failed(parameters))
    return failure();
  OpBuilder builder(func.getContext());
  builder.setInsertionPointAfter(func);
  auto kernel = cast<FuncOp>(builder.clone(*func));
  kernel.setSymName((func.getSymName() + "_jvp").str());
  decomposeForDerivatives(kernel);
  Activity activity(kernel, *parameters);
  TangentEmitter emitter(activity, builder);
  for (unsigned index = 0, count = func.getNumArguments(); index < count; ++index)
    if (isActiveParameter(activity, kernel, index))
      emitter.setTangent(kernel.getArgument(index),
                         addParameter(kernel, func, index, "_tangent",
                                      func.getArgumentTypes()[index]));
  if (failed(emitter.run(kernel))) {
    kernel.erase();
    return failure();
  }
  return simplifyKernel(kernel);
}

namespace {
struct Tangent final : tinytc::impl::TangentPassBase<Tangent> {
  using TangentPassBase::TangentPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<TinyTCDialect>();
    attachDerivativeRules(registry);
  }

  void runOnOperation() override {
    auto add = [this](FuncOp func) { return addTangentKernel(func, wrt); };
    if (failed(addToKernels(getOperation(), kernel, add)))
      signalPassFailure();
  }
};
} // namespace
