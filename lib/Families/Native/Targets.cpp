//===- Targets.cpp - Processors that LLVM compiles for --------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The same machines as those behind the OpenCL driver, without what that driver does
// wrong: a subgroup is one vector, which LLVM splits into registers.
//
//===----------------------------------------------------------------------===//

#include "lib/Families/Native/Targets.h"
#include "lib/Target/CpuMachines.h"

using namespace mlir::tinytc;

/// A machine without the properties of its driver.
static Machine withoutDriver(Machine machine) {
  machine.code.callsProducts = false;
  machine.code.maxWrittenOut = 4096;
  machine.launches.runsGroupsInTurn = true;
  machine.launches.fetchesNextGroup = true;
  machine.vectors.masksDelayLoads = true;
  machine.vectors.convertsSingleElements = true;
  machine.vectors.prefersOneSubgroup = true;
  machine.vectors.runsGroupsInLanes = true;
  machine.launches.maxGroupsPerWorkGroup = 1;
  return machine;
}

// The numbers of the next two are measured with LLVM's code.

static Machine makeNativeAvx2() {
  Machine machine = withoutDriver(makeAvx2());
  machine.costs.secondLoopCycles = 20;
  machine.costs.farApart.secondLoopCycles = 60;
  machine.costs.maxStepsWithoutLoop = 16;
  machine.costs.maxRegistersWithoutLoop = 12;
  return machine;
}

static Machine makeNativeAvx512() {
  Machine machine = withoutDriver(makeAvx512());
  machine.costs.maxStepsWithoutLoop = 16;
  machine.costs.maxRegistersWithoutLoop = 16;
  machine.costs.farApart.maxRowRegisters = 4;
  machine.costs.farApart.steps = 4;
  machine.costs.farApart.maxRegisters = 24;
  machine.costs.farApart.stepCycles = 1;
  return machine;
}

/// A machine that stores results past the caches, from so many bytes on. Registers of
/// 16 bytes hold too little of a line for that.
static Machine withStreaming(Machine machine, int64_t minBytes) {
  machine.launches.minStreamedBytes = minBytes;
  machine.memoryBytesPerCycle = 20;
  return machine;
}

static Target makeProcessor(llvm::StringRef name, llvm::StringRef triple,
                            llvm::StringRef chip) {
  Target target;
  target.name = name;
  target.family = "native";
  target.subgroupSizes = {4, 8, 16, 32, 64};
  target.maxWorkGroupSize = 1024;
  target.localMemoryBytes = 256 * 1024;
  target.maxDeclaredLocalMemoryBytes = 32 * 1024;
  target.hasF64 = true;
  target.triple = triple;
  target.chip = chip;
  return target;
}

static Target makeX86(llvm::StringRef name, const Machine &machine) {
  Target target = makeProcessor(name, "x86_64-unknown-linux-gnu", name);
  target.machines = {machine};
  target.machines.front().vectors.dots.ofI16 = true;
  target.computesF16 = false;
  return target;
}

Target mlir::tinytc::makeNative() {
  Target target = makeProcessor("native", "", "");
  int64_t streamed = getHostStreamedBytes();
  target.machines = {withStreaming(makeNativeAvx512(), streamed),
                     withStreaming(makeNativeAvx2(), streamed),
                     withoutDriver(makeSse())};
  const TileRegisters tiles = getHostTileRegisters();
  for (Machine &machine : target.machines) {
    machine.vectors.dots = getHostDotProducts();
    if (tiles.unit != TileRegisters::AMX || machine.registerBytes == 64)
      machine.tiles = tiles;
  }
  target.getHostRegisterBytes = getHostRegisterBytes;
  target.convertsF16 = getHostRegisterBytes() > 16;
  target.computesF16 = computesHostF16();
  return target;
}

Target mlir::tinytc::makeX86V2() {
  Target target = makeX86("x86-64-v2", withoutDriver(makeSse()));
  target.convertsF16 = false;
  return target;
}

Target mlir::tinytc::makeX86V3() {
  return makeX86("x86-64-v3", withStreaming(makeNativeAvx2(), kStreamedBytes));
}

Target mlir::tinytc::makeX86V4() {
  return makeX86("x86-64-v4", withStreaming(makeNativeAvx512(), kStreamedBytes));
}

Target mlir::tinytc::makeX86BF16() {
  Target target = makeX86V4();
  target.name = "x86-64-v4-bf16";
  target.features = "+avx512vnni,+avx512bf16";
  target.machines.front().vectors.dots.ofUI8 = true;
  target.machines.front().vectors.dots.ofBF16 = true;
  return target;
}

/// All processors with AMX have the instructions for unsigned bytes, too.
Target mlir::tinytc::makeX86Amx() {
  Target target = makeX86V4();
  target.name = "x86-64-v4-amx";
  target.features = "+amx-tile,+amx-int8,+amx-bf16,+avx512vnni";
  target.machines.front().vectors.dots.ofUI8 = true;
  target.machines.front().tiles.unit = TileRegisters::AMX;
  return target;
}

/// Neon: short registers, but twice as many.
Target mlir::tinytc::makeAArch64() {
  Target target = makeProcessor("aarch64", "aarch64-unknown-linux-gnu", "neoverse-n1");
  Machine machine = withoutDriver(makeSse());
  machine.numRegisters = 32;
  machine.vectors.dots.ofI8 = true;
  target.machines = {machine};
  target.features = "+reserve-x18"; // macOS changes it whenever it likes
  return target;
}

/// A target with the instructions for bf16 and for matrices that processors since the
/// Neoverse V1 have; its features name them.
static Target withMatrixInstructions(Target target) {
  for (Machine &machine : target.machines) {
    machine.vectors.dots.ofBF16 = true;
    machine.tiles = makeMatrixInstructions();
  }
  return target;
}

Target mlir::tinytc::makeAArch64Matrix() {
  Target target = withMatrixInstructions(makeAArch64());
  target.name = "aarch64-mmla";
  target.features = "+reserve-x18,+bf16,+i8mm";
  return target;
}

/// SVE whose registers have one length, which the processor and the system decide.
static Target makeSve(llvm::StringRef name, Machine machine) {
  Target target = makeAArch64();
  target.name = name;
  target.features = "+reserve-x18,+sve";
  machine.numRegisters = 32;
  machine.vectors.dots.ofI8 = true;
  target.machines = {withoutDriver(machine)};
  return target;
}

/// All processors with such registers have the other instructions, too.
Target mlir::tinytc::makeSve256() {
  Target target = withMatrixInstructions(makeSve("aarch64-sve256", makeAvx2()));
  target.features = "+reserve-x18,+sve,+bf16,+i8mm";
  return target;
}

Target mlir::tinytc::makeSve512() { return makeSve("aarch64-sve512", makeAvx512()); }
