//===- Prefetch.cpp - Fetching the next group's matrices ------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/DistributeLinalg/Prefetch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include <iterator>
#include <utility>

using namespace mlir;
using namespace mlir::tinytc;

/// The locality of memref.prefetch that means the second cache.
static constexpr unsigned kSecondCache = 2;
/// Lines that a tile may fetch before its first step.
static constexpr int64_t kMaxLinesAtOnce = 4;
/// Elements for the estimate of a matrix whose size the program leaves open, of as many
/// rows and columns as the cost model assumes.
static constexpr int64_t kTypicalElements = 35 * 35;

/// Loads the address of a matrix.
static bool isGroupLoad(Operation *op) {
  return isa<memref::LoadOp>(op) && isa<MemRefType>(op->getResult(0).getType());
}

/// The argument of a kernel that has the matrix of every group, null if there is none.
static Value getBatch(Value memref) {
  while (Operation *op = memref.getDefiningOp()) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(op))
      memref = view.getViewSource();
    else if (isGroupLoad(op))
      memref = cast<memref::LoadOp>(op).getMemRef();
    else
      return {};
  }
  return memref;
}

NextGroup::NextGroup(func::FuncOp func, ScheduleAttr schedule) {
  Block &entry = func.getBody().front();
  if (schedule && schedule.getGroups() > 1) {
    // The whole body of such a kernel is the loop.
    auto loops = entry.getOps<scf::ForOp>();
    if (!llvm::hasSingleElement(loops))
      return;
    loop = *loops.begin();
    body = loop.getBody();
  } else {
    body = &entry;
  }
  SmallVector<Value> copied;
  for (auto op : body->getOps<linalg::GenericOp>()) {
    if (op.getNumReductionLoops() > 0)
      copiedBefore[op] = std::exchange(copied, {});
    else // Accumulators, which distribution erases, are of no batch.
      llvm::copy_if(op.getDpsInputs(), std::back_inserter(copied), getBatch);
  }
}

/// Collects what is computed directly in a body to get `value`, in order. Fails if that
/// includes anything but pure ops and loads of addresses.
static LogicalResult collectSlice(Block *body, Value value,
                                  llvm::SetVector<Operation *> &slice) {
  Operation *op = value.getDefiningOp();
  if (!op || !body->getParentOp()->isProperAncestor(op) || slice.contains(op))
    return success();
  if (op->getBlock() != body || (!isPure(op) && !isGroupLoad(op)))
    return failure();
  for (Value operand : op->getOperands())
    if (failed(collectSlice(body, operand, slice)))
      return failure();
  slice.insert(op);
  return success();
}

/// Whether an op is the number of the group, if a launch runs groups in turn.
static bool isGroupNumber(Operation *op) {
  auto id = dyn_cast<gpu::BlockIdOp>(op);
  return id && id.getDimension() == gpu::Dimension::x;
}

Value NextGroup::createNext(ImplicitLocOpBuilder &builder, bool isBounded) {
  constexpr gpu::Dimension x = gpu::Dimension::x;
  Value number =
      loop ? loop.getInductionVar() : gpu::BlockIdOp::create(builder, x).getResult();
  Value step = loop ? loop.getStep() : createIndex(builder, 1);
  Value next = arith::AddIOp::create(builder, number, step);
  if (!isBounded)
    return next;
  Value end =
      loop ? loop.getUpperBound() : gpu::GridDimOp::create(builder, x).getResult();
  Value last = arith::SubIOp::create(builder, end, createIndex(builder, 1));
  return createIndexMin(builder, next, last);
}

/// The elements of memory from the first to the last one of a matrix without negative
/// strides, if its type says that.
static std::optional<uint64_t> getKnownExtent(MemRefType type) {
  auto [strides, offset] = type.getStridesAndOffset();
  if (!type.hasStaticShape() || llvm::any_of(strides, ShapedType::isDynamic))
    return std::nullopt;
  uint64_t extent = 1;
  for (auto [size, stride] : llvm::zip(type.getShape(), strides))
    extent = llvm::SaturatingMultiplyAdd<uint64_t>(size - 1, stride, extent);
  return extent;
}

static OpFoldResult getExtent(ImplicitLocOpBuilder &builder, Value memref) {
  if (auto known = getKnownExtent(cast<MemRefType>(memref.getType())))
    return builder.getIndexAttr(*known);
  auto metadata = memref::ExtractStridedMetadataOp::create(builder, memref);
  OpFoldResult extent = builder.getIndexAttr(1);
  for (auto [size, stride] : llvm::zip(metadata.getConstifiedMixedSizes(),
                                       metadata.getConstifiedMixedStrides())) {
    Value steps = createIndexAdd(builder, size, builder.getIndexAttr(-1));
    extent = createIndexAdd(builder, extent, createIndexMul(builder, steps, stride));
  }
  return extent;
}

/// Whether the elements of a matrix are a quarter of the memory from the first to the
/// last one, as far as that is known: the lines of larger gaps would be fetched, too.
static bool isDense(MemRefType type) {
  std::optional<uint64_t> extent = getKnownExtent(type);
  return !extent || llvm::divideCeil(*extent, 4) <= uint64_t(type.getNumElements());
}

std::optional<NextMatrix> NextGroup::take(ImplicitLocOpBuilder &builder, Value memref) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  Value batch = getBatch(memref);
  if (!type)
    return std::nullopt;
  auto [strides, offset] = type.getStridesAndOffset();
  bool isMatrix = !llvm::is_contained(type.getShape(), 0) &&
                  llvm::is_contained(strides, 1) &&
                  llvm::all_of(strides,
                               [](int64_t stride) {
                                 return stride >= 0 || ShapedType::isDynamic(stride);
                               }) &&
                  isDense(type);
  llvm::SetVector<Operation *> slice;
  if (!isMatrix || !batch || taken.contains(batch) ||
      failed(collectSlice(body, memref, slice)))
    return std::nullopt;
  // All groups have the same matrix unless its address follows from their number.
  bool varies = llvm::any_of(slice, [&](Operation *op) {
    return loop ? llvm::is_contained(op->getOperands(), loop.getInductionVar())
                : isGroupNumber(op);
  });
  if (!varies)
    return std::nullopt;
  taken.insert(batch);
  Value number = createNext(builder, llvm::any_of(slice, isGroupLoad));
  IRMapping mapping;
  if (loop)
    mapping.map(loop.getInductionVar(), number);
  for (Operation *op : slice) {
    if (!loop && isGroupNumber(op))
      mapping.map(op->getResult(0), number);
    else
      builder.clone(*op, mapping);
  }
  auto mode = unsigned(llvm::find(strides, 1) - strides.begin());
  Value next = mapping.lookup(memref);
  return NextMatrix{next, mode, getExtent(builder, next)};
}

SmallVector<NextMatrix> NextGroup::take(ImplicitLocOpBuilder &builder,
                                        const Reduction &reduction) {
  if (!body)
    return {};
  SmallVector<NextMatrix> matrices;
  auto add = [&](Value memref) {
    if (std::optional<NextMatrix> matrix = take(builder, memref))
      matrices.push_back(*matrix);
  };
  linalg::GenericOp sum = reduction.sum, update = reduction.update;
  for (Value input : sum.getDpsInputs())
    add(input);
  if (update)
    add(update.getDpsInits().front());
  for (Value input : copiedBefore.lookup(sum))
    add(input);
  return matrices;
}

TileFetcher::TileFetcher(ImplicitLocOpBuilder &builder, ArrayRef<NextMatrix> matrices,
                         const WorkGroup &group, ArrayRef<int64_t> shape,
                         ArrayRef<OpFoldResult> sizes, const Strategy &strategy)
    : matrices(matrices), lineBytes(group.getMachine().cache.lineBytes),
      width(group.getSize(0)), numRows(shape[0]), numColumns(shape[1]),
      numSteps(shape[2]), strategy(strategy) {
  if (matrices.empty())
    return;
  int64_t bytes = 0;
  for (const NextMatrix &matrix : matrices)
    bytes += getConstantIntValue(matrix.extent).value_or(kTypicalElements) *
             getElementBytes(matrix);
  // The first cache has to hold the matrices of both groups.
  if (2 * bytes > group.getMachine().cache.getBytes())
    locality = kSecondCache;
  if (!isStatic())
    computePaces(builder, sizes);
}

bool TileFetcher::isStatic() const {
  return llvm::none_of(ArrayRef{numRows, numColumns, numSteps},
                       ShapedType::isDynamic) &&
         llvm::all_of(matrices, [](const NextMatrix &matrix) {
           return getConstantIntValue(matrix.extent).has_value();
         });
}

void TileFetcher::computePaces(ImplicitLocOpBuilder &builder,
                               ArrayRef<OpFoldResult> sizes) {
  Value one = createIndex(builder, 1);
  auto divideCeil = [&](OpFoldResult size, Value divisor) -> Value {
    Value less = arith::SubIOp::create(builder, divisor, one);
    return arith::DivUIOp::create(builder, createIndexAdd(builder, size, less),
                                  divisor);
  };
  Value height = createIndex(builder, strategy.rows * width);
  Value rowTiles = divideCeil(sizes[0], height);
  // The rows after the last full tile are a remainder.
  if (ShapedType::isDynamic(numRows) && strategy.rows > 1)
    rowTiles = arith::DivUIOp::create(builder, toValue(builder, sizes[0]), height);
  Value columnTiles = divideCeil(sizes[1], createIndex(builder, strategy.columns));
  innerTiles = strategy.columnsOutside ? rowTiles : columnTiles;
  Value depth = toValue(builder, sizes[2]);
  Value steps = arith::MulIOp::create(
      builder, arith::MulIOp::create(builder, rowTiles, columnTiles), depth);
  Value isEmpty = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, steps,
                                        createIndex(builder, 0));
  steps = arith::SelectOp::create(builder, isEmpty, one, steps);
  for (const NextMatrix &matrix : matrices) {
    Value step = divideCeil(matrix.extent, steps);
    paces.push_back({&matrix, arith::MulIOp::create(builder, step, depth), step});
  }
}

int64_t TileFetcher::getElementBytes(const NextMatrix &matrix) {
  return getSizeBytes(cast<MemRefType>(matrix.memref.getType()).getElementType());
}

void TileFetcher::emitLines(ImplicitLocOpBuilder &builder, const NextMatrix &matrix,
                            Value begin, int64_t elements) const {
  int64_t rank = cast<MemRefType>(matrix.memref.getType()).getRank();
  for (int64_t i = 0; i < elements; i += lineBytes / getElementBytes(matrix)) {
    SmallVector<Value> indices(rank, createIndex(builder, 0));
    indices[matrix.mode] = createIndexAdd(builder, begin, builder.getIndexAttr(i));
    // A matrix that is written is fetched like the others: that is faster here than
    // asking for the right to write it.
    memref::PrefetchOp::create(builder, matrix.memref, indices, /*isWrite=*/false,
                               locality, /*isDataCache=*/true);
  }
}

void TileFetcher::startTile(ImplicitLocOpBuilder &builder, ArrayRef<TileRow> rows,
                            ArrayRef<TileColumn> columns) {
  shares.clear();
  if (matrices.empty())
    return;
  if (paces.empty())
    return startStaticTile(builder, rows, columns);
  startDynamicTile(builder, rows, columns);
}

void TileFetcher::startStaticTile(ImplicitLocOpBuilder &builder, ArrayRef<TileRow> rows,
                                  ArrayRef<TileColumn> columns) {
  int64_t allRows = llvm::divideCeil(numRows, width) * width;
  int64_t height = int64_t(rows.size()) * width, breadth = columns.size();
  // Tiles are computed row by row within a column of tiles, or the other way around.
  int64_t rowPart = strategy.columnsOutside ? breadth : numColumns;
  int64_t columnPart = strategy.columnsOutside ? allRows : height;
  Value row = rows.front().base ? rows.front().base : createIndex(builder, 0);
  for (const NextMatrix &matrix : matrices) {
    int64_t extent = *getConstantIntValue(matrix.extent);
    auto getShare = [&](int64_t part) {
      return llvm::divideCeil(extent * part, allRows * numColumns);
    };
    auto getBegin = [&](Value index, int64_t part) {
      return createIndexMul(builder, index, builder.getIndexAttr(getShare(part)));
    };
    Value begin = createIndexAdd(builder, getBegin(row, rowPart),
                                 getBegin(columns.front().index, columnPart));
    int64_t elements = getShare(height * breadth);
    int64_t line = lineBytes / getElementBytes(matrix);
    int64_t step = elements / (numSteps * line) * line;
    int64_t rest = elements - step * numSteps;
    // A few lines can wait for memory at once; more of them would delay loads.
    if (rest > kMaxLinesAtOnce * line) {
      step = llvm::divideCeil(elements, numSteps);
      rest = 0;
    }
    Value last = createIndexAdd(builder, begin, builder.getIndexAttr(step * numSteps));
    emitLines(builder, matrix, last, rest);
    if (step > 0)
      shares.push_back({&matrix, begin, builder.getIndexAttr(step)});
  }
}

void TileFetcher::startDynamicTile(ImplicitLocOpBuilder &builder,
                                   ArrayRef<TileRow> rows,
                                   ArrayRef<TileColumn> columns) {
  // Remainders are computed soon, by code that should be short.
  bool isRemainder = ShapedType::isDynamic(numRows)
                         ? int64_t(rows.size()) < strategy.rows
                         : rows.back().end != nullptr;
  if (isRemainder || int64_t(columns.size()) < strategy.columns)
    return;
  auto divide = [&](Value index, int64_t divisor) -> Value {
    return arith::DivUIOp::create(builder, index, createIndex(builder, divisor));
  };
  Value base = rows.front().base ? rows.front().base : createIndex(builder, 0);
  Value row = divide(base, strategy.rows * width);
  const TileColumn &front = columns.front();
  Value column = divide(front.first ? front.first : front.index, strategy.columns);
  if (!strategy.columnsOutside)
    std::swap(row, column);
  // Columns are the outer loop now, or what is called so.
  Value number = createIndexAdd(
      builder, row, arith::MulIOp::create(builder, column, innerTiles).getResult());
  for (const Pace &pace : paces)
    shares.push_back(
        {pace.matrix, arith::MulIOp::create(builder, number, pace.tile), pace.step});
}

void TileFetcher::emitStep(ImplicitLocOpBuilder &builder, Value k) const {
  for (const Share &share : shares) {
    OpFoldResult offset = createIndexMul(builder, k, share.step);
    int64_t line = lineBytes / getElementBytes(*share.matrix);
    emitLines(builder, *share.matrix, createIndexAdd(builder, share.begin, offset),
              getConstantIntValue(share.step).value_or(line));
  }
}
