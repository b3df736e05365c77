//===- MatrixUnitPacked.cpp - Products of factors in local memory ---------===//
//
// Where no message brings what the matrix unit takes, the work-group packs parts of
// both factors into local memory: what a work-item brings to an operation are then
// neighbours, a piece that one message loads. Each piece belongs to a line, a row of
// op(A) or a column of op(B), and to a step of the summed mode.
//
//===----------------------------------------------------------------------===//

#include "dialect/DiscardableAttrs.h"
#include "lib/Builders/Indices.h"
#include "lib/Conversion/LowerToUnits/MatrixUnitTiles.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// C := alpha op(A) op(B) + beta C with parts of both factors in local memory.
class PackedGemm : MatrixUnitTiles {
public:
  PackedGemm(ImplicitLocOpBuilder &builder, const ProductOperand &a,
             const ProductOperand &b, const Update &update,
             const PackedProduct &product, Value memory, const Machine &machine,
             int64_t numSubgroups)
      : MatrixUnitTiles(builder, a, b, update, machine, numSubgroups), a(a), b(b),
        product(product), memory(memory),
        subgroup(gpu::SubgroupIdOp::create(builder, /*upper_bound=*/nullptr)) {
    tile = {product.rowBlocks, product.columnBlocks * kMaxUnitColumns};
  }

  void emit() {
    OpBuilder::InsertionGuard guard(builder);
    Value row = enterLoop(rows, product.getRows());
    Value column = enterLoop(columns, product.getColumns());
    emitGrid(row, column);
  }

private:
  /// Moves the builder into a loop over the tiles of the work-group along a mode, if
  /// there are several; all work-items run it.
  Value enterLoop(OpFoldResult size, int64_t step) {
    Value zero = createIndex(builder, 0);
    if (*getConstantIntValue(size) <= step)
      return zero;
    auto loop = scf::ForOp::create(builder, zero, toValue(builder, size),
                                   createIndex(builder, step));
    setUnroll(loop, false);
    builder.setInsertionPointToStart(loop.getBody());
    return loop.getInductionVar();
  }

  /// The tiles of all subgroups. One without a tile of its own computes another's.
  void emitGrid(Value row, Value column) {
    int64_t numTiles = product.gridRows * product.gridColumns;
    Value id = subgroup;
    if (numTiles < numSubgroups)
      id = createIndexMin(builder, id, createIndex(builder, numTiles - 1));
    auto [inColumn, inRow] = divide(id, product.gridRows);
    Value tileRow = scale(inRow, tile.rowBlocks * lanes);
    Value tileColumn = scale(inColumn, tile.columns);
    SmallVector<Value> sums = createSums();
    int64_t size = *getConstantIntValue(summed);
    int64_t numFull = size / depth, numSteps = llvm::divideCeil(size, depth);
    Value zero = createIndex(builder, 0);
    auto emitPart = [&](Value first) {
      emitSteps(row, column, tileRow, tileColumn, first, numFull, numSteps, sums);
    };
    if (numSteps <= product.steps)
      emitPart(zero);
    else
      setUnroll(ProductTiles::emitSteps(zero, createIndex(builder, numSteps),
                                        product.steps, sums, emitPart),
                false);
    OpBuilder::InsertionGuard guard(builder);
    if (numTiles < numSubgroups) {
      Value isOwn = createIsBelow(builder, subgroup, builder.getIndexAttr(numTiles));
      auto branch = scf::IfOp::create(builder, isOwn);
      builder.setInsertionPointToStart(branch.thenBlock());
    }
    store(arith::AddIOp::create(builder, row, tileRow),
          arith::AddIOp::create(builder, column, tileColumn), product.getRows(),
          product.getColumns(), sums);
  }

  /// Packs the part of the steps from `first` on, and adds it to the sums. The last one
  /// of all steps may go beyond the end.
  void emitSteps(Value row, Value column, Value tileRow, Value tileColumn, Value first,
                 int64_t numFullSteps, int64_t numSteps, MutableArrayRef<Value> sums) {
    Value numFull = countWithin(first, numFullSteps);
    Value count = countWithin(first, numSteps);
    // The product before this one, or the last part, may still be read.
    wait();
    pack(/*place=*/0, product.getRows(), first, numFull, count,
         [&](Value line, Value k, bool isTail) {
           return loadRow(arith::AddIOp::create(builder, row, line), k, isTail);
         });
    pack(getPlaceOfB(), product.getColumns(), first, numFull, count,
         [&](Value line, Value k, bool isTail) {
           return loadPiecesOfColumns(arith::AddIOp::create(builder, column, line), k,
                                      isTail);
         });
    wait();
    auto loop = ProductTiles::emitSteps(
        createIndex(builder, 0), count, /*step=*/1, sums,
        [&](Value step) { emitStep(tileRow, tileColumn, step, sums); });
    setUnroll(loop, false);
  }

  /// The steps of a part that begins at `first`, of those below `end`.
  Value countWithin(Value first, int64_t end) {
    Value rest = arith::SubIOp::create(builder, createIndex(builder, end), first);
    return createIndexMin(builder, rest, createIndex(builder, product.steps));
  }

  /// The place of the first element of B.
  int64_t getPlaceOfB() const { return product.getRows() * product.steps * depth; }

  /// Elements of a column of B that a work-item brings.
  int64_t getPieceLength() const { return depth / lanes; }

  void wait() {
    auto barrier = gpu::BarrierOp::create(builder);
    auto local = AddressSpaceAttr::get(builder.getContext(), AddressSpace::Local);
    setDiscardable<TinyTCDialect::FencesAttrHelper>(barrier,
                                                    builder.getArrayAttr({local}));
  }

  Value scale(Value index, int64_t by) {
    return arith::MulIOp::create(builder, index, createIndex(builder, by));
  }

  using LoadPiece = function_ref<SmallVector<Value>(Value line, Value k, bool isTail)>;

  /// The work-items store what `load` returns for each step, of which the first
  /// `numFull` do not go beyond the end, and each line, given the first one of their
  /// subgroup.
  void pack(int64_t place, int64_t numLines, Value first, Value numFull, Value count,
            LoadPiece load) {
    Value zero = createIndex(builder, 0);
    packPieces(place, numLines, first, zero, numFull, /*isTail=*/false, load);
    if (mayOverhang(summed, depth))
      packPieces(place, numLines, first, numFull, count, /*isTail=*/true, load);
  }

  void packPieces(int64_t place, int64_t numLines, Value first, Value lower,
                  Value upper, bool isTail, LoadPiece load) {
    OpBuilder::InsertionGuard guard(builder);
    int64_t numBlocks = numLines / lanes;
    auto loop = scf::ForOp::create(
        builder, arith::AddIOp::create(builder, scale(lower, numBlocks), subgroup),
        scale(upper, numBlocks), createIndex(builder, numSubgroups));
    setUnroll(loop, false);
    builder.setInsertionPointToStart(loop.getBody());
    auto [step, block] = divide(loop.getInductionVar(), numBlocks);
    step = arith::AddIOp::create(builder, step, first);
    SmallVector<Value> elements = load(scale(block, lanes), scale(step, depth), isTail);
    Value piece =
        arith::AddIOp::create(builder, scale(loop.getInductionVar(), lanes), lane);
    Value begin = add(scale(piece, depth), place);
    for (auto [i, element] : llvm::enumerate(elements))
      memref::StoreOp::create(builder, element, memory, add(begin, i));
  }

  /// Quotient and remainder of an index that has 32 bits.
  std::pair<Value, Value> divide(Value index, int64_t divisor) {
    Type i32 = builder.getI32Type(), type = builder.getIndexType();
    Value narrow = arith::IndexCastOp::create(builder, i32, index);
    Value by = createI32(builder, divisor);
    Value quotient = arith::DivUIOp::create(builder, narrow, by);
    Value rest = arith::RemUIOp::create(builder, narrow, by);
    return {arith::IndexCastOp::create(builder, type, quotient),
            arith::IndexCastOp::create(builder, type, rest)};
  }

  /// An element along the summed mode, zero beyond the end.
  Value loadStep(Value k, bool isTail, function_ref<Value(Value)> load) {
    if (!isTail)
      return load(k);
    Bounded step = clamp(k, summed);
    return mask(load(step.index), step.isInside);
  }

  /// Elements of a row of op(A), in order.
  SmallVector<Value> loadRow(Value row, Value k, bool isTail) {
    row = arith::AddIOp::create(builder, row, lane);
    row = clampIfNeeded(row, rows, product.getRows());
    SmallVector<Value> elements;
    for (int64_t i = 0; i < depth; ++i)
      elements.push_back(loadStep(
          add(k, i), isTail, [&](Value step) { return a.load(builder, row, step); }));
    return elements;
  }

  /// Of op(B), a work-item has a piece of each column of an operation.
  SmallVector<Value> loadPiecesOfColumns(Value column, Value k, bool isTail) {
    k = arith::AddIOp::create(builder, k, scale(lane, getPieceLength()));
    SmallVector<Value> elements;
    for (int64_t i = 0; i < kMaxUnitColumns; ++i) {
      Value index = clampIfNeeded(add(column, i), columns, product.getColumns());
      for (int64_t j = 0; j < getPieceLength(); ++j)
        elements.push_back(loadStep(add(k, j), isTail, [&](Value step) {
          return b.load(builder, step, index);
        }));
    }
    return elements;
  }

  /// The elements that a work-item brings of the lines from `line` on.
  SmallVector<Value> load(int64_t place, int64_t numLines, Value line, Value step) {
    line = arith::AddIOp::create(builder, line, lane);
    Value piece = arith::AddIOp::create(builder, scale(step, numLines), line);
    Value begin = add(scale(piece, depth), place);
    SmallVector<Value> elements;
    for (int64_t i = 0; i < depth; ++i)
      elements.push_back(memref::LoadOp::create(builder, memory, add(begin, i)));
    return elements;
  }

  /// A work-item brings neighbours of a column of B, where coopmatrices have elements
  /// that lie a subgroup apart: the summed mode is permuted, alike for A.
  void emitStep(Value tileRow, Value tileColumn, Value step,
                MutableArrayRef<Value> sums) {
    CoopMatrixProduct layouts = getProduct();
    int64_t length = getPieceLength();
    SmallVector<Value> entriesA(layouts.a.getNumComponents());
    for (int64_t block = 0; block < tile.rowBlocks; ++block) {
      SmallVector<Value> loaded =
          load(/*place=*/0, product.getRows(), add(tileRow, block * lanes), step);
      for (int64_t i = 0; i < depth; ++i)
        entriesA[layouts.a.getPosition(block, i / length + i % length * lanes)] =
            loaded[i];
    }
    SmallVector<Value> entriesB(layouts.b.getNumComponents());
    for (int64_t first = 0; first < tile.columns; first += kMaxUnitColumns) {
      SmallVector<Value> loaded =
          load(getPlaceOfB(), product.getColumns(), add(tileColumn, first), step);
      for (int64_t i = 0; i < depth; ++i)
        entriesB[layouts.b.getPosition(i % length, first + i / length)] = loaded[i];
    }
    emitMatrixUnitProduct(builder, layouts, entriesA, entriesB, sums);
  }

  const ProductOperand &a, &b;
  const PackedProduct &product;
  Value memory, subgroup;
};

} // namespace

void tinytc::emitPackedGemm(ImplicitLocOpBuilder &builder, const ProductOperand &a,
                            const ProductOperand &b, const Update &update,
                            const PackedProduct &product, Value memory,
                            const Machine &machine, int64_t numSubgroups) {
  PackedGemm(builder, a, b, update, product, memory, machine, numSubgroups).emit();
}
