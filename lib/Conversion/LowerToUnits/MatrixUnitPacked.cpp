//===- MatrixUnitPacked.cpp - Products of factors in local memory ---------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Where no message brings what the matrix unit takes, the work-group packs parts of
// both factors into local memory: what a work-item brings to an operation are then
// neighbours, a piece that one message loads. Each piece belongs to a line, a row of
// op(A) or a column of op(B), and to a step of the summed mode.
//
//===----------------------------------------------------------------------===//

#include "dialect/DiscardableAttrs.h"
#include "lib/Builders/Indices.h"
#include "lib/Builders/LocalView.h"
#include "lib/Conversion/LowerToUnits/MatrixUnitTiles.h"
#include "lib/Conversion/LowerToUnits/PiecePacker.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tinytc;

/// A piece in words of 64 bits, since MLIR reads pointers to vectors of four numbers at
/// most, and in registers of 32 bits.
static constexpr int64_t kWords = PackedProduct::kPieceBytes / 8;
static constexpr int64_t kRegisters = PackedProduct::kPieceBytes / 4;
/// The most elements of a vector in OpenCL.
static constexpr int64_t kMaxVectorElements = 16;

/// The elements of the piece that begins at a word, which one load brings: of loads of
/// 16 bytes or of elements, Intel's compilers would move each register to its place.
static SmallVector<Value> loadPiece(ImplicitLocOpBuilder &builder, Value words,
                                    Value begin, Type type) {
  Value piece = vector::LoadOp::create(
      builder, VectorType::get(kWords, builder.getI64Type()), words, begin,
      /*nontemporal=*/false, llvm::Align(PackedProduct::kPieceBytes));
  piece = vector::BitCastOp::create(
      builder, VectorType::get(kRegisters, builder.getI32Type()), piece);
  int64_t count = PackedProduct::kPieceBytes / getSizeBytes(type);
  int64_t numParts = llvm::divideCeil(count, kMaxVectorElements);
  Type element = type.isBF16() ? builder.getI16Type() : type;
  SmallVector<Value> elements;
  for (int64_t first = 0; first < kRegisters; first += kRegisters / numParts) {
    Value part = piece;
    if (numParts > 1)
      part = vector::ExtractStridedSliceOp::create(
          builder, piece, ArrayRef<int64_t>{first},
          ArrayRef<int64_t>{kRegisters / numParts}, ArrayRef<int64_t>{1});
    part = vector::BitCastOp::create(builder,
                                     VectorType::get(count / numParts, element), part);
    llvm::append_range(elements,
                       vector::ToElementsOp::create(builder, part).getResults());
  }
  if (element != type)
    for (Value &value : elements)
      value = arith::BitcastOp::create(builder, type, value);
  return elements;
}

namespace {

/// C := alpha op(A) op(B) + beta C with parts of both factors in local memory.
class PackedGemm : MatrixUnitTiles {
public:
  PackedGemm(ImplicitLocOpBuilder &builder, const ProductOperand &a,
             const ProductOperand &b, const Update &update,
             const PackedProduct &product, Value memory, Value words,
             const Machine &machine, int64_t numSubgroups)
      : MatrixUnitTiles(builder, a, b, update, machine, numSubgroups), a(a), b(b),
        product(product), memory(memory), words(words),
        subgroup(gpu::SubgroupIdOp::create(builder, /*upper_bound=*/nullptr)) {
    tile = {product.rowBlocks, product.columnBlocks * kMaxUnitColumns};
  }

  void emit() {
    OpBuilder::InsertionGuard guard(builder);
    auto isUnknown = [](OpFoldResult size) { return !getConstantIntValue(size); };
    if (isUnknown(rows) || isUnknown(columns) || isUnknown(summed)) {
      Packing packing{lanes, lane, numSubgroups, subgroup, depth, memory};
      packerOfA.emplace(builder, a, /*linesAreRows=*/true, packing);
      packerOfB.emplace(builder, b, /*linesAreRows=*/false, packing);
    }
    Value row = enterLoop(rows, product.getRows());
    Value column = enterLoop(columns, product.getColumns());
    emitGrid(row, column);
  }

private:
  /// Moves the builder into a loop over the tiles of the work-group along a mode, if
  /// there are several; all work-items run it.
  Value enterLoop(OpFoldResult size, int64_t step) {
    Value zero = createIndex(builder, 0);
    if (std::optional<int64_t> known = getConstantIntValue(size);
        known && *known <= step)
      return zero;
    auto loop = scf::ForOp::create(builder, zero, toValue(builder, size),
                                   createIndex(builder, step));
    setUnroll(loop, false);
    builder.setInsertionPointToStart(loop.getBody());
    return loop.getInductionVar();
  }

  /// The tile of this subgroup within the grid.
  struct TilePlace {
    Value row, column;
    /// Where sizes are not known: the rows and columns that the grid has of C.
    Value restOfRows, restOfColumns;
    /// Whether the tile has any of C, and where the pieces of its lines are in a step.
    Value isInside;
    SmallVector<Value> rowPieces, columnPieces;
  };

  /// The tiles of all subgroups. One without a tile of its own computes another's.
  void emitGrid(Value row, Value column) {
    int64_t numTiles = product.gridRows * product.gridColumns;
    Value id = subgroup;
    if (numTiles < numSubgroups)
      id = createIndexMin(builder, id, createIndex(builder, numTiles - 1));
    auto [inColumn, inRow] = divide(id, product.gridRows);
    TilePlace place;
    place.row = scale(inRow, tile.rowBlocks * lanes);
    place.column = scale(inColumn, tile.columns);
    if (packerOfA)
      bound(place, row, column);
    SmallVector<Value> sums = createSums();
    OpFoldResult numFull = countSteps(/*roundsUp=*/false);
    OpFoldResult numSteps = countSteps(/*roundsUp=*/true);
    Value zero = createIndex(builder, 0);
    auto emitPart = [&](Value first) {
      emitSteps(row, column, place, first, numFull, numSteps, sums);
    };
    if (std::optional<int64_t> known = getConstantIntValue(numSteps);
        known && *known <= product.steps)
      emitPart(zero);
    else
      setUnroll(ProductTiles::emitSteps(zero, toValue(builder, numSteps), product.steps,
                                        sums, emitPart),
                false);
    OpBuilder::InsertionGuard guard(builder);
    if (place.isInside) {
      enterIf(place.isInside);
      return storeInside(row, column, place, sums);
    }
    if (numTiles < numSubgroups)
      enterIf(createIsBelow(builder, subgroup, builder.getIndexAttr(numTiles)));
    store(arith::AddIOp::create(builder, row, place.row),
          arith::AddIOp::create(builder, column, place.column), product.getRows(),
          product.getColumns(), sums);
  }

  void enterIf(Value condition) {
    if (!condition)
      return;
    auto branch = scf::IfOp::create(builder, condition);
    builder.setInsertionPointToStart(branch.thenBlock());
  }

  /// Finds out what a tile has of C, for a grid that begins at `row` and `column`.
  void bound(TilePlace &place, Value row, Value column) {
    auto getRest = [&](OpFoldResult size, Value begin, int64_t extent) {
      Value rest = arith::SubIOp::create(builder, toValue(builder, size), begin);
      return createIndexMin(builder, rest, createIndex(builder, extent));
    };
    place.restOfRows = getRest(rows, row, product.getRows());
    place.restOfColumns = getRest(columns, column, product.getColumns());
    place.isInside = arith::AndIOp::create(
        builder, createIsBelow(builder, place.row, place.restOfRows),
        createIsBelow(builder, place.column, place.restOfColumns));
    if (product.gridRows * product.gridColumns < numSubgroups)
      place.isInside = arith::AndIOp::create(
          builder, place.isInside,
          createIsBelow(builder, subgroup,
                        builder.getIndexAttr(product.gridRows * product.gridColumns)));
    place.rowPieces =
        findPieces(/*firstPiece=*/0, place.row, tile.rowBlocks, place.restOfRows);
    place.columnPieces = findPieces(getFirstPieceOfB(), place.column,
                                    product.columnBlocks, place.restOfColumns);
  }

  /// The words where the pieces of a work-item begin for each block of lines of the
  /// tile. Beyond the last line, they are those of the first block.
  SmallVector<Value> findPieces(int64_t firstPiece, Value line, int64_t numBlocks,
                                Value rest) {
    SmallVector<Value> pieces;
    for (int64_t block = 0; block < numBlocks; ++block) {
      Value first = add(line, block * lanes);
      if (block != 0)
        first = arith::SelectOp::create(builder, createIsBelow(builder, first, rest),
                                        first, line);
      first = arith::AddIOp::create(builder, first, lane);
      pieces.push_back(add(scale(first, kWords), firstPiece * kWords));
    }
    return pieces;
  }

  /// Stores what a tile has of C. Addresses are sums, not products.
  void storeInside(Value row, Value column, const TilePlace &place,
                   ArrayRef<Value> sums) {
    MatrixMemory memory =
        ProductOperand(builder, update.dest, /*transposed=*/false).getMemory(builder);
    CoopMatrixLayout layout = getProduct().c;
    auto narrow = [&](Value index) {
      return arith::IndexCastOp::create(builder, builder.getI32Type(), index);
    };
    auto isBelow = [&](Value index, Value end) {
      return arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, index, end);
    };
    auto distance = [&](Value index, unsigned mode) {
      return toValue(builder, createIndexMul(builder, index, memory.strides[mode]));
    };
    Value ownRow = arith::AddIOp::create(builder, place.row, lane);
    Value restOfRows = narrow(arith::SubIOp::create(builder, place.restOfRows, ownRow));
    Value restOfColumns =
        narrow(arith::SubIOp::create(builder, place.restOfColumns, place.column));
    Value first = arith::AddIOp::create(
        builder, distance(arith::AddIOp::create(builder, row, ownRow), 0),
        distance(arith::AddIOp::create(builder, column, place.column), 1));
    first = arith::AddIOp::create(builder, memory.first, first);
    for (int64_t block = 0; block < tile.rowBlocks; ++block) {
      OpBuilder::InsertionGuard guard(builder);
      enterIf(isBelow(createI32(builder, block * lanes), restOfRows));
      Value index = createIndexAdd(builder, first,
                                   distance(createIndex(builder, block * lanes), 0));
      for (int64_t i = 0; i < tile.columns; ++i) {
        {
          OpBuilder::InsertionGuard columnGuard(builder);
          enterIf(isBelow(createI32(builder, i), restOfColumns));
          storeElement(sums[layout.getPosition(block, i)], memory.elements, index);
        }
        index = createIndexAdd(builder, index, memory.strides[1]);
      }
    }
  }

  /// The steps of the summed mode, or those that do not go beyond the end.
  OpFoldResult countSteps(bool roundsUp) {
    if (std::optional<int64_t> known = getConstantIntValue(summed))
      return builder.getIndexAttr(roundsUp ? llvm::divideCeil(*known, depth)
                                           : *known / depth);
    Value size = add(toValue(builder, summed), roundsUp ? depth - 1 : 0);
    return arith::DivUIOp::create(builder, size, createIndex(builder, depth))
        .getResult();
  }

  /// Packs the part of the steps from `first` on, and adds it to the sums. The last one
  /// of all steps may go beyond the end.
  void emitSteps(Value row, Value column, const TilePlace &place, Value first,
                 OpFoldResult numFullSteps, OpFoldResult numSteps,
                 MutableArrayRef<Value> sums) {
    Value numFull = countWithin(first, numFullSteps);
    Value count = countWithin(first, numSteps);
    // The product before this one, or the last part, may still be read.
    wait();
    if (packerOfA) {
      packerOfA->pack({/*place=*/0, product.getRows(), row, first, count, numFull});
      packerOfB->pack(
          {getPlaceOfB(), product.getColumns(), column, first, count, numFull});
    } else {
      pack(/*place=*/0, product.getRows(), first, numFull, count,
           [&](Value line, Value k, bool isTail) {
             return loadRow(arith::AddIOp::create(builder, row, line), k, isTail);
           });
      pack(getPlaceOfB(), product.getColumns(), first, numFull, count,
           [&](Value line, Value k, bool isTail) {
             return loadPiecesOfColumns(arith::AddIOp::create(builder, column, line), k,
                                        isTail);
           });
    }
    wait();
    Value zero = createIndex(builder, 0);
    if (place.isInside)
      count = arith::SelectOp::create(builder, place.isInside, count, zero);
    auto loop = ProductTiles::emitSteps(zero, count, /*step=*/1, sums, [&](Value step) {
      emitStep(place, step, sums);
    });
    setUnroll(loop, false);
  }

  /// The steps of a part that begins at `first`, of those below `end`.
  Value countWithin(Value first, OpFoldResult end) {
    Value rest = arith::SubIOp::create(builder, toValue(builder, end), first);
    return createIndexMin(builder, rest, createIndex(builder, product.steps));
  }

  /// The number of the first piece of B, and the place of its first element.
  int64_t getFirstPieceOfB() const { return product.getRows() * product.steps; }
  int64_t getPlaceOfB() const { return getFirstPieceOfB() * depth; }

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

  /// The elements of a piece in a step, for the block with that number in the tile.
  SmallVector<Value> load(bool ofA, const TilePlace &place, int64_t block, Value step) {
    int64_t numLines = ofA ? product.getRows() : product.getColumns();
    Value begin;
    if (place.isInside) {
      ArrayRef<Value> pieces = ofA ? place.rowPieces : place.columnPieces;
      begin =
          arith::AddIOp::create(builder, scale(step, numLines * kWords), pieces[block]);
    } else {
      Value line = add(ofA ? place.row : place.column, block * lanes);
      line = arith::AddIOp::create(builder, line, lane);
      Value piece = arith::AddIOp::create(builder, scale(step, numLines), line);
      begin = add(scale(piece, kWords), ofA ? 0 : getFirstPieceOfB() * kWords);
    }
    return loadPiece(builder, words, begin, type);
  }

  /// A work-item brings neighbours of a column of B, where coopmatrices have elements
  /// that lie a subgroup apart: the summed mode is permuted, alike for A.
  void emitStep(const TilePlace &place, Value step, MutableArrayRef<Value> sums) {
    CoopMatrixProduct layouts = getProduct();
    int64_t length = getPieceLength();
    SmallVector<Value> entriesA(layouts.a.getNumComponents());
    for (int64_t block = 0; block < tile.rowBlocks; ++block) {
      SmallVector<Value> loaded = load(/*ofA=*/true, place, block, step);
      for (int64_t i = 0; i < depth; ++i)
        entriesA[layouts.a.getPosition(block, i / length + i % length * lanes)] =
            loaded[i];
    }
    SmallVector<Value> entriesB(layouts.b.getNumComponents());
    for (int64_t first = 0; first < tile.columns; first += kMaxUnitColumns) {
      SmallVector<Value> loaded =
          load(/*ofA=*/false, place, first / kMaxUnitColumns, step);
      for (int64_t i = 0; i < depth; ++i)
        entriesB[layouts.b.getPosition(i % length, first + i / length)] = loaded[i];
    }
    emitMatrixUnitProduct(builder, layouts, entriesA, entriesB, sums);
  }

  const ProductOperand &a, &b;
  PackedProduct product;
  /// The local memory as elements and as words.
  Value memory, words;
  Value subgroup;
  /// Where sizes are only known at run time.
  std::optional<PiecePacker> packerOfA, packerOfB;
};

} // namespace

void tinytc::emitPackedGemm(ImplicitLocOpBuilder &builder, GemmOp op,
                            const ProductOperand &a, const ProductOperand &b,
                            const Update &update, const Strategy &strategy,
                            const Machine &machine, int64_t numSubgroups) {
  LocalRange range{*getLocalOffset(op), strategy.localBytes};
  Value memory = createLocalView(builder, op, range, a.getType().getElementType());
  Value words = createLocalView(builder, op, range, builder.getI64Type());
  PackedGemm(builder, a, b, update, PackedProduct::get(strategy), memory, words,
             machine, numSubgroups)
      .emit();
}
