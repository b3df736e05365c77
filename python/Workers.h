//===- Workers.h - Threads that share the work of a launch ------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_PYTHON_WORKERS_H
#define TINYTC_PYTHON_WORKERS_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

namespace tinytc {

/// Work on items that are independent of each other.
class Work {
public:
  virtual ~Work() = default;
  /// Does items `first` to `last - 1`; called by several threads at once.
  virtual void run(int64_t first, int64_t last) const = 0;
  /// A number of what takes about as long for each item as this, 0 if nothing is known.
  virtual uintptr_t getKind() const { return 0; }
};

/// The threads of this process that help with work. They are started when they are
/// first needed and sleep between launches; the caller of `run` takes part. A forked
/// child has none of them and starts its own.
class Workers {
public:
  static Workers &get();

  /// Does all items of some work on at most `numThreads` threads, and returns when it
  /// is over. Little work is done by the caller alone, and so is work that comes while
  /// the threads are busy with that of another caller. How long items take is known
  /// from the last work of the same kind, or from the first items.
  void run(const Work &work, int64_t count, int64_t numThreads);

private:
  class Job;

  /// Does items alone until it is known how long they take, then the rest, and returns
  /// the nanoseconds that one took.
  double probe(const Work &work, int64_t count, int64_t numThreads);
  /// Does items from `first` on, and returns the nanoseconds that one of them took.
  double share(const Work &work, int64_t first, int64_t count, int64_t numThreads,
               double itemNs);
  /// Starts threads until there are `count`, or as many as the system lets us have.
  void grow(int64_t count);
  /// Returns how many threads have been started.
  int64_t getCount() const { return static_cast<int64_t>(seen.size()); }
  /// Returns how many threads wait without sleeping, and are running.
  int64_t countAwake() const;
  /// Shares no short work for a while if some, begun at `startNs`, took too long.
  void learn(int64_t startNs);
  /// Wakes threads, without work, if launches that are too short for that by themselves
  /// follow one another.
  void callForShortWork();
  void loop(std::atomic<int64_t> &seenNs);

  /// When a thread that waits without sleeping was last seen, 0 for others.
  struct alignas(64) Seen {
    std::atomic<int64_t> ns = 0;
  };

  /// Held by the caller whose work is shared.
  std::mutex sharing;
  /// Of what follows: one for each thread.
  std::deque<Seen> seen;
  int64_t lastShortNs = 0, aloneUntilNs = 0, pauseNs = 0;
  int numShort = 0;
  /// Of what follows.
  std::mutex mutex;
  std::condition_variable wake;
  std::shared_ptr<Job> job;
  std::atomic<uint64_t> numJobs = 0;
};

} // namespace tinytc

#endif // TINYTC_PYTHON_WORKERS_H
