//===- Prefetch.cpp - Instructions that fetch lines into the cache --------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// OpenCL's prefetch becomes a call for each lane on a CPU, and SPIR-V has no other. The
// driver of a CPU makes LLVM IR of SPIR-V and keeps the names of imported functions, so
// one named like LLVM's intrinsic is that intrinsic: a single instruction.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/ModuleTarget.h"
#include "lib/Conversion/GPUToSPIRV/Patterns.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The intrinsic for pointers to global memory, which is address space 1.
static constexpr StringLiteral kIntrinsic = "llvm.prefetch.p1";

namespace {

struct PrefetchPattern final : OpConversionPattern<memref::PrefetchOp> {
  PrefetchPattern(const TypeConverter &converter, MLIRContext *context,
                  bool keepsPrefetches)
      : OpConversionPattern(converter, context), keepsPrefetches(keepsPrefetches) {}

  LogicalResult matchAndRewrite(memref::PrefetchOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<spirv::PointerType>(adaptor.getMemref().getType());
    bool isGlobal =
        type && type.getStorageClass() == spirv::StorageClass::CrossWorkgroup;
    if (!keepsPrefetches || !isGlobal) {
      rewriter.eraseOp(op);
      return success();
    }
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value element = spirv::getElementPtr(*getTypeConverter<SPIRVTypeConverter>(),
                                         op.getMemRefType(), adaptor.getMemref(),
                                         adaptor.getIndices(), op.getLoc(), rewriter);
    auto bytes = spirv::PointerType::get(builder.getI8Type(), type.getStorageClass());
    if (element.getType() != bytes)
      element = spirv::BitcastOp::create(builder, bytes, element);
    auto number = [&](int32_t value) -> Value {
      return spirv::ConstantOp::create(builder, builder.getI32Type(),
                                       builder.getI32IntegerAttr(value));
    };
    callImport(rewriter, op, kIntrinsic, /*result=*/{},
               {element, number(op.getIsWrite()), number(op.getLocalityHint()),
                number(op.getIsDataCache())});
    rewriter.eraseOp(op);
    return success();
  }

private:
  bool keepsPrefetches;
};

} // namespace

void tinytc::populatePrefetchPatterns(const SPIRVTypeConverter &converter,
                                      RewritePatternSet &patterns, TargetAttr target) {
  patterns.add<PrefetchPattern>(converter, patterns.getContext(),
                                getMachine(target).driver.fetchesNextGroup);
}
