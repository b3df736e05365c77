//===- BlasOps.td - BLAS-like instructions ---------------------*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Collective instructions on whole tensors: an expression of one or two tensors is
// written to the last operand, or added to it.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_BLASOPS_TD
#define TINYTC_BLASOPS_TD

/// dest := alpha P + beta dest. The rules on types and on atomic updates, which a comment
/// at each instruction names, are those of the interface.
class TinyTC_BlasOp<string mnemonic, dag modifiers, dag operands>
    : TinyTC_CollectiveOp<mnemonic, [TinyTC_BlasOpInterface]> {
  let arguments = !con(modifiers,
    (ins Arg<UnitAttr, "update atomically">:$atomic), operands);
  code declarations = [{
    ::llvm::SmallVector<::mlir::tinytc::BlasFactor, 2> getFactors();
    ::llvm::LogicalResult verifyShapes();
  }];
}

class TinyTC_BinaryBlasOp<string mnemonic, dag modifiers, dag operands, string format>
    : TinyTC_BlasOp<mnemonic, modifiers, operands> {
  let assemblyFormat = format # [{
    attr-dict `:` qualified(type($alpha)) `,` qualified(type($a)) `,`
    qualified(type($beta)) `,` qualified(type($b))
  }];
  let extraClassDeclaration = declarations # [{
    ::mlir::OpOperand &getDestinationMutable() { return getBMutable(); }
  }];
}

class TinyTC_TernaryBlasOp<string mnemonic, dag modifiers, dag operands, string format>
    : TinyTC_BlasOp<mnemonic, modifiers, operands> {
  let assemblyFormat = format # [{
    (`atomic` $atomic^)? $alpha `,` $a `,` $b `,` $beta `,` $c attr-dict
    `:` qualified(type($alpha)) `,` qualified(type($a)) `,` qualified(type($b)) `,`
    qualified(type($beta)) `,` qualified(type($c))
  }];
  let extraClassDeclaration = declarations # [{
    ::mlir::OpOperand &getDestinationMutable() { return getCMutable(); }
  }];
}

/* axpby_c3, axpby_c4, axpby_c5, axpby_c6 */
def TinyTC_AxpbyOp : TinyTC_BinaryBlasOp<"axpby",
    (ins Arg<TinyTC_TensorFormAttr, "op, applied to a">:$transpose),
    (ins TinyTC_Scalar:$alpha,
      Arg<TinyTC_Memref, "op(a) has the shape of b", [MemRead]>:$a,
      TinyTC_Scalar:$beta,
      Arg<TinyTC_Memref, "scalar, M vector or M x N matrix, updated",
          [MemRead, MemWrite]>:$b),
    "`` $transpose (`atomic` $atomic^)? $alpha `,` $a `,` $beta `,` $b "> {
  let summary = "scaled sum of vectors or matrices";
  let description = [{
    B := alpha op(A) + beta B, where op(A) is A if the modifier is `n`, the transpose of a
    matrix A if it is `t`, the conjugate if it is `r`, and both if it is `c`. B is not
    read where beta is 0.

    Execution: collective. Reads a and b, writes b; with `atomic`, b is updated
    atomically.

    Syntax: `tinytc.axpby (n|t|c|r) [atomic] %alpha, %a, %beta, %b : types`

    Constraints:
    * `axpby_c1`: shape(b) = shape(op(a))
    * `axpby_c2`: order(b) is 0, 1 or 2
    * `axpby_c3`: type(alpha) <= element_type(a) <= element_type(b)
    * `axpby_c4`: type(beta) <= element_type(b)
    * `axpby_c5`: with `atomic`, beta is a constant 0 or 1
    * `axpby_c6`: b does not overlap a;
      with `n` or `r`, they may be the same view

    ```mlir
    tinytc.func @example(%alpha: f32, %A: !tinytc.memref<8x16xf32>,
                         %beta: f64, %B: !tinytc.memref<16x8xf64>) {
      tinytc.axpby t %alpha, %A, %beta, %B
        : f32, !tinytc.memref<8x16xf32>, f64, !tinytc.memref<16x8xf64>
    }
    ```

    Source: tensor language reference, axpby; `r` and `c` are extensions.
  }];
}

/* cumsum_c4, cumsum_c5, cumsum_c6, cumsum_c7 */
def TinyTC_CumsumOp : TinyTC_BinaryBlasOp<"cumsum",
    (ins Arg<UnitAttr, "sum from the end">:$reverse),
    (ins TinyTC_Scalar:$alpha,
      Arg<TinyTC_Memref, "tensor of order 1 or higher", [MemRead]>:$a,
      Arg<I64Attr, "mode to sum along, from 0">:$mode,
      TinyTC_Scalar:$beta,
      Arg<TinyTC_Memref, "tensor of the shape of a, updated",
          [MemRead, MemWrite]>:$b),
    "(`reverse` $reverse^)? (`atomic` $atomic^)? $alpha `,` $a `,` $mode `,` $beta `,` $b "> {
  let summary = "cumulative sum along one mode";
  let description = [{
    B(..., j, ...) := alpha (A(..., 0, ...) + ... + A(..., j, ...)) + beta B(..., j, ...)
    along the mode; with `reverse`, elements j to the last are added. B is not read where
    beta is 0.

    Execution: collective. Reads a and b, writes b; with `atomic`, b is updated
    atomically.

    Syntax: `tinytc.cumsum [reverse] [atomic] %alpha, %a, mode, %beta, %b : types`

    Constraints:
    * `cumsum_c1`: order(a) >= 1
    * `cumsum_c2`: 0 <= mode < order(a)
    * `cumsum_c3`: shape(b) = shape(a)
    * `cumsum_c4`: type(alpha) <= element_type(a) <= element_type(b)
    * `cumsum_c5`: type(beta) <= element_type(b)
    * `cumsum_c6`: with `atomic`, beta is a constant 0 or 1
    * `cumsum_c7`: b does not overlap a

    ```mlir
    tinytc.func @example(%alpha: f32, %A: !tinytc.memref<8x16x4xf32>, %beta: f32,
                         %B: !tinytc.memref<8x16x4xf32>) {
      tinytc.cumsum %alpha, %A, 1, %beta, %B
        : f32, !tinytc.memref<8x16x4xf32>, f32, !tinytc.memref<8x16x4xf32>
    }
    ```

    Source: tensor language reference, cumulative sum.
  }];
}

/* gemm_c5, gemm_c6, gemm_c7, gemm_c8 */
def TinyTC_GemmOp : TinyTC_TernaryBlasOp<"gemm",
    (ins Arg<TinyTC_TensorFormAttr, "op_1, applied to a">:$transpose_a,
      Arg<TinyTC_TensorFormAttr, "op_2, applied to b">:$transpose_b),
    (ins TinyTC_Scalar:$alpha,
      Arg<TinyTC_Memref, "op_1(a) is M x K", [MemRead]>:$a,
      Arg<TinyTC_Memref, "op_2(b) is K x N", [MemRead]>:$b,
      TinyTC_Scalar:$beta,
      Arg<TinyTC_Memref, "M x N, updated", [MemRead, MemWrite]>:$c),
    "`` $transpose_a `` $transpose_b "> {
  let summary = "general matrix-matrix product";
  let description = [{
    C := alpha op_1(A) op_2(B) + beta C, where op_i(X) is X if the i-th modifier is `n`,
    the transpose of X if it is `t`, the conjugate if it is `r`, and both if it is `c`. C
    is not read where beta is 0.

    Execution: collective. Reads a, b and c, writes c; with `atomic`, c is updated
    atomically.

    Syntax: `tinytc.gemm (n|t|c|r) (n|t|c|r) [atomic] %alpha, %a, %b, %beta, %c : types`

    Constraints:
    * `gemm_c1`: order(a) = order(b) = order(c) = 2
    * `gemm_c2`: columns(op_1(a)) = rows(op_2(b))
    * `gemm_c3`: rows(c) = rows(op_1(a))
    * `gemm_c4`: columns(c) = columns(op_2(b))
    * `gemm_c5`: type(alpha) <= promote(element_type(a), element_type(b)) <=
      element_type(c)
    * `gemm_c6`: type(beta) <= element_type(c)
    * `gemm_c7`: with `atomic`, beta is a constant 0 or 1
    * `gemm_c8`: c does not overlap a or b

    ```mlir
    tinytc.func @example(%alpha: f32, %A: !tinytc.memref<16x8xf32>,
                         %B: !tinytc.memref<4x8xf32>, %beta: f32,
                         %C: !tinytc.memref<16x4xf32>) {
      tinytc.gemm n t %alpha, %A, %B, %beta, %C
        : f32, !tinytc.memref<16x8xf32>, !tinytc.memref<4x8xf32>, f32,
          !tinytc.memref<16x4xf32>
    }
    ```

    Source: tensor language reference, gemm; `r` and `c` are extensions.
  }];
}

/* gemv_c5, gemv_c6, gemv_c7, gemv_c8 */
def TinyTC_GemvOp : TinyTC_TernaryBlasOp<"gemv",
    (ins Arg<TinyTC_TensorFormAttr, "op, applied to a">:$transpose_a),
    (ins TinyTC_Scalar:$alpha,
      Arg<TinyTC_Memref, "op(a) is M x K", [MemRead]>:$a,
      Arg<TinyTC_Memref, "K vector", [MemRead]>:$b,
      TinyTC_Scalar:$beta,
      Arg<TinyTC_Memref, "M vector, updated", [MemRead, MemWrite]>:$c),
    "`` $transpose_a "> {
  let summary = "general matrix-vector product";
  let description = [{
    c := alpha op(A) b + beta c, where op(A) is A if the modifier is `n`, the transpose of
    A if it is `t`, the conjugate if it is `r`, and both if it is `c`. c is not read where
    beta is 0.

    Execution: collective. Reads a, b and c, writes c; with `atomic`, c is updated
    atomically.

    Syntax: `tinytc.gemv (n|t|c|r) [atomic] %alpha, %a, %b, %beta, %c : types`

    Constraints:
    * `gemv_c1`: order(a) = 2
    * `gemv_c2`: order(b) = order(c) = 1
    * `gemv_c3`: columns(op(a)) = rows(b)
    * `gemv_c4`: rows(c) = rows(op(a))
    * `gemv_c5`: type(alpha) <= promote(element_type(a), element_type(b)) <=
      element_type(c)
    * `gemv_c6`: type(beta) <= element_type(c)
    * `gemv_c7`: with `atomic`, beta is a constant 0 or 1
    * `gemv_c8`: c does not overlap a or b

    ```mlir
    tinytc.func @example(%alpha: f32, %A: !tinytc.memref<16x8xf32>,
                         %b: !tinytc.memref<16xf32>, %beta: f32,
                         %c: !tinytc.memref<8xf32>) {
      tinytc.gemv t %alpha, %A, %b, %beta, %c
        : f32, !tinytc.memref<16x8xf32>, !tinytc.memref<16xf32>, f32,
          !tinytc.memref<8xf32>
    }
    ```

    Source: tensor language reference, gemv; `r` and `c` are extensions.
  }];
}

/* ger_c5, ger_c6, ger_c7, ger_c8 */
def TinyTC_GerOp : TinyTC_TernaryBlasOp<"ger", (ins),
    (ins TinyTC_Scalar:$alpha,
      Arg<TinyTC_Memref, "M vector", [MemRead]>:$a,
      Arg<TinyTC_Memref, "N vector", [MemRead]>:$b,
      TinyTC_Scalar:$beta,
      Arg<TinyTC_Memref, "M x N, updated", [MemRead, MemWrite]>:$c), ""> {
  let summary = "general rank-1 update";
  let description = [{
    C := alpha a b^T + beta C. C is not read where beta is 0.

    Execution: collective. Reads a, b and c, writes c; with `atomic`, c is updated
    atomically.

    Syntax: `tinytc.ger [atomic] %alpha, %a, %b, %beta, %c : types`

    Constraints:
    * `ger_c1`: order(a) = order(b) = 1
    * `ger_c2`: order(c) = 2
    * `ger_c3`: rows(c) = rows(a)
    * `ger_c4`: columns(c) = rows(b)
    * `ger_c5`: type(alpha) <= promote(element_type(a), element_type(b)) <=
      element_type(c)
    * `ger_c6`: type(beta) <= element_type(c)
    * `ger_c7`: with `atomic`, beta is a constant 0 or 1
    * `ger_c8`: c does not overlap a or b

    ```mlir
    tinytc.func @example(%alpha: f32, %a: !tinytc.memref<16xf32>,
                         %b: !tinytc.memref<8xf32>, %C: !tinytc.memref<16x8xf32>) {
      %one = tinytc.constant 1.0 : f32
      tinytc.ger atomic %alpha, %a, %b, %one, %C
        : f32, !tinytc.memref<16xf32>, !tinytc.memref<8xf32>, f32,
          !tinytc.memref<16x8xf32>
    }
    ```

    Source: tensor language reference, ger.
  }];
}

/* hadamard_product_c3, hadamard_product_c4, hadamard_product_c5, hadamard_product_c6 */
def TinyTC_HadamardProductOp : TinyTC_TernaryBlasOp<"hadamard_product", (ins),
    (ins TinyTC_Scalar:$alpha,
      Arg<TinyTC_Memref, "M vector or M x N matrix", [MemRead]>:$a,
      Arg<TinyTC_Memref, "shape of a", [MemRead]>:$b,
      TinyTC_Scalar:$beta,
      Arg<TinyTC_Memref, "shape of a, updated", [MemRead, MemWrite]>:$c), ""> {
  let summary = "element-wise product of vectors or matrices";
  let description = [{
    c_i := alpha a_i b_i + beta c_i for vectors, C_ij := alpha A_ij B_ij + beta C_ij for
    matrices. c is not read where beta is 0.

    Execution: collective. Reads a, b and c, writes c; with `atomic`, c is updated
    atomically.

    Syntax: `tinytc.hadamard_product [atomic] %alpha, %a, %b, %beta, %c : types`

    Constraints:
    * `hadamard_product_c1`: order(a) = order(b) = order(c) is 1 or 2
    * `hadamard_product_c2`: shape(a) = shape(b) = shape(c)
    * `hadamard_product_c3`: type(alpha) <= promote(element_type(a), element_type(b)) <=
      element_type(c)
    * `hadamard_product_c4`: type(beta) <= element_type(c)
    * `hadamard_product_c5`: with `atomic`, beta is a constant 0 or 1
    * `hadamard_product_c6`: c does not overlap a or b;
      they may be the same view

    ```mlir
    tinytc.func @example(%alpha: f32, %a: !tinytc.memref<16xf32>,
                         %b: !tinytc.memref<16xf32>, %beta: f32,
                         %c: !tinytc.memref<16xf32>) {
      tinytc.hadamard_product %alpha, %a, %b, %beta, %c
        : f32, !tinytc.memref<16xf32>, !tinytc.memref<16xf32>, f32,
          !tinytc.memref<16xf32>
    }
    ```

    Source: tensor language reference, Hadamard product.
  }];
}

/* sum_c4, sum_c5, sum_c6, sum_c7 */
def TinyTC_SumOp : TinyTC_BinaryBlasOp<"sum",
    (ins Arg<TinyTC_TensorFormAttr, "op, applied to a">:$transpose),
    (ins TinyTC_Scalar:$alpha,
      Arg<TinyTC_Memref, "K vector, or op(a) is M x K", [MemRead]>:$a,
      TinyTC_Scalar:$beta,
      Arg<TinyTC_Memref, "scalar, or M vector, updated", [MemRead, MemWrite]>:$b),
    "`` $transpose (`atomic` $atomic^)? $alpha `,` $a `,` $beta `,` $b "> {
  let summary = "sum of the rows, the columns or all elements";
  let description = [{
    b := alpha op(A) 1 + beta b for a vector b, and b := alpha <op(a), 1> + beta b for a
    scalar b, where op(A) is A if the modifier is `n`, the transpose of a matrix A if it
    is `t`, the conjugate if it is `r`, and both if it is `c`. b is not read where beta
    is 0.

    Execution: collective. Reads a and b, writes b; with `atomic`, b is updated
    atomically.

    Syntax: `tinytc.sum (n|t|c|r) [atomic] %alpha, %a, %beta, %b : types`

    Constraints:
    * `sum_c1`: order(b) is 0 or 1
    * `sum_c2`: order(a) = order(b) + 1
    * `sum_c3`: rows(b) = rows(op(a)) if order(b) = 1
    * `sum_c4`: type(alpha) <= element_type(a) <= element_type(b)
    * `sum_c5`: type(beta) <= element_type(b)
    * `sum_c6`: with `atomic`, beta is a constant 0 or 1
    * `sum_c7`: b does not overlap a

    ```mlir
    tinytc.func @example(%alpha: f32, %A: !tinytc.memref<16x8xf32>, %beta: f32,
                         %b: !tinytc.memref<16xf32>) {
      tinytc.sum n %alpha, %A, %beta, %b
        : f32, !tinytc.memref<16x8xf32>, f32, !tinytc.memref<16xf32>
    }
    ```

    Source: tensor language reference, sum; `r` and `c` are extensions.
  }];
}

#endif // TINYTC_BLASOPS_TD
