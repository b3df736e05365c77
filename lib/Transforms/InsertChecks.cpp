//===- InsertChecks.cpp - Checks of a debug build -------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Passes.h"
#include "lib/Analysis/MemoryAccess.h"
#include "lib/Analysis/ZeroPatterns.h"
#include "lib/Transforms/CheckInserter.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_INSERTCHECKSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

using Predicate = arith::CmpIPredicate;

std::string tinytc::escapeBraces(StringRef text) {
  std::string escaped;
  for (char c : text)
    escaped.append(c == '{' || c == '}' ? 2 : 1, c);
  return escaped;
}

static std::string quote(StringRef text) { return "'" + escapeBraces(text) + "'"; }

std::string tinytc::ofSource(Value value) {
  auto named = dyn_cast<NameLoc>(value.getLoc());
  return named ? " of " + quote(named.getName()) : "";
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

CheckInserter::CheckInserter(FuncOp func) : guard(func) {
  for (BlockArgument parameter : func.getArguments())
    if (isa<MemrefType, GroupType>(parameter.getType()))
      addAssociation(func, parameter);
}

void CheckInserter::run(FuncOp func) {
  visit(func.getBody());
  for (LoadOp load : loadsOfMembers)
    guard.protectRest(load, rulesOf[load.getSource()]);
}

void CheckInserter::visit(Region &region) {
  for (Block &block : region)
    for (Operation &op : llvm::make_early_inc_range(block))
      visit(&op);
}

/// Adds that a launch has to pass an array to the rules of a parameter, if the kernel
/// can do without it.
void CheckInserter::addAssociation(FuncOp func, BlockArgument parameter) {
  if (!isOptionalParameter(parameter))
    return;
  OpBuilder builder(&func.getBody().front(), func.getBody().front().begin());
  Value holds =
      AssociatedOp::create(builder, parameter.getLoc(), builder.getI1Type(), parameter);
  Message message;
  message << "expected the memory" << ofSource(parameter) << " to be passed, got none";
  rulesOf[parameter].add(builder, {holds, parameter.getLoc(), message});
}

void CheckInserter::visit(Operation *op) {
  // Bodies come first: an instruction with a region is not moved.
  for (Region &region : op->getRegions())
    visit(region);
  llvm::TypeSwitch<Operation *>(op)
      .Case<LoadOp, StoreOp, SubviewOp, ExpandOp, ExpandC2ROp, FuseOp, BlasOpInterface,
            AtomicOpInterface, CooperativeMatrixLoadOp, CooperativeMatrixStoreOp,
            CooperativeMatrixMulAddOp, ForOp, ArithDivOp, ArithRemOp, CastOp, AssertOp,
            PrintOp>([&](auto typed) {
        OpBuilder builder(op);
        check(builder, typed);
      });
}

//===----------------------------------------------------------------------===//
// Memory access
//===----------------------------------------------------------------------===//

void CheckInserter::addIndices(OpBuilder &builder, Location loc, Rules &rules,
                               Value source, ValueRange indices) {
  Conditions conditions(builder, loc);
  for (auto [mode, index] : llvm::enumerate(indices)) {
    Value size = conditions.size(source, mode);
    // A negative index is a large unsigned number; sizes are not negative.
    Value holds = conditions.compare(Predicate::ult, index, size);
    Message message;
    message << "expected index " << int64_t(mode) << ofSource(source)
            << " to be at least 0 and less than " << size << ", got " << index;
    rules.add(builder, {holds, loc, message});
  }
}

void CheckInserter::check(OpBuilder &builder, LoadOp op) {
  Location loc = op.getLoc();
  Rules rules;
  rules.add(builder, rulesOf[op.getSource()]);
  if (!rules.empty() && isa<GroupType>(op.getSource().getType()))
    loadsOfMembers.push_back(op);
  addIndices(builder, loc, rules, op.getSource(), op.getIndices());
  if (!isa<MemrefType>(op.getType()))
    return guard.protect(op, rules);
  if (rules.empty())
    return;
  // The first member takes the place of one that is missing; nothing accesses it. Where
  // the group is missing, the rest of the block is skipped.
  Value first = arith::ConstantIndexOp::create(builder, loc, 0);
  ValueRange index = guard.select(builder, loc, rules, op.getIndices(), first);
  op.getIndicesMutable().assign(index);
  Rules &result = rulesOf[op.getResult()];
  for (Rule rule : rules.getList()) {
    rule.isReported = true;
    result.add(builder, rule);
  }
}

void CheckInserter::check(OpBuilder &builder, StoreOp op) {
  Rules rules;
  rules.add(builder, rulesOf[op.getDest()]);
  addIndices(builder, op.getLoc(), rules, op.getDest(), op.getIndices());
  addZero(builder, op.getLoc(), rules, op.getDest(), op.getIndices(), op.getValue());
  guard.protect(op, rules);
}

void CheckInserter::check(OpBuilder &builder, AtomicOpInterface op) {
  Value memref = op.getAccessedMemref();
  OperandRange indices = op.getAccessedIndices();
  AtomicKind kind = op.getAtomicKind();
  bool isWritten = kind != AtomicKind::Load;
  if (CoopMatrixType matrix = op.getAccessedMatrix())
    return checkBlock(builder, op, memref, matrix, {indices[0], indices[1]},
                      op.isTransposed(), op.getCheckedModes(), isWritten);
  Location loc = op.getLoc();
  Rules rules;
  rules.add(builder, rulesOf[memref]);
  addIndices(builder, loc, rules, memref, indices);
  if (isWritten && getNonzero(getRoot(memref))) {
    // What a zero becomes.
    Value number = op->getOperand(0);
    Value zero = ConstantOp::create(builder, loc, number.getType(), 0);
    if (kind == AtomicKind::Min)
      number = ArithMinOp::create(builder, loc, number, zero);
    else if (kind == AtomicKind::Max)
      number = ArithMaxOp::create(builder, loc, number, zero);
    addZero(builder, loc, rules, memref, indices, number);
  }
  guard.protect(op, rules);
}

//===----------------------------------------------------------------------===//
// Scalars and loops
//===----------------------------------------------------------------------===//

template <typename Op>
void CheckInserter::checkDivision(OpBuilder &builder, Op op) {
  if (!getScalarType(op.getType()).isIntOrIndex())
    return;
  IntegerAttr divisor;
  if (matchPattern(op.getB(), m_Constant(&divisor)) && !divisor.getValue().isZero() &&
      !divisor.getValue().isAllOnes())
    return;
  Location loc = op.getLoc();
  Value holds = IsDivisibleOp::create(builder, loc, op.getA(), op.getB());
  Message message;
  if (isa<CoopMatrixType>(op.getType()))
    message
        << "expected divisors that are not 0 and quotients within the type's range, "
           "got others";
  else
    message << "expected a divisor that is not 0 and a quotient within the type's "
               "range, got "
            << op.getA() << " divided by " << op.getB();
  Rules rules;
  rules.add(builder, {holds, loc, message});
  guard.protect(op, rules);
}

void CheckInserter::check(OpBuilder &builder, CastOp op) {
  Type type = getScalarType(op.getType());
  if (!isa<FloatType>(getScalarType(op.getA().getType())) || !type.isIntOrIndex())
    return;
  Location loc = op.getLoc();
  Value holds = IsConvertibleOp::create(builder, loc, op.getA(), type);
  std::string name;
  llvm::raw_string_ostream(name) << type;
  Message message;
  if (isa<CoopMatrixType>(op.getType()))
    message << "expected numbers that " << name << " can hold, got others";
  else
    message << "expected a number that " << name << " can hold, got " << op.getA();
  Rules rules;
  rules.add(builder, {holds, loc, message});
  guard.protect(op, rules);
}

void CheckInserter::check(OpBuilder &builder, ForOp op) {
  Value step = op.getStep();
  if (!step)
    return;
  Location loc = op.getLoc();
  Type type = step.getType();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
  };
  Conditions conditions(builder, loc);
  Message message;
  message << "expected a positive step, got " << step;
  Rules rules;
  rules.add(builder,
            {conditions.compare(Predicate::sgt, step, constant(0)), loc, message});
  if (rules.empty())
    return;
  // No iteration in place of those that never end.
  ValueRange safe = guard.select(builder, loc, rules, {op.getTo(), step},
                                 {op.getFrom(), constant(1)});
  op.getToMutable().assign(safe[0]);
  op.getStepMutable().assign(safe[1]);
}

void CheckInserter::check(OpBuilder &builder, AssertOp op) {
  Message message;
  message << "expected " << quote(op.getText()) << " to be true, got false";
  Rules rules;
  rules.add(builder, {op.getCondition(), op.getLoc(), message});
  guard.select(builder, op.getLoc(), rules, {}, {});
  op.erase();
}

/// The values are those of the message; a bool is 0 or 1, a complex number `[re, im]`.
void CheckInserter::check(OpBuilder &builder, PrintOp op) {
  Location loc = op.getLoc();
  Message message;
  message << escapeBraces(op.getText());
  StringRef separator = ": ";
  for (Value value : op.getValues()) {
    message << separator;
    separator = ", ";
    if (isa<ComplexType>(value.getType())) {
      Value re = builder.createOrFold<ArithReOp>(loc, value);
      Value im = builder.createOrFold<ArithImOp>(loc, value);
      message << "[" << re << ", " << im << "]";
      continue;
    }
    if (value.getType().isInteger(1)) {
      Type i8 = builder.getI8Type();
      value =
          SelectOp::create(builder, loc, value, ConstantOp::create(builder, loc, i8, 1),
                           ConstantOp::create(builder, loc, i8, 0));
    }
    message << value;
  }
  guard.print(builder, loc, message);
  op.erase();
}

namespace {

struct InsertChecks final : tinytc::impl::InsertChecksPassBase<InsertChecks> {
  using InsertChecksPassBase::InsertChecksPassBase;

  void runOnOperation() override {
    FuncOp func = getOperation();
    if (!func.getWorkGroupSize()) {
      func.emitError("expected the kernel to have a work-group size, got none: run "
                     "tinytc-choose-work-group-size first");
      return signalPassFailure();
    }
    CheckInserter(func).run(func);
  }
};

} // namespace
