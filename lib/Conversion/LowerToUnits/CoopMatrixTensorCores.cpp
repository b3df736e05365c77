//===- CoopMatrixTensorCores.cpp - Coopmatrices on tensor cores -----------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Lane 4 g + t has row 4 g + t of each 32 rows of A and C, and the same row of B or, of
// 16 rows, one of the same number. Rows, columns and steps of the summed mode are
// numbered such that each fragment is a transposition among few lanes: of A and C among
// the 4 of a quad, of B among those with the same t.
//
//===----------------------------------------------------------------------===//

#include "lib/Builders/Indices.h"
#include "lib/Builders/ScalarBuilder.h"
#include "lib/Builders/SubgroupBuilder.h"
#include "lib/Conversion/LowerToUnits/MatrixUnit.h"
#include "lib/IR/WarpFragments.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

class TensorCoreProduct {
public:
  TensorCoreProduct(ImplicitLocOpBuilder &builder, const CoopMatrixProduct &product)
      : builder(builder), product(product),
        fragments(*WarpFragments::get(product.a.type.getElementType())),
        blockDepth(std::min<int64_t>(product.getDepth(), WarpFragments::kLanes)),
        slots(blockDepth / WarpFragments::kQuad) {
    Value id = gpu::LaneIdOp::create(builder, /*upper_bound=*/nullptr);
    lane = arith::IndexCastOp::create(builder, builder.getI32Type(), id);
  }

  void emit(ValueRange a, ValueRange b, MutableArrayRef<Value> sums) {
    int64_t columns = product.c.type.getColumns();
    for (int64_t block = 0; block < product.c.rowBlocks; ++block) {
      SmallVector<SmallVector<Value>> unitA;
      for (int64_t k = 0; k < product.getDepth(); k += blockDepth)
        unitA.push_back(exchangeA(a, block, k));
      for (int64_t first = 0; first < columns; first += WarpFragments::kColumns)
        emitColumns(unitA, b, block, first, sums);
    }
  }

private:
  /// Swaps `values`, which are `count` blocks: work-item i of those whose numbers
  /// differ by multiples of `distance` gets block i of each of them.
  void transpose(MutableArrayRef<Value> values, int64_t count, int64_t distance) {
    int64_t width = int64_t(values.size()) / count;
    for (int64_t bit = 1; bit < count; bit *= 2) {
      Value step = createI32(builder, bit * distance);
      Value partner = arith::XOrIOp::create(builder, lane, step);
      Value own = arith::AndIOp::create(builder, lane, step);
      Value isUpper =
          arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, own, step);
      auto select = [&](Value upper, Value lower) -> Value {
        return arith::SelectOp::create(builder, isUpper, upper, lower);
      };
      for (int64_t i = 0; i < int64_t(values.size()); ++i) {
        if (i / width & bit)
          continue;
        Value &low = values[i], &high = values[i + bit * width];
        Value other =
            createShuffle(builder, select(low, high), partner, WarpFragments::kLanes);
        low = select(other, low);
        high = select(high, other);
      }
    }
  }

  /// The fragments of a block of rows, and of `blockDepth` columns from `k` on: slot s
  /// of work-item t is column 4 s + t. Those of row t of the quad are block t.
  SmallVector<Value> exchangeA(ValueRange a, int64_t block, int64_t k) {
    SmallVector<Value> values;
    for (int64_t t = 0; t < WarpFragments::kQuad; ++t)
      for (int64_t slot = 0; slot < slots; ++slot)
        values.push_back(
            a[product.a.getPosition(block, k + slot * WarpFragments::kQuad + t)]);
    transpose(values, WarpFragments::kQuad, 1);
    return values;
  }

  /// The slots of column g of eight from `first` on.
  SmallVector<Value> exchangeB(ValueRange b, int64_t k, int64_t first) {
    SmallVector<Value> values;
    for (int64_t i = 0; i < slots; ++i) {
      int64_t step = first / product.b.sideBySide + i;
      values.push_back(step < product.b.steps
                           ? b[product.b.getPosition(k / product.b.blockRows, step)]
                           : createZero(product.b.type.getElementType()));
    }
    transpose(values, slots, WarpFragments::kQuad);
    return values;
  }

  /// The column that work-items of group `g` have of eight: of 16 rows, the upper lanes
  /// hold the odd columns.
  int64_t getColumn(int64_t g) const {
    return g % slots * product.b.sideBySide + g / slots;
  }

  Value createZero(Type type) { return ScalarBuilder(builder).constant(type, 0); }

  void emitColumns(ArrayRef<SmallVector<Value>> unitA, ValueRange b, int64_t block,
                   int64_t first, MutableArrayRef<Value> sums) {
    auto forEach = [&](function_ref<void(Value &, int64_t)> callback) {
      for (int64_t i = 0; i < WarpFragments::kColumns; ++i)
        if (int64_t column = first + getColumn(i); column < product.c.type.getColumns())
          callback(sums[product.c.getPosition(block, column)], i);
    };
    SmallVector<Value> unitC(WarpFragments::kColumns, createZero(fragments.sumType));
    forEach([&](Value &sum, int64_t i) { unitC[i] = sum; });
    transpose(unitC, WarpFragments::kQuad, 1);
    for (auto [i, values] : llvm::enumerate(unitA)) {
      SmallVector<Value> unitB = exchangeB(b, i * blockDepth, first);
      for (int64_t slot = 0; slot < slots; slot += fragments.getNumSlots())
        for (int64_t tile = 0; tile < 2; ++tile)
          multiply(values, unitB, slot, tile, unitC);
    }
    transpose(unitC, WarpFragments::kQuad, 1);
    forEach([&](Value &sum, int64_t i) { sum = unitC[i]; });
  }

  /// One operation on rows 2 `tile` and 2 `tile` + 1 of each quad.
  void multiply(ArrayRef<Value> a, ArrayRef<Value> b, int64_t first, int64_t tile,
                MutableArrayRef<Value> c) {
    int64_t count = fragments.getNumSlots();
    SmallVector<Value> unitA(fragments.getNumA());
    for (int64_t half = 0; half < WarpFragments::kHalves; ++half)
      for (int64_t slot = 0; slot < count; ++slot)
        unitA[fragments.getEntryOfA(half, slot)] =
            a[(WarpFragments::kHalves * tile + half) * slots + first + slot];
    auto own = c.slice(tile * WarpFragments::getNumC(), WarpFragments::getNumC());
    auto result = WarpMatrixMulAddOp::create(builder, unitA, b.slice(first, count),
                                             ValueRange(own));
    llvm::copy(result.getResults(), own.begin());
  }

  ImplicitLocOpBuilder &builder;
  const CoopMatrixProduct &product;
  WarpFragments fragments;
  /// Rows of B that are exchanged at once, and how many of them a work-item gets.
  int64_t blockDepth, slots;
  Value lane;
};

} // namespace

void tinytc::emitTensorCoreProduct(ImplicitLocOpBuilder &builder,
                                   const CoopMatrixProduct &product, ValueRange a,
                                   ValueRange b, MutableArrayRef<Value> sums) {
  TensorCoreProduct(builder, product).emit(a, b, sums);
}
