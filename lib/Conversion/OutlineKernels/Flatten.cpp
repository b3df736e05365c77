//===- Flatten.cpp - Memory access through pointer and linear index -------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/OutlineKernels/Flatten.h"
#include "dialect/Scalars.h"
#include "lib/Builders/Indices.h"
#include "lib/Builders/Stores.h"
#include "lib/Conversion/OutlineKernels/Descriptor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// One element of a memref: the pointer and the positions of its parts, two for a
/// complex number.
struct Element {
  Element(ConversionPatternRewriter &rewriter, Location loc, MemRefType memref,
          ValueRange values, ArrayRef<ValueRange> indices)
      : type(memref.getElementType()), storage(getStorageType(type)) {
    Descriptor descriptor(memref, values);
    pointer = descriptor.getPointer();
    positions =
        descriptor.getPositions(rewriter, loc, indices, isa<ComplexType>(type) ? 2 : 1);
  }

  /// The values in memory that make up `value`.
  SmallVector<Value, 2> split(ImplicitLocOpBuilder &builder, Value value) const {
    if (isa<ComplexType>(type))
      return {complex::ReOp::create(builder, value),
              complex::ImOp::create(builder, value)};
    return {convert(builder, value, storage)};
  }

  Value join(ImplicitLocOpBuilder &builder, ValueRange parts) const {
    if (isa<ComplexType>(type))
      return complex::CreateOp::create(builder, type, parts[0], parts[1]);
    return convert(builder, parts[0], type);
  }

  Type type, storage;
  Value pointer;
  SmallVector<Value, 2> positions;

private:
  static Value convert(ImplicitLocOpBuilder &builder, Value value, Type type) {
    if (value.getType() == type)
      return value;
    if (value.getType().isIndex() || type.isIndex())
      return arith::IndexCastOp::create(builder, type, value);
    return arith::BitcastOp::create(builder, type, value);
  }
};

struct FlatLoadPattern final : OpConversionPattern<memref::LoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::LoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    MemRefType type = op.getMemRefType();
    if (isGroupType(type)) {
      rewriter.replaceOpWithMultiple(op, {loadFromGroup(builder, op, adaptor)});
      return success();
    }
    Element element(rewriter, op.getLoc(), type, adaptor.getMemref(),
                    adaptor.getIndices());
    SmallVector<Value, 2> parts;
    for (Value position : element.positions)
      parts.push_back(memref::LoadOp::create(builder, element.pointer, position));
    rewriter.replaceOp(op, element.join(builder, parts));
    return success();
  }

private:
  /// The memref at an index of a group: its pointer, its entries of the arrays of
  /// dynamic sizes and strides, and the offset of the group.
  static SmallVector<Value> loadFromGroup(ImplicitLocOpBuilder &builder,
                                          memref::LoadOp op, OneToNOpAdaptor adaptor) {
    auto element = cast<MemRefType>(op.getType());
    Value index = op.getIndices().front();
    SmallVector<Value> values;
    for (Value part : adaptor.getMemref()) {
      if (!isa<MemRefType>(part.getType()))
        continue;
      Value value = memref::LoadOp::create(builder, part, index);
      if (value.getType().isInteger(64))
        value = arith::IndexCastOp::create(builder, builder.getIndexType(), value);
      values.push_back(value);
    }
    // The last value of a group is its offset, if that is dynamic.
    auto [strides, offset] = element.getStridesAndOffset();
    if (ShapedType::isDynamic(offset))
      values.push_back(adaptor.getMemref().back());
    return values;
  }
};

struct FlatStorePattern final : OpConversionPattern<memref::StoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::StoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Element element(rewriter, op.getLoc(), op.getMemRefType(), adaptor.getMemref(),
                    adaptor.getIndices());
    for (auto [part, position] :
         llvm::zip(element.split(builder, op.getValue()), element.positions))
      memref::StoreOp::create(builder, part, element.pointer, position);
    rewriter.eraseOp(op);
    return success();
  }
};

/// Loads and stores of adjacent elements, which are stored as they are.
template <typename OpTy>
struct VectorPattern final : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  using Adaptor = typename OpConversionPattern<OpTy>::OneToNOpAdaptor;

  LogicalResult matchAndRewrite(OpTy op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Element element(rewriter, op.getLoc(), op.getMemRefType(), adaptor.getBase(),
                    adaptor.getIndices());
    if (element.storage != element.type)
      return rewriter.notifyMatchFailure(op, "expected elements stored as they are");
    rewriter.modifyOpInPlace(op, [&] {
      op.getBaseMutable().assign(element.pointer);
      op.getIndicesMutable().assign(element.positions.front());
    });
    return success();
  }
};

struct FlatPrefetchPattern final : OpConversionPattern<memref::PrefetchOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::PrefetchOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Element element(rewriter, op.getLoc(), op.getMemRefType(), adaptor.getMemref(),
                    adaptor.getIndices());
    rewriter.replaceOpWithNewOp<memref::PrefetchOp>(
        op, element.pointer, element.positions.front(), op.getIsWrite(),
        op.getLocalityHint(), op.getIsDataCache());
    return success();
  }
};

/// Copies of adjacent elements, which are stored as they are.
struct FlatCopyPattern final : OpConversionPattern<nvgpu::DeviceAsyncCopyOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(nvgpu::DeviceAsyncCopyOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto find = [&](Value memref, ValueRange values, ArrayRef<ValueRange> indices) {
      return Element(rewriter, op.getLoc(), cast<MemRefType>(memref.getType()), values,
                     indices);
    };
    Element to = find(op.getDst(), adaptor.getDst(), adaptor.getDstIndices());
    Element from = find(op.getSrc(), adaptor.getSrc(), adaptor.getSrcIndices());
    if (to.storage != to.type)
      return rewriter.notifyMatchFailure(op, "expected elements stored as they are");
    rewriter.replaceOpWithNewOp<nvgpu::DeviceAsyncCopyOp>(
        op, op.getType(), to.pointer, to.positions.front(), from.pointer,
        from.positions.front(), op.getDstElementsAttr(), op.getSrcElements(),
        op.getBypassL1Attr());
    return success();
  }
};

/// An access to a complex number is one to each part.
struct FlatAtomicPattern final : OpConversionPattern<AtomicOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(AtomicOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    MemRefType type = cast<MemRefType>(op.getMemref().getType());
    Element element(rewriter, op.getLoc(), type, adaptor.getMemref(),
                    adaptor.getIndices());
    AtomicKind kind = op.getKind();
    AtomicOrder order{op.getScope(), op.getSemantics()};
    // Only a later stage can write down an update of bits.
    bool isUpdateOfBits = isStoredAsBits(element.type) && kind != AtomicKind::Load &&
                          kind != AtomicKind::Store;
    SmallVector<Value, 2> values(element.positions.size());
    if (isUpdateOfBits)
      values = {op.getValue()};
    else if (op.getValue())
      values = element.split(builder, op.getValue());
    SmallVector<Value, 2> parts;
    for (auto [value, position] : llvm::zip_equal(values, element.positions))
      parts.push_back(
          createAtomic(builder, kind, order, value, element.pointer, position));
    if (kind == AtomicKind::Store)
      rewriter.eraseOp(op);
    else
      rewriter.replaceOp(op, isUpdateOfBits ? parts[0] : element.join(builder, parts));
    return success();
  }
};

/// An op that counts from the pointer already.
template <typename Op>
struct FlatPattern final : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(Op op, typename OpConversionPattern<Op>::OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> operands = llvm::map_to_vector(
        adaptor.getOperands(), [](ValueRange values) { return values.front(); });
    rewriter.replaceOpWithNewOp<Op>(op, op->getResultTypes(), operands, op->getAttrs());
    return success();
  }
};

struct AtomicRMWPattern final : OpConversionPattern<memref::AtomicRMWOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::AtomicRMWOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Element element(rewriter, op.getLoc(), op.getMemRefType(), adaptor.getMemref(),
                    adaptor.getIndices());
    if (element.type == element.storage ||
        op.getKind() == arith::AtomicRMWKind::assign) {
      Value value = element.split(builder, op.getValue()).front();
      Value result =
          memref::AtomicRMWOp::create(builder, element.storage, op.getKind(), value,
                                      element.pointer, element.positions);
      rewriter.replaceOp(op, element.join(builder, result));
      return success();
    }
    // Arithmetic on a type that is not stored in memory.
    auto generic =
        memref::GenericAtomicRMWOp::create(builder, element.pointer, element.positions);
    builder.setInsertionPointToStart(generic.getBody());
    Value old = element.join(builder, generic.getCurrentValue());
    Value sum =
        arith::getReductionOp(op.getKind(), builder, op.getLoc(), old, op.getValue());
    memref::AtomicYieldOp::create(builder, element.split(builder, sum).front());
    builder.setInsertionPointAfter(generic);
    rewriter.replaceOp(op, element.join(builder, generic.getResult()));
    return success();
  }
};

struct CastPattern final : OpConversionPattern<memref::CastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::CastOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto from = dyn_cast<MemRefType>(op.getSource().getType());
    auto to = dyn_cast<MemRefType>(op.getType());
    if (!from || !to)
      return rewriter.notifyMatchFailure(op, "expected ranked memrefs");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Descriptor source(from, adaptor.getSource());
    rewriter.replaceOpWithMultiple(
        op, {Descriptor::pack(builder, to, source.getPointer(), source.sizes,
                              source.strides, source.getOffset())});
    return success();
  }
};

struct ReinterpretCastPattern final : OpConversionPattern<memref::ReinterpretCastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::ReinterpretCastOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOpWithMultiple(
        op, {Descriptor::pack(builder, op.getType(), adaptor.getSource().front(),
                              op.getMixedSizes(), op.getMixedStrides(),
                              op.getMixedOffsets().front())});
    return success();
  }
};

/// Views of the language are pieces of descriptors; this one is that of upstream.
struct FlatSubviewPattern final : OpConversionPattern<memref::SubViewOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::SubViewOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Descriptor source(op.getSourceType(), adaptor.getSource());
    OpFoldResult offset = source.getOffset();
    SmallVector<OpFoldResult> sizes, strides;
    llvm::SmallBitVector dropped = op.getDroppedDims();
    for (auto [dim, stride] : llvm::enumerate(source.strides)) {
      OpFoldResult first = createIndexMul(builder, op.getMixedOffsets()[dim], stride);
      offset = createIndexAdd(builder, offset, first);
      if (dropped[dim])
        continue;
      sizes.push_back(op.getMixedSizes()[dim]);
      strides.push_back(createIndexMul(builder, op.getMixedStrides()[dim], stride));
    }
    rewriter.replaceOpWithMultiple(
        op, {Descriptor::pack(builder, op.getType(), source.getPointer(), sizes,
                              strides, offset)});
    return success();
  }
};

/// Complex numbers as their parts, twice as many in the first mode or in one before it.
struct ComplexPartsPattern final : OpConversionPattern<ComplexPartsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ComplexPartsOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Descriptor source(op.getSource().getType(), adaptor.getSource());
    auto twice = [&](OpFoldResult entry) -> OpFoldResult {
      if (std::optional<int64_t> known = getConstantIntValue(entry))
        return rewriter.getIndexAttr(2 * *known);
      Value two = arith::ConstantIndexOp::create(builder, 2);
      return arith::MulIOp::create(builder, cast<Value>(entry), two).getResult();
    };
    if (op.getExpanded()) {
      source.sizes.insert(source.sizes.begin(), rewriter.getIndexAttr(1));
      source.strides.insert(source.strides.begin(), rewriter.getIndexAttr(1));
    }
    source.sizes.front() = twice(source.sizes.front());
    for (OpFoldResult &stride : MutableArrayRef(source.strides).drop_front())
      stride = twice(stride);
    rewriter.replaceOpWithMultiple(
        op, {Descriptor::pack(builder, op.getType(), source.getPointer(), source.sizes,
                              source.strides, twice(source.getOffset()))});
    return success();
  }
};

struct MetadataPattern final : OpConversionPattern<memref::ExtractStridedMetadataOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::ExtractStridedMetadataOp op,
                                OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Descriptor source(cast<MemRefType>(op.getSource().getType()), adaptor.getSource());
    SmallVector<SmallVector<Value>> results{{source.getPointer()}};
    auto add = [&](OpFoldResult entry) {
      results.push_back({toValue(builder, entry)});
    };
    add(source.getOffset());
    llvm::for_each(source.sizes, add);
    llvm::for_each(source.strides, add);
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};

/// The pointer is that of the base, wherever the memref begins.
struct PointerPattern final
    : OpConversionPattern<memref::ExtractAlignedPointerAsIndexOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::ExtractAlignedPointerAsIndexOp op,
                                OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<memref::ExtractAlignedPointerAsIndexOp>(
        op, adaptor.getSource().front());
    return success();
  }
};

struct DimPattern final : OpConversionPattern<memref::DimOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::DimOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto type = dyn_cast<MemRefType>(op.getSource().getType());
    std::optional<int64_t> mode = op.getConstantIndex();
    if (!type || !mode || *mode < 0 || *mode >= type.getRank())
      return rewriter.notifyMatchFailure(op, "expected a constant mode within bounds");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    OpFoldResult size;
    if (!type.isDynamicDim(*mode))
      size = rewriter.getIndexAttr(type.getDimSize(*mode));
    else if (isGroupType(type))
      size = getGroupSize(type, adaptor.getSource());
    else
      size = Descriptor(type, adaptor.getSource()).getSize(*mode);
    rewriter.replaceOp(op, toValue(builder, size));
    return success();
  }

private:
  /// The first index after the pointer and the arrays.
  static Value getGroupSize(MemRefType, ValueRange values) {
    return *llvm::find_if(values,
                          [](Value value) { return value.getType().isIndex(); });
  }
};

/// A piece of the buffer of local memory, in elements as they are stored.
struct ViewPattern final : OpConversionPattern<memref::ViewOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(memref::ViewOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    MemRefType type = op.getType();
    if (!type.hasStaticShape() || !type.getLayout().isIdentity())
      return rewriter.notifyMatchFailure(op, "expected a static packed view");
    int64_t elements = type.getNumElements();
    if (isa<ComplexType>(type.getElementType()))
      elements *= 2;
    Value size = arith::ConstantIndexOp::create(rewriter, op.getLoc(), elements);
    // The buffer is kept unchanged: it has no descriptor.
    rewriter.replaceOpWithNewOp<memref::ViewOp>(
        op, getPointerType(type), op.getSource(), op.getByteShift(), size);
    return success();
  }
};

} // namespace

void tinytc::populateFlattenPatterns(const TypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<FlatLoadPattern, FlatStorePattern, VectorPattern<vector::LoadOp>,
               VectorPattern<vector::StoreOp>, FlatPrefetchPattern, FlatCopyPattern,
               FlatAtomicPattern, FlatPattern<SubgroupBlockLoadOp>,
               FlatPattern<TileProductOp>, AtomicRMWPattern, CastPattern,
               ReinterpretCastPattern, FlatSubviewPattern, ComplexPartsPattern,
               MetadataPattern, DimPattern, PointerPattern, ViewPattern>(
      converter, patterns.getContext());
}
