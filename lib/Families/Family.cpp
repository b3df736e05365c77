//===- Family.cpp - The registry of families ------------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Families/Family.h"

using namespace mlir;
using namespace mlir::tinytc;

static std::vector<Family> &getRegistry() {
  static std::vector<Family> registry;
  return registry;
}

void tinytc::registerFamily(Family family) {
  registerTargets(family.targets);
  getRegistry().push_back(std::move(family));
}

ArrayRef<Family> tinytc::getFamilies() { return getRegistry(); }

const Family *tinytc::findFamily(StringRef target) {
  for (const Family &family : getFamilies())
    for (const Target &each : family.targets)
      if (each.name == target)
        return &family;
  return nullptr;
}
