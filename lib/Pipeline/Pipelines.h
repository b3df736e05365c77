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

/// Each adds the passes from the tinytc dialect to the end of a stage.
void buildPrepare(OpPassManager &pipeline, const PipelineOptions &options);
void buildLowerToLinalg(OpPassManager &pipeline, const PipelineOptions &options);
void buildLowerToGPU(OpPassManager &pipeline, const PipelineOptions &options);
void buildLowerToSPIRV(OpPassManager &pipeline, const PipelineOptions &options);
void buildLowerToNVVM(OpPassManager &pipeline, const PipelineOptions &options);
void buildLowerToPTX(OpPassManager &pipeline, const PipelineOptions &options);

struct TileOptions : PassPipelineOptions<TileOptions> {
  Option<bool> aligned{
      *this, "aligned",
      llvm::cl::desc("Promise that arrays begin at multiples of 16 bytes"),
      llvm::cl::init(false)};
  Option<bool> variants{
      *this, "variants",
      llvm::cl::desc("Make a second entry for arrays of this alignment"),
      llvm::cl::init(false)};
};

/// Adds the passes from the tinytc dialect to the tile dialect, which is no stage of
/// the other way.
void buildLowerToTile(OpPassManager &pipeline, const TileOptions &options);

/// What a module is made of after its passes. From the gpu stage on, the way to SPIR-V
/// and that to PTX part.
enum class Stage { Prepared, Linalg, GPU, SPIRV, NVVM, PTX };

/// The stages from the gpu stage on for processors that LLVM compiles for.
enum class NativeStage { GPU, Vector, LLVM, Object };

/// Adds the passes that lead from one stage to a later one on the same way.
void buildContinuation(OpPassManager &pipeline, Stage from, Stage to);
/// The same for stages of processors that LLVM compiles for.
void buildNativeContinuation(OpPassManager &pipeline, Stage from, NativeStage to);

/// Registers the pipelines of all stages (docs/passes.md).
void registerPipelines();

} // namespace mlir::tinytc

#endif // TINYTC_LIB_PIPELINE_PIPELINES_H
