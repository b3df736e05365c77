/* Kernels run on this processor, some groups on each thread. */
#include "kernels.h"

#define RUN(kernel, args, begin, end)                                                              \
  _Pragma("omp parallel for schedule(dynamic)")                                                    \
  for (int64_t first = begin; first < end; first += 8)                                             \
    kernel(&args, first, first + 8 < end ? first + 8 : end);
#define RUN_REST RUN
#define GIVE_SCRATCH(args, size) args.scratch = aligned_alloc(128, size);
#define TAKE_SCRATCH(args) free(args.scratch);

static void *allocate(size_t size) { return malloc(size); }
static void release(void *data) { free(data); }
static void start(void) {}
static void stop(void) {}
