//===- IntelGpu.cpp - GPUs of Intel ---------------------------------------===//
//
// Registers are those of one work-item: one register is 4 bytes of each lane.
//
//===----------------------------------------------------------------------===//

#include "lib/Target/Target.h"

using namespace mlir::tinytc;

static Machine makeMachine(int64_t numRegisters, int64_t maxTileColumns) {
  Machine machine = makeOpenCLMachine();
  machine.registerBytes = 64;
  machine.numRegisters = numRegisters;
  machine.addressRegisters = 12;
  machine.maxTileRows = 2;
  machine.maxTileColumns = maxTileColumns;
  machine.maxDynamicTileColumns = maxTileColumns;
  machine.fmaLatencyCycles = 8;
  machine.issuedPerCycle = 8;
  machine.streamCycles = 16;
  machine.tileCycles = 40;
  machine.secondLoopCycles = 40;
  machine.maxSubgroups = 8;
  machine.idleLanesAreFree = true;
  machine.workGroupsPerCore = 2;
  machine.minTransposedColumns = 12;
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
  target.machines = {makeMachine(/*numRegisters=*/80, /*maxTileColumns=*/16)};
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
  target.machines = {makeMachine(/*numRegisters=*/44, /*maxTileColumns=*/8)};
  return target;
}

/// Battlemage and Lunar Lake: like pvc, also in what things cost, until that is
/// measured.
Target mlir::tinytc::makeIntelBmg() {
  Target target = makeIntelPvc();
  target.name = "intel-gpu:bmg";
  return target;
}
