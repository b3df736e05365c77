//===- AdjointPlan.h - What a reverse derivative runs again -----*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The adjoint of a block first runs those of its instructions that make values which
// the adjoints need, and then the adjoints from the last to the first. A region is run
// again in its own adjoint, so that values stay within one run of a block. Where memory
// has another content by the time that an adjoint needs it, it is copied before.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_DERIVATIVES_ADJOINTPLAN_H
#define TINYTC_LIB_DERIVATIVES_ADJOINTPLAN_H

#include "lib/Derivatives/Activity.h"
#include "lib/Derivatives/Buffers.h"

#include "llvm/ADT/SetVector.h"

namespace mlir::tinytc::derivatives {

/// Values, and memory by its content, that what follows needs.
struct Needs {
  DenseSet<Value> values;
  llvm::SetVector<Value> memory;

  void add(const Needs &other);
};

/// Whether a foreach stores every element of a memory.
bool overwritesAll(ForeachOp loop, Value memory);

/// The instructions of the adjoint of one block.
struct BlockPlan {
  /// The instructions that run first, also those in regions.
  DenseSet<Operation *> emitted;
  /// Memory that is copied before an instruction; for one with a region, also
  /// restored before its adjoint.
  DenseMap<Operation *, llvm::SetVector<Value>> saved;
  /// Memory that is copied after one.
  DenseMap<Operation *, llvm::SetVector<Value>> savedAfter;
  /// Values and memory that have to be there at the start of the block.
  Needs needs;
  /// Memory that the adjoint of the block writes.
  DenseSet<Value> written;
};

/// How the adjoint of a loop gets what one iteration leaves to the next.
struct LoopPlan {
  enum Kind { NothingCarried, Kept, Again } kind = NothingCarried;
  /// Memory and numbers of loop-carried values that each iteration begins with.
  SmallVector<Value> memory;
  SmallVector<unsigned> values;
  /// The instructions that lead to an iteration, if they run again.
  DenseSet<Operation *> emitted;
  /// The number of iterations, if values are kept; kDynamic if only a launch knows it,
  /// as `launchCount`.
  int64_t count = 0;
  LaunchSize launchCount = {};
  /// Whether they are kept in buffers, and not in local memory.
  bool usesBuffers = false;
};

/// The plan of a kernel.
class AdjointPlan {
public:
  /// Parameters of the choice where values are kept.
  struct Options {
    /// Local memory for one loop or array.
    int64_t localMemoryBytes = 0;
    /// Whether launches may allocate buffers.
    bool buffers = false;
    /// Whether to add a remark for each choice.
    bool report = false;
  };

  AdjointPlan(FuncOp func, const Activity &activity, const Options &options);

  LogicalResult run();
  /// The instructions on which what the kernel leaves in its parameters depends.
  DenseSet<Operation *> getLive();

  const BlockPlan &getPlan(Block &block) const { return blocks.find(&block)->second; }
  const LoopPlan &getPlan(ForOp loop) const { return loops.find(loop)->second; }
  /// Whether the loop has an adjoint.
  bool isPlanned(ForOp loop) const { return loops.contains(loop); }
  /// Whether the memory is that of a parameter and written while the adjoint runs,
  /// which happens in a copy.
  bool isCopied(Value memory) const;
  /// Whether local memory or a buffer can hold a copy of the memref.
  bool canCopy(Value memref) const;
  /// Whether it is in a buffer.
  bool usesBuffer(Value memref) const;
  /// The kernel that is differentiated.
  FuncOp getKernel() const { return func; }

private:
  Value getMemory(Value memref) const;
  bool isLocal(Value memory) const;
  DenseSet<Value> getWritten(Operation *op, const DenseSet<Operation *> *only) const;

  bool slice(Operation *op, Needs &needs, DenseSet<Operation *> &emitted);
  void slice(Block &block, Needs &needs, DenseSet<Operation *> &emitted);
  void sliceFor(ForOp loop, ValueRange memory, Needs &needs,
                DenseSet<Operation *> &emitted);
  void sliceIf(IfOp op, Needs &needs, DenseSet<Operation *> &emitted);
  void sliceSpmd(Operation *op, Needs &needs, DenseSet<Operation *> &emitted);

  LogicalResult plan(Block &block, bool isSpmd);
  LogicalResult plan(Operation *op, bool isSpmd, BlockPlan &plan,
                     DenseSet<Value> &writtenLater);
  LogicalResult planFor(ForOp loop, bool isSpmd, BlockPlan &plan, Needs &region,
                        llvm::SetVector<Value> &restored);
  LogicalResult save(Operation *op, Value memref, bool isSpmd, BlockPlan &plan,
                     bool isAfter = false);
  bool canKeep(ForOp loop, LoopPlan &plan) const;
  bool canKeepInBuffers(ForOp loop, LoopPlan &plan) const;
  LogicalResult checkCopies();

  FuncOp func;
  const Activity &activity;
  Options options;
  /// The view of a parameter that stands for all of its memory.
  DenseMap<Value, Value> viewOf;
  DenseMap<Block *, BlockPlan> blocks;
  DenseMap<Operation *, LoopPlan> loops;
};

} // namespace mlir::tinytc::derivatives

#endif // TINYTC_LIB_DERIVATIVES_ADJOINTPLAN_H
