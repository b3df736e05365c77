//===- Emit.cpp - SPIR-V or PTX, and manifest -----------------------------===//

#include "lib/Pipeline/Emit.h"
#include "dialect/DiscardableAttrs.h"
#include "lib/Analysis/LocalMemory.h"
#include "lib/Pipeline/KernelTable.h"
#include "lib/Transforms/Manifest.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Target/SPIRV/Serialization.h"

using namespace mlir;
using namespace mlir::tinytc;
namespace json = llvm::json;

/// The type of a variable in local memory, null if it is not one.
static spirv::PointerType getLocalType(spirv::GlobalVariableOp variable) {
  auto type = cast<spirv::PointerType>(variable.getType());
  return type.getStorageClass() == spirv::StorageClass::Workgroup
             ? type
             : spirv::PointerType();
}

/// Bytes of local memory that a kernel addresses.
static int64_t getLocalMemoryBytes(spirv::FuncOp kernel, const SymbolTable &symbols) {
  llvm::SmallPtrSet<Operation *, 8> variables;
  kernel.walk([&](spirv::AddressOfOp address) {
    variables.insert(symbols.lookup(address.getVariable()));
  });
  int64_t bytes = 0;
  for (Operation *op : variables) {
    auto type = getLocalType(cast<spirv::GlobalVariableOp>(op));
    if (!type)
      continue;
    std::optional<int64_t> size =
        cast<spirv::SPIRVType>(type.getPointeeType()).getSizeInBytes();
    bytes += size.value_or(0);
  }
  return bytes;
}

/// The type of a buffer of local memory as drivers need it, null if `type` is none. The
/// only way to align a variable is to build it from vectors of that size, but MLIR does
/// not read vectors of more than four elements again.
static spirv::PointerType getAlignedType(spirv::PointerType type) {
  auto array = dyn_cast<spirv::ArrayType>(type.getPointeeType());
  auto vector = array ? dyn_cast<VectorType>(array.getElementType()) : VectorType();
  if (!vector || !vector.getElementType().isInteger(64))
    return {};
  auto wide = VectorType::get(kLocalMemoryAlignment / 8, vector.getElementType());
  int64_t bytes = array.getNumElements() * vector.getNumElements() * 8;
  int64_t count = llvm::divideCeil(bytes, kLocalMemoryAlignment);
  return spirv::PointerType::get(spirv::ArrayType::get(wide, count),
                                 type.getStorageClass());
}

static bool hasLocalMemoryToAlign(spirv::ModuleOp module) {
  return llvm::any_of(module.getOps<spirv::GlobalVariableOp>(),
                      [](spirv::GlobalVariableOp variable) {
                        spirv::PointerType type = getLocalType(variable);
                        return type && getAlignedType(type);
                      });
}

/// Aligns the buffers of local memory.
static void alignLocalMemory(spirv::ModuleOp module) {
  bool isChanged = false;
  SymbolTable symbols(module);
  for (auto variable : module.getOps<spirv::GlobalVariableOp>()) {
    spirv::PointerType type = getLocalType(variable);
    if (spirv::PointerType aligned = type ? getAlignedType(type) : type) {
      variable.setTypeAttr(TypeAttr::get(aligned));
      isChanged = true;
    }
  }
  std::optional<spirv::VerCapExtAttr> triple = module.getVceTriple();
  if (!isChanged)
    return;
  module.walk([&](spirv::AddressOfOp address) {
    auto variable = symbols.lookup<spirv::GlobalVariableOp>(address.getVariable());
    address.getPointer().setType(cast<spirv::PointerType>(variable.getType()));
  });
  auto capabilities = llvm::to_vector(triple->getCapabilities());
  if (llvm::is_contained(capabilities, spirv::Capability::Vector16))
    return;
  capabilities.push_back(spirv::Capability::Vector16);
  module.setVceTripleAttr(spirv::VerCapExtAttr::get(
      triple->getVersion(), capabilities, llvm::to_vector(triple->getExtensions()),
      module.getContext()));
}

/// What the manifest says of the kernels of a module; an error if one lacks a
/// description.
static FailureOr<json::Array> describeKernels(spirv::ModuleOp module) {
  json::Array kernels;
  SymbolTable symbols(module);
  for (auto entry : module.getOps<spirv::EntryPointOp>()) {
    auto func = symbols.lookup<spirv::FuncOp>(entry.getFn());
    DictionaryAttr known = func
                               ? getDiscardable<TinyTCDialect::ManifestAttrHelper>(func)
                               : DictionaryAttr();
    if (!known)
      return entry.emitError("expected the kernel '")
             << entry.getFn() << "' to have the attribute '"
             << TinyTCDialect::ManifestAttrHelper::getNameStr() << "', got none";
    json::Value kernel = toJson(known);
    (*kernel.getAsObject())["local_memory_bytes"] = getLocalMemoryBytes(func, symbols);
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

/// Prepares a module for the serializer to write lines of the source: plain places, and
/// the extension that it asks for.
static void prepareForLines(spirv::ModuleOp module) {
  spirv::VerCapExtAttr triple = *module.getVceTriple();
  auto extensions = llvm::to_vector(triple.getExtensions());
  extensions.push_back(spirv::Extension::SPV_KHR_non_semantic_info);
  module.setVceTripleAttr(spirv::VerCapExtAttr::get(
      triple.getVersion(), llvm::to_vector(triple.getCapabilities()), extensions,
      module.getContext()));
  module->walk([](Operation *op) {
    if (auto range = op->getLoc()->findInstanceOf<FileLineColRange>())
      op->setLoc(FileLineColLoc::get(range.getFilename(), range.getStartLine(),
                                     range.getStartColumn()));
  });
}

static FailureOr<std::string> serializeSPIRV(spirv::ModuleOp module, bool withLines) {
  OwningOpRef<spirv::ModuleOp> copy;
  if (withLines || hasLocalMemoryToAlign(module)) {
    copy = module.clone();
    alignLocalMemory(*copy);
    if (withLines)
      prepareForLines(*copy);
    module = *copy;
  }
  SmallVector<uint32_t, 0> words;
  spirv::SerializationOptions options;
  options.emitDebugInfo = withLines;
  if (failed(spirv::serialize(module, words, options)))
    return failure();
  return std::string(reinterpret_cast<const char *>(words.data()),
                     words.size() * sizeof(uint32_t));
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

/// What the manifest says of the kernels of a binary, in their order there: the table
/// of kernels has been sorted by name.
static FailureOr<json::Array> describeKernels(gpu::ObjectAttr object,
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
        kernel.getAttr<DictionaryAttr>(TinyTCDialect::ManifestAttrHelper::getNameStr());
    if (!known)
      return binary.emitError("expected the kernel '")
             << kernel.getName().getValue() << "' to have the attribute '"
             << TinyTCDialect::ManifestAttrHelper::getNameStr() << "', got none";
    kernels.push_back(toJson(known));
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
    kernels = describeKernels(object, binaries.front());
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
