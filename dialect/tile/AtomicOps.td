//===- AtomicOps.td - Atomic updates of memory -------------- -*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TILE_ATOMICOPS_TD
#define TILE_ATOMICOPS_TD


def Tile_AtomicRMWTkoOp
    : Tile_AccessOp<"atomic_rmw_tko", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "atomic update through pointers";
  let description = [{
    Replaces each element in memory by mode(element, arg), where the mask is true, and
    gives back what was there.

    Syntax: `tile.atomic_rmw_tko ordering scope %pointers, mode, %arg (mask %mask)?
    (token %token)? : types`

    Constraints:
    * `atomic_rmw_tko_c1`: the ordering is relaxed, acquire, release or acq_rel
    * `atomic_rmw_tko_c2`: the pointers are to the element type of arg
    * `atomic_rmw_tko_c3`: pointers, arg and mask have the same shape
    * `atomic_rmw_tko_c4`: the element type is one that the mode has: i32 and i64, for addf
      f16, bf16, f32 and f64, for xchg also f32 and f64

    ```mlir
    tile.module @kernels {
      tile.entry @example(%A: !tile.tile<!tile.ptr<f32>>, %x: !tile.tile<f32>) {
        %0, %token = tile.atomic_rmw_tko relaxed device %A, addf, %x
          : !tile.tile<!tile.ptr<f32>>, !tile.tile<f32>
        tile.return
      }
    }
    ```

    Source: Tile IR dialect, atomic_rmw_tko.
  }];
  let arguments = (ins Tile_MemoryOrderingAttr:$memory_ordering_semantics,
    Tile_MemoryScopeAttr:$memory_scope, Tile_PointerTile:$pointers,
    Tile_AtomicModeAttr:$mode, Tile_NumberTile:$arg, Optional<Tile_BoolTile>:$mask,
    Optional<Tile_Token>:$token);
  let results = (outs Tile_NumberTile:$result, Tile_Token:$result_token);
  let assemblyFormat = [{
    `` $memory_ordering_semantics `` $memory_scope $pointers `,` `` $mode `,` $arg
    (`mask` $mask^ `:` qualified(type($mask)))? (`token` $token^)? attr-dict `:`
    qualified(type($pointers)) `,` custom<SameType>(type($arg), type($result))
  }];
}

def Tile_AtomicCASTkoOp
    : Tile_AccessOp<"atomic_cas_tko", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "atomic exchange of equal values";
  let description = [{
    Replaces each element in memory by val where its bits are those of cmp and the mask is
    true, and gives back what was there.

    Syntax: `tile.atomic_cas_tko ordering scope %pointers, %cmp, %val (mask %mask)?
    (token %token)? : types`

    Constraints:
    * `atomic_cas_tko_c1`: the ordering is relaxed, acquire, release or acq_rel
    * `atomic_cas_tko_c2`: the pointers are to the element type of val, which has 32 or 64
      bits
    * `atomic_cas_tko_c3`: pointers, val and mask have the same shape

    ```mlir
    tile.module @kernels {
      tile.entry @example(%A: !tile.tile<!tile.ptr<i32>>, %x: !tile.tile<i32>) {
        %0, %token = tile.atomic_cas_tko relaxed device %A, %x, %x
          : !tile.tile<!tile.ptr<i32>>, !tile.tile<i32>
        tile.return
      }
    }
    ```

    Source: Tile IR dialect, atomic_cas_tko.
  }];
  let arguments = (ins Tile_MemoryOrderingAttr:$memory_ordering_semantics,
    Tile_MemoryScopeAttr:$memory_scope, Tile_PointerTile:$pointers,
    Tile_NumberTile:$cmp, Tile_NumberTile:$val, Optional<Tile_BoolTile>:$mask,
    Optional<Tile_Token>:$token);
  let results = (outs Tile_NumberTile:$result, Tile_Token:$result_token);
  let assemblyFormat = [{
    `` $memory_ordering_semantics `` $memory_scope $pointers `,` $cmp `,` $val
    (`mask` $mask^ `:` qualified(type($mask)))? (`token` $token^)? attr-dict `:`
    qualified(type($pointers)) `,` custom<SameType>(type($cmp), type($val), type($result))
  }];
}

def Tile_AtomicRedViewTkoOp
    : Tile_AccessOp<"atomic_red_view_tko", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "atomic update of a tile of a view";
  let description = [{
    Replaces each element of a tile of a partition by mode(element, value), as far as it
    is in the tensor. It came with bytecode 13.3.

    Syntax: `tile.atomic_red_view_tko ordering scope %view[%indices], mode, %value
    (token %token)? : type[types], type`

    Constraints:
    * `atomic_red_view_tko_c1`: the ordering is relaxed, acquire, release or acq_rel
    * `atomic_red_view_tko_c2`: there is one index for each dimension, all of one type
    * `atomic_red_view_tko_c3`: the value has the type of the view's tiles
    * `atomic_red_view_tko_c4`: the element type is one that the mode of
      `tile.atomic_rmw_tko` has, and the mode is not xchg

    ```mlir
    tile.module @kernels {
      tile.entry @example(%A: !tile.tile<!tile.ptr<f32>>, %i: !tile.tile<i32>) {
        %0 = tile.make_tensor_view %A, shape = [], strides = []
          : !tile.tile<!tile.ptr<f32>> -> !tile.tensor_view<16xf32, strides = [1]>
        %1 = tile.make_partition_view %0
          : !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>
        %2 = tile.constant dense<1.0> : !tile.tile<4xf32>
        %token = tile.atomic_red_view_tko relaxed device %1[%i], addf, %2
          : !tile.partition_view<[4], !tile.tensor_view<16xf32, strides = [1]>>
          [!tile.tile<i32>], !tile.tile<4xf32>
        tile.return
      }
    }
    ```

    Source: Tile IR dialect, atomic_red_view_tko.
  }];
  let arguments = (ins Tile_MemoryOrderingAttr:$memory_ordering_semantics,
    Tile_MemoryScopeAttr:$memory_scope, Tile_PartitionView:$view,
    Variadic<Tile_Integer>:$index, Tile_AtomicModeAttr:$mode, Tile_NumberTile:$value,
    Optional<Tile_Token>:$token);
  let results = (outs Tile_Token:$result_token);
  let assemblyFormat = [{
    `` $memory_ordering_semantics `` $memory_scope $view `[` $index `]` `,` `` $mode `,` $value
    (`token` $token^)? attr-dict `:` qualified(type($view)) `[` qualified(type($index)) `]`
    `,` qualified(type($value))
  }];
}

#endif // TILE_ATOMICOPS_TD
