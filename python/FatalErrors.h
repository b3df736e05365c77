//===- FatalErrors.h - What a process says of builds that go wrong --------===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_PYTHON_FATALERRORS_H
#define TINYTC_PYTHON_FATALERRORS_H

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace tinytc {

/// A message to print, and data for a file, if the process ends while this lives: by a
/// signal or by `exit`. A driver calls these, and tells nobody which kernel it is at.
class LastWords {
public:
  LastWords(std::string text, std::string path, std::string data);
  ~LastWords();
  LastWords(const LastWords &) = delete;
  LastWords &operator=(const LastWords &) = delete;

  /// Prints and writes; may run in a handler of a signal.
  void say() const;

private:
  std::string text, path, data;
};

/// A message to print if this lives for some seconds. Then, SIGINT ends the process:
/// whoever builds may hold the lock of Python, so that no handler of Python can run.
class LongBuild {
public:
  LongBuild(std::string text, double seconds);
  ~LongBuild();
  LongBuild(const LongBuild &) = delete;
  LongBuild &operator=(const LongBuild &) = delete;

private:
  void watch(double seconds);

  std::string text;
  std::mutex mutex;
  std::condition_variable ends;
  bool hasEnded = false, isLong = false;
  int process;
  std::thread thread;
};

} // namespace tinytc

#endif // TINYTC_PYTHON_FATALERRORS_H
