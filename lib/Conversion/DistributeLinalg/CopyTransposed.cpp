//===- CopyTransposed.cpp - Copies from lines to columns, by one work-item -===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Drivers of CPUs keep the vectors of a single work-item in registers. A block of lines
// becomes one of columns by shuffles that move the i-th bit of an element's place from
// the line to the number of the line, and vice versa, one bit after the other.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Elementwise.h"
#include "lib/Builders/Indices.h"
#include "lib/Conversion/DistributeLinalg/DistributeLinalg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Adjacent elements of a matrix: `size` from `first` on, in its line `line`.
static Value createLine(ImplicitLocOpBuilder &builder, Value matrix, Value first,
                        Value line, int64_t size) {
  const OpFoldResult unit = builder.getIndexAttr(1);
  const OpFoldResult offsets[] = {first, line};
  const OpFoldResult sizes[] = {builder.getIndexAttr(size), unit};
  const OpFoldResult strides[] = {unit, unit};
  MemRefType type = memref::SubViewOp::inferRankReducedResultType(
      size, cast<MemRefType>(matrix.getType()), offsets, sizes, strides);
  return memref::SubViewOp::create(builder, type, matrix, offsets, sizes, strides);
}

static void transpose(ImplicitLocOpBuilder &builder, MutableArrayRef<Value> lines) {
  int64_t size = lines.size();
  for (int64_t bit = 1; bit < size; bit *= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t place = 0; place < size; ++place) {
      low.push_back(place & bit ? size + place - bit : place);
      high.push_back(place & bit ? size + place : place + bit);
    }
    for (int64_t i = 0; i < size; ++i) {
      if (i & bit)
        continue;
      Value first = lines[i], second = lines[i + bit];
      lines[i] = vector::ShuffleOp::create(builder, first, second, low);
      lines[i + bit] = vector::ShuffleOp::create(builder, first, second, high);
    }
  }
}

/// Copies squares of `size` elements along each mode to the part [lower, upper) of the
/// destination. A square at the end overlaps the one before it.
static void copySquares(ImplicitLocOpBuilder &builder, const WorkGroup &group,
                        linalg::GenericOp op, int64_t size, ArrayRef<int64_t> lower,
                        ArrayRef<int64_t> upper) {
  OpBuilder::InsertionGuard guard(builder);
  auto enter = [&](unsigned mode) {
    return enterBlocks(builder, group, lower[mode], builder.getIndexAttr(upper[mode]),
                       size);
  };
  Value row = enter(0), column = enter(1);
  Value source = op.getDpsInputs().front(), destination = op.getDpsInits().front();
  auto type = VectorType::get(size, getElementTypeOrSelf(source));
  Value zero = createIndex(builder, 0);
  auto at = [&](Value base, int64_t i) {
    return createIndexAdd(builder, base, builder.getIndexAttr(i));
  };
  SmallVector<Value> lines;
  for (int64_t i = 0; i < size; ++i)
    lines.push_back(vector::LoadOp::create(
        builder, type, createLine(builder, source, column, at(row, i), size), zero));
  transpose(builder, lines);
  for (int64_t i = 0; i < size; ++i)
    vector::StoreOp::create(builder, lines[i],
                            createLine(builder, destination, row, at(column, i), size),
                            zero);
}

void tinytc::copyTransposed(ImplicitLocOpBuilder &builder, const WorkGroup &group,
                            linalg::GenericOp op) {
  // The sizes of the destination need not be known.
  auto source = cast<MemRefType>(op.getDpsInputs().front().getType());
  int64_t rows = source.getDimSize(1), columns = source.getDimSize(0);
  const int64_t shape[] = {rows, columns};
  int64_t size = std::min<int64_t>(group.getSubgroupSize(),
                                   llvm::bit_floor<uint64_t>(std::min(rows, columns)));
  Value lane = gpu::LaneIdOp::create(builder, /*upper_bound=*/nullptr);
  Value isFirst = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, lane,
                                        createIndex(builder, 0));
  auto ifOp = scf::IfOp::create(builder, isFirst, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(ifOp.thenBlock());
  int64_t wholeRows = rows - rows % size, wholeColumns = columns - columns % size;
  copySquares(builder, group, op, size, {0, 0}, {wholeRows, wholeColumns});
  // The rest is less than a square wide and is copied in smaller ones.
  auto getSize = [](int64_t extent) {
    return std::max<int64_t>(llvm::PowerOf2Ceil(extent), kMinTransposedSquare);
  };
  if (wholeRows < rows)
    copySquares(builder, group, op, getSize(rows - wholeRows), {wholeRows, 0}, shape);
  if (wholeColumns < columns)
    copySquares(builder, group, op, getSize(columns - wholeColumns), {0, wholeColumns},
                {wholeRows, columns});
}
