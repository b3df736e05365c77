//===- Descriptor.cpp - A memref as pointer and dope vector ---------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/OutlineKernels/Descriptor.h"
#include "dialect/Scalars.h"
#include "lib/Builders/Indices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;

MemRefType tinytc::getPointerType(MemRefType type) {
  Type element = type.getElementType();
  if (auto inner = dyn_cast<MemRefType>(element))
    element = getPointerType(inner);
  return MemRefType::get(ShapedType::kDynamic, getStorageType(element),
                         MemRefLayoutAttrInterface(), type.getMemorySpace());
}

/// Whether `type` is an array of scalars that one work-item has for itself.
static bool isPrivateArray(MemRefType type) {
  auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
  return space && space.getValue() == gpu::AddressSpace::Private &&
         type.getRank() == 1 && type.hasStaticShape() &&
         type.getLayout().isIdentity() &&
         type.getElementType() == getStorageType(type.getElementType());
}

bool tinytc::isPointerType(MemRefType type) {
  return type == getPointerType(type) || isPrivateArray(type);
}

bool tinytc::isGroupType(MemRefType type) {
  return isa<MemRefType>(type.getElementType());
}

void tinytc::getDescriptorTypes(MemRefType type, SmallVectorImpl<Type> &types) {
  Type index = IndexType::get(type.getContext());
  types.push_back(getPointerType(type));
  if (isGroupType(type)) {
    auto inner = cast<MemRefType>(type.getElementType());
    auto [strides, offset] = inner.getStridesAndOffset();
    auto array =
        MemRefType::get(ShapedType::kDynamic, IntegerType::get(type.getContext(), 64));
    types.append(inner.getNumDynamicDims() +
                     llvm::count_if(strides, ShapedType::isDynamic),
                 array);
    types.append(type.getNumDynamicDims() + ShapedType::isDynamic(offset), index);
    return;
  }
  auto [strides, offset] = type.getStridesAndOffset();
  types.append(type.getNumDynamicDims() +
                   llvm::count_if(strides, ShapedType::isDynamic) +
                   ShapedType::isDynamic(offset),
               index);
}

Descriptor::Descriptor(MemRefType type, ValueRange values) : pointer(values.front()) {
  Builder builder(type.getContext());
  auto [typeStrides, typeOffset] = type.getStridesAndOffset();
  size_t next = 1;
  auto getEntry = [&](int64_t constant) -> OpFoldResult {
    if (ShapedType::isDynamic(constant))
      return values[next++];
    return builder.getIndexAttr(constant);
  };
  sizes = llvm::map_to_vector(type.getShape(), getEntry);
  strides = llvm::map_to_vector(typeStrides, getEntry);
  offset = getEntry(typeOffset);
}

namespace {

/// A sum of indices times strides, built so that loops add as little as possible: terms
/// of outer blocks come first and are added up there, constants come last.
class LinearIndex {
public:
  explicit LinearIndex(ConversionPatternRewriter &rewriter) : rewriter(rewriter) {}

  void add(OpFoldResult index, OpFoldResult stride) {
    std::optional<int64_t> known = getConstantIntValue(index);
    std::optional<int64_t> knownStride = getConstantIntValue(stride);
    if (known && (knownStride || *known == 0)) {
      constant += *known * knownStride.value_or(0);
      return;
    }
    Value value = cast<Value>(index);
    if (auto sum = value.getDefiningOp<arith::AddIOp>(); sum && knownStride) {
      // Operands of an operation that is kept still name parameters that have been
      // replaced.
      Value lhs = rewriter.getRemappedValue(sum.getLhs());
      Value rhs = rewriter.getRemappedValue(sum.getRhs());
      // Parts that are known earlier than others are separate terms.
      if (getConstantIntValue(rhs) || getDepth(lhs) != getDepth(rhs)) {
        add(lhs, stride);
        add(rhs, stride);
        return;
      }
    }
    terms.push_back({value, stride});
  }

  /// The positions of elements that have this many parts.
  SmallVector<Value, 2> build(Location loc, int64_t parts) {
    ImplicitLocOpBuilder builder(loc, rewriter);
    llvm::stable_sort(terms, [](const Term &a, const Term &b) {
      return getDepth(getLater(a)) < getDepth(getLater(b));
    });
    auto createTimes = [&](Value index, OpFoldResult factor) -> Value {
      if (isOneInteger(factor))
        return index;
      Value value = toValue(builder, factor);
      return arith::MulIOp::create(builder, index, value);
    };
    Value linear;
    {
      OpBuilder::InsertionGuard guard(builder);
      for (const Term &term : terms) {
        Value later = getLater(term);
        builder.setInsertionPointAfterValue(linear && isLater(linear, later) ? linear
                                                                             : later);
        Value product = createTimes(term.index, term.stride);
        linear = linear ? arith::AddIOp::create(builder, linear, product) : product;
      }
      if (linear)
        linear = createTimes(linear, builder.getIndexAttr(parts));
    }
    SmallVector<Value, 2> positions;
    for (int64_t part = 0; part < parts; ++part) {
      int64_t distance = constant * parts + part;
      if (linear && distance == 0) {
        positions.push_back(linear);
        continue;
      }
      Value last = arith::ConstantIndexOp::create(builder, distance);
      positions.push_back(linear ? arith::AddIOp::create(builder, linear, last) : last);
    }
    return positions;
  }

private:
  struct Term {
    Value index;
    OpFoldResult stride;
  };

  static unsigned getDepth(Value value) {
    unsigned depth = 0;
    for (Operation *op = value.getParentBlock()->getParentOp(); op;
         op = op->getParentOp())
      ++depth;
    return depth;
  }

  /// For two values that one operation may use: whether `a` is defined after `b`.
  static bool isLater(Value a, Value b) {
    if (a.getParentBlock() != b.getParentBlock())
      return getDepth(a) > getDepth(b);
    Operation *aOp = a.getDefiningOp(), *bOp = b.getDefiningOp();
    return aOp && (!bOp || bOp->isBeforeInBlock(aOp));
  }

  static Value getLater(const Term &term) {
    auto stride = dyn_cast<Value>(term.stride);
    return stride && isLater(stride, term.index) ? stride : term.index;
  }

  ConversionPatternRewriter &rewriter;
  SmallVector<Term> terms;
  int64_t constant = 0;
};

} // namespace

SmallVector<Value, 2> Descriptor::getPositions(ConversionPatternRewriter &rewriter,
                                               Location loc,
                                               ArrayRef<ValueRange> indices,
                                               int64_t parts) const {
  LinearIndex linear(rewriter);
  for (auto [index, stride] : llvm::zip(indices, strides))
    linear.add(index.front(), stride);
  linear.add(offset, rewriter.getIndexAttr(1));
  return linear.build(loc, parts);
}

SmallVector<Value> Descriptor::pack(ImplicitLocOpBuilder &builder, MemRefType type,
                                    Value pointer, ArrayRef<OpFoldResult> sizes,
                                    ArrayRef<OpFoldResult> strides,
                                    OpFoldResult offset) {
  SmallVector<Value> values{pointer};
  auto [typeStrides, typeOffset] = type.getStridesAndOffset();
  auto addEntry = [&](int64_t constant, OpFoldResult entry) {
    if (ShapedType::isDynamic(constant))
      values.push_back(toValue(builder, entry));
  };
  for (auto [constant, size] : llvm::zip(type.getShape(), sizes))
    addEntry(constant, size);
  for (auto [constant, stride] : llvm::zip(typeStrides, strides))
    addEntry(constant, stride);
  addEntry(typeOffset, offset);
  return values;
}
