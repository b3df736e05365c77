//===- Driver.cpp - Habits of the drivers that take SPIR-V ----------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Families/SPIRV/Drivers/Driver.h"
#include "lib/Analysis/ModuleTarget.h"

using namespace mlir;
using namespace mlir::tinytc;

static Driver getCpuDriver(TargetAttr target) {
  const Machine &machine = getMachine(target);
  Driver driver;
  driver.keepsPrefetches = machine.launches.fetchesNextGroup;
  driver.movesLaneConditions = true;
  driver.sharesNegations = true;
  driver.failsOnStridedBytes = true;
  driver.failsOnSharedExchanges = true;
  driver.losesMasksOfFirstLanes = true;
  driver.losesNaN = true;
  driver.unrollsAtomics = true;
  // Code for any processor may meet one without the instruction, as is one with SSE.
  driver.prefersFmaIntrinsic =
      target.getVectorBytes() != 0 && machine.registerBytes > 16;
  return driver;
}

static Driver getIntelGpuDriver() {
  Driver driver;
  driver.countsIn32Bits = true;
  driver.sharesBaseAddresses = true;
  driver.needsWholeSubgroups = true;
  return driver;
}

Driver tinytc::getDriver(TargetAttr target) {
  if (target.getFamily() == "cpu")
    return getCpuDriver(target);
  return target.getFamily() == "intel_gpu" ? getIntelGpuDriver() : Driver();
}
