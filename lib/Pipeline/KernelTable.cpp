//===- KernelTable.cpp - Kernels of a gpu.binary --------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Pipeline/KernelTable.h"
#include "dialect/DiscardableAttrs.h"
#include "dialect/TinyTC.h"

using namespace mlir;
using namespace mlir::tinytc;

gpu::KernelTableAttr tinytc::createKernelTable(MLIRContext *context,
                                               ArrayRef<LLVM::LLVMFuncOp> kernels) {
  using Manifest = TinyTCDialect::ManifestAttrHelper;
  SmallVector<gpu::KernelMetadataAttr> table;
  for (LLVM::LLVMFuncOp kernel : kernels) {
    NamedAttrList metadata;
    if (ManifestAttr manifest = getDiscardable<Manifest>(kernel))
      metadata.set(Manifest::getNameStr(), manifest);
    table.push_back(gpu::KernelMetadataAttr::get(
        kernel.getNameAttr(), kernel.getFunctionType(), /*argAttrs=*/ArrayAttr(),
        metadata.getDictionary(context)));
  }
  return gpu::KernelTableAttr::get(context, table);
}
