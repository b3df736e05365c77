//===- Overlaps.cpp - Arrays of a launch that must not overlap ------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Compares the blocks of arrays of which an instruction reads one and updates the
// other. Shapes and strides are the same for all launches that look alike; each has
// addresses of its own.
//
//===----------------------------------------------------------------------===//

#include "NativeLaunch.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <tuple>
#include <unordered_map>

namespace nb = nanobind;

namespace {

#include "tinytc_mlir/runtime/bounds/overlaps.c"

using Integers = std::vector<int64_t>;

/// Where the arrays of a parameter are: position of its first argument, bytes of an
/// element, sizes and strides in bytes of each mode, of each member or of all, and the
/// number of members, 0 for an array.
using Place =
    std::tuple<size_t, int64_t, std::vector<Integers>, std::vector<Integers>, size_t>;

/// Numbers of the parameter that is updated and of the one that is read, sizes of their
/// blocks (-1 for the array's own), modes in which both do not begin at the first
/// element, whether the instruction may read what it updates, the mode of an array that
/// counts the members of the other group, and the modes that count the groups, each -1
/// if there is none.
using Rule = std::tuple<size_t, size_t, Integers, Integers, Integers, bool, int64_t,
                        int64_t, int64_t>;

/// The number of a rule, and of a member; none if one group reads what another one
/// updates.
using Fault = std::pair<size_t, std::optional<size_t>>;

int64_t entry(const Integers &values, size_t member) {
  return values[values.size() == 1 ? 0 : member];
}

uint64_t toInteger(PyObject *object) {
  uint64_t value = object ? PyLong_AsUnsignedLongLong(object) : uint64_t(-1);
  if (value == uint64_t(-1) && PyErr_Occurred())
    throw nb::python_error();
  return value;
}

class Overlaps {
public:
  Overlaps(std::vector<Rule> rules, std::vector<std::optional<Place>> places)
      : rules(std::move(rules)), places(std::move(places)) {}

  /// Returns the first rule that addresses break, of members of groups as bytes.
  std::optional<Fault> fault(const nb::list &addresses, int64_t numGroups) const {
    std::vector<Integers> found;
    for (nb::handle each : addresses) {
      Integers &all = found.emplace_back();
      if (nb::isinstance<nb::bytes>(each)) {
        auto bytes = nb::borrow<nb::bytes>(each);
        all.resize(bytes.size() / sizeof(int64_t));
        std::memcpy(all.data(), bytes.c_str(), all.size() * sizeof(int64_t));
      } else if (!each.is_none()) {
        all.push_back(static_cast<int64_t>(toInteger(each.ptr())));
      }
    }
    return findFault(found, numGroups);
  }

  /// Notes where the members are that a table points to.
  void addTable(uint64_t table, const nb::bytes &members) {
    if (tables.size() >= kMostTables)
      tables.clear();
    Integers &all = tables[table];
    all.resize(members.size() / sizeof(int64_t));
    std::memcpy(all.data(), members.c_str(), all.size() * sizeof(int64_t));
  }

  /// Returns whether the arguments of a launch keep all rules. Each pointer is a tuple
  /// whose second entry is the address, for a group that of a table; tables that have
  /// been forgotten break them.
  bool hold(const nb::list &arguments, int64_t numGroups) {
    addresses.resize(places.size());
    for (size_t i = 0; i < places.size(); ++i) {
      if (!places[i])
        continue;
      auto position = static_cast<Py_ssize_t>(std::get<0>(*places[i]));
      PyObject *pointer = PyList_GetItem(arguments.ptr(), position);
      uint64_t address = toInteger(pointer ? PyTuple_GetItem(pointer, 1) : nullptr);
      addresses[i].assign(1, static_cast<int64_t>(address));
      if (std::get<4>(*places[i]) == 0)
        continue;
      auto found = tables.find(address);
      if (found == tables.end())
        return false;
      addresses[i] = found->second;
    }
    return !findFault(addresses, numGroups);
  }

private:
  static constexpr size_t kMostTables = 64;

  std::optional<Fault> findFault(const std::vector<Integers> &addresses,
                                 int64_t numGroups) const {
    for (size_t number = 0; number < rules.size(); ++number) {
      const auto &[written, read, writtenSizes, readSizes, moved, inPlace, memberMode,
                   writtenMode, readMode] = rules[number];
      if (addresses[written].empty() || addresses[read].empty())
        continue;
      size_t count = std::min(countOf(written, memberMode, addresses),
                              countOf(read, memberMode, addresses));
      for (size_t i = 0; i < (count == SIZE_MAX ? 1 : count); ++i) {
        block blocks[] = {makeBlock(written, writtenSizes, memberMode, i, addresses),
                          makeBlock(read, readSizes, memberMode, i, addresses)};
        if (!areMovedAlike(blocks, moved))
          continue;
        if (blocks_overlap(&blocks[0], &blocks[1], inPlace))
          return Fault(number, i);
        if (numGroups > 1 && writtenMode >= 0 &&
            groupsOverlap(blocks, {written, read}, {writtenMode, readMode}, numGroups))
          return Fault(number, std::nullopt);
      }
    }
    return std::nullopt;
  }

  /// Returns how many blocks of a parameter are compared one by one, SIZE_MAX for a
  /// single one.
  size_t countOf(size_t parameter, int64_t memberMode,
                 const std::vector<Integers> &addresses) const {
    const auto &[position, itemBytes, sizes, strides, members] = *places[parameter];
    if (members > 0)
      return addresses[parameter].size();
    return memberMode < 0 ? SIZE_MAX : static_cast<size_t>(sizes[memberMode][0]);
  }

  block makeBlock(size_t parameter, const Integers &blockSizes, int64_t memberMode,
                  size_t member, const std::vector<Integers> &addresses) const {
    const auto &[position, itemBytes, sizes, strides, members] = *places[parameter];
    block result;
    result.address = static_cast<uint64_t>(entry(addresses[parameter], member));
    if (members == 0 && memberMode >= 0)
      result.address += member * static_cast<uint64_t>(strides[memberMode][0]);
    result.item_bytes = itemBytes;
    result.modes = static_cast<int64_t>(sizes.size());
    for (size_t i = 0; i < sizes.size(); ++i) {
      int64_t size = entry(sizes[i], member);
      result.sizes[i] = blockSizes[i] < 0 ? size : std::min(blockSizes[i], size);
      result.strides[i] = entry(strides[i], member);
    }
    return result;
  }

  /// With other strides, blocks are at another distance than the arrays.
  static bool areMovedAlike(const block *blocks, const Integers &moved) {
    return std::all_of(moved.begin(), moved.end(), [&](int64_t mode) {
      return blocks[0].strides[mode] == blocks[1].strides[mode];
    });
  }

  /// Whether a group reads what another one updates; the blocks are those of the first
  /// group.
  bool groupsOverlap(const block *blocks, std::pair<size_t, size_t> parameters,
                     std::pair<int64_t, int64_t> modes, int64_t numGroups) const {
    auto strideOf = [&](size_t parameter, int64_t mode) {
      return mode < 0 ? 0 : std::get<3>(*places[parameter])[mode][0];
    };
    int64_t step = strideOf(parameters.first, modes.first);
    int64_t readStep = strideOf(parameters.second, modes.second);
    if (step == 0 || (readStep != 0 && readStep != step))
      return false;
    for (int64_t way : {step, -step}) {
      block others = of_groups(blocks[readStep == 0 ? 0 : 1], way, 1, numGroups - 1);
      if (readStep == 0)
        return blocks_overlap(&others, &blocks[1], 0);
      if (blocks_overlap(&blocks[0], &others, 0))
        return true;
    }
    return false;
  }

  std::vector<Rule> rules;
  std::vector<std::optional<Place>> places;
  std::unordered_map<uint64_t, Integers> tables;
  /// Those of the launch that `hold` looks at.
  std::vector<Integers> addresses;
};

} // namespace

void defineOverlaps(nb::module_ &m) {
  nb::class_<Overlaps>(m, "Overlaps", "Arrays of a launch that must not overlap.")
      .def(nb::init<std::vector<Rule>, std::vector<std::optional<Place>>>(),
           nb::arg("rules"), nb::arg("places"))
      .def("fault", &Overlaps::fault, nb::arg("addresses"), nb::arg("groups"),
           "Returns the first rule that addresses break, and the member.")
      .def("add_table", &Overlaps::addTable, nb::arg("table"), nb::arg("members"),
           "Notes where the members are that a table points to.")
      .def("hold", &Overlaps::hold, nb::arg("arguments"), nb::arg("groups"),
           "Returns whether the pointers among the arguments of a launch keep all "
           "rules.");
}
