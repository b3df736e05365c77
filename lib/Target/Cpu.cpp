//===- Cpu.cpp - Processors with vector registers -------------------------===//
//
// The driver turns the lanes of a subgroup into vector registers, and runs one
// work-group on a core at a time.
//
//===----------------------------------------------------------------------===//

#include "lib/Target/CpuMachines.h"
#include "lib/Target/Target.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir::tinytc;

/// What processors have in common, and the registers of AVX2, of which some hold rows
/// and broadcast elements.
Machine mlir::tinytc::makeAvx2() {
  Machine machine = makeOpenCLMachine();
  machine.registerBytes = 32;
  machine.numRegisters = 16;
  machine.maxTileRows = 16;
  machine.maxTileColumns = 16;
  machine.maxDynamicTileColumns = 3;
  machine.fmaCycles = 0.5;
  machine.loadCycles = 0.5;
  machine.broadcastCycles = 0.8;
  machine.fmaLatencyCycles = 4;
  machine.issuedPerCycle = 3.4;
  machine.transposedLineCycles = 3;
  machine.streamCycles = 4;
  machine.tileCycles = 12;
  machine.secondLoopCycles = 80;
  machine.maxUnrolledSteps = 3;
  machine.maxStepsWithoutLoop = 4;
  machine.driverUnrolls = false;
  machine.maxLinesPerWorkItem = 16;
  machine.minWorkGroupCycles = 40000;
  machine.minTransposedColumns = 4;
  machine.minPackedColumns = 32;
  machine.cacheSets = 64;
  machine.cacheWays = 8;
  machine.transposesByLanes = true;
  machine.maxExchangingLanes = 8;
  machine.splitsComplexNumbers = true;
  machine.movesLaneConditions = true;
  machine.losesNegations = true;
  machine.failsOnStridedBytes = true;
  machine.failsOnConstantSums = true;
  machine.prefersFmaIntrinsic = true;
  return machine;
}

Machine mlir::tinytc::makeSse() {
  Machine machine = makeAvx2();
  machine.registerBytes = 16;
  machine.prefersFmaIntrinsic = false;
  machine.broadcastCycles = 0.5;
  return machine;
}

Machine mlir::tinytc::makeAvx512() {
  Machine machine = makeAvx2();
  machine.registerBytes = 64;
  machine.numRegisters = 32;
  machine.maxDynamicTileColumns = 7;
  machine.broadcastCycles = 0.5;
  machine.gatherCycles = 0.4;
  machine.gathersPairs = true;
  machine.issuedPerCycle = 8;
  machine.streamCycles = 8;
  machine.secondLoopCycles = 40;
  machine.maxUnrolledSteps = 1;
  machine.maxStepsWithoutLoop = 0;
  machine.partialRegisterFactor = 0.9;
  machine.elementBytesPerCycle = 32;
  machine.lineBytesPerCycle = 128;
  machine.masksStores = true;
  machine.fetchesNextGroup = true;
  machine.callsProducts = true;
  return machine;
}

static int64_t findHostRegisterBytes() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  if (features.lookup("avx512f"))
    return 64;
  return features.lookup("avx2") && features.lookup("fma") ? 32 : 16;
}

/// Asks the processor only once: a virtual machine stops for every question.
int64_t mlir::tinytc::getHostRegisterBytes() {
  static const int64_t bytes = findHostRegisterBytes();
  return bytes;
}

Target mlir::tinytc::makeCpu() {
  Target target;
  target.name = "cpu";
  target.family = TargetFamily::Cpu;
  target.subgroupSizes = {4, 8, 16, 32, 64};
  target.maxWorkGroupSize = 8192;
  target.localMemoryBytes = 256 * 1024;
  target.maxDeclaredLocalMemoryBytes = target.localMemoryBytes;
  target.hasF64 = true;
  target.machines = {makeAvx512(), makeAvx2(), makeSse()};
  target.getHostRegisterBytes = getHostRegisterBytes;
  return target;
}
