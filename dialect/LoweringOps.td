//===- LoweringOps.td - Ops that only the lowering makes ----*- tablegen -*-===//
//
// What the stages after `tinytc` need and no upstream dialect has. The text of the
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
    (docs/decisions/conditions-on-lanes.md).

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
    memory. `tinytc-outline-kernels` replaces the view by the pointer of its source.

    Execution: SPMD. Accesses no memory.

    Syntax: `%parts = tinytc.complex_parts %a : memref<4x?xcomplex<f32>, strided<[1, ?]>>`

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
    Arg<MemRefOf<[TinyTC_Complex]>, "memref whose first stride is 1">:$source);
  let results = (outs
    Res<MemRefOf<[F32, F64]>,
        "twice as many elements in the first mode, other strides twice as large">:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
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

#endif // TINYTC_LOWERINGOPS_TD
