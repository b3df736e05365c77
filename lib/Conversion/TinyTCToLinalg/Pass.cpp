//===- Pass.cpp - From the tinytc dialect to the linalg stage -------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Passes.h"
#include "lib/Analysis/LocalMemory.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Conversion/LowerToUnits/Patterns.h"
#include "lib/Conversion/TinyTCToLinalg/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_CONVERTTOLINALGPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

/// The machine that the kernel is for; one that knows nothing if there is no target.
static const Machine &findMachine(FuncOp func) {
  static const Machine unknown;
  TargetAttr target = findTarget(func);
  return target ? getMachine(target) : unknown;
}

static LogicalResult convertKernel(FuncOp func) {
  if (!func.getSubgroupSize() || !func.getWorkGroupSize())
    return func.emitError(
        "expected the kernel to have a subgroup size and a "
        "work-group size, got none: run tinytc-choose-work-group-size first");
  WalkResult places = func.walk([](AllocaOp op) -> WalkResult {
    if (getLocalRange(op))
      return WalkResult::advance();
    return op.emitError(
        "expected the alloca to have a place in local memory, got none: run "
        "tinytc-allocate-local-memory first");
  });
  const Machine &machine = findMachine(func);
  if (places.wasInterrupted() || failed(checkStrategies(func, machine)))
    return failure();
  LinalgTypeConverter converter(*func.getSubgroupSize(),
                                chooseCoopMatrixLimits(func, machine));
  RewritePatternSet patterns(func.getContext());
  populateControlFlowPatterns(converter, patterns);
  populateScalarPatterns(converter, patterns);
  populateMemoryPatterns(converter, patterns);
  populateViewPatterns(converter, patterns);
  populateCheckPatterns(converter, patterns);
  populateBlasPatterns(converter, patterns);
  populateCumsumPatterns(converter, patterns);
  populateExecutionPatterns(converter, patterns, *func.getWorkGroupSize());
  ArrayRef<int32_t> size = *func.getWorkGroupSize();
  int64_t numSubgroups = size[0] / converter.getSubgroupSize() * size[1];
  populateMatrixUnitPatterns(converter, patterns, machine, numSubgroups);
  populateDotProductPatterns(converter, patterns, machine);
  populateTileRegisterPatterns(converter, patterns, machine);
  populateTensorCorePatterns(converter, patterns, numSubgroups);
  populateStagedFactorPatterns(converter, patterns, machine);
  populateCoopMatrixPatterns(converter, patterns, machine);
  populateCoopMatrixComponentPatterns(converter, patterns);
  populateCoopMatrixReducePatterns(converter, patterns);

  ConversionTarget target(*func.getContext());
  target.addIllegalDialect<TinyTCDialect>();
  target.addLegalOp<AtomicOp, ComplexPartsOp, OpaqueIndexOp, PackedMulAddOp,
                    SubgroupMatrixMulAddOp, SubgroupBlockLoadOp, TileProductOp,
                    WarpMatrixMulAddOp>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  ConversionConfig config;
  // Patterns fail before they change anything: keeping what they replace, to undo it,
  // takes a third of the time.
  config.allowPatternRollback = false;
  return applyPartialConversion(func, target, std::move(patterns), config);
}

namespace {
struct ConvertToLinalg final : tinytc::impl::ConvertToLinalgPassBase<ConvertToLinalg> {
  using ConvertToLinalgPassBase::ConvertToLinalgPassBase;

  /// Copies into stages.
  void getDependentDialects(DialectRegistry &registry) const override {
    ConvertToLinalgPassBase::getDependentDialects(registry);
    registry.insert<nvgpu::NVGPUDialect, NVVM::NVVMDialect>();
  }

  void runOnOperation() override {
    for (FuncOp func : llvm::make_early_inc_range(getOperation().getOps<FuncOp>()))
      if (failed(convertKernel(func)))
        return signalPassFailure();
  }
};
} // namespace
