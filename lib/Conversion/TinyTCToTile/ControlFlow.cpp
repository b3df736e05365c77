//===- ControlFlow.cpp - Loops and branches -------------------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory has no place in a value's type: loops and branches carry the order of accesses
// as a token, and local memory as tiles.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/TinyTCToTile/Lowering.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::tile_lowering;

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

/// Whether something in an op uses local memory or a view of it.
static bool isUsedIn(Operation *op, Value local) {
  return llvm::any_of(local.getUsers(), [&](Operation *user) {
    return op->isProperAncestor(user) ||
           (isa<ViewLikeOpInterface>(user) && isUsedIn(op, user->getResult(0)));
  });
}

SmallVector<Value> Lowering::getUsedAllocas(Operation *op) {
  SmallVector<Value> used;
  for (Value alloca : llvm::make_first_range(locals))
    if (isUsedIn(op, alloca))
      used.push_back(alloca);
  return used;
}

Values Lowering::packState(ArrayRef<Value> allocas) {
  Values values{getToken()};
  for (Value alloca : allocas) {
    Number content = locals.lookup(alloca);
    values.push_back(content.re);
    if (content.isComplex())
      values.push_back(content.im);
  }
  return values;
}

void Lowering::unpackState(ArrayRef<Value> allocas, ValueRange values) {
  setToken(values.front());
  auto next = values.begin() + 1;
  for (Value alloca : allocas) {
    Number &content = locals[alloca];
    bool isComplex = content.isComplex();
    content.re = *next++;
    if (isComplex)
      content.im = *next++;
  }
}

Values Lowering::flatten(ValueRange values) {
  Values flat;
  for (Value value : values) {
    Number number = getNumber(value);
    flat.push_back(number.re);
    if (number.isComplex())
      flat.push_back(number.im);
  }
  return flat;
}

void Lowering::mapNumbers(ValueRange values, ValueRange tiles) {
  auto next = tiles.begin();
  for (Value value : values) {
    Number number{*next++, {}};
    if (isa<ComplexType>(value.getType()))
      number.im = *next++;
    numbers[value] = number;
  }
}

//===----------------------------------------------------------------------===//
// Loops of our own
//===----------------------------------------------------------------------===//

FailureOr<Values> Lowering::createFor(Value from, Value to, Value step,
                                      ValueRange inits, LoopBody body) {
  auto loop = tile::ForOp::create(builder, inits.getTypes(), from, to, step, inits,
                                  /*unsigned_cmp=*/false);
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types{from.getType()};
  llvm::append_range(types, inits.getTypes());
  SmallVector<Location> locations(types.size(), builder.getLoc());
  Block *block = builder.createBlock(&loop.getBody(), {}, types, locations);
  FailureOr<Values> next =
      body(block->getArgument(0), block->getArguments().drop_front());
  if (failed(next))
    return failure();
  tile::ContinueOp::create(builder, *next);
  return Values(loop.getResults());
}

Value Lowering::countTiles(OpFoldResult size, int64_t tile) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return createI32(llvm::divideCeil(*known, tile));
  Value sum = addReal(toValue(size), createIndex(tile - 1));
  Value count = tile::DivIOp::create(builder, sum.getType(), sum, createIndex(tile),
                                     tile::Signedness::Signed);
  return convertReal(count, builder.getI32Type());
}

LogicalResult Lowering::forEachPart(ArrayRef<OpFoldResult> sizes,
                                    ArrayRef<int64_t> tile, Part &part,
                                    function_ref<LogicalResult(const Part &)> body) {
  size_t mode = part.index.size();
  if (mode == sizes.size())
    return body(part);
  std::optional<int64_t> known = getConstantIntValue(sizes[mode]);
  bool isOne = known && *known <= tile[mode];
  LogicalResult result = success();
  if (isOne) {
    part.index.push_back({});
    result = forEachPart(sizes, tile, part, body);
  } else {
    FailureOr<Values> after = createFor(
        createI32(0), countTiles(sizes[mode], tile[mode]), createI32(1), packState({}),
        [&](Value index, ValueRange state) -> FailureOr<Values> {
          unpackState({}, state);
          part.index.push_back(index);
          if (failed(forEachPart(sizes, tile, part, body)))
            return failure();
          return packState({});
        });
    if (failed(after))
      return failure();
    unpackState({}, *after);
  }
  part.index.pop_back();
  return result;
}

LogicalResult Lowering::forEachPart(ArrayRef<OpFoldResult> sizes,
                                    ArrayRef<int64_t> tile,
                                    function_ref<LogicalResult(const Part &)> body) {
  Part part{SmallVector<int64_t>(tile), {}};
  return forEachPart(sizes, tile, part, body);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

LogicalResult Lowering::lowerFor(ForOp op) {
  SmallVector<Value> allocas = getUsedAllocas(op);
  Values inits = flatten(op.getInits());
  size_t count = inits.size();
  llvm::append_range(inits, packState(allocas));
  Value from = getNumber(op.getFrom()).re, to = getNumber(op.getTo()).re;
  Value step =
      op.getStep() ? getNumber(op.getStep()).re : createConstant(getElement(from), 1);
  auto body = [&](Value index, ValueRange carried) -> FailureOr<Values> {
    Block &block = op.getBody().front();
    numbers[op.getInductionVar()] = {index, {}};
    mapNumbers(block.getArguments().drop_front(), carried.take_front(count));
    unpackState(allocas, carried.drop_front(count));
    if (failed(lowerBlock(block)))
      return failure();
    Values next = flatten(block.getTerminator()->getOperands());
    llvm::append_range(next, packState(allocas));
    return next;
  };
  FailureOr<Values> results = createFor(from, to, step, inits, body);
  if (failed(results))
    return failure();
  mapNumbers(op.getResults(), ValueRange(*results).take_front(count));
  unpackState(allocas, ValueRange(*results).drop_front(count));
  return success();
}

LogicalResult Lowering::lowerIf(IfOp op) {
  SmallVector<Value> allocas = getUsedAllocas(op);
  Values before = packState(allocas);
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    types.append(isa<ComplexType>(type) ? 2 : 1, getTile(getTileElement(type)));
  size_t count = types.size();
  llvm::append_range(types, ValueRange(before).getTypes());
  auto branch = tile::IfOp::create(builder, types, getNumber(op.getCondition()).re);
  auto lowerRegion = [&](Region &from, Region &to) -> LogicalResult {
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&to);
    unpackState(allocas, before);
    Values values;
    if (!from.empty()) {
      if (failed(lowerBlock(from.front())))
        return failure();
      values = flatten(from.front().getTerminator()->getOperands());
    }
    llvm::append_range(values, packState(allocas));
    tile::YieldOp::create(builder, values);
    return success();
  };
  if (failed(lowerRegion(op.getThenRegion(), branch.getThenBody())) ||
      failed(lowerRegion(op.getElseRegion(), branch.getElseBody())))
    return failure();
  ValueRange results = branch.getResults();
  mapNumbers(op.getResults(), results.take_front(count));
  unpackState(allocas, results.drop_front(count));
  return success();
}

/// A tile block runs the iterations one after the other.
LogicalResult Lowering::lowerForeach(ForeachOp op, unsigned mode) {
  if (mode == op.getFrom().size())
    return lowerBlock(op.getBody().front());
  SmallVector<Value> allocas = getUsedAllocas(op);
  Value from = getNumber(op.getFrom()[mode]).re, to = getNumber(op.getTo()[mode]).re;
  auto body = [&](Value index, ValueRange state) -> FailureOr<Values> {
    numbers[op.getBody().getArgument(mode)] = {index, {}};
    unpackState(allocas, state);
    if (failed(lowerForeach(op, mode + 1)))
      return failure();
    return packState(allocas);
  };
  FailureOr<Values> results = createFor(from, to, createConstant(getElement(from), 1),
                                        packState(allocas), body);
  if (failed(results))
    return failure();
  unpackState(allocas, *results);
  return success();
}
