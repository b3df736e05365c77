//===- Dialect.cpp - Registration of the tile dialect ---------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/tile/Tile.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace mlir::tile;

#include "dialect/tile/TileDialect.cpp.inc"

void TileDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "dialect/tile/TileOps.cpp.inc"
      >();
}
