//===- NativeLaunch.cpp - Launches of machine code ------------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls functions whose parameters are only known now. The calling conventions of
// Linux pass integers in some registers, real numbers in others, and what has no place
// there as words on the stack. So a call that fills all of them serves all functions.
//
//===----------------------------------------------------------------------===//

#include "NativeLaunch.h"
#include "Workers.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace {

#if defined(__aarch64__)
constexpr size_t kIntegers = 8;
#else
constexpr size_t kIntegers = 6;
#endif
constexpr size_t kReals = 8;
/// Alignment of the local memory of kernels, in bytes.
constexpr size_t kLocalAlignment = 128;

/// Arguments in their places for a call: integers, real numbers, what is on the stack.
using Words = std::vector<uint64_t>;
constexpr size_t kFirstReal = kIntegers, kFirstOnStack = kIntegers + kReals;

double toReal(uint64_t bits) {
  double real;
  std::memcpy(&real, &bits, sizeof(real));
  return real;
}

template <size_t... I, size_t... R, size_t... S>
void call(uintptr_t function, const Words &words, std::index_sequence<I...>,
          std::index_sequence<R...>, std::index_sequence<S...>) {
  using Function = void (*)(decltype(I, uint64_t())..., decltype(R, double())...,
                            decltype(S, uint64_t())...);
  // Python has found the address. NOLINTNEXTLINE(performance-no-int-to-ptr)
  reinterpret_cast<Function>(function)(words[I]..., toReal(words[kFirstReal + R])...,
                                       words[kFirstOnStack + S]...);
}

template <size_t numOnStack>
void call(uintptr_t function, const Words &words) {
  call(function, words, std::make_index_sequence<kIntegers>(),
       std::make_index_sequence<kReals>(), std::make_index_sequence<numOnStack>());
}

/// A way to call functions with at most so many words on the stack.
struct Way {
  size_t numOnStack;
  void (*call)(uintptr_t, const Words &);
};

constexpr Way kWays[] = {{4, call<4>},     {8, call<8>},    {16, call<16>},
                         {32, call<32>},   {64, call<64>},  {128, call<128>},
                         {256, call<256>}, {512, call<512>}};

/// Puts arguments in their places, in their order.
class Places {
public:
  /// Returns the place of an argument.
  size_t add(uint64_t bits, bool isReal = false) {
    size_t &used = isReal ? numReals : numIntegers;
    size_t place = words.size();
    if (used < (isReal ? kReals : kIntegers))
      place = (isReal ? kFirstReal : 0) + used++;
    else
      words.push_back(0);
    words[place] = bits;
    return place;
  }

  /// Returns how to call a function with the words, which it completes.
  const Way &finish() {
    for (const Way &way : kWays)
      if (words.size() <= kFirstOnStack + way.numOnStack) {
        words.resize(kFirstOnStack + way.numOnStack);
        return way;
      }
    throw nb::value_error("expected arguments of at most 512 words, got more");
  }

  Words words = Words(kFirstOnStack);

private:
  size_t numIntegers = 0, numReals = 0;
};

/// Memory of the calling thread for the work-group that it runs.
uint64_t getLocalMemory(size_t bytes) {
  static thread_local std::vector<char> memory;
  if (memory.size() < bytes + kLocalAlignment)
    memory.resize(bytes + kLocalAlignment);
  auto start = reinterpret_cast<uintptr_t>(memory.data());
  return (start + kLocalAlignment - 1) / kLocalAlignment * kLocalAlignment;
}

/// A kernel with its arguments. Work-groups are numbered in x, then in y, then in z.
class NativeLaunch final : public tinytc::Work {
public:
  NativeLaunch(uintptr_t function, const std::vector<std::pair<uint64_t, bool>> &values,
               const std::array<int64_t, 3> &sizes, size_t localBytes,
               int64_t numThreads)
      : function(function), sizes(sizes), localBytes(localBytes),
        numThreads(numThreads) {
    Places places;
    for (auto [bits, isReal] : values)
      places.add(bits, isReal);
    for (size_t &place : ids)
      place = places.add(0);
    for (int64_t size : sizes)
      places.add(static_cast<uint64_t>(size));
    if (localBytes > 0)
      local = places.add(0);
    way = &places.finish();
    words = std::move(places.words);
  }

  int64_t getCount() const { return sizes[0] * sizes[1] * sizes[2]; }

  /// Runs all work-groups and returns the nanoseconds that they took.
  int64_t start() const {
    using namespace std::chrono;
    nb::gil_scoped_release release;
    steady_clock::time_point begin = steady_clock::now();
    runAll();
    return duration_cast<nanoseconds>(steady_clock::now() - begin).count();
  }

  void runAll() const { tinytc::Workers::get().run(*this, getCount(), numThreads); }

  /// Runs some work-groups on the calling thread.
  void runHere(int64_t first, int64_t last) const {
    nb::gil_scoped_release release;
    run(first, last);
  }

  uintptr_t getKind() const override { return function; }

  void run(int64_t first, int64_t last) const override {
    if (first >= last)
      return;
    Words mine = words;
    if (localBytes > 0)
      mine[local] = getLocalMemory(localBytes);
    while (first < last) {
      int64_t row = first / sizes[0], begin = first % sizes[0];
      int64_t count = std::min(sizes[0] - begin, last - first);
      int64_t of[] = {begin, begin + count, row % sizes[1], row / sizes[1]};
      for (size_t i = 0; i < ids.size(); ++i)
        mine[ids[i]] = static_cast<uint64_t>(of[i]);
      way->call(function, mine);
      first += count;
    }
  }

private:
  uintptr_t function;
  std::array<int64_t, 3> sizes;
  size_t localBytes;
  int64_t numThreads;
  Words words;
  /// The places of the first and the last group in x, and of the ids in y and z.
  std::array<size_t, 4> ids = {};
  size_t local = 0;
  const Way *way = nullptr;
};

} // namespace

void tinytc::runKernel(uintptr_t function,
                       const std::vector<std::pair<uint64_t, bool>> &values,
                       const std::array<int64_t, 3> &sizes, size_t localBytes,
                       int64_t numThreads) {
  NativeLaunch(function, values, sizes, localBytes, numThreads).runAll();
}

void defineNativeLaunch(nb::module_ &m) {
  nb::class_<NativeLaunch>(m, "NativeLaunch",
                           "A kernel in machine code, with its arguments.")
      .def(nb::init<uintptr_t, std::vector<std::pair<uint64_t, bool>>,
                    std::array<int64_t, 3>, size_t, int64_t>(),
           nb::arg("function"), nb::arg("values"), nb::arg("sizes"),
           nb::arg("local_bytes"), nb::arg("threads"))
      .def("start", &NativeLaunch::start,
           "Runs all work-groups and returns the nanoseconds that they took.")
      .def("run", &NativeLaunch::runHere, nb::arg("first"), nb::arg("last"),
           "Runs some work-groups on the calling thread.");
  m.def(
      "clear_instruction_cache",
      [](uintptr_t address, size_t bytes) {
        // NOLINTNEXTLINE(performance-no-int-to-ptr)
        char *begin = reinterpret_cast<char *>(address);
        __builtin___clear_cache(begin, begin + bytes);
      },
      nb::arg("address"), nb::arg("size"),
      "Lets instructions run that have been written to memory.");
}
