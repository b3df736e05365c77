//===- CollectiveOps.td - Collective instructions -------------*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Chapter "collective instructions" of the language reference: functions, local
// memory, and the two ops that open an SPMD region.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_COLLECTIVEOPS_TD
#define TINYTC_COLLECTIVEOPS_TD

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

def TinyTC_FuncOp : TinyTC_Op<"func", [
    CollectiveRegion, AutomaticAllocationScope, IsolatedFromAbove,
    FunctionOpInterface, SingleBlockImplicitTerminator<"YieldOp">,
    OpAsmOpInterface]> {
  let summary = "kernel that is callable from the host";
  let description = [{
    A kernel: the host launches it over a batch of work-groups, each of which runs the
    body once.

    Execution: the body is a collective region.

    Syntax: `tinytc.func @name(%arg: type, ...) attributes {...} { ... }`

    A parameter of memref or group type takes the attributes `tinytc.alignment` (in
    bytes), `tinytc.shape_gcd` and `tinytc.stride_gcd` (divisors of the first sizes and
    strides), which assert properties of the arguments. `tinytc.nonzero` is a pattern of
    zeros: elements outside of its boxes are zero, and stay zero. A box has a range
    `begin, end` for each of the first modes, the same number in all boxes, and all of the
    modes that follow; boxes may overlap. Storage stays dense. What is known to be zero is
    not read: instructions skip products with it, whatever the other factor is, a NaN
    included. `tinytc.modes` on a memref says
    that its mode i is mode modes[i] of the array that a launch passes, and `tinytc.name`
    is the name of a parameter in launches. A launch allocates a memref with `buffer` if
    it is not given: the attribute has four numbers for each dynamic size, that of a
    parameter, that of its mode, or -1 for the value of an integer and for the number of
    members of a group, a number to add, and a divisor; parameter -1 stands for the number of groups in dimension `mode`.
    `schedule` overrules the tiling that the
    compiler would choose; in a text of the language, that is
    `attributes {schedule={rows=2, columns=8}}`. Passes describe the kernel for launches
    in `tinytc.manifest`. Modes, names and manifests are not part of the language.

    Constraints:
    * `func_c1`: a parameter has boolean, scalar, memref or group type
    * `func_c2`: there are no results
    * `func_c3`: subgroup_size is positive
    * `func_c4`: work_group_size has two positive entries
    * `func_c5`: the first entry of work_group_size is a multiple of subgroup_size
    * `func_c6`: alignment (i64), shape_gcd, stride_gcd, modes and buffer (arrays of i64)
      and nonzero (an array of arrays of i64) are the only attributes of the dialect on a
      parameter, and only on one of memref or group type, besides name (a string that is
      not empty), which any parameter may have
    * `func_c7`: the alignment is a positive multiple of the size of the element type
    * `func_c8`: the entries of shape_gcd and stride_gcd are positive; those beyond the
      order of the memref say nothing
    * `func_c9`: static sizes and strides are multiples of their divisors
    * `func_c10`: a kernel is not nested in another kernel
    * `func_c11`: a memref parameter is in the global address space; local memory comes
      from alloca only
    * `func_c12`: a kernel has a body: it is not a declaration
    * `func_c13`: modes is a permutation of the modes of the memref
    * `func_c14`: buffer is on a memref and has four numbers for each dynamic size, which
      name an earlier integer parameter or a mode of an earlier memref parameter, or a
      dimension of groups, and a positive divisor
    * `func_c15`: boxes of nonzero have a range for each of the same number of modes, at
      most the order of the memref; these modes have static sizes, and a range is not empty
      and within its mode

    ```mlir
    tinytc.func @copy(%A: !tinytc.memref<16x?xf32> {tinytc.alignment = 64 : i64,
                                                   tinytc.shape_gcd = array<i64: 4>},
                      %B: !tinytc.memref<16x?xf32>)
        attributes {subgroup_size = 16 : i32, work_group_size = array<i32: 32, 2>} {
      %zero = tinytc.constant 0.0 : f32
      %one = tinytc.constant 1.0 : f32
      tinytc.axpby n %one, %A, %zero, %B
        : f32, !tinytc.memref<16x?xf32>, f32, !tinytc.memref<16x?xf32>
    }
    ```

    Source: tensor language reference, functions.
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs,
    OptionalAttr<I32Attr>:$subgroup_size,
    OptionalAttr<DenseI32ArrayAttr>:$work_group_size,
    OptionalAttr<TinyTC_ScheduleAttr>:$schedule
  );
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

//===----------------------------------------------------------------------===//
// Local memory
//===----------------------------------------------------------------------===//

/// The boxes outside of which all elements are zero: `begin, end` for each of the first
/// modes.
def TinyTC_NonzeroAttr
    : TypedArrayAttrBase<DenseI64ArrayAttr, "array of arrays of i64">;

def TinyTC_AllocaOp : TinyTC_CollectiveOp<"alloca"> {
  let summary = "local memory of the work-group";
  let description = [{
    Allocates memory that all work-items of the work-group share. It lives until the end
    of the block or until a `tinytc.lifetime_stop`, and its content is undefined.

    Execution: collective. Allocates, neither reads nor writes.

    `nonzero` is a pattern of zeros, as `tinytc.nonzero` is of a parameter: nothing writes
    another number than zero outside of its boxes, where nothing has to be written either.

    Syntax: `%result = tinytc.alloca {alignment = 64 : i64} : memref-type`

    Constraints:
    * `alloca_c1`: sizes and strides of the memref are static
    * `alloca_c2`: the memref is in the local address space
    * `alloca_c3`: the alignment is a positive multiple of the size of the element type
    * `alloca_c4`: boxes of nonzero are as those of a parameter

    ```mlir
    tinytc.func @example() {
      %0 = tinytc.alloca {alignment = 64 : i64} : !tinytc.memref<16x8xf32, local>
      %1 = tinytc.alloca {nonzero = [array<i64: 0, 8, 0, 8>, array<i64: 8, 16, 4, 8>]}
        : !tinytc.memref<16x8xf32, local>
    }
    ```

    Source: tensor language reference, alloca.
  }];
  let arguments = (ins
    Arg<OptionalAttr<I64Attr>, "in bytes">:$alignment,
    Arg<OptionalAttr<TinyTC_NonzeroAttr>, "boxes of a pattern of zeros">:$nonzero);
  let results = (outs Res<TinyTC_Memref, "tensor of any order in local memory",
                          [MemAlloc<AutomaticAllocationScopeResource>]>:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// SPMD regions
//===----------------------------------------------------------------------===//

def TinyTC_ForeachOp : TinyTC_CollectiveOp<"foreach", [
    SpmdRegion, /*foreach_c1*/ SameVariadicOperandSize,
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "loop over an index range in no particular order";
  let description = [{
    Runs the body for (var_1, ..., var_N) in [from_1, to_1) x ... x [from_N, to_N), in
    any order and on any work-item.

    Execution: collective. The body is an SPMD region; memory effects are those of the
    body.

    Syntax: `tinytc.foreach (%var, ...) [: type, ...] = (%from, ...), (%to, ...)
    { ... }`; a single type is that of all loop variables, index if none is written.

    Constraints:
    * `foreach_c1`: there are as many lower and as many upper bounds as loop variables,
      and at least one
    * `foreach_c2`: each loop variable and its bounds have one integer type

    ```mlir
    tinytc.func @example(%x: f32, %A: !tinytc.memref<16x8xf32>) {
      %c0 = tinytc.constant 0 : index
      %c8 = tinytc.constant 8 : index
      %c16 = tinytc.constant 16 : index
      tinytc.foreach (%i, %j) = (%c0, %c0), (%c16, %c8) {
        tinytc.store %x, %A[%i, %j] : f32, !tinytc.memref<16x8xf32>
      }
    }
    ```

    Source: tensor language reference, foreach.
  }];
  let arguments = (ins
    Arg<Variadic<TinyTC_Integer>, "first value of each loop variable">:$from,
    Arg<Variadic<TinyTC_Integer>, "value after the last one">:$to);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
}

def TinyTC_ForeachTileOp : TinyTC_CollectiveOp<"foreach_tile", [
    SpmdRegion, /*foreach_tile_c1*/ SameVariadicOperandSize,
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "loop over the tiles of an index range";
  let description = [{
    Cuts [from_1, to_1) x ... x [from_N, to_N) into tiles of the given sizes and runs the
    body for each tile, in any order. The variables hold where the tile starts, and the
    extents how large it is: the given size, or less in the last tile of a mode.

    Each tile is run by one subgroup, all of its work-items together: starts and extents
    are the same in all of them. The tiles are dealt out in turn, the first mode first.

    Execution: collective. The body is an SPMD region; memory effects are those of the
    body.

    Syntax: `tinytc.foreach_tile (%var, ...) [: type, ...] = (%from, ...), (%to, ...)
    as (%extent, ...) <= (size, ...) { ... }`; types as for foreach.

    Constraints:
    * `foreach_tile_c1`: there are as many lower bounds, upper bounds, extents and sizes
      as variables, and at least one
    * `foreach_tile_c2`: each variable, its bounds and its extent have one integer type
    * `foreach_tile_c3`: each size is positive, and its type can hold it
    * `foreach_tile_c4`: the first size is a multiple of the subgroup size

    ```mlir
    tinytc.func @example(%A: !tinytc.memref<64x20xf32>) {
      %c0 = tinytc.constant 0 : index
      %c20 = tinytc.constant 20 : index
      %c64 = tinytc.constant 64 : index
      tinytc.foreach_tile (%i, %j) = (%c0, %c0), (%c64, %c20)
          as (%rows, %columns) <= (32, 8) {
        %0 = tinytc.cooperative_matrix_load n cols_checked %A[%i, %j]
          : !tinytc.memref<64x20xf32> -> !tinytc.coopmatrix<32x8xf32, matrix_acc>
        tinytc.cooperative_matrix_store cols_checked %0, %A[%i, %j]
          : !tinytc.coopmatrix<32x8xf32, matrix_acc>, !tinytc.memref<64x20xf32>
      }
    }
    ```

    Source: tensor language reference, version 0.4, foreach tile.
  }];
  let arguments = (ins
    Arg<Variadic<TinyTC_Integer>, "first index of each mode">:$from,
    Arg<Variadic<TinyTC_Integer>, "index after the last one">:$to,
    Arg<DenseI64ArrayAttr, "tile size of each mode">:$sizes);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Where a tile starts, one value for each mode.
    ::mlir::Block::BlockArgListType getStarts() {
      return getBody().getArguments().take_front(getFrom().size());
    }
    /// How large it is.
    ::mlir::Block::BlockArgListType getExtents() {
      return getBody().getArguments().drop_front(getFrom().size());
    }
  }];
}

def TinyTC_ParallelOp : TinyTC_CollectiveOp<"parallel", [
    SpmdRegion, NoRegionArguments, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "SPMD region";
  let description = [{
    Runs the body once on each work-item.

    Execution: collective. The body is an SPMD region; memory effects are those of the
    body.

    Syntax: `tinytc.parallel { ... }`

    ```mlir
    tinytc.func @example(%A: !tinytc.memref<16xi32>) {
      tinytc.parallel {
        %lane = tinytc.builtin.subgroup_local_id : i32
        %i = tinytc.cast %lane : i32 -> index
        tinytc.store %lane, %A[%i] : i32, !tinytc.memref<16xi32>
      }
    }
    ```

    Source: tensor language reference, parallel.
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict";
}

#endif // TINYTC_COLLECTIVEOPS_TD
