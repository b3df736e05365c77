//===- ViewOps.cpp - expand, fuse, subview, size --------------------------===//

#include "lib/IR/Verify.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tinytc;

//===----------------------------------------------------------------------===//
// Checks that views share
//===----------------------------------------------------------------------===//

/// Checks that a view keeps element type and address space.
static LogicalResult verifyViewedMemory(Operation *op, MemrefType source,
                                        MemrefType result) {
  if (source.getElementType() != result.getElementType())
    return op->emitOpError("expected 'result' to have the element type ")
           << source.getElementType() << " of 'source', got "
           << result.getElementType();
  if (source.getAddressSpace() != result.getAddressSpace())
    return op->emitOpError("expected 'result' to have the address space ")
           << stringifyAddressSpace(source.getAddressSpace()) << " of 'source', got "
           << stringifyAddressSpace(result.getAddressSpace());
  return success();
}

/// Checks that the view has exactly the shape: dynamic where it is dynamic.
static LogicalResult verifyViewShape(Operation *op, MemrefType result,
                                     ArrayRef<int64_t> shape) {
  if (result.getShape() == shape)
    return success();
  return op->emitOpError("expected 'result' to have shape ")
         << formatSizes(shape) << ", got " << formatSizes(result.getShape());
}

/// Checks that the view has the strides, or `?` in their place.
static LogicalResult verifyViewStride(Operation *op, MemrefType result,
                                      ArrayRef<int64_t> stride) {
  if (llvm::all_of_zip(result.getStride(), stride, [](int64_t actual, int64_t step) {
        return actual == step || ShapedType::isDynamic(actual);
      }))
    return success();
  return op->emitOpError("expected 'result' to have strides ")
         << formatSizes(stride) << " or '?' in their place, got "
         << formatSizes(result.getStride());
}

/// Product of sizes, dynamic if one of them is dynamic or the product is too large.
static int64_t multiply(int64_t lhs, int64_t rhs) {
  int64_t product = 0;
  if (ShapedType::isDynamic(lhs) || ShapedType::isDynamic(rhs) ||
      llvm::MulOverflow(lhs, rhs, product))
    return ShapedType::kDynamic;
  return product;
}

static int64_t multiply(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product = multiply(product, size);
  return product;
}

/// Checks that a list with constants has one operand for each `?` in it.
static LogicalResult verifyDynamicCount(Operation *op, StringRef what,
                                        ArrayRef<int64_t> constants,
                                        ValueRange operands) {
  size_t expected = llvm::count_if(constants, ShapedType::isDynamic);
  if (operands.size() == expected)
    return success();
  return op->emitOpError("expected one operand for each of the ")
         << expected << " dynamic " << what << ", got " << operands.size();
}

/// The sizes of a view, with the constants among its operands.
static SmallVector<int64_t> getKnownSizes(ArrayRef<int64_t> constants,
                                          ValueRange operands) {
  SmallVector<int64_t> sizes = llvm::to_vector(constants);
  for (int64_t &size : sizes) {
    if (!ShapedType::isDynamic(size))
      continue;
    APInt constant;
    if (matchPattern(operands.front(), m_ConstantInt(&constant)))
      size = constant.getSExtValue();
    operands = operands.drop_front();
  }
  return sizes;
}

//===----------------------------------------------------------------------===//
// ExpandOp
//===----------------------------------------------------------------------===//

LogicalResult ExpandOp::verify() {
  MemrefType source = getSource().getType(), result = getType();
  ArrayRef<int64_t> newSizes = getStaticShape();
  int64_t mode = getMode();
  // expand_c1
  if (failed(verifyViewedMemory(*this, source, result)))
    return failure();
  // expand_c2
  if (failed(verifyMode(*this, mode, source.getOrder())))
    return failure();
  // expand_c3
  if (newSizes.size() < 2)
    return emitOpError("expected an expand shape of at least 2 modes, got ")
           << newSizes.size();
  if (failed(verifyDynamicCount(*this, "sizes", newSizes, getShape())))
    return failure();
  int64_t known = 1;
  for (auto [size, knownSize] :
       llvm::zip(newSizes, getKnownSizes(newSizes, getShape()))) {
    if (knownSize < 1 && !ShapedType::isDynamic(knownSize))
      return emitOpError("expected the expand shape to be positive, got ") << knownSize;
    if (!ShapedType::isDynamic(size))
      known = multiply(known, size);
  }
  // expand_c4
  int64_t size = source.getShape()[mode];
  if (!ShapedType::isDynamic(size)) {
    if (getShape().empty() && known != size)
      return emitOpError("expected the product of the expand shape to equal the size "
                         "of mode ")
             << mode << " = " << size << ", got " << formatSizes(newSizes);
    if (ShapedType::isDynamic(known) || size % known != 0)
      return emitOpError("expected the known part of the expand shape to divide the "
                         "size of mode ")
             << mode << " = " << size << ", got " << formatSizes(newSizes);
  }
  // expand_c5
  SmallVector<int64_t> shape = llvm::to_vector(source.getShape());
  shape.erase(shape.begin() + mode);
  shape.insert(shape.begin() + mode, newSizes.begin(), newSizes.end());
  if (failed(verifyViewShape(*this, result, shape)))
    return failure();
  // expand_c6
  SmallVector<int64_t> stride = llvm::to_vector(source.getStride());
  for (auto [i, newSize] : llvm::enumerate(newSizes.drop_back()))
    stride.insert(stride.begin() + mode + i + 1, multiply(stride[mode + i], newSize));
  return verifyViewStride(*this, result, stride);
}

//===----------------------------------------------------------------------===//
// FuseOp
//===----------------------------------------------------------------------===//

LogicalResult FuseOp::verify() {
  MemrefType source = getSource().getType(), result = getType();
  int64_t from = getFrom(), to = getTo();
  // fuse_c1
  if (failed(verifyViewedMemory(*this, source, result)))
    return failure();
  // fuse_c2
  if (!(0 <= from && from < to && to < source.getOrder()))
    return emitOpError("expected 0 <= from < to < order = ")
           << source.getOrder() << ", got from = " << from << " and to = " << to;
  // fuse_c3
  ArrayRef<int64_t> oldShape = source.getShape(), oldStride = source.getStride();
  for (int64_t k = from; k < to; ++k)
    if (!isCompatible(multiply(oldStride[k], oldShape[k]), oldStride[k + 1]))
      return emitOpError("expected the stride of mode ")
             << k + 1 << " to equal stride times size of mode " << k << " = "
             << oldStride[k] << " * " << oldShape[k] << ", got " << oldStride[k + 1];
  // fuse_c4
  SmallVector<int64_t> shape = llvm::to_vector(oldShape);
  shape[from] = multiply(oldShape.slice(from, to - from + 1));
  shape.erase(shape.begin() + from + 1, shape.begin() + to + 1);
  if (failed(verifyViewShape(*this, result, shape)))
    return failure();
  // fuse_c5
  SmallVector<int64_t> stride = llvm::to_vector(oldStride);
  stride.erase(stride.begin() + from + 1, stride.begin() + to + 1);
  return verifyViewStride(*this, result, stride);
}

//===----------------------------------------------------------------------===//
// SubviewOp
//===----------------------------------------------------------------------===//

/// Checks the offset or the size of a slice, if it is known.
static LogicalResult verifyNotNegative(SubviewOp op, StringRef what, int64_t mode,
                                       int64_t entry) {
  // subview_c3
  if (entry >= 0 || ShapedType::isDynamic(entry))
    return success();
  return op.emitOpError("expected the ")
         << what << " of mode " << mode << " to be non-negative, got " << entry;
}

/// Checks one slice against the size of its mode, where these are static.
static LogicalResult verifySlice(SubviewOp op, int64_t mode, int64_t offset,
                                 int64_t size, int64_t modeSize) {
  // subview_c4
  bool isWhole = offset == 0 && size == 0 && modeSize == 0;
  if (isWhole || isSliceWithin(offset, size, modeSize))
    return success();
  return op.emitOpError("expected the slice of mode ")
         << mode << " to end within its size " << modeSize << ", got offset "
         << (ShapedType::isDynamic(offset) ? "?" : std::to_string(offset))
         << " and size " << (ShapedType::isDynamic(size) ? "?" : std::to_string(size));
}

LogicalResult SubviewOp::verify() {
  MemrefType source = getSource().getType(), result = getType();
  ArrayRef<int64_t> offsets = getStaticOffsets(), sizes = getStaticSizes();
  // subview_c1
  if (failed(verifyViewedMemory(*this, source, result)))
    return failure();
  // subview_c2
  size_t order = source.getOrder();
  if (offsets.size() != order || sizes.size() != order)
    return emitOpError("expected one offset and one size for each of the ")
           << order << " modes, got " << offsets.size() << " and " << sizes.size();
  if (failed(verifyDynamicCount(*this, "offsets", offsets, getOffsets())) ||
      failed(verifyDynamicCount(*this, "sizes", sizes, getSizes())))
    return failure();
  SmallVector<int64_t> shape, stride, knownSizes = getKnownSizes(sizes, getSizes());
  for (size_t mode = 0; mode < order; ++mode) {
    if (failed(verifyNotNegative(*this, "offset", mode, offsets[mode])) ||
        failed(verifyNotNegative(*this, "size", mode, knownSizes[mode])) ||
        failed(verifySlice(*this, mode, offsets[mode], sizes[mode],
                           source.getShape()[mode])))
      return failure();
    if (isRemoved(mode))
      continue;
    shape.push_back(sizes[mode]);
    stride.push_back(source.getStride()[mode]);
  }
  // subview_c5
  if (failed(verifyViewShape(*this, result, shape)))
    return failure();
  // subview_c6
  return verifyViewStride(*this, result, stride);
}

//===----------------------------------------------------------------------===//
// SizeOp
//===----------------------------------------------------------------------===//

LogicalResult SizeOp::verify() {
  // size_c1
  auto memref = dyn_cast<MemrefType>(getSource().getType());
  return verifyMode(*this, getMode(), memref ? memref.getOrder() : 1);
}

//===----------------------------------------------------------------------===//
// AssociatedOp
//===----------------------------------------------------------------------===//

/// Views say the same as what they are views of.
OpFoldResult AssociatedOp::fold(FoldAdaptor) {
  Value root = getSource();
  while (auto view = root.getDefiningOp<ViewLikeOpInterface>())
    root = view.getViewSource();
  auto memref = dyn_cast<MemrefType>(root.getType());
  if (memref && memref.isLocal())
    return BoolAttr::get(getContext(), true);
  if (root == getSource())
    return {};
  getSourceMutable().assign(root);
  return getResult();
}
