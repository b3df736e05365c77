//===- Functions.cpp - Approximations that are instructions ---------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/GPUToNVVM/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::tinytc;

static Value callIntrinsic(ImplicitLocOpBuilder &builder, StringRef name, Value x) {
  return LLVM::CallIntrinsicOp::create(builder, x.getType(),
                                       builder.getStringAttr(name), ValueRange(x))
      .getResults();
}

namespace {

/// An op that LLVM has as well, but for which upstream calls libdevice.
template <typename Op, typename LLVMOp>
struct DirectPattern final : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVMOp>(op, adaptor.getLhs(), adaptor.getRhs());
    return success();
  }
};

} // namespace

void tinytc::populateNVVMFunctionPatterns(const TypeConverter &converter,
                                          RewritePatternSet &patterns) {
  using Builder = ImplicitLocOpBuilder;
  patterns.add<DirectPattern<arith::MaxNumFOp, LLVM::MaxNumOp>,
               DirectPattern<arith::MinNumFOp, LLVM::MinNumOp>>(converter,
                                                                patterns.getContext());
  Approximations approximations;
  approximations.exp2 = [](Builder &b, Value x) {
    return callIntrinsic(b, "llvm.nvvm.ex2.approx.f32", x);
  };
  approximations.log2 = [](Builder &b, Value x) {
    return callIntrinsic(b, "llvm.nvvm.lg2.approx.f", x);
  };
  approximations.sin = [](Builder &b, Value x) {
    return callIntrinsic(b, "llvm.nvvm.sin.approx.f", x);
  };
  approximations.cos = [](Builder &b, Value x) {
    return callIntrinsic(b, "llvm.nvvm.cos.approx.f", x);
  };
  populateFunctionPatterns(converter, patterns, kNVVMSpaces, approximations);
}
