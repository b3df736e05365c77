//===- AttachTarget.cpp - Attach the facts of a target to the module ------===//

#include "dialect/Passes.h"
#include "lib/Pipeline/Targets.h"

#include "llvm/ADT/StringExtras.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_ATTACHTARGETPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

namespace {
struct AttachTarget final : tinytc::impl::AttachTargetPassBase<AttachTarget> {
  using AttachTargetPassBase::AttachTargetPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (module->hasAttrOfType<TargetAttr>(kTargetAttrName))
      return markAllAnalysesPreserved();
    TargetAttr attr = lookupTarget(&getContext(), target);
    if (!attr) {
      module.emitError("expected the target to be one of ")
          << llvm::join(getTargetNames(), ", ") << ", got '" << target << "'";
      return signalPassFailure();
    }
    module->setAttr(kTargetAttrName, attr);
  }
};
} // namespace
