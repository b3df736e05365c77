//===- OutlineLoops.cpp - Functions for loops of large kernels ------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/GPUToVector/OutlineLoops.h"
#include "lib/Builders/Outlining.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The most loops of a function that LLVM compiles as a whole.
static constexpr int64_t kMostLoops = 40;

static int64_t countLoops(Operation *op) {
  int64_t count = 0;
  op->walk([&](LoopLikeOpInterface) { ++count; });
  return count;
}

/// The block whose statements are outlined: the body of the loop over groups, and of
/// others that are all that a body does.
static Block *findBody(func::FuncOp function) {
  Block *body = &function.getBody().front();
  while (true) {
    auto loops = body->getOps<scf::ForOp>();
    int64_t others = llvm::count_if(*body, [](Operation &op) {
      return op.getNumRegions() > 0 && !isa<scf::ForOp>(op);
    });
    if (!llvm::hasSingleElement(loops) || others > 0)
      return body;
    body = (*loops.begin()).getBody();
  }
}

/// Computes constants again inside of a region, so that they remain constants there.
static void cloneConstants(RewriterBase &rewriter, Region &region) {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(region, used);
  rewriter.setInsertionPointToStart(&region.front());
  for (Value value : used)
    if (Operation *op = value.getDefiningOp();
        op && op->hasTrait<OpTrait::ConstantLike>())
      replaceAllUsesInRegionWith(value, rewriter.clone(*op)->getResult(0), region);
}

/// The values of some ops in a row that later ones use.
static SmallVector<Value> getResults(ArrayRef<Operation *> ops) {
  SmallPtrSet<Operation *, 32> own(ops.begin(), ops.end());
  Block *block = ops.front()->getBlock();
  SmallVector<Value> results;
  for (Operation *op : ops)
    for (Value value : op->getResults())
      if (llvm::any_of(value.getUsers(), [&](Operation *user) {
            return !own.contains(block->findAncestorOpInBlock(*user));
          }))
        results.push_back(value);
  return results;
}

/// Moves ops in a row to a function, and returns its call.
static func::CallOp outline(RewriterBase &rewriter, ArrayRef<Operation *> ops,
                            StringRef name) {
  Location loc = ops.front()->getLoc();
  SmallVector<Value> results = getResults(ops);
  rewriter.setInsertionPoint(ops.front());
  auto region =
      scf::ExecuteRegionOp::create(rewriter, loc, ValueRange(results).getTypes());
  Block *block = rewriter.createBlock(&region.getRegion());
  for (Operation *op : ops)
    rewriter.moveOpBefore(op, block, block->end());
  for (auto [inside, outside] : llvm::zip(results, region.getResults()))
    rewriter.replaceUsesWithIf(inside, outside, [&](OpOperand &use) {
      return !region->isProperAncestor(use.getOwner());
    });
  rewriter.setInsertionPointToEnd(block);
  scf::YieldOp::create(rewriter, loc, results);
  cloneConstants(rewriter, region.getRegion());
  func::CallOp call;
  FailureOr<func::FuncOp> function =
      outlineSingleBlockRegion(rewriter, loc, region.getRegion(), name, &call);
  assert(succeeded(function) && "expected a region of one block in a function");
  function->setPrivate();
  (*function)->setAttr("llvm.linkage", LLVM::LinkageAttr::get(rewriter.getContext(),
                                                              LLVM::Linkage::Internal));
  rewriter.moveOpBefore(call, region);
  rewriter.replaceOp(region, call.getResults());
  return call;
}

void tinytc::outlineLoops(gpu::GPUModuleOp kernels) {
  SymbolTable symbols(kernels);
  IRRewriter rewriter(kernels.getContext());
  for (auto function : llvm::make_early_inc_range(kernels.getOps<func::FuncOp>())) {
    if (function.isExternal() || countLoops(function) <= kMostLoops)
      continue;
    SmallVector<SmallVector<Operation *>> parts;
    for (Operation &op : findBody(function)->without_terminator()) {
      if (op.getNumRegions() > 0 && countLoops(&op) > 0)
        parts.emplace_back();
      if (!parts.empty())
        parts.back().push_back(&op);
    }
    unsigned number = 0;
    SmallVector<func::FuncOp> made;
    for (ArrayRef<Operation *> ops : parts) {
      auto name = SymbolTable::generateSymbolName<64>(
          (function.getName() + "_loop").str(),
          [&](StringRef taken) { return symbols.lookup(taken) != nullptr; }, number);
      func::CallOp call = outline(rewriter, ops, name);
      auto callee = cast<func::FuncOp>(kernels.lookupSymbol(name));
      auto same = llvm::find_if(
          made, [&](func::FuncOp other) { return computesSame(callee, other); });
      if (same == made.end()) {
        symbols.insert(callee);
        made.push_back(callee);
        continue;
      }
      call.setCallee(same->getName());
      rewriter.eraseOp(callee);
    }
  }
}
