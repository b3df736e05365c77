//===- MatrixUnit.cpp - Products on the matrix unit -----------------------===//

#include "lib/Conversion/TinyTCToLinalg/MatrixUnit.h"

using namespace mlir;
using namespace mlir::tinytc;

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

/// Columns of a tile for a matrix of few columns: one more operation of the unit for
/// the last ones, of 1, 2, 4 or all columns.
static int64_t roundColumns(int64_t count) {
  int64_t rest = count % kMaxUnitColumns;
  return llvm::isPowerOf2_64(rest) ? count : llvm::alignTo(count, kMaxUnitColumns);
}

MatrixUnitTile tinytc::chooseMatrixUnitTile(const Machine &machine, Type type,
                                            std::optional<int64_t> numRows,
                                            std::optional<int64_t> numColumns,
                                            int64_t numSubgroups, bool byBlocks,
                                            ScheduleAttr schedule) {
  int64_t lanes = machine.matrixUnitLanes;
  MatrixUnitTile tile = {numRows && *numRows <= lanes ? 1 : kTileBlocks,
                         machine.matrixUnitColumns};
  // Numbers that are read one by one take a register each until they are packed.
  if (!byBlocks)
    tile.columns = std::min(tile.columns, 2 * kMaxUnitColumns);
  if (!byBlocks && getSizeBytes(type) == 1) {
    tile.rowBlocks = 1;
    tile.columns = std::min(tile.columns, lanes);
  }
  if (numColumns)
    tile.columns = std::min(tile.columns, roundColumns(*numColumns));
  // As many tiles as subgroups.
  auto count = [&]() -> int64_t {
    return llvm::divideCeil(*numRows, tile.rowBlocks * lanes) *
           llvm::divideCeil(*numColumns, tile.columns);
  };
  while (numRows && numColumns && tile.columns % (2 * kMaxUnitColumns) == 0 &&
         2 * count() <= numSubgroups)
    tile.columns /= 2;
  if (schedule && schedule.getRows() != 0)
    tile.rowBlocks = schedule.getRows();
  if (schedule && schedule.getColumns() != 0)
    tile.columns = schedule.getColumns();
  return tile;
}
