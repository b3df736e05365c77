//===- MatrixUnit.cpp - Products and block loads of Intel's matrix unit ---===//
// SPDX-License-Identifier: BSD-3-Clause
//
// OpenCL has no function for these in SPIR-V that all drivers take. Intel's compilers
// know the functions of an extension of OpenCL C by their mangled names, and drop a
// call without a word if they do not know a name: tests read the assembly of each.
//
//===----------------------------------------------------------------------===//

#include "lib/Builders/ImportedFunction.h"
#include "lib/Conversion/GPUToSPIRV/Patterns.h"
#include "lib/IR/CoopMatrixLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The most elements of a vector in OpenCL.
static constexpr int64_t kMaxElements = 16;

namespace {

/// Writes the name of a function as OpenCL C mangles it.
class MangledName {
public:
  explicit MangledName(StringRef word)
      : name("_Z" + std::to_string(word.size()) + word.str()) {}

  /// Appends a parameter. A vector that has come before is named by its place.
  void append(Type type) {
    auto vector = dyn_cast<VectorType>(type);
    if (!vector) {
      name += getLetter(type);
      return;
    }
    auto *known = llvm::find(vectors, type);
    if (known != vectors.end()) {
      int64_t place = known - vectors.begin();
      name += place == 0 ? "S_" : "S" + std::to_string(place - 1) + "_";
      return;
    }
    vectors.push_back(type);
    name += "Dv" + std::to_string(vector.getNumElements()) + "_" +
            getLetter(vector.getElementType());
  }

  StringRef get() const { return name; }

private:
  static char getLetter(Type type) {
    if (type.isF32())
      return 'f';
    return type.isInteger(16) ? 's' : 'i';
  }

  std::string name;
  SmallVector<Type, 3> vectors;
};

/// Concatenates scalars to a value of `count` numbers of `type`, with the same bits.
Value pack(ImplicitLocOpBuilder &builder, ArrayRef<Value> scalars, Type type,
           int64_t count) {
  SmallVector<Value> parts;
  for (ArrayRef<Value> rest = scalars; !rest.empty();) {
    ArrayRef<Value> first = rest.take_front(kMaxElements);
    rest = rest.drop_front(first.size());
    Value part = first.front();
    if (first.size() > 1)
      part = spirv::CompositeConstructOp::create(
          builder, VectorType::get(first.size(), part.getType()), first);
    int64_t share = count * int64_t(first.size()) / int64_t(scalars.size());
    Type packed = share == 1 ? type : VectorType::get(share, type);
    if (part.getType() != packed)
      part = spirv::BitcastOp::create(builder, packed, part);
    parts.push_back(part);
  }
  if (parts.size() == 1)
    return parts.front();
  return spirv::CompositeConstructOp::create(builder, VectorType::get(count, type),
                                             parts);
}

/// The name of the function for numbers of `type`.
StringRef getWord(Type type) {
  if (type.isF16())
    return "intel_sub_group_f16_f16_matrix_mad_k16";
  if (type.isBF16())
    return "intel_sub_group_bf16_bf16_matrix_mad_k16";
  return type.isF32() ? "intel_sub_group_tf32_tf32_matrix_mad_k8_f32"
                      : "intel_sub_group_i8_i8_matrix_mad_k32";
}

/// Halves of the numbers of a row of B transposed, which are longer than what a
/// work-item brings of the row: number k is that of the work-items 2 k and 2 k + 1.
SmallVector<Value> splitRows(ImplicitLocOpBuilder &builder, ValueRange entries,
                             const CoopMatrixLayout &layout) {
  Type i32 = builder.getI32Type();
  auto constant = [&](int32_t value) {
    return spirv::ConstantOp::create(builder, i32, builder.getI32IntegerAttr(value));
  };
  Value lane = gpu::LaneIdOp::create(builder, /*upper_bound=*/nullptr);
  lane = arith::IndexCastOp::create(builder, i32, lane);
  Value row = spirv::ShiftRightLogicalOp::create(builder, i32, lane, constant(1));
  Value bits = spirv::BitwiseAndOp::create(builder, lane, constant(1));
  bits = spirv::ShiftLeftLogicalOp::create(builder, i32, bits, constant(4));
  SmallVector<Value> halves;
  for (int64_t column = 0; column < layout.type.getColumns(); ++column) {
    Value entry = entries[column / layout.sideBySide];
    Value source = spirv::IAddOp::create(
        builder, row, constant(column % layout.sideBySide * layout.blockRows));
    Value number = spirv::GroupNonUniformShuffleOp::create(
        builder, entry.getType(), spirv::Scope::Subgroup, entry, source);
    number = spirv::BitcastOp::create(builder, i32, number);
    number = spirv::ShiftRightLogicalOp::create(builder, i32, number, bits);
    halves.push_back(spirv::UConvertOp::create(builder, builder.getI16Type(), number));
  }
  return halves;
}

/// A byte of words of 32 bits.
struct BytePlace {
  Value words;
  int32_t number;

  /// Whether this byte is so many behind another one.
  bool isBehind(const BytePlace &first, int32_t distance) const {
    return words == first.words && number == first.number + distance;
  }
  Value getWord(ImplicitLocOpBuilder &builder) const {
    return spirv::CompositeExtractOp::create(builder, words,
                                             ArrayRef<int32_t>{number / 4});
  }
};

/// Where a byte is in words of 32 bits; none if it is elsewhere.
std::optional<BytePlace> findByte(Value byte) {
  auto extract = byte.getDefiningOp<spirv::CompositeExtractOp>();
  if (!extract)
    return std::nullopt;
  auto bitcast = extract.getComposite().getDefiningOp<spirv::BitcastOp>();
  auto words = bitcast ? dyn_cast<VectorType>(bitcast.getOperand().getType()) : nullptr;
  if (!words || !words.getElementType().isInteger(32))
    return std::nullopt;
  int32_t number = cast<IntegerAttr>(extract.getIndices()[0]).getInt();
  return BytePlace{bitcast.getOperand(), number};
}

/// The places of bytes; none if one is not in words.
SmallVector<BytePlace> findBytes(ValueRange bytes) {
  SmallVector<BytePlace> places;
  for (Value byte : bytes) {
    std::optional<BytePlace> place = findByte(byte);
    if (!place)
      return {};
    places.push_back(*place);
  }
  return places;
}

/// Whether bytes are whole words, one after the other in each.
bool areWords(ArrayRef<BytePlace> places) {
  for (auto [i, place] : llvm::enumerate(places))
    if (places[i - i % 4].number % 4 != 0 || !place.isBehind(places[i - i % 4], i % 4))
      return false;
  return true;
}

/// Joins each byte of one word with that of another one: the bytes alternate between
/// them. None if they do not.
SmallVector<Value> joinWords(ImplicitLocOpBuilder &builder,
                             ArrayRef<BytePlace> places) {
  static constexpr int64_t kBytes = 8;
  Type i32 = builder.getI32Type();
  auto constant = [&](int64_t value) -> Value {
    return spirv::ConstantOp::create(builder, i32, builder.getI32IntegerAttr(value));
  };
  auto keep = [&](Value word, uint32_t mask) -> Value {
    return spirv::BitwiseAndOp::create(builder, word, constant(int32_t(mask)));
  };
  static constexpr uint32_t kEven = 0x00FF00FF;
  SmallVector<Value> pairs;
  for (; !places.empty(); places = places.drop_front(kBytes)) {
    if (places.size() < kBytes || places[0].number % 4 != 0 ||
        places[1].number % 4 != 0)
      return {};
    for (int64_t i = 0; i < kBytes; ++i)
      if (!places[i].isBehind(places[i % 2], i / 2))
        return {};
    Value first = places[0].getWord(builder), second = places[1].getWord(builder);
    Value left = spirv::ShiftLeftLogicalOp::create(builder, i32, second, constant(8));
    Value right = spirv::ShiftRightLogicalOp::create(builder, i32, first, constant(8));
    Value even =
        spirv::BitwiseOrOp::create(builder, keep(first, kEven), keep(left, ~kEven));
    Value odd =
        spirv::BitwiseOrOp::create(builder, keep(right, kEven), keep(second, ~kEven));
    auto type = VectorType::get(2, builder.getI16Type());
    even = spirv::BitcastOp::create(builder, type, even);
    odd = spirv::BitcastOp::create(builder, type, odd);
    for (int32_t i : {0, 1})
      for (Value words : {even, odd})
        pairs.push_back(
            spirv::CompositeExtractOp::create(builder, words, ArrayRef<int32_t>{i}));
  }
  return pairs;
}

/// A byte of words as `type`. Intel's compilers move bytes of vectors one by one,
/// several times.
Value takeByte(ImplicitLocOpBuilder &builder, const BytePlace &place,
               IntegerType type) {
  Type i32 = builder.getI32Type();
  auto constant = [&](Type of, int64_t value) {
    return spirv::ConstantOp::create(builder, of, IntegerAttr::get(of, value));
  };
  Value word = spirv::ShiftRightLogicalOp::create(builder, i32, place.getWord(builder),
                                                  constant(i32, place.number % 4 * 8));
  if (type != i32)
    word = spirv::UConvertOp::create(builder, type, word);
  return spirv::BitwiseAndOp::create(builder, word, constant(type, 255));
}

/// Joins bytes that are parts of several words to numbers of `type`, the first byte
/// being the lowest; leaves them alone if one of them is not such a part, or if they
/// are whole words.
void joinBytes(ImplicitLocOpBuilder &builder, SmallVector<Value> &bytes,
               IntegerType type) {
  SmallVector<BytePlace> places = findBytes(bytes);
  if (places.empty() || areWords(places))
    return;
  int64_t perNumber = type.getWidth() / 8;
  SmallVector<Value> numbers;
  if (perNumber == 2)
    numbers = joinWords(builder, places);
  if (!numbers.empty()) {
    bytes = std::move(numbers);
    return;
  }
  for (auto [i, place] : llvm::enumerate(places)) {
    Value byte = takeByte(builder, place, type);
    if (i % perNumber == 0) {
      numbers.push_back(byte);
      continue;
    }
    auto bits = IntegerAttr::get(type, 8 * (i % perNumber));
    byte = spirv::ShiftLeftLogicalOp::create(
        builder, type, byte, spirv::ConstantOp::create(builder, type, bits));
    numbers.back() = spirv::BitwiseOrOp::create(builder, numbers.back(), byte);
  }
  bytes = std::move(numbers);
}

/// The unit multiplies an N x K matrix, whose rows are spread over the work-items, with
/// a K x S matrix of which a work-item has a column, in pieces of 32 bits: B and A
/// transposed. A work-item brings neighbours of a row; where these are more than one,
/// coopmatrices give it numbers that lie S apart, so the summed mode is permuted, alike
/// for both.
struct MulAddPattern final : OpConversionPattern<SubgroupMatrixMulAddOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(SubgroupMatrixMulAddOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    // Sums of several columns are a vector after --tinytc-lower-matrix-products.
    if (op.getNumResults() != 1)
      return rewriter.notifyMatchFailure(op, "expected one number or vector of sums");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Type type = op.getA().front().getType();
    int64_t columns = op.getNumColumns(), depth = op.getDepth();
    int64_t lanes = op.getSubgroupSize();
    auto matrix = CoopMatrixType::get(depth, columns, type, MatrixUse::B);
    CoopMatrixLayout layout(matrix, lanes);

    SmallVector<Value> rows, column;
    if (op.hasHalves())
      llvm::append_range(rows, adaptor.getB());
    for (int64_t step = 0; step < layout.steps && !op.hasHalves(); ++step)
      for (int64_t block = 0; block < layout.rowBlocks; ++block)
        rows.push_back(adaptor.getB()[layout.getPosition(block, step)]);
    for (int64_t k = 0; k < depth; ++k)
      column.push_back(adaptor.getA()[k / layout.rowBlocks +
                                      k % layout.rowBlocks * layout.blockRows]);
    if (layout.sideBySide > 1 && !op.hasHalves())
      rows = splitRows(builder, rows, layout);
    // 32 bytes of each row for all work-items.
    Type piece = builder.getIntegerType(256 / lanes);
    if (layout.rowBlocks == 2 && type.isInteger(8)) {
      joinBytes(builder, rows, builder.getI16Type());
      // Then the bytes of A are permuted.
      if (rows.front().getType() == piece)
        joinBytes(builder, column, builder.getI32Type());
    }
    Value a = pack(builder, rows, piece, columns);
    Value b = pack(builder, column, builder.getI32Type(), 8);
    Value c = adaptor.getC().front();
    MangledName name(getWord(type));
    for (Value operand : {a, b, c})
      name.append(operand.getType());
    auto call = callImport(rewriter, op, name.get(), c.getType(), {a, b, c});
    rewriter.replaceOp(op, call);
    return success();
  }
};

/// The function that reads a block of which a work-item gets `count` elements.
StringRef getBlockRead(Type type, int64_t count, bool transposed) {
  if (transposed)
    return "__builtin_IB_subgroup_block_read_flat_transpose_u32_k8";
  // Two neighbours of 8 bits are a number of 16 bits, and so is half a number of f32.
  if (count * getSizeBytes(type) == 16)
    return "__builtin_IB_subgroup_block_read_flat_u16_m8k16v1";
  return type.isInteger(8) ? "__builtin_IB_subgroup_block_read_flat_transform_u8_k32"
                           : "__builtin_IB_subgroup_block_read_flat_transform_u16_k16";
}

struct BlockLoadPattern final : OpConversionPattern<SubgroupBlockLoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(SubgroupBlockLoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Type element = getTypeConverter()->convertType(op.getResult(0).getType());
    int64_t bytes = getSizeBytes(op.getSource().getType().getElementType());
    Type i64 = builder.getI64Type(), i32 = builder.getI32Type();
    auto constant = [&](Type type, int64_t value) -> Value {
      return spirv::ConstantOp::create(builder, type, IntegerAttr::get(type, value));
    };
    /// A size in bytes less one, as the message has it.
    auto lastByte = [&](Value size, int64_t scale) -> Value {
      Value narrow = spirv::SConvertOp::create(builder, i32, size);
      if (scale != 1)
        narrow = spirv::IMulOp::create(builder, narrow, constant(i32, scale));
      return spirv::ISubOp::create(builder, narrow, constant(i32, 1));
    };
    Value base = spirv::ConvertPtrToUOp::create(builder, i64, adaptor.getSource());
    Value offset =
        spirv::IMulOp::create(builder, adaptor.getOffset(), constant(i64, bytes));
    base = spirv::IAddOp::create(builder, base, offset);
    Value x = spirv::SConvertOp::create(builder, i32, adaptor.getX());
    Value y = spirv::SConvertOp::create(builder, i32, adaptor.getY());
    // Transposed blocks consist of pieces of 32 bits, plain ones of 16 bits.
    int64_t count = op.getNumResults();
    bool isPlain = count * getSizeBytes(op.getResult(0).getType()) == 16;
    int64_t pieceBytes = op.getTransposed() ? 4 : isPlain ? 2 : 1;
    if (pieceBytes > bytes)
      x = spirv::ShiftRightArithmeticOp::create(
          builder, i32, x, constant(i32, llvm::Log2_64(pieceBytes / bytes)));
    if (isPlain && pieceBytes < bytes)
      x = spirv::IMulOp::create(builder, x, constant(i32, bytes / pieceBytes));
    Value place = spirv::CompositeConstructOp::create(builder, VectorType::get(2, i32),
                                                      ValueRange{x, y});
    Type piece = isPlain ? builder.getI16Type() : i32;
    Type block = VectorType::get(8, piece);
    auto call = callImport(
        rewriter, op,
        getBlockRead(op.getResult(0).getType(), count, op.getTransposed()), block,
        {base, lastByte(adaptor.getRows(), bytes), lastByte(adaptor.getColumns(), 1),
         lastByte(adaptor.getStride(), bytes), place});
    SmallVector<Value> results;
    int64_t perVector = std::min(count, kMaxElements);
    for (int64_t first = 0; first < count; first += perVector) {
      Value part = call.getResult(0);
      if (perVector < count) {
        SmallVector<int32_t> indices;
        int64_t pieces = 8 * perVector / count;
        for (int64_t i = 0; i < pieces; ++i)
          indices.push_back(first * 8 / count + i);
        part = spirv::VectorShuffleOp::create(builder, VectorType::get(pieces, piece),
                                              part, part,
                                              builder.getI32ArrayAttr(indices));
      }
      auto type = VectorType::get(perVector, element);
      if (part.getType() != type)
        part = spirv::BitcastOp::create(builder, type, part);
      for (int32_t i = 0; i < perVector; ++i)
        results.push_back(
            spirv::CompositeExtractOp::create(builder, part, ArrayRef<int32_t>{i}));
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void tinytc::populateMatrixUnitPatterns(const SPIRVTypeConverter &converter,
                                        RewritePatternSet &patterns) {
  patterns.add<MulAddPattern, BlockLoadPattern>(converter, patterns.getContext());
}
