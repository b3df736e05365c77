//===- CompareAndSwap.cpp - Atomic updates as loops -----------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Builders/CompareAndSwap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tinytc;

Value tinytc::castBits(ImplicitLocOpBuilder &builder, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (value.getType().isIndex() || type.isIndex())
    return arith::IndexCastOp::create(builder, type, value);
  return arith::BitcastOp::create(builder, type, value);
}

CompareAndSwap::CompareAndSwap(ImplicitLocOpBuilder &builder, WordAccess &access,
                               Value pointer, Type element)
    : builder(builder), access(access), element(element),
      bits(IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth())) {
  prepareWord(pointer);
}

Value CompareAndSwap::emit(Update update) {
  Value first = access.load(builder, wordPointer, word);
  // Create the loop before its body: the conversion visits ops in order of creation.
  auto loop = scf::WhileOp::create(builder, TypeRange(word), ValueRange(first));
  OpBuilder::InsertionGuard guard(builder);
  Block *before = builder.createBlock(&loop.getBefore(), {}, word, builder.getLoc());
  Value expected = before->getArgument(0);
  Value next = replace(expected, update(builder, extract(expected)));
  Value seen = access.compareAndSwap(builder, wordPointer, expected, next);
  Value isChanged =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, seen, expected);
  scf::ConditionOp::create(builder, isChanged, seen);
  Block *after = builder.createBlock(&loop.getAfter(), {}, word, builder.getLoc());
  scf::YieldOp::create(builder, after->getArguments());
  builder.setInsertionPointAfter(loop);
  return extract(loop.getResult(0));
}

Value CompareAndSwap::emitRead(ReadWord read) {
  return extract(read(wordPointer, word));
}

Value CompareAndSwap::constant(Type type, int64_t value) {
  return arith::ConstantOp::create(builder, IntegerAttr::get(type, value));
}

void CompareAndSwap::prepareWord(Value pointer) {
  word = isNarrow() ? builder.getIntegerType(access.getMinBits()) : bits;
  if (!isNarrow()) {
    wordPointer = access.castPointer(builder, pointer, bits);
    return;
  }
  Type i64 = builder.getI64Type();
  Value address = access.getAddress(builder, pointer);
  int64_t wordBytes = word.getWidth() / 8;
  // Not by a mask on the address, of which drivers believe too much to be known
  // (docs/decisions/atomics.md).
  Value byte = arith::AndIOp::create(builder, address, constant(i64, wordBytes - 1));
  Value offset = arith::SubIOp::create(builder, constant(i64, 0), byte);
  wordPointer = access.getWordAt(builder, pointer, offset, word);
  Value bit = arith::ShLIOp::create(builder, byte, constant(i64, 3));
  shift = arith::TruncIOp::create(builder, word, bit);
}

Value CompareAndSwap::extract(Value wordValue) {
  if (isNarrow()) {
    Value shifted = arith::ShRUIOp::create(builder, wordValue, shift);
    wordValue = arith::TruncIOp::create(builder, bits, shifted);
  }
  return castBits(builder, wordValue, element);
}

Value CompareAndSwap::replace(Value wordValue, Value value) {
  value = castBits(builder, value, bits);
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

Value tinytc::createUpdated(ImplicitLocOpBuilder &builder, AtomicKind kind, Value old,
                            Value value) {
  bool isFloat = isa<FloatType>(old.getType());
  arith::AtomicRMWKind operation;
  if (kind == AtomicKind::Add)
    operation = isFloat ? arith::AtomicRMWKind::addf : arith::AtomicRMWKind::addi;
  else if (kind == AtomicKind::Min)
    operation = isFloat ? arith::AtomicRMWKind::minnumf : arith::AtomicRMWKind::mins;
  else
    operation = isFloat ? arith::AtomicRMWKind::maxnumf : arith::AtomicRMWKind::maxs;
  return arith::getReductionOp(operation, builder, builder.getLoc(), old, value);
}
