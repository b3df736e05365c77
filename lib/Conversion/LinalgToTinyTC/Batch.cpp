//===- Batch.cpp - Whether a kernel computes the members of a batch -------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The rules are those of docs/decisions/linalg-entrance.md.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/LinalgToTinyTC/Raiser.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Whether the first dimension of an operand, and no other one, is indexed by the first
/// loop.
static bool isMember(AffineMap map) {
  AffineExpr first = getAffineDimExpr(0, map.getContext());
  return map.getNumResults() > 0 && map.getResult(0) == first &&
         llvm::none_of(map.getResults().drop_front(),
                       [](AffineExpr expr) { return expr.isFunctionOfDim(0); });
}

/// Whether an op says that there is a batch: it sums up products of members.
static bool isBatchedContraction(linalg::LinalgOp op) {
  return op.getNumReductionLoops() > 0 && op.getNumDpsInputs() == 2 &&
         llvm::all_of(op.getIndexingMapsArray(), isMember);
}

namespace {

/// The memrefs of a kernel by how it accesses them.
struct Memrefs {
  /// Those of which an op accesses only the member of the first loop, and all others.
  llvm::SetVector<Value> members, shared, written;
};

} // namespace

/// Adds the operands of an op; false if it is not an op over a batch.
static bool addOperands(linalg::LinalgOp op, Memrefs &memrefs) {
  if (op.getNumLoops() == 0 ||
      op.getIteratorTypesArray().front() != utils::IteratorType::parallel)
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool isOfMember = isMember(map);
    if (!isOfMember && map.isFunctionOfDim(0))
      return false;
    if (op.isDpsInit(&operand)) {
      if (!isOfMember)
        return false;
      memrefs.written.insert(operand.get());
    }
    (isOfMember ? memrefs.members : memrefs.shared).insert(operand.get());
  }
  bool usesIndex = false;
  op->walk([&](Operation *nested) {
    usesIndex |= isa<linalg::IndexOp, memref::LoadOp, memref::StoreOp>(nested);
  });
  return !usesIndex;
}

bool tinytc::isBatch(func::FuncOp func) {
  Memrefs memrefs;
  bool hasContraction = false;
  for (Operation &op : func.getBody().front().without_terminator()) {
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      if (!addOperands(linalgOp, memrefs))
        return false;
      hasContraction |= isBatchedContraction(linalgOp);
    } else if (!isMemoryEffectFree(&op) || op.getNumRegions() > 0 ||
               isa<gpu::BlockIdOp>(op)) {
      return false;
    }
  }
  if (!hasContraction)
    return false;
  // Views could make two members out of one.
  int64_t size = ShapedType::kDynamic;
  for (Value memref : memrefs.members) {
    int64_t own = cast<MemRefType>(memref.getType()).getShape().front();
    if (!isa<BlockArgument>(memref) ||
        (!ShapedType::isDynamic(own) && !ShapedType::isDynamic(size) && own != size))
      return false;
    size = ShapedType::isDynamic(own) ? size : own;
  }
  return llvm::none_of(memrefs.shared, [&](Value memref) {
    return !isa<BlockArgument>(memref) || memrefs.written.contains(memref);
  });
}
