//===- MemoryOps.td - Views, loads and stores --------------*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Mixed instructions on memory: views, loads, stores, the end of local memory.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_MEMORYOPS_TD
#define TINYTC_MEMORYOPS_TD

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

class TinyTC_ViewOp<string mnemonic, list<Trait> traits = []>
    : TinyTC_MixedOp<mnemonic,
        !listconcat([Pure, ViewLikeOpInterface, TinyTC_InferredResult], traits)> {
  let hasVerifier = 1;
  code viewDeclaration = [{
    ::mlir::Value getViewSource() { return getSource(); }
    ::mlir::Value getViewDest() { return getResult(); }
  }];
  let extraClassDeclaration = viewDeclaration;
}

def TinyTC_ExpandOp : TinyTC_ViewOp<"expand"> {
  let summary = "view with one mode split into several";
  let description = [{
    Returns a view of the source in which modes of the expand shape e_1 x ... x e_n
    replace one mode. Their product must be the size of that mode; where this cannot be
    checked statically, a violation is undefined behaviour.

    Execution: mixed. Neither reads nor writes memory.

    Syntax: `%result = tinytc.expand %source[mode -> e_1 by e_2 ...] : type -> type`, an
    e_i being a constant or a value.

    Constraints:
    * `expand_c1`: source and result have the same element type and address space
    * `expand_c2`: 0 <= mode < order(source)
    * `expand_c3`: the expand shape has at least 2 entries, and constants are positive
    * `expand_c4`: the product of a constant expand shape is the size of the mode; the
      constants of a dynamic one divide it
    * `expand_c5`: shape(result) is the shape of the source with the mode replaced by
      the expand shape; a value of the expand shape is `?`
    * `expand_c6`: the strides of new modes are S, S e_1, S e_1 e_2, ..., where S is the
      stride of the mode; others are kept; any of them may be `?`
    * `expand_c7`: values of the expand shape have index type

    ```mlir
    tinytc.func @example(%A: !tinytc.memref<32x16x8xf32>, %n: index) {
      %0 = tinytc.expand %A[1 -> 2 by 8]
        : !tinytc.memref<32x16x8xf32> -> !tinytc.memref<32x2x8x8xf32>
      %1 = tinytc.expand %A[1 -> 2 by %n] : !tinytc.memref<32x16x8xf32>
        -> !tinytc.memref<32x2x?x8xf32, strided<1,32,64,512>>
    }
    ```

    Source: tensor language reference, expand.
  }];
  let arguments = (ins
    TinyTC_Memref:$source, Arg<I64Attr, "mode to split, from 0">:$mode,
    Arg<DenseI64ArrayAttr, "expand shape, kDynamic for values">:$static_shape,
    /*expand_c7*/ Arg<Variadic<Index>, "values of the expand shape">:$shape);
  let results = (outs TinyTC_Memref:$result);
  let assemblyFormat = [{
    $source `[` $mode `->` custom<ExpandShape>($static_shape, $shape) `]` attr-dict
    `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let extraClassDeclaration = viewDeclaration # [{
    /// The type of the view. Strides that the sizes contradict are left to run time.
    /// Null after an error if the memref is larger than memory can be.
    static MemrefType inferResultType(::mlir::Location location, MemrefType source,
                                      int64_t mode, ::llvm::ArrayRef<int64_t> sizes);
  }];
}

def TinyTC_ExpandC2ROp : TinyTC_ViewOp<"expandc2r"> {
  let summary = "view of complex numbers as their parts";
  let description = [{
    Returns a view of a tensor of complex numbers as one of real numbers, whose new first
    mode has size 2: index 0 is the real part, index 1 the imaginary part.

    Execution: mixed. Neither reads nor writes memory.

    Syntax: `%result = tinytc.expandc2r %source : type -> type`

    Constraints:
    * `expandc2r_c1`: the source has complex elements, and the result those of their
      parts: f32 for c32, f64 for c64
    * `expandc2r_c2`: source and result have the same address space
    * `expandc2r_c3`: shape(result) is 2, then shape(source)
    * `expandc2r_c4`: the strides are 1, then twice those of the source; any of them may
      be `?`

    ```mlir
    tinytc.func @example(%A: !tinytc.memref<32x8xcomplex<f32>, strided<1,40>>) {
      %0 = tinytc.expandc2r %A : !tinytc.memref<32x8xcomplex<f32>, strided<1,40>>
        -> !tinytc.memref<2x32x8xf32, strided<1,2,80>>
    }
    ```

    Source: tensor language reference, version 0.5, expandc2r.
  }];
  let arguments = (ins TinyTC_Memref:$source);
  let results = (outs TinyTC_Memref:$result);
  let assemblyFormat = [{
    $source attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
}

def TinyTC_FuseOp : TinyTC_ViewOp<"fuse"> {
  let summary = "view with adjacent modes joined into one";
  let description = [{
    Returns a view of the source in which one mode replaces the modes `from` to `to`.

    Execution: mixed. Neither reads nor writes memory.

    Syntax: `%result = tinytc.fuse %source[from, to] : type -> type`

    Constraints:
    * `fuse_c1`: source and result have the same element type and address space
    * `fuse_c2`: 0 <= from < to < order(source)
    * `fuse_c3`: S_k s_k = S_{k+1} for strides S and sizes s, from <= k < to; where this
      cannot be checked statically, a violation is undefined behaviour
    * `fuse_c4`: the size of the joined mode is the product of sizes, `?` if one is
      dynamic
    * `fuse_c5`: strides are kept, or `?`

    ```mlir
    tinytc.func @example(%A: !tinytc.memref<32x16x8x4x42xf32>) {
      %0 = tinytc.fuse %A[1, 3]
        : !tinytc.memref<32x16x8x4x42xf32> -> !tinytc.memref<32x512x42xf32>
    }
    ```

    Source: tensor language reference, fuse.
  }];
  let arguments = (ins
    TinyTC_Memref:$source, Arg<I64Attr, "first mode to join, from 0">:$from,
    Arg<I64Attr, "last mode to join">:$to);
  let results = (outs TinyTC_Memref:$result);
  let assemblyFormat = [{
    $source `[` $from `,` $to `]` attr-dict
    `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let extraClassDeclaration = viewDeclaration # [{
    /// The type of the view, as that of `tinytc.expand`.
    static MemrefType inferResultType(::mlir::Location location, MemrefType source,
                                      int64_t from, int64_t to);
  }];
}

def TinyTC_SubviewOp : TinyTC_ViewOp<"subview", [AttrSizedOperandSegments]> {
  let summary = "view of a block of a tensor";
  let description = [{
    Returns a view of the block of elements [offset, offset + size) in every mode. A
    mode with the constant size 0, for which the size may be left out, is removed from
    the result; a mode of the source that has the static size 0 has no element to
    pick, and its slice `0:0` is kept. Nothing checks at run time that the block is
    within the source; a dynamic size of 0 is undefined behaviour.

    Execution: mixed. Neither reads nor writes memory.

    Syntax: `%result = tinytc.subview %source[offset:size, offset, ...] : type -> type`,
    offset and size being a constant or a value.

    Constraints:
    * `subview_c1`: source and result have the same element type and address space
    * `subview_c2`: there is one offset and one size for each mode of the source
    * `subview_c3`: constant offsets and sizes are not negative
    * `subview_c4`: constant offsets and sizes stay within a static size of the source
    * `subview_c5`: shape(result) is the sizes without those of removed modes; a value is
      `?`
    * `subview_c6`: strides are kept, or `?`
    * `subview_c7`: values of offsets and sizes have index type

    ```mlir
    tinytc.func @example(%A: !tinytc.memref<16x42x13xf32>, %i: index, %n: index) {
      %0 = tinytc.subview %A[2:4, %i:%n, 6:7] : !tinytc.memref<16x42x13xf32>
        -> !tinytc.memref<4x?x7xf32, strided<1,16,672>>
      %1 = tinytc.subview %A[0:16, %i, 5]
        : !tinytc.memref<16x42x13xf32> -> !tinytc.memref<16xf32>
    }
    ```

    Source: tensor language reference, subview.
  }];
  let arguments = (ins
    TinyTC_Memref:$source,
    Arg<DenseI64ArrayAttr, "offsets, kDynamic for values">:$static_offsets,
    Arg<DenseI64ArrayAttr, "sizes, kDynamic for values">:$static_sizes,
    /*subview_c7*/ Arg<Variadic<Index>, "values of the offsets">:$offsets,
    Arg<Variadic<Index>, "values of the sizes">:$sizes);
  let results = (outs TinyTC_Memref:$result);
  let assemblyFormat = [{
    $source `` custom<Slices>($static_offsets, $static_sizes, $offsets, $sizes)
    attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let extraClassDeclaration = viewDeclaration # [{
    /// Whether a mode of the source is removed: it has the constant size 0, and the mode
    /// has elements.
    bool isRemoved(size_t mode) {
      return isRemoved(getSource().getType(), getStaticSizes(), mode);
    }
    static bool isRemoved(MemrefType source, ::llvm::ArrayRef<int64_t> sizes,
                          size_t mode) {
      return sizes[mode] == 0 && source.getShape()[mode] != 0;
    }

    /// The type of the view, as that of `tinytc.expand`.
    static MemrefType inferResultType(::mlir::Location location, MemrefType source,
                                      ::llvm::ArrayRef<int64_t> sizes);
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TinyTC_SizeOp : TinyTC_MixedOp<"size", [Pure]> {
  let summary = "size of a mode or of a group";
  let description = [{
    Returns the size of a mode of a memref, or the number of elements of a group.

    Execution: mixed. Neither reads nor writes memory.

    Syntax: `%result = tinytc.size %source[mode] : type`

    Constraints:
    * `size_c1`: 0 <= mode < order(source); the mode of a group is 0

    ```mlir
    tinytc.func @example(%A: !tinytc.memref<16x?xf32>) {
      %0 = tinytc.size %A[1] : !tinytc.memref<16x?xf32>
    }
    ```

    Source: tensor language reference, size.
  }];
  let arguments = (ins TinyTC_MemrefOrGroup:$source,
                       Arg<I64Attr, "counted from 0">:$mode);
  let results = (outs Index:$result);
  let assemblyFormat = "$source `[` $mode `]` attr-dict `:` qualified(type($source))";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TinyTC_AssociatedOp : TinyTC_MixedOp<"associated", [Pure]> {
  let summary = "whether there is memory behind a memref or a group";
  let description = [{
    Returns whether the base pointer is not null: a launch may pass none for a parameter.
    A view is associated if the memref that it is a view of is, whatever its offset;
    local memory always is.

    Execution: mixed. Neither reads nor writes memory.

    Syntax: `%result = tinytc.associated %source : type`

    Constraints:
    * `associated_c1`: the source is a memref or a group
    * `associated_c2`: the result has boolean type

    ```mlir
    tinytc.func @example(%x: f32, %A: !tinytc.memref<f32>) {
      %0 = tinytc.associated %A : !tinytc.memref<f32>
      tinytc.if %0 {
        tinytc.store %x, %A[] : f32, !tinytc.memref<f32>
      }
    }
    ```

    Source: tensor language reference, version 0.4, associated.
  }];
  let arguments = (ins /*associated_c1*/ TinyTC_MemrefOrGroup:$source);
  let results = (outs /*associated_c2*/ TinyTC_Bool:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source))";
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Memory access
//===----------------------------------------------------------------------===//

def TinyTC_LoadOp : TinyTC_MixedOp<"load", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, TinyTC_InferredResult]> {
  let summary = "element of a memref or memref of a group";
  let description = [{
    Returns the element of a memref at the indices, or the memref at one index of a
    group: `group[i] + offset`, the offset being counted in elements.

    Execution: mixed. Reads a memref; the pointers of a group are constant.

    Syntax: `%result = tinytc.load %source[%index, ...] : type`, the type of the source

    Constraints:
    * `load_c1`: there are order(source) indices, and one for a group
    * `load_c2`: the result has the element type of a memref, the memref type of a group
    * `load_c3`: constant indices are not negative and less than a static size of their
      mode or of the group

    ```mlir
    tinytc.func @example(%A: !tinytc.memref<16x?xf32>, %i: index,
                         %G: !tinytc.group<!tinytc.memref<42xf32> x ?, offset: ?>) {
      %0 = tinytc.load %A[%i, %i] : !tinytc.memref<16x?xf32>
      %1 = tinytc.load %G[%i] : !tinytc.group<!tinytc.memref<42xf32> x ?, offset: ?>
    }
    ```

    Source: tensor language reference, load.
  }];
  let arguments = (ins TinyTC_MemrefOrGroup:$source,
                       Arg<Variadic<Index>, "one for each mode">:$indices);
  let results = (outs AnyTypeOf<[TinyTC_Scalar, TinyTC_Memref]>:$result);
  let assemblyFormat = "$source `[` $indices `]` attr-dict `:` qualified(type($source))";
  let hasVerifier = 1;
}

def TinyTC_StoreOp : TinyTC_MixedOp<"store"> {
  let summary = "write of one element of a memref";
  let description = [{
    Writes the value to the element at the indices. The memory order of `atomic` and
    `atomic_add` is relaxed; `atomic_add` adds the value to the element in one step. The
    real and the imaginary part of a complex value may be updated one by one.

    Execution: mixed; in a collective region all work-items write the element. Writes
    dest; atomic with the flags.

    Syntax: `tinytc.store [atomic|atomic_add] %value, %dest[%index, ...] : type, type`

    Constraints:
    * `store_c1`: type(value) = element_type(dest)
    * `store_c2`: there are order(dest) indices
    * `store_c3`: constant indices are not negative and less than a static size of their
      mode

    ```mlir
    tinytc.func @example(%x: f32, %A: !tinytc.memref<16x?xf32>, %i: index) {
      tinytc.store atomic_add %x, %A[%i, %i] : f32, !tinytc.memref<16x?xf32>
    }
    ```

    Source: tensor language reference, store.
  }];
  let arguments = (ins
    Arg<DefaultValuedAttr<TinyTC_StoreFlagAttr,
                          "::mlir::tinytc::StoreFlag::Regular">,
        "how the element is written">:$flag,
    TinyTC_Scalar:$value,
    Arg<TinyTC_Memref, "tensor of any order", [MemWrite]>:$dest,
    Arg<Variadic<Index>, "one for each mode">:$indices);
  let assemblyFormat = [{
    `` custom<OptionalStoreFlag>($flag) $value `,` $dest `[` $indices `]` attr-dict
    `:` qualified(type($value)) `,` qualified(type($dest))
  }];
  let hasVerifier = 1;
}

def TinyTC_LifetimeStopOp : TinyTC_MixedOp<"lifetime_stop"> {
  let summary = "end of the life of an alloca";
  let description = [{
    Ends the life of local memory before the end of its block, so that the memory can be
    reused.

    Execution: mixed. Frees the memory.

    Syntax: `tinytc.lifetime_stop %memref : type`

    Constraints:
    * `lifetime_stop_c1`: the memref is the result of an alloca
    * `lifetime_stop_c2`: the op is in no loop or SPMD region that the alloca is not in
    * `lifetime_stop_c3`: neither the memref nor a view of it is used later

    ```mlir
    tinytc.func @example() {
      %0 = tinytc.alloca : !tinytc.memref<16x8xf32, local>
      tinytc.lifetime_stop %0 : !tinytc.memref<16x8xf32, local>
    }
    ```

    Source: tensor language reference, additional instructions.
  }];
  let arguments = (ins
    Arg<TinyTC_Memref, "result of an alloca",
        [MemFree<AutomaticAllocationScopeResource>]>:$memref);
  let assemblyFormat = "$memref attr-dict `:` qualified(type($memref))";
  let hasVerifier = 1;
}

#endif // TINYTC_MEMORYOPS_TD
