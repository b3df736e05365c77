//===- Machine.cpp - What interpreters of kernels compute in C++ ----------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "Machine.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

// Only its inline functions, which read fields of arrays: NumPy is not imported.
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/ndarraytypes.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <tuple>
#include <vector>

namespace nb = nanobind;

namespace {

/// Stands for several agents, subgroups or work-groups.
constexpr int64_t kSeveral = -1;
/// Agents below are work-items; the bits above count subgroups from 1.
constexpr int kSubgroupShift = 40;

bool isArray(nb::handle object) {
  static const nb::object type = nb::module_::import_("numpy").attr("ndarray");
  return PyObject_TypeCheck(object.ptr(), reinterpret_cast<PyTypeObject *>(type.ptr()));
}

PyArrayObject *asArray(nb::handle object) {
  return reinterpret_cast<PyArrayObject *>(object.ptr());
}

int64_t getAttribute(nb::handle object, const char *name) {
  return nb::cast<int64_t>(object.attr(name));
}

/// The elements of an array; a number is one element for all.
template <typename T>
class Elements {
public:
  explicit Elements(nb::handle object) : owner(nb::borrow(object)) {
    if (!isArray(object)) {
      one = nb::cast<T>(nb::handle(nb::steal(PyNumber_Index(object.ptr()))));
      return;
    }
    PyArrayObject *array = asArray(object);
    if (getAttribute(object, "itemsize") != sizeof(T) || PyArray_NDIM(array) > 1)
      throw nb::value_error("expected a number or a vector of 64-bit integers");
    data = PyArray_BYTES(array);
    if (PyArray_NDIM(array)) {
      size = PyArray_DIM(array, 0);
      stride = PyArray_STRIDE(array, 0);
    }
  }
  T operator[](int64_t i) const {
    if (!data)
      return one;
    T value;
    std::memcpy(&value, data + i * stride, sizeof(T));
    return value;
  }
  int64_t count() const { return size; }

private:
  nb::object owner;
  const char *data = nullptr;
  int64_t size = 1, stride = 0;
  T one = 0;
};

/// The bytes of a contiguous array; none for None.
template <typename T>
class Span {
public:
  explicit Span(nb::handle object) : owner(nb::borrow(object)) {
    if (object.is_none())
      return;
    if (!isArray(object) || !PyArray_CHKFLAGS(asArray(object), NPY_ARRAY_C_CONTIGUOUS))
      throw nb::value_error("expected a contiguous array");
    data = reinterpret_cast<T *>(PyArray_BYTES(asArray(object)));
    size = getAttribute(object, "nbytes") / sizeof(T);
  }

  nb::object owner;
  T *data = nullptr;
  int64_t size = 0;
};

/// What has happened before an access, for the agents that make it.
struct Order {
  Order(int64_t epoch, int64_t since, int64_t group, int64_t subgroupSize)
      : epoch(epoch), since(since), group(group), subgroupSize(subgroupSize) {}

  int64_t epochOf(int64_t agent) const { return epochs ? (*epochs)[agent] : epoch; }
  int64_t groupOf(int64_t agent) const { return groups ? (*groups)[agent] : group; }
  int64_t subgroupOf(int64_t agent) const {
    if (!subgroupSize)
      return agent;
    int64_t number = agent >> kSubgroupShift;
    return number ? number - 1 : agent / subgroupSize;
  }
  /// Lets each agent have an epoch and a work-group of its own.
  void setAgents(nb::handle epochsOf, nb::handle groupsOf) {
    epochs = std::make_unique<Elements<int64_t>>(epochsOf);
    groups = std::make_unique<Elements<int64_t>>(groupsOf);
  }

  int64_t epoch, since, group, subgroupSize;
  std::unique_ptr<Elements<int64_t>> epochs, groups;
};

/// The last accesses of one kind to a cell.
struct Entry {
  int64_t epoch, agent;
  int32_t subgroup, group, site;
};

struct Free {
  void operator()(Entry *entries) const { std::free(entries); }
};
using Table = std::unique_ptr<Entry[], Free>;

bool areApart(int64_t one, int64_t other) { return one != other || one == kSeveral; }

/// Who makes an access, where and when.
struct Who {
  Who(const Order &order, int64_t agent)
      : epoch(order.epochOf(agent)), agent(agent), subgroup(order.subgroupOf(agent)),
        group(order.groupOf(agent)) {}

  int64_t epoch, agent, subgroup, group;
};

/// Who must be different for two accesses to race, as `Apart` in Python.
enum Apart { Nobody, Agents, Subgroups, Groups, Everybody };

enum Fault { OutOfBounds, Uninitialised, Race, EqualStores };

/// What is wrong with an access: the fault, its place in the access and the byte, and
/// for a race the kind, the agent and the site of the other access, or its work-group
/// if that is another one.
struct Problem {
  Fault fault;
  int64_t index, byte;
  int kind = 0;
  int64_t agent = 0;
  int site = 0;
  bool isBetweenGroups = false;

  nb::tuple toPython() const {
    return nb::make_tuple(static_cast<int>(fault), index, byte, kind, agent, site,
                          isBetweenGroups);
  }
  bool isLike(const Problem &other) const {
    return std::tie(fault, kind, site, isBetweenGroups) ==
           std::tie(other.fault, other.kind, other.site, other.isBetweenGroups);
  }
};

class CheckedMemory {
public:
  CheckedMemory(nb::handle bytes, int64_t cellBytes, nb::handle initialised,
                nb::handle owners, std::vector<std::vector<int>> apart)
      : bytes(bytes), initialised(initialised), owners(owners), cellBytes(cellBytes),
        apart(std::move(apart)), tables(this->apart.size()) {
    int64_t cells = this->bytes.size / std::max<int64_t>(cellBytes, 1);
    if (cellBytes < 1 || (this->owners.data && this->owners.size != this->bytes.size) ||
        (this->initialised.data && this->initialised.size < cells))
      throw nb::value_error("expected an owner of each byte and a flag of each cell");
  }

  CheckedMemory(const CheckedMemory &) = delete;

  /// Returns what is wrong with an access, None if nothing is. Wrong parts of it are
  /// left out; the others are kept for later ones to be compared with.
  nb::object access(int kind, nb::handle addresses, int64_t unit, int64_t width,
                    nb::handle agents, const Order &order, int site, nb::handle values,
                    int expected, nb::handle bases,
                    std::tuple<int64_t, int64_t> limits) {
    Elements<int64_t> address(addresses), agent(agents), base(bases);
    Stored stored(values, width);
    std::vector<Problem> problems;
    auto [none, count] = std::minmax({address.count(), agent.count(), stored.count});
    if (!none)
      return nb::none();
    for (int64_t i = 0; i < count; ++i) {
      auto byte = static_cast<int64_t>(static_cast<uint64_t>(address[i]) * unit);
      if (byte < std::get<0>(limits) || byte > std::get<1>(limits) - width ||
          !isInside(byte, width, base[i] * unit, expected)) {
        add(problems, {OutOfBounds, i, byte});
        continue;
      }
      int64_t first = byte / cellBytes, last = (byte + width - 1) / cellBytes;
      if (initialised.data && expected && !isInitialised(first, last, expected))
        add(problems, {Uninitialised, i, byte});
      if (kind >= 0) {
        Who who(order, agent[i]);
        for (int64_t cell = first; cell <= last; ++cell) {
          compare(kind, cell, who, order.since, stored.at(i, cell * cellBytes - byte),
                  i, problems);
          note(kind, cell, who, order.since, site);
        }
      }
      if (stored.data)
        std::memcpy(bytes.data + byte, stored.data + i * stored.stride, width);
      if (initialised.data && !isLoad(kind, expected))
        std::fill(initialised.data + first, initialised.data + last + 1, true);
    }
    return toPython(problems);
  }

private:
  /// The values that are stored, nothing for loads.
  struct Stored {
    Stored(nb::handle object, int64_t width) : owner(nb::borrow(object)) {
      if (object.is_none())
        return;
      if (!isArray(object))
        throw nb::value_error("expected an array of values");
      PyArrayObject *array = asArray(object);
      int order = PyArray_NDIM(array);
      bool isBytes = order == 2 && PyArray_STRIDE(array, 1) == 1;
      if ((order > 1 && !isBytes) ||
          (isBytes ? PyArray_DIM(array, 1) : getAttribute(object, "itemsize")) != width)
        throw nb::value_error("expected values of the width of the access");
      data = PyArray_BYTES(array);
      stride = order ? PyArray_STRIDE(array, 0) : 0;
      count = order ? PyArray_DIM(array, 0) : 1;
    }
    const char *at(int64_t i, int64_t offset) const {
      return data ? data + i * stride + offset : nullptr;
    }

    nb::object owner;
    const char *data = nullptr;
    int64_t stride = 0, count = 1;
  };

  static bool isLoad(int kind, int expected) {
    return kind == kRead || kind == kConstant || (kind < 0 && expected);
  }

  /// One byte is enough for an access that expects one initialised cell.
  bool isInside(int64_t byte, int64_t width, int64_t base, int expected) const {
    if (byte < 0 || byte > bytes.size - width)
      return false;
    if (!owners.data)
      return true;
    int32_t owner = 0;
    if (base >= 0)
      owner = owners.data[std::min(base, owners.size - 1)];
    auto isOwned = [&](int32_t one) {
      return base < 0 ? one > 0 : one > 0 && one == std::abs(owner);
    };
    const int32_t *begin = owners.data + byte, *end = begin + width;
    return expected == kAnyWord ? std::any_of(begin, end, isOwned)
                                : std::all_of(begin, end, isOwned);
  }

  bool isInitialised(int64_t first, int64_t last, int expected) const {
    const bool *begin = initialised.data + first, *end = initialised.data + last + 1;
    return expected == kAll ? std::all_of(begin, end, [](bool is) { return is; })
                            : std::any_of(begin, end, [](bool is) { return is; });
  }

  void compare(int kind, int64_t cell, const Who &who, int64_t since, const char *value,
               int64_t index, std::vector<Problem> &problems) const {
    for (int other = 0, end = tables.size(); other < end; ++other) {
      int whoDiffers = apart[kind][other];
      if (whoDiffers == Nobody || !tables[other])
        continue;
      const Entry &entry = tables[other][cell];
      if (entry.epoch < since || !entry.epoch)
        continue;
      bool isBetween = entry.group != who.group;
      bool isBeside =
          whoDiffers == Everybody ||
          (entry.epoch >= who.epoch &&
           ((whoDiffers == Agents && areApart(entry.agent, who.agent)) ||
            (whoDiffers == Subgroups && areApart(entry.subgroup, who.subgroup))));
      if (!isBetween && !isBeside)
        continue;
      bool isEqual = value && kind == kWrite && other == kWrite &&
                     !std::memcmp(value, bytes.data + cell * cellBytes, cellBytes);
      add(problems, {isEqual ? EqualStores : Race, index, cell * cellBytes, other,
                     isBetween ? entry.group : entry.agent, entry.site, isBetween});
    }
  }

  void note(int kind, int64_t cell, const Who &who, int64_t since, int site) {
    Table &table = tables[kind];
    if (!table) // zeros that take no memory until they are used
      table.reset(
          static_cast<Entry *>(std::calloc(bytes.size / cellBytes, sizeof(Entry))));
    if (!table)
      throw std::bad_alloc();
    Entry &entry = table[cell];
    auto subgroup = static_cast<int32_t>(who.subgroup);
    auto group = static_cast<int32_t>(who.group);
    if (!entry.epoch || entry.epoch < since)
      entry = {who.epoch, who.agent, subgroup, group, site};
    if (entry.group != group)
      entry.group = kSeveral;
    bool isOlder = entry.epoch < who.epoch;
    entry.agent = isOlder || entry.agent == who.agent ? who.agent : kSeveral;
    entry.subgroup = isOlder || entry.subgroup == subgroup ? subgroup : kSeveral;
    entry.epoch = std::max(entry.epoch, who.epoch);
    entry.site = site;
  }

  static void add(std::vector<Problem> &problems, const Problem &problem) {
    if (std::none_of(problems.begin(), problems.end(),
                     [&](const Problem &other) { return problem.isLike(other); }))
      problems.push_back(problem);
  }

  static nb::object toPython(const std::vector<Problem> &problems) {
    if (problems.empty())
      return nb::none();
    nb::list result;
    for (const Problem &problem : problems)
      result.append(problem.toPython());
    return result;
  }

  static constexpr int kRead = 0, kWrite = 1, kConstant = 5;
  static constexpr int kAll = 1, kAnyWord = 3;

  Span<char> bytes;
  Span<bool> initialised;
  Span<int32_t> owners;
  int64_t cellBytes;
  std::vector<std::vector<int>> apart;
  std::vector<Table> tables;
};

template <typename T>
void fuse(const Span<T> &a, const Span<T> &b, const Span<T> &c, const Span<T> &result) {
  auto at = [](const Span<T> &span, int64_t i) { return span.data[span.size > 1 ? i : 0]; };
  for (int64_t i = 0; i < result.size; ++i)
    result.data[i] = std::fma(at(a, i), at(b, i), at(c, i));
}

/// Writes a b + c, rounded once, for contiguous arrays of one type: f32 or f64.
void fusedMultiplyAdd(nb::handle a, nb::handle b, nb::handle c, nb::handle result) {
  if (getAttribute(result, "itemsize") == sizeof(float))
    fuse<float>(Span<float>(a), Span<float>(b), Span<float>(c), Span<float>(result));
  else
    fuse<double>(Span<double>(a), Span<double>(b), Span<double>(c), Span<double>(result));
}

} // namespace

void defineMachine(nb::module_ &m) {
  nb::class_<Order>(m, "Order",
                    "What has happened before an access, for the agents that make it.")
      .def(nb::init<int64_t, int64_t, int64_t, int64_t>(), nb::arg("epoch") = 1,
           nb::arg("since") = 1, nb::arg("group") = 0, nb::arg("subgroup_size") = 0)
      .def_rw("epoch", &Order::epoch)
      .def_rw("since", &Order::since)
      .def_rw("group", &Order::group)
      .def_rw("subgroup_size", &Order::subgroupSize)
      .def("set_agents", &Order::setAgents, nb::arg("epochs"), nb::arg("groups"),
           "Lets each agent have an epoch and a work-group of its own.");
  nb::class_<CheckedMemory>(m, "CheckedMemory",
                            "Bytes, and for each cell of them its last accesses.")
      .def(nb::init<nb::handle, int64_t, nb::handle, nb::handle,
                    std::vector<std::vector<int>>>(),
           nb::arg("memory"), nb::arg("cell_bytes"), nb::arg("initialised").none(),
           nb::arg("owners").none(), nb::arg("apart"))
      .def("access", &CheckedMemory::access, nb::arg("kind"), nb::arg("addresses"),
           nb::arg("unit"), nb::arg("width"), nb::arg("agents"), nb::arg("order"),
           nb::arg("site"), nb::arg("values") = nb::none(), nb::arg("expected") = 0,
           nb::arg("bases") = -1,
           nb::arg("limits") = std::make_tuple(int64_t(0), INT64_MAX),
           "Checks an access, stores its values if it has some, and returns what is "
           "wrong with it, None if nothing is.");
  m.def("fused_multiply_add", fusedMultiplyAdd, nb::arg("a"), nb::arg("b"),
        nb::arg("c"), nb::arg("result"),
        "Writes a b + c, rounded once, for contiguous arrays of f32 or of f64.");
}
