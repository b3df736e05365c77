//===- Family.h - What a family of targets consists of ----------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// A family has a folder here: the records of its targets, their cost model, its stages
// after the gpu stage, and what writes its code. lib/Pipeline asks this registry.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_FAMILIES_FAMILY_H
#define TINYTC_LIB_FAMILIES_FAMILY_H

#include "dialect/TinyTC.h"
#include "lib/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/JSON.h"

#include <string>

namespace mlir::tinytc {

/// A stage of a module, named for its code.
struct Stage {
  /// Its name for users.
  StringRef name;
  /// In the names of pipelines, such as --lower-to-spirv.
  StringRef pipeline;
  /// The op of its kernels, or of what holds their code.
  StringRef op;
  /// The form of kernels then, in descriptions of pipelines.
  StringRef code;
  /// The description of the pipeline from the language to this stage.
  StringRef summary;
  /// Adds the passes from the stage before.
  void (*addPasses)(OpPassManager &pipeline);
};

/// A binary that a runtime loads.
struct Code {
  std::string bytes;
  /// The manifest's entry of each kernel.
  llvm::json::Array kernels;
};

/// Targets that go the same way after the gpu stage.
struct Family {
  StringRef name;
  std::vector<Target> targets;
  /// After the gpu stage or, with `registerPipelines`, after the language itself.
  std::vector<Stage> stages;
  /// Registers pipelines that have options of their own.
  void (*registerPipelines)() = nullptr;
  /// The format of the code, as manifests name it.
  StringRef format;
  /// Returns the code of a module of the last stage, with the lines of the source if
  /// the format has them and `withLines` asks for them.
  FailureOr<Code> (*emit)(ModuleOp lowered, bool withLines) = nullptr;
};

#define TINYTC_FAMILY(NAME) Family make##NAME##Family();
#include "lib/Families/Families.def"
#undef TINYTC_FAMILY

/// Adds a family, and its targets to those of lib/Target. Not while others ask.
void registerFamily(Family family);

/// All families that are registered, in their order.
ArrayRef<Family> getFamilies();

/// The family of a target, null if none has it.
const Family *findFamily(StringRef target);

/// The only op of a kind in a module that is emitted.
template <typename Op>
FailureOr<Op> getOnly(ModuleOp lowered) {
  auto ops = llvm::to_vector(lowered.getOps<Op>());
  if (ops.size() != 1)
    return lowered.emitError("expected one ")
           << Op::getOperationName() << ", got " << ops.size();
  return ops.front();
}

} // namespace mlir::tinytc

#endif // TINYTC_LIB_FAMILIES_FAMILY_H
