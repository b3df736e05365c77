//===- Machine.h - What schedules know of a machine -------------*- C++ -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Everything that a pass has to know of the hardware and its driver in order to choose
// between forms of a kernel. Cycles are those of one core. A register is a vector
// register: on a CPU the lanes of a subgroup share it, on a GPU it is one of each lane.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_LIB_TARGET_MACHINE_H
#define TINYTC_LIB_TARGET_MACHINE_H

#include "lib/Target/CostModel.h"
#include "lib/Target/MatrixUnit.h"
#include "lib/Target/Warps.h"

#include <cstdint>
#include <memory>

namespace mlir::tinytc {

/// The first cache.
struct Cache {
  int64_t lineBytes = 64;
  /// Sets, a power of two, and lines in each; 0: ignored.
  int64_t sets = 0, ways = 0;

  /// 0: ignored.
  int64_t getBytes() const { return sets * ways * lineBytes; }

  /// Whether `count` lines of memory that lie `strideBytes` apart evict each other,
  /// because they fall on few of its sets.
  bool collides(int64_t count, int64_t strideBytes) const;
};

/// The cost of tiles where launches say how far apart the columns of A are: their lines
/// may evict each other from the cache, so that every tile of columns reads all of A
/// from the next one.
struct FarApartCosts {
  /// The most registers that a tile has of such a column. 0: any number.
  int64_t maxRowRegisters = 0;
  /// Steps of an iteration, if the sums are in so many registers at most.
  int64_t steps = 1, maxRegisters = 0;
  /// Cycles of each step of a tile of rows, and more cycles of a second loop: tiles of
  /// another size share lines with others.
  double stepCycles = 0, secondLoopCycles = 0;
};

/// The cost of tiles, for the models of CostModel.h.
struct TileCosts {
  /// Registers that addresses take where sizes are dynamic; scalar ones do not count.
  int64_t addressRegisters = 0;
  /// The largest tile that a work-item keeps in registers. Where sizes are dynamic,
  /// each column has an address of its own.
  int64_t maxTileRows = 1, maxTileColumns = 1, maxDynamicTileColumns = 1;
  /// One fused multiply-add of a full register, one load of it, one load of an element
  /// for all lanes, and the time until the sum of the previous step is available.
  double fmaCycles = 1, loadCycles = 1, broadcastCycles = 1, fmaLatencyCycles = 1;
  /// Instructions that a core starts in a cycle.
  double issuedPerCycle = 1;
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
  /// Streaming one full register through memory.
  double streamCycles = 1;
  /// Starting and finishing a tile, besides its loop; and a second loop over tiles of
  /// another size: branches that are mispredicted, more code.
  double tileCycles = 0, secondLoopCycles = 0;
  /// The most steps of a sum in one iteration of its loop, and the number of steps up
  /// to which there is no loop.
  int64_t maxUnrolledSteps = 1, maxStepsWithoutLoop = 0;
  /// The most registers that sums without a loop are in. 0: any number.
  int64_t maxRegistersWithoutLoop = 0;
  FarApartCosts farApart;
  /// The fewest columns of a product for which A is copied into local memory first:
  /// where it is transposed, and where its columns evict each other from the first
  /// cache. With fewer, A is not read again often enough to pay for the copy.
  int64_t minTransposedColumns = 1, minPackedColumns = 1;
};

/// Limits of the size of a kernel's code: compilers take more time than it grows.
struct CodeSize {
  /// Whether the compiler of the code gains from unrolling loops further. That of a CPU
  /// takes up to twice the time, without gain.
  bool unrollsFurther = true;
  /// How often that compiler repeats the body of a loop whose trip count only it knows.
  int64_t unrollFactor = 1;
  /// Ops of a kernel, beyond constants and indices, that unrolling may lead to.
  int64_t maxUnrolledOps = 0;
  /// Registers that instructions on coopmatrices compute in a kernel which writes them
  /// out: allocating registers for more takes seconds. 0: any number.
  int64_t maxWrittenOut = 0;
  /// Whether products that a kernel repeats become calls of a function, since each copy
  /// takes long to compile (docs/decisions/cpu-driver.md).
  bool callsProducts = false;
};

/// Whether there are vector instructions that add neighbouring products of numbers up.
struct DotProducts {
  /// Of numbers of 16 bits, of bytes, and of unsigned bytes with signed ones.
  bool ofI16 = false, ofI8 = false, ofUI8 = false;
  /// Of bf16, at least as fast as multiply-adds of as many registers of f32.
  bool ofBF16 = false;
};

/// Properties of vector instructions, where the lanes of a subgroup are a vector.
struct Vectors {
  /// Whether a store under a mask costs no more than one of a full register: rows are
  /// written once then (docs/decisions/rows-written-twice.md).
  bool masksStores = false;
  /// Whether a load under a mask, as one of the last rows is, waits for earlier stores
  /// to all bytes of its vector, masked or not: the last rows then come first.
  bool masksDelayLoads = false;
  /// Whether a subgroup, which is one vector then, transposes blocks in registers: by
  /// exchanging elements between lanes or, for copies, in vectors of one work-item. A
  /// lane of a GPU has no registers for a line.
  bool transposesByLanes = false;
  /// The most lanes that exchange elements of 4 bytes in vector registers; between more
  /// of them, elements go one by one.
  int64_t maxExchangingLanes = 0;
  /// Whether gathering numbers of 8 bytes pays: lanes that read pairs of adjacent
  /// elements of 4 bytes across lines of memory do so at once.
  bool gathersPairs = false;
  /// Whether an element of 16 bits that all lanes read is converted by itself. Where
  /// products are sums of a wider type, their B is converted first then.
  bool convertsSingleElements = false;
  /// Whether the parts of complex numbers are lanes of their own in a product. On a GPU
  /// a lane has enough registers for both parts, and loads them at once.
  bool splitsComplexNumbers = false;
  /// Whether several subgroups only make vectors longer: kernels that cannot tell how
  /// many there are have one, whatever size they ask for.
  bool prefersOneSubgroup = false;
  /// Whether groups of a launch may run in step, as the lanes of vectors.
  bool runsGroupsInLanes = false;
  DotProducts dots;
};

/// How the groups of a launch run.
struct Launches {
  /// Work-groups that share the local memory of a core.
  int64_t workGroupsPerCore = 1;
  /// The least work that is worth starting a work-group for, and the most groups that
  /// one runs to get there.
  double minWorkGroupCycles = 0;
  int64_t maxGroupsPerWorkGroup = 1;
  /// Whether a launch is a loop over all groups, and not only a work-group over some:
  /// a core then knows which group comes next.
  bool runsGroupsInTurn = false;
  /// Whether it pays that products fetch the matrices of the next group into the cache
  /// (docs/decisions/native-speed.md).
  bool fetchesNextGroup = false;
  /// Bytes of a launch's arrays from which it pays to store results past the caches
  /// (docs/decisions/native-speed.md). 0: never.
  int64_t minStreamedBytes = 0;
};

/// The defaults are neutral; a record sets what differs on its machine.
struct Machine {
  TileCosts costs;
  /// Never null.
  std::shared_ptr<const CostModel> model = std::make_shared<CostModel>();
  CodeSize code;
  MatrixUnit unit;
  TileRegisters tiles;
  Warps warps;
  AsyncCopies asyncCopies;
  Cache cache;
  Vectors vectors;
  Launches launches;

  /// Bytes of a register, and how many of them a work-item may fill with elements.
  int64_t registerBytes = 0, numRegisters = 0;

  /// Registers that the hardware gives a thread, if that is a choice, else 0; and the
  /// threads that a core then switches between.
  int64_t threadRegisters = 0, threadsPerCore = 1;
  /// For such machines: cycles until a load from memory is there.
  double memoryLatencyCycles = 0;
  /// The most bytes that come from memory for a core in a cycle.
  double memoryBytesPerCycle = 0;

  /// Bytes of adjacent elements that a work-item loads or stores at once; 0 if it is
  /// neighbouring work-items whose elements should be adjacent.
  int64_t bytesAtOnce = 0;
  /// Bytes of adjacent elements of a factor that a work-item loads at once for the tile
  /// that it computes, if address and strides allow it: rows of the tile are adjacent
  /// then, and it holds as many steps of the sum. 0: no load needs an alignment.
  int64_t alignedBytesAtOnce = 0;

  /// Whether an instruction takes an element of one lane for all lanes at no cost:
  /// lanes then load the elements that all rows of a product share for each other.
  bool broadcastsRegisters = false;
  /// Bytes of the widest operand that is one instruction; 0: ignored.
  int64_t maxOperandBytes = 0;

  /// Lines whose elements a subgroup sums up at once, and sums that a work-item has for
  /// each, or for a single one: together they cover the latency of an addition.
  int64_t linesAtOnce = 1, sumsPerLine = 1, sumsOfSingleLine = 1;

  /// Adjacent lines that a work-item sums up at the same time. With more of them, each
  /// access covers a longer piece of memory.
  int64_t maxLinesPerWorkItem = 1;

  /// The subgroup size that fills a register with elements of f32.
  int32_t preferredSubgroupSize = 1;
  /// Subgroups of a work-group whose size is left open.
  int32_t maxSubgroups = 1;
  /// Whether lanes without work take no time from others.
  bool idleLanesAreFree = false;
  /// Bytes that the banks of local memory bring together; 0: banks are ignored.
  int64_t localBankBytes = 0;
};

/// The common properties of machines that OpenCL drivers compile for.
Machine makeOpenCLMachine();

} // namespace mlir::tinytc

#endif // TINYTC_LIB_TARGET_MACHINE_H
