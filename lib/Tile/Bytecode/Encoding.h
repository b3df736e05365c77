//===- Encoding.h - How each op is written --------------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers of sections, types, attributes and
// ops, and the fields of each op in their order.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_TILE_BYTECODE_ENCODING_H
#define TINYTC_LIB_TILE_BYTECODE_ENCODING_H

#include "dialect/tile/Tile.h"

namespace mlir::tile {

constexpr char kMagic[8] = {0x7f, 'T', 'i', 'l', 'e', 'I', 'R', 0};
constexpr uint8_t kPadding = 0xcb;

enum class Section : uint8_t {
  End = 0,
  Strings = 1,
  Functions = 2,
  Debug = 3,
  Constants = 4,
  Types = 5,
  Globals = 6
};

enum class TypeTag : uint8_t {
  I1 = 0,
  I8 = 1,
  I16 = 2,
  I32 = 3,
  I64 = 4,
  F16 = 5,
  BF16 = 6,
  F32 = 7,
  TF32 = 8,
  F64 = 9,
  F8E4M3FN = 10,
  F8E5M2 = 11,
  Pointer = 12,
  Tile = 13,
  TensorView = 14,
  PartitionView = 15,
  Function = 16,
  Token = 17
};

enum class AttributeTag : uint8_t {
  Integer = 1,
  Float = 2,
  DivBy = 8,
  SameElements = 9,
  Dictionary = 10,
  Hints = 11,
  Bounded = 12
};

/// Flags of a function.
constexpr uint8_t kIsKernel = 2, kHasHints = 4;

/// Number types in the order of their tags, which are the indices.
ArrayRef<Type (*)(MLIRContext *)> getNumberTypes();

enum class FieldKind {
  Unit,         ///< a flag
  Enum,         ///< a number
  OptionalEnum, ///< a flag, and a number if it is set
  Integer,      ///< a number
  Bool,         ///< a byte
  Constant,     ///< the index of a constant
  Integers,     ///< a list of 32-bit numbers
  Identities,   ///< a list of tagged numbers
  Promise,      ///< a tagged attribute
  Hints         ///< a flag, and dictionaries if it is set
};

/// An attribute of an op.
struct Field {
  StringRef name;
  FieldKind kind;
  /// The number of a case, if the field is an enum.
  uint64_t (*getNumber)(Attribute) = nullptr;
  /// The case of an enum that is meant where none is given.
  uint64_t defaultCase = 0;
  /// The version that has the field; before it, only the default can be written.
  unsigned since = 1;
};

/// How operands are written.
enum class OperandLayout {
  Fixed,   ///< one after the other
  Counted, ///< after their number
  Groups   ///< in groups: see `OpEncoding::groups`
};

struct OpEncoding {
  StringRef name;
  uint64_t code;
  SmallVector<Field, 0> fields;
  OperandLayout layout = OperandLayout::Fixed;
  /// One character for each group: `1` an operand, `?` an optional one, with a flag,
  /// `*` a list after its length.
  StringRef groups = "";
  /// Whether the types of results come after their number.
  bool countsResults = false;
  /// The version that has the op.
  unsigned since = 1;
  /// The version from which there are flags that this dialect has no words for: written
  /// as 0.
  unsigned emptyFlagsSince = ~0u;

  /// Whether flags are written in a version.
  bool hasFlags(unsigned minor) const;
};

/// The encoding of the op `tile.name`, null if it has none.
const OpEncoding *getEncoding(StringRef name);

/// The version that the types of an op need, beyond the version of the op itself.
unsigned getTypesVersion(Operation *op);

} // namespace mlir::tile

#endif // TINYTC_LIB_TILE_BYTECODE_ENCODING_H
