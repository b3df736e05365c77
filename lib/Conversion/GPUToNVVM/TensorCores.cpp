//===- TensorCores.cpp - Products of warps -> mma.sync --------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Entries of fragments are packed into registers. Upstream's op lacks the operation on
// f64 that sm_90 has; older chips do the same in parts, whose fragments are parts of
// ours.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/GPUToNVVM/Patterns.h"
#include "lib/IR/WarpFragments.h"
#include "lib/Target/Machine.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

struct WarpMatrixPattern final : OpConversionPattern<WarpMatrixMulAddOp> {
  WarpMatrixPattern(const TypeConverter &converter, MLIRContext *context,
                    const Machine &machine)
      : OpConversionPattern(converter, context), machine(machine) {}

  LogicalResult matchAndRewrite(WarpMatrixMulAddOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    FailureOr<KernelShape> shape = getKernelShape(op);
    if (failed(shape))
      return failure();
    if (shape->subgroupSize != KernelShape::kWarp)
      return op.emitOpError("expected a subgroup size of ")
             << KernelShape::kWarp << ", got " << shape->subgroupSize;
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Type type = op.getA().front().getType();
    WarpFragments fragments = *WarpFragments::get(type);
    if (type.isF64()) {
      rewriter.replaceOp(op, machine.unit.multipliesDoubleFragments
                                 ? multiplyDoubles(builder, adaptor)
                                 : multiplyParts(builder, fragments, adaptor));
      return success();
    }
    std::optional<NVVM::MMAIntOverflow> overflow;
    if (type.isInteger())
      overflow = NVVM::MMAIntOverflow::wrapped;
    NVVM::MMATypes name = type.isF16()    ? NVVM::MMATypes::f16
                          : type.isBF16() ? NVVM::MMATypes::bf16
                                          : NVVM::MMATypes::s8;
    rewriter.replaceOp(
        op, multiply(builder, pack(builder, adaptor.getA(), fragments.packed),
                     pack(builder, adaptor.getB(), fragments.packed), adaptor.getC(),
                     {WarpFragments::kRows, WarpFragments::kColumns, fragments.depth},
                     overflow, name));
    return success();
  }

private:
  /// Entries in registers of 32 bits: vectors of f16, words of all else.
  static SmallVector<Value> pack(ImplicitLocOpBuilder &builder, ValueRange entries,
                                 int64_t count) {
    Type type = entries.front().getType(), i32 = builder.getI32Type();
    auto vectorType = VectorType::get(count, type);
    SmallVector<Value> registers;
    for (size_t first = 0; first < entries.size(); first += count) {
      Value packed = LLVM::PoisonOp::create(builder, vectorType);
      for (int64_t i = 0; i < count; ++i) {
        Value place =
            LLVM::ConstantOp::create(builder, i32, builder.getI32IntegerAttr(i));
        packed =
            LLVM::InsertElementOp::create(builder, packed, entries[first + i], place);
      }
      if (!type.isF16())
        packed = LLVM::BitcastOp::create(builder, i32, packed);
      registers.push_back(packed);
    }
    return registers;
  }

  static SmallVector<Value> multiply(ImplicitLocOpBuilder &builder, ValueRange a,
                                     ValueRange b, ValueRange c,
                                     ArrayRef<int64_t> shape,
                                     std::optional<NVVM::MMAIntOverflow> overflow,
                                     NVVM::MMATypes type) {
    SmallVector<Type> types(c.getTypes());
    auto structType = LLVM::LLVMStructType::getLiteral(builder.getContext(), types);
    Value product = NVVM::MmaOp::create(
        builder, structType, a, b, c, shape, /*b1Op=*/std::nullopt, overflow,
        std::array{type, type}, std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
    return extract(builder, product, c.size());
  }

  static SmallVector<Value> extract(ImplicitLocOpBuilder &builder, Value product,
                                    int64_t count) {
    SmallVector<Value> results;
    for (int64_t i = 0; i < count; ++i)
      results.push_back(LLVM::ExtractValueOp::create(builder, product, i));
    return results;
  }

  static SmallVector<Value> multiplyDoubles(ImplicitLocOpBuilder &builder,
                                            OpAdaptor adaptor) {
    SmallVector<Type> types(adaptor.getC().getTypes());
    auto structType = LLVM::LLVMStructType::getLiteral(builder.getContext(), types);
    auto product = LLVM::InlineAsmOp::create(
        builder, structType, adaptor.getOperands(),
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {$0, $1, $2, $3}, "
        "{$4, $5, $6, $7}, {$8, $9}, {$10, $11, $12, $13};",
        "=d,=d,=d,=d,d,d,d,d,d,d,0,1,2,3", /*has_side_effects=*/true,
        /*is_align_stack=*/false, LLVM::TailCallKind::None,
        LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT),
        /*operand_attrs=*/ArrayAttr());
    return extract(builder, product.getResult(0), types.size());
  }

  /// As m8n8k4: the halves of A by the slots of the summed mode.
  static SmallVector<Value> multiplyParts(ImplicitLocOpBuilder &builder,
                                          const WarpFragments &fragments,
                                          OpAdaptor adaptor) {
    SmallVector<Value> sums(adaptor.getC());
    for (int64_t slot = 0; slot < fragments.getNumSlots(); ++slot)
      for (int64_t half = 0; half < WarpFragments::kHalves; ++half) {
        MutableArrayRef<Value> own = MutableArrayRef(sums).slice(2 * half, 2);
        Value a = adaptor.getA()[fragments.getEntryOfA(half, slot)];
        llvm::copy(multiply(builder, a, adaptor.getB()[slot], ValueRange(own),
                            {8, 8, 4}, std::nullopt, NVVM::MMATypes::f64),
                   own.begin());
      }
    return sums;
  }

  const Machine &machine;
};

} // namespace

void tinytc::populateNVVMTensorCorePatterns(const TypeConverter &converter,
                                            RewritePatternSet &patterns,
                                            const Machine &machine) {
  patterns.add<WarpMatrixPattern>(converter, patterns.getContext(), machine);
}
