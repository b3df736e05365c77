//===- Bytecode.h - Writer of Tile IR bytecode ------------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The binary form of a tile.module, which NVIDIA's tileiras assembles.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_TILE_BYTECODE_BYTECODE_H
#define TINYTC_LIB_TILE_BYTECODE_BYTECODE_H

#include "dialect/tile/Tile.h"

namespace mlir::tile {

/// A version of the bytecode, 13.`minor`.
struct BytecodeVersion {
  static constexpr unsigned kMajor = 13, kOldest = 1, kNewest = 3;

  unsigned minor;
};

/// The oldest version that has everything that the module uses.
BytecodeVersion getRequiredVersion(TileModuleOp module);

/// Reads `13.1` and the like; nothing if there is no such version.
std::optional<BytecodeVersion> parseVersion(StringRef text);

/// Appends the bytecode of a module to `bytes`. Fails if the version lacks something
/// that the module uses. Names of modules and locations are not kept.
LogicalResult writeBytecode(TileModuleOp module, BytecodeVersion version,
                            SmallVectorImpl<char> &bytes);

/// Writes the one tile.module that `op` is, or is around, in the version of the name,
/// the oldest one that fits if it is empty.
LogicalResult writeBytecode(Operation *op, StringRef version,
                            SmallVectorImpl<char> &bytes);

} // namespace mlir::tile

#endif // TINYTC_LIB_TILE_BYTECODE_BYTECODE_H
