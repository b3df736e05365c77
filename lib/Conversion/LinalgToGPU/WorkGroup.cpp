//===- WorkGroup.cpp - Work-items of a work-group in loops ----------------===//
//
// Loops whose bounds are the same for all work-items stay free of conditions where
// sizes are static: full blocks first, then the rest behind one condition.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/LinalgToGPU/WorkGroup.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;

static Value toValue(OpBuilder &builder, Location loc, OpFoldResult index) {
  return getValueOrCreateConstantIndexOp(builder, loc, index);
}

Value tinytc::createIndexAdd(OpBuilder &builder, Location loc, OpFoldResult a,
                             OpFoldResult b) {
  std::optional<int64_t> x = getConstantIntValue(a);
  std::optional<int64_t> y = getConstantIntValue(b);
  if (x && y)
    return arith::ConstantIndexOp::create(builder, loc, *x + *y);
  if (x == 0)
    return toValue(builder, loc, b);
  if (y == 0)
    return toValue(builder, loc, a);
  return arith::AddIOp::create(builder, loc, toValue(builder, loc, a),
                               toValue(builder, loc, b));
}

WorkGroup::WorkGroup(OpBuilder &builder, Location loc, ArrayRef<int32_t> groupSize,
                     int32_t subgroupSize)
    : size(groupSize.begin(), groupSize.end()), subgroupSize(subgroupSize) {
  const gpu::Dimension dims[] = {gpu::Dimension::x, gpu::Dimension::y};
  for (auto [extent, dim] : llvm::zip(size, dims))
    if (extent == 1)
      ids.push_back(arith::ConstantIndexOp::create(builder, loc, 0));
    else
      ids.push_back(gpu::ThreadIdOp::create(builder, loc, dim));
}

/// Emits `emit` for the base of each block of `step` indices in [lower, upper); upper
/// is a multiple of step away from lower.
static void emitBlocks(OpBuilder &builder, Location loc, int64_t lower, int64_t upper,
                       int64_t step, EmitBody emit) {
  if (upper - lower == step)
    return emit(builder, loc, arith::ConstantIndexOp::create(builder, loc, lower));
  if (upper <= lower)
    return;
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto loop = scf::ForOp::create(builder, loc, constant(lower), constant(upper),
                                 constant(step));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  emit(builder, loc, loop.getInductionVar());
}

/// Emits `emit` where `index` < `upper`.
static void emitIfBelow(OpBuilder &builder, Location loc, Value index,
                        OpFoldResult upper, function_ref<void()> emit) {
  Value condition =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, index,
                            toValue(builder, loc, upper));
  auto branch = scf::IfOp::create(builder, loc, condition);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emit();
}

void WorkGroup::distribute(OpBuilder &builder, Location loc, unsigned dim,
                           OpFoldResult lower, OpFoldResult upper, EmitBody emit) const {
  int64_t width = size[dim];
  std::optional<int64_t> begin = getConstantIntValue(lower);
  std::optional<int64_t> end = getConstantIntValue(upper);
  if (begin && end) {
    int64_t extent = std::max<int64_t>(*end - *begin, 0);
    int64_t rest = *begin + extent / width * width;
    emitBlocks(builder, loc, *begin, rest, width,
               [&](OpBuilder &b, Location l, Value base) {
                 emit(b, l, createIndexAdd(b, l, base, ids[dim]));
               });
    if (extent % width == 0)
      return;
    Value index = createIndexAdd(builder, loc, builder.getIndexAttr(rest), ids[dim]);
    return emitIfBelow(builder, loc, index, upper, [&] { emit(builder, loc, index); });
  }
  auto loop = scf::ForOp::create(builder, loc, toValue(builder, loc, lower),
                                 toValue(builder, loc, upper),
                                 arith::ConstantIndexOp::create(builder, loc, width));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  if (width == 1)
    return emit(builder, loc, loop.getInductionVar());
  Value index = createIndexAdd(builder, loc, loop.getInductionVar(), ids[dim]);
  emitIfBelow(builder, loc, index, upper, [&] { emit(builder, loc, index); });
}

/// The indices first, first + distance, ..., `count` of them.
static SmallVector<Value> getIndices(OpBuilder &builder, Location loc, Value first,
                                     int64_t count, int64_t distance) {
  SmallVector<Value> indices;
  for (int64_t i = 0; i < count; ++i)
    indices.push_back(
        createIndexAdd(builder, loc, first, builder.getIndexAttr(i * distance)));
  return indices;
}

void WorkGroup::distributeStrided(OpBuilder &builder, Location loc, unsigned dim,
                                  OpFoldResult upper, int64_t count,
                                  EmitTile emit) const {
  int64_t width = size[dim];
  auto emitTile = [&](OpBuilder &b, Location l, Value base, int64_t rows) {
    Value first = createIndexAdd(b, l, base, ids[dim]);
    emit(b, l, getIndices(b, l, first, rows, width));
  };
  std::optional<int64_t> extent = getConstantIntValue(upper);
  if (!extent) {
    // All of the tile, where it is inside for the last work-item, else one by one.
    auto loop = scf::ForOp::create(
        builder, loc, arith::ConstantIndexOp::create(builder, loc, 0),
        toValue(builder, loc, upper),
        arith::ConstantIndexOp::create(builder, loc, width * count));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value base = loop.getInductionVar();
    Value end = createIndexAdd(builder, loc, base, builder.getIndexAttr(width * count));
    Value isFull = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle, end,
                                         toValue(builder, loc, upper));
    auto branch = scf::IfOp::create(builder, loc, isFull, /*withElseRegion=*/true);
    builder.setInsertionPointToStart(branch.thenBlock());
    emitTile(builder, loc, base, count);
    builder.setInsertionPointToStart(branch.elseBlock());
    return distribute(builder, loc, dim, base, upper,
                      [&](OpBuilder &b, Location l, Value index) { emit(b, l, index); });
  }
  int64_t blocks = *extent / width;
  int64_t tiled = blocks / count * count;
  emitBlocks(
      builder, loc, 0, tiled * width, width * count,
      [&](OpBuilder &b, Location l, Value base) { emitTile(b, l, base, count); });
  if (blocks > tiled)
    emitTile(builder, loc, arith::ConstantIndexOp::create(builder, loc, tiled * width),
             blocks - tiled);
  if (*extent % width == 0)
    return;
  Value index =
      createIndexAdd(builder, loc, builder.getIndexAttr(blocks * width), ids[dim]);
  emitIfBelow(builder, loc, index, upper, [&] { emit(builder, loc, index); });
}

void WorkGroup::distributeAdjacent(OpBuilder &builder, Location loc, unsigned dim,
                                   OpFoldResult upper, int64_t count,
                                   EmitTile emit) const {
  // Tiles of `count` indices are dealt out to the work-items one after the other; the
  // rest is one smaller tile if its size is known, else single indices.
  auto emitTile = [&](OpBuilder &b, Location l, Value first, int64_t columns) {
    emit(b, l, getIndices(b, l, first, columns, 1));
  };
  auto scaled = [&](OpBuilder &b, Location l, Value tile) -> Value {
    if (count == 1)
      return tile;
    return arith::MulIOp::create(b, l, tile,
                                 arith::ConstantIndexOp::create(b, l, count));
  };
  if (std::optional<int64_t> extent = getConstantIntValue(upper)) {
    int64_t tiles = *extent / count;
    distribute(builder, loc, dim, builder.getIndexAttr(0), builder.getIndexAttr(tiles),
               [&](OpBuilder &b, Location l, Value tile) {
                 emitTile(b, l, scaled(b, l, tile), count);
               });
    int64_t rest = *extent % count;
    if (rest == 0)
      return;
    distribute(builder, loc, dim, builder.getIndexAttr(0), builder.getIndexAttr(1),
               [&](OpBuilder &b, Location l, Value) {
                 emitTile(b, l, arith::ConstantIndexOp::create(b, l, tiles * count),
                          rest);
               });
    return;
  }
  Value end = toValue(builder, loc, upper);
  Value size = arith::ConstantIndexOp::create(builder, loc, count);
  Value tiles = arith::DivUIOp::create(builder, loc, end, size);
  distribute(builder, loc, dim, builder.getIndexAttr(0), tiles,
             [&](OpBuilder &b, Location l, Value tile) {
               emitTile(b, l, scaled(b, l, tile), count);
             });
  if (count == 1)
    return;
  distribute(builder, loc, dim, scaled(builder, loc, tiles), end,
             [&](OpBuilder &b, Location l, Value index) { emit(b, l, index); });
}
