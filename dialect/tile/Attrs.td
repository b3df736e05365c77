//===- Attrs.td - Enums and promises of the tile dialect -----*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The numbers of the cases are those of the bytecode.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_ATTRS_TD
#define TILE_ATTRS_TD

class Tile_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::tile";
  let genSpecializedAttr = 0;
}

/// An enum attribute whose custom form is the keyword alone.
class Tile_EnumAttr<EnumAttrInfo info, string mnemonic>
    : EnumAttr<Tile_Dialect, info, mnemonic> {
  let assemblyFormat = "$value";
}

def Tile_Signedness : Tile_Enum<"Signedness", "how an integer is read", [
  I32EnumAttrCase<"Unsigned", 0, "unsigned">,
  I32EnumAttrCase<"Signed", 1, "signed">]>;
def Tile_SignednessAttr : Tile_EnumAttr<Tile_Signedness, "signedness">;

def Tile_IntegerOverflow
    : Tile_Enum<"IntegerOverflow", "promise that a result does not wrap around", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"NoSignedWrap", 1, "no_signed_wrap">,
  I32EnumAttrCase<"NoUnsignedWrap", 2, "no_unsigned_wrap">,
  I32EnumAttrCase<"NoWrap", 3, "no_wrap">]>;
def Tile_IntegerOverflowAttr : Tile_EnumAttr<Tile_IntegerOverflow, "overflow">;

def Tile_RoundingMode : Tile_Enum<"RoundingMode", "direction of rounding", [
  I32EnumAttrCase<"NearestEven", 0, "nearest_even">,
  I32EnumAttrCase<"Zero", 1, "zero">,
  I32EnumAttrCase<"NegativeInf", 2, "negative_inf">,
  I32EnumAttrCase<"PositiveInf", 3, "positive_inf">,
  I32EnumAttrCase<"Approx", 4, "approx">,
  I32EnumAttrCase<"Full", 5, "full">,
  I32EnumAttrCase<"NearestIntToZero", 6, "nearest_int_to_zero">]>;
def Tile_RoundingModeAttr : Tile_EnumAttr<Tile_RoundingMode, "rounding">;

def Tile_ComparisonOrdering
    : Tile_Enum<"ComparisonOrdering", "result of a comparison with NaN", [
  I32EnumAttrCase<"Unordered", 0, "unordered">,
  I32EnumAttrCase<"Ordered", 1, "ordered">]>;
def Tile_ComparisonOrderingAttr
    : Tile_EnumAttr<Tile_ComparisonOrdering, "comparison_ordering">;

def Tile_ComparisonPredicate : Tile_Enum<"ComparisonPredicate", "comparison", [
  I32EnumAttrCase<"Equal", 0, "equal">,
  I32EnumAttrCase<"NotEqual", 1, "not_equal">,
  I32EnumAttrCase<"LessThan", 2, "less_than">,
  I32EnumAttrCase<"LessThanOrEqual", 3, "less_than_or_equal">,
  I32EnumAttrCase<"GreaterThan", 4, "greater_than">,
  I32EnumAttrCase<"GreaterThanOrEqual", 5, "greater_than_or_equal">]>;
def Tile_ComparisonPredicateAttr
    : Tile_EnumAttr<Tile_ComparisonPredicate, "comparison_predicate">;

def Tile_MemoryScope
    : Tile_Enum<"MemoryScope", "tile blocks that may access the same place", [
  I32EnumAttrCase<"TileBlock", 0, "tl_blk">,
  I32EnumAttrCase<"Device", 1, "device">,
  I32EnumAttrCase<"System", 2, "sys">]>;
def Tile_MemoryScopeAttr : Tile_EnumAttr<Tile_MemoryScope, "memory_scope">;

def Tile_MemoryOrdering : Tile_Enum<"MemoryOrdering", "order of an access", [
  I32EnumAttrCase<"Weak", 0, "weak">,
  I32EnumAttrCase<"Relaxed", 1, "relaxed">,
  I32EnumAttrCase<"Acquire", 2, "acquire">,
  I32EnumAttrCase<"Release", 3, "release">,
  I32EnumAttrCase<"AcquireRelease", 4, "acq_rel">]>;
def Tile_MemoryOrderingAttr : Tile_EnumAttr<Tile_MemoryOrdering, "memory_ordering">;

def Tile_AtomicMode : Tile_Enum<"AtomicMode", "update of an atomic access", [
  I32EnumAttrCase<"And", 0, "and">,
  I32EnumAttrCase<"Or", 1, "or">,
  I32EnumAttrCase<"Xor", 2, "xor">,
  I32EnumAttrCase<"Add", 3, "add">,
  I32EnumAttrCase<"AddF", 4, "addf">,
  I32EnumAttrCase<"Max", 5, "max">,
  I32EnumAttrCase<"Min", 6, "min">,
  I32EnumAttrCase<"UMax", 7, "umax">,
  I32EnumAttrCase<"UMin", 8, "umin">,
  I32EnumAttrCase<"Exchange", 9, "xchg">]>;
def Tile_AtomicModeAttr : Tile_EnumAttr<Tile_AtomicMode, "atomic_mode">;

def Tile_PaddingValue : Tile_Enum<"PaddingValue", "elements outside of a view", [
  I32EnumAttrCase<"Zero", 0, "zero">,
  I32EnumAttrCase<"NegativeZero", 1, "neg_zero">,
  I32EnumAttrCase<"NaN", 2, "nan">,
  I32EnumAttrCase<"PositiveInf", 3, "pos_inf">,
  I32EnumAttrCase<"NegativeInf", 4, "neg_inf">]>;
def Tile_PaddingValueAttr : Tile_EnumAttr<Tile_PaddingValue, "padding_value">;

//===----------------------------------------------------------------------===//
// Promises of tile.assume
//===----------------------------------------------------------------------===//

class Tile_Attr<string name, string attrMnemonic> : AttrDef<Tile_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Tile_DivByAttr : Tile_Attr<"DivBy", "div_by"> {
  let summary = "promise of divisibility";
  let description = [{
    The integers of a tile, the addresses in a tile of pointers, or the first address of a
    view are multiples of the divisor. With `every` and `along` only the first of each
    `every` elements along a dimension is; the others follow it one by one.

    `#tile.div_by<16>`, `#tile.div_by<16 every 4 along 0>`

    Constraints:
    * `div_by_c1`: the divisor is a positive power of two
    * `div_by_c2`: `every` and `along` are both there or both absent
  }];
  let parameters = (ins "int64_t":$divisor,
    OptionalParameter<"std::optional<int64_t>">:$every,
    OptionalParameter<"std::optional<int64_t>">:$along);
  let assemblyFormat = "`<` $divisor (` ` `every` $every^)? (` ` `along` $along^)? `>`";
  let genVerifyDecl = 1;
}

def Tile_SameElementsAttr : Tile_Attr<"SameElements", "same_elements"> {
  let summary = "promise of equal elements";
  let description = [{
    Each dimension consists of groups of the given size, within which all elements of the
    tile are equal; 1 promises nothing.

    `#tile.same_elements<[1, 4]>`
  }];
  let parameters = (ins "::mlir::DenseI64ArrayAttr":$values);
  let assemblyFormat = "`<` $values `>`";
}

def Tile_BoundedAttr : Tile_Attr<"Bounded", "bounded"> {
  let summary = "promise of bounds";
  let description = [{
    The integers of a tile, read as signed, are within the bounds, both included.

    `#tile.bounded<lower 0 upper 31>`, `#tile.bounded<lower 0>`

    Constraints:
    * `bounded_c1`: lower <= upper
  }];
  let parameters = (ins
    OptionalParameter<"std::optional<int64_t>">:$lower,
    OptionalParameter<"std::optional<int64_t>">:$upper);
  let assemblyFormat = "`<` (`lower` $lower^)? (` ` `upper` $upper^)? `>`";
  let genVerifyDecl = 1;
}

def Tile_PromiseAttr
    : AnyAttrOf<[Tile_DivByAttr, Tile_SameElementsAttr, Tile_BoundedAttr],
                "div_by, same_elements or bounded">;

#endif // TILE_ATTRS_TD
