//===- MatrixUnit.cpp - Products on the matrix unit -----------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/LowerToUnits/MatrixUnit.h"

using namespace mlir;
using namespace mlir::tinytc;

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
        auto result = SubgroupMatrixMulAddOp::create(builder, unitA, unitB, unitC);
        for (int64_t i = 0; i < count; ++i)
          sums[product.c.getPosition(block, first + i)] = result.getResult(i);
      }
    }
    first += count;
  }
}
