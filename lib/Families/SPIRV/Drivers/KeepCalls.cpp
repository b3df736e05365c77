//===- KeepCalls.cpp - Functions that stay functions ----------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Passes.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_KEEPCALLSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

/// Keeps calls of a function, and tells drivers that its parameters are the same for
/// all work-items: they would take pointers for different ones.
static void keepCalled(spirv::FuncOp func) {
  func.setFunctionControl(spirv::FunctionControl::DontInline);
  auto builder = ImplicitLocOpBuilder::atBlockBegin(func.getLoc(), &func.front());
  Value first =
      spirv::ConstantOp::getZero(builder.getI32Type(), func.getLoc(), builder);
  for (BlockArgument argument : func.getArguments()) {
    Type type = argument.getType(), i64 = builder.getI64Type();
    Value bits = argument;
    SmallPtrSet<Operation *, 2> added;
    if (isa<spirv::PointerType>(type)) {
      bits = spirv::ConvertPtrToUOp::create(builder, i64, bits);
      added.insert(bits.getDefiningOp());
    }
    bits = spirv::GroupBroadcastOp::create(builder, bits.getType(),
                                           spirv::Scope::Subgroup, bits, first);
    added.insert(bits.getDefiningOp());
    if (isa<spirv::PointerType>(type))
      bits = spirv::ConvertUToPtrOp::create(builder, type, bits);
    argument.replaceAllUsesExcept(bits, added);
  }
}

namespace {
struct KeepCalls final : tinytc::impl::KeepCallsPassBase<KeepCalls> {
  using KeepCallsPassBase::KeepCallsPassBase;

  void runOnOperation() override {
    getOperation().walk([](spirv::FuncOp func) {
      bool isKept = func.getFunctionControl() == spirv::FunctionControl::DontInline;
      if (!func.isExternal() && !isKept &&
          !func->hasAttr(spirv::getEntryPointABIAttrName()))
        keepCalled(func);
    });
  }
};
} // namespace
