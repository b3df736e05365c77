//===- MatrixUnitGemm.cpp - Products of matrices on the matrix unit -------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// A subgroup computes tiles of C, whose sums stay in registers. It reads A and B by
// blocks where their addresses allow, which is only known at run time, else each
// work-item reads its own elements. What a tile has beyond the end of the matrices is
// read from the last row or column and never written.
//
//===----------------------------------------------------------------------===//

#include "dialect/DiscardableAttrs.h"
#include "lib/Analysis/MatrixUnit.h"
#include "lib/Builders/Indices.h"
#include "lib/Builders/ScalarBuilder.h"
#include "lib/Builders/SplitF32.h"
#include "lib/Conversion/LowerToUnits/BlockedOperand.h"
#include "lib/Conversion/LowerToUnits/CoopMatrixLane.h"
#include "lib/Conversion/LowerToUnits/MatrixUnitTiles.h"
#include "lib/Conversion/LowerToUnits/Patterns.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// C := alpha op(A) op(B) + beta C in tiles.
class MatrixUnitGemm : MatrixUnitTiles {
public:
  MatrixUnitGemm(ImplicitLocOpBuilder &builder, BlockedOperand a, BlockedOperand b,
                 const Update &update, const Machine &machine, int64_t numSubgroups,
                 const Strategy &strategy)
      : MatrixUnitTiles(builder, a, b, update, machine, numSubgroups), a(std::move(a)),
        b(std::move(b)), machine(machine), strategy(strategy) {}

  void emit() {
    // Of f32, no message reads rows of A that lanes take, nor columns of B transposed.
    readsBlocksOfA = !type.isF32() || a.isTransposed();
    bool readsBlocks = machine.unit.readsBlocks && b.mayReadBlocks() &&
                       (!readsBlocksOfA || a.mayReadBlocks()) &&
                       !(type.isF32() && b.isTransposed());
    // Transposed blocks begin at pieces of 32 bits.
    readsBlocks &=
        !b.isTransposed() || strategy.columns % (4 / getSizeBytes(type)) == 0;
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
  void emitTiles(bool byBlocks) {
    int64_t tileRows = byBlocks ? strategy.rows : strategy.elementRows;
    tile = {tileRows / lanes, byBlocks ? strategy.columns : strategy.elementColumns};
    ProductTiles::emitTiles(
        tile.rowBlocks * lanes, tile.columns,
        [&](Value row, Value column) { emitTile(row, column, byBlocks); });
  }

  void emitTile(Value row, Value column, bool byBlocks) {
    SmallVector<Value> sums = createSums();
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
    store(row, column, tile.rowBlocks * lanes, tile.columns, sums);
  }

  /// The entry of the summed mode, within bounds.
  Bounded getStep(Value index, bool isTail) {
    return isTail ? clamp(index, summed) : Bounded{index, {}};
  }

  /// The entries of A for one step, each of which a work-item reads.
  SmallVector<Value> loadA(Value row, Value k, bool isTail) {
    CoopMatrixLayout layout = getProduct().a;
    SmallVector<Value> entries(layout.getNumComponents()), lines;
    for (int64_t block = 0; block < tile.rowBlocks; ++block) {
      Value index = arith::AddIOp::create(builder, add(row, block * lanes), lane);
      lines.push_back(clampIfNeeded(index, rows, tile.rowBlocks * lanes));
    }
    for (int64_t i = 0; i < depth; ++i) {
      Bounded index = getStep(add(k, i), isTail);
      for (int64_t block = 0; block < tile.rowBlocks; ++block)
        entries[layout.getPosition(block, i)] =
            mask(a.load(builder, lines[block], index.index), index.isInside);
    }
    return entries;
  }

  /// The same for B; of f32, a work-item takes a half of each.
  SmallVector<Value> loadB(Value column, Value k, bool isTail) {
    CoopMatrixLayout layout = getProduct().b;
    bool hasHalves = type.isF32();
    SmallVector<Value> entries(hasHalves ? tile.columns : layout.getNumComponents());
    Value first = lane;
    if (hasHalves)
      first = arith::DivUIOp::create(builder, lane, createIndex(builder, 2));
    for (int64_t block = 0; block < layout.rowBlocks; ++block) {
      Value row = arith::AddIOp::create(builder, add(k, block * lanes), first);
      Bounded index = getStep(row, isTail);
      for (int64_t i = 0; i < tile.columns; ++i) {
        Value place = clampIfNeeded(add(column, i), columns, tile.columns);
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
  int64_t countNeighbours() const { return getProduct().b.rowBlocks; }

  /// One block for each block of rows.
  SmallVector<Value> loadBlocksOfA(Value row, Value k) {
    int64_t neighbours = countNeighbours(), apart = depth / neighbours;
    SmallVector<Value> entries;
    for (int64_t block = 0; block < tile.rowBlocks; ++block) {
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
    for (int64_t i = 0; i < tile.columns; i += width) {
      Value first = add(column, i);
      SmallVector<Value> loaded =
          neighbours == 1 ? b.loadBlock(builder, k, first, width)
                          : b.loadPairs(builder, k, first, width, /*isEven=*/true);
      for (auto [number, entry] : llvm::enumerate(loaded)) {
        int64_t step = i + number / neighbours;
        if (step < tile.columns)
          entries[layout.getPosition(number % neighbours, step)] = entry;
      }
    }
    return entries;
  }

  /// One block of B of f32 for as many columns as an operation takes.
  SmallVector<Value> loadHalves(Value column, Value k) {
    SmallVector<Value> entries;
    for (int64_t i = 0; i < tile.columns; i += kMaxUnitColumns)
      llvm::append_range(entries,
                         b.loadBlock(builder, k, add(column, i), kMaxUnitColumns));
    entries.resize(tile.columns);
    return entries;
  }

  BlockedOperand a, b;
  const Machine &machine;
  Strategy strategy;
  /// Whether a step by blocks also has blocks of A.
  bool readsBlocksOfA = true;
};

struct GemmPattern final : OpConversionPattern<GemmOp> {
  GemmPattern(const LinalgTypeConverter &converter, MLIRContext *context,
              const Machine &machine, int64_t numSubgroups)
      : OpConversionPattern(converter, context, /*benefit=*/2), machine(machine),
        numSubgroups(numSubgroups) {}

  LogicalResult matchAndRewrite(GemmOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!hasStrategy(op, {StrategyKind::MatrixUnit, StrategyKind::PackedFactors}))
      return rewriter.notifyMatchFailure(op, "expected a product for the matrix unit");
    Strategy strategy = *Strategy::find(op);
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Update update(op, adaptor, adaptor.getC());
    if (!llvm::is_contained(update.getType().getShape(), 0)) {
      BlockedOperand a(builder, adaptor.getA(), isTransposed(op.getTransposeA()));
      BlockedOperand b(builder, adaptor.getB(), isTransposed(op.getTransposeB()));
      if (strategy.kind == StrategyKind::PackedFactors)
        emitPackedGemm(builder, op, a, b, update, strategy, machine, numSubgroups);
      else
        MatrixUnitGemm(builder, std::move(a), std::move(b), update, machine,
                       numSubgroups, strategy)
            .emit();
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  const Machine &machine;
  int64_t numSubgroups;
};

} // namespace

void tinytc::populateMatrixUnitPatterns(const LinalgTypeConverter &converter,
                                        RewritePatternSet &patterns,
                                        const Machine &machine, int64_t numSubgroups) {
  patterns.add<GemmPattern>(converter, patterns.getContext(), machine, numSubgroups);
}
