//===- SubgroupRules.cpp - Derivatives of subgroup operations -------------===//

#include "lib/Derivatives/Derivatives.h"

#include "mlir/IR/DialectRegistry.h"

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::derivatives;

static Value createReduction(ImplicitLocOpBuilder &builder, Value value,
                             GroupOperation mode = GroupOperation::Reduce) {
  return SubgroupAddOp::create(builder, value.getType(), mode, value);
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
    Value sum = createReduction(builder, adjoint);
    Value lane = SubgroupLocalIdOp::create(builder, builder.getI32Type());
    Value isSource = CmpEqOp::create(builder, builder.getI1Type(), lane,
                                     emitter.getPrimal(broadcast.getLane()));
    Value zero = createNumber(builder, sum.getType(), 0);
    auto branch = IfOp::create(builder, sum.getType(), isSource);
    for (auto [region, value] :
         llvm::zip_equal(branch->getRegions(), SmallVector<Value>{sum, zero})) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&region.emplaceBlock());
      YieldOp::create(builder, value);
    }
    emitter.addAdjoint(broadcast.getA(), branch.getResult(0));
    return success();
  }
};

/// Each work-item's value is in the sums of all, or of those after it: what is left of
/// the sum of all adjoints without those before.
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

} // namespace

void derivatives::attachSubgroupRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TinyTCDialect *) {
    SubgroupBroadcastOp::attachInterface<BroadcastModel>(*context);
    SubgroupAddOp::attachInterface<SubgroupAddModel>(*context);
  });
}
