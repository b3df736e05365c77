//===- Atomics.cpp - Atomic accesses -> those of LLVM or CAS loops --------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Integers of 32 and 64 bits and floating-point numbers have an instruction for what
// the GPU does in one step. Anything else is a loop around a compare-and-swap.
//
//===----------------------------------------------------------------------===//

#include "lib/Builders/CompareAndSwap.h"
#include "lib/Conversion/GPUToNVVM/Patterns.h"
#include "lib/Target/Machine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {
/// Scope and semantics as LLVM has them.
struct Order {
  StringRef scope;
  LLVM::AtomicOrdering semantics = LLVM::AtomicOrdering::monotonic;
};
} // namespace

/// LLVM's name of a scope. There is none for less than a work-group, and no name means
/// all devices.
static StringRef convertScope(MemoryScope scope) {
  switch (scope) {
  case MemoryScope::CrossDevice:
    return "";
  case MemoryScope::Device:
    return "device";
  case MemoryScope::WorkGroup:
  case MemoryScope::Subgroup:
    return "block";
  }
  llvm_unreachable("unknown scope");
}

/// Local memory is shared by a work-group, global memory by all of them.
static Order getDefaultOrder(Value pointer) {
  auto type = cast<LLVM::LLVMPointerType>(pointer.getType());
  bool isLocal =
      type.getAddressSpace() == static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared);
  return {convertScope(isLocal ? MemoryScope::WorkGroup : MemoryScope::Device)};
}

static StringRef getPTXScope(Order order) {
  return llvm::StringSwitch<StringRef>(order.scope)
      .Case("device", ".gpu")
      .Case("block", ".cta")
      .Default(".sys");
}

/// Sequential consistency is acquiring after a fence.
static StringRef getPTXSemantics(Order order) {
  switch (order.semantics) {
  case LLVM::AtomicOrdering::release:
    return ".release";
  case LLVM::AtomicOrdering::acq_rel:
    return ".acq_rel";
  case LLVM::AtomicOrdering::acquire:
  case LLVM::AtomicOrdering::seq_cst:
    return ".acquire";
  default:
    return ".relaxed";
  }
}

static StringRef getPTXSpace(Value pointer) {
  auto type = cast<LLVM::LLVMPointerType>(pointer.getType());
  switch (static_cast<NVVM::NVVMMemorySpace>(type.getAddressSpace())) {
  case NVVM::NVVMMemorySpace::Global:
    return ".global";
  case NVVM::NVVMMemorySpace::Shared:
    return ".shared";
  default:
    return "";
  }
}

/// An instruction on 16 bits as text: LLVM's backend compares and swaps 32 bits, which
/// may begin before the array or end after it, and its sums have no order. Takes and
/// returns i16.
static Value emitAtom(ImplicitLocOpBuilder &builder, StringRef operation, Value pointer,
                      ValueRange values, Order order) {
  if (order.semantics == LLVM::AtomicOrdering::seq_cst)
    LLVM::FenceOp::create(builder, order.semantics, order.scope);
  std::string text = ("atom" + getPTXSemantics(order) + getPTXScope(order) +
                      getPTXSpace(pointer) + "." + operation + " $0, [$1]")
                         .str();
  std::string constraints = "=h,l";
  SmallVector<Value> operands{pointer};
  for (Value value : values) {
    operands.push_back(value);
    text += ", $" + std::to_string(operands.size());
    constraints += ",h";
  }
  auto atom = LLVM::InlineAsmOp::create(
      builder, builder.getI16Type(), operands, text + ";", constraints + ",~{memory}",
      /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
  return atom.getResult(0);
}

namespace {

/// Words that pointers of the llvm dialect point to.
class LLVMWordAccess final : public WordAccess {
public:
  explicit LLVMWordAccess(Order order) : order(order) {}

  unsigned getMinBits() const override { return 16; }

  Value castPointer(ImplicitLocOpBuilder &, Value pointer, IntegerType) override {
    return pointer;
  }

  Value getAddress(ImplicitLocOpBuilder &builder, Value pointer) override {
    return LLVM::PtrToIntOp::create(builder, builder.getI64Type(), pointer);
  }

  Value getWordAt(ImplicitLocOpBuilder &builder, Value pointer, Value bytes,
                  IntegerType) override {
    return LLVM::GEPOp::create(builder, pointer.getType(), builder.getI8Type(), pointer,
                               bytes);
  }

  Value load(ImplicitLocOpBuilder &builder, Value pointer, IntegerType word) override {
    return createLoad(builder, pointer, word, LLVM::AtomicOrdering::monotonic);
  }

  Value compareAndSwap(ImplicitLocOpBuilder &builder, Value pointer, Value expected,
                       Value next) override {
    if (next.getType().isInteger(16))
      return emitAtom(builder, "cas.b16", pointer, {expected, next}, order);
    // Where the word has changed, the next attempt orders other accesses.
    Value pair =
        LLVM::AtomicCmpXchgOp::create(builder, pointer, expected, next, order.semantics,
                                      LLVM::AtomicOrdering::monotonic, order.scope);
    return LLVM::ExtractValueOp::create(builder, pair, 0);
  }

  Value createLoad(ImplicitLocOpBuilder &builder, Value pointer, Type type,
                   LLVM::AtomicOrdering semantics) {
    return LLVM::LoadOp::create(builder, type, pointer,
                                /*alignment=*/getElementBytes(type),
                                /*isVolatile=*/false, /*isNonTemporal=*/false,
                                /*isInvariant=*/false, /*isInvariantGroup=*/false,
                                semantics, order.scope);
  }

private:
  Order order;
};

/// Accesses elements of `type`, stored as `element`, at a pointer.
class ElementAccess {
public:
  ElementAccess(ImplicitLocOpBuilder &builder, const Machine &machine, Value pointer,
                Type type, Type element, Order order)
      : builder(builder), machine(machine), pointer(pointer), type(type),
        element(element.isIndex() ? builder.getI64Type() : element), order(order),
        access(order) {}

  /// Returns the element before, as `element` or `type`; null for a store.
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
    Type bits = builder.getIntegerType(getBitWidth());
    value = castBits(builder, value, bits);
    LLVM::StoreOp::create(builder, value, pointer, getElementBytes(bits),
                          /*isVolatile=*/false, /*isNonTemporal=*/false,
                          /*isInvariantGroup=*/false, order.semantics, order.scope);
  }

  /// An update of the value by `update`.
  Value emitLoop(CompareAndSwap::Update update) {
    return CompareAndSwap(builder, access, pointer, element).emit(update);
  }

  Value emitRMW(LLVM::AtomicBinOp operation, Value value) {
    return LLVM::AtomicRMWOp::create(builder, operation, pointer,
                                     castBits(builder, value, element), order.semantics,
                                     order.scope);
  }

  /// Adds by an instruction; null if there is none for the type.
  Value emitSum(Value value) {
    if (element.isInteger(32) || element.isInteger(64))
      return emitRMW(LLVM::AtomicBinOp::add, value);
    if (type.isF32() || type.isF64())
      return emitRMW(LLVM::AtomicBinOp::fadd, value);
    if (!type.isF16() && !(type.isBF16() && machine.warps.addsBF16Atomically))
      return {};
    Value bits = castBits(builder, value, builder.getI16Type());
    Value before = emitAtom(builder, type.isF16() ? "add.noftz.f16" : "add.noftz.bf16",
                            pointer, bits, order);
    return castBits(builder, before, element);
  }

private:
  unsigned getBitWidth() const { return element.getIntOrFloatBitWidth(); }

  Value emitLoad() {
    Type bits = builder.getIntegerType(getBitWidth());
    Value loaded = access.createLoad(builder, pointer, bits, order.semantics);
    return castBits(builder, loaded, element);
  }

  Value emitUpdate(AtomicKind kind, Value value) {
    bool isWord = element.isInteger(32) || element.isInteger(64);
    if (kind == AtomicKind::Add) {
      if (Value before = emitSum(value))
        return before;
    } else if (isWord)
      return emitRMW(kind == AtomicKind::Min ? LLVM::AtomicBinOp::min
                                             : LLVM::AtomicBinOp::max,
                     value);
    return emitLoop([&](ImplicitLocOpBuilder &, Value old) {
      Value updated = createUpdated(builder, kind, castBits(builder, old, type), value);
      return castBits(builder, updated, element);
    });
  }

  ImplicitLocOpBuilder &builder;
  const Machine &machine;
  Value pointer;
  Type type, element;
  Order order;
  LLVMWordAccess access;
};

/// A pattern that asks for the instructions of a machine.
template <typename Op>
struct MachinePattern : OpConversionPattern<Op> {
  MachinePattern(const PointerTypeConverter &converter, MLIRContext *context,
                 const Machine &machine)
      : OpConversionPattern<Op>(converter, context), pointers(converter),
        machine(machine) {}

  const PointerTypeConverter &pointers;
  const Machine &machine;
};

struct AtomicPattern final : MachinePattern<AtomicOp> {
  using MachinePattern::MachinePattern;

  LogicalResult matchAndRewrite(AtomicOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    auto memref = cast<MemRefType>(op.getMemref().getType());
    Type element = memref.getElementType();
    Type type = op.getValue() ? op.getValue().getType() : element;
    if (!type.isIntOrIndexOrFloat())
      return rewriter.notifyMatchFailure(op, "expected a type that memory holds");
    Value pointer = pointers.createElementPointer(builder, memref, adaptor.getMemref(),
                                                  adaptor.getIndices());
    Order order{convertScope(op.getScope()), convertSemantics(op.getSemantics())};
    Value before = ElementAccess(builder, machine, pointer, type, element, order)
                       .emit(op.getKind(), adaptor.getValue());
    if (before)
      rewriter.replaceOp(op, castBits(builder, before, op.getResult().getType()));
    else
      rewriter.eraseOp(op);
    return success();
  }
};

struct AtomicRMWPattern final : MachinePattern<memref::AtomicRMWOp> {
  using MachinePattern::MachinePattern;

  LogicalResult matchAndRewrite(memref::AtomicRMWOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Type type = op.getType();
    Value pointer = pointers.createElementPointer(
        builder, op.getMemRefType(), adaptor.getMemref(), adaptor.getIndices());
    ElementAccess access(builder, machine, pointer, type,
                         op.getMemRefType().getElementType(), getDefaultOrder(pointer));
    arith::AtomicRMWKind kind = op.getKind();
    if (kind == arith::AtomicRMWKind::assign && op.use_empty()) {
      access.emitStore(adaptor.getValue());
      rewriter.eraseOp(op);
      return success();
    }
    Value before;
    if (kind == arith::AtomicRMWKind::addi || kind == arith::AtomicRMWKind::addf)
      before = access.emitSum(adaptor.getValue());
    if (!before)
      before = access.emitLoop([&](ImplicitLocOpBuilder &, Value old) {
        return arith::getReductionOp(kind, builder, op.getLoc(), old, op.getValue());
      });
    rewriter.replaceOp(op, castBits(builder, before, type));
    return success();
  }
};

struct GenericAtomicRMWPattern final : MachinePattern<memref::GenericAtomicRMWOp> {
  using MachinePattern::MachinePattern;

  LogicalResult matchAndRewrite(memref::GenericAtomicRMWOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = op.getResult().getType();
    if (!type.isIntOrFloat())
      return rewriter.notifyMatchFailure(op, "expected a scalar result");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    auto memref = cast<MemRefType>(op.getMemref().getType());
    Value pointer = pointers.createElementPointer(builder, memref, adaptor.getMemref(),
                                                  adaptor.getIndices());
    ElementAccess access(builder, machine, pointer, type, type,
                         getDefaultOrder(pointer));
    Value before = access.emitLoop([&](ImplicitLocOpBuilder &, Value old) {
      IRMapping mapping;
      mapping.map(op.getCurrentValue(), old);
      for (Operation &nested : op.getBody()->without_terminator())
        builder.clone(nested, mapping);
      return mapping.lookupOrDefault(op.getBody()->getTerminator()->getOperand(0));
    });
    rewriter.replaceOp(op, before);
    return success();
  }
};

} // namespace

void tinytc::populateNVVMAtomicPatterns(const PointerTypeConverter &converter,
                                        RewritePatternSet &patterns,
                                        const Machine &machine) {
  patterns.add<AtomicPattern, AtomicRMWPattern, GenericAtomicRMWPattern>(
      converter, patterns.getContext(), machine);
}
