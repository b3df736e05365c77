//===- AttachTarget.cpp - Attach the facts of a target to the module ------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/DiscardableAttrs.h"
#include "dialect/Passes.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Target/Target.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_ATTACHTARGETPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

/// The attribute that holds the facts of `target`.
static TargetAttr createAttr(MLIRContext *context, const Target &target) {
  return TargetAttr::get(context, target.name, target.family, target.subgroupSizes,
                         target.maxWorkGroupSize, target.localMemoryBytes,
                         target.hasF64, /*registers=*/0, /*vectorBytes=*/0,
                         /*allowTF32=*/false);
}

/// Bytes of a vector register of the machine that the compiler runs on, if that may be
/// one of the target and the attribute does not say which it is.
static int64_t getNativeBytes(TargetAttr attr) {
  const Target &target = *lookupTarget(attr.getName());
  if (!target.getHostRegisterBytes || attr.getVectorBytes() != 0)
    return attr.getVectorBytes();
  return target.getHostRegisterBytes();
}

/// The same target with choices, each as it is if that is 0; null, after an error, if
/// the target does not have one.
static TargetAttr withChoices(ModuleOp module, TargetAttr attr, int64_t vectorBytes,
                              int64_t registers, bool allowTF32) {
  if (registers == 0)
    registers = attr.getRegisters();
  auto chosen = TargetAttr::getChecked(
      [&] { return module.emitError(); }, attr.getContext(), attr.getName(),
      attr.getFamily(), attr.getSubgroupSizes(), attr.getMaxWorkGroupSize(),
      attr.getLocalMemoryBytes(), attr.getF64(), registers,
      vectorBytes ? vectorBytes : attr.getVectorBytes(),
      allowTF32 || attr.getAllowTf32());
  bool isNew = chosen && registers != attr.getRegisters();
  return isNew ? withRegisters(chosen, registers) : chosen;
}

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

/// Checks that all kernels are directly in the module: passes visit no others.
static LogicalResult verifyKernelsOnTop(ModuleOp module) {
  WalkResult result = module.walk([&](FuncOp func) {
    Operation *parent = func->getParentOp();
    if (parent == module)
      return WalkResult::advance();
    func.emitError(
        "expected a kernel directly in the module that is lowered, got one in '")
        << parent->getName() << "' within it";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct AttachTarget final : tinytc::impl::AttachTargetPassBase<AttachTarget> {
  using AttachTargetPassBase::AttachTargetPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    TargetAttr attr = findTarget(module);
    if (!attr) {
      const Target *record = lookupTarget(target);
      if (!record) {
        module.emitError("expected the target to be one of ")
            << listTargetNames() << ", got '" << target << "'";
        return signalPassFailure();
      }
      attr = createAttr(&getContext(), *record);
    }
    attr = withChoices(module, attr,
                       vectorBytes || !native ? vectorBytes : getNativeBytes(attr),
                       attr.getRegisters() ? 0 : registers, allowTF32);
    if (!attr)
      return signalPassFailure();
    if (failed(verifyKernelsOnTop(module)))
      return signalPassFailure();
    if (!attr.getF64() && failed(verifyNoF64(module, attr)))
      return signalPassFailure();
    setDiscardable<TinyTCDialect::TargetAttrHelper>(module, attr);
  }
};
} // namespace
