//===- ExpandQr.cpp - QR factors, and products with Q ---------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Householder reflections by blocks of 16, whose product is I - V T V^H with an upper
// triangle T (Schreiber and Van Loan, A storage-efficient WY representation for
// products of Householder transformations, 1989): loops factor the columns of a block,
// and products apply it to all others.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Factorizations.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace mlir::tinytc::instructions {

namespace {

/// Makes the instructions of one `qr` or `apply_q`.
struct Reflections : Expander {
  explicit Reflections(Operation *op, Value a, Value tau)
      : Expander(op), a{a}, tau(tau), type(getElementType(a)),
        real(getRealPartType(type)) {}

  void expandOp(QrOp op);
  void expandOp(ApplyQOp op);

private:
  /// The reflections of a block of columns in local memory.
  struct BlockOfReflections {
    MatrixForm head; ///< V's rows of the block, with their zeros and ones
    MatrixForm tail; ///< V's rows below it
    MatrixForm t;
    Extent begin, width, below;
  };

  void createMemory();
  void inParallel(function_ref<void(Value lane, Value lanes)> body);
  Value overRows(Value from, Value lane, Value lanes, Value init,
                 function_ref<Value(Value i, Value carried)> body);
  void reflect(Value j);
  void update(Value j, Value end);
  BlockOfReflections gather(Extent k, Extent width);
  void apply(const BlockOfReflections &block, bool isAdjoint, const MatrixForm &x);
  Value compare(Value x, Value y) { return CmpEqOp::create(b, b.getI1Type(), x, y); }
  Value loadScalar(Value memref) { return LoadOp::create(b, memref, ValueRange()); }

  void countReflections(ArrayRef<Extent> sizes);

  MatrixForm a;
  Value tau;
  /// Rows of A, reflections, and a bound of the latter.
  Extent rowCount, count;
  int64_t most;
  Type type, real;
  /// What `reflect` leaves for all work-items: the power of two and the factor by which
  /// the column is multiplied, and the element of R.
  Value power, factor, diagonal;
  MatrixForm memory[4];
};

} // namespace

/// The reflections are as many as the smaller size of A, which is at most each of
/// `sizes`.
void Reflections::countReflections(ArrayRef<Extent> sizes) {
  Extent own = sizeOf(tau, 0), least = smaller(rows(a), columns(a));
  requireEqual(own, least, "'tau' fits 'a'");
  count = known(least, own);
  most = getConstantIntValue(count).value_or(std::numeric_limits<int64_t>::max());
  for (Extent size : sizes)
    most = std::min(most, getConstantIntValue(size).value_or(most));
}

/// Local memory for V, T and two products of a block.
void Reflections::createMemory() {
  for (int i : {0, 1})
    memory[i] = createLocalBlock(type, count, count);
  for (int i : {2, 3})
    memory[i] = createLocalBlock(type, count, known(kBlock));
}

/// Runs `body` in every work-item.
void Reflections::inParallel(function_ref<void(Value lane, Value lanes)> body) {
  auto parallel = ParallelOp::create(b);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&parallel.getBody().emplaceBlock());
  Type i32 = b.getI32Type(), index = b.getIndexType();
  Value lane = CastOp::create(b, index, SubgroupLocalIdOp::create(b, i32));
  body(lane, CastOp::create(b, index, SubgroupSizeOp::create(b, i32)));
  YieldOp::create(b);
}

/// Runs `body` for the rows from `from` on that belong to a lane, and returns what it
/// carries.
Value Reflections::overRows(Value from, Value lane, Value lanes, Value init,
                            function_ref<Value(Value i, Value carried)> body) {
  Value first = ArithAddOp::create(b, from, lane);
  ValueRange inits = init ? ValueRange(init) : ValueRange();
  return stridedLoop(first, value(rowCount), lanes, inits,
                     [&](Value i, ValueRange carried) {
                       Value next = body(i, init ? carried[0] : Value());
                       return init ? SmallVector<Value>{next} : SmallVector<Value>();
                     });
}

/// Computes the reflection for the rows of column j from j on, as LAPACK's larfg, of
/// the column times a power of two, since squares of its elements may be too large or
/// too small. Each subgroup computes all sums.
void Reflections::reflect(Value j) {
  Type i1 = b.getI1Type();
  Value after = ArithAddOp::create(b, j, createIndex(b, 1));
  inParallel([&](Value lane, Value lanes) {
    auto largest = [&](Value i, Value most) {
      return ArithMaxOp::create(b, most, largestPart(load(a, i, j))).getResult();
    };
    Value most = overRows(j, lane, lanes, number(real, 0), largest);
    most = SubgroupMaxOp::create(b, real, GroupOperation::Reduce, most);
    auto [scale, inverse] = powersOfTwo(most);
    Value scaling = createCast(b, scale, type);
    Value squares =
        overRows(after, lane, lanes, number(real, 0), [&](Value i, Value sum) {
          Value element = ArithMulOp::create(b, load(a, i, j), scaling);
          return ArithAddOp::create(b, sum, squaredModulus(element)).getResult();
        });
    squares = SubgroupAddOp::create(b, real, GroupOperation::Reduce, squares);
    Value none = number(real, 0), one = number(real, 1);
    Value alpha = ArithMulOp::create(b, load(a, j, j), scaling);
    Value isNone = compare(squares, none);
    if (isa<ComplexType>(type)) {
      Value im = ArithImOp::create(b, real, alpha);
      isNone = ArithAndOp::create(b, isNone, compare(im, none));
    }
    Value norm =
        SqrtOp::create(b, ArithAddOp::create(b, squaredModulus(alpha), squares));
    Value isNegative = CmpLtOp::create(b, i1, realPart(alpha), none);
    Value beta =
        SelectOp::create(b, isNegative, norm, ArithNegOp::create(b, norm).getResult());
    Value betaElement = createCast(b, beta, type), zero = number(type, 0);
    Value difference = ArithSubOp::create(b, betaElement, alpha);
    Value reciprocal = createCast(b, ArithDivOp::create(b, one, beta), type);
    Value ownTau = ArithMulOp::create(b, difference, reciprocal);
    Value ownFactor = ArithDivOp::create(b, number(type, -1), difference);
    Value element = createCast(b, ArithMulOp::create(b, beta, inverse), type);
    element = SelectOp::create(b, isNone, load(a, j, j), element);
    Value subgroup = SubgroupIdOp::create(b, b.getI32Type(), nullptr);
    Value item = ArithAddOp::create(
        b, lane, CastOp::create(b, b.getIndexType(), subgroup).getResult());
    createIf(b, compare(item, createIndex(b, 0)), [&](ImplicitLocOpBuilder &) {
      auto put = [&](Value number, Value memref, ValueRange place = {}) {
        StoreOp::create(b, StoreFlag::Regular, number, memref, place);
      };
      put(SelectOp::create(b, isNone, zero, ownTau), tau, j);
      put(SelectOp::create(b, isNone, zero, ownFactor), factor);
      put(scaling, power);
      put(element, diagonal);
    });
  });
  forEach(j, value(rowCount), [&](Value i) {
    Value scaled = ArithMulOp::create(b, load(a, i, j), loadScalar(power));
    scaled = ArithMulOp::create(b, scaled, loadScalar(factor));
    Value isFirst = compare(i, j);
    store(a, SelectOp::create(b, isFirst, loadScalar(diagonal), scaled), i, j);
  });
}

/// Applies the adjoint of reflection j to the columns after j, before `end`, of which a
/// subgroup computes one at a time.
void Reflections::update(Value j, Value end) {
  Type i32 = b.getI32Type(), index = b.getIndexType();
  Value after = ArithAddOp::create(b, j, createIndex(b, 1));
  inParallel([&](Value lane, Value lanes) {
    Value own = CastOp::create(b, index, SubgroupIdOp::create(b, i32, nullptr));
    Value step = CastOp::create(b, index, NumSubgroupsOp::create(b, i32, nullptr));
    Value scale = conjugate(LoadOp::create(b, tau, j));
    Value first = ArithAddOp::create(b, after, own);
    stridedLoop(first, end, step, {}, [&](Value c, ValueRange) {
      auto add = [&](Value i, Value sum) {
        Value v = conjugate(load(a, i, j));
        return ArithAddOp::create(b, sum, ArithMulOp::create(b, v, load(a, i, c)))
            .getResult();
      };
      // The lane that stores the element of row j is the only one that loads it.
      Value isFirst = compare(lane, createIndex(b, 0));
      Value top = loadWhere(isFirst, a, j, c);
      Value sum = overRows(after, lane, lanes, top, add);
      sum = SubgroupAddOp::create(b, type, GroupOperation::Reduce, sum);
      Value part = ArithMulOp::create(b, scale, sum);
      createIf(b, isFirst, [&](ImplicitLocOpBuilder &) {
        store(a, ArithSubOp::create(b, top, part), j, c);
      });
      overRows(after, lane, lanes, {}, [&](Value i, Value) {
        store(a, subtractProduct(load(a, i, c), load(a, i, j), part), i, c);
        return Value();
      });
      return SmallVector<Value>();
    });
  });
}

/// V and T of the reflections of some columns.
Reflections::BlockOfReflections Reflections::gather(Extent k, Extent width) {
  BlockOfReflections result;
  auto part = [&](const MatrixForm &x) {
    return this->block(x, known(0), known(0), width, width);
  };
  result.begin = k;
  result.width = width;
  result.below = subtract(subtract(rowCount, k), width);
  MatrixForm own = block(a, k, k, width, width);
  result.head = part(memory[0]);
  createForeach(b, result.head.memref, [&](ImplicitLocOpBuilder &, ValueRange i) {
    Value isOne = compare(i[0], i[1]);
    Value element = SelectOp::create(b, isOne, number(type, 1), number(type, 0));
    store(result.head, element, i[0], i[1]);
    createIf(b, CmpGtOp::create(b, b.getI1Type(), i[0], i[1]),
             [&](ImplicitLocOpBuilder &) {
               store(result.head, load(own, i[0], i[1]), i[0], i[1]);
             });
  });
  MatrixForm products = part(memory[2]);
  product(1, result.head.adjoint(), result.head, 0, products);
  if (!isNone(result.below)) {
    result.tail = block(a, add(k, width), k, result.below, width);
    product(1, result.tail.adjoint(), result.tail, 1, products);
  }
  // Row i of T: T(i, j) = -tau(j) sum_{i <= p < j} T(i, p) (V^H V)(p, j)
  result.t = part(memory[1]);
  Value zero = createIndex(b, 0), end = value(width);
  forEach(zero, end, [&](Value i) {
    loop(zero, i, [&](Value j) { store(result.t, number(type, 0), i, j); });
    auto getTau = [&](Value j) -> Value {
      return LoadOp::create(b, tau, {ArithAddOp::create(b, value(k), j).getResult()});
    };
    store(result.t, getTau(i), i, i);
    loop(ArithAddOp::create(b, i, createIndex(b, 1)), end, [&](Value j) {
      auto sum =
          createFor(b, i, j, number(type, 0),
                    [&](ImplicitLocOpBuilder &, Value p, ValueRange carried) {
                      return SmallVector<Value>{subtractProduct(
                          carried[0], load(result.t, i, p), load(products, p, j))};
                    });
      store(result.t, ArithMulOp::create(b, getTau(j), sum.getResult(0)), i, j);
    });
  });
  return result;
}

/// X := (I - V T V^H) X, or its adjoint times X, for the rows of X that the block of
/// reflections changes, some columns at a time.
void Reflections::apply(const BlockOfReflections &block, bool isAdjoint,
                        const MatrixForm &x) {
  Extent below = add(block.begin, block.width);
  MatrixForm t = isAdjoint ? block.t.adjoint() : block.t;
  forBlocks(columns(x), /*isBackward=*/false, [&](Extent c, Extent width) {
    MatrixForm head = this->block(x, block.begin, c, block.width, width), tail;
    MatrixForm w = this->block(memory[2], known(0), known(0), block.width, width);
    MatrixForm tw = this->block(memory[3], known(0), known(0), block.width, width);
    product(1, block.head.adjoint(), head, 0, w);
    if (!isNone(block.below)) {
      tail = this->block(x, below, c, block.below, width);
      product(1, block.tail.adjoint(), tail, 1, w);
    }
    product(1, t, w, 0, tw);
    subtractProduct(block.head, tw, head);
    if (!isNone(block.below))
      subtractProduct(block.tail, tw, tail);
  });
}

void Reflections::expandOp(QrOp op) {
  rowCount = rows(a);
  countReflections({rowCount, columns(a)});
  if (isNone(count))
    return;
  for (Value *scalar : {&power, &factor, &diagonal})
    *scalar = createLocal(b, {}, type);
  std::optional<int64_t> known = getConstantIntValue(columns(a));
  if (!known || *known > std::min(kBlock, getConstantIntValue(count).value_or(0)))
    createMemory();
  forBlocks(
      count, /*isBackward=*/false,
      [&](Extent k, Extent width) {
        Extent next = add(k, width), rest = subtract(columns(a), next);
        loop(value(k), value(next), [&](Value j) {
          reflect(j);
          update(j, value(next));
        });
        if (!isNone(rest))
          apply(gather(k, width), /*isAdjoint=*/true,
                block(a, this->known(0), next, rowCount, rest));
      },
      most);
}

/// B op(Q) is the adjoint of op(Q)^H B^H, and conj(Q) B is conj(Q conj(B)).
void Reflections::expandOp(ApplyQOp op) {
  TensorForm form = op.getTranspose();
  bool isAdjoint = isTransposed(form) != op.getRight();
  MatrixForm x = asMatrix(op.getB());
  if (op.getRight())
    x = x.adjoint();
  if (isTransposed(form) != isConjugated(form))
    x = x.conjugate();
  rowCount = known(rows(a), rows(x));
  requireEqual(rows(x), rows(a), "'b' fits 'a'");
  countReflections({rowCount, columns(a)});
  if (isNone(count) || isNone(columns(x)))
    return;
  createMemory();
  forBlocks(count, /*isBackward=*/!isAdjoint,
            [&](Extent k, Extent width) { apply(gather(k, width), isAdjoint, x); });
}

void expand(QrOp op) { Reflections(op, op.getA(), op.getTau()).expandOp(op); }

void expand(ApplyQOp op) { Reflections(op, op.getA(), op.getTau()).expandOp(op); }

} // namespace mlir::tinytc::instructions
