//===- Scalar.cpp - Instructions on scalars -------------------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// A scalar is a tile without dimensions.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/TinyTCToTile/Lowering.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::tile_lowering;
using tile::ComparisonPredicate;
using tile::Signedness;

LogicalResult Lowering::lowerConstant(ConstantOp op) {
  if (isa<MemrefType>(op.getType()))
    return refuse(op, "a program on tiles has no memory of its own");
  Type element = getTileElement(op.getType());
  auto create = [&](Attribute value) -> Value {
    if (auto integer = dyn_cast<IntegerAttr>(value))
      value = builder.getIntegerAttr(element, integer.getInt());
    return createConstant(element, value);
  };
  if (auto parts = dyn_cast<ArrayAttr>(op.getValue()))
    numbers[op] = {create(parts[0]), create(parts[1])};
  else
    numbers[op] = {create(op.getValue()), {}};
  return success();
}

/// Bits to shift by, modulo the width.
static Value getShift(ImplicitLocOpBuilder &builder, Value bits, Value width) {
  return tile::AndIOp::create(builder, bits.getType(), bits, width);
}

LogicalResult Lowering::lowerArithmetic(Operation *op) {
  Number a = getNumber(op->getOperand(0)), b;
  if (op->getNumOperands() == 2)
    b = getNumber(op->getOperand(1));
  Type type = a.re.getType(), element = getElement(a.re);
  bool isFloating = isa<FloatType>(element);
  auto onlyReal = [](Value value) { return Number{value, {}}; };
  auto width = [&] {
    return createConstant(element, element.getIntOrFloatBitWidth() - 1);
  };
  auto order = [&](auto forFloats, auto forIntegers) {
    return onlyReal(isFloating ? forFloats() : forIntegers());
  };
  auto result =
      llvm::TypeSwitch<Operation *, std::optional<Number>>(op)
          .Case<ArithAddOp>([&](auto) { return add(a, b); })
          .Case<ArithSubOp>([&](auto) {
            return Number{subReal(a.re, b.re),
                          a.isComplex() ? subReal(a.im, b.im) : Value()};
          })
          .Case<ArithMulOp>([&](auto) { return mul(a, b); })
          .Case<ArithDivOp>([&](auto) { return div(a, b); })
          .Case<ArithRemOp>([&](auto) {
            return order(
                [&] { return Value(tile::RemFOp::create(builder, type, a.re, b.re)); },
                [&] {
                  return Value(tile::RemIOp::create(builder, type, a.re, b.re,
                                                    Signedness::Signed));
                });
          })
          .Case<ArithMinOp>([&](auto) { return onlyReal(minReal(a.re, b.re)); })
          .Case<ArithMaxOp>([&](auto) { return onlyReal(maxReal(a.re, b.re)); })
          .Case<ArithShlOp>([&](auto) {
            Value bits = getShift(builder, b.re, width());
            return onlyReal(tile::ShLIOp::create(builder, type, a.re, bits));
          })
          .Case<ArithShrOp>([&](auto) {
            Value bits = getShift(builder, b.re, width());
            return onlyReal(
                tile::ShRIOp::create(builder, type, a.re, bits, Signedness::Signed));
          })
          .Case<ArithAndOp>([&](auto) {
            return onlyReal(tile::AndIOp::create(builder, type, a.re, b.re));
          })
          .Case<ArithOrOp>([&](auto) {
            return onlyReal(tile::OrIOp::create(builder, type, a.re, b.re));
          })
          .Case<ArithXorOp>([&](auto) {
            return onlyReal(tile::XOrIOp::create(builder, type, a.re, b.re));
          })
          .Case<ArithAbsOp>([&](auto) {
            if (a.isComplex())
              return onlyReal(absComplex(a));
            return order(
                [&] { return Value(tile::AbsFOp::create(builder, type, a.re)); },
                [&] { return Value(tile::AbsIOp::create(builder, type, a.re)); });
          })
          .Case<ArithNegOp>([&](auto) {
            return Number{negReal(a.re), a.isComplex() ? negReal(a.im) : Value()};
          })
          .Case<ArithNotOp>([&](auto) {
            return onlyReal(
                tile::XOrIOp::create(builder, type, a.re, createConstant(element, -1)));
          })
          .Case<ArithConjOp>([&](auto) { return Number{a.re, negReal(a.im)}; })
          .Case<ArithImOp>([&](auto) { return onlyReal(a.im); })
          .Case<ArithReOp>([&](auto) { return onlyReal(a.re); })
          .Default(std::nullopt);
  if (!result)
    return refuse(op);
  numbers[op->getResult(0)] = *result;
  return success();
}

static std::optional<ComparisonPredicate> getPredicate(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<ComparisonPredicate>>(op)
      .Case<CmpEqOp>([](auto) { return ComparisonPredicate::Equal; })
      .Case<CmpNeOp>([](auto) { return ComparisonPredicate::NotEqual; })
      .Case<CmpGtOp>([](auto) { return ComparisonPredicate::GreaterThan; })
      .Case<CmpGeOp>([](auto) { return ComparisonPredicate::GreaterThanOrEqual; })
      .Case<CmpLtOp>([](auto) { return ComparisonPredicate::LessThan; })
      .Case<CmpLeOp>([](auto) { return ComparisonPredicate::LessThanOrEqual; })
      .Default(std::nullopt);
}

/// (u - 1) x / log u with u = e^x rounded: the errors of both differences cancel.
Value Lowering::expm1(Value x) {
  Type type = x.getType(), element = getElement(x);
  Value one = createConstant(element, 1), minusOne = createConstant(element, -1);
  Value power = tile::ExpOp::create(builder, type, x);
  Value rest = subReal(power, one);
  Value quotient =
      tile::DivFOp::create(builder, type, x, tile::LogOp::create(builder, type, power));
  auto choose = [&](Value condition, Value yes, Value no) {
    return select(condition, {yes, {}}, {no, {}}).re;
  };
  Value large = createConstant(element, 16);
  Value isModerate = compare(ComparisonPredicate::LessThan,
                             tile::AbsFOp::create(builder, type, x), large);
  Value result = choose(isModerate, mulReal(rest, quotient), rest);
  result =
      choose(compare(ComparisonPredicate::Equal, rest, minusOne), minusOne, result);
  return choose(compare(ComparisonPredicate::Equal, power, one), x, result);
}

/// log(u) x / (u - 1) with u = 1 + x rounded: the errors of both differences cancel.
Value Lowering::log1p(Value x) {
  Type type = x.getType(), element = getElement(x);
  Value one = createConstant(element, 1);
  Value sum = addReal(one, x);
  Value logarithm = tile::LogOp::create(builder, type, sum);
  Value quotient = tile::DivFOp::create(builder, type, x, subReal(sum, one));
  auto choose = [&](Value condition, Value yes, Value no) {
    return select(condition, {yes, {}}, {no, {}}).re;
  };
  Value isModerate = compare(ComparisonPredicate::LessThan,
                             tile::AbsFOp::create(builder, type, x), one);
  Value result = choose(isModerate, mulReal(logarithm, quotient), logarithm);
  return choose(compare(ComparisonPredicate::Equal, sum, one), x, result);
}

/// A function of real numbers, null for other ops.
Value Lowering::createFunction(Operation *op, Value a) {
  Type type = a.getType();
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<MathExpOp, MathNativeExpOp>(
          [&](auto) { return tile::ExpOp::create(builder, type, a); })
      .Case<MathExp2Op, MathNativeExp2Op>(
          [&](auto) { return tile::Exp2Op::create(builder, type, a); })
      .Case<MathCosOp, MathNativeCosOp>(
          [&](auto) { return tile::CosOp::create(builder, type, a); })
      .Case<MathSinOp, MathNativeSinOp>(
          [&](auto) { return tile::SinOp::create(builder, type, a); })
      .Case<MathLogOp, MathNativeLogOp>(
          [&](auto) { return tile::LogOp::create(builder, type, a); })
      .Case<MathLog2Op, MathNativeLog2Op>(
          [&](auto) { return tile::Log2Op::create(builder, type, a); })
      .Case([&](SqrtOp) { return tile::SqrtOp::create(builder, type, a); })
      .Case([&](RsqrtOp) {
        Value root = tile::SqrtOp::create(builder, type, a);
        return tile::DivFOp::create(builder, type, createConstant(getElement(a), 1),
                                    root);
      })
      .Case([&](TanhOp) { return tile::TanHOp::create(builder, type, a); })
      .Case([&](FloorOp) { return tile::FloorOp::create(builder, type, a); })
      .Case([&](CeilOp) { return tile::CeilOp::create(builder, type, a); })
      .Case([&](Expm1Op) { return expm1(a); })
      .Case([&](Log1pOp) { return log1p(a); })
      .Default(Value());
}

/// A function of several numbers, null for other ops.
Value Lowering::createFunction(Operation *op, ArrayRef<Value> x) {
  Type type = x[0].getType();
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](PowOp) { return tile::PowOp::create(builder, type, x[0], x[1]); })
      .Case([&](HypotOp) { return absComplex({x[0], x[1]}); })
      .Case([&](MinimumOp) { return minReal(x[0], x[1], /*keepsNaN=*/true); })
      .Case([&](MaximumOp) { return maxReal(x[0], x[1], /*keepsNaN=*/true); })
      .Case([&](FmaOp) { return tile::FmaOp::create(builder, type, x[0], x[1], x[2]); })
      .Default(Value());
}

/// Small types are computed in f32, but multiply-adds, which are rounded once.
LogicalResult Lowering::lowerMath(Operation *op) {
  Type own = op->getResult(0).getType(), element = getTileElement(own);
  bool isWidened = element.getIntOrFloatBitWidth() < 32 && !isa<FmaOp>(op);
  Type wide = isWidened ? builder.getF32Type() : element;
  Number a = getNumber(op->getOperand(0));
  Value real = convertReal(a.re, wide);
  if (!a.isComplex()) {
    SmallVector<Value> operands{real};
    for (Value operand : op->getOperands().drop_front())
      operands.push_back(convertReal(getNumber(operand).re, wide));
    Value result = operands.size() == 1 ? createFunction(op, real)
                                        : createFunction(op, ArrayRef(operands));
    if (!result)
      return refuse(op);
    numbers[op->getResult(0)] = {convertReal(result, element), {}};
    return success();
  }
  // The base to a + ib is its power a, turned by b times its logarithm.
  Value angle = a.im;
  if (isa<MathExp2Op, MathNativeExp2Op>(op)) {
    Attribute logarithm = builder.getFloatAttr(element, 0.693147180559945309417232);
    angle = mulReal(angle, createConstant(element, logarithm));
  }
  Value radius = createFunction(op, real);
  if (!radius)
    return refuse(op);
  Value cosine = tile::CosOp::create(builder, angle.getType(), angle);
  Value sine = tile::SinOp::create(builder, angle.getType(), angle);
  numbers[op->getResult(0)] = {mulReal(radius, cosine), mulReal(radius, sine)};
  return success();
}

/// The bits of a number as another type.
Number Lowering::castBits(Number number, Type to) {
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  auto bitcast = [&](Value value, Type element) -> Value {
    return tile::BitcastOp::create(builder, withElement(value, element), value);
  };
  Value width = createConstant(i64, 32);
  if (isa<ComplexType>(to)) {
    auto part = [&](Value bits) {
      Value half = tile::TruncIOp::create(builder, withElement(bits, i32), bits);
      return bitcast(half, builder.getF32Type());
    };
    Value upper = tile::ShRIOp::create(builder, number.re.getType(), number.re, width,
                                       Signedness::Unsigned);
    return {part(number.re), part(upper)};
  }
  if (!number.isComplex())
    return {bitcast(number.re, to), {}};
  auto bits = [&](Value part) -> Value {
    Value half = bitcast(part, i32);
    return tile::ExtIOp::create(builder, withElement(half, i64), half,
                                Signedness::Unsigned);
  };
  Value upper = tile::ShLIOp::create(builder, width.getType(), bits(number.im), width);
  return {tile::OrIOp::create(builder, width.getType(), bits(number.re), upper), {}};
}

LogicalResult Lowering::lowerScalar(Operation *op) {
  if (auto constant = dyn_cast<ConstantOp>(op))
    return lowerConstant(constant);
  if (auto cast = dyn_cast<CastOp>(op)) {
    numbers[op->getResult(0)] =
        convert(getNumber(cast.getA()), cast.getA().getType(), cast.getType());
    return success();
  }
  if (auto cast = dyn_cast<BitcastOp>(op)) {
    numbers[op->getResult(0)] = castBits(getNumber(cast.getA()), cast.getType());
    return success();
  }
  if (auto choice = dyn_cast<SelectOp>(op)) {
    numbers[choice] = select(getNumber(choice.getCondition()).re,
                             getNumber(choice.getA()), getNumber(choice.getB()));
    return success();
  }
  if (auto predicate = getPredicate(op)) {
    Number a = getNumber(op->getOperand(0)), b = getNumber(op->getOperand(1));
    Value result = a.isComplex() ? isEqual(a, b) : compare(*predicate, a.re, b.re);
    if (a.isComplex() && *predicate == ComparisonPredicate::NotEqual)
      result = tile::XOrIOp::create(builder, result.getType(), result,
                                    createConstant(builder.getI1Type(), -1));
    numbers[op->getResult(0)] = {result, {}};
    return success();
  }
  if (op->getName().getStringRef().starts_with("tinytc.arith."))
    return lowerArithmetic(op);
  return lowerMath(op);
}
