//===- ModuleTarget.h - The target of a module ------------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_ANALYSIS_MODULETARGET_H
#define TINYTC_LIB_ANALYSIS_MODULETARGET_H

#include "dialect/TinyTC.h"
#include "lib/Target/Machine.h"

namespace mlir::tinytc {

struct Target;

/// The target of the module around `op`, or `op` itself. Emits an error if there is
/// none.
FailureOr<TargetAttr> getTarget(Operation *op);

/// The record of the target of a module. Emits an error if there is none, or one of
/// another family.
FailureOr<const Target *> getTargetOf(ModuleOp module, StringRef family);

/// The same target if a thread has that many registers, which one of its machines must
/// have.
TargetAttr withRegisters(TargetAttr target, int64_t registers);

/// The machine that schedules are made for.
const Machine &getMachine(TargetAttr target);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_MODULETARGET_H
