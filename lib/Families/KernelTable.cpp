//===- KernelTable.cpp - Kernels of a gpu.binary --------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Families/KernelTable.h"
#include "dialect/DiscardableAttrs.h"
#include "dialect/TinyTC.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::tinytc;
namespace json = llvm::json;

using Manifest = TinyTCDialect::ManifestAttrHelper;

/// The names of variants for aligned arrays, which the manifests of kernels mention.
static llvm::StringSet<> getVariants(ArrayRef<LLVM::LLVMFuncOp> kernels) {
  llvm::StringSet<> variants;
  for (LLVM::LLVMFuncOp kernel : kernels)
    if (ManifestAttr manifest = getDiscardable<Manifest>(kernel))
      for (StringAttr name :
           {manifest.getAlignedVariant(), manifest.getAlignedMembersVariant()})
        if (name)
          variants.insert(name.getValue());
  return variants;
}

gpu::KernelTableAttr tinytc::createKernelTable(MLIRContext *context,
                                               ArrayRef<LLVM::LLVMFuncOp> kernels) {
  llvm::StringSet<> variants = getVariants(kernels);
  SmallVector<gpu::KernelMetadataAttr> table;
  for (LLVM::LLVMFuncOp kernel : kernels) {
    if (variants.contains(kernel.getName()))
      continue;
    NamedAttrList metadata;
    if (ManifestAttr manifest = getDiscardable<Manifest>(kernel))
      metadata.set(Manifest::getNameStr(), manifest);
    table.push_back(gpu::KernelMetadataAttr::get(
        kernel.getNameAttr(), kernel.getFunctionType(), /*argAttrs=*/ArrayAttr(),
        metadata.getDictionary(context)));
  }
  return gpu::KernelTableAttr::get(context, table);
}

/// Where a kernel comes among those of a binary.
static size_t getPlace(gpu::ObjectAttr object, StringRef kernel) {
  DictionaryAttr properties = object.getProperties();
  auto order = properties ? properties.getAs<ArrayAttr>(kKernelOrder) : ArrayAttr();
  if (!order)
    return object.getObject().getValue().find((".entry " + kernel + "(").str());
  auto isKernel = [&](Attribute name) { return cast<StringAttr>(name) == kernel; };
  return llvm::find_if(order, isKernel) - order.begin();
}

/// The manifest's entries of the kernels of a binary, in their order there: the table
/// of kernels has been sorted by name.
static FailureOr<json::Array> describeObject(gpu::ObjectAttr object,
                                             gpu::BinaryOp binary) {
  json::Array kernels;
  gpu::KernelTableAttr table = object.getKernels();
  if (!table)
    return kernels;
  SmallVector<std::pair<size_t, gpu::KernelMetadataAttr>> sorted;
  for (gpu::KernelMetadataAttr kernel : table)
    sorted.push_back({getPlace(object, kernel.getName().getValue()), kernel});
  llvm::sort(sorted, llvm::less_first());
  for (auto [position, kernel] : sorted) {
    auto known = kernel.getAttr<ManifestAttr>(Manifest::getNameStr());
    if (!known)
      return binary.emitError("expected the kernel '")
             << kernel.getName().getValue() << "' to have the attribute '"
             << Manifest::getNameStr() << "', got none";
    kernels.push_back(known.toJson());
  }
  return kernels;
}

/// The only object of a binary, if that is text or a file.
static gpu::ObjectAttr getObject(gpu::BinaryOp binary) {
  ArrayAttr objects = binary.getObjects();
  auto object =
      objects.size() == 1 ? dyn_cast<gpu::ObjectAttr>(objects[0]) : gpu::ObjectAttr();
  bool isCode = object && (object.getFormat() == gpu::CompilationTarget::Assembly ||
                           object.getFormat() == gpu::CompilationTarget::Binary);
  return isCode ? object : gpu::ObjectAttr();
}

FailureOr<Code> tinytc::emitBinaryOp(ModuleOp lowered, bool) {
  FailureOr<gpu::BinaryOp> binary = getOnly<gpu::BinaryOp>(lowered);
  if (failed(binary))
    return failure();
  gpu::ObjectAttr object = getObject(*binary);
  if (!object)
    return binary->emitError("expected one object of code, got others");
  FailureOr<json::Array> kernels = describeObject(object, *binary);
  if (failed(kernels))
    return failure();
  return Code{object.getObject().getValue().str(), std::move(*kernels)};
}
