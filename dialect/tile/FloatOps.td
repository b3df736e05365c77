//===- FloatOps.td - Arithmetic on floating-point tiles --------- -*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TILE_FLOATOPS_TD
#define TILE_FLOATOPS_TD


/// result[i] = function of the operands' elements at i.
class Tile_ElementwiseOp<string mnemonic, string words, string formula, string from,
                         string example>
    : Tile_Op<mnemonic, [Pure, SameOperandsAndResultType /*elementwise_c1*/]> {
  let summary = "element-wise " # words;
  let description = "result[i] = " # formula # [{.

    Syntax: `tile.}] # mnemonic # [{ operands modifiers : type`

    ```mlir
    }] # example # [{
    ```

    Source: Tile IR }] # from # ", " # mnemonic # ".\n";
}

defvar floatExample = "%0 = tile.constant dense<1.0> : !tile.tile<4xf32>\n    ";

class Tile_FloatUnaryOp<string mnemonic, string words, string formula>
    : Tile_ElementwiseOp<mnemonic, words, formula, "dialect",
        floatExample # "%1 = tile." # mnemonic # " %0 : !tile.tile<4xf32>"> {
  let arguments = (ins Tile_FloatTile:$source);
  let results = (outs Tile_FloatTile:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($result))";
}

def Tile_AbsFOp : Tile_FloatUnaryOp<"absf", "absolute value", "|source[i]|">;
def Tile_NegFOp : Tile_FloatUnaryOp<"negf", "negation", "-source[i]">;
def Tile_CeilOp : Tile_FloatUnaryOp<"ceil", "rounding up", "ceil(source[i])">;
def Tile_FloorOp : Tile_FloatUnaryOp<"floor", "rounding down", "floor(source[i])">;
def Tile_LogOp : Tile_FloatUnaryOp<"log", "natural logarithm", "ln(source[i])">;
def Tile_Log2Op : Tile_FloatUnaryOp<"log2", "base-2 logarithm", "log2(source[i])">;
def Tile_SinOp : Tile_FloatUnaryOp<"sin", "sine", "sin(source[i])">;
def Tile_CosOp : Tile_FloatUnaryOp<"cos", "cosine", "cos(source[i])">;
def Tile_TanOp : Tile_FloatUnaryOp<"tan", "tangent", "tan(source[i])">;
def Tile_SinHOp : Tile_FloatUnaryOp<"sinh", "hyperbolic sine", "sinh(source[i])">;
def Tile_CosHOp : Tile_FloatUnaryOp<"cosh", "hyperbolic cosine", "cosh(source[i])">;

/// A function whose rounding mode came with a later version of the bytecode; before it,
/// `full` is the only one.
class Tile_FloatRoundedUnaryOp<string mnemonic, string words, string formula>
    : Tile_FloatUnaryOp<mnemonic, words, formula> {
  let arguments = (ins Tile_FloatTile:$source,
    DefaultValuedAttr<Tile_RoundingModeAttr,
                      "::mlir::tile::RoundingMode::Full">:$rounding_mode);
  let assemblyFormat = [{
    $source (`rounding` `=` `` $rounding_mode^)? attr-dict `:` qualified(type($result))
  }];
}

def Tile_ExpOp : Tile_FloatRoundedUnaryOp<"exp", "exponential", "e ^ source[i]">;
def Tile_TanHOp
    : Tile_FloatRoundedUnaryOp<"tanh", "hyperbolic tangent", "tanh(source[i])">;

class Tile_FloatFlushedUnaryOp<string mnemonic, string words, string formula>
    : Tile_FloatUnaryOp<mnemonic, words, formula> {
  let arguments = (ins Tile_FloatTile:$source,
    Arg<UnitAttr, "subnormal numbers count as zero, f32 only">:$flush_to_zero);
  let assemblyFormat = [{
    $source (`flush_to_zero` $flush_to_zero^)? attr-dict `:` qualified(type($result))
  }];
}

def Tile_Exp2Op : Tile_FloatFlushedUnaryOp<"exp2", "power of two", "2 ^ source[i]">;
def Tile_RsqrtOp : Tile_FloatFlushedUnaryOp<"rsqrt", "reciprocal square root",
                                            "1 / sqrt(source[i])">;

def Tile_SqrtOp : Tile_FloatUnaryOp<"sqrt", "square root", "sqrt(source[i])"> {
  let arguments = (ins Tile_FloatTile:$source,
    DefaultValuedAttr<Tile_RoundingModeAttr,
                      "::mlir::tile::RoundingMode::NearestEven">:$rounding_mode,
    Arg<UnitAttr, "subnormal numbers count as zero, f32 only">:$flush_to_zero);
  let assemblyFormat = [{
    $source (`rounding` `=` `` $rounding_mode^)? (`flush_to_zero` $flush_to_zero^)?
    attr-dict `:` qualified(type($result))
  }];
}

class Tile_FloatBinaryOp<string mnemonic, string words, string formula>
    : Tile_ElementwiseOp<mnemonic, words, formula, "dialect",
        floatExample # "%1 = tile." # mnemonic # " %0, %0 : !tile.tile<4xf32>"> {
  let results = (outs Tile_FloatTile:$result);
}

class Tile_FloatRoundedBinaryOp<string mnemonic, string words, string formula>
    : Tile_FloatBinaryOp<mnemonic, words, formula> {
  let arguments = (ins Tile_FloatTile:$lhs, Tile_FloatTile:$rhs,
    DefaultValuedAttr<Tile_RoundingModeAttr,
                      "::mlir::tile::RoundingMode::NearestEven">:$rounding_mode,
    Arg<UnitAttr, "subnormal numbers count as zero, f32 only">:$flush_to_zero);
  let assemblyFormat = [{
    $lhs `,` $rhs (`rounding` `=` `` $rounding_mode^)?
    (`flush_to_zero` $flush_to_zero^)? attr-dict `:` qualified(type($result))
  }];
}

def Tile_AddFOp : Tile_FloatRoundedBinaryOp<"addf", "sum", "lhs[i] + rhs[i]">;
def Tile_SubFOp : Tile_FloatRoundedBinaryOp<"subf", "difference", "lhs[i] - rhs[i]">;
def Tile_MulFOp : Tile_FloatRoundedBinaryOp<"mulf", "product", "lhs[i] * rhs[i]">;
def Tile_DivFOp : Tile_FloatRoundedBinaryOp<"divf", "quotient", "lhs[i] / rhs[i]">;

def Tile_RemFOp : Tile_FloatBinaryOp<"remf", "remainder",
    "lhs[i] - trunc(lhs[i] / rhs[i]) * rhs[i]"> {
  let arguments = (ins Tile_FloatTile:$lhs, Tile_FloatTile:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` qualified(type($result))";
}
def Tile_PowOp : Tile_FloatBinaryOp<"pow", "power", "source[i] ^ exponent[i]"> {
  let arguments = (ins Tile_FloatTile:$source, Tile_FloatTile:$exponent);
  let assemblyFormat = "$source `,` $exponent attr-dict `:` qualified(type($result))";
}

/// With `propagate_nan`, NaN in either operand gives NaN; else the number is chosen.
class Tile_FloatChoiceOp<string mnemonic, string words, string formula>
    : Tile_FloatBinaryOp<mnemonic, words, formula> {
  let arguments = (ins Tile_FloatTile:$lhs, Tile_FloatTile:$rhs,
    Arg<UnitAttr, "NaN in either operand gives NaN">:$propagate_nan,
    Arg<UnitAttr, "subnormal numbers count as zero, f32 only">:$flush_to_zero);
  let assemblyFormat = [{
    $lhs `,` $rhs (`propagate_nan` $propagate_nan^)? (`flush_to_zero` $flush_to_zero^)?
    attr-dict `:` qualified(type($result))
  }];
}
def Tile_MaxFOp : Tile_FloatChoiceOp<"maxf", "maximum", "max(lhs[i], rhs[i])">;
def Tile_MinFOp : Tile_FloatChoiceOp<"minf", "minimum", "min(lhs[i], rhs[i])">;

def Tile_FmaOp : Tile_ElementwiseOp<"fma", "product and sum with one rounding",
    "lhs[i] * rhs[i] + acc[i]", "dialect",
    floatExample # "%1 = tile.fma %0, %0, %0 : !tile.tile<4xf32>"> {
  let arguments = (ins Tile_FloatTile:$lhs, Tile_FloatTile:$rhs, Tile_FloatTile:$acc,
    DefaultValuedAttr<Tile_RoundingModeAttr,
                      "::mlir::tile::RoundingMode::NearestEven">:$rounding_mode,
    Arg<UnitAttr, "subnormal numbers count as zero, f32 only">:$flush_to_zero);
  let results = (outs Tile_FloatTile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc (`rounding` `=` `` $rounding_mode^)?
    (`flush_to_zero` $flush_to_zero^)? attr-dict `:` qualified(type($result))
  }];
}

def Tile_CmpFOp : Tile_Op<"cmpf", [Pure, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "element-wise comparison of floating-point tiles";
  let description = [{
    result[i] = lhs[i] predicate rhs[i]. Where an element is NaN, the result is false for
    `ordered` and true for `unordered`.

    Syntax: `tile.cmpf predicate ordering %lhs, %rhs : type -> type`

    Constraints:
    * `cmpf_c1`: the result has the shape of the operands

    ```mlir
    %0 = tile.constant dense<1.0> : !tile.tile<4xf32>
    %1 = tile.cmpf less_than ordered %0, %0 : !tile.tile<4xf32> -> !tile.tile<4xi1>
    ```

    Source: Tile IR reference, cmpf.
  }];
  let arguments = (ins Tile_ComparisonPredicateAttr:$comparison_predicate,
    Tile_ComparisonOrderingAttr:$comparison_ordering,
    Tile_FloatTile:$lhs, Tile_FloatTile:$rhs);
  let results = (outs Tile_BoolTile:$result);
  let assemblyFormat = [{
    `` $comparison_predicate `` $comparison_ordering $lhs `,` $rhs attr-dict `:`
    qualified(type($lhs)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Tile_MmaFOp : Tile_Op<"mmaf", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "matrix product of floating-point tiles";
  let description = [{
    result = lhs rhs + acc, for tiles M x K, K x N and M x N, or a batch of them in a
    leading dimension.

    Syntax: `tile.mmaf %lhs, %rhs, %acc : type, type, type`

    Constraints:
    * `mmaf_c1`: lhs and rhs have the same element type, and acc one that fits: f16 or f32
      for f16 and 8 bits, f32 for bf16, tf32 and f32, f64 for f64
    * `mmaf_c2`: shapes are (M, K), (K, N), (M, N) or (B, M, K), (B, K, N), (B, M, N)

    ```mlir
    %0 = tile.constant dense<1.0> : !tile.tile<4x8xf16>
    %1 = tile.constant dense<1.0> : !tile.tile<8x2xf16>
    %2 = tile.constant dense<0.0> : !tile.tile<4x2xf32>
    %3 = tile.mmaf %0, %1, %2
      : !tile.tile<4x8xf16>, !tile.tile<8x2xf16>, !tile.tile<4x2xf32>
    ```

    Source: Tile IR reference, mmaf.
  }];
  let arguments = (ins Tile_AnyFloatTile:$lhs, Tile_AnyFloatTile:$rhs, Tile_AccTile:$acc);
  let results = (outs Tile_AccTile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc attr-dict `:` qualified(type($lhs)) `,`
    qualified(type($rhs)) `,` qualified(type($acc))
  }];
  let hasVerifier = 1;
}

#endif // TILE_FLOATOPS_TD
