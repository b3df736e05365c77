//===- Patterns.cpp - Ops of the gpu stage as a driver wants them ---------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The driver of a CPU makes LLVM IR of SPIR-V and keeps the names of imported
// functions, so one named like LLVM's intrinsic is that intrinsic: a single
// instruction. OpenCL's prefetch becomes a call for each lane there, and SPIR-V has no
// other.
//
//===----------------------------------------------------------------------===//

#include "lib/Builders/ImportedFunction.h"
#include "lib/Families/SPIRV/Drivers/Driver.h"
#include "lib/Families/SPIRV/Drivers/Drivers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The intrinsic for pointers to global memory, which is address space 1.
static constexpr StringLiteral kIntrinsic = "llvm.prefetch.p1";

/// The address of an element whose only index is a sum with a constant, as a constant
/// distance from an address that others may share; null if the access has another form.
static Value createSharedAddress(ConversionPatternRewriter &rewriter, MemRefType type,
                                 Value pointer, ValueRange indices) {
  if (indices.size() != 1)
    return {};
  Value index = indices.front();
  auto sum = index.getDefiningOp<spirv::IAddOp>();
  auto to = dyn_cast<spirv::PointerType>(pointer.getType());
  bool isElement = to && to.getPointeeType() == type.getElementType();
  if (!isElement || !sum || !matchPattern(sum.getOperand2(), m_Constant()))
    return {};
  Location loc = index.getLoc();
  Value base = spirv::PtrAccessChainOp::create(rewriter, loc, pointer,
                                               sum.getOperand1(), ValueRange());
  return spirv::PtrAccessChainOp::create(rewriter, loc, base, sum.getOperand2(),
                                         ValueRange());
}

namespace {

struct SharedAddressLoadPattern final : OpConversionPattern<memref::LoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::LoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value address = createSharedAddress(rewriter, op.getMemRefType(),
                                        adaptor.getMemref(), adaptor.getIndices());
    if (!address)
      return rewriter.notifyMatchFailure(op, "expected one index plus a constant");
    rewriter.replaceOpWithNewOp<spirv::LoadOp>(op, address);
    return success();
  }
};

struct SharedAddressStorePattern final : OpConversionPattern<memref::StoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::StoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value address = createSharedAddress(rewriter, op.getMemRefType(),
                                        adaptor.getMemref(), adaptor.getIndices());
    if (!address)
      return rewriter.notifyMatchFailure(op, "expected one index plus a constant");
    rewriter.replaceOpWithNewOp<spirv::StoreOp>(op, address, adaptor.getValue());
    return success();
  }
};

/// memref.prefetch -> LLVM's intrinsic, of an address that the first lane broadcasts:
/// the driver's vectorizer ends its process if jumps that it combines hide that an
/// address is the same for all lanes.
struct PrefetchIntrinsicPattern final : OpConversionPattern<memref::PrefetchOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::PrefetchOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<spirv::PointerType>(adaptor.getMemref().getType());
    bool isGlobal =
        type && type.getStorageClass() == spirv::StorageClass::CrossWorkgroup;
    if (!isGlobal)
      return rewriter.notifyMatchFailure(op, "expected a pointer to global memory");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value element = spirv::getElementPtr(*getTypeConverter<SPIRVTypeConverter>(),
                                         op.getMemRefType(), adaptor.getMemref(),
                                         adaptor.getIndices(), op.getLoc(), rewriter);
    auto number = [&](int32_t value) -> Value {
      return spirv::ConstantOp::create(builder, builder.getI32Type(),
                                       builder.getI32IntegerAttr(value));
    };
    Value address =
        spirv::ConvertPtrToUOp::create(builder, builder.getI64Type(), element);
    address = spirv::GroupBroadcastOp::create(
        builder, address.getType(), spirv::Scope::Subgroup, address, number(0));
    auto bytes = spirv::PointerType::get(builder.getI8Type(), type.getStorageClass());
    Value byte = spirv::ConvertUToPtrOp::create(builder, bytes, address);
    callImport(rewriter, op, kIntrinsic, /*result=*/{},
               {byte, number(op.getIsWrite()), number(op.getLocalityHint()),
                number(op.getIsDataCache())});
    rewriter.eraseOp(op);
    return success();
  }
};

/// An index that has to stay unknown -> a broadcast of it: a convergent operation,
/// which no optimizer may merge with another one, copy, or move past control flow.
struct OpaqueBroadcastPattern final : OpConversionPattern<OpaqueIndexOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(OpaqueIndexOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value index = adaptor.getIndex();
    Value first =
        spirv::ConstantOp::getZero(rewriter.getI32Type(), op.getLoc(), rewriter);
    rewriter.replaceOpWithNewOp<spirv::GroupBroadcastOp>(
        op, index.getType(), spirv::Scope::Subgroup, index, first);
    return success();
  }
};

/// math.fma of f32 or f64 -> LLVM's intrinsic, imported by its name.
/// Each call of OpenCL's function costs the driver 0.2 ms more, as it searches for
/// the function in a library, vectorizes the call and inlines what it has found.
struct FmaIntrinsicPattern final : OpConversionPattern<math::FmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(math::FmaOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!type.isF32() && !type.isF64())
      return rewriter.notifyMatchFailure(op, "expected f32 or f64");
    StringRef name = type.isF32() ? "llvm.fma.f32" : "llvm.fma.f64";
    rewriter.replaceOp(op, callImport(rewriter, op, name, type, adaptor.getOperands()));
    return success();
  }
};

/// x / y -> x / (y + z), where z is -0.0, and unknown because it has the sign of the
/// group's id: adding it changes no number. LLVM's code generator takes an element of a
/// quotient for 0 if it knows x and y to be 0 there, and loses a NaN.
struct UnknownDivisorPattern final : OpConversionPattern<arith::DivFOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(arith::DivFOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<FloatType>(op.getType());
    if (!type || matchPattern(op.getRhs(), m_Constant()))
      return rewriter.notifyMatchFailure(op, "expected a divisor that is not constant");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    unsigned width = type.getWidth();
    IntegerType integer = b.getIntegerType(width);
    Value group = gpu::BlockIdOp::create(b, gpu::Dimension::x);
    group = arith::IndexCastOp::create(b, b.getI64Type(), group);
    Value sign =
        arith::ShRUIOp::create(b, group, arith::ConstantIntOp::create(b, 63, 64));
    if (width < 64)
      sign = arith::TruncIOp::create(b, integer, sign);
    Value mask = arith::ConstantOp::create(
        b, b.getIntegerAttr(integer, APInt::getSignMask(width)));
    Value zero = arith::BitcastOp::create(b, type, arith::OrIOp::create(b, sign, mask));
    Value divisor = arith::AddFOp::create(b, op.getRhs(), zero);
    rewriter.replaceOpWithNewOp<spirv::FDivOp>(op, adaptor.getLhs(), divisor);
    return success();
  }
};

/// Integer minimum and maximum as a select: the CPU driver assumes that the result of
/// the OpenCL function differs between work-items, and with it everything that depends
/// on it, such as loop bounds. Others make the same of both.
template <typename Op, arith::CmpIPredicate predicate>
struct MinMaxPattern final : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value isLeft = arith::CmpIOp::create(rewriter, op.getLoc(), predicate, op.getLhs(),
                                         op.getRhs());
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isLeft, op.getLhs(), op.getRhs());
    return success();
  }
};

} // namespace

void tinytc::populateDriverPatterns(const SPIRVTypeConverter &converter,
                                    RewritePatternSet &patterns, TargetAttr target) {
  MLIRContext *context = patterns.getContext();
  Driver driver = getDriver(target);
  patterns.add<MinMaxPattern<arith::MinSIOp, arith::CmpIPredicate::slt>,
               MinMaxPattern<arith::MaxSIOp, arith::CmpIPredicate::sgt>>(
      converter, context, /*benefit=*/2);
  if (driver.keepsPrefetches)
    patterns.add<PrefetchIntrinsicPattern>(converter, context, /*benefit=*/2);
  if (driver.movesLaneConditions)
    patterns.add<OpaqueBroadcastPattern>(converter, context, /*benefit=*/2);
  if (driver.losesNaN)
    patterns.add<UnknownDivisorPattern>(converter, context, /*benefit=*/2);
  if (driver.prefersFmaIntrinsic)
    patterns.add<FmaIntrinsicPattern>(converter, context, /*benefit=*/2);
  if (driver.sharesBaseAddresses)
    patterns.add<SharedAddressLoadPattern, SharedAddressStorePattern>(
        converter, context, /*benefit=*/3);
}
