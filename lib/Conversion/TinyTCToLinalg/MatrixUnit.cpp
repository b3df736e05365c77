//===- MatrixUnit.cpp - Products on the matrix unit -----------------------===//
//
// A subgroup computes tiles of C, whose sums stay in registers. It reads A and B by
// blocks where their addresses allow, which is only known at run time, else each
// work-item reads its own elements. What a tile has beyond the end of the matrices is
// read from the last row or column and never written.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/TinyTCToLinalg/MatrixUnit.h"
#include "dialect/DiscardableAttrs.h"
#include "lib/Analysis/MatrixUnit.h"
#include "lib/Builders/Halves.h"
#include "lib/Builders/Indices.h"
#include "lib/Builders/ScalarBuilder.h"
#include "lib/Conversion/TinyTCToLinalg/BlockedOperand.h"
#include "lib/Conversion/TinyTCToLinalg/CoopMatrixLane.h"
#include "lib/Conversion/TinyTCToLinalg/Patterns.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The most columns of one operation of the matrix unit.
static constexpr int64_t kMaxUnitColumns = 8;
/// The most row blocks of a tile.
static constexpr int64_t kTileBlocks = 2;

bool tinytc::isMatrixUnitProduct(const CoopMatrixProduct &product) {
  int64_t depth = getMatrixUnitDepth(product.a.type.getElementType());
  // Where rows of B are side by side, an operation takes pairs of columns.
  return product.c.sideBySide == 1 && product.getDepth() % depth == 0 &&
         product.b.blockRows == std::min<int64_t>(depth, product.b.subgroupSize) &&
         product.c.type.getColumns() % product.b.sideBySide == 0;
}

/// The entries of B for one operation, which takes the rows from `k` on and `count`
/// columns.
static SmallVector<Value> getUnitB(const CoopMatrixLayout &layout, ValueRange b,
                                   int64_t k, int64_t first, int64_t count) {
  // Halves come in the order of the columns.
  if (b.front().getType().isInteger(16))
    return b.slice(first, count);
  Type type = layout.type.getElementType();
  auto matrix =
      CoopMatrixType::get(getMatrixUnitDepth(type), count, type, MatrixUse::B);
  CoopMatrixLayout piece(matrix, layout.subgroupSize);
  SmallVector<Value> entries;
  for (int64_t i = 0; i < piece.getNumComponents(); ++i) {
    int64_t block = k / layout.blockRows + piece.getBlock(i);
    int64_t step = first / layout.sideBySide + piece.getStep(i);
    entries.push_back(b[layout.getPosition(block, step)]);
  }
  return entries;
}

void tinytc::emitMatrixUnitProduct(ImplicitLocOpBuilder &builder,
                                   const CoopMatrixProduct &product, ValueRange a,
                                   ValueRange b, MutableArrayRef<Value> sums) {
  Type type = product.a.type.getElementType();
  int64_t depth = getMatrixUnitDepth(type), columns = product.c.type.getColumns();
  for (int64_t first = 0; first < columns;) {
    int64_t count = kMaxUnitColumns;
    while (count > columns - first)
      count /= 2;
    for (int64_t k = 0; k < product.getDepth(); k += depth) {
      SmallVector<Value> unitB = getUnitB(product.b, b, k, first, count);
      for (int64_t block = 0; block < product.c.rowBlocks; ++block) {
        SmallVector<Value> unitA, unitC;
        for (int64_t i = 0; i < depth; ++i)
          unitA.push_back(a[product.a.getPosition(block, k + i)]);
        for (int64_t i = 0; i < count; ++i)
          unitC.push_back(sums[product.c.getPosition(block, first + i)]);
        SmallVector<Type> types(count, unitC.front().getType());
        auto result =
            SubgroupMatrixMulAddOp::create(builder, types, unitA, unitB, unitC);
        for (int64_t i = 0; i < count; ++i)
          sums[product.c.getPosition(block, first + i)] = result.getResult(i);
      }
    }
    first += count;
  }
}

namespace {

/// C := alpha op(A) op(B) + beta C in tiles.
class MatrixUnitGemm : ProductTiles {
public:
  MatrixUnitGemm(ImplicitLocOpBuilder &builder, BlockedOperand a, BlockedOperand b,
                 const Update &update, const Machine &machine, int64_t numSubgroups,
                 ScheduleAttr schedule)
      : ProductTiles(builder, a, b, update, numSubgroups), a(std::move(a)),
        b(std::move(b)), machine(machine), schedule(schedule),
        lanes(machine.matrixUnitLanes), type(this->a.getType().getElementType()),
        sumType(getMatrixUnitSumType(type, type, update.getType().getElementType(),
                                     /*allowTF32=*/true)),
        depth(getMatrixUnitDepth(type)) {}

  void emit() {
    lane = gpu::LaneIdOp::create(builder, /*upper_bound=*/nullptr);
    // Of f32, no message reads rows of A that lanes take, nor columns of B transposed.
    readsBlocksOfA = !type.isF32() || a.isTransposed();
    bool readsBlocks = machine.readsBlocks && b.mayReadBlocks() &&
                       (!readsBlocksOfA || a.mayReadBlocks()) &&
                       !(type.isF32() && b.isTransposed());
    chooseTile(/*byBlocks=*/true);
    // Transposed blocks begin at pieces of 32 bits.
    readsBlocks &= !b.isTransposed() || tileColumns % (4 / getSizeBytes(type)) == 0;
    if (!readsBlocks)
      return emitTiles(/*byBlocks=*/false);
    Value condition;
    if (readsBlocksOfA)
      condition = a.prepareBlocks(builder);
    condition = createBoth(builder, condition, b.prepareBlocks(builder));
    auto branch = scf::IfOp::create(builder, condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    emitTiles(/*byBlocks=*/true);
    builder.setInsertionPointToStart(branch.elseBlock());
    emitTiles(/*byBlocks=*/false);
  }

private:
  /// Columns of a tile for a matrix of few columns: one more operation of the unit for
  /// the last ones, of 1, 2, 4 or all columns.
  static int64_t roundColumns(int64_t count) {
    int64_t rest = count % kMaxUnitColumns;
    return llvm::isPowerOf2_64(rest) ? count : llvm::alignTo(count, kMaxUnitColumns);
  }

  void chooseTile(bool byBlocks) {
    std::optional<int64_t> numRows = getConstantIntValue(rows);
    std::optional<int64_t> numColumns = getConstantIntValue(columns);
    tileBlocks = numRows && *numRows <= lanes ? 1 : kTileBlocks;
    tileColumns = machine.matrixUnitColumns;
    // Numbers that are read one by one take a register each until they are packed.
    if (!byBlocks)
      tileColumns = std::min(tileColumns, 2 * kMaxUnitColumns);
    if (!byBlocks && getSizeBytes(type) == 1) {
      tileBlocks = 1;
      tileColumns = std::min(tileColumns, lanes);
    }
    if (numColumns)
      tileColumns = std::min(tileColumns, roundColumns(*numColumns));
    // As many tiles as subgroups.
    auto count = [&]() -> int64_t {
      return llvm::divideCeil(*numRows, tileBlocks * lanes) *
             llvm::divideCeil(*numColumns, tileColumns);
    };
    while (numRows && numColumns && tileColumns % (2 * kMaxUnitColumns) == 0 &&
           2 * count() <= numSubgroups)
      tileColumns /= 2;
    if (schedule && schedule.getRows() != 0)
      tileBlocks = schedule.getRows();
    if (schedule && schedule.getColumns() != 0)
      tileColumns = schedule.getColumns();
  }

  void emitTiles(bool byBlocks) {
    chooseTile(byBlocks);
    ProductTiles::emitTiles(
        tileBlocks * lanes, tileColumns,
        [&](Value row, Value column) { emitTile(row, column, byBlocks); });
  }

  void emitTile(Value row, Value column, bool byBlocks) {
    Value zero = ScalarBuilder(builder).constant(sumType, 0);
    SmallVector<Value> sums(tileBlocks * tileColumns, zero);
    if (byBlocks && readsBlocksOfA) {
      // Beyond the end, blocks are zero.
      emitSteps(createIndex(builder, 0), toValue(builder, summed), sums,
                [&](Value k) { emitBlockStep(row, column, k, sums); });
    } else {
      Value end = toValue(builder, roundDown(builder, summed, depth));
      emitSteps(createIndex(builder, 0), end, sums, [&](Value k) {
        if (byBlocks)
          return emitBlockStep(row, column, k, sums);
        emitStep(row, column, k, /*isTail=*/false, sums);
      });
      if (mayOverhang(summed, depth))
        emitSteps(end, toValue(builder, summed), sums,
                  [&](Value k) { emitStep(row, column, k, /*isTail=*/true, sums); });
    }
    store(row, column, sums);
  }

  /// Calls `emit` for every `depth`-th index; it updates the sums.
  void emitSteps(Value lower, Value upper, MutableArrayRef<Value> sums,
                 function_ref<void(Value)> emit) {
    setUnroll(ProductTiles::emitSteps(lower, upper, depth, sums, emit), false);
  }

  Value clampIfNeeded(Value index, OpFoldResult size, int64_t tile) {
    return mayOverhang(size, tile) ? clamp(index, size).index : index;
  }

  CoopMatrixProduct getProduct() const {
    auto layout = [&](int64_t numRows, int64_t numColumns, Type element,
                      MatrixUse use) {
      return CoopMatrixLayout(CoopMatrixType::get(numRows, numColumns, element, use),
                              lanes);
    };
    int64_t tileRows = tileBlocks * lanes;
    return {layout(tileRows, depth, type, MatrixUse::A),
            layout(depth, tileColumns, type, MatrixUse::B),
            layout(tileRows, tileColumns, sumType, MatrixUse::Acc)};
  }

  /// The entry of the summed mode, within bounds.
  Bounded getStep(Value index, bool isTail) {
    return isTail ? clamp(index, summed) : Bounded{index, {}};
  }

  /// The entries of A for one step, each of which a work-item reads.
  SmallVector<Value> loadA(Value row, Value k, bool isTail) {
    CoopMatrixLayout layout = getProduct().a;
    SmallVector<Value> entries(layout.getNumComponents()), lines;
    for (int64_t block = 0; block < tileBlocks; ++block) {
      Value index = arith::AddIOp::create(builder, add(row, block * lanes), lane);
      lines.push_back(clampIfNeeded(index, rows, tileBlocks * lanes));
    }
    for (int64_t i = 0; i < depth; ++i) {
      Bounded index = getStep(add(k, i), isTail);
      for (int64_t block = 0; block < tileBlocks; ++block)
        entries[layout.getPosition(block, i)] =
            mask(a.load(builder, lines[block], index.index), index.isInside);
    }
    return entries;
  }

  /// The same for B; of f32, a work-item takes a half of each.
  SmallVector<Value> loadB(Value column, Value k, bool isTail) {
    CoopMatrixLayout layout = getProduct().b;
    bool hasHalves = type.isF32();
    SmallVector<Value> entries(hasHalves ? tileColumns : layout.getNumComponents());
    Value first = lane;
    if (hasHalves)
      first = arith::DivUIOp::create(builder, lane, createIndex(builder, 2));
    for (int64_t block = 0; block < layout.rowBlocks; ++block) {
      Value row = arith::AddIOp::create(builder, add(k, block * lanes), first);
      Bounded index = getStep(row, isTail);
      for (int64_t i = 0; i < tileColumns; ++i) {
        Value place = clampIfNeeded(add(column, i), columns, tileColumns);
        Value entry = mask(b.load(builder, index.index, place), index.isInside);
        if (hasHalves)
          entries[i] = createHalf(builder, entry, lane);
        else
          entries[layout.getPosition(block, i)] = entry;
      }
    }
    return entries;
  }

  /// One step of the summed mode, in which each work-item reads its own elements.
  void emitStep(Value row, Value column, Value k, bool isTail,
                MutableArrayRef<Value> sums) {
    SmallVector<Value> entriesA = loadA(row, k, isTail);
    emitMatrixUnitProduct(builder, getProduct(), entriesA, loadB(column, k, isTail),
                          sums);
  }

  /// The same with blocks where there are messages for them.
  void emitBlockStep(Value row, Value column, Value k, MutableArrayRef<Value> sums) {
    SmallVector<Value> entriesA =
        readsBlocksOfA ? loadBlocksOfA(row, k) : loadA(row, k, /*isTail=*/false);
    SmallVector<Value> entriesB =
        type.isF32() ? loadHalves(column, k) : loadBlocksOfB(column, k);
    emitMatrixUnitProduct(builder, getProduct(), entriesA, entriesB, sums);
  }

  /// The neighbours of a column of B that a work-item gets of a block, where
  /// coopmatrices have numbers that lie a subgroup apart: the summed mode is permuted.
  int64_t countNeighbours() const {
    return b.isTransposed() ? 1 : getProduct().b.rowBlocks;
  }

  /// One block for each block of rows.
  SmallVector<Value> loadBlocksOfA(Value row, Value k) {
    int64_t neighbours = countNeighbours(), apart = depth / neighbours;
    SmallVector<Value> entries;
    for (int64_t block = 0; block < tileBlocks; ++block) {
      SmallVector<Value> loaded =
          a.loadBlock(builder, add(row, block * lanes), k, depth);
      for (int64_t i = 0; i < depth; ++i)
        entries.push_back(loaded[i % apart * neighbours + i / apart]);
    }
    return entries;
  }

  /// One block for as many columns as an operation takes or, if B is transposed, for 32
  /// bytes of each row.
  SmallVector<Value> loadBlocksOfB(Value column, Value k) {
    CoopMatrixLayout layout = getProduct().b;
    SmallVector<Value> entries(layout.getNumComponents());
    int64_t neighbours = countNeighbours();
    int64_t width = b.isTransposed() ? depth : kMaxUnitColumns;
    for (int64_t i = 0; i < tileColumns; i += width)
      for (int64_t block = 0; block < layout.rowBlocks; block += neighbours) {
        SmallVector<Value> loaded = b.loadBlock(builder, add(k, block * lanes),
                                                add(column, i), width * neighbours);
        for (auto [number, entry] : llvm::enumerate(loaded)) {
          int64_t step = i + number / neighbours;
          if (step < tileColumns)
            entries[layout.getPosition(block + number % neighbours, step)] = entry;
        }
      }
    return entries;
  }

  /// One block of B of f32 for as many columns as an operation takes.
  SmallVector<Value> loadHalves(Value column, Value k) {
    SmallVector<Value> entries;
    for (int64_t i = 0; i < tileColumns; i += kMaxUnitColumns)
      llvm::append_range(entries,
                         b.loadBlock(builder, k, add(column, i), kMaxUnitColumns));
    entries.resize(tileColumns);
    return entries;
  }

  void store(Value row, Value column, ArrayRef<Value> sums) {
    CoopMatrixLayout layout = getProduct().c;
    for (int64_t block = 0; block < tileBlocks; ++block) {
      OpBuilder::InsertionGuard guard(builder);
      Value index = arith::AddIOp::create(builder, add(row, block * lanes), lane);
      enterIfNeeded(index, rows, tileBlocks * lanes);
      for (int64_t i = 0; i < tileColumns; ++i) {
        OpBuilder::InsertionGuard columnGuard(builder);
        Value place = add(column, i);
        enterIfNeeded(place, columns, tileColumns);
        storeElement(sums[layout.getPosition(block, i)], {index, place});
      }
    }
  }

  BlockedOperand a, b;
  const Machine &machine;
  ScheduleAttr schedule;
  int64_t lanes;
  Type type, sumType;
  int64_t depth;
  /// Whether a step by blocks also has blocks of A.
  bool readsBlocksOfA = true;
  /// Row blocks and columns of a tile.
  int64_t tileBlocks, tileColumns;
  Value lane;
};

struct GemmPattern final : OpConversionPattern<GemmOp> {
  GemmPattern(const LinalgTypeConverter &converter, MLIRContext *context,
              const Machine &machine, int64_t numSubgroups, ScheduleAttr schedule)
      : OpConversionPattern(converter, context, /*benefit=*/2), machine(machine),
        subgroupSize(converter.getSubgroupSize()), numSubgroups(numSubgroups),
        schedule(schedule) {}

  LogicalResult matchAndRewrite(GemmOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!runsOnMatrixUnit(op, machine, subgroupSize))
      return rewriter.notifyMatchFailure(op, "expected types of the matrix unit");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Update update(op, adaptor, adaptor.getC());
    if (!llvm::is_contained(update.getType().getShape(), 0)) {
      BlockedOperand a(builder, adaptor.getA(), op.getTransposeA() == Transpose::T);
      BlockedOperand b(builder, adaptor.getB(), op.getTransposeB() == Transpose::T);
      MatrixUnitGemm(builder, std::move(a), std::move(b), update, machine, numSubgroups,
                     schedule)
          .emit();
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  const Machine &machine;
  int32_t subgroupSize;
  int64_t numSubgroups;
  ScheduleAttr schedule;
};

} // namespace

void tinytc::populateMatrixUnitPatterns(const LinalgTypeConverter &converter,
                                        RewritePatternSet &patterns,
                                        const Machine &machine,
                                        ArrayRef<int32_t> workGroupSize,
                                        ScheduleAttr schedule) {
  if (machine.matrixUnitLanes != converter.getSubgroupSize() || machine.takesFragments)
    return;
  int64_t numSubgroups =
      workGroupSize[0] / converter.getSubgroupSize() * workGroupSize[1];
  patterns.add<GemmPattern>(converter, patterns.getContext(), machine, numSubgroups,
                            schedule);
}
