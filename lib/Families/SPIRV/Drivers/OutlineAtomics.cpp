//===- OutlineAtomics.cpp - Functions for many atomic updates -------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The CPU driver writes an atomic update once for each lane, in branches of its own,
// and LLVM's register allocator takes time in proportion to the branches that each
// value lives across: 85 minima of f64 with 64 lanes took minutes. Functions that stay
// calls have few branches each.
//
//===----------------------------------------------------------------------===//

#include "dialect/DiscardableAttrs.h"
#include "dialect/Passes.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Builders/Outlining.h"
#include "lib/Families/SPIRV/Drivers/Driver.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_OUTLINEATOMICSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

/// The most updates of single lanes that a function has inline: four of 64 lanes.
static constexpr int64_t kMostInlineUpdates = 256;

static bool canBeParameter(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return !memref || (memref.getRank() == 1 && !memref.hasStaticShape());
}

namespace {

class AtomicOutliner {
public:
  explicit AtomicOutliner(gpu::GPUModuleOp kernels) : kernels(kernels) {}

  void replace(Operation *op) {
    SetVector<Value> operands(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), operands);
    if (!llvm::all_of(ValueRange(operands.getArrayRef()).getTypes(), canBeParameter))
      return;
    func::FuncOp function = createFunction(op, operands.getArrayRef());
    auto same = llvm::find_if(
        made, [&](func::FuncOp other) { return computesSame(other, function); });
    if (same == made.end()) {
      made.push_back(function);
    } else {
      function.erase();
      function = *same;
    }
    OpBuilder builder(op);
    auto call =
        func::CallOp::create(builder, op->getLoc(), function, operands.getArrayRef());
    if (!op->use_empty())
      op->replaceAllUsesWith(call);
    op->erase();
  }

private:
  func::FuncOp createFunction(Operation *op, ArrayRef<Value> operands) {
    auto builder = OpBuilder::atBlockBegin(kernels.getBody());
    Location loc = op->getLoc();
    TypeRange results = op->use_empty() ? TypeRange() : TypeRange(op->getResultTypes());
    auto function = func::FuncOp::create(
        builder, loc, createUniqueName(kernels, "__tinytc_atomic"),
        builder.getFunctionType(ValueRange(operands).getTypes(), results));
    function.setPrivate();
    function->setAttr("function_control",
                      spirv::FunctionControlAttr::get(
                          builder.getContext(), spirv::FunctionControl::DontInline));
    Block *body = function.addEntryBlock();
    builder.setInsertionPointToStart(body);
    IRMapping mapping;
    mapping.map(operands, body->getArguments());
    Operation *update = builder.clone(*op, mapping);
    func::ReturnOp::create(builder, loc,
                           results.empty() ? ValueRange()
                                           : ValueRange(update->getResults()));
    return function;
  }

  gpu::GPUModuleOp kernels;
  SmallVector<func::FuncOp> made;
};

struct OutlineAtomics final : tinytc::impl::OutlineAtomicsPassBase<OutlineAtomics> {
  using OutlineAtomicsPassBase::OutlineAtomicsPassBase;

  void runOnOperation() override {
    FailureOr<TargetAttr> target = getTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    if (!getDriver(*target).unrollsAtomics)
      return markAllAnalysesPreserved();
    for (auto kernels : getOperation().getOps<gpu::GPUModuleOp>()) {
      int64_t lanes = 1;
      for (auto kernel : kernels.getOps<gpu::GPUFuncOp>())
        if (auto size = getDiscardable<TinyTCDialect::SubgroupSizeAttrHelper>(kernel))
          lanes = std::max(lanes, size.getInt());
      AtomicOutliner outliner(kernels);
      for (auto function : llvm::to_vector(kernels.getOps<FunctionOpInterface>())) {
        SmallVector<Operation *> updates;
        function.walk([&](Operation *op) {
          if (isa<AtomicOp, memref::AtomicRMWOp, memref::GenericAtomicRMWOp>(op))
            updates.push_back(op);
        });
        if (int64_t(updates.size()) * lanes > kMostInlineUpdates)
          llvm::for_each(updates, [&](Operation *op) { outliner.replace(op); });
      }
    }
  }
};

} // namespace
