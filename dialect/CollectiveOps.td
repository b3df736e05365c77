//===- CollectiveOps.td - Collective instructions -------------*- tablegen -*-===//
//
// Chapter "collective instructions" of the language reference: functions, local
// memory, BLAS-like instructions, and the two ops that open an SPMD region.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_COLLECTIVEOPS_TD
#define TINYTC_COLLECTIVEOPS_TD

class TinyTC_CollectiveOp<string mnemonic, list<Trait> traits = []>
    : TinyTC_Op<mnemonic, !listconcat([Collective], traits)>;

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
    strides), which assert properties of what the kernel is launched with. `schedule`
    overrules the tiling that the compiler would choose; it is no part of the language.

    Constraints:
    * `func_c1`: a parameter has boolean, scalar, memref or group type
    * `func_c2`: there are no results
    * `func_c3`: subgroup_size is positive
    * `func_c4`: work_group_size has two positive entries
    * `func_c5`: the first entry of work_group_size is a multiple of subgroup_size
    * `func_c6`: alignment (i64), shape_gcd and stride_gcd (arrays of i64) are the only
      attributes of the language that a parameter takes, and only one of memref or group
      type
    * `func_c7`: the alignment is a positive multiple of the size of the element type
    * `func_c8`: shape_gcd and stride_gcd have at most as many entries as the memref has
      modes, and the entries are positive
    * `func_c9`: static sizes and strides are multiples of their divisors
    * `func_c10`: a kernel stands in no other kernel

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
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Names of the attributes that memref and group parameters take.
    static constexpr ::llvm::StringLiteral getAlignmentAttrName() {
      return "tinytc.alignment";
    }
    static constexpr ::llvm::StringLiteral getShapeGcdAttrName() {
      return "tinytc.shape_gcd";
    }
    static constexpr ::llvm::StringLiteral getStrideGcdAttrName() {
      return "tinytc.stride_gcd";
    }

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

def TinyTC_AllocaOp : TinyTC_CollectiveOp<"alloca"> {
  let summary = "local memory of the work-group";
  let description = [{
    Allocates memory that all work-items of the work-group share. It lives until the end
    of the block or until a `tinytc.lifetime_stop`, and its content is undefined.

    Execution: collective. Allocates, neither reads nor writes.

    Syntax: `%result = tinytc.alloca {alignment = 64 : i64} : memref-type`

    Constraints:
    * `alloca_c1`: sizes and strides of the memref are static
    * `alloca_c2`: the memref lies in the local address space
    * `alloca_c3`: the alignment is a positive multiple of the size of the element type

    ```mlir
    tinytc.func @example() {
      %0 = tinytc.alloca {alignment = 64 : i64} : !tinytc.memref<16x8xf32, local>
    }
    ```

    Source: tensor language reference, alloca.
  }];
  let arguments = (ins Arg<OptionalAttr<I64Attr>, "in bytes">:$alignment);
  let results = (outs Res<TinyTC_Memref, "tensor of any order in local memory",
                          [MemAlloc<AutomaticAllocationScopeResource>]>:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// BLAS-like instructions
//===----------------------------------------------------------------------===//

/// scale * op(A) + beta * B, which updates its last operand in place.
class TinyTC_BinaryBlasOp<string mnemonic, dag modifiers, dag operands, string format>
    : TinyTC_CollectiveOp<mnemonic> {
  let arguments = !con(modifiers,
    (ins Arg<UnitAttr, "update atomically">:$atomic), operands);
  let assemblyFormat = format # [{
    attr-dict `:` qualified(type($alpha)) `,` qualified(type($a)) `,`
    qualified(type($beta)) `,` qualified(type($b))
  }];
  let hasVerifier = 1;
}

class TinyTC_TernaryBlasOp<string mnemonic, dag modifiers, dag operands, string format>
    : TinyTC_CollectiveOp<mnemonic> {
  let arguments = !con(modifiers,
    (ins Arg<UnitAttr, "update atomically">:$atomic), operands);
  let assemblyFormat = format # [{
    (`atomic` $atomic^)? $alpha `,` $a `,` $b `,` $beta `,` $c attr-dict
    `:` qualified(type($alpha)) `,` qualified(type($a)) `,` qualified(type($b)) `,`
    qualified(type($beta)) `,` qualified(type($c))
  }];
  let hasVerifier = 1;
}

def TinyTC_AxpbyOp : TinyTC_BinaryBlasOp<"axpby",
    (ins Arg<TinyTC_TransposeAttr, "t transposes a matrix a">:$transpose),
    (ins TinyTC_Scalar:$alpha,
      Arg<TinyTC_Memref, "op(a) has the shape of b", [MemRead]>:$a,
      TinyTC_Scalar:$beta,
      Arg<TinyTC_Memref, "scalar, M vector or M x N matrix, updated",
          [MemRead, MemWrite]>:$b),
    "`` $transpose (`atomic` $atomic^)? $alpha `,` $a `,` $beta `,` $b "> {
  let summary = "scaled sum of vectors or matrices";
  let description = [{
    B := alpha op(A) + beta B, where op(A) is the transpose of a matrix A if the modifier
    is `t`, else A. B is not read where beta is 0.

    Execution: collective. Reads a and b, writes b; with `atomic`, b is updated
    atomically.

    Syntax: `tinytc.axpby (n|t) [atomic] %alpha, %a, %beta, %b : types`

    Constraints:
    * `axpby_c1`: shape(b) = shape(op(a))
    * `axpby_c2`: order(b) is 0, 1 or 2
    * `axpby_c3`: type(alpha) <= element_type(a) <= element_type(b)
    * `axpby_c4`: type(beta) <= element_type(b)
    * `axpby_c5`: with `atomic`, beta is a constant 0 or 1

    ```mlir
    tinytc.func @example(%alpha: f32, %A: !tinytc.memref<8x16xf32>,
                         %beta: f64, %B: !tinytc.memref<16x8xf64>) {
      tinytc.axpby t %alpha, %A, %beta, %B
        : f32, !tinytc.memref<8x16xf32>, f64, !tinytc.memref<16x8xf64>
    }
    ```

    Source: tensor language reference, axpby.
  }];
}

def TinyTC_CumsumOp : TinyTC_BinaryBlasOp<"cumsum", (ins),
    (ins TinyTC_Scalar:$alpha,
      Arg<TinyTC_Memref, "tensor of order 1 or higher", [MemRead]>:$a,
      Arg<I64Attr, "mode to sum along, from 0">:$mode,
      TinyTC_Scalar:$beta,
      Arg<TinyTC_Memref, "tensor of the shape of a, updated",
          [MemRead, MemWrite]>:$b),
    "(`atomic` $atomic^)? $alpha `,` $a `,` $mode `,` $beta `,` $b "> {
  let summary = "cumulative sum along one mode";
  let description = [{
    B(..., j, ...) := alpha (A(..., 0, ...) + ... + A(..., j, ...)) + beta B(..., j, ...)
    along the mode. B is not read where beta is 0.

    Execution: collective. Reads a and b, writes b; with `atomic`, b is updated
    atomically.

    Syntax: `tinytc.cumsum [atomic] %alpha, %a, mode, %beta, %b : types`

    Constraints:
    * `cumsum_c1`: order(a) >= 1
    * `cumsum_c2`: 0 <= mode < order(a)
    * `cumsum_c3`: shape(b) = shape(a)
    * `cumsum_c4`: type(alpha) <= element_type(a) <= element_type(b)
    * `cumsum_c5`: type(beta) <= element_type(b)
    * `cumsum_c6`: with `atomic`, beta is a constant 0 or 1

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

def TinyTC_GemmOp : TinyTC_TernaryBlasOp<"gemm",
    (ins Arg<TinyTC_TransposeAttr, "op_1, applied to a">:$transpose_a,
      Arg<TinyTC_TransposeAttr, "op_2, applied to b">:$transpose_b),
    (ins TinyTC_Scalar:$alpha,
      Arg<TinyTC_Memref, "op_1(a) is M x K", [MemRead]>:$a,
      Arg<TinyTC_Memref, "op_2(b) is K x N", [MemRead]>:$b,
      TinyTC_Scalar:$beta,
      Arg<TinyTC_Memref, "M x N, updated", [MemRead, MemWrite]>:$c),
    "`` $transpose_a `` $transpose_b "> {
  let summary = "general matrix-matrix product";
  let description = [{
    C := alpha op_1(A) op_2(B) + beta C, where op_i(X) is the transpose of X if the i-th
    modifier is `t`, else X. C is not read where beta is 0.

    Execution: collective. Reads a, b and c, writes c; with `atomic`, c is updated
    atomically.

    Syntax: `tinytc.gemm (n|t) (n|t) [atomic] %alpha, %a, %b, %beta, %c : types`

    Constraints:
    * `gemm_c1`: order(a) = order(b) = order(c) = 2
    * `gemm_c2`: columns(op_1(a)) = rows(op_2(b))
    * `gemm_c3`: rows(c) = rows(op_1(a))
    * `gemm_c4`: columns(c) = columns(op_2(b))
    * `gemm_c5`: type(alpha) <= promote(element_type(a), element_type(b)) <=
      element_type(c)
    * `gemm_c6`: type(beta) <= element_type(c)
    * `gemm_c7`: with `atomic`, beta is a constant 0 or 1

    ```mlir
    tinytc.func @example(%alpha: f32, %A: !tinytc.memref<16x8xf32>,
                         %B: !tinytc.memref<4x8xf32>, %beta: f32,
                         %C: !tinytc.memref<16x4xf32>) {
      tinytc.gemm n t %alpha, %A, %B, %beta, %C
        : f32, !tinytc.memref<16x8xf32>, !tinytc.memref<4x8xf32>, f32,
          !tinytc.memref<16x4xf32>
    }
    ```

    Source: tensor language reference, gemm.
  }];
}

def TinyTC_GemvOp : TinyTC_TernaryBlasOp<"gemv",
    (ins Arg<TinyTC_TransposeAttr, "op, applied to a">:$transpose_a),
    (ins TinyTC_Scalar:$alpha,
      Arg<TinyTC_Memref, "op(a) is M x K", [MemRead]>:$a,
      Arg<TinyTC_Memref, "K vector", [MemRead]>:$b,
      TinyTC_Scalar:$beta,
      Arg<TinyTC_Memref, "M vector, updated", [MemRead, MemWrite]>:$c),
    "`` $transpose_a "> {
  let summary = "general matrix-vector product";
  let description = [{
    c := alpha op(A) b + beta c, where op(A) is the transpose of A if the modifier is
    `t`, else A. c is not read where beta is 0.

    Execution: collective. Reads a, b and c, writes c; with `atomic`, c is updated
    atomically.

    Syntax: `tinytc.gemv (n|t) [atomic] %alpha, %a, %b, %beta, %c : types`

    Constraints:
    * `gemv_c1`: order(a) = 2
    * `gemv_c2`: order(b) = order(c) = 1
    * `gemv_c3`: columns(op(a)) = rows(b)
    * `gemv_c4`: rows(c) = rows(op(a))
    * `gemv_c5`: type(alpha) <= promote(element_type(a), element_type(b)) <=
      element_type(c)
    * `gemv_c6`: type(beta) <= element_type(c)
    * `gemv_c7`: with `atomic`, beta is a constant 0 or 1

    ```mlir
    tinytc.func @example(%alpha: f32, %A: !tinytc.memref<16x8xf32>,
                         %b: !tinytc.memref<16xf32>, %beta: f32,
                         %c: !tinytc.memref<8xf32>) {
      tinytc.gemv t %alpha, %A, %b, %beta, %c
        : f32, !tinytc.memref<16x8xf32>, !tinytc.memref<16xf32>, f32,
          !tinytc.memref<8xf32>
    }
    ```

    Source: tensor language reference, gemv.
  }];
}

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

def TinyTC_SumOp : TinyTC_BinaryBlasOp<"sum",
    (ins Arg<TinyTC_TransposeAttr, "t transposes a matrix a">:$transpose),
    (ins TinyTC_Scalar:$alpha,
      Arg<TinyTC_Memref, "K vector, or op(a) is M x K", [MemRead]>:$a,
      TinyTC_Scalar:$beta,
      Arg<TinyTC_Memref, "scalar, or M vector, updated", [MemRead, MemWrite]>:$b),
    "`` $transpose (`atomic` $atomic^)? $alpha `,` $a `,` $beta `,` $b "> {
  let summary = "sum of the rows, the columns or all elements";
  let description = [{
    b := alpha op(A) 1 + beta b for a vector b, where op(A) is the transpose of A if the
    modifier is `t`, else A; b := alpha <a, 1> + beta b for a scalar b. b is not read
    where beta is 0.

    Execution: collective. Reads a and b, writes b; with `atomic`, b is updated
    atomically.

    Syntax: `tinytc.sum (n|t) [atomic] %alpha, %a, %beta, %b : types`

    Constraints:
    * `sum_c1`: order(b) is 0 or 1
    * `sum_c2`: order(a) = order(b) + 1
    * `sum_c3`: rows(b) = rows(op(a)) if order(b) = 1
    * `sum_c4`: type(alpha) <= element_type(a) <= element_type(b)
    * `sum_c5`: type(beta) <= element_type(b)
    * `sum_c6`: with `atomic`, beta is a constant 0 or 1

    ```mlir
    tinytc.func @example(%alpha: f32, %A: !tinytc.memref<16x8xf32>, %beta: f32,
                         %b: !tinytc.memref<16xf32>) {
      tinytc.sum n %alpha, %A, %beta, %b
        : f32, !tinytc.memref<16x8xf32>, f32, !tinytc.memref<16xf32>
    }
    ```

    Source: tensor language reference, sum.
  }];
}

//===----------------------------------------------------------------------===//
// SPMD regions
//===----------------------------------------------------------------------===//

def TinyTC_ForeachOp : TinyTC_CollectiveOp<"foreach", [
    SpmdRegion, /*foreach_c1*/ SameVariadicOperandSize,
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "loop over an index range without any order";
  let description = [{
    Runs the body for (var_1, ..., var_N) in [from_1, to_1) x ... x [from_N, to_N), in
    any order and on any work-item.

    Execution: collective. The body is an SPMD region; memory effects are those of the
    body.

    Syntax: `tinytc.foreach (%var, ...) [: type] = (%from, ...), (%to, ...) { ... }`;
    the type defaults to index.

    Constraints:
    * `foreach_c1`: there are as many lower and as many upper bounds as loop variables,
      and at least one
    * `foreach_c2`: loop variables and bounds have one common integer type

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
    Arg<Variadic<TinyTC_Integer>, "value behind the last one">:$to);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
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
