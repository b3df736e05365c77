//===- ConversionOps.td - Conversions between element types ----- -*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TILE_CONVERSIONOPS_TD
#define TILE_CONVERSIONOPS_TD


class Tile_ConversionOp<string mnemonic, string words, string value, string source,
                        string modifier, string from, string to, string rules = "">
    : Tile_Op<mnemonic, [Pure]> {
  let summary = words;
  let description = value # [{

    Syntax: `tile.}] # mnemonic # [{ %source modifiers : type -> type`
    }] # rules # [{
    ```mlir
    }] # source # [{
    %1 = tile.}] # mnemonic # " %0" # modifier # " : !tile.tile<4x" # from #
      "> -> !tile.tile<4x" # to # [{>
    ```

    Source: Tile IR dialect, }] # mnemonic # ".\n";
  let hasVerifier = 1;
}

class Tile_CastOp<string mnemonic, string words, string value, TypeConstraint operand,
                  TypeConstraint result, string source, string modifier, string from,
                  string to, string rules = "">
    : Tile_ConversionOp<mnemonic, words, value, source, modifier, from, to, rules> {
  let arguments = (ins operand:$source);
  let results = (outs result:$result);
  let assemblyFormat = [{
    $source attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
}

defvar floatSource = "%0 = tile.constant dense<1.0> : !tile.tile<4xf32>";
defvar integerSource = "%0 = tile.constant dense<1> : !tile.tile<4xi32>";
defvar longSource = "%0 = tile.constant dense<64> : !tile.tile<4xi64>";
defvar pointerSource = "%a = tile.constant dense<64> : !tile.tile<4xi64>\n    "
  "%0 = tile.int_to_ptr %a : !tile.tile<4xi64> -> !tile.tile<4x!tile.ptr<f32>>";

def Tile_BitcastOp : Tile_CastOp<"bitcast", "bits read as another type",
    "The same bits, in an element type of the same width.", Tile_NumberTile,
    Tile_NumberTile, floatSource, "", "f32", "i32", [{
    Constraints:
    * `bitcast_c1`: both element types have the same width
}]>;
def Tile_IntToPtrOp : Tile_CastOp<"int_to_ptr", "integers as pointers",
    "The pointers at the addresses.", Tile_I64Tile, Tile_PointerTile, longSource, "",
    "i64", "!tile.ptr<f32>">;
def Tile_PtrToIntOp : Tile_CastOp<"ptr_to_int", "pointers as integers",
    "The addresses of the pointers.", Tile_PointerTile, Tile_I64Tile, pointerSource, "",
    "!tile.ptr<f32>", "i64">;
def Tile_PtrToPtrOp : Tile_CastOp<"ptr_to_ptr", "pointers to another type",
    "The same addresses, of elements of another type.", Tile_PointerTile,
    Tile_PointerTile, pointerSource, "", "!tile.ptr<f32>", "!tile.ptr<i8>">;

def Tile_ExtIOp : Tile_ConversionOp<"exti", "wider integers",
    "The same integers in a wider type.", integerSource, " signed", "i32", "i64", [{
    Constraints:
    * `exti_c1`: the result is wider than the source
}]> {
  let arguments = (ins Tile_IntegerTile:$source, Tile_SignednessAttr:$signedness);
  let results = (outs Tile_IntegerTile:$result);
  let assemblyFormat = [{
    $source `` $signedness attr-dict `:` qualified(type($source)) `->`
    qualified(type($result))
  }];
}
def Tile_TruncIOp : Tile_ConversionOp<"trunci", "narrower integers",
    "The low bits of the integers.", integerSource, "", "i32", "i8", [{
    Constraints:
    * `trunci_c1`: the result is narrower than the source
}]> {
  let arguments = (ins Tile_IntegerTile:$source,
    DefaultValuedAttr<Tile_IntegerOverflowAttr,
                      "::mlir::tile::IntegerOverflow::None">:$overflow);
  let results = (outs Tile_IntegerTile:$result);
  let assemblyFormat = [{
    $source (`overflow` `=` `` $overflow^)? attr-dict `:` qualified(type($source)) `->`
    qualified(type($result))
  }];
}
def Tile_FToFOp : Tile_ConversionOp<"ftof", "floating-point numbers of another type",
    "The nearest numbers of another floating-point type.", floatSource, "", "f32", "f16",
    [{
    Constraints:
    * `ftof_c1`: the element types are different
}]> {
  let arguments = (ins Tile_AnyFloatTile:$source,
    DefaultValuedAttr<Tile_RoundingModeAttr,
                      "::mlir::tile::RoundingMode::NearestEven">:$rounding_mode);
  let results = (outs Tile_AnyFloatTile:$result);
  let assemblyFormat = [{
    $source (`rounding` `=` `` $rounding_mode^)? attr-dict `:` qualified(type($source))
    `->` qualified(type($result))
  }];
}
def Tile_FToIOp : Tile_ConversionOp<"ftoi", "floating-point numbers as integers",
    "The numbers rounded towards zero; the nearest integer of the type where they do not\n"
    "    fit, and 0 for NaN.", floatSource, " signed", "f32", "i32"> {
  let arguments = (ins Tile_AnyFloatTile:$source, Tile_SignednessAttr:$signedness,
    DefaultValuedAttr<Tile_RoundingModeAttr,
                      "::mlir::tile::RoundingMode::NearestIntToZero">:$rounding_mode);
  let results = (outs Tile_IntegerTile:$result);
  let assemblyFormat = [{
    $source `` $signedness (`rounding` `=` `` $rounding_mode^)? attr-dict `:`
    qualified(type($source)) `->` qualified(type($result))
  }];
}
def Tile_IToFOp : Tile_ConversionOp<"itof", "integers as floating-point numbers",
    "The nearest floating-point numbers.", integerSource, " signed", "i32", "f32"> {
  let arguments = (ins Tile_IntegerTile:$source, Tile_SignednessAttr:$signedness,
    DefaultValuedAttr<Tile_RoundingModeAttr,
                      "::mlir::tile::RoundingMode::NearestEven">:$rounding_mode);
  let results = (outs Tile_AnyFloatTile:$result);
  let assemblyFormat = [{
    $source `` $signedness (`rounding` `=` `` $rounding_mode^)? attr-dict `:`
    qualified(type($source)) `->` qualified(type($result))
  }];
}

#endif // TILE_CONVERSIONOPS_TD
