//===- MatrixUnitPacked.cpp - Products of factors in local memory ---------===//
//
// Where no message brings what the matrix unit takes, the work-group first packs both
// factors into local memory: what a work-item brings to an operation are then
// neighbours, 32 bytes that one message loads. Each piece belongs to a line, a row of
// op(A) or a column of op(B), and to a step of the summed mode.
//
//===----------------------------------------------------------------------===//

#include "dialect/DiscardableAttrs.h"
#include "lib/Builders/Indices.h"
#include "lib/Conversion/TinyTCToLinalg/MatrixUnitTiles.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

/// C := alpha op(A) op(B) + beta C with both factors in local memory.
class PackedGemm : MatrixUnitTiles {
public:
  PackedGemm(ImplicitLocOpBuilder &builder, const ProductOperand &a,
             const ProductOperand &b, const Update &update,
             const PackedFactors &factors, Value memory, const Machine &machine,
             int64_t numSubgroups, ScheduleAttr schedule)
      : MatrixUnitTiles(builder, a, b, update, machine, numSubgroups), a(a), b(b),
        factors(factors), memory(memory) {
    tile = choosePackedTile(factors, lanes, numSubgroups, schedule);
  }

  void emit() {
    // The product before this one may still read there.
    wait();
    pack(/*first=*/0, factors.rows,
         [&](Value row, Value k, bool isTail) { return loadRow(row, k, isTail); });
    pack(getFirstOfB(), factors.columns, [&](Value line, Value k, bool isTail) {
      return loadPiecesOfColumns(line, k, isTail);
    });
    wait();
    emitTiles(tile.rowBlocks * lanes, tile.columns,
              [&](Value row, Value column) { emitTile(row, column); });
  }

private:
  /// The place of the first element of B.
  int64_t getFirstOfB() const { return factors.rows * factors.summed; }

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

  /// The place of the first element of a piece.
  Value getPlace(int64_t first, Value piece) { return add(scale(piece, depth), first); }

  int64_t getNumSteps() const { return factors.summed / depth; }

  using LoadPiece = function_ref<SmallVector<Value>(Value line, Value k, bool isTail)>;

  /// The work-items store what `load` returns for each line and step.
  void pack(int64_t first, int64_t numLines, LoadPiece load) {
    int64_t numFull = *getConstantIntValue(summed) / depth;
    packPieces(first, numLines, 0, numFull, load);
    if (numFull < getNumSteps())
      packPieces(first, numLines, numFull, getNumSteps(), load);
  }

  /// The same for some of the steps, or only for the one that goes beyond the end.
  void packPieces(int64_t first, int64_t numLines, int64_t lower, int64_t upper,
                  LoadPiece load) {
    OpBuilder::InsertionGuard guard(builder);
    Value id = gpu::SubgroupIdOp::create(builder, /*upper_bound=*/nullptr);
    id = arith::AddIOp::create(builder, scale(id, lanes), lane);
    auto loop = scf::ForOp::create(builder, id,
                                   createIndex(builder, (upper - lower) * numLines),
                                   createIndex(builder, numSubgroups * lanes));
    setUnroll(loop, false);
    builder.setInsertionPointToStart(loop.getBody());
    auto [step, line] = divide(loop.getInductionVar(), numLines);
    bool isTail = upper * depth > *getConstantIntValue(summed);
    SmallVector<Value> elements = load(line, scale(add(step, lower), depth), isTail);
    Value place = getPlace(first, add(loop.getInductionVar(), lower * numLines));
    for (auto [i, element] : llvm::enumerate(elements))
      memref::StoreOp::create(builder, element, memory, add(place, i));
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
    row = clampIfNeeded(row, rows, lanes);
    SmallVector<Value> elements;
    for (int64_t i = 0; i < depth; ++i)
      elements.push_back(loadStep(
          add(k, i), isTail, [&](Value step) { return a.load(builder, row, step); }));
    return elements;
  }

  /// Of op(B), a work-item has a piece of each column of an operation.
  SmallVector<Value> loadPiecesOfColumns(Value line, Value k, bool isTail) {
    Value owner = divide(line, lanes).second;
    Value column = arith::SubIOp::create(builder, line, owner);
    k = arith::AddIOp::create(builder, k, scale(owner, getPieceLength()));
    SmallVector<Value> elements;
    for (int64_t i = 0; i < kMaxUnitColumns; ++i) {
      Value place = clampIfNeeded(add(column, i), columns, kMaxUnitColumns);
      for (int64_t j = 0; j < getPieceLength(); ++j)
        elements.push_back(loadStep(add(k, j), isTail, [&](Value step) {
          return b.load(builder, step, place);
        }));
    }
    return elements;
  }

  void emitTile(Value row, Value column) {
    SmallVector<Value> sums = createSums();
    auto loop = ProductTiles::emitSteps(
        createIndex(builder, 0), createIndex(builder, getNumSteps()), /*step=*/1, sums,
        [&](Value step) { emitStep(row, column, step, sums); });
    setUnroll(loop, false);
    store(row, column, sums);
  }

  /// The elements that a work-item brings of the lines from `line` on.
  SmallVector<Value> load(int64_t first, int64_t numLines, int64_t tileLines,
                          Value line, Value step) {
    // What is beyond the end takes part in nothing that is stored.
    if (numLines % tileLines != 0)
      line = createIndexMin(builder, line, createIndex(builder, numLines - lanes));
    line = arith::AddIOp::create(builder, line, lane);
    Value place =
        getPlace(first, arith::AddIOp::create(builder, scale(step, numLines), line));
    SmallVector<Value> elements;
    for (int64_t i = 0; i < depth; ++i)
      elements.push_back(memref::LoadOp::create(builder, memory, add(place, i)));
    return elements;
  }

  /// A work-item brings neighbours of a column of B, where coopmatrices have elements
  /// that lie a subgroup apart: the summed mode is permuted, alike for A.
  void emitStep(Value row, Value column, Value step, MutableArrayRef<Value> sums) {
    CoopMatrixProduct product = getProduct();
    int64_t length = getPieceLength();
    SmallVector<Value> entriesA(product.a.getNumComponents());
    for (int64_t block = 0; block < tile.rowBlocks; ++block) {
      SmallVector<Value> loaded =
          load(/*first=*/0, factors.rows, tile.rowBlocks * lanes,
               add(row, block * lanes), step);
      for (int64_t i = 0; i < depth; ++i)
        entriesA[product.a.getPosition(block, i / length + i % length * lanes)] =
            loaded[i];
    }
    SmallVector<Value> entriesB(product.b.getNumComponents());
    for (int64_t first = 0; first < tile.columns; first += kMaxUnitColumns) {
      SmallVector<Value> loaded =
          load(getFirstOfB(), factors.columns, tile.columns, add(column, first), step);
      for (int64_t i = 0; i < depth; ++i)
        entriesB[product.b.getPosition(i % length, first + i / length)] = loaded[i];
    }
    emitMatrixUnitProduct(builder, product, entriesA, entriesB, sums);
  }

  const ProductOperand &a, &b;
  const PackedFactors &factors;
  Value memory;
};

} // namespace

void tinytc::emitPackedGemm(ImplicitLocOpBuilder &builder, const ProductOperand &a,
                            const ProductOperand &b, const Update &update,
                            const PackedFactors &factors, Value memory,
                            const Machine &machine, int64_t numSubgroups,
                            ScheduleAttr schedule) {
  PackedGemm(builder, a, b, update, factors, memory, machine, numSubgroups, schedule)
      .emit();
}
