//===- Ops.cpp - Generated op classes and their custom directives ---------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Pieces of custom assembly that the ODS formats of all chapters refer to.
//
//===----------------------------------------------------------------------===//

#include "dialect/TinyTC.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::tinytc;

//===----------------------------------------------------------------------===//
// Modifiers with a default that is not printed
//===----------------------------------------------------------------------===//

/// Parses one of the keywords that `symbolize` knows, or nothing for `fallback`.
template <typename Attr, typename Enum>
static ParseResult parseOptionalModifier(OpAsmParser &parser, Attr &attr,
                                         ArrayRef<Enum> values, Enum fallback) {
  for (Enum value : values) {
    if (failed(parser.parseOptionalKeyword(stringifyEnum(value))))
      continue;
    attr = Attr::get(parser.getContext(), value);
    return success();
  }
  attr = Attr::get(parser.getContext(), fallback);
  return success();
}

static ParseResult parseOptionalStoreFlag(OpAsmParser &parser, StoreFlagAttr &flag) {
  return parseOptionalModifier<StoreFlagAttr, StoreFlag>(
      parser, flag, {StoreFlag::Atomic, StoreFlag::AtomicAdd}, StoreFlag::Regular);
}

static void printOptionalStoreFlag(OpAsmPrinter &printer, Operation *,
                                   StoreFlagAttr flag) {
  if (flag.getValue() != StoreFlag::Regular)
    printer << ' ' << stringifyEnum(flag.getValue());
}

static ParseResult parseOptionalScope(OpAsmParser &parser, MemoryScopeAttr &scope) {
  using Scope = MemoryScope;
  return parseOptionalModifier<MemoryScopeAttr, Scope>(
      parser, scope,
      {Scope::CrossDevice, Scope::Device, Scope::WorkGroup, Scope::Subgroup},
      Scope::WorkGroup);
}

static void printOptionalScope(OpAsmPrinter &printer, Operation *,
                               MemoryScopeAttr scope) {
  if (scope.getValue() != MemoryScope::WorkGroup)
    printer << ' ' << stringifyEnum(scope.getValue());
}

static ParseResult parseOptionalSemantics(OpAsmParser &parser,
                                          MemorySemanticsAttr &semantics) {
  using Order = MemorySemantics;
  return parseOptionalModifier<MemorySemanticsAttr, Order>(
      parser, semantics,
      {Order::Relaxed, Order::Acquire, Order::Release, Order::AcquireRelease,
       Order::SequentiallyConsistent},
      Order::Relaxed);
}

static void printOptionalSemantics(OpAsmPrinter &printer, Operation *,
                                   MemorySemanticsAttr semantics) {
  if (semantics.getValue() != MemorySemantics::Relaxed)
    printer << ' ' << stringifyEnum(semantics.getValue());
}

static ParseResult parseOptionalTranspose(OpAsmParser &parser,
                                          TransposeAttr &transpose) {
  return parseOptionalModifier<TransposeAttr, Transpose>(parser, transpose,
                                                         {Transpose::T}, Transpose::N);
}

static void printOptionalTranspose(OpAsmPrinter &printer, Operation *,
                                   TransposeAttr transpose) {
  if (transpose.getValue() != Transpose::N)
    printer << ' ' << stringifyEnum(transpose.getValue());
}

bool tinytc::isChecked(Checked checked, unsigned dim) {
  return checked == Checked::Both ||
         checked == (dim == 0 ? Checked::Rows : Checked::Cols);
}

static ParseResult parseOptionalChecked(OpAsmParser &parser, CheckedAttr &checked) {
  return parseOptionalModifier<CheckedAttr, Checked>(
      parser, checked, {Checked::Rows, Checked::Cols, Checked::Both}, Checked::None);
}

static void printOptionalChecked(OpAsmPrinter &printer, Operation *,
                                 CheckedAttr checked) {
  if (checked.getValue() != Checked::None)
    printer << ' ' << stringifyEnum(checked.getValue());
}

static ParseResult parseGridDimension(OpAsmParser &parser, DimensionAttr &dimension) {
  return parseOptionalModifier<DimensionAttr, Dimension>(
      parser, dimension, {Dimension::Y, Dimension::Z}, Dimension::X);
}

static void printGridDimension(OpAsmPrinter &printer, Operation *,
                               DimensionAttr dimension) {
  if (dimension.getValue() != Dimension::X)
    printer << ' ' << stringifyEnum(dimension.getValue());
}

/// No keyword is no dimension, which differs from all of them.
static ParseResult parseOptionalDimension(OpAsmParser &parser,
                                          DimensionAttr &dimension) {
  for (Dimension value : {Dimension::X, Dimension::Y, Dimension::Z})
    if (succeeded(parser.parseOptionalKeyword(stringifyEnum(value))))
      dimension = DimensionAttr::get(parser.getContext(), value);
  return success();
}

static void printOptionalDimension(OpAsmPrinter &printer, Operation *,
                                   DimensionAttr dimension) {
  if (dimension)
    printer << ' ' << stringifyEnum(dimension.getValue());
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// constant-value ::= attribute (`->` type)?, without the type where the attribute
/// has it: `1.0 : f32`, `[1.0 : f32, 0.0 : f32] -> complex<f32>`.
static ParseResult parseConstantValue(OpAsmParser &parser, Attribute &value,
                                      Type &type) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseAttribute(value))
    return failure();
  if (succeeded(parser.parseOptionalArrow()))
    return parser.parseType(type);
  auto typed = dyn_cast<TypedAttr>(value);
  if (!typed)
    return parser.emitError(
        loc, "expected `-> type` after a constant without type, got none");
  type = typed.getType();
  return success();
}

static void printConstantValue(OpAsmPrinter &printer, Operation *, Attribute value,
                               Type type) {
  printer << value;
  auto typed = dyn_cast<TypedAttr>(value);
  if (!typed || typed.getType() != type)
    printer << " -> " << type;
}

//===----------------------------------------------------------------------===//
// Lists that mix constants and values
//===----------------------------------------------------------------------===//

using UnresolvedOperands = SmallVectorImpl<OpAsmParser::UnresolvedOperand>;

/// integer | ssa-use; a value is kDynamic in the static list.
static ParseResult parseConstantOrValue(OpAsmParser &parser,
                                        SmallVectorImpl<int64_t> &constants,
                                        UnresolvedOperands &values) {
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult isValue = parser.parseOptionalOperand(operand);
  if (isValue.has_value()) {
    constants.push_back(ShapedType::kDynamic);
    values.push_back(operand);
    return *isValue;
  }
  return parser.parseInteger(constants.emplace_back());
}

static void printConstantOrValue(OpAsmPrinter &printer, int64_t constant,
                                 OperandRange &values) {
  if (!ShapedType::isDynamic(constant)) {
    printer << constant;
    return;
  }
  // Invalid IR is printed too: a value may be missing.
  if (values.empty()) {
    printer << '?';
    return;
  }
  printer << values.front();
  values = values.drop_front();
}

/// expand-shape ::= constant-or-value (`by` constant-or-value)+
static ParseResult parseExpandShape(OpAsmParser &parser, DenseI64ArrayAttr &constants,
                                    UnresolvedOperands &values) {
  SmallVector<int64_t> shape;
  do {
    if (parseConstantOrValue(parser, shape, values))
      return failure();
  } while (succeeded(parser.parseOptionalKeyword("by")));
  constants = parser.getBuilder().getDenseI64ArrayAttr(shape);
  return success();
}

static void printExpandShape(OpAsmPrinter &printer, Operation *,
                             DenseI64ArrayAttr constants, OperandRange values) {
  llvm::interleave(
      constants.asArrayRef(),
      [&](int64_t size) { printConstantOrValue(printer, size, values); },
      [&] { printer << " by "; });
}

/// slices ::= `[` (slice (`,` slice)*)? `]`, slice ::= offset (`:` size)?
/// A single offset is short for offset and size 0: the mode is removed.
static ParseResult parseSlices(OpAsmParser &parser, DenseI64ArrayAttr &staticOffsets,
                               DenseI64ArrayAttr &staticSizes,
                               UnresolvedOperands &offsets, UnresolvedOperands &sizes) {
  SmallVector<int64_t> constantOffsets, constantSizes;
  auto parseSlice = [&]() -> ParseResult {
    if (parseConstantOrValue(parser, constantOffsets, offsets))
      return failure();
    if (failed(parser.parseOptionalColon())) {
      constantSizes.push_back(0);
      return success();
    }
    return parseConstantOrValue(parser, constantSizes, sizes);
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseSlice))
    return failure();
  staticOffsets = parser.getBuilder().getDenseI64ArrayAttr(constantOffsets);
  staticSizes = parser.getBuilder().getDenseI64ArrayAttr(constantSizes);
  return success();
}

static void printSlices(OpAsmPrinter &printer, Operation *,
                        DenseI64ArrayAttr staticOffsets, DenseI64ArrayAttr staticSizes,
                        OperandRange offsets, OperandRange sizes) {
  printer << '[';
  llvm::interleaveComma(llvm::zip(staticOffsets.asArrayRef(), staticSizes.asArrayRef()),
                        printer, [&](auto slice) {
                          auto [offset, size] = slice;
                          printConstantOrValue(printer, offset, offsets);
                          if (size == 0)
                            return;
                          printer << ':';
                          printConstantOrValue(printer, size, sizes);
                        });
  printer << ']';
}

#define GET_OP_CLASSES
#include "dialect/TinyTCOps.cpp.inc"
