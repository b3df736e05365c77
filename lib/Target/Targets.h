//===- Targets.h - Table of targets -----------------------------*- C++ -*-===//

#ifndef TINYTC_LIB_TARGET_TARGETS_H
#define TINYTC_LIB_TARGET_TARGETS_H

#include "dialect/TinyTC.h"

namespace mlir::tinytc {

/// The target of the module around `op`, or `op` itself. Emits an error if there is
/// none.
FailureOr<TargetAttr> getTarget(Operation *op);

/// The facts of the target called `name`, or null if there is none.
TargetAttr lookupTarget(MLIRContext *context, StringRef name);

/// The same target with the vector registers of the host processor, if the target is a
/// CPU.
TargetAttr getNative(TargetAttr target);

/// Whether the target's driver moves conditions on the lane out of loops, merges them,
/// and then loses them for some of the stores (docs/decisions/conditions-on-lanes.md).
bool movesLaneConditions(TargetAttr target);

/// Names of all targets, the default first.
SmallVector<StringRef> getTargetNames();

} // namespace mlir::tinytc

#endif // TINYTC_LIB_TARGET_TARGETS_H
