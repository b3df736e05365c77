//===- MatrixUnit.cpp - Products on a matrix unit -------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/MatrixUnit.h"
#include "lib/IR/CoopMatrixLayout.h"
#include "lib/IR/WarpFragments.h"
#include "lib/Strategies/Choose.h"
#include "lib/Strategies/Products.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tinytc;

ProductSizes::ProductSizes(GemmOp op) {
  auto getSize = [](Value matrix, TensorForm form, unsigned mode) {
    unsigned place = isTransposed(form) ? 1 - mode : mode;
    return cast<MemrefType>(matrix.getType()).getShape()[place];
  };
  rows = getSize(op.getA(), op.getTransposeA(), 0);
  summed = getSize(op.getA(), op.getTransposeA(), 1);
  columns = getSize(op.getB(), op.getTransposeB(), 1);
}

bool tinytc::runsOnMatrixUnit(GemmOp op, const Machine &machine, int32_t subgroupSize) {
  if (!canMultiplyOnUnit(op, machine, subgroupSize))
    return false;
  if (machine.unit.isTensorCore)
    return isWorthTensorCores(op, machine);
  // At least half of the rows, the columns and the steps of an instruction.
  auto isAtLeast = [](int64_t size, int64_t least) {
    return ShapedType::isDynamic(size) || size >= least;
  };
  auto c = cast<MemrefType>(op.getC().getType());
  return isAtLeast(c.getShape()[0], subgroupSize / 2) &&
         isAtLeast(c.getShape()[1], 4) &&
         isAtLeast(ProductSizes(op).summed,
                   getMatrixUnitDepth(getScalarType(op.getA().getType())) / 2);
}

std::optional<UnitSteps> tinytc::getUnitSteps(GemmOp op, const Machine &machine) {
  if (!runsOnMatrixUnit(op, machine, machine.unit.lanes))
    return getTileSteps(op, machine);
  Type type = getScalarType(op.getA().getType());
  // Rows of C are columns of the fragments of tensor cores.
  if (machine.unit.isTensorCore)
    return UnitSteps{WarpFragments::kColumns, WarpFragments::kRows,
                     WarpFragments::get(type)->depth};
  return UnitSteps{machine.unit.lanes, kMaxUnitColumns, getMatrixUnitDepth(type)};
}

namespace {
/// Instructions of a subgroup for a piece that it packs, and for one that work-items
/// read element by element.
struct PieceCosts {
  double packed, read;
};
} // namespace

static PieceCosts getPieceCosts(Type type, bool isUnknown) {
  if (isUnknown)
    return type.isInteger(8) ? PieceCosts{200, 220} : PieceCosts{125, 124};
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

/// How the subgroups compute a product with factors in local memory. None if work-items
/// that read their own elements would take fewer instructions.
static std::optional<PackedProduct> choosePackedProduct(GemmOp op,
                                                        const Launch &launch) {
  const int64_t numSubgroups = launch.getNumSubgroups();
  const ScheduleAttr given = launch.schedule;
  // As many rows, columns and steps as are worth a matrix unit.
  static constexpr int64_t kTypical = 64;
  ProductSizes sizes(op);
  bool isUnknown = false;
  for (int64_t *size : {&sizes.rows, &sizes.columns, &sizes.summed})
    if (ShapedType::isDynamic(*size)) {
      isUnknown = true;
      *size = kTypical;
    }
  // The sums of 4 x 2 operations fill half of the registers. Those of 2 x 2 leave room
  // for the distances of neighbours that are only known at run time.
  const int64_t maxRowBlocks = isUnknown ? 2 : 4;
  static constexpr int64_t kMaxColumnBlocks = 2;
  Type type = getScalarType(op.getA().getType());
  PieceCosts costs = getPieceCosts(type, isUnknown);
  auto count = [](int64_t size, int64_t step) {
    return std::max<int64_t>(llvm::divideCeil(size, step), 1);
  };
  int64_t rows = count(sizes.rows, kMaxUnitColumns);
  int64_t columns = count(sizes.columns, kMaxUnitColumns);
  PackedProduct best{};
  double lowest = std::numeric_limits<double>::infinity();
  for (int64_t rowBlocks = 1; rowBlocks <= maxRowBlocks; ++rowBlocks)
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
  int64_t steps = count(sizes.summed, getMatrixUnitDepth(type));
  int64_t most =
      std::max<int64_t>(launch.machine.unit.packedFactorBytes / best.getBytes(), 1);
  best.steps = count(steps, count(steps, most));
  return best;
}

namespace {
/// Row blocks and columns of the tile of C that a subgroup computes.
struct UnitTile {
  int64_t rowBlocks, columns;
};
} // namespace

/// Columns of a tile for a matrix of few columns: one more operation of the unit for
/// the last ones, of 1, 2, 4 or all columns.
static int64_t roundColumns(int64_t count) {
  int64_t rest = count % kMaxUnitColumns;
  return llvm::isPowerOf2_64(rest) ? count : llvm::alignTo(count, kMaxUnitColumns);
}

/// The tile for factors that are read by blocks, or element by element.
static UnitTile chooseUnitTile(GemmOp op, const Launch &launch, bool byBlocks) {
  static constexpr int64_t kTileBlocks = 2;
  ProductSizes sizes(op);
  bool hasRows = !ShapedType::isDynamic(sizes.rows);
  bool hasColumns = !ShapedType::isDynamic(sizes.columns);
  int64_t lanes = launch.machine.unit.lanes;
  UnitTile tile = {hasRows && sizes.rows <= lanes ? 1 : kTileBlocks,
                   launch.machine.unit.columns};
  // Numbers that are read one by one take a register each until they are packed.
  if (!byBlocks)
    tile.columns = std::min(tile.columns, 2 * kMaxUnitColumns);
  if (!byBlocks && getSizeBytes(getScalarType(op.getA().getType())) == 1) {
    tile.rowBlocks = 1;
    tile.columns = std::min(tile.columns, lanes);
  }
  if (hasColumns)
    tile.columns = std::min(tile.columns, roundColumns(sizes.columns));
  // As many tiles as subgroups.
  auto count = [&]() -> int64_t {
    return llvm::divideCeil(sizes.rows, tile.rowBlocks * lanes) *
           llvm::divideCeil(sizes.columns, tile.columns);
  };
  while (hasRows && hasColumns && tile.columns % (2 * kMaxUnitColumns) == 0 &&
         2 * count() <= launch.getNumSubgroups())
    tile.columns /= 2;
  if (ScheduleAttr given = launch.schedule) {
    tile.rowBlocks = given.getRows() ? given.getRows() : tile.rowBlocks;
    tile.columns = given.getColumns() ? given.getColumns() : tile.columns;
  }
  return tile;
}

/// Tiles on the matrix unit, with factors from local memory where that pays.
static Strategy chooseMatrixUnit(GemmOp op, const Launch &launch) {
  const int64_t lanes = launch.machine.unit.lanes;
  UnitTile byElements = chooseUnitTile(op, launch, /*byBlocks=*/false);
  Strategy strategy{StrategyKind::MatrixUnit};
  strategy.elementRows = byElements.rowBlocks * lanes;
  strategy.elementColumns = byElements.columns;
  std::optional<PackedProduct> packed;
  if (launch.machine.unit.packedFactorBytes > 0)
    packed = choosePackedProduct(op, launch);
  if (!packed) {
    UnitTile byBlocks = chooseUnitTile(op, launch, /*byBlocks=*/true);
    strategy.rows = byBlocks.rowBlocks * lanes;
    strategy.columns = byBlocks.columns;
    return strategy;
  }
  strategy.kind = StrategyKind::PackedFactors;
  strategy.rows = packed->rowBlocks * kMaxUnitColumns;
  strategy.columns = packed->columnBlocks * kMaxUnitColumns;
  strategy.unroll = packed->steps;
  strategy.gridRows = packed->gridRows;
  strategy.gridColumns = packed->gridColumns;
  strategy.localBytes = packed->getBytes();
  return strategy;
}

std::optional<Strategy> tinytc::chooseStrategy(GemmOp op, const Launch &launch) {
  std::optional<Strategy> staged =
      chooseStagedFactors(op, launch.machine, launch.schedule);
  if (staged && launch.subgroupSize == launch.machine.warps.lanes &&
      launch.getNumSubgroups() == staged->gridRows * staged->gridColumns)
    return staged;
  if (!runsOnMatrixUnit(op, launch.machine, launch.subgroupSize)) {
    if (std::optional<Strategy> packed = chooseDotProduct(op, launch))
      return packed;
    return chooseLocalCopies(op, launch.machine);
  }
  return launch.machine.unit.isTensorCore ? chooseTensorCores(op, launch)
                                          : chooseMatrixUnit(op, launch);
}

Strategy tinytc::chooseStrategy(CooperativeMatrixMulAddOp op, const Launch &launch) {
  auto getLayout = [&](Value matrix) {
    return CoopMatrixLayout(cast<CoopMatrixType>(matrix.getType()),
                            launch.subgroupSize);
  };
  CoopMatrixProduct product{getLayout(op.getA()), getLayout(op.getB()),
                            getLayout(op.getC())};
  bool hasUnit = launch.machine.unit.lanes == launch.subgroupSize &&
                 getMatrixUnitSumType(product.a.type.getElementType(),
                                      product.b.type.getElementType(),
                                      product.c.type.getElementType(), mayUseTF32(op));
  if (!hasUnit)
    return {StrategyKind::WorkItems};
  if (launch.machine.unit.isTensorCore && isTensorCoreProduct(product))
    return {StrategyKind::TensorCores};
  if (!launch.machine.unit.isTensorCore && isMatrixUnitProduct(product)) {
    Strategy strategy{StrategyKind::MatrixUnit};
    auto load = op.getB().getDefiningOp<CooperativeMatrixLoadOp>();
    if (std::optional<Strategy> given = load ? Strategy::find(load) : std::nullopt)
      strategy.rows = given->rows;
    return strategy;
  }
  return {StrategyKind::WorkItems};
}

/// Whether an index is known to be even, by so many operations.
static bool isEven(Value index, unsigned depth = 8) {
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return !constant[0];
  if (depth == 0)
    return false;
  if (auto variable = dyn_cast<BlockArgument>(index)) {
    auto loop = dyn_cast<ForOp>(variable.getOwner()->getParentOp());
    return loop && variable == loop.getInductionVar() && loop.getStep() &&
           isEven(loop.getFrom(), depth - 1) && isEven(loop.getStep(), depth - 1);
  }
  Operation *op = index.getDefiningOp();
  if (isa<ArithAddOp, ArithSubOp>(op))
    return isEven(op->getOperand(0), depth - 1) && isEven(op->getOperand(1), depth - 1);
  return isa<ArithMulOp>(op) &&
         (isEven(op->getOperand(0), depth - 1) || isEven(op->getOperand(1), depth - 1));
}

std::optional<Strategy> tinytc::chooseStrategy(CooperativeMatrixLoadOp op,
                                               const Launch &launch) {
  CoopMatrixType type = op.getType();
  bool isTransposed = op.getTranspose() == Transpose::T;
  if (!launch.machine.unit.readsBlocks || type.getUse() != MatrixUse::B ||
      !type.getElementType().isInteger(8) || op->use_empty())
    return std::nullopt;
  // Plain blocks of pairs begin at even rows. Transposed ones read two columns as one:
  // what is before the second is the end of the first.
  if (isTransposed ? op.getChecked() != Checked::None : !isEven(op.getX()))
    return std::nullopt;
  for (Operation *user : op->getUsers()) {
    auto product = dyn_cast<CooperativeMatrixMulAddOp>(user);
    if (!product || Strategy::find(product) ||
        chooseStrategy(product, launch).kind != StrategyKind::MatrixUnit)
      return std::nullopt;
  }
  Strategy strategy{StrategyKind::MatrixUnit};
  strategy.rows = 2;
  return strategy;
}
