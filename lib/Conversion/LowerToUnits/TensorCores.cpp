//===- TensorCores.cpp - Products on the tensor cores of a warp -----------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// A warp computes a tile of the transpose of C, C' = op(B)' op(A)': neighbouring sums
// of a work-item are then neighbours in memory, where columns are contiguous.
// Work-items load the fragments that they multiply. Which rows, columns and steps of
// the summed mode an operation has is free as long as A, B and C agree, so those that a
// work-item loads lie side by side: they are one load where addresses are known to be
// aligned, and operands need neither shuffles nor local memory, transposed or not.
//
//===----------------------------------------------------------------------===//

#include "dialect/DiscardableAttrs.h"
#include "lib/Analysis/MatrixUnit.h"
#include "lib/Builders/Indices.h"
#include "lib/Builders/ScalarBuilder.h"
#include "lib/Conversion/LowerToUnits/Patterns.h"
#include "lib/Conversion/LowerToUnits/ProductTiles.h"
#include "lib/IR/WarpFragments.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

class TensorCoreGemm : ProductTiles {
public:
  TensorCoreGemm(ImplicitLocOpBuilder &builder, const ProductOperand &a,
                 const ProductOperand &b, const Update &update, int64_t numSubgroups,
                 const WarpTile &tile)
      : ProductTiles(builder, a, b, update, numSubgroups), a(a), b(b),
        fragments(*WarpFragments::get(a.getType().getElementType())), tile(tile) {}

  void emit() {
    Value lane = gpu::LaneIdOp::create(builder, /*upper_bound=*/nullptr);
    Value quad = createIndex(builder, WarpFragments::kQuad);
    group = arith::DivUIOp::create(builder, lane, quad);
    inQuad = arith::RemUIOp::create(builder, lane, quad);
    emitTiles(tile.getRows(), tile.getColumns(),
              [&](Value row, Value column) { emitTile(row, column); });
  }

private:
  /// Adjacent indices of one mode.
  using Run = SmallVector<Bounded>;

  /// first + index * scale
  Value createPlace(Value first, Value index, int64_t scale) {
    index = arith::MulIOp::create(builder, index, createIndex(builder, scale));
    return arith::AddIOp::create(builder, first, index);
  }

  /// Rows of C are columns of an operation: the first one that the work-item loads.
  Value getRow(Value first) { return createPlace(first, group, tile.rowBlocks); }
  /// The first row that it has of C, of the even or the odd ones.
  Value getSumRow(Value first, int64_t parity) {
    return add(createPlace(first, inQuad, 2 * tile.rowBlocks), parity * tile.rowBlocks);
  }
  /// The first column in a half.
  Value getColumn(Value first, int64_t half) {
    return add(createPlace(first, group, tile.columnBlocks),
               half * WarpFragments::kHalfRows * tile.columnBlocks);
  }

  /// `count` indices from `first` on, in a tile that may go beyond the end: as they
  /// are, if all or none of them do, else each of them.
  Run createRun(Value first, int64_t count, OpFoldResult size, bool mayEnd) {
    Run run;
    std::optional<int64_t> known = getConstantIntValue(size);
    if (!mayEnd || (known && *known % count == 0)) {
      Bounded begin{first, {}};
      if (mayEnd) {
        begin.isInside = createIsBelow(builder, first, size);
        begin.index = arith::SelectOp::create(builder, begin.isInside, first,
                                              createIndex(builder, *known - count));
      }
      for (int64_t i = 0; i < count; ++i)
        run.push_back({add(begin.index, i), begin.isInside});
      return run;
    }
    for (int64_t i = 0; i < count; ++i)
      run.push_back(clamp(add(first, i), size));
    return run;
  }

  void emitTile(Value row, Value column) {
    Value zero = ScalarBuilder(builder).constant(fragments.sumType, 0);
    SmallVector<Value> sums(
        tile.rowBlocks * tile.columnBlocks * WarpFragments::getNumC(), zero);
    Run ownRows =
        createRun(getRow(row), tile.rowBlocks, rows, mayOverhang(rows, tile.getRows()));
    SmallVector<Run, WarpFragments::kHalves> ownColumns;
    for (int64_t half = 0; half < WarpFragments::kHalves; ++half)
      ownColumns.push_back(createRun(getColumn(column, half), tile.columnBlocks,
                                     columns, mayOverhang(columns, tile.getColumns())));
    int64_t step = tile.steps * fragments.depth;
    Value end = toValue(builder, roundDown(builder, summed, step));
    auto emitAll = [&](Value lower, Value upper, bool isTail) {
      emitSteps(lower, upper, step, sums,
                [&](Value k) { emitStep(ownRows, ownColumns, k, isTail, sums); });
    };
    emitAll(createIndex(builder, 0), end, /*isTail=*/false);
    if (mayOverhang(summed, step))
      emitAll(end, toValue(builder, summed), /*isTail=*/true);
    store(row, column, sums);
  }

  /// A work-item has adjacent steps of the summed mode: the slots of one operation
  /// after the other.
  void emitStep(const Run &ownRows, ArrayRef<Run> ownColumns, Value k, bool isTail,
                MutableArrayRef<Value> sums) {
    int64_t slots = fragments.getNumSlots();
    Run steps = createRun(createPlace(k, inQuad, slots * tile.steps),
                          slots * tile.steps, summed, isTail);
    SmallVector<SmallVector<Value>> ofA;
    for (const Bounded &row : ownRows)
      ofA.push_back(llvm::map_to_vector(steps, [&](const Bounded &s) {
        return mask(a.load(builder, row.index, s.index), s.isInside);
      }));
    SmallVector<SmallVector<Value>> ofB;
    for (const Run &run : ownColumns)
      for (const Bounded &column : run)
        ofB.push_back(llvm::map_to_vector(steps, [&](const Bounded &s) {
          return mask(b.load(builder, s.index, column.index), s.isInside);
        }));
    for (int64_t first = 0; first < slots * tile.steps; first += slots)
      for (int64_t column = 0; column < tile.columnBlocks; ++column) {
        SmallVector<Value> unitA(fragments.getNumA());
        for (int64_t half = 0; half < WarpFragments::kHalves; ++half)
          for (int64_t slot = 0; slot < slots; ++slot)
            unitA[fragments.getEntryOfA(half, slot)] =
                ofB[half * tile.columnBlocks + column][first + slot];
        for (int64_t row = 0; row < tile.rowBlocks; ++row) {
          auto own = getSums(sums, row, column);
          auto unitB = ArrayRef(ofA[row]).slice(first, slots);
          auto product =
              WarpMatrixMulAddOp::create(builder, unitA, unitB, ValueRange(own));
          llvm::copy(product.getResults(), own.begin());
        }
      }
  }

  MutableArrayRef<Value> getSums(MutableArrayRef<Value> sums, int64_t row,
                                 int64_t column) const {
    int64_t count = WarpFragments::getNumC();
    return sums.slice((column * tile.rowBlocks + row) * count, count);
  }

  void store(Value row, Value column, MutableArrayRef<Value> sums) {
    for (int64_t half = 0; half < WarpFragments::kHalves; ++half)
      for (int64_t i = 0; i < tile.columnBlocks; ++i) {
        OpBuilder::InsertionGuard guard(builder);
        Value place = add(getColumn(column, half), i);
        enterIfNeeded(place, columns, tile.getColumns());
        for (int64_t parity = 0; parity < 2; ++parity) {
          SmallVector<Value> ownSums;
          for (int64_t block = 0; block < tile.rowBlocks; ++block)
            ownSums.push_back(getSums(sums, block, i)[2 * half + parity]);
          storeRun(getSumRow(row, parity), place, ownSums, tile.getRows());
        }
      }
  }

  const ProductOperand &a, &b;
  WarpFragments fragments;
  WarpTile tile;
  /// The lane as PTX counts: groups of four.
  Value group, inQuad;
};

struct TensorCorePattern final : OpConversionPattern<GemmOp> {
  TensorCorePattern(const LinalgTypeConverter &converter, MLIRContext *context,
                    int64_t numSubgroups)
      : OpConversionPattern(converter, context, /*benefit=*/2),
        numSubgroups(numSubgroups) {}

  LogicalResult matchAndRewrite(GemmOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!hasStrategy(op, StrategyKind::TensorCores))
      return rewriter.notifyMatchFailure(op, "expected a product for tensor cores");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Update update(op, adaptor, adaptor.getC());
    ProductOperand a(builder, adaptor.getA(), isTransposed(op.getTransposeA()));
    ProductOperand b(builder, adaptor.getB(), isTransposed(op.getTransposeB()));
    WarpTile tile = WarpTile::get(*Strategy::find(op));
    TensorCoreGemm(builder, a, b, update, numSubgroups, tile).emit();
    rewriter.eraseOp(op);
    return success();
  }

private:
  int64_t numSubgroups;
};

} // namespace

void tinytc::populateTensorCorePatterns(const LinalgTypeConverter &converter,
                                        RewritePatternSet &patterns,
                                        int64_t numSubgroups) {
  patterns.add<TensorCorePattern>(converter, patterns.getContext(), numSubgroups);
}
