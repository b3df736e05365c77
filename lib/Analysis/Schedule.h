//===- Schedule.h - How work is tiled over work-items -----------*- C++ -*-===//
//
// A cost model that chooses from what lib/Target knows of machines. Passes apply what
// is chosen here.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_ANALYSIS_SCHEDULE_H
#define TINYTC_LIB_ANALYSIS_SCHEDULE_H

#include "dialect/TinyTC.h"
#include "lib/Target/Machine.h"

namespace mlir::tinytc {

/// A sum over `length` steps for every element of a rows x columns destination, whose
/// rows are spread over the work-items. Sizes may be dynamic; vectors have one column.
struct ReductionShape {
  int64_t rows, columns, length;
  /// Type of the accumulators.
  Type type;
  /// Whether elements are converted to it.
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
  /// Whether a loop of the program runs it: drivers keep addresses and rows that are
  /// the same in all iterations.
  bool isInLoop = false;
};

/// A size for estimates where the program leaves it open: not a multiple of what lanes
/// and tiles are.
inline constexpr int64_t kTypicalSize = 35;

/// The size, or that one if it is dynamic.
int64_t orTypical(int64_t size);

/// Whether the elements of `type` that all rows of a product share go through the
/// registers of the lanes.
bool goesThroughRegisters(const Machine &machine, Type type);

/// Bytes of adjacent elements of a factor that a work-item loads at once for the tile
/// that it computes, if address and strides allow it: rows of the tile are adjacent
/// then, it holds as many steps of the sum, and the work-items of the second dimension
/// share the columns. 0: no load needs an alignment.
inline int64_t getFactorBytesAtOnce(const Machine &machine) {
  return machine.broadcastsRegisters ? 0 : machine.bytesAtOnce;
}

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

/// An extent in as few tiles of up to `size` as possible: wide ones, of `narrow` + 1,
/// and narrow ones.
struct EvenTiles {
  EvenTiles(int64_t extent, int64_t size) {
    int64_t count = std::max<int64_t>(llvm::divideCeil(extent, size), 1);
    narrow = extent / count;
    numWide = extent % count;
    numNarrow = count - numWide;
  }
  int64_t narrow, numWide, numNarrow;
};

/// The tile of the destination that one work-item keeps in registers.
struct TileSchedule {
  /// Rows, of which up to `adjacentRows` are adjacent; these lie a work-group width of
  /// their number apart.
  int64_t rows;
  /// Adjacent columns.
  int64_t columns;
  /// Steps of the sum in one iteration of its loop.
  int64_t unroll;
  /// Whether the loop over columns is the outer one.
  bool columnsOutside;
  int64_t adjacentRows = 1;
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

/// A sum of products, the tile that `chooseTile` chooses, and all that it chooses from.
struct EstimatedReduction {
  Operation *op;
  ReductionShape shape;
  TileSchedule chosen;
  SmallVector<EstimatedTile> tiles;
};

/// How many of `items` work-items lie along the rows of a product, the others along its
/// columns: where a machine loads several elements at once, any power of two, whatever
/// the shape of the work-group. `width`, the work-group's own, if nothing is cheaper or
/// a tile is given.
int64_t chooseGridWidth(const Machine &machine, const ReductionShape &shape,
                        int64_t width, int64_t items, ScheduleAttr given);

/// The sums of products among the instructions of a kernel, on work-groups that are
/// `width` work-items wide.
SmallVector<EstimatedReduction> estimateReductions(TargetAttr target, FuncOp func,
                                                   int64_t width, ScheduleAttr given);

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
