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
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs,
    OptionalAttr<I32Attr>:$subgroup_size,
    OptionalAttr<DenseI32ArrayAttr>:$work_group_size
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
  let arguments = (ins OptionalAttr<I64Attr>:$alignment);
  let results = (outs Res<TinyTC_Memref, "",
                          [MemAlloc<AutomaticAllocationScopeResource>]>:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// BLAS-like instructions
//===----------------------------------------------------------------------===//

def TinyTC_AxpbyOp : TinyTC_CollectiveOp<"axpby"> {
  let summary = "scaled sum of vectors or matrices";
  let arguments = (ins
    TinyTC_TransposeAttr:$transpose, UnitAttr:$atomic,
    TinyTC_Scalar:$alpha, Arg<TinyTC_Memref, "", [MemRead]>:$a,
    TinyTC_Scalar:$beta, Arg<TinyTC_Memref, "", [MemRead, MemWrite]>:$b);
  let assemblyFormat = [{
    `` $transpose (`atomic` $atomic^)? $alpha `,` $a `,` $beta `,` $b attr-dict
    `:` qualified(type($alpha)) `,` qualified(type($a)) `,` qualified(type($beta)) `,` qualified(type($b))
  }];
  let hasVerifier = 1;
}

def TinyTC_CumsumOp : TinyTC_CollectiveOp<"cumsum"> {
  let summary = "cumulative sum along one mode";
  let arguments = (ins
    UnitAttr:$atomic, TinyTC_Scalar:$alpha,
    Arg<TinyTC_Memref, "", [MemRead]>:$a, I64Attr:$mode,
    TinyTC_Scalar:$beta, Arg<TinyTC_Memref, "", [MemRead, MemWrite]>:$b);
  let assemblyFormat = [{
    (`atomic` $atomic^)? $alpha `,` $a `,` $mode `,` $beta `,` $b attr-dict
    `:` qualified(type($alpha)) `,` qualified(type($a)) `,` qualified(type($beta)) `,` qualified(type($b))
  }];
  let hasVerifier = 1;
}

class TinyTC_TernaryBlasOp<string mnemonic, dag modifiers, string format>
    : TinyTC_CollectiveOp<mnemonic> {
  let arguments = !con(modifiers, (ins
    UnitAttr:$atomic,
    TinyTC_Scalar:$alpha, Arg<TinyTC_Memref, "", [MemRead]>:$a,
    Arg<TinyTC_Memref, "", [MemRead]>:$b,
    TinyTC_Scalar:$beta, Arg<TinyTC_Memref, "", [MemRead, MemWrite]>:$c));
  let assemblyFormat = format # [{
    (`atomic` $atomic^)? $alpha `,` $a `,` $b `,` $beta `,` $c attr-dict
    `:` qualified(type($alpha)) `,` qualified(type($a)) `,` qualified(type($b)) `,` qualified(type($beta)) `,` qualified(type($c))
  }];
  let hasVerifier = 1;
}

def TinyTC_GemmOp : TinyTC_TernaryBlasOp<"gemm",
    (ins TinyTC_TransposeAttr:$transpose_a, TinyTC_TransposeAttr:$transpose_b),
    "`` $transpose_a `` $transpose_b "> {
  let summary = "general matrix-matrix product";
}

def TinyTC_GemvOp : TinyTC_TernaryBlasOp<"gemv",
    (ins TinyTC_TransposeAttr:$transpose_a), "`` $transpose_a "> {
  let summary = "general matrix-vector product";
}

def TinyTC_GerOp : TinyTC_TernaryBlasOp<"ger", (ins), ""> {
  let summary = "general rank-1 update";
}

def TinyTC_HadamardProductOp
    : TinyTC_TernaryBlasOp<"hadamard_product", (ins), ""> {
  let summary = "element-wise product of vectors or matrices";
}

def TinyTC_SumOp : TinyTC_CollectiveOp<"sum"> {
  let summary = "sum of the rows, the columns or all elements";
  let arguments = (ins
    TinyTC_TransposeAttr:$transpose, UnitAttr:$atomic,
    TinyTC_Scalar:$alpha, Arg<TinyTC_Memref, "", [MemRead]>:$a,
    TinyTC_Scalar:$beta, Arg<TinyTC_Memref, "", [MemRead, MemWrite]>:$b);
  let assemblyFormat = [{
    `` $transpose (`atomic` $atomic^)? $alpha `,` $a `,` $beta `,` $b attr-dict
    `:` qualified(type($alpha)) `,` qualified(type($a)) `,` qualified(type($beta)) `,` qualified(type($b))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// SPMD regions
//===----------------------------------------------------------------------===//

def TinyTC_ForeachOp : TinyTC_CollectiveOp<"foreach", [
    SpmdRegion, SameVariadicOperandSize, AllTypesMatch<["from", "to"]>,
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "loop over an index range without any order";
  let arguments = (ins Variadic<TinyTC_Integer>:$from, Variadic<TinyTC_Integer>:$to);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
}

def TinyTC_ParallelOp : TinyTC_CollectiveOp<"parallel", [
    SpmdRegion, NoRegionArguments, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "SPMD region";
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict";
}

#endif // TINYTC_COLLECTIVEOPS_TD
