//===- Schedule.h - How work is tiled over work-items -----------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Chooses by the cost models of lib/Target. Passes apply what is chosen here.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_ANALYSIS_SCHEDULE_H
#define TINYTC_LIB_ANALYSIS_SCHEDULE_H

#include "dialect/TinyTC.h"
#include "lib/Target/Machine.h"

namespace mlir::tinytc {

/// A sum of products as the cost model sees it, and the type of the accumulators.
struct ReductionShape : ReductionSizes {
  ReductionShape(int64_t rows, int64_t columns, int64_t length, Type type);

  Type type;
};

/// The size, or that one if it is dynamic.
int64_t orTypical(int64_t size);

/// Whether a product's elements of `type` that all rows need are loaded once, by
/// different lanes, and broadcast from their registers.
bool goesThroughRegisters(const Machine &machine, Type type);

/// Adjacent elements of `type` that a work-item takes at once where the elements of its
/// neighbours need not be adjacent to its own.
int64_t getAdjacentElements(const Machine &machine, Type type);

/// Twice a size or stride that may be dynamic.
inline int64_t twice(int64_t size) {
  return ShapedType::isDynamic(size) ? size : 2 * size;
}

/// The real reduction that a complex one consists of: the parts of one input are rows,
/// those of the other columns.
ReductionShape getRealShape(const ReductionShape &shape);

/// The tile of the destination that one work-item keeps in registers.
struct TileSchedule {
  /// Rows and adjacent columns.
  int64_t rows, columns;
  /// Steps of the sum in one iteration of its loop.
  int64_t unroll;
  /// Whether the loop over columns is the outer one.
  bool columnsOutside;
};

/// Chooses the tile for work-groups that are `width` work-items wide. Entries of
/// `given` that are not 0 are kept.
TileSchedule chooseTile(TargetAttr target, const ReductionShape &shape, int64_t width,
                        ScheduleAttr given);

/// A tile that fits the registers, and the estimated cycles of the whole sum with it.
struct EstimatedTile {
  int64_t rows, columns;
  double cycles;
};

/// All tiles that `chooseTile` chooses from.
SmallVector<EstimatedTile> estimateTiles(const Machine &machine,
                                         const ReductionShape &shape, int64_t width);

/// How many of `items` work-items lie along the rows of a product, the others along its
/// columns: where a machine loads several elements at once, any power of two, whatever
/// the shape of the work-group. `width`, the work-group's own, if nothing is cheaper or
/// a tile is given.
int64_t chooseGridWidth(const Machine &machine, const ReductionShape &shape,
                        int64_t width, int64_t items, ScheduleAttr given);

/// The estimated cycles of a kernel on work-groups that are `width` work-items wide, in
/// subgroups of `lanes`, with `columnShares` work-items in the second dimension.
double estimateCost(TargetAttr target, FuncOp func, int64_t width, int64_t lanes,
                    int64_t columnShares = 1);

/// The number of times that a work-item of such a kernel waits for memory.
double estimateWaits(TargetAttr target, FuncOp func, int64_t width, int64_t lanes);

/// Whether a kernel has a matrix product of known sizes.
bool hasStaticProduct(TargetAttr target, FuncOp func);

/// Bytes of the largest sums of products whose shared factor goes through registers; 0
/// if the kernel has none.
int64_t getMaxSharedProductBytes(TargetAttr target, FuncOp func);

/// The number of groups that a work-group runs, so that starting a work-group is cheap
/// compared with its work, or that a core waits for enough memory at once where they
/// lie side by side (lib/Analysis/GroupsPerBlock.h); 1 where that is so already.
int64_t chooseGroups(TargetAttr target, FuncOp func);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_SCHEDULE_H
