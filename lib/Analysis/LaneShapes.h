//===- LaneShapes.h - How values differ between lanes -----------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_ANALYSIS_LANESHAPES_H
#define TINYTC_LIB_ANALYSIS_LANESHAPES_H

#include "dialect/TinyTC.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tinytc {

/// A value of lane l is base + step * l, or anything at all.
struct LaneShape {
  bool isVarying = false;
  int64_t step = 0;

  static LaneShape uniform() { return {}; }
  static LaneShape varying() { return {true, 0}; }
  static LaneShape linear(int64_t step) { return {false, step}; }

  bool isUniform() const { return !isVarying && step == 0; }
  bool operator==(LaneShape other) const {
    return isVarying == other.isVarying && step == other.step;
  }
  LaneShape join(LaneShape other) const { return *this == other ? *this : varying(); }
};

/// The sizes of a work-group, whose lanes are all its work-items in linear order.
struct KernelWorkGroup {
  int64_t width, height, subgroupSize;
  /// Lanes are the only work-items of groups one after the other.
  bool areGroups = false;

  int64_t getNumLanes() const { return width * height; }
  bool isOneSubgroup() const { return getNumLanes() <= subgroupSize; }

  /// The sizes of a kernel; an error if it does not have them.
  static FailureOr<KernelWorkGroup> get(gpu::GPUFuncOp kernel);
};

/// Whether a memref is an array of one work-item.
bool isPrivate(Type memref);

/// Whether lanes that load one element in one atomic step take that step together, or
/// each its own, between which others may change the element.
enum class AtomicLoads { Together, Apart };

/// The shapes of all values of a kernel, which no statement contradicts.
class LaneShapes {
public:
  LaneShapes(gpu::GPUFuncOp kernel, KernelWorkGroup group,
             AtomicLoads atomicLoads = AtomicLoads::Together);

  LaneShape get(Value value) const { return shapes.lookup(value); }

private:
  using Shapes = SmallVector<LaneShape>;

  void put(Value value, LaneShape shape);
  Shapes getOperands(Operation *op) const;
  /// Each returns the shapes that a block passes on.
  Shapes visit(Block &block);
  void visit(Operation *op);
  void visit(scf::IfOp op);
  void visit(scf::ForOp op);
  void visit(scf::WhileOp op);
  LaneShape getResult(Operation *op) const;
  LaneShape getProduct(Operation *op) const;
  LaneShape getThreadId(gpu::Dimension dimension) const;

  KernelWorkGroup group;
  AtomicLoads atomicLoads;
  DenseMap<Value, LaneShape> shapes;
  bool isChanged = true;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_LANESHAPES_H
