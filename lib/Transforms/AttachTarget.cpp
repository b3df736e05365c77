//===- AttachTarget.cpp - Attach the facts of a target to the module ------===//

#include "dialect/Passes.h"
#include "lib/Target/Targets.h"

#include "llvm/ADT/StringExtras.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_ATTACHTARGETPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

/// Checks that no value of the kernels contains f64.
static LogicalResult verifyNoF64(ModuleOp module, TargetAttr target) {
  WalkResult result = module.walk([&](Operation *op) {
    SmallVector<Type> types(op->getResultTypes());
    llvm::append_range(types, op->getOperandTypes());
    if (auto func = dyn_cast<FuncOp>(op))
      llvm::append_range(types, func.getArgumentTypes());
    for (Type type : types)
      if (type.walk([](Float64Type) { return WalkResult::interrupt(); })
              .wasInterrupted()) {
        op->emitError("expected no f64 on target '")
            << target.getName() << "', which has no such type, got " << type;
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct AttachTarget final : tinytc::impl::AttachTargetPassBase<AttachTarget> {
  using AttachTargetPassBase::AttachTargetPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    TargetAttr attr = findTarget(module);
    if (!attr)
      attr = lookupTarget(&getContext(), target);
    if (!attr) {
      module.emitError("expected the target to be one of ")
          << llvm::join(getTargetNames(), ", ") << ", got '" << target << "'";
      return signalPassFailure();
    }
    if (native && attr.getVectorBytes() == 0)
      attr = getNative(attr);
    if (!attr.getF64() && failed(verifyNoF64(module, attr)))
      return signalPassFailure();
    setDiscardable<TinyTCDialect::TargetAttrHelper>(module, attr);
  }
};
} // namespace
