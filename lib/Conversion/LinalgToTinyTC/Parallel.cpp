//===- Parallel.cpp - scf.parallel, scf.forall -> foreach and groups ------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/LinalgToTinyTC/Raiser.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;

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
  if (op.getRank() == 0)
    return op.emitError("expected a loop with at least one dimension, got none");
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
