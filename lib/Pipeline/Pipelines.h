//===- Pipelines.h - The stages and their passes ----------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The only place that knows the order of passes.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_PIPELINE_PIPELINES_H
#define TINYTC_LIB_PIPELINE_PIPELINES_H

namespace mlir::tinytc {

/// Registers the pipeline from the language to programs on tiles, which are no stage of
/// the other families.
void registerTilePipeline();

/// Registers the pipelines of all stages (docs/passes.md).
void registerPipelines();

} // namespace mlir::tinytc

#endif // TINYTC_LIB_PIPELINE_PIPELINES_H
