//===- Atomics.cpp - One lane after the other -----------------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// There are no atomic accesses of vectors: a loop over the lanes does them. Numbers
// that processors do not update in one step are compared and swapped.
//
//===----------------------------------------------------------------------===//

#include "lib/Builders/CompareAndSwap.h"
#include "lib/Conversion/GPUToLLVM/Patterns.h"
#include "lib/Conversion/GPUToVector/Vectorizer.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// Words of memory of a processor, which compares and swaps bytes, too.
class NativeWordAccess final : public WordAccess {
public:
  explicit NativeWordAccess(LLVM::AtomicOrdering order) : order(order) {}

  unsigned getMinBits() const override { return 8; }

  Value castPointer(ImplicitLocOpBuilder &, Value pointer, IntegerType) override {
    return pointer;
  }

  Value getAddress(ImplicitLocOpBuilder &, Value) override {
    llvm_unreachable("no element is smaller than a word");
  }

  Value getWordAt(ImplicitLocOpBuilder &, Value, Value, IntegerType) override {
    llvm_unreachable("no element is smaller than a word");
  }

  Value load(ImplicitLocOpBuilder &builder, Value pointer, IntegerType word) override {
    return createLoad(builder, pointer, word, LLVM::AtomicOrdering::monotonic);
  }

  Value compareAndSwap(ImplicitLocOpBuilder &builder, Value pointer, Value expected,
                       Value next) override {
    Value pair = LLVM::AtomicCmpXchgOp::create(builder, pointer, expected, next, order,
                                               LLVM::AtomicOrdering::monotonic);
    return LLVM::ExtractValueOp::create(builder, pair, 0);
  }

  static Value createLoad(ImplicitLocOpBuilder &builder, Value pointer, Type type,
                          LLVM::AtomicOrdering order) {
    return LLVM::LoadOp::create(builder, type, pointer,
                                /*alignment=*/type.getIntOrFloatBitWidth() / 8,
                                /*isVolatile=*/false, /*isNonTemporal=*/false,
                                /*isInvariant=*/false, /*isInvariantGroup=*/false,
                                order);
  }

private:
  LLVM::AtomicOrdering order;
};

} // namespace

/// Updates an element in memory, stored as `element`; returns it as it was.
static Value update(ImplicitLocOpBuilder &builder, Value pointer, Type element,
                    LLVM::AtomicOrdering order, CompareAndSwap::Update function) {
  NativeWordAccess access(order);
  return CompareAndSwap(builder, access, pointer, getMemoryType(element))
      .emit(function);
}

/// LLVM writes the registers of many lanes to the stack for each lane that is taken,
/// and aborts for their masks where it may use only a part of a processor's registers.
bool Vectorizer::areInRegisters() const { return group.getNumLanes() <= 32; }

Vectorizer::Address Vectorizer::getLaneAddress(Value memory, Type element, Value lane) {
  auto uniform = LaneShape::uniform();
  return {Address::Scalar,
          addOffset(element, {uniform, memory}, {uniform, lane}).value};
}

Value Vectorizer::extractLane(Value lanes, Value lane) {
  if (areInRegisters())
    return vector::ExtractOp::create(builder, lanes, OpFoldResult(lane));
  Type element = cast<VectorType>(lanes.getType()).getElementType();
  Value memory = passLanes(toMemory(builder, lanes), 0);
  return load(getLaneAddress(memory, element, lane), element);
}

void Vectorizer::emitForLanes(Operation *op, function_ref<Value(LaneValue)> body) {
  Value result = op->getNumResults() == 1 ? Value(op->getResult(0)) : Value();
  if (group.getNumLanes() == 1 || (result && !shapes.get(result).isVarying)) {
    Value one = body([&](Value value) { return get(value).value; });
    if (result)
      define(result, one);
    return;
  }
  Values inits;
  Value memory; // of the result
  unsigned numPassed = 0;
  if (result)
    inits.push_back(arith::ConstantOp::create(
        builder, builder.getZeroAttr(cast<VectorType>(typesOf(result).front()))));
  if (result && !areInRegisters())
    memory = passLanes(toMemory(builder, inits.pop_back_val()), numPassed++);
  auto loop =
      scf::ForOp::create(builder, constantIndex(0), constantIndex(group.getNumLanes()),
                         constantIndex(1), inits);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = loop.getBody();
  if (!block->empty())
    block->back().erase();
  builder.setInsertionPointToEnd(block);
  Value lane = loop.getInductionVar();
  auto extract = [&](Lanes lanes) -> Value {
    if (areInRegisters())
      return vector::ExtractOp::create(builder, toVector(lanes), OpFoldResult(lane));
    OpBuilder::InsertPoint place = builder.saveInsertionPoint();
    builder.setInsertionPoint(loop);
    Value all = toVector(lanes);
    Value passed = passLanes(toMemory(builder, all), numPassed++);
    builder.restoreInsertionPoint(place);
    Type element = cast<VectorType>(all.getType()).getElementType();
    return load(getLaneAddress(passed, element, lane), element);
  };
  auto run = [&]() -> Values {
    Value one = body([&](Value value) {
      Lanes lanes = get(value);
      return lanes.shape.isUniform() ? lanes.value : extract(lanes);
    });
    if (memory)
      store(getLaneAddress(memory, one.getType(), lane), {LaneShape::uniform(), one});
    if (inits.empty())
      return {};
    return {vector::InsertOp::create(builder, one, loop.getRegionIterArgs().front(),
                                     OpFoldResult(lane))};
  };
  Values results;
  if (mask) {
    Value runs = extract({LaneShape::varying(), mask});
    auto branch = scf::IfOp::create(builder, ValueRange(inits).getTypes(), runs,
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/!inits.empty());
    OpBuilder::InsertionGuard inner(builder);
    if (!branch.thenBlock()->empty())
      branch.thenBlock()->back().erase();
    builder.setInsertionPointToEnd(branch.thenBlock());
    scf::YieldOp::create(builder, run());
    if (!inits.empty()) {
      builder.setInsertionPointToEnd(branch.elseBlock());
      scf::YieldOp::create(builder, loop.getRegionIterArgs());
    }
    results.assign(branch.getResults().begin(), branch.getResults().end());
  } else {
    results = run();
  }
  builder.setInsertionPointToEnd(block);
  scf::YieldOp::create(builder, results);
  if (!memory) {
    if (result)
      define(result, loop.getResult(0));
    return;
  }
  builder.setInsertionPointAfter(loop);
  Type element = result.getType();
  Value all = LLVM::LoadOp::create(builder, vectorOf(getMemoryType(element)), memory);
  define(result, fromMemory(builder, all, element));
}

/// The pointer to an element of one lane.
static Value createPointer(ImplicitLocOpBuilder &builder, Value base, Type element,
                           Value index) {
  Value offset = castIndex(builder, index, builder.getI64Type());
  return LLVM::GEPOp::create(builder, base.getType(), getMemoryType(element), base,
                             ArrayRef<LLVM::GEPArg>{offset});
}

LogicalResult Vectorizer::emitAtomic(AtomicOp op) {
  Type element = cast<MemRefType>(op.getMemref().getType()).getElementType();
  Type type = op.getValue() ? op.getValue().getType() : element;
  if (!type.isIntOrIndexOrFloat() || isPrivate(op.getMemref().getType()))
    return refuse(op);
  Type stored = getMemoryType(element);
  Type bits = builder.getIntegerType(stored.getIntOrFloatBitWidth());
  LLVM::AtomicOrdering order = convertSemantics(op.getSemantics());
  AtomicKind kind = op.getKind();
  emitForLanes(op, [&](LaneValue lane) -> Value {
    Value index =
        op.getIndices().empty() ? constantIndex(0) : lane(op.getIndices().front());
    Value pointer = createPointer(builder, lane(op.getMemref()), element, index);
    auto finish = [&](Value before) {
      return castBits(builder, before, op.getResult().getType());
    };
    if (kind == AtomicKind::Load)
      return finish(
          castBits(builder, NativeWordAccess::createLoad(builder, pointer, bits, order),
                   stored));
    Value value = lane(op.getValue());
    if (kind == AtomicKind::Store) {
      LLVM::StoreOp::create(builder, castBits(builder, value, bits), pointer,
                            bits.getIntOrFloatBitWidth() / 8, /*isVolatile=*/false,
                            /*isNonTemporal=*/false, /*isInvariantGroup=*/false, order);
      return {};
    }
    if (isa<IntegerType, IndexType>(type)) {
      LLVM::AtomicBinOp operation = kind == AtomicKind::Add   ? LLVM::AtomicBinOp::add
                                    : kind == AtomicKind::Min ? LLVM::AtomicBinOp::min
                                                              : LLVM::AtomicBinOp::max;
      return finish(LLVM::AtomicRMWOp::create(builder, operation, pointer,
                                              castBits(builder, value, stored), order));
    }
    return finish(update(
        builder, pointer, element, order, [&](ImplicitLocOpBuilder &, Value old) {
          Value next =
              createUpdated(builder, kind, castBits(builder, old, type), value);
          return castBits(builder, next, stored);
        }));
  });
  return success();
}

void Vectorizer::emitAtomic(memref::AtomicRMWOp op) {
  Type element = op.getMemRefType().getElementType();
  emitForLanes(op, [&](LaneValue lane) -> Value {
    Value index =
        op.getIndices().empty() ? constantIndex(0) : lane(op.getIndices().front());
    Value pointer = createPointer(builder, lane(op.getMemref()), element, index);
    Value value = lane(op.getValue());
    Value before = update(builder, pointer, element, LLVM::AtomicOrdering::monotonic,
                          [&](ImplicitLocOpBuilder &, Value old) -> Value {
                            if (op.getKind() == arith::AtomicRMWKind::assign)
                              return castBits(builder, value, old.getType());
                            Value next = arith::getReductionOp(
                                op.getKind(), builder, op.getLoc(),
                                castBits(builder, old, element), value);
                            return castBits(builder, next, old.getType());
                          });
    return castBits(builder, before, op.getType());
  });
}

void Vectorizer::emitAtomic(memref::GenericAtomicRMWOp op) {
  auto memref = cast<MemRefType>(op.getMemref().getType());
  Type element = memref.getElementType();
  emitForLanes(op, [&](LaneValue lane) -> Value {
    Value index =
        op.getIndices().empty() ? constantIndex(0) : lane(op.getIndices().front());
    Value pointer = createPointer(builder, lane(op.getMemref()), element, index);
    auto compute = [&](ImplicitLocOpBuilder &, Value old) -> Value {
      IRMapping mapping;
      mapping.map(op.getCurrentValue(), castBits(builder, old, element));
      for (Operation &nested : op.getBody()->without_terminator()) {
        for (Value operand : nested.getOperands())
          if (!mapping.contains(operand) && values.contains(operand))
            mapping.map(operand, lane(operand));
        builder.clone(nested, mapping);
      }
      Value next = op.getBody()->getTerminator()->getOperand(0);
      if (!mapping.contains(next))
        return castBits(builder, lane(next), old.getType());
      return castBits(builder, mapping.lookup(next), old.getType());
    };
    Value before =
        update(builder, pointer, element, LLVM::AtomicOrdering::monotonic, compute);
    return castBits(builder, before, element);
  });
}
