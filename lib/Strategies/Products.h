//===- Products.h - How products of matrices are computed -------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_STRATEGIES_PRODUCTS_H
#define TINYTC_LIB_STRATEGIES_PRODUCTS_H

#include "lib/Strategies/Choose.h"

namespace mlir::tinytc {

/// Whether subgroups of that size compute a product on the matrix unit.
bool runsOnMatrixUnit(GemmOp op, const Machine &machine, int32_t subgroupSize);

/// Rows, columns and steps of a product that one instruction of a unit multiplies.
using UnitSteps = std::array<int64_t, 3>;

/// Those of a product that tile registers compute.
std::optional<UnitSteps> getTileSteps(GemmOp op, const Machine &machine);

/// Those of a product that a unit of any kind computes.
std::optional<UnitSteps> getUnitSteps(GemmOp op, const Machine &machine);

/// Whether tensor cores take less time for a product, of types that they multiply,
/// including what they multiply beyond its end.
bool isWorthTensorCores(GemmOp op, const Machine &machine);

/// The number of tiles of a product on tensor cores; one along modes that are dynamic.
int64_t countWarpTiles(GemmOp op, ScheduleAttr given);

/// Tiles of warps on tensor cores.
Strategy chooseTensorCores(GemmOp op, const Launch &launch);

/// Whether each work-group reads or writes a matrix of its own in global memory. One
/// that is the same for all stays in the caches.
bool isStreamed(Value matrix);

/// Stages in local memory for the factors of a product that is all that its kernel
/// computes, if that takes less time.
std::optional<Strategy> chooseStagedFactors(GemmOp op, const Machine &machine,
                                            ScheduleAttr given);

/// Packed factors of a product, if instructions or tile registers multiply them faster.
std::optional<Strategy> chooseDotProduct(GemmOp op, const Launch &launch);

/// Gives products of a kernel on tile registers the local memory for their tiles, and
/// all of them the same tile where registers are configured.
void completeTiles(FuncOp func, const Machine &machine);

/// Which factors of a product pay to be copied into local memory first; none if the
/// work-items read all where it is.
std::optional<Strategy> chooseLocalCopies(GemmOp op, const Machine &machine);

/// Leaves the copies of the strategy that fit the bytes that are `free`, and takes them
/// from these; none if there are no others.
std::optional<Strategy> fitLocalCopies(GemmOp op, Strategy strategy,
                                       const Machine &machine, int64_t &free);

/// The bytes of local memory that copies of factors may have in a kernel.
int64_t countBytesForCopies(FuncOp func, TargetAttr target);

/// The factors of a product in local memory; null for one that is not copied.
struct LocalCopies {
  /// op(A), and B in the type of the sums.
  MemrefType a, b;

  /// The copies of a strategy, which have as many bytes as it says if that is possible.
  static LocalCopies get(GemmOp op, const Strategy &strategy, const Machine &machine);

  int64_t getBytes() const;
};

/// Rows, columns and summed size of a product as its factors have them; they may be
/// dynamic.
struct ProductSizes {
  explicit ProductSizes(GemmOp op);
  int64_t rows, columns, summed;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_STRATEGIES_PRODUCTS_H
