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

namespace {
struct FinalizeSPIRV final : tinytc::impl::FinalizeSPIRVPassBase<FinalizeSPIRV> {
  using FinalizeSPIRVPassBase::FinalizeSPIRVPassBase;

  void runOnOperation() override {
    for (auto module : getOperation().getOps<spirv::ModuleOp>()) {
      module->removeAttr(spirv::getTargetEnvAttrName());
      for (auto func : module.getOps<spirv::FuncOp>())
        for (StringRef leftover : {"known_block_size", "workgroup_attributions"})
          func->removeAttr(leftover);
      if (std::optional<spirv::VerCapExtAttr> triple = module.getVceTriple())
        module.setVceTripleAttr(spirv::VerCapExtAttr::get(
            spirv::Version::V_1_4, llvm::to_vector(triple->getCapabilities()),
            llvm::to_vector(triple->getExtensions()), &getContext()));
    }
  }
};
} // namespace
