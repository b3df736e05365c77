//===- ExpandEigh.cpp - Eigenvalues and eigenvectors by rotations ---------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Jacobi's method (Golub and Van Loan, Matrix Computations, 8.5) in the order of a
// tournament: a sweep is n - 1 steps, in each of which every row is in one pair, so
// that all pairs are rotated at a time. Rotations put the smaller eigenvalue of a pair
// first.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Factorizations.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace mlir::tinytc::instructions {

/// Each sweep about squares what is not on the diagonal, once that is small.
static constexpr int64_t kMaxSweeps = 30;

namespace {

/// Makes the instructions of one `eigh`.
struct Rotations : Expander {
  explicit Rotations(EighOp op);

  void expandOp();

private:
  /// Two rows, in rising order, and the number of their pair.
  struct Pair {
    Value p, q, number;
  };

  void prepare();
  Pair getPair(Value step, Value number);
  void rotate(Value step, Value isFirst);
  void choose(const Pair &pair);
  void apply(Value step);
  void applyToBlock(const Pair &rows, const Pair &columns);
  void sweep();
  void finish();
  std::pair<Value, Value> findFactor(Value column);

  Value compare(Value x, Value y) { return CmpEqOp::create(b, b.getI1Type(), x, y); }
  Value isLess(Value x, Value y) { return CmpLtOp::create(b, b.getI1Type(), x, y); }
  Value select(Value condition, Value x, Value y) {
    return SelectOp::create(b, condition, x, y);
  }
  Value plus(Value x, Value y) { return ArithAddOp::create(b, x, y); }
  Value minus(Value x, Value y) { return ArithSubOp::create(b, x, y); }
  Value times(Value x, Value y) { return ArithMulOp::create(b, x, y); }
  Value over(Value x, Value y) { return ArithDivOp::create(b, x, y); }
  Value modulus(Value x) { return ArithAbsOp::create(b, real, x); }
  Value get(Value memref, ValueRange place = {}) {
    return LoadOp::create(b, memref, place);
  }
  void put(Value number, Value memref, ValueRange place = {}) {
    StoreOp::create(b, StoreFlag::Regular, number, memref, place);
  }

  EighOp op;
  Type type, real;
  MatrixForm a;
  /// The rows, of which there are at most 64, and the pairs of a step.
  Extent size;
  Value rowCount, pairCount;
  /// The matrix, with a row and a column of 0 more if they are an odd number.
  MatrixForm h;
  /// Of a pair: J = [[c, s], [-su, cu]] with numbers u of modulus 1, and whether J is
  /// not the unit matrix in this sweep.
  Value c, s, su, cu, isRotated;
  /// The rotations of the last sweep.
  Value isOpen;
  /// Real numbers of all rows.
  Value diagonal;
  /// The largest part of an element, NaN if any is not finite; the power of two that
  /// multiplies all, and its reciprocal.
  Value largest, scaling, inverse;
  /// NaN or 0.
  Value poison;
};

} // namespace

Rotations::Rotations(EighOp op)
    : Expander(op), op(op), type(getElementType(op.getA())),
      real(getRealPartType(type)), a{op.getA()} {
  size = known(known(rows(a), columns(a)), sizeOf(op.getW(), 0));
  requireEqual(rows(a), columns(a), "'a' is square");
  requireEqual(sizeOf(op.getW(), 0), size, "'w' fits 'a'");
}

/// Copies the matrix, times a power of two, and makes a unit matrix of A. Without any
/// finite number, all becomes NaN.
void Rotations::prepare() {
  int64_t most = getConstantIntValue(size).value_or(kMaxEigenvalues);
  int64_t pairs = llvm::divideCeil(most, 2);
  h = {createLocal(b, {2 * pairs, 2 * pairs}, type)};
  for (Value *memory : {&c, &s, &su, &cu})
    *memory = createLocal(b, {pairs}, type);
  isRotated = createLocal(b, {pairs}, b.getI32Type());
  isOpen = createLocal(b, {}, b.getI32Type());
  diagonal = createLocal(b, {most}, real);
  Value zero = createIndex(b, 0), one = createIndex(b, 1), none = number(real, 0);
  rowCount = value(smaller(size, known(kMaxEigenvalues)));
  pairCount = ArithDivOp::create(b, plus(rowCount, one), createIndex(b, 2));

  MatrixForm lower = lowerFactor(op.getTriangle(), op.getA());
  // A maximum forgets NaN, but not the difference of a number and itself.
  auto larger = [&](Value x, Value y) {
    return plus(ArithMaxOp::create(b, x, y), plus(minus(x, x), minus(y, y)));
  };
  auto checked = [&](Value x) {
    Value rest = minus(x, x), part = plus(largestPart(x), realPart(rest));
    return isa<ComplexType>(x.getType()) ? plus(part, ArithImOp::create(b, real, rest))
                                         : part;
  };
  auto reduce = [&](Value count, function_ref<Value(Value)> element) {
    return createFor(b, zero, count, none,
                     [&](ImplicitLocOpBuilder &, Value i, ValueRange carried) {
                       return SmallVector<Value>{larger(carried[0], element(i))};
                     })
        .getResult(0);
  };
  forEach(zero, rowCount, [&](Value i) {
    Value most = reduce(i, [&](Value j) { return checked(load(lower, i, j)); });
    put(larger(most, checked(realPart(load(lower, i, i)))), diagonal, i);
  });
  largest = reduce(rowCount, [&](Value i) { return get(diagonal, i); });
  if (!getConstantIntValue(size)) {
    Value isTooLarge = isLess(createIndex(b, kMaxEigenvalues), value(size));
    double nan = std::numeric_limits<double>::quiet_NaN();
    largest = select(isTooLarge, number(real, nan), largest);
  }
  std::tie(scaling, inverse) = powersOfTwo(largest);
  poison = minus(largest, largest);

  Value factor = createCast(b, scaling, type), added = createCast(b, poison, type);
  Value from[] = {zero, zero}, end = times(pairCount, createIndex(b, 2));
  createForeach(b, from, {end, end}, [&](ImplicitLocOpBuilder &, ValueRange i) {
    store(h, added, i[0], i[1]);
    Value isLower = CmpGeOp::create(b, b.getI1Type(), i[0], i[1]);
    Value row = select(isLower, i[0], i[1]), column = select(isLower, i[1], i[0]);
    createIf(b, isLess(row, rowCount), [&](ImplicitLocOpBuilder &) {
      Value element = times(load(lower, row, column), factor);
      element = select(isLower, element, conjugate(element));
      Value diagonal = createCast(b, realPart(element), type);
      element = select(compare(row, column), diagonal, element);
      store(h, plus(element, added), i[0], i[1]);
    });
  });
  createForeach(b, a.memref, [&](ImplicitLocOpBuilder &, ValueRange i) {
    Value element = select(compare(i[0], i[1]), number(type, 1), number(type, 0));
    store(a, plus(element, added), i[0], i[1]);
  });
}

/// The pair of a number in a step: of all rows but the last one, those whose sum is
/// twice the step, modulo their number, and the last one with the one that is left.
Rotations::Pair Rotations::getPair(Value step, Value number) {
  Value zero = createIndex(b, 0), one = createIndex(b, 1);
  Value count = minus(times(pairCount, createIndex(b, 2)), one);
  auto wrap = [&](Value i) { return select(isLess(i, count), i, minus(i, count)); };
  Value isLast = compare(number, zero);
  Value x = wrap(plus(step, number));
  Value y = select(isLast, count, wrap(minus(plus(step, count), number)));
  Value isRising = isLess(x, y);
  return {select(isRising, x, y), select(isRising, y, x), number};
}

/// Chooses the rotations of a step.
void Rotations::rotate(Value step, Value isFirst) {
  forEach(createIndex(b, 0), pairCount, [&](Value number) {
    Value none = this->number(type, 0), one = this->number(type, 1);
    for (auto [memory, value] : {std::pair(c, one), std::pair(s, none),
                                 std::pair(su, none), std::pair(cu, one)})
      put(value, memory, number);
    createIf(b, isFirst, [&](ImplicitLocOpBuilder &) {
      put(this->number(b.getI32Type(), 0), isRotated, number);
    });
    Pair pair = getPair(step, number);
    createIf(b, isLess(pair.q, rowCount),
             [&](ImplicitLocOpBuilder &) { choose(pair); });
  });
}

/// The rotation after which the element of a pair is 0. With r = |h(p,q)| and
/// z = (h(q,q) - h(p,p)) / 2r, the tangent of its angle is
/// t = sign(z) / (|z| + sqrt(1 + z^2)).
void Rotations::choose(const Pair &pair) {
  Value p = pair.p, q = pair.q, number = pair.number;
  Value one = this->number(real, 1);
  Value first = realPart(load(h, p, p)), second = realPart(load(h, q, q));
  Value element = load(h, p, q), r = modulus(element);
  // What is smaller is a rounding error.
  double rounding = std::ldexp(1, real.isF32() ? -24 : -53);
  auto root = [&](Value x) { return SqrtOp::create(b, modulus(x)).getResult(); };
  Value bound = times(this->number(real, rounding), times(root(first), root(second)));
  Value least = times(times(largest, scaling), this->number(real, rounding * rounding));
  bound = ArithMaxOp::create(b, bound, least);
  createIf(b, isLess(bound, r), [&](ImplicitLocOpBuilder &) {
    Value z = over(minus(second, first), plus(r, r)), size = modulus(z);
    Value hypotenuse = SqrtOp::create(b, plus(one, times(z, z)));
    Value t = over(one, plus(size, hypotenuse));
    Value minusT = ArithNegOp::create(b, t);
    t = select(isLess(z, this->number(real, 0)), minusT, t);
    Value cosine = over(one, SqrtOp::create(b, plus(one, times(t, t))).getResult());
    Value own[] = {createCast(b, cosine, type), createCast(b, times(t, cosine), type)};
    Value u = conjugate(times(element, createCast(b, over(one, r), type)));
    put(own[0], c, number);
    put(own[1], s, number);
    put(times(own[0], u), cu, number);
    put(times(own[1], u), su, number);
    put(this->number(b.getI32Type(), 1), isRotated, number);
    Value change = times(t, r), none = this->number(type, 0);
    store(h, createCast(b, minus(first, change), type), p, p);
    store(h, createCast(b, plus(second, change), type), q, q);
    store(h, none, p, q);
    store(h, none, q, p);
  });
}

/// H := J^H H J for the rows of one pair and the columns of another one.
void Rotations::applyToBlock(const Pair &rows, const Pair &columns) {
  auto rotate = [&](Value x, Value y, Value c, Value s, Value su, Value cu) {
    return std::pair(minus(times(c, x), times(su, y)), plus(times(s, x), times(cu, y)));
  };
  auto load = [&](Value memory, const Pair &pair) { return get(memory, pair.number); };
  auto rotateColumns = [&](Value row) {
    return rotate(this->load(h, row, columns.p), this->load(h, row, columns.q),
                  load(c, columns), load(s, columns), load(su, columns),
                  load(cu, columns));
  };
  auto [pp, pq] = rotateColumns(rows.p);
  auto [qp, qq] = rotateColumns(rows.q);
  auto store = [&](Value column, Value x, Value y) {
    auto [first, second] = rotate(x, y, load(c, rows), load(s, rows),
                                  conjugate(load(su, rows)), conjugate(load(cu, rows)));
    this->store(h, first, rows.p, column);
    this->store(h, second, rows.q, column);
    this->store(h, conjugate(first), column, rows.p);
    this->store(h, conjugate(second), column, rows.q);
  };
  store(columns.p, pp, qp);
  store(columns.q, pq, qq);
}

/// Applies the rotations of a step to what is not on the diagonal, and to A.
void Rotations::apply(Value step) {
  Value zero = createIndex(b, 0), none = number(type, 0);
  Value from[] = {zero, zero};
  auto isRotated = [&](Value number) {
    return CmpNeOp::create(b, b.getI1Type(), get(s, number), none).getResult();
  };
  createForeach(b, from, {pairCount, pairCount},
                [&](ImplicitLocOpBuilder &, ValueRange i) {
                  Value isAny = ArithOrOp::create(b, isRotated(i[0]), isRotated(i[1]));
                  Value isUpper = isLess(i[0], i[1]);
                  createIf(b, ArithAndOp::create(b, isUpper, isAny).getResult(),
                           [&](ImplicitLocOpBuilder &) {
                             applyToBlock(getPair(step, i[0]), getPair(step, i[1]));
                           });
                });
  createForeach(
      b, from, {rowCount, pairCount}, [&](ImplicitLocOpBuilder &, ValueRange i) {
        createIf(b, isRotated(i[1]), [&](ImplicitLocOpBuilder &) {
          auto [p, q, number] = getPair(step, i[1]);
          Value x = load(a, i[0], p), y = load(a, i[0], q);
          Value first = minus(times(get(c, number), x), times(get(su, number), y));
          Value second = plus(times(get(s, number), x), times(get(cu, number), y));
          store(a, first, i[0], p);
          store(a, second, i[0], q);
        });
      });
}

/// All pairs once, unless no pair was rotated in the sweep before.
void Rotations::sweep() {
  Type i32 = b.getI32Type();
  Value zero = createIndex(b, 0), one = createIndex(b, 1), none = number(i32, 0);
  Value isNeeded = CmpNeOp::create(b, b.getI1Type(), get(isOpen), none);
  createIf(b, isNeeded, [&](ImplicitLocOpBuilder &) {
    Value steps = minus(times(pairCount, createIndex(b, 2)), one);
    loop(zero, steps, [&](Value step) {
      rotate(step, compare(step, zero));
      apply(step);
    });
    auto sum =
        createFor(b, zero, pairCount, none,
                  [&](ImplicitLocOpBuilder &, Value i, ValueRange carried) {
                    return SmallVector<Value>{plus(carried[0], get(isRotated, i))};
                  });
    put(sum.getResult(0), isOpen);
  });
}

/// The number by which a column is multiplied, so that the first element that is not
/// much smaller than the largest one becomes real and positive; and its row.
std::pair<Value, Value> Rotations::findFactor(Value column) {
  Value zero = createIndex(b, 0), last = minus(rowCount, createIndex(b, 1));
  auto most =
      createFor(b, zero, rowCount, number(real, 0),
                [&](ImplicitLocOpBuilder &, Value i, ValueRange carried) {
                  Value own = modulus(load(a, i, column));
                  return SmallVector<Value>{ArithMaxOp::create(b, carried[0], own)};
                });
  Value bound = times(number(real, 0.7), most.getResult(0));
  auto first = createFor(b, zero, rowCount, zero,
                         [&](ImplicitLocOpBuilder &, Value n, ValueRange carried) {
                           Value i = minus(last, n), own = modulus(load(a, i, column));
                           Value isLarge =
                               CmpGeOp::create(b, b.getI1Type(), own, bound);
                           return SmallVector<Value>{select(isLarge, i, carried[0])};
                         });
  Value row = first.getResult(0), element = load(a, row, column);
  Value size = createCast(b, modulus(element), type);
  return {over(conjugate(element), size), row};
}

/// Sorts eigenvalues, and vectors with them, by their numbers of smaller ones.
void Rotations::finish() {
  Value zero = createIndex(b, 0), one = createIndex(b, 1);
  if (!getConstantIntValue(size))
    forEach(rowCount, value(size), [&](Value i) { put(poison, op.getW(), i); });
  forEach(zero, rowCount, [&](Value i) { put(realPart(load(h, i, i)), diagonal, i); });
  forEach(zero, rowCount, [&](Value column) {
    Value own = get(diagonal, column);
    auto rank =
        createFor(b, zero, rowCount, zero,
                  [&](ImplicitLocOpBuilder &, Value i, ValueRange carried) {
                    Value other = get(diagonal, i);
                    // Of equal ones, the first; so it is with NaN.
                    Value isNotGreater = ArithNotOp::create(b, isLess(own, other));
                    Value isBefore =
                        select(isLess(i, column), isNotGreater, isLess(other, own));
                    return SmallVector<Value>{
                        select(isBefore, plus(carried[0], one), carried[0])};
                  });
    Value place = rank.getResult(0);
    put(plus(times(own, inverse), poison), op.getW(), place);
    auto [factor, row] = findFactor(column);
    Value scale = factor, first = row;
    loop(zero, rowCount, [&](Value i) {
      Value scaled = times(load(a, i, column), scale);
      Value isReal = compare(i, first);
      scaled = select(isReal, createCast(b, realPart(scaled), type), scaled);
      store(h, scaled, i, place);
    });
  });
  Value from[] = {zero, zero};
  createForeach(b, from, {rowCount, rowCount},
                [&](ImplicitLocOpBuilder &, ValueRange i) {
                  store(a, load(h, i[0], i[1]), i[0], i[1]);
                });
  if (!op.getInfo())
    return;
  Type i32 = b.getI32Type();
  Value none = number(i32, 0);
  Value isWrong = CmpNeOp::create(b, b.getI1Type(), get(isOpen), none);
  Value isNan = CmpNeOp::create(b, b.getI1Type(), poison, poison);
  isWrong = ArithOrOp::create(b, isWrong, isNan);
  put(select(isWrong, number(i32, 1), none), op.getInfo());
}

void Rotations::expandOp() {
  if (isNone(size)) {
    if (op.getInfo())
      put(number(b.getI32Type(), 0), op.getInfo());
    return;
  }
  prepare();
  put(number(b.getI32Type(), 1), isOpen);
  loop(createIndex(b, 0), createIndex(b, kMaxSweeps), [&](Value) { sweep(); });
  finish();
}

void expand(EighOp op) { Rotations(op).expandOp(); }

} // namespace mlir::tinytc::instructions
