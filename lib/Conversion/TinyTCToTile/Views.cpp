//===- Views.cpp - Views of memrefs and members of groups -----------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Conversion/TinyTCToTile/Lowering.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::tile_lowering;

SmallVector<OpFoldResult> Lowering::getMixed(ArrayRef<int64_t> constants,
                                             ValueRange values) {
  SmallVector<OpFoldResult> mixed;
  auto next = values.begin();
  for (int64_t constant : constants)
    if (ShapedType::isDynamic(constant))
      mixed.push_back(getNumber(*next++).re);
    else
      mixed.push_back(builder.getI64IntegerAttr(constant));
  return mixed;
}

/// Gives a value back with a promise, where it says something.
Value Lowering::promise(Value value, int64_t divisor) {
  int64_t power = divisor & -divisor;
  if (power <= 1)
    return value;
  auto promise =
      tile::DivByAttr::get(builder.getContext(), power, std::nullopt, std::nullopt);
  return tile::AssumeOp::create(builder, value.getType(), promise, value);
}

/// Takes what the type of the view knows, and maps the view.
void Lowering::finish(Value result, Memref view) {
  view.type = cast<MemrefType>(result.getType());
  for (auto [size, known] : llvm::zip(view.sizes, view.type.getShape()))
    if (!ShapedType::isDynamic(known))
      size = builder.getI64IntegerAttr(known);
  for (auto [stride, known] : llvm::zip(view.strides, view.type.getStride()))
    if (!ShapedType::isDynamic(known))
      stride = builder.getI64IntegerAttr(known);
  memrefs[result] = std::move(view);
}

void Lowering::lowerSubview(SubviewOp op) {
  const Memref source = memrefs.lookup(op.getSource());
  Memref view = source;
  view.sizes.clear();
  view.strides.clear();
  auto offsets = getMixed(op.getStaticOffsets(), op.getOffsets());
  auto sizes = getMixed(op.getStaticSizes(), op.getSizes());
  int64_t sizeBytes = getSizeBytes(source.type.getElementType());
  for (auto [mode, offset] : llvm::enumerate(offsets)) {
    OpFoldResult distance = multiply(offset, source.strides[mode]);
    if (getConstantIntValue(distance) != 0) {
      // A constant factor of the distance keeps some of the alignment.
      int64_t factor = getConstantIntValue(offset).value_or(1) *
                       getConstantIntValue(source.strides[mode]).value_or(1);
      view.alignment = std::gcd(view.alignment, factor * sizeBytes);
      Value elements = toValue(distance);
      if (isa<ComplexType>(source.type.getElementType()))
        elements = addReal(elements, elements);
      view.base =
          tile::OffsetOp::create(builder, view.base.getType(), view.base, elements);
    }
    if (op.isRemoved(mode))
      continue;
    view.sizes.push_back(sizes[mode]);
    view.strides.push_back(source.strides[mode]);
  }
  if (view.base != source.base)
    view.base = promise(view.base, view.alignment);
  finish(op.getResult(), std::move(view));
}

void Lowering::lowerExpand(ExpandOp op) {
  Memref view = memrefs.lookup(op.getSource());
  auto shape = getMixed(op.getStaticShape(), op.getShape());
  int64_t mode = op.getMode();
  SmallVector<OpFoldResult> strides{view.strides[mode]};
  for (OpFoldResult size : ArrayRef(shape).drop_back())
    strides.push_back(multiply(strides.back(), size));
  auto replace = [&](SmallVector<OpFoldResult> &entries,
                     ArrayRef<OpFoldResult> replacement) {
    entries.erase(entries.begin() + mode);
    entries.insert(entries.begin() + mode, replacement.begin(), replacement.end());
  };
  replace(view.sizes, shape);
  replace(view.strides, strides);
  finish(op.getResult(), std::move(view));
}

/// Pointers are those of parts already.
void Lowering::lowerExpandC2R(ExpandC2ROp op) {
  Memref view = memrefs.lookup(op.getSource());
  OpFoldResult one = builder.getI64IntegerAttr(1), two = builder.getI64IntegerAttr(2);
  for (OpFoldResult &stride : view.strides)
    stride = multiply(stride, two);
  view.sizes.insert(view.sizes.begin(), two);
  view.strides.insert(view.strides.begin(), one);
  finish(op.getResult(), std::move(view));
}

void Lowering::lowerFuse(FuseOp op) {
  Memref view = memrefs.lookup(op.getSource());
  int64_t from = op.getFrom(), to = op.getTo();
  for (int64_t mode = from + 1; mode <= to; ++mode)
    view.sizes[from] = multiply(view.sizes[from], view.sizes[mode]);
  view.sizes.erase(view.sizes.begin() + from + 1, view.sizes.begin() + to + 1);
  view.strides.erase(view.strides.begin() + from + 1, view.strides.begin() + to + 1);
  finish(op.getResult(), std::move(view));
}

LogicalResult Lowering::lowerView(Operation *op) {
  if (memrefs[op->getOperand(0)].alloca)
    return lowerLocalView(op);
  if (auto subview = dyn_cast<SubviewOp>(op))
    lowerSubview(subview);
  else if (auto expand = dyn_cast<ExpandOp>(op))
    lowerExpand(expand);
  else if (auto parts = dyn_cast<ExpandC2ROp>(op))
    lowerExpandC2R(parts);
  else
    lowerFuse(cast<FuseOp>(op));
  return success();
}

/// The pointers of a group and its tables of sizes are constant: loads of them come
/// after nothing.
void Lowering::loadMember(LoadOp op) {
  const Group &group = groups[op.getSource()];
  Value index = getNumber(op.getIndices().front()).re;
  Type i64 = builder.getI64Type();
  auto loadEntry = [&](Value table) -> Value {
    Value pointer = tile::OffsetOp::create(builder, table.getType(), table, index);
    auto load = tile::LoadPtrTkoOp::create(
        builder, getTile(i64), tile::TokenType::get(builder.getContext()),
        tile::MemoryOrdering::Weak, tile::MemoryScopeAttr(), pointer, Value(), Value(),
        Value(), DictionaryAttr());
    return load.getResult();
  };
  MemrefType type = group.type.getMemrefType();
  Memref member{type, {}, {}, {}, group.alignment, {}};
  const Value *table = group.tables.begin();
  auto read = [&](ArrayRef<int64_t> known, ArrayRef<int64_t> divisors,
                  SmallVector<OpFoldResult> &entries) {
    for (auto [mode, entry] : llvm::enumerate(known)) {
      if (!ShapedType::isDynamic(entry)) {
        entries.push_back(builder.getI64IntegerAttr(entry));
        continue;
      }
      int64_t divisor = mode < divisors.size() ? divisors[mode] : 1;
      entries.push_back(promise(loadEntry(*table++), divisor));
    }
  };
  read(type.getShape(), group.shapeGcd, member.sizes);
  read(type.getStride(), group.strideGcd, member.strides);
  auto pointer = getTile(tile::PointerType::get(getTileElement(type.getElementType())));
  member.base = tile::IntToPtrOp::create(builder, pointer, loadEntry(group.base));
  member.root = member.base;
  bool isMoved = getConstantIntValue(group.offset) != 0;
  if (isMoved) {
    Value elements = toValue(group.offset);
    if (isa<ComplexType>(type.getElementType()))
      elements = addReal(elements, elements);
    member.base = promise(member.base, member.alignment);
    member.base = tile::OffsetOp::create(builder, pointer, member.base, elements);
    int64_t factor = getConstantIntValue(group.offset).value_or(1);
    member.alignment =
        std::gcd(member.alignment, factor * getSizeBytes(type.getElementType()));
  }
  member.base = promise(member.base, member.alignment);
  finish(op.getResult(), std::move(member));
}
