//===- Elementwise.cpp - Distribution of parallel loops -------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Builders/Indices.h"
#include "lib/Conversion/DistributeLinalg/DistributeLinalg.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::tinytc;

Value tinytc::loadElement(ImplicitLocOpBuilder &builder, linalg::GenericOp op,
                          unsigned i, ValueRange indices) {
  Value operand = op->getOperand(i);
  if (!isa<MemRefType>(operand.getType()))
    return operand;
  AffineMap map = op.getIndexingMapsArray()[i];
  SmallVector<Value> position =
      llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
        return indices[cast<AffineDimExpr>(expr).getPosition()];
      });
  return memref::LoadOp::create(builder, operand, position);
}

Value tinytc::cloneBody(ImplicitLocOpBuilder &builder, linalg::GenericOp op,
                        ValueRange elements) {
  IRMapping mapping;
  Block *body = op.getBody();
  for (auto [argument, element] : llvm::zip(body->getArguments(), elements))
    if (element)
      mapping.map(argument, element);
  for (Operation &nested : body->without_terminator())
    builder.clone(nested, mapping);
  return mapping.lookupOrDefault(body->getTerminator()->getOperand(0));
}

/// Clones one op of the body for iteration `indices`. The old value of the destination
/// is loaded before its first use, inside the only branch that uses it.
static void cloneOp(ImplicitLocOpBuilder &builder, linalg::GenericOp op,
                    Operation &nested, ValueRange indices, IRMapping &mapping) {
  BlockArgument old = op.getBody()->getArguments().back();
  Operation *clone = builder.clone(nested, mapping);
  SmallVector<OpOperand *> uses;
  clone->walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands())
      if (operand.get() == old)
        uses.push_back(&operand);
  });
  if (uses.empty())
    return;
  Block *block = uses.front()->getOwner()->getBlock();
  bool isOneBlock = llvm::all_of(
      uses, [&](OpOperand *use) { return use->getOwner()->getBlock() == block; });
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(isOneBlock ? uses.front()->getOwner() : clone);
  Value value = loadElement(builder, op, op.getNumDpsInputs(), indices);
  for (OpOperand *use : uses)
    use->set(value);
  if (builder.getBlock() == clone->getBlock())
    mapping.map(old, value);
}

/// The value that the body yields in an iteration all ops of which are cloned.
static Value getYielded(ImplicitLocOpBuilder &builder, linalg::GenericOp op,
                        ValueRange indices, const IRMapping &mapping) {
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  bool isOld = yielded == op.getBody()->getArguments().back();
  if (isOld && !mapping.contains(yielded))
    return loadElement(builder, op, op.getNumDpsInputs(), indices);
  return mapping.lookupOrDefault(yielded);
}

/// The inputs of an op at `indices`; entries of `elements` are already available.
static SmallVector<Value> loadInputs(ImplicitLocOpBuilder &builder,
                                     linalg::GenericOp op, ValueRange indices,
                                     ArrayRef<Value> elements) {
  SmallVector<Value> inputs(elements);
  for (unsigned i = 0; i < op.getNumDpsInputs(); ++i)
    if (!inputs[i])
      inputs[i] = loadElement(builder, op, i, indices);
  return inputs;
}

Value tinytc::emitValue(ImplicitLocOpBuilder &builder, linalg::GenericOp op,
                        ValueRange indices, ArrayRef<Value> elements,
                        Value belongsToTile) {
  SmallVector<Value> inputs = loadInputs(builder, op, indices, elements);
  if (belongsToTile) {
    Value old = loadElement(builder, op, op.getNumDpsInputs(), indices);
    inputs.push_back(old);
    return arith::SelectOp::create(builder, belongsToTile,
                                   cloneBody(builder, op, inputs), old);
  }
  IRMapping mapping;
  mapping.map(op.getBody()->getArguments().drop_back(), inputs);
  for (Operation &nested : op.getBody()->without_terminator())
    cloneOp(builder, op, nested, indices, mapping);
  return getYielded(builder, op, indices, mapping);
}

/// Whether an op of a body is the same in all of these iterations.
static bool isSame(Operation &nested, ArrayRef<IRMapping> mappings) {
  return nested.getNumRegions() == 0 && isMemoryEffectFree(&nested) &&
         llvm::all_of(nested.getOperands(), [&](Value operand) {
           return llvm::all_of(mappings, [&](const IRMapping &mapping) {
             return mapping.lookupOrDefault(operand) ==
                    mappings.front().lookupOrDefault(operand);
           });
         });
}

void tinytc::emitElements(ImplicitLocOpBuilder &builder, linalg::GenericOp op,
                          ArrayRef<SmallVector<Value>> indices,
                          ArrayRef<SmallVector<Value>> elements) {
  SmallVector<IRMapping> mappings(indices.size());
  for (auto [index, inputs, mapping] : llvm::zip(indices, elements, mappings))
    mapping.map(op.getBody()->getArguments().drop_back(),
                loadInputs(builder, op, index, inputs));
  BlockArgument old = op.getBody()->getArguments().back();
  for (Operation &nested : op.getBody()->without_terminator()) {
    if (!llvm::is_contained(nested.getOperands(), old) && isSame(nested, mappings)) {
      Operation *clone = builder.clone(nested, mappings.front());
      for (IRMapping &mapping : mappings)
        mapping.map(nested.getResults(), clone->getResults());
      continue;
    }
    for (auto [index, mapping] : llvm::zip(indices, mappings))
      cloneOp(builder, op, nested, index, mapping);
  }
  SmallVector<Value> values;
  for (auto [index, mapping] : llvm::zip(indices, mappings))
    values.push_back(getYielded(builder, op, index, mapping));
  for (auto [index, value] : llvm::zip(indices, values))
    memref::StoreOp::create(builder, value, op.getDpsInits().front(), index);
}

void tinytc::emitElement(ImplicitLocOpBuilder &builder, linalg::GenericOp op,
                         ValueRange indices, ArrayRef<Value> elements,
                         Value belongsToTile) {
  Value value = emitValue(builder, op, indices, elements, belongsToTile);
  memref::StoreOp::create(builder, value, op.getDpsInits().front(), indices);
}

namespace {

/// A loop nest of any rank, the first two dimensions of which are distributed along
/// those of the work-group.
class Nest {
public:
  using EmitNest = function_ref<void(ImplicitLocOpBuilder &, ValueRange)>;

  /// The first dimension is innermost, or with `isFirstOutside` outside the second.
  Nest(const WorkGroup &group, ArrayRef<OpFoldResult> lower,
       ArrayRef<OpFoldResult> upper, EmitNest emitBody, bool isFirstOutside = false)
      : group(group), rank(lower.size()), lower(lower), upper(upper),
        emitBody(emitBody), isFirstOutside(isFirstOutside) {}

  void emit(ImplicitLocOpBuilder &builder) {
    // Fewer than two dimensions are work for only one row or one item of the
    // work-group.
    lower.resize(std::max<size_t>(rank, 2), builder.getIndexAttr(0));
    upper.resize(std::max<size_t>(rank, 2), builder.getIndexAttr(1));
    indices.resize(lower.size());
    for (const WorkGroup::Part &part1 :
         group.getParts(builder, 1, lower[1], upper[1])) {
      SmallVector<WorkGroup::Part, 2> rows =
          group.getParts(builder, 0, lower[0], upper[0]);
      if (group.getMachine().vectors.masksDelayLoads)
        std::reverse(rows.begin(), rows.end());
      for (const WorkGroup::Part &part0 : rows) {
        parts = {part0, part1};
        emitLoop(builder, getOrder());
      }
    }
  }

private:
  /// Dimensions from the outermost to the innermost.
  SmallVector<unsigned> getOrder() const {
    SmallVector<unsigned> order;
    for (unsigned dim = lower.size(); dim-- > 2;)
      order.push_back(dim);
    order.append({1, 0});
    if (isFirstOutside)
      std::swap(order[order.size() - 2], order.back());
    return order;
  }

  void emitLoop(ImplicitLocOpBuilder &builder, ArrayRef<unsigned> order) {
    if (order.empty())
      return emitInside(builder, {1, 0});
    unsigned dim = order.front();
    if (dim < 2 && parts[dim].isTail) {
      indices[dim] = group.getTailIndex(builder, dim, parts[dim]);
      return emitLoop(builder, order.drop_front());
    }
    auto emitInner = [&](ImplicitLocOpBuilder &b, Value index) {
      indices[dim] = index;
      emitLoop(b, order.drop_front());
    };
    if (dim < 2)
      return group.distribute(builder, dim, parts[dim], emitInner);
    // Every work-item walks through all dimensions beyond the second.
    auto loop = group.createLoop(builder, lower[dim], upper[dim], /*step=*/1);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    emitInner(builder, loop.getInductionVar());
  }

  /// The body, under the conditions of tails: first the one that is the same for all
  /// work-items of a subgroup, since they all have to reach the opaque index of the
  /// other one.
  void emitInside(ImplicitLocOpBuilder &builder, ArrayRef<unsigned> dims) {
    if (dims.empty())
      return emitBody(builder, ArrayRef(indices).take_front(rank));
    unsigned dim = dims.front();
    OpBuilder::InsertionGuard guard(builder);
    if (parts[dim].isTail)
      enterIf(builder, group.createIsInside(builder, indices[dim], parts[dim].upper));
    emitInside(builder, dims.drop_front());
  }

  const WorkGroup &group;
  size_t rank;
  SmallVector<OpFoldResult> lower, upper;
  EmitNest emitBody;
  bool isFirstOutside;
  SmallVector<WorkGroup::Part, 2> parts;
  SmallVector<Value> indices;
};

} // namespace

/// The vector of all elements of a contiguous memref.
static Value createVector(ImplicitLocOpBuilder &builder, Value memref,
                          OpFoldResult size) {
  auto type = cast<MemRefType>(memref.getType());
  int64_t known = getConstantIntValue(size).value_or(ShapedType::kDynamic);
  auto layout = StridedLayoutAttr::get(builder.getContext(), ShapedType::kDynamic, 1);
  auto vectorType =
      MemRefType::get(known, type.getElementType(), layout, type.getMemorySpace());
  auto metadata = memref::ExtractStridedMetadataOp::create(builder, memref);
  OpFoldResult offset = metadata.getOffset();
  OpFoldResult one = builder.getIndexAttr(1);
  return memref::ReinterpretCastOp::create(builder, vectorType,
                                           metadata.getBaseBuffer(), offset, size, one);
}

/// The same op on the vectors of all elements, which it traverses in memory order.
static linalg::GenericOp createVectorOp(ImplicitLocOpBuilder &builder,
                                        linalg::GenericOp op) {
  OpFoldResult size = builder.getIndexAttr(1);
  for (OpFoldResult entry :
       memref::getMixedSizes(builder, builder.getLoc(), op.getDpsInits().front()))
    size = createIndexMul(builder, size, entry);
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, createVector(builder, operand, size));
  auto vectorOp = cast<linalg::GenericOp>(builder.clone(*op, mapping));
  AffineMap map = builder.getMultiDimIdentityMap(1);
  vectorOp.setIndexingMapsAttr(
      builder.getAffineMapArrayAttr(SmallVector<AffineMap>(op->getNumOperands(), map)));
  vectorOp.setIteratorTypesAttr(
      builder.getArrayAttr(op.getIteratorTypes().getValue().take_front(1)));
  return vectorOp;
}

/// Distributes the iterations [lower, upper) of `op` by elements.
static void distributeRange(ImplicitLocOpBuilder &builder, const WorkGroup &group,
                            linalg::GenericOp op, ArrayRef<OpFoldResult> lower,
                            ArrayRef<OpFoldResult> upper) {
  for (auto [from, to] : llvm::zip(lower, upper))
    if (isEmptyRange(from, to))
      return;
  SmallVector<Value> toLoad(op.getNumDpsInputs());
  // An input that is read across its lines is read line by line, so that the rest of a
  // cache line is used.
  bool isTransposed = llvm::any_of(op.getIndexingMapsArray(), [](AffineMap map) {
    return map.getNumResults() > 1 && map.isFunctionOfDim(0) &&
           cast<AffineDimExpr>(map.getResult(0)).getPosition() != 0;
  });
  Nest nest(
      group, lower, upper,
      [&](ImplicitLocOpBuilder &b, ValueRange indices) {
        emitElement(b, op, indices, toLoad);
      },
      isTransposed);
  nest.emit(builder);
}

/// Distributes the first elements of a line by vectors of `count` adjacent ones for
/// each work-item; returns the first element after them.
static OpFoldResult distributeVectors(ImplicitLocOpBuilder &builder,
                                      const WorkGroup &group, linalg::GenericOp op,
                                      OpFoldResult upper, int64_t count) {
  OpFoldResult zero = builder.getIndexAttr(0);
  if (count <= 1)
    return zero;
  OpFoldResult end = roundDown(builder, upper, group.getSize(0) * count);
  if (isEmptyRange(zero, end))
    return zero;
  OpBuilder::InsertionGuard guard(builder);
  Value first = group.getTailIndex(builder, 0, {zero, upper, /*isTail=*/true});
  Value own = arith::MulIOp::create(builder, first, createIndex(builder, count));
  auto loop = group.createLoop(builder, zero, end, group.getSize(0) * count);
  builder.setInsertionPointToStart(loop.getBody());
  Value base = createIndexAdd(builder, loop.getInductionVar(), own);
  SmallVector<SmallVector<Value>> indices;
  for (Value index : createAdjacent(builder, base, count))
    indices.push_back({index});
  SmallVector<Value> toLoad(op.getNumDpsInputs());
  emitElements(builder, op, indices, SmallVector<SmallVector<Value>>(count, toLoad));
  return end;
}

/// Distributes an op by blocks of a transposed input.
static void distributeBlocks(ImplicitLocOpBuilder &builder, const WorkGroup &group,
                             linalg::GenericOp op, const Strategy &strategy,
                             ArrayRef<OpFoldResult> upper) {
  OpFoldResult zero = builder.getIndexAttr(0);
  const int64_t block[] = {group.getSubgroupSize(),
                           getTransposedColumns(group, strategy)};
  bool areBlocks = llvm::all_of(llvm::zip(upper, block), [](auto entry) {
    auto [extent, size] = entry;
    return getConstantIntValue(extent).value_or(0) >= size;
  });
  if (areBlocks && overwrites(op))
    return distributeTransposed(builder, group, op, strategy, upper);
  // Whole blocks, then the rows below them, then the remaining columns.
  OpFoldResult rows = roundDown(builder, upper[0], block[0]);
  OpFoldResult columns = roundDown(builder, upper[1], block[1]);
  if (getConstantIntValue(rows) == 0 || getConstantIntValue(columns) == 0)
    return distributeRange(builder, group, op, {zero, zero}, upper);
  distributeTransposed(builder, group, op, strategy, {rows, columns});
  distributeRange(builder, group, op, {rows, zero}, {upper[0], columns});
  distributeRange(builder, group, op, {zero, columns}, upper);
}

/// Distributes an op on contiguous operands as one on vectors of all elements.
static void distributeCollapsed(ImplicitLocOpBuilder &builder, const WorkGroup &group,
                                linalg::GenericOp op, int64_t adjacent) {
  linalg::GenericOp vectorOp = createVectorOp(builder, op);
  builder.setInsertionPoint(vectorOp);
  OpFoldResult size =
      memref::getMixedSizes(builder, builder.getLoc(), vectorOp.getDpsInits().front())
          .front();
  OpFoldResult rest = distributeVectors(builder, group, vectorOp, size, adjacent);
  distributeRange(builder, group, vectorOp, rest, size);
  vectorOp.erase();
}

LogicalResult tinytc::distributeElementwise(ImplicitLocOpBuilder &builder,
                                            const WorkGroup &group,
                                            linalg::GenericOp op) {
  FailureOr<Strategy> strategy = getStrategy(op, group);
  if (failed(strategy))
    return failure();
  if (strategy->kind == StrategyKind::Collapsed) {
    distributeCollapsed(builder, group, op, strategy->adjacent);
    return success();
  }
  if (strategy->kind == StrategyKind::VectorTranspose) {
    copyTransposed(builder, group, op);
    return success();
  }
  SmallVector<OpFoldResult> upper =
      memref::getMixedSizes(builder, builder.getLoc(), op.getDpsInits().front());
  if (strategy->kind == StrategyKind::WorkItems) {
    SmallVector<OpFoldResult> lower(upper.size(), builder.getIndexAttr(0));
    distributeRange(builder, group, op, lower, upper);
    return success();
  }
  distributeBlocks(builder, group, op, *strategy, upper);
  return success();
}

LogicalResult tinytc::distributeParallel(ImplicitLocOpBuilder &builder,
                                         const WorkGroup &group, scf::ForallOp op) {
  if (op.getNumResults() != 0)
    return op.emitError("expected a parallel loop without results, on memrefs, got ")
           << op.getNumResults();
  if (!llvm::all_of(op.getMixedStep(), isOneInteger))
    return op.emitError("expected a parallel loop with steps of 1, got another step");
  FailureOr<Strategy> strategy = getStrategy(op, group);
  if (failed(strategy))
    return failure();
  if (strategy->kind == StrategyKind::LineWalks) {
    distributeLines(builder, group, op, *strategy);
    return success();
  }
  Nest nest(group, foldConstants(op.getMixedLowerBound()),
            foldConstants(op.getMixedUpperBound()),
            [&](ImplicitLocOpBuilder &b, ValueRange indices) {
              IRMapping mapping;
              mapping.map(op.getInductionVars(), indices);
              for (Operation &nested : op.getBody()->without_terminator())
                b.clone(nested, mapping);
            });
  nest.emit(builder);
  return success();
}
