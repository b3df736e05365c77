//===- CoopMatrixBlocks.cpp - Coopmatrices that are read by blocks ----------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/LowerToUnits/CoopMatrixBlocks.h"
#include "dialect/Scalars.h"
#include "lib/Analysis/Divisibility.h"
#include "lib/Analysis/MatrixUnit.h"
#include "lib/Builders/Indices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Bytes of the units that a block load transposes.
static constexpr int64_t kTransposedUnitBytes = 4;

/// The columns of a block whose elements are in the order of the layout. Of plain f32
/// there is none, and work-items have neighbouring rows of i8 if it has 16 columns.
static int64_t countColumns(const CoopMatrixLayout &layout, bool transposed) {
  Type type = layout.type.getElementType();
  if (!isHalf(type) && !type.isInteger(8) && !type.isF32())
    return 0;
  if (!transposed && type.isF32())
    return 0;
  // A row of A for one operation, as that takes it.
  int64_t depth = getMatrixUnitDepth(type);
  bool isByColumn = !transposed && !type.isInteger(8);
  return isByColumn && layout.type.getUse() != MatrixUse::A ? kMaxUnitColumns : depth;
}

CoopMatrixBlocks::CoopMatrixBlocks(ImplicitLocOpBuilder &builder,
                                   const CoopMatrixLayout &layout, Value memref,
                                   bool transposed, bool hasPairs)
    : builder(builder), layout(layout), matrix(builder, memref, transposed),
      hasPairs(hasPairs), columns(countColumns(layout, transposed)) {
  if (hasPairs && !transposed)
    columns = kMaxUnitColumns;
}

bool CoopMatrixBlocks::exist(Value x, Value y) const {
  // Only the matrix is read, nothing around it.
  if (columns == 0 || layout.sideBySide != 1 ||
      layout.type.getRows() % layout.blockRows != 0 ||
      layout.type.getColumns() % columns != 0 || !matrix.mayReadBlocks())
    return false;
  // Plain blocks of pairs begin with a whole one.
  if (hasPairs && !matrix.isTransposed() && getDivisor(x) % 2 != 0)
    return false;
  int64_t bytes = getSizeBytes(layout.type.getElementType());
  return !matrix.isTransposed() || getDivisor(x) * bytes % kTransposedUnitBytes == 0;
}

SmallVector<Value> CoopMatrixBlocks::load(Value x, Value y, bool mayBeFar) {
  if (mayBeFar) {
    // Farther than any end.
    Value far = createIndex(builder, 1 << 30), near = createIndex(builder, -(1 << 30));
    for (Value *index : {&x, &y}) {
      *index = arith::MinSIOp::create(builder, *index, far);
      *index = arith::MaxSIOp::create(builder, *index, near);
    }
  }
  Value row = matrix.isTransposed() ? y : x, column = matrix.isTransposed() ? x : y;
  auto add = [&](Value index, int64_t i) {
    return createIndexAdd(builder, index, builder.getIndexAttr(i));
  };
  SmallVector<Value> components(layout.getNumComponents());
  int64_t together = hasPairs ? 2 : 1;
  bool isEven = getDivisor(row) % 2 == 0;
  for (int64_t block = 0; block < layout.rowBlocks; block += together)
    for (int64_t first = 0; first < layout.steps; first += columns) {
      Value begin = add(row, block * layout.blockRows), beside = add(column, first);
      SmallVector<Value> loaded =
          hasPairs ? matrix.loadPairs(builder, begin, beside, columns, isEven)
                   : matrix.loadBlock(builder, begin, beside, columns);
      for (auto [i, element] : llvm::enumerate(loaded))
        components[layout.getPosition(block + i % together, first + i / together)] =
            element;
    }
  return components;
}
