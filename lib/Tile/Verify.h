//===- Verify.h - Checks that ops of the tile dialect share -----*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Each function is the one home of its message; the op's verifier names the label.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_TILE_VERIFY_H
#define TINYTC_LIB_TILE_VERIFY_H

#include "dialect/tile/Tile.h"

namespace mlir::tile {

/// A tile type with the name of its operand in messages.
struct NamedTile {
  StringRef name;
  Value value;

  TileType getType() const { return cast<TileType>(value.getType()); }
};

/// Checks that a tile has the element type of another.
LogicalResult verifySameElements(Operation *op, NamedTile tile, NamedTile other);

/// Checks that a tile has the shape of another.
LogicalResult verifySameShape(Operation *op, NamedTile tile, NamedTile other);

/// Checks that a tile has a shape.
LogicalResult verifyShape(Operation *op, NamedTile tile, ArrayRef<int64_t> expected);

/// Checks that a tile has as many dimensions as another.
LogicalResult verifySameRank(Operation *op, NamedTile tile, NamedTile other);

/// Checks that `dim` is a dimension of the tile.
LogicalResult verifyDimension(Operation *op, int64_t dim, NamedTile tile);

/// Checks that pointers are to elements of the type.
LogicalResult verifyPointee(Operation *op, NamedTile pointers, Type element);

/// Checks that values that leave a region have the given types; `what` names those.
LogicalResult verifyLeavingTypes(Operation *op, TypeRange types, StringRef what,
                                 TypeRange expected);

/// Checks that hints are dictionaries of integers, by architecture.
LogicalResult verifyHints(Operation *op, DictionaryAttr hints);

/// Whether `numbers` is a permutation of 0 to size - 1.
bool isPermutation(ArrayRef<int32_t> numbers);

/// Whether `number` is a positive power of two.
bool isPowerOfTwo(int64_t number);

} // namespace mlir::tile

#endif // TINYTC_LIB_TILE_VERIFY_H
