//===- RunningLanes.cpp - Which lanes run what only some of them may ------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Where the lanes of a subgroup disagree on a branch or on the end of a loop, they vote
// before they part, and the votes are the mask of those that go that way. PTX's
// activemask is none: it names the lanes that have arrived, and nothing says that lanes
// of the same way arrive together.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/LaneShapes.h"
#include "lib/Conversion/GPUToNVVM/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::tinytc;

static bool isExchange(Operation *op) {
  return isa<gpu::ShuffleOp, gpu::SubgroupBroadcastOp, gpu::SubgroupReduceOp>(op);
}

static bool hasExchange(Operation *root) {
  return root
      ->walk([](Operation *op) {
        return isExchange(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether lanes of a subgroup may part at an operation.
static bool parts(Operation *op, const LaneShapes &shapes) {
  auto varies = [&](Value value) { return !shapes.get(value).isUniform(); };
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return varies(loop.getConditionOp().getCondition());
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return varies(loop.getLowerBound()) || varies(loop.getUpperBound()) ||
           varies(loop.getStep());
  return isa<scf::IfOp>(op) && varies(cast<scf::IfOp>(op).getCondition());
}

static Value createVote(ImplicitLocOpBuilder &builder, Value lanes, Value condition) {
  return NVVM::VoteSyncOp::create(builder, builder.getI32Type(), lanes, condition,
                                  NVVM::VoteSyncKind::ballot);
}

namespace {

class LaneNamer {
public:
  LaneNamer(gpu::GPUFuncOp kernel, KernelShape shape, LaneMasks &masks)
      : shape(shape), masks(masks) {
    int64_t lanes = shape.subgroupSize;
    LaneShapes shapes(kernel, {lanes, 1, lanes}, AtomicLoads::Apart);
    kernel.walk([&](Operation *op) {
      if (parts(op, shapes) && hasExchange(op))
        parting.insert(op);
    });
  }

  /// Names the lanes of functions in a block that some lanes run, or that all do if
  /// there is no value for them.
  void visit(Block &block, Value lanes) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (lanes && isExchange(&op))
        masks[&op] = lanes;
      else if (!parting.erase(&op)) // new operations get the memory of replaced ones
        for (Region &region : op.getRegions())
          for (Block &nested : region)
            visit(nested, lanes);
      else if (auto branch = dyn_cast<scf::IfOp>(op))
        visit(branch, lanes);
      else if (auto loop = dyn_cast<scf::ForOp>(op))
        visit(loop, lanes);
      else
        visit(cast<scf::WhileOp>(op), lanes);
    }
  }

private:
  Value getMask(ImplicitLocOpBuilder &builder, Value lanes) {
    return lanes ? lanes : createMask(builder, shape);
  }

  void visit(scf::IfOp op, Value lanes) {
    ImplicitLocOpBuilder builder(op.getLoc(), op);
    lanes = getMask(builder, lanes);
    Value taken = createVote(builder, lanes, op.getCondition());
    visit(*op.thenBlock(), taken);
    if (Block *block = op.elseBlock())
      visit(*block, arith::XOrIOp::create(builder, lanes, taken));
  }

  void visit(scf::ForOp op, Value lanes) {
    arith::CmpIPredicate less =
        op.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    auto vote = [&](ImplicitLocOpBuilder &builder, Value lanes, Value i) {
      Value runs = arith::CmpIOp::create(builder, less, i, op.getUpperBound());
      return createVote(builder, lanes, runs);
    };
    ImplicitLocOpBuilder builder(op.getLoc(), op);
    Value first = vote(builder, getMask(builder, lanes), op.getLowerBound());
    IRRewriter rewriter(op);
    auto yieldNext = [&](OpBuilder &body, Location loc,
                         ArrayRef<BlockArgument> arguments) {
      ImplicitLocOpBuilder builder(loc, body);
      Value next = arith::AddIOp::create(builder, op.getInductionVar(), op.getStep());
      return SmallVector<Value>{vote(builder, arguments.back(), next)};
    };
    auto loop = cast<scf::ForOp>(
        *op.replaceWithAdditionalYields(rewriter, first, false, yieldNext));
    visit(*loop.getBody(), loop.getRegionIterArgs().back());
  }

  void visit(scf::WhileOp op, Value lanes) {
    ImplicitLocOpBuilder builder(op.getLoc(), op);
    Type i32 = builder.getI32Type();
    SmallVector<Type> types(op.getResultTypes());
    types.push_back(i32);
    SmallVector<Value> inits(op.getInits());
    inits.push_back(getMask(builder, lanes));
    auto loop = scf::WhileOp::create(builder, types, inits);
    loop.getBefore().takeBody(op.getBefore());
    loop.getAfter().takeBody(op.getAfter());
    Value before = loop.getBeforeBody()->addArgument(i32, op.getLoc());
    Value after = loop.getAfterBody()->addArgument(i32, op.getLoc());
    scf::ConditionOp condition = loop.getConditionOp();
    builder.setInsertionPoint(condition);
    Value next = createVote(builder, before, condition.getCondition());
    condition.getArgsMutable().append(next);
    loop.getYieldOp().getResultsMutable().append(after);
    op->replaceAllUsesWith(loop.getResults().drop_back());
    op.erase();
    visit(*loop.getBeforeBody(), before);
    visit(*loop.getAfterBody(), after);
  }

  KernelShape shape;
  LaneMasks &masks;
  /// Ops at which lanes part, with functions of a subgroup in them.
  DenseSet<Operation *> parting;
};

} // namespace

LogicalResult tinytc::nameRunningLanes(gpu::GPUFuncOp kernel, LaneMasks &masks) {
  if (!hasExchange(kernel))
    return success();
  FailureOr<KernelShape> shape = getKernelShape(kernel);
  if (failed(shape))
    return failure();
  LaneNamer namer(kernel, *shape, masks);
  for (Block &block : kernel.getBody())
    namer.visit(block, Value());
  return success();
}
