//===- HideLaneStrides.cpp - How far apart the lanes of a subgroup load ---===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The CPU driver makes loads of a constant distance between lanes ones of whole
// registers, and picks the elements by permutations. A permutation of elements of 8 or
// 16 bits some of which are then set to zero ends the process in its code generator,
// for processors with AVX-512. So the distance of such loads is hidden: the driver
// gathers the elements one by one (docs/decisions/cpu-driver.md).
//
//===----------------------------------------------------------------------===//

#include "dialect/Passes.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Families/SPIRV/Drivers/Driver.h"
#include "lib/Families/SPIRV/Drivers/Drivers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_HIDELANESTRIDESPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

/// The values that a variable of a loop has, first that before the loop.
static SmallVector<Value> getLoopValues(Value value) {
  if (auto result = dyn_cast<OpResult>(value)) {
    auto loop = dyn_cast<scf::WhileOp>(result.getOwner());
    return loop ? SmallVector<Value>{loop.getConditionOp()
                                         .getArgs()[result.getResultNumber()]}
                : SmallVector<Value>();
  }
  auto argument = cast<BlockArgument>(value);
  auto loop = dyn_cast<scf::WhileOp>(argument.getOwner()->getParentOp());
  if (!loop)
    return {};
  unsigned number = argument.getArgNumber();
  if (argument.getOwner() == loop.getAfterBody())
    return {loop.getConditionOp().getArgs()[number]};
  return {loop.getInits()[number], loop.getYieldOp().getOperand(number)};
}

std::optional<int64_t> LaneStrides::find(Value index) {
  SmallVector<Value> values = getLoopValues(index);
  if (values.size() == 1) // what the loop goes on with, or ends with
    return find(values.front());
  if (varying.contains(index))
    return {};
  auto [entry, isNew] = known.try_emplace(index, std::nullopt);
  if (!isNew)
    return entry->second;
  std::optional<int64_t> stride;
  if (!values.empty())
    stride = findOfLoop(index, values);
  else if (Operation *op = index.getDefiningOp())
    stride = findResult(op);
  else if (isa<FunctionOpInterface>(index.getParentBlock()->getParentOp()))
    stride = 0;
  return known[index] = stride;
}

std::optional<int64_t> LaneStrides::findOfLoop(Value variable, ArrayRef<Value> values) {
  std::optional<int64_t> stride = find(values.front());
  // If it is the same in the first iteration, and then in each from the one before.
  known[variable] = stride;
  for (Value value : values.drop_front()) {
    if (find(value) == stride)
      continue;
    known.clear(); // of what followed from that
    varying.insert(variable);
    return {};
  }
  return stride;
}

std::optional<int64_t> LaneStrides::findResult(Operation *op) {
  if (isa<gpu::LaneIdOp>(op))
    return 1;
  if (isa<gpu::SubgroupBroadcastOp, OpaqueIndexOp>(op))
    return 0;
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    return find(op->getOperand(0));
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return findOfArithmetic(op, find(op->getOperand(0)), find(op->getOperand(1)));
  // A subgroup lies in the first mode of a work-group.
  auto id = dyn_cast<gpu::ThreadIdOp>(op);
  bool isSame = isMemoryEffectFree(op) || isa<memref::LoadOp, vector::LoadOp>(op);
  isSame &= op->getNumRegions() == 0 && !isa<gpu::GlobalIdOp>(op) &&
            !(id && id.getDimension() == gpu::Dimension::x);
  for (Value operand : op->getOperands())
    isSame = isSame && find(operand) == 0;
  return isSame ? std::optional<int64_t>(0) : std::nullopt;
}

std::optional<int64_t> LaneStrides::findOfArithmetic(Operation *op,
                                                     std::optional<int64_t> left,
                                                     std::optional<int64_t> right) {
  if (!left || !right)
    return {};
  if (isa<arith::AddIOp>(op))
    return *left + *right;
  if (isa<arith::SubIOp>(op))
    return *left - *right;
  if (*left == 0 && *right == 0)
    return 0;
  APInt factor;
  if (matchPattern(op->getOperand(1), m_ConstantInt(&factor)))
    return *left * factor.getSExtValue();
  if (matchPattern(op->getOperand(0), m_ConstantInt(&factor)))
    return *right * factor.getSExtValue();
  return {};
}

/// Bits of the numbers that `op` loads, 0 if it loads none.
static unsigned getLoadedBits(Operation *op) {
  if (!isa<memref::LoadOp, vector::LoadOp>(op))
    return 0;
  Type type = getElementTypeOrSelf(op->getResult(0));
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
}

static bool isNarrow(unsigned bits) { return bits == 8 || bits == 16; }

/// Whether a wider integer becomes one of 8 or 16 bits, which the driver takes for a
/// permutation of bytes.
static bool truncates(Operation *root) {
  return root
      ->walk([](arith::TruncIOp op) {
        bool found = isNarrow(op.getType().getIntOrFloatBitWidth());
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static MutableOperandRange getIndices(Operation *load) {
  if (auto scalar = dyn_cast<memref::LoadOp>(load))
    return scalar.getIndicesMutable();
  return cast<vector::LoadOp>(load).getIndicesMutable();
}

static void hideStrides(FunctionOpInterface function) {
  LaneStrides strides;
  SmallVector<OpOperand *> indices;
  bool truncatesIntegers = truncates(function);
  function.walk([&](Operation *op) {
    unsigned bits = getLoadedBits(op);
    bool isWide = bits > 16 && op->getResult(0).getType().isInteger();
    if (!isNarrow(bits) && !(truncatesIntegers && isWide))
      return;
    for (OpOperand &index : getIndices(op)) {
      std::optional<int64_t> stride = strides.find(index.get());
      if (!stride || (*stride != 0 && *stride != 1))
        indices.push_back(&index);
    }
  });
  // One factor for a block: it is no value that another block would wait for.
  DenseMap<Block *, Value> ones;
  for (OpOperand *index : indices) {
    Operation *load = index->getOwner();
    ImplicitLocOpBuilder builder(load->getLoc(), load);
    Value &one = ones[load->getBlock()];
    if (!one)
      one = OpaqueIndexOp::create(builder, arith::ConstantIndexOp::create(builder, 1));
    index->set(arith::MulIOp::create(builder, index->get(), one));
  }
}

namespace {
struct HideLaneStrides final : tinytc::impl::HideLaneStridesPassBase<HideLaneStrides> {
  using HideLaneStridesPassBase::HideLaneStridesPassBase;

  void runOnOperation() override {
    FailureOr<TargetAttr> target = getTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    if (getDriver(*target).failsOnStridedBytes)
      getOperation().walk([](FunctionOpInterface function) { hideStrides(function); });
  }
};
} // namespace
