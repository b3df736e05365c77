//===- TileProducts.cpp - Tile registers of x86-64 ------------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// AMX, with registers that are chosen here: LLVM's allocator spills tiles, divides the
// registers among the shapes of a function, and configures them again after each call.
// A function of a kernel configures them once.
//
//===----------------------------------------------------------------------===//

#include "lib/Builders/Outlining.h"
#include "lib/Conversion/GPUToVector/Vectorizer.h"

#include "mlir/IR/Matchers.h"

#include <array>

using namespace mlir;
using namespace mlir::tinytc;

/// The registers of sums, of which a column of tiles has two, then those of the first
/// operand, of the second one.
static constexpr int64_t kSums = 0, kFirst = 4, kSecond = 6;
static constexpr int64_t kWordBytes = 4;
/// Tiles of a sum of known length that are multiplied without a loop.
static constexpr int64_t kMostWithoutLoop = 4;
/// What global memory with shapes of tiles is called; the loader knows it, too.
static constexpr llvm::StringLiteral kShapesName = "__tinytc_tile_shapes";

static void callAmx(ImplicitLocOpBuilder &builder, StringRef name,
                    ValueRange operands) {
  LLVM::CallIntrinsicOp::create(
      builder, builder.getStringAttr(("llvm.x86." + name).str()), operands);
}

FailureOr<DenseI64ArrayAttr> tinytc::findTile(gpu::GPUFuncOp kernel) {
  DenseI64ArrayAttr tile;
  WalkResult result = kernel.walk([&](TileProductOp op) -> WalkResult {
    if (!tile)
      tile = op.getTileAttr();
    if (op.getTileAttr() == tile)
      return WalkResult::advance();
    return op.emitOpError("expected the tile [")
           << tile.asArrayRef() << "] of the kernel's first product, got ["
           << op.getTile() << "]";
  });
  if (result.wasInterrupted())
    return failure();
  return tile;
}

/// The operand of ldtilecfg: C is computed as its transpose, B^T A^T.
static std::array<int8_t, 64> getShapes(ArrayRef<int64_t> tile) {
  static constexpr size_t kRowBytes = 16, kRows = 48;
  std::array<int8_t, 64> shapes = {1};
  auto set = [&](int64_t first, int64_t count, int64_t rows, int64_t words) {
    for (int64_t i = first; i < first + count; ++i) {
      shapes[kRowBytes + 2 * i] = int8_t(kWordBytes * words);
      shapes[kRows + i] = int8_t(rows);
    }
  };
  set(kSums, 4, tile[1], tile[0]);
  set(kFirst, 2, tile[1], tile[2]);
  set(kSecond, 2, tile[2], tile[0]);
  return shapes;
}

void Vectorizer::configureTiles(DenseI64ArrayAttr tile) {
  auto kernels = kernel->getParentOfType<gpu::GPUModuleOp>();
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), 64);
  auto values = DenseElementsAttr::get(RankedTensorType::get({64}, builder.getI8Type()),
                                       ArrayRef<int8_t>(getShapes(tile)));
  LLVM::GlobalOp shapes;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(kernels.getBody());
    shapes = LLVM::GlobalOp::create(builder, type, /*isConstant=*/true,
                                    LLVM::Linkage::Internal,
                                    createUniqueName(kernels, kShapesName), values,
                                    /*alignment=*/64);
  }
  callAmx(builder, "ldtilecfg", LLVM::AddressOfOp::create(builder, shapes).getResult());
}

void Vectorizer::releaseTiles() { callAmx(builder, "tilerelease", {}); }

LogicalResult Vectorizer::emitTileProduct(TileProductOp op) {
  if (mask)
    return refuse(op);
  Type i64 = builder.getI64Type();
  auto constant = [&](Type type, int64_t value) -> Value {
    return arith::ConstantOp::create(builder, builder.getIntegerAttr(type, value));
  };
  auto number = [&](int64_t tile) { return constant(builder.getI8Type(), tile); };
  auto add = [&](Value a, Value b) -> Value {
    return arith::AddIOp::create(builder, a, b);
  };
  auto multiply = [&](Value a, Value b) -> Value {
    return arith::MulIOp::create(builder, a, b);
  };
  auto pointTo = [&](Value memref, Value index) {
    Type element = cast<MemRefType>(memref.getType()).getElementType();
    return addOffset(element, get(memref), {LaneShape::uniform(), index}).value;
  };
  auto countBytes = [&](Value stride) {
    return multiply(castIndex(builder, stride, i64), constant(i64, kWordBytes));
  };
  Value strideA = get(op.getStrideA()).value, strideB = get(op.getStrideB()).value,
        strideC = get(op.getStrideC()).value;
  SmallVector<Value> rows, columns;
  for (Value row : op.getRows())
    rows.push_back(get(row).value);
  for (Value column : op.getColumns())
    columns.push_back(get(column).value);
  auto forEachTile = [&](auto body) {
    for (int64_t column : llvm::seq(int64_t(columns.size())))
      for (int64_t row : llvm::seq(int64_t(rows.size())))
        body(row, column, number(kSums + 2 * column + row));
  };
  Value bytesC = countBytes(strideC), offset = get(op.getOffset()).value;
  auto accessC = [&](StringRef name, int64_t row, int64_t column, Value sum) {
    Value place = add(add(offset, rows[row]), multiply(columns[column], strideC));
    callAmx(builder, name, {sum, pointTo(op.getC(), place), bytesC});
  };
  forEachTile([&](int64_t row, int64_t column, Value sum) {
    if (op.getAccumulate())
      accessC("tileloadd64", row, column, sum);
    else
      callAmx(builder, "tilezero", sum);
  });

  StringRef instruction =
      op.getNumbers() == PackedNumbers::BF16 ? "tdpbf16ps" : "tdpbssd";
  Value bytesA = countBytes(strideA), bytesB = countBytes(strideB);
  auto emitStep = [&](Value word) {
    Value step = multiply(word, strideA);
    forEachTile([&](int64_t row, int64_t column, Value sum) {
      Value first = number(kFirst + column), second = number(kSecond + row);
      if (row == 0)
        callAmx(builder, "tileloadd64",
                {first,
                 pointTo(op.getB(), add(multiply(columns[column], strideB), word)),
                 bytesB});
      if (column == 0)
        callAmx(builder, "tileloadd64",
                {second, pointTo(op.getA(), add(rows[row], step)), bytesA});
      callAmx(builder, instruction, {sum, first, second});
    });
  };
  APInt known;
  const int64_t words = op.getTile()[2];
  if (matchPattern(op.getSteps(), m_ConstantInt(&known)) &&
      known.sle(kMostWithoutLoop * words)) {
    for (int64_t word = 0; word < known.getSExtValue(); word += words)
      emitStep(constantIndex(word));
  } else {
    auto loop = scf::ForOp::create(builder, constantIndex(0), get(op.getSteps()).value,
                                   constantIndex(words));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    emitStep(loop.getInductionVar());
  }

  forEachTile([&](int64_t row, int64_t column, Value sum) {
    accessC("tilestored64", row, column, sum);
  });
  return success();
}
