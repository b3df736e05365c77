//===- ControlFlow.cpp - Conditions and loops under masks -----------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Branches and loops that all lanes agree on stay. A condition that differs between
// lanes becomes a mask, and code under it is skipped if no lane runs it; a loop that
// lanes leave at different times goes on until the last one has, and lanes that have
// left keep what they had.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/GPUToVector/Vectorizer.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tinytc;

Vectorizer::Values Vectorizer::gather(ValueRange operands, ValueRange likes) {
  Values all;
  for (auto [operand, like] : llvm::zip(operands, likes))
    llvm::append_range(all, getLike(operand, like));
  return all;
}

SmallVector<Type> Vectorizer::typesOfAll(ValueRange likes) {
  SmallVector<Type> types;
  for (Value like : likes)
    llvm::append_range(types, typesOf(like));
  return types;
}

void Vectorizer::defineAll(ValueRange likes, ValueRange parts) {
  for (Value like : likes) {
    size_t count = typesOf(like).size();
    define(like, parts.take_front(count));
    parts = parts.drop_front(count);
  }
}

Vectorizer::Values Vectorizer::selectAll(Value condition, ValueRange a, ValueRange b) {
  Values all;
  for (auto [one, other] : llvm::zip(a, b))
    all.push_back(select(condition, one, other));
  return all;
}

LogicalResult Vectorizer::emitIf(scf::IfOp op) {
  if (!shapes.get(op.getCondition()).isUniform())
    return emitMaskedIf(op);
  bool hasElse = op.elseBlock() != nullptr;
  auto branch =
      scf::IfOp::create(builder, typesOfAll(op.getResults()),
                        get(op.getCondition()).value, /*addThenBlock=*/true, hasElse);
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<std::pair<Block *, Block *>> blocks{{op.thenBlock(), branch.thenBlock()}};
  if (hasElse)
    blocks.push_back({op.elseBlock(), branch.elseBlock()});
  for (auto [from, to] : blocks) {
    builder.setInsertionPointToEnd(to);
    // Without results, the builder has ended the block.
    if (to->mightHaveTerminator() && !to->empty())
      to->back().erase();
    if (failed(emit(*from)))
      return failure();
    scf::YieldOp::create(builder,
                         gather(from->getTerminator()->getOperands(), op.getResults()));
  }
  defineAll(op.getResults(), branch.getResults());
  return success();
}

/// Runs a block if any of `lanes` does.
LogicalResult Vectorizer::emitMaskedBlock(Block &block, Value lanes, ValueRange likes,
                                          Values &results) {
  SmallVector<Type> types = typesOfAll(likes);
  auto branch =
      scf::IfOp::create(builder, types, isAny(lanes),
                        /*addThenBlock=*/true, /*addElseBlock=*/!types.empty());
  OpBuilder::InsertionGuard guard(builder);
  llvm::SaveAndRestore<Value> running(mask, lanes);
  Block *body = branch.thenBlock();
  if (!body->empty())
    body->back().erase();
  builder.setInsertionPointToEnd(body);
  if (failed(emit(block)))
    return failure();
  scf::YieldOp::create(builder, gather(block.getTerminator()->getOperands(), likes));
  if (!types.empty()) {
    builder.setInsertionPointToEnd(branch.elseBlock());
    Values nothing;
    for (Type type : types)
      nothing.push_back(ub::PoisonOp::create(builder, type));
    scf::YieldOp::create(builder, nothing);
  }
  results.assign(branch.getResults().begin(), branch.getResults().end());
  return success();
}

LogicalResult Vectorizer::emitMaskedIf(scf::IfOp op) {
  Value condition = get(op.getCondition()).value;
  Values yields, others;
  if (failed(emitMaskedBlock(*op.thenBlock(), andMask(condition), op.getResults(),
                             yields)))
    return failure();
  if (!op.elseBlock())
    return success();
  Value all = constantMask([](int64_t) { return true; });
  Value inverse = arith::XOrIOp::create(builder, condition, all);
  if (failed(
          emitMaskedBlock(*op.elseBlock(), andMask(inverse), op.getResults(), others)))
    return failure();
  defineAll(op.getResults(), selectAll(condition, yields, others));
  return success();
}

LogicalResult Vectorizer::emitFor(scf::ForOp op) {
  if (shapes.get(op.getInductionVar()).isVarying)
    return emitMaskedFor(op);
  auto loop = scf::ForOp::create(builder, get(op.getLowerBound()).value,
                                 get(op.getUpperBound()).value, get(op.getStep()).value,
                                 gather(op.getInitArgs(), op.getRegionIterArgs()));
  loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  OpBuilder::InsertionGuard guard(builder);
  Block *body = loop.getBody();
  if (!body->empty())
    body->back().erase();
  builder.setInsertionPointToEnd(body);
  define(op.getInductionVar(), loop.getInductionVar());
  defineAll(op.getRegionIterArgs(), loop.getRegionIterArgs());
  if (failed(emit(*op.getBody())))
    return failure();
  scf::YieldOp::create(builder, gather(op.getYieldedValues(), op.getRegionIterArgs()));
  defineAll(op.getResults(), loop.getResults());
  return success();
}

/// Lanes have bounds of their own: the loop carries the counters.
LogicalResult Vectorizer::emitMaskedFor(scf::ForOp op) {
  Values inits = get(op.getLowerBound(), /*isVarying=*/true);
  llvm::append_range(inits, gather(op.getInitArgs(), op.getRegionIterArgs()));
  Value upper = get(op.getUpperBound(), true)[0], step = get(op.getStep(), true)[0];
  SmallVector<Type> types(ValueRange(inits).getTypes());
  SmallVector<Location> locations(types.size(), op.getLoc());
  auto loop = scf::WhileOp::create(builder, types, inits);
  OpBuilder::InsertionGuard guard(builder);
  Block *before = builder.createBlock(&loop.getBefore(), {}, types, locations);
  Value runs = andMask(arith::CmpIOp::create(builder, arith::CmpIPredicate::slt,
                                             before->getArgument(0), upper));
  scf::ConditionOp::create(builder, isAny(runs), before->getArguments());
  Block *after = builder.createBlock(&loop.getAfter(), {}, types, locations);
  Value counter = after->getArgument(0);
  Value active = andMask(
      arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, counter, upper));
  llvm::SaveAndRestore<Value> running(mask, active);
  define(op.getInductionVar(), counter);
  ValueRange carried = after->getArguments().drop_front();
  defineAll(op.getRegionIterArgs(), carried);
  if (failed(emit(*op.getBody())))
    return failure();
  Values next{arith::AddIOp::create(builder, counter, step)};
  // The counter of a lane that has left must not wrap around.
  if (!matchPattern(op.getLowerBound(), m_Constant()))
    next[0] = select(active, next[0], counter);
  Values yields = gather(op.getYieldedValues(), op.getRegionIterArgs());
  llvm::append_range(next, selectAll(active, yields, carried));
  scf::YieldOp::create(builder, next);
  defineAll(op.getResults(), loop.getResults().drop_front());
  return success();
}

LogicalResult Vectorizer::emitWhile(scf::WhileOp op) {
  if (!shapes.get(op.getConditionOp().getCondition()).isUniform())
    return emitMaskedWhile(op);
  Values inits = gather(op.getInits(), op.getBeforeArguments());
  SmallVector<Type> types(ValueRange(inits).getTypes());
  SmallVector<Type> results = typesOfAll(op.getResults());
  auto loop = scf::WhileOp::create(builder, results, inits);
  OpBuilder::InsertionGuard guard(builder);
  Block *before = builder.createBlock(&loop.getBefore(), {}, types,
                                      SmallVector<Location>(types.size(), op.getLoc()));
  defineAll(op.getBeforeArguments(), before->getArguments());
  if (failed(emit(*op.getBeforeBody())))
    return failure();
  scf::ConditionOp condition = op.getConditionOp();
  scf::ConditionOp::create(builder, get(condition.getCondition()).value,
                           gather(condition.getArgs(), op.getResults()));
  Block *after =
      builder.createBlock(&loop.getAfter(), {}, results,
                          SmallVector<Location>(results.size(), op.getLoc()));
  defineAll(op.getAfterArguments(), after->getArguments());
  if (failed(emit(*op.getAfterBody())))
    return failure();
  scf::YieldOp::create(builder,
                       gather(op.getYieldOp().getOperands(), op.getBeforeArguments()));
  defineAll(op.getResults(), loop.getResults());
  return success();
}

/// The loop carries the lanes that run and, for those that do not, what they left with.
LogicalResult Vectorizer::emitMaskedWhile(scf::WhileOp op) {
  Values inits = gather(op.getInits(), op.getBeforeArguments());
  size_t numCarried = inits.size();
  SmallVector<Type> kept = typesOfAll(op.getResults());
  inits.push_back(getMask());
  for (Type type : kept)
    inits.push_back(ub::PoisonOp::create(builder, type));
  SmallVector<Type> types(ValueRange(inits).getTypes());
  SmallVector<Type> arguments = typesOfAll(op.getAfterArguments());
  SmallVector<Type> passed(types);
  llvm::append_range(passed, arguments);
  auto loop = scf::WhileOp::create(builder, passed, inits);
  OpBuilder::InsertionGuard guard(builder);
  Block *before = builder.createBlock(&loop.getBefore(), {}, types,
                                      SmallVector<Location>(types.size(), op.getLoc()));
  ValueRange state = before->getArguments();
  Value active = state[numCarried];
  llvm::SaveAndRestore<Value> running(mask, active);
  defineAll(op.getBeforeArguments(), state.take_front(numCarried));
  if (failed(emit(*op.getBeforeBody())))
    return failure();
  scf::ConditionOp condition = op.getConditionOp();
  Value stays =
      arith::AndIOp::create(builder, active, get(condition.getCondition(), true)[0]);
  Values next(state.take_front(numCarried));
  next.push_back(stays);
  llvm::append_range(next,
                     selectAll(active, gather(condition.getArgs(), op.getResults()),
                               state.drop_front(numCarried + 1)));
  llvm::append_range(next, gather(condition.getArgs(), op.getAfterArguments()));
  scf::ConditionOp::create(builder, isAny(stays), next);
  Block *after = builder.createBlock(&loop.getAfter(), {}, passed,
                                     SmallVector<Location>(passed.size(), op.getLoc()));
  ValueRange now = after->getArguments();
  mask = now[numCarried];
  defineAll(op.getAfterArguments(), now.take_back(arguments.size()));
  if (failed(emit(*op.getAfterBody())))
    return failure();
  Values yields = gather(op.getYieldOp().getOperands(), op.getBeforeArguments());
  next = selectAll(mask, yields, now.take_front(numCarried));
  llvm::append_range(next, now.drop_front(numCarried).drop_back(arguments.size()));
  scf::YieldOp::create(builder, next);
  defineAll(op.getResults(),
            loop.getResults().drop_front(numCarried + 1).drop_back(arguments.size()));
  return success();
}
