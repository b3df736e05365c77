//===- MemoryRules.cpp - Derivatives of loads and stores ------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Derivatives/Derivatives.h"

#include "mlir/IR/DialectRegistry.h"

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::derivatives;

static SmallVector<Value> getPrimals(AdjointEmitter &emitter, ValueRange values) {
  return llvm::map_to_vector(values, [&](Value v) { return emitter.getPrimal(v); });
}

/// Names indices as values that the adjoint is made of.
static void addIndices(ValueRange indices, AdjointUses &uses) {
  for (Value index : indices)
    uses.addValue(index);
}

/// Adds a number that all work-items have to one element, or each of them its own in an
/// SPMD region.
static void addToElement(AdjointEmitter &emitter, bool atomic, Value number,
                         Value memref, ValueRange indices) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  if (emitter.isSpmd() || !atomic)
    return createAdd(builder, atomic, number, memref, indices);
  // In a collective region, every work-item would add.
  Value element = memref;
  for (Value index : indices)
    element = createEntry(builder, element, 0, index);
  createForeach(builder, element, [&](ImplicitLocOpBuilder &nested, ValueRange) {
    createAdd(nested, true, number, element, ValueRange());
  });
}

namespace {

struct LoadModel : DifferentiableOpInterface::ExternalModel<LoadModel, LoadOp> {
  LogicalResult emitTangent(Operation *op, TangentEmitter &emitter) const {
    auto load = cast<LoadOp>(op);
    Value shadow = emitter.getTangent(load.getSource());
    emitter.setTangent(load,
                       LoadOp::create(emitter.builder, shadow, load.getIndices()));
    return success();
  }

  void getAdjointUses(Operation *op, const Activity &, AdjointUses &uses) const {
    addIndices(cast<LoadOp>(op).getIndices(), uses);
  }

  LogicalResult emitAdjoint(Operation *op, AdjointEmitter &emitter) const {
    auto load = cast<LoadOp>(op);
    if (Value adjoint = emitter.getAdjoint(load))
      addToElement(emitter, emitter.isAtomic(op, load.getSource()), adjoint,
                   emitter.getShadow(load.getSource()),
                   getPrimals(emitter, load.getIndices()));
    return success();
  }
};

struct StoreModel : DifferentiableOpInterface::ExternalModel<StoreModel, StoreOp> {
  LogicalResult emitTangent(Operation *op, TangentEmitter &emitter) const {
    auto store = cast<StoreOp>(op);
    if (store.getFlag() == StoreFlag::AtomicAdd && !emitter.isActive(store.getValue()))
      return success();
    StoreOp::create(emitter.builder, store.getFlag(),
                    emitter.getTangent(store.getValue()),
                    emitter.getTangent(store.getDest()), store.getIndices());
    return success();
  }

  void getAdjointUses(Operation *op, const Activity &, AdjointUses &uses) const {
    addIndices(cast<StoreOp>(op).getIndices(), uses);
  }

  LogicalResult emitAdjoint(Operation *op, AdjointEmitter &emitter) const {
    auto store = cast<StoreOp>(op);
    ImplicitLocOpBuilder &builder = emitter.builder;
    bool isAdded = store.getFlag() == StoreFlag::AtomicAdd;
    if (!isAdded && op->getParentOfType<ParallelOp>())
      return refuse(op,
                    "several work-items of a parallel region may write the element");
    Value shadow = emitter.getShadow(store.getDest());
    SmallVector<Value> indices = getPrimals(emitter, store.getIndices());
    if (emitter.isActive(store.getValue()))
      emitter.addAdjoint(store.getValue(), LoadOp::create(builder, shadow, indices));
    if (isAdded)
      return success();
    Value zero = createNumber(builder, store.getValue().getType(), 0);
    StoreOp::create(builder, store.getFlag(), zero, shadow, indices);
    return success();
  }
};

/// As an addition of store; the element before it is not differentiated.
struct AtomicAddModel
    : DifferentiableOpInterface::ExternalModel<AtomicAddModel, AtomicAddOp> {
  LogicalResult emitTangent(Operation *op, TangentEmitter &emitter) const {
    auto add = cast<AtomicAddOp>(op);
    emitter.setTangent(
        add.getResult(),
        AtomicAddOp::create(emitter.builder, add.getScope(), add.getSemantics(),
                            emitter.getTangent(add.getValue()),
                            emitter.getTangent(add.getDest()), add.getIndices()));
    return success();
  }

  void getAdjointUses(Operation *op, const Activity &, AdjointUses &uses) const {
    addIndices(cast<AtomicAddOp>(op).getIndices(), uses);
  }

  LogicalResult emitAdjoint(Operation *op, AdjointEmitter &emitter) const {
    auto add = cast<AtomicAddOp>(op);
    if (emitter.getAdjoint(add.getResult()))
      return refuse(op, "its result depends on the order of updates");
    if (emitter.isActive(add.getValue()))
      emitter.addAdjoint(add.getValue(),
                         LoadOp::create(emitter.builder,
                                        emitter.getShadow(add.getDest()),
                                        getPrimals(emitter, add.getIndices())));
    return success();
  }
};

} // namespace

void derivatives::attachMemoryRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TinyTCDialect *) {
    LoadOp::attachInterface<LoadModel>(*context);
    StoreOp::attachInterface<StoreModel>(*context);
    AtomicAddOp::attachInterface<AtomicAddModel>(*context);
  });
}
