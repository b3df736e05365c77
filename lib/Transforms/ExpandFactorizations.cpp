//===- ExpandFactorizations.cpp - Factorisations as loops and products ----===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Algorithms by blocks of 16 (Golub and Van Loan, Matrix Computations, 3.2 and 4.2): a
// block is factored or solved by loops over its rows, and products update the rest.
//
//===----------------------------------------------------------------------===//

#include "dialect/DiscardableAttrs.h"
#include "dialect/Passes.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/IR/Solves.h"
#include "lib/Transforms/Factorizations.h"
#include "lib/Transforms/WorkGroupSizes.h"

#include "llvm/ADT/TypeSwitch.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_EXPANDFACTORIZATIONSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

namespace mlir::tinytc::instructions {

/// The most columns of a right side that are solved one after the other.
static constexpr int64_t kFewColumns = 4;

namespace {

/// Makes the instructions of one factorisation or solve.
class Expansion : Expander {
public:
  Expansion(Operation *op, int64_t lanes) : Expander(op), op(op), lanes(lanes) {}

  void expand();

private:
  //===--------------------------------------------------------------------===//
  // The algorithms
  //===--------------------------------------------------------------------===//

  static bool isFew(Extent columns) {
    std::optional<int64_t> count = getConstantIntValue(columns);
    return count && *count <= kFewColumns;
  }
  bool fitsLanes(Extent size) {
    std::optional<int64_t> rowCount = getConstantIntValue(size);
    return rowCount && *rowCount <= lanes;
  }
  void factorCholesky(const MatrixForm &a);
  void factorCholeskyInLoops(const MatrixForm &a, const MatrixForm &left,
                             const MatrixForm &factor);
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
  void swapRows(const MatrixForm &x, Extent begin, Extent end, Value pivots,
                Extent from, Extent to);
  void factorLu(const MatrixForm &a, Value pivots);
  void factorLuInLoops(const MatrixForm &a, Extent k, Extent width, Value pivots);
  void lu(const MatrixForm &a, Value pivots, Value info);

  void expandOp(CholeskyOp op);
  void expandOp(LuOp op);
  void expandOp(TrsmOp op);
  void expandOp(SwapRowsOp op);

  Operation *op;
  /// Work-items of a subgroup; 0 if that is open.
  int64_t lanes;
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

/// Factors a block after the product of `left`, if there is one, and its adjoint is
/// subtracted. The factor becomes the lower triangle of `a` and of `factor`.
void Expansion::factorCholeskyInLoops(const MatrixForm &a, const MatrixForm &left,
                                      const MatrixForm &factor) {
  Type type = getElementType(a.memref);
  Extent width = rows(a);
  MatrixForm copy = createLocalBlock(type, width, width);
  if (getConstantIntValue(width) != kBlock)
    copy = block(copy, known(0), known(0), width, width);
  createForeach(b, copy.memref, [&](ImplicitLocOpBuilder &, ValueRange i) {
    Value isLower = CmpGeOp::create(b, b.getI1Type(), i[0], i[1]);
    if (left.memref) { // the product below reads all elements
      Value isUpper = CmpLtOp::create(b, b.getI1Type(), i[0], i[1]);
      createIf(b, isUpper, [&](ImplicitLocOpBuilder &) {
        store(copy, number(type, 0), i[0], i[1]);
      });
    }
    createIf(b, isLower, [&](ImplicitLocOpBuilder &) {
      store(copy, load(a, i[0], i[1]), i[0], i[1]);
    });
  });
  if (left.memref)
    subtractProduct(left, left.adjoint(), copy);
  factorCholeskyBlock(copy, a, factor, width);
}

void Expansion::factorCholesky(const MatrixForm &a) {
  Extent size = known(rows(a), columns(a));
  MatrixForm l; // the factor of a block, for rows below it
  bool isOneBlock = fitsLanes(size) && *getConstantIntValue(size) <= kBlock;
  if (!isOneBlock)
    l = createLocalBlock(getElementType(a.memref), size, size);
  forBlocks(size, /*isBackward=*/false, [&](Extent k, Extent width) {
    MatrixForm own = block(a, k, k, width, width), factor = l, left;
    if (!isOneBlock && getConstantIntValue(width) != kBlock)
      factor = block(l, known(0), known(0), width, width);
    if (!isNone(k))
      left = block(a, k, known(0), width, k);
    if (fitsLanes(width))
      factorCholeskyInLanes(b, own, left, factor, *getConstantIntValue(width));
    else
      factorCholeskyInLoops(own, left, factor);
    if (!getConstantIntValue(width))
      return; // the last rows
    Extent next = add(k, width), rest = subtract(size, next);
    if (isNone(rest))
      return;
    MatrixForm below = block(a, next, k, rest, width);
    if (!isNone(k))
      subtractProduct(block(a, next, known(0), rest, k), left.adjoint(), below);
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
  if (fitsLanes(size) && !x.isTransposed && isFew(columns(x)))
    return solveInLanes(b, t, isLower, isUnit, x, *count);
  SmallVector<Value> places, reciprocals; // of the diagonal, for all columns
  for (int64_t i : llvm::seq(count.value_or(0))) {
    places.push_back(createIndex(b, i));
    if (!isUnit)
      reciprocals.push_back(ArithDivOp::create(b, number(getElementType(t.memref), 1),
                                               load(t, places[i], places[i])));
  }
  Value zero = createIndex(b, 0);
  forEach(zero, value(columns(x)), [&](Value c) {
    if (count) {
      SmallVector<Value> solved(*count);
      for (int64_t n : llvm::seq(*count)) {
        int64_t i = isLower ? n : *count - 1 - n;
        Value sum = load(x, places[i], c);
        for (int64_t m : llvm::seq(n)) {
          int64_t p = isLower ? m : *count - 1 - m;
          sum = subtractProduct(sum, load(t, places[i], places[p]), solved[p]);
        }
        solved[i] = isUnit ? sum : ArithMulOp::create(b, sum, reciprocals[i]);
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
      Value solved = sum.getResult(0);
      if (!isUnit)
        solved = ArithDivOp::create(b, solved, load(t, i, i));
      store(x, solved, i, c);
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
  // NaN is smaller than any number.
  Value smallest = number(real, -std::numeric_limits<double>::infinity());
  Value inits[] = {smallest, j};
  auto loop = ForOp::create(b, first, value(rows(a)), width, inits, Attribute());
  {
    OpBuilder::InsertionGuard guard(b);
    Block &block = loop.getBody().emplaceBlock();
    Value i = block.addArgument(index, b.getLoc());
    Value largest = block.addArgument(real, b.getLoc());
    Value place = block.addArgument(index, b.getLoc());
    b.setInsertionPointToStart(&block);
    Value size = sumOfParts(load(a, i, j));
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

/// Swaps rows j and pivots(j), for j from `begin` to before `end`, of some columns.
void Expansion::swapRows(const MatrixForm &x, Extent begin, Extent end, Value pivots,
                         Extent from, Extent to) {
  forEach(value(from), value(to), [&](Value c) {
    loop(value(begin), value(end),
         [&](Value j) { swapElements(b, x.memref, {j, c}, {getPivot(pivots, j), c}); });
  });
}

/// Factors the columns of a block one after the other.
void Expansion::factorLuInLoops(const MatrixForm &a, Extent k, Extent width,
                                Value pivots) {
  Value end = value(add(k, width)), one = createIndex(b, 1);
  loop(value(k), end, [&](Value j) {
    if (pivots) {
      findPivot(a, j, pivots);
      forEach(value(k), end, [&](Value c) {
        swapElements(b, a.memref, {j, c}, {getPivot(pivots, j), c});
      });
    }
    Value after = ArithAddOp::create(b, j, one);
    forEach(after, value(rows(a)), [&](Value i) {
      Value factor = ArithDivOp::create(b, load(a, i, j), load(a, j, j));
      store(a, factor, i, j);
      loop(after, end, [&](Value c) {
        store(a, subtractProduct(load(a, i, c), factor, load(a, j, c)), i, c);
      });
    });
  });
}

/// Column by column within a block of columns, which trailing products then use.
void Expansion::factorLu(const MatrixForm &a, Value pivots) {
  Extent rowCount = rows(a), columnCount = columns(a);
  int64_t most = std::numeric_limits<int64_t>::max();
  for (Extent count : {rowCount, columnCount})
    most = std::min(most, getConstantIntValue(count).value_or(most));
  forBlocks(
      smaller(rowCount, columnCount), /*isBackward=*/false,
      [&](Extent k, Extent width) {
        Extent next = add(k, width);
        std::optional<int64_t> rowsLeft = getConstantIntValue(subtract(rowCount, k));
        bool isInLanes = rowsLeft && *rowsLeft <= lanes && getConstantIntValue(width);
        if (isInLanes)
          factorLuInLanes(b, block(a, k, k, subtract(rowCount, k), width), pivots,
                          value(k), *rowsLeft, *getConstantIntValue(width));
        else
          factorLuInLoops(a, k, width, pivots);
        if (pivots)
          for (auto [from, to] : {std::pair(known(0), k), std::pair(next, columnCount)})
            if (from != to)
              swapRows(a, k, next, pivots, from, to);
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

void Expansion::expandOp(CholeskyOp op) {
  MatrixForm a = lowerFactor(op.getTriangle(), op.getA());
  requireEqual(rows(a), columns(a), "'a' is square");
  cholesky(a, op.getInfo());
}

void Expansion::expandOp(TrsmOp op) {
  auto [t, x, isLower, isUnit] = scaleTriangular(op);
  solve(t, isLower, isUnit, x);
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

void Expansion::expand() {
  llvm::TypeSwitch<Operation *>(op).Case<CholeskyOp, LuOp, TrsmOp, SwapRowsOp>(
      [&](auto op) { expandOp(op); });
}

} // namespace mlir::tinytc::instructions

/// The most rows among which lanes search for pivots: with more, their columns do not
/// stay in registers.
static constexpr int64_t kMaxPivotedRows = 32;

/// The rows of the blocks of an instruction that lanes have; 0 if it has none.
static int64_t getRowsInLanes(Operation *op) {
  using namespace instructions;
  auto getSize = [](Value memref, int64_t mode) {
    return cast<MemrefType>(memref.getType()).getShape()[mode];
  };
  int64_t limit = kBlock, size = 0;
  if (auto solve = dyn_cast<TrsmOp>(op)) {
    bool isVector = solve.getB().getType().getOrder() == 1;
    int64_t columns = isVector ? 1 : getSize(solve.getB(), 1);
    if (!solve.getRight() && !ShapedType::isDynamic(columns) && columns <= kFewColumns)
      size = getSize(solve.getA(), 0);
  } else if (isa<CholeskyOp, LuOp>(op)) {
    size = getSize(op->getOperand(0), 0);
    if (isa<LuOp>(op) && size <= kMaxPivotedRows)
      limit = kMaxPivotedRows;
  }
  return ShapedType::isDynamic(size) ? kBlock : std::min(size, limit);
}

/// The work-items of a subgroup, which a kernel that leaves it open gets for the rows
/// of its blocks; 0 if later passes choose it.
static int64_t chooseLanes(FuncOp func) {
  if (std::optional<uint32_t> size = func.getSubgroupSize())
    return *size;
  TargetAttr target = findTarget(func);
  bool isOpen = !func.getWorkGroupSize() && func.getOps<ForeachTileOp>().empty();
  int64_t rows = 0;
  func.walk([&](Operation *op) { rows = std::max(rows, getRowsInLanes(op)); });
  if (!target || !isOpen || rows == 0)
    return 0;
  const Machine &machine = getMachine(target);
  if (machine.idleLanesAreFree || hasSpmdRegion(func))
    rows = machine.preferredSubgroupSize;
  if (hasMatrixUnitProduct(func, machine))
    rows = machine.unit.lanes;
  for (int32_t size : target.getSubgroupSizes())
    if (size >= rows) {
      func.setSubgroupSize(size);
      return size;
    }
  return 0;
}

namespace {
struct ExpandFactorizations final
    : tinytc::impl::ExpandFactorizationsPassBase<ExpandFactorizations> {
  using ExpandFactorizationsPassBase::ExpandFactorizationsPassBase;

  void runOnOperation() override {
    decomposeSolves(getOperation());
    SmallVector<Operation *> found;
    getOperation().walk([&](Operation *op) {
      if (op->hasTrait<FactorizationTrait>())
        found.push_back(op);
    });
    if (found.empty())
      return markAllAnalysesPreserved();
    int64_t lanes = chooseLanes(getOperation());
    for (Operation *op : found) {
      llvm::TypeSwitch<Operation *>(op)
          .Case<SyrkOp, TrmmOp, QrOp, ApplyQOp, EighOp>(
              [](auto op) { instructions::expand(op); })
          .Default([&](Operation *op) { instructions::Expansion(op, lanes).expand(); });
      op->erase();
    }
  }
};
} // namespace
