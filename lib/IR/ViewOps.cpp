//===- ViewOps.cpp - expand, fuse, subview, size --------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/IR/Verify.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tinytc;

//===----------------------------------------------------------------------===//
// Checks that views share
//===----------------------------------------------------------------------===//

/// Checks that a view keeps the address space.
static LogicalResult verifyAddressSpace(Operation *op, MemrefType source,
                                        MemrefType result) {
  if (source.getAddressSpace() == result.getAddressSpace())
    return success();
  return op->emitOpError("expected 'result' to have the address space ")
         << stringifyAddressSpace(source.getAddressSpace()) << " of 'source', got "
         << stringifyAddressSpace(result.getAddressSpace());
}

/// Checks that a view keeps element type and address space.
static LogicalResult verifyViewedMemory(Operation *op, MemrefType source,
                                        MemrefType result) {
  if (failed(verifyResultElement(op, source.getElementType(), result.getElementType())))
    return failure();
  return verifyAddressSpace(op, source, result);
}

namespace {

/// Sizes and strides of a view.
struct Layout {
  SmallVector<int64_t> shape, stride;
};

} // namespace

/// Checks that the view has exactly the shape: dynamic where it is dynamic.
static LogicalResult verifyViewShape(Operation *op, MemrefType result,
                                     const Layout &layout) {
  if (result.getShape() == ArrayRef(layout.shape))
    return success();
  return op->emitOpError("expected 'result' to have shape ")
         << formatSizes(layout.shape) << ", got " << formatSizes(result.getShape());
}

/// Checks that the view has the strides, or `?` in their place.
static LogicalResult verifyViewStride(Operation *op, MemrefType result,
                                      const Layout &layout) {
  if (llvm::all_of_zip(result.getStride(), layout.stride,
                       [](int64_t actual, int64_t step) {
                         return actual == step || ShapedType::isDynamic(actual);
                       }))
    return success();
  return op->emitOpError("expected 'result' to have strides ")
         << formatSizes(layout.stride) << " or '?' in their place, got "
         << formatSizes(result.getStride());
}

/// The type of a view with a layout and an element type, by default that of its source;
/// null after an error if there is none.
static MemrefType inferViewType(Location location, MemrefType source, Layout layout,
                                Type elementType = {}) {
  if (!isAscending(layout.shape, layout.stride))
    layout.stride.assign(layout.stride.size(), ShapedType::kDynamic);
  return MemrefType::getChecked([&] { return emitError(location); },
                                source.getContext(), ArrayRef(layout.shape),
                                elementType ? elementType : source.getElementType(),
                                ArrayRef(layout.stride), source.getAddressSpace());
}

static bool hasNegative(ArrayRef<int64_t> sizes) {
  return llvm::any_of(
      sizes, [](int64_t size) { return size < 0 && !ShapedType::isDynamic(size); });
}

/// Infers the type of a view by `infer`, from that of its source. Where attributes are
/// wrong, it is the source's type, for the verifier to say what is wrong with them.
static LogicalResult inferView(MLIRContext *context, std::optional<Location> location,
                               ValueRange operands, SmallVectorImpl<Type> &types,
                               function_ref<MemrefType(Location, MemrefType)> infer) {
  FailureOr<Type> source = getFirstType<MemrefType>(location, operands, "a memref");
  if (failed(source))
    return failure();
  types.push_back(
      infer(location.value_or(UnknownLoc::get(context)), cast<MemrefType>(*source)));
  return success(types.back() != nullptr);
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

static Layout getExpandLayout(MemrefType source, int64_t mode,
                              ArrayRef<int64_t> sizes) {
  Layout layout{llvm::to_vector(source.getShape()),
                llvm::to_vector(source.getStride())};
  layout.shape.erase(layout.shape.begin() + mode);
  layout.shape.insert(layout.shape.begin() + mode, sizes.begin(), sizes.end());
  for (auto [i, size] : llvm::enumerate(sizes.drop_back()))
    layout.stride.insert(layout.stride.begin() + mode + i + 1,
                         multiply(layout.stride[mode + i], size));
  return layout;
}

MemrefType ExpandOp::inferResultType(Location location, MemrefType source, int64_t mode,
                                     ArrayRef<int64_t> sizes) {
  return inferViewType(location, source, getExpandLayout(source, mode, sizes));
}

LogicalResult ExpandOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  const Properties &entries = adaptor.getProperties();
  auto infer = [&](Location where, MemrefType source) {
    if (!entries.mode || !entries.static_shape || entries.static_shape.empty() ||
        hasNegative(adaptor.getStaticShape()) ||
        adaptor.getMode() >= uint64_t(source.getOrder()))
      return source;
    return inferResultType(where, source, adaptor.getMode(), adaptor.getStaticShape());
  };
  return inferView(context, location, adaptor.getOperands(), types, infer);
}

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
  Layout layout = getExpandLayout(source, mode, newSizes);
  if (failed(verifyViewShape(*this, result, layout)))
    return failure();
  // expand_c6
  return verifyViewStride(*this, result, layout);
}

//===----------------------------------------------------------------------===//
// ExpandC2ROp
//===----------------------------------------------------------------------===//

static Layout getPartsLayout(MemrefType source) {
  Layout layout{{2}, {1}};
  llvm::append_range(layout.shape, source.getShape());
  for (int64_t step : source.getStride())
    layout.stride.push_back(multiply(2, step));
  return layout;
}

LogicalResult ExpandC2ROp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto infer = [](Location where, MemrefType source) {
    auto complexType = dyn_cast<ComplexType>(source.getElementType());
    return complexType ? inferViewType(where, source, getPartsLayout(source),
                                       complexType.getElementType())
                       : source;
  };
  return inferView(context, location, adaptor.getOperands(), types, infer);
}

LogicalResult ExpandC2ROp::verify() {
  MemrefType source = getSource().getType(), result = getType();
  // expandc2r_c1
  auto complexType = dyn_cast<ComplexType>(source.getElementType());
  if (!complexType)
    return emitOpError("expected 'source' to have complex elements, got ") << source;
  if (result.getElementType() != complexType.getElementType())
    return emitOpError("expected 'result' to have the element type ")
           << complexType.getElementType() << " of the parts of " << complexType
           << ", got " << result.getElementType();
  // expandc2r_c2
  if (failed(verifyAddressSpace(*this, source, result)))
    return failure();
  // expandc2r_c3
  Layout layout = getPartsLayout(source);
  if (failed(verifyViewShape(*this, result, layout)))
    return failure();
  // expandc2r_c4
  return verifyViewStride(*this, result, layout);
}

//===----------------------------------------------------------------------===//
// FuseOp
//===----------------------------------------------------------------------===//

static bool areModesToFuse(MemrefType source, int64_t from, int64_t to) {
  return 0 <= from && from < to && to < source.getOrder();
}

static Layout getFuseLayout(MemrefType source, int64_t from, int64_t to) {
  Layout layout{llvm::to_vector(source.getShape()),
                llvm::to_vector(source.getStride())};
  layout.shape[from] = multiply(source.getShape().slice(from, to - from + 1));
  for (SmallVector<int64_t> *list : {&layout.shape, &layout.stride})
    list->erase(list->begin() + from + 1, list->begin() + to + 1);
  return layout;
}

MemrefType FuseOp::inferResultType(Location location, MemrefType source, int64_t from,
                                   int64_t to) {
  return inferViewType(location, source, getFuseLayout(source, from, to));
}

LogicalResult FuseOp::inferReturnTypes(MLIRContext *context,
                                       std::optional<Location> location,
                                       Adaptor adaptor, SmallVectorImpl<Type> &types) {
  const Properties &entries = adaptor.getProperties();
  auto infer = [&](Location where, MemrefType source) {
    if (!entries.from || !entries.to ||
        !areModesToFuse(source, adaptor.getFrom(), adaptor.getTo()))
      return source;
    return inferResultType(where, source, adaptor.getFrom(), adaptor.getTo());
  };
  return inferView(context, location, adaptor.getOperands(), types, infer);
}

LogicalResult FuseOp::verify() {
  MemrefType source = getSource().getType(), result = getType();
  int64_t from = getFrom(), to = getTo();
  // fuse_c1
  if (failed(verifyViewedMemory(*this, source, result)))
    return failure();
  // fuse_c2
  if (!areModesToFuse(source, from, to))
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
  Layout layout = getFuseLayout(source, from, to);
  if (failed(verifyViewShape(*this, result, layout)))
    return failure();
  // fuse_c5
  return verifyViewStride(*this, result, layout);
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

static Layout getSubviewLayout(MemrefType source, ArrayRef<int64_t> sizes) {
  Layout layout;
  for (auto [mode, size] : llvm::enumerate(sizes)) {
    if (SubviewOp::isRemoved(source, sizes, mode))
      continue;
    layout.shape.push_back(size);
    layout.stride.push_back(source.getStride()[mode]);
  }
  return layout;
}

MemrefType SubviewOp::inferResultType(Location location, MemrefType source,
                                      ArrayRef<int64_t> sizes) {
  return inferViewType(location, source, getSubviewLayout(source, sizes));
}

LogicalResult SubviewOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  const Properties &entries = adaptor.getProperties();
  auto infer = [&](Location where, MemrefType source) {
    if (!entries.static_sizes || entries.static_sizes.size() != source.getOrder() ||
        hasNegative(adaptor.getStaticSizes()))
      return source;
    return inferResultType(where, source, adaptor.getStaticSizes());
  };
  return inferView(context, location, adaptor.getOperands(), types, infer);
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
  SmallVector<int64_t> knownSizes = getKnownSizes(sizes, getSizes());
  for (size_t mode = 0; mode < order; ++mode)
    if (failed(verifyNotNegative(*this, "offset", mode, offsets[mode])) ||
        failed(verifyNotNegative(*this, "size", mode, knownSizes[mode])) ||
        failed(verifySlice(*this, mode, offsets[mode], sizes[mode],
                           source.getShape()[mode])))
      return failure();
  // subview_c5
  Layout layout = getSubviewLayout(source, sizes);
  if (failed(verifyViewShape(*this, result, layout)))
    return failure();
  // subview_c6
  return verifyViewStride(*this, result, layout);
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
