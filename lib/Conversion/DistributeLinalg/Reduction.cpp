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

#include "lib/Analysis/Schedule.h"
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

/// Whether `loop` runs over all elements of an accumulator and `load` reads one in each
/// iteration. A scalar takes one iteration.
static bool isElementwise(scf::ParallelOp loop, memref::LoadOp load) {
  auto variables = loop.getInductionVars();
  size_t rank = load.getMemRefType().getRank();
  return variables.size() == std::max<size_t>(rank, 1) &&
         llvm::equal(load.getIndices(), ValueRange(variables).take_front(rank)) &&
         llvm::all_of(loop.getLowerBound(),
                      [](Value bound) { return getConstantIntValue(bound) == 0; });
}

std::optional<Reduction> Reduction::match(linalg::GenericOp op) {
  Reduction reduction;
  reduction.sum = op;
  Value accumulator = op.getDpsInits().front();
  for (Operation *user : accumulator.getUsers()) {
    if (auto fill = dyn_cast<linalg::FillOp>(user))
      reduction.fill = fill;
    else if (auto generic = dyn_cast<linalg::GenericOp>(user); generic && generic != op)
      reduction.update = generic;
    else if (auto load = dyn_cast<memref::LoadOp>(user)) {
      auto loop = dyn_cast<scf::ParallelOp>(load->getParentOp());
      if (loop && isElementwise(loop, load))
        reduction.atomicUpdate = loop;
    }
  }
  // Fill, sum and, unless what it would write does not depend on the sum, update.
  Operation *update = reduction.getUpdate();
  size_t numUsers = update ? 3 : 2;
  bool isAlone = llvm::range_size(accumulator.getUsers()) == numUsers;
  if (!accumulator.getDefiningOp<memref::AllocaOp>() || !reduction.fill || !isAlone)
    return std::nullopt;
  // A loop around one of them would repeat it.
  auto follows = [](Operation *first, Operation *second) {
    return first->getBlock() == second->getBlock() && first->isBeforeInBlock(second);
  };
  if (!follows(reduction.fill, op) || (update && !follows(op, update)))
    return std::nullopt;
  if (reduction.update && reduction.update.getNumReductionLoops() > 0)
    return std::nullopt;
  return reduction;
}

Operation *Reduction::getUpdate() const {
  return update ? linalg::GenericOp(update).getOperation()
                : scf::ParallelOp(atomicUpdate).getOperation();
}

bool Reduction::overwrites() const { return update && tinytc::overwrites(update); }

SmallVector<OpFoldResult> Reduction::getSizes(ImplicitLocOpBuilder &builder) const {
  linalg::GenericOp op = update;
  if (op)
    return memref::getMixedSizes(builder, builder.getLoc(), op.getDpsInits().front());
  SmallVector<OpFoldResult> sizes =
      getAsOpFoldResult(scf::ParallelOp(atomicUpdate).getUpperBound());
  sizes.resize(getShape().size());
  return sizes;
}

ArrayRef<int64_t> Reduction::getShape() const {
  linalg::GenericOp op = update ? update : sum;
  return cast<MemRefType>(op.getDpsInits().front().getType()).getShape();
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
  scf::ParallelOp loop = reduction.atomicUpdate;
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
                        ValueRange indices, Value sum, Value isOwn) {
  if (reduction.atomicUpdate)
    return emitAtomicUpdate(builder, reduction, indices, sum);
  emitElement(builder, reduction.update, indices, getUpdateInputs(reduction, sum),
              isOwn);
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
                   OpFoldResult length, unsigned rowDim, const TileSchedule &schedule,
                   TileFetcher fetcher, std::optional<SharedOperand> shared)
      : reduction(reduction), group(group), length(length), rowDim(rowDim),
        schedule(schedule), fetcher(fetcher), shared(std::move(shared)) {}

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
    bool isRest = columns.size() == 1 && schedule.columns > 1;
    SmallVector<size_t> order = getOrder(rows.size(), columns.size());
    if (shared)
      emitBlockedSumLoop(builder, group, length, schedule.unroll, sums,
                         [&](ImplicitLocOpBuilder &b, Value first, int64_t steps) {
                           shared->load(b, first, steps, columns);
                           for (int64_t step = 0; step < steps; ++step)
                             emitStep(b, tile, order,
                                      createIndexAdd(b, first, b.getIndexAttr(step)),
                                      step);
                         });
    else
      emitSumLoop(
          builder, group, length, isRest ? 1 : schedule.unroll, sums,
          [&](ImplicitLocOpBuilder &b, Value k) { emitStep(b, tile, order, k); });
    writeTile(builder, rows, columns, tile);
  }

private:
  void writeTile(ImplicitLocOpBuilder &builder, ArrayRef<TileRow> rows,
                 ArrayRef<TileColumn> columns, ArrayRef<SmallVector<Value>> tile) {
    linalg::GenericOp update = reduction.update;
    SmallVector<Value> isOwnColumn(columns.size());
    if (!reduction.overwrites())
      for (auto [column, isOwn] : llvm::zip(columns, isOwnColumn))
        isOwn = group.createIsOwn(builder, column);
    bool ownsColumns = llvm::all_of(isOwnColumn, [](Value isOwn) { return !isOwn; });
    if (schedule.adjacentRows > 1 && hasAllRows(rows) && ownsColumns &&
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
                        isOwnColumn[i / rows.size()]);
      });
    for (auto [i, row] : llvm::enumerate(rows)) {
      OpBuilder::InsertionGuard guard(builder);
      bool isForAll = writesTwice && row.first;
      enterIf(builder, isForAll ? Value() : group.createIsOwn(builder, row));
      for (size_t j = i; j < tile.size(); j += rows.size())
        if (elements[j])
          memref::StoreOp::create(builder, elements[j], update.getDpsInits().front(),
                                  tile[j]);
        else
          writeElement(builder, tile[j], sums[j], isOwnColumn[j / rows.size()]);
    }
  }

  /// Whether all rows exist and only this tile writes them.
  static bool hasAllRows(ArrayRef<TileRow> rows) {
    return llvm::none_of(rows, [](const TileRow &row) { return row.first || row.end; });
  }

  /// Writes back what the other tile of a column has written, if that belongs to the
  /// same work-item.
  void writeElement(ImplicitLocOpBuilder &builder, ValueRange indices, Value sum,
                    Value isOwn) {
    OpBuilder::InsertionGuard guard(builder);
    if (reduction.atomicUpdate || group.getSize(1) > 1) {
      enterIf(builder, isOwn);
      isOwn = {};
    }
    emitUpdate(builder, reduction, indices, sum, isOwn);
  }

  /// Indices of an element; those beyond the rank of the destination are left out.
  SmallVector<Value> getIndices(Value row, Value column) {
    SmallVector<Value> indices{row, column};
    if (rowDim == 1)
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
  unsigned rowDim;
  TileSchedule schedule;
  TileFetcher fetcher;
  /// The input that lanes load for each other.
  std::optional<SharedOperand> shared;
  size_t numColumns = 0;
  /// The sums of the tile's elements so far.
  SmallVector<Value> sums;
  std::map<SmallVector<void *>, Value> loaded;
  /// What is loaded instead of rows that may not exist, by their index.
  llvm::DenseMap<Value, TileRow> partialRows;
};

} // namespace

/// The number of steps of the summed mode, from an input that it indexes.
static OpFoldResult getLength(ImplicitLocOpBuilder &builder, linalg::GenericOp op) {
  unsigned last = op.getNumLoops() - 1;
  for (unsigned i = 0; i < op.getNumDpsInputs(); ++i)
    for (auto [mode, expr] : llvm::enumerate(op.getIndexingMapsArray()[i].getResults()))
      if (cast<AffineDimExpr>(expr).getPosition() == last)
        return memref::getMixedSizes(builder, builder.getLoc(),
                                     op->getOperand(i))[mode];
  llvm_unreachable("the verifier of linalg.generic covers every loop");
}

/// The mode of the destination along which the work-items lie: the second one if an
/// input is contiguous along it and none along the first. In a grid for unknown sizes,
/// few work-items lie along the rows, and each reads adjacent elements.
static unsigned chooseRowDim(linalg::GenericOp op, ArrayRef<int64_t> shape,
                             const Machine &machine) {
  if (machine.model->choosesGrids() && llvm::all_of(shape, ShapedType::isDynamic))
    return 0;
  auto isContiguousAlong = [&](unsigned dim) {
    return llvm::any_of(llvm::seq<unsigned>(0, op.getNumDpsInputs()), [&](unsigned i) {
      AffineMap map = op.getIndexingMapsArray()[i];
      return map.getNumResults() > 0 &&
             cast<AffineDimExpr>(map.getResult(0)).getPosition() == dim;
    });
  };
  bool isMatrix = op.getNumParallelLoops() == 2;
  return isMatrix && isContiguousAlong(1) && !isContiguousAlong(0) ? 1 : 0;
}

/// The rows that a work-item loads at once from the inputs that have rows, where their
/// strides keep the alignment of the first one if loads need one. A launch looks at
/// strides that the program does not say.
static int64_t getAdjacentRows(linalg::GenericOp op, unsigned rowDim, int64_t width,
                               const Machine &machine) {
  const int64_t bytes = machine.bytesAtOnce;
  if (bytes == 0)
    return 1;
  const bool needsAlignment = machine.alignedBytesAtOnce > 0;
  // Where launches find no alignment, loads of single rows should still be of one line.
  const bool maybeAligned = width * bytes <= machine.cache.lineBytes;
  int64_t rows = 0;
  for (unsigned i = 0; i < op.getNumDpsInputs(); ++i) {
    auto type = dyn_cast<MemRefType>(op.getDpsInputs()[i].getType());
    AffineMap map = op.getIndexingMapsArray()[i];
    if (!type || !map.isFunctionOfDim(rowDim))
      continue;
    SmallVector<int64_t> strides;
    int64_t offset;
    bool isAlongRows = cast<AffineDimExpr>(map.getResult(0)).getPosition() == rowDim;
    if (!isAlongRows || failed(type.getStridesAndOffset(strides, offset)) ||
        strides.front() != 1)
      return 1;
    int64_t atOnce = std::max<int64_t>(bytes / getSizeBytes(type.getElementType()), 1);
    for (int64_t stride :
         ArrayRef(strides).drop_front(needsAlignment ? 1 : strides.size()))
      if (!ShapedType::isDynamic(stride))
        atOnce = std::gcd(atOnce, stride);
      else if (!maybeAligned)
        atOnce = 1;
    rows = rows ? std::gcd(rows, atOnce) : atOnce;
  }
  return std::max<int64_t>(rows, 1);
}

/// Whether the next group's matrices are fetched: the product with a single column is
/// over too soon to hide that.
static bool fetchesNextGroup(const ReductionShape &shape) {
  return shape.rows != 0 && shape.columns != 0 && shape.columns != 1 &&
         shape.length != 0;
}

/// Whether the factor that is not shared by rows is in local memory.
static bool hasLocalRows(linalg::GenericOp op, unsigned shared) {
  return llvm::any_of(llvm::seq<unsigned>(0, op.getNumDpsInputs()), [&](unsigned i) {
    auto type = dyn_cast<MemRefType>(op->getOperand(i).getType());
    return i != shared && type && gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type);
  });
}

void tinytc::distributeReduction(ImplicitLocOpBuilder &builder, const WorkGroup &group,
                                 Reduction reduction, TargetAttr target,
                                 ScheduleAttr schedule, NextGroup &next) {
  OpFoldResult length = getLength(builder, reduction.sum);
  if (isLineReduction(reduction.sum))
    return distributeLineReduction(builder, group, reduction, length);
  if (isComplexProduct(reduction, group, target))
    return distributeComplexProduct(builder, group, reduction, length, target,
                                    schedule);
  unsigned rowDim =
      chooseRowDim(reduction.sum, reduction.getShape(), group.getMachine());
  unsigned columnDim = 1 - rowDim;
  SmallVector<OpFoldResult> sizes = reduction.getSizes(builder);
  // Without a second mode, one row of the work-group does the work.
  sizes.resize(2, builder.getIndexAttr(1));
  SmallVector<int64_t> shape(reduction.getShape());
  shape.resize(2, 1);
  Type accumulatorType =
      cast<MemRefType>(reduction.sum.getDpsInits().front().getType()).getElementType();
  bool converts = llvm::any_of(reduction.sum.getDpsInputs(), [&](Value input) {
    return getElementTypeOrSelf(input.getType()) != accumulatorType;
  });
  std::optional<SharedOperand> shared =
      SharedOperand::find(builder, reduction.sum, rowDim, group);
  ReductionShape reductionShape(
      shape[rowDim], shape[columnDim],
      getConstantIntValue(length).value_or(ShapedType::kDynamic), accumulatorType);
  reductionShape.converts = converts;
  reductionShape.sharingLanes = shared ? group.getSubgroupSize() : 0;
  reductionShape.hasLocalRows =
      shared && hasLocalRows(reduction.sum, shared->getInput());
  reductionShape.isInLoop = reduction.sum->getParentOfType<scf::ForOp>() != nullptr;
  const Machine &machine = group.getMachine();
  int64_t width = chooseGridWidth(machine, reductionShape, group.getSize(0),
                                  group.getSize(0) * group.getSize(1), schedule);
  WorkGroup grid = group.withWidth(builder, width);
  if (grid.sharesColumns())
    reductionShape.columnShares = grid.getSize(1);
  TileSchedule tile = chooseTile(target, reductionShape, width, schedule);
  tile.adjacentRows = getAdjacentRows(reduction.sum, rowDim, width, machine);
  SmallVector<NextMatrix> matrices;
  if (fetchesNextGroup(reductionShape))
    matrices = next.take(builder, reduction);
  TileFetcher fetcher(builder, matrices, grid, reductionShape,
                      {sizes[rowDim], sizes[columnDim], length}, tile);
  ReductionEmitter emitter(reduction, grid, length, rowDim, tile, fetcher,
                           std::move(shared));
  grid.distributeTiles(
      builder, sizes[rowDim], sizes[columnDim], tile,
      [&](ImplicitLocOpBuilder &b, ArrayRef<TileRow> rows,
          ArrayRef<TileColumn> columns) { emitter.emitTile(b, rows, columns); });
}
