/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether blocks of arrays have common elements: for launches of Python, which compile this as C++,
   and in libraries for C, which contain it. */
#define MAX_MODES 16

static inline int64_t floor_quotient(int64_t dividend, int64_t divisor) {
  return dividend / divisor - (dividend % divisor < 0);
}

static inline int64_t common_divisor(int64_t a, int64_t b) {
  while (b) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Where elements are: the address of the first one, and strides in bytes. */
struct block {
  uint64_t address;
  int64_t item_bytes, modes, sizes[MAX_MODES + 1], strides[MAX_MODES + 1];
};

/* Whether blocks are the same elements; modes of size 1 count for nothing. */
static inline int is_same(const struct block *a, const struct block *b) {
  int64_t i = 0, j = 0;
  if (a->address != b->address || a->item_bytes != b->item_bytes)
    return 0;
  for (;; ++i, ++j) {
    while (i < a->modes && a->sizes[i] == 1)
      ++i;
    while (j < b->modes && b->sizes[j] == 1)
      ++j;
    if (i == a->modes || j == b->modes)
      return i == a->modes && j == b->modes;
    if (a->sizes[i] != b->sizes[j] || a->strides[i] != b->strides[j])
      return 0;
  }
}

/* Modes in the order of their strides, the largest first; the distance that they and all later
   ones reach, and what it is a multiple of; the steps that are left to find a sum of distances. */
struct search {
  int64_t modes, steps, sizes[2 * MAX_MODES + 1], strides[2 * MAX_MODES + 1];
  int64_t reach[2 * MAX_MODES + 2], divisors[2 * MAX_MODES + 2];
};

static inline void add_mode(struct search *search, int64_t size, int64_t stride) {
  int64_t place = search->modes++;
  for (; place > 0 && search->strides[place - 1] < stride; --place) {
    search->strides[place] = search->strides[place - 1];
    search->sizes[place] = search->sizes[place - 1];
  }
  search->strides[place] = stride;
  search->sizes[place] = size;
}

/* Whether indices in the modes from one on have a sum of distances from low to high. */
static inline int find_sum(struct search *search, int64_t mode, int64_t low, int64_t high) {
  int64_t index;
  if (low > search->reach[mode] || high < 0)
    return 0;
  if (mode == search->modes)
    return 1;
  if (floor_quotient(high, search->divisors[mode]) * search->divisors[mode] < low)
    return 0;
  index = low - search->reach[mode + 1];
  index = index > 0 ? -floor_quotient(-index, search->strides[mode]) : 0;
  for (; index < search->sizes[mode] && index * search->strides[mode] <= high; ++index) {
    const int64_t distance = index * search->strides[mode];
    if (search->steps-- <= 0)
      return 0;
    if (find_sum(search, mode + 1, low - distance, high - distance))
      return 1;
  }
  return 0;
}

/* Whether blocks certainly have a common byte; those that interleave have none. */
static inline int share_elements(const struct block *a, const struct block *b) {
  struct search search;
  int64_t distance = (int64_t)(b->address - a->address), reach = 0, divisor = 0;
  search.modes = 0;
  search.steps = 10000;
  for (int side = 0; side < 2; ++side) {
    const struct block *const block = side ? b : a;
    for (int64_t mode = 0; mode < block->modes; ++mode) {
      const int64_t size = block->sizes[mode], stride = block->strides[mode];
      if (size <= 0)
        return 0;
      if (size == 1 || stride == 0)
        continue;
      add_mode(&search, size, stride < 0 ? -stride : stride);
      if (side == (stride > 0)) /* its indices count down */
        distance += (side ? 1 : -1) * (size - 1) * stride;
    }
  }
  search.reach[search.modes] = 0;
  for (int64_t mode = search.modes; mode-- > 0;) {
    search.reach[mode] = reach += (search.sizes[mode] - 1) * search.strides[mode];
    search.divisors[mode] = divisor = common_divisor(search.strides[mode], divisor);
  }
  return find_sum(&search, 0, distance - a->item_bytes + 1, distance + b->item_bytes - 1);
}

/* The blocks of some groups. */
static inline struct block of_groups(struct block block, int64_t step, int64_t first,
                                     int64_t count) {
  block.address += (uint64_t)(first * step);
  block.sizes[block.modes] = count;
  block.strides[block.modes++] = step;
  return block;
}

/* Whether an instruction that updates one block may not read the other. */
static inline int blocks_overlap(const struct block *written, const struct block *read,
                                 int may_be_same) {
  return !(may_be_same && is_same(written, read)) && share_elements(written, read);
}
