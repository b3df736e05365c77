//===- Prefetch.h - Fetching the next group's matrices ----------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Where a work-group runs groups one after the other, the products of a group fetch the
// matrices of the next one into the cache, a few lines in each step.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_CONVERSION_DISTRIBUTELINALG_PREFETCH_H
#define TINYTC_LIB_CONVERSION_DISTRIBUTELINALG_PREFETCH_H

#include "lib/Conversion/DistributeLinalg/DistributeLinalg.h"

#include "llvm/ADT/DenseSet.h"

namespace mlir::tinytc {

/// A matrix of the next group. Its elements lie within `extent` elements of memory.
struct NextMatrix {
  Value memref;
  /// The mode along which elements are contiguous.
  unsigned mode;
  OpFoldResult extent;
};

/// Finds the matrices of a kernel that differ from group to group.
class NextGroup {
public:
  /// Finds nothing unless a work-group, or the launch, runs groups one after the other.
  NextGroup(func::FuncOp func, ScheduleAttr schedule);

  /// Memory that a product and the element-wise ops before it access in the
  /// next group, except for what an earlier product has been given. Addresses are
  /// computed at the builder's insertion point.
  SmallVector<NextMatrix> take(ImplicitLocOpBuilder &builder,
                               const Reduction &reduction);

private:
  std::optional<NextMatrix> take(ImplicitLocOpBuilder &builder, Value memref);
  /// The number of the group after this one or, so that addresses are loaded only of
  /// groups that exist, the last one.
  Value createNext(ImplicitLocOpBuilder &builder, bool isBounded);

  /// The code of each group: the body of the loop over groups, or the kernel.
  Block *body = nullptr;
  /// The loop over groups, null if the launch is one.
  scf::ForOp loop;
  /// The memrefs that element-wise ops read since the sum before the key's: a copy of
  /// A that is transposed, for instance.
  llvm::DenseMap<Operation *, SmallVector<Value>> copiedBefore;
  /// Arguments of the kernel whose matrices are fetched.
  llvm::DenseSet<Value> taken;
};

/// The share of a tile in fetching matrices while a product is computed in tiles.
class TileFetcher {
public:
  /// Computes what is the same for all tiles at the builder's insertion point; `sizes`
  /// are rows, columns and steps of the product.
  TileFetcher(ImplicitLocOpBuilder &builder, ArrayRef<NextMatrix> matrices,
              const WorkGroup &group, ArrayRef<int64_t> shape,
              ArrayRef<OpFoldResult> sizes, const Strategy &strategy);

  /// Prepares for a tile.
  void startTile(ImplicitLocOpBuilder &builder, ArrayRef<TileRow> rows,
                 ArrayRef<TileColumn> columns);
  /// Fetches the lines of step `k` of its sums.
  void emitStep(ImplicitLocOpBuilder &builder, Value k) const;

private:
  /// The elements of a matrix that a tile fetches.
  struct Share {
    const NextMatrix *matrix;
    /// The first element.
    Value begin;
    /// How many elements each step of the sums fetches.
    OpFoldResult step;
  };
  /// How many elements of a matrix each tile and each step fetches.
  struct Pace {
    const NextMatrix *matrix;
    Value tile, step;
  };

  static int64_t getElementBytes(const NextMatrix &matrix);
  /// Whether all sizes are known; if not, full tiles fetch a line of each matrix in a
  /// step.
  bool isStatic() const;
  void computePaces(ImplicitLocOpBuilder &builder, ArrayRef<OpFoldResult> sizes);
  void startStaticTile(ImplicitLocOpBuilder &builder, ArrayRef<TileRow> rows,
                       ArrayRef<TileColumn> columns);
  void startDynamicTile(ImplicitLocOpBuilder &builder, ArrayRef<TileRow> rows,
                        ArrayRef<TileColumn> columns);
  /// Fetches `elements` elements in a row.
  void emitLines(ImplicitLocOpBuilder &builder, const NextMatrix &matrix, Value begin,
                 int64_t elements) const;

  ArrayRef<NextMatrix> matrices;
  int64_t lineBytes, width;
  /// The sizes as far as they are static.
  int64_t numRows, numColumns, numSteps;
  Strategy strategy;
  /// Where lines should be, as memref.prefetch counts: 3 is the first cache.
  unsigned locality = 3;
  SmallVector<Share> shares;
  /// For sizes that are not known: those, and tiles along the columns or rows,
  /// whichever are inside.
  SmallVector<Pace> paces;
  Value innerTiles;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_DISTRIBUTELINALG_PREFETCH_H
