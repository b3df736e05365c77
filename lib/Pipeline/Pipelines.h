//===- Pipelines.h - The stages and their passes ----------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The only place that knows the order of passes.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_PIPELINE_PIPELINES_H
#define TINYTC_LIB_PIPELINE_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::tinytc {

/// How a launch passes the number of groups.
enum class Abi { Plain, Packed };

struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("Name of the target to lower for"),
                             llvm::cl::init("cpu")};
  Option<bool> native{
      *this, "native",
      llvm::cl::desc("Tune for the vector registers of the host processor"),
      llvm::cl::init(false)};
  Option<int64_t> registers{
      *this, "registers",
      llvm::cl::desc(
          "Registers of a thread; 0: chosen for the kernels with abi=packed, "
          "else the usual number"),
      llvm::cl::init(0)};
  Option<bool> allowTF32{
      *this, "allow-tf32",
      llvm::cl::desc("Let products of f32 ignore the last 13 bits of the factors"),
      llvm::cl::init(false)};
  Option<bool> debug{*this, "debug",
                     llvm::cl::desc("Check what the language leaves undefined"),
                     llvm::cl::init(false)};
  Option<Abi> abi{
      *this, "abi", llvm::cl::desc("Parameters of a kernel"),
      llvm::cl::init(Abi::Plain),
      llvm::cl::values(
          clEnumValN(Abi::Plain, "plain", "one work-group runs one group"),
          clEnumValN(Abi::Packed, "packed",
                     "small groups share a work-group; their number is one more "
                     "parameter"))};
};

/// Registers the pipeline from the language to programs on tiles, which are no stage of
/// the other families.
void registerTilePipeline();

/// Registers the pipelines of all stages (docs/passes.md).
void registerPipelines();

} // namespace mlir::tinytc

#endif // TINYTC_LIB_PIPELINE_PIPELINES_H
