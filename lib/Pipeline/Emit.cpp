//===- Emit.cpp - Code and manifest ---------------------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Pipeline/Emit.h"
#include "dialect/DiscardableAttrs.h"
#include "lib/Families/Family.h"

using namespace mlir;
using namespace mlir::tinytc;
namespace json = llvm::json;

FailureOr<Binary> tinytc::emitBinary(ModuleOp lowered, bool withLines) {
  TargetAttr target = findTarget(lowered);
  if (!target)
    return lowered.emitError("expected the module to have the attribute '")
           << TinyTCDialect::TargetAttrHelper::getNameStr() << "', got none";
  const Family &family = *findFamily(target.getName());
  FailureOr<Code> code = family.emit(lowered, withLines);
  if (failed(code))
    return failure();
  if (code->kernels.empty())
    return lowered.emitError("expected a module with a kernel, got none");
  json::Object manifest{
      {"version", 1}, {"target", target.getName()}, {"format", family.format}};
  if (target.getRegisters() != 0)
    manifest["registers"] = target.getRegisters();
  manifest["kernels"] = std::move(code->kernels);
  Binary binary{std::move(code->bytes), {}};
  llvm::raw_string_ostream(binary.manifest) << json::Value(std::move(manifest));
  return binary;
}
