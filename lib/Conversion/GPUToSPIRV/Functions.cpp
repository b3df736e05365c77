//===- Functions.cpp - Functions of OpenCL without an op ------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Builders/ImportedFunction.h"
#include "lib/Conversion/GPUToSPIRV/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The name that OpenCL C gives to its function of one f32 or f64.
static std::string mangle(const Twine &word, Type type) {
  std::string name = word.str();
  return "_Z" + std::to_string(name.size()) + name + (type.isF32() ? "f" : "d");
}

/// Calls the function of OpenCL with one f32 or f64 that is named so.
static Value callFunction(OpBuilder &builder, Operation *op, const Twine &word,
                          Value operand) {
  Type type = operand.getType();
  return callImport(builder, op, mangle(word, type), type, operand).getResult(0);
}

namespace {

/// A function of math with approximation allowed -> the native function of OpenCL, for
/// which the dialect has no op: it is imported by its mangled name.
template <typename Op>
struct NativePattern final : OpConversionPattern<Op> {
  NativePattern(const TypeConverter &converter, MLIRContext *context, StringRef word)
      : OpConversionPattern<Op>(converter, context, /*benefit=*/3), word(word) {}

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    // The native functions only exist for f32.
    bool isNative = bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn);
    if (!isNative || !op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "expected an approximation in f32");
    rewriter.replaceOp(
        op, callFunction(rewriter, op, "native_" + Twine(word), adaptor.getOperand()));
    return success();
  }

private:
  StringRef word;
};

/// A function that the dialect has no op for either: it is imported for f32 and f64,
/// and computed in f32 for f16.
template <typename Op>
struct ImportPattern final : OpConversionPattern<Op> {
  ImportPattern(const TypeConverter &converter, MLIRContext *context, StringRef word)
      : OpConversionPattern<Op>(converter, context, /*benefit=*/2), word(word) {}

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isa<Float16Type, Float32Type, Float64Type>(op.getType()))
      return rewriter.notifyMatchFailure(op, "expected f16, f32 or f64");
    Value operand = adaptor.getOperand();
    bool isHalf = op.getType().isF16();
    if (isHalf)
      operand = spirv::FConvertOp::create(rewriter, op.getLoc(), rewriter.getF32Type(),
                                          operand);
    Value result = callFunction(rewriter, op, word, operand);
    if (isHalf)
      result = spirv::FConvertOp::create(rewriter, op.getLoc(), op.getType(), result);
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  StringRef word;
};

} // namespace

void tinytc::populateFunctionPatterns(const SPIRVTypeConverter &converter,
                                      RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<NativePattern<math::CosOp>>(converter, context, "cos");
  patterns.add<NativePattern<math::ExpOp>>(converter, context, "exp");
  patterns.add<NativePattern<math::Exp2Op>>(converter, context, "exp2");
  patterns.add<NativePattern<math::LogOp>>(converter, context, "log");
  patterns.add<NativePattern<math::Log2Op>>(converter, context, "log2");
  patterns.add<NativePattern<math::SinOp>>(converter, context, "sin");
  patterns.add<ImportPattern<math::Exp2Op>>(converter, context, "exp2");
  patterns.add<ImportPattern<math::Log2Op>>(converter, context, "log2");
  // Upstream has exp(x) - 1 and log(1 + x), which are wrong for small numbers.
  patterns.add<ImportPattern<math::ExpM1Op>>(converter, context, "expm1");
  patterns.add<ImportPattern<math::Log1pOp>>(converter, context, "log1p");
}
