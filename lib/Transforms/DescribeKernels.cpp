//===- DescribeKernels.cpp - The manifest as attributes of kernels --------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/DiscardableAttrs.h"
#include "dialect/Passes.h"
#include "lib/Transforms/Manifest.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_DESCRIBEGROUPBOUNDSPASS
#define GEN_PASS_DEF_DESCRIBEKERNELSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

using ManifestHelper = TinyTCDialect::ManifestAttrHelper;

static void setManifest(FuncOp func, llvm::json::Object entries) {
  Builder builder(func.getContext());
  setDiscardable<ManifestHelper>(
      func, cast<DictionaryAttr>(toAttribute(builder, std::move(entries))));
}

namespace {

struct DescribeGroupBounds final
    : tinytc::impl::DescribeGroupBoundsPassBase<DescribeGroupBounds> {
  using DescribeGroupBoundsPassBase::DescribeGroupBoundsPassBase;

  void runOnOperation() override {
    for (FuncOp func : getOperation().getOps<FuncOp>())
      if (!getDiscardable<ManifestHelper>(func))
        setManifest(func, describeGroupBounds(func));
  }
};

struct DescribeKernels final : tinytc::impl::DescribeKernelsPassBase<DescribeKernels> {
  using DescribeKernelsPassBase::DescribeKernelsPassBase;

  void runOnOperation() override {
    auto funcs = llvm::to_vector(getOperation().getOps<FuncOp>());
    if (funcs.empty()) {
      getOperation().emitError("expected a module with a kernel, got none");
      return signalPassFailure();
    }
    for (FuncOp func : funcs) {
      if (!func.getSubgroupSize() || !func.getWorkGroupSize()) {
        func.emitError("expected the kernel to have a subgroup size and a work-group "
                       "size, got none: run tinytc-choose-work-group-size first");
        return signalPassFailure();
      }
      llvm::json::Object entries = describeKernel(func);
      if (DictionaryAttr known = getDiscardable<ManifestHelper>(func))
        for (NamedAttribute entry : known)
          entries.try_emplace(llvm::json::fixUTF8(entry.getName()),
                              toJson(entry.getValue()));
      setManifest(func, std::move(entries));
    }
  }
};

} // namespace
