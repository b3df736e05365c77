//===- ModuleTarget.h - The target of a module ------------------*- C++ -*-===//

#ifndef TINYTC_LIB_ANALYSIS_MODULETARGET_H
#define TINYTC_LIB_ANALYSIS_MODULETARGET_H

#include "dialect/TinyTC.h"
#include "lib/Target/Machine.h"

namespace mlir::tinytc {

/// The target of the module around `op`, or `op` itself. Emits an error if there is
/// none.
FailureOr<TargetAttr> getTarget(Operation *op);

/// The machine that schedules are made for.
const Machine &getMachine(TargetAttr target);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_MODULETARGET_H
