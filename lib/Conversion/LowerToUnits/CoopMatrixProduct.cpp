//===- CoopMatrixProduct.cpp - Products of coopmatrices -------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// A work-item has the rows of A that it has of C, and gets the elements of B from
// others: from one that is the same for all where C has the rows of a whole subgroup,
// else from one for each block of lanes that holds a column of C.
//
// Small products are written out. The components of large ones are put into arrays in
// private memory, which loops can index: over tiles of columns, whose sums are in
// registers, and over the summed mode. The elements are summed up in the same order.
// In kernels of many instructions, each leaves its result in such an array, where the
// next one finds it.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/LowerToUnits/CoopMatrixProduct.h"
#include "dialect/DiscardableAttrs.h"
#include "lib/Builders/Indices.h"
#include "lib/Builders/PrivateArray.h"
#include "lib/Builders/ScalarBuilder.h"
#include "lib/Builders/SubgroupBuilder.h"
#include "lib/Conversion/LowerToUnits/CoopMatrixLane.h"
#include "lib/Conversion/LowerToUnits/CoopMatrixLoop.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Registers for the sums of a tile of columns: half of those of AVX-512.
static constexpr int64_t kTileRegisters = 16;
static constexpr int64_t kRegisterBytes = 64;
/// Multiply-adds in one iteration of the innermost loop, and in a large kernel.
static constexpr int64_t kStepsOfIteration = 64, kStepsOfLargeKernel = 32;

namespace {

/// Moves components of A and B to the work-items that multiply them.
class OperandExchange {
public:
  /// Exchanges are loops if `isInLoops`.
  OperandExchange(ImplicitLocOpBuilder &builder, const CoopMatrixProduct &product,
                  bool isInLoops)
      : builder(builder), product(product), isInLoops(isInLoops),
        lane(builder, product.c) {
    Type i32 = builder.getI32Type();
    row = arith::IndexCastOp::create(builder, i32, lane.getRowInBlock());
    beside = arith::IndexCastOp::create(builder, i32, lane.getFirstColumn());
  }

  /// All components of the rows of A that the work-item has of C: that of a block and
  /// column k at k * row blocks + block.
  SmallVector<Value> gatherRows(ValueRange a) {
    if (isInLoops && product.a.sideBySide != 1)
      return gatherInLoop(product.a, a, product.getDepth());
    SmallVector<Value> rows;
    for (int64_t k = 0; k < product.getDepth(); ++k)
      for (int64_t block = 0; block < product.c.rowBlocks; ++block)
        rows.push_back(getRowComponent(a, block, k));
    return rows;
  }

  /// All components of the row that the work-item has of C, which is one of few rows.
  SmallVector<Value> gatherColumns(ValueRange c) {
    const CoopMatrixLayout &layout = product.c;
    if (isInLoops)
      return gatherInLoop(layout, c, layout.type.getColumns());
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
    if (isInLoops && int64_t(columns.size()) % count == 0)
      return chooseInLoop(columns, c);
    for (int64_t column = 0; column < int64_t(columns.size()); ++column) {
      Value &component = c[column / count];
      if (column % count == 0)
        component = {};
      component = chooseColumn(columns[column], column % count, component);
    }
  }

  /// B as it would be if it had as many rows in a block as C: the component of a block
  /// and a step at block * steps + step.
  SmallVector<Value> arrangeColumns(ValueRange b) {
    int64_t rows = product.c.blockRows;
    if (isInLoops && product.b.blockRows != rows && isDirect())
      return arrangeInLoop(b);
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
  /// Elements of the work-item's row in the first `count` columns of a matrix of one
  /// block of rows, whose columns are side by side.
  SmallVector<Value> gatherInLoop(const CoopMatrixLayout &layout, ValueRange components,
                                  int64_t count) {
    IndexedComponents entries(builder, layout, components);
    return emitArrayLoop(
        builder, count, components.front().getType(), [&](Value column) {
          return createShuffle(
              builder, entries.load(builder, divide(column, layout.sideBySide)),
              add(row, getFirstLane(column, layout)), layout.subgroupSize);
        });
  }

  /// `chooseColumns` in a loop over the components of C.
  void chooseInLoop(ValueRange columns, MutableArrayRef<Value> c) {
    PrivateArray array = PrivateArray::findOrStore(builder, llvm::to_vector(columns));
    int64_t count = product.c.sideBySide;
    llvm::copy(emitArrayLoop(builder, int64_t(c.size()), c.front().getType(),
                             [&](Value step) {
                               Value first = multiply(step, count), component;
                               for (int64_t i = 0; i < count; ++i)
                                 component = chooseColumn(
                                     array.load(builder, addIndex(first, i)), i,
                                     component);
                               return component;
                             }),
               c.begin());
  }

  /// `arrangeColumns` in a loop over the steps of B, which has few rows.
  SmallVector<Value> arrangeInLoop(ValueRange b) {
    const CoopMatrixLayout &layout = product.b;
    IndexedComponents entries(builder, layout, b);
    Value source =
        add(remainder(row, layout.blockRows), multiply(beside, layout.blockRows));
    return emitArrayLoop(
        builder, product.c.steps, b.front().getType(), [&](Value step) {
          Value column = multiply(step, product.c.sideBySide);
          return createShuffle(
              builder, entries.load(builder, divide(column, layout.sideBySide)),
              add(source, getFirstLane(column, layout)), layout.subgroupSize);
        });
  }

  /// The first of the lanes that hold a column.
  Value getFirstLane(Value column, const CoopMatrixLayout &layout) {
    Value first = multiply(remainder(column, layout.sideBySide), layout.blockRows);
    return arith::IndexCastOp::create(builder, builder.getI32Type(), first);
  }

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

  /// The column of the work-item if that is number `i` of those side by side.
  Value chooseColumn(Value column, int64_t i, Value others) {
    if (!others)
      return column;
    Value isColumn = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, beside,
                                           createI32(builder, i));
    return arith::SelectOp::create(builder, isColumn, column, others);
  }

  Value toLane(int64_t source) { return createI32(builder, source); }
  Value toLane(Value source) { return source; }
  Value add(Value a, int64_t b) { return b == 0 ? a : add(a, createI32(builder, b)); }
  Value add(Value a, Value b) { return arith::AddIOp::create(builder, a, b); }
  Value multiply(Value a, int64_t b) {
    return arith::MulIOp::create(builder, a, constant(a, b));
  }
  Value divide(Value a, int64_t b) {
    return arith::DivUIOp::create(builder, a, constant(a, b));
  }
  Value remainder(Value a, int64_t b) {
    return arith::RemUIOp::create(builder, a, constant(a, b));
  }
  Value addIndex(Value a, int64_t b) {
    return arith::AddIOp::create(builder, a, constant(a, b));
  }
  /// A constant of the type of `like`.
  Value constant(Value like, int64_t value) {
    return like.getType().isIndex() ? createIndex(builder, value)
                                    : createI32(builder, value);
  }

  ImplicitLocOpBuilder &builder;
  const CoopMatrixProduct &product;
  bool isInLoops;
  CoopMatrixLane lane;
  /// Of the work-item: row in a block of C, column among those side by side.
  Value row, beside;
};

/// Components in an array: that of a row block and a step at
/// block * blockStride + step * stepStride.
struct ComponentArray {
  PrivateArray array;
  int64_t blockStride, stepStride;
};

/// Emits a large product in loops.
class LoopedProduct {
public:
  LoopedProduct(ImplicitLocOpBuilder &builder, const CoopMatrixProduct &product,
                OperandExchange &exchange, Type type, bool keepsArrays)
      : builder(builder), product(product), exchange(exchange), type(type),
        keepsArrays(keepsArrays), rowBlocks(product.c.rowBlocks),
        columns(product.c.steps), depth(product.getDepth()),
        width(product.c.blockRows) {}

  /// Takes what `exchange` makes of A and B.
  void emit(ValueRange rows, ValueRange arranged, MutableArrayRef<Value> sums) {
    // Elements of B of a tile of columns are neighbours, and the blocks of a row of A.
    a = takeSteps(llvm::to_vector(rows), depth);
    b = PrivateArray::findOrStore(builder, llvm::to_vector(arranged));
    SmallVector<Value> c;
    for (int64_t column = 0; column < columns; ++column)
      for (int64_t block = 0; block < rowBlocks; ++block)
        c.push_back(sums[product.c.getPosition(block, column)]);
    if (keepsArrays && llvm::all_equal(c))
      initial = c.front();
    else
      source = takeSteps(c, columns);
    if (keepsArrays)
      dest = {PrivateArray(builder, type, rowBlocks * columns), columns, 1};
    else
      dest = source;

    int64_t registers =
        rowBlocks *
        llvm::divideCeil(getSizeBytes(type) * product.c.subgroupSize, kRegisterBytes);
    int64_t tile = std::clamp<int64_t>(kTileRegisters / registers, 1, columns);
    emitTiles(0, columns / tile * tile, tile);
    emitTiles(columns / tile * tile, columns, columns % tile);

    for (int64_t block = 0; block < rowBlocks; ++block)
      for (int64_t column = 0; column < columns; ++column)
        sums[product.c.getPosition(block, column)] = dest->array.load(
            builder, constant(column * dest->stepStride + block * dest->blockStride));
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

  /// The components in the order of steps, in the array that loops left if there is
  /// one.
  ComponentArray takeSteps(ArrayRef<Value> components, int64_t steps) {
    SmallVector<Value> entries;
    for (int64_t block = 0; keepsArrays && block < rowBlocks; ++block)
      for (int64_t step = 0; step < steps; ++step)
        entries.push_back(components[step * rowBlocks + block]);
    if (keepsArrays)
      if (std::optional<PrivateArray> array = PrivateArray::find(entries))
        return {*array, steps, 1};
    return {PrivateArray::findOrStore(builder, components), 1, rowBlocks};
  }

  /// The place of component `i` of the steps from `first` on, block by block.
  Value getPlace(const ComponentArray &array, Value begin, int64_t i) {
    return add(begin,
               i % rowBlocks * array.blockStride + i / rowBlocks * array.stepStride);
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
      SmallVector<Value> sums(tile * rowBlocks, initial);
      if (source) {
        Value begin = multiply(first, source->stepStride);
        for (auto [i, sum] : llvm::enumerate(sums))
          sum = source->array.load(builder, getPlace(*source, begin, int64_t(i)));
      }
      emitLoop(0, depth / width, 1, sums,
               [&](Value block) { emitBlock(block, width, first, tile, sums); });
      if (depth % width != 0)
        emitBlock(constant(depth / width), depth % width, first, tile, sums);
      Value begin = multiply(first, dest->stepStride);
      for (auto [i, sum] : llvm::enumerate(sums))
        dest->array.store(builder, sum, getPlace(*dest, begin, int64_t(i)));
    });
  }

  /// Adds what the first `lanes` rows of a block of B contribute to a tile.
  void emitBlock(Value block, int64_t lanes, Value first, int64_t tile,
                 MutableArrayRef<Value> sums) {
    Value begin = arith::AddIOp::create(builder, multiply(block, columns), first);
    SmallVector<Value> elements;
    for (int64_t i = 0; i < tile; ++i)
      elements.push_back(b->load(builder, add(begin, i)));
    int64_t unroll =
        (keepsArrays ? kStepsOfLargeKernel : kStepsOfIteration) / int64_t(sums.size());
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
    Value begin = multiply(arith::AddIOp::create(builder, row, lane), a->stepStride);
    SmallVector<Value> rows;
    for (int64_t i = 0; i < rowBlocks; ++i)
      rows.push_back(a->array.load(builder, getPlace(*a, begin, i)));
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
  /// Whether operands may come from arrays, and results are in one for themselves.
  bool keepsArrays;
  /// Row blocks and columns of a work-item; rows of a block of B as it is arranged.
  int64_t rowBlocks, columns, depth, width;
  std::optional<ComponentArray> a, source, dest;
  std::optional<PrivateArray> b;
  /// All components of C, if they are the same.
  Value initial;
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
                            ValueRange rows, ValueRange b, MutableArrayRef<Value> sums,
                            bool keepsArrays) {
  CoopMatrixProduct wide = product;
  wide.c.blockRows = product.c.subgroupSize;
  wide.c.sideBySide = 1;
  wide.c.steps = product.c.type.getColumns();
  SmallVector<Value> wideSums = exchange.gatherColumns(sums);
  OperandExchange wideExchange(builder, wide, keepsArrays);
  LoopedProduct(builder, wide, wideExchange, sums.front().getType(), keepsArrays)
      .emit(rows, wideExchange.arrangeColumns(b), wideSums);
  exchange.chooseColumns(wideSums, sums);
}

void tinytc::emitProduct(ImplicitLocOpBuilder &builder,
                         const CoopMatrixProduct &product, ValueRange a, ValueRange b,
                         MutableArrayRef<Value> sums, const CoopMatrixLimits &limits) {
  // Elements of B go to as many columns, however many of them lie side by side.
  int64_t steps =
      product.c.rowBlocks * product.c.type.getColumns() * product.getDepth();
  bool isSmall = steps <= limits.multiplyAdds;
  OperandExchange exchange(builder, product, limits.keepsArrays && !isSmall);
  SmallVector<Value> rows = exchange.gatherRows(a);
  if (isSmall)
    return emitSmallProduct(builder, product, exchange, rows, b, sums);
  if (product.c.sideBySide != 1)
    return emitWideProduct(builder, product, exchange, rows, b, sums,
                           limits.keepsArrays);
  LoopedProduct(builder, product, exchange, sums.front().getType(), limits.keepsArrays)
      .emit(rows, exchange.arrangeColumns(b), sums);
}
