//===- Attrs.cpp - Enums and attributes -----------------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/TinyTC.h"
#include "lib/IR/Records.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
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

static ParseResult parseTargetFamily(AsmParser &parser, std::string &family) {
  StringRef name;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return failure();
  family = name.str();
  if (llvm::any_of(getTargets(), [&](const Target &t) { return t.family == name; }))
    return success();
  return parser.emitError(loc, "expected the family to be one of ")
         << listTargetFamilies() << ", got '" << name << "'";
}

static void printTargetFamily(AsmPrinter &printer, StringRef family) {
  printer << family;
}

#include "dialect/TinyTCEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/TinyTCAttrs.cpp.inc"

/// Whether the product of positive entries is above a bound.
static bool exceeds(ArrayRef<int64_t> entries, int64_t bound) {
  for (int64_t entry : entries)
    bound /= std::max<int64_t>(entry, 1);
  return bound == 0;
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t rows, int64_t columns, int64_t unroll,
                                   int64_t groups) {
  for (int64_t entry : {rows, columns, unroll, groups})
    if (entry < 0)
      return emitError()
             << "expected the entries of a schedule not to be negative, got " << entry;
  if (exceeds({rows, columns}, kMaxElements))
    return emitError() << "expected 'rows' x 'columns' of a schedule to be at most "
                       << kMaxElements << ", for which there are registers, got "
                       << rows << " x " << columns;
  if (exceeds({rows, columns, unroll}, kMaxSteps))
    return emitError()
           << "expected 'rows' x 'columns' x 'unroll' of a schedule to be at most "
           << kMaxSteps << ", which fit in an instruction cache, got " << rows << " x "
           << columns << " x " << unroll;
  return success();
}

LogicalResult StrategyAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   StrategyKind kind, int64_t rows, int64_t columns,
                                   int64_t unroll, int64_t gridRows,
                                   int64_t gridColumns, int64_t elementRows,
                                   int64_t elementColumns, int64_t localBytes,
                                   int64_t stages, int64_t tailUnroll, int64_t adjacent,
                                   int64_t operand, int64_t rowMode, bool, bool, bool,
                                   bool, bool, DenseI64ArrayAttr tile) {
  SmallVector<int64_t> entries{rows,        columns,     unroll,         gridRows,
                               gridColumns, elementRows, elementColumns, localBytes,
                               stages,      tailUnroll,  adjacent,       operand,
                               rowMode};
  ArrayRef<int64_t> sizes = tile ? tile.asArrayRef() : ArrayRef<int64_t>();
  for (int64_t entry : llvm::concat<const int64_t>(entries, sizes))
    if (entry < 0 || entry > std::numeric_limits<int32_t>::max())
      return emitError() << "expected the entries of a strategy to be from 0 to "
                         << std::numeric_limits<int32_t>::max() << ", got " << entry;
  constexpr int64_t maxTile = 1 << 24, maxLanes = 32, maxWorkItems = 256;
  if (exceeds(sizes, maxTile))
    return emitError() << "expected the tile of a strategy to have at most " << maxTile
                       << " elements, got [" << sizes << "]";
  bool isOnUnit =
      llvm::is_contained({StrategyKind::MatrixUnit, StrategyKind::PackedFactors,
                          StrategyKind::TensorCores, StrategyKind::TileRegisters},
                         kind);
  int64_t holders = kind == StrategyKind::StagedFactors ? maxWorkItems
                    : isOnUnit                          ? maxLanes
                                                        : 1;
  if (exceeds({rows, columns}, holders * ScheduleAttr::kMaxElements) ||
      exceeds({elementRows, elementColumns}, holders * ScheduleAttr::kMaxElements) ||
      exceeds({rows, columns, unroll, adjacent}, holders * ScheduleAttr::kMaxSteps) ||
      exceeds({tailUnroll, adjacent}, ScheduleAttr::kMaxSteps))
    return emitError() << "expected a strategy of " << stringifyStrategyKind(kind)
                       << " to have at most " << holders * ScheduleAttr::kMaxElements
                       << " elements and " << holders * ScheduleAttr::kMaxSteps
                       << " steps of a tile, got more";
  bool isPacked = kind == StrategyKind::PackedFactors;
  if (isPacked && (unroll == 0 || localBytes < unroll))
    return emitError() << "expected a strategy of packed_factors to have local memory "
                          "for 'unroll' steps, got "
                       << localBytes << " bytes for " << unroll;
  return success();
}

/// Checks an entry that chooses between the machines of a target, 0 being any.
static LogicalResult verifyEntry(function_ref<InFlightDiagnostic()> emitError,
                                 const Target &target, StringRef name,
                                 int64_t Machine::*member, int64_t value) {
  SmallVector<int64_t> known{0};
  for (const Machine &machine : target.machines)
    if (!llvm::is_contained(known, machine.*member))
      known.push_back(machine.*member);
  if (llvm::is_contained(known, value))
    return success();
  InFlightDiagnostic diagnostic = emitError();
  diagnostic << "expected '" << name << "' of target '" << target.name << "' to be "
             << (known.size() > 1 ? "one of " : "");
  llvm::interleaveComma(known, diagnostic);
  return diagnostic << ", got " << value;
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef name, StringRef family,
                                 ArrayRef<int32_t> subgroupSizes,
                                 int32_t maxWorkGroupSize, int64_t localMemoryBytes,
                                 bool, int64_t registers, int64_t vectorBytes,
                                 bool allowTF32) {
  const Target *target = lookupTarget(name);
  if (!target || target->name != name)
    return emitError() << "expected 'name' to be one of " << listTargetNames()
                       << ", got '" << name << "'";
  if (family != target->family)
    return emitError() << "expected 'family' of target '" << name << "' to be "
                       << target->family << ", got " << family;
  if (subgroupSizes.empty())
    return emitError() << "expected 'subgroup_sizes' to have an entry, got none";
  int32_t last = 0;
  for (int32_t size : subgroupSizes) {
    if (size <= last)
      return emitError() << "expected 'subgroup_sizes' to be positive and in ascending "
                            "order, got "
                         << size << " after " << last;
    last = size;
  }
  if (maxWorkGroupSize <= 0)
    return emitError() << "expected 'max_work_group_size' to be positive, got "
                       << maxWorkGroupSize;
  if (localMemoryBytes < 0)
    return emitError() << "expected 'local_memory_bytes' not to be negative, got "
                       << localMemoryBytes;
  if (failed(verifyEntry(emitError, *target, "registers", &Machine::threadRegisters,
                         registers)))
    return failure();
  if (failed(verifyEntry(emitError, *target, "vector_bytes", &Machine::registerBytes,
                         vectorBytes)))
    return failure();
  if (!allowTF32 || target->machines.front().unit.multipliesTF32)
    return success();
  SmallVector<StringRef> names;
  for (const Target &each : getTargets())
    if (each.machines.front().unit.multipliesTF32)
      names.push_back(each.name);
  return emitError() << "expected a target whose matrix unit multiplies tf32 for "
                        "'allow_tf32', one of "
                     << llvm::join(names, ", ") << ", got '" << name << "'";
}

int64_t WorkItemAttr::getMappingId() const { return getDimension(); }

bool WorkItemAttr::isLinearMapping() const { return true; }

int64_t WorkItemAttr::getRelativeIndex() const { return getDimension(); }

void TinyTCDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/TinyTCAttrs.cpp.inc"
      >();
}
