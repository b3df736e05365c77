//===- Arithmetic.cpp - Scalar operations that upstream gets wrong --------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Scalars.h"
#include "lib/Conversion/GPUToSPIRV/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// Upstream emulates the remainder with s_abs, which is wrong for the smallest integer.
struct RemainderPattern final : OpConversionPattern<arith::RemSIOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(arith::RemSIOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<spirv::SRemOp>(op, adaptor.getLhs(), adaptor.getRhs());
    return success();
  }
};

/// A constant of a type that is stored as bits is one of these.
struct BitsConstantPattern final : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isStoredAsBits(op.getType()))
      return rewriter.notifyMatchFailure(op,
                                         "expected a constant that is stored as bits");
    Type bits = getTypeConverter()->convertType(op.getType());
    APInt value = cast<FloatAttr>(op.getValue()).getValue().bitcastToAPInt();
    rewriter.replaceOpWithNewOp<spirv::ConstantOp>(op, bits,
                                                   IntegerAttr::get(bits, value));
    return success();
  }
};

} // namespace

void tinytc::populateArithmeticPatterns(const SPIRVTypeConverter &converter,
                                        RewritePatternSet &patterns) {
  patterns.add<RemainderPattern, BitsConstantPattern>(converter, patterns.getContext(),
                                                      /*benefit=*/2);
}
