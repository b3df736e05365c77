//===- StageStamp.cpp - The first line of printed stages ------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Pipeline/StageStamp.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

#define TINYTC_STAMP "// tinytc-mlir "

using namespace mlir;

/// Returns the major and the minor number of a version.
static std::pair<StringRef, StringRef> getSeries(StringRef version) {
  auto [major, rest] = version.split('.');
  return {major, rest.split('.').first};
}

StringRef tinytc::getStageStamp() { return TINYTC_STAMP TINYTC_VERSION "\n"; }

std::optional<std::string> tinytc::explainStageStamp(StringRef head) {
  if (!head.consume_front(TINYTC_STAMP))
    return std::nullopt;
  StringRef version = head.split('\n').first.rtrim('\r');
  bool isVersion = !version.empty() && llvm::all_of(version, [](char c) {
    return llvm::isAlnum(c) || StringRef(".+-").contains(c);
  });
  if (!isVersion || getSeries(version) == getSeries(TINYTC_VERSION))
    return std::nullopt;
  return ("expected a stage that tinytc-mlir " TINYTC_VERSION
          " printed, got one of version " +
          version + ": keep the program, and print the stage again")
      .str();
}
