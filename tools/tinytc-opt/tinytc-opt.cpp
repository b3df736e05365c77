//===- tinytc-opt.cpp - mlir-opt with the tinytc dialect ------------------===//

#include "dialect/Register.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <string>
#include <vector>

/// An option of MLIR, which prints whole kernels below each error unless it is off.
static constexpr char kPrintsOps[] = "mlir-print-op-on-diagnostic";

static void printVersion(llvm::raw_ostream &stream) {
  stream << "tinytc-opt " TINYTC_VERSION " with MLIR " LLVM_VERSION_STRING "\n";
}

int main(int argc, char **argv) {
  // A reader may leave early, as `head` does; parents such as Python ignore that.
  std::signal(SIGPIPE, SIG_DFL);
  llvm::cl::SetVersionPrinter(printVersion);
  std::vector<char *> words(argv, argv + argc);
  std::string off = std::string("--") + kPrintsOps + "=false";
  bool isGiven = llvm::any_of(words, [](llvm::StringRef word) {
    return word.ltrim('-').starts_with(kPrintsOps);
  });
  if (!isGiven && argc > 0)
    words.insert(words.begin() + 1, off.data());

  mlir::DialectRegistry registry;
  mlir::tinytc::registerEverything(registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      words.size(), words.data(), "Tiny Tensor optimizer driver\n", registry));
}
