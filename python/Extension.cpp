//===- Extension.cpp - The Python extension _tinytc -----------------------===//
//
// Registers the dialect and its passes in the `mlir` package, and defines the type
// classes. Everything goes through the C API.
//
//===----------------------------------------------------------------------===//

#include "lib/CAPI/TinyTC.h"

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
  for (Size size : sizes)
    values.push_back(fromSize(size));
  return values;
}

MlirStringRef toStringRef(const std::string &text) {
  return {text.data(), text.size()};
}

std::string toString(MlirStringRef text) { return {text.data, text.length}; }

/// Runs `get` and turns its diagnostics into a ValueError.
template <typename Get>
MlirType getOrThrow(MlirContext context, Get get) {
  mlir::python::CollectDiagnosticsToStringScope diagnostics(context);
  MlirType type = get(mlirLocationUnknownGet(context));
  if (mlirTypeIsNull(type)) {
    // Drop the prefix that only says that the location is unknown.
    const std::string prefix = "at loc(unknown): ";
    std::string message = diagnostics.takeMessage();
    if (message.rfind(prefix, 0) == 0)
      message.erase(0, prefix.size());
    throw nb::value_error(message.c_str());
  }
  return type;
}

MlirType getMemref(const std::vector<Size> &shape, MlirType elementType,
                   const std::optional<std::vector<Size>> &stride,
                   const std::string &addressSpace) {
  if (stride && stride->size() != shape.size())
    throw nb::value_error("expected stride to have one entry for each mode of shape");
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
              throw nb::value_error("expected memref_type to be a MemrefType");
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
    throw nb::value_error(
        ("expected an enum of the dialect and one of its words, got '" + mnemonic +
         "' and '" + word + "'")
            .c_str());
  return attribute;
}

std::string getEnumWord(MlirAttribute attribute) {
  std::string word = toString(mlirTinyTCEnumAttrGetWord(attribute));
  if (word.empty())
    throw nb::value_error("expected an enum attribute of the dialect");
  return word;
}

std::optional<int64_t> countFlops(MlirOperation module, const std::string &kernel) {
  int64_t flops = mlirTinyTCCountFlops(module, toStringRef(kernel));
  return flops < 0 ? std::nullopt : std::optional(flops);
}

std::vector<std::string> getTargets() {
  std::vector<std::string> names;
  auto onName = [](MlirStringRef name, void *data) {
    static_cast<std::vector<std::string> *>(data)->emplace_back(name.data, name.length);
  };
  mlirTinyTCForEachTarget(onName, &names);
  return names;
}

/// Receives what mlirTinyTCEmit calls back with.
struct EmittedBinary {
  std::string spirv, manifest;
};

nb::tuple emit(MlirOperation prepared, MlirOperation lowered) {
  EmittedBinary binary;
  auto onSPIRV = [](MlirStringRef text, void *data) {
    static_cast<EmittedBinary *>(data)->spirv.assign(text.data, text.length);
  };
  auto onManifest = [](MlirStringRef text, void *data) {
    static_cast<EmittedBinary *>(data)->manifest.assign(text.data, text.length);
  };
  MlirLogicalResult result =
      mlirTinyTCEmit(prepared, lowered, onSPIRV, onManifest, &binary);
  if (mlirLogicalResultIsFailure(result)) // the diagnostics say why
    throw nb::value_error("expected modules that a program can be made of");
  return nb::make_tuple(nb::bytes(binary.spirv.data(), binary.spirv.size()),
                        binary.manifest);
}

} // namespace

NB_MODULE(_tinytc, m) {
  m.doc() = "The tinytc dialect in the mlir package.";
  mlirTinyTCRegisterPasses();
  m.def(
      "register_dialect",
      [](MlirContext context) {
        MlirDialectHandle handle = mlirGetDialectHandle__tinytc__();
        mlirDialectHandleRegisterDialect(handle, context);
        mlirDialectHandleLoadDialect(handle, context);
      },
      nb::arg("context"), "Registers and loads the tinytc dialect in an mlir context.");
  m.def("targets", getTargets, "Returns the names of all targets, the default first.");
  m.def("emit", emit, nb::arg("prepared"), nb::arg("lowered"),
        "Returns the SPIR-V bytes and the JSON manifest of a module at the spirv stage "
        "and the prepared module that it was lowered from.");
  m.def("count_flops", countFlops, nb::arg("module"), nb::arg("kernel"),
        "Returns the floating-point operations of a kernel for one group, None if they "
        "are not known.");
  m.def("broadcasts_lane_conditions", mlirTinyTCMovesLaneConditions, nb::arg("module"),
        "Returns whether conditions on the lane become broadcasts in a module.");
  m.def("enum_attribute", getEnumAttribute, nb::arg("context"), nb::arg("mnemonic"),
        nb::arg("word"), "Returns the enum attribute that a word stands for.");
  m.def("enum_word", getEnumWord, nb::arg("attribute"),
        "Returns the word of an enum attribute of the dialect.");
  defineMemref(m);
  defineGroup(m);
  defineCoopMatrix(m);
}
