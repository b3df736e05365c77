//===- MatrixComponentRules.cpp - Components of cooperative matrices ------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The adjoint of a scalar that a matrix is made of is the sum of adjoints of
// components. Each work-item has one summand of it, as each of them has read the
// scalar.
//
//===----------------------------------------------------------------------===//

#include "lib/Derivatives/Derivatives.h"

#include "mlir/IR/DialectRegistry.h"

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::derivatives;

namespace {

struct MatrixConstructModel
    : DifferentiableOpInterface::ExternalModel<MatrixConstructModel,
                                               CooperativeMatrixConstructOp> {
  LogicalResult emitTangent(Operation *op, TangentEmitter &emitter) const {
    auto construct = cast<CooperativeMatrixConstructOp>(op);
    Value tangent = emitter.getTangent(construct.getScalar());
    emitter.setTangent(construct.getResult(),
                       CooperativeMatrixConstructOp::create(
                           emitter.builder, construct.getResult().getType(), tangent));
    return success();
  }

  void getAdjointUses(Operation *, const Activity &, AdjointUses &) const {}

  LogicalResult emitAdjoint(Operation *op, AdjointEmitter &emitter) const {
    auto construct = cast<CooperativeMatrixConstructOp>(op);
    if (Value adjoint = emitter.getAdjoint(construct.getResult()))
      emitter.addAdjoint(construct.getScalar(),
                         createComponentSum(emitter.builder, adjoint));
    return success();
  }
};

struct MatrixExtractModel
    : DifferentiableOpInterface::ExternalModel<MatrixExtractModel,
                                               CooperativeMatrixExtractOp> {
  LogicalResult emitTangent(Operation *op, TangentEmitter &emitter) const {
    auto extract = cast<CooperativeMatrixExtractOp>(op);
    Value tangent = emitter.getTangent(extract.getMatrix());
    emitter.setTangent(extract.getResult(),
                       CooperativeMatrixExtractOp::create(emitter.builder, tangent,
                                                          extract.getIndex()));
    return success();
  }

  void getAdjointUses(Operation *, const Activity &, AdjointUses &) const {}

  LogicalResult emitAdjoint(Operation *op, AdjointEmitter &emitter) const {
    auto extract = cast<CooperativeMatrixExtractOp>(op);
    Value adjoint = emitter.getAdjoint(extract.getResult());
    if (!adjoint)
      return success();
    ImplicitLocOpBuilder &builder = emitter.builder;
    Value zero =
        createNumber(builder, getAdjointType(extract.getMatrix().getType()), 0);
    emitter.addAdjoint(
        extract.getMatrix(),
        CooperativeMatrixInsertOp::create(builder, adjoint, zero, extract.getIndex()));
    return success();
  }
};

struct MatrixInsertModel
    : DifferentiableOpInterface::ExternalModel<MatrixInsertModel,
                                               CooperativeMatrixInsertOp> {
  LogicalResult emitTangent(Operation *op, TangentEmitter &emitter) const {
    auto insert = cast<CooperativeMatrixInsertOp>(op);
    Value scalar = emitter.getTangent(insert.getScalar());
    Value matrix = emitter.getTangent(insert.getMatrix());
    emitter.setTangent(insert.getResult(),
                       CooperativeMatrixInsertOp::create(emitter.builder, scalar,
                                                         matrix, insert.getIndex()));
    return success();
  }

  void getAdjointUses(Operation *, const Activity &, AdjointUses &) const {}

  LogicalResult emitAdjoint(Operation *op, AdjointEmitter &emitter) const {
    auto insert = cast<CooperativeMatrixInsertOp>(op);
    Value adjoint = emitter.getAdjoint(insert.getResult());
    if (!adjoint)
      return success();
    ImplicitLocOpBuilder &builder = emitter.builder;
    if (emitter.isActive(insert.getScalar()))
      emitter.addAdjoint(insert.getScalar(), CooperativeMatrixExtractOp::create(
                                                 builder, adjoint, insert.getIndex()));
    if (emitter.isActive(insert.getMatrix())) {
      Value zero = createNumber(builder, insert.getScalar().getType(), 0);
      emitter.addAdjoint(
          insert.getMatrix(),
          CooperativeMatrixInsertOp::create(builder, zero, adjoint, insert.getIndex()));
    }
    return success();
  }
};

/// The adjoint of a sum is the adjoint of each of its terms: the product with ones.
struct MatrixReduceAddModel
    : DifferentiableOpInterface::ExternalModel<MatrixReduceAddModel,
                                               CooperativeMatrixReduceAddOp> {
  LogicalResult emitTangent(Operation *op, TangentEmitter &emitter) const {
    auto reduce = cast<CooperativeMatrixReduceAddOp>(op);
    Value tangent = emitter.getTangent(reduce.getMatrix());
    emitter.setTangent(reduce.getResult(),
                       CooperativeMatrixReduceAddOp::create(emitter.builder,
                                                            reduce.getMode(), tangent));
    return success();
  }

  void getAdjointUses(Operation *, const Activity &, AdjointUses &) const {}

  LogicalResult emitAdjoint(Operation *op, AdjointEmitter &emitter) const {
    auto reduce = cast<CooperativeMatrixReduceAddOp>(op);
    Value adjoint = emitter.getAdjoint(reduce.getResult());
    if (!adjoint)
      return success();
    ImplicitLocOpBuilder &builder = emitter.builder;
    auto type = cast<CoopMatrixType>(reduce.getMatrix().getType());
    Type element = type.getElementType();
    bool isRow = reduce.getMode() == ReduceMode::Row;
    auto typeA = CoopMatrixType::get(type.getRows(), 1, element, MatrixUse::A);
    auto typeB = CoopMatrixType::get(1, type.getColumns(), element, MatrixUse::B);
    Value ones = createNumber(builder, isRow ? typeB : typeA, 1);
    Value sums = CastOp::create(builder, isRow ? typeA : typeB, adjoint);
    Type result = getAdjointType(type);
    Value zero = createNumber(builder, result, 0);
    emitter.addAdjoint(reduce.getMatrix(), CooperativeMatrixMulAddOp::create(
                                               builder, result, isRow ? sums : ones,
                                               isRow ? ones : sums, zero));
    return success();
  }
};

/// As an addition of store; what was in memory before is not differentiated.
struct MatrixAtomicAddModel
    : DifferentiableOpInterface::ExternalModel<MatrixAtomicAddModel,
                                               CooperativeMatrixAtomicAddOp> {
  LogicalResult emitTangent(Operation *op, TangentEmitter &emitter) const {
    auto add = cast<CooperativeMatrixAtomicAddOp>(op);
    Value matrix = emitter.getTangent(add.getMatrix());
    auto copy = cast<CooperativeMatrixAtomicAddOp>(emitter.builder.clone(*op));
    copy.getMatrixMutable().assign(matrix);
    copy.getDestMutable().assign(emitter.getTangent(add.getDest()));
    emitter.setTangent(add.getResult(), copy.getResult());
    return success();
  }

  void getAdjointUses(Operation *op, const Activity &, AdjointUses &uses) const {
    uses.addValue(cast<CooperativeMatrixAtomicAddOp>(op).getX());
    uses.addValue(cast<CooperativeMatrixAtomicAddOp>(op).getY());
  }

  LogicalResult emitAdjoint(Operation *op, AdjointEmitter &emitter) const {
    auto add = cast<CooperativeMatrixAtomicAddOp>(op);
    if (emitter.getAdjoint(add.getResult()))
      return refuse(op, "its result depends on the order of updates");
    if (!emitter.isActive(add.getMatrix()))
      return success();
    Type type = getAdjointType(add.getMatrix().getType());
    emitter.addAdjoint(add.getMatrix(), CooperativeMatrixLoadOp::create(
                                            emitter.builder, cast<CoopMatrixType>(type),
                                            add.getTranspose(), add.getChecked(),
                                            emitter.getShadow(add.getDest()),
                                            emitter.getPrimal(add.getX()),
                                            emitter.getPrimal(add.getY())));
    return success();
  }
};

} // namespace

void derivatives::attachMatrixComponentRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TinyTCDialect *) {
    CooperativeMatrixConstructOp::attachInterface<MatrixConstructModel>(*context);
    CooperativeMatrixExtractOp::attachInterface<MatrixExtractModel>(*context);
    CooperativeMatrixInsertOp::attachInterface<MatrixInsertModel>(*context);
    CooperativeMatrixReduceAddOp::attachInterface<MatrixReduceAddModel>(*context);
    CooperativeMatrixAtomicAddOp::attachInterface<MatrixAtomicAddModel>(*context);
  });
}
