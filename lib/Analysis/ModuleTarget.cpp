//===- ModuleTarget.cpp - The target of a module --------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/ModuleTarget.h"
#include "dialect/DiscardableAttrs.h"
#include "lib/Target/Target.h"

using namespace mlir;
using namespace mlir::tinytc;

FailureOr<TargetAttr> tinytc::getTarget(Operation *op) {
  if (TargetAttr target = findTarget(op))
    return target;
  return op->emitError("expected the module to have a target, got none: run "
                       "tinytc-attach-target first");
}

FailureOr<const Target *> tinytc::getTargetOf(ModuleOp module, StringRef family) {
  FailureOr<TargetAttr> target = getTarget(module);
  if (failed(target))
    return failure();
  if (target->getFamily() == family)
    return lookupTarget(target->getName());
  return module.emitError("expected a target of the family '")
         << family << "', got '" << target->getName() << "'";
}

TargetAttr tinytc::withRegisters(TargetAttr target, int64_t registers) {
  const Target *record = lookupTarget(target.getName());
  int32_t maxSize =
      std::min(target.getMaxWorkGroupSize(), record->getMaxWorkGroupSize(registers));
  return TargetAttr::get(target.getContext(), target.getName(), target.getFamily(),
                         target.getSubgroupSizes(), maxSize,
                         target.getLocalMemoryBytes(), target.getF64(), registers,
                         target.getVectorBytes(), target.getAllowTf32());
}

const Machine &tinytc::getMachine(TargetAttr target) {
  // The attribute has been verified: both exist.
  return *lookupTarget(target.getName())
              ->findMachine(target.getVectorBytes(), target.getRegisters());
}
