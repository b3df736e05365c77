//===- VectorAccess.cpp - Loads and stores of adjacent elements -----------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Vectors are only aligned like their elements, unless they say more. MLIR reads no
// pointers to vectors of more than four numbers again, so longer vectors go through
// memory in pieces of up to four numbers of 8 bytes, which drivers join.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/GPUToSPIRV/Patterns.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// The accesses to memory that a vector is split into.
struct Pieces {
  /// Number of accesses; 0: vectors of this size are not handled here.
  int64_t count = 0;
  /// The part of the vector that one access loads or stores.
  VectorType elements;
  /// The type of that part in memory.
  Type type;
};

} // namespace

static Pieces getPieces(VectorType type) {
  if (type.getRank() != 1 || !type.getElementType().isIntOrFloat())
    return {};
  int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
  Type number = IntegerType::get(type.getContext(), 64);
  if (bits == 64)
    return {1, type, number};
  if (bits == 128 || bits == 256)
    return {1, type, VectorType::get(bits / 64, number)};
  if (bits == 512)
    return {2, VectorType::get(type.getNumElements() / 2, type.getElementType()),
            VectorType::get(4, number)};
  return {};
}

/// The numbers from `first` on.
static SmallVector<int32_t> getRange(int64_t first, int64_t count) {
  SmallVector<int32_t> result;
  for (int64_t i = 0; i < count; ++i)
    result.push_back(first + i);
  return result;
}

/// Pointers to the pieces of a vector at an element, and how they are accessed.
template <typename OpTy>
static SmallVector<Value>
createPlaces(ImplicitLocOpBuilder &builder, OpTy op, typename OpTy::Adaptor adaptor,
             const SPIRVTypeConverter &converter, const Pieces &pieces) {
  auto pointer = cast<spirv::PointerType>(adaptor.getBase().getType());
  Value element = spirv::getElementPtr(converter, op.getMemRefType(), adaptor.getBase(),
                                       adaptor.getIndices(), op.getLoc(), builder);
  Value first = spirv::BitcastOp::create(
      builder, spirv::PointerType::get(pieces.type, pointer.getStorageClass()),
      element);
  SmallVector<Value> places = {first};
  for (int64_t i = 1; i < pieces.count; ++i)
    places.push_back(spirv::PtrAccessChainOp::create(
        builder, first.getType(), first,
        spirv::ConstantOp::create(builder, builder.getI64Type(),
                                  builder.getI64IntegerAttr(i)),
        ValueRange()));
  return places;
}

/// The bits of `value` as a number or vector of `type`.
static Value createBitcast(ImplicitLocOpBuilder &builder, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return spirv::BitcastOp::create(builder, type, value);
}

/// The alignment of an access, in bytes.
template <typename OpTy>
static IntegerAttr getAlignment(ImplicitLocOpBuilder &builder, OpTy op) {
  int64_t elementBytes = op.getVectorType().getElementTypeBitWidth() / 8;
  return builder.getI32IntegerAttr(op.getAlignment().value_or(elementBytes));
}

static spirv::MemoryAccessAttr getAligned(MLIRContext *context) {
  return spirv::MemoryAccessAttr::get(context, spirv::MemoryAccess::Aligned);
}

namespace {

struct VectorLoadPattern final : OpConversionPattern<vector::LoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(vector::LoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    VectorType type = op.getVectorType();
    Pieces pieces = getPieces(type);
    if (pieces.count == 0)
      return rewriter.notifyMatchFailure(op, "expected a vector of 8 to 64 bytes");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    SmallVector<Value> parts;
    for (Value place : createPlaces(builder, op, adaptor,
                                    *getTypeConverter<SPIRVTypeConverter>(), pieces)) {
      Value bits =
          spirv::LoadOp::create(builder, pieces.type, place, getAligned(getContext()),
                                getAlignment(builder, op));
      parts.push_back(createBitcast(builder, bits, pieces.elements));
    }
    if (pieces.count == 1)
      rewriter.replaceOp(op, parts);
    else
      rewriter.replaceOpWithNewOp<spirv::VectorShuffleOp>(
          op, type, parts[0], parts[1],
          builder.getI32ArrayAttr(getRange(0, type.getNumElements())));
    return success();
  }
};

struct VectorStorePattern final : OpConversionPattern<vector::StoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(vector::StoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Pieces pieces = getPieces(op.getVectorType());
    if (pieces.count == 0)
      return rewriter.notifyMatchFailure(op, "expected a vector of 8 to 64 bytes");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    int64_t length = pieces.elements.getNumElements();
    Value value = adaptor.getValueToStore();
    SmallVector<Value> places = createPlaces(
        builder, op, adaptor, *getTypeConverter<SPIRVTypeConverter>(), pieces);
    for (auto [i, place] : llvm::enumerate(places)) {
      Value elements = value;
      if (pieces.count > 1)
        elements = spirv::VectorShuffleOp::create(
            builder, pieces.elements, value, value,
            builder.getI32ArrayAttr(getRange(i * length, length)));
      spirv::StoreOp::create(builder, place,
                             createBitcast(builder, elements, pieces.type),
                             getAligned(getContext()), getAlignment(builder, op));
    }
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tinytc::populateVectorAccessPatterns(const SPIRVTypeConverter &converter,
                                          RewritePatternSet &patterns) {
  patterns.add<VectorLoadPattern, VectorStorePattern>(converter, patterns.getContext(),
                                                      /*benefit=*/2);
}
