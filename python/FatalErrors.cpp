//===- FatalErrors.cpp - Last words of a process that a driver ends -------===//

#include "FatalErrors.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <unistd.h>

using tinytc::LastWords;

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
