//===- ScalarModel.h - What rules of scalar instructions share --*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// A rule applies the derivative of the result by one operand to a number, or the
// transpose of that map to one. They differ only where the map is not complex linear.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_DERIVATIVES_SCALARMODEL_H
#define TINYTC_LIB_DERIVATIVES_SCALARMODEL_H

#include "lib/Derivatives/Derivatives.h"

#include "mlir/IR/DialectRegistry.h"

namespace mlir::tinytc::derivatives {

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
  Value add(Value x, double number) {
    return ArithAddOp::create(b, x, createNumber(b, x.getType(), number));
  }
  /// `x` if the condition holds, else `y`.
  Value select(Value condition, Value x, Value y) {
    return SelectOp::create(b, condition, x, y);
  }
  Value isEqual(Value x, double number) {
    return CmpEqOp::create(b, b.getI1Type(), x, createNumber(b, x.getType(), number));
  }
  /// Applies a rule for scalars to each component of matrices: of `x`, and of the
  /// operands of `op`.
  Value applyToComponents(Operation *op, Value x,
                          function_ref<Value(ScalarMap &, Value)> rule);
};

/// Which values a rule asks for.
enum class Uses {
  Nothing,
  Operands,
  OtherOperand,
  Condition,
  Result,
  DivisorAndResult,
  OperandsAndResult
};

/// The rule of an instruction: `uses`, and `apply`.
template <typename OpT>
struct ScalarRule;

template <typename OpT>
struct ScalarModel : DifferentiableOpInterface::ExternalModel<ScalarModel<OpT>, OpT> {
  static Value apply(Operation *op, ScalarMap map, Value x) {
    return ScalarRule<OpT>::apply(cast<OpT>(op), map, x);
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
      switch (ScalarRule<OpT>::uses) {
      case Uses::Nothing:
        break;
      case Uses::Operands:
        addAll(op->getOperands(), uses);
        break;
      case Uses::OtherOperand:
        if (number < 2)
          uses.addValue(op->getOperand(1 - number));
        break;
      case Uses::Condition:
        uses.addValue(op->getOperand(0));
        break;
      case Uses::Result:
        uses.addValue(op->getResult(0));
        break;
      case Uses::DivisorAndResult:
        uses.addValue(op->getOperand(1));
        if (number == 1)
          uses.addValue(op->getResult(0));
        break;
      case Uses::OperandsAndResult:
        addAll(op->getOperands(), uses);
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
    if (isOfFactors && ScalarRule<OpT>::uses != Uses::Nothing)
      return refuse(op, "it multiplies matrices that are not matrix_acc");
    auto primal = [&](Value value) { return emitter.getPrimal(value); };
    for (OpOperand &operand : op->getOpOperands()) {
      if (!emitter.isActive(operand.get()))
        continue;
      ScalarMap map{emitter.builder, primal, operand.getOperandNumber(), true};
      Value term = apply(op, map, adjoint);
      emitter.addAdjoint(operand.get(), term);
    }
    return success();
  }

private:
  static void addAll(ValueRange values, AdjointUses &uses) {
    for (Value value : values)
      uses.addValue(value);
  }
};

template <typename... Ops>
void attachScalarModels(MLIRContext *context) {
  (Ops::template attachInterface<ScalarModel<Ops>>(*context), ...);
}

/// Attaches the rules of functions.
void attachFunctionRules(MLIRContext *context);

} // namespace mlir::tinytc::derivatives

#endif // TINYTC_LIB_DERIVATIVES_SCALARMODEL_H
