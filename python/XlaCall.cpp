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
#include "PlannedLaunch.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <mutex>
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

std::mutex mutex;

/// Lasts longer than the interpreter, which owns functions in it.
std::unordered_map<std::string, tinytc::Planned> &kernels() {
  static auto *table = new std::unordered_map<std::string, tinytc::Planned>();
  return *table;
}

tinytc::Planned find(const Attributes &attributes) {
  std::lock_guard<std::mutex> lock(mutex);
  for (int64_t i = 0; i < attributes.size; ++i) {
    const auto *name = static_cast<const Bytes *>(attributes.values[i]);
    auto found = kernels().find(std::string(name->data, name->size));
    if (found != kernels().end())
      return found->second;
  }
  return nullptr;
}

/// The addresses of arguments and then of results.
std::vector<uint64_t> addressesOf(const CallFrame &frame) {
  std::vector<uint64_t> addresses;
  for (const List *list : {&frame.arguments, &frame.results})
    for (int64_t i = 0; i < list->size; ++i)
      addresses.push_back(
          reinterpret_cast<uintptr_t>(static_cast<Buffer *>(list->items[i])->data));
  return addresses;
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
  tinytc::Planned planned = find(frame->attributes);
  if (!planned)
    return createError(*frame, "expected a kernel of this process, got one of another",
                       kInternal);
  std::string fault = planned->run(addressesOf(*frame));
  return fault.empty() ? nullptr : createError(*frame, fault, kOutOfRange);
}

} // namespace

void defineXlaCall(nb::module_ &m) {
  m.def("xla_handler", [] { return nb::capsule(reinterpret_cast<void *>(&handle)); });
  m.def(
      "define_xla_kernel",
      [](std::string name, tinytc::Planned planned) {
        std::lock_guard<std::mutex> lock(mutex);
        kernels().try_emplace(std::move(name), std::move(planned));
      },
      nb::arg("name"), nb::arg("planned"));
}
