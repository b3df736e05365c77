//===- FatalErrors.cpp - What a process says of builds that go wrong ------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "FatalErrors.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <unistd.h>

using tinytc::LastWords;
using tinytc::LongBuild;

namespace {

constexpr std::array kSignals = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV};
/// Threads that build at the same time; those beyond have no last words.
constexpr size_t kMostBuilds = 64;

struct Place {
  std::atomic<const LastWords *> words{nullptr};
  /// The process; one that is forked from it builds nothing.
  std::atomic<pid_t> process{0};
};

std::array<Place, kMostBuilds> places;
std::array<struct sigaction, kSignals.size()> earlier;

void sayAll() {
  for (Place &place : places) {
    const LastWords *words = place.words.load();
    if (words && place.process.load() == getpid())
      words->say();
  }
}

/// Leaves the rest to whoever handled the signal before.
void handle(int signal) {
  int error = errno;
  sayAll();
  for (size_t i = 0; i < kSignals.size(); ++i)
    if (kSignals[i] == signal)
      sigaction(signal, &earlier[i], nullptr);
  errno = error;
  raise(signal); // once this function has returned
}

void install() {
  std::atexit(sayAll);
  struct sigaction action = {};
  action.sa_handler = handle;
  action.sa_flags = SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < kSignals.size(); ++i)
    sigaction(kSignals[i], &action, &earlier[i]);
}

void writeAll(int file, const std::string &data) {
  size_t done = 0;
  while (done < data.size()) {
    ssize_t count = write(file, data.data() + done, data.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return;
    done += size_t(count);
  }
}

/// Long builds of this process, and what handled SIGINT before the first of them.
std::mutex interruptMutex;
int numLongBuilds = 0;
struct sigaction earlierInterrupt;

void endByInterrupt(int signal) {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
  raise(signal); // once this function has returned
}

void letInterruptsEnd() {
  std::lock_guard lock(interruptMutex);
  if (numLongBuilds++ > 0)
    return;
  struct sigaction action = {};
  action.sa_handler = endByInterrupt;
  sigaction(SIGINT, nullptr, &earlierInterrupt);
  if (earlierInterrupt.sa_handler != SIG_IGN)
    sigaction(SIGINT, &action, nullptr);
}

void handleInterruptsAsBefore() {
  std::lock_guard lock(interruptMutex);
  if (--numLongBuilds == 0)
    sigaction(SIGINT, &earlierInterrupt, nullptr);
}

} // namespace

LastWords::LastWords(std::string text, std::string path, std::string data)
    : text(std::move(text)), path(std::move(path)), data(std::move(data)) {
  // Once: what others install later calls this handler, or is called by nobody.
  static std::once_flag isInstalled;
  std::call_once(isInstalled, install);
  for (Place &place : places) {
    const LastWords *none = nullptr;
    if (place.words.compare_exchange_strong(none, this)) {
      place.process = getpid();
      return;
    }
  }
}

LastWords::~LastWords() {
  for (Place &place : places) {
    const LastWords *words = this;
    if (place.words.compare_exchange_strong(words, nullptr))
      return;
  }
}

void LastWords::say() const {
  int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
  if (file >= 0) {
    writeAll(file, data);
    close(file);
  }
  writeAll(STDERR_FILENO, text);
}

LongBuild::LongBuild(std::string text, double seconds)
    : text(std::move(text)), process(getpid()) {
  // Signals are for the threads of the program.
  sigset_t all, earlierMask;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &earlierMask);
  thread = std::thread([this, seconds] { watch(seconds); });
  pthread_sigmask(SIG_SETMASK, &earlierMask, nullptr);
}

LongBuild::~LongBuild() {
  if (process != getpid()) { // a fork has no such thread
    thread.detach();
    return;
  }
  {
    std::lock_guard lock(mutex);
    hasEnded = true;
  }
  ends.notify_one();
  thread.join();
  if (isLong)
    handleInterruptsAsBefore();
}

void LongBuild::watch(double seconds) {
  std::unique_lock lock(mutex);
  isLong = !ends.wait_for(lock, std::chrono::duration<double>(seconds),
                          [&] { return hasEnded; });
  if (!isLong)
    return;
  letInterruptsEnd();
  writeAll(STDERR_FILENO, text);
}
