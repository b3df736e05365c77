//===- DescribeKernels.cpp - What a launch must know ----------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/DiscardableAttrs.h"
#include "dialect/Passes.h"
#include "lib/Analysis/MemoryAccess.h"
#include "lib/Transforms/Manifest.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Location.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_DESCRIBEKERNELSPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

//===----------------------------------------------------------------------===//
// Names and places
//===----------------------------------------------------------------------===//

StringAttr tinytc::getArgumentName(BlockArgument argument) {
  auto func = cast<FuncOp>(argument.getOwner()->getParentOp());
  unsigned index = argument.getArgNumber();
  if (auto name = getParameterAttr<TinyTCDialect::NameAttrHelper>(func, index))
    return name;
  if (auto named = dyn_cast<NameLoc>(argument.getLoc()))
    return named.getName();
  return StringAttr::get(func.getContext(), "arg" + Twine(index));
}

std::optional<FileLineColRange> tinytc::getPlace(Location loc) {
  while (auto named = dyn_cast<NameLoc>(loc))
    loc = named.getChildLoc();
  if (auto range = dyn_cast<FileLineColRange>(loc))
    return range;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// The parameter that a root of memory accesses comes from, directly or through a
/// group.
static Value getParameter(Value root) {
  if (auto load = root.getDefiningOp<LoadOp>())
    return load.getSource();
  return root;
}

/// The dynamic sizes of a buffer: dimensions of groups, or sums of what the launch
/// knows.
static ArrayAttr describeBuffer(FuncOp func, ArrayRef<int64_t> numbers) {
  Builder builder(func.getContext());
  auto getTerm = [&](int64_t factor, Attribute value) -> Attribute {
    return builder.getArrayAttr({builder.getI64IntegerAttr(factor), value});
  };
  SmallVector<Attribute> sizes;
  for (; !numbers.empty(); numbers = numbers.drop_front(4)) {
    int64_t parameter = numbers[0], mode = numbers[1], added = numbers[2];
    IntegerAttr modeAttr = builder.getI64IntegerAttr(mode);
    if (parameter < 0) {
      sizes.push_back(modeAttr);
      continue;
    }
    SmallVector<Attribute> value{getArgumentName(func.getArgument(parameter))};
    if (mode >= 0)
      value.push_back(modeAttr);
    SmallVector<Attribute> terms{getTerm(1, builder.getArrayAttr(value))};
    if (added != 0)
      terms.push_back(builder.getI64ArrayAttr(added));
    ArrayAttr sum = builder.getArrayAttr(terms);
    if (numbers[3] > 1)
      sum = builder.getArrayAttr(
          getTerm(1, builder.getArrayAttr({builder.getStringAttr("/"), sum,
                                           builder.getI64IntegerAttr(numbers[3])})));
    sizes.push_back(SumAttr::get(func.getContext(), sum));
  }
  return builder.getArrayAttr(sizes);
}

static ParameterAttr describeParameter(FuncOp func, const AccessSet &accesses,
                                       BlockArgument argument) {
  StringAttr name = getArgumentName(argument);
  MLIRContext *context = func.getContext();
  Type type = argument.getType();
  unsigned index = argument.getArgNumber();
  if (!isa<MemrefType, GroupType>(type))
    return ParameterAttr::get(context, name, type, false, false, false, std::nullopt,
                              nullptr, nullptr, nullptr, nullptr, nullptr);
  auto isParameter = [&](Value root) { return getParameter(root) == argument; };
  auto alignment = getParameterAttr<TinyTCDialect::AlignmentAttrHelper>(func, index);
  auto buffer = getParameterAttr<TinyTCDialect::BufferAttrHelper>(func, index);
  return ParameterAttr::get(
      context, name, type, accesses.reads(isParameter), accesses.writes(isParameter),
      isOptionalParameter(argument),
      alignment ? std::optional(alignment.getInt()) : std::nullopt,
      getParameterAttr<TinyTCDialect::ShapeGcdAttrHelper>(func, index),
      getParameterAttr<TinyTCDialect::StrideGcdAttrHelper>(func, index),
      getParameterAttr<TinyTCDialect::ModesAttrHelper>(func, index),
      buffer ? describeBuffer(func, buffer) : ArrayAttr(),
      getParameterAttr<TinyTCDialect::NonzeroAttrHelper>(func, index));
}

/// The types that not every device supports, f16 and f64, if the kernel uses them.
static SmallVector<StringAttr> getRequirements(FuncOp func) {
  bool f16 = false, f64 = false;
  auto visit = [&](Type type) {
    type.walk([&](Type nested) {
      f16 |= nested.isF16();
      f64 |= nested.isF64();
    });
  };
  func.walk([&](Operation *op) {
    llvm::for_each(op->getOperandTypes(), visit);
    llvm::for_each(op->getResultTypes(), visit);
  });
  llvm::for_each(func.getArgumentTypes(), visit);
  SmallVector<StringAttr> names;
  if (f16)
    names.push_back(StringAttr::get(func.getContext(), "f16"));
  if (f64)
    names.push_back(StringAttr::get(func.getContext(), "f64"));
  return names;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static DiagnosticAttr describeDiagnostic(StringRef severity, StringRef message,
                                         Location loc, ArrayAttr notes) {
  Builder builder(loc.getContext());
  std::optional<FileLineColRange> range = getPlace(loc);
  if (!range)
    return builder.getAttr<DiagnosticAttr>(
        builder.getStringAttr(severity), builder.getStringAttr(message), StringAttr(),
        std::nullopt, std::nullopt, std::nullopt, notes);
  int64_t line = range->getStartLine(), column = range->getStartColumn();
  bool isOneLine = line == int64_t(range->getEndLine());
  int64_t length = isOneLine ? int64_t(range->getEndColumn()) - column + 1 : 1;
  return builder.getAttr<DiagnosticAttr>(
      builder.getStringAttr(severity), builder.getStringAttr(message),
      range->getFilename(), line, column, std::max<int64_t>(length, 1), notes);
}

/// The meaning of a report: its values, and the error with its place.
static CheckAttr describeReport(ReportOp report) {
  Builder builder(report.getContext());
  SmallVector<StringAttr> types;
  for (Type type : report.getValues().getTypes())
    types.push_back(builder.getStringAttr(type.isF64()           ? "f64"
                                          : isa<FloatType>(type) ? "f32"
                                                                 : "i64"));
  Location loc = report.getLoc();
  SmallVector<Attribute> notes;
  if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    loc = call.getCallee();
    notes.push_back(describeDiagnostic("note", "the view is accessed here",
                                       call.getCaller(), ArrayAttr()));
  }
  DiagnosticAttr diagnostic = describeDiagnostic("error", report.getMessage(), loc,
                                                 builder.getArrayAttr(notes));
  return builder.getAttr<CheckAttr>(types, diagnostic, report.getPrint());
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// The number of groups that a work-group runs one after the other.
static int64_t countGroups(FuncOp func) {
  ScheduleAttr schedule = func.getScheduleAttr();
  return schedule ? std::max<int64_t>(schedule.getGroups(), 1) : 1;
}

KernelAttr tinytc::describeKernel(FuncOp func) {
  AccessSet accesses = AccessSet::of(*func);
  SmallVector<ReportOp> reports;
  func.walk([&](ReportOp op) { reports.push_back(op); });
  llvm::sort(reports,
             [](ReportOp a, ReportOp b) { return a.getNumber() < b.getNumber(); });
  Value buffer = reports.empty() ? Value() : reports.back().getBuffer();
  SmallVector<ParameterAttr> parameters;
  // A kernel that runs several groups has their number as its last parameter.
  for (BlockArgument argument : func.getArguments().drop_back(countGroups(func) > 1))
    if (argument != buffer)
      parameters.push_back(describeParameter(func, accesses, argument));
  return KernelAttr::get(func.getContext(), func.getSymNameAttr(),
                         *func.getSubgroupSize(), getRequirements(func), parameters,
                         llvm::map_to_vector(reports, describeReport));
}

namespace {

struct DescribeKernels final : tinytc::impl::DescribeKernelsPassBase<DescribeKernels> {
  using DescribeKernelsPassBase::DescribeKernelsPassBase;

  void runOnOperation() override {
    auto funcs = llvm::to_vector(getOperation().getOps<FuncOp>());
    if (funcs.empty()) {
      getOperation().emitError("expected a module with a kernel, got none");
      return signalPassFailure();
    }
    for (FuncOp func : funcs) {
      if (!func.getSubgroupSize() || !func.getWorkGroupSize()) {
        func.emitError("expected the kernel to have a subgroup size and a work-group "
                       "size, got none: run tinytc-choose-work-group-size first");
        return signalPassFailure();
      }
      ArrayRef<int32_t> size = *func.getWorkGroupSize();
      setManifest(func, getManifest(func)
                            .withKernel(describeKernel(func))
                            .withLocalSize({size[0], size[1], 1})
                            .withGroupsPerWorkGroup(countGroups(func)));
    }
  }
};

} // namespace
