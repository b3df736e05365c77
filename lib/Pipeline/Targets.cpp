//===- Targets.cpp - Table of targets -------------------------------------===//

#include "lib/Pipeline/Targets.h"

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
                         facts->maxWorkGroupSize, facts->localMemoryBytes, facts->f64);
}

SmallVector<StringRef> tinytc::getTargetNames() {
  return llvm::map_to_vector(
      kTargets, [](const TargetFacts &t) { return StringRef(t.name); });
}
