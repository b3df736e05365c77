//===- KernelAdjoint.h - The adjoint of one kernel --------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_DERIVATIVES_KERNELADJOINT_H
#define TINYTC_LIB_DERIVATIVES_KERNELADJOINT_H

#include "lib/Derivatives/AdjointPlan.h"
#include "lib/Derivatives/Derivatives.h"

namespace mlir::tinytc::derivatives {

/// Emits the adjoint of a kernel by its plan.
class KernelAdjoint final : public AdjointEmitter {
public:
  /// Emits into `kernel`, which gets the buffers that the plan needs.
  KernelAdjoint(const Activity &activity, const AdjointPlan &plan, FuncOp kernel,
                ImplicitLocOpBuilder &builder)
      : AdjointEmitter(activity, builder), kernelPlan(plan), kernel(kernel),
        dimensions(getGridDimensions(plan.getKernel())) {}

  /// Makes `primal` the copy of a parameter.
  void mapParameter(Value parameter, Value primal) {
    primals.map(parameter, primal);
    if (kernelPlan.isCopied(parameter))
      copyParameter(parameter);
  }
  /// Makes `shadow` the adjoint of the memory of a parameter; with `atomic`, groups add
  /// to it at the same time.
  void mapShadow(Value parameter, Value shadow, bool atomic) {
    shadows[parameter] = shadow;
    if (atomic)
      atomicParameters.insert(parameter);
  }

  LogicalResult emitBlock(Block &block);

  Value getContents(Operation *op, Value memref) override;
  Value createMemory(Value memref, Type element) override;
  bool isAtomic(Operation *op, Value memref) const override;
  bool isSpmd() const override { return isInSpmd; }
  Value getAdjointOrZero(Value value);

private:
  void emitInstructions(Block &block, const DenseSet<Operation *> &emitted,
                        const BlockPlan *blockPlan);
  void emitInstruction(Operation *op, const DenseSet<Operation *> &emitted,
                       const BlockPlan *blockPlan);
  ForOp emitFor(ForOp loop, Value to, const DenseSet<Operation *> &emitted,
                bool isKept);
  void emitView(Operation *op, bool hasShadow);
  void startBlock(Block &block, Region &region);
  void copyParameter(Value memref);
  Value toIndex(Value number);

  Value createCopyOf(Value memref);
  void save(Operation *op, Value memref);
  void restoreSaved(Operation *op);
  SmallVector<Value> createTapes(ForOp loop);
  void keep(ForOp loop, ArrayRef<Value> tapes, Value iteration);
  void restore(ForOp loop, Value iteration, Value variable);

  LogicalResult emitAdjointOf(Operation *op);
  LogicalResult emitAdjointOfFor(ForOp loop);
  LogicalResult emitAdjointOfIf(IfOp op);
  LogicalResult emitAdjointOfSpmd(Operation *op);
  LogicalResult emitAdjointOfApply(CooperativeMatrixApplyOp op);
  FailureOr<Value> emitApply(CooperativeMatrixApplyOp op, Value adjoint, Value wanted);
  SmallVector<Value> getOuterValues(Operation *op) const;
  Value takeAdjoint(Value value);

  const AdjointPlan &kernelPlan;
  FuncOp kernel;
  /// The dimensions of the groups that have parts of buffers.
  SmallVector<Dimension> dimensions;
  DenseSet<Value> atomicParameters;
  /// Copies of memory from before an instruction.
  DenseMap<std::pair<Operation *, Value>, Value> copies;
  DenseMap<Operation *, SmallVector<Value>> keptValues;
  bool isInSpmd = false;
};

} // namespace mlir::tinytc::derivatives

#endif // TINYTC_LIB_DERIVATIVES_KERNELADJOINT_H
