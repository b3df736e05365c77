//===- IntelGpu.cpp - GPUs of Intel ---------------------------------------===//
//
// Registers are those of one work-item: one register is 4 bytes of each of 16 lanes. On
// pvc that is what the hardware calls a register, on dg2 it is two of them.
//
//===----------------------------------------------------------------------===//

#include "lib/Target/Target.h"

using namespace mlir::tinytc;

static Machine makeIntelMachine() {
  Machine machine = makeOpenCLMachine();
  machine.registerBytes = 64;
  machine.threadRegisters = 128;
  machine.threadsPerCore = 8;
  machine.memoryLatencyCycles = 500;
  machine.addressRegisters = 20;
  machine.loopRegisters = 10;
  machine.maxTileRows = 2;
  machine.maxTileColumns = 16;
  machine.maxDynamicTileColumns = 8;
  machine.fmaLatencyCycles = 8;
  machine.issuedPerCycle = 8;
  machine.bytesAtOnce = 16;
  machine.maxLinesPerWorkItem = 4;
  machine.streamCycles = 16;
  machine.tileCycles = 40;
  machine.secondLoopCycles = 300;
  machine.maxSubgroups = 8;
  machine.idleLanesAreFree = true;
  machine.workGroupsPerCore = 2;
  machine.minTransposedColumns = 12;
  machine.driverUnrolls = false;
  machine.broadcastsRegisters = true;
  machine.blockCycles = 12;
  machine.maxUnrolledProducts = 640;
  machine.maxUnrolledLoads = 72;
  machine.maxDynamicSharedSteps = 8;
  machine.sharesBaseAddresses = true;
  machine.countsIn32Bits = true;
  machine.masksStores = true;
  return machine;
}

/// The same machine if a thread has twice the registers, and a core half the threads:
/// those that addresses and the driver take stay the same.
static Machine doubleRegisters(Machine machine, int64_t numRegisters) {
  machine.numRegisters = numRegisters;
  machine.threadRegisters *= 2;
  machine.threadsPerCore /= 2;
  machine.maxTileRows = 3;
  // Longer blocks of the larger tiles would fill caches of instructions.
  machine.maxUnrolledProducts = 320;
  return machine;
}

Target mlir::tinytc::makeIntelPvc() {
  Target target;
  target.name = "intel-gpu:pvc";
  target.family = TargetFamily::IntelGpu;
  target.subgroupSizes = {16, 32};
  target.maxWorkGroupSize = 1024;
  target.localMemoryBytes = 128 * 1024;
  target.maxDeclaredLocalMemoryBytes = target.localMemoryBytes;
  target.hasF64 = true;
  // Registers are 64 bytes, and integers have 64 bits.
  Machine machine = makeIntelMachine();
  machine.numRegisters = 46;
  machine.messageCycles = 1;
  machine.maxOperandBytes = 128;
  machine.memoryBytesPerCycle = 2;
  machine.matrixUnitLanes = 16;
  machine.matrixUnitColumns = 32;
  machine.multipliesTF32 = true;
  machine.readsBlocks = true;
  target.machines = {machine, doubleRegisters(machine, 120)};
  return target;
}

Target mlir::tinytc::makeIntelDg2() {
  Target target;
  target.name = "intel-gpu:dg2";
  target.family = TargetFamily::IntelGpu;
  target.subgroupSizes = {8, 16, 32};
  target.maxWorkGroupSize = 1024;
  target.localMemoryBytes = 64 * 1024;
  target.maxDeclaredLocalMemoryBytes = target.localMemoryBytes;
  target.hasF64 = false;
  // There is no arithmetic on 64-bit addresses.
  Machine machine = makeIntelMachine();
  machine.numRegisters = 34;
  machine.memoryBytesPerCycle = 1;
  machine.messageCycles = 2;
  machine.maxOperandBytes = 64;
  machine.matrixUnitLanes = 8;
  machine.matrixUnitColumns = 16;
  machine.packedFactorBytes = target.localMemoryBytes / machine.workGroupsPerCore;
  target.machines = {machine, doubleRegisters(machine, 90)};
  return target;
}

/// Battlemage and Lunar Lake: like pvc, also in what things cost, until that is
/// measured.
Target mlir::tinytc::makeIntelBmg() {
  Target target = makeIntelPvc();
  target.name = "intel-gpu:bmg";
  return target;
}
