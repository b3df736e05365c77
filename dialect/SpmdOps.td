//===- SpmdOps.td - SPMD instructions --------------------------*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Chapter "SPMD instructions" of the language reference: builtins of a work-item,
// cooperative matrices, subgroup operations.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_SPMDOPS_TD
#define TINYTC_SPMDOPS_TD

//===----------------------------------------------------------------------===//
// Builtins
//===----------------------------------------------------------------------===//

def TinyTC_SubgroupIdOp : TinyTC_SubgroupBuiltin<"subgroup_id", Spmd, "SPMD",
    "Returns the index of the subgroup, from 0 to num_subgroups - 1. That is x + y X, where "
    "x and y are the indices in these dimensions and X is num_subgroups in dimension x."> {
  let summary = "index of the subgroup in the work-group";
}
def TinyTC_SubgroupLocalIdOp : TinyTC_Builtin<"subgroup_local_id", I32, Spmd, "SPMD",
    "Returns the index of the work-item in its subgroup, from 0 to subgroup_size - 1."> {
  let summary = "index of the work-item in the subgroup";
}

//===----------------------------------------------------------------------===//
// Cooperative matrices
//===----------------------------------------------------------------------===//

def TinyTC_CooperativeMatrixLoadOp : TinyTC_SpmdOp<"cooperative_matrix_load"> {
  let summary = "cooperative matrix read from a matrix in memory";
  let description = [{
    A_ij := M(x + i, y + j), or M(x + j, y + i) if the modifier is `t`. Checked rows,
    columns or both are 0 where they are outside M.

    Execution: SPMD; all operands must be dynamically uniform, else the behaviour is
    undefined. Reads the source.

    Syntax: `%result = tinytc.cooperative_matrix_load (n|t)
    [rows_checked|cols_checked|both_checked] %source[%x, %y] : type -> type`

    Constraints:
    * `cooperative_matrix_load_c1`: order(source) = 2
    * `cooperative_matrix_load_c2`: component_type(result) = element_type(source)

    ```mlir
    tinytc.func @example(%M: !tinytc.memref<64x64xf32>, %x: index, %y: index) {
      tinytc.parallel {
        %0 = tinytc.cooperative_matrix_load n rows_checked %M[%x, %y]
          : !tinytc.memref<64x64xf32> -> !tinytc.coopmatrix<8x16xf32, matrix_a>
      }
    }
    ```

    Source: tensor language reference, cooperative matrix load.
  }];
  let arguments = (ins
    Arg<TinyTC_TransposeAttr, "t reads the transpose">:$transpose,
    Arg<DefaultValuedAttr<TinyTC_CheckedAttr, "::mlir::tinytc::Checked::None">,
        "modes of the result with a bounds check">:$checked,
    Arg<TinyTC_Memref, "matrix M", [MemRead]>:$source,
    Arg<Index, "first row in M">:$x, Arg<Index, "first column in M">:$y);
  let results = (outs TinyTC_CoopMatrix:$result);
  let assemblyFormat = [{
    `` $transpose `` custom<OptionalChecked>($checked) $source `[` $x `,` $y `]`
    attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def TinyTC_CooperativeMatrixMulAddOp
    : TinyTC_SpmdOp<"cooperative_matrix_mul_add", [Pure]> {
  let summary = "product of cooperative matrices plus a third";
  let description = [{
    Returns A B + C.

    Execution: SPMD; all operands must be dynamically uniform, else the behaviour is
    undefined.

    Syntax: `%result = tinytc.cooperative_matrix_mul_add %a, %b, %c
    : type, type, type -> type`

    Constraints:
    * `cooperative_matrix_mul_add_c1`: use(a) = matrix_a, use(b) = matrix_b,
      use(c) = use(result) = matrix_acc
    * `cooperative_matrix_mul_add_c2`: columns(a) = rows(b)
    * `cooperative_matrix_mul_add_c3`: rows(c) = rows(a) and columns(c) = columns(b)
    * `cooperative_matrix_mul_add_c4`: shape(result) = shape(c)
    * `cooperative_matrix_mul_add_c5`: promote(component_type(a), component_type(b)) <=
      component_type(c)
    * `cooperative_matrix_mul_add_c6`: component_type(c) can be cast to
      component_type(result)

    ```mlir
    tinytc.func @example() {
      tinytc.parallel {
        %a = tinytc.constant 1.0 : f16 -> !tinytc.coopmatrix<8x16xf16, matrix_a>
        %b = tinytc.constant 1.0 : f16 -> !tinytc.coopmatrix<16x8xf16, matrix_b>
        %c = tinytc.constant 0.0 : f32 -> !tinytc.coopmatrix<8x8xf32, matrix_acc>
        %0 = tinytc.cooperative_matrix_mul_add %a, %b, %c
          : !tinytc.coopmatrix<8x16xf16, matrix_a>,
            !tinytc.coopmatrix<16x8xf16, matrix_b>,
            !tinytc.coopmatrix<8x8xf32, matrix_acc>
          -> !tinytc.coopmatrix<8x8xf32, matrix_acc>
      }
    }
    ```

    Source: tensor language reference, cooperative matrix mul add.
  }];
  let arguments = (ins
    Arg<TinyTC_CoopMatrix, "M x K, matrix_a">:$a,
    Arg<TinyTC_CoopMatrix, "K x N, matrix_b">:$b,
    Arg<TinyTC_CoopMatrix, "M x N, matrix_acc">:$c);
  let results = (outs Res<TinyTC_CoopMatrix, "M x N, matrix_acc">:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $c attr-dict `:` qualified(type($a)) `,` qualified(type($b)) `,`
    qualified(type($c)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def TinyTC_CooperativeMatrixScaleOp : TinyTC_SpmdOp<"cooperative_matrix_scale", [
    Pure, /*cooperative_matrix_scale_c2*/ AllTypesMatch<["matrix", "result"]>]> {
  let summary = "cooperative matrix times a scalar";
  let description = [{
    Returns the matrix, each component multiplied by the scalar.

    Execution: SPMD; all operands must be dynamically uniform, else the behaviour is
    undefined.

    Syntax: `%result = tinytc.cooperative_matrix_scale %scalar, %matrix : type, type`

    Constraints:
    * `cooperative_matrix_scale_c1`: type(scalar) = component_type(matrix)
    * `cooperative_matrix_scale_c2`: type(result) = type(matrix)

    ```mlir
    tinytc.func @example(%x: f32) {
      tinytc.parallel {
        %c = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x8xf32, matrix_acc>
        %0 = tinytc.cooperative_matrix_scale %x, %c
          : f32, !tinytc.coopmatrix<8x8xf32, matrix_acc>
      }
    }
    ```

    Source: tensor language reference, cooperative matrix scale.
  }];
  let arguments = (ins TinyTC_Scalar:$scalar,
                       Arg<TinyTC_CoopMatrix, "of any use">:$matrix);
  let results = (outs TinyTC_CoopMatrix:$result);
  let assemblyFormat = [{
    $scalar `,` $matrix attr-dict `:` qualified(type($scalar)) `,`
    qualified(type($matrix))
  }];
  let hasVerifier = 1;
}

def TinyTC_CooperativeMatrixStoreOp : TinyTC_SpmdOp<"cooperative_matrix_store"> {
  let summary = "cooperative matrix written to a matrix in memory";
  let description = [{
    M(x + i, y + j) := A_ij, or M(x + j, y + i) := A_ij if the modifier is `t`. Checked
    rows, columns or both of A are not written where they are outside M. The memory order of `atomic` and `atomic_add` is relaxed;
    `atomic_add` adds to M. The real and the imaginary part of a complex component may
    be updated one by one.

    Execution: SPMD; all operands must be dynamically uniform, else the behaviour is
    undefined. Writes dest; atomic with the flags.

    Syntax: `tinytc.cooperative_matrix_store [t]
    [rows_checked|cols_checked|both_checked] [atomic|atomic_add] %matrix, %dest[%x, %y]
    : type, type`

    Constraints:
    * `cooperative_matrix_store_c1`: order(dest) = 2
    * `cooperative_matrix_store_c2`: component_type(matrix) = element_type(dest)

    ```mlir
    tinytc.func @example(%M: !tinytc.memref<64x64xf32>, %x: index, %y: index) {
      tinytc.parallel {
        %c = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<8x8xf32, matrix_acc>
        tinytc.cooperative_matrix_store both_checked atomic_add %c, %M[%x, %y]
          : !tinytc.coopmatrix<8x8xf32, matrix_acc>, !tinytc.memref<64x64xf32>
      }
    }
    ```

    Source: tensor language reference, cooperative matrix store.
  }];
  let arguments = (ins
    Arg<DefaultValuedAttr<TinyTC_TransposeAttr, "::mlir::tinytc::Transpose::N">,
        "t writes the transpose">:$transpose,
    Arg<DefaultValuedAttr<TinyTC_CheckedAttr, "::mlir::tinytc::Checked::None">,
        "modes of the matrix with a bounds check">:$checked,
    Arg<DefaultValuedAttr<TinyTC_StoreFlagAttr,
                          "::mlir::tinytc::StoreFlag::Regular">,
        "how components are written">:$flag,
    Arg<TinyTC_CoopMatrix, "A, of any use">:$matrix,
    Arg<TinyTC_Memref, "matrix M", [MemWrite]>:$dest,
    Arg<Index, "first row in M">:$x, Arg<Index, "first column in M">:$y);
  let assemblyFormat = [{
    `` custom<OptionalTranspose>($transpose) `` custom<OptionalChecked>($checked) ``
    custom<OptionalStoreFlag>($flag) $matrix `,` $dest `[` $x `,` $y `]` attr-dict `:` qualified(type($matrix)) `,`
    qualified(type($dest))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Subgroup operations
//===----------------------------------------------------------------------===//

/// Read by ops that use the values of other work-items: nothing may move such an op to
/// where other work-items are active, so it is neither speculatable nor free of
/// effects.
def TinyTC_Convergence : Resource<"::mlir::tinytc::ConvergenceResource">;

def TinyTC_SubgroupBroadcastOp : TinyTC_SpmdOp<"subgroup_broadcast", [
    MemoryEffects<[MemRead<TinyTC_Convergence>]>,
    /*subgroup_broadcast_c1*/ AllTypesMatch<["a", "result"]>]> {
  let summary = "value of one work-item, broadcast to its subgroup";
  let description = [{
    Returns the value of a in the work-item with the subgroup local id `lane`.

    Execution: SPMD; lane must be dynamically uniform, else the behaviour is undefined.

    Syntax: `%result = tinytc.subgroup_broadcast %a, %lane : type`, the type of a

    Constraints:
    * `subgroup_broadcast_c1`: type(result) = type(a)
    * `subgroup_broadcast_c2`: lane has type i32

    ```mlir
    tinytc.func @example(%a: f32, %lane: i32) {
      tinytc.parallel {
        %0 = tinytc.subgroup_broadcast %a, %lane : f32
      }
    }
    ```

    Source: tensor language reference, subgroup broadcast.
  }];
  let arguments = (ins TinyTC_Scalar:$a, /*subgroup_broadcast_c2*/
                       Arg<I32, "subgroup local id">:$lane);
  let results = (outs TinyTC_Scalar:$result);
  let assemblyFormat = "$a `,` $lane attr-dict `:` qualified(type($a))";
}

class TinyTC_SubgroupOp<string word, TypeConstraint allowed, string sentence>
    : TinyTC_SpmdOp<"subgroup_" # word, [
        MemoryEffects<[MemRead<TinyTC_Convergence>]>,
        /*subgroup_operation_c1*/ SameOperandsAndResultType]> {
  let description = "\n    " # sentence # [{ Work-item i gets x_0 o ... o x_{i-1} for
    `exclusive_scan`, x_0 o ... o x_i for `inclusive_scan`, and x_0 o ... o x_{n-1} for
    `reduce`.

    Execution: SPMD.

    Syntax: `%result = tinytc.subgroup_}] # word # [{
    (exclusive_scan|inclusive_scan|reduce) %a : type`

    Constraints:
    * `subgroup_operation_c1`: operand and result have the same type
    * `subgroup_operation_c2`: the type is }] # allowed.summary # [{

    ```mlir
    tinytc.func @example(%a: f32) {
      tinytc.parallel {
        %0 = tinytc.subgroup_}] # word # [{ reduce %a : f32
      }
    }
    ```

    Source: tensor language reference, subgroup }] # word # [{.
  }];
  let arguments = (ins Arg<TinyTC_GroupOperationAttr, "scan or reduction">:$mode,
                       /*subgroup_operation_c2*/ allowed:$a);
  let results = (outs allowed:$result);
  let assemblyFormat = "`` $mode $a attr-dict `:` qualified(type($a))";
}

def TinyTC_SubgroupAddOp : TinyTC_SubgroupOp<"add", TinyTC_Scalar,
    "Combines the values x_i of the work-items with o = +; the identity is 0."> {
  let summary = "sum over the subgroup";
}
def TinyTC_SubgroupMaxOp : TinyTC_SubgroupOp<"max", TinyTC_Real,
    "Combines the values x_i of the work-items with o = max, that of `tinytc.arith.max`; "
    "the identity is -inf, or the smallest integer."> {
  let summary = "maximum over the subgroup";
}
def TinyTC_SubgroupMinOp : TinyTC_SubgroupOp<"min", TinyTC_Real,
    "Combines the values x_i of the work-items with o = min, that of `tinytc.arith.min`; "
    "the identity is +inf, or the largest integer."> {
  let summary = "minimum over the subgroup";
}

#endif // TINYTC_SPMDOPS_TD
