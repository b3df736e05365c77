//===- Scalars.cpp - The table of scalar types ----------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Scalars.h"
#include "dialect/TinyTC.h"
#include "lib/IR/Verify.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// A record of dialect/Scalars.td; types are given by their names in the language.
struct ScalarRecord {
  StringLiteral name, kind;
  unsigned bits;
  Type (*get)(MLIRContext *context);
  StringLiteral storage, parameter, compute, promotableTo;
};

#define GET_ScalarTable_IMPL
#include "dialect/ScalarTable.inc"

} // namespace

/// The record of a scalar type or of bool, null for other types.
static const ScalarRecord *find(Type type) {
  const ScalarRecord *found = llvm::find_if(ScalarTable, [&](const ScalarRecord &each) {
    return each.get(type.getContext()) == type;
  });
  return found == std::end(ScalarTable) ? nullptr : found;
}

static const ScalarRecord *find(StringRef name) {
  const ScalarRecord *found = llvm::find_if(
      ScalarTable, [&](const ScalarRecord &each) { return each.name == name; });
  return found == std::end(ScalarTable) ? nullptr : found;
}

/// The type that a column of the table names for `type`.
static Type lookUp(Type type, StringLiteral ScalarRecord::*column) {
  const ScalarRecord *record = find(type);
  if (!record || record->*column == record->name)
    return type;
  return find(record->*column)->get(type.getContext());
}

//===----------------------------------------------------------------------===//
// Names, types and sizes
//===----------------------------------------------------------------------===//

StringRef tinytc::getScalarName(Type type) { return find(type)->name; }

Type tinytc::getStorageType(Type type) { return lookUp(type, &ScalarRecord::storage); }

bool tinytc::isStoredAsBits(Type type) {
  return isa<FloatType>(type) && getStorageType(type) != type;
}

Type tinytc::getParameterType(Type type) {
  return lookUp(type, &ScalarRecord::parameter);
}

Type tinytc::getComputeType(Type type) { return lookUp(type, &ScalarRecord::compute); }

bool tinytc::isHalf(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 16;
}

bool tinytc::isScalarType(Type type) {
  const ScalarRecord *record = find(type);
  return record && record->kind != "bool";
}

std::string tinytc::listScalarTypes(MLIRContext *context) {
  std::string list;
  llvm::raw_string_ostream stream(list);
  auto isScalar = [](const ScalarRecord &each) { return each.kind != "bool"; };
  llvm::interleaveComma(llvm::make_filter_range(ScalarTable, isScalar), stream,
                        [&](const ScalarRecord &each) { stream << each.get(context); });
  return list;
}

//===----------------------------------------------------------------------===//
// Promotion
//===----------------------------------------------------------------------===//

bool tinytc::isPromotable(Type from, Type to) {
  if (from == to)
    return true;
  const ScalarRecord *source = find(from), *target = find(to);
  if (!source || !target)
    return false;
  return llvm::is_contained(llvm::split(source->promotableTo, ' '), target->name);
}

Type tinytc::promote(Type a, Type b) {
  if (isPromotable(a, b))
    return b;
  return isPromotable(b, a) ? a : Type();
}
