//===- Reduction.cpp - Distribution of matrix products and sums -----------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// A work-item owns a tile of the destination: rows that lie a work-group width apart,
// so that neighbouring work-items read neighbouring elements, or adjacent rows where it
// reads several elements at once, and adjacent columns. Its
// accumulators are scalars carried through the whole loop over the summed mode. "Rows"
// are the mode of the destination along which the work-items lie: the first one or, if
// that makes the inputs contiguous, the second.
//
//===----------------------------------------------------------------------===//

#include "lib/Builders/ScalarBuilder.h"
#include "lib/Conversion/DistributeLinalg/DistributeLinalg.h"
#include "lib/Conversion/DistributeLinalg/Prefetch.h"
#include "lib/Conversion/DistributeLinalg/SharedOperand.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::tinytc;

SmallVector<OpFoldResult> tinytc::getSizes(ImplicitLocOpBuilder &builder,
                                           const Reduction &reduction) {
  if (linalg::GenericOp update = reduction.update)
    return memref::getMixedSizes(builder, builder.getLoc(),
                                 update.getDpsInits().front());
  scf::ForallOp loop = reduction.atomicUpdate;
  SmallVector<OpFoldResult> sizes = foldConstants(loop.getMixedUpperBound());
  sizes.resize(reduction.getShape().size());
  return sizes;
}

bool tinytc::canWriteTwice(const Reduction &reduction, const WorkGroup &group,
                           ArrayRef<TileRow> rows) {
  if (!rows.back().first || reduction.atomicUpdate ||
      group.getMachine().vectors.masksStores)
    return false;
  // The work-items of a row run the same tiles of columns, and so meet at barriers.
  bool isOneRow = group.getNumSubgroups() == 1 && group.getSize(1) == 1;
  return reduction.overwrites() || (rows.size() > 1 && isOneRow);
}

void tinytc::emitBeforeWritingTwice(ImplicitLocOpBuilder &builder,
                                    ArrayRef<TileColumn> columns,
                                    function_ref<void()> emitElements) {
  // Another lane may still be writing the columns that the tile shares with another.
  if (columns.front().first)
    gpu::BarrierOp::create(builder);
  emitElements();
  // Any lane's store may be of an element that another lane has yet to read.
  gpu::BarrierOp::create(builder);
}

/// The inputs of the write-back that are already available.
static SmallVector<Value> getUpdateInputs(const Reduction &reduction, Value sum) {
  linalg::GenericOp update = reduction.update;
  linalg::GenericOp op = reduction.sum;
  SmallVector<Value> inputs(update.getNumDpsInputs());
  for (auto [i, input] : llvm::enumerate(update.getDpsInputs()))
    if (input == op.getDpsInits().front())
      inputs[i] = sum;
  return inputs;
}

/// Emits the body of an atomic update, which loads the sum, for one element.
static void emitAtomicUpdate(ImplicitLocOpBuilder &builder, const Reduction &reduction,
                             ValueRange indices, Value sum) {
  scf::ForallOp loop = reduction.atomicUpdate;
  linalg::GenericOp op = reduction.sum;
  IRMapping mapping;
  // The variable of the loop around a scalar is unused, so it needs no value.
  for (auto [variable, index] : llvm::zip(loop.getInductionVars(), indices))
    mapping.map(variable, index);
  for (Operation &nested : loop.getBody()->without_terminator()) {
    auto load = dyn_cast<memref::LoadOp>(nested);
    if (load && load.getMemRef() == op.getDpsInits().front())
      mapping.map(load.getResult(), sum);
    else
      builder.clone(nested, mapping);
  }
}

void tinytc::emitUpdate(ImplicitLocOpBuilder &builder, const Reduction &reduction,
                        ValueRange indices, Value sum, Value belongsToTile) {
  if (reduction.atomicUpdate)
    return emitAtomicUpdate(builder, reduction, indices, sum);
  emitElement(builder, reduction.update, indices, getUpdateInputs(reduction, sum),
              belongsToTile);
}

void tinytc::emitUpdates(ImplicitLocOpBuilder &builder, const Reduction &reduction,
                         ArrayRef<SmallVector<Value>> indices, ArrayRef<Value> sums) {
  if (reduction.atomicUpdate) {
    for (auto [index, sum] : llvm::zip(indices, sums))
      emitAtomicUpdate(builder, reduction, index, sum);
    return;
  }
  SmallVector<SmallVector<Value>> inputs;
  for (Value sum : sums)
    inputs.push_back(getUpdateInputs(reduction, sum));
  emitElements(builder, reduction.update, indices, inputs);
}

Value tinytc::emitLoadIf(ImplicitLocOpBuilder &builder, Value condition, Type type,
                         function_ref<Value()> load) {
  if (!condition)
    return load();
  auto branch = scf::IfOp::create(builder, type, condition, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, load());
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, ScalarBuilder(builder).constant(type, 0));
  return branch.getResult(0);
}

void tinytc::emitSumLoop(ImplicitLocOpBuilder &builder, const WorkGroup &group,
                         OpFoldResult length, int64_t unroll,
                         SmallVectorImpl<Value> &sums,
                         function_ref<void(ImplicitLocOpBuilder &, Value)> emitStep) {
  auto emitLoop = [&](OpFoldResult lower, OpFoldResult upper, int64_t step) {
    if (isEmptyRange(lower, upper))
      return;
    auto loop = group.createLoop(builder, lower, upper, step, sums);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    llvm::copy(loop.getRegionIterArgs(), sums.begin());
    for (int64_t i = 0; i < step; ++i)
      emitStep(builder, createIndexAdd(builder, loop.getInductionVar(),
                                       builder.getIndexAttr(i)));
    scf::YieldOp::create(builder, sums);
    llvm::copy(loop.getResults(), sums.begin());
  };
  OpFoldResult zero = builder.getIndexAttr(0);
  std::optional<int64_t> known = getConstantIntValue(length);
  if (!known) {
    OpFoldResult looped = roundDown(builder, length, unroll);
    emitLoop(zero, looped, unroll);
    return emitLoop(looped, length, 1);
  }
  int64_t looped = *known > unroll ? *known / unroll * unroll : 0;
  emitLoop(zero, builder.getIndexAttr(looped), unroll);
  for (int64_t k = looped; k < *known; ++k)
    emitStep(builder, arith::ConstantIndexOp::create(builder, k));
}

namespace {

/// Emits the code of one reduction.
class ReductionEmitter {
public:
  ReductionEmitter(const Reduction &reduction, const WorkGroup &group,
                   OpFoldResult length, const Strategy &strategy, TileFetcher fetcher,
                   std::optional<SharedOperand> shared)
      : reduction(reduction), group(group), length(length), strategy(strategy),
        fetcher(fetcher), shared(std::move(shared)) {}

  /// Computes the tile rows x columns and writes it.
  void emitTile(ImplicitLocOpBuilder &builder, ArrayRef<TileRow> rows,
                ArrayRef<TileColumn> columns) {
    SmallVector<SmallVector<Value>> tile;
    for (const TileColumn &column : columns)
      for (const TileRow &row : rows)
        tile.push_back(getIndices(row.index, column.index));
    partialRows.clear();
    for (const TileRow &row : rows)
      if (row.end)
        partialRows[row.index] = getLoadedRow(builder, row);
    sums.assign(tile.size(), reduction.fill.getInputs().front());
    fetcher.startTile(builder, rows, columns);
    numColumns = columns.size();
    // Single columns are a remainder: prefer short code to fast code.
    bool isRest = columns.size() == 1 && strategy.columns > 1;
    SmallVector<size_t> order = getOrder(rows.size(), columns.size());
    if (shared)
      emitBlockedSumLoop(builder, group, length, strategy.unroll, sums,
                         [&](ImplicitLocOpBuilder &b, Value first, int64_t steps) {
                           shared->load(b, first, steps, columns);
                           for (int64_t step = 0; step < steps; ++step)
                             emitStep(b, tile, order,
                                      createIndexAdd(b, first, b.getIndexAttr(step)),
                                      step);
                         });
    else
      emitSumLoop(
          builder, group, length, isRest ? 1 : strategy.unroll, sums,
          [&](ImplicitLocOpBuilder &b, Value k) { emitStep(b, tile, order, k); });
    writeTile(builder, rows, columns, tile);
  }

private:
  void writeTile(ImplicitLocOpBuilder &builder, ArrayRef<TileRow> rows,
                 ArrayRef<TileColumn> columns, ArrayRef<SmallVector<Value>> tile) {
    linalg::GenericOp update = reduction.update;
    SmallVector<Value> columnBelongs(columns.size());
    if (!reduction.overwrites())
      for (auto [column, belongsToTile] : llvm::zip(columns, columnBelongs))
        belongsToTile = group.createBelongsToTile(builder, column);
    bool ownsColumns =
        llvm::all_of(columnBelongs, [](Value belongs) { return !belongs; });
    if (strategy.adjacent > 1 && hasAllRows(rows) && ownsColumns &&
        group.getMachine().alignedBytesAtOnce == 0) {
      // Column by column: old elements take registers.
      for (size_t first = 0; first < tile.size(); first += rows.size())
        emitUpdates(builder, reduction, tile.slice(first, rows.size()),
                    ArrayRef(sums).slice(first, rows.size()));
      return;
    }
    bool writesTwice = canWriteTwice(reduction, group, rows);
    SmallVector<Value> elements(tile.size());
    if (writesTwice && !reduction.overwrites())
      emitBeforeWritingTwice(builder, columns, [&] {
        for (size_t i = 0; i < tile.size(); ++i)
          elements[i] =
              emitValue(builder, update, tile[i], getUpdateInputs(reduction, sums[i]),
                        columnBelongs[i / rows.size()]);
      });
    for (auto [i, row] : llvm::enumerate(rows)) {
      OpBuilder::InsertionGuard guard(builder);
      bool isForAll = writesTwice && row.first;
      enterIf(builder, isForAll ? Value() : group.createBelongsToTile(builder, row));
      for (size_t j = i; j < tile.size(); j += rows.size())
        if (elements[j])
          memref::StoreOp::create(builder, elements[j], update.getDpsInits().front(),
                                  tile[j]);
        else
          writeElement(builder, tile[j], sums[j], columnBelongs[j / rows.size()]);
    }
  }

  /// Whether all rows exist and only this tile writes them.
  static bool hasAllRows(ArrayRef<TileRow> rows) {
    return llvm::none_of(rows, [](const TileRow &row) { return row.first || row.end; });
  }

  /// Writes back what the other tile of a column has written, if that belongs to the
  /// same work-item.
  void writeElement(ImplicitLocOpBuilder &builder, ValueRange indices, Value sum,
                    Value belongsToTile) {
    OpBuilder::InsertionGuard guard(builder);
    if (reduction.atomicUpdate || group.getSize(1) > 1) {
      enterIf(builder, belongsToTile);
      belongsToTile = {};
    }
    emitUpdate(builder, reduction, indices, sum, belongsToTile);
  }

  /// Indices of an element; those beyond the rank of the destination are left out.
  SmallVector<Value> getIndices(Value row, Value column) {
    SmallVector<Value> indices{row, column};
    if (strategy.rowMode == 1)
      std::swap(indices[0], indices[1]);
    indices.resize(reduction.sum.getNumParallelLoops());
    return indices;
  }

  /// The elements of a tile stored column after column, in an order in which each input
  /// element of the longer side is used up before the next one is loaded.
  static SmallVector<size_t> getOrder(size_t numRows, size_t numColumns) {
    auto order = llvm::to_vector(llvm::seq<size_t>(0, numRows * numColumns));
    if (numRows > numColumns)
      llvm::stable_sort(order,
                        [&](size_t a, size_t b) { return a % numRows < b % numRows; });
    return order;
  }

  /// One step of the sum at `k` for all elements of the tile, in this order; `step` is
  /// its number in what lanes have loaded of a shared operand.
  void emitStep(ImplicitLocOpBuilder &builder, ArrayRef<SmallVector<Value>> tile,
                ArrayRef<size_t> order, Value k, int64_t step = 0) {
    fetcher.emitStep(builder, k);
    size_t numRows = tile.size() / numColumns;
    for (size_t element : order) {
      Value &sum = sums[element];
      SmallVector<Value> iteration(tile[element]);
      iteration.push_back(k);
      SmallVector<Value> elements;
      for (unsigned i = 0; i < reduction.sum.getNumDpsInputs(); ++i)
        elements.push_back(shared && shared->getInput() == i
                               ? Value()
                               : loadOnce(builder, i, iteration));
      elements.push_back(sum);
      sum = shared ? shared->cloneBody(builder, step, element / numRows, elements)
                   : cloneBody(builder, reduction.sum, elements);
    }
    loaded.clear();
  }

  /// Elements of A are shared by the columns of a tile, elements of B by its rows.
  Value loadOnce(ImplicitLocOpBuilder &builder, unsigned input,
                 const SmallVector<Value> &iteration) {
    AffineMap map = reduction.sum.getIndexingMapsArray()[input];
    SmallVector<void *> key{reinterpret_cast<void *>(uintptr_t(input))};
    for (AffineExpr expr : map.getResults())
      key.push_back(
          iteration[cast<AffineDimExpr>(expr).getPosition()].getAsOpaquePointer());
    Value &value = loaded[key];
    if (!value)
      value = loadInside(builder, input, iteration);
    return value;
  }

  /// The row that lanes load from instead of one that may not exist: if their sums may
  /// be of any row, the last one, which needs no condition.
  TileRow getLoadedRow(ImplicitLocOpBuilder &builder, const TileRow &row) {
    std::optional<int64_t> end = getConstantIntValue(row.end);
    if (!end && group.sharesColumns()) {
      Value one = createIndex(builder, 1);
      Value last = arith::SubIOp::create(builder, row.end, one);
      return {createIndexMin(builder, row.index, last), {}, {}};
    }
    if (!shared || !end)
      return row;
    return {createIndexMin(builder, row.index, createIndex(builder, *end - 1)), {}, {}};
  }

  /// An element, or 0 if its row does not exist.
  Value loadInside(ImplicitLocOpBuilder &builder, unsigned input,
                   SmallVector<Value> iteration) {
    TileRow row;
    for (AffineExpr expr : reduction.sum.getIndexingMapsArray()[input].getResults()) {
      Value &index = iteration[cast<AffineDimExpr>(expr).getPosition()];
      auto found = partialRows.find(index);
      if (found == partialRows.end())
        continue;
      row = found->second;
      index = row.index;
    }
    if (!row.end)
      return loadElement(builder, reduction.sum, input, iteration);
    Value condition = group.createIsInside(builder, row);
    Type type = getElementTypeOrSelf(reduction.sum.getDpsInputs()[input].getType());
    return emitLoadIf(builder, condition, type, [&] {
      return loadElement(builder, reduction.sum, input, iteration);
    });
  }

  Reduction reduction;
  const WorkGroup &group;
  OpFoldResult length;
  const Strategy &strategy;
  TileFetcher fetcher;
  /// The input that lanes load for each other.
  std::optional<SharedOperand> shared;
  size_t numColumns = 0;
  /// The sums of the tile's elements so far.
  SmallVector<Value> sums;
  std::map<SmallVector<void *>, Value> loaded;
  /// The rows that are loaded instead of those that may not exist, by their index.
  llvm::DenseMap<Value, TileRow> partialRows;
};

} // namespace

/// The number of steps of the summed mode, from an input that it indexes.
static OpFoldResult getLength(ImplicitLocOpBuilder &builder, linalg::GenericOp op) {
  auto [input, mode] = findSummedMode(op);
  return memref::getMixedSizes(builder, builder.getLoc(), op->getOperand(input))[mode];
}

void tinytc::distributeReduction(ImplicitLocOpBuilder &builder, const WorkGroup &group,
                                 const Reduction &reduction, const Strategy &strategy,
                                 NextGroup &next) {
  OpFoldResult length = getLength(builder, reduction.sum);
  if (strategy.kind == StrategyKind::SubgroupReduction)
    return distributeLineReduction(builder, group, reduction, length, strategy);
  if (strategy.kind == StrategyKind::SplitComplex)
    return distributeComplexProduct(builder, group, reduction, length, strategy);
  unsigned rowDim = strategy.rowMode, columnDim = 1 - rowDim;
  SmallVector<OpFoldResult> sizes = getSizes(builder, reduction);
  // Without a second mode, one row of the work-group does the work.
  sizes.resize(2, builder.getIndexAttr(1));
  SmallVector<int64_t> shape(reduction.getShape());
  shape.resize(2, 1);
  std::optional<SharedOperand> shared;
  if (strategy.kind == StrategyKind::SharedOperand)
    shared.emplace(builder, reduction.sum, strategy.operand, group);
  WorkGroup grid = group.withGrid(builder, strategy.gridRows, strategy.sharesColumns);
  SmallVector<NextMatrix> matrices;
  if (strategy.prefetch)
    matrices = next.take(builder, reduction);
  int64_t steps = getConstantIntValue(length).value_or(ShapedType::kDynamic);
  TileFetcher fetcher(builder, matrices, grid, {shape[rowDim], shape[columnDim], steps},
                      {sizes[rowDim], sizes[columnDim], length}, strategy);
  ReductionEmitter emitter(reduction, grid, length, strategy, fetcher,
                           std::move(shared));
  grid.distributeTiles(
      builder, sizes[rowDim], sizes[columnDim], strategy,
      [&](ImplicitLocOpBuilder &b, ArrayRef<TileRow> rows,
          ArrayRef<TileColumn> columns) { emitter.emitTile(b, rows, columns); });
}
