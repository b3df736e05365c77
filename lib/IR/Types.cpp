//===- Types.cpp - memref, group, coopmatrix ------------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/TinyTC.h"
#include "lib/IR/Records.h"
#include "lib/IR/Verify.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tinytc;

#define GET_TYPEDEF_CLASSES
#include "dialect/TinyTCTypes.cpp.inc"

void TinyTCDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/TinyTCTypes.cpp.inc"
      >();
}

SmallVector<int64_t> tinytc::packedStride(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> stride;
  stride.reserve(shape.size());
  int64_t next = 1;
  for (int64_t size : shape) {
    stride.push_back(next);
    // A stride that overflows can hold no memory: keep it dynamic.
    if (ShapedType::isDynamic(next) || ShapedType::isDynamic(size) ||
        llvm::MulOverflow(next, size, next))
      next = ShapedType::kDynamic;
  }
  return stride;
}

bool tinytc::isAscending(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  int64_t bound = 1;
  for (auto [size, stride] : llvm::zip(shape, strides)) {
    bool isStatic = !ShapedType::isDynamic(stride);
    if (isStatic && stride < bound)
      return false;
    int64_t step = isStatic ? stride : bound;
    if (llvm::MulOverflow(step, ShapedType::isDynamic(size) ? 1 : size, bound))
      return false;
  }
  return true;
}

Type tinytc::getRealPartType(Type type) {
  auto matrix = dyn_cast<CoopMatrixType>(type);
  if (!matrix)
    return getRealType(type);
  return CoopMatrixType::get(matrix.getRows(), matrix.getColumns(),
                             getRealType(matrix.getElementType()), matrix.getUse());
}

Type tinytc::getRealType(Type type) {
  auto complexType = dyn_cast<ComplexType>(type);
  return complexType ? complexType.getElementType() : type;
}

Type tinytc::getScalarType(Type type) {
  return TypeSwitch<Type, Type>(type)
      .Case<MemrefType, CoopMatrixType>([](auto t) { return t.getElementType(); })
      .Default([](Type t) { return t; });
}

/// Checks the rule `label: type is a scalar type` that all our types share.
static LogicalResult verifyElementType(function_ref<InFlightDiagnostic()> emitError,
                                       Type type) {
  if (isScalarType(type))
    return success();
  return emitError() << "expected a scalar element type ("
                     << listScalarTypes(type.getContext()) << "), got " << type;
}

//===----------------------------------------------------------------------===//
// MemrefType
//===----------------------------------------------------------------------===//

static void printSize(AsmPrinter &printer, int64_t size) {
  if (ShapedType::isDynamic(size))
    printer << '?';
  else
    printer << size;
}

/// constant-or-dynamic ::= integer | `?`
static ParseResult parseSize(AsmParser &parser, int64_t &size) {
  if (succeeded(parser.parseOptionalQuestion())) {
    size = ShapedType::kDynamic;
    return success();
  }
  return parser.parseInteger(size);
}

/// Parses an optional `keyword<a,b,...>` whose keyword has been consumed.
static ParseResult parseSizeList(AsmParser &parser, SmallVectorImpl<int64_t> &sizes) {
  if (parser.parseLess())
    return failure();
  if (succeeded(parser.parseOptionalGreater()))
    return success();
  if (parser.parseCommaSeparatedList(
          [&] { return parseSize(parser, sizes.emplace_back()); }))
    return failure();
  return parser.parseGreater();
}

/// memref ::= `<` (size `x`)* type (`,` `strided` `<` sizes `>`)? (`,` space)? `>`
Type MemrefType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type elementType;
  if (parser.parseLess() || parser.parseDimensionList(shape) ||
      parser.parseType(elementType))
    return {};
  SmallVector<int64_t> stride = packedStride(shape);
  AddressSpace space = AddressSpace::Global;
  bool hasStride = false;
  while (succeeded(parser.parseOptionalComma())) {
    StringRef keyword;
    SMLoc keywordLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword))
      return {};
    if (keyword == "strided" && !hasStride) {
      hasStride = true;
      stride.clear();
      if (parseSizeList(parser, stride))
        return {};
      continue;
    }
    std::optional<AddressSpace> parsed = symbolizeAddressSpace(keyword);
    if (!parsed) {
      parser.emitError(keywordLoc)
          << "expected 'strided', 'global' or 'local', got '" << keyword << "'";
      return {};
    }
    space = *parsed;
    break;
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), shape,
                    elementType, stride, space);
}

void MemrefType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t size : getShape()) {
    printSize(printer, size);
    printer << 'x';
  }
  printer << getElementType();
  if (!hasPackedStride()) {
    printer << ", strided<";
    llvm::interleave(
        getStride(), [&](int64_t stride) { printSize(printer, stride); },
        [&] { printer << ','; });
    printer << '>';
  }
  if (isLocal())
    printer << ", local";
  printer << '>';
}

static LogicalResult verifyStrides(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<int64_t> shape, Type elementType,
                                   ArrayRef<int64_t> stride) {
  // The smallest value that the previous modes allow for a stride: a dynamic stride may
  // have just this value, and a dynamic size may be 1.
  int64_t bound = 1, lastStep = 1, lastSize = 1;
  bool overflow = false;
  for (auto [mode, size, step] : llvm::enumerate(shape, stride)) {
    // memref_c4
    bool isStatic = !ShapedType::isDynamic(step);
    if (isStatic && step < bound && mode == 0)
      return emitError() << "expected the stride of mode 0 to be positive, got "
                         << step;
    if (isStatic && step < bound)
      return emitError() << "expected the stride of mode " << mode
                         << " to be at least stride times size of mode " << mode - 1
                         << " = " << lastStep << " * " << lastSize << ", got " << step;
    lastStep = isStatic ? step : bound;
    lastSize = ShapedType::isDynamic(size) ? 1 : size;
    overflow = llvm::MulOverflow(lastStep, lastSize, bound);
    if (overflow)
      break;
  }
  // memref_c5
  if (overflow || llvm::MulOverflow(bound, getSizeBytes(elementType), bound))
    return emitError()
           << "expected a memref of less than 2^63 bytes, got one that is larger";
  return success();
}

LogicalResult MemrefType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type elementType,
                                 ArrayRef<int64_t> stride, AddressSpace space) {
  // memref_c1
  if (failed(verifyElementType(emitError, elementType)))
    return failure();
  // memref_c2
  for (auto [mode, size] : llvm::enumerate(shape))
    if (size < 0 && !ShapedType::isDynamic(size))
      return emitError() << "expected the size of mode " << mode
                         << " to be non-negative, got " << size;
  // memref_c3
  if (shape.size() != stride.size())
    return emitError() << "expected one stride for each mode, got " << stride.size()
                       << " strides for " << shape.size() << " modes";
  return verifyStrides(emitError, shape, elementType, stride);
}

//===----------------------------------------------------------------------===//
// GroupType
//===----------------------------------------------------------------------===//

/// group ::= `<` memref-type `x` size (`,` `offset` `:` size)? `>`
static GroupType parseGroup(AsmParser &parser,
                            function_ref<ParseResult(MemrefType &)> parseMember) {
  SMLoc loc = parser.getCurrentLocation();
  MemrefType memrefType;
  int64_t size = 0;
  int64_t offset = 0;
  // `x1000` would lex as one token: the printer puts a space after the x.
  if (parser.parseLess() || parseMember(memrefType) ||
      parser.parseKeyword("x", " after the memref type of the group") ||
      parseSize(parser, size))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("offset") || parser.parseColon() ||
       parseSize(parser, offset)))
    return {};
  if (parser.parseGreater())
    return {};
  return GroupType::getChecked([&] { return parser.emitError(loc); },
                               parser.getContext(), memrefType, size, offset);
}

static void printGroup(AsmPrinter &printer, GroupType type,
                       function_ref<void()> printMember) {
  printer << '<';
  printMember();
  printer << " x ";
  printSize(printer, type.getSize());
  if (type.getOffset() != 0) {
    printer << ", offset: ";
    printSize(printer, type.getOffset());
  }
  printer << '>';
}

Type GroupType::parse(AsmParser &parser) {
  return parseGroup(parser,
                    [&](MemrefType &member) { return parser.parseType(member); });
}

void GroupType::print(AsmPrinter &printer) const {
  printGroup(printer, *this, [&] { printer << getMemrefType(); });
}

FailureOr<Type> tinytc::parseLanguageType(AsmParser &parser) {
  auto parseMemref = [&](MemrefType &type) -> ParseResult {
    if (parser.parseKeyword("memref"))
      return failure();
    type = llvm::dyn_cast_if_present<MemrefType>(MemrefType::parse(parser));
    return success(type != nullptr);
  };
  Type type;
  if (succeeded(parser.parseOptionalKeyword("memref")))
    type = MemrefType::parse(parser);
  else if (succeeded(parser.parseOptionalKeyword("group")))
    type = parseGroup(parser, parseMemref);
  else if (parser.parseType(type))
    return failure();
  if (!type)
    return failure();
  return type;
}

void tinytc::printLanguageType(AsmPrinter &printer, Type type) {
  if (auto memref = dyn_cast<MemrefType>(type)) {
    printer << MemrefType::getMnemonic();
    memref.print(printer);
  } else if (auto group = dyn_cast<GroupType>(type)) {
    printer << GroupType::getMnemonic();
    printGroup(printer, group,
               [&] { printLanguageType(printer, group.getMemrefType()); });
  } else {
    printer << type;
  }
}

LogicalResult GroupType::verify(function_ref<InFlightDiagnostic()> emitError,
                                MemrefType memrefType, int64_t size, int64_t offset) {
  // group_c1
  if (size < 1 && !ShapedType::isDynamic(size))
    return emitError() << "expected the group size to be positive, got " << size;
  // group_c2
  if (offset < 0 && !ShapedType::isDynamic(offset))
    return emitError() << "expected the group offset to be non-negative, got "
                       << offset;
  // group_c3
  if (memrefType.isLocal())
    return emitError() << "expected a memref type in the global address space, got "
                       << memrefType;
  return success();
}

//===----------------------------------------------------------------------===//
// CoopMatrixType
//===----------------------------------------------------------------------===//

/// coopmatrix ::= `<` rows `x` columns `x` type `,` use `>`
Type CoopMatrixType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type elementType;
  StringRef keyword;
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseComma())
    return {};
  SMLoc useLoc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return {};
  std::optional<MatrixUse> use = symbolizeMatrixUse(keyword);
  if (!use) {
    parser.emitError(useLoc) << "expected 'matrix_a', 'matrix_b' or 'matrix_acc', got '"
                             << keyword << "'";
    return {};
  }
  if (parser.parseGreater())
    return {};
  if (shape.size() != 2) {
    parser.emitError(loc) << "expected 2 sizes, got " << shape.size();
    return {};
  }
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    shape[0], shape[1], elementType, *use);
}

void CoopMatrixType::print(AsmPrinter &printer) const {
  printer << '<' << getRows() << 'x' << getColumns() << 'x' << getElementType() << ", "
          << stringifyMatrixUse(getUse()) << '>';
}

LogicalResult CoopMatrixType::verify(function_ref<InFlightDiagnostic()> emitError,
                                     int64_t rows, int64_t columns, Type elementType,
                                     MatrixUse use) {
  // coopmatrix_c1
  if (failed(verifyElementType(emitError, elementType)))
    return failure();
  // coopmatrix_c2
  if (rows < 1 || columns < 1)
    return emitError() << "expected positive sizes, got " << rows << "x" << columns;
  // coopmatrix_c3
  if (rows > kMaxComponents / columns)
    return emitError() << "expected at most " << kMaxComponents << " components, got "
                       << rows << "x" << columns;
  return success();
}
