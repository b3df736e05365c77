//===- Pipelines.h - The stages and their passes ----------------*- C++ -*-===//
//
// The only place that knows the order of passes.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_PIPELINE_PIPELINES_H
#define TINYTC_LIB_PIPELINE_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::tinytc {

struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("Device to lower for: cpu, intel-gpu:pvc, intel-gpu:dg2"),
      llvm::cl::init("cpu")};
};

/// Each adds the passes from the tinytc dialect to the end of a stage.
void buildPrepare(OpPassManager &pipeline, StringRef target);
void buildLowerToLinalg(OpPassManager &pipeline, StringRef target);
void buildLowerToGPU(OpPassManager &pipeline, StringRef target);
void buildLowerToSPIRV(OpPassManager &pipeline, StringRef target);

/// Registers --prepare, --lower-to-linalg, --lower-to-gpu and --lower-to-spirv.
void registerPipelines();

} // namespace mlir::tinytc

#endif // TINYTC_LIB_PIPELINE_PIPELINES_H
