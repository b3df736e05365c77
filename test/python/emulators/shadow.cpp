//===- shadow.cpp - Races and fused multiply-adds of the emulators --------===//
//
// What NumPy cannot do at once: a fused multiply-add, and the comparison of accesses
// with those of other threads that no barrier separates. Called by native.py.
//
//===----------------------------------------------------------------------===//

#include <cmath>
#include <cstdint>

namespace {

/// Readers of a byte: a thread, several threads of one domain, or of several domains.
constexpr int32_t kSeveralDomains = -3;
constexpr int32_t kSeveralReaders = -10;

int32_t getReader(int32_t mark) {
  return mark <= kSeveralReaders ? kSeveralReaders - mark : mark;
}

} // namespace

extern "C" {

/// Who accessed each byte of a memory last, and when: in which epoch of which thread.
struct Shadow {
  int32_t *writer;
  int64_t *written;
  int32_t *reader;
  int64_t *read;
  int64_t *constant;
  const uint8_t *bytes;
};

/// The threads of a launch: the epoch that each is in, which a barrier ends, and its
/// domain, whose threads barriers order. Epochs of the launch start at `base`.
struct Threads {
  const int64_t *epoch;
  const int64_t *domain;
  int64_t base;
};

void fmaDouble(int64_t n, const double *a, const double *b, const double *c,
               double *result) {
  for (int64_t i = 0; i < n; ++i)
    result[i] = std::fma(a[i], b[i], c[i]);
}

void fmaFloat(int64_t n, const float *a, const float *b, const float *c,
              float *result) {
  for (int64_t i = 0; i < n; ++i)
    result[i] = std::fma(a[i], b[i], c[i]);
}

enum Conflict {
  AfterWrite = 1,
  WriteAfterRead = 2,
  SameStore = 4,
  WriteAfterConstant = 8,
  SameValue = 16
};

static int compare(const Shadow &shadow, const Threads &threads, int64_t thread,
                   int64_t byte, const uint8_t *value, int64_t *who) {
  int64_t epoch = threads.epoch[thread], domain = threads.domain[thread];
  int conflicts = 0;
  int32_t writer = shadow.writer[byte];
  if (shadow.written[byte] >= threads.base && writer != thread &&
      (shadow.written[byte] >= epoch || threads.domain[writer] != domain)) {
    if (value && shadow.bytes[byte] == *value)
      return SameValue;
    who[0] = thread;
    who[1] = writer;
    conflicts |= AfterWrite;
  }
  if (!value)
    return conflicts;
  int32_t mark = shadow.reader[byte], reader = getReader(mark);
  if (shadow.read[byte] >= threads.base && mark != thread &&
      (shadow.read[byte] >= epoch || mark == kSeveralDomains ||
       (reader >= 0 && threads.domain[reader] != domain))) {
    who[2] = thread;
    who[3] = reader;
    conflicts |= WriteAfterRead;
  }
  if (shadow.constant[byte] == threads.base)
    conflicts |= WriteAfterConstant;
  return conflicts;
}

static void noteRead(const Shadow &shadow, const Threads &threads, int64_t thread,
                     int64_t byte) {
  int32_t &mark = shadow.reader[byte];
  int32_t reader = getReader(mark);
  if (shadow.read[byte] < threads.base)
    mark = int32_t(thread);
  else if (mark == kSeveralDomains || threads.domain[reader] != threads.domain[thread])
    mark = kSeveralDomains;
  else if (shadow.read[byte] < threads.epoch[thread])
    mark = int32_t(thread);
  else if (reader != thread || mark <= kSeveralReaders)
    mark = kSeveralReaders - reader;
  shadow.read[byte] = threads.epoch[thread];
}

/// Compares `n` accesses of `size` bytes each with those before, and keeps them.
/// `values` are the bytes to be written; null for loads. Returns the conflicts, and in
/// `who` the two threads of each kind.
int access(int64_t n, int64_t size, const int64_t *offsets, const int64_t *items,
           const Shadow *shadow, const Threads *threads, const uint8_t *values,
           int64_t *who) {
  int conflicts = 0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t k = 0; k < size; ++k)
      conflicts |= compare(*shadow, *threads, items[i], offsets[i] + k,
                           values ? values + i * size + k : nullptr, who);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t k = 0; k < size; ++k) {
      int64_t byte = offsets[i] + k;
      if (!values) {
        noteRead(*shadow, *threads, items[i], byte);
        continue;
      }
      shadow->writer[byte] = int32_t(items[i]);
      shadow->written[byte] = threads->epoch[items[i]];
    }
  if (values)
    for (int64_t i = 0; i < n; ++i)
      for (int64_t k = 0; k < size; ++k)
        if (shadow->writer[offsets[i] + k] != items[i]) {
          who[4] = items[i];
          who[5] = shadow->writer[offsets[i] + k];
          conflicts |= SameStore;
        }
  return conflicts;
}

} // extern "C"
