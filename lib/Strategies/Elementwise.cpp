//===- Elementwise.cpp - Element-wise ops and parallel loops --------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Analysis/Elementwise.h"
#include "lib/Analysis/Schedule.h"
#include "lib/Strategies/Choose.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The elements that a work-item loads and stores at once of all operands.
static int64_t getAdjacentOfOperands(linalg::GenericOp op, const Machine &machine) {
  int64_t count = machine.bytesAtOnce;
  for (Value operand : op->getOperands())
    count =
        std::min(count, getAdjacentElements(machine, getElementTypeOrSelf(operand)));
  return std::max<int64_t>(count, 1);
}

/// How a matrix that lies across the lines of the destination is read: by exchanges
/// between as many lanes as can do that in registers, or by other means between more.
static std::optional<Strategy> chooseTransposition(linalg::GenericOp op,
                                                   const Launch &launch) {
  const Machine &machine = launch.machine;
  const int64_t lanes = launch.subgroupSize;
  if (!machine.vectors.transposesByLanes || launch.getNumSubgroups() != 1)
    return std::nullopt;
  auto fitsRegister = [&](unsigned input) {
    Type type = getElementTypeOrSelf(op->getOperand(input));
    return lanes * getSizeBytes(type) <= machine.registerBytes;
  };
  bool canExchange = lanes <= machine.vectors.maxExchangingLanes;
  if (!canExchange && isTransposedCopy(op) && fitsRegister(0))
    return Strategy{StrategyKind::VectorTranspose};
  if (!llvm::isPowerOf2_64(lanes))
    return std::nullopt;
  for (unsigned i = 0; i < op.getNumDpsInputs(); ++i) {
    if (!isTransposedInput(op, i) || !fitsRegister(i))
      continue;
    if (canExchange ||
        (machine.vectors.gathersPairs && isFirstModeContiguous(op->getOperand(i)))) {
      Strategy strategy{canExchange ? StrategyKind::LaneTranspose
                                    : StrategyKind::PairGather};
      strategy.operand = i;
      return strategy;
    }
  }
  return std::nullopt;
}

Strategy tinytc::chooseStrategy(linalg::GenericOp op, const Launch &launch) {
  // One long row leaves no work for a second row of work-items.
  if (launch.height == 1 && isInMemoryOrder(op)) {
    Strategy strategy{StrategyKind::Collapsed};
    strategy.adjacent = getAdjacentOfOperands(op, launch.machine);
    return strategy;
  }
  if (std::optional<Strategy> transposition = chooseTransposition(op, launch))
    return *transposition;
  return {StrategyKind::WorkItems};
}

/// Lines that a work-item walks through at once: their sums fill half of the registers.
static int64_t countLines(scf::ForOp loop, const Launch &launch) {
  int64_t bytes = 0;
  for (Type type : loop.getResultTypes())
    bytes += std::max<int64_t>(getSizeBytes(type), 4) * launch.subgroupSize;
  const Machine &machine = launch.machine;
  int64_t registers = llvm::divideCeil(bytes, machine.registerBytes);
  return std::clamp<int64_t>(machine.numRegisters / 2 / registers, 1,
                             machine.maxLinesPerWorkItem);
}

Strategy tinytc::chooseStrategy(scf::ForallOp op, const Launch &launch) {
  scf::ForOp loop;
  if (launch.machine.maxLinesPerWorkItem > 1)
    loop = getLoopOverLine(op);
  if (!loop)
    return {StrategyKind::WorkItems};
  Strategy strategy{StrategyKind::LineWalks};
  strategy.rows = countLines(loop, launch);
  strategy.sharesColumns = launch.height > 1 && launch.machine.model->choosesGrids();
  return strategy;
}
