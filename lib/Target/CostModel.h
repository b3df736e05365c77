//===- CostModel.h - What tiles cost on a machine ---------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// A model answers all that schedules ask of costs. What machines have in common is in
// the base classes; a family whose work-items load in their own way has a subclass in
// its folder.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_TARGET_COSTMODEL_H
#define TINYTC_LIB_TARGET_COSTMODEL_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <limits>
#include <memory>

namespace mlir::tinytc {

struct Machine;

/// A size that a launch decides, by the number that MLIR has for it.
inline constexpr int64_t kUnknownSize = std::numeric_limits<int64_t>::min();

/// A size for estimates where the program leaves it open: not a multiple of what lanes
/// and tiles are.
inline constexpr int64_t kTypicalSize = 35;

/// A sum over `length` steps for every element of a rows x columns destination, whose
/// rows are spread over the work-items. Sizes may be unknown; vectors have one column.
struct ReductionSizes {
  int64_t rows, columns, length;
  /// Bytes of an accumulator.
  int64_t bytes;
  /// Whether elements are converted to its type.
  bool converts = false;
  /// Whether lanes exchange elements of the sums after the loop.
  bool exchanges = false;
  /// Lanes that hold the elements of the factor that all rows share; 0 if each lane
  /// loads all of them.
  int64_t sharingLanes = 0;
  /// Whether the factor along the rows is in local memory, which nothing else writes:
  /// drivers then load it before the loop over columns if they can.
  bool hasLocalRows = false;
  /// Work-items of the second dimension, if tiles are chosen so that each has some of
  /// the columns; else 1.
  int64_t columnShares = 1;
  /// Whether all sizes are known, but launches say how far apart the elements of two
  /// steps are in the factor along the rows.
  bool isFarApart = false;
  /// Whether a loop of the program runs it: drivers keep addresses and rows that are
  /// the same in all iterations.
  bool isInLoop = false;

  bool hasKnownSizes() const {
    return rows != kUnknownSize && columns != kUnknownSize && length != kUnknownSize;
  }
};

/// An extent in as few tiles of up to `size` as possible: wide ones, of `narrow` + 1,
/// and narrow ones.
struct EvenTiles {
  EvenTiles(int64_t extent, int64_t size);
  int64_t narrow, numWide, numNarrow;
};

/// Estimates the cost of the tiles of one reduction, of which work-items hold the
/// accumulators in registers.
class ReductionCost {
public:
  /// Where `typicalSize` stands for unknown rows and columns.
  ReductionCost(const Machine &machine, const ReductionSizes &sizes, int64_t width,
                int64_t typicalSize = kTypicalSize);
  virtual ~ReductionCost();

  /// Whether a tile fits the registers.
  virtual bool fits(int64_t tileRows, int64_t tileColumns) const;

  /// Steps of the sum whose elements are loaded before the first is used.
  virtual int64_t chooseSteps(int64_t tileRows, int64_t tileColumns,
                              bool hasDynamicLength) const;

  int64_t getMaxRows() const { return maxRows; }
  int64_t getMaxColumns() const { return maxColumns; }

  /// Whether the loop over columns is the outer one.
  bool hasColumnsOutside() const { return columnsOutside; }

  /// Cost of the reduction in tiles of up to this size.
  double getCost(int64_t tileRows, int64_t tileColumns) const;

  /// How often a work-item waits for inputs, with tiles of up to this size: once for
  /// each block of steps.
  double getWaits(int64_t tileRows, int64_t tileColumns) const;

protected:
  virtual double getTileCost(int64_t tileRows, int64_t tileColumns) const;

  /// Counts registers of values that as many lanes hold.
  void setLanes(int64_t lanes);

  const Machine &machine;
  bool hasDynamicRows, hasDynamicColumns, columnsOutside, isFarApart;
  int64_t columnShares, rows, columns, length, width, blocks, maxRows, maxColumns;
  int64_t registers, registersPerValue, elementBytes;
  double costPerValue;

private:
  /// Numbers of tiles along a mode, with their sizes.
  using Tiles = llvm::SmallVector<std::pair<int64_t, int64_t>, 2>;

  static Tiles getTiles(int64_t extent, int64_t size);
  Tiles getRowTiles(int64_t size) const;
  Tiles getColumnTiles(int64_t size) const;
  double getReloadCost(const Tiles &rowTiles, const Tiles &columnTiles) const;
};

/// The costs of a machine: of the CPU's, and of all where a family has none of its own.
class CostModel {
public:
  virtual ~CostModel();

  /// The cost of one reduction on work-groups that are `width` work-items wide.
  virtual std::unique_ptr<ReductionCost>
  estimate(const Machine &machine, const ReductionSizes &sizes, int64_t width) const;

  /// Whether work-items form any grid, whatever the shape of their work-group, and each
  /// of the second dimension has some of the columns.
  virtual bool choosesGrids() const;

  /// The rows or columns of a product, also if their number is unknown.
  virtual int64_t orTypical(int64_t size) const;

  /// Steps of the sum in one iteration of the loop of a tile.
  virtual int64_t chooseUnroll(const Machine &machine, const ReductionSizes &sizes,
                               int64_t width, int64_t tileRows,
                               int64_t tileColumns) const;

  /// Cycles of transposing a matrix of that many elements, of `bytes` each, into local
  /// memory.
  virtual double getTransposition(const Machine &machine, double elements,
                                  int64_t bytes, int64_t width,
                                  int64_t columnShares) const;
};

/// The steps of the loop if their number is known: one that leaves no remainder, else
/// two.
int64_t chooseStepsOfLoop(const Machine &machine, int64_t length);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_TARGET_COSTMODEL_H
