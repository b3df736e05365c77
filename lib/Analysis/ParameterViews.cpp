//===- ParameterViews.cpp - Views of parameters ---------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/ParameterViews.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The view of all of a memref, given its sizes.
static ParameterView createView(unsigned parameter, ArrayRef<LaunchInteger> sizes) {
  ParameterView view{parameter, {}, {}};
  for (auto [mode, size] : llvm::enumerate(sizes)) {
    IndexedModes modes{parameter, unsigned(mode), 1};
    view.coordinates.push_back({modes, LaunchInteger::constant(0), size.value});
    view.modes.push_back({mode, LaunchInteger::constant(1), size});
  }
  return view;
}

/// The view of all of a memref whose dynamic sizes are variables.
static ParameterView createView(MemrefType memref, Variable variable) {
  std::vector<LaunchInteger> sizes;
  for (auto [mode, size] : llvm::enumerate(memref.getShape())) {
    variable.mode = mode;
    bool isMember = variable.kind == Variable::Kind::MemberSize;
    sizes.push_back(ShapedType::isDynamic(size)
                        ? LaunchInteger{Polynomial(variable), isMember}
                        : LaunchInteger::constant(size));
  }
  return createView(variable.number, sizes);
}

void ParameterViews::addParameter(BlockArgument parameter) {
  roots.push_back(parameter);
  unsigned number = parameter.getArgNumber();
  if (auto memref = dyn_cast<MemrefType>(parameter.getType()))
    views[parameter] = createView(memref, {Variable::Kind::Size, number});
}

void ParameterViews::addMember(LoadOp op) {
  auto group = dyn_cast<BlockArgument>(op.getSource());
  auto memref = dyn_cast<MemrefType>(op.getType());
  if (!group || !memref)
    return;
  unsigned number = group.getArgNumber(), load = loads.size();
  Polynomial index = integers.get(op.getIndices().front()).value;
  if (index.isKnown())
    load = loads.try_emplace({number, index}, load).first->second;
  else // which no other index is equal to
    loads[{number, Polynomial(Variable{Variable::Kind::MemberSize, number, 0, load})}] =
        load;
  views[op.getResult()] =
      createView(memref, {Variable::Kind::MemberSize, number, 0, load});
}

void ParameterViews::addMemory(Value memory) {
  auto memref = dyn_cast<MemrefType>(memory.getType());
  if (!memref || !memref.hasStaticShape())
    return;
  unsigned number = roots.size();
  roots.push_back(memory);
  views[memory] = createView(memref, {Variable::Kind::Size, number});
}

Polynomial ParameterViews::getStride(IndexedModes modes) const {
  auto memref = dyn_cast<MemrefType>(roots[modes.parameter].getType());
  if (!memref || modes.count == 0 || modes.first == IndexedModes::kParts)
    return Polynomial::unknown();
  int64_t stride = memref.getStride()[modes.first];
  Variable variable{Variable::Kind::Stride, modes.parameter, modes.first};
  return ShapedType::isDynamic(stride) ? Polynomial(variable) : Polynomial(stride);
}

void ParameterViews::addResult(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return addMember(load);
  if (isa<AllocaOp, ConstantOp>(op))
    return addMemory(op->getResult(0));
  auto viewOp = dyn_cast<ViewLikeOpInterface>(op);
  const ParameterView *source = viewOp ? find(viewOp.getViewSource()) : nullptr;
  if (!source)
    return;
  if (auto subview = dyn_cast<SubviewOp>(op))
    addSubview(subview, *source);
  else if (auto expand = dyn_cast<ExpandOp>(op))
    addExpand(expand, *source);
  else if (auto parts = dyn_cast<ExpandC2ROp>(op))
    addExpandC2R(parts, *source);
  else if (auto fuse = dyn_cast<FuseOp>(op))
    addFuse(fuse, *source);
}

void ParameterViews::addSubview(SubviewOp op, ParameterView view) {
  std::vector<ViewMode> modes;
  auto offsets = integers.get(op.getStaticOffsets(), op.getOffsets());
  auto sizes = integers.get(op.getStaticSizes(), op.getSizes());
  for (auto [number, mode] : llvm::enumerate(view.modes)) {
    Coordinate &coordinate = view.coordinates[mode.coordinate];
    coordinate.begin = coordinate.begin + mode.stride * offsets[number];
    // A dynamic size of 0 is undefined behaviour.
    if (!op.isRemoved(number))
      modes.push_back({mode.coordinate, mode.stride, sizes[number]});
  }
  view.modes = std::move(modes);
  views[op.getResult()] = std::move(view);
}

void ParameterViews::addExpand(ExpandOp op, ParameterView view) {
  ViewMode mode = view.modes[op.getMode()];
  std::vector<ViewMode> modes;
  for (const LaunchInteger &size : integers.get(op.getStaticShape(), op.getShape())) {
    mode.size = size;
    modes.push_back(mode);
    mode.stride = mode.stride * size;
  }
  auto position = view.modes.erase(view.modes.begin() + op.getMode());
  view.modes.insert(position, modes.begin(), modes.end());
  views[op.getResult()] = std::move(view);
}

void ParameterViews::addExpandC2R(ExpandC2ROp op, ParameterView view) {
  LaunchInteger one = LaunchInteger::constant(1), two = LaunchInteger::constant(2);
  view.modes.insert(view.modes.begin(), {view.coordinates.size(), one, two});
  view.coordinates.push_back({{view.parameter, IndexedModes::kParts, 1},
                              LaunchInteger::constant(0),
                              two.value});
  views[op.getResult()] = std::move(view);
}

/// Whether a mode of a view, and no other one, runs through neighbours of its
/// coordinate.
static bool isDense(const ParameterView &view, const ViewMode &mode) {
  auto sharesCoordinate = [&](const ViewMode &each) {
    return each.coordinate == mode.coordinate;
  };
  return mode.stride.value.getConstant() == 1 &&
         llvm::count_if(view.modes, sharesCoordinate) == 1;
}

/// Whether a mode of a view runs through all of its coordinate.
static bool isWhole(const ParameterView &view, const ViewMode &mode) {
  const Coordinate &coordinate = view.coordinates[mode.coordinate];
  return coordinate.begin.value.getConstant() == 0 &&
         mode.stride.value.getConstant() == 1 && coordinate.size.isKnown() &&
         mode.size.value == coordinate.size;
}

void ParameterViews::addFuse(FuseOp op, ParameterView view) {
  LaunchInteger one = LaunchInteger::constant(1), begin = LaunchInteger::constant(0);
  ViewMode fused{view.coordinates.size(), one, one};
  IndexedModes modes = view.coordinates[view.modes[op.getFrom()].coordinate].modes;
  modes.count = 0;
  Polynomial places = 1;
  for (int64_t number = op.getFrom(); number <= int64_t(op.getTo()); ++number) {
    const ViewMode &mode = view.modes[number];
    Coordinate &coordinate = view.coordinates[mode.coordinate];
    bool isLast = number == int64_t(op.getTo());
    bool isFollowed = coordinate.modes.first == modes.first + modes.count &&
                      (isWhole(view, mode) || (isLast && isDense(view, mode)));
    // Where only some of the last mode is taken, the places before it are passed over.
    begin = isLast ? coordinate.begin * LaunchInteger{places, false} : begin;
    begin.dependsOnGroup |= coordinate.begin.dependsOnGroup;
    if (!isFollowed)
      places = coordinate.begin.value = Polynomial::unknown();
    else // from here on, the index of the fused mode is looked at
      coordinate.begin = LaunchInteger::constant(0);
    modes.count = coordinate.modes.first + coordinate.modes.count - modes.first;
    fused.size = fused.size * mode.size;
    places = places * coordinate.size;
  }
  if (!places.isKnown())
    begin.value = Polynomial::unknown();
  view.coordinates.push_back({modes, begin, places});
  view.modes.erase(view.modes.begin() + op.getFrom(), view.modes.begin() + op.getTo());
  view.modes[op.getFrom()] = fused;
  views[op.getResult()] = std::move(view);
}

const ParameterView *ParameterViews::find(Value memref) const {
  auto view = views.find(memref);
  return view == views.end() ? nullptr : &view->second;
}

/// The number of members of a group; unknown if it is no parameter.
static Polynomial getNumMembers(Value group) {
  int64_t size = cast<GroupType>(group.getType()).getSize();
  if (!ShapedType::isDynamic(size))
    return Polynomial(size);
  auto parameter = dyn_cast<BlockArgument>(group);
  return parameter
             ? Polynomial(Variable{Variable::Kind::Members, parameter.getArgNumber()})
             : Polynomial::unknown();
}

std::optional<ParameterView> ParameterViews::getMembers(Value group) const {
  auto parameter = dyn_cast<BlockArgument>(group);
  if (!parameter || !isa<GroupType>(group.getType()))
    return std::nullopt;
  LaunchInteger size{getNumMembers(group), /*dependsOnGroup=*/false};
  ParameterView view = createView(parameter.getArgNumber(), size);
  view.coordinates.front().modes.count = 0;
  return view;
}

LaunchInteger ParameterViews::getSize(SizeOp op) const {
  Value source = op.getSource();
  if (!isa<GroupType>(source.getType()))
    return getSize(source, op.getMode());
  Polynomial size = getNumMembers(source);
  return {size, /*dependsOnGroup=*/!size.isKnown()};
}

LaunchInteger ParameterViews::getSize(Value memref, int64_t mode) const {
  if (const ParameterView *view = find(memref))
    return view->modes[mode].size;
  int64_t size = cast<MemrefType>(memref.getType()).getShape()[mode];
  return ShapedType::isDynamic(size) ? LaunchInteger() : LaunchInteger::constant(size);
}
