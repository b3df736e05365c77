//===- SubgroupRules.cpp - Derivatives of subgroup operations -------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Derivatives/Derivatives.h"

#include "mlir/IR/DialectRegistry.h"

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::derivatives;

static Value createReduction(ImplicitLocOpBuilder &builder, Value value,
                             GroupOperation mode = GroupOperation::Reduce) {
  return SubgroupAddOp::create(builder, value.getType(), mode, value);
}

/// The sum over the subgroup in one work-item, 0 in the others.
static Value createForLane(ImplicitLocOpBuilder &builder, Value value, Value lane) {
  Value sum = createReduction(builder, value);
  Value own = SubgroupLocalIdOp::create(builder, builder.getI32Type());
  Value isSource = CmpEqOp::create(builder, builder.getI1Type(), own, lane);
  Value zero = createNumber(builder, sum.getType(), 0);
  return SelectOp::create(builder, isSource, sum, zero);
}

namespace {

/// The adjoint of the value of one work-item is the sum of all adjoints.
struct BroadcastModel
    : DifferentiableOpInterface::ExternalModel<BroadcastModel, SubgroupBroadcastOp> {
  LogicalResult emitTangent(Operation *op, TangentEmitter &emitter) const {
    auto broadcast = cast<SubgroupBroadcastOp>(op);
    Value tangent = emitter.getTangent(broadcast.getA());
    emitter.setTangent(broadcast,
                       SubgroupBroadcastOp::create(emitter.builder, tangent.getType(),
                                                   tangent, broadcast.getLane()));
    return success();
  }

  void getAdjointUses(Operation *op, const Activity &, AdjointUses &uses) const {
    uses.addValue(cast<SubgroupBroadcastOp>(op).getLane());
  }

  LogicalResult emitAdjoint(Operation *op, AdjointEmitter &emitter) const {
    auto broadcast = cast<SubgroupBroadcastOp>(op);
    Value adjoint = emitter.getAdjoint(broadcast);
    if (!adjoint)
      return success();
    ImplicitLocOpBuilder &builder = emitter.builder;
    emitter.addAdjoint(
        broadcast.getA(),
        createForLane(builder, adjoint, emitter.getPrimal(broadcast.getLane())));
    return success();
  }
};

/// The adjoint is the sum of all adjoints, of a scan minus those of earlier lanes.
struct SubgroupAddModel
    : DifferentiableOpInterface::ExternalModel<SubgroupAddModel, SubgroupAddOp> {
  LogicalResult emitTangent(Operation *op, TangentEmitter &emitter) const {
    auto sum = cast<SubgroupAddOp>(op);
    Value tangent = emitter.getTangent(sum.getA());
    emitter.setTangent(sum, createReduction(emitter.builder, tangent, sum.getMode()));
    return success();
  }

  void getAdjointUses(Operation *, const Activity &, AdjointUses &) const {}

  LogicalResult emitAdjoint(Operation *op, AdjointEmitter &emitter) const {
    auto sum = cast<SubgroupAddOp>(op);
    Value adjoint = emitter.getAdjoint(sum);
    if (!adjoint)
      return success();
    ImplicitLocOpBuilder &builder = emitter.builder;
    Value all = createReduction(builder, adjoint);
    if (sum.getMode() != GroupOperation::Reduce) {
      GroupOperation before = sum.getMode() == GroupOperation::InclusiveScan
                                  ? GroupOperation::ExclusiveScan
                                  : GroupOperation::InclusiveScan;
      all = ArithSubOp::create(builder, all, createReduction(builder, adjoint, before));
    }
    emitter.addAdjoint(sum.getA(), all);
    return success();
  }
};

/// The value of the first work-item that has the extremum.
template <typename OpT>
struct SubgroupExtremumModel
    : DifferentiableOpInterface::ExternalModel<SubgroupExtremumModel<OpT>, OpT> {
  LogicalResult emitTangent(Operation *op, TangentEmitter &emitter) const {
    auto extremum = cast<OpT>(op);
    if (failed(check(extremum)))
      return failure();
    ImplicitLocOpBuilder &builder = emitter.builder;
    builder.setInsertionPointAfter(op);
    Value tangent = emitter.getTangent(extremum.getA());
    Value lane = createFirst(builder, extremum.getA(), extremum.getResult());
    emitter.setTangent(
        extremum.getResult(),
        SubgroupBroadcastOp::create(builder, tangent.getType(), tangent, lane));
    return success();
  }

  void getAdjointUses(Operation *op, const Activity &, AdjointUses &uses) const {
    uses.addValue(op->getOperand(0));
    uses.addValue(op->getResult(0));
  }

  LogicalResult emitAdjoint(Operation *op, AdjointEmitter &emitter) const {
    auto extremum = cast<OpT>(op);
    Value adjoint = emitter.getAdjoint(extremum.getResult());
    if (!adjoint)
      return success();
    if (failed(check(extremum)))
      return failure();
    ImplicitLocOpBuilder &builder = emitter.builder;
    Value lane = createFirst(builder, emitter.getPrimal(extremum.getA()),
                             emitter.getPrimal(extremum.getResult()));
    emitter.addAdjoint(extremum.getA(), createForLane(builder, adjoint, lane));
    return success();
  }

private:
  static LogicalResult check(OpT op) {
    if (op.getMode() == GroupOperation::Reduce)
      return success();
    return refuse(op, "which of several values is in a scan is not known later");
  }

  /// The first work-item whose value is the extremum.
  static Value createFirst(ImplicitLocOpBuilder &builder, Value value, Value extremum) {
    Type i32 = builder.getI32Type();
    Value lane = SubgroupLocalIdOp::create(builder, i32);
    Value size = SubgroupSizeOp::create(builder, i32);
    Value hasIt = CmpEqOp::create(builder, builder.getI1Type(), value, extremum);
    Value candidate = SelectOp::create(builder, hasIt, lane, size);
    return SubgroupMinOp::create(builder, i32, GroupOperation::Reduce, candidate);
  }
};

} // namespace

void derivatives::attachSubgroupRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TinyTCDialect *) {
    SubgroupBroadcastOp::attachInterface<BroadcastModel>(*context);
    SubgroupAddOp::attachInterface<SubgroupAddModel>(*context);
    SubgroupMinOp::attachInterface<SubgroupExtremumModel<SubgroupMinOp>>(*context);
    SubgroupMaxOp::attachInterface<SubgroupExtremumModel<SubgroupMaxOp>>(*context);
  });
}
