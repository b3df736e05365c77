//===- Tile.h - The Tile IR dialect -----------------------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Declarations of the dialect: enums, attributes, types and ops.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_DIALECT_TILE_TILE_H
#define TINYTC_DIALECT_TILE_TILE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialect/tile/TileEnums.h.inc"

#include "dialect/tile/TileDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/tile/TileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/tile/TileTypes.h.inc"

#define GET_OP_CLASSES
#include "dialect/tile/TileOps.h.inc"

#endif // TINYTC_DIALECT_TILE_TILE_H
