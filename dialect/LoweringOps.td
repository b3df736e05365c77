//===- LoweringOps.td - Ops that only the lowering makes ----*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Ops that the stages after `tinytc` need and no upstream dialect has. The text of the
// language has no word for these ops.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LOWERINGOPS_TD
#define TINYTC_LOWERINGOPS_TD

def TinyTC_OpaqueIndexOp
    : Op<TinyTC_Dialect, "opaque_index",
         [SameOperandsAndResultType, MemoryEffects<[MemWrite<TinyTC_Convergence>]>]> {
  let summary = "index that stays unknown to the driver";
  let description = [{
    Returns its operand. Two of these ops are never the same value, and none leaves the
    region it is in: each condition on the lane compares with one of its own, so that
    no pass and no driver can merge two conditions or move one out of a loop.

    Targets whose driver compiles such conditions wrongly get a broadcast over the
    subgroup, a convergent operation; for all others the op is its operand
    (docs/decisions/cpu-driver.md).

    Execution: SPMD; the operand must be dynamically uniform. Writes no memory.

    Syntax: `%result = tinytc.opaque_index %index : index`

    ```mlir
    func.func @example(%row: index, %rows: index) -> i1 {
      %end = tinytc.opaque_index %rows : index
      %is_inside = arith.cmpi slt, %row, %end : index
      return %is_inside : i1
    }
    ```
  }];
  let arguments = (ins Arg<Index, "uniform index">:$index);
  let results = (outs Res<Index, "the same index">:$result);
  let assemblyFormat = "$index attr-dict `:` type($result)";
}

def TinyTC_ComplexPartsOp
    : Op<TinyTC_Dialect, "complex_parts",
         [Pure, InferTypeOpAdaptor, ViewLikeOpInterface]> {
  let summary = "complex numbers in memory as their parts";
  let description = [{
    Returns a view of the same memory in which the real and the imaginary part of each
    complex number are elements of their own: element (2 i, j, ...) is the real part of
    element (i, j, ...) of `source`, element (2 i + 1, j, ...) its imaginary part. With
    it, neighbouring lanes hold the parts of a number, which neighbour each other in
    memory. With `expanded`, parts have a mode of their own: element (0, i, j, ...) is the
    real part, element (1, i, j, ...) the imaginary part, and any first stride will do.
    `tinytc-outline-kernels` replaces the view by the pointer of its source.

    Execution: SPMD. Accesses no memory.

    Syntax: `%parts = tinytc.complex_parts [expanded] %a : memref<4x?xcomplex<f32>>`

    ```mlir
    func.func @example(%a: memref<4x3xcomplex<f32>, strided<[1, ?], offset: 5>>,
                       %row: index, %column: index) -> f32 {
      %parts = tinytc.complex_parts %a
        : memref<4x3xcomplex<f32>, strided<[1, ?], offset: 5>>
      %part = memref.load %parts[%row, %column]
        : memref<8x3xf32, strided<[1, ?], offset: 10>>
      return %part : f32
    }
    ```
  }];
  let arguments = (ins
    Arg<MemRefOf<[TinyTC_Complex]>, "memref whose first stride is 1">:$source,
    Arg<UnitAttr, "parts have a mode of size 2 before the others">:$expanded);
  let results = (outs
    Res<MemRefOf<[F32, F64]>,
        "twice as many elements, strides of numbers twice as large">:$result);
  let assemblyFormat = "(`expanded` $expanded^)? $source attr-dict `:` type($source)";
  let extraClassDeclaration = [{
    Value getViewSource() { return getSource(); }
    Value getViewDest() { return getResult(); }
  }];
}

def TinyTC_AtomicOp
    : Op<TinyTC_Dialect, "atomic", [AttrSizedOperandSegments]> {
  let summary = "atomic access to one element";
  let description = [{
    What all atomic instructions become: an access of one kind to one element of a
    builtin memref, with the scope and the semantics of the instruction. `load`, `add`,
    `min` and `max` return the element before the access.

    In the `gpu` stage a complex number is two elements, one op for each, and the
    elements of a memref of bf16 are i16, while the values are still bf16.

    Execution: SPMD. Reads and writes the memref.

    Syntax: `[%result =] tinytc.atomic (load|store|add|min|max)
    (cross_device|device|work_group|subgroup)
    (relaxed|acquire|release|acquire_release|sequentially_consistent)
    %memref[%index, ...][, %value] : type[, type] [-> type]`

    ```mlir
    func.func @example(%a: memref<4x?xf32>, %x: f32, %i: index) -> f32 {
      %0 = tinytc.atomic add device relaxed %a[%i, %i], %x : memref<4x?xf32>, f32 -> f32
      return %0 : f32
    }
    ```
  }];
  let arguments = (ins
    Arg<TinyTC_AtomicKindAttr, "what is done to the element">:$kind,
    Arg<TinyTC_MemoryScopeAttr, "who sees the access as one step">:$scope,
    Arg<TinyTC_MemorySemanticsAttr, "which other accesses it orders">:$semantics,
    Arg<Optional<TinyTC_Scalar>, "none for load">:$value,
    Arg<MemRefOf<[TinyTC_Scalar]>, "of any order", [MemRead, MemWrite]>:$memref,
    Arg<Variadic<Index>, "one for each mode">:$indices);
  let results = (outs Res<Optional<TinyTC_Scalar>, "none for store">:$result);
  let assemblyFormat = [{
    $kind $scope $semantics $memref `[` $indices `]` (`,` $value^)? attr-dict
    `:` type($memref) (`,` type($value)^)? (`->` type($result)^)?
  }];
  let hasVerifier = 1;
}

def TinyTC_SubgroupMatrixMulAddOp
    : Op<TinyTC_Dialect, "subgroup_matrix_mul_add",
         [AttrSizedOperandSegments, MemoryEffects<[MemWrite<TinyTC_Convergence>]>,
          TinyTC_InferredResult]> {
  let summary = "matrix product of a subgroup on its matrix unit";
  let description = [{
    C := A B + C with an S x K matrix A, a K x N matrix B and an S x N matrix C, where S
    is the subgroup size. The operands are the entries that the running work-item holds
    of coopmatrices: `a` of a matrix_a, `b` of a matrix_b, `c` and the results of a
    matrix_acc. Work-item m has row m of A and of C, in the order of the columns.

    K is what the matrix unit sums up at once: 8 times the numbers in 32 bits. The order
    of the additions and the roundings between them are up to the unit; products are
    exact.

    Execution: SPMD; all work-items of the subgroup must be active. Accesses no memory.

    Syntax: `%c0, ... = tinytc.subgroup_matrix_mul_add (%a0, ...), (%b0, ...), (%c0, ...)
    : type, ...`

    Constraints:
    * `subgroup_matrix_mul_add_c1`: `a` and `b` have one type: f16, bf16, i8 or f32,
      whose last 13 bits are ignored; or `b` has the halves of numbers of f32 as i16
    * `subgroup_matrix_mul_add_c2`: `a` has K entries
    * `subgroup_matrix_mul_add_c3`: `c` has N = 1, 2, 4 or 8 entries, or is one vector of
      them
    * `subgroup_matrix_mul_add_c4`: `b` has K N / S entries. Halves are N, and S is 16:
      entry n of work-item l is half l mod 2, the lower one first, of row l / 2
    * `subgroup_matrix_mul_add_c5`: the entries of `c` are i32 if those of `a` are i8,
      else f32; the results have the types of `c`

    ```mlir
    func.func @example(%a: f32, %b: f32, %c: f32) -> f32 {
      %0 = tinytc.subgroup_matrix_mul_add (%a, %a, %a, %a, %a, %a, %a, %a), (%b), (%c)
        : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
      return %0 : f32
    }
    ```
  }];
  let arguments = (ins
    Variadic<AnyTypeOf<[I8, F16, BF16, F32]>>:$a,
    Variadic<AnyTypeOf<[I8, I16, F16, BF16, F32]>>:$b,
    Variadic<AnyTypeOf<[I32, F32, VectorOfRankAndType<[1], [I32, F32]>]>>:$c);
  let results = (outs
    Variadic<AnyTypeOf<[I32, F32, VectorOfRankAndType<[1], [I32, F32]>]>>:$results);
  let assemblyFormat = [{
    `(` $a `)` `,` `(` $b `)` `,` `(` $c `)` attr-dict `:` type(operands)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Columns of B and C.
    int64_t getNumColumns();
    /// Columns of A, which are the rows of B.
    int64_t getDepth() { return getA().size(); }
    /// Whether `b` has halves of its numbers.
    bool hasHalves() { return getB().front().getType().isInteger(16); }
    /// The S that the numbers of entries are for.
    int64_t getSubgroupSize() {
      return (hasHalves() ? 2 : 1) * getDepth() * getNumColumns() / getB().size();
    }
  }];
}

def TinyTC_WarpMatrixMulAddOp
    : Op<TinyTC_Dialect, "warp_matrix_mul_add",
         [AttrSizedOperandSegments, MemoryEffects<[MemWrite<TinyTC_Convergence>]>,
          TinyTC_InferredResult]> {
  let summary = "matrix product of a warp on its tensor cores";
  let description = [{
    C := A B + C with a 16 x K matrix A, a K x 8 matrix B and a 16 x 8 matrix C. The
    operands are the entries that the running work-item holds, in the order of the
    fragments of PTX's `mma.sync.m16n8k16` for f16 and bf16, of `m16n8k32` for i8, of
    `m16n8k8` for f64. With work-item 4 g + t, and w = 2 for f16 and bf16, 4 for i8, 1
    for f64:

    * entry e of `a` is row g + 8 (e / w mod 2), column e mod w + w t + 4 w (e / 2 w)
    * entry e of `b` is row e mod w + w t + 4 w (e / w), column g
    * entry e of `c` and of the results is row g + 8 (e / 2), column 2 t + e mod 2

    The order of the additions and the roundings between them are up to the tensor
    cores; products are exact.

    Execution: SPMD; all work-items of the subgroup, which has 32, must be active.
    Accesses no memory.

    Syntax: `%c0, ... = tinytc.warp_matrix_mul_add (%a0, ...), (%b0, ...), (%c0, ...)
    : type, ...`

    Constraints:
    * `warp_matrix_mul_add_c1`: `a` and `b` have one type: f16, bf16, i8 or f64
    * `warp_matrix_mul_add_c2`: `a` has K / 2 entries, `b` has K / 4, `c` has 4
    * `warp_matrix_mul_add_c3`: the entries of `c` are f32 for f16 and bf16, i32 for i8,
      f64 for f64; the results have the types of `c`

    ```mlir
    func.func @example(%a: f64, %c: f64) -> f64 {
      %0:4 = tinytc.warp_matrix_mul_add (%a, %a, %a, %a), (%a, %a), (%c, %c, %c, %c)
        : f64, f64, f64, f64, f64, f64, f64, f64, f64, f64
      return %0#0 : f64
    }
    ```
  }];
  let arguments = (ins
    Variadic<AnyTypeOf<[I8, F16, BF16, F64]>>:$a,
    Variadic<AnyTypeOf<[I8, F16, BF16, F64]>>:$b,
    Variadic<AnyTypeOf<[I32, F32, F64]>>:$c);
  let results = (outs Variadic<AnyTypeOf<[I32, F32, F64]>>:$results);
  let assemblyFormat = [{
    `(` $a `)` `,` `(` $b `)` `,` `(` $c `)` attr-dict `:` type(operands)
  }];
  let hasVerifier = 1;
}

def TinyTC_SubgroupBlockLoadOp
    : Op<TinyTC_Dialect, "subgroup_block_load"> {
  let summary = "load of a block of a matrix by a subgroup";
  let description = [{
    Loads a block of a matrix in global memory whose element (i, j) is element
    `offset + i + j * stride` of `source`, with `rows` x `columns` elements. Result e of
    work-item l is element (x + l, y + e), with `transposed` (x + e, y + l), or, of 16 with
    8 bits, (x + 2 l + e mod 2, y + e div 2); zero where the matrix has no such element.
    Of f32, there are blocks with `transposed` and blocks of halves: result e of work-item
    l, an i16, is half l mod 2, the lower one first, of element (x + l / 2, y + e).

    Blocks are read with few messages, which need a matrix that begins at a multiple of
    64 bytes, whose columns, at most 2^24, are a multiple of 16 bytes apart, and whose
    columns have at least 64 bytes, a multiple of 4.

    Execution: SPMD; all work-items of the subgroup must be active, and all operands are
    uniform. Reads memory.

    Syntax: `%r0, ... = tinytc.subgroup_block_load [transposed] %source[%offset]
    sizes(%rows, %columns) stride %stride at(%x, %y) : memref-type -> type, ...`

    Constraints:
    * `subgroup_block_load_c1`: all results have one type, that of the elements; bf16 if
      these are i16, as they are at the gpu stage; i16 if these are f32 and the block is
      not transposed
    * `subgroup_block_load_c2`: a work-item gets 16 elements of 16 bits or 32 of
      8 bits; or half as many, if the block is not transposed; 8 elements or halves of f32

    ```mlir
    func.func @example(%a: memref<?xf16>, %n: index, %x: index)
        -> (f16, f16, f16, f16, f16, f16, f16, f16) {
      %0:8 = tinytc.subgroup_block_load %a[%x] sizes(%n, %n) stride %n at(%x, %x)
        : memref<?xf16> -> f16, f16, f16, f16, f16, f16, f16, f16
      return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7
        : f16, f16, f16, f16, f16, f16, f16, f16
    }
    ```
  }];
  let arguments = (ins
    Arg<MemRefOf<[I8, I16, F16, BF16, F32]>, "of any order", [MemRead]>:$source,
    Arg<Index, "where the matrix begins, in elements">:$offset,
    Arg<Index, "rows of the matrix">:$rows,
    Arg<Index, "columns of the matrix">:$columns,
    Arg<Index, "elements from a column to the next">:$stride,
    Arg<Index, "first row of the block">:$x,
    Arg<Index, "first column of the block">:$y,
    UnitAttr:$transposed);
  let results = (outs Variadic<AnyTypeOf<[I8, I16, F16, BF16, F32]>>:$results);
  let assemblyFormat = [{
    (`transposed` $transposed^)? $source `[` $offset `]`
    `sizes` `(` $rows `,` $columns `)` `stride` $stride `at` `(` $x `,` $y `)` attr-dict
    `:` type($source) `->` type($results)
  }];
  let hasVerifier = 1;
}

def TinyTC_PackedMulAddOp
    : Op<TinyTC_Dialect, "packed_mul_add",
         [Pure, AllTypesMatch<["a", "b"]>, AllTypesMatch<["c", "result"]>]> {
  let summary = "sum of the products of the numbers in two words";
  let description = [{
    Returns c plus the products of the numbers in the word `a` with those in the same bits
    of `b`: two of i16 or bf16, or four of i8. With `ui8`, those in `a` are unsigned and
    those in `b` signed. Processors have an instruction for it.

    Integers wrap around. Products of bf16 are exact; the order of the additions, the
    roundings between them, and whether subnormal numbers count as 0, are up to the
    processor.

    Execution: SPMD. Accesses no memory.

    Syntax: `%result = tinytc.packed_mul_add (i16|i8|ui8|bf16) %a, %b, %c
    : word-type, type`

    Constraints:
    * `packed_mul_add_c1`: `c` is i32, or f32 for bf16; a vector if `a` is one

    ```mlir
    func.func @example(%a: i32, %b: vector<4xi32>, %c: vector<4xf32>) -> i32 {
      %0 = tinytc.packed_mul_add ui8 %a, %a, %a : i32, i32
      %1 = tinytc.packed_mul_add bf16 %b, %b, %c : vector<4xi32>, vector<4xf32>
      return %0 : i32
    }
    ```
  }];
  let arguments = (ins
    Arg<TinyTC_PackedNumbersAttr, "what words hold">:$numbers,
    Arg<AnyTypeOf<[I32, VectorOfRankAndType<[1], [I32]>]>, "word">:$a,
    Arg<AnyTypeOf<[I32, VectorOfRankAndType<[1], [I32]>]>, "word">:$b,
    Arg<AnyTypeOf<[I32, F32, VectorOfRankAndType<[1], [I32, F32]>]>, "sum so far">:$c);
  let results = (outs
    Res<AnyTypeOf<[I32, F32, VectorOfRankAndType<[1], [I32, F32]>]>, "sum">:$result);
  let assemblyFormat = [{
    $numbers $a `,` $b `,` $c attr-dict `:` type($a) `,` type($c)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Numbers in a word.
    static int64_t getDepth(PackedNumbers numbers) {
      bool areBytes = numbers == PackedNumbers::I8 || numbers == PackedNumbers::UI8;
      return areBytes ? 4 : 2;
    }
  }];
}

def TinyTC_TileProductOp
    : Op<TinyTC_Dialect, "tile_product", [AttrSizedOperandSegments]> {
  let summary = "product of packed matrices on tile registers";
  let description = [{
    C := A B, or C := C + A B with `accumulate`, for tiles of C: those that begin at a row of `rows` and a column of
    `columns`. With `tile` = [r, s, k], they have r x s elements, and `steps`, a multiple
    of k, is how many words A has in a row and B in a column. Element (i, t) of A is
    `a[i + t * stride_a]`, element (t, j) of B is `b[t + j * stride_b]`, and element (i, j)
    of C is `c[offset + i + j * stride_c]`. A product of words is that of
    `packed_mul_add`; on AMX, sums of bf16 are 0 where they are subnormal, and those of k
    words are added up first, even and odd numbers on their own.

    Execution: SPMD; all work-items of the only subgroup must be active, and all operands
    are uniform. Reads `a` and `b`, and writes `c`; reads it if it accumulates.

    Syntax: `tinytc.tile_product [accumulate] (i8|bf16) %a by %stride_a, %b by %stride_b,
    %c[%offset] by %stride_c at (%row, ...) (%column, ...) steps %steps tile [r, s, k]
    : memref-types`

    Constraints:
    * `tile_product_c1`: words hold i8 or bf16, and the elements of `c` are i32 or f32
    * `tile_product_c2`: there are one or two rows and one or two columns
    * `tile_product_c3`: r, s and k are from 1 to 16

    ```mlir
    func.func @example(%a: memref<?xi32>, %c: memref<?xf32>, %i: index, %n: index) {
      tinytc.tile_product bf16 %a by %n, %a by %n, %c[%i] by %n at (%i, %n) (%i) steps %n
        tile [16, 12, 16] : memref<?xi32>, memref<?xi32>, memref<?xf32>
      return
    }
    ```
  }];
  let arguments = (ins
    Arg<TinyTC_PackedNumbersAttr, "what words hold">:$numbers,
    Arg<MemRefOf<[I32]>, "words of A", [MemRead]>:$a,
    Arg<Index, "words from a step of A to the next">:$stride_a,
    Arg<MemRefOf<[I32]>, "words of B", [MemRead]>:$b,
    Arg<Index, "words from a column of B to the next">:$stride_b,
    Arg<MemRefOf<[I32, F32]>, "C", [MemRead, MemWrite]>:$c,
    Arg<Index, "where C begins, in elements">:$offset,
    Arg<Index, "elements from a column of C to the next">:$stride_c,
    Arg<Variadic<Index>, "first rows of tiles">:$rows,
    Arg<Variadic<Index>, "first columns of tiles">:$columns,
    Arg<Index, "words that are summed up">:$steps,
    Arg<DenseI64ArrayAttr, "sizes of a tile">:$tile,
    UnitAttr:$accumulate);
  let assemblyFormat = [{
    (`accumulate` $accumulate^)? $numbers $a `by` $stride_a `,` $b `by` $stride_b `,` $c `[` $offset `]` `by` $stride_c
    `at` `(` $rows `)` `(` $columns `)` `steps` $steps `tile` $tile attr-dict
    `:` type($a) `,` type($b) `,` type($c)
  }];
  let hasVerifier = 1;
}

#endif // TINYTC_LOWERINGOPS_TD
