//===- Target.cpp - Table of targets --------------------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Target/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir::tinytc;
using llvm::StringRef;

static constexpr std::pair<TargetFamily, llvm::StringLiteral> kFamilies[] = {
    {TargetFamily::Cpu, "cpu"},
    {TargetFamily::IntelGpu, "intel_gpu"},
    {TargetFamily::NvidiaGpu, "nvidia_gpu"},
    {TargetFamily::Native, "native"},
};

StringRef mlir::tinytc::stringifyTargetFamily(TargetFamily family) {
  for (const auto &[value, name] : kFamilies)
    if (value == family)
      return name;
  llvm_unreachable("a family without a name");
}

std::optional<TargetFamily> mlir::tinytc::symbolizeTargetFamily(StringRef name) {
  for (const auto &[value, family] : kFamilies)
    if (family == name)
      return value;
  return std::nullopt;
}

std::string mlir::tinytc::listTargetFamilies() {
  return llvm::join(
      llvm::map_range(kFamilies, [](const auto &family) { return family.second; }),
      ", ");
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

llvm::ArrayRef<Target> mlir::tinytc::getTargets() {
  static const Target targets[] = {
      makeCpu(),      makeIntelPvc(),  makeIntelDg2(), makeIntelBmg(), makeCudaSm80(),
      makeCudaSm90(), makeCudaSm100(), makeNative(),   makeX86V2(),    makeX86V3(),
      makeX86V4(),    makeAArch64(),   makeSve256(),   makeSve512()};
  return targets;
}

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
