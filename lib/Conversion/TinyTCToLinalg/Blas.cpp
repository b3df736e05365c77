//===- Blas.cpp - BLAS-like instructions -> linalg ------------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// An element-wise instruction is the update of its destination by a product of
// elements, a reduction that by sums of them (lib/Builders/ElementUpdates.h).
//
//===----------------------------------------------------------------------===//

#include "lib/Builders/ElementUpdates.h"
#include "lib/Builders/ScalarBuilder.h"
#include "lib/Conversion/TinyTCToLinalg/Patterns.h"

#include "mlir/Dialect/Complex/IR/Complex.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// A factor of an instruction; its elements may be conjugated.
struct InstructionFactor {
  ElementInput input;
  bool isConjugated;
};

/// The product of `elements` of factors, in `type`; without factors that of an empty
/// sum, 0.
Value emitProduct(ImplicitLocOpBuilder &builder, ArrayRef<InstructionFactor> factors,
                  ValueRange elements, Type type) {
  ScalarBuilder scalars(builder, /*contract=*/true);
  Value product;
  for (auto [factor, element] : llvm::zip_equal(factors, elements)) {
    bool isConjugated = factor.isConjugated && isa<ComplexType>(element.getType());
    Value number = isConjugated ? complex::ConjOp::create(builder, element).getResult()
                                : Value(element);
    number = scalars.cast(number, type);
    product = product ? scalars.mul(product, number) : number;
  }
  return product ? product : scalars.constant(type, 0);
}

template <typename Op>
struct BlasPattern final : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    auto getConverted = [&](OpOperand &operand) {
      return adaptor.getOperands()[operand.getOperandNumber()];
    };
    Update update(op, adaptor, getConverted(op.getDestinationMutable()));
    SmallVector<InstructionFactor> factors;
    for (const BlasFactor &factor : op.getFactors())
      factors.push_back(
          {{getConverted(*factor.operand), factor.modes}, factor.isConjugated});
    // A destination without elements needs no update.
    if (!llvm::is_contained(update.getType().getShape(), 0))
      create(builder, op, factors, update);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void create(ImplicitLocOpBuilder &builder, Op op,
                     ArrayRef<InstructionFactor> factors, const Update &update) {
    Type type = update.getComputeType();
    // linalg drops ops on memrefs without elements, also sums of nothing.
    if (op.isReduction() && op.getProductShape().back() == 0)
      factors = {};
    auto inputs = llvm::map_to_vector(
        factors, [](const InstructionFactor &f) { return f.input; });
    if (!op.isReduction() || factors.empty())
      return createUpdate(builder, inputs, update,
                          [&](ImplicitLocOpBuilder &b, ValueRange x) {
                            return emitProduct(b, factors, x, type);
                          });
    ElementInput sums = createSums(
        builder, inputs, update.dest, type, [&](ImplicitLocOpBuilder &b, ValueRange x) {
          Value product = emitProduct(b, factors, x.drop_back(), type);
          return ScalarBuilder(b, /*contract=*/true).add(x.back(), product);
        });
    createUpdate(builder, sums, update,
                 [](ImplicitLocOpBuilder &, ValueRange x) { return x.front(); });
  }
};

} // namespace

void tinytc::populateBlasPatterns(const LinalgTypeConverter &converter,
                                  RewritePatternSet &patterns) {
  patterns.add<BlasPattern<AxpbyOp>, BlasPattern<GerOp>, BlasPattern<HadamardProductOp>,
               BlasPattern<GemmOp>, BlasPattern<GemvOp>, BlasPattern<SumOp>>(
      converter, patterns.getContext());
}
