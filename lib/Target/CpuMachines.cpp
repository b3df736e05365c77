//===- CpuMachines.cpp - Processors with vector registers -----------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The lanes of a subgroup are vector registers, and a core runs one work-group at a
// time.
//
//===----------------------------------------------------------------------===//

#include "lib/Target/CpuMachines.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>
#include <fstream>

#if defined(__linux__) && defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace mlir::tinytc;

/// Common properties of processors, and the registers of AVX2, of which some hold rows
/// and broadcast elements.
Machine mlir::tinytc::makeAvx2() {
  Machine machine = makeOpenCLMachine();
  machine.registerBytes = 32;
  machine.numRegisters = 16;
  machine.costs.maxTileRows = 16;
  machine.costs.maxTileColumns = 16;
  machine.costs.maxDynamicTileColumns = 3;
  machine.costs.fmaCycles = 0.5;
  machine.costs.loadCycles = 0.5;
  machine.costs.broadcastCycles = 0.8;
  machine.costs.fmaLatencyCycles = 4;
  machine.costs.issuedPerCycle = 3.4;
  machine.costs.transposedLineCycles = 3;
  machine.costs.streamCycles = 4;
  machine.costs.tileCycles = 12;
  machine.costs.secondLoopCycles = 80;
  machine.costs.maxUnrolledSteps = 3;
  machine.costs.maxStepsWithoutLoop = 4;
  machine.code.unrollsFurther = false;
  machine.code.maxWrittenOut = 2048;
  machine.maxLinesPerWorkItem = 16;
  machine.launches.minWorkGroupCycles = 40000;
  machine.costs.minTransposedColumns = 4;
  machine.costs.minPackedColumns = 32;
  machine.cache.sets = 64;
  machine.cache.ways = 8;
  machine.vectors.transposesByLanes = true;
  machine.vectors.maxExchangingLanes = 8;
  machine.vectors.splitsComplexNumbers = true;
  return machine;
}

Machine mlir::tinytc::makeSse() {
  Machine machine = makeAvx2();
  machine.registerBytes = 16;
  machine.costs.broadcastCycles = 0.5;
  return machine;
}

Machine mlir::tinytc::makeAvx512() {
  Machine machine = makeAvx2();
  machine.registerBytes = 64;
  machine.numRegisters = 32;
  machine.costs.maxDynamicTileColumns = 7;
  machine.costs.broadcastCycles = 0.5;
  machine.costs.gatherCycles = 0.4;
  machine.vectors.gathersPairs = true;
  machine.costs.issuedPerCycle = 8;
  machine.costs.streamCycles = 8;
  machine.costs.secondLoopCycles = 40;
  machine.costs.maxUnrolledSteps = 1;
  machine.costs.maxStepsWithoutLoop = 0;
  machine.costs.partialRegisterFactor = 0.9;
  machine.costs.elementBytesPerCycle = 32;
  machine.costs.lineBytesPerCycle = 128;
  machine.vectors.masksStores = true;
  machine.launches.fetchesNextGroup = true;
  machine.code.callsProducts = true;
  return machine;
}

/// Asks the processor only once: a virtual machine stops for every question.
static const llvm::StringMap<bool> &getHostFeatures() {
  static const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  return features;
}

int64_t mlir::tinytc::getHostRegisterBytes() {
  const llvm::StringMap<bool> &features = getHostFeatures();
  if (features.lookup("avx512f"))
    return 64;
  return features.lookup("avx2") && features.lookup("fma") ? 32 : 16;
}

/// Bytes of the last cache that cores of the host share, as Linux says; 0: not known.
static int64_t getLastCacheBytes() {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index3/size");
  int64_t kibibytes = 0;
  file >> kibibytes;
  return kibibytes * 1024;
}

/// As measured on AMD's Zen 5: from about half of the last cache on, a result is not
/// there any more when the next launch reads it. On Intel's processors, such stores
/// only pay where no cache holds the batch.
int64_t mlir::tinytc::getHostStreamedBytes() {
  if (!llvm::Triple(llvm::sys::getDefaultTargetTriple()).isX86())
    return 0;
  bool isZen = llvm::sys::getHostCPUName().starts_with("znver");
  int64_t cacheBytes = getLastCacheBytes();
  if (isZen && cacheBytes != 0)
    return cacheBytes / 16 * 7;
  return std::max(kStreamedBytes, cacheBytes);
}

DotProducts mlir::tinytc::getHostDotProducts() {
  const llvm::StringMap<bool> &features = getHostFeatures();
  DotProducts dots;
  dots.ofI16 = llvm::Triple(llvm::sys::getDefaultTargetTriple()).isX86() &&
               (!features.lookup("avx512f") || features.lookup("avx512bw"));
  dots.ofI8 = features.lookup("dotprod");
  dots.ofBF16 =
      features.lookup("bf16") || (features.lookup("avx512bf16") &&
                                  llvm::sys::getHostCPUName().starts_with("znver"));
  dots.ofUI8 = features.lookup("avx512vnni") || features.lookup("avxvnni");
  return dots;
}

TileRegisters mlir::tinytc::makeMatrixInstructions() {
  TileRegisters tiles;
  tiles.unit = TileRegisters::MMLA;
  tiles.most = {4, 4, 2};
  tiles.step = {4, 2, 2};
  tiles.areConfigured = false;
  tiles.minSummed = 8;
  tiles.minColumns = 12;
  tiles.minOfBF16 = tiles.minOfI8 = 4096;
  return tiles;
}

static bool mayUseAmx() {
#if defined(__linux__) && defined(__x86_64__)
  const llvm::StringMap<bool> &features = getHostFeatures();
  if (!features.lookup("amx-tile") || !features.lookup("amx-int8") ||
      !features.lookup("amx-bf16"))
    return false;
  static constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

TileRegisters mlir::tinytc::getHostTileRegisters() {
  if (getHostFeatures().lookup("bf16") && getHostFeatures().lookup("i8mm"))
    return makeMatrixInstructions();
  TileRegisters tiles;
  if (mayUseAmx())
    tiles.unit = TileRegisters::AMX;
  return tiles;
}

bool mlir::tinytc::computesHostF16() {
  return getHostFeatures().lookup("avx512fp16") || getHostFeatures().lookup("fullfp16");
}
