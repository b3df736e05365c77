//===- CheckViews.cpp - Rules of views ------------------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Transforms/CheckInserter.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;

using Predicate = arith::CmpIPredicate;

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
      sliceMessage << "expected offset " << int64_t(mode) << ofSource(source)
                   << " to be at least 0 and less than " << sourceSize << ", got "
                   << offset;
    } else {
      sliceMessage << "expected slice " << int64_t(mode) << ofSource(source)
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
          << ofSource(source) << " = " << size << ", got ";
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
    message << "expected stride " << mode + 1 << ofSource(source)
            << " to be stride times size of mode " << mode << " = " << expected
            << ", got " << stride;
    rules.add(builder,
              {conditions.compare(Predicate::eq, stride, expected), loc, message});
  }
  rulesOf[op.getResult()] = std::move(rules);
}
