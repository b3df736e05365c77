//===- Dataflow.h - What the values of a kernel are computed from ---------===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_FAMILIES_SPIRV_DRIVERS_DATAFLOW_H
#define TINYTC_LIB_FAMILIES_SPIRV_DRIVERS_DATAFLOW_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::tinytc {

/// Where a value comes from.
struct Origin {
  /// The values that it is computed from, or is one of.
  SmallVector<Value, 2> sources;
  /// The values that decide which of them it is.
  SmallVector<Value, 1> deciders;
  /// Whether it is one of its sources.
  bool isChoice = false;
  /// Whether it is read from memory, so that barriers order it.
  bool isRead = false;
  /// Whether that is memory of the work-item, which may become registers.
  bool isPrivate = false;
  /// Whether it differs between work-items although its sources may not.
  bool differs = false;
};

/// The conditions and bounds that decide which regions of an operation run.
SmallVector<Value, 1> getDeciders(Operation *op);

/// The flow of the data through a function with structured control flow.
class Dataflow {
public:
  explicit Dataflow(Operation *root);

  /// All values, in the order of the program.
  ArrayRef<Value> getValues() const { return values; }
  const Origin &getOrigin(Value value) const { return origins.at(value); }
  /// The values that have this one as a source.
  ArrayRef<Value> getDependents(Value value) const {
    auto found = dependents.find(value);
    return found == dependents.end() ? ArrayRef<Value>() : found->second;
  }
  /// The values that memory is changed with.
  ArrayRef<Value> getStored() const { return stored; }
  /// The values that may differ between work-items.
  DenseSet<Value> findVarying() const;
  /// Adds values to a set for which `test` holds, until it holds for no other.
  void grow(DenseSet<Value> &set, function_ref<bool(const Origin &, Value)> test) const;

private:
  void add(Value value);

  SmallVector<Value> values, stored;
  DenseMap<Value, Origin> origins;
  DenseMap<Value, SmallVector<Value, 2>> dependents;
};

/// Tells which values a kernel needs on both sides of a barrier, as it is written.
class Crossings {
public:
  explicit Crossings(Operation *root);

  bool crosses(Value value) const;
  /// The outermost block in which no barrier is on the way to `op`, but for those in
  /// what is before the operation that is returned with it; null if there are none.
  std::pair<Block *, Operation *> getStretch(Operation *op) const;

private:
  Operation *root;
  /// In each block, the barriers and what contains some.
  DenseMap<Block *, SmallVector<Operation *>> holders;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_FAMILIES_SPIRV_DRIVERS_DATAFLOW_H
