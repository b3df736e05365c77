//===- Serialize.cpp - The bytes of SPIR-V, and its manifest --------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Families/SPIRV/Serialize.h"
#include "dialect/DiscardableAttrs.h"
#include "lib/Analysis/LocalMemory.h"
#include "lib/Families/SPIRV/Constants.h"

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

/// Whether a variable is not what drivers need: it is memory to align or a constant.
static bool isToChange(spirv::GlobalVariableOp variable) {
  spirv::PointerType type = getLocalType(variable);
  return (type && getAlignedType(type)) ||
         getDiscardable<TinyTCDialect::ElementsAttrHelper>(variable);
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

FailureOr<json::Array> tinytc::describeKernels(spirv::ModuleOp module) {
  json::Array kernels;
  SymbolTable symbols(module);
  for (auto entry : module.getOps<spirv::EntryPointOp>()) {
    auto func = symbols.lookup<spirv::FuncOp>(entry.getFn());
    ManifestAttr known =
        func ? getDiscardable<TinyTCDialect::ManifestAttrHelper>(func) : ManifestAttr();
    if (!known)
      return entry.emitError("expected the kernel '")
             << entry.getFn() << "' to have the attribute '"
             << TinyTCDialect::ManifestAttrHelper::getNameStr() << "', got none";
    kernels.push_back(
        known.withLocalMemoryBytes(getLocalMemoryBytes(func, symbols)).toJson());
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

FailureOr<std::string> tinytc::serializeSPIRV(spirv::ModuleOp module, bool withLines) {
  OwningOpRef<spirv::ModuleOp> copy;
  ConstantElements elements;
  if (withLines || llvm::any_of(module.getOps<spirv::GlobalVariableOp>(), isToChange)) {
    copy = module.clone();
    alignLocalMemory(*copy);
    FailureOr<ConstantElements> taken = takeElements(*copy);
    if (failed(taken))
      return failure();
    elements = std::move(*taken);
    if (withLines)
      prepareForLines(*copy);
    module = *copy;
  }
  SmallVector<uint32_t, 0> words;
  spirv::SerializationOptions options;
  options.emitDebugInfo = withLines;
  if (failed(spirv::serialize(module, words, options)))
    return failure();
  addElements(words, elements);
  return std::string(reinterpret_cast<const char *>(words.data()),
                     words.size() * sizeof(uint32_t));
}
