//===- CostModel.cpp - What tiles cost on a machine -----------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Target/CostModel.h"
#include "lib/Target/Machine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir::tinytc;

static int64_t orElse(int64_t size, int64_t typicalSize) {
  return size == kUnknownSize ? typicalSize : size;
}

mlir::tinytc::EvenTiles::EvenTiles(int64_t extent, int64_t size) {
  int64_t count = std::max<int64_t>(llvm::divideCeil(extent, size), 1);
  narrow = extent / count;
  numWide = extent % count;
  numNarrow = count - numWide;
}

/// Columns are the outer loop if the input along the rows fits the first cache: all of
/// it is read for every tile of columns. Consecutive tiles then write other rows than
/// the next ones read, which matters where columns are a power of two apart.
static bool fitsInCache(const Machine &machine, const ReductionSizes &sizes) {
  int64_t bytes = orElse(sizes.rows, kTypicalSize) *
                  orElse(sizes.length, kTypicalSize) * sizes.bytes;
  return bytes <= machine.cache.getBytes();
}

ReductionCost::ReductionCost(const Machine &machine, const ReductionSizes &sizes,
                             int64_t width, int64_t typicalSize)
    : machine(machine), hasDynamicRows(sizes.rows == kUnknownSize),
      hasDynamicColumns(sizes.columns == kUnknownSize),
      columnsOutside(fitsInCache(machine, sizes)), isFarApart(sizes.isFarApart),
      columnShares(sizes.columnShares), rows(orElse(sizes.rows, typicalSize)),
      columns(llvm::divideCeil(orElse(sizes.columns, typicalSize), columnShares)),
      length(orElse(sizes.length, kTypicalSize)), width(width),
      blocks(std::max<int64_t>(llvm::divideCeil(rows, width), 1)),
      maxRows(std::min(machine.costs.maxTileRows, blocks)),
      maxColumns(std::min(machine.costs.maxTileColumns, columns)),
      registers(machine.numRegisters), elementBytes(std::max<int64_t>(sizes.bytes, 4)) {
  if (!sizes.hasKnownSizes()) {
    maxColumns = std::min(machine.costs.maxDynamicTileColumns, maxColumns);
    registers -= machine.costs.addressRegisters;
  }
  // The elements of the other lanes.
  registers -= sizes.exchanges;
  setLanes(width);
  if (int64_t limit = machine.costs.farApart.maxRowRegisters; isFarApart && limit > 0)
    maxRows = std::min(maxRows, std::max<int64_t>(limit / registersPerValue, 1));
}

ReductionCost::~ReductionCost() = default;

void ReductionCost::setLanes(int64_t lanes) {
  int64_t bytes = elementBytes * lanes;
  registersPerValue = llvm::divideCeil(bytes, machine.registerBytes);
  costPerValue = double(registersPerValue);
  if (2 * bytes <= machine.registerBytes)
    costPerValue *= machine.costs.partialRegisterFactor;
}

bool ReductionCost::fits(int64_t tileRows, int64_t tileColumns) const {
  int64_t values = tileRows * tileColumns + std::min(tileRows, tileColumns) + 1;
  return values * registersPerValue <= registers;
}

int64_t ReductionCost::chooseSteps(int64_t, int64_t, bool) const { return 1; }

double ReductionCost::getCost(int64_t tileRows, int64_t tileColumns) const {
  Tiles rowTiles = getRowTiles(tileRows), columnTiles = getColumnTiles(tileColumns);
  double cost = 0;
  for (auto [numRows, height] : rowTiles)
    for (auto [numColumns, breadth] : columnTiles)
      cost += double(numRows * numColumns) * getTileCost(height, breadth);
  const Tiles &outer = columnsOutside ? columnTiles : rowTiles;
  const Tiles &inner = columnsOutside ? rowTiles : columnTiles;
  int64_t numSecondLoops = outer.size() > 1;
  if (inner.size() > 1)
    for (auto [count, size] : outer)
      numSecondLoops += count;
  double secondLoopCycles = machine.costs.secondLoopCycles;
  if (isFarApart) {
    secondLoopCycles += machine.costs.farApart.secondLoopCycles;
    for (auto [count, height] : rowTiles)
      cost += double(count * length) * machine.costs.farApart.stepCycles;
  }
  return cost + double(numSecondLoops) * secondLoopCycles +
         getReloadCost(rowTiles, columnTiles);
}

double ReductionCost::getWaits(int64_t tileRows, int64_t tileColumns) const {
  double waits = 0;
  for (auto [numRows, height] : getRowTiles(tileRows))
    for (auto [numColumns, breadth] : getColumnTiles(tileColumns)) {
      int64_t steps = 1;
      if (height > 0 && breadth > 0)
        steps = chooseSteps(height, breadth, /*hasDynamicLength=*/false);
      waits += double(numRows * numColumns * llvm::divideCeil(length, steps));
    }
  return waits;
}

double ReductionCost::getTileCost(int64_t tileRows, int64_t tileColumns) const {
  const TileCosts &costs = machine.costs;
  double values = tileRows * tileColumns * costPerValue;
  double loads = tileRows * costPerValue;
  double step =
      std::max({values * costs.fmaCycles,
                loads * costs.loadCycles + tileColumns * costs.broadcastCycles,
                (values + loads + tileColumns + 1) / costs.issuedPerCycle,
                costs.fmaLatencyCycles});
  return step * length + values + costs.tileCycles;
}

/// Cycles in which inputs come from the second cache again: all columns for each tile
/// of rows, and the rows of a tile for each tile of columns. With columns outside, all
/// rows stay in the first cache.
double ReductionCost::getReloadCost(const Tiles &rowTiles,
                                    const Tiles &columnTiles) const {
  if (columnsOutside || machine.costs.elementBytesPerCycle == 0)
    return 0;
  auto exceedsCache = [&](int64_t elements) {
    return elements * elementBytes > machine.cache.getBytes();
  };
  int64_t numColumnTiles = 0, elements = 0, lines = 0;
  for (auto [count, breadth] : columnTiles)
    numColumnTiles += count;
  for (auto [count, height] : rowTiles) {
    if (exceedsCache(columns * length))
      elements += count * columns * length;
    if (int64_t rowsOfTile = height * width * length; exceedsCache(rowsOfTile))
      lines += count * numColumnTiles * rowsOfTile;
  }
  return double(elements * elementBytes) / machine.costs.elementBytesPerCycle +
         double(lines * elementBytes) / machine.costs.lineBytesPerCycle;
}

ReductionCost::Tiles ReductionCost::getTiles(int64_t extent, int64_t size) {
  EvenTiles tiles(extent, size);
  Tiles result{{tiles.numNarrow, tiles.narrow}};
  if (tiles.numWide > 0)
    result.push_back({tiles.numWide, tiles.narrow + 1});
  return result;
}

/// In blocks of work-items. The remainder of a dynamic number goes row by row, in a
/// loop that always exists.
ReductionCost::Tiles ReductionCost::getRowTiles(int64_t size) const {
  if (!hasDynamicRows)
    return getTiles(blocks, size);
  int64_t count = rows / (size * width);
  return {{count, size}, {blocks - count * size, 1}};
}

ReductionCost::Tiles ReductionCost::getColumnTiles(int64_t size) const {
  if (!hasDynamicColumns && columnShares == 1)
    return getTiles(columns, size);
  return {{llvm::divideCeil(columns, size), size}};
}

CostModel::~CostModel() = default;

std::unique_ptr<ReductionCost> CostModel::estimate(const Machine &machine,
                                                   const ReductionSizes &sizes,
                                                   int64_t width) const {
  return std::make_unique<ReductionCost>(machine, sizes, width);
}

bool CostModel::choosesGrids() const { return false; }

int64_t CostModel::orTypical(int64_t size) const { return orElse(size, kTypicalSize); }

int64_t mlir::tinytc::chooseStepsOfLoop(const Machine &machine, int64_t length) {
  if (length <= machine.costs.maxStepsWithoutLoop)
    return std::max<int64_t>(length, 1);
  for (int64_t steps = machine.costs.maxUnrolledSteps; steps > 1; --steps)
    if (length % steps == 0)
      return steps;
  return std::min<int64_t>(machine.costs.maxUnrolledSteps, 2);
}

/// Conversions make steps long enough, and with an unknown length the remainder would
/// be a loop of its own.
int64_t CostModel::chooseUnroll(const Machine &machine, const ReductionSizes &sizes,
                                int64_t width, int64_t tileRows,
                                int64_t tileColumns) const {
  if (sizes.converts || sizes.length == kUnknownSize)
    return 1;
  const TileCosts &costs = machine.costs;
  if (costs.maxRegistersWithoutLoop == 0)
    return chooseStepsOfLoop(machine, sizes.length);
  int64_t rowRegisters =
      tileRows * llvm::divideCeil(width * sizes.bytes, machine.registerBytes);
  int64_t registers = rowRegisters * tileColumns;
  // More than one register of rows shares the elements for all lanes, which are then in
  // registers, too.
  bool isShort = sizes.length <= costs.maxStepsWithoutLoop &&
                 registers <= costs.maxRegistersWithoutLoop &&
                 (rowRegisters == 1 || sizes.isFarApart);
  if (isShort)
    return std::max<int64_t>(sizes.length, 1);
  bool hasSteps = sizes.isFarApart && registers <= costs.farApart.maxRegisters;
  return hasSteps ? costs.farApart.steps : 1;
}

/// By lines if one vector holds an element of each lane, else by elements.
double CostModel::getTransposition(const Machine &machine, double elements,
                                   int64_t bytes, int64_t width, int64_t) const {
  bool isByLines =
      machine.vectors.transposesByLanes && width * bytes <= machine.registerBytes;
  return elements * (isByLines ? machine.costs.transposedLineCycles / double(width)
                               : machine.costs.gatherCycles);
}
