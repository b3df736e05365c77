//===- Arrays.cpp - The Python extension _arrays --------------------------===//
//
// Compares NumPy arrays with one that a launch has checked, and has last words for a
// process that a driver ends. It knows neither MLIR nor a device, so that programs from
// the cache load little.
//
//===----------------------------------------------------------------------===//

#include "FatalErrors.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nb = nanobind;

namespace {

/// What a NumPy array begins with, which is part of the ABI that extensions are
/// compiled for.
struct ArrayHead {
  PyObject head;
  uintptr_t address;
  int order;
  const Py_ssize_t *shape;
  const Py_ssize_t *strides;
  PyObject *base;
  PyObject *dtype;
  int flags;
};

/// The flag of arrays that may be written.
constexpr int kIsWritable = 0x400;

const ArrayHead *headOf(PyObject *array) {
  return reinterpret_cast<const ArrayHead *>(array);
}

/// What arrays have in common that are passed in the same way.
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

  /// The addresses of arrays of this layout as bytes, None if one has another.
  nb::object addresses(nb::tuple arrays) const {
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
    const ArrayHead *head = headOf(array);
    if (head->dtype != dtype.ptr() || head->order != static_cast<int>(shape.size()) ||
        !std::equal(shape.begin(), shape.end(), head->shape) ||
        !std::equal(strides.begin(), strides.end(), head->strides) ||
        bool(head->flags & kIsWritable) != isWritable ||
        head->address % divisor != remainder)
      return std::nullopt;
    PyObject *memory = head->base;
    while (memory && isArray(memory))
      memory = headOf(memory)->base;
    if (!memory)
      return std::nullopt;
    if (memory != checked && !originOf(nb::handle(memory)).is(origin))
      return std::nullopt;
    checked = memory;
    return head->address;
  }

  nb::type_object arrayType;
  nb::object dtype;
  std::vector<Py_ssize_t> shape, strides;
  bool isWritable;
  nb::callable originOf;
  nb::object origin;
  uint64_t divisor, remainder;
};

/// Last words as a context of Python.
class LastWordsOfContext {
public:
  LastWordsOfContext(std::string text, std::string path, nb::bytes data)
      : text(std::move(text)), path(std::move(path)), data(data.c_str(), data.size()) {}

  void enter() { words = std::make_unique<tinytc::LastWords>(text, path, data); }
  void exit(nb::args) { words.reset(); }

private:
  std::string text, path, data;
  std::unique_ptr<tinytc::LastWords> words;
};

} // namespace

NB_MODULE(_arrays, m) {
  m.doc() = "Compares NumPy arrays with one that a launch has checked, and has last "
            "words for a process that a driver ends.";
  nb::class_<LastWordsOfContext>(m, "LastWords",
                                 "What a process prints if it ends in a context.")
      .def(nb::init<std::string, std::string, nb::bytes>(), nb::arg("text"),
           nb::arg("path"), nb::arg("data"))
      .def("__enter__", &LastWordsOfContext::enter)
      .def("__exit__", &LastWordsOfContext::exit);
  nb::class_<Layout>(m, "Layout",
                     "What arrays have in common that are passed in the same way.")
      .def(nb::init<nb::type_object, nb::object, std::vector<Py_ssize_t>,
                    std::vector<Py_ssize_t>, bool, nb::callable, nb::object, uint64_t,
                    uint64_t>(),
           nb::arg("array_type"), nb::arg("dtype"), nb::arg("shape"),
           nb::arg("strides"), nb::arg("is_writable"), nb::arg("origin_of"),
           nb::arg("origin").none(), nb::arg("divisor"), nb::arg("remainder"))
      .def("address", &Layout::address, nb::arg("array").none(),
           "Returns the address of an array of this layout, None for all else.")
      .def("addresses", &Layout::addresses, nb::arg("arrays"),
           "Returns the addresses of arrays of this layout, 8 bytes each, or None if "
           "one is no such array.");
}
