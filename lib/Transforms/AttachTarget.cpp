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

/// The same target for the registers of the machine that the compiler runs on, if that
/// may be one of them and the attribute does not say which it is.
static TargetAttr makeNative(TargetAttr attr) {
  const Target &target = *lookupTarget(attr.getName());
  if (!target.getHostRegisterBytes || attr.getVectorBytes() != 0)
    return attr;
  return TargetAttr::get(attr.getContext(), attr.getName(), attr.getFamily(),
                         attr.getSubgroupSizes(), attr.getMaxWorkGroupSize(),
                         attr.getLocalMemoryBytes(), attr.getF64(), attr.getRegisters(),
                         target.getHostRegisterBytes(), attr.getAllowTf32());
}

/// The same target if a thread has that many registers; null, after an error, if that
/// is no choice.
static TargetAttr makeForRegisters(ModuleOp module, TargetAttr attr,
                                   int64_t registers) {
  const Target &target = *lookupTarget(attr.getName());
  if (target.findMachine(attr.getVectorBytes(), registers))
    return withRegisters(attr, registers);
  // The verifier says which there are.
  return TargetAttr::getChecked([&] { return module.emitError(); }, attr.getContext(),
                                attr.getName(), attr.getFamily(),
                                attr.getSubgroupSizes(), attr.getMaxWorkGroupSize(),
                                attr.getLocalMemoryBytes(), attr.getF64(), registers,
                                attr.getVectorBytes(), attr.getAllowTf32());
}

/// The same target if products may use tf32; null, after an error, if that is no
/// choice.
static TargetAttr makeForTF32(ModuleOp module, TargetAttr attr) {
  return TargetAttr::getChecked([&] { return module.emitError(); }, attr.getContext(),
                                attr.getName(), attr.getFamily(),
                                attr.getSubgroupSizes(), attr.getMaxWorkGroupSize(),
                                attr.getLocalMemoryBytes(), attr.getF64(),
                                attr.getRegisters(), attr.getVectorBytes(),
                                /*allowTF32=*/true);
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
    if (native)
      attr = makeNative(attr);
    if (registers != 0 && attr.getRegisters() == 0) {
      attr = makeForRegisters(module, attr, registers);
      if (!attr)
        return signalPassFailure();
    }
    if (allowTF32 && !attr.getAllowTf32()) {
      attr = makeForTF32(module, attr);
      if (!attr)
        return signalPassFailure();
    }
    if (failed(verifyKernelsOnTop(module)))
      return signalPassFailure();
    if (!attr.getF64() && failed(verifyNoF64(module, attr)))
      return signalPassFailure();
    setDiscardable<TinyTCDialect::TargetAttrHelper>(module, attr);
  }
};
} // namespace
