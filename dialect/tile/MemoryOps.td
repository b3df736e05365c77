//===- MemoryOps.td - Views, loads and stores -------------- -*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TILE_MEMORYOPS_TD
#define TILE_MEMORYOPS_TD


def Tile_MakeTensorViewOp : Tile_Op<"make_tensor_view", [AttrSizedOperandSegments, Pure]> {
  let summary = "tensor at an address";
  let description = [{
    A view of the tensor whose first element is at the address. The operands are those
    sizes and strides that the type leaves open, in order.

    Syntax: `tile.make_tensor_view %base, shape = [%sizes : types],
    strides = [%strides : types] : type -> type`

    Constraints:
    * `make_tensor_view_c1`: the pointer is to the element type of the view
    * `make_tensor_view_c2`: there is an operand for each dynamic size
    * `make_tensor_view_c3`: there is an operand for each dynamic stride
    * `make_tensor_view_c4`: sizes and strides have the same type

    ```mlir
    tile.module @kernels {
      tile.entry @example(%A: !tile.tile<!tile.ptr<f32>>, %n: !tile.tile<i64>) {
        %0 = tile.make_tensor_view %A, shape = [], strides = []
          : !tile.tile<!tile.ptr<f32>> -> !tile.tensor_view<16x32xf32, strides = [32, 1]>
        %1 = tile.make_tensor_view %A, shape = [%n : !tile.tile<i64>],
            strides = [%n : !tile.tile<i64>]
          : !tile.tile<!tile.ptr<f32>> -> !tile.tensor_view<?x32xf32, strides = [?, 1]>
        tile.return
      }
    }
    ```

    Source: Tile IR dialect, make_tensor_view.
  }];
  let arguments = (ins Tile_Address:$base, Variadic<Tile_Integer>:$dynamicShape,
                       Variadic<Tile_Integer>:$dynamicStrides);
  let results = (outs Tile_TensorView:$result);
  let assemblyFormat = [{
    $base `,` `shape` `=` `[` ($dynamicShape^ `:` qualified(type($dynamicShape)))? `]` `,`
    `strides` `=` `[` ($dynamicStrides^ `:` qualified(type($dynamicStrides)))? `]`
    attr-dict `:` qualified(type($base)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Tile_MakePartitionViewOp : Tile_Op<"make_partition_view", [Pure]> {
  let summary = "tensor cut into tiles";
  let description = [{
    Covers a tensor view with the tiles that the type says.

    Syntax: `tile.make_partition_view %tensor_view : type`

    Constraints:
    * `make_partition_view_c1`: the operand has the type that the result names

    ```mlir
    tile.module @kernels {
      tile.entry @example(%A: !tile.tile<!tile.ptr<f32>>) {
        %0 = tile.make_tensor_view %A, shape = [], strides = []
          : !tile.tile<!tile.ptr<f32>> -> !tile.tensor_view<16x32xf32, strides = [32, 1]>
        %1 = tile.make_partition_view %0 : !tile.partition_view<[4, 8],
          !tile.tensor_view<16x32xf32, strides = [32, 1]>>
        tile.return
      }
    }
    ```

    Source: Tile IR dialect, make_partition_view.
  }];
  let arguments = (ins Tile_TensorView:$tensor_view);
  let results = (outs Tile_PartitionView:$result);
  let assemblyFormat = [{
    $tensor_view attr-dict `:`
    custom<PartitionOf>(type($tensor_view), type($result))
  }];
  let hasVerifier = 1;
}

class Tile_ShapeQueryOp<string mnemonic, TypeConstraint source>
    : Tile_Op<mnemonic, [Pure]> {
  let arguments = (ins source:$src);
  let results = (outs Variadic<Tile_Integer>:$result);
  let assemblyFormat = [{
    $src attr-dict `:` qualified(type($src)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Tile_GetTensorShapeOp : Tile_ShapeQueryOp<"get_tensor_shape", Tile_TensorView> {
  let summary = "sizes of a tensor view";
  let description = [{
    The sizes of the dimensions.

    Syntax: `tile.get_tensor_shape %src : type -> types`

    Constraints:
    * `get_tensor_shape_c1`: there is one result for each dimension, all of one type

    ```mlir
    tile.module @kernels {
      tile.entry @example(%A: !tile.tile<!tile.ptr<f32>>) {
        %0 = tile.make_tensor_view %A, shape = [], strides = []
          : !tile.tile<!tile.ptr<f32>> -> !tile.tensor_view<16xf32, strides = [1]>
        %1 = tile.get_tensor_shape %0
          : !tile.tensor_view<16xf32, strides = [1]> -> !tile.tile<i64>
        tile.return
      }
    }
    ```

    Source: Tile IR dialect, get_tensor_shape.
  }];
}

def Tile_GetIndexSpaceShapeOp
    : Tile_ShapeQueryOp<"get_index_space_shape", Tile_PartitionView> {
  let summary = "numbers of tiles of a partition";
  let description = [{
    The sizes of the tensor divided by those of the tile, rounded up.

    Syntax: `tile.get_index_space_shape %src : type -> types`

    Constraints:
    * `get_index_space_shape_c1`: there is one result for each dimension, all of one type

    ```mlir
    tile.module @kernels {
      tile.entry @example(%A: !tile.tile<!tile.ptr<f32>>) {
        %0 = tile.make_tensor_view %A, shape = [], strides = []
          : !tile.tile<!tile.ptr<f32>> -> !tile.tensor_view<16xf32, strides = [1]>
        %1 = tile.make_partition_view %0
          : !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>
        %2 = tile.get_index_space_shape %1
          : !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>
          -> !tile.tile<i64>
        tile.return
      }
    }
    ```

    Source: Tile IR dialect, get_index_space_shape.
  }];
}

def Tile_MakeTokenOp : Tile_Op<"make_token", [Pure]> {
  let summary = "token of the beginning";
  let description = [{
    A token that orders nothing before it.

    Syntax: `tile.make_token`

    ```mlir
    %0 = tile.make_token
    ```

    Source: Tile IR dialect, make_token.
  }];
  let results = (outs Tile_Token:$result);
  let assemblyFormat = "attr-dict";
}

def Tile_JoinTokensOp : Tile_Op<"join_tokens", [Pure]> {
  let summary = "token that comes after others";
  let description = [{
    A token that comes after all of its operands.

    Syntax: `tile.join_tokens %tokens`

    Constraints:
    * `join_tokens_c1`: there are at least two tokens

    ```mlir
    %0 = tile.make_token
    %1 = tile.join_tokens %0, %0
    ```

    Source: Tile IR dialect, join_tokens.
  }];
  let arguments = (ins Variadic<Tile_Token>:$tokens);
  let results = (outs Tile_Token:$result);
  let assemblyFormat = "$tokens attr-dict";
  let hasVerifier = 1;
}

def Tile_OffsetOp : Tile_Op<"offset", [Pure, AllTypesMatch<["ptr", "result"]>]> {
  let summary = "pointers moved by a number of elements";
  let description = [{
    result[i] = ptr[i] + offset[i] * size of the pointee.

    Syntax: `tile.offset %ptr, %offset : type, type`

    Constraints:
    * `offset_c1`: both tiles have the same shape

    ```mlir
    tile.module @kernels {
      tile.entry @example(%A: !tile.tile<!tile.ptr<f32>>, %i: !tile.tile<i32>) {
        %0 = tile.offset %A, %i : !tile.tile<!tile.ptr<f32>>, !tile.tile<i32>
        tile.return
      }
    }
    ```

    Source: Tile IR reference, offset.
  }];
  let arguments = (ins Tile_PointerTile:$ptr, Tile_IntegerTile:$offset);
  let results = (outs Tile_PointerTile:$result);
  let assemblyFormat = [{
    $ptr `,` $offset attr-dict `:` qualified(type($ptr)) `,` qualified(type($offset))
  }];
  let hasVerifier = 1;
}

def Tile_AllocaOp : Tile_Op<"alloca", [MemoryEffects<[MemAlloc]>]> {
  let summary = "memory of a tile block";
  let description = [{
    The address of memory that lives as long as the block of code around it. It came with
    bytecode 13.3.

    Syntax: `tile.alloca num_elem = number, alignment = number (global)? : type`

    Constraints:
    * `alloca_c1`: the number of elements is positive
    * `alloca_c2`: the alignment in bytes is a positive power of two

    ```mlir
    %0 = tile.alloca num_elem = 64, alignment = 128 : !tile.tile<!tile.ptr<f32>>
    ```

    Source: Tile IR dialect, alloca.
  }];
  let arguments = (ins I64Attr:$num_elem, I64Attr:$alignment,
    Arg<UnitAttr, "other tile blocks may be given the address">:$global);
  let results = (outs Tile_Address:$result);
  let assemblyFormat = [{
    `num_elem` `=` $num_elem `,` `alignment` `=` $alignment (`global` $global^)?
    attr-dict `:` qualified(type($result))
  }];
  let hasVerifier = 1;
}

class Tile_AccessOp<string mnemonic, list<Trait> traits>
    : Tile_Op<mnemonic, !listconcat([AttrSizedOperandSegments], traits)> {
  let hasVerifier = 1;
}

def Tile_LoadPtrTkoOp : Tile_AccessOp<"load_ptr_tko", [MemoryEffects<[MemRead]>]> {
  let summary = "load through pointers";
  let description = [{
    The elements at the addresses. Where the mask is false nothing is read, and the
    element is that of the padding tile, or anything without one.

    Syntax: `tile.load_ptr_tko ordering (scope = scope)? %source (mask %mask)?
    (padding %padding)? (token %token)? : types -> type`

    Constraints:
    * `load_ptr_tko_c1`: the ordering is weak without a scope, or relaxed or acquire with one
    * `load_ptr_tko_c2`: the pointers are to the element type of the result
    * `load_ptr_tko_c3`: source, mask, padding and result have the same shape
    * `load_ptr_tko_c4`: padding has the type of the result, and there is a mask
    * `load_ptr_tko_c5`: hints are dictionaries of integers, by architecture

    ```mlir
    tile.module @kernels {
      tile.entry @example(%A: !tile.tile<!tile.ptr<f32>>) {
        %0, %token = tile.load_ptr_tko weak %A
          : !tile.tile<!tile.ptr<f32>> -> !tile.tile<f32>
        tile.return
      }
    }
    ```

    Source: Tile IR dialect, load_ptr_tko.
  }];
  let arguments = (ins Tile_MemoryOrderingAttr:$memory_ordering_semantics,
    OptionalAttr<Tile_MemoryScopeAttr>:$memory_scope,
    Tile_PointerTile:$source, Optional<Tile_BoolTile>:$mask,
    Optional<Tile_NumberTile>:$paddingValue, Optional<Tile_Token>:$token,
    OptionalAttr<DictionaryAttr>:$optimization_hints);
  let results = (outs Tile_NumberTile:$result, Tile_Token:$result_token);
  let assemblyFormat = [{
    `` $memory_ordering_semantics (`scope` `=` `` $memory_scope^)? $source
    (`mask` $mask^ `:` qualified(type($mask)))?
    (`padding` $paddingValue^ `:` qualified(type($paddingValue)))?
    (`token` $token^)? attr-dict `:` qualified(type($source)) `->`
    qualified(type($result))
  }];
}

def Tile_StorePtrTkoOp : Tile_AccessOp<"store_ptr_tko", [MemoryEffects<[MemWrite]>]> {
  let summary = "store through pointers";
  let description = [{
    Writes the elements to the addresses, where the mask is true.

    Syntax: `tile.store_ptr_tko ordering (scope = scope)? %destination, %value (mask %mask)?
    (token %token)? : types`

    Constraints:
    * `store_ptr_tko_c1`: the ordering is weak without a scope, or relaxed or release with one
    * `store_ptr_tko_c2`: the pointers are to the element type of the value
    * `store_ptr_tko_c3`: destination, mask and value have the same shape
    * `store_ptr_tko_c4`: hints are dictionaries of integers, by architecture

    ```mlir
    tile.module @kernels {
      tile.entry @example(%A: !tile.tile<!tile.ptr<f32>>, %x: !tile.tile<f32>) {
        %token = tile.store_ptr_tko weak %A, %x
          : !tile.tile<!tile.ptr<f32>>, !tile.tile<f32>
        tile.return
      }
    }
    ```

    Source: Tile IR dialect, store_ptr_tko.
  }];
  let arguments = (ins Tile_MemoryOrderingAttr:$memory_ordering_semantics,
    OptionalAttr<Tile_MemoryScopeAttr>:$memory_scope,
    Tile_PointerTile:$destination, Tile_NumberTile:$value,
    Optional<Tile_BoolTile>:$mask, Optional<Tile_Token>:$token,
    OptionalAttr<DictionaryAttr>:$optimization_hints);
  let results = (outs Tile_Token:$result_token);
  let assemblyFormat = [{
    `` $memory_ordering_semantics (`scope` `=` `` $memory_scope^)? $destination `,` $value
    (`mask` $mask^ `:` qualified(type($mask)))? (`token` $token^)? attr-dict `:`
    qualified(type($destination)) `,` qualified(type($value))
  }];
}

def Tile_LoadViewTkoOp : Tile_AccessOp<"load_view_tko", [MemoryEffects<[MemRead]>]> {
  let summary = "load of a tile of a view";
  let description = [{
    The tile at a place in the grid of a partition; the indices count tiles.

    Syntax: `tile.load_view_tko ordering (scope = scope)? %view[%indices] (token %token)?
    : type[types] -> type`

    Constraints:
    * `load_view_tko_c1`: the ordering is weak without a scope, or relaxed or acquire with one
    * `load_view_tko_c2`: there is one index for each dimension, all of one type
    * `load_view_tko_c3`: the result has the type of the view's tiles
    * `load_view_tko_c4`: hints are dictionaries of integers, by architecture

    ```mlir
    tile.module @kernels {
      tile.entry @example(%A: !tile.tile<!tile.ptr<f32>>, %i: !tile.tile<i32>) {
        %0 = tile.make_tensor_view %A, shape = [], strides = []
          : !tile.tile<!tile.ptr<f32>> -> !tile.tensor_view<16xf32, strides = [1]>
        %1 = tile.make_partition_view %0
          : !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>
        %2, %token = tile.load_view_tko weak %1[%i]
          : !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>
          [!tile.tile<i32>] -> !tile.tile<4xf32>
        tile.return
      }
    }
    ```

    Source: Tile IR dialect, load_view_tko.
  }];
  let arguments = (ins Tile_MemoryOrderingAttr:$memory_ordering_semantics,
    OptionalAttr<Tile_MemoryScopeAttr>:$memory_scope,
    Tile_PartitionView:$view, Variadic<Tile_Integer>:$index,
    Optional<Tile_Token>:$token, OptionalAttr<DictionaryAttr>:$optimization_hints);
  let results = (outs Tile_NumberTile:$tile, Tile_Token:$result_token);
  let assemblyFormat = [{
    `` $memory_ordering_semantics (`scope` `=` `` $memory_scope^)? $view `[` $index `]`
    (`token` $token^)? attr-dict `:` qualified(type($view)) `[` qualified(type($index)) `]`
    `->` qualified(type($tile))
  }];
}

def Tile_StoreViewTkoOp : Tile_AccessOp<"store_view_tko", [MemoryEffects<[MemWrite]>]> {
  let summary = "store of a tile of a view";
  let description = [{
    Writes the tile to a place in the grid of a partition, as far as it is in the tensor.

    Syntax: `tile.store_view_tko ordering (scope = scope)? %tile, %view[%indices]
    (token %token)? : type, type[types]`

    Constraints:
    * `store_view_tko_c1`: the ordering is weak without a scope, or relaxed or release with
      one
    * `store_view_tko_c2`: there is one index for each dimension, all of one type
    * `store_view_tko_c3`: the value has the type of the view's tiles
    * `store_view_tko_c4`: hints are dictionaries of integers, by architecture

    ```mlir
    tile.module @kernels {
      tile.entry @example(%A: !tile.tile<!tile.ptr<f32>>, %i: !tile.tile<i32>) {
        %0 = tile.make_tensor_view %A, shape = [], strides = []
          : !tile.tile<!tile.ptr<f32>> -> !tile.tensor_view<16xf32, strides = [1]>
        %1 = tile.make_partition_view %0
          : !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>
        %2 = tile.constant dense<0.0> : !tile.tile<4xf32>
        %token = tile.store_view_tko weak %2, %1[%i] : !tile.tile<4xf32>,
          !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>
          [!tile.tile<i32>]
        tile.return
      }
    }
    ```

    Source: Tile IR dialect, store_view_tko.
  }];
  let arguments = (ins Tile_MemoryOrderingAttr:$memory_ordering_semantics,
    OptionalAttr<Tile_MemoryScopeAttr>:$memory_scope,
    Tile_NumberTile:$tile, Tile_PartitionView:$view, Variadic<Tile_Integer>:$index,
    Optional<Tile_Token>:$token, OptionalAttr<DictionaryAttr>:$optimization_hints);
  let results = (outs Tile_Token:$result_token);
  let assemblyFormat = [{
    `` $memory_ordering_semantics (`scope` `=` `` $memory_scope^)? $tile `,`
    $view `[` $index `]` (`token` $token^)? attr-dict `:` qualified(type($tile)) `,`
    qualified(type($view)) `[` qualified(type($index)) `]`
  }];
}

#endif // TILE_MEMORYOPS_TD
