//===- Arrays.cpp - The Python extension _arrays --------------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Compares NumPy arrays with one that a launch has checked, launches machine code, and
// has last words for a process that a driver ends. It knows neither MLIR nor a device,
// so that programs from the cache load little.
//
//===----------------------------------------------------------------------===//

#include "CopyElements.h"
#include "FatalErrors.h"
#include "NativeLaunch.h"
#include "PlannedLaunch.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

// Only its inline functions, which read fields of arrays: NumPy is not imported.
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/ndarraytypes.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace nb = nanobind;

namespace {

PyArrayObject *asArray(PyObject *object) {
  return reinterpret_cast<PyArrayObject *>(object);
}

uint64_t addressOf(PyArrayObject *array) {
  return reinterpret_cast<uintptr_t>(PyArray_DATA(array));
}

/// The layout of arrays that are passed in the same way.
class Layout {
public:
  Layout(nb::type_object arrayType, nb::object dtype, std::vector<Py_ssize_t> shape,
         std::vector<Py_ssize_t> strides, bool isWritable, nb::callable originOf,
         nb::object origin, uint64_t divisor, uint64_t remainder)
      : arrayType(std::move(arrayType)), dtype(std::move(dtype)),
        shape(std::move(shape)), strides(std::move(strides)), isWritable(isWritable),
        originOf(std::move(originOf)), origin(std::move(origin)), divisor(divisor),
        remainder(remainder) {}

  /// The address of an array of this layout, nothing for all else.
  std::optional<uint64_t> address(nb::handle array) const {
    PyObject *checked = nullptr;
    return addressOf(array.ptr(), checked);
  }

  /// The entries of a `Pointer` to an array of this layout, None for all else.
  nb::object pointer(nb::handle array) const {
    PyObject *memory = nullptr;
    std::optional<uint64_t> address = addressOf(array.ptr(), memory);
    if (!address)
      return nb::none();
    nb::handle owner = memory ? nb::handle(memory) : array;
    return nb::make_tuple(owner, *address, nb::none(), nb::none(), empty);
  }

  /// The addresses of arrays of this layout as bytes, None if one has another.
  nb::object addresses(const nb::tuple &arrays) const {
    std::vector<uint64_t> found;
    found.reserve(arrays.size());
    PyObject *checked = nullptr;
    for (nb::handle array : arrays) {
      std::optional<uint64_t> address = addressOf(array.ptr(), checked);
      if (!address)
        return nb::none();
      found.push_back(*address);
    }
    return nb::bytes(found.data(), found.size() * sizeof(uint64_t));
  }

private:
  bool isArray(PyObject *object) const {
    return reinterpret_cast<PyObject *>(Py_TYPE(object)) == arrayType.ptr();
  }

  /// `checked` is memory whose origin is known to be right, if any.
  std::optional<uint64_t> addressOf(PyObject *array, PyObject *&checked) const {
    if (!isArray(array))
      return std::nullopt;
    PyArrayObject *fields = asArray(array);
    uint64_t address = ::addressOf(fields);
    if (reinterpret_cast<PyObject *>(PyArray_DESCR(fields)) != dtype.ptr() ||
        PyArray_NDIM(fields) != static_cast<int>(shape.size()) ||
        !std::equal(shape.begin(), shape.end(), PyArray_DIMS(fields)) ||
        !std::equal(strides.begin(), strides.end(), PyArray_STRIDES(fields)) ||
        PyArray_ISWRITEABLE(fields) != isWritable || address % divisor != remainder)
      return std::nullopt;
    PyObject *memory = PyArray_BASE(fields);
    while (memory && isArray(memory))
      memory = PyArray_BASE(asArray(memory));
    if (!memory != origin.is_none())
      return std::nullopt;
    if (memory != checked && !originOf(nb::handle(memory)).is(origin))
      return std::nullopt;
    checked = memory;
    return address;
  }

  nb::type_object arrayType;
  nb::object dtype;
  std::vector<Py_ssize_t> shape, strides;
  bool isWritable;
  nb::callable originOf;
  nb::object origin;
  uint64_t divisor, remainder;
  nb::tuple empty = nb::make_tuple();
};

/// Copies NumPy arrays of the same shape and any strides.
void copyArray(nb::handle target, nb::handle source, Py_ssize_t itemBytes,
               int64_t threads) {
  if (itemBytes < 1 || itemBytes > 16 || (itemBytes & (itemBytes - 1)))
    throw nb::value_error("expected elements of 1, 2, 4, 8 or 16 bytes");
  PyArrayObject *to = asArray(target.ptr()), *from = asArray(source.ptr());
  int order = PyArray_NDIM(to);
  const npy_intp *sizes = PyArray_DIMS(to);
  if (order != PyArray_NDIM(from) ||
      !std::equal(sizes, sizes + order, PyArray_DIMS(from)))
    throw nb::value_error("expected two arrays of the same shape");
  std::vector<tinytc::Mode> modes;
  modes.reserve(order);
  for (int i = 0; i < order; ++i)
    modes.push_back({sizes[i], PyArray_STRIDE(to, i), PyArray_STRIDE(from, i)});
  char *toBytes = PyArray_BYTES(to);
  const char *fromBytes = PyArray_BYTES(from);
  nb::gil_scoped_release release;
  tinytc::copyElements(toBytes, fromBytes, std::move(modes), itemBytes, threads);
}

/// Last words as a context of Python.
class LastWordsOfContext {
public:
  LastWordsOfContext(std::string text, std::string path, const nb::bytes &data)
      : text(std::move(text)), path(std::move(path)), data(data.c_str(), data.size()) {}

  void enter() { words = std::make_unique<tinytc::LastWords>(text, path, data); }
  void exit(const nb::args &) { words.reset(); }

private:
  std::string text, path, data;
  std::unique_ptr<tinytc::LastWords> words;
};

/// The same for a build that takes long.
class LongBuildOfContext {
public:
  LongBuildOfContext(std::string text, double seconds)
      : text(std::move(text)), seconds(seconds) {}

  void enter() { build = std::make_unique<tinytc::LongBuild>(text, seconds); }
  void exit(const nb::args &) { build.reset(); }

private:
  std::string text;
  double seconds;
  std::unique_ptr<tinytc::LongBuild> build;
};

} // namespace

NB_MODULE(_arrays, m) {
  // Other libraries may keep kernels, and with them layouts, until the process ends.
  nb::set_leak_warnings(false);
  m.doc() = "Compares NumPy arrays with one that a launch has checked, and has last "
            "words for a process that a driver ends.";
  nb::class_<LastWordsOfContext>(m, "LastWords",
                                 "A message if a process ends in a context.")
      .def(nb::init<std::string, std::string, nb::bytes>(), nb::arg("text"),
           nb::arg("path"), nb::arg("data"))
      .def("__enter__", &LastWordsOfContext::enter)
      .def("__exit__", &LastWordsOfContext::exit);
  nb::class_<LongBuildOfContext>(m, "LongBuild", "A message if a context takes long.")
      .def(nb::init<std::string, double>(), nb::arg("text"), nb::arg("seconds"))
      .def("__enter__", &LongBuildOfContext::enter)
      .def("__exit__", &LongBuildOfContext::exit);
  nb::class_<Layout>(m, "Layout",
                     "The layout of arrays that are passed in the same way.")
      .def(nb::init<nb::type_object, nb::object, std::vector<Py_ssize_t>,
                    std::vector<Py_ssize_t>, bool, nb::callable, nb::object, uint64_t,
                    uint64_t>(),
           nb::arg("array_type"), nb::arg("dtype"), nb::arg("shape"),
           nb::arg("strides"), nb::arg("is_writable"), nb::arg("origin_of"),
           nb::arg("origin").none(), nb::arg("divisor"), nb::arg("remainder"))
      .def("address", &Layout::address, nb::arg("array").none(),
           "Returns the address of an array of this layout, None for all else.")
      .def("pointer", &Layout::pointer, nb::arg("array").none(),
           "Returns the entries of a Pointer to an array of this layout, None for all "
           "else.")
      .def("addresses", &Layout::addresses, nb::arg("arrays"),
           "Returns the addresses of arrays of this layout, 8 bytes each, or None if "
           "one is no such array.");
  m.def(
      "address_of", [](nb::handle array) { return addressOf(asArray(array.ptr())); },
      nb::arg("array"), "Returns the address of the first element of a NumPy array.");
  m.def("copy_elements", &copyArray, nb::arg("target"), nb::arg("source"),
        nb::arg("item_bytes"), nb::arg("threads") = 1,
        "Copies NumPy arrays of the same shape and dtype, and of any strides.");
  defineNativeLaunch(m);
  defineOverlaps(m);
  definePlannedLaunch(m);
  defineRules(m);
  defineXlaCall(m);
}
