//===- Stages.h - The stages of each family ---------------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// A family is a list of stages after the gpu stage, which all have in common. It has a
// folder here, with the passes of its stages and what writes its code.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_PIPELINE_STAGES_H
#define TINYTC_LIB_PIPELINE_STAGES_H

#include "mlir/Pass/PassManager.h"

namespace mlir::tinytc {

/// What a module is made of after its passes.
struct Stage {
  /// In the names of pipelines, such as --lower-to-spirv.
  StringRef name;
  /// What kernels are then, in descriptions of pipelines.
  StringRef code;
  /// The description of the pipeline from the language to this stage.
  StringRef summary;
  /// Adds the passes from the stage before.
  void (*addPasses)(OpPassManager &pipeline);
  /// Adds the passes that come first where a printed module of this stage is continued.
  void (*addResumption)(OpPassManager &pipeline) = nullptr;
};

ArrayRef<Stage> getSPIRVStages();
ArrayRef<Stage> getNVIDIAStages();
ArrayRef<Stage> getNativeStages();

} // namespace mlir::tinytc

#endif // TINYTC_LIB_PIPELINE_STAGES_H
