//===- MixedOps.td - Mixed instructions ------------------------*- tablegen -*-===//
//
// Chapter "mixed instructions" of the language reference: scalar arithmetic,
// control flow, views, loads and stores.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_MIXEDOPS_TD
#define TINYTC_MIXEDOPS_TD

class TinyTC_MixedOp<string mnemonic, list<Trait> traits = []>
    : TinyTC_Op<mnemonic, !listconcat([Mixed], traits)>;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Speculatable unless the division is one of integers.
def TinyTC_Division
    : DeclareOpInterfaceMethods<ConditionallySpeculatable, ["getSpeculatability"]>;

class TinyTC_ArithBinaryOp<string word, TypeConstraint type,
                           list<Trait> traits = [Pure]>
    : TinyTC_MixedOp<"arith." # word, !listconcat([SameOperandsAndResultType], traits)> {
  let arguments = (ins type:$a, type:$b);
  let results = (outs type:$result);
  let assemblyFormat = "$a `,` $b attr-dict `:` qualified(type($result))";
  let hasFolder = 1;
}

def TinyTC_ArithAddOp
    : TinyTC_ArithBinaryOp<"add", TinyTC_ScalarOrCoopMatrix, [Pure, Commutative]> {
  let summary = "sum of operands";
}
def TinyTC_ArithSubOp : TinyTC_ArithBinaryOp<"sub", TinyTC_ScalarOrCoopMatrix> {
  let summary = "difference of operands";
}
def TinyTC_ArithMulOp
    : TinyTC_ArithBinaryOp<"mul", TinyTC_ScalarOrCoopMatrix, [Pure, Commutative]> {
  let summary = "product of operands";
}
def TinyTC_ArithDivOp : TinyTC_ArithBinaryOp<"div", TinyTC_ScalarOrCoopMatrix,
    [NoMemoryEffect, TinyTC_Division]> {
  let summary = "quotient of operands";
}
def TinyTC_ArithRemOp : TinyTC_ArithBinaryOp<"rem", TinyTC_Real,
    [NoMemoryEffect, TinyTC_Division]> {
  let summary = "remainder of the division of operands";
}
def TinyTC_ArithShlOp : TinyTC_ArithBinaryOp<"shl", TinyTC_Integer> {
  let summary = "left shift";
}
def TinyTC_ArithShrOp : TinyTC_ArithBinaryOp<"shr", TinyTC_Integer> {
  let summary = "arithmetic right shift";
}
def TinyTC_ArithAndOp
    : TinyTC_ArithBinaryOp<"and", TinyTC_BoolOrInteger, [Pure, Commutative]> {
  let summary = "bitwise and";
}
def TinyTC_ArithOrOp
    : TinyTC_ArithBinaryOp<"or", TinyTC_BoolOrInteger, [Pure, Commutative]> {
  let summary = "bitwise or";
}
def TinyTC_ArithXorOp
    : TinyTC_ArithBinaryOp<"xor", TinyTC_BoolOrInteger, [Pure, Commutative]> {
  let summary = "bitwise exclusive or";
}
def TinyTC_ArithMinOp
    : TinyTC_ArithBinaryOp<"min", TinyTC_Real, [Pure, Commutative]> {
  let summary = "minimum of operands";
}
def TinyTC_ArithMaxOp
    : TinyTC_ArithBinaryOp<"max", TinyTC_Real, [Pure, Commutative]> {
  let summary = "maximum of operands";
}

class TinyTC_ArithUnaryOp<string word, TypeConstraint operand, TypeConstraint output,
                          list<Trait> traits>
    : TinyTC_MixedOp<"arith." # word, !listconcat([Pure], traits)> {
  let arguments = (ins operand:$a);
  let results = (outs output:$result);
  let assemblyFormat = "$a attr-dict `:` qualified(type($a))";
  let hasFolder = 1;
}

/// The result is the component type of a complex operand, else the operand's type.
def TinyTC_ResultIsRealPart : TypesMatchWith<
    "result has the component type of a complex operand, else the operand's type",
    "a", "result", "::mlir::tinytc::getRealType($_self)">;

def TinyTC_ArithAbsOp : TinyTC_ArithUnaryOp<"abs", TinyTC_Scalar, TinyTC_Real,
    [TinyTC_ResultIsRealPart]> {
  let summary = "absolute value";
}
def TinyTC_ArithNegOp : TinyTC_ArithUnaryOp<"neg", TinyTC_ScalarOrCoopMatrix,
    TinyTC_ScalarOrCoopMatrix, [SameOperandsAndResultType]> {
  let summary = "negation";
}
def TinyTC_ArithNotOp : TinyTC_ArithUnaryOp<"not", TinyTC_BoolOrInteger,
    TinyTC_BoolOrInteger, [SameOperandsAndResultType]> {
  let summary = "bitwise not";
}
def TinyTC_ArithConjOp : TinyTC_ArithUnaryOp<"conj", TinyTC_Complex,
    TinyTC_Complex, [SameOperandsAndResultType]> {
  let summary = "complex conjugate";
}
def TinyTC_ArithImOp : TinyTC_ArithUnaryOp<"im", TinyTC_Complex,
    TinyTC_Floating, [TinyTC_ResultIsRealPart]> {
  let summary = "imaginary part";
}
def TinyTC_ArithReOp : TinyTC_ArithUnaryOp<"re", TinyTC_Complex,
    TinyTC_Floating, [TinyTC_ResultIsRealPart]> {
  let summary = "real part";
}

class TinyTC_MathOp<string word> : TinyTC_MixedOp<"math." # word,
    [Pure, SameOperandsAndResultType]> {
  let arguments = (ins AnyTypeOf<[TinyTC_Floating, TinyTC_Complex]>:$a);
  let results = (outs AnyTypeOf<[TinyTC_Floating, TinyTC_Complex]>:$result);
  let assemblyFormat = "$a attr-dict `:` qualified(type($result))";
}

def TinyTC_MathExpOp : TinyTC_MathOp<"exp"> {
  let summary = "exponential function";
}
def TinyTC_MathNativeExpOp : TinyTC_MathOp<"native_exp"> {
  let summary = "exponential function with implementation-defined error";
}

class TinyTC_CmpOp<string word, TypeConstraint type, list<Trait> traits = []>
    : TinyTC_MixedOp<"cmp." # word,
        !listconcat([Pure, AllTypesMatch<["a", "b"]>], traits)> {
  let arguments = (ins type:$a, type:$b);
  let results = (outs TinyTC_Bool:$result);
  let assemblyFormat = "$a `,` $b attr-dict `:` qualified(type($a))";
  let hasFolder = 1;
}

def TinyTC_CmpEqOp : TinyTC_CmpOp<"eq", TinyTC_Scalar, [Commutative]> {
  let summary = "equal";
}
def TinyTC_CmpNeOp : TinyTC_CmpOp<"ne", TinyTC_Scalar, [Commutative]> {
  let summary = "not equal";
}
def TinyTC_CmpGtOp : TinyTC_CmpOp<"gt", TinyTC_Real> {
  let summary = "greater than";
}
def TinyTC_CmpGeOp : TinyTC_CmpOp<"ge", TinyTC_Real> {
  let summary = "greater than or equal";
}
def TinyTC_CmpLtOp : TinyTC_CmpOp<"lt", TinyTC_Real> {
  let summary = "less than";
}
def TinyTC_CmpLeOp : TinyTC_CmpOp<"le", TinyTC_Real> {
  let summary = "less than or equal";
}

def TinyTC_CastOp : TinyTC_MixedOp<"cast", [Pure]> {
  let summary = "conversion of a scalar or of a coopmatrix";
  let arguments = (ins TinyTC_ScalarOrCoopMatrix:$a);
  let results = (outs TinyTC_ScalarOrCoopMatrix:$result);
  let assemblyFormat = "$a attr-dict `:` qualified(type($a)) `->` qualified(type($result))";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TinyTC_ConstantOp : TinyTC_MixedOp<"constant", [
    Pure, ConstantLike,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "constant value";
  let arguments = (ins AnyAttr:$value);
  let results = (outs TinyTC_Value:$result);
  let assemblyFormat = "custom<ConstantValue>($value, type($result)) attr-dict";
  let hasFolder = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

def TinyTC_BarrierOp : TinyTC_MixedOp<"barrier", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "control barrier of the work-group with memory fences";
  let arguments = (ins UnitAttr:$fence_global, UnitAttr:$fence_local);
  let assemblyFormat =
    "(`global` $fence_global^)? (`local` $fence_local^)? attr-dict";
}

class TinyTC_Builtin<string word, Type type, Trait execution>
    : TinyTC_Op<"builtin." # word, [execution, Pure]> {
  let results = (outs type:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
}

def TinyTC_GroupIdOp : TinyTC_Builtin<"group_id", Index, Mixed> {
  let summary = "index of the work-group";
}
def TinyTC_GroupSizeOp : TinyTC_Builtin<"group_size", Index, Mixed> {
  let summary = "number of work-groups";
}
def TinyTC_NumSubgroupsOp : TinyTC_Builtin<"num_subgroups", I32, Mixed> {
  let summary = "number of subgroups in the work-group";
}
def TinyTC_SubgroupSizeOp : TinyTC_Builtin<"subgroup_size", I32, Mixed> {
  let summary = "number of work-items in a subgroup";
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

def TinyTC_ForOp : TinyTC_MixedOp<"for", [
    AttrSizedOperandSegments, AutomaticAllocationScope, RecursiveMemoryEffects,
    AllTypesMatch<["from", "to"]>,
    DeclareOpInterfaceMethods<RegionBranchOpInterface,
      ["getEntrySuccessorOperands"]>,
    DeclareOpInterfaceMethods<LoopLikeOpInterface,
      ["getLoopInductionVars", "getLoopLowerBounds", "getLoopUpperBounds",
       "getLoopSteps", "getInitsMutable", "getRegionIterArgs",
       "getYieldedValuesMutable", "getLoopResults"]>,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "sequential loop with loop-carried values";
  let arguments = (ins
    TinyTC_Integer:$from, TinyTC_Integer:$to, Optional<TinyTC_Integer>:$step,
    Variadic<TinyTC_Value>:$inits, OptionalAttr<BoolAttr>:$unroll);
  let results = (outs Variadic<TinyTC_Value>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getInductionVar() { return getBody().getArgument(0); }
  }];
}

def TinyTC_IfOp : TinyTC_MixedOp<"if", [
    AutomaticAllocationScope, NoRegionArguments, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<RegionBranchOpInterface,
      ["getEntrySuccessorRegions"]>,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "conditional with results";
  let arguments = (ins TinyTC_Bool:$condition);
  let results = (outs Variadic<TinyTC_Value>:$results);
  let regions = (region SizedRegion<1>:$then_region, MaxSizedRegion<1>:$else_region);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
}

def TinyTC_YieldOp : TinyTC_MixedOp<"yield", [
    Pure, ReturnLike, Terminator,
    ParentOneOf<["ForOp", "IfOp", "ForeachOp", "ParallelOp", "FuncOp"]>]> {
  let summary = "values returned from the enclosing region";
  let arguments = (ins Variadic<TinyTC_Value>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ /* nothing to yield */ }]>];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

class TinyTC_ViewOp<string mnemonic, list<Trait> traits = []>
    : TinyTC_MixedOp<mnemonic, !listconcat([Pure, ViewLikeOpInterface], traits)> {
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getViewSource() { return getSource(); }
    ::mlir::Value getViewDest() { return getResult(); }
  }];
}

def TinyTC_ExpandOp : TinyTC_ViewOp<"expand"> {
  let summary = "view with one mode split into several";
  let arguments = (ins
    TinyTC_Memref:$source, I64Attr:$mode,
    DenseI64ArrayAttr:$static_shape, Variadic<Index>:$shape);
  let results = (outs TinyTC_Memref:$result);
  let assemblyFormat = [{
    $source `[` $mode `->` custom<ExpandShape>($static_shape, $shape) `]` attr-dict
    `:` qualified(type($source)) `->` qualified(type($result))
  }];
}

def TinyTC_FuseOp : TinyTC_ViewOp<"fuse"> {
  let summary = "view with adjacent modes joined into one";
  let arguments = (ins TinyTC_Memref:$source, I64Attr:$from, I64Attr:$to);
  let results = (outs TinyTC_Memref:$result);
  let assemblyFormat = [{
    $source `[` $from `,` $to `]` attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
}

def TinyTC_SubviewOp : TinyTC_ViewOp<"subview", [AttrSizedOperandSegments]> {
  let summary = "view of a block of a tensor";
  let arguments = (ins
    TinyTC_Memref:$source,
    DenseI64ArrayAttr:$static_offsets, DenseI64ArrayAttr:$static_sizes,
    Variadic<Index>:$offsets, Variadic<Index>:$sizes);
  let results = (outs TinyTC_Memref:$result);
  let assemblyFormat = [{
    $source custom<Slices>($static_offsets, $static_sizes, $offsets, $sizes)
    attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TinyTC_SizeOp : TinyTC_MixedOp<"size", [Pure]> {
  let summary = "size of a mode or of a group";
  let arguments = (ins TinyTC_MemrefOrGroup:$source, I64Attr:$mode);
  let results = (outs Index:$result);
  let assemblyFormat = "$source `[` $mode `]` attr-dict `:` qualified(type($source))";
  let hasFolder = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Memory access
//===----------------------------------------------------------------------===//

def TinyTC_LoadOp : TinyTC_MixedOp<"load", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "element of a memref or memref of a group";
  let arguments = (ins TinyTC_MemrefOrGroup:$source, Variadic<Index>:$indices);
  let results = (outs AnyTypeOf<[TinyTC_Scalar, TinyTC_Memref]>:$result);
  let assemblyFormat = "$source `[` $indices `]` attr-dict `:` qualified(type($source))";
  let hasVerifier = 1;
}

def TinyTC_StoreOp : TinyTC_MixedOp<"store"> {
  let summary = "write of one element of a memref";
  let arguments = (ins
    DefaultValuedAttr<TinyTC_StoreFlagAttr,
                      "::mlir::tinytc::StoreFlag::Regular">:$flag,
    TinyTC_Scalar:$value,
    Arg<TinyTC_Memref, "", [MemWrite]>:$dest, Variadic<Index>:$indices);
  let assemblyFormat = [{
    custom<OptionalStoreFlag>($flag) $value `,` $dest `[` $indices `]` attr-dict
    `:` qualified(type($value)) `,` qualified(type($dest))
  }];
  let hasVerifier = 1;
}

def TinyTC_LifetimeStopOp : TinyTC_MixedOp<"lifetime_stop"> {
  let summary = "end of the life of an alloca";
  let arguments = (ins
    Arg<TinyTC_Memref, "", [MemFree<AutomaticAllocationScopeResource>]>:$memref);
  let assemblyFormat = "$memref attr-dict `:` qualified(type($memref))";
  let hasVerifier = 1;
}

#endif // TINYTC_MIXEDOPS_TD
