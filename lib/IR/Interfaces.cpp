//===- Interfaces.cpp - Nesting rules of execution kinds ------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/TinyTC.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The nearest op around `op` that decides the kind of its region, or null.
static Operation *getRegionOwner(Operation *op) {
  Operation *parent = op->getParentOp();
  while (parent && !parent->hasTrait<SpmdRegion>() &&
         !parent->hasTrait<CollectiveRegion>())
    parent = parent->getParentOp();
  return parent;
}

LogicalResult tinytc::verifyExecutionKind(Operation *op) {
  // Outside a kernel, in IR of other dialects, there is no kind to conflict with.
  Operation *owner = getRegionOwner(op);
  if (!owner)
    return success();
  // collective_c1
  if (op->hasTrait<Collective>() && owner->hasTrait<SpmdRegion>())
    return op->emitOpError("expected a collective region around a collective "
                           "instruction, got the SPMD region of '")
               .append(owner->getName().getStringRef(), "'")
               .attachNote(owner->getLoc())
           << "SPMD region opened here";
  // spmd_c1
  if (op->hasTrait<Spmd>() && owner->hasTrait<CollectiveRegion>())
    return op->emitOpError("expected an SPMD region (foreach, foreach_tile, parallel) "
                           "around an SPMD instruction, got the collective region of '")
               .append(owner->getName().getStringRef(), "'")
               .attachNote(owner->getLoc())
           << "collective region opened here";
  return success();
}
