//===- tinytc-lsp-server.cpp - Language server for .mlir files ------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Register.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::tinytc::registerEverything(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
