//===- Manifest.cpp - What a launch must know of a kernel -----------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Scalars.h"
#include "dialect/TinyTC.h"
#include "lib/IR/Records.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tinytc;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

json::Value tinytc::getJson(Attribute attribute) {
  return TypeSwitch<Attribute, json::Value>(attribute)
      .Case([](IntegerAttr value) { return value.getInt(); })
      .Case([](StringAttr value) { return json::fixUTF8(value.getValue()); })
      .Case([](DenseI64ArrayAttr value) { return getJson(value.asArrayRef()); })
      .Case([](ArrayAttr value) { return getJson(value.getValue()); })
      .Case<SumAttr, DiagnosticAttr>(
          [](auto record) -> json::Value { return record.toJson(); })
      .Default(json::Value(nullptr));
}

json::Value SumAttr::toJson() const { return getJson(Attribute(getTerms())); }

MemrefType ParameterAttr::getMemref() const {
  auto group = dyn_cast<GroupType>(getType());
  return group ? group.getMemrefType() : dyn_cast<MemrefType>(getType());
}

json::Object ParameterAttr::toJson() const {
  json::Object object{{"name", getJson(getName())}};
  MemrefType memref = getMemref();
  if (!memref) {
    object["kind"] = "scalar";
    object["type"] = getScalarName(getType());
    return object;
  }
  object["kind"] = "memref";
  if (auto group = dyn_cast<GroupType>(getType())) {
    object["kind"] = "group";
    object["size"] = getJson(group.getSize());
    object["offset"] = getJson(group.getOffset());
  }
  auto getDivisors = [](DenseI64ArrayAttr divisors) {
    return divisors ? getJson(divisors.asArrayRef()) : json::Array();
  };
  object["element_type"] = getScalarName(memref.getElementType());
  object["shape"] = getJson(memref.getShape());
  object["stride"] = getJson(memref.getStride());
  object["access"] = getIsRead() ? (getIsWritten() ? "read_write" : "read")
                                 : (getIsWritten() ? "write" : "none");
  object["optional"] = getIsOptional();
  object["alignment"] = getJson(getAlignment());
  object["shape_gcd"] = getDivisors(getShapeGcd());
  object["stride_gcd"] = getDivisors(getStrideGcd());
  writeOptionalEntry(object, "modes", getModes());
  writeOptionalEntry(object, "buffer", getBuffer());
  if (ArrayAttr nonzero = getNonzero()) {
    json::Array boxes;
    for (auto box : nonzero.getAsRange<DenseI64ArrayAttr>())
      boxes.push_back(getJson(box.asArrayRef()));
    object["nonzero"] = std::move(boxes);
  }
  return object;
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

static bool isSum(Attribute attribute);

static bool isInt64(Attribute attribute) {
  auto integer = dyn_cast<IntegerAttr>(attribute);
  return integer && integer.getType().isSignlessInteger(64);
}

/// Whether the attribute is a value that the launch knows: a list of a name and up to
/// two more, or a quotient.
static bool isLaunchValue(Attribute attribute) {
  auto value = dyn_cast<ArrayAttr>(attribute);
  if (!value || value.empty() || value.size() > 3 || !isa<StringAttr>(value[0]))
    return false;
  if (value.size() == 3 && cast<StringAttr>(value[0]) == "/")
    return isSum(value[1]) && isInt64(value[2]) &&
           cast<IntegerAttr>(value[2]).getInt() > 0;
  if (value.size() == 3 &&
      value[2] == StringAttr::get(value.getContext(), "associated"))
    return isa<UnitAttr>(value[1]);
  return value.size() == 1 ||
         (isInt64(value[1]) &&
          (value.size() == 2 ||
           value[2] == StringAttr::get(value.getContext(), "stride")));
}

static bool isSum(Attribute attribute) {
  auto terms = dyn_cast<ArrayAttr>(attribute);
  return terms && llvm::all_of(terms, [](Attribute term) {
           auto factors = dyn_cast<ArrayAttr>(term);
           return factors && !factors.empty() && isInt64(factors[0]) &&
                  llvm::all_of(factors.getValue().drop_front(), isLaunchValue);
         });
}

LogicalResult SumAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              ArrayAttr terms) {
  if (isSum(terms))
    return success();
  return emitError() << "expected a list of products, each an i64 and values of the "
                        "launch, got "
                     << terms;
}

LogicalResult BoundAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                StringAttr, ArrayRef<int64_t>, int64_t dimension,
                                LinearAttr, SumAttr, ArrayRef<LinearAttr>, ArrayAttr,
                                BlockAccessAttr) {
  if (dimension >= 0 && dimension < 3)
    return success();
  return emitError() << "expected 'dimension' of a bound to be 0, 1 or 2, got "
                     << dimension;
}

LogicalResult GroupAccessAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                      StringAttr, ArrayRef<int64_t>, StringAttr index,
                                      OtherIndexAttr other) {
  if (!llvm::is_contained({"group_id", "shared", "other"}, index.getValue()))
    return emitError()
           << "expected 'index' of an access to be one of group_id, shared, "
              "other, got "
           << index;
  if ((index == "other") != bool(other))
    return emitError()
           << "expected 'other' of an access where 'index' is \"other\", got "
           << (other ? "it" : "none") << " with " << index;
  return success();
}

LogicalResult
ParameterAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr name,
                      Type type, bool isRead, bool isWritten, bool isOptional,
                      std::optional<int64_t> alignment, DenseI64ArrayAttr shapeGcd,
                      DenseI64ArrayAttr strideGcd, DenseI64ArrayAttr modes,
                      ArrayAttr buffer, ArrayAttr nonzero) {
  bool isScalar = type.isInteger(1) || isScalarType(type);
  if (!isScalar && !isa<MemrefType, GroupType>(type))
    return emitError() << "expected the type of parameter " << name
                       << " to be boolean, a scalar, a memref or a group, got " << type;
  bool hasMore = isRead || isWritten || isOptional || alignment || shapeGcd ||
                 strideGcd || modes || buffer || nonzero;
  if (isScalar && hasMore)
    return emitError() << "expected parameter " << name << " of type " << type
                       << " to have no entries of a memref, got some";
  if (alignment && *alignment < 1)
    return emitError() << "expected 'alignment' of parameter " << name
                       << " to be positive, got " << *alignment;
  if (nonzero && !llvm::all_of(nonzero, llvm::IsaPred<DenseI64ArrayAttr>))
    return emitError() << "expected 'nonzero' of parameter " << name
                       << " to be an array of arrays of i64, got " << nonzero;
  return success();
}

LogicalResult ManifestAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   KernelAttr, ArrayRef<int64_t> localSize,
                                   std::optional<int64_t> groupsPerWorkGroup,
                                   std::optional<int64_t> groupsOfBlock,
                                   std::optional<int64_t> localMemoryBytes, StringAttr,
                                   StringAttr, bool, bool, bool, GroupBoundsAttr) {
  auto isPositive = [](int64_t size) { return size > 0; };
  if (!localSize.empty() &&
      (localSize.size() != 3 || !llvm::all_of(localSize, isPositive)))
    return emitError() << "expected 'local_size' of a manifest to have three positive "
                          "entries, got ["
                       << localSize << "]";
  for (auto [name, count] : {std::pair("groups_per_work_group", groupsPerWorkGroup),
                             std::pair("groups_of_block", groupsOfBlock)})
    if (count && *count < 1)
      return emitError() << "expected '" << name
                         << "' of a manifest to be positive, got " << *count;
  if (localMemoryBytes && *localMemoryBytes < 0)
    return emitError() << "expected 'local_memory_bytes' of a manifest not to be "
                          "negative, got "
                       << *localMemoryBytes;
  return success();
}
