//===- CheckStrategies.cpp - Whether strategies fit their instructions ----===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/DotProduct.h"
#include "lib/Analysis/LocalMemory.h"
#include "lib/Analysis/MatrixUnit.h"
#include "lib/Analysis/StagedProduct.h"
#include "lib/Conversion/LowerToUnits/Patterns.h"
#include "lib/IR/WarpFragments.h"

using namespace mlir;
using namespace mlir::tinytc;

static StringRef stringify(const Strategy &strategy) {
  return stringifyStrategyKind(strategy.kind);
}

static LogicalResult emitUnitError(Operation *op, const Strategy &strategy) {
  return op->emitOpError(
             "expected a strategy that the target has a unit for, with these "
             "types, sizes and ")
         << "subgroups, got " << stringify(strategy);
}

/// Checks the tile of a strategy: whole blocks of so many rows and columns.
static LogicalResult checkTile(Operation *op, int64_t rows, int64_t columns,
                               int64_t rowStep, int64_t columnStep) {
  if (rows > 0 && columns > 0 && rows % rowStep == 0 && columns % columnStep == 0)
    return success();
  return op->emitOpError("expected a strategy with tiles of multiples of ")
         << rowStep << " x " << columnStep << " elements, got " << rows << " x "
         << columns;
}

/// Checks that factors have as many bytes of local memory as they need.
static LogicalResult checkPlace(GemmOp op, const Strategy &strategy, int64_t bytes,
                                StringRef user, int64_t alignment) {
  if (bytes <= 0 || bytes != strategy.localBytes)
    return emitLocalBytesError(op, strategy, bytes, user);
  std::optional<int64_t> offset = getLocalOffset(op);
  if (!offset)
    return op.emitOpError("expected the factors to have a place in local memory, got "
                          "none: run tinytc-allocate-local-memory first");
  if (*offset % alignment != 0)
    return op.emitOpError("expected the place of the factors in local memory to be a "
                          "multiple of ")
           << alignment << " bytes, got " << *offset;
  return success();
}

static LogicalResult checkPacked(GemmOp op, const Strategy &strategy) {
  if (failed(checkTile(op, strategy.rows, strategy.columns, kMaxUnitColumns,
                       kMaxUnitColumns)))
    return failure();
  return checkPlace(op, strategy, PackedProduct::get(strategy).getBytes(),
                    "its grid needs", PackedProduct::kPieceBytes);
}

static LogicalResult checkDotProduct(GemmOp op, const Strategy &strategy,
                                     const Machine &machine) {
  std::optional<DotProduct> product = DotProduct::match(op, machine);
  if (!product)
    return emitUnitError(op, strategy);
  return checkPlace(op, strategy, product->getBytes(), "its packed factors need",
                    kAllocaAlignment);
}

static LogicalResult checkTileProduct(GemmOp op, const Strategy &strategy,
                                      const Machine &machine, int32_t subgroupSize) {
  const TileShape tile = getTileShape(strategy), most = machine.tiles.most,
                  step = machine.tiles.step;
  struct Size {
    StringRef name;
    int64_t given, most, step;
  };
  for (const Size &size : {Size{"rows", tile.rows, most.rows, step.rows},
                           {"columns", tile.columns, most.columns, step.columns},
                           {"unroll", tile.words, most.words, step.words}})
    if (size.given < 1 || size.given > size.most || size.given % size.step != 0)
      return op.emitOpError("expected '")
             << size.name << "' of tile_registers to be a multiple of " << size.step
             << " up to " << size.most << ", got " << size.given;
  std::optional<DotProduct> product = DotProduct::matchTiles(op, machine, tile);
  ArrayRef<int32_t> size = *op->getParentOfType<FuncOp>().getWorkGroupSize();
  if (!product || size[0] != subgroupSize || size[1] != 1)
    return emitUnitError(op, strategy);
  return checkPlace(op, strategy, product->getBytes(), "its packed factors need",
                    kAllocaAlignment);
}

static LogicalResult checkStages(GemmOp op, const Strategy &strategy,
                                 const Machine &machine, int32_t subgroupSize) {
  Type type = getScalarType(op.getC().getType());
  if (failed(checkTile(op, strategy.rows, strategy.columns,
                       StagedProduct::getPartRows(type),
                       StagedProduct::getPartColumns(type))))
    return failure();
  std::optional<StagedProduct> product = StagedProduct::match(op, machine, strategy);
  ArrayRef<int32_t> size = *op->getParentOfType<FuncOp>().getWorkGroupSize();
  if (!product || subgroupSize != WarpFragments::kLanes ||
      int64_t(size[0]) * size[1] != product->getNumSubgroups() * subgroupSize)
    return emitUnitError(op, strategy);
  return checkPlace(op, strategy, product->getBytes(), "its stages need",
                    kAllocaAlignment);
}

static LogicalResult check(GemmOp op, const Machine &machine, int32_t subgroupSize) {
  std::optional<Strategy> strategy = Strategy::find(op);
  if (!strategy)
    return success();
  if (failed(verifyKind(op, *strategy,
                        {StrategyKind::WorkItems, StrategyKind::MatrixUnit,
                         StrategyKind::PackedFactors, StrategyKind::TensorCores,
                         StrategyKind::DotProducts, StrategyKind::TileRegisters,
                         StrategyKind::StagedFactors})))
    return failure();
  if (strategy->kind == StrategyKind::StagedFactors)
    return checkStages(op, *strategy, machine, subgroupSize);
  if (strategy->kind == StrategyKind::WorkItems)
    return success();
  if (strategy->kind == StrategyKind::DotProducts)
    return checkDotProduct(op, *strategy, machine);
  if (strategy->kind == StrategyKind::TileRegisters)
    return checkTileProduct(op, *strategy, machine, subgroupSize);
  bool usesTensorCores = strategy->kind == StrategyKind::TensorCores;
  if (!canMultiplyOnUnit(op, machine, subgroupSize) ||
      usesTensorCores != machine.unit.isTensorCore)
    return emitUnitError(op, *strategy);
  if (usesTensorCores && failed(verifyPositive(op, "unroll", strategy->unroll)))
    return failure();
  if (usesTensorCores)
    return checkTile(op, strategy->rows, strategy->columns, WarpFragments::kColumns,
                     WarpFragments::kRows);
  if (strategy->kind == StrategyKind::PackedFactors)
    return checkPacked(op, *strategy);
  if (failed(checkTile(op, strategy->rows, strategy->columns, subgroupSize, 1)))
    return failure();
  return checkTile(op, strategy->elementRows, strategy->elementColumns, subgroupSize,
                   1);
}

static LogicalResult check(CooperativeMatrixMulAddOp op, const Machine &machine,
                           int32_t subgroupSize) {
  std::optional<Strategy> strategy = Strategy::find(op);
  if (!strategy)
    return success();
  if (failed(verifyKind(op, *strategy,
                        {StrategyKind::WorkItems, StrategyKind::MatrixUnit,
                         StrategyKind::TensorCores})))
    return failure();
  if (strategy->kind == StrategyKind::WorkItems)
    return success();
  CoopMatrixProduct product{CoopMatrixLayout(op.getA().getType(), subgroupSize),
                            CoopMatrixLayout(op.getB().getType(), subgroupSize),
                            CoopMatrixLayout(op.getC().getType(), subgroupSize)};
  bool usesTensorCores = strategy->kind == StrategyKind::TensorCores;
  bool hasUnit = machine.unit.lanes == subgroupSize &&
                 machine.unit.isTensorCore == usesTensorCores &&
                 getMatrixUnitSumType(product.a.type.getElementType(),
                                      product.b.type.getElementType(),
                                      product.c.type.getElementType(), mayUseTF32(op));
  if (!hasUnit ||
      !(usesTensorCores ? isTensorCoreProduct(product) : isMatrixUnitProduct(product)))
    return emitUnitError(op, *strategy);
  auto load = op.getB().getDefiningOp<CooperativeMatrixLoadOp>();
  std::optional<Strategy> loaded = load ? Strategy::find(load) : std::nullopt;
  if (strategy->rows == (loaded ? loaded->rows : 0))
    return success();
  return op.emitOpError("expected the strategy to have the rows of that of the load of "
                        "B, got ")
         << strategy->rows;
}

/// Work-items may have pairs of rows if only products on the matrix unit see them.
static LogicalResult check(CooperativeMatrixLoadOp op, const Machine &machine,
                           int32_t subgroupSize) {
  std::optional<Strategy> strategy = Strategy::find(op);
  if (!strategy)
    return success();
  if (failed(verifyKind(op, *strategy, StrategyKind::MatrixUnit)))
    return failure();
  auto isOnUnit = [&](Operation *user) {
    return isa<CooperativeMatrixMulAddOp>(user) &&
           hasStrategy(user, StrategyKind::MatrixUnit);
  };
  CoopMatrixType type = op.getType();
  if (machine.unit.lanes == subgroupSize && strategy->rows == 2 &&
      type.getUse() == MatrixUse::B && type.getElementType().isInteger(8) &&
      (op.getTranspose() == Transpose::N || op.getChecked() == Checked::None) &&
      getMatrixUnitDepth(type.getElementType()) == 2 * subgroupSize &&
      llvm::all_of(op->getUsers(), isOnUnit))
    return success();
  return op.emitOpError("expected a strategy with two rows for a matrix_b of i8 that "
                        "only products on the matrix unit use, got ")
         << stringify(*strategy) << " with " << strategy->rows;
}

static LogicalResult check(CumsumOp op) {
  StrategyKind kind = op.getMode() == 0 ? StrategyKind::Scan : StrategyKind::LineWalks;
  return Strategy::get(op, kind);
}

/// Other instructions become linalg ops, whose strategies are chosen later.
static LogicalResult check(BlasOpInterface op) {
  std::optional<Strategy> strategy = Strategy::find(op);
  return strategy ? verifyKind(op, *strategy, StrategyKind::WorkItems) : success();
}

LogicalResult tinytc::checkStrategies(FuncOp func, const Machine &machine) {
  int32_t subgroupSize = *func.getSubgroupSize();
  WalkResult result = func.walk([&](Operation *op) -> WalkResult {
    if (auto gemm = dyn_cast<GemmOp>(op))
      return check(gemm, machine, subgroupSize);
    if (auto mulAdd = dyn_cast<CooperativeMatrixMulAddOp>(op))
      return check(mulAdd, machine, subgroupSize);
    if (auto load = dyn_cast<CooperativeMatrixLoadOp>(op))
      return check(load, machine, subgroupSize);
    if (auto cumsum = dyn_cast<CumsumOp>(op))
      return check(cumsum);
    if (auto blas = dyn_cast<BlasOpInterface>(op))
      return check(blas);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
