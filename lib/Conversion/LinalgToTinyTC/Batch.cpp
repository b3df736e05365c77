//===- Batch.cpp - Whether a kernel computes the members of a batch -------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The rules are those of docs/decisions/linalg-entrance.md.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/LinalgToTinyTC/Raiser.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include "llvm/ADT/EquivalenceClasses.h"

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
  /// Members that are known to be as many: an op says so of its own.
  llvm::EquivalenceClasses<Value> sameSize;
};

} // namespace

/// Adds the operands of an op; false if it is not an op over a batch.
static bool addOperands(linalg::LinalgOp op, Memrefs &memrefs) {
  if (op.getNumLoops() == 0 ||
      op.getIteratorTypesArray().front() != utils::IteratorType::parallel)
    return false;
  Value first;
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
    if (!isOfMember)
      continue;
    first = first ? first : operand.get();
    memrefs.sameSize.unionSets(first, operand.get());
  }
  bool usesIndex = false;
  op->walk([&](Operation *nested) {
    usesIndex |= isa<linalg::IndexOp, memref::LoadOp, memref::StoreOp>(nested);
  });
  return !usesIndex;
}

static int64_t getNumMembers(Value memref) {
  return cast<MemRefType>(memref.getType()).getShape().front();
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
  if (!llvm::all_of(memrefs.members, llvm::IsaPred<BlockArgument>))
    return false;
  Value known;
  for (Value memref : memrefs.members)
    if (int64_t size = getNumMembers(memref); !ShapedType::isDynamic(size)) {
      known = known ? known : memref;
      if (size == getNumMembers(known))
        memrefs.sameSize.unionSets(known, memref);
    }
  Value first = memrefs.members.front();
  if (!llvm::all_of(memrefs.members, [&](Value memref) {
        return memrefs.sameSize.isEquivalent(first, memref);
      }))
    return false;
  return llvm::none_of(memrefs.shared, [&](Value memref) {
    return !isa<BlockArgument>(memref) || memrefs.written.contains(memref);
  });
}
