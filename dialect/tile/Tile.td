//===- Tile.td - The Tile IR dialect -------------------------*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Dialect, base classes, and the one entry point of every generator: including this file
// yields the whole dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TD
#define TILE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::mlir::tile";
  let summary = "programs on tiles for NVIDIA's assembler";
  let description = [{
    The operations of NVIDIA's Tile IR that Tiny Tensor kernels are made of, each named by
    its own word. A `tile.entry` is a kernel: it is launched over a grid of tile blocks,
    and each of them runs it once, as if it were one thread whose values are whole tiles.
    How a tile is spread over warps and registers is the assembler's business.

    A module of this dialect has a binary form, the Tile IR bytecode, which
    `--tile-write-bytecode` and `tinytc compile --target tile` write.

    Memory is reached through pointers and views, in no order but the one that tokens
    make: an access comes after the ones whose tokens it takes, directly or joined.

    Constraints:
    * `elementwise_c1`: the tiles of an element-wise op have the same type
    * `convert_c1`: the two tiles of a conversion have the same shape

    Source: Tile IR reference, operations.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits>;

include "dialect/tile/Attrs.td"
include "dialect/tile/Types.td"
include "dialect/tile/ModuleOps.td"
include "dialect/tile/ShapeOps.td"
include "dialect/tile/FloatOps.td"
include "dialect/tile/IntegerOps.td"
include "dialect/tile/ConversionOps.td"
include "dialect/tile/ControlFlowOps.td"
include "dialect/tile/MemoryOps.td"
include "dialect/tile/AtomicOps.td"

#endif // TILE_TD
