//===- FatalErrors.h - Last words of a process that a driver ends ---------===//

#ifndef TINYTC_PYTHON_FATALERRORS_H
#define TINYTC_PYTHON_FATALERRORS_H

#include <string>

namespace tinytc {

/// What to print, and to write to a file, if the process ends while this lives: by a
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

} // namespace tinytc

#endif // TINYTC_PYTHON_FATALERRORS_H
