//===- NonzeroBlocks.cpp - The blocks of a product that are computed ------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The edges of all boxes cut the modes of a product into cells. Neighbouring cells
// become blocks of rows and columns, each with the steps of its sum that are not zero:
// few and large ones, since each block loads and stores its part of the destination and
// fills registers at its end less well. On a unit for matrices, blocks are whole
// operations of it.
//
//===----------------------------------------------------------------------===//

#include "lib/Strategies/NonzeroBlocks.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Cells of a mode; a set of cells of the sum is a word.
static constexpr size_t kMaxCells = 32;
/// A product is only split if that makes it faster by this factor.
static constexpr double kMinGain = 1.08;

namespace {

/// The edges of a mode's cells, in ascending order.
struct Cells {
  SmallVector<int64_t> edges;

  size_t size() const { return edges.size() - 1; }
  ModeRange get(size_t begin, size_t end) const { return {edges[begin], edges[end]}; }
};

/// A choice for some of the cells of a mode, with its cost.
struct Choice {
  double cost = std::numeric_limits<double>::infinity();
  size_t previous = 0;
};

class BlockChooser {
public:
  BlockChooser(const NonzeroProduct &product, const Machine &machine);

  std::optional<SmallVector<NonzeroBlock>> choose();

private:
  using Steps = uint64_t;

  Cells makeCells(size_t mode, int64_t multiple) const;
  void fillCells();
  SmallVector<Choice> chooseRows(size_t firstColumn, size_t lastColumn) const;
  double getCost(ModeRange rows, ModeRange columns, int64_t steps, int passes) const;
  double getCost(size_t row, size_t lastRow, size_t column, size_t lastColumn) const;
  Steps getSteps(size_t row, size_t lastRow, size_t column, size_t lastColumn,
                 bool &isWritten) const;
  SmallVector<ModeRange, 2> getRanges(Steps steps, ModeRange rows,
                                      ModeRange columns) const;
  /// A step that is there for certain.
  ModeRange getZeroSteps() const {
    return sum.edges.back() == ModeRange::kUnbounded ? sum.get(0, 1) : ModeRange{0, 1};
  }
  size_t at(size_t row, size_t column) const { return row * columns.size() + column; }

  const NonzeroProduct &product;
  const Machine &machine;
  int64_t lanes;
  /// A mode that there is not is one cell.
  Cells rows, columns, sum;
  /// For each cell of the destination: steps that are not zero, and whether it has to
  /// be written.
  SmallVector<Steps> steps;
  SmallVector<bool> isWritten;
};

} // namespace

/// The size that costs assume.
static int64_t getKnownSize(ModeRange range) {
  return range.end == ModeRange::kUnbounded ? kTypicalSize : range.getSize();
}

BlockChooser::BlockChooser(const NonzeroProduct &product, const Machine &machine)
    : product(product), machine(machine) {
  // On a GPU, a register is four bytes of each lane, and others than the first quarter
  // of a warp may have other columns.
  int64_t bytes = machine.idleLanesAreFree ? 4 : product.elementBytes;
  int64_t parts = machine.model->choosesGrids() ? 4 : 1;
  lanes = std::max<int64_t>(machine.registerBytes / (bytes * parts), 1);
  size_t order = product.shape.size() - product.isReduction;
  UnitSteps multiples = product.unit.value_or(UnitSteps{lanes, 1, 1});
  rows = makeCells(order > 0 ? 0 : product.shape.size(), multiples[0]);
  columns = makeCells(order > 1 ? 1 : product.shape.size(), multiples[1]);
  sum = makeCells(product.isReduction ? order : product.shape.size(), multiples[2]);
  fillCells();
}

/// Edges are those of the boxes, and the multiples of full registers next to them; only
/// multiples on a unit.
Cells BlockChooser::makeCells(size_t mode, int64_t multiple) const {
  if (mode >= product.shape.size())
    return {{0, 1}};
  ModeRange whole = getWholeBox(product.shape[mode]).front();
  if (ShapedType::isDynamic(product.shape[mode]))
    return {{whole.begin, whole.end}};
  SmallVector<int64_t> edges = {whole.begin, whole.end};
  auto add = [&](const Boxes &boxes) {
    for (const Box &box : boxes) {
      if (mode >= box.size())
        continue;
      for (int64_t edge : {box[mode].begin, box[mode].end}) {
        if (!product.unit)
          edges.push_back(edge);
        edges.push_back(edge / multiple * multiple);
        edges.push_back(std::min(llvm::alignTo(edge, multiple), uint64_t(whole.end)));
      }
    }
  };
  add(product.product);
  add(product.old);
  llvm::sort(edges);
  edges.erase(llvm::unique(edges), edges.end());
  // Wider cells: an edge moves to the one before.
  int64_t width = whole.getSize() / int64_t(kMaxCells) + 1;
  if (edges.size() > kMaxCells) {
    SmallVector<int64_t> apart = {0};
    for (int64_t edge : edges)
      if (edge >= apart.back() + width && edge + width <= whole.end)
        apart.push_back(edge);
    apart.push_back(whole.end);
    edges = apart;
  }
  return {edges};
}

void BlockChooser::fillCells() {
  steps.assign(rows.size() * columns.size(), 0);
  isWritten.assign(rows.size() * columns.size(), !product.keepsOld);
  size_t order = product.shape.size() - product.isReduction;
  auto forCells = [&](const Box &box, auto visit) {
    for (size_t row = 0; row < rows.size(); ++row) {
      if (order > 0 && box[0].intersect(rows.get(row, row + 1)).isEmpty())
        continue;
      for (size_t column = 0; column < columns.size(); ++column)
        if (order < 2 || !box[1].intersect(columns.get(column, column + 1)).isEmpty())
          visit(at(row, column));
    }
  };
  if (!product.keepsOld) {
    // What is zero stays so.
    isWritten.assign(isWritten.size(), false);
    for (const Box &box : product.old)
      forCells(box, [&](size_t cell) { isWritten[cell] = true; });
  }
  for (const Box &box : product.product) {
    Steps own = 0;
    for (size_t step = 0; step < sum.size(); ++step)
      if (!product.isReduction ||
          !box[order].intersect(sum.get(step, step + 1)).isEmpty())
        own |= Steps(1) << step;
    forCells(box, [&](size_t cell) { steps[cell] |= own; });
  }
}

/// Cycles of a block with so many steps, in as many passes over its destination.
double BlockChooser::getCost(ModeRange rows, ModeRange columns, int64_t steps,
                             int passes) const {
  if (product.unit) {
    auto count = [](int64_t size, int64_t step) -> int64_t {
      return llvm::divideCeil(size, step);
    };
    auto [unitRows, unitColumns, unitSteps] = *product.unit;
    // Sums are loaded and stored for each pass.
    return count(getKnownSize(rows), unitRows) *
           count(getKnownSize(columns), unitColumns) *
           (count(steps, unitSteps) + 2 * passes);
  }
  const TileCosts &costs = machine.costs;
  int64_t width = getKnownSize(columns);
  int64_t vectors = llvm::divideCeil(getKnownSize(rows), lanes);
  double isPartial = getKnownSize(rows) % lanes != 0 ? 0.1 : 0;
  double multiply = vectors * width * costs.fmaCycles;
  // Tiles of three registers load an element of the other factor each.
  double load = vectors * costs.loadCycles +
                llvm::divideCeil(vectors, 3) * width * costs.broadcastCycles;
  double step = std::max(multiply, load) + 0.1 * (multiply + load);
  double pass = vectors * width * (machine.idleLanesAreFree ? 8 : 1) + costs.tileCycles;
  return steps * (step + isPartial) + passes * pass;
}

BlockChooser::Steps BlockChooser::getSteps(size_t row, size_t lastRow, size_t column,
                                           size_t lastColumn, bool &isAny) const {
  Steps all = 0;
  isAny = false;
  for (size_t i = row; i < lastRow; ++i)
    for (size_t j = column; j < lastColumn; ++j) {
      all |= steps[at(i, j)];
      isAny |= isWritten[at(i, j)];
    }
  return all;
}

/// The ranges of some steps, without gaps for which another pass does not pay.
SmallVector<ModeRange, 2> BlockChooser::getRanges(Steps steps, ModeRange rows,
                                                  ModeRange columns) const {
  SmallVector<ModeRange, 2> ranges;
  double pass = getCost(rows, columns, 0, 1);
  for (size_t begin = 0; begin < sum.size();) {
    if (!(steps >> begin & 1)) {
      ++begin;
      continue;
    }
    size_t end = begin + 1;
    while (end < sum.size() && (steps >> end & 1))
      ++end;
    ModeRange range = sum.get(begin, end);
    if (!ranges.empty() &&
        getCost(rows, columns, range.begin - ranges.back().end, 0) < pass)
      ranges.back().end = range.end;
    else
      ranges.push_back(range);
    begin = end;
  }
  return ranges;
}

double BlockChooser::getCost(size_t row, size_t lastRow, size_t column,
                             size_t lastColumn) const {
  bool isAny;
  Steps own = getSteps(row, lastRow, column, lastColumn, isAny);
  ModeRange ofRows = rows.get(row, lastRow),
            ofColumns = columns.get(column, lastColumn);
  if (own == 0)
    return isAny ? getCost(ofRows, ofColumns, getKnownSize(getZeroSteps()), 1) : 0;
  auto ranges = getRanges(own, ofRows, ofColumns);
  int64_t count = 0;
  for (ModeRange range : ranges)
    count += getKnownSize(range);
  return getCost(ofRows, ofColumns, count, ranges.size());
}

/// The best blocks of rows for some columns: entry i is for the first i cells.
SmallVector<Choice> BlockChooser::chooseRows(size_t firstColumn,
                                             size_t lastColumn) const {
  SmallVector<Choice> best(rows.size() + 1);
  best[0].cost = 0;
  for (size_t end = 1; end <= rows.size(); ++end)
    for (size_t begin = 0; begin < end; ++begin) {
      double cost = best[begin].cost + getCost(begin, end, firstColumn, lastColumn);
      if (cost < best[end].cost)
        best[end] = {cost, begin};
    }
  return best;
}

std::optional<SmallVector<NonzeroBlock>> BlockChooser::choose() {
  SmallVector<Choice> best(columns.size() + 1);
  best[0].cost = 0;
  for (size_t end = 1; end <= columns.size(); ++end)
    for (size_t begin = 0; begin < end; ++begin) {
      double cost = best[begin].cost + chooseRows(begin, end).back().cost;
      if (cost < best[end].cost)
        best[end] = {cost, begin};
    }
  ModeRange allSteps = sum.get(0, sum.size());
  double whole = getCost(rows.get(0, rows.size()), columns.get(0, columns.size()),
                         getKnownSize(allSteps), 1);
  if (best.back().cost * kMinGain > whole)
    return std::nullopt;
  size_t order = product.shape.size() - product.isReduction;
  SmallVector<NonzeroBlock> blocks;
  for (size_t column = columns.size(); column > 0;) {
    size_t firstColumn = best[column].previous;
    SmallVector<Choice> ofRows = chooseRows(firstColumn, column);
    for (size_t row = rows.size(); row > 0;) {
      size_t firstRow = ofRows[row].previous;
      bool isAny;
      Steps own = getSteps(firstRow, row, firstColumn, column, isAny);
      NonzeroBlock block;
      block.destination = {rows.get(firstRow, row), columns.get(firstColumn, column)};
      block.isZero = own == 0;
      if (block.isZero)
        block.steps = {getZeroSteps()};
      else
        block.steps = getRanges(own, block.destination[0], block.destination[1]);
      block.destination.truncate(order);
      if (own != 0 || isAny)
        blocks.push_back(block);
      row = firstRow;
    }
    column = firstColumn;
  }
  std::reverse(blocks.begin(), blocks.end());
  return blocks;
}

std::optional<SmallVector<NonzeroBlock>>
tinytc::chooseBlocks(const NonzeroProduct &product, const Machine &machine) {
  return BlockChooser(product, machine).choose();
}
