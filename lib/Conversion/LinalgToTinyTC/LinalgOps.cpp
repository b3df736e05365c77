//===- LinalgOps.cpp - linalg ops -> instructions of tinytc ---------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/LinalgToTinyTC/Raiser.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;

std::optional<unsigned> LoopNest::getLoop(AffineExpr index) {
  auto dim = dyn_cast<AffineDimExpr>(index);
  return dim ? std::optional(dim.getPosition()) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Loops of an op
//===----------------------------------------------------------------------===//

static bool isIndexedBy(const LoopNest::Operand &operand, unsigned loop) {
  return llvm::any_of(operand.indices, [&](AffineExpr index) {
    return LoopNest::getLoop(index) == loop;
  });
}

FailureOr<LoopNest> Raiser::getLoopNest(linalg::GenericOp op) {
  LoopNest nest;
  nest.op = op;
  nest.numInputs = op.getNumDpsInputs();
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!isa<MemRefType>(operand.get().getType())) {
      nest.operands.push_back({{scalars.lookupOrDefault(operand.get()), {}}, {}});
      continue;
    }
    FailureOr<View> view = getView(*op, operand.get());
    if (failed(view))
      return failure();
    nest.operands.push_back({*view, llvm::to_vector(map.getResults())});
  }
  nest.fixed.resize(op.getNumLoops());
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray())) {
    // Iterations that write the same element have an order.
    bool hasOwnElements =
        llvm::all_of(nest.getOutputs(), [&, i = loop](const auto &output) {
          return isIndexedBy(output, i);
        });
    nest.isParallel.push_back(hasOwnElements && type == utils::IteratorType::parallel);
    if (llvm::none_of(nest.operands, [&, i = loop](const auto &operand) {
          return isIndexedBy(operand, i);
        }))
      return op.emitError("expected each loop to be the index of an operand, got none "
                          "for loop ")
             << loop;
  }
  return nest;
}

Value Raiser::createSize(Location loc, const LoopNest &nest, unsigned loop) {
  std::optional<std::pair<Value, unsigned>> found;
  for (const LoopNest::Operand &operand : nest.operands)
    for (auto [dim, index] : llvm::enumerate(operand.indices)) {
      if (LoopNest::getLoop(index) != loop)
        continue;
      unsigned mode = operand.view.getMode(dim);
      int64_t size = operand.view.getType().getShape()[mode];
      if (!ShapedType::isDynamic(size))
        return createIndex(loc, size);
      found = {operand.view.memref, mode};
    }
  return SizeOp::create(builder, loc, found->first, found->second);
}

void Raiser::fixLoop(LoopNest &nest, unsigned loop, Value value) {
  nest.fixed[loop] = value;
  nest.isParallel[loop] = false;
  for (LoopNest::Operand &operand : nest.operands) {
    unsigned rank = operand.indices.size();
    llvm::SmallBitVector dropped(rank);
    SmallVector<OpFoldResult> offsets(rank, builder.getIndexAttr(0)), sizes;
    for (auto [dim, index] : llvm::enumerate(operand.indices)) {
      unsigned mode = operand.view.getMode(dim);
      int64_t size = operand.view.getType().getShape()[mode];
      if (LoopNest::getLoop(index) == loop) {
        dropped.set(dim);
        offsets[dim] = value;
      }
      if (ShapedType::isDynamic(size) && !dropped[dim])
        sizes.push_back(
            SizeOp::create(builder, nest.op.getLoc(), operand.view.memref, mode)
                .getResult());
      else
        sizes.push_back(builder.getIndexAttr(size));
    }
    if (dropped.none())
      continue;
    operand.view =
        createSubview(nest.op.getLoc(), operand.view, offsets, sizes, dropped);
    llvm::erase_if(operand.indices,
                   [&](AffineExpr index) { return LoopNest::getLoop(index) == loop; });
  }
}

void Raiser::fixUnitLoops(LoopNest &nest) {
  Location loc = nest.op.getLoc();
  for (unsigned loop = 0; loop < nest.isParallel.size(); ++loop) {
    if (!nest.isParallel[loop])
      continue;
    auto size = createSize(loc, nest, loop).getDefiningOp<ConstantOp>();
    if (size && getConstantIntValue(size.getResult()) == 1)
      fixLoop(nest, loop, createIndex(loc, 0));
  }
}

SmallVector<Value> Raiser::createIndices(Location loc, const LoopNest::Operand &operand,
                                         ValueRange loops) {
  SmallVector<Value> indices;
  for (AffineExpr index : operand.indices) {
    if (std::optional<unsigned> loop = LoopNest::getLoop(index))
      indices.push_back(loops[*loop]);
    else
      indices.push_back(affine::expandAffineExpr(builder, loc, index, loops, {}));
  }
  return operand.view.toModes(ArrayRef<Value>(indices));
}

//===----------------------------------------------------------------------===//
// All other ops
//===----------------------------------------------------------------------===//

/// The new element of each output at the iteration `loops`; those that are summed up
/// are looped over.
LogicalResult Raiser::emitElement(const LoopNest &nest, SmallVector<Value> &loops) {
  linalg::GenericOp op = nest.op;
  Location loc = op.getLoc();
  Block &body = *op.getBody();
  SmallVector<unsigned> summed;
  for (auto [loop, value] : llvm::enumerate(loops))
    if (!value)
      summed.push_back(loop);
  SmallVector<Value> upper = llvm::map_to_vector(
      summed, [&](unsigned loop) { return createSize(loc, nest, loop); });
  auto load = [&](const LoopNest::Operand &operand) -> Value {
    if (!isa<MemrefType>(operand.view.memref.getType()))
      return operand.view.memref;
    return LoadOp::create(builder, loc, operand.view.memref,
                          createIndices(loc, operand, loops));
  };
  auto outputArguments = body.getArguments().drop_front(nest.numInputs);
  SmallVector<Value> elements(nest.getOutputs().size());
  for (auto [output, argument, element] :
       llvm::zip(nest.getOutputs(), outputArguments, elements))
    if (!summed.empty() || !argument.use_empty())
      element = load(output);
  auto emitPayload = [&]() -> LogicalResult {
    for (auto [input, argument] : llvm::zip(nest.getInputs(), body.getArguments()))
      if (!argument.use_empty())
        scalars.map(argument, load(input));
    for (auto [argument, element] : llvm::zip(outputArguments, elements))
      if (element)
        scalars.map(argument, element);
    linalgIndices = loops;
    if (failed(raiseBlock(body)))
      return failure();
    for (auto [element, yielded] :
         llvm::zip(elements, body.getTerminator()->getOperands()))
      element = scalars.lookupOrDefault(yielded);
    return success();
  };
  std::function<LogicalResult(unsigned)> emitSums = [&](unsigned i) -> LogicalResult {
    if (i == summed.size())
      return emitPayload();
    SmallVector<Value> results;
    if (failed(createFor(loc, createIndex(loc, 0), upper[i], Value(), elements, results,
                         [&](Value variable, SmallVectorImpl<Value> &carried) {
                           loops[summed[i]] = variable;
                           elements.assign(carried.begin(), carried.end());
                           if (failed(emitSums(i + 1)))
                             return failure();
                           llvm::copy(elements, carried.begin());
                           return success();
                         })))
      return failure();
    elements.assign(results.begin(), results.end());
    loops[summed[i]] = Value();
    return success();
  };
  if (failed(emitSums(0)))
    return failure();
  for (auto [output, element] : llvm::zip(nest.getOutputs(), elements))
    StoreOp::create(builder, loc, StoreFlag::Regular, element, output.view.memref,
                    createIndices(loc, output, loops));
  return success();
}

LogicalResult Raiser::raiseLoops(const LoopNest &nest) {
  linalg::GenericOp op = nest.op;
  Location loc = op.getLoc();
  // Neighbouring work-items write neighbouring elements of the first output.
  SmallVector<unsigned> order;
  const LoopNest::Operand &first = nest.getOutputs().front();
  for (int64_t dim : first.view.modes) {
    std::optional<unsigned> loop = LoopNest::getLoop(first.indices[dim]);
    if (loop && nest.isParallel[*loop] && !llvm::is_contained(order, *loop))
      order.push_back(*loop);
  }
  SmallVector<Value> upper = llvm::map_to_vector(
      order, [&](unsigned loop) { return createSize(loc, nest, loop); });
  if (upper.empty())
    upper.push_back(createIndex(loc, 1));
  return createForeach(loc, upper, [&](ValueRange variables) {
    SmallVector<Value> loops = nest.fixed;
    for (auto [loop, variable] : llvm::zip(order, variables))
      loops[loop] = variable;
    return emitElement(nest, loops);
  });
}

LogicalResult Raiser::raiseLinalg(linalg::LinalgOp op) {
  if (!op.hasPureBufferSemantics())
    return op.emitError("expected an op on memrefs, got tensors: bufferize first");
  auto generic = dyn_cast<linalg::GenericOp>(*op);
  if (!generic) {
    IRRewriter rewriter(builder.getContext());
    rewriter.setInsertionPoint(op);
    FailureOr<linalg::GenericOp> made = linalg::generalizeNamedOp(rewriter, op);
    if (failed(made))
      return op.emitError("expected an op that has a linalg.generic form, got '")
             << op->getName() << "'";
    generic = *made;
  }
  if (generic.getNumDpsInits() == 0)
    return generic.emitError("expected an op with an output, got none");
  FailureOr<LoopNest> nest = getLoopNest(generic);
  if (failed(nest))
    return failure();
  if (group)
    fixLoop(*nest, 0, group);
  if (raiseContraction(*nest))
    return success();
  return raiseLoops(*nest);
}
