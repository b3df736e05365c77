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
#include "lib/Builders/Indices.h"
#include "lib/Builders/ScalarBuilder.h"
#include "lib/Builders/Stores.h"
#include "lib/Conversion/TinyTCToLinalg/Patterns.h"
#include "lib/Conversion/TinyTCToLinalg/Update.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The most columns of one operation of the matrix unit.
static constexpr int64_t kMaxUnitColumns = 8;
/// The most row blocks of a tile.
static constexpr int64_t kTileBlocks = 2;

bool tinytc::isMatrixUnitProduct(const CoopMatrixProduct &product) {
  int64_t depth = getMatrixUnitDepth(product.a.type.getElementType());
  return product.c.sideBySide == 1 && product.getDepth() % depth == 0;
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
      CoopMatrixLayout piece(CoopMatrixType::get(depth, count, type, MatrixUse::B),
                             product.b.subgroupSize);
      SmallVector<Value> unitB;
      for (int64_t i = 0; i < piece.getNumComponents(); ++i) {
        int64_t block = k / product.b.blockRows + piece.getBlock(i);
        unitB.push_back(b[product.b.getPosition(block, first + piece.getStep(i))]);
      }
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

/// An index and whether it is within bounds; null: it always is.
struct Bounded {
  Value index, isInside;
};

/// A matrix in memory, which may be transposed: mode 0 of `op(X)` is `getMode(0)`.
class Operand {
public:
  Operand(ImplicitLocOpBuilder &builder, Value memref, bool transposed)
      : memref(memref), transposed(transposed),
        sizes(memref::getMixedSizes(builder, builder.getLoc(), memref)) {}

  MemRefType getType() const { return cast<MemRefType>(memref.getType()); }
  OpFoldResult getSize(unsigned mode) const { return sizes[transposed ^ mode]; }

  Value load(ImplicitLocOpBuilder &builder, Value row, Value column) const {
    SmallVector<Value, 2> indices{row, column};
    if (transposed)
      std::swap(indices[0], indices[1]);
    return memref::LoadOp::create(builder, memref, indices);
  }

  /// Whether blocks can be read, by what is known of sizes and strides.
  bool mayReadBlocks() const {
    MemRefType type = getType();
    auto [strides, offset] = type.getStridesAndOffset();
    int64_t bytes = getSizeBytes(type.getElementType());
    auto isMultiple = [&](int64_t count, int64_t divisor) {
      return ShapedType::isDynamic(count) || count * bytes % divisor == 0;
    };
    int64_t rows = type.getShape()[0];
    bool isWide = ShapedType::isDynamic(rows) || rows * bytes >= kMinBlockWidthBytes;
    return !type.getMemorySpace() && strides[0] == 1 && isWide && isMultiple(rows, 4) &&
           isMultiple(strides[1], kPitchBytes);
  }

  /// Computes what block loads need, once; returns whether they are possible.
  Value prepareBlocks(ImplicitLocOpBuilder &builder) {
    auto metadata = memref::ExtractStridedMetadataOp::create(builder, memref);
    base = metadata.getBaseBuffer();
    offset = metadata.getOffset();
    stride = metadata.getStrides()[1];
    int64_t bytes = getSizeBytes(getType().getElementType());
    auto scale = [&](Value count) -> Value {
      return arith::MulIOp::create(builder, count, createIndex(builder, bytes));
    };
    auto isMultiple = [&](Value value, int64_t divisor) -> Value {
      Value bits =
          arith::AndIOp::create(builder, value, createIndex(builder, divisor - 1));
      return arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, bits,
                                   createIndex(builder, 0));
    };
    Value address = memref::ExtractAlignedPointerAsIndexOp::create(builder, memref);
    address = arith::AddIOp::create(builder, address, scale(offset));
    Value condition = isMultiple(address, kBaseBytes);
    auto add = [&](Value other) {
      condition = arith::AndIOp::create(builder, condition, other);
    };
    add(isMultiple(scale(stride), kPitchBytes));
    Value rows = scale(toValue(builder, sizes[0]));
    add(isMultiple(rows, 4));
    add(arith::CmpIOp::create(builder, arith::CmpIPredicate::uge, rows,
                              createIndex(builder, kMinBlockWidthBytes)));
    add(arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, scale(stride),
                              createIndex(builder, kMaxPitchBytes)));
    return condition;
  }

  /// The elements (row + lane, column + i) of `op(X)` for i below `count`.
  SmallVector<Value> loadBlock(ImplicitLocOpBuilder &builder, Value row, Value column,
                               int64_t count) const {
    SmallVector<Type> types(count, getType().getElementType());
    auto block = SubgroupBlockLoadOp::create(
        builder, types, base, offset, toValue(builder, sizes[0]),
        toValue(builder, sizes[1]), stride, transposed ? column : row,
        transposed ? row : column, transposed);
    return block.getResults();
  }

  bool isTransposed() const { return transposed; }

private:
  static constexpr int64_t kBaseBytes = 64, kPitchBytes = 16;
  static constexpr int64_t kMinBlockWidthBytes = 64, kMaxPitchBytes = 1 << 24;

  Value memref;
  bool transposed;
  SmallVector<OpFoldResult> sizes;
  Value base, offset, stride;
};

/// C := alpha op(A) op(B) + beta C in tiles.
class MatrixUnitGemm {
public:
  MatrixUnitGemm(ImplicitLocOpBuilder &builder, Operand a, Operand b,
                 const Update &update, const Machine &machine, int64_t numSubgroups,
                 ScheduleAttr schedule)
      : builder(builder), a(std::move(a)), b(std::move(b)), update(update),
        machine(machine), schedule(schedule), lanes(machine.matrixUnitLanes),
        numSubgroups(numSubgroups), type(this->a.getType().getElementType()),
        sumType(getMatrixUnitSumType(type, type, update.getType().getElementType())),
        depth(getMatrixUnitDepth(type)), rows(this->a.getSize(0)),
        columns(this->b.getSize(1)), summed(this->a.getSize(1)) {}

  void emit() {
    lane = gpu::LaneIdOp::create(builder, /*upper_bound=*/nullptr);
    // Two bytes make pieces of a block that the work-items hold as coopmatrices.
    bool readsBlocks = machine.readsBlocks && getSizeBytes(type) == 2 &&
                       a.mayReadBlocks() && b.mayReadBlocks();
    chooseTile(/*byBlocks=*/true);
    // Transposed blocks begin at pieces of 32 bits.
    readsBlocks &= !b.isTransposed() || tileColumns % 2 == 0;
    if (!readsBlocks)
      return emitTiles(/*byBlocks=*/false);
    Value forA = a.prepareBlocks(builder), forB = b.prepareBlocks(builder);
    Value condition = arith::AndIOp::create(builder, forA, forB);
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
    if (getSizeBytes(type) == 1) {
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

  /// The number of tiles along a mode.
  OpFoldResult countTiles(OpFoldResult size, int64_t tile) {
    if (std::optional<int64_t> known = getConstantIntValue(size))
      return builder.getIndexAttr(llvm::divideCeil(*known, tile));
    Value rounded = add(toValue(builder, size), tile - 1);
    return arith::DivUIOp::create(builder, rounded, createIndex(builder, tile))
        .getResult();
  }

  void emitTiles(bool byBlocks) {
    chooseTile(byBlocks);
    OpFoldResult tileRows = countTiles(rows, tileBlocks * lanes);
    OpFoldResult count =
        createIndexMul(builder, tileRows, countTiles(columns, tileColumns));
    Value id = gpu::SubgroupIdOp::create(builder, /*upper_bound=*/nullptr);
    OpBuilder::InsertionGuard guard(builder);
    std::optional<int64_t> known = getConstantIntValue(count);
    if (!known || *known > numSubgroups) {
      auto loop = scf::ForOp::create(builder, id, toValue(builder, count),
                                     createIndex(builder, numSubgroups));
      setUnroll(loop, false);
      builder.setInsertionPointToStart(loop.getBody());
      id = loop.getInductionVar();
    } else if (*known < numSubgroups) {
      auto branch = scf::IfOp::create(builder, createIsBelow(builder, id, count));
      builder.setInsertionPointToStart(branch.thenBlock());
    }
    Value perColumn = toValue(builder, tileRows);
    Value row = arith::RemUIOp::create(builder, id, perColumn);
    Value column = arith::DivUIOp::create(builder, id, perColumn);
    row = arith::MulIOp::create(builder, row, createIndex(builder, tileBlocks * lanes));
    column = arith::MulIOp::create(builder, column, createIndex(builder, tileColumns));
    emitTile(row, column, byBlocks);
  }

  void emitTile(Value row, Value column, bool byBlocks) {
    Value zero = ScalarBuilder(builder).constant(sumType, 0);
    SmallVector<Value> sums(tileBlocks * tileColumns, zero);
    if (byBlocks) {
      // Beyond the end, blocks are zero.
      emitSteps(createIndex(builder, 0), toValue(builder, summed), sums,
                [&](Value k) { emitBlockStep(row, column, k, sums); });
    } else {
      Value end = toValue(builder, roundDown(builder, summed, depth));
      emitSteps(createIndex(builder, 0), end, sums,
                [&](Value k) { emitStep(row, column, k, /*isTail=*/false, sums); });
      if (mayOverhang(summed, depth))
        emitSteps(end, toValue(builder, summed), sums,
                  [&](Value k) { emitStep(row, column, k, /*isTail=*/true, sums); });
    }
    store(row, column, sums);
  }

  /// Calls `emit` for every `depth`-th index; it updates the sums.
  void emitSteps(Value lower, Value upper, MutableArrayRef<Value> sums,
                 function_ref<void(Value)> emit) {
    auto loop = scf::ForOp::create(builder, lower, upper, createIndex(builder, depth),
                                   ValueRange(sums));
    setUnroll(loop, false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    llvm::copy(loop.getRegionIterArgs(), sums.begin());
    emit(loop.getInductionVar());
    scf::YieldOp::create(builder, ValueRange(sums));
    llvm::copy(loop.getResults(), sums.begin());
  }

  static bool mayOverhang(OpFoldResult size, int64_t tile) {
    std::optional<int64_t> known = getConstantIntValue(size);
    return !known || *known % tile != 0;
  }

  Value add(Value index, int64_t i) {
    return i == 0 ? index
                  : arith::AddIOp::create(builder, index, createIndex(builder, i))
                        .getResult();
  }

  /// The index, or the last one of the mode if it is beyond that.
  Bounded clamp(Value index, OpFoldResult size) {
    Value isInside = createIsBelow(builder, index, size);
    Value last =
        arith::SubIOp::create(builder, toValue(builder, size), createIndex(builder, 1));
    return {arith::SelectOp::create(builder, isInside, index, last), isInside};
  }
  Value clampIfNeeded(Value index, OpFoldResult size, int64_t tile) {
    return mayOverhang(size, tile) ? clamp(index, size).index : index;
  }

  /// The element, or zero where the summed mode has ended.
  Value mask(Value element, Value isInside) {
    if (!isInside)
      return element;
    Value zero = ScalarBuilder(builder).constant(type, 0);
    return arith::SelectOp::create(builder, isInside, element, zero);
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

  /// One step of the summed mode, in which each work-item reads its own elements.
  void emitStep(Value row, Value column, Value k, bool isTail,
                MutableArrayRef<Value> sums) {
    CoopMatrixProduct product = getProduct();
    auto step = [&](Value index) -> Bounded {
      return isTail ? clamp(index, summed) : Bounded{index, {}};
    };
    SmallVector<Value> entriesA(product.a.getNumComponents());
    SmallVector<Value> rowsA;
    for (int64_t block = 0; block < tileBlocks; ++block) {
      Value index = arith::AddIOp::create(builder, add(row, block * lanes), lane);
      rowsA.push_back(clampIfNeeded(index, rows, tileBlocks * lanes));
    }
    for (int64_t i = 0; i < depth; ++i) {
      Bounded index = step(add(k, i));
      for (int64_t block = 0; block < tileBlocks; ++block)
        entriesA[product.a.getPosition(block, i)] =
            mask(a.load(builder, rowsA[block], index.index), index.isInside);
    }
    SmallVector<Value> entriesB(product.b.getNumComponents());
    for (int64_t block = 0; block < product.b.rowBlocks; ++block) {
      Bounded index = step(arith::AddIOp::create(builder, add(k, block * lanes), lane));
      for (int64_t i = 0; i < tileColumns; ++i) {
        Value place = clampIfNeeded(add(column, i), columns, tileColumns);
        entriesB[product.b.getPosition(block, i)] =
            mask(b.load(builder, index.index, place), index.isInside);
      }
    }
    emitMatrixUnitProduct(builder, product, entriesA, entriesB, sums);
  }

  /// The same with blocks of 16 bit numbers: one of A for each block of rows; one of B
  /// for as many columns as an operation takes, or for twice as many if B is
  /// transposed.
  void emitBlockStep(Value row, Value column, Value k, MutableArrayRef<Value> sums) {
    CoopMatrixProduct product = getProduct();
    SmallVector<Value> entriesA, entriesB;
    for (int64_t block = 0; block < tileBlocks; ++block)
      llvm::append_range(entriesA,
                         a.loadBlock(builder, add(row, block * lanes), k, depth));
    int64_t width = kMaxUnitColumns * (b.isTransposed() ? 2 : 1);
    for (int64_t i = 0; i < tileColumns; i += width)
      llvm::append_range(entriesB, b.loadBlock(builder, k, add(column, i), width));
    emitMatrixUnitProduct(builder, product, entriesA, entriesB, sums);
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

  /// Moves the builder to where the index is within the mode.
  void enterIfNeeded(Value index, OpFoldResult size, int64_t tile) {
    if (!mayOverhang(size, tile))
      return;
    auto branch = scf::IfOp::create(builder, createIsBelow(builder, index, size));
    builder.setInsertionPointToStart(branch.thenBlock());
  }

  void storeElement(Value sum, ValueRange indices) {
    if (update.atomic)
      return createStore(builder, update.getFlag(), update.emitScaled(builder, sum),
                         update.dest, indices);
    Value old;
    if (!update.isBetaZero)
      old = memref::LoadOp::create(builder, update.dest, indices);
    Value element = update.emit(builder, sum, old);
    memref::StoreOp::create(builder, element, update.dest, indices);
  }

  ImplicitLocOpBuilder &builder;
  Operand a, b;
  const Update &update;
  const Machine &machine;
  ScheduleAttr schedule;
  int64_t lanes, numSubgroups;
  Type type, sumType;
  int64_t depth;
  OpFoldResult rows, columns, summed;
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
      Operand a(builder, adaptor.getA(), op.getTransposeA() == Transpose::T);
      Operand b(builder, adaptor.getB(), op.getTransposeB() == Transpose::T);
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
  if (machine.matrixUnitLanes != converter.getSubgroupSize())
    return;
  int64_t numSubgroups =
      workGroupSize[0] / converter.getSubgroupSize() * workGroupSize[1];
  patterns.add<GemmPattern>(converter, patterns.getContext(), machine, numSubgroups,
                            schedule);
}
