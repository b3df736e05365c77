//===- Activity.h - What depends on differentiated parameters ---*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_DERIVATIVES_ACTIVITY_H
#define TINYTC_LIB_DERIVATIVES_ACTIVITY_H

#include "dialect/TinyTC.h"

#include "llvm/ADT/DenseSet.h"

namespace mlir::tinytc::derivatives {

/// Whether values of the type have derivatives: floating and complex numbers, matrices,
/// memrefs and groups of them.
bool isDifferentiable(Type type);

/// The alloca or the parameter that a memref or a group is a view or a member of.
Value getStorage(Value memref);

/// The use of a memref by an instruction.
struct MemrefUse {
  Value memref;
  bool isRead = false, isWritten = false;
};

/// The memrefs that an op without regions accesses. A destination that is multiplied by
/// the constant 0 is not read.
SmallVector<MemrefUse> getMemrefUses(Operation *op);

/// The values and the arrays of a kernel that depend on some of its parameters.
class Activity {
public:
  Activity(FunctionOpInterface func, ArrayRef<unsigned> parameters);

  /// Whether the value, or what is in the memory of a memref or a group, depends on the
  /// parameters and has a derivative.
  bool isActive(Value value) const;
  /// Whether an op, or one in its regions, returns a value or writes memory that is
  /// active, or takes the bits of an active value.
  bool isActive(Operation *op) const;

  /// Makes a value that replaces another one active if that is.
  void copy(Value from, Value to) {
    if (isActive(from))
      active.insert(to);
  }

private:
  bool propagate(Operation *op);
  bool add(Value value);
  bool addAll(ValueRange from, ValueRange to);

  DenseSet<Value> active;
};

} // namespace mlir::tinytc::derivatives

#endif // TINYTC_LIB_DERIVATIVES_ACTIVITY_H
