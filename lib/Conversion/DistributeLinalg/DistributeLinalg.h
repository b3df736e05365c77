//===- DistributeLinalg.h - Distribution of linalg ops -----------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_CONVERSION_DISTRIBUTELINALG_DISTRIBUTELINALG_H
#define TINYTC_LIB_CONVERSION_DISTRIBUTELINALG_DISTRIBUTELINALG_H

#include "lib/Builders/Indices.h"
#include "lib/Conversion/DistributeLinalg/WorkGroup.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tinytc {

class NextGroup;

/// A reduction at the linalg stage: fill of the accumulator, sum, write-back.
struct Reduction {
  linalg::FillOp fill;
  linalg::GenericOp sum;
  /// The write-back, null if it is atomic.
  linalg::GenericOp update;
  /// The atomic write-back, a loop that loads the sums; null if it is not atomic.
  scf::ParallelOp atomicUpdate;

  /// The reduction whose sum is `op`, if the ops around it have the form above.
  static std::optional<Reduction> match(linalg::GenericOp op);

  /// The write-back; null if the sums are unused.
  Operation *getUpdate() const;

  /// Whether new elements of the destination do not depend on old ones.
  bool overwrites() const;

  /// The sizes of the destination.
  SmallVector<OpFoldResult> getSizes(ImplicitLocOpBuilder &builder) const;
  /// The same as far as they are static.
  ArrayRef<int64_t> getShape() const;
};

/// Brings what upstream's transformations made of the linalg stage into the forms that
/// are distributed below; failure with a diagnostic where that is impossible.
LogicalResult normalize(func::FuncOp func, TargetAttr target);

/// Each rewrites one op for the work-items of `group`, at the builder's insertion
/// point.
void distributeElementwise(ImplicitLocOpBuilder &builder, const WorkGroup &group,
                           linalg::GenericOp op, TargetAttr target);
void distributeReduction(ImplicitLocOpBuilder &builder, const WorkGroup &group,
                         Reduction reduction, TargetAttr target, ScheduleAttr schedule,
                         NextGroup &next);
void distributeLineReduction(ImplicitLocOpBuilder &builder, const WorkGroup &group,
                             Reduction reduction, OpFoldResult length);
void distributeComplexProduct(ImplicitLocOpBuilder &builder, const WorkGroup &group,
                              Reduction reduction, OpFoldResult length,
                              TargetAttr target, ScheduleAttr schedule);
void distributeLines(ImplicitLocOpBuilder &builder, const WorkGroup &group,
                     scf::ParallelOp op, scf::ForOp loop);
LogicalResult distributeParallel(ImplicitLocOpBuilder &builder, const WorkGroup &group,
                                 scf::ParallelOp op);

/// Whether the elements of a memref's first mode are adjacent.
bool isFirstModeContiguous(Value memref);

/// Moves the builder into a loop over blocks of `size` iterations of [lower, upper),
/// and returns the first one of a block. If the bounds are constants that leave less
/// than a block at the end, that one overlaps the one before it.
Value enterBlocks(ImplicitLocOpBuilder &builder, const WorkGroup &group, int64_t lower,
                  OpFoldResult upper, int64_t size);

/// The input, if any, whose lines lie along the other mode than those of the
/// destination, and that lanes can read line by line.
std::optional<unsigned> findTransposedInput(linalg::GenericOp op,
                                            const WorkGroup &group, TargetAttr target);

/// The columns of a block of the destination for each of them, whose rows are as many
/// as the lanes.
int64_t getTransposedColumns(const WorkGroup &group);

/// Distributes the iterations [0, upper) of `op` by blocks of that input. The entries
/// of `upper` are multiples of the rows and columns of a block or, if the op
/// overwrites, constants that are not below these: blocks at the end overlap others.
void distributeTransposed(ImplicitLocOpBuilder &builder, const WorkGroup &group,
                          linalg::GenericOp op, unsigned input,
                          ArrayRef<OpFoldResult> upper);

/// Whether an op is a copy from lines to columns for vectors of one work-item, since
/// there are more lanes than can exchange elements.
bool copiesTransposed(linalg::GenericOp op, const WorkGroup &group, TargetAttr target);
void copyTransposed(ImplicitLocOpBuilder &builder, const WorkGroup &group,
                    linalg::GenericOp op);

/// Whether the elements of a vector or a scalar are sums along lines that are
/// contiguous in all inputs.
bool isLineReduction(linalg::GenericOp op);

/// The loop that is all of a parallel loop's body, if it carries values along a line
/// and several lines can be walked through at once; null otherwise.
scf::ForOp getLoopOverLine(scf::ParallelOp op);

/// Whether lanes can hold the parts of complex numbers of a reduction.
bool isComplexProduct(Reduction reduction, const WorkGroup &group, TargetAttr target);

/// Carries `sums` through a loop over [0, length), `unroll` steps in an iteration, and
/// through the remaining steps. `emitStep` updates them.
void emitSumLoop(ImplicitLocOpBuilder &builder, const WorkGroup &group,
                 OpFoldResult length, int64_t unroll, SmallVectorImpl<Value> &sums,
                 function_ref<void(ImplicitLocOpBuilder &, Value)> emitStep);

/// What `load` emits if `condition` holds, else 0; a null condition always holds.
Value emitLoadIf(ImplicitLocOpBuilder &builder, Value condition, Type type,
                 function_ref<Value()> load);

/// Writes one element of the destination of a reduction whose sum is known; `isOwn` as
/// for `emitElement`, null for an atomic update.
void emitUpdate(ImplicitLocOpBuilder &builder, const Reduction &reduction,
                ValueRange indices, Value sum, Value isOwn = {});

/// The same for several elements, by `emitElements`.
void emitUpdates(ImplicitLocOpBuilder &builder, const Reduction &reduction,
                 ArrayRef<SmallVector<Value>> indices, ArrayRef<Value> sums);

/// Whether lanes may also write elements of the tile's last row that belong to other
/// lanes: both compute the same value. A masked store takes some processors longer than
/// the sums of a row. If old elements matter, all must be read before any is written.
bool canWriteTwice(const Reduction &reduction, const WorkGroup &group,
                   ArrayRef<TileRow> rows);

/// Emits what computes new elements of such a tile from old ones, by `emitElements`,
/// and the barriers around it.
void emitBeforeWritingTwice(ImplicitLocOpBuilder &builder, ArrayRef<TileColumn> columns,
                            function_ref<void()> emitElements);

/// Clones the body of `op`, which has `indices` as iteration, for the elements that
/// `elements` gives (null: to be loaded); returns the yielded value.
Value cloneBody(ImplicitLocOpBuilder &builder, linalg::GenericOp op,
                ValueRange elements);

/// Loads the element of operand `i` of `op` at iteration `indices`.
Value loadElement(ImplicitLocOpBuilder &builder, linalg::GenericOp op, unsigned i,
                  ValueRange indices);

/// Emits the body of the element-wise `op` at `indices` and returns its result. Entries
/// of `elements` are inputs that are already available (null: to be loaded). If `isOwn`
/// is given and does not hold, the result is the old element.
Value emitValue(ImplicitLocOpBuilder &builder, linalg::GenericOp op, ValueRange indices,
                ArrayRef<Value> elements, Value isOwn = {});

/// The same, and writes the result.
void emitElement(ImplicitLocOpBuilder &builder, linalg::GenericOp op,
                 ValueRange indices, ArrayRef<Value> elements, Value isOwn = {});

/// Emits and writes elements at several indices, each with its entry of `elements`. The
/// iterations go through the body in step, and load everything before they store:
/// drivers make one message of adjacent elements, and branches under the same condition
/// become one.
void emitElements(ImplicitLocOpBuilder &builder, linalg::GenericOp op,
                  ArrayRef<SmallVector<Value>> indices,
                  ArrayRef<SmallVector<Value>> elements);

/// Whether new elements of the destination do not depend on old ones.
bool overwrites(linalg::GenericOp op);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_DISTRIBUTELINALG_DISTRIBUTELINALG_H
