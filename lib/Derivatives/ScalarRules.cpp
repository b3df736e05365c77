//===- ScalarRules.cpp - Derivatives of scalar instructions ---------------===//
//
// A rule applies the derivative of the result by one operand to a number, or the
// transpose of that map to one. They differ only where the map is not complex linear.
//
//===----------------------------------------------------------------------===//

#include "lib/Derivatives/Derivatives.h"

#include "mlir/IR/DialectRegistry.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::derivatives;

namespace {

/// The values that a derivative is made of, and where it is emitted.
struct ScalarMap {
  ImplicitLocOpBuilder &b;
  function_ref<Value(Value)> primal;
  unsigned operand;
  bool isTransposed;

  Value zero(Value like) { return createNumber(b, like.getType(), 0); }
  Value mul(Value x, Value y) { return ArithMulOp::create(b, x, y); }
  Value div(Value x, Value y) { return ArithDivOp::create(b, x, y); }
  Value sub(Value x, Value y) { return ArithSubOp::create(b, x, y); }
  Value neg(Value x) { return ArithNegOp::create(b, x); }
  Value scale(Value x, double factor) {
    return mul(createNumber(b, x.getType(), factor), x);
  }
  /// `x` if the condition holds, else `y`.
  Value select(Value condition, Value x, Value y) {
    auto branch = IfOp::create(b, x.getType(), condition);
    for (auto [region, value] :
         llvm::zip_equal(branch->getRegions(), SmallVector<Value>{x, y})) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&region.emplaceBlock());
      YieldOp::create(b, value);
    }
    return branch.getResult(0);
  }
};

/// Which values a rule asks for.
enum class Needs { Nothing, Operands, OtherOperand, Result, DivisorAndResult };

//===----------------------------------------------------------------------===//
// The rules
//===----------------------------------------------------------------------===//

template <typename OpT>
struct Rule;

template <>
struct Rule<ArithAddOp> {
  static constexpr Needs needs = Needs::Nothing;
  static Value apply(ArithAddOp, ScalarMap &, Value x) { return x; }
};

template <>
struct Rule<ArithSubOp> {
  static constexpr Needs needs = Needs::Nothing;
  static Value apply(ArithSubOp, ScalarMap &m, Value x) {
    return m.operand == 0 ? x : m.neg(x);
  }
};

template <>
struct Rule<ArithMulOp> {
  static constexpr Needs needs = Needs::OtherOperand;
  static Value apply(ArithMulOp op, ScalarMap &m, Value x) {
    return m.mul(x, m.primal(op->getOperand(1 - m.operand)));
  }
};

/// r = a / b: dr = da / b - r db / b
template <>
struct Rule<ArithDivOp> {
  static constexpr Needs needs = Needs::DivisorAndResult;
  static Value apply(ArithDivOp op, ScalarMap &m, Value x) {
    Value quotient = m.div(x, m.primal(op.getB()));
    if (m.operand == 0)
      return quotient;
    return m.neg(m.mul(quotient, m.primal(op.getResult())));
  }
};

/// r = a - t b, where the integer t = (a - r) / b is constant almost everywhere
template <>
struct Rule<ArithRemOp> {
  static constexpr Needs needs = Needs::Operands;
  static Value apply(ArithRemOp op, ScalarMap &m, Value x) {
    if (m.operand == 0)
      return x;
    Value a = m.primal(op.getA()), b = m.primal(op.getB());
    Value multiple = m.sub(ArithRemOp::create(m.b, a, b), a);
    return m.div(m.mul(multiple, x), b);
  }
};

/// The operand that is the result; the first one where they are equal.
template <typename OpT, typename CmpT>
struct ExtremumRule {
  static constexpr Needs needs = Needs::Operands;
  static Value apply(OpT op, ScalarMap &m, Value x) {
    if (isa<CoopMatrixType>(x.getType()))
      return {};
    Value first =
        CmpT::create(m.b, m.b.getI1Type(), m.primal(op.getA()), m.primal(op.getB()));
    Value zero = m.zero(x);
    return m.operand == 0 ? m.select(first, x, zero) : m.select(first, zero, x);
  }
};
template <>
struct Rule<ArithMinOp> : ExtremumRule<ArithMinOp, CmpLeOp> {};
template <>
struct Rule<ArithMaxOp> : ExtremumRule<ArithMaxOp, CmpGeOp> {};

template <>
struct Rule<ArithNegOp> {
  static constexpr Needs needs = Needs::Nothing;
  static Value apply(ArithNegOp, ScalarMap &m, Value x) { return m.neg(x); }
};

/// d|a| = Re(conj(a) da) / |a|, and 0 at 0
template <>
struct Rule<ArithAbsOp> {
  static constexpr Needs needs = Needs::Operands;
  static Value apply(ArithAbsOp op, ScalarMap &m, Value x) {
    Value a = m.primal(op.getA());
    if (isa<CoopMatrixType>(a.getType()))
      return {};
    Value norm = ArithAbsOp::create(m.b, op.getType(), a);
    Value none = createNumber(m.b, norm.getType(), 0);
    Value isZero = CmpEqOp::create(m.b, m.b.getI1Type(), norm, none);
    Value one = createNumber(m.b, norm.getType(), 1);
    norm = m.select(isZero, one, norm);
    if (!isa<ComplexType>(a.getType()))
      return m.mul(m.div(a, norm), x);
    Value direction = ArithConjOp::create(m.b, a);
    if (m.isTransposed) {
      Value factor = CastOp::create(m.b, a.getType(), m.div(x, norm));
      return m.mul(direction, factor);
    }
    Value part = ArithReOp::create(m.b, op.getType(), m.mul(direction, x));
    return m.div(part, norm);
  }
};

template <>
struct Rule<ArithConjOp> {
  static constexpr Needs needs = Needs::Nothing;
  static Value apply(ArithConjOp, ScalarMap &m, Value x) {
    return ArithConjOp::create(m.b, x);
  }
};

template <>
struct Rule<ArithReOp> {
  static constexpr Needs needs = Needs::Nothing;
  static Value apply(ArithReOp op, ScalarMap &m, Value x) {
    if (m.isTransposed)
      return CastOp::create(m.b, op.getA().getType(), x);
    return ArithReOp::create(m.b, op.getType(), x);
  }
};

/// w Im(v) = Re(-i w v)
template <>
struct Rule<ArithImOp> {
  static constexpr Needs needs = Needs::Nothing;
  static Value apply(ArithImOp op, ScalarMap &m, Value x) {
    Type type = op.getA().getType();
    if (!m.isTransposed)
      return ArithImOp::create(m.b, op.getType(), x);
    auto complex = dyn_cast<ComplexType>(type);
    if (!complex)
      return {};
    return m.mul(createComplex(m.b, complex, 0, -1), CastOp::create(m.b, type, x));
  }
};

template <>
struct Rule<CastOp> {
  static constexpr Needs needs = Needs::Nothing;
  static Value apply(CastOp op, ScalarMap &m, Value x) {
    Type type = m.isTransposed ? getAdjointType(op.getA().getType()) : op.getType();
    return createCast(m.b, x, type);
  }
};

/// f' = f, or f log(2) for powers of 2.
template <typename OpT, bool IsBinary>
struct ExponentialRule {
  static constexpr Needs needs = Needs::Result;
  static Value apply(OpT op, ScalarMap &m, Value x) {
    Value product = m.mul(m.primal(op.getResult()), x);
    return IsBinary ? m.scale(product, std::log(2.0)) : product;
  }
};
template <>
struct Rule<MathExpOp> : ExponentialRule<MathExpOp, false> {};
template <>
struct Rule<MathNativeExpOp> : ExponentialRule<MathNativeExpOp, false> {};
template <>
struct Rule<MathExp2Op> : ExponentialRule<MathExp2Op, true> {};
template <>
struct Rule<MathNativeExp2Op> : ExponentialRule<MathNativeExp2Op, true> {};

/// f'(a) = sign g(a)
template <typename OpT, typename DerivativeT, int Sign>
struct TrigonometricRule {
  static constexpr Needs needs = Needs::Operands;
  static Value apply(OpT op, ScalarMap &m, Value x) {
    Value a = m.primal(op.getA());
    Value product = m.mul(DerivativeT::create(m.b, a), x);
    return Sign < 0 ? m.neg(product) : product;
  }
};
template <>
struct Rule<MathSinOp> : TrigonometricRule<MathSinOp, MathCosOp, 1> {};
template <>
struct Rule<MathCosOp> : TrigonometricRule<MathCosOp, MathSinOp, -1> {};
template <>
struct Rule<MathNativeSinOp> : TrigonometricRule<MathNativeSinOp, MathNativeCosOp, 1> {
};
template <>
struct Rule<MathNativeCosOp> : TrigonometricRule<MathNativeCosOp, MathNativeSinOp, -1> {
};

/// log'(a) = 1 / a
template <typename OpT, bool IsBinary>
struct LogarithmRule {
  static constexpr Needs needs = Needs::Operands;
  static Value apply(OpT op, ScalarMap &m, Value x) {
    Value quotient = m.div(x, m.primal(op.getA()));
    return IsBinary ? m.scale(quotient, 1 / std::log(2.0)) : quotient;
  }
};
template <>
struct Rule<MathLogOp> : LogarithmRule<MathLogOp, false> {};
template <>
struct Rule<MathNativeLogOp> : LogarithmRule<MathNativeLogOp, false> {};
template <>
struct Rule<MathLog2Op> : LogarithmRule<MathLog2Op, true> {};
template <>
struct Rule<MathNativeLog2Op> : LogarithmRule<MathNativeLog2Op, true> {};

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

template <typename OpT>
struct ScalarModel : DifferentiableOpInterface::ExternalModel<ScalarModel<OpT>, OpT> {
  static Value apply(Operation *op, ScalarMap map, Value x) {
    return Rule<OpT>::apply(cast<OpT>(op), map, x);
  }

  static LogicalResult refuseMatrix(Operation *op) {
    return refuse(op, "its derivative is not defined for cooperative matrices");
  }

  LogicalResult emitTangent(Operation *op, TangentEmitter &emitter) const {
    ImplicitLocOpBuilder &builder = emitter.builder;
    builder.setInsertionPointAfter(op);
    Value sum;
    auto primal = [](Value value) { return value; };
    for (OpOperand &operand : op->getOpOperands()) {
      if (!emitter.isActive(operand.get()))
        continue;
      ScalarMap map{builder, primal, operand.getOperandNumber(), false};
      Value term = apply(op, map, emitter.getTangent(operand.get()));
      if (!term)
        return refuseMatrix(op);
      sum = sum ? Value(ArithAddOp::create(builder, sum, term)) : term;
    }
    emitter.setTangent(op->getResult(0), sum);
    return success();
  }

  void getAdjointUses(Operation *op, const Activity &activity,
                      AdjointUses &uses) const {
    for (OpOperand &operand : op->getOpOperands()) {
      if (!activity.isActive(operand.get()))
        continue;
      unsigned number = operand.getOperandNumber();
      switch (Rule<OpT>::needs) {
      case Needs::Nothing:
        break;
      case Needs::Operands:
        for (Value value : op->getOperands())
          uses.addValue(value);
        break;
      case Needs::OtherOperand:
        uses.addValue(op->getOperand(1 - number));
        break;
      case Needs::Result:
        uses.addValue(op->getResult(0));
        break;
      case Needs::DivisorAndResult:
        uses.addValue(op->getOperand(1));
        if (number == 1)
          uses.addValue(op->getResult(0));
        break;
      }
    }
  }

  LogicalResult emitAdjoint(Operation *op, AdjointEmitter &emitter) const {
    Value adjoint = emitter.getAdjoint(op->getResult(0));
    if (!adjoint)
      return success();
    bool isOfFactors = llvm::any_of(
        op->getOperandTypes(), [](Type type) { return getAdjointType(type) != type; });
    if (isOfFactors && Rule<OpT>::needs != Needs::Nothing)
      return refuse(op, "it multiplies matrices that are not matrix_acc");
    auto primal = [&](Value value) { return emitter.getPrimal(value); };
    for (OpOperand &operand : op->getOpOperands()) {
      if (!emitter.isActive(operand.get()))
        continue;
      ScalarMap map{emitter.builder, primal, operand.getOperandNumber(), true};
      Value term = apply(op, map, adjoint);
      if (!term)
        return refuseMatrix(op);
      emitter.addAdjoint(operand.get(), term);
    }
    return success();
  }
};

} // namespace

template <typename... Ops>
static void attachScalarModels(MLIRContext *context) {
  (Ops::template attachInterface<ScalarModel<Ops>>(*context), ...);
}

void derivatives::attachScalarRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TinyTCDialect *) {
    attachScalarModels<ArithAddOp, ArithSubOp, ArithMulOp, ArithDivOp, ArithRemOp,
                       ArithMinOp, ArithMaxOp, ArithNegOp, ArithAbsOp, ArithConjOp,
                       ArithReOp, ArithImOp, CastOp, MathExpOp, MathNativeExpOp,
                       MathExp2Op, MathNativeExp2Op, MathSinOp, MathCosOp,
                       MathNativeSinOp, MathNativeCosOp, MathLogOp, MathNativeLogOp,
                       MathLog2Op, MathNativeLog2Op>(context);
  });
}
