//===- Manifest.cpp - Description of kernels for the runtime --------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Transforms/Manifest.h"
#include "dialect/DiscardableAttrs.h"
#include "dialect/Scalars.h"
#include "lib/Analysis/DisjointBlocks.h"
#include "lib/Analysis/GroupBounds.h"
#include "lib/Analysis/MemoryAccess.h"
#include "lib/Analysis/Work.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::tinytc;
namespace json = llvm::json;

static json::Value getSize(int64_t size) {
  return ShapedType::isDynamic(size) ? json::Value(nullptr) : json::Value(size);
}

static json::Array getSizes(ArrayRef<int64_t> sizes) {
  json::Array array;
  for (int64_t size : sizes)
    array.push_back(getSize(size));
  return array;
}

/// The name that an attribute or the source gives a parameter, else one by its
/// position.
static std::string getArgumentName(BlockArgument argument) {
  auto func = cast<FuncOp>(argument.getOwner()->getParentOp());
  if (auto name = getParameterAttr<TinyTCDialect::NameAttrHelper>(
          func, argument.getArgNumber()))
    return name.str();
  if (auto named = dyn_cast<NameLoc>(argument.getLoc()))
    return named.getName().str();
  return "arg" + std::to_string(argument.getArgNumber());
}

/// The parameter that a root of memory accesses comes from, directly or through a
/// group.
static Value getParameter(Value root) {
  if (auto load = root.getDefiningOp<LoadOp>())
    return load.getSource();
  return root;
}

static StringRef getAccess(const AccessSet &accesses, BlockArgument argument) {
  auto isParameter = [&](Value root) { return getParameter(root) == argument; };
  bool isRead = accesses.reads(isParameter);
  bool isWritten = accesses.writes(isParameter);
  if (isRead)
    return isWritten ? "read_write" : "read";
  return isWritten ? "write" : "none";
}

static void addMemref(json::Object &object, MemrefType type) {
  object["element_type"] = getScalarName(type.getElementType());
  object["shape"] = getSizes(type.getShape());
  object["stride"] = getSizes(type.getStride());
}

/// The divisors that a parameter promises.
template <typename Helper>
static json::Array getIntegers(FuncOp func, unsigned index) {
  json::Array array;
  if (DenseI64ArrayAttr list = getParameterAttr<Helper>(func, index))
    for (int64_t value : list.asArrayRef())
      array.push_back(value);
  return array;
}

/// The dynamic sizes of a buffer: dimensions of groups, or sums of what the launch
/// knows in the form of describePolynomial.
static json::Array describeBuffer(FuncOp func, ArrayRef<int64_t> numbers) {
  json::Array sizes;
  for (; !numbers.empty(); numbers = numbers.drop_front(4)) {
    int64_t parameter = numbers[0], mode = numbers[1], added = numbers[2];
    if (parameter < 0) {
      sizes.push_back(mode);
      continue;
    }
    json::Array value{getArgumentName(func.getArgument(parameter))};
    if (mode >= 0)
      value.push_back(mode);
    json::Array sum, size;
    sum.push_back(json::Array{1, std::move(value)});
    if (added != 0)
      sum.push_back(json::Array{added});
    if (numbers[3] > 1) {
      json::Array quotient{"/", std::move(sum), numbers[3]};
      size.push_back(json::Array{1, std::move(quotient)});
    }
    sizes.push_back(numbers[3] > 1 ? std::move(size) : std::move(sum));
  }
  return sizes;
}

static json::Object describeArgument(FuncOp func, const AccessSet &accesses,
                                     BlockArgument argument) {
  json::Object object{{"name", getArgumentName(argument)}};
  Type type = argument.getType();
  unsigned index = argument.getArgNumber();
  if (auto memref = dyn_cast<MemrefType>(type)) {
    object["kind"] = "memref";
    addMemref(object, memref);
  } else if (auto group = dyn_cast<GroupType>(type)) {
    object["kind"] = "group";
    addMemref(object, group.getMemrefType());
    object["size"] = getSize(group.getSize());
    object["offset"] = getSize(group.getOffset());
  } else {
    object["kind"] = "scalar";
    object["type"] = getScalarName(type);
    return object;
  }
  object["access"] = getAccess(accesses, argument);
  object["optional"] = isOptionalParameter(argument);
  auto alignment = getParameterAttr<TinyTCDialect::AlignmentAttrHelper>(func, index);
  object["alignment"] =
      alignment ? json::Value(alignment.getInt()) : json::Value(nullptr);
  object["shape_gcd"] = getIntegers<TinyTCDialect::ShapeGcdAttrHelper>(func, index);
  object["stride_gcd"] = getIntegers<TinyTCDialect::StrideGcdAttrHelper>(func, index);
  if (getParameterAttr<TinyTCDialect::ModesAttrHelper>(func, index))
    object["modes"] = getIntegers<TinyTCDialect::ModesAttrHelper>(func, index);
  if (auto buffer = getParameterAttr<TinyTCDialect::BufferAttrHelper>(func, index))
    object["buffer"] = describeBuffer(func, buffer);
  return object;
}

/// The types that not every device supports, f16 and f64, if the kernel uses them.
static json::Array getRequirements(FuncOp func) {
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
  json::Array array;
  if (f16)
    array.push_back("f16");
  if (f64)
    array.push_back("f64");
  return array;
}

/// Adds the place in a file that a location names, if there is one.
static void addPlace(json::Object &object, Location loc) {
  if (auto named = dyn_cast<NameLoc>(loc))
    return addPlace(object, named.getChildLoc());
  auto range = dyn_cast<FileLineColRange>(loc);
  if (!range)
    return;
  object["filename"] = range.getFilename().getValue();
  object["line"] = int64_t(range.getStartLine());
  object["column"] = int64_t(range.getStartColumn());
  bool isOneLine = range.getStartLine() == range.getEndLine();
  int64_t length = int64_t(range.getEndColumn()) - int64_t(range.getStartColumn()) + 1;
  object["length"] = isOneLine ? std::max<int64_t>(length, 1) : 1;
}

/// What a report means: its values, and the error with its place.
static json::Object describeReport(ReportOp report) {
  json::Array types;
  for (Type type : report.getValues().getTypes())
    types.push_back(type.isF64() ? "f64" : isa<FloatType>(type) ? "f32" : "i64");
  json::Object diagnostic{{"severity", "error"}, {"message", report.getMessage()}};
  json::Array notes;
  if (auto call = dyn_cast<CallSiteLoc>(report.getLoc())) {
    addPlace(diagnostic, call.getCallee());
    json::Object note{{"severity", "note"}, {"message", "the view is accessed here"}};
    addPlace(note, call.getCaller());
    notes.push_back(std::move(note));
  } else {
    addPlace(diagnostic, report.getLoc());
  }
  diagnostic["notes"] = std::move(notes);
  json::Object check{{"types", std::move(types)},
                     {"diagnostic", std::move(diagnostic)}};
  if (report.getPrint())
    check["print"] = true;
  return check;
}

json::Object tinytc::describeKernel(FuncOp func) {
  AccessSet accesses = AccessSet::of(*func);
  json::Array arguments, checks;
  Value reports;
  SmallVector<ReportOp> reportOps;
  func.walk([&](ReportOp op) { reportOps.push_back(op); });
  llvm::sort(reportOps,
             [](ReportOp a, ReportOp b) { return a.getNumber() < b.getNumber(); });
  for (ReportOp op : reportOps) {
    reports = op.getBuffer();
    checks.push_back(describeReport(op));
  }
  // A kernel that runs several groups has their number as its last parameter.
  ScheduleAttr schedule = func.getScheduleAttr();
  int64_t groups = schedule ? std::max<int64_t>(schedule.getGroups(), 1) : 1;
  for (BlockArgument argument : func.getArguments().drop_back(groups > 1))
    if (argument != reports)
      arguments.push_back(describeArgument(func, accesses, argument));
  ArrayRef<int32_t> size = *func.getWorkGroupSize();
  json::Object kernel{{"name", func.getSymName()},
                      {"local_size", json::Array{size[0], size[1], 1}},
                      {"subgroup_size", int64_t(*func.getSubgroupSize())},
                      {"groups_per_work_group", groups},
                      {"requires", getRequirements(func)},
                      {"arguments", std::move(arguments)}};
  if (!checks.empty())
    kernel["checks"] = std::move(checks);
  return kernel;
}

//===----------------------------------------------------------------------===//
// Bounds of the number of groups
//===----------------------------------------------------------------------===//

/// The line of an instruction in its file; null if its location names none.
static json::Value getLine(Operation *op) {
  json::Object place;
  addPlace(place, op->getLoc());
  std::optional<int64_t> line = place.getInteger("line");
  return line ? json::Value(*line) : json::Value(nullptr);
}

/// What messages call a parameter or an alloca.
static std::string getRootName(const GroupBounds &bounds, unsigned number) {
  Value root = bounds.roots[number];
  if (auto parameter = dyn_cast<BlockArgument>(root))
    return getArgumentName(parameter);
  std::string name = "alloca";
  if (std::optional<int64_t> line = getLine(root.getDefiningOp()).getAsInteger())
    name += " in line " + std::to_string(*line);
  return name;
}

static json::Array describePolynomial(const GroupBounds &bounds,
                                      const Polynomial &polynomial);

/// `[name]` of a scalar or of the members of a group, `[name, mode]` of a size, also of
/// a member, `[name, mode, "stride"]`, `[name, null, "associated"]`, and
/// `["/", dividend, divisor]`.
static json::Array describeVariable(const GroupBounds &bounds, Variable variable) {
  if (variable.kind == Variable::Kind::Quotient) {
    const LaunchQuotient &quotient = bounds.quotients[variable.number];
    return json::Array{"/", describePolynomial(bounds, quotient.dividend),
                       quotient.divisor};
  }
  json::Array array{getRootName(bounds, variable.number)};
  switch (variable.kind) {
  case Variable::Kind::Size:
  case Variable::Kind::MemberSize:
    array.push_back(variable.mode);
    break;
  case Variable::Kind::Stride:
    array.push_back(variable.mode);
    array.push_back("stride");
    break;
  case Variable::Kind::Associated:
    array.push_back(nullptr);
    array.push_back("associated");
    break;
  default:
    break;
  }
  return array;
}

/// A list of products: factor, then variables.
static json::Array describePolynomial(const GroupBounds &bounds,
                                      const Polynomial &polynomial) {
  json::Array sum;
  for (const auto &[product, coefficient] : polynomial.getTerms()) {
    json::Array term{coefficient};
    for (Variable variable : product)
      term.push_back(describeVariable(bounds, variable));
    sum.push_back(std::move(term));
  }
  return sum;
}

static json::Object describeLine(const GroupBounds &bounds,
                                 const Polynomial::Line &line) {
  return json::Object{{"slope", describePolynomial(bounds, line.slope)},
                      {"start", describePolynomial(bounds, line.rest)}};
}

/// The mode of the parts of complex numbers is -1.
static json::Object describeModes(const GroupBounds &bounds, IndexedModes indexed) {
  json::Array modes;
  for (unsigned mode = 0; mode < indexed.count; ++mode)
    modes.push_back(int64_t(int32_t(indexed.first + mode)));
  return json::Object{{"argument", getRootName(bounds, indexed.parameter)},
                      {"modes", std::move(modes)}};
}

/// What each id adds to a place in memory, and where that of the first group is.
static json::Array describePlace(const GroupBounds &bounds, Polynomial place) {
  json::Array sums;
  for (unsigned dimension = 0; dimension < kNumDimensions; ++dimension) {
    Polynomial::Line line = place.split(getGroupId(dimension));
    sums.push_back(describePolynomial(bounds, line.slope));
    place = line.rest;
  }
  sums.push_back(describePolynomial(bounds, place));
  return sums;
}

static json::Object describeBlock(const GroupBounds &bounds, const BlockAccess &block) {
  json::Object object{{"instruction", block.op->getName().stripDialect()},
                      {"line", getLine(block.op)},
                      {"checked", block.checked}};
  if (block.reach)
    object["reach"] = json::Array{describePlace(bounds, block.reach->first),
                                  describePlace(bounds, block.reach->last)};
  return object;
}

/// Dimension and slope of the other ids that move an index.
static json::Array describeOthers(const GroupBounds &bounds, const GroupBound &bound) {
  json::Array others;
  for (auto [dimension, slope] : llvm::enumerate(bound.otherSlopes))
    if (!slope.getTerms().empty())
      others.push_back(json::Array{dimension, describePolynomial(bounds, slope)});
  return others;
}

static json::Object describeAccess(const GroupBounds &bounds,
                                   const GroupAccess &access) {
  json::Object object = describeModes(bounds, access.modes);
  switch (access.index) {
  case GroupIndex::Id:
    object["index"] = "group_id";
    break;
  case GroupIndex::Shared:
    object["index"] = "shared";
    break;
  case GroupIndex::Other:
    object["index"] = "other";
    object["reason"] = access.reason;
    object["line"] = getLine(access.op);
    break;
  }
  return object;
}

static json::Object describeBound(const GroupBounds &bounds, const GroupBound &bound) {
  json::Object object = describeModes(bounds, bound.modes);
  json::Array conditions;
  for (const Polynomial::Line &condition : bound.conditions)
    conditions.push_back(describeLine(bounds, condition));
  object["dimension"] = bound.dimension;
  object["index"] = describeLine(bounds, bound.index);
  object["size"] = bound.size ? json::Value(describePolynomial(bounds, *bound.size))
                              : json::Value(nullptr);
  object["conditions"] = std::move(conditions);
  if (json::Array others = describeOthers(bounds, bound); !others.empty())
    object["others"] = std::move(others);
  if (bound.block)
    object["block"] = describeBlock(bounds, *bound.block);
  return object;
}

static json::Object describeSizes(const GroupBounds &bounds, const EqualSizes &sizes) {
  json::Object object{{"size", describePolynomial(bounds, sizes.size)},
                      {"expected", describePolynomial(bounds, sizes.expected)},
                      {"instruction", sizes.op->getName().stripDialect()},
                      {"line", getLine(sizes.op)}};
  json::Array conditions;
  for (const Polynomial &condition : sizes.conditions)
    conditions.push_back(describePolynomial(bounds, condition));
  if (!conditions.empty())
    object["conditions"] = std::move(conditions);
  if (!sizes.reason.empty())
    object["reason"] = sizes.reason;
  return object;
}

/// The sizes of a block: null for a whole mode, and 1 for one that is not known.
static json::Array describeBlockSizes(const ParameterBlock &block) {
  json::Array sizes;
  for (auto [number, mode] : llvm::enumerate(block.modes)) {
    auto value = dyn_cast_if_present<Value>(mode.size);
    auto size = value ? value.getDefiningOp<SizeOp>() : SizeOp();
    if (!mode.size || (size && size.getSource() == block.parameter &&
                       uint64_t(size.getMode()) == number))
      sizes.push_back(nullptr);
    else
      sizes.push_back(getConstantIntValue(mode.size).value_or(1));
  }
  return sizes;
}

static json::Object describeBlocks(const DisjointBlocks &blocks) {
  json::Object object{{"written", getArgumentName(blocks.written.parameter)},
                      {"read", getArgumentName(blocks.read.parameter)},
                      {"written_sizes", describeBlockSizes(blocks.written)},
                      {"read_sizes", describeBlockSizes(blocks.read)},
                      {"moved", json::Array(blocks.moved)},
                      {"in_place", mayUpdateInPlace(blocks.op)},
                      {"instruction", blocks.op->getName().stripDialect()}};
  if (blocks.memberMode)
    object["member_mode"] = int64_t(*blocks.memberMode);
  return object;
}

/// Each rule once, with the line of the first instruction that has it.
static json::Array describeDisjointBlocks(FuncOp func) {
  json::Array found;
  llvm::StringSet<> known;
  for (const DisjointBlocks &blocks : getDisjointBlocks(func)) {
    json::Object object = describeBlocks(blocks);
    if (!known.insert(llvm::formatv("{0}", json::Value(json::Object(object))).str())
             .second)
      continue;
    object["line"] = getLine(blocks.op);
    found.push_back(std::move(object));
  }
  return found;
}

json::Object tinytc::describeGroupBounds(FuncOp func) {
  GroupBounds found = getGroupBounds(func);
  json::Array bounds, equalSizes, unchecked, accesses, launchDependent, dimensions;
  for (const GroupAccess &access : found.accesses)
    accesses.push_back(describeAccess(found, access));
  for (Operation *op : found.launchDependent)
    launchDependent.push_back(json::Object{
        {"instruction", op->getName().stripDialect()}, {"line", getLine(op)}});
  for (auto [dimension, isUsed] : llvm::enumerate(found.usesDimension))
    if (isUsed)
      dimensions.push_back(dimension);
  for (const GroupBound &bound : found.bounds)
    bounds.push_back(describeBound(found, bound));
  for (const EqualSizes &sizes : found.equalSizes)
    equalSizes.push_back(describeSizes(found, sizes));
  for (const UncheckedUse &use : found.unchecked) {
    json::Object object = describeModes(found, use.modes);
    object["reason"] = use.reason;
    if (use.bound)
      object["bound"] = describeBound(found, *use.bound);
    unchecked.push_back(std::move(object));
  }
  Work work = getWork(func);
  auto toNumber = [](std::optional<int64_t> count) {
    return count ? json::Value(*count) : json::Value(nullptr);
  };
  return json::Object{{"flops_per_group", toNumber(work.flops)},
                      {"bytes_per_group", toNumber(work.bytes)},
                      {"group_bounds", std::move(bounds)},
                      {"equal_sizes", std::move(equalSizes)},
                      {"disjoint_blocks", describeDisjointBlocks(func)},
                      {"unchecked_uses", std::move(unchecked)},
                      {"group_accesses", std::move(accesses)},
                      {"launch_dependent", std::move(launchDependent)},
                      {"grid_dimensions", std::move(dimensions)}};
}

//===----------------------------------------------------------------------===//
// As an attribute
//===----------------------------------------------------------------------===//

Attribute tinytc::toAttribute(Builder &builder, const json::Value &value) {
  switch (value.kind()) {
  case json::Value::Null:
    return builder.getUnitAttr();
  case json::Value::Boolean:
    return builder.getBoolAttr(*value.getAsBoolean());
  case json::Value::Number:
    return builder.getI64IntegerAttr(*value.getAsInteger());
  case json::Value::String:
    return builder.getStringAttr(*value.getAsString());
  case json::Value::Array:
    return builder.getArrayAttr(
        llvm::map_to_vector(*value.getAsArray(), [&](const json::Value &entry) {
          return toAttribute(builder, entry);
        }));
  case json::Value::Object:
    break;
  }
  SmallVector<NamedAttribute> entries;
  for (const auto &[key, entry] : *value.getAsObject())
    entries.push_back(
        builder.getNamedAttr(StringRef(key), toAttribute(builder, entry)));
  return builder.getDictionaryAttr(entries);
}

json::Value tinytc::toJson(Attribute attribute) {
  return TypeSwitch<Attribute, json::Value>(attribute)
      .Case([](BoolAttr value) { return value.getValue(); })
      .Case([](IntegerAttr value) -> json::Value {
        if (value.getValue().getSignificantBits() > 64)
          return nullptr;
        return value.getValue().getSExtValue();
      })
      .Case([](StringAttr value) { return json::fixUTF8(value.getValue()); })
      .Case([](ArrayAttr value) {
        json::Array array;
        for (Attribute entry : value)
          array.push_back(toJson(entry));
        return array;
      })
      .Case([](DictionaryAttr value) {
        json::Object object;
        for (NamedAttribute entry : value)
          object[json::fixUTF8(entry.getName())] = toJson(entry.getValue());
        return object;
      })
      .Default([](Attribute) { return nullptr; });
}
