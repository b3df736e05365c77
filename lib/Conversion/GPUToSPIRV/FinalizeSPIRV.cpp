//===- FinalizeSPIRV.cpp - Fix the version of SPIR-V modules --------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Passes.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_FINALIZESPIRVPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

/// SPIR-V allows variables only at the start of a function; in a loop, they would use
/// up the stack.
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

/// Upstream lists the variables that a kernel itself uses in its interface, not those
/// of the functions that it calls.
static void addInterfaceOfCalled(spirv::ModuleOp module) {
  for (auto entry : module.getOps<spirv::EntryPointOp>()) {
    SmallVector<Attribute> interface(entry.getInterface().getValue());
    auto kernel = module.lookupSymbol<spirv::FuncOp>(entry.getFn());
    kernel.walk([&](spirv::FunctionCallOp call) {
      auto called = module.lookupSymbol<spirv::FuncOp>(call.getCallee());
      called.walk([&](spirv::AddressOfOp op) {
        if (!llvm::is_contained(interface, op.getVariableAttr()))
          interface.push_back(op.getVariableAttr());
      });
    });
    entry.setInterfaceAttr(ArrayAttr::get(module.getContext(), interface));
  }
}

/// Upstream declares neither the capability of 64-bit integer atomics nor that of
/// imported functions.
static void addMissingCapabilities(spirv::ModuleOp module,
                                   SmallVectorImpl<spirv::Capability> &capabilities) {
  auto add = [&](spirv::Capability capability) {
    if (!llvm::is_contained(capabilities, capability))
      capabilities.push_back(capability);
  };
  module.walk([&](Operation *op) {
    if (isa<spirv::AtomicExchangeOp, spirv::AtomicCompareExchangeOp,
            spirv::AtomicIAddOp, spirv::AtomicOrOp, spirv::AtomicSMaxOp,
            spirv::AtomicSMinOp>(op) &&
        op->getResult(0).getType().isInteger(64))
      add(spirv::Capability::Int64Atomics);
    if (auto func = dyn_cast<spirv::FuncOp>(op); func && func.getLinkageAttributes())
      add(spirv::Capability::Linkage);
  });
}

namespace {
struct FinalizeSPIRV final : tinytc::impl::FinalizeSPIRVPassBase<FinalizeSPIRV> {
  using FinalizeSPIRVPassBase::FinalizeSPIRVPassBase;

  void runOnOperation() override {
    for (auto module : getOperation().getOps<spirv::ModuleOp>()) {
      module->removeAttr(spirv::getTargetEnvAttrName());
      addInterfaceOfCalled(module);
      for (auto func : module.getOps<spirv::FuncOp>()) {
        hoistVariables(func);
        for (StringRef leftover : {"known_block_size", "workgroup_attributions"})
          func->removeAttr(leftover);
      }
      std::optional<spirv::VerCapExtAttr> triple = module.getVceTriple();
      if (!triple)
        continue;
      auto capabilities = llvm::to_vector(triple->getCapabilities());
      addMissingCapabilities(module, capabilities);
      module.setVceTripleAttr(spirv::VerCapExtAttr::get(
          spirv::Version::V_1_4, capabilities, llvm::to_vector(triple->getExtensions()),
          &getContext()));
    }
  }
};
} // namespace
