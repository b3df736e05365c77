//===- ModuleOps.td - Modules, kernels and the grid ----------*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TILE_MODULEOPS_TD
#define TILE_MODULEOPS_TD

def Tile_TileModuleOp : Tile_Op<"module",
    [IsolatedFromAbove, NoRegionArguments, NoTerminator, SingleBlock, Symbol,
     SymbolTable]> {
  let summary = "kernels that are assembled together";
  let description = [{
    Holds the kernels of one file of bytecode.

    Syntax: `tile.module @name { kernels }`

    Constraints:
    * `module_c1`: the body has kernels only

    ```mlir
    tile.module @kernels {
      tile.entry @nothing() {
        tile.return
      }
    }
    ```

    Source: Tile IR reference, module.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name)>];
}

def Tile_EntryOp : Tile_Op<"entry",
    [FunctionOpInterface, HasParent<"TileModuleOp">, IsolatedFromAbove, SingleBlock]> {
  let summary = "kernel";
  let description = [{
    A kernel, launched over a grid of up to three dimensions. Hints are given for each
    architecture: `num_cta_in_cga`, `occupancy`.

    Syntax: `tile.entry @name(%arg: type, ...) attributes {...} { body }`

    Constraints:
    * `entry_c1`: parameters are tiles without dimensions
    * `entry_c2`: there are no results
    * `entry_c3`: hints are dictionaries of integers, by architecture

    ```mlir
    tile.module @kernels {
      tile.entry @scale(%alpha: !tile.tile<f32>, %A: !tile.tile<!tile.ptr<f32>>)
          attributes {optimization_hints = {sm_100 = {occupancy = 2 : i64}}} {
        tile.return
      }
    }
    ```

    Source: Tile IR reference, entry.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs,
    Arg<OptionalAttr<DictionaryAttr>, "dictionaries by architecture">:$optimization_hints);
  let regions = (region SizedRegion<1>:$body);
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::TypeRange":$parameters)>];
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Tile_ReturnOp : Tile_Op<"return", [ParentOneOf<["EntryOp", "IfOp"]>, Terminator]> {
  let summary = "end of a kernel";
  let description = [{
    Ends the tile block. It may be in a branch, but not in a loop.

    Syntax: `tile.return`

    Constraints:
    * `return_c1`: no loop is around it

    ```mlir
    tile.return
    ```

    Source: Tile IR dialect, return.
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

class Tile_GridOp<string mnemonic, string what> : Tile_Op<mnemonic, [Pure]> {
  let summary = what;
  let results = (outs Tile_I32:$x, Tile_I32:$y, Tile_I32:$z);
  let assemblyFormat = "attr-dict";
  let description = "The " # what # [{, in x, y and z. A launch has less than 2^24
    tile blocks in each dimension.

    Syntax: `%x, %y, %z = tile.}] # mnemonic # [{`

    ```mlir
    %x, %y, %z = tile.}] # mnemonic # [{
    ```

    Source: Tile IR reference, }] # mnemonic # ".\n";
}

def Tile_GetTileBlockIdOp
    : Tile_GridOp<"get_tile_block_id", "place of the tile block in the grid">;
def Tile_GetNumTileBlocksOp
    : Tile_GridOp<"get_num_tile_blocks", "number of tile blocks of the launch">;

def Tile_AssumeOp : Tile_Op<"assume", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "promise about a value";
  let description = [{
    Gives the value back with a promise that the assembler relies on. A promise that does
    not hold makes the program undefined.

    Syntax: `tile.assume promise, %value : type`

    Constraints:
    * `assume_c1`: the value is a tile of integers or pointers, or a tensor view for div_by

    ```mlir
    tile.module @kernels {
      tile.entry @aligned(%A: !tile.tile<!tile.ptr<f32>>, %n: !tile.tile<i32>) {
        %0 = tile.assume #tile.div_by<16>, %A : !tile.tile<!tile.ptr<f32>>
        %1 = tile.assume #tile.bounded<lower 0 upper 1023>, %n : !tile.tile<i32>
        tile.return
      }
    }
    ```

    Source: Tile IR dialect, assume.
  }];
  let arguments = (ins
    Arg<Tile_PromiseAttr, "what holds">:$predicate,
    AnyTypeOf<[Tile_Tile, Tile_TensorView]>:$value);
  let results = (outs AnyTypeOf<[Tile_Tile, Tile_TensorView]>:$result);
  let assemblyFormat = "$predicate `,` $value attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

#endif // TILE_MODULEOPS_TD
