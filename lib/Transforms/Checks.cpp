//===- Checks.cpp - Rules of a debug build and their reports --------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Transforms/Checks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tinytc;

//===----------------------------------------------------------------------===//
// Messages and rules
//===----------------------------------------------------------------------===//

Message &Message::operator<<(StringRef part) {
  text += part;
  return *this;
}

Message &Message::operator<<(int64_t number) {
  text += std::to_string(number);
  return *this;
}

Message &Message::operator<<(Value value) {
  IntegerAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return *this << constant.getInt();
  const auto *known = llvm::find(values, value);
  if (known == values.end() &&
      values.size() == ReportOp::kEntries - ReportOp::kHeaderEntries)
    return *this << "?";
  *this << "{" << int64_t(known - values.begin()) << "}";
  if (known == values.end())
    values.push_back(value);
  return *this;
}

void Rules::require(OpBuilder &builder, Location loc, Value holds) {
  condition =
      condition ? builder.createOrFold<arith::AndIOp>(loc, condition, holds) : holds;
}

void Rules::add(OpBuilder &builder, Rule rule) {
  if (isConstant(rule.holds, 1))
    return;
  require(builder, rule.loc, rule.holds);
  list.push_back(std::move(rule));
}

void Rules::add(OpBuilder &builder, const Rules &others) {
  if (others.empty())
    return;
  require(builder, others.list.front().loc, others.condition);
  // Two operands can be views of the same view.
  for (const Rule &rule : others.list)
    if (llvm::none_of(list, [&](const Rule &r) { return r.holds == rule.holds; }))
      list.push_back(rule);
}

//===----------------------------------------------------------------------===//
// Guard
//===----------------------------------------------------------------------===//

static bool isInSpmdRegion(Block *block) {
  for (Operation *op = block->getParentOp(); op; op = op->getParentOp())
    if (op->hasTrait<SpmdRegion>())
      return true;
  return false;
}

/// A condition of work-items that optimisers do not take for another one: a driver that
/// goes from one branch to the next one with the same condition loses the mask of lanes
/// on the way (docs/decisions/cpu-driver.md).
static Value createDistinct(OpBuilder &builder, Location loc, Value condition) {
  if (!isInSpmdRegion(builder.getInsertionBlock()))
    return condition;
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value opaque = OpaqueIndexOp::create(builder, loc, one);
  Value holds =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, opaque, one);
  return arith::AndIOp::create(builder, loc, condition, holds);
}

/// A conditional with two empty regions; the insertion point is not moved.
static IfOp createBranch(OpBuilder &builder, Location loc, TypeRange results,
                         Value condition) {
  auto branch =
      IfOp::create(builder, loc, results, createDistinct(builder, loc, condition));
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&branch.getThenRegion());
  builder.createBlock(&branch.getElseRegion());
  return branch;
}

static void createYield(OpBuilder &builder, Location loc, Region &region,
                        ValueRange values) {
  builder.setInsertionPointToEnd(&region.front());
  YieldOp::create(builder, loc, values);
}

/// Ends the second region with zeros for the results.
static void createZeros(OpBuilder &builder, IfOp branch) {
  Location loc = branch.getLoc();
  builder.setInsertionPointToEnd(&branch.getElseRegion().front());
  SmallVector<Value> zeros;
  for (Type type : branch.getResultTypes())
    zeros.push_back(ConstantOp::create(builder, loc, type, 0));
  createYield(builder, loc, branch.getElseRegion(), zeros);
}

Guard::Guard(FuncOp func) : func(func) {
  func.walk([&](PrintOp) { hasPrints = true; });
}

void Guard::protect(Operation *op, const Rules &rules) {
  if (rules.empty())
    return;
  Location loc = op->getLoc();
  OpBuilder builder(op);
  auto branch = createBranch(builder, loc, op->getResultTypes(), rules.getCondition());
  op->replaceAllUsesWith(branch);
  op->moveBefore(&branch.getThenRegion().front(), branch.getThenRegion().front().end());
  createYield(builder, loc, branch.getThenRegion(), op->getResults());
  builder.setInsertionPointToEnd(&branch.getElseRegion().front());
  report(builder, loc, rules.getList());
  createZeros(builder, branch);
}

void Guard::protectRest(Operation *op, const Rules &rules) {
  Location loc = op->getLoc();
  Block *block = op->getBlock();
  Operation *end = block->getTerminator();
  // Only the end of the block can use what is left of it.
  SmallVector<OpOperand *> uses;
  SmallVector<Value> results;
  for (OpOperand &use : end->getOpOperands()) {
    Operation *producer = use.get().getDefiningOp();
    if (!producer || producer->getBlock() != block || producer->isBeforeInBlock(op))
      continue;
    uses.push_back(&use);
    results.push_back(use.get());
  }
  OpBuilder builder(op);
  auto branch =
      createBranch(builder, loc, TypeRange(ValueRange(results)), rules.getCondition());
  Block &rest = branch.getThenRegion().front();
  rest.getOperations().splice(rest.end(), block->getOperations(), op->getIterator(),
                              end->getIterator());
  createYield(builder, loc, branch.getThenRegion(), results);
  createZeros(builder, branch);
  for (auto [use, result] : llvm::zip_equal(uses, branch.getResults()))
    use->set(result);
}

ValueRange Guard::select(OpBuilder &builder, Location loc, const Rules &rules,
                         ValueRange regular, ValueRange safe) {
  if (rules.empty())
    return regular;
  auto branch = createBranch(builder, loc, regular.getTypes(), rules.getCondition());
  OpBuilder::InsertionGuard guard(builder);
  createYield(builder, loc, branch.getThenRegion(), regular);
  builder.setInsertionPointToEnd(&branch.getElseRegion().front());
  report(builder, loc, rules.getList());
  createYield(builder, loc, branch.getElseRegion(), safe);
  return branch.getResults();
}

/// Reports the first rule that does not hold, one of them being known not to.
void Guard::report(OpBuilder &builder, Location use, ArrayRef<Rule> rules) {
  if (rules.size() == 1)
    return report(builder, use, rules.front());
  OpBuilder::InsertionGuard guard(builder);
  auto branch = createBranch(builder, use, TypeRange(), rules.front().holds);
  builder.setInsertionPointToEnd(&branch.getThenRegion().front());
  report(builder, use, rules.drop_front());
  createYield(builder, use, branch.getThenRegion(), {});
  builder.setInsertionPointToEnd(&branch.getElseRegion().front());
  report(builder, use, rules.front());
  createYield(builder, use, branch.getElseRegion(), {});
}

void Guard::report(OpBuilder &builder, Location use, const Rule &rule) {
  if (rule.isReported)
    return;
  Location loc = rule.loc == use ? use : CallSiteLoc::get(rule.loc, use);
  createReport(builder, loc, rule.message, /*isPrint=*/false);
}

void Guard::createReport(OpBuilder &builder, Location loc, const Message &message,
                         bool isPrint) {
  ArrayRef<int32_t> size = *func.getWorkGroupSize();
  bool isSpmd = isInSpmdRegion(builder.getInsertionBlock());
  int64_t weight = isSpmd ? int64_t(size[0]) * size[1] : 1;
  Value group = GroupIdOp::create(builder, loc, builder.getIndexType());
  ReportOp::create(builder, loc, isPrint, numReports++, message.text, message.values,
                   group, weight, getBuffer());
}

void Guard::print(OpBuilder &builder, Location loc, const Message &message) {
  createReport(builder, loc, message, /*isPrint=*/true);
}

/// The last parameter, which is added for the first report.
Value Guard::getBuffer() {
  if (buffer)
    return buffer;
  Builder builder(func.getContext());
  MemrefType type = ReportOp::getBufferType(func.getContext(), hasPrints);
  unsigned count = func.getNumArguments();
  [[maybe_unused]] LogicalResult inserted =
      func.insertArgument(count, type, builder.getDictionaryAttr({}), func.getLoc());
  assert(succeeded(inserted) && "a kernel takes any number of parameters");
  return buffer = func.getArgument(count);
}
