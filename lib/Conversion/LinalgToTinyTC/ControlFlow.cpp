//===- ControlFlow.cpp - scf -> loops and branches of tinytc --------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/LinalgToTinyTC/Raiser.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

Value Raiser::createIndex(Location loc, int64_t value) {
  return ConstantOp::create(builder, loc, builder.getIndexType(), value);
}

OpFoldResult Raiser::map(OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return builder.getIndexAttr(*constant);
  return scalars.lookupOrDefault(cast<Value>(value));
}

Value Raiser::toValue(Location loc, OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return createIndex(loc, *constant);
  return cast<Value>(value);
}

LogicalResult Raiser::createFor(
    Location loc, Value lower, Value upper, Value step, ValueRange inits,
    SmallVectorImpl<Value> &results,
    function_ref<LogicalResult(Value, SmallVectorImpl<Value> &)> emitBody) {
  SmallVector<Type> types{lower.getType()};
  llvm::append_range(types, inits.getTypes());
  auto loop = ForOp::create(builder, loc, lower, upper, step, inits, Attribute());
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&loop.getBody(), {}, types,
                                    SmallVector<Location>(types.size(), loc));
  SmallVector<Value> carried(body->getArguments().drop_front());
  if (failed(emitBody(body->getArgument(0), carried)))
    return failure();
  YieldOp::create(builder, loc, carried);
  llvm::append_range(results, loop.getResults());
  return success();
}

LogicalResult Raiser::createForeach(Location loc, ValueRange upper,
                                    function_ref<LogicalResult(ValueRange)> emitBody) {
  Value zero = createIndex(loc, 0);
  if (!isSpmd) {
    SmallVector<Value> lower(upper.size(), zero);
    auto loop = ForeachOp::create(builder, loc, lower, upper);
    OpBuilder::InsertionGuard guard(builder);
    SmallVector<Type> types(upper.size(), builder.getIndexType());
    Block *body = builder.createBlock(&loop.getBody(), {}, types,
                                      SmallVector<Location>(types.size(), loc));
    isSpmd = true;
    LogicalResult result = emitBody(body->getArguments());
    isSpmd = false;
    YieldOp::create(builder, loc);
    return result;
  }
  SmallVector<Value> variables;
  std::function<LogicalResult()> emitLoop = [&]() -> LogicalResult {
    if (variables.size() == upper.size())
      return emitBody(variables);
    SmallVector<Value> results;
    return createFor(loc, zero, upper[variables.size()], Value(), {}, results,
                     [&](Value variable, SmallVectorImpl<Value> &) {
                       variables.push_back(variable);
                       return emitLoop();
                     });
  };
  return emitLoop();
}

/// Checks that values that leave a region are scalars.
static LogicalResult checkScalars(Operation *op, TypeRange types) {
  for (Type type : types)
    if (!type.isInteger(1) && !isScalarType(type))
      return op->emitError("expected '")
             << op->getName() << "' with results of scalar type, got " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

LogicalResult Raiser::raiseFor(scf::ForOp op) {
  if (op->hasAttr("unsignedCmp"))
    return op.emitError("expected a loop that compares signed numbers, got one that "
                        "compares unsigned ones");
  if (failed(checkScalars(op, op.getResultTypes())))
    return failure();
  auto mapped = [&](Value value) { return scalars.lookupOrDefault(value); };
  Value step = getConstantIntValue(op.getStep()) == 1 ? Value() : mapped(op.getStep());
  SmallVector<Value> inits = llvm::map_to_vector(op.getInitArgs(), mapped), results;
  LogicalResult result = createFor(
      op.getLoc(), mapped(op.getLowerBound()), mapped(op.getUpperBound()), step, inits,
      results, [&](Value variable, SmallVectorImpl<Value> &carried) {
        scalars.map(op.getInductionVar(), variable);
        scalars.map(op.getRegionIterArgs(), carried);
        if (failed(raiseBlock(*op.getBody())))
          return failure();
        llvm::transform(op.getYieldedValues(), carried.begin(), mapped);
        return success();
      });
  scalars.map(op.getResults(), results);
  return result;
}

LogicalResult Raiser::raiseIf(scf::IfOp op) {
  if (failed(checkScalars(op, op.getResultTypes())))
    return failure();
  auto branch = IfOp::create(builder, op.getLoc(), op.getResultTypes(),
                             scalars.lookupOrDefault(op.getCondition()));
  auto raiseRegion = [&](Region &from, Region &to) {
    if (from.empty())
      return success();
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&to);
    if (failed(raiseBlock(from.front())))
      return failure();
    YieldOp::create(builder, op.getLoc(),
                    llvm::map_to_vector(
                        from.front().getTerminator()->getOperands(),
                        [&](Value value) { return scalars.lookupOrDefault(value); }));
    return success();
  };
  scalars.map(op.getResults(), branch.getResults());
  return success(succeeded(raiseRegion(op.getThenRegion(), branch.getThenRegion())) &&
                 succeeded(raiseRegion(op.getElseRegion(), branch.getElseRegion())));
}

bool tinytc::hasCollective(Operation &op) {
  return op
      .walk([](Operation *nested) {
        return isa<linalg::LinalgOp, memref::AllocaOp, memref::AllocOp, memref::CopyOp>(
                   nested)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult Raiser::raiseWhile(scf::WhileOp op) {
  if (failed(checkScalars(op, op.getResultTypes())) ||
      failed(checkScalars(op, op.getInits().getTypes())))
    return failure();
  if (!isSpmd && (hasCollective(*op) || !op->getParentOfType<func::FuncOp>()))
    return op.emitError(
        "expected a loop of scalar code, got one with linalg ops, copies "
        "or local memory");
  auto mapped = [&](Value value) { return scalars.lookupOrDefault(value); };
  auto loop = scf::WhileOp::create(builder, op.getLoc(), op.getResultTypes(),
                                   llvm::map_to_vector(op.getInits(), mapped), nullptr,
                                   nullptr);
  auto raiseRegion = [&](Region &from, Region &to) {
    OpBuilder::InsertionGuard guard(builder);
    if (to.empty())
      builder.createBlock(&to, {}, from.getArgumentTypes(),
                          SmallVector<Location>(from.getNumArguments(), op.getLoc()));
    Block &body = to.front();
    if (!body.empty())
      body.back().erase();
    builder.setInsertionPointToEnd(&body);
    scalars.map(from.getArguments(), body.getArguments());
    if (failed(raiseBlock(from.front())))
      return failure();
    builder.clone(*from.front().getTerminator(), scalars);
    return success();
  };
  scalars.map(op.getResults(), loop.getResults());
  return success(succeeded(raiseRegion(op.getBefore(), loop.getBefore())) &&
                 succeeded(raiseRegion(op.getAfter(), loop.getAfter())));
}
