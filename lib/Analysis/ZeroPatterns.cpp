//===- ZeroPatterns.cpp - Where elements are known to be zero -------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/ZeroPatterns.h"
#include "dialect/DiscardableAttrs.h"
#include "lib/Analysis/MemoryAccess.h"
#include "lib/IR/Blocks.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;

/// With more boxes, a pattern of local memory becomes the box around them.
static constexpr size_t kMaxBoxes = 64;

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

Box tinytc::getWholeBox(ArrayRef<int64_t> shape) {
  return llvm::map_to_vector<3>(shape, [](int64_t size) {
    return ModeRange{0, ShapedType::isDynamic(size) ? ModeRange::kUnbounded : size};
  });
}

bool tinytc::isEmpty(const Box &box) {
  return llvm::any_of(box, [](ModeRange range) { return range.isEmpty(); });
}

Box tinytc::intersect(const Box &a, const Box &b) {
  Box result;
  for (auto [own, other] : llvm::zip_equal(a, b))
    result.push_back(own.intersect(other));
  return result;
}

/// Appends the parts of a box that are not in another one.
static void subtractBox(Box box, const Box &other, Boxes &parts) {
  if (isEmpty(intersect(box, other))) {
    parts.push_back(box);
    return;
  }
  for (auto [range, common] : llvm::zip_equal(box, intersect(box, other))) {
    ModeRange whole = range;
    auto add = [&](ModeRange rest) {
      if (rest.isEmpty())
        return;
      range = rest;
      parts.push_back(box);
    };
    add({whole.begin, common.begin});
    add({common.end, whole.end});
    range = common;
  }
}

Boxes tinytc::subtract(const Box &box, ArrayRef<Box> others) {
  Boxes rest = {box};
  for (const Box &other : others) {
    Boxes parts;
    for (const Box &each : rest)
      subtractBox(each, other, parts);
    rest = std::move(parts);
  }
  return rest;
}

Boxes tinytc::makeDisjoint(ArrayRef<Box> boxes) {
  Boxes disjoint;
  for (const Box &box : boxes)
    if (!isEmpty(box))
      llvm::append_range(disjoint, subtract(box, Boxes(disjoint)));
  return disjoint;
}

std::string tinytc::formatBox(const Box &box) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << '[';
  llvm::interleaveComma(box, stream, [&](ModeRange range) {
    stream << range.begin << ':';
    if (range.end != ModeRange::kUnbounded)
      stream << range.end;
  });
  stream << ']';
  return text;
}

/// Replaces many boxes by the one around them.
static void limitBoxes(Boxes &boxes) {
  llvm::erase_if(boxes, isEmpty);
  if (boxes.size() <= kMaxBoxes)
    return;
  Box around = boxes.front();
  for (const Box &box : boxes)
    for (auto [range, other] : llvm::zip_equal(around, box))
      range = {std::min(range.begin, other.begin), std::max(range.end, other.end)};
  boxes = {around};
}

//===----------------------------------------------------------------------===//
// Promises
//===----------------------------------------------------------------------===//

ArrayAttr tinytc::getNonzero(Value root) {
  if (auto alloca = root.getDefiningOp<AllocaOp>())
    return alloca.getNonzeroAttr();
  if (auto load = root.getDefiningOp<LoadOp>())
    root = load.getSource();
  auto parameter = dyn_cast<BlockArgument>(root);
  auto func =
      parameter ? dyn_cast<FuncOp>(parameter.getOwner()->getParentOp()) : FuncOp();
  return func ? getParameterAttr<TinyTCDialect::NonzeroAttrHelper>(
                    func, parameter.getArgNumber())
              : ArrayAttr();
}

/// The boxes of a promise, with all of the modes that it does not mention.
static Boxes getBoxesOf(ArrayAttr nonzero, ArrayRef<int64_t> shape) {
  Boxes boxes;
  for (auto bounds : nonzero.getAsRange<DenseI64ArrayAttr>()) {
    Box box = getWholeBox(shape);
    for (size_t mode = 0; mode < static_cast<size_t>(bounds.size()) / 2; ++mode)
      box[mode] = {bounds[2 * mode], bounds[2 * mode + 1]};
    boxes.push_back(box);
  }
  return boxes;
}

static ArrayRef<int64_t> getShapeOf(Value memref) {
  return cast<MemrefType>(memref.getType()).getShape();
}

/// Ranges of the rows of a column, or of what has more modes, that begin and end with
/// elements other than zero; gaps of up to `gap` zeros are part of a range.
static Boxes getNonzeroBoxes(ArrayRef<bool> isNonzero, ArrayRef<int64_t> shape,
                             int64_t gap) {
  if (shape.empty())
    return isNonzero.front() ? Boxes{Box()} : Boxes();
  Boxes boxes, last;
  // The first mode is the last one of a tensor.
  int64_t size = shape.front(), inner = isNonzero.size() / size;
  if (shape.size() == 1) {
    for (int64_t i = 0; i < size; ++i) {
      if (!isNonzero[i])
        continue;
      if (boxes.empty() || i - boxes.back().front().end > gap)
        boxes.push_back(Box{ModeRange{i, i}});
      boxes.back().front().end = i + 1;
    }
    return boxes;
  }
  size_t firstOfLast = 0;
  for (int64_t i = 0; i < size; ++i) {
    Boxes own =
        getNonzeroBoxes(isNonzero.slice(i * inner, inner), shape.drop_front(), gap);
    if (i > 0 && own == last) {
      for (Box &box : MutableArrayRef(boxes).drop_front(firstOfLast))
        box.back().end = i + 1;
      continue;
    }
    last = own;
    firstOfLast = boxes.size();
    for (Box &box : own) {
      box.push_back({i, i + 1});
      boxes.push_back(box);
    }
  }
  return boxes;
}

/// Whether an element of a constant is zero, of either sign.
static bool isZero(Attribute value) {
  if (auto real = dyn_cast<FloatAttr>(value))
    return real.getValue().isZero();
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return integer.getValue().isZero();
  return llvm::all_of(cast<ArrayAttr>(value),
                      [](Attribute part) { return isZero(part); });
}

/// The boxes of a constant, exact if they are not too many.
static Boxes getBoxesOf(ConstantOp op) {
  ArrayRef<int64_t> shape = cast<MemrefType>(op.getType()).getShape();
  auto dense = cast<DenseElementsAttr>(op.getValue());
  if (dense.isSplat())
    return isZero(dense.getSplatValue<Attribute>()) ? Boxes()
                                                    : Boxes{getWholeBox(shape)};
  // In the order of memory, the last mode first.
  SmallVector<int64_t> reversed(llvm::reverse(shape));
  SmallVector<bool> isNonzero(dense.getNumElements());
  for (auto [number, value] : llvm::enumerate(dense.getValues<Attribute>())) {
    int64_t rest = number, place = 0, stride = dense.getNumElements();
    for (int64_t size : reversed) {
      stride /= size;
      place += rest % size * stride;
      rest /= size;
    }
    isNonzero[place] = !isZero(value);
  }
  for (int64_t gap = 0;; gap = 2 * gap + 1) {
    Boxes boxes = getNonzeroBoxes(isNonzero, reversed, gap);
    if (boxes.size() <= kMaxBoxes || gap > shape.front())
      return boxes.size() <= kMaxBoxes ? boxes : Boxes{getWholeBox(shape)};
  }
}

std::optional<Boxes> tinytc::getKnownBoxes(Value root) {
  if (auto constant = root.getDefiningOp<ConstantOp>())
    return getBoxesOf(constant);
  if (ArrayAttr nonzero = getNonzero(root))
    return getBoxesOf(nonzero, getShapeOf(root));
  return std::nullopt;
}

Boxes tinytc::getPromisedBoxes(Value memref) {
  if (std::optional<RootBlock> block = RootBlock::get(memref))
    if (std::optional<Boxes> boxes = getKnownBoxes(block->root))
      return block->toView(*boxes, getShapeOf(memref));
  return {getWholeBox(getShapeOf(memref))};
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

std::optional<RootBlock> RootBlock::get(Value view) {
  RootBlock block{getViewRoot(view), {}};
  SmallVector<SubviewOp> views; // the last one first
  for (; view != block.root; view = getViewSource(view)) {
    auto subview = view.getDefiningOp<SubviewOp>();
    if (!subview)
      return std::nullopt;
    views.push_back(subview);
  }
  for (auto [mode, size] : llvm::enumerate(getShapeOf(block.root)))
    block.modes.push_back({mode, 0, size});
  for (SubviewOp subview : llvm::reverse(views)) {
    MLIRContext *context = subview.getContext();
    auto offsets =
        getMixedValues(subview.getStaticOffsets(), subview.getOffsets(), context);
    auto sizes = getMixedValues(subview.getStaticSizes(), subview.getSizes(), context);
    unsigned kept = 0;
    for (Mode &mode : block.modes) {
      if (!mode.mode)
        continue;
      unsigned number = *mode.mode;
      std::optional<int64_t> offset = getConstantIntValue(offsets[number]);
      if (mode.begin)
        mode.begin = offset ? std::optional(*mode.begin + *offset) : std::nullopt;
      bool isRemoved = subview.isRemoved(number);
      mode.size =
          isRemoved ? 1
                    : getConstantIntValue(sizes[number]).value_or(ShapedType::kDynamic);
      mode.mode = isRemoved ? std::nullopt : std::optional(kept++);
    }
  }
  return block;
}

bool RootBlock::isStatic() const {
  return llvm::all_of(modes, [](const Mode &mode) {
    return mode.begin && !ShapedType::isDynamic(mode.size);
  });
}

Box RootBlock::getBox() const {
  Box box;
  for (auto [mode, size] : llvm::zip_equal(modes, getShapeOf(root))) {
    ModeRange whole = getWholeBox(size).front();
    bool isKnown = mode.begin && !ShapedType::isDynamic(mode.size);
    box.push_back(isKnown ? ModeRange{*mode.begin, *mode.begin + mode.size} : whole);
  }
  return box;
}

Boxes RootBlock::toView(ArrayRef<Box> boxes, ArrayRef<int64_t> shape) const {
  Boxes result;
  for (const Box &box : boxes) {
    Box own = getWholeBox(shape);
    for (auto [mode, range] : llvm::zip_equal(modes, box)) {
      if (!mode.begin)
        continue;
      int64_t begin = *mode.begin;
      bool isBounded = range.end != ModeRange::kUnbounded;
      ModeRange moved{range.begin - begin, isBounded ? range.end - begin : range.end};
      if (mode.mode)
        own[*mode.mode] = own[*mode.mode].intersect(moved);
      else if (!moved.contains({0, 1}))
        own.clear();
      if (own.empty())
        break;
    }
    if (own.size() == shape.size() && !isEmpty(own))
      result.push_back(own);
  }
  return result;
}

Boxes RootBlock::toRoot(ArrayRef<Box> boxes) const {
  Boxes result;
  for (const Box &box : boxes) {
    Box own = getBox();
    for (auto [mode, range] : llvm::zip_equal(modes, own))
      if (mode.mode && mode.begin) {
        ModeRange other = box[*mode.mode];
        bool isBounded = other.end != ModeRange::kUnbounded;
        range = range.intersect({other.begin + *mode.begin,
                                 isBounded ? other.end + *mode.begin : other.end});
      }
    result.push_back(own);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Boxes tinytc::getProductBoxes(BlasOpInterface op, ArrayRef<Boxes> ofFactors) {
  Boxes products = {getWholeBox(op.getProductShape())};
  // Each element of a running sum depends on others.
  if (isa<CumsumOp>(op))
    return products;
  for (auto [factor, boxes] : llvm::zip_equal(op.getFactors(), ofFactors)) {
    Boxes next;
    for (const Box &product : products)
      for (const Box &box : boxes) {
        Box common = product;
        for (auto [mode, range] : llvm::zip_equal(factor.modes, box))
          common[mode] = common[mode].intersect(range);
        if (!isEmpty(common) && !llvm::is_contained(next, common))
          next.push_back(common);
      }
    products = std::move(next);
  }
  return products;
}

Boxes tinytc::getDestinationBoxes(BlasOpInterface op, ArrayRef<Box> ofProduct) {
  size_t order = op.getDestination().getType().getOrder();
  Boxes boxes;
  for (const Box &box : ofProduct) {
    Box own(box.begin(), box.begin() + order);
    if (!llvm::is_contained(boxes, own))
      boxes.push_back(own);
  }
  return boxes;
}

Boxes ZeroPatterns::getProduct(BlasOpInterface op) const {
  auto boxes = llvm::map_to_vector<2>(
      op.getFactors(), [&](const BlasFactor &f) { return get(*f.operand); });
  return isConstant(op.getAlpha(), 0) ? Boxes() : getProductBoxes(op, boxes);
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

bool ZeroPatterns::hasPromise(FuncOp func) {
  if (llvm::any_of(func.getArguments(), getNonzero))
    return true;
  return func
      ->walk([](Operation *op) {
        auto alloca = dyn_cast<AllocaOp>(op);
        bool isPromise = alloca && alloca.getNonzeroAttr();
        bool isConstant =
            isa<ConstantOp>(op) && isa<MemrefType>(op->getResult(0).getType());
        return isPromise || isConstant ? WalkResult::interrupt()
                                       : WalkResult::advance();
      })
      .wasInterrupted();
}

ZeroPatterns::ZeroPatterns(FuncOp func) { visit(func.getBody()); }

void ZeroPatterns::visit(Region &region) {
  for (Operation &op : region.getOps()) {
    if (auto blas = dyn_cast<BlasOpInterface>(op)) {
      visit(blas);
      continue;
    }
    if (isa<AllocaOp>(op))
      allocas.push_back(op.getResult(0));
    forgetWrites(op);
    for (Region &inner : op.getRegions())
      visit(inner);
    // The region may run several times, or not at all.
    if (op.getNumRegions() > 0)
      forgetWrites(op);
  }
}

void ZeroPatterns::forgetWrites(Operation &op) {
  AccessSet accesses = AccessSet::of(op);
  for (Value alloca : allocas)
    if (known.contains(alloca) &&
        accesses.writes([&](Value root) { return root == alloca; }))
      known.erase(alloca);
}

Boxes ZeroPatterns::getRootBoxes(Value root) const {
  auto found = known.find(root);
  return found == known.end() ? getPromisedBoxes(root) : found->second;
}

Boxes ZeroPatterns::getBoxes(Value memref) const {
  std::optional<RootBlock> block = RootBlock::get(memref);
  if (!block)
    return {getWholeBox(getShapeOf(memref))};
  return block->toView(getRootBoxes(block->root), getShapeOf(memref));
}

void ZeroPatterns::visit(BlasOpInterface op) {
  for (const BlasFactor &factor : op.getFactors())
    patterns[factor.operand] = getBoxes(factor.operand->get());
  Value dest = op.getDestination(), root = getRoot(dest);
  patterns[&op.getDestinationMutable()] = getBoxes(dest);
  if (!root.getDefiningOp<AllocaOp>())
    return;
  std::optional<RootBlock> block = RootBlock::get(dest);
  if (!block) {
    known.erase(root);
    return;
  }
  Boxes old = getRootBoxes(root), boxes;
  if (isConstant(op.getBeta(), 0) && block->isStatic())
    for (const Box &box : old)
      llvm::append_range(boxes, subtract(box, block->getBox()));
  else
    boxes = old;
  Boxes product = getDestinationBoxes(op, getProduct(op));
  llvm::append_range(boxes, block->toRoot(product));
  limitBoxes(boxes);
  known[root] = boxes;
}
