//===- Passes.h - Passes that lead to the tile dialect ----------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_DIALECT_TILE_PASSES_H
#define TINYTC_DIALECT_TILE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::tinytc {

#define GEN_PASS_DECL
#include "dialect/tile/TilePasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "dialect/tile/TilePasses.h.inc"

} // namespace mlir::tinytc

#endif // TINYTC_DIALECT_TILE_PASSES_H
