//===- ChooseWorkGroupSize.cpp - Sizes of work-group and subgroup ---------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Passes.h"
#include "lib/Analysis/GroupsPerBlock.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Analysis/Schedule.h"
#include "lib/Strategies/Products.h"
#include "lib/Transforms/WorkGroupSizes.h"

#include "llvm/ADT/StringExtras.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_CHOOSEWORKGROUPSIZEPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

bool tinytc::hasSpmdRegion(FuncOp func) {
  auto visit = [](Operation *op) {
    return op->hasTrait<SpmdRegion>() ? WalkResult::interrupt() : WalkResult::advance();
  };
  return func.walk(visit).wasInterrupted();
}

/// Whether a program can find out how its work-items are divided into subgroups.
static bool dependsOnSubgroups(FuncOp func) {
  auto visit = [](NumSubgroupsOp) { return WalkResult::interrupt(); };
  return hasSpmdRegion(func) || func.walk(visit).wasInterrupted();
}

/// Elements that the largest collective instruction of the kernel writes along a mode.
static int64_t getMaxSize(FuncOp func, int64_t mode) {
  int64_t size = 1;
  func.walk([&](BlasOpInterface op) {
    MemrefType type = op.getDestination().getType();
    if (type.getOrder() > mode && !type.isDynamicSize(mode))
      size = std::max(size, type.getShape()[mode]);
  });
  return size;
}

/// Rows that the largest collective instruction of the kernel writes.
static int64_t getMaxRows(FuncOp func) { return getMaxSize(func, 0); }

/// Whether a collective instruction writes rows or columns whose number is not known.
static bool hasDynamicSizes(FuncOp func) {
  return func
      .walk([](BlasOpInterface op) {
        return op.getDestination().getType().hasStaticShape() ? WalkResult::advance()
                                                              : WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// The number of subgroups side by side that fill a warp, each of which has columns of
/// its own: where there are fewer rows than lanes. 1 where there are no warps.
static int32_t chooseSubgroupsOfWarp(FuncOp func, TargetAttr target,
                                     int32_t subgroupSize) {
  const int32_t warp = getMachine(target).warps.lanes;
  if (subgroupSize >= warp)
    return 1;
  bool isFilled = getMaxRows(func) > subgroupSize || hasSpmdRegion(func);
  int64_t columns = getMaxSize(func, 1);
  return isFilled || columns == 1
             ? 1
             : std::min<int64_t>(warp / subgroupSize, llvm::PowerOf2Ceil(columns));
}

/// The smallest size of a part of a warp that has a lane for each row.
static std::optional<int32_t> choosePartOfWarp(FuncOp func, TargetAttr target) {
  if (getMachine(target).warps.lanes == 0 || hasDynamicSizes(func) ||
      getMaxSize(func, 1) == 1)
    return std::nullopt;
  for (int32_t size : target.getSubgroupSizes())
    if (getMaxRows(func) <= size)
      return size;
  return std::nullopt;
}

bool tinytc::hasMatrixUnitProduct(FuncOp func, const Machine &machine) {
  auto visit = [&](GemmOp op) {
    return runsOnMatrixUnit(op, machine, machine.unit.lanes) ? WalkResult::interrupt()
                                                             : WalkResult::advance();
  };
  return func.walk(visit).wasInterrupted();
}

/// Whether groups of `items` work-items would lie side by side in a warp.
static bool fillsWarps(FuncOp func, TargetAttr target, int64_t items) {
  ScheduleAttr schedule = func.getScheduleAttr();
  int64_t groups = getMachine(target).warps.lanes / items;
  bool isOpen = !schedule || schedule.getGroups() == 0;
  return groups > 1 && isOpen && canShareBlock(target, func, items, groups);
}

/// How warps are spread over the matrices of a kernel with
/// products: lanes of few rows and many columns load less for each multiply-add.
static std::optional<WorkGroupSizes> chooseForProducts(FuncOp func, TargetAttr target,
                                                       bool packGroups) {
  bool isOpen = !func.getSubgroupSize() && !func.getWorkGroupSize();
  const int32_t warp = getMachine(target).warps.lanes;
  if (warp == 0 || !isOpen || hasSpmdRegion(func) || hasDynamicSizes(func) ||
      !hasStaticProduct(target, func) || hasMatrixUnitProduct(func, getMachine(target)))
    return std::nullopt;
  const int32_t rows = llvm::PowerOf2Ceil(getMaxRows(func));
  const int32_t columns = llvm::PowerOf2Ceil(getMaxSize(func, 1));
  const int32_t maxSize = warp * getMachine(target).maxSubgroups;
  std::optional<WorkGroupSizes> best;
  double lowest = std::numeric_limits<double>::infinity();
  for (int32_t lanes : target.getSubgroupSizes())
    for (int32_t x = lanes; x == lanes || (x <= rows && x <= maxSize); x *= 2)
      for (int32_t y = 1; y <= columns && x * y <= maxSize; y *= 2) {
        // Groups side by side fill a warp that one of them does not.
        double warps = double(x * y) / warp;
        if (!packGroups || !fillsWarps(func, target, x * y))
          warps = std::ceil(warps);
        // The time of all warps of a core, and that of one alone, which waits for
        // memory (measured on an H100, docs/decisions/nvvm.md).
        double cost = estimateCost(target, func, x, lanes, y) * (warps + 1);
        if (cost < lowest) {
          lowest = cost;
          best = {lanes, {x, y}};
        }
      }
  return best;
}

/// The subgroups that share the stages of a product, if the kernel leaves them open.
static std::optional<WorkGroupSizes> chooseForStages(FuncOp func,
                                                     const Machine &machine) {
  if (func.getSubgroupSize() || func.getWorkGroupSize())
    return std::nullopt;
  std::optional<Strategy> staged;
  func.walk([&](GemmOp op) {
    staged = chooseStagedFactors(op, machine, func.getScheduleAttr());
  });
  if (!staged)
    return std::nullopt;
  const int32_t lanes = machine.warps.lanes;
  const int32_t count = staged->gridRows * staged->gridColumns;
  return WorkGroupSizes{lanes, {lanes * count, 1}};
}

/// The most tiles of a product on tensor cores; a warp computes one at a time.
static int64_t getMaxWarpTiles(FuncOp func, const Machine &machine) {
  int64_t tiles = 0;
  func.walk([&](GemmOp op) {
    if (machine.unit.isTensorCore && runsOnMatrixUnit(op, machine, machine.unit.lanes))
      tiles = std::max(tiles, countWarpTiles(op, func.getScheduleAttr()));
  });
  return tiles;
}

/// Whether subgroups share factors of unknown sizes in local memory.
static bool packsUnknownFactors(FuncOp func, const Machine &machine) {
  if (machine.unit.packedFactorBytes == 0)
    return false;
  auto visit = [&](GemmOp op) {
    ProductSizes sizes(op);
    bool isUnknown = llvm::is_contained({sizes.rows, sizes.columns, sizes.summed},
                                        ShapedType::kDynamic);
    return isUnknown && runsOnMatrixUnit(op, machine, machine.unit.lanes)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  };
  return func.walk(visit).wasInterrupted();
}

/// The number of subgroups in a work-group, if the kernel leaves it open: enough for
/// the rows of the kernel, if work-items have one each.
static int32_t chooseNumSubgroups(FuncOp func, TargetAttr target,
                                  int32_t subgroupSize) {
  if (int64_t tiles = getMaxWarpTiles(func, getMachine(target));
      tiles > 0 && subgroupSize == getMachine(target).unit.lanes &&
      !hasSpmdRegion(func))
    return std::min<int64_t>(tiles, getMachine(target).maxSubgroups);
  if (packsUnknownFactors(func, getMachine(target)) &&
      subgroupSize == getMachine(target).unit.lanes && !hasSpmdRegion(func))
    return getMachine(target).maxSubgroups;
  int64_t needed = llvm::divideCeil(getMaxRows(func), int64_t(subgroupSize));
  needed = std::clamp<int64_t>(needed, 1, getMachine(target).maxSubgroups);
  if (hasSpmdRegion(func) || hasMatrixUnitProduct(func, getMachine(target)) ||
      getMaxSharedProductBytes(target, func) == 0)
    return needed;
  // Each subgroup loads what all rows share: fewer of them with more rows may be
  // cheaper.
  auto getCost = [&](int32_t count) {
    return count * estimateCost(target, func, count * subgroupSize, subgroupSize);
  };
  int32_t best = needed;
  for (int32_t count = needed - 1; count > 0; --count)
    if (getCost(count) < getCost(best))
      best = count;
  return best;
}

/// The largest subgroup size of the target up to the one that its machine prefers; the
/// smallest one if all are larger.
static int32_t getPreferredSize(TargetAttr target) {
  ArrayRef<int32_t> supported = target.getSubgroupSizes();
  const int32_t *larger =
      llvm::upper_bound(supported, getMachine(target).preferredSubgroupSize);
  return larger == supported.begin() ? supported.front() : *std::prev(larger);
}

/// The cheapest subgroup size for which the sums of products are one operand.
static int32_t chooseCheapestForProducts(FuncOp func, TargetAttr target,
                                         int64_t bytes) {
  ArrayRef<int32_t> supported = target.getSubgroupSizes();
  auto getCost = [&](int32_t size) {
    int32_t count = chooseNumSubgroups(func, target, size);
    return count * estimateCost(target, func, count * size, size);
  };
  int32_t best = supported.front();
  for (int32_t size : supported.drop_front())
    if (size * bytes <= getMachine(target).maxOperandBytes &&
        getCost(size) < getCost(best))
      best = size;
  return best;
}

/// The cheapest subgroup size up to the preferred one: few rows need few lanes,
/// where idle lanes are not free.
static int32_t chooseCheapest(FuncOp func, TargetAttr target) {
  const Machine &machine = getMachine(target);
  if (hasMatrixUnitProduct(func, machine))
    return machine.unit.lanes;
  const int32_t preferred = getPreferredSize(target);
  if (int64_t bytes = getMaxSharedProductBytes(target, func);
      bytes > 0 && !hasSpmdRegion(func))
    return chooseCheapestForProducts(func, target, bytes);
  if (!hasSpmdRegion(func))
    if (std::optional<int32_t> part = choosePartOfWarp(func, target))
      return *part;
  if (getMachine(target).idleLanesAreFree || hasSpmdRegion(func))
    return preferred;
  int32_t best = preferred;
  double cost = estimateCost(target, func, best, best);
  for (int32_t size : llvm::reverse(target.getSubgroupSizes())) {
    if (size >= preferred)
      continue;
    double candidate = estimateCost(target, func, size, size);
    if (candidate < cost) {
      best = size;
      cost = candidate;
    }
  }
  return best;
}

/// The largest subgroup size that divides the first sizes of all tiles; 0 if any does.
static int64_t getTileDivisor(FuncOp func) {
  int64_t divisor = 0;
  func.walk(
      [&](ForeachTileOp op) { divisor = std::gcd(divisor, op.getSizes().front()); });
  return divisor;
}

/// The subgroup size: the kernel's own, else one that divides its work-group size.
static FailureOr<int32_t> chooseSubgroupSize(FuncOp func, TargetAttr target) {
  ArrayRef<int32_t> supported = target.getSubgroupSizes();
  auto list = [&] {
    return llvm::join(
        llvm::map_range(supported, [](int32_t size) { return std::to_string(size); }),
        ", ");
  };
  if (std::optional<uint32_t> size = func.getSubgroupSize()) {
    if (llvm::is_contained(supported, static_cast<int32_t>(*size)))
      return static_cast<int32_t>(*size);
    return func.emitError("expected 'subgroup_size' to be one of ")
           << list() << " on target '" << target.getName() << "', got " << *size;
  }
  std::optional<ArrayRef<int32_t>> group = func.getWorkGroupSize();
  int64_t tile = getTileDivisor(func);
  if (!group && tile == 0)
    return chooseCheapest(func, target);
  auto fits = [&](int32_t size) {
    return (!group || (*group)[0] % size == 0) && tile % size == 0;
  };
  const Machine &machine = getMachine(target);
  if (hasMatrixUnitProduct(func, machine) && fits(machine.unit.lanes))
    return machine.unit.lanes;
  if (int32_t preferred = getPreferredSize(target); fits(preferred))
    return preferred;
  for (int32_t size : llvm::reverse(supported))
    if (fits(size))
      return size;
  if (llvm::none_of(supported, [&](int32_t size) { return tile % size == 0; }))
    return func.emitError("expected the first sizes of tiles to be multiples of one of "
                          "the subgroup sizes ")
           << list() << " of target '" << target.getName() << "', got multiples of "
           << tile << " at most";
  if (tile != 0)
    return func.emitError("expected a subgroup size of ")
           << list() << " on target '" << target.getName()
           << "' that divides the first mode of 'work_group_size' and the first sizes "
              "of tiles, got "
           << (*group)[0] << " and multiples of " << tile;
  return func.emitError("expected the first mode of 'work_group_size' to be a multiple "
                        "of one of the subgroup sizes ")
         << list() << " of target '" << target.getName() << "', got " << (*group)[0];
}

/// Sets or removes the number of groups in the schedule of a kernel.
static void setGroups(FuncOp func, int64_t groups) {
  ScheduleAttr given = func.getScheduleAttr();
  if (!given && groups <= 1)
    return;
  if (!given)
    given = ScheduleAttr::get(func.getContext(), 0, 0, 0, 0);
  func.setScheduleAttr(ScheduleAttr::get(func.getContext(), given.getRows(),
                                         given.getColumns(), given.getUnroll(),
                                         groups));
}

FailureOr<WorkGroupSizes> tinytc::findWorkGroupSizes(FuncOp func, TargetAttr target,
                                                     bool packGroups) {
  if (std::optional<WorkGroupSizes> staged = chooseForStages(func, getMachine(target)))
    return *staged;
  std::optional<WorkGroupSizes> forProducts =
      getTileDivisor(func) == 0 ? chooseForProducts(func, target, packGroups)
                                : std::nullopt;
  if (forProducts)
    return *forProducts;
  FailureOr<int32_t> subgroupSize = chooseSubgroupSize(func, target);
  if (failed(subgroupSize))
    return failure();
  if (std::optional<ArrayRef<int32_t>> given = func.getWorkGroupSize()) {
    if (!getMachine(target).vectors.prefersOneSubgroup || dependsOnSubgroups(func))
      return WorkGroupSizes{*subgroupSize, llvm::to_vector(*given)};
    if (!func.getSubgroupSize())
      subgroupSize = chooseCheapest(func, target);
  }
  return WorkGroupSizes{
      *subgroupSize,
      {*subgroupSize * chooseNumSubgroups(func, target, *subgroupSize),
       chooseSubgroupsOfWarp(func, target, *subgroupSize)}};
}

/// Gives a kernel of many complex products small tiles, where it leaves them open. Such
/// products cannot call functions, and drivers of CPUs take long for all of their code.
static void limitTiles(FuncOp func, const Machine &machine) {
  static constexpr int64_t kMostLargeTiles = 40, kMostOfUnknownSizes = 16;
  if (!machine.code.callsProducts || func.getScheduleAttr())
    return;
  int64_t numProducts = 0, numUnknown = 0;
  func.walk([&](GemmOp op) {
    if (!isa<ComplexType>(getScalarType(op.getC().getType())))
      return;
    ++numProducts;
    numUnknown +=
        !op.getC().getType().hasStaticShape() || !op.getA().getType().hasStaticShape();
  });
  if (numProducts <= kMostLargeTiles && numUnknown <= kMostOfUnknownSizes)
    return;
  int64_t rows = 1, columns = numUnknown > kMostOfUnknownSizes ? 1 : 4;
  func.setScheduleAttr(
      ScheduleAttr::get(func.getContext(), rows, columns, /*unroll=*/0, 0));
}

static LogicalResult chooseSizes(FuncOp func, TargetAttr target, bool packGroups) {
  limitTiles(func, getMachine(target));
  FailureOr<WorkGroupSizes> sizes = findWorkGroupSizes(func, target, packGroups);
  if (failed(sizes))
    return failure();
  ArrayRef<int32_t> group = func.getWorkGroupSize().value_or(sizes->group);
  int64_t product = int64_t(group[0]) * group[1];
  if (product > target.getMaxWorkGroupSize())
    return func.emitError("expected the product of 'work_group_size' to be at most ")
           << target.getMaxWorkGroupSize() << " on target '" << target.getName()
           << "', got " << group[0] << " * " << group[1] << " = " << product;
  func.setSubgroupSize(sizes->subgroup);
  func.setWorkGroupSize(sizes->group);
  ScheduleAttr schedule = func.getScheduleAttr();
  if (!packGroups)
    setGroups(func, 0);
  else if (!schedule || schedule.getGroups() == 0)
    setGroups(func, chooseGroups(target, func));
  return success();
}

namespace {
struct ChooseWorkGroupSize final
    : tinytc::impl::ChooseWorkGroupSizePassBase<ChooseWorkGroupSize> {
  using ChooseWorkGroupSizePassBase::ChooseWorkGroupSizePassBase;

  void runOnOperation() override {
    FailureOr<TargetAttr> target = getTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    for (FuncOp func : getOperation().getOps<FuncOp>())
      if (failed(chooseSizes(func, *target, packGroups)))
        return signalPassFailure();
  }
};
} // namespace
