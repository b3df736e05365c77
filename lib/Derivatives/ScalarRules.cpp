//===- ScalarRules.cpp - Derivatives of arithmetic ------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Derivatives/ScalarModel.h"

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::derivatives;

template <>
struct derivatives::ScalarRule<ArithAddOp> {
  static constexpr Uses uses = Uses::Nothing;
  static Value apply(ArithAddOp, ScalarMap &, Value x) { return x; }
};

template <>
struct derivatives::ScalarRule<ArithSubOp> {
  static constexpr Uses uses = Uses::Nothing;
  static Value apply(ArithSubOp, ScalarMap &m, Value x) {
    return m.operand == 0 ? x : m.neg(x);
  }
};

template <>
struct derivatives::ScalarRule<ArithMulOp> {
  static constexpr Uses uses = Uses::OtherOperand;
  static Value apply(ArithMulOp op, ScalarMap &m, Value x) {
    return m.mul(x, m.primal(op->getOperand(1 - m.operand)));
  }
};

/// r = a / b: dr = da / b - r db / b
template <>
struct derivatives::ScalarRule<ArithDivOp> {
  static constexpr Uses uses = Uses::DivisorAndResult;
  static Value apply(ArithDivOp op, ScalarMap &m, Value x) {
    Value quotient = m.div(x, m.primal(op.getB()));
    if (m.operand == 0)
      return quotient;
    return m.neg(m.mul(quotient, m.primal(op.getResult())));
  }
};

/// r = a - t b, where the integer t = (a - r) / b is constant almost everywhere
template <>
struct derivatives::ScalarRule<ArithRemOp> {
  static constexpr Uses uses = Uses::Operands;
  static Value apply(ArithRemOp op, ScalarMap &m, Value x) {
    if (m.operand == 0)
      return x;
    Value a = m.primal(op.getA()), b = m.primal(op.getB());
    Value multiple = m.sub(ArithRemOp::create(m.b, a, b), a);
    return m.div(m.mul(multiple, x), b);
  }
};

/// The operand that is the result; the first one where they are equal. A NaN is the
/// result if the op keeps it, else it is not.
template <typename OpT, typename CmpT, bool KeepsNaN>
struct ExtremumRule {
  static constexpr Uses uses = Uses::Operands;
  static Value apply(OpT op, ScalarMap &m, Value x) {
    if (isa<CoopMatrixType>(x.getType()))
      return m.applyToComponents(
          op, x, [&](ScalarMap &scalar, Value y) { return apply(op, scalar, y); });
    Type type = m.b.getI1Type();
    Value a = m.primal(op.getA()), b = m.primal(op.getB()), known = KeepsNaN ? a : b;
    Value first = ArithOrOp::create(m.b, CmpT::create(m.b, type, a, b),
                                    CmpNeOp::create(m.b, type, known, known));
    Value zero = m.zero(x);
    return m.operand == 0 ? m.select(first, x, zero) : m.select(first, zero, x);
  }
};
template <>
struct derivatives::ScalarRule<ArithMinOp> : ExtremumRule<ArithMinOp, CmpLeOp, false> {
};
template <>
struct derivatives::ScalarRule<ArithMaxOp> : ExtremumRule<ArithMaxOp, CmpGeOp, false> {
};
template <>
struct derivatives::ScalarRule<MinimumOp> : ExtremumRule<MinimumOp, CmpLeOp, true> {};
template <>
struct derivatives::ScalarRule<MaximumOp> : ExtremumRule<MaximumOp, CmpGeOp, true> {};

template <>
struct derivatives::ScalarRule<ArithNegOp> {
  static constexpr Uses uses = Uses::Nothing;
  static Value apply(ArithNegOp, ScalarMap &m, Value x) { return m.neg(x); }
};

/// d|a| = Re(conj(a) da) / |a|, and 0 at 0
template <>
struct derivatives::ScalarRule<ArithAbsOp> {
  static constexpr Uses uses = Uses::Operands;
  static Value apply(ArithAbsOp op, ScalarMap &m, Value x) {
    if (isa<CoopMatrixType>(x.getType()))
      return m.applyToComponents(
          op, x, [&](ScalarMap &scalar, Value y) { return apply(op, scalar, y); });
    Value a = m.primal(op.getA());
    Type real = getRealPartType(a.getType());
    Value norm = ArithAbsOp::create(m.b, real, a);
    norm = m.select(m.isEqual(norm, 0), createNumber(m.b, real, 1), norm);
    if (!isa<ComplexType>(a.getType()))
      return m.mul(m.div(a, norm), x);
    Value direction = ArithConjOp::create(m.b, a);
    if (m.isTransposed) {
      Value factor = CastOp::create(m.b, a.getType(), m.div(x, norm));
      return m.mul(direction, factor);
    }
    return m.div(ArithReOp::create(m.b, real, m.mul(direction, x)), norm);
  }
};

template <>
struct derivatives::ScalarRule<ArithConjOp> {
  static constexpr Uses uses = Uses::Nothing;
  static Value apply(ArithConjOp, ScalarMap &m, Value x) {
    return ArithConjOp::create(m.b, x);
  }
};

template <>
struct derivatives::ScalarRule<ArithReOp> {
  static constexpr Uses uses = Uses::Nothing;
  static Value apply(ArithReOp op, ScalarMap &m, Value x) {
    if (m.isTransposed)
      return CastOp::create(m.b, op.getA().getType(), x);
    return ArithReOp::create(m.b, op.getType(), x);
  }
};

/// w Im(v) = Re(-i w v)
template <>
struct derivatives::ScalarRule<ArithImOp> {
  static constexpr Uses uses = Uses::Nothing;
  static Value apply(ArithImOp op, ScalarMap &m, Value x) {
    if (!m.isTransposed)
      return ArithImOp::create(m.b, op.getType(), x);
    if (isa<CoopMatrixType>(x.getType()))
      return m.applyToComponents(
          op, x, [&](ScalarMap &scalar, Value y) { return apply(op, scalar, y); });
    auto type = cast<ComplexType>(getScalarType(op.getA().getType()));
    return m.mul(createComplex(m.b, type, 0, -1), CastOp::create(m.b, type, x));
  }
};

template <>
struct derivatives::ScalarRule<CastOp> {
  static constexpr Uses uses = Uses::Nothing;
  static Value apply(CastOp op, ScalarMap &m, Value x) {
    Type type = m.isTransposed ? getAdjointType(op.getA().getType()) : op.getType();
    return createCast(m.b, x, type);
  }
};

/// The value that was chosen; the condition is constant almost everywhere.
template <>
struct derivatives::ScalarRule<SelectOp> {
  static constexpr Uses uses = Uses::Condition;
  static Value apply(SelectOp op, ScalarMap &m, Value x) {
    Value zero = m.zero(x), condition = m.primal(op.getCondition());
    return m.operand == 1 ? m.select(condition, x, zero) : m.select(condition, zero, x);
  }
};

Value ScalarMap::applyToComponents(Operation *op, Value x,
                                   function_ref<Value(ScalarMap &, Value)> rule) {
  SmallVector<Value> matrices = {x};
  for (Value value : op->getOperands())
    matrices.push_back(primal(value));
  Type type = isTransposed ? getAdjointType(op->getOperand(operand).getType())
                           : op->getResult(0).getType();
  auto body = [&](ImplicitLocOpBuilder &nested, ValueRange arguments) {
    ValueRange components = arguments.drop_front(2);
    auto component = [&](Value value) {
      unsigned place = llvm::find(op->getOperands(), value).getIndex();
      return components[place + 1];
    };
    ScalarMap scalar{nested, component, operand, isTransposed};
    return rule(scalar, components.front());
  };
  return createApply(b, type, matrices, body);
}

void derivatives::attachScalarRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TinyTCDialect *) {
    attachScalarModels<ArithAddOp, ArithSubOp, ArithMulOp, ArithDivOp, ArithRemOp,
                       ArithMinOp, ArithMaxOp, MinimumOp, MaximumOp, ArithNegOp,
                       ArithAbsOp, ArithConjOp, ArithReOp, ArithImOp, CastOp, SelectOp>(
        context);
    attachFunctionRules(context);
  });
}
