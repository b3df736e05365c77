//===- Buffers.cpp - Memory that launches of derivatives allocate ---------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Derivatives/Buffers.h"
#include "dialect/DiscardableAttrs.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::derivatives;

using BufferAttr = TinyTCDialect::BufferAttrHelper;

static constexpr Dimension kDimensions[] = {Dimension::X, Dimension::Y, Dimension::Z};

static DenseI64ArrayAttr getAttr(FuncOp func, unsigned index) {
  return getParameterAttr<BufferAttr>(func, index);
}

static LaunchSizes getSizes(DenseI64ArrayAttr attr) {
  LaunchSizes sizes;
  for (ArrayRef<int64_t> rest = attr; !rest.empty(); rest = rest.drop_front(4))
    sizes.push_back({rest[0], rest[1], rest[2], rest[3]});
  return sizes;
}

static DenseI64ArrayAttr getAttrOf(MLIRContext *context, const LaunchSizes &sizes) {
  SmallVector<int64_t> numbers;
  for (const LaunchSize &size : sizes)
    numbers.append({size.parameter, size.mode, size.added, size.divisor});
  return DenseI64ArrayAttr::get(context, numbers);
}

bool derivatives::isBuffer(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto func =
      argument ? dyn_cast<FuncOp>(argument.getOwner()->getParentOp()) : FuncOp();
  return func && getAttr(func, argument.getArgNumber());
}

SmallVector<Dimension> derivatives::getGridDimensions(FuncOp func) {
  DenseSet<int> used;
  func->walk([&](GroupIdOp id) { used.insert(int(id.getDimension())); });
  return llvm::filter_to_vector(
      kDimensions, [&](Dimension dimension) { return used.contains(int(dimension)); });
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// The size of a dynamic mode of a memref.
static std::optional<LaunchSize> getModeSize(FuncOp func, Value memref, int64_t mode) {
  if (auto argument = dyn_cast<BlockArgument>(memref)) {
    if (argument.getOwner() != &func.getBody().front())
      return std::nullopt;
    unsigned index = argument.getArgNumber();
    DenseI64ArrayAttr buffer = getAttr(func, index);
    if (isa<GroupType>(memref.getType())) // the number of members
      mode = LaunchSize::kScalar;
    if (!buffer)
      return LaunchSize{index, mode};
    ArrayRef<int64_t> before = cast<MemrefType>(memref.getType()).getShape();
    return getSizes(
        buffer)[llvm::count_if(before.take_front(mode), ShapedType::isDynamic)];
  }
  auto view = memref.getDefiningOp<SubviewOp>();
  if (!view)
    return std::nullopt;
  unsigned nextSize = 0;
  for (int64_t size : view.getStaticSizes()) {
    bool isDynamic = ShapedType::isDynamic(size);
    if (mode == 0 && size != 0)
      return isDynamic ? getLaunchSize(func, view.getSizes()[nextSize]) : std::nullopt;
    nextSize += isDynamic;
    mode -= size != 0;
  }
  return std::nullopt;
}

std::optional<LaunchSize> derivatives::getLaunchSize(FuncOp func, Value value) {
  if (auto cast = value.getDefiningOp<CastOp>())
    return value.getType().isIndex() ? getLaunchSize(func, cast.getA()) : std::nullopt;
  if (auto size = value.getDefiningOp<SizeOp>())
    return getModeSize(func, size.getSource(), size.getMode());
  // Narrower integers may overflow.
  bool isWide = value.getType().isIndex() || value.getType().isInteger(64);
  Operation *op = value.getDefiningOp();
  if (isWide && isa_and_nonnull<ArithAddOp, ArithSubOp>(op)) {
    std::optional<int64_t> number = getConstantIntValue(op->getOperand(1));
    std::optional<LaunchSize> size = getLaunchSize(func, op->getOperand(0));
    if (!number || !size || size->divisor != 1)
      return std::nullopt;
    size->added += isa<ArithAddOp>(op) ? *number : -*number;
    return size;
  }
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &func.getBody().front() ||
      !value.getType().isIntOrIndex())
    return std::nullopt;
  return LaunchSize{argument.getArgNumber(), LaunchSize::kScalar};
}

std::optional<LaunchSizes> derivatives::getLaunchSizes(FuncOp func, Value memref) {
  auto type = dyn_cast<MemrefType>(memref.getType());
  if (!type)
    return std::nullopt;
  LaunchSizes sizes;
  for (int64_t mode = 0; mode < type.getOrder(); ++mode) {
    if (!type.isDynamicSize(mode))
      continue;
    std::optional<LaunchSize> size = getModeSize(func, memref, mode);
    if (!size)
      return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// A name that no parameter has.
static std::string getFreeName(FuncOp kernel) {
  DenseSet<StringRef> names;
  for (BlockArgument argument : kernel.getArguments())
    if (auto named = dyn_cast<NameLoc>(argument.getLoc()))
      names.insert(named.getName());
  std::string name = "kept";
  for (unsigned number = 1; names.contains(name); ++number)
    name = "kept_" + std::to_string(number);
  return name;
}

Value derivatives::createPart(ImplicitLocOpBuilder &builder, Value buffer) {
  auto argument = cast<BlockArgument>(buffer);
  auto kernel = cast<FuncOp>(argument.getOwner()->getParentOp());
  LaunchSizes sizes = getSizes(getAttr(kernel, argument.getArgNumber()));
  for (const LaunchSize &size : llvm::reverse(sizes)) {
    if (size.parameter != LaunchSize::kGroups)
      break;
    Value group =
        GroupIdOp::create(builder, builder.getIndexType(), Dimension(size.mode));
    int64_t last = cast<MemrefType>(buffer.getType()).getOrder() - 1;
    buffer = createEntry(builder, buffer, last, group);
  }
  return buffer;
}

/// Whether an op is a view of the part of a buffer of the group that runs.
static bool isInPart(Operation *op, const LaunchSizes &sizes) {
  auto view = dyn_cast<SubviewOp>(op);
  if (!view)
    return false;
  ArrayRef<int64_t> kept = view.getStaticSizes();
  ValueRange offsets = view.getOffsets();
  for (const LaunchSize &size : llvm::reverse(sizes)) {
    if (size.parameter != LaunchSize::kGroups)
      break;
    auto id = offsets.empty() ? GroupIdOp() : offsets.back().getDefiningOp<GroupIdOp>();
    if (kept.back() != 0 || !id || id.getDimension() != Dimension(size.mode))
      return false;
    kept = kept.drop_back();
    offsets = offsets.drop_back();
  }
  return true;
}

/// Makes a view of a buffer one of the part of the group that runs.
static void moveToPart(ImplicitLocOpBuilder &builder, SubviewOp view, Value part) {
  size_t order = cast<MemrefType>(part.getType()).getOrder();
  size_t groups = view.getStaticOffsets().size() - order;
  builder.setInsertionPoint(view);
  Value moved = SubviewOp::create(builder, view.getType(), part,
                                  view.getStaticOffsets().take_front(order),
                                  view.getStaticSizes().take_front(order),
                                  view.getOffsets().drop_back(groups), view.getSizes());
  view.replaceAllUsesWith(moved);
  view.erase();
}

LogicalResult derivatives::separateParts(FuncOp kernel) {
  ImplicitLocOpBuilder builder(kernel.getLoc(), kernel.getContext());
  for (BlockArgument buffer : kernel.getArguments()) {
    DenseI64ArrayAttr attr = getAttr(kernel, buffer.getArgNumber());
    if (!attr)
      continue;
    SmallVector<Operation *> users(buffer.getUsers());
    builder.setInsertionPointToStart(&kernel.getBody().front());
    Value part = createPart(builder, buffer);
    if (part == buffer)
      continue;
    for (Operation *user : users) {
      if (isa<SizeOp>(user))
        continue;
      if (!isInPart(user, getSizes(attr)))
        return user->emitOpError("expected a view of the part of a buffer that belongs "
                                 "to the group, got an access to ")
               << buffer.getType();
      moveToPart(builder, cast<SubviewOp>(user), part);
    }
  }
  return success();
}

Value derivatives::createBuffer(ImplicitLocOpBuilder &builder, FuncOp kernel,
                                ArrayRef<int64_t> shape, Type element,
                                LaunchSizes sizes, ArrayRef<Dimension> dimensions) {
  SmallVector<int64_t> wholeShape(shape);
  for (Dimension dimension : dimensions) {
    wholeShape.push_back(ShapedType::kDynamic);
    sizes.push_back({LaunchSize::kGroups, int64_t(dimension)});
  }
  MLIRContext *context = kernel.getContext();
  Location loc =
      NameLoc::get(StringAttr::get(context, getFreeName(kernel)), kernel.getLoc());
  unsigned index = kernel.getNumArguments();
  (void)kernel.insertArgument(index, MemrefType::get(wholeShape, element), {}, loc);
  kernel.setArgAttr(index, BufferAttr::getNameStr(), getAttrOf(context, sizes));
  return createPart(builder, kernel.getArgument(index));
}

void derivatives::eraseUnusedBuffers(FuncOp kernel) {
  for (unsigned index = kernel.getNumArguments(); index-- > 0;) {
    Value argument = kernel.getArgument(index);
    if (!isBuffer(argument) || !argument.use_empty())
      continue;
    (void)kernel.eraseArgument(index);
    // The others count the parameters.
    for (unsigned other = 0; other < kernel.getNumArguments(); ++other) {
      DenseI64ArrayAttr attr = getAttr(kernel, other);
      if (!attr)
        continue;
      LaunchSizes sizes = getSizes(attr);
      for (LaunchSize &size : sizes)
        size.parameter -= size.parameter > int64_t(index);
      kernel.setArgAttr(other, BufferAttr::getNameStr(),
                        getAttrOf(kernel.getContext(), sizes));
    }
  }
}
