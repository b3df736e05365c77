//===- ExpandFactorizations.cpp - Factorisations as loops and products ----===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Algorithms by blocks of 16 (Golub and Van Loan, Matrix Computations, 3.2 and 4.2): a
// block is factored or solved by loops over its rows, and products update the rest.
//
//===----------------------------------------------------------------------===//

#include "dialect/Passes.h"
#include "lib/IR/Instructions.h"
#include "lib/IR/Solves.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_EXPANDFACTORIZATIONSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

namespace mlir::tinytc::instructions {

/// Rows and columns of a block.
static constexpr int64_t kBlock = 16;
/// Blocks of a known number that are written out, with sizes that are known.
static constexpr int64_t kMaxWrittenOut = 8;

namespace {

/// A number of rows or columns, and the place of one of them.
using Extent = OpFoldResult;

/// Makes the instructions of one factorisation or solve.
class Expansion {
public:
  explicit Expansion(Operation *op) : b(op->getLoc(), op), op(op) {}

  void expand();

private:
  //===--------------------------------------------------------------------===//
  // Sizes and elements
  //===--------------------------------------------------------------------===//

  Extent known(int64_t number) { return b.getIndexAttr(number); }

  Value value(Extent extent) {
    if (std::optional<int64_t> number = getConstantIntValue(extent))
      return createIndex(b, *number);
    return cast<Value>(extent);
  }

  template <typename Op, typename Fold>
  Extent combine(Extent x, Extent y, Fold fold) {
    std::optional<int64_t> first = getConstantIntValue(x);
    std::optional<int64_t> second = getConstantIntValue(y);
    if (first && second)
      return known(fold(*first, *second));
    return Op::create(b, value(x), value(y)).getResult();
  }

  Extent add(Extent x, Extent y) {
    return getConstantIntValue(x) == 0
               ? y
               : combine<ArithAddOp>(x, y, std::plus<int64_t>());
  }
  Extent subtract(Extent x, Extent y) {
    return combine<ArithSubOp>(x, y, std::minus<int64_t>());
  }
  Extent smaller(Extent x, Extent y) {
    return combine<ArithMinOp>(x, y,
                               [](int64_t x, int64_t y) { return std::min(x, y); });
  }

  static bool isNone(Extent extent) { return getConstantIntValue(extent) == 0; }

  Extent sizeOf(Value memref, int64_t mode) {
    int64_t size = cast<MemrefType>(memref.getType()).getShape()[mode];
    return ShapedType::isDynamic(size) ? Extent(createSize(b, memref, mode))
                                       : known(size);
  }
  Extent rows(const MatrixForm &x) { return sizeOf(x.memref, x.isTransposed); }
  Extent columns(const MatrixForm &x) { return sizeOf(x.memref, !x.isTransposed); }

  /// One of two sizes that are equal: the one that is known.
  static Extent known(Extent x, Extent y) { return getConstantIntValue(y) ? y : x; }

  Value number(Type type, double number) { return createNumber(b, type, number); }

  /// The block of `rows` x `columns` elements that begins at (i, j).
  MatrixForm block(const MatrixForm &x, Extent i, Extent j, Extent rows,
                   Extent columns) {
    SmallVector<OpFoldResult, 2> offsets = {i, j}, sizes = {rows, columns};
    if (x.isTransposed) {
      std::swap(offsets[0], offsets[1]);
      std::swap(sizes[0], sizes[1]);
    }
    return {createBlock(b, x.memref, offsets, sizes), x.isTransposed, x.isConjugated};
  }

  Value load(const MatrixForm &x, Value i, Value j) { return x.load(b, i, j); }
  void store(const MatrixForm &x, Value element, Value i, Value j) {
    x.store(b, element, i, j);
  }

  Value realPart(Value x) {
    if (auto type = dyn_cast<ComplexType>(x.getType()))
      return ArithReOp::create(b, type.getElementType(), x);
    return x;
  }
  /// |x|^2
  Value squaredModulus(Value x) {
    auto type = dyn_cast<ComplexType>(x.getType());
    Value re = realPart(x), square = ArithMulOp::create(b, re, re);
    if (!type)
      return square;
    Value im = ArithImOp::create(b, type.getElementType(), x);
    return ArithAddOp::create(b, square, ArithMulOp::create(b, im, im));
  }
  /// x - y z
  Value subtractProduct(Value x, Value y, Value z) {
    return ArithSubOp::create(b, x, ArithMulOp::create(b, y, z));
  }

  /// Local memory for a block.
  MatrixForm createLocalBlock(Type element, Extent rows, Extent columns) {
    auto size = [](Extent extent) {
      return std::min(getConstantIntValue(extent).value_or(kBlock), kBlock);
    };
    return {createLocal(b, {size(rows), size(columns)}, element)};
  }

  //===--------------------------------------------------------------------===//
  // Loops
  //===--------------------------------------------------------------------===//

  /// Runs `body` for the rows from `from` to before `to`, one after the other.
  void loop(Value from, Value to, function_ref<void(Value)> body) {
    createFor(b, from, to, {}, [&](ImplicitLocOpBuilder &, Value i, ValueRange) {
      body(i);
      return SmallVector<Value>();
    });
  }

  /// Runs `body` for the rows from `from` to before `to` in any order.
  void forEach(Value from, Value to, function_ref<void(Value)> body) {
    createForeach(b, from, to,
                  [&](ImplicitLocOpBuilder &, ValueRange i) { body(i[0]); });
  }

  /// Runs `body` for (offset, size) of all blocks of a mode, from the last one if
  /// `isBackward`. Only the block at the end may have less than 16 elements. A size
  /// that is not known may be known to be at most `most`.
  void forBlocks(Extent size, bool isBackward, function_ref<void(Extent, Extent)> body,
                 int64_t most = std::numeric_limits<int64_t>::max()) {
    std::optional<int64_t> whole = getConstantIntValue(size);
    if (whole && *whole <= kMaxWrittenOut * kBlock) {
      int64_t count = llvm::divideCeil(*whole, kBlock);
      for (int64_t n : llvm::seq(count)) {
        int64_t offset = kBlock * (isBackward ? count - 1 - n : n);
        body(known(offset), known(std::min(kBlock, *whole - offset)));
      }
      return;
    }
    Value width = createIndex(b, kBlock);
    Value count = ArithDivOp::create(b, value(size), width);
    Value end = ArithMulOp::create(b, count, width);
    Extent rest = whole ? known(*whole % kBlock)
                        : Extent(ArithSubOp::create(b, value(size), end).getResult());
    if (most < kBlock)
      return body(end, rest);
    if (isBackward && !isNone(rest))
      body(end, rest);
    loop(createIndex(b, 0), count, [&](Value n) {
      Value offset = ArithMulOp::create(b, n, width);
      if (isBackward)
        offset = ArithSubOp::create(b, ArithSubOp::create(b, end, width), offset);
      body(offset, known(kBlock));
    });
    if (!isBackward && !isNone(rest))
      body(end, rest);
  }

  /// z := z - x y, for a z whose elements may be stored.
  void subtractProduct(MatrixForm x, MatrixForm y, MatrixForm z) {
    if (z.isTransposed) {
      std::swap(x, y);
      x = x.transpose();
      y = y.transpose();
    }
    if (z.isConjugated) {
      x = x.conjugate();
      y = y.conjugate();
    }
    Type type = getElementType(z.memref);
    GemmOp::create(b, x.getForm(), y.getForm(), /*atomic=*/false, number(type, -1),
                   x.memref, y.memref, number(type, 1), z.memref);
  }

  //===--------------------------------------------------------------------===//
  // The algorithms
  //===--------------------------------------------------------------------===//

  void factorCholesky(const MatrixForm &a);
  void factorCholeskyBlock(const MatrixForm &block, const MatrixForm &a,
                           const MatrixForm &l, Extent size);
  void solve(const MatrixForm &t, bool isLower, bool isUnit, const MatrixForm &x);
  void solveBlock(const MatrixForm &t, bool isLower, bool isUnit, const MatrixForm &x,
                  Extent size);
  void reportFirst(const MatrixForm &a, Extent size, Value info,
                   function_ref<Value(Value)> isBad);
  void cholesky(const MatrixForm &a, Value info);
  void findPivot(const MatrixForm &a, Value j, Value pivots);
  Value getPivot(Value pivots, Value j);
  void swapRows(const MatrixForm &x, Value pivots, bool isReverse);
  void factorLu(const MatrixForm &a, Value pivots);
  void lu(const MatrixForm &a, Value pivots, Value info);

  void requireEqual(Extent x, Extent y, StringRef text);
  MatrixForm asMatrix(Value memref);
  MatrixForm lowerFactor(Triangle triangle, Value a) {
    MatrixForm factor{a};
    return triangle == Triangle::L ? factor : factor.adjoint();
  }
  void scale(Value alpha, Value memref) {
    if (!isConstant(alpha, 1))
      createScale(b, alpha, memref);
  }

  void expandOp(CholeskyOp op);
  void expandOp(LuOp op);
  void expandOp(TrsmOp op);
  void expandOp(SwapRowsOp op);
  void expandOp(SyrkOp op);

  ImplicitLocOpBuilder b;
  Operation *op;
};

} // namespace

//===----------------------------------------------------------------------===//
// Cholesky
//===----------------------------------------------------------------------===//

/// Factors a block of `size` rows by columns. Its elements are overwritten by nobody:
/// the factor becomes `l`, and the lower triangle of `a`. Work-items compute the pivot
/// of a column each for itself, so that they meet once for each column.
void Expansion::factorCholeskyBlock(const MatrixForm &block, const MatrixForm &a,
                                    const MatrixForm &l, Extent size) {
  Type real = getRealPartType(getElementType(a.memref));
  Value zero = createIndex(b, 0), none = number(real, 0), one = number(real, 1);
  Value nan = number(real, std::numeric_limits<double>::quiet_NaN());
  loop(zero, value(size), [&](Value j) {
    forEach(j, value(size), [&](Value i) {
      Value inits[] = {load(block, i, j), realPart(load(block, j, j))};
      auto sums = createFor(
          b, zero, j, inits, [&](ImplicitLocOpBuilder &, Value p, ValueRange carried) {
            Value own = load(l, i, p), other = load(l, j, p);
            Value conjugate = isa<ComplexType>(other.getType())
                                  ? ArithConjOp::create(b, other)
                                  : other;
            Value sum = subtractProduct(carried[0], own, conjugate);
            Value pivot = ArithSubOp::create(b, carried[1], squaredModulus(other));
            return SmallVector<Value>{sum, pivot};
          });
      Value pivot = sums.getResult(1);
      Value isPositive = CmpGtOp::create(b, b.getI1Type(), pivot, none);
      Value root = SqrtOp::create(b, pivot);
      root = SelectOp::create(b, isPositive, root, nan);
      Value isPivot = CmpEqOp::create(b, b.getI1Type(), i, j);
      // The reciprocal of the root of any number is finite.
      Value reciprocal = ArithDivOp::create(b, one, root);
      reciprocal = createCast(b, reciprocal, getElementType(a.memref));
      Value quotient = ArithMulOp::create(b, sums.getResult(0), reciprocal);
      root = createCast(b, root, getElementType(a.memref));
      Value element = SelectOp::create(b, isPivot, root, quotient);
      store(l, element, i, j);
      store(a, element, i, j);
    });
  });
}

void Expansion::factorCholesky(const MatrixForm &a) {
  Extent size = known(rows(a), columns(a));
  MatrixForm block = createLocalBlock(getElementType(a.memref), size, size);
  MatrixForm l = createLocalBlock(getElementType(a.memref), size, size);
  Value zero = number(getElementType(a.memref), 0);
  forBlocks(size, /*isBackward=*/false, [&](Extent k, Extent width) {
    bool isPart = !getConstantIntValue(width) || getConstantIntValue(width) != kBlock;
    auto part = [&](const MatrixForm &x) {
      return isPart ? this->block(x, known(0), known(0), width, width) : x;
    };
    MatrixForm own = this->block(a, k, k, width, width), copy = part(block),
               factor = part(l);
    createForeach(b, copy.memref, [&](ImplicitLocOpBuilder &, ValueRange i) {
      Value isLower = CmpGeOp::create(b, b.getI1Type(), i[0], i[1]);
      if (!isNone(k)) { // the product below reads all elements
        Value isUpper = CmpLtOp::create(b, b.getI1Type(), i[0], i[1]);
        createIf(b, isUpper,
                 [&](ImplicitLocOpBuilder &) { store(copy, zero, i[0], i[1]); });
      }
      createIf(b, isLower, [&](ImplicitLocOpBuilder &) {
        store(copy, load(own, i[0], i[1]), i[0], i[1]);
      });
    });
    MatrixForm left;
    if (!isNone(k)) {
      left = this->block(a, k, known(0), width, k);
      subtractProduct(left, left.adjoint(), copy);
    }
    factorCholeskyBlock(copy, own, factor, width);
    if (!getConstantIntValue(width))
      return; // the last rows
    Extent next = add(k, width), rest = subtract(size, next);
    if (isNone(rest))
      return;
    MatrixForm below = this->block(a, next, k, rest, width);
    if (!isNone(k))
      subtractProduct(this->block(a, next, known(0), rest, k), left.adjoint(), below);
    // below := below L^-H, the solution X of conj(L) X^T = below^T.
    solve(factor.conjugate(), /*isLower=*/true, /*isUnit=*/false, below.transpose());
  });
}

void Expansion::cholesky(const MatrixForm &a, Value info) {
  factorCholesky(a);
  if (!info)
    return;
  reportFirst(a, rows(a), info, [&](Value pivot) -> Value {
    Value real = realPart(pivot);
    return CmpNeOp::create(b, b.getI1Type(), real, real);
  });
}

/// info := the place from 1 of the first bad element of the diagonal, or 0.
void Expansion::reportFirst(const MatrixForm &a, Extent size, Value info,
                            function_ref<Value(Value)> isBad) {
  Type i32 = b.getI32Type();
  Value none = number(i32, 0);
  auto first = createFor(
      b, createIndex(b, 0), value(size), none,
      [&](ImplicitLocOpBuilder &, Value j, ValueRange carried) {
        Value isOpen = CmpEqOp::create(b, b.getI1Type(), carried[0], none);
        Value isFirst = ArithAndOp::create(b, isOpen, isBad(load(a, j, j)));
        Value place = ArithAddOp::create(b, j, createIndex(b, 1));
        place = CastOp::create(b, i32, place);
        return SmallVector<Value>{SelectOp::create(b, isFirst, place, carried[0])};
      });
  StoreOp::create(b, StoreFlag::Regular, first.getResult(0), info, ValueRange());
}

//===----------------------------------------------------------------------===//
// Triangular solves
//===----------------------------------------------------------------------===//

/// Solves T X = X with a block of `size` rows: each column is the work of one
/// work-item, which has it in registers if `size` is known.
void Expansion::solveBlock(const MatrixForm &t, bool isLower, bool isUnit,
                           const MatrixForm &x, Extent size) {
  std::optional<int64_t> count = getConstantIntValue(size);
  auto divide = [&](Value sum, Value i) -> Value {
    return isUnit ? sum : ArithDivOp::create(b, sum, load(t, i, i));
  };
  Value zero = createIndex(b, 0);
  forEach(zero, value(columns(x)), [&](Value c) {
    if (count) {
      SmallVector<Value> places, solved(*count);
      for (int64_t i : llvm::seq(*count))
        places.push_back(createIndex(b, i));
      for (int64_t n : llvm::seq(*count)) {
        int64_t i = isLower ? n : *count - 1 - n;
        Value sum = load(x, places[i], c);
        for (int64_t m : llvm::seq(n)) {
          int64_t p = isLower ? m : *count - 1 - m;
          sum = subtractProduct(sum, load(t, places[i], places[p]), solved[p]);
        }
        solved[i] = divide(sum, places[i]);
        store(x, solved[i], places[i], c);
      }
      return;
    }
    Value one = createIndex(b, 1), last = ArithSubOp::create(b, value(size), one);
    loop(zero, value(size), [&](Value n) {
      auto row = [&](Value n) -> Value {
        return isLower ? n : ArithSubOp::create(b, last, n);
      };
      Value i = row(n);
      auto sum = createFor(b, zero, n, load(x, i, c),
                           [&](ImplicitLocOpBuilder &, Value m, ValueRange carried) {
                             Value p = row(m);
                             return SmallVector<Value>{subtractProduct(
                                 carried[0], load(t, i, p), load(x, p, c))};
                           });
      store(x, divide(sum.getResult(0), i), i, c);
    });
  });
}

/// X := T^-1 X for a triangle T.
void Expansion::solve(const MatrixForm &t, bool isLower, bool isUnit,
                      const MatrixForm &x) {
  Extent size = known(known(rows(t), columns(t)), rows(x)), count = columns(x);
  if (isNone(count))
    return;
  forBlocks(size, /*isBackward=*/!isLower, [&](Extent k, Extent width) {
    MatrixForm own = block(x, k, known(0), width, count);
    solveBlock(block(t, k, k, width, width), isLower, isUnit, own, width);
    Extent next = isLower ? add(k, width) : known(0);
    Extent rest = isLower ? subtract(size, next) : k;
    if (isNone(rest) || (isLower && !getConstantIntValue(width)))
      return;
    subtractProduct(block(t, next, k, rest, width), own,
                    block(x, next, known(0), rest, count));
  });
}

//===----------------------------------------------------------------------===//
// LU
//===----------------------------------------------------------------------===//

/// pivots(j) := the place from 1 of the largest |re| + |im| in column j, from row j on.
/// Each subgroup finds it, since all of them know the rows.
void Expansion::findPivot(const MatrixForm &a, Value j, Value pivots) {
  auto parallel = ParallelOp::create(b);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&parallel.getBody().emplaceBlock());
  Type i32 = b.getI32Type(), index = b.getIndexType(), i1 = b.getI1Type();
  Type real = getRealPartType(getElementType(a.memref));
  Value lane = SubgroupLocalIdOp::create(b, i32);
  Value width = CastOp::create(b, index, SubgroupSizeOp::create(b, i32));
  Value first = ArithAddOp::create(b, j, CastOp::create(b, index, lane));
  Value inits[] = {number(real, -1), j}; // NaN is smaller than any number
  auto loop = ForOp::create(b, first, value(rows(a)), width, inits, Attribute());
  {
    OpBuilder::InsertionGuard guard(b);
    Block &block = loop.getBody().emplaceBlock();
    Value i = block.addArgument(index, b.getLoc());
    Value largest = block.addArgument(real, b.getLoc());
    Value place = block.addArgument(index, b.getLoc());
    b.setInsertionPointToStart(&block);
    Value element = load(a, i, j),
          size = ArithAbsOp::create(b, real, realPart(element));
    if (isa<ComplexType>(getElementType(a.memref))) {
      Value im = ArithImOp::create(b, real, element);
      size = ArithAddOp::create(b, size, ArithAbsOp::create(b, real, im));
    }
    Value isLarger = CmpGtOp::create(b, i1, size, largest);
    YieldOp::create(b, ValueRange{SelectOp::create(b, isLarger, size, largest),
                                  SelectOp::create(b, isLarger, i, place)});
  }
  Value size = loop.getResult(0);
  Value largest = SubgroupMaxOp::create(b, real, GroupOperation::Reduce, size);
  Value isLargest = CmpEqOp::create(b, i1, size, largest);
  Value place = CastOp::create(b, i32, loop.getResult(1));
  Value none = number(i32, std::numeric_limits<int32_t>::max());
  place = SelectOp::create(b, isLargest, place, none);
  place = SubgroupMinOp::create(b, i32, GroupOperation::Reduce, place);
  place = ArithAddOp::create(b, place, number(i32, 1));
  Value item = ArithAddOp::create(b, lane, SubgroupIdOp::create(b, i32, nullptr));
  createIf(b, CmpEqOp::create(b, i1, item, number(i32, 0)),
           [&](ImplicitLocOpBuilder &) {
             StoreOp::create(b, StoreFlag::Regular, place, pivots, j);
           });
  YieldOp::create(b);
}

/// Swaps the elements of one column. In an SPMD region.
static void swapElements(ImplicitLocOpBuilder &b, Value memref, ArrayRef<Value> first,
                         ArrayRef<Value> second) {
  Value x = LoadOp::create(b, memref, first), y = LoadOp::create(b, memref, second);
  StoreOp::create(b, StoreFlag::Regular, y, memref, first);
  StoreOp::create(b, StoreFlag::Regular, x, memref, second);
}

/// Swaps row j and row pivots(j) of all columns.
void Expansion::swapRows(const MatrixForm &x, Value pivots, bool isReverse) {
  Value zero = createIndex(b, 0), one = createIndex(b, 1);
  Value count = createSize(b, pivots, 0), last = ArithSubOp::create(b, count, one);
  forEach(zero, value(columns(x)), [&](Value c) {
    loop(zero, count, [&](Value n) {
      Value j = isReverse ? Value(ArithSubOp::create(b, last, n)) : n;
      Value place = getPivot(pivots, j);
      swapElements(b, x.memref, {j, c}, {place, c});
    });
  });
}

Value Expansion::getPivot(Value pivots, Value j) {
  Value place = CastOp::create(b, b.getIndexType(), LoadOp::create(b, pivots, j));
  return ArithSubOp::create(b, place, createIndex(b, 1));
}

/// Column by column within a block of columns, which trailing products then use.
void Expansion::factorLu(const MatrixForm &a, Value pivots) {
  Extent rowCount = rows(a), columnCount = columns(a);
  Value zero = createIndex(b, 0), one = createIndex(b, 1);
  int64_t most = std::numeric_limits<int64_t>::max();
  for (Extent count : {rowCount, columnCount})
    most = std::min(most, getConstantIntValue(count).value_or(most));
  forBlocks(
      smaller(rowCount, columnCount), /*isBackward=*/false,
      [&](Extent k, Extent width) {
        Extent next = add(k, width);
        loop(value(k), value(next), [&](Value j) {
          if (pivots) {
            findPivot(a, j, pivots);
            forEach(zero, value(columnCount), [&](Value c) {
              swapElements(b, a.memref, {j, c}, {getPivot(pivots, j), c});
            });
          }
          Value after = ArithAddOp::create(b, j, one);
          forEach(after, value(rowCount), [&](Value i) {
            Value factor = ArithDivOp::create(b, load(a, i, j), load(a, j, j));
            store(a, factor, i, j);
            loop(after, value(next), [&](Value c) {
              store(a, subtractProduct(load(a, i, c), factor, load(a, j, c)), i, c);
            });
          });
        });
        Extent rest = subtract(columnCount, next), below = subtract(rowCount, next);
        if (isNone(rest))
          return;
        MatrixForm right = block(a, k, next, width, rest);
        solve(block(a, k, k, width, width), /*isLower=*/true, /*isUnit=*/true, right);
        if (!isNone(below) && getConstantIntValue(width))
          subtractProduct(block(a, next, k, below, width), right,
                          block(a, next, next, below, rest));
      },
      most);
}

void Expansion::lu(const MatrixForm &a, Value pivots, Value info) {
  factorLu(a, pivots);
  if (!info)
    return;
  Value zero = number(getElementType(a.memref), 0);
  reportFirst(a, smaller(rows(a), columns(a)), info, [&](Value pivot) -> Value {
    return CmpEqOp::create(b, b.getI1Type(), pivot, zero);
  });
}

//===----------------------------------------------------------------------===//
// The instructions
//===----------------------------------------------------------------------===//

void Expansion::requireEqual(Extent x, Extent y, StringRef text) {
  if (x == y || (getConstantIntValue(x) && getConstantIntValue(y)))
    return; // the verifier has compared them
  Value isEqual = CmpEqOp::create(b, b.getI1Type(), value(x), value(y));
  AssertOp::create(b, isEqual, text);
}

/// A vector as a matrix of one column.
MatrixForm Expansion::asMatrix(Value memref) {
  auto type = cast<MemrefType>(memref.getType());
  if (type.getOrder() == 2)
    return {memref};
  int64_t shape[] = {type.getShape()[0], 1};
  SmallVector<Value> sizes;
  if (type.isDynamicSize(0))
    sizes.push_back(createSize(b, memref, 0));
  Type result = ExpandOp::inferResultType(b.getLoc(), type, 0, shape);
  return {ExpandOp::create(b, result, memref, 0, shape, sizes)};
}

void Expansion::expandOp(CholeskyOp op) {
  MatrixForm a = lowerFactor(op.getTriangle(), op.getA());
  requireEqual(rows(a), columns(a), "'a' is square");
  cholesky(a, op.getInfo());
}

void Expansion::expandOp(TrsmOp op) {
  MatrixForm t{op.getA(), isTransposed(op.getTranspose()),
               isConjugated(op.getTranspose())};
  MatrixForm x = asMatrix(op.getB());
  bool isLower = (op.getTriangle() == Triangle::L) != t.isTransposed;
  if (op.getRight()) { // X op(A) = B is op(A)^T X^T = B^T
    t = t.transpose();
    x = x.transpose();
    isLower = !isLower;
  }
  requireEqual(rows(t), columns(t), "'a' is square");
  requireEqual(rows(x), rows(t), "'b' fits 'a'");
  scale(op.getAlpha(), op.getB());
  solve(t, isLower, op.getUnit(), x);
}

void Expansion::expandOp(LuOp op) {
  if (op.getPiv())
    requireEqual(sizeOf(op.getPiv(), 0),
                 smaller(rows({op.getA()}), columns({op.getA()})), "'piv' fits 'a'");
  lu({op.getA()}, op.getPiv(), op.getInfo());
}

void Expansion::expandOp(SwapRowsOp op) {
  swapRows(asMatrix(op.getB()), op.getPiv(), op.getReverse());
}

/// Blocks of columns: the block on the diagonal is computed in local memory, since a
/// product would write both triangles.
void Expansion::expandOp(SyrkOp op) {
  MatrixForm a{op.getA(), isTransposed(op.getTranspose()),
               isConjugated(op.getTranspose())};
  MatrixForm c{op.getC()};
  bool isLower = op.getTriangle() == Triangle::L, isAtomic = op.getAtomic();
  Value alpha = op.getAlpha(), beta = op.getBeta(),
        zero = number(getElementType(c.memref), 0);
  bool readsC = !isAtomic && !isConstant(beta, 0);
  Extent size = known(known(rows(c), columns(c)), rows(a)), summed = columns(a);
  requireEqual(rows(c), columns(c), "'c' is square");
  requireEqual(rows(c), rows(a), "'c' fits 'a'");
  MatrixForm memory = createLocalBlock(getElementType(c.memref), size, size);
  auto product = [&](const MatrixForm &x, const MatrixForm &y, bool isAtomic,
                     Value beta, const MatrixForm &z) {
    MatrixForm other = y.adjoint();
    GemmOp::create(b, x.getForm(), other.getForm(), isAtomic, alpha, x.memref,
                   other.memref, beta, z.memref);
  };
  forBlocks(size, /*isBackward=*/false, [&](Extent k, Extent width) {
    MatrixForm own = block(a, k, known(0), width, summed);
    MatrixForm diagonal = block(c, k, k, width, width);
    MatrixForm copy = block(memory, known(0), known(0), width, width);
    auto isInTriangle = [&](ValueRange i) -> Value {
      return CmpGeOp::create(b, b.getI1Type(), i[!isLower], i[isLower]);
    };
    if (readsC)
      createForeach(b, copy.memref, [&](ImplicitLocOpBuilder &, ValueRange i) {
        StoreOp::create(b, StoreFlag::Regular, zero, copy.memref, i);
        createIf(b, isInTriangle(i), [&](ImplicitLocOpBuilder &) {
          Value element = LoadOp::create(b, diagonal.memref, i);
          StoreOp::create(b, StoreFlag::Regular, element, copy.memref, i);
        });
      });
    product(own, own, /*isAtomic=*/false, readsC ? beta : zero, copy);
    StoreFlag flag = getStoreFlag(isAtomic, isConstant(beta, 0));
    createForeach(b, copy.memref, [&](ImplicitLocOpBuilder &, ValueRange i) {
      createIf(b, isInTriangle(i), [&](ImplicitLocOpBuilder &) {
        Value element = LoadOp::create(b, copy.memref, i);
        StoreOp::create(b, flag, element, diagonal.memref, i);
      });
    });
    Extent next = add(k, width), rest = subtract(size, next);
    if (isNone(rest) || !getConstantIntValue(width))
      return;
    MatrixForm other = block(a, next, known(0), rest, summed);
    if (isLower)
      product(other, own, isAtomic, beta, block(c, next, k, rest, width));
    else
      product(own, other, isAtomic, beta, block(c, k, next, width, rest));
  });
}

void Expansion::expand() {
  llvm::TypeSwitch<Operation *>(op).Case<CholeskyOp, LuOp, TrsmOp, SwapRowsOp, SyrkOp>(
      [&](auto op) { expandOp(op); });
  op->erase();
}

} // namespace mlir::tinytc::instructions

namespace {
struct ExpandFactorizations final
    : tinytc::impl::ExpandFactorizationsPassBase<ExpandFactorizations> {
  using ExpandFactorizationsPassBase::ExpandFactorizationsPassBase;

  void runOnOperation() override {
    decomposeSolves(getOperation());
    SmallVector<Operation *> found;
    getOperation().walk([&](Operation *op) {
      if (isa<CholeskyOp, LuOp, TrsmOp, SwapRowsOp, SyrkOp>(op))
        found.push_back(op);
    });
    if (found.empty())
      return markAllAnalysesPreserved();
    for (Operation *op : found)
      instructions::Expansion(op).expand();
  }
};
} // namespace
