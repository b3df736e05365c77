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

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t rows, int64_t columns, int64_t unroll,
                                   int64_t groups) {
  for (int64_t entry : {rows, columns, unroll, groups})
    if (entry < 0)
      return emitError() << "expected the entries of a schedule not to be negative, got "
                         << entry;
  return success();
}

void TinyTCDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/TinyTCAttrs.cpp.inc"
      >();
}
