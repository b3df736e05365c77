//===- Raiser.h - From func, linalg and memref to tinytc --------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// A kernel of builtin memrefs is a sequential program for one group. It is written
// again in the tinytc dialect: op by op, because what an op becomes depends on the
// region that it is in.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_CONVERSION_LINALGTOTINYTC_RAISER_H
#define TINYTC_LIB_CONVERSION_LINALGTOTINYTC_RAISER_H

#include "dialect/TinyTC.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::tinytc {

/// A builtin memref as one of the dialect, whose modes are in the order of their
/// strides: mode i is dimension `modes[i]`.
struct View {
  Value memref;
  SmallVector<int64_t> modes;

  MemrefType getType() const { return cast<MemrefType>(memref.getType()); }
  /// The mode that a dimension is.
  unsigned getMode(int64_t dim) const;
  /// Puts what belongs to the dimensions in the order of the modes.
  template <typename T>
  SmallVector<T> toModes(ArrayRef<T> dims) const {
    return llvm::map_to_vector(modes, [&](int64_t dim) { return dims[dim]; });
  }
};

/// A memref type of the dialect and the order of its modes. Emits an error if there is
/// none; `what` says what has the type.
FailureOr<std::pair<MemrefType, SmallVector<int64_t>>>
convertMemref(Location loc, StringRef what, MemRefType type, AddressSpace space);

/// The loops of a linalg op and the views that they access.
struct LoopNest {
  struct Operand {
    View view;
    /// The index of each dimension in terms of the loops.
    SmallVector<AffineExpr> indices;
  };

  linalg::GenericOp op;
  /// Inputs, then outputs.
  SmallVector<Operand> operands;
  unsigned numInputs;
  /// Whether a loop can run in any order; a loop that is fixed is none.
  SmallVector<bool> isParallel;
  /// The values of loops that are fixed.
  SmallVector<Value> fixed;

  ArrayRef<Operand> getInputs() const {
    return ArrayRef(operands).take_front(numInputs);
  }
  ArrayRef<Operand> getOutputs() const {
    return ArrayRef(operands).drop_front(numInputs);
  }
  /// The loop that an operand's dimension is indexed by, if it is just that.
  static std::optional<unsigned> getLoop(AffineExpr index);
};

/// Whether an op contains others that are the work of all work-items.
bool hasCollective(Operation &op);

/// Writes kernels again.
class Raiser {
public:
  explicit Raiser(MLIRContext *context) : builder(context) {}

  /// The kernel that takes the place of `func`, which is erased; failure with
  /// diagnostics if it cannot be taken.
  LogicalResult raise(func::FuncOp func);

private:
  // Kernels.
  LogicalResult checkFunction(func::FuncOp func);
  FuncOp createKernel(func::FuncOp func, ArrayRef<Type> types,
                      ArrayRef<DictionaryAttr> attrs);

  // Ops; those of a block without its terminator.
  LogicalResult raiseBlock(Block &block);
  LogicalResult raiseOp(Operation &op);
  LogicalResult raiseScalarOp(Operation &op);
  /// An op that only one work-item may run.
  LogicalResult raiseOnOneWorkItem(Operation &op);

  // Memory.
  LogicalResult raiseMemoryOp(Operation &op);
  LogicalResult raiseAlloc(Operation &op, MemRefType type);
  LogicalResult raiseSubview(memref::SubViewOp op);
  LogicalResult raiseTranspose(memref::TransposeOp op);
  LogicalResult raiseExpand(memref::ExpandShapeOp op);
  LogicalResult raiseCollapse(memref::CollapseShapeOp op);
  LogicalResult raiseDim(memref::DimOp op);
  LogicalResult raiseLoad(memref::LoadOp op);
  LogicalResult raiseStore(memref::StoreOp op);
  LogicalResult raiseCopy(memref::CopyOp op);
  View createSubview(Location loc, const View &source, ArrayRef<OpFoldResult> offsets,
                     ArrayRef<OpFoldResult> sizes, const llvm::SmallBitVector &dropped);

  // Control flow.
  LogicalResult raiseFor(scf::ForOp op);
  LogicalResult raiseIf(scf::IfOp op);
  LogicalResult raiseWhile(scf::WhileOp op);
  LogicalResult raiseParallel(Operation &op, ArrayRef<OpFoldResult> lower,
                              ArrayRef<OpFoldResult> upper,
                              ArrayRef<OpFoldResult> steps, ValueRange variables,
                              Block &body);
  LogicalResult raiseForall(scf::ForallOp op);
  LogicalResult raiseGroups(scf::ForallOp op);

  // linalg.
  LogicalResult raiseLinalg(linalg::LinalgOp op);
  FailureOr<LoopNest> getLoopNest(linalg::GenericOp op);
  /// Replaces a loop by a value.
  void fixLoop(LoopNest &nest, unsigned loop, Value value);
  /// Does so for loops of one iteration.
  void fixUnitLoops(LoopNest &nest);
  /// An instruction for an op that adds products or elements up, if there is one.
  bool raiseContraction(LoopNest &nest);
  LogicalResult raiseLoops(const LoopNest &nest);
  LogicalResult emitElement(const LoopNest &nest, SmallVector<Value> &loops);
  Value createSize(Location loc, const LoopNest &nest, unsigned loop);
  SmallVector<Value> createIndices(Location loc, const LoopNest::Operand &operand,
                                   ValueRange loops);

  // Helpers.
  FailureOr<View> getView(Operation &user, Value memref);
  Value createIndex(Location loc, int64_t value);
  /// A size, an offset, ... of the kernel that is raised, in the new one.
  OpFoldResult map(OpFoldResult value);
  Value toValue(Location loc, OpFoldResult value);
  /// A loop over the iterations in any order, or an SPMD one after the other.
  LogicalResult createForeach(Location loc, ValueRange upper,
                              function_ref<LogicalResult(ValueRange)> emitBody);
  LogicalResult
  createFor(Location loc, Value lower, Value upper, Value step, ValueRange inits,
            SmallVectorImpl<Value> &results,
            function_ref<LogicalResult(Value, SmallVectorImpl<Value> &)> emitBody);

  OpBuilder builder;
  IRMapping scalars;
  llvm::DenseMap<Value, View> views;
  bool isSpmd = false;
  /// The loops of the linalg op whose body is being raised.
  SmallVector<Value> linalgIndices;
  /// The group id that the outermost loop of each linalg op becomes, if it is a batch.
  Value group;
};

/// Whether the linalg ops of a kernel are over one batch, whose members the groups of a
/// launch can compute independently of each other.
bool isBatch(func::FuncOp func);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_LINALGTOTINYTC_RAISER_H
