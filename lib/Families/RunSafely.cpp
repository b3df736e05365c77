//===- RunSafely.cpp - Code that may crash --------------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Families/RunSafely.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/PrettyStackTrace.h"

#include <mutex>

bool mlir::tinytc::runSafely(llvm::function_ref<void()> run) {
  // Handlers of signals are the process's: ours stay as long as a thread needs them.
  static std::mutex mutex;
  static unsigned numThreads = 0;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (numThreads++ == 0)
      llvm::CrashRecoveryContext::Enable();
  }
  const void *traces = llvm::SavePrettyStackState();
  bool isWhole = llvm::CrashRecoveryContext().RunSafely(run);
  llvm::RestorePrettyStackState(traces);
  std::lock_guard<std::mutex> lock(mutex);
  if (--numThreads == 0)
    llvm::CrashRecoveryContext::Disable();
  return isWhole;
}
