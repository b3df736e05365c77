//===- ComplexProduct.cpp - Products of complex matrices on vectors -------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// In memory the parts of a complex number are neighbours. Lanes that hold rows would
// gather real and imaginary parts one by one, so two neighbouring lanes share a row,
// and each holds one part of it. For each element there are two real sums, one with the
// real and one with the imaginary parts of B,
//
//   lane of re(a):   re(a) re(b),  re(a) im(b)
//   lane of im(a):   im(a) re(b),  im(a) im(b)
//
// which the two lanes combine after the loop.
//
//===----------------------------------------------------------------------===//

#include "lib/Builders/Indices.h"
#include "lib/Conversion/DistributeLinalg/DistributeLinalg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

class ComplexProductEmitter {
public:
  ComplexProductEmitter(ImplicitLocOpBuilder &builder, Reduction reductionOps,
                        const WorkGroup &group, OpFoldResult length,
                        const Strategy &strategy)
      : reduction(reductionOps), group(group), length(length), unroll(strategy.unroll),
        laneInput(strategy.operand) {
    linalg::GenericOp op = reduction.sum;
    auto type = cast<ComplexType>(getElementTypeOrSelf(op.getDpsInits()[0].getType()));
    real = type.getElementType();
    a = ComplexPartsOp::create(builder, op.getDpsInputs()[laneInput]);
    dest = ComplexPartsOp::create(builder, reduction.update.getDpsInits().front());
    Type i32 = builder.getI32Type();
    one = createI32(builder, 1);
    width = createI32(builder, group.getSubgroupSize());
    Value lane = gpu::LaneIdOp::create(builder, /*upper_bound=*/nullptr);
    lane = arith::IndexCastOp::create(builder, i32, lane);
    isImaginary = arith::CmpIOp::create(builder, arith::CmpIPredicate::ne,
                                        arith::AndIOp::create(builder, lane, one),
                                        createI32(builder, 0));
  }

  /// Computes the tile rows x columns, whose rows are parts, and writes it.
  void emitTile(ImplicitLocOpBuilder &builder, ArrayRef<TileRow> rows,
                ArrayRef<TileColumn> columns) {
    Value zero = arith::ConstantOp::create(builder, builder.getZeroAttr(real));
    SmallVector<Value> sums(2 * rows.size() * columns.size(), zero);
    emitSumLoop(
        builder, group, length, unroll, sums,
        [&](ImplicitLocOpBuilder &b, Value k) { emitStep(b, rows, columns, k, sums); });
    writeTile(builder, rows, columns, sums);
  }

private:
  void emitStep(ImplicitLocOpBuilder &builder, ArrayRef<TileRow> rows,
                ArrayRef<TileColumn> columns, Value k, SmallVectorImpl<Value> &sums) {
    SmallVector<Value> parts;
    for (const TileRow &row : rows)
      parts.push_back(
          loadPart(builder, a, {row.index, k}, group.createIsInside(builder, row)));
    auto *sum = sums.begin();
    for (const TileColumn &column : columns) {
      // The other input does not depend on the row.
      SmallVector<Value> iteration{rows.front().index, column.index};
      iteration.resize(reduction.sum.getNumParallelLoops());
      iteration.push_back(k);
      Value b = loadElement(builder, reduction.sum, 1 - laneInput, iteration);
      Value re = complex::ReOp::create(builder, b);
      Value im = complex::ImOp::create(builder, b);
      for (Value part : parts) {
        *sum = createSum(builder, *sum, createProduct(builder, part, re));
        ++sum;
        *sum = createSum(builder, *sum, createProduct(builder, part, im));
        ++sum;
      }
    }
  }

  static constexpr auto kContract = arith::FastMathFlags::contract;

  Value createProduct(ImplicitLocOpBuilder &builder, Value x, Value y) {
    return arith::MulFOp::create(builder, x, y, kContract);
  }

  Value createSum(ImplicitLocOpBuilder &builder, Value x, Value y) {
    return arith::AddFOp::create(builder, x, y, kContract);
  }

  /// The value of the other lane of the pair.
  Value exchange(ImplicitLocOpBuilder &builder, Value value) {
    return gpu::ShuffleOp::create(builder, value, one, width, gpu::ShuffleMode::XOR)
        .getShuffleResult();
  }

  Value select(ImplicitLocOpBuilder &builder, Value imaginary, Value otherwise) {
    return arith::SelectOp::create(builder, isImaginary, imaginary, otherwise);
  }

  /// The complex number whose parts the pair of lanes holds.
  Value join(ImplicitLocOpBuilder &builder, Value part) {
    Value other = exchange(builder, part);
    return complex::CreateOp::create(builder, ComplexType::get(real),
                                     select(builder, other, part),
                                     select(builder, part, other));
  }

  /// re re - im im and im re + re im. The sums with an imaginary part change their sign
  /// if it is that of a conjugate.
  Value combine(ImplicitLocOpBuilder &builder, Value withReal, Value withImaginary) {
    if (isConjugated(reduction.sum, 1 - laneInput))
      withImaginary = arith::NegFOp::create(builder, withImaginary);
    if (isConjugated(reduction.sum, laneInput))
      for (Value *sum : {&withReal, &withImaginary})
        *sum = select(builder, arith::NegFOp::create(builder, *sum), *sum);
    Value other = exchange(builder, withImaginary);
    Value difference = arith::SubFOp::create(builder, withReal, other);
    Value sum = arith::AddFOp::create(builder, withReal, other);
    return join(builder, select(builder, sum, difference));
  }

  /// Loads a part if `condition` holds (null: always), else 0.
  Value loadPart(ImplicitLocOpBuilder &builder, Value parts, ValueRange indices,
                 Value condition) {
    return emitLoadIf(builder, condition, real, [&]() -> Value {
      return memref::LoadOp::create(builder, parts, indices);
    });
  }

  void writeTile(ImplicitLocOpBuilder &builder, ArrayRef<TileRow> rows,
                 ArrayRef<TileColumn> columns, ArrayRef<Value> sums) {
    bool writesTwice = canWriteTwice(reduction, group, rows);
    auto createCondition = [&](const TileRow &row) {
      return writesTwice && row.first ? Value()
                                      : group.createBelongsToTile(builder, row);
    };
    auto getIndices = [&](size_t i, size_t j) {
      SmallVector<Value> indices{rows[i].index, columns[j].index};
      indices.resize(cast<MemRefType>(dest.getType()).getRank());
      return indices;
    };
    auto emitRow = [&](size_t i) {
      SmallVector<Value> elements;
      for (size_t j = 0; j < columns.size(); ++j) {
        const Value *sum = &sums[2 * (j * rows.size() + i)];
        elements.push_back(emitNewPart(builder, getIndices(i, j),
                                       createCondition(rows[i]), columns[j],
                                       combine(builder, sum[0], sum[1])));
      }
      return elements;
    };
    SmallVector<SmallVector<Value>> elements(rows.size());
    if (writesTwice && !reduction.overwrites())
      emitBeforeWritingTwice(builder, columns, [&] {
        for (size_t i = 0; i < rows.size(); ++i)
          elements[i] = emitRow(i);
      });
    for (auto [i, row] : llvm::enumerate(rows)) {
      if (elements[i].empty())
        elements[i] = emitRow(i);
      OpBuilder::InsertionGuard guard(builder);
      enterIf(builder, createCondition(row));
      for (auto [j, element] : llvm::enumerate(elements[i]))
        memref::StoreOp::create(builder, element, dest, getIndices(i, j));
    }
  }

  /// The lane's part of a new element. The old one is read by parts too: another lane
  /// may write its part meanwhile.
  Value emitNewPart(ImplicitLocOpBuilder &builder, ValueRange indices, Value condition,
                    const TileColumn &column, Value product) {
    linalg::GenericOp update = reduction.update;
    SmallVector<Value> elements{product};
    Value old;
    if (!reduction.overwrites()) {
      old = loadPart(builder, dest, indices, condition);
      elements.push_back(join(builder, old));
    }
    Value element = cloneBody(builder, update, elements);
    Value part = select(builder, complex::ImOp::create(builder, element),
                        complex::ReOp::create(builder, element));
    if (Value belongsToTile =
            old ? group.createBelongsToTile(builder, column) : Value())
      part = arith::SelectOp::create(builder, belongsToTile, part, old);
    return part;
  }

  Reduction reduction;
  const WorkGroup &group;
  OpFoldResult length;
  int64_t unroll;
  Type real;
  unsigned laneInput;
  /// The lanes' input and the destination, by parts.
  Value a, dest;
  Value one, width, isImaginary;
};

} // namespace

void tinytc::distributeComplexProduct(ImplicitLocOpBuilder &builder,
                                      const WorkGroup &group,
                                      const Reduction &reduction, OpFoldResult length,
                                      const Strategy &strategy) {
  linalg::GenericOp update = reduction.update;
  Value dest = update.getDpsInits().front();
  SmallVector<OpFoldResult> sizes =
      memref::getMixedSizes(builder, builder.getLoc(), dest);
  sizes.resize(2, builder.getIndexAttr(1));
  OpFoldResult rows = createIndexMul(builder, sizes[0], builder.getIndexAttr(2));
  ComplexProductEmitter emitter(builder, reduction, group, length, strategy);
  group.distributeTiles(
      builder, rows, sizes[1], strategy,
      [&](ImplicitLocOpBuilder &b, ArrayRef<TileRow> tileRows,
          ArrayRef<TileColumn> columns) { emitter.emitTile(b, tileRows, columns); });
}
