//===- ParameterViews.cpp - Views of parameters ---------------------------===//

#include "lib/Analysis/ParameterViews.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The view of all of a memref, given its sizes.
static ParameterView createView(unsigned parameter, ArrayRef<Polynomial> sizes) {
  ParameterView view;
  for (auto [mode, size] : llvm::enumerate(sizes)) {
    IndexedModes modes{parameter, unsigned(mode), 1};
    view.coordinates.push_back({modes, LaunchInteger::constant(0), size});
    view.modes.push_back({mode,
                          LaunchInteger::constant(1),
                          {size, /*dependsOnGroup=*/false},
                          /*mayBeEmpty=*/!size.isKnown()});
  }
  return view;
}

void ParameterViews::addParameter(BlockArgument parameter) {
  auto memref = dyn_cast<MemrefType>(parameter.getType());
  if (!memref)
    return;
  std::vector<Polynomial> sizes;
  for (auto [mode, size] : llvm::enumerate(memref.getShape())) {
    Variable variable{Variable::Kind::Size, parameter.getArgNumber(), unsigned(mode)};
    sizes.push_back(ShapedType::isDynamic(size) ? Polynomial(variable)
                                                : Polynomial(size));
  }
  views[parameter] = createView(parameter.getArgNumber(), sizes);
}

void ParameterViews::addMember(LoadOp op) {
  auto group = dyn_cast<BlockArgument>(op.getSource());
  auto memref = dyn_cast<MemrefType>(op.getType());
  if (!group || !memref)
    return;
  std::vector<Polynomial> sizes;
  for (int64_t size : memref.getShape())
    sizes.push_back(ShapedType::isDynamic(size) ? Polynomial::unknown()
                                                : Polynomial(size));
  views[op.getResult()] = createView(group.getArgNumber(), sizes);
}

void ParameterViews::addResult(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return addMember(load);
  auto viewOp = dyn_cast<ViewLikeOpInterface>(op);
  const ParameterView *source = viewOp ? find(viewOp.getViewSource()) : nullptr;
  if (!source)
    return;
  if (auto subview = dyn_cast<SubviewOp>(op))
    addSubview(subview, *source);
  else if (auto expand = dyn_cast<ExpandOp>(op))
    addExpand(expand, *source);
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
  mode.mayBeEmpty = false;
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
  for (int64_t number = op.getFrom(); number <= int64_t(op.getTo()); ++number) {
    const ViewMode &mode = view.modes[number];
    Coordinate &coordinate = view.coordinates[mode.coordinate];
    begin.dependsOnGroup |= coordinate.begin.dependsOnGroup;
    if (!isWhole(view, mode) || coordinate.modes.first != modes.first + modes.count)
      begin.value = coordinate.begin.value = Polynomial::unknown();
    modes.count = coordinate.modes.first + coordinate.modes.count - modes.first;
    fused.size = fused.size * mode.size;
    fused.mayBeEmpty |= mode.mayBeEmpty;
  }
  view.coordinates.push_back({modes, begin, fused.size.value});
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
  ParameterView view = createView(parameter.getArgNumber(), {getNumMembers(group)});
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
  Polynomial size = Polynomial::unknown();
  if (const ParameterView *view = find(memref))
    size = view->modes[mode].size.value;
  else if (int64_t known = cast<MemrefType>(memref.getType()).getShape()[mode];
           !ShapedType::isDynamic(known))
    size = Polynomial(known);
  return {size, /*dependsOnGroup=*/!size.isKnown()};
}
