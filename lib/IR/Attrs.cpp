//===- Attrs.cpp - Enums and attributes -----------------------------------===//

#include "dialect/TinyTC.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tinytc;

/// i32-list ::= `[` (integer (`,` integer)*)? `]`
static ParseResult parseI32List(AsmParser &parser, SmallVector<int32_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(values.emplace_back());
  });
}

static void printI32List(AsmPrinter &printer, ArrayRef<int32_t> values) {
  printer << '[';
  llvm::interleaveComma(values, printer);
  printer << ']';
}

#include "dialect/TinyTCEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/TinyTCAttrs.cpp.inc"

void TinyTCDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/TinyTCAttrs.cpp.inc"
      >();
}
