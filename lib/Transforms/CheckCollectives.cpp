//===- CheckCollectives.cpp - Rules of collective instructions ------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/ProductModes.h"
#include "lib/Analysis/ZeroPatterns.h"
#include "lib/IR/Blocks.h"
#include "lib/IR/Instructions.h"
#include "lib/Transforms/CheckInserter.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;

using Predicate = arith::CmpIPredicate;

/// The name of an operand of a collective instruction in messages.
static std::string getOperandName(BlasOpInterface op, OpOperand &operand) {
  static constexpr StringLiteral names[] = {"a", "b", "c"};
  unsigned position = 0;
  for (OpOperand &other : op->getOpOperands()) {
    if (&other == &operand)
      break;
    position += isa<MemrefType>(other.get().getType());
  }
  return ("'" + names[position] + "'").str();
}

//===----------------------------------------------------------------------===//
// Blocks of views
//===----------------------------------------------------------------------===//

std::pair<Value, Value> Conditions::slice(SubviewOp op, int64_t mode) {
  auto entry = [&](ArrayRef<int64_t> entries, ValueRange values) {
    return get(getMixedValues(entries, values, op.getContext())[mode]);
  };
  Value size =
      op.isRemoved(mode) ? constant(1) : entry(op.getStaticSizes(), op.getSizes());
  return {entry(op.getStaticOffsets(), op.getOffsets()), size};
}

SmallVector<size_t>
Conditions::addSlices(MutableArrayRef<std::pair<Value, Value>> modes, SubviewOp view,
                      ArrayRef<size_t> positions) {
  SmallVector<size_t> kept;
  for (auto [number, position] : llvm::enumerate(positions)) {
    auto [begin, size] = slice(view, number);
    Value before = modes[position].first;
    modes[position] = {before ? apply<arith::AddIOp>(begin, before) : begin, size};
    if (!view.isRemoved(number))
      kept.push_back(position);
  }
  return kept;
}

std::optional<SmallVector<std::pair<Value, Value>>> Conditions::block(Value view,
                                                                      Value source) {
  SmallVector<Operation *> views; // the last one first
  for (; view != source; view = getViewSource(view))
    views.push_back(view.getDefiningOp());
  SmallVector<std::pair<Value, Value>> modes(
      cast<MemrefType>(source.getType()).getOrder());
  auto positions = llvm::to_vector(llvm::seq<size_t>(modes.size()));
  bool hasOtherModes = false;
  for (Operation *op : llvm::reverse(views)) {
    auto subview = dyn_cast<SubviewOp>(op);
    if (subview && hasOtherModes)
      return std::nullopt;
    hasOtherModes |= !subview;
    if (subview)
      positions = addSlices(modes, subview, positions);
  }
  for (auto [mode, entry] : llvm::enumerate(modes))
    if (!entry.first)
      entry = {constant(0), size(source, mode)};
  return modes;
}

//===----------------------------------------------------------------------===//
// Products, sums and copies
//===----------------------------------------------------------------------===//

void CheckInserter::check(OpBuilder &builder, BlasOpInterface op) {
  Location loc = op.getLoc();
  Conditions conditions(builder, loc);
  Rules rules;
  for (Value operand : op->getOperands())
    if (isa<MemrefType>(operand.getType()))
      rules.add(builder, rulesOf[operand]);
  for (const auto &[own, reference] : getEqualModes(op)) {
    Value size = conditions.size(own.operand->get(), own.mode);
    Value expected = conditions.size(reference.operand->get(), reference.mode);
    Message message;
    message << "expected mode " << own.mode << " of "
            << getOperandName(op, *own.operand) << " to have the size of mode "
            << reference.mode << " of " << getOperandName(op, *reference.operand)
            << " = " << expected << ", got " << size;
    rules.add(builder,
              {conditions.compare(Predicate::eq, size, expected), loc, message});
  }
  addOverlap(builder, rules, op);
  for (const BlasFactor &factor : op.getFactors())
    checkZeros(builder, loc, factor.operand->get());
  builder.setInsertionPointAfter(op);
  checkZeros(builder, loc, op.getDestination());
  guard.protect(op, rules);
}

/// Adds that a number is zero, if a pattern of zeros says so of the element.
void CheckInserter::addZero(OpBuilder &builder, Location loc, Rules &rules,
                            Value memref, ValueRange indices, Value number) {
  std::optional<RootBlock> block = RootBlock::get(memref);
  if (!block || !getNonzero(block->root))
    return;
  Conditions conditions(builder, loc);
  SmallVector<Value> current(indices);
  for (Value view = memref; view != block->root; view = getViewSource(view)) {
    auto subview = view.getDefiningOp<SubviewOp>();
    SmallVector<Value> outer;
    unsigned next = 0;
    for (int64_t mode : llvm::seq(subview.getSource().getType().getOrder())) {
      Value begin = conditions.slice(subview, mode).first;
      outer.push_back(subview.isRemoved(mode)
                          ? begin
                          : conditions.apply<arith::AddIOp>(begin, current[next++]));
    }
    current = outer;
  }
  Value zero = ConstantOp::create(builder, loc, number.getType(), 0);
  Value holds = CmpEqOp::create(builder, loc, builder.getI1Type(), number, zero);
  Message message;
  for (const Box &box : getPromisedBoxes(block->root)) {
    Value isWithin;
    for (auto [index, range] : llvm::zip(current, box)) {
      for (Value condition :
           {conditions.compare(Predicate::sge, index, conditions.constant(range.begin)),
            conditions.compare(Predicate::slt, index, conditions.constant(range.end))})
        isWithin = isWithin ? conditions.both(isWithin, condition) : condition;
    }
    if (isWithin)
      holds = conditions.apply<arith::OrIOp>(holds, isWithin);
  }
  message << "expected an element" << ofSource(block->root)
          << " outside of 'nonzero' to be zero, got another number at ";
  StringRef separator = "[";
  for (Value index : current) {
    message << separator << index;
    separator = ", ";
  }
  message << "]";
  rules.add(builder, {holds, loc, message});
}

/// Reports elements of a memref that a pattern of zeros promises to be zero and that
/// are not.
void CheckInserter::checkZeros(OpBuilder &builder, Location loc, Value memref) {
  std::optional<RootBlock> block = RootBlock::get(memref);
  if (!block || !getNonzero(block->root))
    return;
  ImplicitLocOpBuilder b(loc, builder);
  instructions::createForeach(b, memref,
                              [&](ImplicitLocOpBuilder &nested, ValueRange indices) {
                                Value number = LoadOp::create(nested, memref, indices);
                                Rules rules;
                                addZero(nested, loc, rules, memref, indices, number);
                                guard.select(nested, loc, rules, {}, {});
                              });
  // An access to a view that is not one has been reported.
  if (Rules &views = rulesOf[memref]; !views.empty())
    guard.protect(&*std::prev(b.getInsertionPoint()), views);
}

void CheckInserter::checkZeros(OpBuilder &builder, Location loc, Value matrix,
                               ArrayRef<Value> position, ArrayRef<int64_t> sizes) {
  std::optional<RootBlock> block = RootBlock::get(matrix);
  if (!block || !getNonzero(block->root))
    return;
  ImplicitLocOpBuilder b(loc, builder);
  Conditions conditions(b, loc);
  // Each work-item sees at least what it has written itself.
  SmallVector<Value, 2> from, to;
  for (int64_t mode : {0, 1}) {
    Value end = conditions.apply<arith::AddIOp>(position[mode],
                                                conditions.constant(sizes[mode]));
    from.push_back(
        conditions.apply<arith::MaxSIOp>(position[mode], conditions.constant(0)));
    to.push_back(conditions.apply<arith::MinSIOp>(end, conditions.size(matrix, mode)));
  }
  auto checkElement = [&](ImplicitLocOpBuilder &nested, Value row, Value column) {
    Value number = LoadOp::create(nested, matrix, ValueRange{row, column});
    Rules rules;
    addZero(nested, loc, rules, matrix, {row, column}, number);
    guard.select(nested, loc, rules, {}, {});
    return SmallVector<Value>();
  };
  ForOp loop = instructions::createFor(
      b, from[0], to[0], {}, [&](ImplicitLocOpBuilder &outer, Value row, ValueRange) {
        instructions::createFor(
            outer, from[1], to[1], {},
            [&](ImplicitLocOpBuilder &inner, Value column, ValueRange) {
              return checkElement(inner, row, column);
            });
        return SmallVector<Value>();
      });
  // An access to a view that is not one has been reported.
  if (Rules &views = rulesOf[matrix]; !views.empty())
    guard.protect(loop, views);
}

/// Adds that the destination overlaps no factor, where both are blocks of one memref.
void CheckInserter::addOverlap(OpBuilder &builder, Rules &rules, BlasOpInterface op) {
  Location loc = op.getLoc();
  Conditions conditions(builder, loc);
  OpOperand &destination = op.getDestinationMutable();
  Value written = destination.get();
  for (const BlasFactor &factor : op.getFactors()) {
    Value read = factor.operand->get();
    Value source = written == read ? Value() : getCommonSource(written, read);
    if (!source)
      continue;
    auto block = conditions.block(written, source);
    auto otherBlock = conditions.block(read, source);
    if (!block || !otherBlock)
      continue;
    Value areApart, areSame;
    auto require = [&](Value &all, Value holds, bool isAny) {
      all = !all    ? holds
            : isAny ? conditions.apply<arith::OrIOp>(all, holds)
                    : conditions.both(all, holds);
    };
    for (auto [own, other] : llvm::zip_equal(*block, *otherBlock)) {
      auto [begin, size] = own;
      auto [otherBegin, otherSize] = other;
      Value end = conditions.apply<arith::AddIOp>(begin, size);
      Value otherEnd = conditions.apply<arith::AddIOp>(otherBegin, otherSize);
      require(areApart, conditions.compare(Predicate::sle, end, otherBegin), true);
      require(areApart, conditions.compare(Predicate::sle, otherEnd, begin), true);
      require(areSame, conditions.compare(Predicate::eq, begin, otherBegin), false);
      require(areSame, conditions.compare(Predicate::eq, size, otherSize), false);
    }
    if (!areApart)
      continue;
    if (mayUpdateInPlace(op))
      areApart = conditions.apply<arith::OrIOp>(areApart, areSame);
    Message message;
    message << "expected " << getOperandName(op, destination) << " not to overlap "
            << getOperandName(op, *factor.operand) << ", got blocks that share elements"
            << ofSource(source);
    rules.add(builder, {areApart, loc, message});
  }
}

//===----------------------------------------------------------------------===//
// Cooperative matrices
//===----------------------------------------------------------------------===//

/// Adds the rule that `size` elements from `begin` on are within a mode of a matrix.
void CheckInserter::addBlock(OpBuilder &builder, Location loc, Rules &rules,
                             Value matrix, int64_t mode, Value begin, int64_t size) {
  Conditions conditions(builder, loc);
  Value matrixSize = conditions.size(matrix, mode);
  Value last = conditions.apply<arith::SubIOp>(matrixSize, conditions.constant(size));
  Value zero = conditions.constant(0);
  Message message;
  message << "expected mode " << mode << ofSource(matrix) << " to have the " << size
          << " elements of the block, got index " << begin << " in a mode of size "
          << matrixSize;
  rules.add(builder, {conditions.both(conditions.compare(Predicate::sge, begin, zero),
                                      conditions.compare(Predicate::sle, begin, last)),
                      loc, message});
}

void CheckInserter::checkBlock(OpBuilder &builder, Operation *op, Value memref,
                               CoopMatrixType matrix, ArrayRef<Value> position,
                               bool isTransposed, Checked checked, bool isWritten) {
  int64_t sizes[] = {matrix.getRows(), matrix.getColumns()};
  if (isTransposed)
    std::swap(sizes[0], sizes[1]);
  Rules rules;
  rules.add(builder, rulesOf[memref]);
  for (unsigned dim : {0, 1}) {
    int64_t mode = isTransposed ? 1 - dim : dim;
    if (!isChecked(checked, dim))
      addBlock(builder, op->getLoc(), rules, memref, mode, position[mode], sizes[mode]);
  }
  if (isWritten) {
    builder.setInsertionPointAfter(op);
    checkZeros(builder, op->getLoc(), memref, position, sizes);
  }
  guard.protect(op, rules);
}

void CheckInserter::check(OpBuilder &builder, CooperativeMatrixLoadOp op) {
  checkBlock(builder, op, op.getSource(), op.getType(), {op.getX(), op.getY()},
             op.getTranspose() == Transpose::T, op.getChecked(), /*isWritten=*/false);
}

void CheckInserter::check(OpBuilder &builder, CooperativeMatrixStoreOp op) {
  checkBlock(builder, op, op.getDest(), op.getMatrix().getType(),
             {op.getX(), op.getY()}, op.getTranspose() == Transpose::T, op.getChecked(),
             /*isWritten=*/true);
}

void CheckInserter::check(OpBuilder &builder, CooperativeMatrixMulAddOp op) {
  CoopMatrixType sum = op.getC().getType(), result = op.getType();
  if (!isa<FloatType>(sum.getElementType()) || !result.getElementType().isIntOrIndex())
    return;
  // The product needs the whole subgroup; the conversion is checked apart from it.
  Location loc = op.getLoc();
  auto product = CooperativeMatrixMulAddOp::create(builder, loc, sum, op.getA(),
                                                   op.getB(), op.getC());
  auto cast = CastOp::create(builder, loc, result, product);
  op.replaceAllUsesWith(cast.getResult());
  op.erase();
  builder.setInsertionPoint(cast);
  check(builder, cast);
}
