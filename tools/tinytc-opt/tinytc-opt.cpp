//===- tinytc-opt.cpp - mlir-opt with the tinytc dialect ------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Register.h"
#include "lib/Pipeline/StageStamp.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <string>
#include <vector>

/// An option of MLIR, which prints whole kernels below each error unless it is off.
static constexpr char kPrintsOps[] = "mlir-print-op-on-diagnostic";

static void printVersion(llvm::raw_ostream &stream) {
  stream << "tinytc-opt " TINYTC_VERSION " with MLIR " LLVM_VERSION_STRING "\n";
}

/// Reports why a command fails, after the place.
static mlir::LogicalResult reportError(const llvm::Twine &place,
                                       llvm::StringRef message) {
  llvm::errs() << place;
  llvm::WithColor::error() << message << "\n";
  return mlir::failure();
}

/// Runs the passes of the command line on a file, which is no stage of another version.
/// Text that it prints begins with a line for this one.
static mlir::LogicalResult optimize(llvm::StringRef inputName,
                                    llvm::StringRef outputName,
                                    mlir::DialectRegistry &registry,
                                    const mlir::MlirOptMainConfig &config) {
  std::string message, printed;
  auto input = mlir::openInputFile(inputName, &message);
  if (!input)
    return reportError("", message);
  if (auto reason = mlir::tinytc::explainStageStamp(input->getBuffer()))
    return reportError(input->getBufferIdentifier() + ":1:1: ", *reason);
  auto output = mlir::openOutputFile(outputName, &message);
  if (!output)
    return reportError("", message);
  llvm::raw_string_ostream stream(printed);
  auto result = mlir::MlirOptMain(stream, std::move(input), registry, config);
  if (!printed.empty() && !config.shouldEmitBytecode())
    output->os() << mlir::tinytc::getStageStamp();
  output->os() << printed;
  if (succeeded(result))
    output->keep();
  return result;
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

  int count = words.size();
  char **given = words.data();
  llvm::InitLLVM init(count, given);
  mlir::DialectRegistry registry;
  mlir::tinytc::registerEverything(registry);
  auto [input, output] = mlir::registerAndParseCLIOptions(
      count, given, "Tiny Tensor optimizer driver\n", registry);
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  bool lists = config.shouldShowDialects() || config.shouldListPasses();
  return mlir::asMainReturnCode(
      lists ? mlir::MlirOptMain(count, given, input, output, registry)
            : optimize(input, output, registry, config));
}
