//===- ExpandIntegers.cpp - Integers as all targets compute ---------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Builders/ExpandIntegers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// Writes arithmetic of one type of integers.
class IntegerBuilder {
public:
  IntegerBuilder(ImplicitLocOpBuilder &builder, Type type)
      : builder(builder), type(type), width(type.getIntOrFloatBitWidth()) {}

  Value constant(int64_t value) {
    APInt bits(width, value, /*isSigned=*/true, /*implicitTrunc=*/true);
    return arith::ConstantOp::create(builder, builder.getIntegerAttr(type, bits));
  }
  /// The bytes of a constant, all the same.
  Value bytes(uint8_t byte) { return constant(0x0101010101010101 * byte); }
  template <typename Op>
  Value apply(Value a, Value b) {
    return Op::create(builder, a, b);
  }
  Value add(Value a, Value b) { return apply<arith::AddIOp>(a, b); }
  Value sub(Value a, Value b) { return apply<arith::SubIOp>(a, b); }
  Value mul(Value a, Value b) { return apply<arith::MulIOp>(a, b); }
  Value bitAnd(Value a, Value b) { return apply<arith::AndIOp>(a, b); }
  Value bitNot(Value a) { return apply<arith::XOrIOp>(a, constant(-1)); }
  Value shiftRight(Value a, int64_t bits) {
    return apply<arith::ShRUIOp>(a, constant(bits));
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, predicate, a, b);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(builder, condition, yes, no);
  }

  Value countOnes(Value x) {
    if (width == 1)
      return x;
    x = sub(x, bitAnd(shiftRight(x, 1), bytes(0x55)));
    x = add(bitAnd(x, bytes(0x33)), bitAnd(shiftRight(x, 2), bytes(0x33)));
    x = bitAnd(add(x, shiftRight(x, 4)), bytes(0x0f));
    for (int64_t bits = 8; bits < width; bits *= 2)
      x = add(x, shiftRight(x, bits));
    return width == 8 ? x : bitAnd(x, constant(0x7f));
  }

  Value countLeadingZeros(Value x) {
    for (int64_t bits = 1; bits < width; bits *= 2)
      x = apply<arith::OrIOp>(x, shiftRight(x, bits));
    return countOnes(bitNot(x));
  }

  Value countTrailingZeros(Value x) {
    return countOnes(bitAnd(bitNot(x), sub(x, constant(1))));
  }

  /// The upper half of a product, from products of halves of the factors.
  Value multiplyHigh(Value a, Value b, bool isSigned) {
    if (width == 1)
      return constant(0);
    int64_t half = width / 2;
    Value mask = shiftRight(constant(-1), half);
    Value a0 = bitAnd(a, mask), a1 = shiftRight(a, half);
    Value b0 = bitAnd(b, mask), b1 = shiftRight(b, half);
    Value low = mul(a0, b0), left = mul(a1, b0), right = mul(a0, b1);
    Value middle =
        add(shiftRight(low, half), add(bitAnd(left, mask), bitAnd(right, mask)));
    Value high = add(mul(a1, b1), shiftRight(middle, half));
    high = add(high, add(shiftRight(left, half), shiftRight(right, half)));
    if (!isSigned)
      return high;
    auto ifNegative = [&](Value sign, Value other) {
      Value isNegative = compare(arith::CmpIPredicate::slt, sign, constant(0));
      return select(isNegative, other, constant(0));
    };
    return sub(high, add(ifNegative(a, b), ifNegative(b, a)));
  }

  /// The power by squares, one for each bit of the exponent. A negative exponent leaves
  /// 0 of all bases but 1 and -1, whose powers are those of the bits as well.
  Value power(Value base, Value exponent) {
    auto index = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, value);
    };
    Value one = constant(1);
    auto loop = scf::ForOp::create(builder, index(0), index(width), index(1),
                                   ValueRange{one, base, exponent});
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      Value result = loop.getRegionIterArg(0), square = loop.getRegionIterArg(1);
      Value bits = loop.getRegionIterArg(2);
      Value isOdd = compare(arith::CmpIPredicate::eq, bitAnd(bits, one), one);
      result = select(isOdd, mul(result, square), result);
      Value rest = width == 1 ? constant(0) : shiftRight(bits, 1);
      scf::YieldOp::create(builder, ValueRange{result, mul(square, square), rest});
    }
    Value isNegative = compare(arith::CmpIPredicate::slt, exponent, constant(0));
    // Of 0, a power with a negative exponent is undefined.
    Value isUnit = compare(arith::CmpIPredicate::ule, add(base, one), constant(2));
    Value fraction = select(isUnit, loop.getResult(0), constant(0));
    return select(isNegative, fraction, loop.getResult(0));
  }

private:
  ImplicitLocOpBuilder &builder;
  Type type;
  int64_t width;
};

/// The values of an op on integers of a width; none if it stays.
SmallVector<Value> expandFixed(IntegerBuilder build, Operation *op, ArrayRef<Value> x) {
  using Values = SmallVector<Value>;
  return llvm::TypeSwitch<Operation *, Values>(op)
      .Case([&](math::CtPopOp) { return Values{build.countOnes(x[0])}; })
      .Case([&](math::CountLeadingZerosOp) {
        return Values{build.countLeadingZeros(x[0])};
      })
      .Case([&](math::CountTrailingZerosOp) {
        return Values{build.countTrailingZeros(x[0])};
      })
      .Case([&](math::IPowIOp) { return Values{build.power(x[0], x[1])}; })
      .Case([&](arith::MulSIExtendedOp) {
        return Values{build.mul(x[0], x[1]),
                      build.multiplyHigh(x[0], x[1], /*isSigned=*/true)};
      })
      .Case([&](arith::MulUIExtendedOp) {
        return Values{build.mul(x[0], x[1]),
                      build.multiplyHigh(x[0], x[1], /*isSigned=*/false)};
      })
      .Case([&](arith::AddUIExtendedOp) {
        Value sum = build.add(x[0], x[1]);
        return Values{sum, build.compare(arith::CmpIPredicate::ult, sum, x[0])};
      })
      .Default(Values());
}

} // namespace

SmallVector<Value> tinytc::expandInteger(ImplicitLocOpBuilder &builder, Operation *op) {
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    bool isTrue = compare.getPredicate() == arith::CmpFPredicate::AlwaysTrue;
    if (!isTrue && compare.getPredicate() != arith::CmpFPredicate::AlwaysFalse)
      return {};
    return {arith::ConstantIntOp::create(builder, isTrue, 1)};
  }
  if (!isa<math::CtPopOp, math::CountLeadingZerosOp, math::CountTrailingZerosOp,
           math::IPowIOp, arith::MulSIExtendedOp, arith::MulUIExtendedOp,
           arith::AddUIExtendedOp>(op))
    return {};
  SmallVector<Value> operands(op->getOperands());
  Type type = operands[0].getType(), i64 = builder.getI64Type();
  if (!type.isIndex())
    return expandFixed({builder, type}, op, operands);
  for (Value &operand : operands)
    operand = arith::IndexCastOp::create(builder, i64, operand);
  SmallVector<Value> values = expandFixed({builder, i64}, op, operands);
  for (Value &value : values)
    if (value.getType() == i64)
      value = arith::IndexCastOp::create(builder, type, value);
  return values;
}

LogicalResult tinytc::expandDivisions(Operation *kernel) {
  SmallVector<Operation *> divisions;
  kernel->walk([&](Operation *op) {
    if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op))
      divisions.push_back(op);
  });
  if (divisions.empty())
    return success();
  RewritePatternSet patterns(kernel->getContext());
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  return applyOpPatternsGreedily(divisions, std::move(patterns));
}
