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
#include "lib/Conversion/TinyTCToLinalg/Patterns.h"
#include "lib/Conversion/TinyTCToLinalg/ProductTiles.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

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

/// A matrix in memory that may be read by blocks.
class Operand : public ProductOperand {
public:
  using ProductOperand::ProductOperand;

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

private:
  static constexpr int64_t kBaseBytes = 64, kPitchBytes = 16;
  static constexpr int64_t kMinBlockWidthBytes = 64, kMaxPitchBytes = 1 << 24;

  Value base, offset, stride;
};

/// C := alpha op(A) op(B) + beta C in tiles.
class MatrixUnitGemm : ProductTiles {
public:
  MatrixUnitGemm(ImplicitLocOpBuilder &builder, Operand a, Operand b,
                 const Update &update, const Machine &machine, int64_t numSubgroups,
                 ScheduleAttr schedule)
      : ProductTiles(builder, a, b, update, numSubgroups), a(std::move(a)),
        b(std::move(b)), machine(machine), schedule(schedule),
        lanes(machine.matrixUnitLanes), type(this->a.getType().getElementType()),
        sumType(getMatrixUnitSumType(type, type, update.getType().getElementType())),
        depth(getMatrixUnitDepth(type)) {}

  void emit() {
    lane = gpu::LaneIdOp::create(builder, /*upper_bound=*/nullptr);
    bool readsBlocks = machine.readsBlocks && a.mayReadBlocks() && b.mayReadBlocks();
    chooseTile(/*byBlocks=*/true);
    // Transposed blocks begin at pieces of 32 bits.
    readsBlocks &= !b.isTransposed() || tileColumns % (4 / getSizeBytes(type)) == 0;
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

  /// The same with blocks: one of A for each block of rows; one of B for as many
  /// columns as an operation takes or, if B is transposed, for 32 bytes of each row.
  void emitBlockStep(Value row, Value column, Value k, MutableArrayRef<Value> sums) {
    CoopMatrixProduct product = getProduct();
    // A work-item gets neighbours of a column of B, where coopmatrices have numbers
    // that lie a subgroup apart: the summed mode is permuted.
    int64_t neighbours = b.isTransposed() ? 1 : product.b.rowBlocks;
    int64_t apart = depth / neighbours;
    SmallVector<Value> entriesA, entriesB(product.b.getNumComponents());
    for (int64_t block = 0; block < tileBlocks; ++block) {
      SmallVector<Value> entries =
          a.loadBlock(builder, add(row, block * lanes), k, depth);
      for (int64_t i = 0; i < depth; ++i)
        entriesA.push_back(entries[i % apart * neighbours + i / apart]);
    }
    int64_t width = b.isTransposed() ? depth : kMaxUnitColumns;
    for (int64_t i = 0; i < tileColumns; i += width)
      for (int64_t block = 0; block < product.b.rowBlocks; block += neighbours) {
        SmallVector<Value> entries = b.loadBlock(builder, add(k, block * lanes),
                                                 add(column, i), width * neighbours);
        for (auto [number, entry] : llvm::enumerate(entries)) {
          int64_t step = i + number / neighbours;
          if (step < tileColumns)
            entriesB[product.b.getPosition(block + number % neighbours, step)] = entry;
        }
      }
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

  Operand a, b;
  const Machine &machine;
  ScheduleAttr schedule;
  int64_t lanes;
  Type type, sumType;
  int64_t depth;
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
  if (machine.matrixUnitLanes != converter.getSubgroupSize() || machine.takesFragments)
    return;
  int64_t numSubgroups =
      workGroupSize[0] / converter.getSubgroupSize() * workGroupSize[1];
  patterns.add<GemmPattern>(converter, patterns.getContext(), machine, numSubgroups,
                            schedule);
}
