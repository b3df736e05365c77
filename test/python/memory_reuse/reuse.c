//===- reuse.c - An allocator that gives freed memory away again soon ------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Loaded before the C library, it replaces malloc. Blocks have few sizes, and a new block
// is one of the last four of its size that were freed, chosen by TINYTC_TEST_SEED. What
// keeps a pointer to freed memory then soon finds another object there.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { kHeadBytes = 16, kClasses = 40, kSmallest = 64, kLastFreed = 4 };

// What is before each block. Blocks of an alignment of their own are never given again.
typedef struct {
  size_t size;
  uint32_t class;
  uint32_t isShared;
} Head;

typedef struct Free {
  struct Free *next;
} Free;

static Free *freed[kClasses];
static char *next, *end;
static uint32_t state;
static int isLocked;

static void lock(void) {
  while (__atomic_test_and_set(&isLocked, __ATOMIC_ACQUIRE)) {
  }
}

static void unlock(void) { __atomic_clear(&isLocked, __ATOMIC_RELEASE); }

static uint32_t choose(uint32_t count) {
  if (state == 0) {
    const char *seed = getenv("TINYTC_TEST_SEED");
    state = 2654435761u * (seed ? (uint32_t)seed[0] : 1u) | 1u;
  }
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state % count;
}

static uint32_t classOf(size_t size) {
  uint32_t class = 0;
  for (size_t bytes = kSmallest; bytes < size; bytes *= 2)
    ++class;
  return class;
}

static Head *headOf(void *block) { return (Head *)((char *)block - kHeadBytes); }

// Returns memory that nobody has had.
static char *extend(size_t size) {
  const size_t page = 4096, least = (size_t)64 << 20;
  size = (size + kHeadBytes - 1) / kHeadBytes * kHeadBytes;
  if (size > (size_t)(end - next)) {
    size_t bytes = size > least ? (size + page - 1) / page * page : least;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      return NULL;
    next = memory;
    end = next + bytes;
  }
  char *result = next;
  next += size;
  return result;
}

void *malloc(size_t size) {
  uint32_t class = size < (size_t)1 << 40 ? classOf(size) : kClasses;
  if (class >= kClasses) {
    errno = ENOMEM;
    return NULL;
  }
  lock();
  char *block = NULL;
  Free **from = &freed[class];
  if (*from) {
    for (uint32_t skipped = choose(kLastFreed); skipped > 0 && (*from)->next; --skipped)
      from = &(*from)->next;
    block = (char *)*from;
    *from = (*from)->next;
  } else {
    char *memory = extend(kHeadBytes + ((size_t)kSmallest << class));
    block = memory ? memory + kHeadBytes : NULL;
  }
  unlock();
  if (!block) {
    errno = ENOMEM;
    return NULL;
  }
  *headOf(block) = (Head){size, class, 1};
  return block;
}

void free(void *block) {
  if (!block || !headOf(block)->isShared)
    return;
  uint32_t class = headOf(block)->class;
  lock();
  ((Free *)block)->next = freed[class];
  freed[class] = block;
  unlock();
}

size_t malloc_usable_size(void *block) {
  if (!block)
    return 0;
  Head *head = headOf(block);
  return head->isShared ? (size_t)kSmallest << head->class : head->size;
}

void *calloc(size_t count, size_t size) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return NULL;
  }
  void *block = malloc(bytes);
  return block ? memset(block, 0, bytes) : NULL;
}

void *realloc(void *block, size_t size) {
  if (!block)
    return malloc(size);
  size_t old = malloc_usable_size(block);
  if (size > 0 && size <= old)
    return block;
  void *result = malloc(size);
  if (result) {
    memcpy(result, block, old < size ? old : size);
    free(block);
  }
  return result;
}

void *memalign(size_t alignment, size_t size) {
  if (alignment <= kHeadBytes)
    return malloc(size);
  lock();
  char *memory = extend(size + alignment + kHeadBytes);
  unlock();
  if (!memory) {
    errno = ENOMEM;
    return NULL;
  }
  uintptr_t start = (uintptr_t)memory + kHeadBytes;
  char *block = (char *)((start + alignment - 1) / alignment * alignment);
  *headOf(block) = (Head){size, 0, 0};
  return block;
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
  *block = memalign(alignment, size);
  return *block ? 0 : ENOMEM;
}
