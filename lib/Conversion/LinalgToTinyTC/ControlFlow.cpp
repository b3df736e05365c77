//===- ControlFlow.cpp - scf -> loops and branches of tinytc --------------===//

#include "lib/Conversion/LinalgToTinyTC/Raiser.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
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
  auto loop = ForOp::create(builder, loc, inits.getTypes(), lower, upper, step, inits,
                            Attribute());
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
// Sequential code
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

/// Whether an op contains others that are the work of all work-items.
static bool hasCollective(Operation &op) {
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

//===----------------------------------------------------------------------===//
// Parallel loops
//===----------------------------------------------------------------------===//

LogicalResult Raiser::raiseParallel(Operation &op, ArrayRef<OpFoldResult> lower,
                                    ArrayRef<OpFoldResult> upper,
                                    ArrayRef<OpFoldResult> steps, ValueRange variables,
                                    Block &body) {
  Location loc = op.getLoc();
  SmallVector<Value> counts, starts, strides;
  for (auto [from, to, by] : llvm::zip(lower, upper, steps)) {
    Value first = toValue(loc, map(from)), end = toValue(loc, map(to));
    Value step = toValue(loc, map(by));
    starts.push_back(first);
    strides.push_back(step);
    if (isZeroInteger(from) && isOneInteger(by)) {
      counts.push_back(end);
      continue;
    }
    // The number of iterations: ceil((end - first) / step), none if end < first.
    Value zero = createIndex(loc, 0), one = createIndex(loc, 1);
    Value distance = arith::SubIOp::create(builder, loc, end, first);
    distance = arith::MaxSIOp::create(builder, loc, distance, zero);
    Value last = arith::SubIOp::create(builder, loc, step, one);
    distance = arith::AddIOp::create(builder, loc, distance, last);
    counts.push_back(arith::DivSIOp::create(builder, loc, distance, step));
  }
  auto emitBody = [&](ValueRange iterations) {
    for (auto [i, variable] : llvm::enumerate(variables)) {
      Value index = iterations[i];
      if (!isZeroInteger(lower[i]) || !isOneInteger(steps[i])) {
        index = ArithMulOp::create(builder, loc, index, strides[i]);
        index = ArithAddOp::create(builder, loc, starts[i], index);
      }
      scalars.map(variable, index);
    }
    return raiseBlock(body);
  };
  if (isSpmd || !hasCollective(op))
    return createForeach(loc, counts, emitBody);
  // All work-items run the iterations one after the other.
  SmallVector<Value> iterations;
  std::function<LogicalResult()> emitLoop = [&]() -> LogicalResult {
    if (iterations.size() == counts.size())
      return emitBody(iterations);
    SmallVector<Value> results;
    return createFor(loc, createIndex(loc, 0), counts[iterations.size()], Value(), {},
                     results, [&](Value variable, SmallVectorImpl<Value> &) {
                       iterations.push_back(variable);
                       return emitLoop();
                     });
  };
  return emitLoop();
}

static bool isOverGroups(scf::ForallOp op) {
  std::optional<ArrayAttr> mapping = op.getMapping();
  return mapping && llvm::any_of(*mapping, llvm::IsaPred<gpu::GPUBlockMappingAttr>);
}

LogicalResult Raiser::raiseForall(scf::ForallOp op) {
  if (op.getNumResults() != 0)
    return op.emitError("expected a loop without results, on memrefs, got ")
           << op.getNumResults();
  if (isOverGroups(op))
    return raiseGroups(op);
  return raiseParallel(*op, op.getMixedLowerBound(), op.getMixedUpperBound(),
                       op.getMixedStep(), op.getInductionVars(), *op.getBody());
}

/// The dimension of the grid that a loop is mapped to, if it is one.
static std::optional<Dimension> getGridDimension(Attribute attribute) {
  auto block = dyn_cast<gpu::GPUBlockMappingAttr>(attribute);
  if (!block)
    return std::nullopt;
  switch (block.getBlock()) {
  case gpu::MappingId::DimX:
    return Dimension::X;
  case gpu::MappingId::DimY:
    return Dimension::Y;
  case gpu::MappingId::DimZ:
    return Dimension::Z;
  default:
    return std::nullopt;
  }
}

/// Whether a number of iterations is the size of a parameter: then a launch cannot have
/// more groups.
static bool isSizeOfParameter(func::FuncOp func, OpFoldResult count) {
  if (auto value = dyn_cast<Value>(count))
    if (auto dim = value.getDefiningOp<memref::DimOp>())
      return isa<BlockArgument>(dim.getSource());
  std::optional<int64_t> constant = getConstantIntValue(count);
  return constant && llvm::any_of(func.getArgumentTypes(), [&](Type type) {
           auto memref = dyn_cast<MemRefType>(type);
           return memref && llvm::is_contained(memref.getShape(), *constant);
         });
}

LogicalResult Raiser::raiseGroups(scf::ForallOp op) {
  auto func = dyn_cast<func::FuncOp>(op->getParentOp());
  if (!func)
    return op.emitError(
        "expected a loop over groups at the level of the function, got a "
        "nested one");
  Location loc = op.getLoc();
  Value condition;
  SmallVector<Dimension> used;
  for (auto [i, attribute] : llvm::enumerate(*op.getMapping())) {
    std::optional<Dimension> dimension = getGridDimension(attribute);
    if (!dimension || llvm::is_contained(used, *dimension))
      return op.emitError("expected loops over groups to be mapped to #gpu.block<x>, "
                          "#gpu.block<y> and #gpu.block<z>, each at most once, got ")
             << *op.getMapping();
    used.push_back(*dimension);
    OpFoldResult lower = op.getMixedLowerBound()[i], step = op.getMixedStep()[i];
    OpFoldResult upper = op.getMixedUpperBound()[i];
    Value index = GroupIdOp::create(builder, loc, builder.getIndexType(), *dimension);
    bool isPlain = isZeroInteger(lower) && isOneInteger(step);
    if (!isPlain) {
      index = ArithMulOp::create(builder, loc, index, toValue(loc, map(step)));
      index = ArithAddOp::create(builder, loc, toValue(loc, map(lower)), index);
    }
    scalars.map(op.getInductionVars()[i], index);
    if (isPlain && isSizeOfParameter(func, upper))
      continue;
    Value isInside = CmpLtOp::create(builder, loc, builder.getI1Type(), index,
                                     toValue(loc, map(upper)));
    condition =
        condition ? arith::AndIOp::create(builder, loc, condition, isInside) : isInside;
  }
  if (!condition)
    return raiseBlock(*op.getBody());
  auto branch = IfOp::create(builder, loc, TypeRange(), condition);
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&branch.getThenRegion());
  if (failed(raiseBlock(*op.getBody())))
    return failure();
  YieldOp::create(builder, loc);
  return success();
}
