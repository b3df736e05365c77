//===- SkipZeros.cpp - Products without what is known to be zero ----------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// An instruction becomes one for each block of its destination, and for each range of
// steps of its sum, that patterns of zeros leave. All later passes see products of
// views.
//
//===----------------------------------------------------------------------===//

#include "dialect/Passes.h"
#include "lib/Analysis/MemoryAccess.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/IR/Instructions.h"
#include "lib/Strategies/NonzeroBlocks.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_SKIPZEROSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// A view of a block; the memref itself if that is all of it.
static Value createBox(ImplicitLocOpBuilder &builder, Value memref,
                       ArrayRef<ModeRange> box) {
  auto type = cast<MemrefType>(memref.getType());
  if (getWholeBox(type.getShape()) == Box(box))
    return memref;
  SmallVector<OpFoldResult> offsets, sizes;
  for (auto [mode, range] : llvm::enumerate(box)) {
    offsets.push_back(builder.getIndexAttr(range.begin));
    if (range.end == ModeRange::kUnbounded)
      sizes.push_back(instructions::createSize(builder, memref, mode));
    else
      sizes.push_back(builder.getIndexAttr(range.getSize()));
  }
  return instructions::createBlock(builder, memref, offsets, sizes);
}

/// Replaces an instruction by those on blocks, and appends those that only set elements
/// of local memory to zero.
static void split(BlasOpInterface op, ArrayRef<NonzeroBlock> blocks,
                  SmallVectorImpl<BlasOpInterface> &fills) {
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  Type element = op.getDestination().getType().getElementType();
  auto setBlock = [&](OpOperand &operand, ArrayRef<unsigned> modes, const Box &box) {
    SmallVector<ModeRange> own;
    for (unsigned mode : modes)
      own.push_back(box[mode]);
    operand.set(createBox(builder, operand.get(), own));
  };
  for (const NonzeroBlock &block : blocks)
    for (auto [number, steps] : llvm::enumerate(block.steps)) {
      Box box = block.destination;
      auto modes = llvm::to_vector(llvm::seq<unsigned>(box.size()));
      box.push_back(steps);
      auto copy = cast<BlasOpInterface>(builder.clone(*op));
      builder.setInsertionPoint(copy);
      for (const BlasFactor &factor : copy.getFactors())
        setBlock(*factor.operand, factor.modes, box);
      setBlock(copy.getDestinationMutable(), modes, box);
      // The factor of the destination is the operand before it.
      if (number > 0)
        copy->setOperand(copy->getNumOperands() - 2,
                         instructions::createNumber(builder, element, 1));
      builder.setInsertionPointAfter(copy);
      if (block.isZero && isConstant(op.getBeta(), 0) &&
          getRoot(op.getDestination()).getDefiningOp<AllocaOp>())
        fills.push_back(copy);
    }
  op->erase();
}

/// Whether parts of an instruction are together what it is.
static bool mayBeSplit(BlasOpInterface op) {
  bool setsAtomically = op.getAtomic() && isConstant(op.getBeta(), 0);
  return !setsAtomically && !isa<CumsumOp>(op) &&
         !llvm::is_contained(op.getProductShape(), 0);
}

/// Products with zeros need no memory that has been set to zero, if all others that
/// read it leave these elements out, too.
static bool isBoxRead(Value memref, const Box &box) {
  for (OpOperand &use : memref.getUses()) {
    Operation *user = use.getOwner();
    if (isa<LifetimeStopOp>(user))
      continue;
    if (isa<SubviewOp>(user)) {
      if (isBoxRead(user->getResult(0), box))
        return true;
      continue;
    }
    std::optional<RootBlock> block = RootBlock::get(memref);
    auto op = dyn_cast<BlasOpInterface>(user);
    if (!op || !block)
      return true;
    bool isWrittenOnly =
        &use == &op.getDestinationMutable() && isConstant(op.getBeta(), 0);
    if (!isWrittenOnly && !isEmpty(intersect(block->getBox(), box)))
      return true;
  }
  return false;
}

namespace {

struct SkipZeros final : tinytc::impl::SkipZerosPassBase<SkipZeros> {
  using SkipZerosPassBase::SkipZerosPassBase;

  void runOnOperation() override {
    FuncOp func = getOperation();
    if (!ZeroPatterns::hasPromise(func))
      return;
    ZeroPatterns patterns(func);
    SmallVector<BlasOpInterface> ops;
    func.walk([&](BlasOpInterface op) {
      if (patterns.contains(op))
        ops.push_back(op);
    });
    if (splits && failed(splitAll(func, ops, patterns)))
      return signalPassFailure();
    fillAllocas(func);
  }

private:
  LogicalResult splitAll(FuncOp func, ArrayRef<BlasOpInterface> ops,
                         const ZeroPatterns &patterns) {
    FailureOr<TargetAttr> target = getTarget(func);
    if (failed(target))
      return failure();
    const Machine &machine = getMachine(*target);
    SmallVector<std::pair<BlasOpInterface, SmallVector<NonzeroBlock>>> chosen;
    for (BlasOpInterface op : ops) {
      if (!mayBeSplit(op))
        continue;
      NonzeroProduct product;
      product.shape = op.getProductShape();
      product.isReduction = op.isReduction();
      product.product = patterns.getProduct(op);
      product.old = patterns.get(op.getDestinationMutable());
      product.keepsOld = op.getAtomic() || isConstant(op.getBeta(), 1);
      product.elementBytes =
          getSizeBytes(op.getDestination().getType().getElementType());
      if (auto gemm = dyn_cast<GemmOp>(*op))
        product.unit = getUnitSteps(gemm, machine);
      if (auto blocks = chooseBlocks(product, machine))
        chosen.emplace_back(op, std::move(*blocks));
    }
    SmallVector<BlasOpInterface> fills;
    for (auto &[op, blocks] : chosen)
      split(op, blocks, fills);
    // One that is not needed reads none of what earlier ones set.
    for (BlasOpInterface op : llvm::reverse(fills)) {
      std::optional<RootBlock> block = RootBlock::get(op.getDestination());
      if (block && block->isStatic() && !isBoxRead(block->root, block->getBox()))
        op->erase();
    }
    return success();
  }

  /// Sets to zero what is outside of the boxes of allocas.
  void fillAllocas(FuncOp func) {
    SmallVector<AllocaOp> allocas;
    func.walk([&](AllocaOp op) {
      if (op.getNonzeroAttr())
        allocas.push_back(op);
    });
    for (AllocaOp op : allocas) {
      ImplicitLocOpBuilder builder(op.getLoc(), op->getContext());
      builder.setInsertionPointAfter(op);
      Box whole = getWholeBox(op.getType().getShape());
      for (const Box &box : subtract(whole, getPromisedBoxes(op)))
        if (!splits || isBoxRead(op, box))
          instructions::createFill(builder, createBox(builder, op, box));
    }
  }
};

} // namespace
