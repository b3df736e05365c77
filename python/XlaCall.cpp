//===- XlaCall.cpp - Kernels in programs of XLA ----------------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The handler that programs of XLA call, and the table of the kernels that it finds.
// XLA's interface for foreign functions is a C ABI that appends fields only, so the
// structures here are the beginnings of its own, by the names of its header
// xla/ffi/api/c_api.h.
//
//===----------------------------------------------------------------------===//

#include "NativeLaunch.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>

namespace nb = nanobind;

namespace {

struct Extension {
  size_t structSize;
  int type;
  Extension *next;
};

struct Version {
  size_t structSize;
  Extension *extension;
  int major, minor;
};

struct Metadata {
  size_t structSize;
  Version version;
  uint32_t traits;
};

/// An extension of a call that only asks for the version of a handler.
struct MetadataExtension {
  Extension base;
  Metadata *metadata;
};

constexpr int kMetadata = 1;

struct ErrorArguments {
  size_t structSize;
  Extension *extension;
  const char *message;
  int code;
};

constexpr int kOutOfRange = 11, kInternal = 13;

struct Api {
  size_t structSize;
  Extension *extension;
  Version version;
  const void *internal;
  void *(*createError)(ErrorArguments *);
};

struct Buffer {
  size_t structSize;
  Extension *extension;
  int dtype;
  void *data;
};

/// Buffers of arguments or of results, or attributes.
struct List {
  size_t structSize;
  Extension *extension;
  int64_t size;
  int *types;
  void **items;
};

struct Bytes {
  const char *data;
  size_t size;
};

struct Attributes {
  size_t structSize;
  Extension *extension;
  int64_t size;
  int *types;
  Bytes **names;
  void **values;
};

struct CallFrame {
  size_t structSize;
  Extension *extension;
  const Api *api;
  void *context;
  int stage;
  List arguments, results;
  Attributes attributes;
};

/// Where an argument of a kernel comes from: a constant, the address of a buffer, or
/// so many bytes in a buffer.
enum class Source { Constant, Address, Contents };

/// The source of an argument, its bits or the number of the buffer, the first byte and
/// the number of bytes there, and whether it is a real number.
using Slot = std::tuple<int, uint64_t, size_t, size_t, bool>;

struct Kernel {
  uintptr_t function;
  std::vector<Slot> slots;
  std::array<int64_t, 3> sizes;
  size_t localBytes;
  int64_t numThreads;
  /// Results that are 0 before, and their bytes.
  std::vector<std::pair<size_t, size_t>> zeros;
  /// The arguments that a launch checks, and the function of Python that does: it takes
  /// their bits and returns what is wrong with them, or None.
  std::vector<size_t> checked;
  nb::object check;
  /// Bits that it has accepted.
  std::set<std::vector<uint64_t>> accepted;
};

/// As many values of scalars are remembered for a kernel.
constexpr size_t kMostAccepted = 4096;

std::mutex mutex;

/// Lasts longer than the interpreter, which owns functions in it.
std::unordered_map<std::string, Kernel> &kernels() {
  static auto *table = new std::unordered_map<std::string, Kernel>();
  return *table;
}

Kernel *find(const Attributes &attributes) {
  std::lock_guard<std::mutex> lock(mutex);
  for (int64_t i = 0; i < attributes.size; ++i) {
    const auto *name = static_cast<const Bytes *>(attributes.values[i]);
    auto found = kernels().find(std::string(name->data, name->size));
    if (found != kernels().end())
      return &found->second;
  }
  return nullptr;
}

void *dataOf(const CallFrame &frame, size_t number) {
  auto numArguments = static_cast<size_t>(frame.arguments.size);
  void *item = number < numArguments ? frame.arguments.items[number]
                                     : frame.results.items[number - numArguments];
  return static_cast<const Buffer *>(item)->data;
}

using Values = std::vector<std::pair<uint64_t, bool>>;

/// Returns what is wrong with the scalars of a call, nothing if they are right.
std::string findFault(Kernel &kernel, const Values &values) {
  std::vector<uint64_t> bits;
  for (size_t position : kernel.checked)
    bits.push_back(values[position].first);
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (kernel.checked.empty() || kernel.accepted.count(bits))
      return "";
  }
  nb::gil_scoped_acquire acquire;
  try {
    nb::object fault = kernel.check(bits);
    if (!fault.is_none())
      return nb::cast<std::string>(fault);
  } catch (const std::exception &error) {
    return error.what();
  }
  std::lock_guard<std::mutex> lock(mutex);
  if (kernel.accepted.size() == kMostAccepted)
    kernel.accepted.clear();
  kernel.accepted.insert(std::move(bits));
  return "";
}

/// Runs a kernel; returns what is wrong with its arguments, nothing if it has run.
std::string run(Kernel &kernel, const CallFrame &frame) {
  Values values;
  for (auto [source, value, begin, bytes, isReal] : kernel.slots) {
    uint64_t bits = value;
    if (Source(source) == Source::Address) {
      bits = reinterpret_cast<uintptr_t>(dataOf(frame, value));
    } else if (Source(source) == Source::Contents) {
      bits = 0;
      std::memcpy(&bits, static_cast<const char *>(dataOf(frame, value)) + begin,
                  bytes);
    }
    values.emplace_back(bits, isReal);
  }
  std::string fault = findFault(kernel, values);
  if (!fault.empty())
    return fault;
  for (auto [number, bytes] : kernel.zeros)
    std::memset(dataOf(frame, number), 0, bytes);
  tinytc::runKernel(kernel.function, values, kernel.sizes, kernel.localBytes,
                    kernel.numThreads);
  return "";
}

void *createError(const CallFrame &frame, const std::string &message, int code) {
  ErrorArguments error{sizeof(ErrorArguments), nullptr, message.c_str(), code};
  return frame.api->createError(&error);
}

void *handle(CallFrame *frame) {
  if (frame->extension && frame->extension->type == kMetadata) {
    Metadata *metadata =
        reinterpret_cast<MetadataExtension *>(frame->extension)->metadata;
    metadata->version.major = frame->api ? frame->api->version.major : 0;
    metadata->version.minor = frame->api ? frame->api->version.minor : 1;
    return nullptr;
  }
  Kernel *kernel = find(frame->attributes);
  if (!kernel)
    return createError(*frame, "expected a kernel of this process, got one of another",
                       kInternal);
  std::string fault = run(*kernel, *frame);
  return fault.empty() ? nullptr : createError(*frame, fault, kOutOfRange);
}

} // namespace

void defineXlaCall(nb::module_ &m) {
  m.def("xla_handler", [] { return nb::capsule(reinterpret_cast<void *>(&handle)); });
  m.def(
      "define_xla_kernel",
      [](std::string name, uintptr_t function, std::vector<Slot> slots,
         std::array<int64_t, 3> sizes, size_t localBytes, int64_t numThreads,
         std::vector<std::pair<size_t, size_t>> zeros, std::vector<size_t> checked,
         nb::object check) {
        std::lock_guard<std::mutex> lock(mutex);
        kernels().try_emplace(std::move(name), Kernel{function,
                                                      std::move(slots),
                                                      sizes,
                                                      localBytes,
                                                      numThreads,
                                                      std::move(zeros),
                                                      std::move(checked),
                                                      std::move(check),
                                                      {}});
      },
      nb::arg("name"), nb::arg("function"), nb::arg("slots"), nb::arg("sizes"),
      nb::arg("local_bytes"), nb::arg("threads"), nb::arg("zeros"), nb::arg("checked"),
      nb::arg("check"));
}
