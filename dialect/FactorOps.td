//===- FactorOps.td - Factorisations and solves ---------------*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Collective instructions that factor one matrix in place, and what is computed with
// its factors. tinytc-expand-factorizations makes loops and products of them.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_FACTOROPS_TD
#define TINYTC_FACTOROPS_TD

def TinyTC_Field : AnyTypeOf<[F32, F64, Complex<F32>, Complex<F64>]>;

/// A memref with elements of a type and one of the orders.
class TinyTC_MemrefOf<TypeConstraint element, string orders, string summary>
    : Type<And<[TinyTC_Memref.predicate,
                SubstLeaves<"$_self",
                  "::llvm::cast<::mlir::tinytc::MemrefType>($_self).getElementType()",
                  element.predicate>,
                CPred<"::llvm::is_contained<int64_t>({" # orders # "}, "
                  "::llvm::cast<::mlir::tinytc::MemrefType>($_self).getOrder())">]>,
           summary, "::mlir::tinytc::MemrefType">;

def TinyTC_FieldMatrix
    : TinyTC_MemrefOf<TinyTC_Field, "2", "matrix of f32, f64, c32 or c64">;
def TinyTC_FieldVectorOrMatrix
    : TinyTC_MemrefOf<TinyTC_Field, "1, 2", "vector or matrix of f32, f64, c32 or c64">;
def TinyTC_FieldVector
    : TinyTC_MemrefOf<TinyTC_Field, "1", "vector of f32, f64, c32 or c64">;
def TinyTC_RealVector : TinyTC_MemrefOf<AnyTypeOf<[F32, F64]>, "1", "vector of f32 or f64">;
def TinyTC_Pivots : TinyTC_MemrefOf<I32, "1", "vector of i32">;
def TinyTC_Info : TinyTC_MemrefOf<I32, "0", "memref of order 0 of i32">;

/// Uses all elements of its operands, as far as they belong to the triangles that it
/// names.
def TinyTC_Factorization : NativeOpTrait<"FactorizationTrait"> {
  let cppNamespace = "::mlir::tinytc";
}

class TinyTC_FactorOp<string mnemonic, dag operands, string format,
                      list<Trait> traits = []>
    : TinyTC_CollectiveOp<mnemonic, !listconcat([TinyTC_Factorization], traits)> {
  let arguments = operands;
  let assemblyFormat = format;
  let hasVerifier = 1;
}


/* cholesky_c1, cholesky_c3 */
def TinyTC_CholeskyOp : TinyTC_FactorOp<"cholesky",
    (ins Arg<TinyTC_TriangleAttr, "which triangle is used">:$triangle,
      Arg<TinyTC_FieldMatrix, "M x M, becomes its factor", [MemRead, MemWrite]>:$a,
      Arg<Optional<TinyTC_Info>, "0, or the 1-based place of the first pivot that is not positive", [MemWrite]>:$info),
    "`` $triangle $a (`,` $info^)? attr-dict"
    "`:` qualified(type($a)) (`,` qualified(type($info))^)?"> {
  let summary = "factor of a Hermitian matrix by Cholesky's method";
  let description = [{
    A = L L^H with a lower triangle L for `l`, and A = U^H U with an upper triangle U for
    `u`; the factor takes the place of that triangle of A. The other triangle is neither
    read nor written, and neither are imaginary parts on the diagonal read.

    If a pivot is not positive, which includes NaN, all elements of the factor from its
    column on (with `u`, from its row on) are NaN. `info` becomes the place of the first
    such pivot, counted from 1, or 0.

    Execution: collective. Reads and writes a, writes info.

    Syntax: `tinytc.cholesky (l|u) %a [, %info] : types`

    Constraints:
    * `cholesky_c1`: a is a matrix of f32, f64, c32 or c64
    * `cholesky_c2`: a is square
    * `cholesky_c3`: info is a memref of order 0 of i32

    ```mlir
    tinytc.func @example(%A: !tinytc.memref<16x16xf64>, %info: !tinytc.memref<i32>) {
      tinytc.cholesky l %A, %info : !tinytc.memref<16x16xf64>, !tinytc.memref<i32>
    }
    ```

    Source: tensor language reference has none; it is an extension.
  }];
}

/* lu_c1, lu_c3, lu_c5 */
def TinyTC_LuOp : TinyTC_FactorOp<"lu",
    (ins Arg<TinyTC_FieldMatrix, "M x N, becomes its factors", [MemRead, MemWrite]>:$a,
      Arg<Optional<TinyTC_Pivots>, "the row that each row is swapped with", [MemWrite]>:$piv,
      Arg<Optional<TinyTC_Info>, "0, or the 1-based place of the first pivot that is 0", [MemWrite]>:$info),
    "$a (`,` $piv^)? (`,` $info^)? attr-dict"
    "`:` qualified(type($a)) (`,` qualified(type($piv))^)? (`,` qualified(type($info))^)?", [AttrSizedOperandSegments]> {
  let summary = "LU factors of a matrix";
  let description = [{
    P A = L U with a lower triangle L, whose diagonal is 1 and is not stored, and an upper
    triangle U. Both take the place of A. As in LAPACK, row j of A is swapped with row
    piv(j), counted from 1, for j = 1, 2, ...: the one of the rows from j on whose element
    in column j is largest by |re| + |im|, the first of several; NaN is the smallest.
    Without `piv`, no rows are swapped: A = L U.

    If a pivot is 0, the column is divided by it all the same. `info` becomes the place of
    the first such pivot, counted from 1, or 0.

    Execution: collective. Reads and writes a, writes piv and info.

    Syntax: `tinytc.lu %a [, %piv [, %info]] : types`

    Constraints:
    * `lu_c1`: a is a matrix of f32, f64, c32 or c64
    * `lu_c2`: piv has min(M, N) elements
    * `lu_c3`: piv is a vector of i32
    * `lu_c4`: info is only given with piv
    * `lu_c5`: info is a memref of order 0 of i32

    ```mlir
    tinytc.func @example(%A: !tinytc.memref<16x16xf64>, %piv: !tinytc.memref<16xi32>) {
      tinytc.lu %A, %piv : !tinytc.memref<16x16xf64>, !tinytc.memref<16xi32>
    }
    ```

    Source: tensor language reference has none; it is an extension.
  }];
}

/// What is computed with op(A) for a triangle A.
class TinyTC_TriangularOp<string mnemonic> : TinyTC_FactorOp<mnemonic,
    (ins Arg<UnitAttr, "whether op(A) comes after B">:$right,
      Arg<TinyTC_TriangleAttr, "which triangle of a is used">:$triangle,
      Arg<TinyTC_TensorFormAttr, "op, applied to a">:$transpose,
      Arg<UnitAttr, "whether the diagonal of a is 1">:$unit,
      TinyTC_Scalar:$alpha,
      Arg<TinyTC_FieldMatrix, "triangle", [MemRead]>:$a,
      Arg<TinyTC_FieldVectorOrMatrix, "M vector or M x N matrix, updated",
          [MemRead, MemWrite]>:$b),
    "(`right` $right^)? `` $triangle `` $transpose (`unit` $unit^)? $alpha `,` $a `,` $b attr-dict"
    "`:` qualified(type($alpha)) `,` qualified(type($a)) `,` qualified(type($b))">;

/* trsm_c1, trsm_c3 */
def TinyTC_TrsmOp : TinyTC_TriangularOp<"trsm"> {
  let summary = "solve with a triangular matrix";
  let description = [{
    B := alpha op(A)^-1 B, or B := alpha B op(A)^-1 with `right`, where A is the lower
    triangle for `l` and the upper one for `u`, and op(A) is A if the modifier is `n`, the
    transpose of A if it is `t`, the conjugate if it is `r`, and both if it is `c`. With
    `unit`, the diagonal of A is 1. What is not part of the triangle, and the diagonal with
    `unit`, is not read.

    Execution: collective. Reads a and b, writes b.

    Syntax: `tinytc.trsm [right] (l|u) (n|t|c|r) [unit] %alpha, %a, %b : types`

    Constraints:
    * `trsm_c1`: a is a matrix of f32, f64, c32 or c64
    * `trsm_c2`: a is square
    * `trsm_c3`: b is a vector or matrix of f32, f64, c32 or c64
    * `trsm_c4`: b is a matrix with `right`
    * `trsm_c5`: the rows of b, with `right` its columns, are as many as those of a
    * `trsm_c6`: element_type(a) = element_type(b)
    * `trsm_c7`: type(alpha) <= element_type(b)
    * `trsm_c8`: b does not overlap a

    ```mlir
    tinytc.func @example(%alpha: f32, %A: !tinytc.memref<16x16xf32>,
                         %B: !tinytc.memref<16x8xf32>) {
      tinytc.trsm l n %alpha, %A, %B
        : f32, !tinytc.memref<16x16xf32>, !tinytc.memref<16x8xf32>
    }
    ```

    Source: tensor language reference has none; it is an extension.
  }];
}

/* trmm_c1, trmm_c3 */
def TinyTC_TrmmOp : TinyTC_TriangularOp<"trmm"> {
  let summary = "product with a triangular matrix";
  let description = [{
    B := alpha op(A) B, or B := alpha B op(A) with `right`, where A is the lower triangle
    for `l` and the upper one for `u`, and op(A) is A if the modifier is `n`, the transpose
    of A if it is `t`, the conjugate if it is `r`, and both if it is `c`. With `unit`, the
    diagonal of A is 1. What is not part of the triangle, and the diagonal with `unit`, is
    not read.

    Execution: collective. Reads a and b, writes b.

    Syntax: `tinytc.trmm [right] (l|u) (n|t|c|r) [unit] %alpha, %a, %b : types`

    Constraints:
    * `trmm_c1`: a is a matrix of f32, f64, c32 or c64
    * `trmm_c2`: a is square
    * `trmm_c3`: b is a vector or matrix of f32, f64, c32 or c64
    * `trmm_c4`: b is a matrix with `right`
    * `trmm_c5`: the rows of b, with `right` its columns, are as many as those of a
    * `trmm_c6`: element_type(a) = element_type(b)
    * `trmm_c7`: type(alpha) <= element_type(b)
    * `trmm_c8`: b does not overlap a

    ```mlir
    tinytc.func @example(%alpha: f32, %A: !tinytc.memref<16x16xf32>,
                         %B: !tinytc.memref<16x8xf32>) {
      tinytc.trmm u t %alpha, %A, %B
        : f32, !tinytc.memref<16x16xf32>, !tinytc.memref<16x8xf32>
    }
    ```

    Source: tensor language reference has none; it is an extension.
  }];
}

/* swap_rows_c1, swap_rows_c2 */
def TinyTC_SwapRowsOp : TinyTC_FactorOp<"swap_rows",
    (ins Arg<UnitAttr, "whether the last swap is first">:$reverse,
      Arg<TinyTC_Pivots, "the row that each row is swapped with", [MemRead]>:$piv,
      Arg<TinyTC_FieldVectorOrMatrix, "vector or matrix, updated",
          [MemRead, MemWrite]>:$b),
    "(`reverse` $reverse^)? $piv `,` $b attr-dict"
    "`:` qualified(type($piv)) `,` qualified(type($b))"> {
  let summary = "swaps of rows";
  let description = [{
    Swaps row j of B with row piv(j), counted from 1, for j = 1, 2, ...: B := P B with the
    pivots of `lu`. With `reverse`, the last swap is the first one: B := P^T B.

    Execution: collective. Reads piv and b, writes b.

    Syntax: `tinytc.swap_rows [reverse] %piv, %b : types`

    Constraints:
    * `swap_rows_c1`: piv is a vector of i32
    * `swap_rows_c2`: b is a vector or matrix of f32, f64, c32 or c64
    * `swap_rows_c3`: piv has at most as many elements as b has rows

    ```mlir
    tinytc.func @example(%piv: !tinytc.memref<16xi32>, %B: !tinytc.memref<16x8xf32>) {
      tinytc.swap_rows %piv, %B : !tinytc.memref<16xi32>, !tinytc.memref<16x8xf32>
    }
    ```

    Source: tensor language reference has none; it is an extension.
  }];
}

/* syrk_c1, syrk_c2 */
def TinyTC_SyrkOp : TinyTC_FactorOp<"syrk",
    (ins Arg<TinyTC_TriangleAttr, "which triangle of c is updated">:$triangle,
      Arg<TinyTC_TensorFormAttr, "op, applied to a">:$transpose,
      Arg<UnitAttr, "update atomically">:$atomic,
      TinyTC_Scalar:$alpha,
      Arg<TinyTC_FieldMatrix, "op(a) is M x K", [MemRead]>:$a,
      TinyTC_Scalar:$beta,
      Arg<TinyTC_FieldMatrix, "M x M, updated", [MemRead, MemWrite]>:$c),
    "`` $triangle `` $transpose (`atomic` $atomic^)? $alpha `,` $a `,` $beta `,` $c attr-dict"
    "`:` qualified(type($alpha)) `,` qualified(type($a)) `,` qualified(type($beta)) `,`"
    "qualified(type($c))"> {
  let summary = "product of a matrix and its adjoint, one triangle";
  let description = [{
    C := alpha op(A) op(A)^H + beta C in the lower triangle of C for `l` and in the upper one
    for `u`, where op(A) is A if the modifier is `n`, the transpose of A if it is `t`, the
    conjugate if it is `r`, and both if it is `c`. The other triangle is neither read nor
    written. C is not read where beta is 0.

    Execution: collective. Reads a and c, writes c; with `atomic`, c is updated
    atomically.

    Syntax: `tinytc.syrk (l|u) (n|t|c|r) [atomic] %alpha, %a, %beta, %c : types`

    Constraints:
    * `syrk_c1`: a is a matrix of f32, f64, c32 or c64
    * `syrk_c2`: c is a matrix of f32, f64, c32 or c64
    * `syrk_c3`: c is square
    * `syrk_c4`: rows(c) = rows(op(a))
    * `syrk_c5`: element_type(a) = element_type(c)
    * `syrk_c6`: type(alpha) <= element_type(c)
    * `syrk_c7`: type(beta) <= element_type(c)
    * `syrk_c8`: with `atomic`, beta is a constant 0 or 1
    * `syrk_c9`: c does not overlap a

    ```mlir
    tinytc.func @example(%alpha: f32, %A: !tinytc.memref<16x8xf32>, %beta: f32,
                         %C: !tinytc.memref<16x16xf32>) {
      tinytc.syrk l n %alpha, %A, %beta, %C
        : f32, !tinytc.memref<16x8xf32>, f32, !tinytc.memref<16x16xf32>
    }
    ```

    Source: tensor language reference has none; it is an extension.
  }];
}

/* solve_spd_c1, solve_spd_c3, solve_spd_c7 */
def TinyTC_SolveSpdOp : TinyTC_FactorOp<"solve.spd",
    (ins Arg<TinyTC_TriangleAttr, "which triangle of a is used">:$triangle,
      Arg<TinyTC_FieldMatrix, "M x M, becomes its factor", [MemRead, MemWrite]>:$a,
      Arg<TinyTC_FieldVectorOrMatrix, "M vector or M x N matrix, updated",
          [MemRead, MemWrite]>:$b,
      Arg<Optional<TinyTC_Info>, "0, or the 1-based place of the first pivot that is not positive", [MemWrite]>:$info),
    "`` $triangle $a `,` $b (`,` $info^)? attr-dict"
    "`:` qualified(type($a)) `,` qualified(type($b)) (`,` qualified(type($info))^)?"> {
  let summary = "solve with a positive definite matrix";
  let description = [{
    B := A^-1 B with the Cholesky factor of A, which takes the place of the lower triangle of
    A for `l` and of the upper one for `u`, as `cholesky` computes it.

    Execution: collective. Reads and writes a and b, writes info.

    Syntax: `tinytc.solve.spd (l|u) %a, %b [, %info] : types`

    Constraints:
    * `solve_spd_c1`: a is a matrix of f32, f64, c32 or c64
    * `solve_spd_c2`: a is square
    * `solve_spd_c3`: b is a vector or matrix of f32, f64, c32 or c64
    * `solve_spd_c4`: rows(b) = rows(a)
    * `solve_spd_c5`: element_type(a) = element_type(b)
    * `solve_spd_c6`: b does not overlap a
    * `solve_spd_c7`: info is a memref of order 0 of i32

    ```mlir
    tinytc.func @example(%A: !tinytc.memref<16x16xf32>, %b: !tinytc.memref<16xf32>) {
      tinytc.solve.spd l %A, %b : !tinytc.memref<16x16xf32>, !tinytc.memref<16xf32>
    }
    ```

    Source: tensor language reference has none; it is an extension.
  }];
}

/* solve_lu_c1, solve_lu_c3, solve_lu_c5, solve_lu_c9 */
def TinyTC_SolveLuOp : TinyTC_FactorOp<"solve.lu",
    (ins Arg<TinyTC_FieldMatrix, "M x M, becomes its factors", [MemRead, MemWrite]>:$a,
      Arg<TinyTC_Pivots, "the row that each row is swapped with",
          [MemRead, MemWrite]>:$piv,
      Arg<TinyTC_FieldVectorOrMatrix, "M vector or M x N matrix, updated",
          [MemRead, MemWrite]>:$b,
      Arg<Optional<TinyTC_Info>, "0, or the 1-based place of the first pivot that is 0", [MemWrite]>:$info),
    "$a `,` $piv `,` $b (`,` $info^)? attr-dict `:` qualified(type($a)) `,`"
    "qualified(type($piv)) `,` qualified(type($b)) (`,` qualified(type($info))^)?"> {
  let summary = "solve with a square matrix";
  let description = [{
    B := A^-1 B with the LU factors of A, which take its place, as `lu` computes them.

    Execution: collective. Reads and writes a, piv and b, writes info.

    Syntax: `tinytc.solve.lu %a, %piv, %b [, %info] : types`

    Constraints:
    * `solve_lu_c1`: a is a matrix of f32, f64, c32 or c64
    * `solve_lu_c2`: a is square
    * `solve_lu_c3`: piv is a vector of i32
    * `solve_lu_c4`: piv has as many elements as a has rows
    * `solve_lu_c5`: b is a vector or matrix of f32, f64, c32 or c64
    * `solve_lu_c6`: rows(b) = rows(a)
    * `solve_lu_c7`: element_type(a) = element_type(b)
    * `solve_lu_c8`: b does not overlap a
    * `solve_lu_c9`: info is a memref of order 0 of i32

    ```mlir
    tinytc.func @example(%A: !tinytc.memref<16x16xf32>, %piv: !tinytc.memref<16xi32>,
                         %B: !tinytc.memref<16x2xf32>) {
      tinytc.solve.lu %A, %piv, %B
        : !tinytc.memref<16x16xf32>, !tinytc.memref<16xi32>, !tinytc.memref<16x2xf32>
    }
    ```

    Source: tensor language reference has none; it is an extension.
  }];
}

/* qr_c1, qr_c2 */
def TinyTC_QrOp : TinyTC_FactorOp<"qr",
    (ins Arg<TinyTC_FieldMatrix, "M x N, becomes its factors", [MemRead, MemWrite]>:$a,
      Arg<TinyTC_FieldVector, "the factors of the reflections", [MemWrite]>:$tau),
    "$a `,` $tau attr-dict `:` qualified(type($a)) `,` qualified(type($tau))"> {
  let summary = "QR factors of a matrix by Householder's reflections";
  let description = [{
    A = Q R with a unitary Q and an upper triangle (or trapezoid) R, which takes the place
    of that part of A. As LAPACK's geqrf stores it, Q is the product H_1 H_2 ... of K =
    min(M, N) reflections H_j = I - tau_j v_j v_j^H, where v_j is 0 in the rows before j, 1
    in row j, and in the rows after it what column j of A becomes. The diagonal of R is
    real, and its sign is opposite to that of the element that it replaces. H_j is I, and
    tau_j 0, if the rows after j are 0, and row j is real.

    Execution: collective. Reads and writes a, writes tau.

    Syntax: `tinytc.qr %a, %tau : types`

    Constraints:
    * `qr_c1`: a is a matrix of f32, f64, c32 or c64
    * `qr_c2`: tau is a vector of f32, f64, c32 or c64
    * `qr_c3`: tau has min(M, N) elements
    * `qr_c4`: element_type(a) = element_type(tau)
    * `qr_c5`: tau does not overlap a

    ```mlir
    tinytc.func @example(%A: !tinytc.memref<16x8xf64>, %tau: !tinytc.memref<8xf64>) {
      tinytc.qr %A, %tau : !tinytc.memref<16x8xf64>, !tinytc.memref<8xf64>
    }
    ```

    Source: tensor language reference has none; it is an extension.
  }];
}

/* apply_q_c1, apply_q_c2, apply_q_c5 */
def TinyTC_ApplyQOp : TinyTC_FactorOp<"apply_q",
    (ins Arg<UnitAttr, "whether op(Q) comes after B">:$right,
      Arg<TinyTC_TensorFormAttr, "op, applied to Q">:$transpose,
      Arg<TinyTC_FieldMatrix, "factors as of qr", [MemRead]>:$a,
      Arg<TinyTC_FieldVector, "the factors of the reflections", [MemRead]>:$tau,
      Arg<TinyTC_FieldVectorOrMatrix, "M vector or M x N matrix, updated",
          [MemRead, MemWrite]>:$b),
    "(`right` $right^)? `` $transpose $a `,` $tau `,` $b attr-dict"
    "`:` qualified(type($a)) `,` qualified(type($tau)) `,` qualified(type($b))"> {
  let summary = "product with the unitary factor of a QR factorisation";
  let description = [{
    B := op(Q) B, or B := B op(Q) with `right`, where Q is the M x M unitary factor that
    `qr` has left in a and tau, and op(Q) is Q if the modifier is `n`, the transpose of Q
    if it is `t`, the conjugate if it is `r`, and both if it is `c`. The upper triangle of
    a is not read.

    Execution: collective. Reads a, tau and b, writes b.

    Syntax: `tinytc.apply_q [right] (n|t|c|r) %a, %tau, %b : types`

    Constraints:
    * `apply_q_c1`: a is a matrix of f32, f64, c32 or c64
    * `apply_q_c2`: tau is a vector of f32, f64, c32 or c64
    * `apply_q_c3`: tau has as many elements as the smaller size of a
    * `apply_q_c4`: element_type(a) = element_type(tau)
    * `apply_q_c5`: b is a vector or matrix of f32, f64, c32 or c64
    * `apply_q_c6`: b is a matrix with `right`
    * `apply_q_c7`: the rows of b, with `right` its columns, are as many as those of a
    * `apply_q_c8`: element_type(a) = element_type(b)
    * `apply_q_c9`: b does not overlap a
    * `apply_q_c10`: b does not overlap tau

    ```mlir
    tinytc.func @example(%A: !tinytc.memref<16x8xf64>, %tau: !tinytc.memref<8xf64>,
                         %b: !tinytc.memref<16xf64>) {
      tinytc.apply_q c %A, %tau, %b
        : !tinytc.memref<16x8xf64>, !tinytc.memref<8xf64>, !tinytc.memref<16xf64>
    }
    ```

    Source: tensor language reference has none; it is an extension.
  }];
}

/* eigh_c1, eigh_c3, eigh_c7 */
def TinyTC_EighOp : TinyTC_FactorOp<"eigh",
    (ins Arg<TinyTC_TriangleAttr, "which triangle of a is used">:$triangle,
      Arg<TinyTC_FieldMatrix, "M x M, becomes its eigenvectors", [MemRead, MemWrite]>:$a,
      Arg<TinyTC_RealVector, "the eigenvalues in rising order", [MemWrite]>:$w,
      Arg<Optional<TinyTC_Info>, "0, or 1 if the eigenvalues did not converge", [MemWrite]>:$info),
    "`` $triangle $a `,` $w (`,` $info^)? attr-dict"
    "`:` qualified(type($a)) `,` qualified(type($w)) (`,` qualified(type($info))^)?"> {
  let summary = "eigenvalues and eigenvectors of a Hermitian matrix";
  let description = [{
    A V = V diag(w) for the Hermitian A whose lower triangle for `l`, and whose upper one
    for `u`, is given. The unitary matrix V takes the place of all of A, and w has the
    eigenvalues in rising order. The other triangle of A is not read, and neither are
    imaginary parts on the diagonal. Of each column of V, the first element whose modulus
    is at least 0.7 of the largest one's is real and positive.

    Rotations of Jacobi's method, pairs of rows and columns that are apart at a time,
    reduce what is not on the diagonal until each is a rounding error, or 30 times. Then
    `info` becomes 0 or 1. If an element is NaN or infinite, all results are NaN, and
    `info` is 1.

    Execution: collective. Reads and writes a, writes w and info.

    Syntax: `tinytc.eigh (l|u) %a, %w [, %info] : types`

    Constraints:
    * `eigh_c1`: a is a matrix of f32, f64, c32 or c64
    * `eigh_c2`: a is square
    * `eigh_c3`: w is a vector of f32 or f64
    * `eigh_c4`: w has as many elements as a has rows
    * `eigh_c5`: the elements of w are as the real parts of those of a
    * `eigh_c6`: a has at most 64 rows
    * `eigh_c7`: info is a memref of order 0 of i32
    * `eigh_c8`: w does not overlap a

    ```mlir
    tinytc.func @example(%A: !tinytc.memref<16x16xcomplex<f64>>,
                         %w: !tinytc.memref<16xf64>) {
      tinytc.eigh l %A, %w : !tinytc.memref<16x16xcomplex<f64>>, !tinytc.memref<16xf64>
    }
    ```

    Source: tensor language reference has none; it is an extension.
  }];
}

#endif // TINYTC_FACTOROPS_TD
