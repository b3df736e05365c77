//===- GatherPairs.cpp - Loads of adjacent elements by lanes apart --------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Lanes whose addresses are not adjacent gather elements, which takes a vector unit a
// load for each of them. Two adjacent elements of 4 bytes are one number of 8 bytes, so
// that half as many loads bring both. The driver only sees that if the program loads
// numbers: it divides loads of vectors into those of their elements.
//
//===----------------------------------------------------------------------===//

#include "dialect/Passes.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Families/SPIRV/Drivers/Drivers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_GATHERPAIRSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

/// An index as a value and a constant distance from it.
static std::pair<Value, int64_t> splitConstant(Value index) {
  APInt constant;
  auto sum = index.getDefiningOp<arith::AddIOp>();
  if (sum && matchPattern(sum.getRhs(), m_ConstantInt(&constant)))
    return {sum.getLhs(), constant.getSExtValue()};
  return {index, 0};
}

/// Whether lanes gather what `load` loads, and half as many loads can bring more of it.
static bool isGather(memref::LoadOp load, LaneStrides &strides) {
  Type type = load.getType();
  return type.isIntOrFloat() && type.getIntOrFloatBitWidth() == 32 &&
         load.getIndices().size() == 1 &&
         std::abs(strides.find(load.getIndices().front()).value_or(0)) > 1;
}

/// The load after `first`, with only pure ops and loads between them, of the element
/// that follows that of `first` in memory.
static memref::LoadOp findNext(memref::LoadOp first) {
  auto [base, offset] = splitConstant(first.getIndices().front());
  for (Operation *op = first->getNextNode(); op; op = op->getNextNode()) {
    auto load = dyn_cast<memref::LoadOp>(op);
    if (!load && !isPure(op))
      return {};
    if (!load || load.getMemref() != first.getMemref() || load.getIndices().size() != 1)
      continue;
    auto [otherBase, otherOffset] = splitConstant(load.getIndices().front());
    if (otherBase == base && otherOffset == offset + 1)
      return load;
  }
  return {};
}

static void gatherPairs(gpu::GPUModuleOp kernels) {
  SmallVector<memref::LoadOp> loads;
  kernels.walk([&](memref::LoadOp load) { loads.push_back(load); });
  llvm::SmallDenseSet<Operation *> done;
  LaneStrides strides;
  for (memref::LoadOp load : loads) {
    if (done.contains(load) || !isGather(load, strides))
      continue;
    memref::LoadOp next = findNext(load);
    if (!next || done.contains(next))
      continue;
    ImplicitLocOpBuilder builder(load.getLoc(), load);
    auto type = VectorType::get(2, load.getType());
    Value pair =
        vector::LoadOp::create(builder, type, load.getMemref(), load.getIndices());
    load.getResult().replaceAllUsesWith(
        vector::ExtractOp::create(builder, pair, ArrayRef<int64_t>{0}));
    next.getResult().replaceAllUsesWith(
        vector::ExtractOp::create(builder, pair, ArrayRef<int64_t>{1}));
    done.insert(load);
    done.insert(next);
  }
  for (Operation *load : done)
    load->erase();
}

namespace {
struct GatherPairs final : tinytc::impl::GatherPairsPassBase<GatherPairs> {
  using GatherPairsPassBase::GatherPairsPassBase;

  void runOnOperation() override {
    FailureOr<TargetAttr> target = getTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    if (getMachine(*target).vectors.gathersPairs)
      getOperation().walk(gatherPairs);
  }
};
} // namespace
