//===- FactorizationsInLanes.cpp - Blocks whose rows are lanes ------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Right-looking algorithms (Golub and Van Loan, Matrix Computations, 3.2 and 4.2) for
// blocks that the first subgroup has in registers: a lane has a row, and gets elements
// of others by broadcasts. No local memory, no barrier.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Factorizations.h"

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::instructions;

namespace {

/// The columns of a block in an SPMD region, which belongs to the first subgroup.
class RowsInLanes : Expander {
public:
  RowsInLanes(const ImplicitLocOpBuilder &builder, const MatrixForm &a,
              int64_t rowCount, int64_t columnCount)
      : Expander(builder), a(a), rowCount(rowCount), columnCount(columnCount),
        type(getElementType(a.memref)), real(getRealPartType(type)), i1(b.getI1Type()),
        i32(b.getI32Type()) {}

  void factorCholesky(const MatrixForm &left, const MatrixForm &copy);
  void factorLu(Value pivots, Value offset);
  void solve(bool isLower, bool isUnit, const MatrixForm &x);

private:
  void begin();
  Value isFirstSubgroup();
  void beginFirstSubgroup();
  void end();
  void storeWhere(Value condition, const MatrixForm &x, Value element, Value j);
  void subtractLeft(const MatrixForm &left);
  std::pair<Value, Value> findPivot(int64_t j);

  Value broadcast(Value x, int64_t lane) {
    return SubgroupBroadcastOp::create(b, x, number(i32, lane));
  }
  Value conjugate(Value x) {
    return isa<ComplexType>(type) ? Value(ArithConjOp::create(b, x)) : x;
  }
  template <typename Op>
  Value compare(Value x, Value y) {
    return Op::create(b, i1, x, y);
  }

  MatrixForm a;
  int64_t rowCount, columnCount;
  Type type, real, i1, i32;
  Value lane, row, isRow;
  /// The row where that of the lane belongs.
  Value place;
  SmallVector<Value> places, columns;
};

} // namespace

/// Enters the region.
void RowsInLanes::begin() {
  auto parallel = ParallelOp::create(b);
  b.setInsertionPointToStart(&parallel.getBody().emplaceBlock());
  lane = SubgroupLocalIdOp::create(b, i32);
  row = CastOp::create(b, b.getIndexType(), lane);
  isRow = compare<CmpLtOp>(lane, number(i32, rowCount));
  for (int64_t j : llvm::seq(std::max(rowCount, columnCount)))
    places.push_back(instructions::createIndex(b, j));
}

Value RowsInLanes::isFirstSubgroup() {
  return compare<CmpEqOp>(SubgroupIdOp::create(b, i32, nullptr), number(i32, 0));
}

/// Enters the region; what follows is the work of the first subgroup.
void RowsInLanes::beginFirstSubgroup() {
  begin();
  auto branch = IfOp::create(b, TypeRange(), isFirstSubgroup());
  end();
  b.setInsertionPointToStart(&branch->getRegion(0).emplaceBlock());
}

void RowsInLanes::end() { YieldOp::create(b); }

void RowsInLanes::storeWhere(Value condition, const MatrixForm &x, Value element,
                             Value j) {
  createIf(b, condition, [&](ImplicitLocOpBuilder &) { store(x, element, row, j); });
}

/// Subtracts the product of `left` and its adjoint.
void RowsInLanes::subtractLeft(const MatrixForm &left) {
  auto sums = createFor(
      b, instructions::createIndex(b, 0), value(this->Expander::columns(left)), columns,
      [&](ImplicitLocOpBuilder &, Value p, ValueRange carried) {
        Value own = loadWhere(isRow, left, row, p);
        SmallVector<Value> result;
        for (auto [sum, j] : llvm::zip(carried, places))
          result.push_back(subtractProduct(sum, conjugate(load(left, j, p)), own));
        return result;
      });
  columns = llvm::to_vector_of<Value>(sums.getResults());
}

void RowsInLanes::factorCholesky(const MatrixForm &left, const MatrixForm &copy) {
  beginFirstSubgroup();
  Value none = number(real, 0), one = number(real, 1);
  Value nan = number(real, std::numeric_limits<double>::quiet_NaN());
  SmallVector<Value> isLower;
  for (int64_t j : llvm::seq(columnCount)) {
    Value isBelow = compare<CmpGeOp>(lane, number(i32, j));
    isLower.push_back(ArithAndOp::create(b, isBelow, isRow));
    columns.push_back(loadWhere(isLower[j], a, row, places[j]));
  }
  if (left.memref)
    subtractLeft(left);
  for (int64_t j : llvm::seq(columnCount)) {
    Value pivot = broadcast(realPart(columns[j]), j);
    pivot = SelectOp::create(b, compare<CmpGtOp>(pivot, none), pivot, nan);
    Value root = SqrtOp::create(b, pivot);
    // The reciprocal of the root of any number is finite.
    Value reciprocal = createCast(b, ArithDivOp::create(b, one, root), type);
    Value column = ArithMulOp::create(b, columns[j], reciprocal);
    // The next column need not wait for the root: l l^H is also column (column /
    // pivot)^H.
    Value own = isa<ComplexType>(type) ? column : columns[j], other = column;
    if (!isa<ComplexType>(type))
      other = ArithDivOp::create(b, columns[j], pivot);
    for (int64_t k : llvm::seq(j + 1, columnCount))
      columns[k] = subtractProduct(columns[k], conjugate(broadcast(other, k)), own);
    Value isPivot = compare<CmpEqOp>(lane, number(i32, j));
    Value element = SelectOp::create(b, isPivot, createCast(b, root, type), column);
    storeWhere(isLower[j], a, element, places[j]);
    if (copy.memref)
      storeWhere(isRow, copy, element, places[j]);
  }
  end();
}

/// Rows stay in their lanes; `place` says where they belong. Finds the row of the
/// largest |re| + |im| in column j, the first of several, from row j on, and swaps it
/// with row j. NaN is the smallest. Returns the lane that has it, and its place before.
std::pair<Value, Value> RowsInLanes::findPivot(int64_t j) {
  static constexpr int32_t kLanes = 256; // more than any subgroup has
  Value size = sumOfParts(columns[j]);
  Value smallest = number(real, -std::numeric_limits<double>::infinity());
  Value lanes = number(i32, kLanes), first = number(i32, j);
  Value isOpen = ArithAndOp::create(b, compare<CmpGeOp>(place, first), isRow);
  Value isNumber = compare<CmpGtOp>(size, smallest);
  size = SelectOp::create(b, ArithAndOp::create(b, isOpen, isNumber), size, smallest);
  Value largest = SubgroupMaxOp::create(b, real, GroupOperation::Reduce, size);
  Value isLargest = ArithAndOp::create(b, isOpen, compare<CmpEqOp>(size, largest));
  Value key = ArithAddOp::create(b, ArithMulOp::create(b, place, lanes), lane);
  key = SelectOp::create(b, isLargest, key,
                         number(i32, std::numeric_limits<int32_t>::max()));
  key = SubgroupMinOp::create(b, i32, GroupOperation::Reduce, key);
  Value pivotLane = ArithRemOp::create(b, key, lanes);
  Value pivotPlace = ArithDivOp::create(b, key, lanes);
  Value displaced =
      SelectOp::create(b, compare<CmpEqOp>(place, first), pivotPlace, place);
  place = SelectOp::create(b, compare<CmpEqOp>(lane, pivotLane), first, displaced);
  return {pivotLane, pivotPlace};
}

/// The rows, and where they belong, leave the branch of the first subgroup: all
/// work-items meet before rows are stored where other lanes have loaded theirs.
void RowsInLanes::factorLu(Value pivots, Value offset) {
  begin();
  Value isFirst = isFirstSubgroup();
  SmallVector<Type> types(columnCount, type);
  types.push_back(i32);
  auto branch = IfOp::create(b, types, isFirst);
  OpBuilder::InsertPoint after = b.saveInsertionPoint();
  b.setInsertionPointToStart(&branch->getRegion(1).emplaceBlock());
  SmallVector<Value> none(columnCount, number(type, 0));
  none.push_back(lane);
  YieldOp::create(b, none);
  b.setInsertionPointToStart(&branch->getRegion(0).emplaceBlock());
  place = lane;
  Value next = CastOp::create(
      b, i32, ArithAddOp::create(b, offset, instructions::createIndex(b, 1)));
  for (int64_t j : llvm::seq(columnCount))
    columns.push_back(loadWhere(isRow, a, row, places[j]));
  for (int64_t j : llvm::seq(std::min(rowCount, columnCount))) {
    Value pivotLane = number(i32, j);
    if (pivots) {
      Value pivotPlace;
      std::tie(pivotLane, pivotPlace) = findPivot(j);
      createIf(b, compare<CmpEqOp>(lane, number(i32, 0)), [&](ImplicitLocOpBuilder &) {
        StoreOp::create(b, StoreFlag::Regular, ArithAddOp::create(b, pivotPlace, next),
                        pivots, ArithAddOp::create(b, offset, places[j]).getResult());
      });
    }
    Value isBelow = compare<CmpGtOp>(place, number(i32, j));
    Value pivot = SubgroupBroadcastOp::create(b, columns[j], pivotLane);
    Value factor = ArithDivOp::create(b, columns[j], pivot);
    columns[j] = SelectOp::create(b, isBelow, factor, columns[j]);
    for (int64_t k : llvm::seq(j + 1, columnCount)) {
      Value other = SubgroupBroadcastOp::create(b, columns[k], pivotLane);
      columns[k] = SelectOp::create(
          b, isBelow, subtractProduct(columns[k], other, factor), columns[k]);
    }
  }
  columns.push_back(place);
  YieldOp::create(b, columns);
  b.restoreInsertionPoint(after);
  bool isLocal = cast<MemrefType>(a.memref.getType()).isLocal();
  BarrierOp::create(b, /*fence_global=*/!isLocal, /*fence_local=*/isLocal);
  row = CastOp::create(b, b.getIndexType(), branch->getResults().back());
  Value isOwn = ArithAndOp::create(b, isFirst, isRow);
  for (auto [column, j] : llvm::zip_first(branch->getResults().drop_back(), places))
    storeWhere(isOwn, a, column, j);
  end();
}

/// A subgroup has some of the columns of the right side, one after the other.
void RowsInLanes::solve(bool isLower, bool isUnit, const MatrixForm &x) {
  begin();
  SmallVector<Value> isOpen, reciprocals;
  for (int64_t j : llvm::seq(columnCount)) {
    Value first = number(i32, j);
    Value isRest =
        isLower ? compare<CmpGtOp>(lane, first) : compare<CmpLtOp>(lane, first);
    isOpen.push_back(ArithAndOp::create(b, isRest, isRow));
    columns.push_back(loadWhere(isOpen[j], a, row, places[j]));
    if (!isUnit)
      reciprocals.push_back(
          ArithDivOp::create(b, number(type, 1), load(a, places[j], places[j])));
  }
  auto index = [&](Value number) -> Value {
    return CastOp::create(b, b.getIndexType(), number);
  };
  auto loop = ForOp::create(
      b, index(SubgroupIdOp::create(b, i32, nullptr)), value(Expander::columns(x)),
      index(NumSubgroupsOp::create(b, i32, nullptr)), ValueRange(), Attribute());
  Block &block = loop.getBody().emplaceBlock();
  Value c = block.addArgument(b.getIndexType(), b.getLoc());
  end();
  b.setInsertionPointToStart(&block);
  Value sum = loadWhere(isRow, x, row, c);
  for (int64_t n : llvm::seq(columnCount)) {
    int64_t j = isLower ? n : columnCount - 1 - n;
    Value solved = broadcast(sum, j), rest = sum;
    if (!isUnit) {
      solved = ArithMulOp::create(b, solved, reciprocals[j]);
      rest = SelectOp::create(b, compare<CmpEqOp>(lane, number(i32, j)), solved, sum);
    }
    sum =
        SelectOp::create(b, isOpen[j], subtractProduct(sum, solved, columns[j]), rest);
  }
  storeWhere(isRow, x, sum, c);
  end();
}

void instructions::factorCholeskyInLanes(const ImplicitLocOpBuilder &builder,
                                         const MatrixForm &a, const MatrixForm &left,
                                         const MatrixForm &copy, int64_t size) {
  RowsInLanes(builder, a, size, size).factorCholesky(left, copy);
}

void instructions::factorLuInLanes(const ImplicitLocOpBuilder &builder,
                                   const MatrixForm &a, Value pivots, Value offset,
                                   int64_t rowCount, int64_t columnCount) {
  RowsInLanes(builder, a, rowCount, columnCount).factorLu(pivots, offset);
}

void instructions::solveInLanes(const ImplicitLocOpBuilder &builder,
                                const MatrixForm &t, bool isLower, bool isUnit,
                                const MatrixForm &x, int64_t size) {
  RowsInLanes(builder, t, size, size).solve(isLower, isUnit, x);
}
