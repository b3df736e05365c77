//===- RunningSums.cpp - Distribution of loops over lines -----------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// A parallel loop whose body is one loop that carries values, as for running sums along
// a mode whose elements are not contiguous: every iteration walks through a line. With
// one line for each lane, memory would be read in pieces of one vector, far apart. So a
// work-item walks through several lines at once, a work-group width apart.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Elementwise.h"
#include "lib/Conversion/DistributeLinalg/DistributeLinalg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// Emits a loop over several lines.
class LinesEmitter {
public:
  LinesEmitter(const WorkGroup &group, scf::ForallOp lines, const Strategy &strategy)
      : group(group), lines(lines), loop(getLoopOverLine(lines)), strategy(strategy) {}

  /// Emits the loops over all lines.
  void emit(ImplicitLocOpBuilder &builder) {
    SmallVector<OpFoldResult> sizes = foldConstants(lines.getMixedUpperBound());
    sizes.resize(std::max<size_t>(sizes.size(), 2), builder.getIndexAttr(1));
    outer.clear();
    emitOuter(builder, sizes);
  }

private:
  /// The modes after the second, which every work-item walks through, then the tiles.
  void emitOuter(ImplicitLocOpBuilder &builder, ArrayRef<OpFoldResult> sizes) {
    if (sizes.size() > 2) {
      auto around =
          group.createLoop(builder, builder.getIndexAttr(0), sizes.back(), /*step=*/1);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(around.getBody());
      outer.insert(outer.begin(), around.getInductionVar());
      return emitOuter(builder, sizes.drop_back());
    }
    Strategy tile = strategy;
    tile.columns = tile.adjacent = 1;
    tile.columnsOutside = true;
    group.distributeTiles(builder, sizes[0], sizes[1], tile,
                          [&](ImplicitLocOpBuilder &b, ArrayRef<TileRow> rows,
                              ArrayRef<TileColumn> columns) {
                            emitTile(b, rows, columns.front().index);
                          });
  }

  void emitTile(ImplicitLocOpBuilder &builder, ArrayRef<TileRow> rows, Value column) {
    IRMapping shared;
    for (Operation &nested : lines.getBody()->without_terminator())
      if (&nested != loop)
        builder.clone(nested, shared);
    SmallVector<Value> inits;
    for (size_t i = 0; i < rows.size(); ++i)
      for (Value init : loop.getInitArgs())
        inits.push_back(shared.lookupOrDefault(init));
    auto all = scf::ForOp::create(builder, shared.lookupOrDefault(loop.getLowerBound()),
                                  shared.lookupOrDefault(loop.getUpperBound()),
                                  shared.lookupOrDefault(loop.getStep()), inits);
    setUnroll(all, false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(all.getBody());
    size_t count = loop.getNumRegionIterArgs();
    SmallVector<IRMapping> mappings(rows.size(), shared);
    for (auto [i, row] : llvm::enumerate(rows)) {
      SmallVector<Value> indices{row.index, column};
      indices.append(outer);
      mappings[i].map(lines.getInductionVars(),
                      ArrayRef(indices).take_front(lines.getRank()));
      mappings[i].map(loop.getInductionVar(), all.getInductionVar());
      mappings[i].map(loop.getRegionIterArgs(),
                      all.getRegionIterArgs().slice(i * count, count));
    }
    for (Operation &nested : loop.getBody()->without_terminator())
      for (auto [row, mapping] : llvm::zip_equal(rows, mappings))
        emitOp(builder, nested, row, mapping);
    SmallVector<Value> next;
    for (IRMapping &mapping : mappings)
      for (Value yielded : loop.getBody()->getTerminator()->getOperands())
        next.push_back(mapping.lookupOrDefault(yielded));
    scf::YieldOp::create(builder, next);
  }

  /// Clones one op of the body for one line. Where another work-item has the line, it
  /// may be writing what would be read here.
  void emitOp(ImplicitLocOpBuilder &builder, Operation &op, const TileRow &row,
              IRMapping &mapping) {
    if (isUnusedWrite(&op)) {
      OpBuilder::InsertionGuard guard(builder);
      enterIf(builder, group.createBelongsToTile(builder, row));
      builder.clone(op, mapping);
      return;
    }
    if (!isa<memref::LoadOp>(op)) {
      builder.clone(op, mapping);
      return;
    }
    Value loaded = emitLoadIf(builder, group.createBelongsToTile(builder, row),
                              op.getResult(0).getType(),
                              [&] { return builder.clone(op, mapping)->getResult(0); });
    mapping.map(op.getResult(0), loaded);
  }

  const WorkGroup &group;
  scf::ForallOp lines;
  scf::ForOp loop;
  const Strategy &strategy;
  /// Indices in the modes after the second.
  SmallVector<Value> outer;
};

} // namespace

void tinytc::distributeLines(ImplicitLocOpBuilder &builder, const WorkGroup &group,
                             scf::ForallOp op, const Strategy &strategy) {
  WorkGroup sharing = group.withGrid(builder, group.getSize(0), strategy.sharesColumns);
  LinesEmitter(sharing, op, strategy).emit(builder);
}
