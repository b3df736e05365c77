//===- ScalarizeKernels.cpp - Small kernels as operations on numbers ------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Groups of such kernels run as the lanes of vectors, as many as fill a register
// (lib/Conversion/GPUToVector/GroupsAsLanes.cpp).
//
//===----------------------------------------------------------------------===//

#include "dialect/Passes.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Strategies/GroupsInLanes.h"
#include "lib/Target/Target.h"
#include "lib/Transforms/Scalarizer.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_SCALARIZEKERNELSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

namespace {
struct ScalarizeKernels final
    : tinytc::impl::ScalarizeKernelsPassBase<ScalarizeKernels> {
  using ScalarizeKernelsPassBase::ScalarizeKernelsPassBase;

  void runOnOperation() override {
    FuncOp func = getOperation();
    TargetAttr target = findTarget(func);
    if (!target || !mayRunInLanes(func, getMachine(target)))
      return markAllAnalysesPreserved();
    Scalarizer scalarizer(func, lookupTarget(target.getName())->convertsF16);
    bool isWritten = succeeded(scalarizer.write());
    if (isWritten && scalarizer.fitsLanes() &&
        isFasterInLanes(scalarizer.getInstructions(), scalarizer.getWritten(),
                        getMachine(target)))
      scalarizer.replace();
    else
      scalarizer.discard();
  }
};
} // namespace
