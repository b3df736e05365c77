//===- BytecodePasses.h - Passes of bytecode --------------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_DIALECT_TILE_BYTECODEPASSES_H
#define TINYTC_DIALECT_TILE_BYTECODEPASSES_H

#include "dialect/tile/Tile.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "dialect/tile/TileBytecodePasses.h.inc"

} // namespace mlir::tile

#endif // TINYTC_DIALECT_TILE_BYTECODEPASSES_H
