//===- FinalizeSPIRV.cpp - Fix the version of SPIR-V modules --------------===//

#include "dialect/Passes.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_FINALIZESPIRVPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

/// SPIR-V allows variables at the start of the function alone; in a loop, they would
/// use up the stack.
static void hoistVariables(spirv::FuncOp func) {
  if (func.isExternal())
    return;
  Block &entry = func.getBody().front();
  SmallVector<spirv::VariableOp> variables;
  func.walk([&](spirv::VariableOp op) {
    if (!op.getInitializer())
      variables.push_back(op);
  });
  for (spirv::VariableOp op : llvm::reverse(variables))
    op->moveBefore(&entry, entry.begin());
}

namespace {
struct FinalizeSPIRV final : tinytc::impl::FinalizeSPIRVPassBase<FinalizeSPIRV> {
  using FinalizeSPIRVPassBase::FinalizeSPIRVPassBase;

  void runOnOperation() override {
    for (auto module : getOperation().getOps<spirv::ModuleOp>()) {
      module->removeAttr(spirv::getTargetEnvAttrName());
      for (auto func : module.getOps<spirv::FuncOp>()) {
        hoistVariables(func);
        for (StringRef leftover : {"known_block_size", "workgroup_attributions"})
          func->removeAttr(leftover);
      }
      if (std::optional<spirv::VerCapExtAttr> triple = module.getVceTriple())
        module.setVceTripleAttr(spirv::VerCapExtAttr::get(
            spirv::Version::V_1_4, llvm::to_vector(triple->getCapabilities()),
            llvm::to_vector(triple->getExtensions()), &getContext()));
    }
  }
};
} // namespace
