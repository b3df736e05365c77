//===- TileProducts.h - Products of tiles as matrices -----------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_LIB_ANALYSIS_TILEPRODUCTS_H
#define TINYTC_LIB_ANALYSIS_TILEPRODUCTS_H

#include "dialect/TinyTC.h"

namespace mlir::tinytc {

/// Whether Tile IR multiplies the factors of a product in their own type, narrower than
/// that of the sums.
bool hasNarrowFactors(GemmOp op);

/// Whether Tile IR multiplies tiles of a product as matrices.
bool hasMatrixTiles(GemmOp op);

} // namespace mlir::tinytc

#endif // TINYTC_LIB_ANALYSIS_TILEPRODUCTS_H
