//===- Workers.cpp - Threads that share the work of a launch --------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Each thread has a part of the items of its own, the same in each launch, so that data
// stays in its caches; then it helps the others. All that threads share are counters
// and the job itself, which lives as long as one of them knows it.
//
//===----------------------------------------------------------------------===//

#include "Workers.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <thread>
#include <vector>

#include <pthread.h>
#include <signal.h>

using namespace tinytc;
using Clock = std::chrono::steady_clock;

namespace {

// A thread that sleeps takes this long to start.
constexpr int64_t kWakeNs = 10'000;
// Before they sleep, threads wait this long for the next job.
constexpr int64_t kSpinNs = 20'000;
// What is worth a step of its own.
constexpr int64_t kStepNs = 4'000;

int64_t elapsedNs(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start)
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

/// Returns whether `isDone` became true while it waited.
template <typename IsDone>
bool spin(IsDone isDone) {
  Clock::time_point start = Clock::now();
  do {
    for (int i = 0; i < 32; ++i) {
      if (isDone())
        return true;
      pause();
    }
  } while (elapsedNs(start) < kSpinNs);
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

  /// Helps until no item is left to begin, first with the part of a thread.
  void help(int64_t thread) {
    int64_t numParts = static_cast<int64_t>(parts.size());
    for (int64_t i = 0; i < numParts; ++i)
      finish(parts[(thread + i) % numParts]);
  }

  /// Returns when all items are done.
  void wait() {
    auto isOver = [&] { return numOpen.load(std::memory_order_acquire) == 0; };
    if (spin(isOver))
      return;
    std::unique_lock<std::mutex> lock(mutex);
    sleep(over, lock, isOver);
  }

private:
  struct alignas(64) Part {
    std::atomic<int64_t> next = 0;
    int64_t end = 0, step = 1;
  };

  void finish(Part &part) {
    while (part.next.load(std::memory_order_relaxed) < part.end) {
      int64_t first = part.next.fetch_add(part.step, std::memory_order_relaxed);
      if (first >= part.end)
        return;
      int64_t last = std::min(first + part.step, part.end);
      work.run(first, last);
      if (numOpen.fetch_sub(last - first, std::memory_order_acq_rel) == last - first) {
        std::lock_guard<std::mutex> lock(mutex);
        over.notify_one();
      }
    }
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

void Workers::run(const Work &work, int64_t count, int64_t numThreads) {
  numThreads = std::min(numThreads, count);
  if (numThreads <= 1)
    return work.run(0, std::max<int64_t>(count, 0));
  // How long an item takes is only known after some of them.
  Clock::time_point start = Clock::now();
  int64_t done = 0, elapsed = 0;
  for (int64_t step = 1; done < count && elapsed < kStepNs / 2; step *= 2) {
    int64_t last = std::min(done + step, count);
    work.run(done, last);
    done = last;
    elapsed = elapsedNs(start);
  }
  double itemNs = std::max(static_cast<double>(elapsed) / done, 0.1);
  if (itemNs * (count - done) < 2 * kWakeNs)
    return work.run(done, count);
  share(work, done, count, numThreads, static_cast<int64_t>(kStepNs / itemNs));
}

void Workers::share(const Work &work, int64_t first, int64_t count, int64_t numThreads,
                    int64_t itemsAtOnce) {
  std::unique_lock<std::mutex> isMine(sharing, std::try_to_lock);
  if (!isMine)
    return work.run(first, count);
  grow(numThreads - 1);
  auto shared = std::make_shared<Job>(work, first, count, numThreads, itemsAtOnce);
  {
    std::lock_guard<std::mutex> lock(mutex);
    job = shared;
    numJobs.fetch_add(1, std::memory_order_release);
  }
  wake.notify_all();
  shared->help(0);
  shared->wait();
  std::lock_guard<std::mutex> lock(mutex);
  job = nullptr;
}

void Workers::grow(int64_t count) {
  // Signals are for the threads of Python.
  sigset_t all, before;
  sigfillset(&all);
  if (numWorkers >= count || pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
    return;
  try {
    for (; numWorkers < count; ++numWorkers)
      std::thread([this] { loop(); }).detach();
  } catch (const std::system_error &) { // those that there are do all
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Workers::loop() {
  uint64_t numSeen = 0;
  while (true) {
    auto isNew = [&] { return numJobs.load(std::memory_order_acquire) != numSeen; };
    spin(isNew);
    std::shared_ptr<Job> mine;
    {
      std::unique_lock<std::mutex> lock(mutex);
      sleep(wake, lock, isNew);
      numSeen = numJobs.load(std::memory_order_relaxed);
      mine = job;
    }
    if (mine)
      mine->help();
  }
}
