//===- Workers.h - Threads that share the work of a launch ------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_PYTHON_WORKERS_H
#define TINYTC_PYTHON_WORKERS_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

namespace tinytc {

/// Work on items that are independent of each other.
class Work {
public:
  virtual ~Work() = default;
  /// Does items `first` to `last - 1`; called by several threads at once.
  virtual void run(int64_t first, int64_t last) const = 0;
};

/// The threads of this process that help with work. They are started when they are
/// first needed and sleep between launches; the caller of `run` takes part. A forked
/// child has none of them and starts its own.
class Workers {
public:
  static Workers &get();

  /// Does all items of some work on at most `numThreads` threads, and returns when it
  /// is over. Little work is done by the caller alone, and so is work that comes while
  /// the threads are busy with that of another caller.
  void run(const Work &work, int64_t count, int64_t numThreads);

private:
  class Job;

  void share(const Work &work, int64_t first, int64_t count, int64_t numThreads,
             int64_t itemsAtOnce);
  /// Starts threads until there are `count`, or as many as the system lets us have.
  void grow(int64_t count);
  void loop();

  /// Held by the caller whose work is shared.
  std::mutex sharing;
  /// Of what follows.
  std::mutex mutex;
  std::condition_variable wake;
  std::shared_ptr<Job> job;
  std::atomic<uint64_t> numJobs = 0;
  int64_t numWorkers = 0;
};

} // namespace tinytc

#endif // TINYTC_PYTHON_WORKERS_H
