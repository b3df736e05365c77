//===- ShareAddresses.cpp - Equal addresses as one value ------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// GPUs of Intel: drivers only keep an address that several accesses add constants to if
// it is one value. Otherwise they add the constants to the base first, outside of
// loops, and run out of registers for the sums.
//
//===----------------------------------------------------------------------===//

#include "dialect/Passes.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Families/SPIRV/Drivers/Driver.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_SHAREADDRESSESPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

namespace {
struct ShareAddresses final : tinytc::impl::ShareAddressesPassBase<ShareAddresses> {
  using ShareAddressesPassBase::ShareAddressesPassBase;

  void runOnOperation() override {
    FailureOr<TargetAttr> target = getTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    if (!getDriver(*target).sharesBaseAddresses)
      return;
    OpPassManager pipeline(ModuleOp::getOperationName());
    pipeline.nest<spirv::ModuleOp>().addPass(createCSEPass());
    if (failed(runPipeline(pipeline, getOperation())))
      signalPassFailure();
  }
};
} // namespace
