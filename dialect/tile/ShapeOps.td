//===- ShapeOps.td - Constants and the shapes of tiles -------- -*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TILE_SHAPEOPS_TD
#define TILE_SHAPEOPS_TD


def Tile_ConstantOp
    : Tile_Op<"constant", [ConstantLike, Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "constant tile";
  let description = [{
    A tile of given numbers; one number fills it.

    Syntax: `tile.constant dense<number or list> : type`

    ```mlir
    %0 = tile.constant dense<0.0> : !tile.tile<16x8xf32>
    %1 = tile.constant dense<[1, 2, 3, 4]> : !tile.tile<4xi32>
    %2 = tile.constant dense<7> : !tile.tile<i64>
    ```

    Source: Tile IR reference, constant.
  }];
  let arguments = (ins Arg<Builtin_DenseIntOrFPElementsAttr, "the numbers">:$value);
  let results = (outs Tile_NumberTile:$result);
  let assemblyFormat = "$value attr-dict";
  let hasFolder = 1;
}

def Tile_IotaOp : Tile_Op<"iota", [Pure]> {
  let summary = "numbers from 0 on";
  let description = [{
    result[i] = i.

    Syntax: `tile.iota : type`

    Constraints:
    * `iota_c1`: the tile has one dimension
    * `iota_c2`: its element type, read as unsigned, can express size - 1

    ```mlir
    %0 = tile.iota : !tile.tile<16xi32>
    ```

    Source: Tile IR reference, iota.
  }];
  let results = (outs Tile_IntegerTile:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

class Tile_ReshapingOp<string mnemonic> : Tile_Op<mnemonic, [Pure]> {
  let results = (outs Tile_Tile:$result);
  let hasVerifier = 1;
}

def Tile_ReshapeOp : Tile_ReshapingOp<"reshape"> {
  let summary = "tile of another shape";
  let description = [{
    The same elements, in row-major order, in another shape.

    Syntax: `tile.reshape %source : type -> type`

    Constraints:
    * `reshape_c1`: both tiles have the same element type
    * `reshape_c2`: both tiles have the same number of elements

    ```mlir
    %0 = tile.iota : !tile.tile<16xi32>
    %1 = tile.reshape %0 : !tile.tile<16xi32> -> !tile.tile<4x1x4xi32>
    ```

    Source: Tile IR reference, reshape.
  }];
  let arguments = (ins Tile_Tile:$source);
  let assemblyFormat = [{
    $source attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
}

def Tile_BroadcastOp : Tile_ReshapingOp<"broadcast"> {
  let summary = "tile with its single elements repeated";
  let description = [{
    Repeats the tile along its dimensions of size 1.

    Syntax: `tile.broadcast %source : type -> type`

    Constraints:
    * `broadcast_c1`: both tiles have the same element type
    * `broadcast_c2`: both tiles have the same number of dimensions
    * `broadcast_c3`: each size of the source is 1 or that of the result

    ```mlir
    %0 = tile.constant dense<1.0> : !tile.tile<16x1xf32>
    %1 = tile.broadcast %0 : !tile.tile<16x1xf32> -> !tile.tile<16x8xf32>
    ```

    Source: Tile IR reference, broadcast.
  }];
  let arguments = (ins Tile_Tile:$source);
  let assemblyFormat = [{
    $source attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
}

def Tile_PermuteOp : Tile_ReshapingOp<"permute"> {
  let summary = "tile with its dimensions in another order";
  let description = [{
    Dimension i of the result is dimension `permutation[i]` of the source.

    Syntax: `tile.permute %source [permutation] : type -> type`

    Constraints:
    * `permute_c1`: both tiles have the same element type
    * `permute_c2`: the numbers are a permutation of the dimensions
    * `permute_c3`: the result has the sizes of the source in the new order

    ```mlir
    %0 = tile.constant dense<1.0> : !tile.tile<2x4x8xf32>
    %1 = tile.permute %0 [2, 0, 1] : !tile.tile<2x4x8xf32> -> !tile.tile<8x2x4xf32>
    ```

    Source: Tile IR reference, permute.
  }];
  let arguments = (ins Tile_Tile:$source, DenseI32ArrayAttr:$permutation);
  let assemblyFormat = [{
    $source $permutation attr-dict `:` qualified(type($source)) `->`
    qualified(type($result))
  }];
}

def Tile_ExtractOp : Tile_ReshapingOp<"extract"> {
  let summary = "part of a tile";
  let description = [{
    Cuts the source into tiles of the type of the result and gives one of them; the
    indices count such tiles, not elements. An index past the end is undefined.

    Syntax: `tile.extract %source[%indices] : type -> type`

    Constraints:
    * `extract_c1`: both tiles have the same element type
    * `extract_c2`: both tiles have as many dimensions as there are indices
    * `extract_c3`: each size of the result divides that of the source

    ```mlir
    %0 = tile.constant dense<1.0> : !tile.tile<32x8xf32>
    %1 = tile.constant dense<1> : !tile.tile<i32>
    %2 = tile.extract %0[%1, %1] : !tile.tile<32x8xf32> -> !tile.tile<4x2xf32>
    ```

    Source: Tile IR reference, extract.
  }];
  let arguments = (ins Tile_Tile:$source, Variadic<Tile_I32>:$indices);
  let assemblyFormat = [{
    $source `[` $indices `]` attr-dict `:` qualified(type($source)) `->`
    qualified(type($result))
  }];
}

def Tile_CatOp : Tile_ReshapingOp<"cat"> {
  let summary = "two tiles side by side";
  let description = [{
    The elements of lhs, then those of rhs along the given dimension.

    Syntax: `tile.cat %lhs, %rhs dim = number : type, type -> type`

    Constraints:
    * `cat_c1`: all tiles have the same element type
    * `cat_c2`: all tiles have the same number of dimensions, and `dim` is one of them
    * `cat_c3`: the sizes of the tiles are equal but for `dim`, where they add up to the
      size of the result

    ```mlir
    %0 = tile.constant dense<1.0> : !tile.tile<2x4xf32>
    %1 = tile.cat %0, %0 dim = 1
      : !tile.tile<2x4xf32>, !tile.tile<2x4xf32> -> !tile.tile<2x8xf32>
    ```

    Source: Tile IR reference, cat.
  }];
  let arguments = (ins Tile_Tile:$lhs, Tile_Tile:$rhs, I64Attr:$dim);
  let assemblyFormat = [{
    $lhs `,` $rhs `dim` `=` $dim attr-dict `:` qualified(type($lhs)) `,`
    qualified(type($rhs)) `->` qualified(type($result))
  }];
}

def Tile_SelectOp : Tile_Op<"select",
    [Pure, AllTypesMatch<["val_if_true", "val_if_false", "result"]>]> {
  let summary = "choice between two tiles";
  let description = [{
    result[i] = cond[i] ? val_if_true[i] : val_if_false[i].

    Syntax: `tile.select %cond, %val_if_true, %val_if_false : type, type`

    Constraints:
    * `select_c1`: the condition has the shape of the result

    ```mlir
    %0 = tile.constant dense<true> : !tile.tile<4xi1>
    %1 = tile.constant dense<1.0> : !tile.tile<4xf32>
    %2 = tile.select %0, %1, %1 : !tile.tile<4xi1>, !tile.tile<4xf32>
    ```

    Source: Tile IR reference, select.
  }];
  let arguments = (ins Tile_BoolTile:$cond, Tile_Tile:$val_if_true,
                       Tile_Tile:$val_if_false);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $cond `,` $val_if_true `,` $val_if_false attr-dict `:` qualified(type($cond)) `,`
    qualified(type($result))
  }];
  let hasVerifier = 1;
}

class Tile_FoldingOp<string mnemonic>
    : Tile_Op<mnemonic, [Pure, SingleBlock]> {
  let results = (outs Variadic<Tile_NumberTile>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasRegionVerifier = 1;
}

def Tile_ReduceOp : Tile_FoldingOp<"reduce"> {
  let summary = "reduction along a dimension";
  let description = [{
    Combines the elements along a dimension by the associative function of the body,
    starting from the identities, in an order of the assembler's choice. The body takes,
    for each operand, an element and the value so far, and yields the new values.

    Syntax: `tile.reduce %operands dim = number identities = [numbers] : types -> types
    { body }`

    Constraints:
    * `reduce_c1`: there is one identity for each operand, of its element type
    * `reduce_c2`: the operands have the same shape, and `dim` is one of its dimensions
    * `reduce_c3`: each result has the type of its operand, without the dimension
    * `reduce_c4`: the body takes two tiles without dimensions for each operand, of its
      element type

    ```mlir
    %0 = tile.constant dense<1.0> : !tile.tile<16x8xf32>
    %1 = tile.reduce %0 dim = 0 identities = [0.0 : f32]
        : !tile.tile<16x8xf32> -> !tile.tile<8xf32> {
    ^body(%element: !tile.tile<f32>, %sum: !tile.tile<f32>):
      %2 = tile.addf %element, %sum : !tile.tile<f32>
      tile.yield %2 : !tile.tile<f32>
    }
    ```

    Source: Tile IR reference, reduce.
  }];
  let arguments = (ins Variadic<Tile_NumberTile>:$operands, I32Attr:$dim,
                       ArrayAttr:$identities);
  let assemblyFormat = [{
    $operands `dim` `=` $dim `identities` `=` $identities attr-dict `:`
    qualified(type($operands)) `->` qualified(type($results)) $body
  }];
}

def Tile_ScanOp : Tile_FoldingOp<"scan"> {
  let summary = "running reduction along a dimension";
  let description = [{
    Element i of the result combines elements 0 to i of the operand along the dimension,
    with `reverse` elements i to the last. The body is that of `tile.reduce`.

    Syntax: `tile.scan %operand dim = number reverse = bool identities = [number] : type
    -> type { body }`

    Constraints:
    * `scan_c1`: there is one operand, and one identity of its element type
    * `scan_c2`: `dim` is one of its dimensions
    * `scan_c3`: the result has the type of the operand
    * `scan_c4`: the body takes two tiles without dimensions, of its element type

    ```mlir
    %0 = tile.constant dense<1.0> : !tile.tile<16x8xf32>
    %1 = tile.scan %0 dim = 1 reverse = false identities = [0.0 : f32]
        : !tile.tile<16x8xf32> -> !tile.tile<16x8xf32> {
    ^body(%element: !tile.tile<f32>, %sum: !tile.tile<f32>):
      %2 = tile.addf %element, %sum : !tile.tile<f32>
      tile.yield %2 : !tile.tile<f32>
    }
    ```

    Source: Tile IR reference, scan.
  }];
  let arguments = (ins Variadic<Tile_NumberTile>:$operands, I32Attr:$dim,
                       BoolAttr:$reverse, ArrayAttr:$identities);
  let assemblyFormat = [{
    $operands `dim` `=` $dim `reverse` `=` $reverse `identities` `=` $identities
    attr-dict `:` qualified(type($operands)) `->` qualified(type($results)) $body
  }];
}

#endif // TILE_SHAPEOPS_TD
