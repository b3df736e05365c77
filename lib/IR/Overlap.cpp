//===- Overlap.cpp - Operands of one instruction that overlap -------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Work-items of a group would read elements that others write.
//
//===----------------------------------------------------------------------===//

#include "lib/IR/Blocks.h"
#include "lib/IR/Verify.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

Value tinytc::getViewSource(Value memref) {
  Operation *op = memref.getDefiningOp();
  return isa_and_nonnull<SubviewOp, ExpandOp, ExpandC2ROp, FuseOp>(op)
             ? op->getOperand(0)
             : Value();
}

Value tinytc::getViewRoot(Value memref) {
  while (Value source = getViewSource(memref))
    memref = source;
  return memref;
}

/// Moves the block of a view's source to the block of the view.
///
/// \param positions the mode of the block for each mode of the source.
static void addSubview(MemrefBlock &block, SubviewOp view,
                       SmallVector<size_t> &positions) {
  MLIRContext *context = view.getContext();
  Builder builder(context);
  auto offsets = getMixedValues(view.getStaticOffsets(), view.getOffsets(), context);
  auto sizes = getMixedValues(view.getStaticSizes(), view.getSizes(), context);
  SmallVector<size_t> kept;
  for (auto [number, position] : llvm::enumerate(positions)) {
    BlockMode &mode = block.modes[position];
    if (std::optional<int64_t> offset = getConstantIntValue(offsets[number]))
      mode.constant += *offset;
    else
      mode.values.push_back(cast<Value>(offsets[number]));
    llvm::sort(mode.values, [](Value a, Value b) {
      return a.getAsOpaquePointer() < b.getAsOpaquePointer();
    });
    mode.size = view.isRemoved(number) ? builder.getI64IntegerAttr(1) : sizes[number];
    if (!view.isRemoved(number))
      kept.push_back(position);
  }
  positions = std::move(kept);
}

MemrefBlock tinytc::getBlock(Value view, Value source) {
  SmallVector<Operation *> views; // the last one first
  for (; view != source; view = getViewSource(view))
    views.push_back(view.getDefiningOp());
  auto type = cast<MemrefType>(source.getType());
  Builder builder(type.getContext());
  MemrefBlock block;
  SmallVector<size_t> positions;
  for (int64_t size : type.getShape()) {
    positions.push_back(block.modes.size());
    BlockMode &mode = block.modes.emplace_back();
    if (!ShapedType::isDynamic(size))
      mode.size = builder.getI64IntegerAttr(size);
  }
  // Modes change at the first other view; blocks after that are somewhere in this one.
  bool hasOtherModes = false;
  for (Operation *op : llvm::reverse(views)) {
    auto subview = dyn_cast<SubviewOp>(op);
    if (subview && !hasOtherModes)
      addSubview(block, subview, positions);
    block.isExact &= !subview || !hasOtherModes;
    hasOtherModes |= !subview;
  }
  return block;
}

//===----------------------------------------------------------------------===//
// Overlap
//===----------------------------------------------------------------------===//

static bool isEmpty(Value memref) {
  return llvm::is_contained(cast<MemrefType>(memref.getType()).getShape(), 0);
}

/// How many elements a mode begins after another one, if that is known.
static std::optional<int64_t> getDistance(const BlockMode &from, const BlockMode &to) {
  if (from.values != to.values)
    return std::nullopt;
  return to.constant - from.constant;
}

/// Whether a mode certainly has an element of another, which is not empty.
static bool meets(const BlockMode &a, const BlockMode &b) {
  std::optional<int64_t> distance = getDistance(a, b);
  if (!distance || *distance == 0)
    return distance.has_value();
  std::optional<int64_t> count = getConstantIntValue(*distance > 0 ? a.size : b.size);
  return count && std::abs(*distance) < *count;
}

/// Whether a mode certainly has all elements of another.
static bool contains(const BlockMode &outer, const BlockMode &inner) {
  std::optional<int64_t> distance = getDistance(outer, inner);
  if (!distance || *distance < 0)
    return false;
  if (*distance == 0 && outer.size == inner.size)
    return true;
  std::optional<int64_t> size = getConstantIntValue(outer.size);
  std::optional<int64_t> innerSize = getConstantIntValue(inner.size);
  return size && innerSize && *distance + *innerSize <= *size;
}

/// Whether a mode has all elements of the memref's mode.
static bool isWhole(const BlockMode &mode, int64_t size) {
  return mode.isAtStart() && (!mode.size || getConstantIntValue(mode.size) == size);
}

Value tinytc::getCommonSource(Value a, Value b) {
  DenseSet<Value> sources;
  for (; b; b = getViewSource(b))
    sources.insert(b);
  while (a && !sources.contains(a))
    a = getViewSource(a);
  return a;
}

/// Whether two views of the same shape begin at different elements for certain; others
/// may be the same view.
static bool beginElsewhere(Value a, Value b) {
  Value source = getCommonSource(a, b);
  if (!source)
    return false;
  auto differs = [](const auto &modes) {
    auto [first, second] = modes;
    return getDistance(first, second).value_or(0) != 0;
  };
  return llvm::any_of(llvm::zip(getBlock(a, source).modes, getBlock(b, source).modes),
                      differs);
}

/// Whether two views have a common element, whatever the values are at run time.
static bool certainlyOverlap(Value a, Value b) {
  Value source = getCommonSource(a, b);
  if (!source || isEmpty(a) || isEmpty(b))
    return false;
  MemrefBlock first = getBlock(a, source), second = getBlock(b, source);
  ArrayRef<int64_t> shape = cast<MemrefType>(source.getType()).getShape();
  return llvm::all_of(llvm::zip(first.modes, second.modes, shape), [&](auto modes) {
    auto [one, other, size] = modes;
    if (first.isExact && second.isExact && meets(one, other))
      return true;
    if (first.isExact && (isWhole(one, size) || contains(one, other)))
      return true;
    return second.isExact && (isWhole(other, size) || contains(other, one));
  });
}

bool tinytc::mayUpdateInPlace(BlasOpInterface op) {
  auto sum = dyn_cast<AxpbyOp>(*op);
  return isa<HadamardProductOp>(op) || (sum && !isTransposed(sum.getTranspose()));
}

LogicalResult tinytc::verifyApart(Operation *op, StringRef destination, Value written,
                                  StringRef name, Value read) {
  if (!certainlyOverlap(read, written))
    return success();
  return op->emitOpError("expected '") << destination << "' not to overlap '" << name
                                       << "', got operands with common elements";
}

LogicalResult tinytc::verifyOverlap(BlasOpInterface op, StringRef destination) {
  // axpby_c6, cumsum_c7, gemm_c8, gemv_c8, ger_c8, hadamard_product_c6, sum_c7
  static constexpr StringLiteral names[] = {"a", "b"};
  Value written = op.getDestination();
  SmallVector<BlasFactor, 2> factors = op.getFactors();
  for (auto [name, factor] : llvm::zip(names, factors)) {
    Value read = factor.operand->get();
    if (mayUpdateInPlace(op) && !beginElsewhere(read, written))
      continue;
    if (failed(verifyApart(op, destination, written, name, read)))
      return failure();
  }
  return success();
}
