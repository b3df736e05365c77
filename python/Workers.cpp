//===- Workers.cpp - Threads that share the work of a launch --------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Each thread has a part of the items of its own, with two threads the same in each
// launch, so that data stays in its caches; then it helps the others. All that threads
// share are counters and the job itself, which lives as long as one of them knows it.
//
//===----------------------------------------------------------------------===//

#include "Workers.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <system_error>
#include <thread>
#include <vector>

#include <pthread.h>
#include <signal.h>

using namespace tinytc;

namespace {

// A thread that sleeps takes this long to start.
constexpr int64_t kWakeNs = 10'000;
// Work that is worth waking threads for, and work that is worth sharing with those that
// are awake.
constexpr int64_t kLongNs = 2 * kWakeNs, kShortNs = 6'000;
// Before they sleep, threads wait this long for the next job.
constexpr int64_t kSpinNs = 100'000;
// And this long for the last items of others.
constexpr int64_t kLastItemNs = 1'000'000;
// A thread that waits without sleeping is running if it was seen so long ago.
constexpr int64_t kSeenNs = 2'000;
// Short work that takes this long waited for a thread that was set aside for another
// process. As that will happen again, short work is not shared for a while.
constexpr int64_t kSetAsideNs = 500'000;
constexpr int64_t kPauseNs = 10'000'000, kLongestPauseNs = 1'000'000'000;
// So many short launches, one soon after the other, are worth waking threads for.
constexpr int kManyShort = 8;
// The least time that is worth a step of its own.
constexpr int64_t kStepNs = 4'000;

/// The time on a clock that is never set.
int64_t nowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Waits a moment in a loop.
void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Returns whether `isDone` became true while it waited; notes in `seenNs` that the
/// thread runs.
template <typename IsDone>
bool spin(IsDone isDone, int64_t longestNs, std::atomic<int64_t> &seenNs) {
  int64_t start = nowNs(), now = start;
  do {
    seenNs.store(now, std::memory_order_relaxed);
    for (int i = 0; i < 8; ++i) {
      if (isDone())
        return true;
      pause();
    }
    now = nowNs();
  } while (now - start < longestNs);
  seenNs.store(0, std::memory_order_relaxed);
  return false;
}

/// Sleeps until `isDone` is true. `std::condition_variable::wait` needs the libstdc++
/// of GCC 12 (GLIBCXX_3.4.30); this runs with that of GCC 11, as wheels promise.
template <typename IsDone>
void sleep(std::condition_variable &changed, std::unique_lock<std::mutex> &lock,
           IsDone isDone) {
  while (!changed.wait_for(lock, std::chrono::hours(1), isDone)) {
  }
}

} // namespace

class Workers::Job {
public:
  Job(const Work &work, int64_t first, int64_t count, int64_t numThreads,
      int64_t itemsAtOnce)
      : work(work), parts(numThreads), numOpen(count - first),
        numSeats(numThreads - 1) {
    for (int64_t i = 0; i < numThreads; ++i) {
      int64_t begin = count / numThreads * i + count % numThreads * i / numThreads;
      int64_t end =
          count / numThreads * (i + 1) + count % numThreads * (i + 1) / numThreads;
      parts[i].next = std::max(begin, first);
      parts[i].end = std::max(end, first);
      parts[i].step = std::max<int64_t>(std::min((end - begin) / 4, itemsAtOnce), 1);
    }
  }

  /// Helps as one of the threads, if one is missing.
  void help() {
    int64_t seat = numSeats.fetch_sub(1, std::memory_order_relaxed);
    if (seat > 0)
      help(seat);
  }

  /// Helps until no item is left to begin, first with the part of a thread, and returns
  /// how many items it did.
  int64_t help(int64_t thread) {
    int64_t numParts = static_cast<int64_t>(parts.size()), numDone = 0;
    for (int64_t i = 0; i < numParts; ++i)
      numDone += finish(parts[(thread + i) % numParts]);
    return numDone;
  }

  bool isOver() const { return numOpen.load(std::memory_order_acquire) == 0; }

  /// Returns when all items are done.
  void wait() {
    auto isDone = [&] { return isOver(); };
    std::atomic<int64_t> seenNs;
    if (spin(isDone, kSpinNs, seenNs))
      return;
    std::unique_lock<std::mutex> lock(mutex);
    sleep(over, lock, isDone);
  }

private:
  struct alignas(64) Part {
    std::atomic<int64_t> next = 0;
    int64_t end = 0, step = 1;
  };

  int64_t finish(Part &part) {
    int64_t numDone = 0;
    while (part.next.load(std::memory_order_relaxed) < part.end) {
      int64_t first = part.next.fetch_add(part.step, std::memory_order_relaxed);
      if (first >= part.end)
        break;
      int64_t last = std::min(first + part.step, part.end);
      work.run(first, last);
      numDone += last - first;
      if (numOpen.fetch_sub(last - first, std::memory_order_acq_rel) == last - first) {
        std::lock_guard<std::mutex> lock(mutex);
        over.notify_one();
      }
    }
    return numDone;
  }

  const Work &work; // not touched without an item, which its owner waits for
  std::vector<Part> parts;
  /// Items that are not done, and threads that may still join.
  std::atomic<int64_t> numOpen, numSeats;
  std::mutex mutex;
  std::condition_variable over;
};

static std::atomic<Workers *> current = nullptr;

Workers &Workers::get() {
  // Never deleted: threads sleep in it until the process ends.
  static int atFork = pthread_atfork(nullptr, nullptr, [] { current = nullptr; });
  (void)atFork;
  Workers *workers = current.load(std::memory_order_acquire);
  if (workers)
    return *workers;
  auto fresh = std::make_unique<Workers>();
  if (current.compare_exchange_strong(workers, fresh.get()))
    return *fresh.release();
  return *workers;
}

/// Returns how long an item of some kind of work took the last time, 0 if nothing is
/// known. Kinds may share a place: this is a guess, which each launch mends.
static std::atomic<float> &getItemNs(uintptr_t kind) {
  static std::array<std::atomic<float>, 1024> known;
  return known[(kind * 0x9E3779B97F4A7C15u >> 32) % known.size()];
}

/// Does items alone, and returns the nanoseconds that one of them took.
static double runHere(const Work &work, int64_t first, int64_t count) {
  int64_t start = nowNs();
  work.run(first, count);
  return std::max(static_cast<double>(nowNs() - start) / (count - first), 0.1);
}

void Workers::run(const Work &work, int64_t count, int64_t numThreads) {
  numThreads = std::min(numThreads, count);
  if (numThreads <= 1)
    return work.run(0, std::max<int64_t>(count, 0));
  std::atomic<float> &known = getItemNs(work.getKind());
  double itemNs = work.getKind() ? known.load(std::memory_order_relaxed) : 0;
  if (itemNs == 0)
    itemNs = probe(work, count, numThreads);
  else if (itemNs * count < kShortNs)
    itemNs = runHere(work, 0, count);
  else
    itemNs = share(work, 0, count, numThreads, itemNs);
  known.store(static_cast<float>(itemNs), std::memory_order_relaxed);
}

double Workers::probe(const Work &work, int64_t count, int64_t numThreads) {
  int64_t start = nowNs(), done = 0, elapsed = 0;
  for (int64_t step = 1; done < count && elapsed < kStepNs / 2; step *= 2) {
    int64_t last = std::min(done + step, count);
    work.run(done, last);
    done = last;
    elapsed = nowNs() - start;
  }
  double itemNs = std::max(static_cast<double>(elapsed) / done, 0.1);
  if (itemNs * (count - done) >= kLongNs)
    return share(work, done, count, numThreads, itemNs);
  work.run(done, count);
  return itemNs;
}

double Workers::share(const Work &work, int64_t first, int64_t count,
                      int64_t numThreads, double itemNs) {
  std::unique_lock<std::mutex> isMine(sharing, std::try_to_lock);
  if (!isMine)
    return runHere(work, first, count);
  grow(numThreads - 1);
  double aloneNs = itemNs * (count - first);
  bool isLong = aloneNs >= kLongNs;
  if (!isLong)
    numThreads = std::min(numThreads, 1 + countAwake());
  if (numThreads == 1) {
    itemNs = runHere(work, first, count);
    callForShortWork();
    return itemNs;
  }
  auto itemsAtOnce = static_cast<int64_t>(kStepNs / itemNs);
  auto shared = std::make_shared<Job>(work, first, count, numThreads, itemsAtOnce);
  {
    std::lock_guard<std::mutex> lock(mutex);
    job = shared;
    numJobs.fetch_add(1, std::memory_order_release);
  }
  if (isLong)
    wake.notify_all();
  int64_t start = nowNs(), numDone = shared->help(0);
  if (numDone > 0)
    itemNs = std::max(static_cast<double>(nowNs() - start) / numDone, 0.1);
  shared->wait();
  if (!isLong)
    learn(start);
  std::lock_guard<std::mutex> lock(mutex);
  job = nullptr;
  return itemNs;
}

void Workers::grow(int64_t count) {
  // Signals are for the threads of Python, but for those that an instruction raises.
  sigset_t all, before;
  sigfillset(&all);
  for (int signal : {SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP})
    sigdelset(&all, signal);
  if (getCount() >= count || pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
    return;
  try {
    while (getCount() < count)
      std::thread([this, &seenNs = seen.emplace_back().ns] { loop(seenNs); }).detach();
  } catch (const std::system_error &) { // those that there are do all
    seen.pop_back();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

int64_t Workers::countAwake() const {
  int64_t now = nowNs(), since = now - kSeenNs;
  if (now < aloneUntilNs)
    return 0;
  return std::count_if(seen.begin(), seen.end(), [&](const Seen &thread) {
    return thread.ns.load(std::memory_order_relaxed) > since;
  });
}

void Workers::learn(int64_t startNs) {
  int64_t now = nowNs();
  if (now - startNs < kSetAsideNs) {
    pauseNs -= pauseNs / 1024;
    return;
  }
  pauseNs = std::min(2 * pauseNs + kPauseNs, kLongestPauseNs);
  aloneUntilNs = now + pauseNs;
}

void Workers::callForShortWork() {
  int64_t now = nowNs();
  numShort = now - lastShortNs < kSpinNs ? numShort + 1 : 0;
  lastShortNs = now;
  if (numShort < kManyShort || lastShortNs < aloneUntilNs)
    return;
  numShort = 0;
  {
    std::lock_guard<std::mutex> lock(mutex);
    numJobs.fetch_add(1, std::memory_order_release);
  }
  wake.notify_all();
}

void Workers::loop(std::atomic<int64_t> &seenNs) {
  uint64_t numSeen = 0;
  while (true) {
    auto isNew = [&] { return numJobs.load(std::memory_order_acquire) != numSeen; };
    spin(isNew, kSpinNs, seenNs);
    std::shared_ptr<Job> mine;
    {
      std::unique_lock<std::mutex> lock(mutex);
      sleep(wake, lock, isNew);
      numSeen = numJobs.load(std::memory_order_relaxed);
      mine = job;
    }
    if (!mine)
      continue;
    mine->help();
    // The next job comes after this one, if soon.
    spin([&] { return mine->isOver(); }, kLastItemNs, seenNs);
  }
}
