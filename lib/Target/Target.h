//===- Target.h - Table of targets ------------------------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// One record for each target, which lib/Families register. Passes ask a record for
// facts and capabilities; none of them compares names.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_TARGET_TARGET_H
#define TINYTC_LIB_TARGET_TARGET_H

#include "lib/Target/Machine.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir::tinytc {

/// The names of all families as messages list them.
std::string listTargetFamilies();

/// The facts about a target.
struct Target {
  llvm::StringRef name;
  /// Another name of it, empty if it has none.
  llvm::StringRef alias;
  /// Targets that are alike, as `tinytc.target` names them.
  llvm::StringRef family;
  /// In ascending order.
  llvm::SmallVector<int32_t> subgroupSizes;
  int32_t maxWorkGroupSize;
  int64_t localMemoryBytes;
  /// Local memory that a kernel may declare; if it needs more, all of it is given by
  /// the launch.
  int64_t maxDeclaredLocalMemoryBytes;
  bool hasF64;
  /// Machines that differ in the width or in the number of their registers; the first
  /// one is typical.
  llvm::SmallVector<Machine, 1> machines;
  /// Bytes of the registers of the machine that the compiler runs on, if that may be
  /// one of these.
  int64_t (*getHostRegisterBytes)() = nullptr;
  /// Processor and features by the names of LLVM's backend; empty: not compiled by
  /// LLVM or, in the family `native`, those of the host.
  llvm::StringRef chip, features;
  /// LLVM's name of the machine; empty: the host.
  llvm::StringRef triple;
  /// Whether it fuses multiply-adds and converts f16: processors have both or neither.
  bool convertsF16 = true;
  /// Whether it has instructions for arithmetic on f16, too.
  bool computesF16 = true;

  /// The machine with registers of `registerBytes`, `registers` of them for a thread, 0
  /// for what is typical; null if there is none.
  const Machine *findMachine(int64_t registerBytes, int64_t registers = 0) const;

  /// Work-items of the largest work-group if a thread has that many registers.
  int32_t getMaxWorkGroupSize(int64_t registers) const;
};

/// Adds the targets of a family. Not while others ask: the records move.
void registerTargets(llvm::ArrayRef<Target> targets);

/// All targets that are registered, the default first.
llvm::ArrayRef<Target> getTargets();

/// The target with the name or alias `name`, or null if there is none.
const Target *lookupTarget(llvm::StringRef name);

/// The names of all targets as messages list them.
std::string listTargetNames();

} // namespace mlir::tinytc

#endif // TINYTC_LIB_TARGET_TARGET_H
