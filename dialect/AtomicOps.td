//===- AtomicOps.td - Atomic access to memory ----------------*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Loads, stores and updates that take effect in one step, of one element and of the
// components of a cooperative matrix.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_ATOMICOPS_TD
#define TINYTC_ATOMICOPS_TD

/// The memory that an atomic access orders apart from the element itself. Written even by atomic
/// loads: no pass may merge one with another, or move other accesses across it.
def TinyTC_MemoryOrder : Resource<"::mlir::tinytc::MemoryOrderResource">;

/// The modifiers that all atomic instructions end with.
defvar TinyTC_AtomicModifiers = (ins
  Arg<DefaultValuedAttr<TinyTC_MemoryScopeAttr, "::mlir::tinytc::MemoryScope::WorkGroup">,
      "who sees the access as one step">:$scope,
  Arg<DefaultValuedAttr<TinyTC_MemorySemanticsAttr,
                        "::mlir::tinytc::MemorySemantics::Relaxed">,
      "which other accesses it orders">:$semantics);

/// The interface methods of an access to one element: its kind, and its memref.
class TinyTC_AtomicMethods<string kind, string memref> {
  code common = [{
    ::mlir::tinytc::AtomicKind getAtomicKind() {
      return ::mlir::tinytc::AtomicKind::}] # kind # [{;
    }
    ::mlir::Value getAccessedMemref() { return }] # memref # [{; }
  }];
  code declaration = common # [{
    ::mlir::OperandRange getAccessedIndices() { return getIndices(); }
    ::mlir::tinytc::CoopMatrixType getAccessedMatrix() { return {}; }
    bool isTransposed() { return false; }
    ::mlir::tinytc::Checked getCheckedModes() {
      return ::mlir::tinytc::Checked::None;
    }
  }];
}

/// The same of an access to the components of a matrix.
class TinyTC_AtomicBlockMethods<string kind, string memref, string matrix>
    : TinyTC_AtomicMethods<kind, memref> {
  let declaration = common # [{
    ::mlir::OperandRange getAccessedIndices() {
      unsigned first = getXMutable().getOperandNumber();
      return {getOperation()->operand_begin() + first,
              getOperation()->operand_begin() + first + 2};
    }
    ::mlir::tinytc::CoopMatrixType getAccessedMatrix() { return }] # matrix # [{; }
    bool isTransposed() {
      return getTranspose() == ::mlir::tinytc::Transpose::T;
    }
    ::mlir::tinytc::Checked getCheckedModes() { return getChecked(); }
  }];
}

//===----------------------------------------------------------------------===//
// One element
//===----------------------------------------------------------------------===//

def TinyTC_AtomicLoadOp : TinyTC_MixedOp<"atomic_load", [
    TinyTC_AtomicOpInterface, MemoryEffects<[MemWrite<TinyTC_MemoryOrder>]>,
    TinyTC_InferredResult]> {
  let summary = "atomic read of one element of a memref";
  let description = [{
    Returns the element at the indices, read in one step. The real and the imaginary part
    of a complex element are read one by one.

    The scope says for which work-items the access is one step: those of the
    `subgroup`, of the `work_group` (the default), of the `device`, or of the device and
    its host and peers (`cross_device`). The semantics say which other accesses it orders:
    none if it is `relaxed` (the default).

    Execution: mixed; in a collective region all work-items read the element. Reads the
    source.

    Syntax: `%result = tinytc.atomic_load
    [cross_device|device|work_group|subgroup] [relaxed|acquire|sequentially_consistent]
    %source[%index, ...] : type`, the type of the source

    Constraints:
    * `atomic_load_c1`: there are order(source) indices
    * `atomic_load_c2`: type(result) = element_type(source)
    * `atomic_load_c3`: constant indices are not negative and less than a static size of
      their mode
    * `atomic_load_c4`: the semantics are relaxed, acquire or sequentially_consistent

    ```mlir
    tinytc.func @example(%A: !tinytc.memref<16x?xf32>, %i: index) {
      %0 = tinytc.atomic_load device acquire %A[%i, %i] : !tinytc.memref<16x?xf32>
    }
    ```

    Source: tensor language reference, version 0.4, atomic load.
  }];
  let arguments = !con(TinyTC_AtomicModifiers, (ins
    Arg<TinyTC_Memref, "tensor of any order", [MemRead]>:$source,
    Arg<Variadic<Index>, "one for each mode">:$indices));
  let results = (outs TinyTC_Scalar:$result);
  let assemblyFormat = [{
    `` custom<OptionalScope>($scope) `` custom<OptionalSemantics>($semantics) $source
    `[` $indices `]` attr-dict `:` qualified(type($source))
  }];
  let extraClassDeclaration = TinyTC_AtomicMethods<"Load", "getSource()">.declaration;
  let hasVerifier = 1;
}

def TinyTC_AtomicStoreOp
    : TinyTC_MixedOp<"atomic_store", [TinyTC_AtomicOpInterface]> {
  let summary = "atomic write of one element of a memref";
  let description = [{
    Writes the value to the element at the indices in one step. The real and the imaginary
    part of a complex value are written one by one. Scope and semantics are those of
    `tinytc.atomic_load`.

    Execution: mixed; in a collective region all work-items write the element. Writes
    dest.

    Syntax: `tinytc.atomic_store
    [cross_device|device|work_group|subgroup] [relaxed|release|sequentially_consistent]
    %value, %dest[%index, ...] : type, type`

    Constraints:
    * `atomic_store_c1`: type(value) = element_type(dest)
    * `atomic_store_c2`: there are order(dest) indices
    * `atomic_store_c3`: constant indices are not negative and less than a static size of
      their mode
    * `atomic_store_c4`: the semantics are relaxed, release or sequentially_consistent

    ```mlir
    tinytc.func @example(%x: f32, %A: !tinytc.memref<16x?xf32>, %i: index) {
      tinytc.atomic_store release %x, %A[%i, %i] : f32, !tinytc.memref<16x?xf32>
    }
    ```

    Source: tensor language reference, version 0.4, atomic store.
  }];
  let arguments = !con(TinyTC_AtomicModifiers, (ins
    TinyTC_Scalar:$value,
    Arg<TinyTC_Memref, "tensor of any order", [MemWrite]>:$dest,
    Arg<Variadic<Index>, "one for each mode">:$indices));
  let assemblyFormat = [{
    `` custom<OptionalScope>($scope) `` custom<OptionalSemantics>($semantics) $value `,`
    $dest `[` $indices `]` attr-dict `:` qualified(type($value)) `,`
    qualified(type($dest))
  }];
  let extraClassDeclaration = TinyTC_AtomicMethods<"Store", "getDest()">.declaration;
  let hasVerifier = 1;
}

class TinyTC_AtomicUpdateOp<string word, string kind, TypeConstraint allowed,
                            string sentence>
    : TinyTC_MixedOp<"atomic_" # word, [
        TinyTC_AtomicOpInterface,
        /*atomic_update_c4*/ AllTypesMatch<["value", "result"]>]> {
  let description = "\n    " # sentence # [{ The result is the element before
    the update. Scope and semantics are those of `tinytc.atomic_load`.

    Execution: mixed; in a collective region every work-item updates the element, and the
    results may differ between them. Reads and writes dest.

    Syntax: `%result = tinytc.atomic_}] # word # [{
    [cross_device|device|work_group|subgroup]
    [relaxed|acquire|release|acquire_release|sequentially_consistent]
    %value, %dest[%index, ...] : type, type`

    Constraints:
    * `atomic_update_c1`: type(value) = element_type(dest)
    * `atomic_update_c2`: there are order(dest) indices
    * `atomic_update_c3`: constant indices are not negative and less than a static size of
      their mode
    * `atomic_update_c4`: type(result) = type(value)
    * `atomic_update_c5`: the type is a }] # allowed.summary # [{

    ```mlir
    tinytc.func @example(%x: i32, %A: !tinytc.memref<16x?xi32>, %i: index) {
      %0 = tinytc.atomic_}] # word # [{ device %x, %A[%i, %i]
        : i32, !tinytc.memref<16x?xi32>
    }
    ```

    Source: tensor language reference, version 0.4, atomic update.
  }];
  let arguments = !con(TinyTC_AtomicModifiers, (ins
    /*atomic_update_c5*/ allowed:$value,
    Arg<TinyTC_Memref, "tensor of any order", [MemRead, MemWrite]>:$dest,
    Arg<Variadic<Index>, "one for each mode">:$indices));
  let results = (outs Res<allowed, "the element before the update">:$result);
  let assemblyFormat = [{
    `` custom<OptionalScope>($scope) `` custom<OptionalSemantics>($semantics) $value `,`
    $dest `[` $indices `]` attr-dict `:` qualified(type($value)) `,`
    qualified(type($dest))
  }];
  let extraClassDeclaration = TinyTC_AtomicMethods<kind, "getDest()">.declaration;
  let hasVerifier = 1;
}

def TinyTC_AtomicAddOp : TinyTC_AtomicUpdateOp<"add", "Add", TinyTC_Scalar,
    "Adds the value to the element at the indices in one step, the parts of complex "
    "numbers one by one."> {
  let summary = "atomic addition to one element of a memref";
}
def TinyTC_AtomicMinOp : TinyTC_AtomicUpdateOp<"min", "Min", TinyTC_Real,
    "Replaces the element at the indices by the smaller one of it and the value, as "
    "`tinytc.arith.min` does, in one step."> {
  let summary = "atomic minimum of one element of a memref";
}
def TinyTC_AtomicMaxOp : TinyTC_AtomicUpdateOp<"max", "Max", TinyTC_Real,
    "Replaces the element at the indices by the larger one of it and the value, as "
    "`tinytc.arith.max` does, in one step."> {
  let summary = "atomic maximum of one element of a memref";
}

//===----------------------------------------------------------------------===//
// Cooperative matrices
//===----------------------------------------------------------------------===//

/// The modifiers of an atomic access to the components of a matrix.
defvar TinyTC_AtomicBlockModifiers = !con((ins
  Arg<TinyTC_TransposeAttr, "t accesses the transpose">:$transpose,
  Arg<DefaultValuedAttr<TinyTC_CheckedAttr, "::mlir::tinytc::Checked::None">,
      "modes of the matrix with a bounds check">:$checked), TinyTC_AtomicModifiers);

def TinyTC_CooperativeMatrixAtomicLoadOp
    : TinyTC_SpmdOp<"cooperative_matrix_atomic_load", [
        TinyTC_AtomicOpInterface, MemoryEffects<[MemWrite<TinyTC_MemoryOrder>]>]> {
  let summary = "cooperative matrix read by atomic loads";
  let description = [{
    A_ij := M(x + i, y + j), or M(x + j, y + i) if the modifier is `t`, each component by
    an atomic load of its own. Checked rows, columns or both are 0 where they are outside
    M. Scope and semantics are those of `tinytc.atomic_load`.

    Execution: SPMD; all operands must be dynamically uniform, else the behaviour is
    undefined. Reads the source.

    Syntax: `%result = tinytc.cooperative_matrix_atomic_load (n|t)
    [rows_checked|cols_checked|both_checked]
    [cross_device|device|work_group|subgroup] [relaxed|acquire|sequentially_consistent]
    %source[%x, %y] : type -> type`

    Constraints:
    * `cooperative_matrix_atomic_load_c1`: order(source) = 2
    * `cooperative_matrix_atomic_load_c2`: component_type(result) = element_type(source)
    * `cooperative_matrix_atomic_load_c3`: the semantics are relaxed, acquire or
      sequentially_consistent

    ```mlir
    tinytc.func @example(%M: !tinytc.memref<64x64xf32>, %x: index, %y: index) {
      tinytc.parallel {
        %0 = tinytc.cooperative_matrix_atomic_load n rows_checked device %M[%x, %y]
          : !tinytc.memref<64x64xf32> -> !tinytc.coopmatrix<8x16xf32, matrix_a>
      }
    }
    ```

    Source: tensor language reference, version 0.4, cooperative matrix atomic load.
  }];
  let arguments = !con(TinyTC_AtomicBlockModifiers, (ins
    Arg<TinyTC_Memref, "matrix M", [MemRead]>:$source,
    Arg<Index, "first row in M">:$x, Arg<Index, "first column in M">:$y));
  let results = (outs TinyTC_CoopMatrix:$result);
  let assemblyFormat = [{
    `` $transpose `` custom<OptionalChecked>($checked)
    `` custom<OptionalScope>($scope) `` custom<OptionalSemantics>($semantics) $source
    `[` $x `,` $y `]` attr-dict `:` qualified(type($source)) `->`
    qualified(type($result))
  }];
  let extraClassDeclaration =
      TinyTC_AtomicBlockMethods<"Load", "getSource()", "getType()">.declaration;
  let hasVerifier = 1;
}

def TinyTC_CooperativeMatrixAtomicStoreOp
    : TinyTC_SpmdOp<"cooperative_matrix_atomic_store", [TinyTC_AtomicOpInterface]> {
  let summary = "cooperative matrix written by atomic stores";
  let description = [{
    M(x + i, y + j) := A_ij, or M(x + j, y + i) := A_ij if the modifier is `t`, each
    component by an atomic store of its own. Checked rows, columns or both are not written
    where they are outside M. Scope and semantics are those of `tinytc.atomic_load`.

    Execution: SPMD; all operands must be dynamically uniform, else the behaviour is
    undefined. Writes dest.

    Syntax: `tinytc.cooperative_matrix_atomic_store (n|t)
    [rows_checked|cols_checked|both_checked]
    [cross_device|device|work_group|subgroup] [relaxed|release|sequentially_consistent]
    %matrix, %dest[%x, %y] : type, type`

    Constraints:
    * `cooperative_matrix_atomic_store_c1`: order(dest) = 2
    * `cooperative_matrix_atomic_store_c2`: component_type(matrix) = element_type(dest)
    * `cooperative_matrix_atomic_store_c3`: the semantics are relaxed, release or
      sequentially_consistent

    ```mlir
    tinytc.func @example(%M: !tinytc.memref<64x64xf32>, %x: index, %y: index) {
      tinytc.parallel {
        %c = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x8xf32, matrix_acc>
        tinytc.cooperative_matrix_atomic_store n both_checked %c, %M[%x, %y]
          : !tinytc.coopmatrix<8x8xf32, matrix_acc>, !tinytc.memref<64x64xf32>
      }
    }
    ```

    Source: tensor language reference, version 0.4, cooperative matrix atomic store.
  }];
  let arguments = !con(TinyTC_AtomicBlockModifiers, (ins
    Arg<TinyTC_CoopMatrix, "A, of any use">:$matrix,
    Arg<TinyTC_Memref, "matrix M", [MemWrite]>:$dest,
    Arg<Index, "first row in M">:$x, Arg<Index, "first column in M">:$y));
  let assemblyFormat = [{
    `` $transpose `` custom<OptionalChecked>($checked)
    `` custom<OptionalScope>($scope) `` custom<OptionalSemantics>($semantics) $matrix
    `,` $dest `[` $x `,` $y `]` attr-dict `:` qualified(type($matrix)) `,`
    qualified(type($dest))
  }];
  let extraClassDeclaration = TinyTC_AtomicBlockMethods<
      "Store", "getDest()", "getMatrix().getType()">.declaration;
  let hasVerifier = 1;
}

class TinyTC_CooperativeMatrixAtomicUpdateOp<string word, string kind,
                                             TypeConstraint allowed, string sentence>
    : TinyTC_SpmdOp<"cooperative_matrix_atomic_" # word, [
        TinyTC_AtomicOpInterface,
        /*cooperative_matrix_atomic_update_c3*/ AllTypesMatch<["matrix", "result"]>]> {
  let description = "\n    " # sentence # [{ M_ij is M(x + i, y + j), or
    M(x + j, y + i) if the modifier is `t`. The components of the result are the elements
    before the update. Checked rows, columns or both are not updated where they are outside
    M, and the result is 0 there. Scope and semantics are those of `tinytc.atomic_load`.

    Execution: SPMD; all operands must be dynamically uniform, else the behaviour is
    undefined. Reads and writes dest.

    Syntax: `%result = tinytc.cooperative_matrix_atomic_}] # word # [{ (n|t)
    [rows_checked|cols_checked|both_checked]
    [cross_device|device|work_group|subgroup]
    [relaxed|acquire|release|acquire_release|sequentially_consistent]
    %matrix, %dest[%x, %y] : type, type`

    Constraints:
    * `cooperative_matrix_atomic_update_c1`: order(dest) = 2
    * `cooperative_matrix_atomic_update_c2`: component_type(matrix) = element_type(dest)
    * `cooperative_matrix_atomic_update_c3`: type(result) = type(matrix)
    * `cooperative_matrix_atomic_update_c4`: the matrix is a }] # allowed.summary # [{

    ```mlir
    tinytc.func @example(%M: !tinytc.memref<64x64xf32>, %x: index, %y: index) {
      tinytc.parallel {
        %c = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x8xf32, matrix_acc>
        %0 = tinytc.cooperative_matrix_atomic_}] # word # [{ t device %c, %M[%x, %y]
          : !tinytc.coopmatrix<8x8xf32, matrix_acc>, !tinytc.memref<64x64xf32>
      }
    }
    ```

    Source: tensor language reference, version 0.4, cooperative matrix atomic update.
  }];
  let arguments = !con(TinyTC_AtomicBlockModifiers, (ins
    /*cooperative_matrix_atomic_update_c4*/ Arg<allowed, "of any use">:$matrix,
    Arg<TinyTC_Memref, "matrix M", [MemRead, MemWrite]>:$dest,
    Arg<Index, "first row in M">:$x, Arg<Index, "first column in M">:$y));
  let results = (outs Res<allowed, "the elements before the update">:$result);
  let assemblyFormat = [{
    `` $transpose `` custom<OptionalChecked>($checked)
    `` custom<OptionalScope>($scope) `` custom<OptionalSemantics>($semantics) $matrix
    `,` $dest `[` $x `,` $y `]` attr-dict `:` qualified(type($matrix)) `,`
    qualified(type($dest))
  }];
  let extraClassDeclaration = TinyTC_AtomicBlockMethods<
      kind, "getDest()", "getMatrix().getType()">.declaration;
  let hasVerifier = 1;
}

def TinyTC_CooperativeMatrixAtomicAddOp
    : TinyTC_CooperativeMatrixAtomicUpdateOp<"add", "Add", TinyTC_CoopMatrix,
        "Adds the components of a matrix A to the elements M_ij, each in one step, the "
        "parts of complex numbers one by one."> {
  let summary = "cooperative matrix added by atomic additions";
}
def TinyTC_CooperativeMatrixAtomicMinOp
    : TinyTC_CooperativeMatrixAtomicUpdateOp<"min", "Min",
        TinyTC_CoopMatrixOf<TinyTC_Real>,
        "Replaces the elements M_ij by the smaller one of M_ij and A_ij, as "
        "`tinytc.arith.min` does, each in one step."> {
  let summary = "atomic minimum with a cooperative matrix";
}
def TinyTC_CooperativeMatrixAtomicMaxOp
    : TinyTC_CooperativeMatrixAtomicUpdateOp<"max", "Max",
        TinyTC_CoopMatrixOf<TinyTC_Real>,
        "Replaces the elements M_ij by the larger one of M_ij and A_ij, as "
        "`tinytc.arith.max` does, each in one step."> {
  let summary = "atomic maximum with a cooperative matrix";
}

#endif // TINYTC_ATOMICOPS_TD
