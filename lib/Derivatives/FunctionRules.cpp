//===- FunctionRules.cpp - Derivatives of functions -----------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Derivatives/ScalarModel.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::derivatives;

/// f' = f, or f log(2) for powers of 2.
template <typename OpT, bool IsBinary>
struct ExponentialRule {
  static constexpr Uses uses = Uses::Result;
  static Value apply(OpT op, ScalarMap &m, Value x) {
    Value product = m.mul(m.primal(op.getResult()), x);
    return IsBinary ? m.scale(product, std::log(2.0)) : product;
  }
};
template <>
struct derivatives::ScalarRule<MathExpOp> : ExponentialRule<MathExpOp, false> {};
template <>
struct derivatives::ScalarRule<MathNativeExpOp>
    : ExponentialRule<MathNativeExpOp, false> {};
template <>
struct derivatives::ScalarRule<MathExp2Op> : ExponentialRule<MathExp2Op, true> {};
template <>
struct derivatives::ScalarRule<MathNativeExp2Op>
    : ExponentialRule<MathNativeExp2Op, true> {};

/// f'(a) = sign g(a)
template <typename OpT, typename DerivativeT, int Sign>
struct TrigonometricRule {
  static constexpr Uses uses = Uses::Operands;
  static Value apply(OpT op, ScalarMap &m, Value x) {
    Value a = m.primal(op.getA());
    Value product = m.mul(DerivativeT::create(m.b, a), x);
    return Sign < 0 ? m.neg(product) : product;
  }
};
template <>
struct derivatives::ScalarRule<MathSinOp> : TrigonometricRule<MathSinOp, MathCosOp, 1> {
};
template <>
struct derivatives::ScalarRule<MathCosOp>
    : TrigonometricRule<MathCosOp, MathSinOp, -1> {};
template <>
struct derivatives::ScalarRule<MathNativeSinOp>
    : TrigonometricRule<MathNativeSinOp, MathNativeCosOp, 1> {};
template <>
struct derivatives::ScalarRule<MathNativeCosOp>
    : TrigonometricRule<MathNativeCosOp, MathNativeSinOp, -1> {};

/// log'(a) = 1 / a
template <typename OpT, bool IsBinary>
struct LogarithmRule {
  static constexpr Uses uses = Uses::Operands;
  static Value apply(OpT op, ScalarMap &m, Value x) {
    Value quotient = m.div(x, m.primal(op.getA()));
    return IsBinary ? m.scale(quotient, 1 / std::log(2.0)) : quotient;
  }
};
template <>
struct derivatives::ScalarRule<MathLogOp> : LogarithmRule<MathLogOp, false> {};
template <>
struct derivatives::ScalarRule<MathNativeLogOp>
    : LogarithmRule<MathNativeLogOp, false> {};
template <>
struct derivatives::ScalarRule<MathLog2Op> : LogarithmRule<MathLog2Op, true> {};
template <>
struct derivatives::ScalarRule<MathNativeLog2Op>
    : LogarithmRule<MathNativeLog2Op, true> {};

/// sqrt' = 1 / (2 sqrt), of a positive operand
template <>
struct derivatives::ScalarRule<SqrtOp> {
  static constexpr Uses uses = Uses::Result;
  static Value apply(SqrtOp op, ScalarMap &m, Value x) {
    return m.div(m.scale(x, 0.5), m.primal(op.getResult()));
  }
};

/// rsqrt' = -rsqrt^3 / 2
template <>
struct derivatives::ScalarRule<RsqrtOp> {
  static constexpr Uses uses = Uses::Result;
  static Value apply(RsqrtOp op, ScalarMap &m, Value x) {
    Value r = m.primal(op.getResult());
    return m.mul(m.mul(m.scale(r, -0.5), m.mul(r, r)), x);
  }
};

/// tanh' = (1 - tanh) (1 + tanh)
template <>
struct derivatives::ScalarRule<TanhOp> {
  static constexpr Uses uses = Uses::Result;
  static Value apply(TanhOp op, ScalarMap &m, Value x) {
    Value r = m.primal(op.getResult());
    return m.mul(m.mul(m.add(m.neg(r), 1), m.add(r, 1)), x);
  }
};

/// expm1' = expm1 + 1
template <>
struct derivatives::ScalarRule<Expm1Op> {
  static constexpr Uses uses = Uses::Result;
  static Value apply(Expm1Op op, ScalarMap &m, Value x) {
    return m.mul(m.add(m.primal(op.getResult()), 1), x);
  }
};

/// log1p'(a) = 1 / (1 + a)
template <>
struct derivatives::ScalarRule<Log1pOp> {
  static constexpr Uses uses = Uses::Operands;
  static Value apply(Log1pOp op, ScalarMap &m, Value x) {
    return m.div(x, m.add(m.primal(op.getA()), 1));
  }
};

/// r = a^b: dr = b a^(b - 1) da + log(a) r db. That of a^0 by a is 0 also at a = 0, and
/// so is that of 0^b by b.
template <>
struct derivatives::ScalarRule<PowOp> {
  static constexpr Uses uses = Uses::OperandsAndResult;
  static Value apply(PowOp op, ScalarMap &m, Value x) {
    Value a = m.primal(op.getA()), b = m.primal(op.getB());
    if (m.operand == 1) {
      Value one = createNumber(m.b, a.getType(), 1);
      Value base = m.select(m.isEqual(a, 0), one, a);
      Value factor = m.mul(MathLogOp::create(m.b, base), m.primal(op.getResult()));
      return m.mul(factor, x);
    }
    Value one = createNumber(m.b, b.getType(), 1);
    Value exponent = m.select(m.isEqual(b, 0), one, m.add(b, -1));
    return m.mul(m.mul(b, PowOp::create(m.b, a, exponent)), x);
  }
};

/// dr = (a da + b db) / r, and 0 at 0
template <>
struct derivatives::ScalarRule<HypotOp> {
  static constexpr Uses uses = Uses::OperandsAndResult;
  static Value apply(HypotOp op, ScalarMap &m, Value x) {
    Value r = m.primal(op.getResult()), one = createNumber(m.b, r.getType(), 1);
    Value length = m.select(m.isEqual(r, 0), one, r);
    return m.mul(m.div(m.primal(op->getOperand(m.operand)), length), x);
  }
};

template <>
struct derivatives::ScalarRule<FmaOp> {
  static constexpr Uses uses = Uses::OtherOperand;
  static Value apply(FmaOp op, ScalarMap &m, Value x) {
    return m.operand == 2 ? x : m.mul(x, m.primal(op->getOperand(1 - m.operand)));
  }
};

void derivatives::attachFunctionRules(MLIRContext *context) {
  attachScalarModels<MathExpOp, MathNativeExpOp, MathExp2Op, MathNativeExp2Op,
                     MathSinOp, MathCosOp, MathNativeSinOp, MathNativeCosOp, MathLogOp,
                     MathNativeLogOp, MathLog2Op, MathNativeLog2Op, SqrtOp, RsqrtOp,
                     TanhOp, Expm1Op, Log1pOp, PowOp, HypotOp, FmaOp>(context);
}
