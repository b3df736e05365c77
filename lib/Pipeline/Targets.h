//===- Targets.h - Table of targets -----------------------------*- C++ -*-===//

#ifndef TINYTC_LIB_PIPELINE_TARGETS_H
#define TINYTC_LIB_PIPELINE_TARGETS_H

#include "dialect/TinyTC.h"

namespace mlir::tinytc {

/// Facts of the target called `name`, or null if there is none.
TargetAttr lookupTarget(MLIRContext *context, StringRef name);

/// The same target with the vector registers of the processor that this runs on, if the
/// target is a processor.
TargetAttr getNative(TargetAttr target);

/// Names of all targets, the default first.
SmallVector<StringRef> getTargetNames();

} // namespace mlir::tinytc

#endif // TINYTC_LIB_PIPELINE_TARGETS_H
