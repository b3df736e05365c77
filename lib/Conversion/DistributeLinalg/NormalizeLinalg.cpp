//===- NormalizeLinalg.cpp - linalg after upstream's transformations ------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The distribution knows element-wise ops, parallel loops, and sums in private memory
// between one fill and one update. Passes that generalize, specialize, interchange or
// tile leave other forms, which become these here. A sum that is not one op any more,
// because it was tiled, has an accumulator in local memory instead, and each part of it
// is added to that.
//
//===----------------------------------------------------------------------===//

#include "dialect/Passes.h"
#include "lib/Analysis/LocalMemory.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Analysis/Reduction.h"
#include "lib/Builders/Indices.h"
#include "lib/Builders/ScalarBuilder.h"
#include "lib/Builders/WorkItemLoop.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_NORMALIZELINALGPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

template <typename Op>
static SmallVector<Op> collect(func::FuncOp func) {
  SmallVector<Op> ops;
  func.walk([&](Op op) { ops.push_back(op); });
  return ops;
}

/// The accumulator that an op writes all of, if it does.
static memref::AllocaOp getAccumulator(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1)
    return {};
  return op.getDpsInits().front().getDefiningOp<memref::AllocaOp>();
}

//===----------------------------------------------------------------------===//
// Other spellings of the same ops
//===----------------------------------------------------------------------===//

static bool hasLinalg(Operation *op) {
  return op->walk([](linalg::LinalgOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Checks that the work-items can share a loop, or that all of them can run it in
/// order.
static LogicalResult checkLoop(Operation *op) {
  if (auto loop = dyn_cast<scf::ForallOp>(op)) {
    if (loop.getRank() == 0)
      return op->emitError("expected a loop with at least one dimension, got none");
    std::optional<ArrayAttr> mapping = loop.getMapping();
    ArrayAttr expected = getWorkItemMapping(op->getContext(), loop.getRank());
    if (mapping && *mapping != expected)
      return op->emitError("expected the mapping ")
             << expected << " or none, got " << *mapping;
  } else if (auto loop = cast<scf::ParallelOp>(op); loop.getNumReductions() != 0) {
    return op->emitError("expected a parallel loop without reductions, got ")
           << loop.getNumReductions();
  } else if (hasLinalg(op)) {
    return op->emitError("expected an scf.forall around linalg ops, got '")
           << op->getName() << "'";
  }
  for (Operation *outer = op->getParentOp(); outer; outer = outer->getParentOp())
    if (isa<scf::ForallOp, scf::ParallelOp>(outer) && !hasLinalg(outer))
      return op->emitError("expected a loop that is in no other loop which work-items "
                           "share, got one in an '")
             << outer->getName() << "'";
  return success();
}

static LogicalResult checkLoops(func::FuncOp func) {
  WalkResult result = func.walk([](Operation *op) {
    bool isLoop = isa<scf::ForallOp, scf::ParallelOp>(op);
    return isLoop && failed(checkLoop(op)) ? WalkResult::interrupt()
                                           : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Loops without an order around linalg ops -> loops that all work-items run in order.
static LogicalResult orderLoops(IRRewriter &rewriter, func::FuncOp func) {
  for (scf::ForallOp op : collect<scf::ForallOp>(func)) {
    rewriter.setInsertionPoint(op);
    if (hasLinalg(op) && failed(scf::forallToForLoop(rewriter, op)))
      return op.emitError("expected a loop on memrefs, got one on tensors");
  }
  return success();
}

/// Loops of scf.parallel and without a mapping -> loops that the work-items share, with
/// steps of 1.
static LogicalResult shareLoops(IRRewriter &rewriter, func::FuncOp func) {
  for (scf::ForallOp op : collect<scf::ForallOp>(func))
    if (!op.getMapping())
      op.setMappingAttr(getWorkItemMapping(op.getContext(), op.getRank()));
  for (scf::ParallelOp op : collect<scf::ParallelOp>(func)) {
    rewriter.setInsertionPoint(op);
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    auto loop = createWorkItemLoop(builder, op.getLowerBound(), op.getUpperBound(),
                                   op.getStep());
    rewriter.eraseOp(op.getBody()->getTerminator());
    rewriter.inlineBlockBefore(op.getBody(), loop.getTerminator(),
                               loop.getInductionVars());
    rewriter.eraseOp(op);
  }
  for (scf::ForallOp op : collect<scf::ForallOp>(func)) {
    if (llvm::all_of(op.getMixedStep(), isOneInteger))
      continue;
    DictionaryAttr attributes = op->getDiscardableAttrDictionary();
    rewriter.setInsertionPoint(op);
    FailureOr<scf::ForallOp> normalized = normalizeForallOp(rewriter, op);
    if (failed(normalized))
      return op.emitError("expected a loop with steps of 1, got other steps");
    (*normalized)->setDiscardableAttrs(attributes);
  }
  return success();
}

/// The op with the loops of its destination first, in the order of its dimensions.
static FailureOr<linalg::GenericOp> interchange(IRRewriter &rewriter,
                                                linalg::GenericOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  bool areLoops = llvm::all_of(maps, [](AffineMap map) {
    return llvm::all_of(map.getResults(), llvm::IsaPred<AffineDimExpr>);
  });
  AffineMap destination = maps.back();
  if (!areLoops || !destination.isProjectedPermutation())
    return op.emitError("expected operands that are indexed by loops, those of the "
                        "destination each once, got other indices");
  SmallVector<unsigned> loops;
  for (AffineExpr index : destination.getResults())
    loops.push_back(cast<AffineDimExpr>(index).getPosition());
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (!llvm::is_contained(loops, loop))
      loops.push_back(loop);
  if (llvm::is_sorted(loops))
    return op;
  rewriter.setInsertionPoint(op);
  return linalg::interchangeGenericOp(rewriter, op, loops);
}

/// All ops in the form of linalg.generic, fills of whole accumulators as such.
static LogicalResult spellOut(IRRewriter &rewriter, func::FuncOp func) {
  for (linalg::LinalgOp op : collect<linalg::LinalgOp>(func)) {
    if (op.getNumDpsInits() != 1 || !op.hasPureBufferSemantics())
      return op.emitError("expected a linalg op with one destination in memory, got '")
             << op->getName() << "'";
    memref::AllocaOp accumulator = getAccumulator(op);
    auto generic = dyn_cast<linalg::GenericOp>(*op);
    rewriter.setInsertionPoint(op);
    if (!generic) {
      if (accumulator && isa<linalg::FillOp>(op))
        continue;
      FailureOr<linalg::GenericOp> made = linalg::generalizeNamedOp(rewriter, op);
      if (failed(made))
        return op.emitError("expected an op that has a linalg.generic form, got '")
               << op->getName() << "'";
      generic = *made;
    }
    std::optional<Value> filler = linalg::isaFillOpInterface(generic);
    if (accumulator && filler) {
      rewriter.replaceOpWithNewOp<linalg::FillOp>(generic, *filler,
                                                  accumulator.getResult());
      continue;
    }
    if (failed(interchange(rewriter, generic)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Sums in parts
//===----------------------------------------------------------------------===//

/// Whether an accumulator is that of one sum, which the distribution keeps in
/// registers.
static bool isOfOneSum(memref::AllocaOp accumulator) {
  for (Operation *user : accumulator->getUsers()) {
    auto generic = dyn_cast<linalg::GenericOp>(user);
    if (generic && generic.getNumReductionLoops() > 0 &&
        getAccumulator(generic) == accumulator)
      return Reduction::match(generic).has_value();
  }
  return false;
}

/// Whether linalg ops access a memref or a view of it.
static bool isOfLinalg(Value memref) {
  return llvm::any_of(memref.getUsers(), [](Operation *user) {
    return isa<linalg::LinalgOp>(user) ||
           (isa<ViewLikeOpInterface>(user) && isOfLinalg(user->getResult(0)));
  });
}

/// Collects the views of a memref and the ops that access it together.
static LogicalResult collectUses(Value memref, SmallVectorImpl<Value> &views,
                                 llvm::SetVector<Operation *> &accesses) {
  for (Operation *user : memref.getUsers()) {
    if (isa<ViewLikeOpInterface>(user)) {
      views.push_back(user->getResult(0));
      if (failed(collectUses(user->getResult(0), views, accesses)))
        return failure();
      continue;
    }
    if (isMemoryEffectFree(user))
      continue;
    Operation *access = isa<linalg::LinalgOp>(user) ? user : nullptr;
    for (auto loop = user->getParentOfType<scf::ForallOp>(); loop;
         loop = loop->getParentOfType<scf::ForallOp>())
      access = loop;
    if (!access)
      return user->emitError("expected an accumulator that is accessed by linalg ops "
                             "and parallel loops, got '")
             << user->getName() << "'";
    accesses.insert(access);
  }
  return success();
}

/// Local memory in place of an accumulator.
static Value createLocalMemory(ImplicitLocOpBuilder &builder, func::FuncOp func,
                               MemRefType type) {
  Type element = type.getElementType();
  int64_t count = type.getNumElements();
  MLIRContext *context = builder.getContext();
  auto space = gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Workgroup);
  auto bytes = MemRefType::get(count * getSizeBytes(element), builder.getI8Type(),
                               MemRefLayoutAttrInterface(), space);
  builder.setInsertionPointToStart(&func.getBody().front());
  Value buffer = memref::AllocOp::create(
      builder, bytes, builder.getI64IntegerAttr(kLocalMemoryAlignment));
  auto flat = MemRefType::get(count, element, MemRefLayoutAttrInterface(), space);
  Value zero = createIndex(builder, 0);
  Value memory = memref::ViewOp::create(builder, flat, buffer, zero, ValueRange());
  auto own =
      MemRefType::get(type.getShape(), element, MemRefLayoutAttrInterface(), space);
  SmallVector<int64_t> strides = own.getStridesAndOffset().first;
  return memref::ReinterpretCastOp::create(builder, own, memory, /*offset=*/int64_t(0),
                                           type.getShape(), strides);
}

static LogicalResult moveToLocalMemory(memref::AllocaOp op, func::FuncOp func,
                                       TargetAttr target) {
  MemRefType type = op.getType();
  if (!type.hasStaticShape() || !type.getLayout().isIdentity())
    return op.emitError("expected an accumulator of static size where its sum is not "
                        "one op between a fill and an update, got ")
           << type;
  SmallVector<Value> views;
  llvm::SetVector<Operation *> accesses;
  if (failed(collectUses(op, views, accesses)))
    return failure();
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  Value memory = createLocalMemory(builder, func, type);
  int64_t bytes = 0;
  for (auto buffer : collect<memref::AllocOp>(func))
    bytes += buffer.getType().getNumElements();
  if (bytes > target.getLocalMemoryBytes())
    return op.emitError("expected accumulators and arrays of at most ")
           << target.getLocalMemoryBytes() << " bytes of local memory on target '"
           << target.getName() << "', got " << bytes << " bytes";
  Attribute space = cast<MemRefType>(memory.getType()).getMemorySpace();
  op.getResult().replaceAllUsesWith(memory);
  op.erase();
  for (Value view : views)
    view.setType(
        MemRefType::Builder(cast<MemRefType>(view.getType())).setMemorySpace(space));
  // Other work-items may own an element in the next op that accesses it.
  for (Operation *access : accesses) {
    builder.setInsertionPoint(access);
    gpu::BarrierOp::create(builder);
    builder.setInsertionPointAfter(access);
    gpu::BarrierOp::create(builder);
  }
  return success();
}

/// The one op that adds to the old element of a sum; null if it is not a sum.
static Operation *findAddition(linalg::GenericOp op) {
  SmallVector<Operation *> combiners;
  if (!matchReduction(op.getRegionOutputArgs(), 0, combiners) || combiners.size() != 1)
    return nullptr;
  Operation *combiner = combiners.front();
  return isa<arith::AddFOp, arith::AddIOp, complex::AddOp>(combiner) ? combiner
                                                                     : nullptr;
}

/// A sum that is added to memory -> a sum in private memory and its update.
static LogicalResult addToMemory(linalg::GenericOp op) {
  Operation *addition = findAddition(op);
  if (!addition)
    return op.emitError("expected a reduction that is a sum, got another one");
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  Value memory = op.getDpsInits().front();
  auto type = cast<MemRefType>(memory.getType());
  unsigned rank = type.getRank();
  SmallVector<Value> sizes;
  for (unsigned dim = 0; dim < rank; ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(memref::DimOp::create(builder, memory, dim));
  auto space =
      gpu::AddressSpaceAttr::get(builder.getContext(), gpu::AddressSpace::Private);
  auto ownType = MemRefType::get(type.getShape(), type.getElementType(),
                                 MemRefLayoutAttrInterface(), space);
  Value accumulator = memref::AllocaOp::create(builder, ownType, sizes);
  Value zero = ScalarBuilder(builder).constant(type.getElementType(), 0);
  linalg::FillOp::create(builder, zero, accumulator);
  op.getDpsInitsMutable()[0].set(accumulator);
  builder.setInsertionPointAfter(op);
  SmallVector<AffineMap> maps(2, builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  linalg::GenericOp::create(builder, accumulator, memory, maps, loops,
                            [&](OpBuilder &nested, Location loc, ValueRange elements) {
                              Operation *sum = nested.clone(*addition);
                              sum->setOperands(elements);
                              linalg::YieldOp::create(nested, loc, sum->getResults());
                            });
  return success();
}

static LogicalResult normalize(func::FuncOp func, TargetAttr target) {
  IRRewriter rewriter(func.getContext());
  if (failed(checkLoops(func)) || failed(orderLoops(rewriter, func)))
    return failure();
  if (failed(shareLoops(rewriter, func)) || failed(spellOut(rewriter, func)))
    return failure();
  for (memref::AllocaOp op : collect<memref::AllocaOp>(func)) {
    // Arrays in a parallel loop and of scalar code belong to one work-item.
    bool isCollective = !op->getParentOfType<scf::ForallOp>() && isOfLinalg(op);
    if (isCollective && !isOfOneSum(op) && failed(moveToLocalMemory(op, func, target)))
      return failure();
  }
  for (linalg::FillOp op : collect<linalg::FillOp>(func))
    if (!getAccumulator(op)) {
      rewriter.setInsertionPoint(op);
      (void)linalg::generalizeNamedOp(rewriter, op);
    }
  for (linalg::GenericOp op : collect<linalg::GenericOp>(func))
    if (op.getNumReductionLoops() > 0 && !getAccumulator(op) && failed(addToMemory(op)))
      return failure();
  return success();
}

namespace {
struct NormalizeLinalg final : tinytc::impl::NormalizeLinalgPassBase<NormalizeLinalg> {
  using NormalizeLinalgPassBase::NormalizeLinalgPassBase;

  void runOnOperation() override {
    FailureOr<TargetAttr> target = getTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>())
      if (!func.isDeclaration() && failed(normalize(func, *target)))
        return signalPassFailure();
  }
};
} // namespace
