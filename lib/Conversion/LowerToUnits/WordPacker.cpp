//===- WordPacker.cpp - Neighbouring numbers in words ---------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/LowerToUnits/WordPacker.h"
#include "lib/Builders/Indices.h"
#include "lib/Builders/LocalView.h"
#include "lib/Builders/WorkItemLoop.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tinytc;

WordPacker::WordPacker(ImplicitLocOpBuilder &builder, GemmOp op,
                       const DotProduct &product)
    : builder(builder), op(op), product(product), i32(builder.getI32Type()) {
  bool hasBytes = product.getDepth() == 4;
  packedType = builder.getIntegerType(hasBytes ? 8 : 16);
}

Value WordPacker::view(LocalRange range, Type element, ArrayRef<int64_t> shape,
                       int64_t stride) {
  return view(range, element, shape, ArrayRef<int64_t>{1, stride});
}

Value WordPacker::view(LocalRange range, Type element, ArrayRef<int64_t> shape,
                       ArrayRef<int64_t> strides) {
  range.offset += *getLocalOffset(op);
  Value memory = createLocalView(builder, op, range, element);
  auto layout = StridedLayoutAttr::get(builder.getContext(), 0, strides);
  auto type = MemRefType::get(shape, element, layout,
                              cast<MemRefType>(memory.getType()).getMemorySpace());
  return memref::ReinterpretCastOp::create(builder, type, memory, /*offset=*/0, shape,
                                           strides);
}

Value WordPacker::viewA() {
  return view(product.getA(), i32, {product.rows, product.getSteps()},
              product.getStride());
}

Value WordPacker::viewB() {
  const int64_t steps = product.getSteps(), columns = product.columns;
  if (product.isAlongB || product.tile)
    return view(product.getB(), i32, {steps, columns}, product.getColumnStride());
  return view(product.getB(), i32, {columns, steps}, columns);
}

void WordPacker::packA(Value a, Value words) {
  const int64_t steps = product.getSteps(), rows = product.getPackedRows();
  if (product.isAlongA) {
    copyLines(a, product.getReadA(), product.rows, steps, /*isBiased=*/false);
    gpu::BarrierOp::create(builder);
    transpose(view(product.getReadA(), i32, {steps, product.rows}, steps), words);
  } else {
    packAcross(a, words, product.rows, /*isBiased=*/false);
  }
  if (rows > product.rows)
    clear(view(product.getA(), i32, {rows, steps}, product.getStride()), /*mode=*/0,
          product.rows);
}

void WordPacker::packB(Value b, Value words) {
  const int64_t steps = product.getSteps(), columns = product.getPackedColumns();
  const bool isBiased = product.numbers == PackedNumbers::UI8;
  if (product.isAlongB) {
    copyLines(b, product.getB(), product.columns, product.getColumnStride(), isBiased);
  } else if (product.tile) {
    Value read =
        view(product.getReadB(), i32, {product.columns, steps}, product.columns);
    packAcross(b, read, product.columns, isBiased);
    gpu::BarrierOp::create(builder);
    transpose(read, words);
  } else {
    packAcross(b, words, product.columns, isBiased);
  }
  if (columns > product.columns)
    clear(view(product.getB(), i32, {steps, columns}, product.getColumnStride()),
          /*mode=*/1, product.columns);
}

Value WordPacker::toBits(ImplicitLocOpBuilder &b, Value number, Type type) {
  if (isa<FloatType>(number.getType()))
    number = arith::BitcastOp::create(b, packedType, number);
  return ScalarBuilder(b).cast(number, type);
}

Value WordPacker::constant(ImplicitLocOpBuilder &b, Type type, int64_t value) {
  return ScalarBuilder(b).constant(type, value);
}

/// Copies lines, along which numbers are summed up and which are `stride` words apart,
/// and adds zeros that fill words.
void WordPacker::copyLines(Value matrix, LocalRange range, int64_t lines,
                           int64_t stride, bool isBiased) {
  const int64_t length = product.getSteps() * product.getDepth();
  const int64_t summed = product.summed, apart = stride * product.getDepth();
  Value copies = view(range, packedType, {summed, lines}, apart);
  createGeneric(builder, ElementInput{matrix, {0, 1}}, {copies, {0, 1}},
                /*reductions=*/0, [&](ImplicitLocOpBuilder &b, ValueRange x) {
                  Value bits = toBits(b, x.front(), packedType);
                  if (isBiased)
                    bits =
                        arith::XOrIOp::create(b, bits, constant(b, packedType, -128));
                  return bits;
                });
  if (summed < length)
    clear(view(range, packedType, {length, lines}, apart), /*mode=*/0, summed);
}

/// Puts zeros where the index of a mode is at least `from`.
void WordPacker::clear(Value matrix, unsigned mode, int64_t from) {
  auto type = cast<MemRefType>(matrix.getType());
  SmallVector<int64_t> shape = llvm::to_vector(type.getShape());
  shape[mode] -= from;
  forEach(shape, [&](ValueRange at) {
    SmallVector<Value> place = llvm::to_vector(at);
    place[mode] = createIndexAdd(builder, at[mode], builder.getIndexAttr(from));
    memref::StoreOp::create(builder, constant(builder, type.getElementType(), 0),
                            matrix, place);
  });
}

void WordPacker::transpose(Value from, Value to) {
  createGeneric(builder, ElementInput{from, {1, 0}}, {to, {0, 1}},
                /*reductions=*/0,
                [](ImplicitLocOpBuilder &, ValueRange x) { return x.front(); });
}

/// Joins numbers of different lines into words. The last word of a line may
/// have fewer; words after it are 0.
void WordPacker::packAcross(Value matrix, Value words, int64_t lines, bool isBiased) {
  const int64_t depth = product.getDepth(), steps = product.getSteps();
  const int64_t full = product.summed / depth, rest = product.summed % depth;
  if (full > 0)
    forEach({lines, full},
            [&](ValueRange at) { packWord(matrix, words, at, depth, isBiased); });
  if (rest != 0) {
    Value last = createIndex(builder, full);
    forEach({lines, 1}, [&](ValueRange at) {
      packWord(matrix, words, {at[0], last}, rest, isBiased);
    });
  }
  if (int64_t packed = full + (rest != 0); packed < steps)
    clear(words, /*mode=*/1, packed);
}

void WordPacker::packWord(Value matrix, Value words, ValueRange at, int64_t count,
                          bool isBiased) {
  const int64_t bits = packedType.getIntOrFloatBitWidth();
  Value depth = createIndex(builder, product.getDepth());
  Value first = arith::MulIOp::create(builder, at[1], depth);
  Value word;
  for (auto [place, summed] : llvm::enumerate(createAdjacent(builder, first, count))) {
    Value number = memref::LoadOp::create(builder, matrix, ValueRange{at[0], summed});
    number = toBits(builder, number, packedType);
    number = arith::ExtUIOp::create(builder, i32, number);
    if (place > 0) {
      number =
          arith::ShLIOp::create(builder, number, constant(builder, i32, place * bits));
      number = arith::OrIOp::create(builder, word, number);
    }
    word = number;
  }
  if (isBiased)
    word = arith::XOrIOp::create(builder, word, constant(builder, i32, 0x80808080));
  memref::StoreOp::create(builder, word, words, at);
}

void WordPacker::forEach(ArrayRef<int64_t> shape, function_ref<void(ValueRange)> body) {
  Value zero = createIndex(builder, 0), one = createIndex(builder, 1);
  SmallVector<Value> upper = llvm::map_to_vector(
      shape, [&](int64_t size) { return createIndex(builder, size); });
  auto loop = createWorkItemLoop(builder, {zero, zero}, upper, {one, one});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVars());
}
