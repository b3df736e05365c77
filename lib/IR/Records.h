//===- Records.h - Attributes that are records, as text and JSON *- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Functions that the code that ODS writes for dialect/Manifest.td calls.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_IR_RECORDS_H
#define TINYTC_LIB_IR_RECORDS_H

#include "dialect/TinyTC.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/Support/JSON.h"

namespace mlir::tinytc {

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// list ::= `[` (element (`,` element)*)? `]`; a number can be `?`.
template <typename T>
FailureOr<SmallVector<T>> parseElements(AsmParser &parser) {
  SmallVector<T> list;
  auto parseElement = [&]() -> ParseResult {
    if constexpr (std::is_integral_v<T>)
      if (succeeded(parser.parseOptionalQuestion())) {
        list.push_back(ShapedType::kDynamic);
        return success();
      }
    FailureOr<T> element = FieldParser<T>::parse(parser);
    if (failed(element))
      return failure();
    list.push_back(*element);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseElement))
    return failure();
  return list;
}

template <typename T>
void printElements(AsmPrinter &printer, ArrayRef<T> list) {
  printer << '[';
  llvm::interleaveComma(list, printer, [&](const T &element) {
    if constexpr (std::is_integral_v<T>)
      if (ShapedType::isDynamic(element)) {
        printer << '?';
        return;
      }
    printer.printStrippedAttrOrType(element);
  });
  printer << ']';
}

/// language-type ::= `memref` `<` ... `>` | `group` `<` language-type ... `>` | type
FailureOr<Type> parseLanguageType(AsmParser &parser);
void printLanguageType(AsmPrinter &printer, Type type);

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

inline llvm::json::Value getJson(int64_t value) {
  return ShapedType::isDynamic(value) ? llvm::json::Value(nullptr) : value;
}

inline llvm::json::Value getJson(bool value) { return value; }

inline llvm::json::Value getJson(std::optional<int64_t> value) {
  return value ? llvm::json::Value(*value) : nullptr;
}

/// Of strings, integers, sums, diagnostics and lists of them; null for any other
/// attribute.
llvm::json::Value getJson(Attribute attribute);

template <typename Record>
auto getJson(Record record) -> decltype(llvm::json::Value(record.toJson())) {
  return record ? llvm::json::Value(record.toJson()) : nullptr;
}

template <typename T>
llvm::json::Value getJson(ArrayRef<T> list) {
  llvm::json::Array array;
  for (const T &element : list)
    array.push_back(getJson(element));
  return array;
}

template <typename T>
void writeEntry(llvm::json::Object &object, StringRef name, const T &value) {
  object[name] = getJson(value);
}

template <typename T>
void writeOptionalEntry(llvm::json::Object &object, StringRef name, const T &value) {
  if (value)
    writeEntry(object, name, value);
}

template <typename T>
void writeOptionalEntry(llvm::json::Object &object, StringRef name,
                        const ArrayRef<T> &list) {
  if (!list.empty())
    writeEntry(object, name, list);
}

template <typename Record>
void writeEntriesOf(llvm::json::Object &object, StringRef, const Record &record) {
  if (record)
    for (auto &[name, value] : record.toJson())
      object[name] = std::move(value);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// A record of the same context with these entries.
template <typename Record, typename Entries>
Record withEntries(Record record, const Entries &entries) {
  return std::apply(
      [&](const auto &...values) {
        return Record::get(record.getContext(), values...);
      },
      entries);
}

} // namespace mlir::tinytc

#endif // TINYTC_LIB_IR_RECORDS_H
