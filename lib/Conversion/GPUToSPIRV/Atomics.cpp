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

static Value bitcastPointer(OpBuilder &builder, Location loc, Value pointer,
                            Type type) {
  auto from = cast<spirv::PointerType>(pointer.getType());
  auto to = spirv::PointerType::get(type, from.getStorageClass());
  if (from == to)
    return pointer;
  return spirv::BitcastOp::create(builder, loc, to, pointer);
}

static Value bitcast(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return arith::BitcastOp::create(builder, loc, type, value);
}

namespace {

/// A loop that replaces the element at a pointer by a function of its old value.
class CompareAndSwap {
public:
  /// Computes the new element from the old one, in the element's own type.
  using Update = function_ref<Value(OpBuilder &, Value)>;

  CompareAndSwap(Location loc, Value pointer, Type element)
      : loc(loc), pointer(pointer), element(element),
        bits(IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth())) {}

  void emit(OpBuilder &builder, Update update) {
    prepareWord(builder);
    auto aligned = spirv::MemoryAccess::Aligned | spirv::MemoryAccess::Volatile;
    Value first = spirv::LoadOp::create(
        builder, loc, word, wordPointer,
        spirv::MemoryAccessAttr::get(builder.getContext(), aligned),
        builder.getI32IntegerAttr(word.getIntOrFloatBitWidth() / 8));
    // Create the loop before its body: the conversion visits ops in order of creation.
    auto loop = scf::WhileOp::create(builder, loc, TypeRange(word), ValueRange(first));
    OpBuilder::InsertionGuard guard(builder);
    Block *before = builder.createBlock(&loop.getBefore(), {}, word, loc);
    Value expected = before->getArgument(0);
    Value next =
        replace(builder, expected, update(builder, extract(builder, expected)));
    Value seen = spirv::AtomicCompareExchangeOp::create(builder, loc, word, wordPointer,
                                                        getScope(wordPointer), kRelaxed,
                                                        kRelaxed, next, expected);
    Value isChanged =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, seen, expected);
    scf::ConditionOp::create(builder, loc, isChanged, seen);
    Block *after = builder.createBlock(&loop.getAfter(), {}, word, loc);
    scf::YieldOp::create(builder, loc, after->getArguments());
  }

private:
  bool isNarrow() const { return bits.getWidth() < 32; }

  Value constant(OpBuilder &builder, Type type, int64_t value) {
    return arith::ConstantOp::create(builder, loc, IntegerAttr::get(type, value));
  }

  /// Finds the word around the element, and the shift of the element in it.
  void prepareWord(OpBuilder &builder) {
    word = isNarrow() ? builder.getI32Type() : bits;
    if (!isNarrow()) {
      wordPointer = bitcastPointer(builder, loc, pointer, bits);
      return;
    }
    Type i64 = builder.getI64Type();
    auto type = cast<spirv::PointerType>(pointer.getType());
    Value address = spirv::ConvertPtrToUOp::create(builder, loc, i64, pointer);
    Value base =
        arith::AndIOp::create(builder, loc, address, constant(builder, i64, ~3));
    wordPointer = spirv::ConvertUToPtrOp::create(
        builder, loc, spirv::PointerType::get(word, type.getStorageClass()), base);
    Value byte =
        arith::AndIOp::create(builder, loc, address, constant(builder, i64, 3));
    Value bit = arith::ShLIOp::create(builder, loc, byte, constant(builder, i64, 3));
    shift = arith::TruncIOp::create(builder, loc, word, bit);
  }

  Value extract(OpBuilder &builder, Value wordValue) {
    if (isNarrow()) {
      Value shifted = arith::ShRUIOp::create(builder, loc, wordValue, shift);
      wordValue = arith::TruncIOp::create(builder, loc, bits, shifted);
    }
    return bitcast(builder, loc, wordValue, element);
  }

  Value replace(OpBuilder &builder, Value wordValue, Value value) {
    value = bitcast(builder, loc, value, bits);
    if (!isNarrow())
      return value;
    Value low = constant(builder, word, (int64_t(1) << bits.getWidth()) - 1);
    Value mask = arith::ShLIOp::create(builder, loc, low, shift);
    Value keep = arith::XOrIOp::create(builder, loc, mask, constant(builder, word, -1));
    Value rest = arith::AndIOp::create(builder, loc, wordValue, keep);
    Value wide = arith::ExtUIOp::create(builder, loc, word, value);
    Value placed = arith::ShLIOp::create(builder, loc, wide, shift);
    return arith::OrIOp::create(builder, loc, rest, placed);
  }

  Location loc;
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
    Location loc = op.getLoc();
    Value pointer = spirv::getElementPtr(*getTypeConverter<SPIRVTypeConverter>(),
                                         op.getMemRefType(), adaptor.getMemref(),
                                         adaptor.getIndices(), loc, rewriter);
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
      emitExchange(rewriter, loc, pointer, adaptor.getValue(), scope);
    else if (op.getKind() == arith::AtomicRMWKind::addf &&
             (type.isF32() || type.isF64()))
      spirv::EXTAtomicFAddOp::create(rewriter, loc, type, pointer, scope, kRelaxed,
                                     adaptor.getValue());
    else
      CompareAndSwap(loc, pointer, type).emit(rewriter, [&](OpBuilder &b, Value old) {
        return arith::getReductionOp(op.getKind(), b, loc, old, op.getValue());
      });
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void emitExchange(OpBuilder &builder, Location loc, Value pointer, Value value,
                           spirv::Scope scope) {
    unsigned width = value.getType().getIntOrFloatBitWidth();
    if (width < 32) {
      // Narrow stores do not tear; there is no atomic exchange of them.
      auto access = spirv::MemoryAccess::Aligned | spirv::MemoryAccess::Volatile;
      spirv::StoreOp::create(builder, loc, pointer, value,
                             spirv::MemoryAccessAttr::get(builder.getContext(), access),
                             builder.getI32IntegerAttr(width / 8));
      return;
    }
    // As integers: the CPU runtime has no exchange of f64.
    Type bits = builder.getIntegerType(width);
    spirv::AtomicExchangeOp::create(builder, loc, bits,
                                    bitcastPointer(builder, loc, pointer, bits), scope,
                                    kRelaxed, bitcast(builder, loc, value, bits));
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
    CompareAndSwap(op.getLoc(), pointer, type)
        .emit(rewriter, [&](OpBuilder &b, Value old) {
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
