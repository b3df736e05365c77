//===- Types.cpp - Tiles, pointers, views, tokens -------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Tile/Verify.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tile;

#define GET_TYPEDEF_CLASSES
#include "dialect/tile/TileTypes.cpp.inc"

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/tile/TileTypes.cpp.inc"
      >();
}

static bool isNumberType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() &&
           llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type, FloatTF32Type,
             Float8E4M3FNType, Float8E5M2Type>(type);
}

/// Checks the rule that the types of the dialect share.
static LogicalResult verifyNumberType(function_ref<InFlightDiagnostic()> emitError,
                                      StringRef what, Type type) {
  if (isNumberType(type))
    return success();
  return emitError() << "expected " << what
                     << " (i1, i8, i16, i32, i64, f16, bf16, f32, f64, tf32, "
                        "f8E4M3FN, f8E5M2), got "
                     << type;
}

template <typename Size>
static LogicalResult verifyTileSizes(function_ref<InFlightDiagnostic()> emitError,
                                     ArrayRef<Size> sizes) {
  for (Size size : sizes)
    if (!isPowerOfTwo(size))
      return emitError()
             << "expected sizes of a tile to be positive powers of two, got " << size;
  return success();
}

//===----------------------------------------------------------------------===//
// PointerType
//===----------------------------------------------------------------------===//

LogicalResult PointerType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  Type pointee) {
  return verifyNumberType(emitError, "a number type", pointee); // ptr_c1
}

//===----------------------------------------------------------------------===//
// TileType
//===----------------------------------------------------------------------===//

LogicalResult TileType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape, Type element) {
  // tile_c1
  if (!isa<PointerType>(element) &&
      failed(verifyNumberType(emitError, "a pointer or a number type", element)))
    return failure();
  if (failed(verifyTileSizes(emitError, shape))) // tile_c2
    return failure();
  // tile_c3
  constexpr int64_t most = 1 << 24;
  int64_t elements = 1;
  for (int64_t size : shape) {
    if (size > most / elements)
      return emitError() << "expected at most " << most << " elements, got " << elements
                         << " times " << size << " or more";
    elements *= size;
  }
  return success();
}

/// tile ::= `<` (size `x`)* type `>`
Type TileType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type element;
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element) || parser.parseGreater())
    return {};
  return parser.getChecked<TileType>(loc, parser.getContext(), shape, element);
}

void TileType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t size : getShape())
    printer << size << 'x';
  printer << getElementType() << '>';
}

TileType TileType::cloneWith(std::optional<ArrayRef<int64_t>> shape,
                             Type element) const {
  return get(shape.value_or(getShape()), element);
}

//===----------------------------------------------------------------------===//
// TensorViewType
//===----------------------------------------------------------------------===//

LogicalResult TensorViewType::verify(function_ref<InFlightDiagnostic()> emitError,
                                     ArrayRef<int64_t> shape, Type element,
                                     ArrayRef<int64_t> strides) {
  // tensor_view_c1
  if (failed(verifyNumberType(emitError, "a number type", element)))
    return failure();
  // tensor_view_c2
  if (shape.size() != strides.size())
    return emitError() << "expected a stride for each of " << shape.size()
                       << " dimensions, got " << strides.size() << " strides";
  // tensor_view_c3
  for (ArrayRef<int64_t> numbers : {shape, strides})
    for (int64_t number : numbers)
      if (number < 1 && !ShapedType::isDynamic(number))
        return emitError() << "expected sizes and strides to be positive or `?`, got "
                           << number;
  return success();
}

/// tensor_view ::= `<` (size `x`)* type `,` `strides` `=` `[` strides `]` `>`
Type TensorViewType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape, strides;
  Type element;
  auto parseStride = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      strides.push_back(ShapedType::kDynamic);
      return success();
    }
    return parser.parseInteger(strides.emplace_back());
  };
  if (parser.parseLess() || parser.parseDimensionList(shape) ||
      parser.parseType(element) || parser.parseComma() ||
      parser.parseKeyword("strides") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseStride) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<TensorViewType>(loc, parser.getContext(), shape, element,
                                           strides);
}

static void printSize(AsmPrinter &printer, int64_t size) {
  if (ShapedType::isDynamic(size))
    printer << '?';
  else
    printer << size;
}

void TensorViewType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t size : getShape()) {
    printSize(printer, size);
    printer << 'x';
  }
  printer << getElementType() << ", strides = [";
  llvm::interleaveComma(getStrides(), printer,
                        [&](int64_t stride) { printSize(printer, stride); });
  printer << "]>";
}

//===----------------------------------------------------------------------===//
// PartitionViewType
//===----------------------------------------------------------------------===//

LogicalResult PartitionViewType::verify(function_ref<InFlightDiagnostic()> emitError,
                                        ArrayRef<int32_t> tileShape,
                                        TensorViewType tensorView,
                                        ArrayRef<int32_t> dimMap,
                                        std::optional<PaddingValue> padding) {
  // partition_view_c1
  if (failed(verifyTileSizes(emitError, tileShape)))
    return failure();
  // partition_view_c2
  if (tileShape.size() != tensorView.getShape().size())
    return emitError() << "expected tiles of " << tensorView.getShape().size()
                       << " dimensions, like the tensor, got " << tileShape.size();
  // partition_view_c3
  if (dimMap.size() != tileShape.size() || !isPermutation(dimMap)) {
    InFlightDiagnostic error = emitError();
    error << "expected dim_map to be a permutation of " << tileShape.size()
          << " dimensions, got [";
    llvm::interleaveComma(dimMap, error);
    return error << "]";
  }
  // partition_view_c4
  if (padding && *padding != PaddingValue::Zero &&
      !isa<FloatType>(tensorView.getElementType()))
    return emitError() << "expected padding with zero for elements of type "
                       << tensorView.getElementType() << ", got "
                       << stringifyPaddingValue(*padding);
  return success();
}

TileType PartitionViewType::getTileType() const {
  SmallVector<int64_t> shape(getTileShape().begin(), getTileShape().end());
  return TileType::get(shape, getTensorView().getElementType());
}

static ParseResult parseNumbers(AsmParser &parser, SmallVectorImpl<int32_t> &numbers) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(numbers.emplace_back());
  });
}

/// partition_view ::= `<` `[` sizes `]` `,` tensor_view (`,` `dim_map` `=` `[` dims
/// `]`)?
///                    (`,` `padding` `=` padding)? `>`
Type PartitionViewType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int32_t> shape, dimMap;
  TensorViewType tensorView;
  if (parser.parseLess() || parseNumbers(parser, shape) || parser.parseComma() ||
      parser.parseType(tensorView))
    return {};
  for (size_t dim = 0; dim < shape.size(); ++dim)
    dimMap.push_back(dim);
  std::optional<PaddingValue> padding;
  while (succeeded(parser.parseOptionalComma())) {
    StringRef keyword, value;
    SMLoc keywordLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword) || parser.parseEqual())
      return {};
    if (keyword == "dim_map") {
      dimMap.clear();
      if (parseNumbers(parser, dimMap))
        return {};
      continue;
    }
    if (keyword != "padding") {
      parser.emitError(keywordLoc)
          << "expected `dim_map` or `padding`, got `" << keyword << "`";
      return {};
    }
    SMLoc valueLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&value))
      return {};
    padding = symbolizePaddingValue(value);
    if (!padding) {
      parser.emitError(valueLoc)
          << "expected zero, neg_zero, nan, pos_inf or neg_inf, got `" << value << "`";
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<PartitionViewType>(loc, parser.getContext(), shape,
                                              tensorView, dimMap, padding);
}

void PartitionViewType::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getTileShape(), printer);
  printer << "], " << getTensorView();
  bool isIdentity = true;
  for (auto [dim, target] : llvm::enumerate(getDimMap()))
    isIdentity &= target == static_cast<int32_t>(dim);
  if (!isIdentity) {
    printer << ", dim_map = [";
    llvm::interleaveComma(getDimMap(), printer);
    printer << ']';
  }
  if (getPadding())
    printer << ", padding = " << stringifyPaddingValue(*getPadding());
  printer << '>';
}
