//===- IntegerOps.td - Arithmetic on integer tiles ------------- -*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TILE_INTEGEROPS_TD
#define TILE_INTEGEROPS_TD


defvar integerExample = "%0 = tile.constant dense<1> : !tile.tile<4xi32>\n    ";

class Tile_IntegerUnaryOp<string mnemonic, string words, string formula>
    : Tile_ElementwiseOp<mnemonic, words, formula, "dialect",
        integerExample # "%1 = tile." # mnemonic # " %0 : !tile.tile<4xi32>"> {
  let arguments = (ins Tile_IntegerTile:$source);
  let results = (outs Tile_IntegerTile:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($result))";
}

def Tile_AbsIOp : Tile_IntegerUnaryOp<"absi", "absolute value", "|source[i]|">;
def Tile_NegIOp : Tile_IntegerUnaryOp<"negi", "negation", "-source[i]"> {
  let arguments = (ins Tile_IntegerTile:$source,
    DefaultValuedAttr<Tile_IntegerOverflowAttr,
                      "::mlir::tile::IntegerOverflow::None">:$overflow);
  let assemblyFormat = [{
    $source (`overflow` `=` `` $overflow^)? attr-dict `:` qualified(type($result))
  }];
}

class Tile_IntegerBinaryOp<string mnemonic, string words, string formula,
                           string modifier = "">
    : Tile_ElementwiseOp<mnemonic, words, formula, "dialect",
        integerExample # "%1 = tile." # mnemonic # " %0, %0" # modifier #
        " : !tile.tile<4xi32>"> {
  let arguments = (ins Tile_IntegerTile:$lhs, Tile_IntegerTile:$rhs);
  let results = (outs Tile_IntegerTile:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` qualified(type($result))";
}

def Tile_AndIOp : Tile_IntegerBinaryOp<"andi", "bitwise and", "lhs[i] & rhs[i]">;
def Tile_OrIOp : Tile_IntegerBinaryOp<"ori", "bitwise or", "lhs[i] | rhs[i]">;
def Tile_XOrIOp : Tile_IntegerBinaryOp<"xori", "bitwise exclusive or", "lhs[i] ^ rhs[i]">;

class Tile_WrappingOp<string mnemonic, string words, string formula>
    : Tile_IntegerBinaryOp<mnemonic, words, formula> {
  let arguments = (ins Tile_IntegerTile:$lhs, Tile_IntegerTile:$rhs,
    DefaultValuedAttr<Tile_IntegerOverflowAttr,
                      "::mlir::tile::IntegerOverflow::None">:$overflow);
  let assemblyFormat = [{
    $lhs `,` $rhs (`overflow` `=` `` $overflow^)? attr-dict `:` qualified(type($result))
  }];
}

def Tile_AddIOp : Tile_WrappingOp<"addi", "sum", "lhs[i] + rhs[i]">;
def Tile_SubIOp : Tile_WrappingOp<"subi", "difference", "lhs[i] - rhs[i]">;
def Tile_MulIOp : Tile_WrappingOp<"muli", "product", "lhs[i] * rhs[i]">;
def Tile_ShLIOp : Tile_WrappingOp<"shli", "shift to the left", "lhs[i] << rhs[i]">;

class Tile_SignedOp<string mnemonic, string words, string formula>
    : Tile_IntegerBinaryOp<mnemonic, words, formula, " signed"> {
  let arguments = (ins Tile_IntegerTile:$lhs, Tile_IntegerTile:$rhs,
                       Tile_SignednessAttr:$signedness);
  let assemblyFormat = "$lhs `,` $rhs `` $signedness attr-dict `:` qualified(type($result))";
}

def Tile_MaxIOp : Tile_SignedOp<"maxi", "maximum", "max(lhs[i], rhs[i])">;
def Tile_MinIOp : Tile_SignedOp<"mini", "minimum", "min(lhs[i], rhs[i])">;
def Tile_RemIOp : Tile_SignedOp<"remi", "remainder with the sign of lhs",
                                "lhs[i] - trunc(lhs[i] / rhs[i]) * rhs[i]">;
def Tile_ShRIOp : Tile_SignedOp<"shri", "shift to the right", "lhs[i] >> rhs[i]">;
def Tile_DivIOp : Tile_SignedOp<"divi", "quotient", "round(lhs[i] / rhs[i])"> {
  let arguments = (ins Tile_IntegerTile:$lhs, Tile_IntegerTile:$rhs,
    Tile_SignednessAttr:$signedness,
    DefaultValuedAttr<Tile_RoundingModeAttr, "::mlir::tile::RoundingMode::Zero">:$rounding);
  let assemblyFormat = [{
    $lhs `,` $rhs `` $signedness (`rounding` `=` `` $rounding^)? attr-dict `:`
    qualified(type($result))
  }];
}

def Tile_CmpIOp : Tile_Op<"cmpi", [Pure, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "element-wise comparison of integer tiles";
  let description = [{
    result[i] = lhs[i] predicate rhs[i].

    Syntax: `tile.cmpi predicate %lhs, %rhs signedness : type -> type`

    Constraints:
    * `cmpi_c1`: the result has the shape of the operands

    ```mlir
    %0 = tile.constant dense<1> : !tile.tile<4xi32>
    %1 = tile.cmpi less_than %0, %0 signed : !tile.tile<4xi32> -> !tile.tile<4xi1>
    ```

    Source: Tile IR reference, cmpi.
  }];
  let arguments = (ins Tile_ComparisonPredicateAttr:$comparison_predicate,
    Tile_IntegerTile:$lhs, Tile_IntegerTile:$rhs, Tile_SignednessAttr:$signedness);
  let results = (outs Tile_BoolTile:$result);
  let assemblyFormat = [{
    `` $comparison_predicate $lhs `,` $rhs `` $signedness attr-dict `:` qualified(type($lhs))
    `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Tile_MmaIOp : Tile_Op<"mmai", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "matrix product of integer tiles";
  let description = [{
    result = lhs rhs + acc, for tiles M x K, K x N and M x N, or a batch of them in a
    leading dimension.

    Syntax: `tile.mmai %lhs, %rhs, %acc signedness signedness : type, type, type`

    Constraints:
    * `mmai_c1`: shapes are (M, K), (K, N), (M, N) or (B, M, K), (B, K, N), (B, M, N)

    ```mlir
    %0 = tile.constant dense<1> : !tile.tile<4x8xi8>
    %1 = tile.constant dense<1> : !tile.tile<8x2xi8>
    %2 = tile.constant dense<0> : !tile.tile<4x2xi32>
    %3 = tile.mmai %0, %1, %2 signed signed
      : !tile.tile<4x8xi8>, !tile.tile<8x2xi8>, !tile.tile<4x2xi32>
    ```

    Source: Tile IR reference, mmai.
  }];
  let arguments = (ins Tile_ByteTile:$lhs, Tile_ByteTile:$rhs, Tile_I32Tile:$acc,
    Tile_SignednessAttr:$signedness_lhs, Tile_SignednessAttr:$signedness_rhs);
  let results = (outs Tile_I32Tile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc `` $signedness_lhs `` $signedness_rhs attr-dict `:`
    qualified(type($lhs)) `,` qualified(type($rhs)) `,` qualified(type($acc))
  }];
  let hasVerifier = 1;
}

#endif // TILE_INTEGEROPS_TD
