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

/// `sentence` is the first of the description, `type` and `value` stand in the example.
class TinyTC_ArithBinaryOp<string word, TypeConstraint allowed, string sentence,
                           string type, list<Trait> traits = [Pure]>
    : TinyTC_MixedOp<"arith." # word,
        !listconcat([/*arith_binary_c1*/ SameOperandsAndResultType], traits)> {
  let description = sentence # [{

    Execution: mixed. Works component by component on cooperative matrices.

    Syntax: `%result = tinytc.arith.}] # word # [{ %a, %b : type`

    Constraints:
    * `arith_binary_c1`: both operands and the result have the same type
    * `arith_binary_c2`: the type is }] # allowed.summary # [{

    ```mlir
    tinytc.func @example(%a: }] # type # ", %b: " # type # [{) {
      %0 = tinytc.arith.}] # word # " %a, %b : " # type # [{
    }
    ```

    Source: tensor language reference, arithmetic (binary).
  }];
  let arguments = (ins /*arith_binary_c2*/ allowed:$a, allowed:$b);
  let results = (outs allowed:$result);
  let assemblyFormat = "$a `,` $b attr-dict `:` qualified(type($result))";
  let hasFolder = 1;
}

def TinyTC_ArithAddOp : TinyTC_ArithBinaryOp<"add", TinyTC_ScalarOrCoopMatrix,
    "Returns a + b.", "f32", [Pure, Commutative]> {
  let summary = "sum of operands";
}
def TinyTC_ArithSubOp : TinyTC_ArithBinaryOp<"sub", TinyTC_ScalarOrCoopMatrix,
    "Returns a - b.", "f32"> {
  let summary = "difference of operands";
}
def TinyTC_ArithMulOp : TinyTC_ArithBinaryOp<"mul", TinyTC_ScalarOrCoopMatrix,
    "Returns a b.", "complex<f32>", [Pure, Commutative]> {
  let summary = "product of operands";
}
def TinyTC_ArithDivOp : TinyTC_ArithBinaryOp<"div", TinyTC_ScalarOrCoopMatrix,
    "Returns a / b, rounded toward zero for integers, which must not be divided by zero.",
    "i32", [NoMemoryEffect, TinyTC_Division]> {
  let summary = "quotient of operands";
}
def TinyTC_ArithRemOp : TinyTC_ArithBinaryOp<"rem", TinyTC_Real,
    "Returns the remainder of a / b with the sign of a; the divisor of integers must not "
    "be zero.", "i32", [NoMemoryEffect, TinyTC_Division]> {
  let summary = "remainder of the division of operands";
}
def TinyTC_ArithShlOp : TinyTC_ArithBinaryOp<"shl", TinyTC_Integer,
    "Shifts a to the left by b bits, which must be fewer than a has.", "i32"> {
  let summary = "left shift";
}
def TinyTC_ArithShrOp : TinyTC_ArithBinaryOp<"shr", TinyTC_Integer,
    "Shifts a to the right by b bits, which must be fewer than a has, and keeps the sign.",
    "i32"> {
  let summary = "arithmetic right shift";
}
def TinyTC_ArithAndOp : TinyTC_ArithBinaryOp<"and", TinyTC_BoolOrInteger,
    "Returns the bitwise conjunction of a and b.", "i1", [Pure, Commutative]> {
  let summary = "bitwise and";
}
def TinyTC_ArithOrOp : TinyTC_ArithBinaryOp<"or", TinyTC_BoolOrInteger,
    "Returns the bitwise disjunction of a and b.", "i1", [Pure, Commutative]> {
  let summary = "bitwise or";
}
def TinyTC_ArithXorOp : TinyTC_ArithBinaryOp<"xor", TinyTC_BoolOrInteger,
    "Returns the bitwise exclusive disjunction of a and b.", "i64",
    [Pure, Commutative]> {
  let summary = "bitwise exclusive or";
}
def TinyTC_ArithMinOp : TinyTC_ArithBinaryOp<"min", TinyTC_Real,
    "Returns the smaller one of a and b; integers are signed.", "f64",
    [Pure, Commutative]> {
  let summary = "minimum of operands";
}
def TinyTC_ArithMaxOp : TinyTC_ArithBinaryOp<"max", TinyTC_Real,
    "Returns the larger one of a and b; integers are signed.", "index",
    [Pure, Commutative]> {
  let summary = "maximum of operands";
}

class TinyTC_ArithUnaryOp<string word, TypeConstraint allowed, TypeConstraint output,
                          string sentence, string type, list<Trait> traits>
    : TinyTC_MixedOp<"arith." # word, !listconcat([Pure], traits)> {
  let description = sentence # [{

    Execution: mixed. Works component by component on cooperative matrices.

    Syntax: `%result = tinytc.arith.}] # word # [{ %a : type`, the type of the operand

    Constraints:
    * `arith_unary_c1`: the result has the type of the operand, or for abs, im and re of
      a complex operand its component type
    * `arith_unary_c2`: the type of the operand is }] # allowed.summary # [{

    ```mlir
    tinytc.func @example(%a: }] # type # [{) {
      %0 = tinytc.arith.}] # word # " %a : " # type # [{
    }
    ```

    Source: tensor language reference, arithmetic (unary).
  }];
  let arguments = (ins /*arith_unary_c2*/ allowed:$a);
  let results = (outs output:$result);
  let assemblyFormat = "$a attr-dict `:` qualified(type($a))";
  let hasFolder = 1;
}

/// The result is the component type of a complex operand, else the operand's type.
def TinyTC_ResultIsRealPart : TypesMatchWith< /*arith_unary_c1*/
    "result has the component type of a complex operand, else the operand's type",
    "a", "result", "::mlir::tinytc::getRealType($_self)">;

def TinyTC_ArithAbsOp : TinyTC_ArithUnaryOp<"abs", TinyTC_Scalar, TinyTC_Real,
    "Returns |a|.", "complex<f64>", [TinyTC_ResultIsRealPart]> {
  let summary = "absolute value";
}
def TinyTC_ArithNegOp : TinyTC_ArithUnaryOp<"neg", TinyTC_ScalarOrCoopMatrix,
    TinyTC_ScalarOrCoopMatrix, "Returns -a.", "f32",
    [/*arith_unary_c1*/ SameOperandsAndResultType]> {
  let summary = "negation";
}
def TinyTC_ArithNotOp : TinyTC_ArithUnaryOp<"not", TinyTC_BoolOrInteger,
    TinyTC_BoolOrInteger, "Returns the bitwise complement of a.", "i1",
    [/*arith_unary_c1*/ SameOperandsAndResultType]> {
  let summary = "bitwise not";
}
def TinyTC_ArithConjOp : TinyTC_ArithUnaryOp<"conj", TinyTC_Complex, TinyTC_Complex,
    "Returns the complex conjugate of a.", "complex<f32>",
    [/*arith_unary_c1*/ SameOperandsAndResultType]> {
  let summary = "complex conjugate";
}
def TinyTC_ArithImOp : TinyTC_ArithUnaryOp<"im", TinyTC_Complex, TinyTC_Floating,
    "Returns the imaginary part of a.", "complex<f32>", [TinyTC_ResultIsRealPart]> {
  let summary = "imaginary part";
}
def TinyTC_ArithReOp : TinyTC_ArithUnaryOp<"re", TinyTC_Complex, TinyTC_Floating,
    "Returns the real part of a.", "complex<f32>", [TinyTC_ResultIsRealPart]> {
  let summary = "real part";
}

def TinyTC_FloatingOrComplex
    : AnyTypeOf<[TinyTC_Floating, TinyTC_Complex], "floating or complex type">;

class TinyTC_MathOp<string word, string sentence> : TinyTC_MixedOp<"math." # word,
    [Pure, /*math_c1*/ SameOperandsAndResultType]> {
  let description = sentence # [{

    Execution: mixed.

    Syntax: `%result = tinytc.math.}] # word # [{ %a : type`

    Constraints:
    * `math_c1`: operand and result have the same type
    * `math_c2`: the type is floating or complex type

    ```mlir
    tinytc.func @example(%a: f32) {
      %0 = tinytc.math.}] # word # [{ %a : f32
    }
    ```

    Source: tensor language reference, math (unary).
  }];
  let arguments = (ins /*math_c2*/ TinyTC_FloatingOrComplex:$a);
  let results = (outs TinyTC_FloatingOrComplex:$result);
  let assemblyFormat = "$a attr-dict `:` qualified(type($result))";
}

def TinyTC_MathExpOp : TinyTC_MathOp<"exp", "Returns e^a."> {
  let summary = "exponential function";
}
def TinyTC_MathNativeExpOp : TinyTC_MathOp<"native_exp",
    "Returns e^a with an error that the implementation defines."> {
  let summary = "exponential function with implementation-defined error";
}

class TinyTC_CmpOp<string word, string symbol, TypeConstraint allowed,
                   list<Trait> traits = []>
    : TinyTC_MixedOp<"cmp." # word,
        !listconcat([Pure, /*cmp_c1*/ AllTypesMatch<["a", "b"]>], traits)> {
  let description = "Returns whether a " # symbol # [{ b; integers are signed.

    Execution: mixed.

    Syntax: `%result = tinytc.cmp.}] # word # [{ %a, %b : type`, the type of the operands

    Constraints:
    * `cmp_c1`: both operands have the same type
    * `cmp_c2`: the type is }] # allowed.summary # [{

    ```mlir
    tinytc.func @example(%a: f32, %b: f32) {
      %0 = tinytc.cmp.}] # word # [{ %a, %b : f32
    }
    ```

    Source: tensor language reference, comparison.
  }];
  let arguments = (ins /*cmp_c2*/ allowed:$a, allowed:$b);
  let results = (outs TinyTC_Bool:$result);
  let assemblyFormat = "$a `,` $b attr-dict `:` qualified(type($a))";
  let hasFolder = 1;
}

def TinyTC_CmpEqOp : TinyTC_CmpOp<"eq", "=", TinyTC_Scalar, [Commutative]> {
  let summary = "equal";
}
def TinyTC_CmpNeOp : TinyTC_CmpOp<"ne", "!=", TinyTC_Scalar, [Commutative]> {
  let summary = "not equal";
}
def TinyTC_CmpGtOp : TinyTC_CmpOp<"gt", ">", TinyTC_Real> {
  let summary = "greater than";
}
def TinyTC_CmpGeOp : TinyTC_CmpOp<"ge", ">=", TinyTC_Real> {
  let summary = "greater than or equal";
}
def TinyTC_CmpLtOp : TinyTC_CmpOp<"lt", "<", TinyTC_Real> {
  let summary = "less than";
}
def TinyTC_CmpLeOp : TinyTC_CmpOp<"le", "<=", TinyTC_Real> {
  let summary = "less than or equal";
}

def TinyTC_CastOp : TinyTC_MixedOp<"cast", [Pure]> {
  let summary = "conversion of a scalar or of a coopmatrix";
  let description = [{
    Converts a, component by component for a cooperative matrix. Integers are sign
    extended or truncated, floating numbers are rounded to nearest, or toward zero where
    the result is an integer; the imaginary part of what was real is zero.

    Execution: mixed.

    Syntax: `%result = tinytc.cast %a : type -> type`

    Constraints:
    * `cast_c1`: operand and result are both scalars or both cooperative matrices
    * `cast_c2`: shape and use of cooperative matrices are the same
    * `cast_c3`: a complex type is not cast to one that is not complex

    ```mlir
    tinytc.func @example(%a: i32) {
      %0 = tinytc.cast %a : i32 -> complex<f32>
    }
    ```

    Source: tensor language reference, cast.
  }];
  let arguments = (ins TinyTC_ScalarOrCoopMatrix:$a);
  let results = (outs TinyTC_ScalarOrCoopMatrix:$result);
  let assemblyFormat =
    "$a attr-dict `:` qualified(type($a)) `->` qualified(type($result))";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TinyTC_ConstantOp : TinyTC_MixedOp<"constant", [
    Pure, ConstantLike,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "constant value";
  let description = [{
    Returns a constant; all components of a cooperative matrix are set to it.

    Execution: mixed.

    Syntax: `%result = tinytc.constant value : type`; where the type is not that of the
    value, `-> type` follows: `[re : f32, im : f32] -> complex<f32>` is complex, and
    `1.0 : f32 -> !tinytc.coopmatrix<...>` is a matrix.

    Constraints:
    * `constant_c1`: the value has the result's type, or its component type for a
      cooperative matrix
    * `constant_c2`: an integer is at least -2^63 + 1

    ```mlir
    tinytc.func @example() {
      %0 = tinytc.constant 42 : i8
      %1 = tinytc.constant true
      %2 = tinytc.constant [1.0 : f32, -1.0 : f32] -> complex<f32>
      %3 = tinytc.constant 0.0 : f32 -> !tinytc.coopmatrix<8x16xf32, matrix_acc>
    }
    ```

    Source: tensor language reference, constant.
  }];
  let arguments = (ins Arg<AnyAttr, "number, or pair of numbers if complex">:$value);
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
  let description = [{
    No work-item passes the barrier before all work-items of the work-group have reached
    it; all of them must reach it. The modifiers name the memory whose accesses before
    the barrier are visible to the work-group behind it.

    Execution: mixed. Barriers of collective regions are inserted by a pass.

    Syntax: `tinytc.barrier [global] [local]`

    ```mlir
    tinytc.func @example() {
      tinytc.parallel {
        tinytc.barrier global local
      }
    }
    ```

    Source: tensor language reference, barrier.
  }];
  let arguments = (ins
    Arg<UnitAttr, "make accesses to global memory visible">:$fence_global,
    Arg<UnitAttr, "make accesses to local memory visible">:$fence_local);
  let assemblyFormat =
    "(`global` $fence_global^)? (`local` $fence_local^)? attr-dict";
}

class TinyTC_Builtin<string word, Type type, Trait execution, string kind,
                     string sentence>
    : TinyTC_Op<"builtin." # word, [execution, Pure]> {
  let description = sentence # [{

    Execution: }] # kind # [{.

    Syntax: `%result = tinytc.builtin.}] # word # " : " # type.summary # [{`

    Constraints:
    * `builtin_c1`: the result has the type that the language gives to the value

    ```mlir
    tinytc.func @example() {
      tinytc.parallel {
        %0 = tinytc.builtin.}] # word # " : " # !if(!eq(type, Index), "index", "i32") # [{
      }
    }
    ```

    Source: tensor language reference, builtin.
  }];
  let results = (outs /*builtin_c1*/ type:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
}

def TinyTC_GroupIdOp : TinyTC_Builtin<"group_id", Index, Mixed, "mixed",
    "Returns the index of the work-group, from 0 to the group size - 1."> {
  let summary = "index of the work-group";
}
def TinyTC_GroupSizeOp : TinyTC_Builtin<"group_size", Index, Mixed, "mixed",
    "Returns the number of work-groups."> {
  let summary = "number of work-groups";
}
def TinyTC_NumSubgroupsOp : TinyTC_Builtin<"num_subgroups", I32, Mixed, "mixed",
    "Returns the number of subgroups that the work-group is divided in."> {
  let summary = "number of subgroups in the work-group";
}
def TinyTC_SubgroupSizeOp : TinyTC_Builtin<"subgroup_size", I32, Mixed, "mixed",
    "Returns the number of work-items in a subgroup."> {
  let summary = "number of work-items in a subgroup";
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

def TinyTC_ForOp : TinyTC_MixedOp<"for", [
    AttrSizedOperandSegments, AutomaticAllocationScope, RecursiveMemoryEffects,
    /*for_c1*/ AllTypesMatch<["from", "to"]>,
    DeclareOpInterfaceMethods<RegionBranchOpInterface,
      ["getEntrySuccessorOperands"]>,
    DeclareOpInterfaceMethods<LoopLikeOpInterface,
      ["getLoopInductionVars", "getLoopLowerBounds", "getLoopUpperBounds",
       "getLoopSteps", "getInitsMutable", "getRegionIterArgs",
       "getYieldedValuesMutable", "getLoopResults"]>,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "sequential loop with loop-carried values";
  let description = [{
    Runs the body for var = from, from + step, ... while var < to. The loop-carried
    values start with the initial values; the body yields those of the next iteration,
    and the op returns the last ones. A step that is not positive is undefined behaviour.

    Execution: mixed. The body has the kind of the region around; memory effects are
    those of the body.

    Syntax: `%result, ... = tinytc.for %var [: type] = %from, %to [, %step]
    [init(%name = %init, ...) -> (type, ...)] { ... } {unroll = true}`; the type
    defaults to index, the step to 1.

    Constraints:
    * `for_c1`: from, to and step have one integer type
    * `for_c2`: a constant step is positive
    * `for_c3`: the results have the number and the types of the initial values
    * `for_c4`: the body takes the loop variable and the loop-carried values
    * `for_c5`: the body yields values of the number and the types of the results

    ```mlir
    tinytc.func @fibonacci(%A: !tinytc.memref<i64>) {
      %from = tinytc.constant 2 : i32
      %to = tinytc.constant 6 : i32
      %f0 = tinytc.constant 0 : i64
      %f1 = tinytc.constant 1 : i64
      %a, %b = tinytc.for %n : i32 = %from, %to init(%x = %f0, %y = %f1) -> (i64, i64) {
        %z = tinytc.arith.add %x, %y : i64
        tinytc.yield %y, %z : i64, i64
      } {unroll = true}
      tinytc.store %b, %A[] : i64, !tinytc.memref<i64>
    }
    ```

    Source: tensor language reference, for.
  }];
  let arguments = (ins
    Arg<TinyTC_Integer, "first value of the loop variable">:$from,
    Arg<TinyTC_Integer, "value behind the last one">:$to,
    Arg<Optional<TinyTC_Integer>, "1 if absent">:$step,
    Arg<Variadic<TinyTC_Value>, "initial values">:$inits,
    Arg<OptionalAttr<BoolAttr>, "request to unroll, or not to unroll">:$unroll);
  let results = (outs Res<Variadic<TinyTC_Value>, "last loop-carried values">:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
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
  let description = [{
    Runs the first region if the condition is true, else the second one, and returns
    what it yields.

    Execution: mixed. The regions have the kind of the region around; memory effects are
    those of the regions.

    Syntax: `%result, ... = tinytc.if %condition [-> (type, ...)] { ... } [else { ... } ]`

    Constraints:
    * `if_c1`: there is an else region if there are results
    * `if_c2`: both regions yield values of the number and the types of the results
    * `if_c3`: the condition has boolean type

    ```mlir
    tinytc.func @example(%a: i32, %b: i32) {
      %0 = tinytc.cmp.lt %a, %b : i32
      %1 = tinytc.if %0 -> (i32) {
        tinytc.yield %a : i32
      } else {
        tinytc.yield %b : i32
      }
    }
    ```

    Source: tensor language reference, if.
  }];
  let arguments = (ins /*if_c3*/ TinyTC_Bool:$condition);
  let results = (outs Res<Variadic<TinyTC_Value>, "what the region yields">:$results);
  let regions = (region SizedRegion<1>:$then_region, MaxSizedRegion<1>:$else_region);
  let hasCustomAssemblyFormat = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def TinyTC_YieldOp : TinyTC_MixedOp<"yield", [
    Pure, ReturnLike, Terminator, /*yield_c1*/
    ParentOneOf<["ForOp", "IfOp", "ForeachOp", "ParallelOp", "FuncOp"]>]> {
  let summary = "values returned from the enclosing region";
  let description = [{
    Ends a region and returns values from it. Where there are none, it may be left out
    and is not printed.

    Execution: mixed.

    Syntax: `tinytc.yield [%value, ... : type, ...]`

    Constraints:
    * `yield_c1`: the op around is a for, if, foreach, parallel or func
    * `yield_c2`: the values have the number and the types of the results of that op
    * `yield_c3`: a value has boolean, scalar or coopmatrix type

    ```mlir
    tinytc.func @example(%condition: i1, %a: f32) {
      %0 = tinytc.if %condition -> (f32) {
        tinytc.yield %a : f32
      } else {
        %1 = tinytc.arith.neg %a : f32
        tinytc.yield %1 : f32
      }
    }
    ```

    Source: tensor language reference, yield.
  }];
  let arguments = (ins /*yield_c3*/ Variadic<TinyTC_Value>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` qualified(type($values)))?";
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
  let description = [{
    Returns a view of the source in which modes of the expand shape e_1 x ... x e_n stand
    in the place of one mode. Their product must be the size of that mode, which is
    undefined behaviour where it is not known to be so.

    Execution: mixed. Neither reads nor writes memory.

    Syntax: `%result = tinytc.expand %source[mode -> e_1 by e_2 ...] : type -> type`, an
    e_i being a constant or a value.

    Constraints:
    * `expand_c1`: source and result have the same element type and address space
    * `expand_c2`: 0 <= mode < order(source)
    * `expand_c3`: the expand shape has at least 2 entries, and constants are positive
    * `expand_c4`: the product of a constant expand shape is the size of the mode; the
      constants of a dynamic one divide it
    * `expand_c5`: shape(result) is the shape of the source with the expand shape in
      place of the mode; a value of the expand shape is `?`
    * `expand_c6`: the strides of new modes are S, S e_1, S e_1 e_2, ..., where S is the
      stride of the mode; others are kept; any of them may be `?`
    * `expand_c7`: values of the expand shape have index type

    ```mlir
    tinytc.func @example(%A: !tinytc.memref<32x16x8xf32>, %n: index) {
      %0 = tinytc.expand %A[1 -> 2 by 8]
        : !tinytc.memref<32x16x8xf32> -> !tinytc.memref<32x2x8x8xf32>
      %1 = tinytc.expand %A[1 -> 2 by %n] : !tinytc.memref<32x16x8xf32>
        -> !tinytc.memref<32x2x?x8xf32, strided<1,32,64,512>>
    }
    ```

    Source: tensor language reference, expand.
  }];
  let arguments = (ins
    TinyTC_Memref:$source, Arg<I64Attr, "mode to split, from 0">:$mode,
    Arg<DenseI64ArrayAttr, "expand shape, kDynamic where a value stands">:$static_shape,
    /*expand_c7*/ Arg<Variadic<Index>, "values of the expand shape">:$shape);
  let results = (outs TinyTC_Memref:$result);
  let assemblyFormat = [{
    $source `[` $mode `->` custom<ExpandShape>($static_shape, $shape) `]` attr-dict
    `:` qualified(type($source)) `->` qualified(type($result))
  }];
}

def TinyTC_FuseOp : TinyTC_ViewOp<"fuse"> {
  let summary = "view with adjacent modes joined into one";
  let description = [{
    Returns a view of the source in which one mode stands in the place of the modes from
    to to.

    Execution: mixed. Neither reads nor writes memory.

    Syntax: `%result = tinytc.fuse %source[from, to] : type -> type`

    Constraints:
    * `fuse_c1`: source and result have the same element type and address space
    * `fuse_c2`: 0 <= from < to < order(source)
    * `fuse_c3`: S_k s_k = S_{k+1} for strides S and sizes s, from <= k < to; undefined
      behaviour where it is not known to be so
    * `fuse_c4`: the size of the joined mode is the product of sizes, `?` if one is
      dynamic
    * `fuse_c5`: strides are kept, or `?`

    ```mlir
    tinytc.func @example(%A: !tinytc.memref<32x16x8x4x42xf32>) {
      %0 = tinytc.fuse %A[1, 3]
        : !tinytc.memref<32x16x8x4x42xf32> -> !tinytc.memref<32x512x42xf32>
    }
    ```

    Source: tensor language reference, fuse.
  }];
  let arguments = (ins
    TinyTC_Memref:$source, Arg<I64Attr, "first mode to join, from 0">:$from,
    Arg<I64Attr, "last mode to join">:$to);
  let results = (outs TinyTC_Memref:$result);
  let assemblyFormat = [{
    $source `[` $from `,` $to `]` attr-dict
    `:` qualified(type($source)) `->` qualified(type($result))
  }];
}

def TinyTC_SubviewOp : TinyTC_ViewOp<"subview", [AttrSizedOperandSegments]> {
  let summary = "view of a block of a tensor";
  let description = [{
    Returns a view of the block of elements [offset, offset + size) in every mode. A
    mode with the constant size 0, which an offset without size stands for, is removed
    from the result. Nothing checks at run time that the block lies within the source; a
    dynamic size of 0 is undefined behaviour.

    Execution: mixed. Neither reads nor writes memory.

    Syntax: `%result = tinytc.subview %source[offset:size, offset, ...] : type -> type`,
    offset and size being a constant or a value.

    Constraints:
    * `subview_c1`: source and result have the same element type and address space
    * `subview_c2`: there is one offset and one size for each mode of the source
    * `subview_c3`: constant offsets and sizes are not negative
    * `subview_c4`: constant offsets and sizes stay within a static size of the source
    * `subview_c5`: shape(result) is the sizes without those that are 0; a value is `?`
    * `subview_c6`: strides are kept, or `?`
    * `subview_c7`: values of offsets and sizes have index type

    ```mlir
    tinytc.func @example(%A: !tinytc.memref<16x42x13xf32>, %i: index, %n: index) {
      %0 = tinytc.subview %A[2:4, %i:%n, 6:7] : !tinytc.memref<16x42x13xf32>
        -> !tinytc.memref<4x?x7xf32, strided<1,16,672>>
      %1 = tinytc.subview %A[0:16, %i, 5]
        : !tinytc.memref<16x42x13xf32> -> !tinytc.memref<16xf32>
    }
    ```

    Source: tensor language reference, subview.
  }];
  let arguments = (ins
    TinyTC_Memref:$source,
    Arg<DenseI64ArrayAttr, "offsets, kDynamic where a value stands">:$static_offsets,
    Arg<DenseI64ArrayAttr, "sizes, kDynamic where a value stands">:$static_sizes,
    /*subview_c7*/ Arg<Variadic<Index>, "values of the offsets">:$offsets,
    Arg<Variadic<Index>, "values of the sizes">:$sizes);
  let results = (outs TinyTC_Memref:$result);
  let assemblyFormat = [{
    $source `` custom<Slices>($static_offsets, $static_sizes, $offsets, $sizes)
    attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TinyTC_SizeOp : TinyTC_MixedOp<"size", [Pure]> {
  let summary = "size of a mode or of a group";
  let description = [{
    Returns the size of a mode of a memref, or the number of elements of a group.

    Execution: mixed. Neither reads nor writes memory.

    Syntax: `%result = tinytc.size %source[mode] : type`

    Constraints:
    * `size_c1`: 0 <= mode < order(source); the mode of a group is 0

    ```mlir
    tinytc.func @example(%A: !tinytc.memref<16x?xf32>) {
      %0 = tinytc.size %A[1] : !tinytc.memref<16x?xf32>
    }
    ```

    Source: tensor language reference, size.
  }];
  let arguments = (ins TinyTC_MemrefOrGroup:$source,
                       Arg<I64Attr, "counted from 0">:$mode);
  let results = (outs Index:$result);
  let assemblyFormat = "$source `[` $mode `]` attr-dict `:` qualified(type($source))";
  let hasFolder = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Memory access
//===----------------------------------------------------------------------===//

def TinyTC_LoadOp : TinyTC_MixedOp<"load", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, /*load_c2*/
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "element of a memref or memref of a group";
  let description = [{
    Returns the element of a memref at the indices, or the memref at one index of a
    group: `group[i] + offset`, the offset being counted in elements.

    Execution: mixed. Reads a memref; the pointers of a group are constant.

    Syntax: `%result = tinytc.load %source[%index, ...] : type`, the type of the source

    Constraints:
    * `load_c1`: there are order(source) indices, and one for a group
    * `load_c2`: the result has the element type of a memref, the memref type of a group

    ```mlir
    tinytc.func @example(%A: !tinytc.memref<16x?xf32>, %i: index,
                         %G: !tinytc.group<!tinytc.memref<42xf32> x ?, offset: ?>) {
      %0 = tinytc.load %A[%i, %i] : !tinytc.memref<16x?xf32>
      %1 = tinytc.load %G[%i] : !tinytc.group<!tinytc.memref<42xf32> x ?, offset: ?>
    }
    ```

    Source: tensor language reference, load.
  }];
  let arguments = (ins TinyTC_MemrefOrGroup:$source,
                       Arg<Variadic<Index>, "one for each mode">:$indices);
  let results = (outs AnyTypeOf<[TinyTC_Scalar, TinyTC_Memref]>:$result);
  let assemblyFormat = "$source `[` $indices `]` attr-dict `:` qualified(type($source))";
  let hasVerifier = 1;
}

def TinyTC_StoreOp : TinyTC_MixedOp<"store"> {
  let summary = "write of one element of a memref";
  let description = [{
    Writes the value to the element at the indices. The memory order of `atomic` and
    `atomic_add` is relaxed; `atomic_add` adds the value to the element in one step. Of a
    complex value, real and imaginary part may be updated one by one.

    Execution: mixed; in a collective region all work-items write the element. Writes
    dest; atomic with the flags.

    Syntax: `tinytc.store [atomic|atomic_add] %value, %dest[%index, ...] : type, type`

    Constraints:
    * `store_c1`: type(value) = element_type(dest)
    * `store_c2`: there are order(dest) indices

    ```mlir
    tinytc.func @example(%x: f32, %A: !tinytc.memref<16x?xf32>, %i: index) {
      tinytc.store atomic_add %x, %A[%i, %i] : f32, !tinytc.memref<16x?xf32>
    }
    ```

    Source: tensor language reference, store.
  }];
  let arguments = (ins
    Arg<DefaultValuedAttr<TinyTC_StoreFlagAttr,
                          "::mlir::tinytc::StoreFlag::Regular">,
        "how the element is written">:$flag,
    TinyTC_Scalar:$value,
    Arg<TinyTC_Memref, "tensor of any order", [MemWrite]>:$dest,
    Arg<Variadic<Index>, "one for each mode">:$indices);
  let assemblyFormat = [{
    `` custom<OptionalStoreFlag>($flag) $value `,` $dest `[` $indices `]` attr-dict
    `:` qualified(type($value)) `,` qualified(type($dest))
  }];
  let hasVerifier = 1;
}

def TinyTC_LifetimeStopOp : TinyTC_MixedOp<"lifetime_stop"> {
  let summary = "end of the life of an alloca";
  let description = [{
    Ends the life of local memory before the end of its block, so that its place can be
    used again.

    Execution: mixed. Frees the memory.

    Syntax: `tinytc.lifetime_stop %memref : type`

    Constraints:
    * `lifetime_stop_c1`: the memref is the result of an alloca
    * `lifetime_stop_c2`: no loop and no SPMD region stands between the alloca and the op
    * `lifetime_stop_c3`: neither the memref nor a view of it is used later

    ```mlir
    tinytc.func @example() {
      %0 = tinytc.alloca : !tinytc.memref<16x8xf32, local>
      tinytc.lifetime_stop %0 : !tinytc.memref<16x8xf32, local>
    }
    ```

    Source: tensor language reference, additional instructions.
  }];
  let arguments = (ins
    Arg<TinyTC_Memref, "result of an alloca",
        [MemFree<AutomaticAllocationScopeResource>]>:$memref);
  let assemblyFormat = "$memref attr-dict `:` qualified(type($memref))";
  let hasVerifier = 1;
}

#endif // TINYTC_MIXEDOPS_TD
