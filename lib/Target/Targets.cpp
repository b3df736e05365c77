//===- Targets.cpp - Table of targets -------------------------------------===//

#include "lib/Target/Targets.h"
#include "dialect/DiscardableAttrs.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {
struct TargetFacts {
  StringLiteral name;
  std::initializer_list<int32_t> subgroupSizes;
  int32_t maxWorkGroupSize;
  int64_t localMemoryBytes;
  bool f64;
};
} // namespace

static const TargetFacts kTargets[] = {
    {"cpu", {4, 8, 16, 32, 64}, 8192, 256 * 1024, true},
    {"intel-gpu:pvc", {16, 32}, 1024, 128 * 1024, true},
    {"intel-gpu:dg2", {8, 16, 32}, 1024, 64 * 1024, false},
};

TargetAttr tinytc::lookupTarget(MLIRContext *context, StringRef name) {
  const auto *facts =
      llvm::find_if(kTargets, [&](const TargetFacts &t) { return t.name == name; });
  if (facts == std::end(kTargets))
    return {};
  return TargetAttr::get(context, facts->name, ArrayRef<int32_t>(facts->subgroupSizes),
                         facts->maxWorkGroupSize, facts->localMemoryBytes, facts->f64,
                         /*vector_bytes=*/0);
}

TargetAttr tinytc::getNative(TargetAttr target) {
  if (target.getName() != "cpu")
    return target;
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  int64_t vectorBytes = features.lookup("avx512f") ? 64
                        : features.lookup("avx")   ? 32
                                                   : 16;
  return TargetAttr::get(target.getContext(), target.getName(),
                         target.getSubgroupSizes(), target.getMaxWorkGroupSize(),
                         target.getLocalMemoryBytes(), target.getF64(), vectorBytes);
}

bool tinytc::movesLaneConditions(TargetAttr target) {
  return target.getName() == "cpu";
}

SmallVector<StringRef> tinytc::getTargetNames() {
  return llvm::map_to_vector(kTargets,
                             [](const TargetFacts &t) { return StringRef(t.name); });
}

FailureOr<TargetAttr> tinytc::getTarget(Operation *op) {
  if (TargetAttr target = findTarget(op))
    return target;
  return op->emitError("expected the module to have a target, run "
                       "tinytc-attach-target first");
}
