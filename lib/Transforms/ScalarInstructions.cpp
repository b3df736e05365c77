//===- ScalarInstructions.cpp - Instructions on the numbers of arrays -----===//
// SPDX-License-Identifier: BSD-3-Clause
//
// All operands are read before a result is written, since no instruction allows them to
// overlap other than element by element. Factorisations are right-looking (Golub and
// Van Loan, Matrix Computations, 3.2 and 4.2); rows are swapped by selects.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Scalarizer.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The most terms of the sums of one instruction.
static constexpr int64_t kMostTerms = 1024;

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

bool Scalarizer::isField(Value memref) const {
  Type type = instructions::getElementType(memref);
  return findView(memref) && (type.isF32() || type.isF64());
}

/// Whether all operands are of one type and of known sizes, but for `info` and pivots.
bool Scalarizer::areFields(Operation *op) const {
  auto isMemref = [](Value operand) { return isa<MemrefType>(operand.getType()); };
  Type field =
      instructions::getElementType(*llvm::find_if(op->getOperands(), isMemref));
  if (auto swap = dyn_cast<SwapRowsOp>(op))
    field = instructions::getElementType(swap.getB());
  return (field.isF32() || field.isF64()) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           auto type = dyn_cast<MemrefType>(operand.getType());
           if (!type)
             return operand.getType() == field;
           Type element = type.getElementType();
           return findView(operand) && (element == field || element.isInteger(32));
         });
}

Scalarizer::Numbers Scalarizer::getMatrix(Value memref, bool isTransposed,
                                          Part isRead) {
  View view = *findView(memref);
  int64_t rows = view.shape[0], columns = view.shape.size() == 1 ? 1 : view.shape[1];
  Numbers numbers(isTransposed ? columns : rows);
  for (int64_t j : llvm::seq(columns))
    for (int64_t i : llvm::seq(rows)) {
      SmallVector<int64_t, 2> at = {i, j};
      at.resize(view.shape.size());
      numbers[isTransposed ? j : i].push_back(isRead(i, j) ? get(view, at) : Value());
    }
  return numbers;
}

void Scalarizer::putMatrix(Value memref, const Numbers &numbers, bool isTransposed,
                           Part isWritten) {
  View view = *findView(memref);
  int64_t columns = view.shape.size() == 1 ? 1 : view.shape[1];
  for (int64_t j : llvm::seq(columns))
    for (int64_t i : llvm::seq(view.shape[0])) {
      SmallVector<int64_t, 2> at = {i, j};
      at.resize(view.shape.size());
      if (isWritten(i, j))
        put(view, at, isTransposed ? numbers[j][i] : numbers[i][j]);
    }
}

static bool isLowerPart(int64_t i, int64_t j) { return i >= j; }
static bool isUpperPart(int64_t i, int64_t j) { return i <= j; }
static bool isBelowDiagonal(int64_t i, int64_t j) { return i > j; }
static bool isAboveDiagonal(int64_t i, int64_t j) { return i < j; }

/// The part of a matrix that an instruction names.
static auto getPart(Triangle triangle, bool isUnit = false) {
  if (isUnit)
    return triangle == Triangle::L ? isBelowDiagonal : isAboveDiagonal;
  return triangle == Triangle::L ? isLowerPart : isUpperPart;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value Scalarizer::multiply(Value x, Value y) {
  if (isConstant(x, 1))
    return y;
  ++numSteps;
  return ArithMulOp::create(b, x, y);
}

/// x + y z
Value Scalarizer::addProduct(Value x, Value y, Value z) {
  ++numSteps;
  if (fuses)
    return FmaOp::create(b, y, z, x);
  return ArithAddOp::create(b, ArithMulOp::create(b, y, z), x);
}

/// x - y z
Value Scalarizer::subtractProduct(Value x, Value y, Value z) {
  return addProduct(x, y, ArithNegOp::create(b, z));
}

Value Scalarizer::update(Value alpha, Value product, Value beta,
                         function_ref<Value()> before) {
  product = multiply(alpha, product);
  if (isConstant(beta, 0))
    return product;
  ++numSteps;
  Value sum = ArithAddOp::create(b, multiply(beta, before()), product);
  bool isKnown = isa_and_nonnull<ConstantOp>(beta.getDefiningOp());
  if (isKnown)
    return sum;
  Value isNone = CmpEqOp::create(b, b.getI1Type(), beta, constant(beta.getType(), 0));
  return SelectOp::create(b, isNone, product, sum);
}

LogicalResult Scalarizer::writeBlas(BlasOpInterface op) {
  Value destination = op.getDestination();
  Type type = instructions::getElementType(destination);
  bool isSame = op.getAlpha().getType() == type && op.getBeta().getType() == type;
  if (op.getAtomic() || isa<CumsumOp>(op) || !isField(destination) || !isSame)
    return failure();
  SmallVector<BlasFactor, 2> factors = op.getFactors();
  for (const BlasFactor &factor : factors)
    if (!isField(factor.operand->get()) ||
        instructions::getElementType(factor.operand->get()) != type)
      return failure();
  Value alpha = mapping.lookup(op.getAlpha()), beta = mapping.lookup(op.getBeta());
  const View &view = *findView(destination);
  SmallVector<int64_t> shape = op.getProductShape();
  int64_t order = view.shape.size();
  int64_t length = int64_t(shape.size()) > order ? shape.back() : 1;
  if (computeProduct(shape) > kMostTerms)
    return failure();
  // The sum and one more product.
  auto addTerm = [&](Value sum, ArrayRef<int64_t> at) {
    SmallVector<Value, 2> numbers;
    for (const BlasFactor &factor : factors) {
      SmallVector<int64_t> own =
          llvm::map_to_vector(factor.modes, [&](unsigned mode) { return at[mode]; });
      numbers.push_back(get(*findView(factor.operand->get()), own));
    }
    if (numbers.size() == 1) {
      ++numSteps;
      return sum ? Value(ArithAddOp::create(b, numbers[0], sum)) : numbers[0];
    }
    return sum ? addProduct(sum, numbers[0], numbers[1])
               : multiply(numbers[0], numbers[1]);
  };
  SmallVector<std::pair<SmallVector<int64_t>, Value>> results;
  SmallVector<int64_t> at(shape.size(), 0);
  for (int64_t n : llvm::seq(computeProduct(view.shape))) {
    for (int64_t mode : llvm::seq(order)) {
      at[mode] = n % view.shape[mode];
      n /= view.shape[mode];
    }
    Value sum;
    for (int64_t k : llvm::seq(length)) {
      if (int64_t(shape.size()) > order)
        at.back() = k;
      sum = addTerm(sum, at);
    }
    if (!sum)
      sum = constant(type, 0);
    SmallVector<int64_t> own(at.begin(), at.begin() + order);
    Value number = update(alpha, sum, beta, [&] { return get(view, own); });
    results.emplace_back(own, number);
  }
  for (auto &[own, number] : results)
    put(view, own, number);
  return success();
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

Value Scalarizer::markFirst(Value info, Value isBad, int64_t place) {
  Type i32 = b.getI32Type();
  Value isOpen = CmpEqOp::create(b, b.getI1Type(), info, constant(i32, 0));
  Value isFirst = ArithAndOp::create(b, isOpen, isBad);
  return SelectOp::create(b, isFirst, constant(i32, place), info);
}

void Scalarizer::putPivots(Value memref, const Pivots &pivots) {
  View view = *findView(memref);
  for (auto [place, pivot] : llvm::enumerate(pivots.places))
    put(view, int64_t(place), pivot);
}

void Scalarizer::putInfo(Value memref, Value info) {
  if (memref)
    put(*findView(memref), {}, info);
}

Value Scalarizer::factorCholesky(Numbers &a) {
  int64_t size = a.size();
  Value info = constant(b.getI32Type(), 0);
  for (int64_t j : llvm::seq(size)) {
    Type type = a[j][j].getType(), i1 = b.getI1Type();
    Value isPositive = CmpGtOp::create(b, i1, a[j][j], constant(type, 0));
    info = markFirst(info, ArithNotOp::create(b, isPositive), j + 1);
    Value nan = constant(type, std::numeric_limits<double>::quiet_NaN());
    Value pivot = SelectOp::create(b, isPositive, a[j][j], nan);
    a[j][j] = SqrtOp::create(b, pivot);
    // The reciprocal of the root of any number is finite.
    Value reciprocal = ArithDivOp::create(b, constant(type, 1), a[j][j]);
    for (int64_t i : llvm::seq(j + 1, size))
      a[i][j] = multiply(a[i][j], reciprocal);
    for (int64_t k : llvm::seq(j + 1, size))
      for (int64_t i : llvm::seq(k, size))
        a[i][k] = subtractProduct(a[i][k], a[i][j], a[k][j]);
  }
  return info;
}

/// Swaps a row with the one below that is wanted: the last of several, each of which
/// was the largest of those before.
void Scalarizer::swapRows(Numbers &rows, int64_t first, ArrayRef<Value> isWanted) {
  SmallVector<Value> before = rows[first];
  Value isLater; // whether a row further below is wanted
  SmallVector<Value> isLast(isWanted.size());
  for (int64_t n = isWanted.size() - 1; n >= 0; --n) {
    isLast[n] = isWanted[n];
    if (isLater)
      isLast[n] = ArithAndOp::create(b, isWanted[n], ArithNotOp::create(b, isLater));
    isLater = isLater ? Value(ArithOrOp::create(b, isLater, isWanted[n])) : isWanted[n];
  }
  for (auto [n, isIt] : llvm::enumerate(isLast)) {
    SmallVector<Value> &row = rows[first + 1 + n];
    for (auto [own, top, old] : llvm::zip_equal(row, rows[first], before)) {
      ++numSteps;
      top = SelectOp::create(b, isIt, own, top);
      own = SelectOp::create(b, isIt, old, own);
    }
  }
}

/// Swaps row `column` with the one whose element is largest, the first of several; NaN
/// is the smallest. Returns its place, from 1 on.
Value Scalarizer::choosePivot(Numbers &a, int64_t column) {
  Type type = a[column][column].getType(), i1 = b.getI1Type(), i32 = b.getI32Type();
  Value place = constant(i32, column + 1);
  Value largest = ArithAbsOp::create(b, a[column][column]);
  Value isNumber = CmpEqOp::create(b, i1, largest, largest);
  largest = SelectOp::create(b, isNumber, largest, constant(type, -1));
  SmallVector<Value> isLarger;
  for (int64_t i : llvm::seq<int64_t>(column + 1, a.size())) {
    Value size = ArithAbsOp::create(b, a[i][column]);
    isLarger.push_back(CmpGtOp::create(b, i1, size, largest));
    largest = SelectOp::create(b, isLarger.back(), size, largest);
    place = SelectOp::create(b, isLarger.back(), constant(i32, i + 1), place);
  }
  swapRows(a, column, isLarger);
  return place;
}

/// Divisions take long. The reciprocal of a number that is scaled is finite, unless it
/// is 0; scaled quotients overflow only where quotients do.
Scalarizer::Reciprocal Scalarizer::getReciprocal(Value number) {
  auto type = cast<FloatType>(number.getType());
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  double smallest = std::ldexp(1, llvm::APFloat::semanticsMinExponent(semantics));
  double large = std::ldexp(1, llvm::APFloat::semanticsPrecision(semantics));
  Value isSmall = CmpGtOp::create(b, b.getI1Type(), constant(type, smallest),
                                  ArithAbsOp::create(b, number));
  Value one = constant(type, 1);
  Value scale = SelectOp::create(b, isSmall, constant(type, large), one);
  return {scale, ArithDivOp::create(b, one, multiply(number, scale))};
}

Scalarizer::Pivots Scalarizer::factorLu(Numbers &a, int64_t columns, bool isPivoted) {
  int64_t rows = a.size();
  Pivots pivots{{}, constant(b.getI32Type(), 0)};
  for (int64_t k : llvm::seq(std::min(rows, columns))) {
    if (isPivoted)
      pivots.places.push_back(choosePivot(a, k));
    Value pivot = a[k][k];
    Value isNone =
        CmpEqOp::create(b, b.getI1Type(), pivot, constant(pivot.getType(), 0));
    pivots.info = markFirst(pivots.info, isNone, k + 1);
    Reciprocal reciprocal = k + 1 < rows ? getReciprocal(pivot) : Reciprocal();
    for (int64_t i : llvm::seq(k + 1, rows)) {
      a[i][k] = multiply(multiply(a[i][k], reciprocal.scale), reciprocal.number);
      for (int64_t j : llvm::seq<int64_t>(k + 1, a[i].size()))
        a[i][j] = subtractProduct(a[i][j], a[k][j], a[i][k]);
    }
  }
  return pivots;
}

void Scalarizer::swapByPivots(Numbers &rows, ArrayRef<Value> pivots, bool isReverse) {
  int64_t count = pivots.size();
  for (int64_t n : llvm::seq(count)) {
    int64_t k = isReverse ? count - 1 - n : n;
    SmallVector<Value> isWanted;
    for (int64_t i : llvm::seq<int64_t>(k + 1, rows.size()))
      isWanted.push_back(CmpEqOp::create(b, b.getI1Type(), pivots[k],
                                         constant(b.getI32Type(), i + 1)));
    swapRows(rows, k, isWanted);
  }
}

void Scalarizer::solve(const Numbers &t, bool isLower, bool isUnit, Numbers &x) {
  int64_t size = t.size();
  for (int64_t n : llvm::seq(size)) {
    int64_t j = isLower ? n : size - 1 - n;
    if (!isUnit) {
      Value one = constant(t[j][j].getType(), 1);
      Value reciprocal = ArithDivOp::create(b, one, t[j][j]);
      for (Value &number : x[j])
        number = multiply(number, reciprocal);
    }
    for (int64_t m : llvm::seq(n + 1, size)) {
      int64_t i = isLower ? m : size - 1 - m;
      for (auto [number, solved] : llvm::zip_equal(x[i], x[j]))
        number = subtractProduct(number, t[i][j], solved);
    }
  }
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

LogicalResult Scalarizer::writeCholesky(CholeskyOp op) {
  if (!areFields(op))
    return failure();
  bool isTransposed = op.getTriangle() == Triangle::U;
  Numbers a = getMatrix(op.getA(), isTransposed, getPart(op.getTriangle()));
  Value info = factorCholesky(a);
  putMatrix(op.getA(), a, isTransposed, getPart(op.getTriangle()));
  putInfo(op.getInfo(), info);
  return success();
}

LogicalResult Scalarizer::writeSolve(SolveSpdOp op) {
  if (!areFields(op))
    return failure();
  bool isTransposed = op.getTriangle() == Triangle::U;
  Numbers a = getMatrix(op.getA(), isTransposed, getPart(op.getTriangle()));
  Numbers x = getMatrix(op.getB());
  Value info = factorCholesky(a);
  solve(a, /*isLower=*/true, /*isUnit=*/false, x);
  Numbers turned = a;
  for (int64_t i : llvm::seq<int64_t>(a.size()))
    for (int64_t j : llvm::seq<int64_t>(a.size()))
      turned[i][j] = a[j][i];
  solve(turned, /*isLower=*/false, /*isUnit=*/false, x);
  putMatrix(op.getA(), a, isTransposed, getPart(op.getTriangle()));
  putMatrix(op.getB(), x);
  putInfo(op.getInfo(), info);
  return success();
}

LogicalResult Scalarizer::writeLu(LuOp op) {
  if (!areFields(op))
    return failure();
  Numbers a = getMatrix(op.getA());
  int64_t columns = findView(op.getA())->shape[1];
  Pivots pivots = factorLu(a, columns, bool(op.getPiv()));
  putMatrix(op.getA(), a);
  if (op.getPiv())
    putPivots(op.getPiv(), pivots);
  putInfo(op.getInfo(), pivots.info);
  return success();
}

/// The right sides are more columns of the matrix.
LogicalResult Scalarizer::writeSolve(SolveLuOp op) {
  if (!areFields(op))
    return failure();
  Numbers a = getMatrix(op.getA()), x = getMatrix(op.getB());
  int64_t size = a.size();
  for (auto [row, more] : llvm::zip_equal(a, x))
    llvm::append_range(row, more);
  Pivots pivots = factorLu(a, size, /*isPivoted=*/true);
  for (auto [row, solved] : llvm::zip_equal(a, x))
    solved.assign(row.begin() + size, row.end());
  solve(a, /*isLower=*/false, /*isUnit=*/false, x);
  putMatrix(op.getA(), a);
  putPivots(op.getPiv(), pivots);
  putMatrix(op.getB(), x);
  putInfo(op.getInfo(), pivots.info);
  return success();
}

LogicalResult Scalarizer::writeSwapRows(SwapRowsOp op) {
  if (!areFields(op))
    return failure();
  Numbers x = getMatrix(op.getB()), pivots = getMatrix(op.getPiv());
  SmallVector<Value> places;
  for (auto &row : pivots)
    places.push_back(row.front());
  swapByPivots(x, places, op.getReverse());
  putMatrix(op.getB(), x);
  return success();
}

/// op(A) on the left of X, or of its transpose.
template <typename OpT>
Scalarizer::Triangular Scalarizer::getTriangular(OpT op) {
  bool isTransposed = tinytc::isTransposed(op.getTranspose()) != op.getRight();
  Triangular found;
  found.isLower = (op.getTriangle() == Triangle::L) != isTransposed;
  found.isUnit = op.getUnit();
  found.t = getMatrix(op.getA(), isTransposed, getPart(op.getTriangle(), op.getUnit()));
  found.x = getMatrix(op.getB(), op.getRight());
  Value alpha = mapping.lookup(op.getAlpha());
  for (auto &row : found.x)
    for (Value &number : row)
      number = multiply(alpha, number);
  return found;
}

LogicalResult Scalarizer::writeTrsm(TrsmOp op) {
  if (!areFields(op))
    return failure();
  Triangular given = getTriangular(op);
  solve(given.t, given.isLower, given.isUnit, given.x);
  putMatrix(op.getB(), given.x, op.getRight());
  return success();
}

LogicalResult Scalarizer::writeTrmm(TrmmOp op) {
  if (!areFields(op))
    return failure();
  Triangular given = getTriangular(op);
  Numbers product = given.x;
  int64_t size = given.t.size();
  for (int64_t i : llvm::seq(size))
    for (auto [c, sum] : llvm::enumerate(product[i])) {
      if (!given.isUnit)
        sum = multiply(given.t[i][i], sum);
      for (int64_t k :
           given.isLower ? llvm::seq<int64_t>(0, i) : llvm::seq<int64_t>(i + 1, size))
        sum = addProduct(sum, given.t[i][k], given.x[k][c]);
    }
  putMatrix(op.getB(), product, op.getRight());
  return success();
}

LogicalResult Scalarizer::writeSyrk(SyrkOp op) {
  if (!areFields(op) || op.getAtomic())
    return failure();
  Numbers a = getMatrix(op.getA(), isTransposed(op.getTranspose()));
  Value alpha = mapping.lookup(op.getAlpha()), beta = mapping.lookup(op.getBeta());
  auto isWritten = getPart(op.getTriangle());
  Numbers c(a.size(), SmallVector<Value>(a.size()));
  View view = *findView(op.getC());
  for (int64_t j : llvm::seq<int64_t>(a.size()))
    for (int64_t i : llvm::seq<int64_t>(a.size())) {
      if (!isWritten(i, j))
        continue;
      Value sum;
      for (auto [x, y] : llvm::zip_equal(a[i], a[j]))
        sum = sum ? addProduct(sum, x, y) : multiply(x, y);
      if (!sum)
        sum = constant(alpha.getType(), 0);
      c[i][j] = update(alpha, sum, beta, [&] { return get(view, {i, j}); });
    }
  putMatrix(op.getC(), c, /*isTransposed=*/false, isWritten);
  return success();
}
