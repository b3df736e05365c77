//===- DistributeLinalg.h - Distribution of linalg ops -----------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_CONVERSION_DISTRIBUTELINALG_DISTRIBUTELINALG_H
#define TINYTC_LIB_CONVERSION_DISTRIBUTELINALG_DISTRIBUTELINALG_H

#include "lib/Analysis/Reduction.h"
#include "lib/Builders/Indices.h"
#include "lib/Conversion/DistributeLinalg/WorkGroup.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tinytc {

class NextGroup;

/// The strategy of a sum, an element-wise op or a parallel loop; emits an error if
/// there is none, or one that does not fit the op.
FailureOr<Strategy> getStrategy(const Reduction &reduction, const WorkGroup &group);
FailureOr<Strategy> getStrategy(linalg::GenericOp op, const WorkGroup &group);
FailureOr<Strategy> getStrategy(scf::ForallOp op, const WorkGroup &group);

/// The sizes of the destination of a reduction.
SmallVector<OpFoldResult> getSizes(ImplicitLocOpBuilder &builder,
                                   const Reduction &reduction);

/// Each rewrites one op for the work-items of `group`, at the builder's insertion
/// point.
LogicalResult distributeElementwise(ImplicitLocOpBuilder &builder,
                                    const WorkGroup &group, linalg::GenericOp op);
LogicalResult distributeParallel(ImplicitLocOpBuilder &builder, const WorkGroup &group,
                                 scf::ForallOp op);
void distributeReduction(ImplicitLocOpBuilder &builder, const WorkGroup &group,
                         const Reduction &reduction, const Strategy &strategy,
                         NextGroup &next);
void distributeLineReduction(ImplicitLocOpBuilder &builder, const WorkGroup &group,
                             const Reduction &reduction, OpFoldResult length,
                             const Strategy &strategy);
void distributeComplexProduct(ImplicitLocOpBuilder &builder, const WorkGroup &group,
                              const Reduction &reduction, OpFoldResult length,
                              const Strategy &strategy);
void distributeLines(ImplicitLocOpBuilder &builder, const WorkGroup &group,
                     scf::ForallOp op, const Strategy &strategy);

/// Moves the builder into a loop over blocks of `size` iterations of [lower, upper),
/// and returns the first one of a block. If the bounds are constants that leave less
/// than a block at the end, that one overlaps the one before it.
Value enterBlocks(ImplicitLocOpBuilder &builder, const WorkGroup &group, int64_t lower,
                  OpFoldResult upper, int64_t size);

/// The columns of a block of the destination for each of a transposed input, whose rows
/// are as many as the lanes.
int64_t getTransposedColumns(const WorkGroup &group, const Strategy &strategy);

/// Distributes the iterations [0, upper) of `op` by blocks of that input. The entries
/// of `upper` are multiples of the rows and columns of a block or, if the op
/// overwrites, constants that are not below these: blocks at the end overlap others.
void distributeTransposed(ImplicitLocOpBuilder &builder, const WorkGroup &group,
                          linalg::GenericOp op, const Strategy &strategy,
                          ArrayRef<OpFoldResult> upper);

/// Emits a copy from lines to columns for vectors of one work-item.
void copyTransposed(ImplicitLocOpBuilder &builder, const WorkGroup &group,
                    linalg::GenericOp op);

/// Carries `sums` through a loop over [0, length), `unroll` steps in an iteration, and
/// through the remaining steps. `emitStep` updates them.
void emitSumLoop(ImplicitLocOpBuilder &builder, const WorkGroup &group,
                 OpFoldResult length, int64_t unroll, SmallVectorImpl<Value> &sums,
                 function_ref<void(ImplicitLocOpBuilder &, Value)> emitStep);

/// The result of `load` if `condition` holds, else 0; a null condition always holds.
Value emitLoadIf(ImplicitLocOpBuilder &builder, Value condition, Type type,
                 function_ref<Value()> load);

/// Writes one element of the destination of a reduction whose sum is known;
/// `belongsToTile` as for `emitElement`, null for an atomic update.
void emitUpdate(ImplicitLocOpBuilder &builder, const Reduction &reduction,
                ValueRange indices, Value sum, Value belongsToTile = {});

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
/// of `elements` are inputs that are already available (null: to be loaded). If
/// `belongsToTile` is given and does not hold, the result is the old element.
Value emitValue(ImplicitLocOpBuilder &builder, linalg::GenericOp op, ValueRange indices,
                ArrayRef<Value> elements, Value belongsToTile = {});

/// The same, and writes the result.
void emitElement(ImplicitLocOpBuilder &builder, linalg::GenericOp op,
                 ValueRange indices, ArrayRef<Value> elements,
                 Value belongsToTile = {});

/// Emits and writes elements at several indices, each with its entry of `elements`. The
/// iterations go through the body in step, and load everything before they store:
/// drivers make one message of adjacent elements, and branches under the same condition
/// become one.
void emitElements(ImplicitLocOpBuilder &builder, linalg::GenericOp op,
                  ArrayRef<SmallVector<Value>> indices,
                  ArrayRef<SmallVector<Value>> elements);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_CONVERSION_DISTRIBUTELINALG_DISTRIBUTELINALG_H
