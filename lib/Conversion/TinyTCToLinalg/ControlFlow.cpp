//===- ControlFlow.cpp - Kernels, loops and conditionals -> func, scf -----===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Passes.h"
#include "lib/Analysis/LocalMemory.h"
#include "lib/Analysis/Strategy.h"
#include "lib/Builders/ScalarBuilder.h"
#include "lib/Builders/WorkItemLoop.h"
#include "lib/Conversion/TinyTCToLinalg/Patterns.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tinytc;

/// All values of a 1:N operand list, concatenated.
static SmallVector<Value> flatten(ArrayRef<ValueRange> ranges) {
  SmallVector<Value> values;
  for (ValueRange range : ranges)
    llvm::append_range(values, range);
  return values;
}

/// Moves the ops of `block` to the end of `target` and replaces the arguments of the
/// block, the i-th one by the values `replacements[i]`.
static void moveBody(ConversionPatternRewriter &rewriter, Block *block, Block *target,
                     ArrayRef<SmallVector<Value>> replacements) {
  TypeConverter::SignatureConversion signature(block->getNumArguments());
  for (auto [i, values] : llvm::enumerate(replacements))
    signature.remapInput(i, values);
  Block *converted = rewriter.applySignatureConversion(block, signature);
  rewriter.mergeBlocks(converted, target);
}

/// max(0, ceil((to - from) / step)) as an index, without overflow.
static Value createTripCount(ScalarBuilder &scalars, ImplicitLocOpBuilder &builder,
                             Value from, Value to, Value step) {
  Type index = builder.getIndexType();
  Value isEmpty = arith::CmpIOp::create(builder, arith::CmpIPredicate::sge, from, to);
  // to - from fits an unsigned index although it may not fit a signed one.
  Value distance = scalars.sub(scalars.cast(to, index), scalars.cast(from, index));
  Value one = scalars.constant(index, 1);
  Value last = scalars.sub(distance, one);
  Value count = arith::DivUIOp::create(builder, last, scalars.cast(step, index));
  return arith::SelectOp::create(builder, isEmpty, scalars.constant(index, 0),
                                 scalars.add(count, one));
}

namespace {

struct FuncPattern final : OpConversionPattern<FuncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(FuncOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types = llvm::map_to_vector(
        op.getArgumentTypes(), LinalgTypeConverter::getParameterType);
    auto func = func::FuncOp::create(rewriter, op.getLoc(), op.getSymName(),
                                     rewriter.getFunctionType(types, {}));
    func->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    setDiscardable<TinyTCDialect::SubgroupSizeAttrHelper>(func,
                                                          op.getSubgroupSizeAttr());
    setDiscardable<TinyTCDialect::WorkGroupSizeAttrHelper>(func,
                                                           op.getWorkGroupSizeAttr());
    if (ScheduleAttr schedule = op.getScheduleAttr())
      setDiscardable<TinyTCDialect::ScheduleAttrHelper>(func, schedule);
    if (ArrayAttr attrs = op.getArgAttrsAttr())
      func.setArgAttrsAttr(attrs);

    Block &body = op.getBody().front();
    Block *entry = rewriter.createBlock(
        &func.getBody(), {}, types,
        llvm::map_to_vector(body.getArguments(),
                            [](BlockArgument argument) { return argument.getLoc(); }));
    SmallVector<SmallVector<Value>> arguments;
    for (auto [argument, old] : llvm::zip(entry->getArguments(), body.getArguments()))
      arguments.push_back({castParameter(rewriter, argument, old.getType())});
    createLocalBuffer(rewriter, op);
    rewriter.eraseOp(body.getTerminator());
    moveBody(rewriter, &body, entry, arguments);
    rewriter.setInsertionPointToEnd(entry);
    func::ReturnOp::create(rewriter, op.getLoc());
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// The local memory of the work-group, which allocas are views of.
  static void createLocalBuffer(OpBuilder &builder, FuncOp func) {
    int64_t bytes = 0;
    func.walk([&](AllocaOp op) {
      if (std::optional<LocalRange> range = getLocalRange(op))
        bytes = std::max(bytes, range->offset + range->bytes);
    });
    func.walk([&](GemmOp op) {
      if (hasStrategy(op, {StrategyKind::PackedFactors, StrategyKind::DotProducts,
                           StrategyKind::TileRegisters, StrategyKind::StagedFactors}))
        bytes = std::max(bytes, *getLocalOffset(op) + Strategy::find(op)->localBytes);
    });
    if (bytes == 0)
      return;
    auto space =
        gpu::AddressSpaceAttr::get(func.getContext(), gpu::AddressSpace::Workgroup);
    auto type =
        MemRefType::get(bytes, builder.getI8Type(), MemRefLayoutAttrInterface(), space);
    memref::AllocOp::create(builder, func.getLoc(), type,
                            builder.getI64IntegerAttr(kLocalMemoryAlignment));
  }

  /// Inside the kernel, a memref parameter is a view like any other.
  static Value castParameter(OpBuilder &builder, BlockArgument argument, Type type) {
    auto memref = dyn_cast<MemrefType>(type);
    if (!memref)
      return argument;
    return memref::CastOp::create(builder, argument.getLoc(),
                                  LinalgTypeConverter::getViewType(memref), argument);
  }
};

struct ForPattern final : OpConversionPattern<ForOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ForOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value from = adaptor.getFrom().front();
    Value to = adaptor.getTo().front();
    Type type = from.getType();
    ScalarBuilder scalars(builder);
    Value zero = scalars.constant(rewriter.getIndexType(), 0);
    Value one = scalars.constant(rewriter.getIndexType(), 1);

    // The loop counts iterations, unless it is over indices in steps of one: adding
    // the step to a variable near the end of its type's range would overflow.
    bool isPlain = type.isIndex() && !op.getStep();
    Value step = op.getStep() ? adaptor.getStep().front() : scalars.constant(type, 1);
    Value lower = isPlain ? from : zero;
    Value upper = isPlain ? to : createTripCount(scalars, builder, from, to, step);

    SmallVector<Value> inits = flatten(adaptor.getInits());
    auto loop = scf::ForOp::create(builder, lower, upper, one, inits);
    if (Attribute unroll = op.getUnrollAttr())
      setDiscardable<TinyTCDialect::UnrollAttrHelper>(loop, cast<IntegerAttr>(unroll));
    Block *body = loop.getBody();
    if (!body->empty())
      rewriter.eraseOp(body->getTerminator());
    builder.setInsertionPointToStart(body);
    Value variable = loop.getInductionVar();
    if (!isPlain)
      variable = scalars.add(from, scalars.mul(scalars.cast(variable, type), step));

    SmallVector<SmallVector<Value>> arguments{{variable}};
    SmallVector<SmallVector<Value>> results;
    size_t next = 0;
    for (ValueRange init : adaptor.getInits()) {
      auto carried = loop.getRegionIterArgs().slice(next, init.size());
      arguments.emplace_back(carried.begin(), carried.end());
      auto last = loop.getResults().slice(next, init.size());
      results.emplace_back(last.begin(), last.end());
      next += init.size();
    }
    moveBody(rewriter, &op.getBody().front(), body, arguments);
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};

struct IfPattern final : OpConversionPattern<IfOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(IfOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    SmallVector<size_t> counts;
    for (Type type : op.getResultTypes()) {
      size_t before = types.size();
      if (failed(getTypeConverter()->convertType(type, types)))
        return failure();
      counts.push_back(types.size() - before);
    }
    bool hasElse = !op.getElseRegion().empty();
    auto newOp =
        scf::IfOp::create(rewriter, op.getLoc(), types, adaptor.getCondition().front(),
                          /*addThenBlock=*/false, /*addElseBlock=*/false);
    rewriter.inlineRegionBefore(op.getThenRegion(), newOp.getThenRegion(),
                                newOp.getThenRegion().end());
    if (hasElse)
      rewriter.inlineRegionBefore(op.getElseRegion(), newOp.getElseRegion(),
                                  newOp.getElseRegion().end());
    SmallVector<SmallVector<Value>> results;
    size_t next = 0;
    for (size_t count : counts) {
      auto slice = newOp.getResults().slice(next, count);
      results.emplace_back(slice.begin(), slice.end());
      next += count;
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};

struct YieldPattern final : OpConversionPattern<YieldOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(YieldOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isa<scf::ForOp, scf::IfOp>(op->getParentOp()))
      return rewriter.notifyMatchFailure(op, "expected the parent to be lowered first");
    rewriter.replaceOpWithNewOp<scf::YieldOp>(op, flatten(adaptor.getValues()));
    return success();
  }
};

/// Whether a loop from here may end near the end of its type's range, where the numbers
/// of a subgroup's lanes would overflow. From elsewhere, it would not end in years.
static bool isNearEnd(Value from) {
  if (!from.getType().isIndex() && !from.getType().isInteger(64))
    return false;
  APInt first;
  return !matchPattern(from, m_ConstantInt(&first)) || first.getSignificantBits() > 62;
}

struct ForeachPattern final : OpConversionPattern<ForeachOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ForeachOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    ScalarBuilder scalars(builder);
    Type index = rewriter.getIndexType();
    SmallVector<Value> from, to, firsts;
    for (auto [lower, upper] : llvm::zip(adaptor.getFrom(), adaptor.getTo())) {
      from.push_back(scalars.cast(lower, index));
      to.push_back(scalars.cast(upper, index));
      firsts.push_back({});
      if (isNearEnd(lower)) {
        Value one = scalars.constant(lower.getType(), 1);
        firsts.back() = from.back();
        to.back() = createTripCount(scalars, builder, lower, upper, one);
        from.back() = scalars.constant(index, 0);
      }
    }
    SmallVector<Value> steps(from.size(), scalars.constant(index, 1));
    auto loop = createWorkItemLoop(builder, from, to, steps);
    Block *body = loop.getBody();
    rewriter.eraseOp(body->getTerminator());
    builder.setInsertionPointToStart(body);
    SmallVector<SmallVector<Value>> variables;
    for (auto [variable, first, old] :
         llvm::zip(loop.getInductionVars(), firsts, op.getBody().getArguments())) {
      Value number = first ? scalars.add(first, variable) : variable;
      variables.push_back({scalars.cast(number, old.getType())});
    }
    rewriter.eraseOp(op.getBody().front().getTerminator());
    moveBody(rewriter, &op.getBody().front(), body, variables);
    builder.setInsertionPointToEnd(body);
    scf::InParallelOp::create(builder);
    rewriter.eraseOp(op);
    return success();
  }
};

/// Tiles are dealt out to the subgroups in turn. All work-items of a subgroup run the
/// same code on the same tile.
struct ForeachTilePattern final : OpConversionPattern<ForeachTileOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ForeachTileOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto func = op->getParentOfType<func::FuncOp>();
    if (!func)
      return rewriter.notifyMatchFailure(op, "expected the kernel to be lowered first");
    FailureOr<KernelSizes> kernel = getKernelSizes(func);
    if (failed(kernel))
      return failure();
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    ScalarBuilder scalars(builder);
    Type index = rewriter.getIndexType();
    SmallVector<Value> counts;
    for (auto [from, to, size] :
         llvm::zip_equal(adaptor.getFrom(), adaptor.getTo(), op.getSizes()))
      counts.push_back(
          createTripCount(scalars, builder, from, to, scalars.constant(index, size)));
    bool isOneSubgroup = kernel->workGroupSize[0] == kernel->subgroupSize &&
                         kernel->workGroupSize[1] == 1;
    SmallVector<Value> tiles = isOneSubgroup ? createLoops(builder, counts)
                                             : createDeal(builder, scalars, counts);
    SmallVector<SmallVector<Value>> variables, extents;
    for (auto [mode, tile] : llvm::enumerate(tiles)) {
      Type type = adaptor.getFrom()[mode].getType();
      Value size = scalars.constant(index, op.getSizes()[mode]);
      Value offset = scalars.mul(tile, size);
      Value start = scalars.add(adaptor.getFrom()[mode], scalars.cast(offset, type));
      variables.push_back({start});
      // The difference may not fit into the type.
      Value left = scalars.sub(scalars.cast(adaptor.getTo()[mode], index),
                               scalars.cast(start, index));
      Value extent = isWhole(op, mode) ? size : scalars.min(size, left);
      extents.push_back({scalars.cast(extent, type)});
    }
    llvm::append_range(variables, extents);
    Block *body = builder.getInsertionBlock();
    Operation *end = body->getTerminator();
    rewriter.eraseOp(op.getBody().front().getTerminator());
    Block *old = &op.getBody().front();
    TypeConverter::SignatureConversion signature(old->getNumArguments());
    for (auto [i, values] : llvm::enumerate(variables))
      signature.remapInput(i, values);
    Block *converted = rewriter.applySignatureConversion(old, signature);
    rewriter.inlineBlockBefore(converted, end);
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Whether the size of a mode is known to divide its range.
  static bool isWhole(ForeachTileOp op, size_t mode) {
    APInt from, to;
    if (!matchPattern(op.getFrom()[mode], m_ConstantInt(&from)) ||
        !matchPattern(op.getTo()[mode], m_ConstantInt(&to)))
      return false;
    int64_t first = from.getSExtValue(), end = to.getSExtValue(), distance;
    return !llvm::SubOverflow(end, first, distance) &&
           distance % op.getSizes()[mode] == 0;
  }

  static void enter(ImplicitLocOpBuilder &builder, scf::ForOp loop) {
    builder.setInsertionPointToStart(loop.getBody());
  }

  /// Loops over the tiles of each mode, the first mode innermost. Returns the numbers
  /// of a tile.
  static SmallVector<Value> createLoops(ImplicitLocOpBuilder &builder,
                                        ArrayRef<Value> counts) {
    Value zero = arith::ConstantIndexOp::create(builder, 0);
    Value one = arith::ConstantIndexOp::create(builder, 1);
    SmallVector<Value> tiles;
    for (Value count : llvm::reverse(counts)) {
      auto loop = scf::ForOp::create(builder, zero, count, one);
      enter(builder, loop);
      tiles.push_back(loop.getInductionVar());
    }
    return SmallVector<Value>(llvm::reverse(tiles));
  }

  /// One loop over the tiles of a subgroup.
  static SmallVector<Value> createDeal(ImplicitLocOpBuilder &builder,
                                       ScalarBuilder &scalars, ArrayRef<Value> counts) {
    Value total = counts.front();
    for (Value count : counts.drop_front())
      total = scalars.mul(total, count);
    Value first = gpu::SubgroupIdOp::create(builder, /*upper_bound=*/nullptr);
    Value step = gpu::NumSubgroupsOp::create(builder, /*upper_bound=*/nullptr);
    auto loop = scf::ForOp::create(builder, first, total, step);
    enter(builder, loop);
    SmallVector<Value> tiles;
    Value rest = loop.getInductionVar();
    for (Value count : counts.drop_back()) {
      tiles.push_back(arith::RemUIOp::create(builder, rest, count));
      rest = arith::DivUIOp::create(builder, rest, count);
    }
    tiles.push_back(rest);
    return tiles;
  }
};

/// After this stage, code outside linalg ops and scf.forall runs on each work-item
/// anyway.
struct ParallelPattern final : OpConversionPattern<ParallelOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ParallelOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Block &body = op.getBody().front();
    rewriter.eraseOp(body.getTerminator());
    rewriter.inlineBlockBefore(&body, op);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tinytc::populateControlFlowPatterns(const LinalgTypeConverter &converter,
                                         RewritePatternSet &patterns) {
  patterns.add<FuncPattern, ForPattern, IfPattern, YieldPattern, ForeachPattern,
               ForeachTilePattern, ParallelPattern>(converter, patterns.getContext());
}
