//===- MatrixUnit.cpp - What a matrix unit multiplies ---------------------===//

#include "lib/Analysis/MatrixUnit.h"
#include "dialect/DiscardableAttrs.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Analysis/Schedule.h"
#include "lib/IR/WarpFragments.h"

using namespace mlir;
using namespace mlir::tinytc;

bool tinytc::mayUseTF32(Operation *op) {
  TargetAttr target = findTarget(op);
  return target && target.getAllowTf32();
}

Type tinytc::getMatrixUnitSumType(Type a, Type b, Type c, bool allowTF32) {
  MLIRContext *context = a.getContext();
  if (a != b)
    return {};
  bool isHalf = a.isF16() || a.isBF16();
  if (isHalf && (c.isF16() || c.isBF16() || c.isF32()))
    return Float32Type::get(context);
  if (allowTF32 && a.isF32() && c.isF32())
    return c;
  // Sums that are too large wrap around, in any type.
  if (a.isInteger(8) && (c.isInteger(8) || c.isInteger(16) || c.isInteger(32)))
    return IntegerType::get(context, 32);
  return {};
}

int64_t tinytc::getMatrixUnitDepth(Type type) {
  return 8 * 32 / type.getIntOrFloatBitWidth();
}

/// The summed mode of A.
static int64_t getSummedSize(GemmOp op) {
  auto a = cast<MemrefType>(op.getA().getType());
  return a.getShape()[op.getTransposeA() == Transpose::T ? 0 : 1];
}

/// Whether each work-group reads or writes a matrix of its own in global memory. One
/// that is the same for all stays in the caches.
static bool isStreamed(Value matrix) {
  if (cast<MemrefType>(matrix.getType()).isLocal())
    return false;
  while (Operation *op = matrix.getDefiningOp()) {
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    auto subview = dyn_cast<SubviewOp>(op);
    if (!view || (subview && !subview.getOffsets().empty()))
      return true;
    matrix = view.getViewSource();
  }
  return false;
}

/// Whether the multiply-adds of a product take longer than the matrices take to come
/// from memory, and go there.
static bool isBoundBySums(GemmOp op, const Machine &machine, double multiplyAdds) {
  double elements = 0;
  auto count = [&](Value matrix, int64_t times) {
    auto type = cast<MemrefType>(matrix.getType());
    if (isStreamed(matrix))
      elements += times * orTypical(type.getShape()[0]) * orTypical(type.getShape()[1]);
  };
  count(op.getA(), 1);
  count(op.getB(), 1);
  count(op.getC(), isConstant(op.getBeta(), 0) ? 1 : 2);
  double bytes = elements * getSizeBytes(getScalarType(op.getC().getType()));
  return multiplyAdds / machine.doubleFmasPerCycle >
         bytes / machine.memoryBytesPerCycle;
}

/// Whether tensor cores take less time for a product, including what they multiply
/// beyond its end.
static bool isWorthTensorCores(GemmOp op, const Machine &machine) {
  /// What tensor cores must gain to pay for loads that are less regular.
  static constexpr double kLeastGain = 1.25;
  auto c = cast<MemrefType>(op.getC().getType());
  Type type = getScalarType(op.getA().getType());
  WarpFragments fragments = *WarpFragments::get(type);
  double used = 1, all = 1;
  const std::pair<int64_t, int64_t> modes[] = {
      {c.getShape()[0], WarpFragments::kColumns},
      {c.getShape()[1], WarpFragments::kRows},
      {getSummedSize(op), fragments.depth}};
  for (auto [size, step] : modes) {
    used *= orTypical(size);
    all *= llvm::alignTo(orTypical(size), step);
  }
  double speed = type.isF64()        ? machine.doubleUnitSpeed
                 : type.isInteger(8) ? machine.byteUnitSpeed
                                     : machine.halfUnitSpeed;
  if (used == 0 || all * kLeastGain > used * speed)
    return false;
  return !type.isF64() || isBoundBySums(op, machine, used);
}

bool tinytc::runsOnMatrixUnit(GemmOp op, const Machine &machine, int32_t subgroupSize) {
  if (machine.matrixUnitLanes == 0 || machine.matrixUnitLanes != subgroupSize)
    return false;
  Type a = getScalarType(op.getA().getType()), b = getScalarType(op.getB().getType());
  Type type = getScalarType(op.getC().getType());
  bool isDouble = machine.takesFragments && a.isF64() && b == a && type == a;
  if (!isDouble && !getMatrixUnitSumType(a, b, type, mayUseTF32(op)))
    return false;
  if (machine.takesFragments)
    return isWorthTensorCores(op, machine);
  // At least half of the rows, the columns and the steps of an instruction.
  auto isAtLeast = [](int64_t size, int64_t least) {
    return ShapedType::isDynamic(size) || size >= least;
  };
  auto c = cast<MemrefType>(op.getC().getType());
  return isAtLeast(c.getShape()[0], subgroupSize / 2) &&
         isAtLeast(c.getShape()[1], 4) &&
         isAtLeast(getSummedSize(op), getMatrixUnitDepth(a) / 2);
}

namespace {
/// Instructions of a subgroup for a piece that it packs, and for one that work-items
/// read element by element.
struct PieceCosts {
  double packed, read;
};
} // namespace

static PieceCosts getPieceCosts(Type type) {
  return type.isInteger(8) ? PieceCosts{105, 110} : PieceCosts{75, 52};
}

/// Instructions of a subgroup for one step of its tile and its share of what all pack.
static double estimatePackedStep(const PackedProduct &product, int64_t numSubgroups,
                                 double pieceCost) {
  static constexpr double kOperand = 3, kLoop = 8;
  int64_t lines = product.getRows() + product.getColumns();
  return product.rowBlocks * product.columnBlocks +
         kOperand * (product.rowBlocks + product.columnBlocks) + kLoop +
         pieceCost * llvm::divideCeil(lines, numSubgroups * kMaxUnitColumns);
}

std::optional<PackedProduct> tinytc::choosePackedProduct(GemmOp op,
                                                         const Machine &machine,
                                                         int64_t numSubgroups,
                                                         ScheduleAttr given) {
  // The sums of 4 x 2 operations fill half of the registers.
  static constexpr int64_t kMaxRowBlocks = 4, kMaxColumnBlocks = 2;
  for (Value operand : {op.getA(), op.getB(), op.getC()})
    if (!cast<MemrefType>(operand.getType()).hasStaticShape())
      return std::nullopt;
  auto c = cast<MemrefType>(op.getC().getType());
  int64_t summed = getSummedSize(op);
  Type type = getScalarType(op.getA().getType());
  PieceCosts costs = getPieceCosts(type);
  auto count = [](int64_t size, int64_t step) {
    return std::max<int64_t>(llvm::divideCeil(size, step), 1);
  };
  int64_t rows = count(c.getShape()[0], kMaxUnitColumns);
  int64_t columns = count(c.getShape()[1], kMaxUnitColumns);
  PackedProduct best;
  double lowest = std::numeric_limits<double>::infinity();
  for (int64_t rowBlocks = 1; rowBlocks <= kMaxRowBlocks; ++rowBlocks)
    for (int64_t columnBlocks = 1; columnBlocks <= kMaxColumnBlocks; ++columnBlocks)
      for (int64_t gridRows = 1; gridRows <= numSubgroups; ++gridRows) {
        PackedProduct product{rowBlocks, columnBlocks, 1, 1, 1};
        if (given && given.getRows() != 0)
          product.rowBlocks = given.getRows();
        if (given && given.getColumns() != 0)
          product.columnBlocks = count(given.getColumns(), kMaxUnitColumns);
        product.gridRows = std::min(gridRows, count(rows, product.rowBlocks));
        product.gridColumns =
            std::min(numSubgroups / gridRows, count(columns, product.columnBlocks));
        double cost = estimatePackedStep(product, numSubgroups, costs.packed) *
                      count(rows, product.gridRows * product.rowBlocks) *
                      count(columns, product.gridColumns * product.columnBlocks);
        if (cost < lowest) {
          lowest = cost;
          best = product;
        }
      }
  int64_t readRows = std::min<int64_t>(rows, 2),
          readColumns = std::min<int64_t>(columns, 2);
  int64_t tiles = count(rows, readRows) * count(columns, readColumns);
  if (lowest > costs.read * (readRows + readColumns) * count(tiles, numSubgroups))
    return std::nullopt;
  // Parts of equal length.
  int64_t steps = count(summed, getMatrixUnitDepth(type));
  int64_t most = std::max<int64_t>(machine.packedFactorBytes / best.getBytes(), 1);
  best.steps = count(steps, count(steps, most));
  return best;
}

std::optional<int64_t> tinytc::getPackedBytes(GemmOp op, FuncOp func) {
  TargetAttr target = findTarget(func);
  std::optional<uint32_t> lanes = func.getSubgroupSize();
  std::optional<ArrayRef<int32_t>> items = func.getWorkGroupSize();
  if (!target || !lanes || !items)
    return std::nullopt;
  const Machine &machine = getMachine(target);
  if (machine.packedFactorBytes == 0 || !runsOnMatrixUnit(op, machine, *lanes))
    return std::nullopt;
  int64_t numSubgroups = int64_t((*items)[0]) * (*items)[1] / *lanes;
  std::optional<PackedProduct> product =
      choosePackedProduct(op, machine, numSubgroups, func.getScheduleAttr());
  return product ? std::optional(product->getBytes()) : std::nullopt;
}

int64_t WarpTile::getRows() const { return rowBlocks * WarpFragments::kColumns; }
int64_t WarpTile::getColumns() const { return columnBlocks * WarpFragments::kRows; }

/// Cycles of a core for one step of a tile: an operation of tensor cores for each pair
/// of blocks, and loads, of numbers that are neighbours if sizes keep them aligned.
static double estimateStep(const WarpTile &tile, int64_t rows, int64_t summed,
                           int64_t slots, int64_t bytes) {
  static constexpr int64_t kOperationCycles = 8, kLoadCycles = 4, kBytesAtOnce = 16;
  auto countLoads = [&](int64_t count, int64_t size) -> int64_t {
    bool isAligned = llvm::isPowerOf2_64(count) && size % count == 0;
    return isAligned ? llvm::divideCeil(count * bytes, kBytesAtOnce) : count;
  };
  double loads = slots * countLoads(tile.rowBlocks, rows) +
                 double(WarpFragments::kHalves * tile.columnBlocks *
                        countLoads(slots * tile.steps, summed)) /
                     tile.steps;
  return kOperationCycles * tile.rowBlocks * tile.columnBlocks + kLoadCycles * loads;
}

WarpTile tinytc::chooseWarpTile(int64_t rows, int64_t columns, int64_t summed,
                                Type type, ScheduleAttr given) {
  // The sums of such a tile are 40 registers, or 64 for f64.
  const int64_t maxBlocks = type.isF64() ? 8 : 10;
  static constexpr int64_t kMaxRowBlocks = 5, kMaxColumnBlocks = 3;
  WarpFragments fragments = *WarpFragments::get(type);
  auto isMultiple = [&](int64_t steps) {
    return !ShapedType::isDynamic(summed) && summed % (steps * fragments.depth) == 0;
  };
  // Where sizes are dynamic, each row and column has an address of its own.
  WarpTile tile{4, 2, isMultiple(2) ? 2 : 1};
  double lowest = std::numeric_limits<double>::infinity();
  if (!llvm::is_contained({rows, columns, summed}, ShapedType::kDynamic))
    for (int64_t rowBlocks = 1; rowBlocks <= kMaxRowBlocks; ++rowBlocks)
      for (int64_t columnBlocks = 1; columnBlocks <= kMaxColumnBlocks; ++columnBlocks) {
        WarpTile candidate{rowBlocks, columnBlocks, tile.steps};
        double cost = estimateStep(candidate, rows, summed, fragments.getNumSlots(),
                                   getSizeBytes(type)) *
                      llvm::divideCeil(rows, candidate.getRows()) *
                      llvm::divideCeil(columns, candidate.getColumns());
        if (rowBlocks * columnBlocks <= maxBlocks && cost < lowest) {
          lowest = cost;
          tile = candidate;
        }
      }
  if (given && given.getRows() != 0)
    tile.rowBlocks = given.getRows();
  if (given && given.getColumns() != 0)
    tile.columnBlocks = llvm::divideCeil(given.getColumns(), WarpFragments::kRows);
  if (given && given.getUnroll() != 0 && isMultiple(given.getUnroll()))
    tile.steps = given.getUnroll();
  return tile;
}

int64_t tinytc::countWarpTiles(GemmOp op, ScheduleAttr given) {
  ArrayRef<int64_t> c = cast<MemrefType>(op.getC().getType()).getShape();
  WarpTile tile = chooseWarpTile(c[0], c[1], getSummedSize(op),
                                 getScalarType(op.getA().getType()), given);
  auto count = [](int64_t size, int64_t step) -> int64_t {
    return ShapedType::isDynamic(size) ? 1 : llvm::divideCeil(size, step);
  };
  return count(c[0], tile.getRows()) * count(c[1], tile.getColumns());
}
