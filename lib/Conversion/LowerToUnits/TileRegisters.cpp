//===- TileRegisters.cpp - Products on tile registers ---------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Tiles of packed factors are multiplied by tile_product, two rows and two columns of
// tiles at a time. The last tile of a mode overlaps the one before it. Tiles are stored
// into C itself where that is all of the update.
//
//===----------------------------------------------------------------------===//

#include "lib/Builders/Indices.h"
#include "lib/Builders/LocalView.h"
#include "lib/Conversion/LowerToUnits/Patterns.h"
#include "lib/Conversion/LowerToUnits/WordPacker.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// C := alpha op(A) op(B) + beta C on tile registers.
class TileEmitter {
public:
  TileEmitter(ImplicitLocOpBuilder &builder, GemmOp op, const DotProduct &product)
      : builder(builder), op(op), packer(builder, op, product), product(product) {}

  void emit(Value a, Value b, const Update &update) {
    // The product before may still read its factors.
    gpu::BarrierOp::create(builder);
    packer.packA(a, packer.viewA());
    packer.packB(b, packer.viewB());
    gpu::BarrierOp::create(builder);
    Type type = update.getComputeType();
    Value sums;
    if (product.hasSumsOfTiles)
      sums = packer.view(product.getSumsOfTiles(), type,
                         {product.rows, product.columns}, product.getStride());
    emitTiles(product.hasSumsOfTiles ? sums : update.dest);
    if (!product.hasSumsOfTiles)
      return;
    gpu::BarrierOp::create(builder);
    createUpdate(builder, ElementInput{sums, {0, 1}}, update,
                 [](ImplicitLocOpBuilder &, ValueRange x) { return x.front(); });
  }

private:
  void emitTiles(Value c) {
    auto memory = memref::ExtractStridedMetadataOp::create(builder, c);
    Value wordsOfA = viewWords(product.getA()), wordsOfB = viewWords(product.getB());
    TileShape tile = *product.tile;
    emitPairs(product.getPackedColumns(), tile.columns, [&](ValueRange columns) {
      emitPairs(product.getPackedRows(), tile.rows, [&](ValueRange rows) {
        TileProductOp::create(builder, product.numbers, wordsOfA,
                              index(product.getStride()), wordsOfB,
                              index(product.getColumnStride()), memory.getBaseBuffer(),
                              memory.getOffset(), memory.getStrides()[1], rows, columns,
                              index(product.getSteps()),
                              ArrayRef<int64_t>{tile.rows, tile.columns, tile.words},
                              product.accumulates);
      });
    });
  }

  Value viewWords(LocalRange range) {
    range.offset += *getLocalOffset(op);
    return createLocalView(builder, op, range, builder.getI32Type());
  }

  Value index(int64_t value) { return createIndex(builder, value); }

  /// Runs `body` with the first elements of two tiles of a mode, for all of them, or
  /// with that of the last one alone.
  void emitPairs(int64_t size, int64_t step, function_ref<void(ValueRange)> body) {
    const int64_t tiles = llvm::divideCeil(size, step), pairs = tiles / 2;
    const int64_t last = size - step;
    auto emitPair = [&](Value first) {
      Value second = createIndexAdd(builder, first, builder.getIndexAttr(step));
      if (tiles % 2 == 0 && size % step != 0)
        second = createIndexMin(builder, second, index(last));
      body({first, second});
    };
    if (pairs == 1) {
      emitPair(index(0));
    } else if (pairs > 1) {
      auto loop = scf::ForOp::create(builder, index(0), index(pairs * 2 * step),
                                     index(2 * step));
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      emitPair(loop.getInductionVar());
    }
    if (tiles % 2 == 1)
      body(index(last));
  }

  ImplicitLocOpBuilder &builder;
  GemmOp op;
  WordPacker packer;
  DotProduct product;
};

struct TileRegisterPattern final : OpConversionPattern<GemmOp> {
  TileRegisterPattern(const LinalgTypeConverter &converter, MLIRContext *context,
                      const Machine &machine)
      : OpConversionPattern(converter, context, /*benefit=*/2), machine(machine) {}

  LogicalResult matchAndRewrite(GemmOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!hasStrategy(op, StrategyKind::TileRegisters))
      return rewriter.notifyMatchFailure(op, "expected a product on tile registers");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    TileShape tile = getTileShape(*Strategy::find(op));
    TileEmitter(builder, op, *DotProduct::matchTiles(op, machine, tile))
        .emit(adaptor.getA(), adaptor.getB(), Update(op, adaptor, adaptor.getC()));
    rewriter.eraseOp(op);
    return success();
  }

private:
  const Machine &machine;
};

} // namespace

void tinytc::populateTileRegisterPatterns(const LinalgTypeConverter &converter,
                                          RewritePatternSet &patterns,
                                          const Machine &machine) {
  patterns.add<TileRegisterPattern>(converter, patterns.getContext(), machine);
}
