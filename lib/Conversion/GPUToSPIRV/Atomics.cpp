//===- Atomics.cpp - Atomic updates -> SPIR-V atomics or CAS loops --------===//
//
// Sums of i32, i64, f32 and f64 and exchanges of 32 and 64 bits have an instruction.
// Anything else is a loop around a compare-and-swap of the 32-bit or 64-bit word that
// holds the element.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/GPUToSPIRV/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Local memory is shared by a work-group, global memory by all of them.
static spirv::Scope getScope(Value pointer) {
  auto type = cast<spirv::PointerType>(pointer.getType());
  return type.getStorageClass() == spirv::StorageClass::Workgroup
             ? spirv::Scope::Workgroup
             : spirv::Scope::Device;
}

/// The language's atomics are relaxed.
static constexpr auto kRelaxed = spirv::MemorySemantics::None;

static Value bitcastPointer(ImplicitLocOpBuilder &builder, Value pointer, Type type) {
  auto from = cast<spirv::PointerType>(pointer.getType());
  auto to = spirv::PointerType::get(type, from.getStorageClass());
  if (from == to)
    return pointer;
  return spirv::BitcastOp::create(builder, to, pointer);
}

static Value bitcast(ImplicitLocOpBuilder &builder, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return arith::BitcastOp::create(builder, type, value);
}

namespace {

/// A loop that replaces the element at a pointer by a function of its old value.
class CompareAndSwap {
public:
  /// Computes the new element from the old one, in the element's own type.
  using Update = function_ref<Value(ImplicitLocOpBuilder &, Value)>;

  CompareAndSwap(ImplicitLocOpBuilder &builder, Value pointer, Type element)
      : builder(builder), pointer(pointer), element(element),
        bits(IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth())) {}

  void emit(Update update) {
    prepareWord();
    auto aligned = spirv::MemoryAccess::Aligned | spirv::MemoryAccess::Volatile;
    Value first = spirv::LoadOp::create(
        builder, word, wordPointer,
        spirv::MemoryAccessAttr::get(builder.getContext(), aligned),
        builder.getI32IntegerAttr(word.getIntOrFloatBitWidth() / 8));
    // Create the loop before its body: the conversion visits ops in order of creation.
    auto loop = scf::WhileOp::create(builder, TypeRange(word), ValueRange(first));
    OpBuilder::InsertionGuard guard(builder);
    Block *before = builder.createBlock(&loop.getBefore(), {}, word, builder.getLoc());
    Value expected = before->getArgument(0);
    Value next = replace(expected, update(builder, extract(expected)));
    Value seen = spirv::AtomicCompareExchangeOp::create(builder, word, wordPointer,
                                                        getScope(wordPointer), kRelaxed,
                                                        kRelaxed, next, expected);
    Value isChanged =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, seen, expected);
    scf::ConditionOp::create(builder, isChanged, seen);
    Block *after = builder.createBlock(&loop.getAfter(), {}, word, builder.getLoc());
    scf::YieldOp::create(builder, after->getArguments());
  }

private:
  bool isNarrow() const { return bits.getWidth() < 32; }

  Value constant(Type type, int64_t value) {
    return arith::ConstantOp::create(builder, IntegerAttr::get(type, value));
  }

  /// Finds the word around the element, and the shift of the element in it.
  void prepareWord() {
    word = isNarrow() ? builder.getI32Type() : bits;
    if (!isNarrow()) {
      wordPointer = bitcastPointer(builder, pointer, bits);
      return;
    }
    Type i64 = builder.getI64Type();
    auto type = cast<spirv::PointerType>(pointer.getType());
    Value address = spirv::ConvertPtrToUOp::create(builder, i64, pointer);
    Value base = arith::AndIOp::create(builder, address, constant(i64, ~3));
    wordPointer = spirv::ConvertUToPtrOp::create(
        builder, spirv::PointerType::get(word, type.getStorageClass()), base);
    Value byte = arith::AndIOp::create(builder, address, constant(i64, 3));
    Value bit = arith::ShLIOp::create(builder, byte, constant(i64, 3));
    shift = arith::TruncIOp::create(builder, word, bit);
  }

  Value extract(Value wordValue) {
    if (isNarrow()) {
      Value shifted = arith::ShRUIOp::create(builder, wordValue, shift);
      wordValue = arith::TruncIOp::create(builder, bits, shifted);
    }
    return bitcast(builder, wordValue, element);
  }

  Value replace(Value wordValue, Value value) {
    value = bitcast(builder, value, bits);
    if (!isNarrow())
      return value;
    Value low = constant(word, (int64_t(1) << bits.getWidth()) - 1);
    Value mask = arith::ShLIOp::create(builder, low, shift);
    Value keep = arith::XOrIOp::create(builder, mask, constant(word, -1));
    Value rest = arith::AndIOp::create(builder, wordValue, keep);
    Value wide = arith::ExtUIOp::create(builder, word, value);
    Value placed = arith::ShLIOp::create(builder, wide, shift);
    return arith::OrIOp::create(builder, rest, placed);
  }

  ImplicitLocOpBuilder &builder;
  Value pointer;
  Type element;
  IntegerType bits;
  Type word;
  Value wordPointer, shift;
};

struct AtomicRMWPattern final : OpConversionPattern<memref::AtomicRMWOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::AtomicRMWOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value pointer = spirv::getElementPtr(*getTypeConverter<SPIRVTypeConverter>(),
                                         op.getMemRefType(), adaptor.getMemref(),
                                         adaptor.getIndices(), op.getLoc(), rewriter);
    Type type = op.getType();
    bool isWord = type.isInteger(32) || type.isInteger(64);
    spirv::Scope scope = getScope(pointer);
    if (op.getKind() == arith::AtomicRMWKind::addi && isWord) {
      rewriter.replaceOpWithNewOp<spirv::AtomicIAddOp>(op, type, pointer, scope,
                                                       kRelaxed, adaptor.getValue());
      return success();
    }
    if (!op.use_empty())
      return rewriter.notifyMatchFailure(op, "expected the result to be unused");
    if (op.getKind() == arith::AtomicRMWKind::assign)
      emitExchange(builder, pointer, adaptor.getValue(), scope);
    else if (op.getKind() == arith::AtomicRMWKind::addf &&
             (type.isF32() || type.isF64()))
      spirv::EXTAtomicFAddOp::create(builder, type, pointer, scope, kRelaxed,
                                     adaptor.getValue());
    else
      CompareAndSwap(builder, pointer, type)
          .emit([&](ImplicitLocOpBuilder &b, Value old) {
            return arith::getReductionOp(op.getKind(), b, b.getLoc(), old,
                                         op.getValue());
          });
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void emitExchange(ImplicitLocOpBuilder &builder, Value pointer, Value value,
                           spirv::Scope scope) {
    unsigned width = value.getType().getIntOrFloatBitWidth();
    if (width < 32) {
      // Narrow stores do not tear; there is no atomic exchange of them.
      auto access = spirv::MemoryAccess::Aligned | spirv::MemoryAccess::Volatile;
      spirv::StoreOp::create(builder, pointer, value,
                             spirv::MemoryAccessAttr::get(builder.getContext(), access),
                             builder.getI32IntegerAttr(width / 8));
      return;
    }
    // As integers: the CPU runtime has no exchange of f64.
    Type bits = builder.getIntegerType(width);
    spirv::AtomicExchangeOp::create(builder, bits,
                                    bitcastPointer(builder, pointer, bits), scope,
                                    kRelaxed, bitcast(builder, value, bits));
  }
};

struct GenericAtomicRMWPattern final : OpConversionPattern<memref::GenericAtomicRMWOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::GenericAtomicRMWOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = op.getResult().getType();
    if (!op.use_empty() || !type.isIntOrFloat())
      return rewriter.notifyMatchFailure(op, "expected an unused scalar result");
    Value pointer = spirv::getElementPtr(*getTypeConverter<SPIRVTypeConverter>(),
                                         cast<MemRefType>(op.getMemref().getType()),
                                         adaptor.getMemref(), adaptor.getIndices(),
                                         op.getLoc(), rewriter);
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    CompareAndSwap(builder, pointer, type)
        .emit([&](ImplicitLocOpBuilder &b, Value old) {
          IRMapping mapping;
          mapping.map(op.getCurrentValue(), old);
          for (Operation &nested : op.getBody()->without_terminator())
            b.clone(nested, mapping);
          return mapping.lookupOrDefault(op.getBody()->getTerminator()->getOperand(0));
        });
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tinytc::populateAtomicPatterns(const SPIRVTypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<AtomicRMWPattern, GenericAtomicRMWPattern>(
      converter, patterns.getContext(), /*benefit=*/2);
}
