//===- Phases.h - The phases of a kernel between barriers -------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_CONVERSION_GPUTOVECTOR_PHASES_H
#define TINYTC_LIB_CONVERSION_GPUTOVECTOR_PHASES_H

#include "lib/Analysis/LaneShapes.h"

namespace mlir::tinytc {

/// Ops in a row that no barrier separates, so that each subgroup may run all of them
/// before the next one starts.
struct Phase {
  /// The barrier, the op with barriers inside, or the terminator after them.
  Operation *end;
  SmallVector<Operation *> ops;
};

/// A use in another phase than that of the value, or in none.
struct CrossingUse {
  OpOperand *operand;
  /// The number of the phase; none if subgroups need the value together, as the bounds
  /// of a loop with barriers.
  std::optional<size_t> phase;
};

/// A value that a loop or a condition with barriers carries from operands to arguments,
/// and to results, which are the same variable.
struct Variable {
  SmallVector<OpOperand *, 2> sources;
  SmallVector<Value, 2> values;
};

/// How barriers divide a kernel of several subgroups. Ops outside of phases are the
/// same for all subgroups, depend on no memory that a kernel writes, and stay where
/// they are.
class Phases {
public:
  Phases(gpu::GPUFuncOp kernel, KernelWorkGroup group);

  /// Whether all subgroups reach the same barriers, and values that live across them
  /// can be kept in memory.
  bool areKnown() const { return isKnown; }
  MutableArrayRef<Phase> getPhases() { return phases; }
  /// Ops with barriers inside.
  ArrayRef<Operation *> getSplitOps() const { return splitOps.getArrayRef(); }
  ArrayRef<Variable> getVariables() const { return variables; }

  /// Whether a value is the same for all subgroups and outside of phases.
  bool isOutside(Value value) const;
  /// Whether all lanes of all subgroups have the same value.
  bool isUniform(Value value) const;
  /// How a value differs between the lanes of one subgroup.
  LaneShape getShape(Value value) const { return ofSubgroup.get(value); }
  /// Whether to compute a value again in each phase that uses it.
  bool isRecomputed(Value value) const;
  /// The uses of a value of a phase, or of a variable, that are not in that phase.
  SmallVector<CrossingUse> getCrossingUses(Value value) const;
  /// The number of the phase that stores the source of a variable that differs between
  /// subgroups.
  size_t getStoringPhase(OpOperand &source) const { return storingPhase.at(&source); }

private:
  bool isUniformOp(Operation *op) const;
  bool canBeOutside(Operation *op) const;
  void divide(Block &block);
  void addVariables(Operation *op);
  std::optional<size_t> getPhaseOf(Operation *op) const;
  size_t chooseStoringPhase(OpOperand &source, const Variable &variable) const;
  /// Takes the number of ops that compute a value again from `budget`.
  bool isRecomputed(Value value, int64_t &budget) const;
  bool canBeKept(Value value) const;
  bool canAllBeKept() const;

  LaneShapes ofGroup, ofSubgroup;
  bool isKnown = false;
  SmallVector<Phase> phases;
  SmallVector<Variable> variables;
  DenseMap<OpOperand *, size_t> storingPhase;
  llvm::SetVector<Operation *> splitOps;
  llvm::DenseSet<Operation *> outside;
  DenseMap<Operation *, size_t> phaseOf, before;
};

/// Whether each use of an array of a work-item is a load or a store.
bool isOnlyAccessed(memref::AllocaOp array);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_GPUTOVECTOR_PHASES_H
