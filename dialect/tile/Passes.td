//===- Passes.td - Passes that lead to the tile dialect -------*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TILE_PASSES_TD
#define TILE_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// tinytc -> tile
//===----------------------------------------------------------------------===//

def ConvertToTilePass : Pass<"tinytc-convert-to-tile", "::mlir::ModuleOp"> {
  let summary = "convert kernels to programs on tiles";
  let description = [{
    Each `tinytc.func` becomes a `tile.entry` in one `tile.module`, which a tile block runs
    for each group. Collective instructions become loops over tiles of the destination;
    instructions on scalars work on tiles without dimensions, and a `foreach` runs its
    iterations one after the other. Local memory is a tile in registers. Tokens order
    the accesses to global memory.

    The parameters are those of the [kernel ABI](kernel-abi.md), but that a complex scalar
    is two parameters, its real and its imaginary part, and bf16 is bf16. With `aligned`,
    all arrays are promised to begin at multiples of 16 bytes. Nothing more is promised of
    the members of groups, whose addresses a launch does not see; the attribute
    `tinytc.alignment` promises it of a single parameter. With `variants`, a kernel that
    gains by this promise becomes a second entry, `NAME__aligned`, unless a kernel has
    this name.

    An instruction that a program on tiles does not have is an error: SPMD regions,
    subgroups, cooperative matrices, `expand` and `fuse` of local memory, its subviews of
    sizes that are not known, atomic sums of i8 and i16, local memory of more than 2^24
    elements.

    Precondition: `tinytc-choose-strategies` has chosen tiles, and no other pass of the
    dialect has prepared the kernels; results differ from those of other targets as sums are
    taken in another order.
  }];
  let options = [Option<"aligned", "aligned", "bool", "false",
                        "promise that arrays begin at multiples of 16 bytes">,
                 Option<"variants", "variants", "bool", "false",
                        "make a second entry for arrays of this alignment">];
  let dependentDialects = ["::mlir::tile::TileDialect"];
}

#endif // TILE_PASSES_TD
