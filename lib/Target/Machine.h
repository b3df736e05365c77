//===- Machine.h - What schedules know of a machine -------------*- C++ -*-===//
//
// Everything that a pass has to know of the hardware and its driver in order to choose
// between forms of a kernel. Cycles are those of one core. A register is a vector
// register: on a CPU the lanes of a subgroup share it, on a GPU it is one of each lane.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_TARGET_MACHINE_H
#define TINYTC_LIB_TARGET_MACHINE_H

#include <cstdint>

namespace mlir::tinytc {

/// The defaults are neutral; a record sets what differs on its machine.
struct Machine {
  /// Bytes of a register, and how many of them a work-item may fill with elements.
  int64_t registerBytes = 0, numRegisters = 0;
  /// Registers that addresses take where sizes are dynamic; scalar ones do not count.
  int64_t addressRegisters = 0;

  /// Registers that the hardware gives a thread, if that is a choice, else 0; and the
  /// threads that a core then switches between.
  int64_t threadRegisters = 0, threadsPerCore = 1;
  /// For such machines: cycles until a load from memory is there.
  double memoryLatencyCycles = 0;

  /// The largest tile that a work-item keeps in registers. Where sizes are dynamic,
  /// each column has an address of its own.
  int64_t maxTileRows = 1, maxTileColumns = 1, maxDynamicTileColumns = 1;

  /// One fused multiply-add of a full register, one load of it, one load of an element
  /// for all lanes, and the time until the sum of the previous step is available.
  double fmaCycles = 1, loadCycles = 1, broadcastCycles = 1, fmaLatencyCycles = 1;
  /// Instructions that a core starts in a cycle.
  double issuedPerCycle = 1;
  /// Registers that drivers fill for all iterations of a loop around a product whose
  /// shared elements go through registers.
  int64_t loopRegisters = 0;
  /// The cost of a value that fills at most half of a register, relative to a full one:
  /// loads, loops and addresses stay.
  double partialRegisterFactor = 1;
  /// Bytes of inputs that leave the first cache and come from the second one again in a
  /// cycle: where they are elements for all lanes, and where they fill registers. 0:
  /// such loads cost as much as others.
  double elementBytesPerCycle = 0, lineBytesPerCycle = 0;
  /// One element that is read across lines of memory, and one line of a block that is
  /// transposed in registers instead.
  double gatherCycles = 1, transposedLineCycles = 1;
  /// Bytes of adjacent elements that a work-item loads or stores at once; 0 if it is
  /// neighbouring work-items whose elements should be adjacent.
  int64_t bytesAtOnce = 0;
  /// Streaming one full register through memory.
  double streamCycles = 1;
  /// Starting and finishing a tile, besides its loop; and a second loop over tiles of
  /// another size: branches that are mispredicted, more code.
  double tileCycles = 0, secondLoopCycles = 0;

  /// The most steps of a sum in one iteration of its loop, and the number of steps up
  /// to which there is no loop.
  int64_t maxUnrolledSteps = 1, maxStepsWithoutLoop = 0;
  /// Whether the driver gains from unrolling loops further. That of a CPU takes up to
  /// twice the time, without gain.
  bool driverUnrolls = true;
  /// Whether loops should count in 32 bits, as numbers of 64 bits take more
  /// instructions.
  bool countsIn32Bits = false;
  /// How often the driver repeats the body of a loop whose trip count only the driver
  /// knows.
  int64_t driverUnrollFactor = 1;
  /// Ops of a kernel, beyond constants and indices, that unrolling may lead to: the
  /// time that the driver needs to compile it grows faster than its size.
  int64_t maxUnrolledOps = 0;

  /// Whether an instruction takes an element of one lane for all lanes at no cost:
  /// lanes then load the elements that all rows of a product share for each other.
  bool broadcastsRegisters = false;
  /// For such machines: instructions of a load or store without its addresses, those of
  /// a block of steps besides loads and multiply-adds, the most multiply-adds and loads
  /// that are written out, and the most steps of a block where their number is dynamic.
  double messageCycles = 1, blockCycles = 0;
  int64_t maxUnrolledProducts = 1, maxUnrolledLoads = 1, maxDynamicSharedSteps = 1;
  /// Bytes of the widest operand that is one instruction; 0: ignored.
  int64_t maxOperandBytes = 0;
  /// Whether addresses that differ by a constant only share their computation if it
  /// says so.
  bool sharesBaseAddresses = false;

  /// Lines whose elements a subgroup sums up at once, and sums that a work-item has for
  /// each, or for a single one: together they cover the latency of an addition.
  int64_t linesAtOnce = 1, sumsPerLine = 1, sumsOfSingleLine = 1;

  /// Lines that lie beside each other in memory and that a work-item walks through at
  /// once: with more of them, longer pieces of memory are adjacent.
  int64_t maxLinesPerWorkItem = 1;

  /// The subgroup size that fills a register with elements of f32.
  int32_t preferredSubgroupSize = 1;
  /// Subgroups of a work-group whose size is left open.
  int32_t maxSubgroups = 1;
  /// Whether lanes without work take no time from others.
  bool idleLanesAreFree = false;
  /// Work-groups that share the local memory of a core.
  int64_t workGroupsPerCore = 1;
  /// The least work that is worth starting a work-group for, and the most groups that
  /// one runs to get there.
  double minWorkGroupCycles = 0;
  int64_t maxGroupsPerWorkGroup = 1;
  /// Work-groups that a core runs at once, however small they are, if groups can lie
  /// side by side in one; else 0. Work-items that such a work-group then has, and bytes
  /// from memory that all of a core wait for together, at least.
  int64_t maxWorkGroupsOfCore = 0, sharedWorkGroupItems = 0, bytesInFlight = 0;

  /// The fewest columns of a product for which A is copied into local memory first:
  /// where it is transposed, and where its columns evict each other from the first
  /// cache. With fewer, A is not read again often enough to pay for the copy.
  int64_t minTransposedColumns = 1, minPackedColumns = 1;

  /// Bytes that the banks of local memory bring together; 0: banks are ignored.
  int64_t localBankBytes = 0;

  int64_t cacheLineBytes = 64;
  /// Sets of the first cache, a power of two, and lines in each; 0: ignored.
  int64_t cacheSets = 0, cacheWays = 0;

  /// Whether a store under a mask costs no more than one of a full register: rows are
  /// written once then (docs/decisions/rows-written-twice.md).
  bool masksStores = false;
  /// Whether products fetch the matrices of the next group into the cache, and the
  /// driver keeps an instruction for that (docs/decisions/prefetch.md).
  bool fetchesNextGroup = false;

  /// Whether products that a kernel repeats become calls of a function, since its
  /// driver takes long to compile each (docs/decisions/repeated-products.md).
  bool callsProducts = false;

  /// Whether a subgroup, which is one vector then, transposes blocks in registers: by
  /// exchanging elements between lanes or, for copies, in vectors of one work-item. A
  /// lane of a GPU has no registers for a line.
  bool transposesByLanes = false;
  /// The most lanes between which the driver exchanges elements of 4 bytes in vector
  /// registers; between more, it does so one by one.
  int64_t maxExchangingLanes = 0;
  /// Whether lanes that read pairs of adjacent elements of 4 bytes across lines of
  /// memory do so at once (lib/Conversion/GPUToSPIRV/GatherPairs.cpp).
  bool gathersPairs = false;
  /// Whether the parts of complex numbers are lanes of their own in a product. On a GPU
  /// a lane has enough registers for both parts, and loads them at once.
  bool splitsComplexNumbers = false;
  /// Whether the driver moves conditions on the lane out of loops, merges them, and
  /// then loses them for some of the stores (docs/decisions/conditions-on-lanes.md).
  bool movesLaneConditions = false;
  /// Whether the driver keeps one negated number for all work-items where a barrier
  /// separates its definition from its use (docs/decisions/negations.md).
  bool losesNegations = false;
  /// Whether the driver fails on elements of 8 and 16 bits that lanes load a constant
  /// distance apart (docs/decisions/strided-bytes.md).
  bool failsOnStridedBytes = false;
  /// Whether the driver does not come to an end with the sum over a subgroup of a
  /// constant of 64 bits (docs/decisions/constant-sums.md).
  bool failsOnConstantSums = false;
  /// Whether the driver compiles LLVM's intrinsic of a fused multiply-add in less time
  /// than OpenCL's function, to the same instruction, which the processor must have.
  bool prefersFmaIntrinsic = false;

  /// The subgroup size that the matrix unit multiplies for; 0: there is none.
  int32_t matrixUnitLanes = 0;
  /// Columns of the largest tile of a subgroup on that unit.
  int64_t matrixUnitColumns = 0;
  /// Whether that unit multiplies numbers of f32 whose last 13 bits it ignores.
  bool multipliesTF32 = false;
  /// Whether a message can read a block of a matrix (docs/decisions/matrix-units.md).
  bool readsBlocks = false;
  /// Bytes of local memory from which the unit gets factors, in the order that it
  /// takes; 0: it does not.
  int64_t packedFactorBytes = 0;

  /// Whether that unit takes the fragments of a warp (docs/decisions/tensor-cores.md),
  /// not what work-items hold of coopmatrices.
  bool takesFragments = false;
  /// Multiply-adds of such a unit in the time of one without it: of numbers of 16 bits,
  /// of bytes, and of f64; 0: there are none.
  double halfUnitSpeed = 0, byteUnitSpeed = 0, doubleUnitSpeed = 0;
  /// Whether it multiplies whole fragments of f64 at once.
  bool multipliesDoubleFragments = false;
  /// What a core does in a cycle: multiply-adds of f64 without that unit, and bytes
  /// that come from memory.
  double doubleFmasPerCycle = 0, memoryBytesPerCycle = 0;

  /// Whether an instruction adds to a number of bf16 in memory, as for f16.
  bool addsBF16Atomically = false;

  /// Bytes of the first cache; 0: ignored.
  int64_t getCacheBytes() const { return cacheSets * cacheWays * cacheLineBytes; }

  /// Whether `count` lines of memory that lie `strideBytes` apart evict each other from
  /// the first cache, because they fall on few of its sets.
  bool collidesInCache(int64_t count, int64_t strideBytes) const;
};

/// What machines have in common that OpenCL drivers compile for.
Machine makeOpenCLMachine();

} // namespace mlir::tinytc

#endif // TINYTC_LIB_TARGET_MACHINE_H
