//===- Local.cpp - Local memory in registers ------------------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Local memory is a tile. A view of it is a window: it is read by cutting it out of the
// tile, and written by a select between the tile and what was written.
//
//===----------------------------------------------------------------------===//

#include "lib/Conversion/TinyTCToTile/Lowering.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::tile_lowering;

// Tiles have at most this many elements.
static constexpr int64_t kMaxTileElements = 1 << 24;

LogicalResult Lowering::lowerAlloca(AllocaOp op) {
  MemrefType type = op.getResult().getType();
  Memref memref{type, {}, {}, {}, 1, op.getResult(), {}, {}};
  SmallVector<int64_t> shape;
  int64_t count = 1;
  for (auto [mode, size] : llvm::enumerate(type.getShape())) {
    if (size == 0)
      return refuse(op, "a tile has no modes of size 0");
    if (size > kMaxTileElements ||
        (count *= llvm::PowerOf2Ceil(size)) > kMaxTileElements)
      return refuse(op, "a tile has at most " + Twine(kMaxTileElements) + " elements");
    shape.insert(shape.begin(), llvm::PowerOf2Ceil(size));
    memref.sizes.push_back(builder.getI64IntegerAttr(size));
    memref.window.modes.push_back(mode);
    memref.window.first.push_back(builder.getI64IntegerAttr(0));
  }
  Value zero = createConstant(getTileElement(type.getElementType()), 0, shape);
  locals[op.getResult()] = {zero,
                            isa<ComplexType>(type.getElementType()) ? zero : Value()};
  memrefs[op.getResult()] = std::move(memref);
  return success();
}

LogicalResult Lowering::lowerLocalView(Operation *op) {
  auto subview = dyn_cast<SubviewOp>(op);
  if (!subview)
    return refuse(op, "a tile in registers has no address, so local memory has the "
                      "modes that it was allocated with");
  const Memref source = memrefs.lookup(subview.getSource());
  Memref view = source;
  view.sizes.clear();
  view.window.modes.clear();
  auto offsets = getMixed(subview.getStaticOffsets(), subview.getOffsets());
  for (auto [mode, size] : llvm::enumerate(subview.getStaticSizes())) {
    unsigned own = source.window.modes[mode];
    view.window.first[own] = add(view.window.first[own], offsets[mode]);
    if (subview.isRemoved(mode))
      continue;
    if (ShapedType::isDynamic(size) || size == 0)
      return refuse(op, "a tile in registers has sizes that are known and positive");
    view.window.modes.push_back(own);
    view.sizes.push_back(builder.getI64IntegerAttr(size));
  }
  finish(subview.getResult(), std::move(view));
  return success();
}

/// The size of a window along each mode of its alloca.
static SmallVector<int64_t> getWindowSizes(const Memref &local) {
  SmallVector<int64_t> sizes(local.window.first.size(), 1);
  for (auto [mode, size] : llvm::zip(local.window.modes, local.sizes))
    sizes[mode] = *getConstantIntValue(size);
  return sizes;
}

/// `size` lines of a tile along a dimension, from line `first` on, made of pieces:
/// tiles are cut at multiples of the size that is cut out. Lines beyond the tile are
/// any lines of it.
Value Lowering::slice(Value value, int64_t dim, OpFoldResult first, int64_t size) {
  SmallVector<int64_t> shape(cast<tile::TileType>(value.getType()).getShape());
  std::optional<int64_t> known = getConstantIntValue(first);
  if (known == 0 && size == shape[dim])
    return value;
  int64_t piece = known ? std::min(size, shape[dim]) : 1;
  if (known && *known != 0)
    piece = std::min(piece, *known & -*known);
  int64_t last = shape[dim] / piece - 1;
  shape[dim] = piece;
  SmallVector<Value> pieces;
  for (int64_t line = 0; line < size; line += piece) {
    Values index(shape.size(), createI32(0));
    if (known) {
      index[dim] = createI32(std::clamp<int64_t>((*known + line) / piece, 0, last));
    } else {
      index[dim] = convertReal(toValue(first), builder.getI32Type());
      if (size > 1)
        index[dim] =
            minReal(maxReal(addReal(index[dim], createI32(line)), createI32(0)),
                    createI32(last));
    }
    pieces.push_back(tile::ExtractOp::create(builder, getTile(getElement(value), shape),
                                             value, index));
  }
  for (; pieces.size() > 1; pieces.truncate(pieces.size() / 2)) {
    shape[dim] *= 2;
    for (size_t i = 0; i < pieces.size() / 2; ++i)
      pieces[i] = tile::CatOp::create(builder, getTile(getElement(value), shape),
                                      pieces[2 * i], pieces[2 * i + 1], dim);
  }
  return pieces.front();
}

Number Lowering::loadLocal(const Memref &local, const Part &part) {
  SmallVector<int64_t> windowSizes = getWindowSizes(local), shape;
  for (OpFoldResult size : local.sizes)
    shape.insert(shape.begin(), llvm::PowerOf2Ceil(*getConstantIntValue(size)));
  SmallVector<int64_t> partShape = reversed(part.sizes);
  auto read = [&](Value value) -> Value {
    for (auto [mode, first] : llvm::enumerate(local.window.first))
      value = slice(value, windowSizes.size() - 1 - mode, first,
                    llvm::PowerOf2Ceil(windowSizes[mode]));
    value = reshape(value, shape);
    if (shape == partShape)
      return value;
    Values index;
    for (Value each : llvm::reverse(part.index))
      index.push_back(each ? each : createI32(0));
    return tile::ExtractOp::create(builder, getTile(getElement(value), partShape),
                                   value, index);
  };
  Number whole = locals.lookup(local.alloca);
  return {read(whole.re), whole.isComplex() ? read(whole.im) : Value()};
}

/// Which elements of local memory are in the window; null if all are.
Value Lowering::getMask(const Memref &local) {
  ArrayRef<int64_t> shape = locals.lookup(local.alloca).getType().getShape();
  auto type = cast<MemrefType>(local.alloca.getType());
  Value mask;
  auto restrict = [&](Value isInside) {
    mask = mask ? Value(tile::AndIOp::create(builder, mask.getType(), mask, isInside))
                : isInside;
  };
  for (auto [mode, first, size] :
       llvm::enumerate(local.window.first, getWindowSizes(local))) {
    if (getConstantIntValue(first) == 0 && size == type.getShape()[mode])
      continue;
    size_t dim = shape.size() - 1 - mode;
    Type places = getTile(builder.getI64Type(), {shape[dim]});
    Value place = tile::IotaOp::create(builder, places);
    auto compareWith = [&](tile::ComparisonPredicate predicate, OpFoldResult bound) {
      SmallVector<int64_t> line(shape.size(), 1);
      line[dim] = shape[dim];
      Value isInside =
          compare(predicate, place, broadcast(toValue(bound), {shape[dim]}));
      restrict(broadcast(reshape(isInside, line), shape));
    };
    if (size == 1) {
      compareWith(tile::ComparisonPredicate::Equal, first);
      continue;
    }
    if (getConstantIntValue(first) != 0)
      compareWith(tile::ComparisonPredicate::GreaterThanOrEqual, first);
    compareWith(tile::ComparisonPredicate::LessThan,
                add(first, builder.getI64IntegerAttr(size)));
  }
  return mask;
}

void Lowering::storeLocal(const Memref &local, Number number) {
  Number whole = locals.lookup(local.alloca);
  ArrayRef<int64_t> shape = whole.getType().getShape();
  SmallVector<int64_t> line;
  for (int64_t size : llvm::reverse(getWindowSizes(local)))
    line.push_back(llvm::PowerOf2Ceil(size));
  auto place = [&](Value value) {
    value = reshape(value, line);
    for (auto [dim, size] : llvm::enumerate(shape))
      if (line[dim] > 1)
        value = slice(value, dim,
                      multiply(local.window.first[shape.size() - 1 - dim],
                               builder.getI64IntegerAttr(-1)),
                      size);
    return broadcast(value, shape);
  };
  number = {place(number.re), whole.isComplex() ? place(number.im) : Value()};
  Value mask = getMask(local);
  locals[local.alloca] = mask ? select(mask, number, whole) : number;
}
