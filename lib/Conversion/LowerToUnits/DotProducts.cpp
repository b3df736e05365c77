//===- DotProducts.cpp - Products of packed factors -----------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Of factors that are packed into words, a product of words remains, a sum as any
// other, by packed_mul_add.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/LowerToUnits/Patterns.h"
#include "lib/Conversion/LowerToUnits/WordPacker.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// C := alpha op(A) op(B) + beta C with packed factors.
class DotProductEmitter {
public:
  DotProductEmitter(ImplicitLocOpBuilder &builder, GemmOp op, const DotProduct &product)
      : builder(builder), packer(builder, op, product), product(product),
        i32(builder.getI32Type()) {}

  void emit(Value a, Value b, const Update &update) {
    // The product before may still read its factors.
    gpu::BarrierOp::create(builder);
    ElementInput wordsOfA{packer.viewA(), {0, 2}};
    ElementInput wordsOfB{product.isAlongB ? packer.viewB() : Value(), {2, 1}};
    packer.packA(a, wordsOfA.memref);
    if (!product.isAlongB)
      wordsOfB = {packer.viewB(), {1, 2}};
    packer.packB(b, wordsOfB.memref);
    gpu::BarrierOp::create(builder);
    SmallVector<ElementInput> terms;
    if (product.numbers == PackedNumbers::UI8)
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

  Value constant(ImplicitLocOpBuilder &b, int64_t value) {
    return ScalarBuilder(b).constant(i32, value);
  }

  /// -128 times the sums of A's rows, in local memory.
  Value sumRows(Value wordsOfA) {
    Value sums =
        packer.view(product.getSums(), i32, product.rows, ArrayRef<int64_t>{1});
    ElementInput negative =
        createSums(builder, ElementInput{wordsOfA, {0, 1}}, sums, i32,
                   [&](ImplicitLocOpBuilder &b, ValueRange x) {
                     return mulAdd(b, {constant(b, 0x80808080), x[0], x[1]});
                   });
    createGeneric(builder, negative, {sums, {0}}, /*reductions=*/0,
                  [&](ImplicitLocOpBuilder &b, ValueRange x) {
                    return ScalarBuilder(b).sub(constant(b, 0), x.front());
                  });
    gpu::BarrierOp::create(builder);
    return sums;
  }

  ImplicitLocOpBuilder &builder;
  WordPacker packer;
  DotProduct product;
  Type i32;
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
