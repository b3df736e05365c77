//===- Atomics.cpp - Atomic updates -> SPIR-V atomics or CAS loops --------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Sums of i32, i64, f32 and f64, extrema of i32 and i64 and exchanges of 32 and 64 bits
// have an instruction. Anything else is a loop around a compare-and-swap of the 32-bit
// or 64-bit word that holds the element.
//
//===----------------------------------------------------------------------===//

#include "dialect/Scalars.h"
#include "lib/Builders/CompareAndSwap.h"
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

/// Why upstream's conversion of memory has no pointer to an element.
static constexpr char kNoPointer[] = "expected known strides and an address space";

static constexpr auto kRelaxed = spirv::MemorySemantics::None;

static spirv::Scope convertScope(MemoryScope scope) {
  switch (scope) {
  case MemoryScope::CrossDevice:
    return spirv::Scope::CrossDevice;
  case MemoryScope::Device:
    return spirv::Scope::Device;
  case MemoryScope::WorkGroup:
    return spirv::Scope::Workgroup;
  case MemoryScope::Subgroup:
    return spirv::Scope::Subgroup;
  }
  llvm_unreachable("unknown scope");
}

/// The order of accesses to both address spaces: the language does not tell them apart.
static spirv::MemorySemantics convertSemantics(MemorySemantics semantics) {
  using spirv::MemorySemantics;
  auto memory =
      MemorySemantics::WorkgroupMemory | MemorySemantics::CrossWorkgroupMemory;
  switch (semantics) {
  case tinytc::MemorySemantics::Relaxed:
    return kRelaxed;
  case tinytc::MemorySemantics::Acquire:
    return MemorySemantics::Acquire | memory;
  case tinytc::MemorySemantics::Release:
    return MemorySemantics::Release | memory;
  case tinytc::MemorySemantics::AcquireRelease:
    return MemorySemantics::AcquireRelease | memory;
  case tinytc::MemorySemantics::SequentiallyConsistent:
    return MemorySemantics::SequentiallyConsistent | memory;
  }
  llvm_unreachable("unknown semantics");
}

/// Scope and semantics as SPIR-V has them.
namespace {
struct Order {
  spirv::Scope scope;
  spirv::MemorySemantics semantics = kRelaxed;
};
} // namespace

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

/// Words that SPIR-V pointers point to.
class SPIRVWordAccess final : public WordAccess {
public:
  explicit SPIRVWordAccess(Order order) : order(order) {}

  Value castPointer(ImplicitLocOpBuilder &builder, Value pointer,
                    IntegerType word) override {
    return bitcastPointer(builder, pointer, word);
  }

  Value getAddress(ImplicitLocOpBuilder &builder, Value pointer) override {
    return spirv::ConvertPtrToUOp::create(builder, builder.getI64Type(), pointer);
  }

  Value getWordAt(ImplicitLocOpBuilder &builder, Value pointer, Value bytes,
                  IntegerType word) override {
    Value first = bitcastPointer(builder, pointer, builder.getI8Type());
    Value begin = spirv::PtrAccessChainOp::create(builder, first, bytes, ValueRange());
    return bitcastPointer(builder, begin, word);
  }

  Value load(ImplicitLocOpBuilder &builder, Value pointer, IntegerType word) override {
    auto aligned = spirv::MemoryAccess::Aligned | spirv::MemoryAccess::Volatile;
    return spirv::LoadOp::create(
        builder, word, pointer,
        spirv::MemoryAccessAttr::get(builder.getContext(), aligned),
        builder.getI32IntegerAttr(word.getWidth() / 8));
  }

  Value compareAndSwap(ImplicitLocOpBuilder &builder, Value pointer, Value expected,
                       Value next) override {
    // Where the word has changed, the next attempt orders other accesses.
    return spirv::AtomicCompareExchangeOp::create(builder, next.getType(), pointer,
                                                  order.scope, order.semantics,
                                                  kRelaxed, next, expected);
  }

private:
  Order order;
};

/// Numbers of bf16, whose bits are an i16, as f32.
Value widen(ImplicitLocOpBuilder &builder, Value bits) {
  Type i32 = builder.getI32Type();
  Value wide = arith::ExtUIOp::create(builder, i32, bits);
  Value sixteen = arith::ConstantOp::create(builder, builder.getI32IntegerAttr(16));
  Value shifted = arith::ShLIOp::create(builder, wide, sixteen);
  return arith::BitcastOp::create(builder, builder.getF32Type(), shifted);
}

/// The bits of the nearest bf16, of the even one of two; a NaN stays one.
Value narrow(ImplicitLocOpBuilder &builder, Value value) {
  auto constant = [&](int64_t number) {
    return arith::ConstantOp::create(builder, builder.getI32IntegerAttr(number));
  };
  Value bits = arith::BitcastOp::create(builder, builder.getI32Type(), value);
  Value sixteen = constant(16);
  Value high = arith::ShRUIOp::create(builder, bits, sixteen);
  Value odd = arith::AndIOp::create(builder, high, constant(1));
  Value bias = arith::AddIOp::create(builder, odd, constant(0x7fff));
  Value sum = arith::AddIOp::create(builder, bits, bias);
  Value rounded = arith::ShRUIOp::create(builder, sum, sixteen);
  Value isNaN = arith::CmpFOp::create(builder, arith::CmpFPredicate::UNO, value, value);
  Value chosen = arith::SelectOp::create(builder, isNaN, constant(0x7fc0), rounded);
  return arith::TruncIOp::create(builder, builder.getIntegerType(16), chosen);
}

/// Accesses elements of `type`, whose bits are in memory, at a pointer.
class ElementAccess {
public:
  ElementAccess(ImplicitLocOpBuilder &builder, Value pointer, Type type, Order order)
      : builder(builder), pointer(pointer), type(type), order(order), access(order),
        element(cast<spirv::PointerType>(pointer.getType()).getPointeeType()) {}

  /// Returns the element before, null for a store.
  Value emit(AtomicKind kind, Value value) {
    switch (kind) {
    case AtomicKind::Load:
      return emitLoad();
    case AtomicKind::Store:
      emitStore(value);
      return {};
    default:
      return emitUpdate(kind, value);
    }
  }

  void emitStore(Value value) {
    unsigned width = element.getIntOrFloatBitWidth();
    if (width < 32 && order.semantics != kRelaxed) {
      createLoop().emit([&](ImplicitLocOpBuilder &, Value) { return value; });
      return;
    }
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
                                    bitcastPointer(builder, pointer, bits), order.scope,
                                    order.semantics, bitcast(builder, value, bits));
  }

private:
  Value emitUpdate(AtomicKind kind, Value value) {
    bool isWord = type.isInteger(32) || type.isInteger(64);
    if (kind == AtomicKind::Add && isWord)
      return create<spirv::AtomicIAddOp>(value);
    if (kind == AtomicKind::Add && (type.isF32() || type.isF64()))
      return create<spirv::EXTAtomicFAddOp>(value);
    if (kind == AtomicKind::Min && isWord)
      return create<spirv::AtomicSMinOp>(value);
    if (kind == AtomicKind::Max && isWord)
      return create<spirv::AtomicSMaxOp>(value);
    return createLoop().emit([&](ImplicitLocOpBuilder &, Value old) {
      if (!isStoredAsBits(type))
        return createUpdated(builder, kind, old, value);
      return narrow(builder, createUpdated(builder, kind, widen(builder, old),
                                           widen(builder, value)));
    });
  }

  /// An update that changes nothing, since MLIR's SPIR-V dialect has no atomic load.
  Value emitLoad() {
    return createLoop().emitRead([&](Value pointer, IntegerType word) -> Value {
      return spirv::AtomicOrOp::create(
          builder, word, pointer, order.scope, order.semantics,
          arith::ConstantOp::create(builder, IntegerAttr::get(word, 0)));
    });
  }

  CompareAndSwap createLoop() { return {builder, access, pointer, element}; }

  template <typename Op>
  Value create(Value value) {
    return Op::create(builder, element, pointer, order.scope, order.semantics, value);
  }

  ImplicitLocOpBuilder &builder;
  Value pointer;
  Type type;
  Order order;
  SPIRVWordAccess access;
  Type element;
};

struct AtomicPattern final : OpConversionPattern<AtomicOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AtomicOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    auto memref = cast<MemRefType>(op.getMemref().getType());
    Type type = op.getValue() ? op.getValue().getType() : memref.getElementType();
    if (!type.isIntOrFloat())
      return rewriter.notifyMatchFailure(op, "expected a type that memory holds");
    if (isStoredAsBits(type) && memref.getElementType() != getStorageType(type))
      return rewriter.notifyMatchFailure(op, "expected memory of the bits");
    Value pointer = spirv::getElementPtr(*getTypeConverter<SPIRVTypeConverter>(),
                                         memref, adaptor.getMemref(),
                                         adaptor.getIndices(), op.getLoc(), rewriter);
    if (!pointer)
      return rewriter.notifyMatchFailure(op, kNoPointer);
    Order order{convertScope(op.getScope()), convertSemantics(op.getSemantics())};
    Value before = ElementAccess(builder, pointer, type, order)
                       .emit(op.getKind(), adaptor.getValue());
    if (before)
      rewriter.replaceOp(op, before);
    else
      rewriter.eraseOp(op);
    return success();
  }
};

struct AtomicRMWPattern final : OpConversionPattern<memref::AtomicRMWOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::AtomicRMWOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = op.getType();
    bool isAdditionOfWords = op.getKind() == arith::AtomicRMWKind::addi &&
                             (type.isInteger(32) || type.isInteger(64));
    if (!isAdditionOfWords && !op.use_empty())
      return rewriter.notifyMatchFailure(op, "expected the result to be unused");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value pointer = spirv::getElementPtr(*getTypeConverter<SPIRVTypeConverter>(),
                                         op.getMemRefType(), adaptor.getMemref(),
                                         adaptor.getIndices(), op.getLoc(), rewriter);
    if (!pointer)
      return rewriter.notifyMatchFailure(op, kNoPointer);
    spirv::Scope scope = getScope(pointer);
    if (isAdditionOfWords) {
      rewriter.replaceOpWithNewOp<spirv::AtomicIAddOp>(op, type, pointer, scope,
                                                       kRelaxed, adaptor.getValue());
      return success();
    }
    if (op.getKind() == arith::AtomicRMWKind::assign)
      ElementAccess(builder, pointer, type, {scope}).emitStore(adaptor.getValue());
    else if (op.getKind() == arith::AtomicRMWKind::addf &&
             (type.isF32() || type.isF64()))
      spirv::EXTAtomicFAddOp::create(builder, type, pointer, scope, kRelaxed,
                                     adaptor.getValue());
    else {
      SPIRVWordAccess access({scope});
      CompareAndSwap(builder, access, pointer, type)
          .emit([&](ImplicitLocOpBuilder &b, Value old) {
            return arith::getReductionOp(op.getKind(), b, b.getLoc(), old,
                                         op.getValue());
          });
    }
    rewriter.eraseOp(op);
    return success();
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
    if (!pointer)
      return rewriter.notifyMatchFailure(op, kNoPointer);
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    SPIRVWordAccess access({getScope(pointer)});
    CompareAndSwap(builder, access, pointer, type)
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
  patterns.add<AtomicPattern, AtomicRMWPattern, GenericAtomicRMWPattern>(
      converter, patterns.getContext(), /*benefit=*/2);
}
