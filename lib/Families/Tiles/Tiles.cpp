//===- Tiles.cpp - Programs on tiles --------------------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Passes.h"
#include "dialect/TinyTC.h"
#include "dialect/tile/Passes.h"
#include "lib/Families/Family.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {
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
} // namespace

static void addLowerToTile(OpPassManager &pipeline, const TileOptions &options) {
  pipeline.nest<func::FuncOp>().addPass(createLowerAffinePass());
  pipeline.addPass(createRaiseLinalgPass());
  pipeline.nest<FuncOp>().addPass(createCheckZerosPass());
  pipeline.nest<FuncOp>().addPass(createExpandFactorizationsPass());
  pipeline.nest<FuncOp>().addPass(createRemoveAssertionsPass());
  pipeline.nest<FuncOp>().addPass(createSkipZerosPass({/*splits=*/false}));
  pipeline.addPass(createChooseStrategiesPass({/*tiles=*/true}));
  pipeline.addPass(createConvertToTilePass({options.aligned, options.variants}));
  pipeline.addPass(createCSEPass());
}

static void registerPipelines() {
  PassPipelineRegistration<TileOptions>(
      "lower-to-tile", "Lower kernels to programs on tiles", addLowerToTile);
}

/// Programs on tiles are for NVIDIA's assembler, which is no target.
Family tinytc::makeTilesFamily() {
  Family family;
  family.name = "tiles";
  family.stages = {{"tile", "tile", "tile.module", "programs on tiles",
                    "Lower kernels to programs on tiles", /*addPasses=*/nullptr}};
  family.registerPipelines = registerPipelines;
  return family;
}
