//===- Register.h - One registration call for every tool --------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_DIALECT_REGISTER_H
#define TINYTC_DIALECT_REGISTER_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::tinytc {

/// Registers the tinytc dialect, and the tile dialect, in `registry`.
void registerDialect(DialectRegistry &registry);

/// Registers our passes and pipelines in the global pass registry.
void registerPassesAndPipelines();

/// Registers all of upstream MLIR and everything of ours; for tools.
void registerEverything(DialectRegistry &registry);

} // namespace mlir::tinytc

#endif // TINYTC_DIALECT_REGISTER_H
