//===- ViewPatterns.cpp - Folders and canonicalisation of views -----------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/IR/Verify.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// A constant, or a value where `constant` is dynamic.
struct Entry {
  int64_t constant;
  Value value;

  bool isStatic() const { return !ShapedType::isDynamic(constant); }
};

} // namespace

static SmallVector<Entry> getEntries(ArrayRef<int64_t> constants, ValueRange values) {
  SmallVector<Entry> entries;
  size_t next = 0;
  for (int64_t constant : constants)
    entries.push_back(
        {constant, ShapedType::isDynamic(constant) ? values[next++] : Value()});
  return entries;
}

static void split(ArrayRef<Entry> entries, SmallVectorImpl<int64_t> &constants,
                  SmallVectorImpl<Value> &values) {
  for (const Entry &entry : entries) {
    constants.push_back(entry.constant);
    if (!entry.isStatic())
      values.push_back(entry.value);
  }
}

static void replaceSubview(PatternRewriter &rewriter, SubviewOp op, Value source,
                           ArrayRef<Entry> offsets, ArrayRef<Entry> sizes) {
  SmallVector<int64_t> staticOffsets, staticSizes;
  SmallVector<Value> offsetValues, sizeValues;
  split(offsets, staticOffsets, offsetValues);
  split(sizes, staticSizes, sizeValues);
  rewriter.replaceOpWithNewOp<SubviewOp>(op, op.getType(), source, staticOffsets,
                                         staticSizes, offsetValues, sizeValues);
}

//===----------------------------------------------------------------------===//
// size
//===----------------------------------------------------------------------===//

/// The value for a dynamic mode in the op that makes the view, or null.
static Value getDynamicSize(Value memref, int64_t mode) {
  if (auto subview = memref.getDefiningOp<SubviewOp>()) {
    SmallVector<Entry> kept;
    for (auto [sourceMode, size] :
         llvm::enumerate(getEntries(subview.getStaticSizes(), subview.getSizes())))
      if (!subview.isRemoved(sourceMode))
        kept.push_back(size);
    return kept[mode].value;
  }
  if (auto expand = memref.getDefiningOp<ExpandOp>()) {
    SmallVector<Entry> sizes = getEntries(expand.getStaticShape(), expand.getShape());
    int64_t position = mode - expand.getMode();
    if (0 <= position && position < static_cast<int64_t>(sizes.size()))
      return sizes[position].value;
  }
  return {};
}

OpFoldResult SizeOp::fold(FoldAdaptor) {
  auto memref = dyn_cast<MemrefType>(getSource().getType());
  int64_t size = memref ? memref.getShape()[getMode()]
                        : cast<GroupType>(getSource().getType()).getSize();
  if (!ShapedType::isDynamic(size))
    return IntegerAttr::get(getType(), size);
  if (auto parts = getSource().getDefiningOp<ExpandC2ROp>()) {
    getSourceMutable().assign(parts.getSource());
    setMode(getMode() - 1);
    return getResult();
  }
  return getDynamicSize(getSource(), getMode());
}

//===----------------------------------------------------------------------===//
// subview
//===----------------------------------------------------------------------===//

/// Whether the size is that of the whole mode.
static bool isWholeMode(const Entry &size, Value source, int64_t mode) {
  int64_t modeSize = cast<MemrefType>(source.getType()).getShape()[mode];
  if (size.isStatic())
    return size.constant == modeSize;
  auto sizeOp = size.value.getDefiningOp<SizeOp>();
  return sizeOp && sizeOp.getSource() == source &&
         static_cast<int64_t>(sizeOp.getMode()) == mode;
}

OpFoldResult SubviewOp::fold(FoldAdaptor) {
  if (getType() != getSource().getType() ||
      !llvm::all_of(getStaticOffsets(), [](int64_t offset) { return offset == 0; }))
    return {};
  for (auto [mode, size] : llvm::enumerate(getEntries(getStaticSizes(), getSizes())))
    if (!isWholeMode(size, getSource(), mode))
      return {};
  return getSource();
}

namespace {

/// subview %A[%c2:4] => subview %A[2:4]. A constant that breaks a rule stays a value:
/// it is undefined behaviour, which code that never runs may contain.
struct FoldConstantOffsets : OpRewritePattern<SubviewOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SubviewOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Entry> offsets = getEntries(op.getStaticOffsets(), op.getOffsets());
    SmallVector<Entry> sizes = getEntries(op.getStaticSizes(), op.getSizes());
    ArrayRef<int64_t> shape = op.getSource().getType().getShape();
    bool changed = false;
    for (auto [offset, size, modeSize] : llvm::zip(offsets, sizes, shape)) {
      APInt constant;
      if (offset.isStatic() || !matchPattern(offset.value, m_ConstantInt(&constant)) ||
          constant.isNegative() ||
          !isSliceWithin(constant.getSExtValue(), size.constant, modeSize))
        continue;
      offset = {constant.getSExtValue(), Value()};
      changed = true;
    }
    if (!changed)
      return rewriter.notifyMatchFailure(op, "no offset is constant");
    replaceSubview(rewriter, op, op.getSource(), offsets, sizes);
    return success();
  }
};

/// subview (subview %A[a:b])[c:d] => subview %A[a+c:d]
struct MergeSubviews : OpRewritePattern<SubviewOp> {
  using OpRewritePattern::OpRewritePattern;

  static Entry add(PatternRewriter &rewriter, Location loc, const Entry &a,
                   const Entry &b) {
    if (a.isStatic() && b.isStatic())
      return {a.constant + b.constant, Value()};
    if (a.constant == 0)
      return b;
    if (b.constant == 0)
      return a;
    auto materialize = [&](const Entry &entry) -> Value {
      if (!entry.isStatic())
        return entry.value;
      return ConstantOp::create(rewriter, loc, rewriter.getIndexType(), entry.constant);
    };
    Value first = materialize(a), second = materialize(b);
    return {ShapedType::kDynamic, ArithAddOp::create(rewriter, loc, first, second)};
  }

  LogicalResult matchAndRewrite(SubviewOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getSource().getDefiningOp<SubviewOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "the source is not a subview");
    SmallVector<Entry> innerOffsets =
        getEntries(inner.getStaticOffsets(), inner.getOffsets());
    SmallVector<Entry> innerSizes =
        getEntries(inner.getStaticSizes(), inner.getSizes());
    SmallVector<Entry> outerOffsets =
        getEntries(op.getStaticOffsets(), op.getOffsets());
    SmallVector<Entry> outerSizes = getEntries(op.getStaticSizes(), op.getSizes());
    ArrayRef<int64_t> shape = inner.getSource().getType().getShape();
    // Where the inner size is dynamic, the sum may be known to leave the source.
    size_t next = 0;
    for (auto [mode, offset, modeSize] : llvm::enumerate(innerOffsets, shape)) {
      if (inner.isRemoved(mode))
        continue;
      const Entry &outer = outerOffsets[next];
      int64_t sum = ShapedType::kDynamic;
      if (offset.isStatic() && outer.isStatic() &&
          llvm::AddOverflow(offset.constant, outer.constant, sum))
        return rewriter.notifyMatchFailure(op, "the offset overflows");
      if (!isSliceWithin(sum, outerSizes[next].constant, modeSize))
        return rewriter.notifyMatchFailure(op, "the block leaves the source");
      ++next;
    }
    SmallVector<Entry> offsets, sizes;
    next = 0;
    for (auto [mode, offset, size] : llvm::enumerate(innerOffsets, innerSizes)) {
      bool isRemoved = inner.isRemoved(mode);
      offsets.push_back(
          isRemoved ? offset : add(rewriter, op.getLoc(), offset, outerOffsets[next]));
      sizes.push_back(isRemoved ? size : outerSizes[next]);
      next += !isRemoved;
    }
    replaceSubview(rewriter, op, inner.getSource(), offsets, sizes);
    return success();
  }
};

} // namespace

void SubviewOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<FoldConstantOffsets, MergeSubviews>(context);
}
