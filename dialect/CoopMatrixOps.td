//===- CoopMatrixOps.td - Components of cooperative matrices ---*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Instructions of version 0.4 on cooperative matrices: on the components that a
// work-item holds, reductions, and a hint. Loads, stores and products are in SpmdOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_COOPMATRIXOPS_TD
#define TINYTC_COOPMATRIXOPS_TD

def TinyTC_CooperativeMatrixApplyOp
    : TinyTC_SpmdOp<"cooperative_matrix_apply", [
        RecursiveMemoryEffects, RecursivelySpeculatable,
        SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "function applied to the components of cooperative matrices";
  let description = [{
    Returns the matrix of what the region yields for each component: it gets row and
    column, both from 0, and the component of each matrix. Each work-item runs it for the
    components of the result that it holds, one after the other in the order of its
    vector, and not for padding.

    Execution: SPMD; the matrices must be dynamically uniform, else the behaviour is
    undefined. The region is an SPMD region in which work-items diverge where some hold
    padding; memory effects are those of the region.

    Syntax: `%result = tinytc.cooperative_matrix_apply (%row, %column, %component, ...) =
    %matrix, ... : type, ... -> type { ... }`; the result's type is left out if it is
    that of the only matrix.

    Constraints:
    * `cooperative_matrix_apply_c1`: there are one or more matrices, which have the shape
      of the result, and its use or matrix_acc
    * `cooperative_matrix_apply_c2`: the region takes two values of type i32 and then one
      of the component type of each matrix
    * `cooperative_matrix_apply_c3`: the region yields one value of
      component_type(result)

    ```mlir
    tinytc.func @upper_triangle(%zero: f32) {
      tinytc.parallel {
        %m = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<16x8xf32, matrix_acc>
        %0 = tinytc.cooperative_matrix_apply (%i, %j, %x) = %m
            : !tinytc.coopmatrix<16x8xf32, matrix_acc> {
          %is_upper = tinytc.cmp.le %i, %j : i32
          %y = tinytc.if %is_upper -> (f32) {
            tinytc.yield %x : f32
          } else {
            tinytc.yield %zero : f32
          }
          tinytc.yield %y : f32
        }
      }
    }

    tinytc.func @round_sum(%half: f32) {
      tinytc.parallel {
        %a = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<16x8xf32, matrix_acc>
        %b = tinytc.constant 2 : i32 -> !tinytc.coopmatrix<16x8xi32, matrix_acc>
        %0 = tinytc.cooperative_matrix_apply (%i, %j, %x, %n) = %a, %b
            : !tinytc.coopmatrix<16x8xf32, matrix_acc>,
              !tinytc.coopmatrix<16x8xi32, matrix_acc>
            -> !tinytc.coopmatrix<16x8xi8, matrix_acc> {
          %m = tinytc.cast %x : f32 -> i32
          %sum = tinytc.arith.add %m, %n : i32
          %y = tinytc.cast %sum : i32 -> i8
          tinytc.yield %y : i8
        }
      }
    }
    ```

    Source: tensor language reference 0.5, cooperative matrix apply.
  }];
  let arguments = (ins Arg<Variadic<TinyTC_CoopMatrix>, "of any use">:$matrices);
  let results = (outs TinyTC_CoopMatrix:$result);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TinyTC_CooperativeMatrixConstructOp
    : TinyTC_SpmdOp<"cooperative_matrix_construct", [Pure]> {
  let summary = "cooperative matrix whose components are all equal";
  let description = [{
    Returns the matrix whose components are the scalar.

    Execution: SPMD; the scalar must be dynamically uniform, else the behaviour is
    undefined.

    Syntax: `%result = tinytc.cooperative_matrix_construct %scalar : type -> type`

    Constraints:
    * `cooperative_matrix_construct_c1`: type(scalar) = component_type(result)

    ```mlir
    tinytc.func @example(%x: f32) {
      tinytc.parallel {
        %0 = tinytc.cooperative_matrix_construct %x
          : f32 -> !tinytc.coopmatrix<8x16xf32, matrix_acc>
      }
    }
    ```

    Source: tensor language reference 0.4, cooperative matrix construct.
  }];
  let arguments = (ins TinyTC_Scalar:$scalar);
  let results = (outs Res<TinyTC_CoopMatrix, "of any use">:$result);
  let assemblyFormat = [{
    $scalar attr-dict `:` qualified(type($scalar)) `->` qualified(type($result))
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TinyTC_CooperativeMatrixExtractOp
    : TinyTC_SpmdOp<"cooperative_matrix_extract", [Pure, TinyTC_InferredResult]> {
  let summary = "component that the work-item holds";
  let description = [{
    Returns an entry of the vector of components that the work-item holds of the matrix;
    0 where the entry is padding. The layout says which component that is:
    docs/decisions/coopmatrices.md.

    Execution: SPMD; the matrix must be dynamically uniform, else the behaviour is
    undefined.

    Syntax: `%result = tinytc.cooperative_matrix_extract %matrix[index] : type -> type`

    Constraints:
    * `cooperative_matrix_extract_c1`: type(result) = component_type(matrix)
    * `cooperative_matrix_extract_c2`: the index is not negative, and less than the
      length of the vector

    ```mlir
    tinytc.func @example() attributes {subgroup_size = 16 : i32} {
      tinytc.parallel {
        %m = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<16x8xf32, matrix_acc>
        %0 = tinytc.cooperative_matrix_extract %m[7]
          : !tinytc.coopmatrix<16x8xf32, matrix_acc> -> f32
      }
    }
    ```

    Source: tensor language reference 0.4, cooperative matrix extract.
  }];
  let arguments = (ins Arg<TinyTC_CoopMatrix, "of any use">:$matrix,
                       Arg<I64Attr, "place in the vector">:$index);
  let results = (outs TinyTC_Scalar:$result);
  let assemblyFormat = [{
    $matrix `[` $index `]` attr-dict `:` qualified(type($matrix)) `->`
    qualified(type($result))
  }];
  let hasVerifier = 1;
}

def TinyTC_CooperativeMatrixInsertOp
    : TinyTC_SpmdOp<"cooperative_matrix_insert", [
        Pure, /*cooperative_matrix_insert_c2*/ AllTypesMatch<["matrix", "result"]>]> {
  let summary = "cooperative matrix with another component";
  let description = [{
    Returns the matrix in which the scalar replaces an entry of the vector of components
    that the work-item holds; where the entry is padding, nothing changes. Each
    work-item inserts a scalar of its own.

    Execution: SPMD; the matrix must be dynamically uniform, else the behaviour is
    undefined.

    Syntax: `%result = tinytc.cooperative_matrix_insert %scalar, %matrix[index]
    : type, type`

    Constraints:
    * `cooperative_matrix_insert_c1`: type(scalar) = component_type(matrix)
    * `cooperative_matrix_insert_c2`: type(result) = type(matrix)
    * `cooperative_matrix_insert_c3`: the index is not negative, and less than the
      length of the vector

    ```mlir
    tinytc.func @example(%x: f32) attributes {subgroup_size = 16 : i32} {
      tinytc.parallel {
        %m = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<16x8xf32, matrix_acc>
        %0 = tinytc.cooperative_matrix_insert %x, %m[7]
          : f32, !tinytc.coopmatrix<16x8xf32, matrix_acc>
      }
    }
    ```

    Source: tensor language reference 0.4, cooperative matrix insert.
  }];
  let arguments = (ins TinyTC_Scalar:$scalar,
                       Arg<TinyTC_CoopMatrix, "of any use">:$matrix,
                       Arg<I64Attr, "place in the vector">:$index);
  let results = (outs TinyTC_CoopMatrix:$result);
  let assemblyFormat = [{
    $scalar `,` $matrix `[` $index `]` attr-dict `:` qualified(type($scalar)) `,`
    qualified(type($matrix))
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

/// Written by hints: keeps them from being removed, but orders them with nothing else.
def TinyTC_Cache : Resource<"::mlir::tinytc::CacheResource">;

def TinyTC_CooperativeMatrixPrefetchOp
    : TinyTC_SpmdOp<"cooperative_matrix_prefetch", [
        MemoryEffects<[MemWrite<TinyTC_Cache>]>]> {
  let summary = "hint that a block of a matrix will be loaded";
  let description = [{
    Asks for M(x + i, y + j), 0 <= i < rows, 0 <= j < columns, in the cache of a level,
    0 being the nearest. A hint: it may be ignored, and the block may lie outside M.

    Execution: SPMD; all operands must be dynamically uniform, else the behaviour is
    undefined. Reads no memory.

    Syntax: `tinytc.cooperative_matrix_prefetch level, %source[%x, %y], rows, columns
    : type`

    Constraints:
    * `cooperative_matrix_prefetch_c1`: order(source) = 2
    * `cooperative_matrix_prefetch_c2`: the level is not negative
    * `cooperative_matrix_prefetch_c3`: rows and columns are positive

    ```mlir
    tinytc.func @example(%M: !tinytc.memref<64x64xf32>, %x: index, %y: index) {
      tinytc.parallel {
        tinytc.cooperative_matrix_prefetch 0, %M[%x, %y], 16, 8
          : !tinytc.memref<64x64xf32>
      }
    }
    ```

    Source: tensor language reference 0.4, cooperative matrix prefetch.
  }];
  let arguments = (ins
    Arg<I64Attr, "of the cache, from 0">:$level,
    Arg<TinyTC_Memref, "matrix M">:$source,
    Arg<Index, "first row in M">:$x, Arg<Index, "first column in M">:$y,
    Arg<I64Attr, "of the block">:$rows, Arg<I64Attr, "of the block">:$columns);
  let assemblyFormat = [{
    $level `,` $source `[` $x `,` $y `]` `,` $rows `,` $columns attr-dict `:`
    qualified(type($source))
  }];
  let hasVerifier = 1;
}

class TinyTC_CooperativeMatrixReduceOp<string word, TypeConstraint allowed,
                                       string sentence>
    : TinyTC_SpmdOp<"cooperative_matrix_reduce_" # word, [
        MemoryEffects<[MemRead<TinyTC_Convergence>]>, TinyTC_InferredResult]> {
  let description = "\n    " # sentence # [{ With `row`, component i of the M x 1 result is that of
    row i of the M x N matrix, with `column`, component j of the 1 x N result is that of
    column j. The order in which components are combined is not defined.

    Execution: SPMD; the matrix must be dynamically uniform, else the behaviour is
    undefined.

    Syntax: `%result = tinytc.cooperative_matrix_reduce_}] # word # [{ (row|column)
    %matrix : type -> type`

    Constraints:
    * `cooperative_matrix_reduce_c1`: the result is M x 1 for `row`, 1 x N for `column`
    * `cooperative_matrix_reduce_c2`: component type and use of the result are those of
      the matrix
    * `cooperative_matrix_reduce_c3`: the type is }] # allowed.summary # [{

    ```mlir
    tinytc.func @example() {
      tinytc.parallel {
        %m = tinytc.constant 1.0 : f32 -> !tinytc.coopmatrix<16x8xf32, matrix_acc>
        %0 = tinytc.cooperative_matrix_reduce_}] # word # [{ row %m
          : !tinytc.coopmatrix<16x8xf32, matrix_acc>
          -> !tinytc.coopmatrix<16x1xf32, matrix_acc>
      }
    }
    ```

    Source: tensor language reference 0.4, cooperative matrix reduce.
  }];
  let arguments = (ins Arg<TinyTC_ReduceModeAttr, "what is combined">:$mode,
                       /*cooperative_matrix_reduce_c3*/ allowed:$matrix);
  let results = (outs allowed:$result);
  let assemblyFormat = [{
    `` $mode $matrix attr-dict `:` qualified(type($matrix)) `->`
    qualified(type($result))
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TinyTC_CooperativeMatrixReduceAddOp
    : TinyTC_CooperativeMatrixReduceOp<"add", TinyTC_CoopMatrix,
        "Returns the sums of rows or columns."> {
  let summary = "sums of the rows or the columns of a cooperative matrix";
}
def TinyTC_CooperativeMatrixReduceMaxOp
    : TinyTC_CooperativeMatrixReduceOp<"max", TinyTC_CoopMatrixOf<TinyTC_Real>,
        "Returns the largest components of rows or columns, by `tinytc.arith.max`."> {
  let summary = "maxima of the rows or the columns of a cooperative matrix";
}
def TinyTC_CooperativeMatrixReduceMinOp
    : TinyTC_CooperativeMatrixReduceOp<"min", TinyTC_CoopMatrixOf<TinyTC_Real>,
        "Returns the smallest components of rows or columns, by `tinytc.arith.min`."> {
  let summary = "minima of the rows or the columns of a cooperative matrix";
}

#endif // TINYTC_COOPMATRIXOPS_TD
