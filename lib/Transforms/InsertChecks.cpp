//===- InsertChecks.cpp - Where the language leaves things undefined ------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// One function for each family of instructions computes the conditions under which an
// instruction is defined. A memref carries the rules that its views could break: these
// are checked where it is accessed.
//
//===----------------------------------------------------------------------===//

#include "dialect/Passes.h"
#include "lib/Analysis/MemoryAccess.h"
#include "lib/Analysis/ProductModes.h"
#include "lib/IR/Blocks.h"
#include "lib/Transforms/Checks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_INSERTCHECKSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

using Predicate = arith::CmpIPredicate;

/// A text in a message, where a brace stands for a value unless it is doubled.
static std::string escape(StringRef text) {
  std::string escaped;
  for (char c : text)
    escaped.append(c == '{' || c == '}' ? 2 : 1, c);
  return escaped;
}

static std::string quote(StringRef text) { return "'" + escape(text) + "'"; }

/// ` of 'A'` if the source names the value, else nothing.
static std::string of(Value value) {
  auto named = dyn_cast<NameLoc>(value.getLoc());
  return named ? " of " + quote(named.getName()) : "";
}

/// What is called an operand of a collective instruction in messages.
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

namespace {

/// Computes conditions at one place.
class Conditions {
public:
  Conditions(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value get(OpFoldResult entry) {
    return getValueOrCreateConstantIndexOp(builder, loc, entry);
  }
  Value size(Value source, int64_t mode) {
    return builder.createOrFold<SizeOp>(loc, builder.getIndexType(), source, mode);
  }
  Value stride(Value memref, int64_t mode) {
    return builder.createOrFold<StrideOp>(loc, builder.getIndexType(), memref, mode);
  }
  Value compare(Predicate predicate, Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(loc, predicate, a, b);
  }
  template <typename Op>
  Value apply(Value a, Value b) {
    return builder.createOrFold<Op>(loc, a, b);
  }
  Value both(Value a, Value b) { return apply<arith::AndIOp>(a, b); }
  /// Where a slice begins, and its size.
  std::pair<Value, Value> slice(SubviewOp op, int64_t mode) {
    auto entry = [&](ArrayRef<int64_t> entries, ValueRange values) {
      return get(getMixedValues(entries, values, op.getContext())[mode]);
    };
    Value size =
        op.isRemoved(mode) ? constant(1) : entry(op.getStaticSizes(), op.getSizes());
    return {entry(op.getStaticOffsets(), op.getOffsets()), size};
  }
  /// Where the block of a view begins in each mode of a memref in its chain, and its
  /// sizes. Nothing for a part of a view with other modes, as `expand` and `fuse` make:
  /// its elements need not be a block of the memref.
  std::optional<SmallVector<std::pair<Value, Value>>> block(Value view, Value source) {
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

private:
  /// Takes slices of a block. Returns the mode of the block for each mode of the view;
  /// `positions` has it for each mode of the view's source.
  SmallVector<size_t> addSlices(MutableArrayRef<std::pair<Value, Value>> modes,
                                SubviewOp view, ArrayRef<size_t> positions) {
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

  OpBuilder &builder;
  Location loc;
};

/// Walks over a kernel in the order of execution.
class CheckInserter {
public:
  explicit CheckInserter(FuncOp func) : guard(func) {
    for (BlockArgument parameter : func.getArguments())
      if (isa<MemrefType, GroupType>(parameter.getType()))
        addAssociation(func, parameter);
  }

  void run(FuncOp func) {
    visit(func.getBody());
    for (LoadOp load : loadsOfMembers)
      guard.protectRest(load, rulesOf[load.getSource()]);
  }

private:
  void visit(Region &region) {
    for (Block &block : region)
      for (Operation &op : llvm::make_early_inc_range(block))
        visit(&op);
  }

  /// Adds that a launch has to pass an array to the rules of a parameter, if the kernel
  /// can do without it.
  void addAssociation(FuncOp func, BlockArgument parameter) {
    if (!isOptionalParameter(parameter))
      return;
    OpBuilder builder(&func.getBody().front(), func.getBody().front().begin());
    Value holds = AssociatedOp::create(builder, parameter.getLoc(), builder.getI1Type(),
                                       parameter);
    Message message;
    message << "expected the memory" << of(parameter) << " to be passed, got none";
    rulesOf[parameter].add(builder, {holds, parameter.getLoc(), message});
  }

  void visit(Operation *op) {
    // Bodies come first: an instruction with a region is not moved.
    for (Region &region : op->getRegions())
      visit(region);
    llvm::TypeSwitch<Operation *>(op)
        .Case<LoadOp, StoreOp, SubviewOp, ExpandOp, ExpandC2ROp, FuseOp,
              BlasOpInterface, AtomicOpInterface, CooperativeMatrixLoadOp,
              CooperativeMatrixStoreOp, CooperativeMatrixMulAddOp, ForOp, ArithDivOp,
              ArithRemOp, CastOp, AssertOp, PrintOp>([&](auto typed) {
          OpBuilder builder(op);
          check(builder, typed);
        });
  }

  void check(OpBuilder &builder, LoadOp op);
  void check(OpBuilder &builder, StoreOp op);
  void check(OpBuilder &builder, AtomicOpInterface op);
  void check(OpBuilder &builder, SubviewOp op);
  void check(OpBuilder &builder, ExpandOp op);
  void check(OpBuilder &builder, ExpandC2ROp op);
  void check(OpBuilder &builder, FuseOp op);
  void check(OpBuilder &builder, BlasOpInterface op);
  void check(OpBuilder &builder, CooperativeMatrixLoadOp op);
  void check(OpBuilder &builder, CooperativeMatrixStoreOp op);
  void check(OpBuilder &builder, CooperativeMatrixMulAddOp op);
  void check(OpBuilder &builder, ForOp op);
  void check(OpBuilder &builder, ArithDivOp op) { checkDivision(builder, op); }
  void check(OpBuilder &builder, ArithRemOp op) { checkDivision(builder, op); }
  void check(OpBuilder &builder, CastOp op);
  void check(OpBuilder &builder, AssertOp op);
  void check(OpBuilder &builder, PrintOp op);

  template <typename Op>
  void checkDivision(OpBuilder &builder, Op op);
  void addIndices(OpBuilder &builder, Location loc, Rules &rules, Value source,
                  ValueRange indices);
  void addOverlap(OpBuilder &builder, Rules &rules, BlasOpInterface op);
  void addBlock(OpBuilder &builder, Location loc, Rules &rules, Value matrix,
                int64_t mode, Value begin, int64_t size);
  void checkBlock(OpBuilder &builder, Operation *op, Value memref,
                  CoopMatrixType matrix, ArrayRef<Value> position, bool isTransposed,
                  Checked checked);

  /// The rules that a memref or a group depends on, none for a parameter that a launch
  /// has to pass.
  DenseMap<Value, Rules> rulesOf;
  /// From groups that a launch may do without.
  SmallVector<LoadOp> loadsOfMembers;
  Guard guard;
};

} // namespace

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
    message << "expected index " << int64_t(mode) << of(source)
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
  guard.protect(op, rules);
}

void CheckInserter::check(OpBuilder &builder, AtomicOpInterface op) {
  Value memref = op.getAccessedMemref();
  OperandRange indices = op.getAccessedIndices();
  if (CoopMatrixType matrix = op.getAccessedMatrix())
    return checkBlock(builder, op, memref, matrix, {indices[0], indices[1]},
                      op.isTransposed(), op.getCheckedModes());
  Rules rules;
  rules.add(builder, rulesOf[memref]);
  addIndices(builder, op.getLoc(), rules, memref, indices);
  guard.protect(op, rules);
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

void CheckInserter::check(OpBuilder &builder, SubviewOp op) {
  Location loc = op.getLoc();
  Conditions conditions(builder, loc);
  auto offsets =
      getMixedValues(op.getStaticOffsets(), op.getOffsets(), op.getContext());
  auto sizes = getMixedValues(op.getStaticSizes(), op.getSizes(), op.getContext());
  Value source = op.getSource();
  Rules rules;
  rules.add(builder, rulesOf[source]);
  for (size_t mode = 0; mode < offsets.size(); ++mode) {
    Value offset = conditions.get(offsets[mode]), size = conditions.get(sizes[mode]);
    Value sourceSize = conditions.size(source, mode);
    bool isWhole = getConstantIntValue(sizes[mode]) == 0 && !op.isRemoved(mode);
    if (isWhole) // the slice 0:0 of a mode without elements
      continue;
    Message sizeMessage, sliceMessage;
    if (op.isRemoved(mode)) {
      size = conditions.constant(1);
      sliceMessage << "expected offset " << int64_t(mode) << of(source)
                   << " to be at least 0 and less than " << sourceSize << ", got "
                   << offset;
    } else {
      sliceMessage << "expected slice " << int64_t(mode) << of(source)
                   << " to be within 0:" << sourceSize << ", got offset " << offset
                   << " and size " << size;
    }
    sizeMessage << "expected size " << int64_t(mode)
                << " of the subview to be positive, got " << size;
    Value one = conditions.constant(1), zero = conditions.constant(0);
    rules.add(builder,
              {conditions.compare(Predicate::sge, size, one), loc, sizeMessage});
    // With a positive size, the difference cannot overflow.
    Value last = conditions.apply<arith::SubIOp>(sourceSize, size);
    rules.add(builder,
              {conditions.both(conditions.compare(Predicate::sge, offset, zero),
                               conditions.compare(Predicate::sle, offset, last)),
               loc, sliceMessage});
  }
  rulesOf[op.getResult()] = std::move(rules);
}

void CheckInserter::check(OpBuilder &builder, ExpandOp op) {
  Location loc = op.getLoc();
  Conditions conditions(builder, loc);
  int64_t mode = op.getMode();
  Value source = op.getSource(), size = conditions.size(source, mode);
  Value one = conditions.constant(1), rest = size, isProduct;
  Rules rules;
  rules.add(builder, rulesOf[source]);
  Message product;
  product << "expected the product of the expand shape to be the size of mode " << mode
          << of(source) << " = " << size << ", got ";
  StringRef separator;
  for (OpFoldResult entry :
       getMixedValues(op.getStaticShape(), op.getShape(), op.getContext())) {
    Value factor = conditions.get(entry);
    Message message;
    message << "expected the sizes of the expand shape to be positive, got " << factor;
    rules.add(builder, {conditions.compare(Predicate::sge, factor, one), loc, message});
    product << separator << factor;
    separator = " x ";
    // By division, since the product could overflow.
    Value divisor = conditions.apply<arith::MaxSIOp>(factor, one);
    Value quotient = conditions.apply<arith::DivSIOp>(rest, divisor);
    Value multiple = conditions.apply<arith::MulIOp>(quotient, divisor);
    Value isMultiple = conditions.compare(Predicate::eq, multiple, rest);
    isProduct = isProduct ? conditions.both(isProduct, isMultiple) : isMultiple;
    rest = quotient;
  }
  Value holds =
      conditions.both(isProduct, conditions.compare(Predicate::eq, rest, one));
  rules.add(builder, {holds, loc, product});
  rulesOf[op.getResult()] = std::move(rules);
}

void CheckInserter::check(OpBuilder &builder, ExpandC2ROp op) {
  Rules rules;
  rules.add(builder, rulesOf[op.getSource()]);
  rulesOf[op.getResult()] = std::move(rules);
}

void CheckInserter::check(OpBuilder &builder, FuseOp op) {
  Location loc = op.getLoc();
  Conditions conditions(builder, loc);
  Value source = op.getSource();
  Rules rules;
  rules.add(builder, rulesOf[source]);
  for (int64_t mode = op.getFrom(); mode < int64_t(op.getTo()); ++mode) {
    Value expected = conditions.apply<arith::MulIOp>(conditions.stride(source, mode),
                                                     conditions.size(source, mode));
    Value stride = conditions.stride(source, mode + 1);
    Message message;
    message << "expected stride " << mode + 1 << of(source)
            << " to be stride times size of mode " << mode << " = " << expected
            << ", got " << stride;
    rules.add(builder,
              {conditions.compare(Predicate::eq, stride, expected), loc, message});
  }
  rulesOf[op.getResult()] = std::move(rules);
}

//===----------------------------------------------------------------------===//
// Collective instructions
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
  guard.protect(op, rules);
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
            << of(source);
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
  message << "expected mode " << mode << of(matrix) << " to have the " << size
          << " elements of the block, got index " << begin << " in a mode of size "
          << matrixSize;
  rules.add(builder, {conditions.both(conditions.compare(Predicate::sge, begin, zero),
                                      conditions.compare(Predicate::sle, begin, last)),
                      loc, message});
}

void CheckInserter::checkBlock(OpBuilder &builder, Operation *op, Value memref,
                               CoopMatrixType matrix, ArrayRef<Value> position,
                               bool isTransposed, Checked checked) {
  int64_t shape[] = {matrix.getRows(), matrix.getColumns()};
  Rules rules;
  rules.add(builder, rulesOf[memref]);
  for (unsigned dim : {0, 1}) {
    if (isChecked(checked, dim))
      continue;
    int64_t mode = isTransposed ? 1 - dim : dim;
    addBlock(builder, op->getLoc(), rules, memref, mode, position[mode], shape[dim]);
  }
  guard.protect(op, rules);
}

void CheckInserter::check(OpBuilder &builder, CooperativeMatrixLoadOp op) {
  checkBlock(builder, op, op.getSource(), op.getType(), {op.getX(), op.getY()},
             op.getTranspose() == Transpose::T, op.getChecked());
}

void CheckInserter::check(OpBuilder &builder, CooperativeMatrixStoreOp op) {
  checkBlock(builder, op, op.getDest(), op.getMatrix().getType(),
             {op.getX(), op.getY()}, op.getTranspose() == Transpose::T,
             op.getChecked());
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
  message << escape(op.getText());
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
