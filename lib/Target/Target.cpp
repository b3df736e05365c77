//===- Target.cpp - Table of targets --------------------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Target/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

#include <vector>

using namespace mlir::tinytc;
using llvm::StringRef;

static std::vector<Target> &getRegistry() {
  static std::vector<Target> registry;
  return registry;
}

void mlir::tinytc::registerTargets(llvm::ArrayRef<Target> targets) {
  llvm::append_range(getRegistry(), targets);
}

std::string mlir::tinytc::listTargetFamilies() {
  llvm::SetVector<StringRef> families;
  for (const Target &target : getTargets())
    families.insert(target.family);
  return llvm::join(families, ", ");
}

const Machine *Target::findMachine(int64_t registerBytes, int64_t registers) const {
  auto isEqual = [](int64_t wanted, int64_t value) {
    return wanted == 0 || wanted == value;
  };
  const Machine *machine = llvm::find_if(machines, [&](const Machine &m) {
    return isEqual(registerBytes, m.registerBytes) &&
           isEqual(registers, m.threadRegisters);
  });
  return machine == machines.end() ? nullptr : machine;
}

int32_t Target::getMaxWorkGroupSize(int64_t registers) const {
  return maxWorkGroupSize * findMachine(0, registers)->threadsPerCore /
         machines.front().threadsPerCore;
}

llvm::ArrayRef<Target> mlir::tinytc::getTargets() { return getRegistry(); }

const Target *mlir::tinytc::lookupTarget(StringRef name) {
  const Target *target = llvm::find_if(getTargets(), [&](const Target &t) {
    return !name.empty() && (t.name == name || t.alias == name);
  });
  return target == getTargets().end() ? nullptr : target;
}

std::string mlir::tinytc::listTargetNames() {
  return llvm::join(
      llvm::map_range(getTargets(), [](const Target &target) { return target.name; }),
      ", ");
}
