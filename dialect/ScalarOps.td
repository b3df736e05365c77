//===- ScalarOps.td - Scalar instructions ------------------*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Mixed instructions on scalars and cooperative matrices: arithmetic, functions,
// comparisons, conversions, constants.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_SCALAROPS_TD
#define TINYTC_SCALAROPS_TD

/// Speculatable unless the division is one of integers.
def TinyTC_Division
    : DeclareOpInterfaceMethods<ConditionallySpeculatable, ["getSpeculatability"]>;

/// `sentence` is the first of the description, `type` and `value` appear in the example.
class TinyTC_ArithBinaryOp<string word, TypeConstraint allowed, string sentence,
                           string type, list<Trait> traits = [Pure]>
    : TinyTC_MixedOp<"arith." # word,
        !listconcat([/*arith_binary_c1*/ SameOperandsAndResultType], traits)> {
  let description = "\n    " # sentence # [{

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
def TinyTC_ArithRemOp : TinyTC_ArithBinaryOp<"rem", TinyTC_RealOrCoopMatrix,
    "Returns the remainder of a / b with the sign of a; the divisor of integers must not "
    "be zero.", "i32", [NoMemoryEffect, TinyTC_Division]> {
  let summary = "remainder of the division of operands";
}
def TinyTC_ArithShlOp : TinyTC_ArithBinaryOp<"shl", TinyTC_IntegerOrCoopMatrix,
    "Shifts a to the left by b bits, b taken modulo the number of bits of a.", "i32"> {
  let summary = "left shift";
}
def TinyTC_ArithShrOp : TinyTC_ArithBinaryOp<"shr", TinyTC_IntegerOrCoopMatrix,
    "Shifts a to the right by b bits, b taken modulo the number of bits of a, and keeps "
    "the sign.",
    "i32"> {
  let summary = "arithmetic right shift";
}
def TinyTC_ArithAndOp : TinyTC_ArithBinaryOp<"and", TinyTC_BoolOrIntegerOrCoopMatrix,
    "Returns the bitwise conjunction of a and b.", "i1", [Pure, Commutative]> {
  let summary = "bitwise and";
}
def TinyTC_ArithOrOp : TinyTC_ArithBinaryOp<"or", TinyTC_BoolOrIntegerOrCoopMatrix,
    "Returns the bitwise disjunction of a and b.", "i1", [Pure, Commutative]> {
  let summary = "bitwise or";
}
def TinyTC_ArithXorOp : TinyTC_ArithBinaryOp<"xor", TinyTC_BoolOrIntegerOrCoopMatrix,
    "Returns the bitwise exclusive disjunction of a and b.", "i64",
    [Pure, Commutative]> {
  let summary = "bitwise exclusive or";
}
def TinyTC_ArithMinOp : TinyTC_ArithBinaryOp<"min", TinyTC_RealOrCoopMatrix,
    "Returns the smaller of a and b as np.fmin does: a NaN loses to a number. Integers are "
    "signed.", "f64",
    [Pure, Commutative]> {
  let summary = "minimum of operands";
}
def TinyTC_ArithMaxOp : TinyTC_ArithBinaryOp<"max", TinyTC_RealOrCoopMatrix,
    "Returns the larger of a and b as np.fmax does: a NaN loses to a number. Integers are "
    "signed.", "index",
    [Pure, Commutative]> {
  let summary = "maximum of operands";
}

class TinyTC_ArithUnaryOp<string word, TypeConstraint allowed, TypeConstraint output,
                          string sentence, string type, list<Trait> traits>
    : TinyTC_MixedOp<"arith." # word, !listconcat([Pure], traits)> {
  let description = "\n    " # sentence # [{

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
    "a", "result", "::mlir::tinytc::getRealPartType($_self)">;

def TinyTC_ArithAbsOp : TinyTC_ArithUnaryOp<"abs", TinyTC_ScalarOrCoopMatrix,
    TinyTC_RealOrCoopMatrix,
    "Returns |a|.", "complex<f64>", [TinyTC_ResultIsRealPart]> {
  let summary = "absolute value";
}
def TinyTC_ArithNegOp : TinyTC_ArithUnaryOp<"neg", TinyTC_ScalarOrCoopMatrix,
    TinyTC_ScalarOrCoopMatrix, "Returns -a.", "f32",
    [/*arith_unary_c1*/ SameOperandsAndResultType]> {
  let summary = "negation";
}
def TinyTC_ArithNotOp : TinyTC_ArithUnaryOp<"not", TinyTC_BoolOrIntegerOrCoopMatrix,
    TinyTC_BoolOrIntegerOrCoopMatrix, "Returns the bitwise complement of a.", "i1",
    [/*arith_unary_c1*/ SameOperandsAndResultType]> {
  let summary = "bitwise not";
}
def TinyTC_ArithConjOp : TinyTC_ArithUnaryOp<"conj", TinyTC_ComplexOrCoopMatrix,
    TinyTC_ComplexOrCoopMatrix, "Returns the complex conjugate of a.", "complex<f32>",
    [/*arith_unary_c1*/ SameOperandsAndResultType]> {
  let summary = "complex conjugate";
}
def TinyTC_ArithImOp : TinyTC_ArithUnaryOp<"im", TinyTC_ComplexOrCoopMatrix,
    TinyTC_FloatingOrCoopMatrix, "Returns the imaginary part of a.", "complex<f32>", [TinyTC_ResultIsRealPart]> {
  let summary = "imaginary part";
}
def TinyTC_ArithReOp : TinyTC_ArithUnaryOp<"re", TinyTC_ComplexOrCoopMatrix,
    TinyTC_FloatingOrCoopMatrix, "Returns the real part of a.", "complex<f32>", [TinyTC_ResultIsRealPart]> {
  let summary = "real part";
}

def TinyTC_FloatingOrComplex
    : AnyTypeOf<[TinyTC_Floating, TinyTC_Complex], "floating or complex type">;

/// `name` is the instruction, `value` what it returns.
class TinyTC_MathOp<string name, string value, TypeConstraint allowed, string source>
    : TinyTC_MixedOp<name, [Pure, /*math_c1*/ SameOperandsAndResultType]> {
  let description = "\n    Returns " # value # [{.

    Execution: mixed.

    Syntax: `%result = tinytc.}] # name # [{ %a : type`

    Constraints:
    * `math_c1`: operand and result have the same type
    * `math_c2`: the type is }] # allowed.summary # [{

    ```mlir
    tinytc.func @example(%a: f32) {
      %0 = tinytc.}] # name # [{ %a : f32
    }
    ```

    Source: tensor language reference}] # source # ".\n";
  let arguments = (ins /*math_c2*/ allowed:$a);
  let results = (outs allowed:$result);
  let assemblyFormat = "$a attr-dict `:` qualified(type($result))";
}

/// One of version 0.4, which the language names without a prefix.
class TinyTC_LaterMathOp<string name, string value, TypeConstraint allowed>
    : TinyTC_MathOp<name, value, allowed, ", version 0.4, math (unary)">;

/// Its native form.
class TinyTC_NativeMathOp<string name, string value, TypeConstraint allowed>
    : TinyTC_LaterMathOp<"native_" # name,
                         value # " with an error that the implementation defines",
                         allowed>;

def TinyTC_MathExpOp
    : TinyTC_MathOp<"math.exp", "e^a", TinyTC_FloatingOrComplex, ", math (unary)"> {
  let summary = "exponential function";
}
def TinyTC_MathNativeExpOp
    : TinyTC_MathOp<"math.native_exp", "e^a with an error that the implementation defines",
                    TinyTC_FloatingOrComplex, ", math (unary)"> {
  let summary = "exponential function with implementation-defined error";
}
def TinyTC_MathExp2Op : TinyTC_LaterMathOp<"exp2", "2^a", TinyTC_FloatingOrComplex> {
  let summary = "power of two";
}
def TinyTC_MathNativeExp2Op
    : TinyTC_NativeMathOp<"exp2", "2^a", TinyTC_FloatingOrComplex> {
  let summary = "power of two with implementation-defined error";
}
def TinyTC_MathCosOp
    : TinyTC_LaterMathOp<"cos", "the cosine of a, in radians", TinyTC_Floating> {
  let summary = "cosine";
}
def TinyTC_MathNativeCosOp
    : TinyTC_NativeMathOp<"cos", "the cosine of a, in radians,", TinyTC_Floating> {
  let summary = "cosine with implementation-defined error";
}
def TinyTC_MathSinOp
    : TinyTC_LaterMathOp<"sin", "the sine of a, in radians", TinyTC_Floating> {
  let summary = "sine";
}
def TinyTC_MathNativeSinOp
    : TinyTC_NativeMathOp<"sin", "the sine of a, in radians,", TinyTC_Floating> {
  let summary = "sine with implementation-defined error";
}
def TinyTC_MathLogOp
    : TinyTC_LaterMathOp<"log", "the natural logarithm of a", TinyTC_Floating> {
  let summary = "natural logarithm";
}
def TinyTC_MathNativeLogOp
    : TinyTC_NativeMathOp<"log", "the natural logarithm of a", TinyTC_Floating> {
  let summary = "natural logarithm with implementation-defined error";
}
def TinyTC_MathLog2Op
    : TinyTC_LaterMathOp<"log2", "the logarithm of a to base 2", TinyTC_Floating> {
  let summary = "logarithm to base 2";
}
def TinyTC_MathNativeLog2Op
    : TinyTC_NativeMathOp<"log2", "the logarithm of a to base 2", TinyTC_Floating> {
  let summary = "logarithm to base 2 with implementation-defined error";
}

/// One that no version of the language has.
class TinyTC_MathExtensionOp<string name, string value>
    : TinyTC_MathOp<name, value, TinyTC_Floating, " has none; it is an extension">;

def TinyTC_SqrtOp : TinyTC_MathExtensionOp<"sqrt", "the square root of a"> {
  let summary = "square root";
}
def TinyTC_RsqrtOp : TinyTC_MathExtensionOp<"rsqrt", "1 / sqrt(a)"> {
  let summary = "reciprocal of the square root";
}
def TinyTC_TanhOp : TinyTC_MathExtensionOp<"tanh", "the hyperbolic tangent of a"> {
  let summary = "hyperbolic tangent";
}
def TinyTC_Expm1Op : TinyTC_MathExtensionOp<"expm1", "e^a - 1, exact for small a"> {
  let summary = "exponential function less 1";
}
def TinyTC_Log1pOp
    : TinyTC_MathExtensionOp<"log1p", "the natural logarithm of 1 + a, exact for small a"> {
  let summary = "natural logarithm of 1 plus the operand";
}
def TinyTC_FloorOp
    : TinyTC_MathExtensionOp<"floor", "the largest integer that is not above a"> {
  let summary = "rounding down";
}
def TinyTC_CeilOp
    : TinyTC_MathExtensionOp<"ceil", "the smallest integer that is not below a"> {
  let summary = "rounding up";
}

/// `names` are the operands, `value` is what the function returns.
class TinyTC_MultiaryMathOp<string name, string value, string names, dag operands,
                            TypeConstraint allowed = TinyTC_Floating>
    : TinyTC_MixedOp<name, [Pure, /*math_c1*/ SameOperandsAndResultType]> {
  let description = "\n    Returns " # value # [{.

    Execution: mixed.

    Syntax: `%result = tinytc.}] # name # " " # names # [{ : type`

    Constraints:
    * `math_c1`: operands and result have the same type
    * `math_c2`: the type is }] # allowed.summary # [{

    ```mlir
    tinytc.func @example(%a: f32, %b: f32, %c: f32) {
      %0 = tinytc.}] # name # " " # names # [{ : f32
    }
    ```

    Source: tensor language reference has none; it is an extension.
  }];
  let arguments = operands;
  let results = (outs allowed:$result);
  let assemblyFormat = !subst("%", "$", !subst(",", "`,`", names)) #
                       " attr-dict `:` qualified(type($result))";
}

def TinyTC_PowOp : TinyTC_MultiaryMathOp<"pow", "a^b", "%a, %b",
    (ins /*math_c2*/ TinyTC_Floating:$a, TinyTC_Floating:$b)> {
  let summary = "power";
}
def TinyTC_HypotOp
    : TinyTC_MultiaryMathOp<"hypot", "sqrt(a^2 + b^2) without overflow on the way", "%a, %b",
    (ins /*math_c2*/ TinyTC_Floating:$a, TinyTC_Floating:$b)> {
  let summary = "length of a vector of two components";
}
def TinyTC_MinimumOp
    : TinyTC_MultiaryMathOp<"minimum",
        "the smaller of a and b as np.minimum does: NaN if one of them is; integers are "
        "signed", "%a, %b", (ins /*math_c2*/ TinyTC_Real:$a, TinyTC_Real:$b), TinyTC_Real> {
  let summary = "minimum of operands that keeps NaN";
}
def TinyTC_MaximumOp
    : TinyTC_MultiaryMathOp<"maximum",
        "the larger of a and b as np.maximum does: NaN if one of them is; integers are "
        "signed", "%a, %b", (ins /*math_c2*/ TinyTC_Real:$a, TinyTC_Real:$b), TinyTC_Real> {
  let summary = "maximum of operands that keeps NaN";
}
def TinyTC_FmaOp : TinyTC_MultiaryMathOp<"fma", "a b + c with one rounding", "%a, %b, %c",
    (ins /*math_c2*/ TinyTC_Floating:$a, TinyTC_Floating:$b, TinyTC_Floating:$c)> {
  let summary = "product and sum with one rounding";
}

def TinyTC_SelectOp
    : TinyTC_MixedOp<"select", [Pure, /*select_c1*/ AllTypesMatch<["a", "b", "result"]>]> {
  let summary = "choice between two values";
  let description = [{
    Returns a where the condition is true, else b. Both are computed.

    Execution: mixed.

    Syntax: `%result = tinytc.select %condition, %a, %b : type`, the type of the result

    Constraints:
    * `select_c1`: both values and the result have the same type
    * `select_c2`: the type is bool or a scalar type

    ```mlir
    tinytc.func @example(%condition: i1, %a: f32, %b: f32) {
      %0 = tinytc.select %condition, %a, %b : f32
    }
    ```

    Source: tensor language reference has none; it is an extension.
  }];
  let arguments = (ins TinyTC_Bool:$condition,
    /*select_c2*/ TinyTC_BoolOrScalar:$a, TinyTC_BoolOrScalar:$b);
  let results = (outs TinyTC_BoolOrScalar:$result);
  let assemblyFormat =
    "$condition `,` $a `,` $b attr-dict `:` qualified(type($result))";
  let hasFolder = 1;
}

class TinyTC_CmpOp<string word, string symbol, TypeConstraint allowed,
                   list<Trait> traits = []>
    : TinyTC_MixedOp<"cmp." # word,
        !listconcat([Pure, /*cmp_c1*/ AllTypesMatch<["a", "b"]>], traits)> {
  let description = "\n    Returns whether a " # symbol # [{ b; integers are signed.

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
    Converts a, component by component for a cooperative matrix. Integers are
    sign-extended or truncated; floating-point numbers are rounded to nearest, or toward
    zero if the result is an integer; the imaginary part of a converted real is zero.

    Execution: mixed.

    Syntax: `%result = tinytc.cast %a : type -> type`

    Constraints:
    * `cast_c1`: operand and result are both scalars or both cooperative matrices
    * `cast_c2`: the shape of cooperative matrices is the same, and the use too, or it
      changes from matrix_acc to matrix_a or matrix_b
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

def TinyTC_BitcastOp : TinyTC_MixedOp<"bitcast", [Pure]> {
  let summary = "bits of a scalar or of a coopmatrix as another type";
  let description = [{
    Returns the value whose bits are those of a, component by component for a cooperative
    matrix. The real part of a c32 is in the lower half of an i64.

    Execution: mixed.

    Syntax: `%result = tinytc.bitcast %a : type -> type`

    Constraints:
    * `bitcast_c1`: operand and result are both scalars or both cooperative matrices
    * `bitcast_c2`: the shape of cooperative matrices is the same, and the use too, or it
      changes from matrix_acc to matrix_a or matrix_b
    * `bitcast_c3`: the types are i16 and bf16, i16 and f16, i32 and f32, i64 and f64, or
      i64 and c32, in either direction

    ```mlir
    tinytc.func @example(%a: f32) {
      %0 = tinytc.bitcast %a : f32 -> i32
    }
    ```

    Source: tensor language reference, version 0.5, bitcast.
  }];
  let arguments = (ins TinyTC_ScalarOrCoopMatrix:$a);
  let results = (outs TinyTC_ScalarOrCoopMatrix:$result);
  let assemblyFormat =
    "$a attr-dict `:` qualified(type($a)) `->` qualified(type($result))";
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TinyTC_ConstantOp : TinyTC_MixedOp<"constant", [
    Pure, ConstantLike,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "constant value";
  let description = [{
    Returns a constant; all components of a cooperative matrix are set to it. A
    constant memref is read-only memory that is part of the program: the compiler
    skips its zeros, and kernels of a program share equal ones.

    Execution: mixed.

    Syntax: `%result = tinytc.constant value : type`; if the type is not that of the
    value, `-> type` follows: `[re : f32, im : f32] -> complex<f32>` is complex,
    `1.0 : f32 -> !tinytc.coopmatrix<...>` is a matrix, and `dense<[[1.0, 2.0]]> :
    tensor<1x2xf32> -> !tinytc.memref<1x2xf32>` is a memref.

    Constraints:
    * `constant_c1`: the value has the result's type, or its component type for a
      cooperative matrix
    * `constant_c2`: integers are at least -2^63 + 1
    * `constant_c3`: a memref has a static shape, the packed layout, and the global
      address space, and its value is a dense tensor of its shape and element type
    * `constant_c4`: nothing writes to a constant memref

    ```mlir
    tinytc.func @example() {
      %0 = tinytc.constant 42 : i8
      %1 = tinytc.constant true
      %2 = tinytc.constant [1.0 : f32, -1.0 : f32] -> complex<f32>
      %3 = tinytc.constant 0.0 : f32 -> !tinytc.coopmatrix<8x16xf32, matrix_acc>
      %4 = tinytc.constant dense<[[1.0, 0.0], [0.5, 2.0]]> : tensor<2x2xf32>
        -> !tinytc.memref<2x2xf32>
    }
    ```

    Source: tensor language reference, constant; memrefs are an extension.
  }];
  let arguments = (ins
    Arg<AnyAttr, "number, pair of numbers if complex, or tensor for a memref">:$value);
  let results = (outs TinyTC_ConstantType:$result);
  let assemblyFormat = "custom<ConstantValue>($value, type($result)) attr-dict";
  let builders = [
    // A number of any scalar type, complex ones included.
    OpBuilder<(ins "::mlir::Type":$type, "int64_t":$number)>
  ];
  let hasFolder = 1;
  let hasVerifier = 1;
}

#endif // TINYTC_SCALAROPS_TD
