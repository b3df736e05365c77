//===- Emit.cpp - SPIR-V or PTX, and manifest -----------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Pipeline/Emit.h"
#include "dialect/DiscardableAttrs.h"
#include "lib/Pipeline/KernelTable.h"
#include "lib/Pipeline/SPIRV/Serialize.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
using namespace mlir::tinytc;
namespace json = llvm::json;

/// Where a kernel comes among those of a binary.
static size_t getPlace(gpu::ObjectAttr object, StringRef kernel) {
  DictionaryAttr properties = object.getProperties();
  auto order = properties ? properties.getAs<ArrayAttr>(kKernelOrder) : ArrayAttr();
  if (!order)
    return object.getObject().getValue().find((".entry " + kernel + "(").str());
  auto isKernel = [&](Attribute name) { return cast<StringAttr>(name) == kernel; };
  return llvm::find_if(order, isKernel) - order.begin();
}

/// What the manifest says of the kernels of a binary, in their order there: the table
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
    auto known =
        kernel.getAttr<ManifestAttr>(TinyTCDialect::ManifestAttrHelper::getNameStr());
    if (!known)
      return binary.emitError("expected the kernel '")
             << kernel.getName().getValue() << "' to have the attribute '"
             << TinyTCDialect::ManifestAttrHelper::getNameStr() << "', got none";
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

FailureOr<Binary> tinytc::emitBinary(ModuleOp lowered, bool withLines) {
  auto modules = llvm::to_vector(lowered.getOps<spirv::ModuleOp>());
  auto binaries = llvm::to_vector(lowered.getOps<gpu::BinaryOp>());
  if (modules.size() + binaries.size() != 1)
    return lowered.emitError("expected one spirv.module or gpu.binary, got ")
           << modules.size() + binaries.size();
  TargetAttr target = findTarget(lowered);
  if (!target)
    return lowered.emitError("expected the module to have the attribute '")
           << TinyTCDialect::TargetAttrHelper::getNameStr() << "', got none";
  json::Object manifest{{"version", 1}, {"target", target.getName()}};
  if (target.getRegisters() != 0)
    manifest["registers"] = target.getRegisters();
  FailureOr<json::Array> kernels = failure();
  FailureOr<std::string> code = failure();
  if (!modules.empty()) {
    manifest["format"] = "spirv";
    kernels = describeKernels(modules.front());
  } else {
    gpu::ObjectAttr object = getObject(binaries.front());
    if (!object)
      return binaries.front().emitError("expected one object of code, got others");
    bool isText = object.getFormat() == gpu::CompilationTarget::Assembly;
    manifest["format"] = isText ? "ptx" : "elf";
    kernels = describeObject(object, binaries.front());
    code = object.getObject().getValue().str();
  }
  if (failed(kernels))
    return failure();
  if (kernels->empty())
    return lowered.emitError("expected a module with a kernel, got none");
  if (!modules.empty())
    code = serializeSPIRV(modules.front(), withLines);
  if (failed(code))
    return failure();
  Binary binary{std::move(*code), {}};
  manifest["kernels"] = std::move(*kernels);
  llvm::raw_string_ostream(binary.manifest) << json::Value(std::move(manifest));
  return binary;
}
