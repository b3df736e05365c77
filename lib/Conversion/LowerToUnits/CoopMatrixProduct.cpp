//===- CoopMatrixProduct.cpp - Products of coopmatrices -------------------===//
//
// A work-item has the rows of A that it has of C, and gets the elements of B from
// others: from one that is the same for all where C has the rows of a whole subgroup,
// else from one for each block of lanes that holds a column of C.
//
// Small products are written out. The components of large ones are put into arrays in
// private memory, which loops can index: over tiles of columns, whose sums are in
// registers, and over the summed mode. The elements are summed up in the same order.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/LowerToUnits/CoopMatrixProduct.h"
#include "dialect/DiscardableAttrs.h"
#include "lib/Builders/Indices.h"
#include "lib/Builders/PrivateArray.h"
#include "lib/Builders/ScalarBuilder.h"
#include "lib/Builders/SubgroupBuilder.h"
#include "lib/Conversion/LowerToUnits/CoopMatrixLane.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The largest number of multiply-adds that is written out, of a work-item that has
/// whole rows of C. Drivers need more than a second for more of them, and spill
/// registers.
static constexpr int64_t kMaxWrittenOut = 512;
/// Registers for the sums of a tile of columns: half of those of AVX-512.
static constexpr int64_t kTileRegisters = 16;
static constexpr int64_t kRegisterBytes = 64;
/// Multiply-adds in one iteration of the innermost loop.
static constexpr int64_t kStepsOfIteration = 64;

namespace {

/// Moves components of A and B to the work-items that multiply them.
class OperandExchange {
public:
  OperandExchange(ImplicitLocOpBuilder &builder, const CoopMatrixProduct &product)
      : builder(builder), product(product), lane(builder, product.c) {
    Type i32 = builder.getI32Type();
    row = arith::IndexCastOp::create(builder, i32, lane.getRowInBlock());
    beside = arith::IndexCastOp::create(builder, i32, lane.getFirstColumn());
  }

  /// All components of the rows of A that the work-item has of C: that of a block and
  /// column k at k * row blocks + block.
  SmallVector<Value> gatherRows(ValueRange a) {
    SmallVector<Value> rows;
    for (int64_t k = 0; k < product.getDepth(); ++k)
      for (int64_t block = 0; block < product.c.rowBlocks; ++block)
        rows.push_back(getRowComponent(a, block, k));
    return rows;
  }

  /// All components of the row that the work-item has of C, which is one of few rows.
  SmallVector<Value> gatherColumns(ValueRange c) {
    const CoopMatrixLayout &layout = product.c;
    SmallVector<Value> columns;
    for (int64_t column = 0; column < layout.type.getColumns(); ++column) {
      Value source = add(row, column % layout.sideBySide * layout.blockRows);
      columns.push_back(createShuffle(builder, c[column / layout.sideBySide], source,
                                      layout.subgroupSize));
    }
    return columns;
  }

  /// The inverse: those of the columns that the work-item holds.
  void chooseColumns(ValueRange columns, MutableArrayRef<Value> c) {
    int64_t count = product.c.sideBySide;
    for (int64_t column = 0; column < int64_t(columns.size()); ++column) {
      Value &component = c[column / count];
      if (column % count == 0) {
        component = columns[column];
        continue;
      }
      Value isColumn = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, beside,
                                             createI32(builder, column % count));
      component =
          arith::SelectOp::create(builder, isColumn, columns[column], component);
    }
  }

  /// B as it would be if it had as many rows in a block as C: the component of a block
  /// and a step at block * steps + step.
  SmallVector<Value> arrangeColumns(ValueRange b) {
    int64_t rows = product.c.blockRows;
    SmallVector<Value> columns;
    for (int64_t first = 0; first < product.getDepth(); first += rows)
      for (int64_t step = 0; step < product.c.steps; ++step)
        columns.push_back(getColumnComponent(b, first, step));
    return columns;
  }

  /// The component of B in a row and in the columns of a step of C.
  Value getElement(ValueRange b, int64_t k, int64_t step) {
    const CoopMatrixLayout &layout = product.b;
    int64_t first = step * product.c.sideBySide;
    Value element =
        b[layout.getPosition(k / layout.blockRows, first / layout.sideBySide)];
    return getFrom(element,
                   k % layout.blockRows + first % layout.sideBySide * layout.blockRows,
                   layout.blockRows);
  }

  /// The same from `arrangeColumns`; the row may be known only at run time.
  Value getElement(Value arranged, Value rowInBlock) {
    Value source =
        arith::IndexCastOp::create(builder, builder.getI32Type(), rowInBlock);
    return getFrom(arranged, source, product.c.blockRows);
  }
  Value getElement(Value arranged, int64_t rowInBlock) {
    return getFrom(arranged, rowInBlock, product.c.blockRows);
  }

  /// Whether the columns of C that are side by side are so in B, too.
  bool isDirect() const { return product.c.sideBySide <= product.b.sideBySide; }

private:
  Value getRowComponent(ValueRange a, int64_t block, int64_t k) {
    const CoopMatrixLayout &layout = product.a;
    Value component = a[layout.getPosition(block, k / layout.sideBySide)];
    if (layout.sideBySide == 1)
      return component;
    Value source = add(row, k % layout.sideBySide * layout.blockRows);
    return createShuffle(builder, component, source, layout.subgroupSize);
  }

  /// The component of B in row `first + row` and in the columns of a step of C.
  Value getColumnComponent(ValueRange b, int64_t first, int64_t step) {
    const CoopMatrixLayout &layout = product.b;
    int64_t column = step * product.c.sideBySide, block = first / layout.blockRows;
    if (layout.blockRows == product.c.blockRows)
      return b[layout.getPosition(block, step)];
    if (isDirect()) {
      // B has fewer rows than a block of C; what the rows beyond get is never used.
      Value source = remainder(row, layout.blockRows);
      source = add(source, column % layout.sideBySide * layout.blockRows);
      source = add(source, multiply(beside, layout.blockRows));
      Value component = b[layout.getPosition(block, column / layout.sideBySide)];
      return createShuffle(builder, component, source, layout.subgroupSize);
    }
    // Which entry has the column depends on the lane.
    Value source = add(row, first % layout.blockRows);
    source =
        add(source, multiply(remainder(beside, layout.sideBySide), layout.blockRows));
    Value entry = divide(beside, layout.sideBySide), result;
    int64_t entries = product.c.sideBySide / layout.sideBySide;
    for (int64_t i = 0; i < entries && step * entries + i < layout.steps; ++i) {
      Value component = b[layout.getPosition(block, step * entries + i)];
      component = createShuffle(builder, component, source, layout.subgroupSize);
      if (result) {
        Value isEntry = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, entry,
                                              createI32(builder, i));
        component = arith::SelectOp::create(builder, isEntry, component, result);
      }
      result = component;
    }
    return result;
  }

  /// The component of work-item `source`, or of `source + i * rows` for the i-th of the
  /// columns of C that are side by side.
  template <typename Lane>
  Value getFrom(Value component, Lane source, int64_t rows) {
    if (product.c.sideBySide == 1)
      return createBroadcast(builder, component, toLane(source));
    return createShuffle(builder, component, add(multiply(beside, rows), source),
                         product.c.subgroupSize);
  }

  Value toLane(int64_t source) { return createI32(builder, source); }
  Value toLane(Value source) { return source; }
  Value add(Value a, int64_t b) { return b == 0 ? a : add(a, createI32(builder, b)); }
  Value add(Value a, Value b) { return arith::AddIOp::create(builder, a, b); }
  Value multiply(Value a, int64_t b) {
    return arith::MulIOp::create(builder, a, createI32(builder, b));
  }
  Value divide(Value a, int64_t b) {
    return arith::DivUIOp::create(builder, a, createI32(builder, b));
  }
  Value remainder(Value a, int64_t b) {
    return arith::RemUIOp::create(builder, a, createI32(builder, b));
  }

  ImplicitLocOpBuilder &builder;
  const CoopMatrixProduct &product;
  CoopMatrixLane lane;
  /// Of the work-item: row in a block of C, column among those side by side.
  Value row, beside;
};

/// Emits a large product in loops.
class LoopedProduct {
public:
  LoopedProduct(ImplicitLocOpBuilder &builder, const CoopMatrixProduct &product,
                OperandExchange &exchange, Type type)
      : builder(builder), product(product), exchange(exchange), type(type),
        rowBlocks(product.c.rowBlocks), columns(product.c.steps),
        depth(product.getDepth()), width(product.c.blockRows),
        a(builder, type, rowBlocks * depth),
        b(builder, type, llvm::divideCeil(depth, width) * columns),
        c(builder, type, rowBlocks * columns) {}

  /// Takes what `exchange` makes of A and B.
  void emit(ValueRange rows, ValueRange arranged, MutableArrayRef<Value> sums) {
    // Elements of B of a tile of columns are neighbours, and the blocks of a row of A.
    storeAll(a, rows);
    storeAll(b, arranged);
    for (int64_t column = 0; column < columns; ++column)
      for (int64_t block = 0; block < rowBlocks; ++block)
        c.store(builder, sums[product.c.getPosition(block, column)],
                constant(column * rowBlocks + block));

    int64_t registers =
        rowBlocks *
        llvm::divideCeil(getSizeBytes(type) * product.c.subgroupSize, kRegisterBytes);
    int64_t tile = std::clamp<int64_t>(kTileRegisters / registers, 1, columns);
    emitTiles(0, columns / tile * tile, tile);
    emitTiles(columns / tile * tile, columns, columns % tile);

    for (int64_t block = 0; block < rowBlocks; ++block)
      for (int64_t column = 0; column < columns; ++column)
        sums[product.c.getPosition(block, column)] =
            c.load(builder, constant(column * rowBlocks + block));
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, value);
  }
  Value add(Value x, int64_t y) {
    return y == 0 ? x : arith::AddIOp::create(builder, x, constant(y)).getResult();
  }
  Value multiply(Value x, int64_t y) {
    return arith::MulIOp::create(builder, x, constant(y));
  }

  void storeAll(const PrivateArray &array, ValueRange components) {
    for (auto [position, component] : llvm::enumerate(components))
      array.store(builder, component, constant(position));
  }

  /// Emits `body` for each `step`-th index with the values that it carries.
  void emitLoop(int64_t lower, int64_t upper, int64_t step,
                MutableArrayRef<Value> values, function_ref<void(Value)> body) {
    if (lower == upper)
      return;
    auto loop = scf::ForOp::create(builder, constant(lower), constant(upper),
                                   constant(step), ValueRange(values));
    // Drivers would unroll the loop again.
    setUnroll(loop, false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    llvm::copy(loop.getRegionIterArgs(), values.begin());
    body(loop.getInductionVar());
    if (!values.empty())
      scf::YieldOp::create(builder, ValueRange(values));
    llvm::copy(loop.getResults(), values.begin());
  }

  /// Columns [lower, upper) in tiles of `tile` columns.
  void emitTiles(int64_t lower, int64_t upper, int64_t tile) {
    emitLoop(lower, upper, tile, {}, [&](Value first) {
      Value begin = multiply(first, rowBlocks);
      SmallVector<Value> sums;
      for (int64_t i = 0; i < tile * rowBlocks; ++i)
        sums.push_back(c.load(builder, add(begin, i)));
      emitLoop(0, depth / width, 1, sums,
               [&](Value block) { emitBlock(block, width, first, tile, sums); });
      if (depth % width != 0)
        emitBlock(constant(depth / width), depth % width, first, tile, sums);
      for (auto [i, sum] : llvm::enumerate(sums))
        c.store(builder, sum, add(begin, i));
    });
  }

  /// Adds what the first `lanes` rows of a block of B contribute to a tile.
  void emitBlock(Value block, int64_t lanes, Value first, int64_t tile,
                 MutableArrayRef<Value> sums) {
    Value begin = arith::AddIOp::create(builder, multiply(block, columns), first);
    SmallVector<Value> elements;
    for (int64_t i = 0; i < tile; ++i)
      elements.push_back(b.load(builder, add(begin, i)));
    int64_t unroll = kStepsOfIteration / int64_t(sums.size());
    unroll = std::clamp<int64_t>(unroll, 1, lanes);
    while (lanes % unroll != 0)
      --unroll;
    Value row = multiply(block, width);
    emitLoop(0, lanes, unroll, sums, [&](Value lane) {
      for (int64_t i = 0; i < unroll; ++i)
        emitStep(row, add(lane, i), elements, sums);
    });
  }

  /// Adds the products with one row of B.
  void emitStep(Value row, Value lane, ArrayRef<Value> elements,
                MutableArrayRef<Value> sums) {
    ScalarBuilder scalars(builder, /*contract=*/true);
    Value begin = multiply(arith::AddIOp::create(builder, row, lane), rowBlocks);
    SmallVector<Value> rows;
    for (int64_t i = 0; i < rowBlocks; ++i)
      rows.push_back(a.load(builder, add(begin, i)));
    auto *sum = sums.begin();
    for (Value element : elements) {
      Value all = exchange.getElement(element, lane);
      for (Value x : rows) {
        *sum = scalars.add(*sum, scalars.mul(x, all));
        ++sum;
      }
    }
  }

  ImplicitLocOpBuilder &builder;
  const CoopMatrixProduct &product;
  OperandExchange &exchange;
  Type type;
  /// Row blocks and columns of a work-item; rows of a block of B as it is arranged.
  int64_t rowBlocks, columns, depth, width;
  PrivateArray a, b, c;
};

} // namespace

/// Writes out the whole product.
static void emitSmallProduct(ImplicitLocOpBuilder &builder,
                             const CoopMatrixProduct &product,
                             OperandExchange &exchange, ValueRange rows, ValueRange b,
                             MutableArrayRef<Value> sums) {
  ScalarBuilder scalars(builder, /*contract=*/true);
  const CoopMatrixLayout &c = product.c;
  SmallVector<Value> arranged;
  if (!exchange.isDirect())
    arranged = exchange.arrangeColumns(b);
  for (int64_t k = 0; k < product.getDepth(); ++k) {
    for (int64_t step = 0; step < c.steps; ++step) {
      Value element =
          exchange.isDirect()
              ? exchange.getElement(b, k, step)
              : exchange.getElement(arranged[k / c.blockRows * c.steps + step],
                                    k % c.blockRows);
      for (int64_t block = 0; block < c.rowBlocks; ++block) {
        Value &sum = sums[c.getPosition(block, step)];
        sum = scalars.add(sum, scalars.mul(rows[k * c.rowBlocks + block], element));
      }
    }
  }
}

/// A large product whose C has several columns side by side: in loops, broadcasts are
/// cheaper than shuffles, so each work-item computes all columns of its row.
static void emitWideProduct(ImplicitLocOpBuilder &builder,
                            const CoopMatrixProduct &product, OperandExchange &exchange,
                            ValueRange rows, ValueRange b,
                            MutableArrayRef<Value> sums) {
  CoopMatrixProduct wide = product;
  wide.c.blockRows = product.c.subgroupSize;
  wide.c.sideBySide = 1;
  wide.c.steps = product.c.type.getColumns();
  SmallVector<Value> wideSums = exchange.gatherColumns(sums);
  OperandExchange wideExchange(builder, wide);
  LoopedProduct(builder, wide, wideExchange, sums.front().getType())
      .emit(rows, wideExchange.arrangeColumns(b), wideSums);
  exchange.chooseColumns(wideSums, sums);
}

void tinytc::emitProduct(ImplicitLocOpBuilder &builder,
                         const CoopMatrixProduct &product, ValueRange a, ValueRange b,
                         MutableArrayRef<Value> sums) {
  OperandExchange exchange(builder, product);
  SmallVector<Value> rows = exchange.gatherRows(a);
  // Elements of B go to as many columns, however many of them lie side by side.
  int64_t steps =
      product.c.rowBlocks * product.c.type.getColumns() * product.getDepth();
  if (steps <= kMaxWrittenOut)
    return emitSmallProduct(builder, product, exchange, rows, b, sums);
  if (product.c.sideBySide != 1)
    return emitWideProduct(builder, product, exchange, rows, b, sums);
  LoopedProduct(builder, product, exchange, sums.front().getType())
      .emit(rows, exchange.arrangeColumns(b), sums);
}
