//===- Passes.h - Passes and pipelines of tinytc ----------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_DIALECT_PASSES_H
#define TINYTC_DIALECT_PASSES_H

#include "dialect/DiscardableAttrs.h"
#include "dialect/TinyTC.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::tinytc {

/// The form in which native code is written.
enum class CodeForm { Object, Assembly, LLVM };

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "dialect/Passes.h.inc"

} // namespace mlir::tinytc

#endif // TINYTC_DIALECT_PASSES_H
