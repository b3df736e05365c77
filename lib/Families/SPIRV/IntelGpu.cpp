//===- IntelGpu.cpp - GPUs of Intel ---------------------------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Registers are those of one work-item: one register is 4 bytes of each of 16 lanes. On
// pvc that is what the hardware calls a register, on dg2 it is two of them.
//
//===----------------------------------------------------------------------===//

#include "lib/Families/SPIRV/IntelCostModel.h"
#include "lib/Families/SPIRV/Targets.h"

using namespace mlir::tinytc;

static Machine makeIntelMachine() {
  Machine machine = makeOpenCLMachine();
  machine.registerBytes = 64;
  machine.threadRegisters = 128;
  machine.threadsPerCore = 8;
  machine.memoryLatencyCycles = 500;
  machine.costs.addressRegisters = 20;
  machine.costs.maxTileRows = 2;
  machine.costs.maxTileColumns = 16;
  machine.costs.maxDynamicTileColumns = 8;
  machine.costs.fmaLatencyCycles = 8;
  machine.costs.issuedPerCycle = 8;
  machine.bytesAtOnce = 16;
  machine.maxLinesPerWorkItem = 4;
  machine.costs.streamCycles = 16;
  machine.costs.tileCycles = 40;
  machine.costs.secondLoopCycles = 300;
  machine.maxSubgroups = 8;
  machine.idleLanesAreFree = true;
  machine.launches.workGroupsPerCore = 2;
  machine.costs.minTransposedColumns = 12;
  machine.code.unrollsFurther = false;
  machine.broadcastsRegisters = true;
  machine.vectors.masksStores = true;
  return machine;
}

/// Of the machines above, by the instructions of a message.
static SharedCosts getSharedCosts(double messageCycles) {
  SharedCosts costs;
  costs.messageCycles = messageCycles;
  costs.blockCycles = 12;
  costs.maxUnrolledProducts = 640;
  costs.maxUnrolledLoads = 72;
  costs.maxDynamicSharedSteps = 8;
  costs.loopRegisters = 10;
  return costs;
}

/// The same machine if a thread has twice the registers, and a core half the threads:
/// those that addresses and the driver take stay the same.
static Machine doubleRegisters(Machine machine, SharedCosts costs,
                               int64_t numRegisters) {
  machine.numRegisters = numRegisters;
  machine.threadRegisters *= 2;
  machine.threadsPerCore /= 2;
  machine.costs.maxTileRows = 3;
  // Longer blocks of the larger tiles would fill caches of instructions.
  costs.maxUnrolledProducts = 320;
  machine.model = std::make_shared<IntelCostModel>(costs);
  return machine;
}

Target mlir::tinytc::makeIntelPvc() {
  Target target;
  target.name = "intel-gpu:pvc";
  target.family = kIntelGpuFamily;
  target.subgroupSizes = {16, 32};
  target.maxWorkGroupSize = 1024;
  target.localMemoryBytes = 128 * 1024;
  target.maxDeclaredLocalMemoryBytes = target.localMemoryBytes;
  target.hasF64 = true;
  // Registers are 64 bytes, and integers have 64 bits.
  Machine machine = makeIntelMachine();
  machine.numRegisters = 46;
  SharedCosts costs = getSharedCosts(/*messageCycles=*/1);
  machine.model = std::make_shared<IntelCostModel>(costs);
  machine.maxOperandBytes = 128;
  machine.memoryBytesPerCycle = 2;
  machine.unit.lanes = 16;
  machine.unit.columns = 32;
  machine.unit.multipliesTF32 = true;
  machine.unit.readsBlocks = true;
  target.machines = {machine, doubleRegisters(machine, costs, 120)};
  return target;
}

Target mlir::tinytc::makeIntelDg2() {
  Target target;
  target.name = "intel-gpu:dg2";
  target.family = kIntelGpuFamily;
  target.subgroupSizes = {8, 16, 32};
  target.maxWorkGroupSize = 1024;
  target.localMemoryBytes = 64 * 1024;
  target.maxDeclaredLocalMemoryBytes = target.localMemoryBytes;
  target.hasF64 = false;
  // There is no arithmetic on 64-bit addresses.
  Machine machine = makeIntelMachine();
  machine.numRegisters = 34;
  machine.memoryBytesPerCycle = 1;
  SharedCosts costs = getSharedCosts(/*messageCycles=*/2);
  machine.model = std::make_shared<IntelCostModel>(costs);
  machine.maxOperandBytes = 64;
  machine.unit.lanes = 8;
  machine.unit.columns = 16;
  machine.unit.packedFactorBytes =
      target.localMemoryBytes / machine.launches.workGroupsPerCore;
  target.machines = {machine, doubleRegisters(machine, costs, 90)};
  return target;
}

/// Battlemage and Lunar Lake: like pvc, also in what things cost, until that is
/// measured.
Target mlir::tinytc::makeIntelBmg() {
  Target target = makeIntelPvc();
  target.name = "intel-gpu:bmg";
  return target;
}
