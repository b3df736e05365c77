//===- Views.cpp - subview, expand, expandc2r, fuse, size -> memref -------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// memref.expand_shape and memref.collapse_shape split and join modes in row-major
// order; ours are column-major, hence memref.reinterpret_cast.
//
//===----------------------------------------------------------------------===//

#include "lib/Builders/Indices.h"
#include "lib/Conversion/TinyTCToLinalg/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The entries of a list that mixes constants and values.
static SmallVector<OpFoldResult> getMixed(ArrayRef<int64_t> constants,
                                          ValueRange values, OpBuilder &builder) {
  return getMixedValues(constants, values, builder.getContext());
}

namespace {

/// Base, offset, sizes and strides of a view, as values or constants.
struct ViewMetadata {
  ViewMetadata(ImplicitLocOpBuilder &builder, TypedValue<MemRefType> view) {
    auto op = memref::ExtractStridedMetadataOp::create(builder, view);
    base = op.getBaseBuffer();
    offset = op.getOffset();
    auto [typeStrides, typeOffset] = view.getType().getStridesAndOffset();
    for (auto [size, value] : llvm::zip(view.getType().getShape(), op.getSizes()))
      sizes.push_back(getEntry(builder, size, value));
    for (auto [stride, value] : llvm::zip(typeStrides, op.getStrides()))
      strides.push_back(getEntry(builder, stride, value));
  }

  /// The view with these sizes and strides; the type says which ones are static.
  Value createView(ImplicitLocOpBuilder &builder, MemRefType type) {
    // Entries that are dynamic in the type must be values, and vice versa.
    auto [typeStrides, typeOffset] = type.getStridesAndOffset();
    matchType(builder, type.getShape(), sizes);
    matchType(builder, typeStrides, strides);
    return memref::ReinterpretCastOp::create(builder, type, base, offset, sizes,
                                             strides);
  }

  Value base;
  OpFoldResult offset;
  SmallVector<OpFoldResult> sizes, strides;

private:
  static OpFoldResult getEntry(OpBuilder &builder, int64_t constant, Value value) {
    if (ShapedType::isDynamic(constant))
      return value;
    return builder.getIndexAttr(constant);
  }

  static void matchType(ImplicitLocOpBuilder &builder, ArrayRef<int64_t> types,
                        SmallVectorImpl<OpFoldResult> &entries) {
    for (auto [type, entry] : llvm::zip(types, entries))
      if (ShapedType::isDynamic(type))
        entry = toValue(builder, entry);
      else
        entry = builder.getIndexAttr(type);
  }
};

struct SubviewPattern final : OpConversionPattern<SubviewOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(SubviewOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    auto source = cast<TypedValue<MemRefType>>(adaptor.getSource());
    ViewMetadata view(builder, source);
    auto offsets = getMixed(op.getStaticOffsets(), adaptor.getOffsets(), rewriter);
    auto sizes = getMixed(op.getStaticSizes(), adaptor.getSizes(), rewriter);

    Value offset = toValue(builder, view.offset);
    SmallVector<OpFoldResult> keptSizes, keptStrides;
    for (auto [mode, start, size, stride] :
         llvm::enumerate(offsets, sizes, view.strides)) {
      if (getConstantIntValue(start) != 0)
        offset = arith::AddIOp::create(
            builder, offset, toValue(builder, createIndexMul(builder, start, stride)));
      if (op.isRemoved(mode))
        continue;
      keptSizes.push_back(size);
      keptStrides.push_back(stride);
    }
    view.offset = offset;
    view.sizes = keptSizes;
    view.strides = keptStrides;
    rewriter.replaceOp(
        op, view.createView(builder, LinalgTypeConverter::getViewType(op.getType())));
    return success();
  }
};

struct ExpandPattern final : OpConversionPattern<ExpandOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ExpandOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    ViewMetadata view(builder, cast<TypedValue<MemRefType>>(adaptor.getSource()));
    auto shape = getMixed(op.getStaticShape(), adaptor.getShape(), rewriter);
    size_t mode = op.getMode();

    SmallVector<OpFoldResult> strides{view.strides[mode]};
    for (OpFoldResult size : ArrayRef(shape).drop_back())
      strides.push_back(createIndexMul(builder, strides.back(), size));
    replace(view.sizes, mode, mode + 1, shape);
    replace(view.strides, mode, mode + 1, strides);
    rewriter.replaceOp(
        op, view.createView(builder, LinalgTypeConverter::getViewType(op.getType())));
    return success();
  }

private:
  static void replace(SmallVectorImpl<OpFoldResult> &list, size_t begin, size_t end,
                      ArrayRef<OpFoldResult> entries) {
    list.erase(list.begin() + begin, list.begin() + end);
    list.insert(list.begin() + begin, entries.begin(), entries.end());
  }
};

struct ExpandC2RPattern final : OpConversionPattern<ExpandC2ROp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ExpandC2ROp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value parts = ComplexPartsOp::create(rewriter, op.getLoc(), adaptor.getSource(),
                                         /*expanded=*/true);
    // Strides that the instruction leaves open are known of the parts.
    MemRefType type = LinalgTypeConverter::getViewType(op.getType());
    if (parts.getType() != type)
      parts = memref::CastOp::create(rewriter, op.getLoc(), type, parts);
    rewriter.replaceOp(op, parts);
    return success();
  }
};

struct FusePattern final : OpConversionPattern<FuseOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(FuseOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    ViewMetadata view(builder, cast<TypedValue<MemRefType>>(adaptor.getSource()));
    size_t from = op.getFrom(), to = op.getTo();
    for (size_t mode = from + 1; mode <= to; ++mode)
      view.sizes[from] = createIndexMul(builder, view.sizes[from], view.sizes[mode]);
    view.sizes.erase(view.sizes.begin() + from + 1, view.sizes.begin() + to + 1);
    view.strides.erase(view.strides.begin() + from + 1, view.strides.begin() + to + 1);
    rewriter.replaceOp(
        op, view.createView(builder, LinalgTypeConverter::getViewType(op.getType())));
    return success();
  }
};

struct SizePattern final : OpConversionPattern<SizeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(SizeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, memref::DimOp::create(rewriter, op.getLoc(),
                                                 adaptor.getSource(), op.getMode()));
    return success();
  }
};

} // namespace

void tinytc::populateViewPatterns(const LinalgTypeConverter &converter,
                                  RewritePatternSet &patterns) {
  patterns
      .add<SubviewPattern, ExpandPattern, ExpandC2RPattern, FusePattern, SizePattern>(
          converter, patterns.getContext());
}
