//===- MemoryAccess.h - What instructions read and write --------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_ANALYSIS_MEMORYACCESS_H
#define TINYTC_LIB_ANALYSIS_MEMORYACCESS_H

#include "dialect/TinyTC.h"

#include "llvm/ADT/MapVector.h"

#include <array>
#include <limits>

namespace mlir::tinytc {

/// The value that a view goes back to: an alloca, a kernel parameter, or a load from a
/// group.
Value getRoot(Value memref);

/// Whether a kernel asks if there is memory behind a parameter, so that a launch may
/// pass none.
bool isOptionalParameter(Value parameter);

/// Address spaces that a barrier has to fence.
struct Fences {
  bool global = false;
  bool local = false;
  bool any() const { return global || local; }
};

/// Elements [begin, end), counted from the first one of a root; all elements if nothing
/// is known.
struct ElementRange {
  int64_t begin = 0;
  int64_t end = std::numeric_limits<int64_t>::max();
  bool overlaps(ElementRange other) const {
    return begin < other.end && other.begin < end;
  }
};

/// A kind of access to elements. Atomic accesses of one kind may be made in any
/// order; all others that the table does not name count as reads and writes.
enum class Access { Read, Write, AtomicLoad, AtomicAdd, AtomicMin, AtomicMax };

/// The roots that some instructions read and write.
class AccessSet {
public:
  /// Roots with a range that includes all accessed elements.
  using Accesses = llvm::MapVector<Value, ElementRange>;

  /// The accesses of `op` and of all ops of its regions.
  static AccessSet of(Operation &op);

  /// Whether a root for which `predicate` holds is read, or written.
  bool reads(function_ref<bool(Value)> predicate) const;
  bool writes(function_ref<bool(Value)> predicate) const;

  /// Address spaces in which `later` may touch what this set wrote, or write what this
  /// set read.
  Fences getConflicts(const AccessSet &later) const;

  /// Adds what another set has; returns whether any of it is new.
  bool merge(const AccessSet &other);
  /// Forgets the accesses to the fenced address spaces.
  void clear(bool global, bool local);

private:
  void add(Operation &op);
  bool any(function_ref<bool(Access)> isKind, function_ref<bool(Value)> isRoot) const;

  static constexpr size_t kNumKinds = size_t(Access::AtomicMax) + 1;
  std::array<Accesses, kNumKinds> accesses;
};

/// Whether two roots may be the same memory: any global memory may be, local memory
/// only if it is the same alloca or shares memory with it.
bool mayAlias(Value rootA, Value rootB);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_MEMORYACCESS_H
