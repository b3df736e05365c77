//===- RegisterEverything.cpp - What every tool registers -----------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "dialect/Register.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"

void mlir::tinytc::registerEverything(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllPasses();
  registerDialect(registry);
  registerPassesAndPipelines();
}
