//===- Drivers.cpp - What drivers for SPIR-V make necessary ---------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Target/SPIRV/Drivers/Drivers.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::tinytc;

void tinytc::prepareForDriver(Operation *root, const Driver &driver) {
  if (driver.failsOnSharedExchanges)
    foldSharedExchanges(root);
  if (driver.losesNegations)
    hideNegations(root);
  if (driver.losesMasksOfFirstLanes)
    hideFirstLanes(root);
}

void tinytc::prepareMemoryForDriver(gpu::GPUModuleOp kernels, const Driver &driver) {
  if (driver.gathersPairs)
    gatherPairs(kernels);
  if (driver.failsOnStridedBytes)
    hideLaneStrides(kernels);
}
