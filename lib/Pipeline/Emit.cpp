//===- Emit.cpp - SPIR-V binary and manifest ------------------------------===//

#include "lib/Pipeline/Emit.h"
#include "dialect/Passes.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Pipeline/Manifest.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Target/SPIRV/Serialization.h"

using namespace mlir;
using namespace mlir::tinytc;
namespace json = llvm::json;

/// Bytes of local memory that a kernel addresses.
static int64_t getLocalMemoryBytes(spirv::ModuleOp module, StringRef kernel) {
  llvm::SmallPtrSet<Operation *, 8> variables;
  SymbolTable symbols(module);
  if (auto func = symbols.lookup<spirv::FuncOp>(kernel))
    func.walk([&](spirv::AddressOfOp address) {
      variables.insert(symbols.lookup(address.getVariable()));
    });
  int64_t bytes = 0;
  for (Operation *op : variables) {
    auto variable = cast<spirv::GlobalVariableOp>(op);
    auto type = cast<spirv::PointerType>(variable.getType());
    if (type.getStorageClass() != spirv::StorageClass::Workgroup)
      continue;
    std::optional<int64_t> size =
        cast<spirv::SPIRVType>(type.getPointeeType()).getSizeInBytes();
    bytes += size.value_or(0);
  }
  return bytes;
}

FailureOr<Binary> tinytc::emitBinary(ModuleOp prepared, ModuleOp lowered,
                                     ModuleOp source) {
  TargetAttr target = findTarget(prepared);
  auto modules = llvm::to_vector(lowered.getOps<spirv::ModuleOp>());
  if (!target || modules.size() != 1)
    return prepared.emitError("expected a prepared module and one spirv.module made of "
                              "it, got ")
           << modules.size() << " of the latter";
  json::Array kernels;
  for (FuncOp func : prepared.getOps<FuncOp>()) {
    json::Object kernel = describeKernel(func);
    kernel["local_memory_bytes"] =
        getLocalMemoryBytes(modules.front(), func.getSymName());
    if (auto original =
            source ? source.lookupSymbol<FuncOp>(func.getSymName()) : nullptr)
      for (auto &[key, value] : describeGroupBounds(original))
        kernel[key] = std::move(value);
    kernels.push_back(std::move(kernel));
  }
  Binary binary;
  if (failed(spirv::serialize(modules.front(), binary.spirv)))
    return failure();
  json::Object manifest{
      {"version", 1}, {"target", target.getName()}, {"kernels", std::move(kernels)}};
  llvm::raw_string_ostream(binary.manifest) << json::Value(std::move(manifest));
  return binary;
}
