//===- BytecodePasses.td - Passes of bytecode ----------------*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TILE_BYTECODEPASSES_TD
#define TILE_BYTECODEPASSES_TD

include "mlir/Pass/PassBase.td"

def WriteBytecodePass : Pass<"tile-write-bytecode", "::mlir::ModuleOp"> {
  let summary = "write the Tile IR bytecode of a module to a file";
  let description = [{
    Writes the one `tile.module` of the module and leaves the module as it is. Without a
    version, it is the oldest one that has everything that the module uses. Fails if the
    version lacks something.
  }];
  let options = [
    Option<"output", "output", "std::string", "\"-\"", "path of the file, - for the output">,
    Option<"version", "version", "std::string", "\"\"",
           "version of the bytecode: 13.1, 13.2 or 13.3">
  ];
  let dependentDialects = ["::mlir::tile::TileDialect"];
}

#endif // TILE_BYTECODEPASSES_TD
