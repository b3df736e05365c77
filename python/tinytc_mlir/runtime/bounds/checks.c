/* SPDX-License-Identifier: BSD-3-Clause */
/* Evaluates the rules of launches: for those of Python, which compile this as C++, and in libraries
   for C, which contain it. runtime/bounds/plan.py writes the tables. */
#define LARGEST_VALUE ((int64_t)1 << 38)
#define NO_LIMIT (-1)

__extension__ typedef __int128 wide;

/* Words of a rule. Sums and lists are places in the plan; a list begins with its length. */
enum equal_sizes {
  SIZE,
  EXPECTED,
  EQUAL_CONDITIONS,
  EQUAL_NEEDED,
  EQUAL_SIZED,
  EQUAL_COMPARES,
  HAS_REASON
};
enum bound {
  SLOPE,
  START,
  LIMIT, /* 0 if the index counts down */
  DIMENSION,
  OTHERS,
  CONDITIONS,
  NEEDED,
  SIZED,
  COMPARES,
  IS_FIXED,
  REACH, /* two places of an array's memory, 0 if there are none */
  PARAMETER,
  ITEM_BYTES
};
/* The first words of a plan: lists of values that may be large, and of groups whose members only
   the group with their number accesses. */
enum head { LARGE_VALUES, OWN_MEMBERS };

/* Broken rules are errors. Of others, nobody knows whether they are kept: because values are large,
   because members differ, or as the rule says itself. */
enum verdict { HOLDS, BROKEN, IS_LARGE, IS_MIXED, IS_OPEN };

enum flag { MISSING = 1, MIXED = 2 };

/* The members of a group: their sizes by mode, as far as the type leaves them open. */
struct members {
  int64_t count;
  const int64_t *const *rows;
};

struct launch {
  const int64_t *plan, *values, *available; /* bytes of memory by parameter */
  const struct members *members;
  const unsigned char *flags;
  int64_t *bytes_read;
  int64_t counts[3], others[3]; /* groups in the dimension of a bound, and in others */
  int64_t member;
};

static inline int64_t sum_of(const struct launch *launch, int64_t place);

/* The words of a factor: a number of 20 bits each for the value, the group whose member has it,
   plus 1, and the row; or, below 0, the place of a quotient. */
static inline int64_t value_of(const struct launch *launch, int64_t factor) {
  const int64_t group = factor >> 20 & 0xfffff;
  if (factor < 0)
    return sum_of(launch, launch->plan[1 - factor]) / launch->plan[-factor];
  if (launch->member >= 0 && group && launch->flags[group - 1] & MIXED)
    return launch->members[group - 1].rows[factor >> 40][launch->member];
  return launch->values[factor & 0xfffff];
}

/* The value of a sum as kernels compute it, in 64 bits that wrap. */
static inline int64_t sum_of(const struct launch *launch, int64_t place) {
  const int64_t *word = launch->plan + place;
  uint64_t total = 0;
  for (int64_t terms = *word++; terms > 0; --terms) {
    uint64_t product = (uint64_t)*word++;
    for (int64_t factors = *word++; factors > 0; --factors)
      product *= (uint64_t)value_of(launch, *word++);
    total += product;
  }
  return (int64_t)total;
}

/* Whether a parameter of a list has a flag. */
static inline int any_has(const struct launch *launch, int64_t list, int flag) {
  const int64_t *word = launch->plan + list;
  for (int64_t i = 1; i <= word[0]; ++i)
    if (launch->flags[word[i]] & flag)
      return 1;
  return 0;
}

static inline int is_large(const struct launch *launch) {
  const int64_t *word = launch->plan + launch->plan[LARGE_VALUES];
  for (int64_t i = 1; i <= word[0]; ++i)
    if (launch->values[word[i]] > LARGEST_VALUE || launch->values[word[i]] < -LARGEST_VALUE)
      return 1;
  return 0;
}

static inline int is_own(const struct launch *launch, int64_t parameter) {
  const int64_t *word = launch->plan + launch->plan[OWN_MEMBERS];
  for (int64_t i = 1; i <= word[0]; ++i)
    if (word[i] == parameter)
      return 1;
  return 0;
}

/* The number of members of different sizes that parameters of a list have, 0 if others than the
   groups of their numbers access some. */
static inline int64_t member_count(const struct launch *launch, int64_t list) {
  const int64_t *word = launch->plan + list;
  int64_t count = INT64_MAX;
  for (int64_t i = 1; i <= word[0]; ++i) {
    if (!(launch->flags[word[i]] & MIXED))
      continue;
    if (!is_own(launch, word[i]))
      return 0;
    if (launch->members[word[i]].count < count)
      count = launch->members[word[i]].count;
  }
  return count;
}

static inline enum verdict check_sizes(const struct launch *launch, const int64_t *rule) {
  const int64_t *condition = launch->plan + rule[EQUAL_CONDITIONS];
  if (any_has(launch, rule[EQUAL_NEEDED], MISSING))
    return HOLDS;
  if (any_has(launch, rule[EQUAL_SIZED], MIXED)) {
    struct launch each = *launch;
    const int64_t count = member_count(launch, rule[EQUAL_SIZED]);
    for (each.member = 0; each.member < count; ++each.member)
      if (sum_of(&each, rule[SIZE]) != sum_of(&each, rule[EXPECTED]))
        return IS_MIXED;
    return count ? HOLDS : IS_MIXED;
  }
  if (sum_of(launch, rule[SIZE]) == sum_of(launch, rule[EXPECTED]))
    return HOLDS;
  if (rule[EQUAL_COMPARES] && is_large(launch))
    return rule[HAS_REASON] ? IS_OPEN : IS_LARGE;
  for (int64_t i = 1; i <= condition[0]; ++i)
    if (sum_of(launch, condition[i]) < 0)
      return HOLDS;
  return rule[HAS_REASON] ? IS_OPEN : BROKEN;
}

/* A quotient, rounded down. Compilers divide 128 bits by a function that libraries do not need. */
static inline wide floor_of(wide dividend, wide divisor) {
  wide quotient = 0, rest = dividend < 0 ? -dividend : dividend;
  if (rest <= INT64_MAX && divisor <= INT64_MAX) {
    quotient = (int64_t)rest / (int64_t)divisor;
    rest -= quotient * divisor;
  } else
    for (int bit = 126; bit >= 0; --bit)
      if (rest >> bit >= divisor) {
        rest -= divisor << bit;
        quotient |= (wide)1 << bit;
      }
  return dividend < 0 ? -quotient - (rest != 0) : quotient;
}

/* The index of a bound for the last groups of other dimensions, at group 0. */
static inline wide start_of(const struct launch *launch, const int64_t *bound) {
  const int64_t *other = launch->plan + bound[OTHERS];
  wide start = sum_of(launch, bound[START]);
  for (int64_t i = 0; i < other[0]; ++i) {
    const int64_t slope = sum_of(launch, other[2 + 2 * i]);
    if (bound[LIMIT] ? slope > 0 : slope < 0)
      start += (wide)slope * (launch->others[other[1 + 2 * i]] - 1);
  }
  return start;
}

/* Whether 64 bits may not hold the index of a group, or a condition that counts. */
static inline int is_doubtful(const struct launch *launch, const int64_t *bound, wide group,
                              int asks_conditions) {
  const wide index = sum_of(launch, bound[SLOPE]) * group + start_of(launch, bound);
  return index < INT64_MIN || index > INT64_MAX ||
         (asks_conditions && bound[COMPARES] && is_large(launch));
}

/* The number of groups that a bound allows if its conditions hold in 64 bits, or without them. */
static inline wide limit_of(const struct launch *launch, const int64_t *bound,
                            int asks_conditions) {
  const int64_t *condition = launch->plan + bound[CONDITIONS];
  const wide start = start_of(launch, bound), slope = sum_of(launch, bound[SLOPE]);
  /* An index is outside by this much, and that much more with each group. */
  const wide outside = bound[LIMIT] ? start - sum_of(launch, bound[LIMIT]) : -start - 1;
  const wide more = bound[LIMIT] ? slope : -slope;
  wide least = 0, greatest = (wide)INT64_MAX << 60;
  if (outside < 0 && more <= 0)
    return NO_LIMIT;
  if (outside < 0)
    least = -floor_of(outside, more);
  if (more < 0)
    greatest = floor_of(outside, -more);
  for (int64_t i = 0; asks_conditions && i < condition[0]; ++i) {
    const wide factor = sum_of(launch, condition[1 + 2 * i]);
    const wide constant = sum_of(launch, condition[2 + 2 * i]);
    if (factor > 0 && -floor_of(constant, factor) > least)
      least = -floor_of(constant, factor);
    if (factor < 0 && floor_of(constant, -factor) < greatest)
      greatest = floor_of(constant, -factor);
    if (factor == 0 && constant < 0)
      return NO_LIMIT;
  }
  return least > greatest ? NO_LIMIT : least;
}

/* The number of groups that a bound certainly allows. */
static inline wide most_groups(const struct launch *launch, const int64_t *bound,
                               int asks_conditions) {
  const wide limit = limit_of(launch, bound, asks_conditions);
  if (limit != NO_LIMIT && is_doubtful(launch, bound, limit, asks_conditions))
    return NO_LIMIT;
  return limit;
}

/* Whether loads of blocks by all groups are inside the memory of their array. */
static inline int stays_in_memory(const struct launch *launch, const int64_t *bound) {
  const int64_t *place = launch->plan + bound[REACH];
  const int64_t parameter = bound[PARAMETER];
  wide ends[2], bytes;
  if (!bound[REACH])
    return 0;
  for (int end = 0; end < 2; ++end, place += 4) {
    ends[end] = sum_of(launch, place[3]);
    for (int dimension = 0; dimension < 3; ++dimension) {
      const wide way = (wide)sum_of(launch, place[dimension]) * (launch->counts[dimension] - 1);
      if (end ? way > 0 : way < 0)
        ends[end] += way;
    }
  }
  bytes = (ends[1] + 1) * bound[ITEM_BYTES];
  if (ends[0] < 0 || bytes > launch->available[parameter])
    return 0;
  if (launch->bytes_read[parameter] < (int64_t)bytes)
    launch->bytes_read[parameter] = (int64_t)bytes;
  return 1;
}

/* Whether all groups are inside, whatever their conditions are. */
static inline int are_inside(const struct launch *launch, const int64_t *bound) {
  const wide limit = limit_of(launch, bound, 0);
  return limit == NO_LIMIT || launch->counts[bound[DIMENSION]] <= limit;
}

/* Whether the accesses of a bound may be outside, although no group certainly exceeds it. */
static inline int may_leave(const struct launch *launch, const int64_t *bound) {
  wide limit = limit_of(launch, bound, 1);
  if (any_has(launch, bound[SIZED], MIXED))
    return 1;
  if (are_inside(launch, bound))
    return 0;
  if (limit != NO_LIMIT && is_doubtful(launch, bound, limit, 1))
    return 1;
  if (limit == NO_LIMIT && bound[COMPARES] && is_large(launch))
    limit = limit_of(launch, bound, 0);
  if (limit == NO_LIMIT || launch->counts[bound[DIMENSION]] <= limit)
    return 0;
  return !stays_in_memory(launch, bound);
}

/* Whether each group keeps a bound on members of different sizes. */
static inline int members_keep(const struct launch *launch, const int64_t *bound) {
  struct launch each = *launch;
  const int64_t count = bound[IS_FIXED] ? member_count(launch, bound[SIZED]) : 0;
  for (each.member = 0; each.member < count; ++each.member) {
    const int64_t index = sum_of(&each, bound[START]);
    if (bound[LIMIT] ? index >= sum_of(&each, bound[LIMIT]) : index < 0)
      return 0;
  }
  return count > 0;
}

static inline enum verdict check_bound(const struct launch *launch, const int64_t *bound) {
  wide most;
  if (any_has(launch, bound[NEEDED], MISSING))
    return HOLDS;
  if (any_has(launch, bound[SIZED], MIXED))
    return members_keep(launch, bound) ? HOLDS : IS_MIXED;
  if (are_inside(launch, bound))
    return HOLDS;
  most = most_groups(launch, bound, 1);
  if (most != NO_LIMIT && launch->counts[bound[DIMENSION]] > most)
    return stays_in_memory(launch, bound) ? HOLDS : BROKEN;
  return may_leave(launch, bound) ? IS_LARGE : HOLDS;
}
