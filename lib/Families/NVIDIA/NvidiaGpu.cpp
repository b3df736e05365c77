//===- NvidiaGpu.cpp - GPUs of NVIDIA -------------------------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// A subgroup is a warp or an aligned part of one. Registers are those of one work-item:
// one register is 4 bytes of each lane.
//
//===----------------------------------------------------------------------===//

#include "lib/Families/NVIDIA/NvidiaCostModel.h"
#include "lib/Families/NVIDIA/Targets.h"

using namespace mlir::tinytc;

static Machine makeMachine() {
  Machine machine;
  machine.registerBytes = 128;
  machine.numRegisters = 144;
  machine.costs.addressRegisters = 16;
  machine.costs.maxTileRows = 8;
  machine.costs.maxTileColumns = 32;
  machine.costs.maxDynamicTileColumns = 8;
  machine.costs.fmaLatencyCycles = 4;
  machine.costs.issuedPerCycle = 4;
  machine.costs.partialRegisterFactor = 1;
  machine.costs.gatherCycles = 1.5;
  // Four schedulers share what loads, however many lanes read the same element.
  machine.costs.loadCycles = 4;
  machine.bytesAtOnce = 16;
  machine.alignedBytesAtOnce = 16;
  machine.model = std::make_shared<NvidiaCostModel>();
  machine.warps.lanes = 32;
  machine.costs.streamCycles = 16;
  machine.costs.tileCycles = 40;
  machine.costs.secondLoopCycles = 40;
  // Four steps read four neighbours of B at once, if that is aligned.
  machine.costs.maxUnrolledSteps = 4;
  machine.costs.maxStepsWithoutLoop = 12;
  machine.code.unrollFactor = 8;
  machine.code.maxUnrolledOps = 1024;
  machine.linesAtOnce = 4;
  machine.sumsPerLine = 2;
  machine.sumsOfSingleLine = 8;
  machine.preferredSubgroupSize = 32;
  machine.maxSubgroups = 8;
  machine.idleLanesAreFree = true;
  machine.launches.workGroupsPerCore = 4;
  machine.launches.maxGroupsPerWorkGroup = 256;
  machine.warps.maxWorkGroupsOfCore = 32;
  machine.warps.sharedWorkGroupItems = 128;
  machine.warps.bytesInFlight = 64 * 1024;
  machine.costs.minTransposedColumns = 12;
  machine.localBankBytes = 128;
  machine.cache.lineBytes = 128;
  machine.asyncCopies.mostBytes = 16;
  machine.asyncCopies.leastBytes = 4;
  machine.unit.lanes = 32;
  machine.unit.isTensorCore = true;
  machine.unit.halfSpeed = 16;
  machine.unit.byteSpeed = 32;
  return machine;
}

static Target makeCuda(llvm::StringRef name, llvm::StringRef chip,
                       llvm::StringRef features, int64_t localMemoryBytes) {
  Target target;
  target.name = name;
  target.family = "nvidia_gpu";
  target.subgroupSizes = {8, 16, 32};
  target.maxWorkGroupSize = 1024;
  target.localMemoryBytes = localMemoryBytes;
  target.maxDeclaredLocalMemoryBytes = 48 * 1024;
  target.hasF64 = true;
  target.machines = {makeMachine()};
  target.chip = chip;
  target.features = features;
  return target;
}

/// Tensor cores that multiply numbers of f64, too: by the clocks, cores, multiply-adds
/// and memory in the data sheets of A100 (80 GB) and H200; of the multiply-adds, an
/// H100 reached less.
static void addDoubleUnit(Target &target, double fmasPerCycle, double bytesPerCycle) {
  Machine &machine = target.machines.front();
  machine.unit.doubleSpeed = 2;
  machine.unit.doubleFmasPerCycle = fmasPerCycle;
  machine.memoryBytesPerCycle = bytesPerCycle;
}

// PTX 8.0 is what drivers from R525 on compile; later chips need a later version.

Target mlir::tinytc::makeCudaSm80() {
  Target target = makeCuda("cuda:sm_80", "sm_80", "+ptx80", 163 * 1024);
  addDoubleUnit(target, /*fmasPerCycle=*/32, /*bytesPerCycle=*/13);
  target.machines.front().numRegisters = 96; // more were measured on sm_90 alone
  return target;
}

Target mlir::tinytc::makeCudaSm90() {
  Target target = makeCuda("cuda:sm_90", "sm_90", "+ptx80", 227 * 1024);
  target.alias = "cuda";
  addDoubleUnit(target, /*fmasPerCycle=*/40, /*bytesPerCycle=*/19);
  target.machines.front().unit.multipliesDoubleFragments = true;
  // Measured on an H100, and fitted to what today's kernels take there
  // (docs/nvidia.md).
  AsyncCopies &copies = target.machines.front().asyncCopies;
  copies.coreRegisters = 64 * 1024;
  copies.coreLocalBytes = 228 * 1024;
  copies.reservedBytes = 1024;
  copies.coreThreads = 2048;
  copies.latencyCycles = 1100;
  copies.memoryBytesPerCycle = 12.5;
  copies.cacheBytesPerCycle = 128;
  copies.fmasPerCycle = 128;
  target.machines.front().warps.addsBF16Atomically = true;
  return target;
}

/// Its tensor cores multiply numbers of f64 no faster than all else does.
Target mlir::tinytc::makeCudaSm100() {
  Target target = makeCuda("cuda:sm_100", "sm_100", "+ptx86", 227 * 1024);
  target.machines.front().warps.addsBF16Atomically = true;
  return target;
}
