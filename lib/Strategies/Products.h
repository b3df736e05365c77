//===- Products.h - How products of matrices are computed -------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_STRATEGIES_PRODUCTS_H
#define TINYTC_LIB_STRATEGIES_PRODUCTS_H

#include "lib/Strategies/Choose.h"

namespace mlir::tinytc {

/// Whether subgroups of that size compute a product on the matrix unit.
bool runsOnMatrixUnit(GemmOp op, const Machine &machine, int32_t subgroupSize);

/// Whether tensor cores take less time for a product, of types that they multiply,
/// including what they multiply beyond its end.
bool isWorthTensorCores(GemmOp op, const Machine &machine);

/// The number of tiles of a product on tensor cores; one along modes that are dynamic.
int64_t countWarpTiles(GemmOp op, ScheduleAttr given);

/// Tiles of warps on tensor cores.
Strategy chooseTensorCores(GemmOp op, const Launch &launch);

/// Which factors of a product the work-items copy into local memory first; none if they
/// read all where it is.
std::optional<Strategy> chooseLocalCopies(GemmOp op, const Machine &machine);

/// Whether the columns of a matrix of static size evict each other from the cache.
bool collidesInCache(MemrefType type, const Machine &machine);

/// Rows, columns and summed size of a product as its factors have them; they may be
/// dynamic.
struct ProductSizes {
  explicit ProductSizes(GemmOp op);
  int64_t rows, columns, summed;
};

} // namespace mlir::tinytc

#endif // TINYTC_LIB_STRATEGIES_PRODUCTS_H
