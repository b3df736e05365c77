//===- Schedule.cpp - How work is tiled over work-items -------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/Schedule.h"
#include "lib/Analysis/GroupsPerBlock.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Target/LaneLayout.h"

using namespace mlir;
using namespace mlir::tinytc;

int64_t tinytc::orTypical(int64_t size) {
  return ShapedType::isDynamic(size) ? kTypicalSize : size;
}

tinytc::ReductionShape::ReductionShape(int64_t rows, int64_t columns, int64_t length,
                                       Type type)
    : ReductionSizes{rows, columns, length, getSizeBytes(type)}, type(type) {}

namespace {

struct CostedTile {
  TileSchedule tile;
  /// Of the whole reduction.
  double cost;
};

} // namespace

/// Calls back with each tile that fits the registers, and its cost; first with the
/// smallest one, which is there for any machine.
static void forEachTile(const ReductionCost &model,
                        llvm::function_ref<void(int64_t, int64_t, double)> callback) {
  callback(1, 1, model.getCost(1, 1));
  for (int64_t rows = 1; rows <= model.getMaxRows(); ++rows)
    for (int64_t columns = 1; columns <= model.getMaxColumns(); ++columns)
      if (rows * columns > 1 && model.fits(rows, columns))
        callback(rows, columns, model.getCost(rows, columns));
}

/// Finds the cheapest tile.
static CostedTile findTile(const Machine &machine, const ReductionShape &shape,
                           int64_t width) {
  std::unique_ptr<ReductionCost> model = machine.model->estimate(machine, shape, width);
  bool columnsOutside = model->hasColumnsOutside();
  CostedTile best{{1, 1, 1, columnsOutside}, std::numeric_limits<double>::infinity()};
  forEachTile(*model, [&](int64_t rows, int64_t columns, double cost) {
    if (cost < best.cost)
      best = {{rows, columns, 1, columnsOutside}, cost};
  });
  return best;
}

/// Work-items along rows whose number is not known.
static constexpr int64_t kDynamicGridWidth = 8;

/// The cheapest tile for all grids of the work-items of a product, and their width.
static std::pair<CostedTile, int64_t> findGrid(const Machine &machine,
                                               ReductionShape shape, int64_t width) {
  int64_t items = width * shape.columnShares, bestWidth = width;
  CostedTile best = findTile(machine, shape, width);
  if (!machine.model->choosesGrids() || shape.columns == 1 || shape.columns == 0 ||
      !llvm::isPowerOf2_64(items))
    return {best, width};
  // Eight rows of which each work-item has four are a line of memory.
  if (ShapedType::isDynamic(shape.rows) && items > kDynamicGridWidth) {
    shape.columnShares = items / kDynamicGridWidth;
    return {findTile(machine, shape, kDynamicGridWidth), kDynamicGridWidth};
  }
  const int64_t rows = machine.model->orTypical(shape.rows);
  const int64_t columns = machine.model->orTypical(shape.columns);
  for (int64_t other = 1; other <= items; other *= 2) {
    shape.columnShares = items / other;
    if (other > rows || shape.columnShares > columns)
      continue;
    CostedTile tile = findTile(machine, shape, other);
    if (tile.cost < best.cost) {
      best = tile;
      bestWidth = other;
    }
  }
  return {best, bestWidth};
}

int64_t tinytc::chooseGridWidth(const Machine &machine, const ReductionShape &shape,
                                int64_t width, int64_t items, ScheduleAttr given) {
  if (given && (given.getRows() || given.getColumns()))
    return width;
  ReductionShape shared = shape;
  shared.columnShares = items / width;
  return findGrid(machine, shared, width).second;
}

TileSchedule tinytc::chooseTile(TargetAttr target, const ReductionShape &shape,
                                int64_t width, ScheduleAttr given) {
  const Machine &machine = getMachine(target);
  TileSchedule tile = findTile(machine, shape, width).tile;
  auto setUnroll = [&] {
    tile.unroll =
        machine.model->chooseUnroll(machine, shape, width, tile.rows, tile.columns);
  };
  setUnroll();
  if (given) {
    auto override = [](int64_t &entry, int64_t value) {
      entry = value ? value : entry;
    };
    override(tile.rows, given.getRows());
    override(tile.columns, given.getColumns());
    setUnroll();
    override(tile.unroll, given.getUnroll());
    // With large entries, the model's own choices have to be smaller.
    auto limit = [](int64_t &entry, int64_t value, int64_t bound) {
      if (value == 0)
        entry = std::min(entry, std::max<int64_t>(bound, 1));
    };
    limit(tile.rows, given.getRows(), ScheduleAttr::kMaxElements / tile.columns);
    limit(tile.columns, given.getColumns(), ScheduleAttr::kMaxElements / tile.rows);
    limit(tile.unroll, given.getUnroll(),
          ScheduleAttr::kMaxSteps / (tile.rows * tile.columns));
  }
  return tile;
}

int64_t tinytc::getAdjacentElements(const Machine &machine, Type type) {
  // Where loads need an alignment that is only promised to products, neighbouring
  // work-items' elements are adjacent.
  if (machine.alignedBytesAtOnce > 0)
    return 1;
  int64_t bytes = getSizeBytes(type);
  // Drivers only merge smaller elements than words to words: more than two of them
  // would be no faster, but longer.
  return std::max<int64_t>(machine.bytesAtOnce / (bytes < 4 ? 2 : 1) / bytes, 1);
}

bool tinytc::goesThroughRegisters(const Machine &machine, Type type) {
  if (auto complexType = dyn_cast<ComplexType>(type))
    type = complexType.getElementType();
  return machine.broadcastsRegisters && type.isIntOrFloat();
}

ReductionShape tinytc::getRealShape(const ReductionShape &shape) {
  ReductionShape real(twice(shape.rows), twice(shape.columns), shape.length,
                      cast<ComplexType>(shape.type).getElementType());
  real.converts = shape.converts;
  real.exchanges = true;
  return real;
}

/// The shape of an instruction's sum, if it is a sum of products.
static std::optional<ReductionShape> getReductionShape(Operation *op,
                                                       const Machine &machine,
                                                       int64_t lanes,
                                                       int64_t columnShares) {
  auto blas = dyn_cast<BlasOpInterface>(op);
  if (!blas || !blas.isReduction() || blas.getFactors().size() != 2)
    return std::nullopt;
  SmallVector<int64_t> shape = blas.getProductShape();
  int64_t length = shape.pop_back_val();
  shape.resize(2, 1);
  ReductionShape result(shape[0], shape[1], length,
                        getScalarType(blas.getDestination().getType()));
  Value shared = blas.getFactors().back().operand->get();
  if (goesThroughRegisters(machine, getScalarType(shared.getType())))
    result.sharingLanes = lanes;
  auto rows = dyn_cast<MemrefType>(blas.getFactors().front().operand->get().getType());
  auto gemm = dyn_cast<GemmOp>(op);
  // A matrix that is transposed will be copied into local memory.
  result.isInLoop = op->getParentOfType<ForOp>() != nullptr;
  result.hasLocalRows =
      (rows && rows.isLocal()) || (gemm && isTransposed(gemm.getTransposeA()));
  result.isFarApart = rows && rows.getOrder() == 2 && !result.hasLocalRows &&
                      result.hasKnownSizes() &&
                      ShapedType::isDynamic(rows.getStride()[1]);
  if (machine.model->choosesGrids())
    result.columnShares = columnShares;
  return result;
}

int64_t tinytc::getMaxSharedProductBytes(TargetAttr target, FuncOp func) {
  int64_t bytes = 0;
  func.walk([&](Operation *op) {
    auto shape = getReductionShape(op, getMachine(target), /*lanes=*/1,
                                   /*columnShares=*/1);
    if (!shape || !shape->sharingLanes)
      return;
    // Sums of floating-point numbers of 16 bits are f32.
    int64_t least = isa<FloatType>(shape->type) ? 4 : 1;
    bytes = std::max({bytes, least, getSizeBytes(shape->type)});
  });
  return bytes;
}

bool tinytc::hasStaticProduct(TargetAttr target, FuncOp func) {
  auto visit = [&](Operation *op) {
    auto shape = getReductionShape(op, getMachine(target), /*lanes=*/1,
                                   /*columnShares=*/1);
    bool isStatic =
        shape && shape->columns > 1 &&
        !llvm::is_contained({shape->rows, shape->columns}, ShapedType::kDynamic);
    return isStatic ? WalkResult::interrupt() : WalkResult::advance();
  };
  return func.walk(visit).wasInterrupted();
}

/// The same as lowering sees it: the parts of complex numbers may be rows and columns.
static std::optional<ReductionShape> getLoweredShape(const Machine &machine,
                                                     Operation *op, int64_t lanes,
                                                     int64_t columnShares) {
  std::optional<ReductionShape> shape =
      getReductionShape(op, machine, lanes, columnShares);
  if (shape && machine.vectors.splitsComplexNumbers && isa<ComplexType>(shape->type))
    return getRealShape(*shape);
  return shape;
}

SmallVector<EstimatedTile> tinytc::estimateTiles(const Machine &machine,
                                                 const ReductionShape &shape,
                                                 int64_t width) {
  SmallVector<EstimatedTile> tiles;
  forEachTile(*machine.model->estimate(machine, shape, width),
              [&](int64_t rows, int64_t columns, double cycles) {
                tiles.push_back({rows, columns, cycles});
              });
  return tiles;
}

/// Cycles of transposing a matrix.
static double estimateTransposition(const Machine &machine, MemrefType type,
                                    int64_t width, int64_t columnShares) {
  double elements = 1;
  for (int64_t size : type.getShape())
    elements *= orTypical(size);
  return machine.model->getTransposition(
      machine, elements, getSizeBytes(type.getElementType()), width, columnShares);
}

/// Cycles of the loads and stores of an instruction that uses every element once.
static double estimateStreams(const Machine &machine, Operation *op, int64_t width,
                              int64_t columnShares) {
  double blocks = 1;
  int64_t bytes = 4;
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<MemrefType>(operand.getType())) {
      double elements = 1;
      for (auto [mode, size] : llvm::enumerate(type.getShape())) {
        int64_t workItems = mode == 0 ? width : mode == 1 ? columnShares : 1;
        elements *= llvm::divideCeil(orTypical(size), workItems);
      }
      blocks = std::max(blocks, elements);
      bytes = std::max(bytes, getSizeBytes(type.getElementType()));
    }
  double registers = std::max<double>(1, double(bytes) * width / machine.registerBytes);
  return machine.costs.streamCycles * registers * blocks;
}

/// Cycles of one collective instruction.
static double estimateOp(const Machine &machine, Operation *op, int64_t width,
                         int64_t lanes, int64_t columnShares) {
  if (std::optional<ReductionShape> shape =
          getLoweredShape(machine, op, lanes, columnShares)) {
    auto [tile, gridWidth] = findGrid(machine, *shape, width);
    // A work-item computes its place in another grid, a quotient and a remainder.
    double cost = tile.cost + (gridWidth == width ? 0 : 2);
    // A product with a vector uses every element of the matrix only once.
    if (cast<BlasOpInterface>(op).getDestination().getType().getOrder() < 2)
      cost = std::max(cost, estimateStreams(machine, op, width, columnShares));
    if (auto gemm = dyn_cast<GemmOp>(op); gemm && isTransposed(gemm.getTransposeA()))
      cost += estimateTransposition(machine, cast<MemrefType>(gemm.getA().getType()),
                                    width, columnShares);
    return cost;
  }
  // Element-wise, or a sum over all elements.
  return machine.costs.tileCycles + estimateStreams(machine, op, width, columnShares);
}

/// The assumed cost of an SPMD region or of an instruction without an estimate.
static constexpr double kTypicalCost = 100;

/// The sum over all instructions, as often as loops run them: `spmdEstimate` for an
/// SPMD region, what `estimate` returns for a collective instruction.
static double sumUp(FuncOp func, double spmdEstimate,
                    llvm::function_ref<double(Operation *)> estimate) {
  double sum = 0;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->hasTrait<SpmdRegion>()) {
      sum += spmdEstimate;
      return WalkResult::skip();
    }
    if (!op->hasTrait<Collective>() || isa<AllocaOp>(op))
      return WalkResult::advance();
    double factor = 1;
    for (auto loop = op->getParentOfType<ForOp>(); loop;
         loop = loop->getParentOfType<ForOp>())
      factor *= kTypicalSize;
    sum += factor * estimate(op);
    return WalkResult::advance();
  });
  return sum;
}

double tinytc::estimateCost(TargetAttr target, FuncOp func, int64_t width,
                            int64_t lanes, int64_t columnShares) {
  const Machine &machine = getMachine(target);
  return sumUp(func, kTypicalCost, [&](Operation *op) {
    return estimateOp(machine, op, width, lanes, columnShares);
  });
}

double tinytc::estimateWaits(TargetAttr target, FuncOp func, int64_t width,
                             int64_t lanes) {
  const Machine &machine = getMachine(target);
  return sumUp(func, 1, [&](Operation *op) -> double {
    std::optional<ReductionShape> shape =
        getLoweredShape(machine, op, lanes, /*columnShares=*/1);
    if (!shape)
      return 1;
    TileSchedule tile = findTile(machine, *shape, width).tile;
    return machine.model->estimate(machine, *shape, width)
        ->getWaits(tile.rows, tile.columns);
  });
}

int64_t tinytc::chooseGroups(TargetAttr target, FuncOp func) {
  const Machine &machine = getMachine(target);
  if (machine.warps.maxWorkGroupsOfCore > 0)
    return chooseGroupsPerBlock(target, func);
  ArrayRef<int32_t> size = *func.getWorkGroupSize();
  double cost =
      std::max(estimateCost(target, func, size[0], *func.getSubgroupSize()), 1.0);
  return std::clamp<int64_t>(machine.launches.minWorkGroupCycles / cost, 1,
                             machine.launches.maxGroupsPerWorkGroup);
}
