//===- Extension.cpp - The Python extension _tinytc -----------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Registers the dialect and its passes in the `mlir` package, and defines the type
// classes. Everything goes through the C API.
//
//===----------------------------------------------------------------------===//

#include "lib/CAPI/TinyTC.h"

#include "LimitedAPI.h"
#include "Machine.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir/Bindings/Python/Diagnostics.h"
#include "mlir/Bindings/Python/NanobindAdaptors.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nb = nanobind;
using namespace mlir::python::nanobind_adaptors;

namespace {

constexpr int64_t kDynamic = INT64_MIN; // mlir::ShapedType::kDynamic

/// A size or a stride in Python; None means that it is dynamic.
using Size = std::optional<int64_t>;

Size toSize(int64_t value) { return value == kDynamic ? Size() : Size(value); }

int64_t fromSize(Size size) { return size.value_or(kDynamic); }

std::vector<int64_t> fromSizes(const std::vector<Size> &sizes) {
  std::vector<int64_t> values;
  values.reserve(sizes.size());
  for (Size size : sizes)
    values.push_back(fromSize(size));
  return values;
}

MlirStringRef toStringRef(const std::string &text) {
  return {text.data(), text.size()};
}

std::string toString(MlirStringRef text) { return {text.data, text.length}; }

/// Throws a ValueError with a message.
[[noreturn]] void throwValueError(const std::string &message) {
  throw nb::value_error(message.c_str());
}

/// The text of a type, attribute or another object of the `mlir` package.
template <typename Object>
std::string print(Object object, void (*printTo)(Object, MlirStringCallback, void *)) {
  std::string text;
  printTo(
      object,
      [](MlirStringRef part, void *data) {
        static_cast<std::string *>(data)->append(part.data, part.length);
      },
      &text);
  return text;
}

/// Runs `get` and turns its diagnostics into a ValueError.
template <typename Get>
auto getOrThrow(MlirContext context, Get get) {
  mlir::python::CollectDiagnosticsToStringScope diagnostics(context);
  auto object = get(mlirLocationUnknownGet(context));
  if (!object.ptr) {
    // Drop the prefix that only says that the location is unknown.
    const std::string prefix = "at loc(unknown): ";
    std::string message = diagnostics.takeMessage();
    if (message.rfind(prefix, 0) == 0)
      message.erase(0, prefix.size());
    throwValueError(message);
  }
  return object;
}

MlirType getMemref(const std::vector<Size> &shape, MlirType elementType,
                   const std::optional<std::vector<Size>> &stride,
                   const std::string &addressSpace) {
  if (stride && stride->size() != shape.size())
    throwValueError("expected stride to have one entry for each mode of shape, " +
                    std::to_string(shape.size()) + ", got " +
                    std::to_string(stride->size()));
  std::vector<int64_t> sizes = fromSizes(shape);
  std::vector<int64_t> strides = stride ? fromSizes(*stride) : std::vector<int64_t>();
  return getOrThrow(mlirTypeGetContext(elementType), [&](MlirLocation loc) {
    return mlirTinyTCMemrefTypeGetChecked(loc, sizes.size(), sizes.data(), elementType,
                                          stride ? strides.data() : nullptr,
                                          toStringRef(addressSpace));
  });
}

template <int64_t (*getEntry)(MlirType, intptr_t)>
std::vector<Size> getEntries(MlirType memref) {
  std::vector<Size> entries;
  for (intptr_t i = 0, order = mlirTinyTCMemrefTypeGetOrder(memref); i < order; ++i)
    entries.push_back(toSize(getEntry(memref, i)));
  return entries;
}

void defineMemref(nb::module_ &m) {
  mlir_type_subclass(m, "MemrefType", mlirTypeIsATinyTCMemref,
                     mlirTinyTCMemrefTypeGetTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, const std::vector<Size> &shape,
             MlirType elementType, const std::optional<std::vector<Size>> &stride,
             const std::string &addressSpace) {
            return cls(getMemref(shape, elementType, stride, addressSpace));
          },
          nb::arg("cls"), nb::arg("shape"), nb::arg("element_type"),
          nb::arg("stride").none() = nb::none(), nb::arg("address_space") = "global",
          "Returns the memref type; None in shape or stride is dynamic, and a stride "
          "of None is the packed layout.")
      .def_property_readonly("order", mlirTinyTCMemrefTypeGetOrder, "Number of modes.")
      .def_property_readonly("shape", getEntries<mlirTinyTCMemrefTypeGetSize>,
                             "Sizes of the modes; None is dynamic.")
      .def_property_readonly("stride", getEntries<mlirTinyTCMemrefTypeGetStride>,
                             "Strides in elements; None is dynamic.")
      .def_property_readonly("element_type", mlirTinyTCMemrefTypeGetElementType,
                             "Scalar type of the elements.")
      .def_property_readonly(
          "address_space",
          [](MlirType self) {
            return toString(mlirTinyTCMemrefTypeGetAddressSpace(self));
          },
          "'global' or 'local'.");
}

void defineGroup(nb::module_ &m) {
  mlir_type_subclass(m, "GroupType", mlirTypeIsATinyTCGroup,
                     mlirTinyTCGroupTypeGetTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, MlirType memrefType, Size size, Size offset) {
            if (!mlirTypeIsATinyTCMemref(memrefType))
              throwValueError("expected memref_type to be a MemrefType, got " +
                              print(memrefType, mlirTypePrint));
            return cls(
                getOrThrow(mlirTypeGetContext(memrefType), [&](MlirLocation loc) {
                  return mlirTinyTCGroupTypeGetChecked(loc, memrefType, fromSize(size),
                                                       fromSize(offset));
                }));
          },
          nb::arg("cls"), nb::arg("memref_type"), nb::arg("size").none() = nb::none(),
          nb::arg("offset").none() = 0,
          "Returns the group type; a size or offset of None is dynamic.")
      .def_property_readonly("memref_type", mlirTinyTCGroupTypeGetMemrefType,
                             "Type of the group's elements.")
      .def_property_readonly(
          "size",
          [](MlirType self) { return toSize(mlirTinyTCGroupTypeGetSize(self)); },
          "Number of elements; None is dynamic.")
      .def_property_readonly(
          "offset",
          [](MlirType self) { return toSize(mlirTinyTCGroupTypeGetOffset(self)); },
          "Offset of each element in scalars; None is dynamic.");
}

void defineCoopMatrix(nb::module_ &m) {
  mlir_type_subclass(m, "CoopMatrixType", mlirTypeIsATinyTCCoopMatrix,
                     mlirTinyTCCoopMatrixTypeGetTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, int64_t rows, int64_t columns, MlirType elementType,
             const std::string &use) {
            return cls(
                getOrThrow(mlirTypeGetContext(elementType), [&](MlirLocation loc) {
                  return mlirTinyTCCoopMatrixTypeGetChecked(
                      loc, rows, columns, elementType, toStringRef(use));
                }));
          },
          nb::arg("cls"), nb::arg("rows"), nb::arg("columns"), nb::arg("element_type"),
          nb::arg("use"),
          "Returns the coopmatrix type; use is matrix_a, matrix_b or matrix_acc.")
      .def_property_readonly("rows", mlirTinyTCCoopMatrixTypeGetRows, "Number of rows.")
      .def_property_readonly("columns", mlirTinyTCCoopMatrixTypeGetColumns,
                             "Number of columns.")
      .def_property_readonly("element_type", mlirTinyTCCoopMatrixTypeGetElementType,
                             "Scalar type of the components.")
      .def_property_readonly(
          "use",
          [](MlirType self) { return toString(mlirTinyTCCoopMatrixTypeGetUse(self)); },
          "'matrix_a', 'matrix_b' or 'matrix_acc'.");
}

MlirAttribute getEnumAttribute(MlirContext context, const std::string &mnemonic,
                               const std::string &word) {
  MlirAttribute attribute =
      mlirTinyTCEnumAttrGet(context, toStringRef(mnemonic), toStringRef(word));
  if (mlirAttributeIsNull(attribute))
    throwValueError("expected an enum of the dialect and one of its words, got '" +
                    mnemonic + "' and '" + word + "'");
  return attribute;
}

std::string getEnumWord(MlirAttribute attribute) {
  std::string word = toString(mlirTinyTCEnumAttrGetWord(attribute));
  if (word.empty())
    throwValueError("expected an enum attribute of the dialect or of the gpu dialect, "
                    "got " +
                    print(attribute, mlirAttributePrint));
  return word;
}

MlirAttribute getSchedule(MlirContext context, int64_t rows, int64_t columns,
                          int64_t unroll, int64_t groups) {
  return getOrThrow(context, [&](MlirLocation loc) {
    return mlirTinyTCScheduleAttrGetChecked(loc, {rows, columns, unroll, groups});
  });
}

nb::dict getScheduleEntries(MlirAttribute attribute) {
  if (!mlirAttributeIsATinyTCSchedule(attribute))
    throwValueError("expected a schedule, got " + print(attribute, mlirAttributePrint));
  MlirTinyTCSchedule schedule = mlirTinyTCScheduleAttrGetEntries(attribute);
  nb::dict entries;
  entries["rows"] = schedule.rows;
  entries["columns"] = schedule.columns;
  entries["unroll"] = schedule.unroll;
  entries["groups"] = schedule.groups;
  return entries;
}

std::vector<MlirTinyTCTarget> getTargets() {
  std::vector<MlirTinyTCTarget> targets;
  for (intptr_t i = 0, count = mlirTinyTCGetTargetCount(); i < count; ++i)
    targets.push_back(mlirTinyTCGetTarget(i));
  return targets;
}

std::string describeFamilies() {
  std::string text;
  auto onJson = [](MlirStringRef json, void *data) {
    *static_cast<std::string *>(data) = toString(json);
  };
  mlirTinyTCDescribeFamilies(onJson, &text);
  return text;
}

std::optional<MlirTinyTCTarget> getTargetOf(MlirOperation module) {
  intptr_t index = mlirTinyTCGetTargetOf(module);
  return index < 0 ? std::nullopt : std::optional(mlirTinyTCGetTarget(index));
}

std::vector<std::string> getKernelsOf(MlirOperation binary) {
  std::vector<std::string> names;
  auto onName = [](MlirStringRef name, void *data) {
    static_cast<std::vector<std::string> *>(data)->push_back(toString(name));
  };
  mlirTinyTCGetKernelsOf(binary, onName, &names);
  return names;
}

void defineTarget(nb::module_ &m) {
  using Target = MlirTinyTCTarget;
  nb::class_<Target>(m, "Target", "A target as the compiler knows it.")
      .def_prop_ro(
          "name", [](const Target &self) { return toString(self.name); }, "Its name.")
      .def_prop_ro(
          "alias", [](const Target &self) { return toString(self.alias); },
          "Another name of it, empty if it has none.")
      .def_prop_ro(
          "family", [](const Target &self) { return toString(self.family); },
          "'cpu', 'intel_gpu', 'nvidia_gpu' or 'native'.")
      .def_prop_ro(
          "subgroup_sizes",
          [](const Target &self) {
            return std::vector<int32_t>(self.subgroupSizes,
                                        self.subgroupSizes + self.subgroupSizeCount);
          },
          "Sizes that a subgroup may have, in ascending order.")
      .def_ro("has_f64", &Target::hasF64, "Whether it has 64-bit floating point.")
      .def_ro("local_memory_bytes", &Target::localMemoryBytes,
              "Local memory that a work-group may have.");
}

/// Receives what mlirTinyTCEmit calls back with.
struct EmittedBinary {
  std::string code, manifest;
};

std::string describeGroupBounds(MlirOperation kernel) {
  std::string json;
  auto onJson = [](MlirStringRef text, void *data) {
    static_cast<std::string *>(data)->assign(text.data, text.length);
  };
  mlirTinyTCDescribeGroupBounds(kernel, onJson, &json);
  if (json.empty())
    throwValueError("expected a kernel of the dialect, got another operation");
  return json;
}

std::string describeStrategies(MlirOperation kernel) {
  std::string json;
  auto onJson = [](MlirStringRef text, void *data) {
    static_cast<std::string *>(data)->assign(text.data, text.length);
  };
  mlirTinyTCDescribeStrategies(kernel, onJson, &json);
  return json;
}

/// Appends to the string that the user data points to.
void append(MlirStringRef part, void *text) {
  static_cast<std::string *>(text)->append(part.data, part.length);
}

std::optional<std::string> explainStageStamp(const nb::bytes &head) {
  std::string reason;
  mlirTinyTCExplainStageStamp({head.c_str(), head.size()}, append, &reason);
  return reason.empty() ? std::nullopt : std::optional(reason);
}

nb::bytes writeTileBytecode(MlirOperation op, const std::string &version) {
  std::string bytes;
  if (mlirLogicalResultIsFailure(
          mlirTileWriteBytecode(op, toStringRef(version), append, &bytes)))
    throwValueError("expected programs on tiles that bytecode can hold, got others");
  return nb::bytes(bytes.data(), bytes.size());
}

/// The elements of a dense attribute, the last index first. MLIR's own buffers have no
/// bf16, and complex numbers are no attributes in Python.
nb::bytes getDenseBytes(MlirOperation op, const std::string &name,
                        size_t elementBytes) {
  MlirAttribute elements = mlirOperationGetAttributeByName(op, toStringRef(name));
  if (mlirAttributeIsNull(elements) || !mlirAttributeIsADenseElements(elements))
    throwValueError("expected an operation with elements, got another");
  const char *bytes =
      static_cast<const char *>(mlirDenseElementsAttrGetRawData(elements));
  size_t count = mlirElementsAttrGetNumElements(elements);
  if (!mlirDenseElementsAttrIsSplat(elements))
    return nb::bytes(bytes, count * elementBytes);
  std::string all;
  for (size_t i = 0; i < count; ++i)
    all.append(bytes, elementBytes);
  return nb::bytes(all.data(), all.size());
}

nb::bytes emitWithLines(MlirOperation lowered) {
  std::string spirv;
  auto onSPIRV = [](MlirStringRef text, void *data) {
    static_cast<std::string *>(data)->assign(text.data, text.length);
  };
  if (mlirLogicalResultIsFailure(mlirTinyTCEmitWithLines(lowered, onSPIRV, &spirv)))
    throwValueError("expected a module with kernels that can be written as a program, "
                    "got another");
  return nb::bytes(spirv.data(), spirv.size());
}

nb::tuple emit(MlirOperation lowered) {
  EmittedBinary binary;
  auto onCode = [](MlirStringRef text, void *data) {
    static_cast<EmittedBinary *>(data)->code.assign(text.data, text.length);
  };
  auto onManifest = [](MlirStringRef text, void *data) {
    static_cast<EmittedBinary *>(data)->manifest.assign(text.data, text.length);
  };
  MlirLogicalResult result = mlirTinyTCEmit(lowered, onCode, onManifest, &binary);
  if (mlirLogicalResultIsFailure(result)) // the diagnostics say why
    throwValueError("expected a module with kernels that can be written as a program, "
                    "got another");
  return nb::make_tuple(nb::bytes(binary.code.data(), binary.code.size()),
                        binary.manifest);
}

} // namespace

NB_MODULE(_tinytc, m) {
  m.doc() = "The tinytc dialect in the mlir package.";
  mlirTinyTCRegisterPasses();
  m.def(
      "register_dialect",
      [](MlirContext context) {
        for (MlirDialectHandle handle :
             {mlirGetDialectHandle__tinytc__(), mlirGetDialectHandle__tile__()}) {
          mlirDialectHandleRegisterDialect(handle, context);
          mlirDialectHandleLoadDialect(handle, context);
        }
      },
      nb::arg("context"),
      "Registers and loads the tinytc and tile dialects in an mlir context.");
  defineTarget(m);
  m.def(
      "stage_stamp", [] { return toString(mlirTinyTCGetStageStamp()); },
      "Returns the line that printed stages begin with.");
  m.def("explain_stage_stamp", explainStageStamp, nb::arg("head"),
        "Returns why a stage that begins with these bytes is not read, None if it is.");
  m.def("targets", getTargets, "Returns all targets, the default first.");
  m.def("families", describeFamilies,
        "Returns the families of targets as JSON, with their stages.");
  m.def("target_of", getTargetOf, nb::arg("module"),
        "Returns the target that a module is lowered for, None if it has none.");
  m.def("kernels_of", getKernelsOf, nb::arg("binary"),
        "Returns the names of the kernels of a gpu.binary.");
  m.def(
      "emit", emit, nb::arg("lowered"),
      "Returns the code and the JSON manifest of a module at the spirv or ptx stage.");
  m.def("emit_with_lines", emitWithLines, nb::arg("lowered"),
        "Returns the SPIR-V bytes of a module at the spirv stage, with lines of the "
        "source.");
  m.def("dense_bytes", getDenseBytes, nb::arg("op"), nb::arg("name"),
        nb::arg("element_bytes"),
        "Returns the bytes of the elements of a dense attribute of an operation.");
  m.def("write_tile_bytecode", writeTileBytecode, nb::arg("op"),
        nb::arg("version") = "",
        "Returns the Tile IR bytecode of the tile.module that an operation is, or is "
        "around.");
  m.def("describe_strategies", describeStrategies, nb::arg("kernel"),
        "Returns the strategies of the operations of a kernel that have one, as JSON.");
  m.def("describe_group_bounds", describeGroupBounds, nb::arg("kernel"),
        "Returns the bounds of the number of groups of a kernel as JSON.");
  m.def("is_prepared", mlirTinyTCIsPrepared, nb::arg("kernel"),
        "Returns whether the manifest of a kernel describes its parameters.");
  m.def(
      "moves_lane_conditions", mlirTinyTCMovesLaneConditions, nb::arg("module"),
      "Returns whether the driver of a module's target moves conditions on the lane.");
  m.def("needs_whole_subgroups", mlirTinyTCNeedsWholeSubgroups, nb::arg("module"),
        "Returns whether functions of a subgroup are undefined where some of its lanes "
        "do not run them.");
  m.def("enum_attribute", getEnumAttribute, nb::arg("context"), nb::arg("mnemonic"),
        nb::arg("word"), "Returns the enum attribute that a word stands for.");
  m.def("enum_word", getEnumWord, nb::arg("attribute"),
        "Returns the word of an enum attribute of the dialect or of the gpu dialect.");
  m.def("schedule_attribute", getSchedule, nb::arg("context"), nb::arg("rows"),
        nb::arg("columns"), nb::arg("unroll"), nb::arg("groups"),
        "Returns a schedule; 0 leaves an entry to the compiler.");
  m.def("schedule_entries", getScheduleEntries, nb::arg("attribute"),
        "Returns the entries of a schedule by name.");
  defineMemref(m);
  defineGroup(m);
  defineCoopMatrix(m);
  defineMachine(m);
}
