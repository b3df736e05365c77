//===- Emit.cpp - SPIR-V binary and manifest ------------------------------===//

#include "lib/Pipeline/Emit.h"
#include "lib/Pipeline/Manifest.h"
#include "lib/Pipeline/Pipelines.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/OwningOpRef.h"
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

FailureOr<Binary> tinytc::emitBinary(ModuleOp module, StringRef target) {
  OwningOpRef<ModuleOp> clone = module.clone();
  PassManager prepare(module.getContext());
  buildPrepare(prepare, target);
  if (failed(prepare.run(*clone)))
    return failure();
  json::Array kernels;
  for (FuncOp func : clone->getOps<FuncOp>())
    kernels.push_back(describeKernel(func));
  if (kernels.empty())
    return module.emitError("expected at least one kernel (tinytc.func), got none");

  PassManager lower(module.getContext());
  buildPreparedToSPIRV(lower);
  if (failed(lower.run(*clone)))
    return failure();
  auto spirvModule = *clone->getOps<spirv::ModuleOp>().begin();
  for (json::Value &kernel : kernels) {
    json::Object &object = *kernel.getAsObject();
    object["local_memory_bytes"] =
        getLocalMemoryBytes(spirvModule, *object.getString("name"));
  }
  Binary binary;
  if (failed(spirv::serialize(spirvModule, binary.spirv)))
    return failure();
  json::Object manifest{
      {"version", 1}, {"target", target}, {"kernels", std::move(kernels)}};
  llvm::raw_string_ostream(binary.manifest) << json::Value(std::move(manifest));
  return binary;
}
