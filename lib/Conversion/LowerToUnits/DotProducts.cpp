//===- DotProducts.cpp - Products of packed factors -----------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The work-items pack both factors into words of local memory. A product of words
// remains, a sum as any other, by packed_mul_add.
//
// Words hold neighbours along the summed mode. Where these are adjacent in memory,
// a copy is packed already; where they lie across, work-items put words together.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/DotProduct.h"
#include "lib/Analysis/Strategy.h"
#include "lib/Builders/ElementUpdates.h"
#include "lib/Builders/Indices.h"
#include "lib/Builders/LocalView.h"
#include "lib/Builders/WorkItemLoop.h"
#include "lib/Conversion/LowerToUnits/Patterns.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// C := alpha op(A) op(B) + beta C with packed factors.
class DotProductEmitter {
public:
  DotProductEmitter(ImplicitLocOpBuilder &builder, GemmOp op, const DotProduct &product)
      : builder(builder), op(op), product(product), i32(builder.getI32Type()) {
    bool hasBytes = product.getDepth() == 4;
    packedType = builder.getIntegerType(hasBytes ? 8 : 16);
  }

  void emit(Value a, Value b, const Update &update) {
    const int64_t steps = product.getSteps();
    const int64_t stride = product.getStride();
    // The product before may still read its factors.
    gpu::BarrierOp::create(builder);
    ElementInput wordsOfA{view(product.getA(), i32, {product.rows, steps}, stride),
                          {0, 2}};
    ElementInput wordsOfB{view(product.getB(), i32, {steps, product.columns}, steps),
                          {2, 1}};
    bool isBiased = product.numbers == PackedNumbers::UI8;
    if (product.isAlongA) {
      copyLines(a, product.getReadA(), product.rows, /*isBiased=*/false);
      gpu::BarrierOp::create(builder);
      Value read = view(product.getReadA(), i32, {steps, product.rows}, steps);
      createGeneric(builder, ElementInput{read, {1, 0}}, {wordsOfA.memref, {0, 1}},
                    /*reductions=*/0,
                    [](ImplicitLocOpBuilder &, ValueRange x) { return x.front(); });
    } else {
      packAcross(a, wordsOfA.memref, product.rows, /*isBiased=*/false);
    }
    if (product.isAlongB) {
      copyLines(b, product.getB(), product.columns, isBiased);
    } else {
      wordsOfB = {view(product.getB(), i32, {product.columns, steps}, product.columns),
                  {1, 2}};
      packAcross(b, wordsOfB.memref, product.columns, isBiased);
    }
    gpu::BarrierOp::create(builder);
    SmallVector<ElementInput> terms;
    if (isBiased)
      terms.push_back({sumRows(wordsOfA.memref), {0}});
    Type type = update.getComputeType();
    terms.push_back(createSums(
        builder, {wordsOfB, wordsOfA}, update.dest, type,
        [&](ImplicitLocOpBuilder &b, ValueRange x) { return mulAdd(b, x); }));
    createUpdate(builder, terms, update, [](ImplicitLocOpBuilder &b, ValueRange x) {
      return x.size() == 1 ? x.front() : ScalarBuilder(b).add(x.back(), x.front());
    });
  }

private:
  Value mulAdd(ImplicitLocOpBuilder &b, ValueRange x) {
    return PackedMulAddOp::create(b, product.numbers, x[0], x[1], x[2]);
  }

  /// A matrix in local memory, whose columns are `stride` elements apart.
  Value view(LocalRange range, Type element, ArrayRef<int64_t> shape, int64_t stride) {
    return view(range, element, shape, ArrayRef<int64_t>{1, stride});
  }

  Value view(LocalRange range, Type element, ArrayRef<int64_t> shape,
             ArrayRef<int64_t> strides) {
    range.offset += *getLocalOffset(op);
    Value memory = createLocalView(builder, op, range, element);
    auto layout = StridedLayoutAttr::get(builder.getContext(), 0, strides);
    auto type = MemRefType::get(shape, element, layout,
                                cast<MemRefType>(memory.getType()).getMemorySpace());
    return memref::ReinterpretCastOp::create(builder, type, memory, /*offset=*/0, shape,
                                             strides);
  }

  /// A number as words hold it, in `type`.
  Value toBits(ImplicitLocOpBuilder &b, Value number, Type type) {
    if (isa<FloatType>(number.getType()))
      number = arith::BitcastOp::create(b, packedType, number);
    return ScalarBuilder(b).cast(number, type);
  }

  Value constant(ImplicitLocOpBuilder &b, Type type, int64_t value) {
    return ScalarBuilder(b).constant(type, value);
  }

  /// Copies lines, along which numbers are summed up, and adds zeros that fill words.
  void copyLines(Value matrix, LocalRange range, int64_t lines, bool isBiased) {
    const int64_t length = product.getSteps() * product.getDepth();
    const int64_t summed = product.summed;
    Value copies = view(range, packedType, {summed, lines}, length);
    createGeneric(builder, ElementInput{matrix, {0, 1}}, {copies, {0, 1}},
                  /*reductions=*/0, [&](ImplicitLocOpBuilder &b, ValueRange x) {
                    Value bits = toBits(b, x.front(), packedType);
                    if (isBiased)
                      bits =
                          arith::XOrIOp::create(b, bits, constant(b, packedType, -128));
                    return bits;
                  });
    if (summed == length)
      return;
    Value words = view(range, packedType, {length, lines}, length);
    forEach({length - summed, lines}, [&](ValueRange at) {
      Value place = createIndexAdd(builder, at[0], builder.getIndexAttr(summed));
      memref::StoreOp::create(builder, constant(builder, packedType, 0), words,
                              ValueRange{place, at[1]});
    });
  }

  /// Puts words together of numbers that lie across lines. The last word of a line may
  /// have fewer.
  void packAcross(Value matrix, Value words, int64_t lines, bool isBiased) {
    const int64_t depth = product.getDepth();
    const int64_t full = product.summed / depth, rest = product.summed % depth;
    if (full > 0)
      forEach({lines, full},
              [&](ValueRange at) { packWord(matrix, words, at, depth, isBiased); });
    if (rest == 0)
      return;
    Value last = createIndex(builder, full);
    forEach({lines, 1}, [&](ValueRange at) {
      packWord(matrix, words, {at[0], last}, rest, isBiased);
    });
  }

  void packWord(Value matrix, Value words, ValueRange at, int64_t count,
                bool isBiased) {
    const int64_t bits = packedType.getIntOrFloatBitWidth();
    Value depth = createIndex(builder, product.getDepth());
    Value first = arith::MulIOp::create(builder, at[1], depth);
    Value word;
    for (auto [place, summed] :
         llvm::enumerate(createAdjacent(builder, first, count))) {
      Value number = memref::LoadOp::create(builder, matrix, ValueRange{at[0], summed});
      number = toBits(builder, number, packedType);
      number = arith::ExtUIOp::create(builder, i32, number);
      if (place > 0) {
        number = arith::ShLIOp::create(builder, number,
                                       constant(builder, i32, place * bits));
        number = arith::OrIOp::create(builder, word, number);
      }
      word = number;
    }
    if (isBiased)
      word = arith::XOrIOp::create(builder, word, constant(builder, i32, 0x80808080));
    memref::StoreOp::create(builder, word, words, at);
  }

  /// -128 times the sums of A's rows, in local memory.
  Value sumRows(Value wordsOfA) {
    Value sums = view(product.getSums(), i32, product.rows, ArrayRef<int64_t>{1});
    ElementInput negative =
        createSums(builder, ElementInput{wordsOfA, {0, 1}}, sums, i32,
                   [&](ImplicitLocOpBuilder &b, ValueRange x) {
                     return mulAdd(b, {constant(b, i32, 0x80808080), x[0], x[1]});
                   });
    createGeneric(builder, negative, {sums, {0}}, /*reductions=*/0,
                  [&](ImplicitLocOpBuilder &b, ValueRange x) {
                    return ScalarBuilder(b).sub(constant(b, i32, 0), x.front());
                  });
    gpu::BarrierOp::create(builder);
    return sums;
  }

  /// Runs `body` at each place of a matrix, by the work-items.
  void forEach(ArrayRef<int64_t> shape, function_ref<void(ValueRange)> body) {
    Value zero = createIndex(builder, 0), one = createIndex(builder, 1);
    SmallVector<Value> upper = llvm::map_to_vector(
        shape, [&](int64_t size) { return createIndex(builder, size); });
    auto loop = createWorkItemLoop(builder, {zero, zero}, upper, {one, one});
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVars());
  }

  ImplicitLocOpBuilder &builder;
  GemmOp op;
  DotProduct product;
  Type i32, packedType;
};

struct DotProductPattern final : OpConversionPattern<GemmOp> {
  DotProductPattern(const LinalgTypeConverter &converter, MLIRContext *context,
                    const Machine &machine)
      : OpConversionPattern(converter, context, /*benefit=*/2), machine(machine) {}

  LogicalResult matchAndRewrite(GemmOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!hasStrategy(op, StrategyKind::DotProducts))
      return rewriter.notifyMatchFailure(op, "expected a product of packed factors");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    DotProductEmitter(builder, op, *DotProduct::match(op, machine))
        .emit(adaptor.getA(), adaptor.getB(), Update(op, adaptor, adaptor.getC()));
    rewriter.eraseOp(op);
    return success();
  }

private:
  const Machine &machine;
};

} // namespace

void tinytc::populateDotProductPatterns(const LinalgTypeConverter &converter,
                                        RewritePatternSet &patterns,
                                        const Machine &machine) {
  patterns.add<DotProductPattern>(converter, patterns.getContext(), machine);
}
