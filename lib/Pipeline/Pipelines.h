//===- Pipelines.h - The stages and their passes ----------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The only place that knows the order of passes.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_PIPELINE_PIPELINES_H
#define TINYTC_LIB_PIPELINE_PIPELINES_H

#include "llvm/Support/JSON.h"

namespace mlir::tinytc {

/// Registers all families, once: the targets that the dialect knows come from them.
void registerFamilies();

/// Registers the pipelines of all stages (docs/passes.md), after the families.
void registerPipelines();

/// The families that are registered, with the names of their targets and all of their
/// stages after preparation.
llvm::json::Array describeFamilies();

} // namespace mlir::tinytc

#endif // TINYTC_LIB_PIPELINE_PIPELINES_H
