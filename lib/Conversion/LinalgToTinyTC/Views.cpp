//===- Views.cpp - memref types and views -> those of tinytc --------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/LinalgToTinyTC/Raiser.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

unsigned View::getMode(int64_t dim) const {
  return std::distance(modes.begin(), llvm::find(modes, dim));
}

/// The order of dimensions in which strides ascend, if there is one. Where strides are
/// dynamic, the last dimension is contiguous, as MLIR's default is, unless only the
/// first one is known to be.
static std::optional<SmallVector<int64_t>> getModes(ArrayRef<int64_t> shape,
                                                    ArrayRef<int64_t> strides) {
  auto rowMajor = llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, shape.size())));
  auto columnMajor = llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
  auto sorted = rowMajor;
  llvm::stable_sort(sorted,
                    [&](int64_t a, int64_t b) { return strides[a] < strides[b]; });
  if (shape.size() > 1 && strides.front() == 1 && strides.back() != 1)
    std::swap(rowMajor, columnMajor);
  for (ArrayRef<int64_t> modes : {rowMajor, columnMajor, sorted})
    if (isAscending(applyPermutation(shape, modes), applyPermutation(strides, modes)))
      return llvm::to_vector(modes);
  return std::nullopt;
}

/// Whether a memory space is the default one, or the one of the gpu dialect that stands
/// for `space`.
static bool isSpace(Attribute attribute, AddressSpace space) {
  if (!attribute)
    return true;
  if (auto number = dyn_cast<IntegerAttr>(attribute))
    return number.getValue().isZero();
  auto gpuSpace = dyn_cast<gpu::AddressSpaceAttr>(attribute);
  bool isGlobal = gpuSpace && gpuSpace.getValue() == gpu::AddressSpace::Global;
  return gpuSpace && isGlobal == (space == AddressSpace::Global);
}

FailureOr<std::pair<MemrefType, SmallVector<int64_t>>>
tinytc::convertMemref(Location loc, StringRef what, MemRefType type,
                      AddressSpace space) {
  SmallVector<int64_t> strides;
  int64_t offset;
  // The pointer of a launch is to the first element, wherever that is in an array.
  bool isAnywhere = space == AddressSpace::Global;
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      !(offset == 0 || (isAnywhere && ShapedType::isDynamic(offset))))
    return emitError(loc) << "expected " << what
                          << " to be a memref with strides and without an offset, got "
                          << type;
  if (!isSpace(type.getMemorySpace(), space))
    return emitError(loc) << "expected " << what << " to be in the "
                          << (space == AddressSpace::Global ? "default" : "local")
                          << " memory space, got " << type;
  std::optional<SmallVector<int64_t>> modes = getModes(type.getShape(), strides);
  if (!modes)
    return emitError(loc) << "expected " << what
                          << " to have strides of which each is at least another one "
                             "times its size, got "
                          << type;
  SmallVector<int64_t> shape = applyPermutation(type.getShape(), *modes);
  strides = applyPermutation(ArrayRef<int64_t>(strides), *modes);
  auto converted =
      MemrefType::getChecked([&] { return emitError(loc) << what << ": "; },
                             type.getContext(), ArrayRef<int64_t>(shape),
                             type.getElementType(), ArrayRef<int64_t>(strides), space);
  if (!converted)
    return failure();
  return std::pair(converted, *modes);
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

FailureOr<View> Raiser::getView(Operation &user, Value memref) {
  auto found = views.find(memref);
  if (found != views.end())
    return found->second;
  return user.emitError(
             "expected a memref that is a parameter, an alloca or a view, got "
             "another value of type ")
         << memref.getType();
}

View Raiser::createSubview(Location loc, const View &source,
                           ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                           const llvm::SmallBitVector &dropped) {
  SmallVector<int64_t> staticOffsets, staticSizes;
  SmallVector<Value> dynamicOffsets, dynamicSizes;
  View view;
  for (int64_t dim : source.modes) {
    dispatchIndexOpFoldResult(offsets[dim], dynamicOffsets, staticOffsets);
    if (dropped[dim]) {
      staticSizes.push_back(0);
      continue;
    }
    dispatchIndexOpFoldResult(sizes[dim], dynamicSizes, staticSizes);
    // Dimensions after a dropped one move up.
    view.modes.push_back(dim - llvm::count_if(dropped.set_bits(), [&](auto bit) {
                           return int64_t(bit) < dim;
                         }));
  }
  if (MemrefType own = SubviewOp::inferResultType(loc, source.getType(), staticSizes))
    view.memref = SubviewOp::create(builder, loc, own, source.memref, staticOffsets,
                                    staticSizes, dynamicOffsets, dynamicSizes);
  return view;
}

LogicalResult Raiser::raiseSubview(memref::SubViewOp op) {
  FailureOr<View> source = getView(*op, op.getSource());
  if (failed(source))
    return failure();
  if (!llvm::all_of(op.getMixedStrides(), isOneInteger))
    return op.emitError("expected a subview with steps of 1, got other steps");
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [dim, size] : llvm::enumerate(op.getStaticSizes()))
    if (size == 0)
      return op.emitError("expected a subview with elements, got size 0 of dimension ")
             << dim;
  auto mapAll = [&](ArrayRef<OpFoldResult> values) {
    return llvm::map_to_vector(values, [&](OpFoldResult value) { return map(value); });
  };
  View view = createSubview(op.getLoc(), *source, mapAll(op.getMixedOffsets()),
                            mapAll(op.getMixedSizes()), dropped);
  views[op.getResult()] = view;
  return success(view.memref != nullptr);
}

LogicalResult Raiser::raiseTranspose(memref::TransposeOp op) {
  FailureOr<View> source = getView(*op, op.getIn());
  if (failed(source))
    return failure();
  View view{source->memref, {}};
  AffineMap permutation = op.getPermutation();
  for (int64_t dim : source->modes)
    view.modes.push_back(
        *permutation.getResultPosition(getAffineDimExpr(dim, op.getContext())));
  views[op.getResult()] = view;
  return success();
}

LogicalResult Raiser::raiseExpand(memref::ExpandShapeOp op) {
  FailureOr<View> source = getView(*op, op.getSrc());
  if (failed(source))
    return failure();
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  View view{source->memref, {}};
  if (source->modes.empty())
    return op.emitError("expected a source of rank 1 or higher, got rank 0");
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  for (int64_t dim : source->modes) {
    // The last dimension of a group is the fastest.
    auto members = llvm::to_vector(llvm::reverse(groups[dim]));
    int64_t mode = view.modes.size();
    llvm::append_range(view.modes, members);
    if (members.size() == 1)
      continue;
    SmallVector<int64_t> factors;
    SmallVector<Value> dynamicFactors;
    for (int64_t member : members)
      dispatchIndexOpFoldResult(map(sizes[member]), dynamicFactors, factors);
    MemrefType own =
        ExpandOp::inferResultType(op.getLoc(), view.getType(), mode, factors);
    if (!own)
      return failure();
    view.memref = ExpandOp::create(builder, op.getLoc(), own, view.memref, mode,
                                   factors, dynamicFactors);
  }
  views[op.getResult()] = view;
  return success();
}

LogicalResult Raiser::raiseCollapse(memref::CollapseShapeOp op) {
  FailureOr<View> source = getView(*op, op.getSrc());
  if (failed(source))
    return failure();
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  if (groups.empty()) { // a single element
    unsigned rank = source->modes.size();
    SmallVector<OpFoldResult> zeros(rank, builder.getIndexAttr(0));
    views[op.getResult()] = createSubview(op.getLoc(), *source, zeros, zeros,
                                          llvm::SmallBitVector(rank, true));
    return success();
  }
  View view = *source;
  for (auto [dim, group] : llvm::enumerate(groups)) {
    auto members = llvm::to_vector(llvm::reverse(group));
    unsigned mode = view.getMode(members.front());
    auto found = ArrayRef(view.modes).drop_front(mode).take_front(members.size());
    if (found != ArrayRef(members))
      return op.emitError("expected dimensions that are joined to follow each other in "
                          "memory, the last one first, got another order");
    if (members.size() > 1) {
      int64_t last = mode + members.size() - 1;
      MemrefType own = FuseOp::inferResultType(op.getLoc(), view.getType(), mode, last);
      view.modes.erase(view.modes.begin() + mode + 1, view.modes.begin() + last + 1);
      if (!own)
        return failure();
      view.memref = FuseOp::create(builder, op.getLoc(), own, view.memref, mode, last);
    }
    // Negative until all dimensions have been renamed.
    view.modes[mode] = ~int64_t(dim);
  }
  for (int64_t &mode : view.modes)
    mode = ~mode;
  views[op.getResult()] = view;
  return success();
}
