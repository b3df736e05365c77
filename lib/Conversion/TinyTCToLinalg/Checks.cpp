//===- Checks.cpp - The ops of debug builds -> arith, memref, scf ---------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Builders/ScalarBuilder.h"
#include "lib/Builders/Stores.h"
#include "lib/Conversion/LowerToUnits/CoopMatrixLane.h"
#include "lib/Conversion/TinyTCToLinalg/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tinytc;

namespace {

struct ReportPattern final : OpConversionPattern<ReportOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ReportOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value buffer = adaptor.getBuffer();
    Value first = op.getPrint() ? emitPrint(op, builder, buffer)
                                : emitViolation(op, builder, buffer);
    SmallVector<Value> entries{getI64(builder, op.getNumber()), adaptor.getGroup()};
    for (gpu::Dimension dimension : {gpu::Dimension::y, gpu::Dimension::z})
      entries.push_back(gpu::BlockIdOp::create(builder, dimension));
    if (op.getWeight() == 1) {
      entries.append(2, getI64(builder, -1));
    } else {
      entries.push_back(gpu::SubgroupIdOp::create(builder, /*upper_bound=*/nullptr));
      entries.push_back(gpu::LaneIdOp::create(builder, /*upper_bound=*/nullptr));
    }
    llvm::append_range(entries, adaptor.getValues());
    for (auto [position, entry] : llvm::enumerate(entries)) {
      Value place = builder.createOrFold<arith::AddIOp>(
          first, arith::ConstantIndexOp::create(builder, position + 1));
      memref::StoreOp::create(builder, getBits(builder, entry), buffer, place);
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  static Value getI64(ImplicitLocOpBuilder &builder, int64_t value) {
    return ScalarBuilder(builder).constant(builder.getI64Type(), value);
  }

  static void enterBranch(ImplicitLocOpBuilder &builder, Value condition) {
    auto branch = scf::IfOp::create(builder, condition);
    builder.setInsertionPointToStart(branch.thenBlock());
  }

  /// Counts the violation, and continues in a branch for the first one. Returns the
  /// place of its record.
  static Value emitViolation(ReportOp op, ImplicitLocOpBuilder &builder, Value buffer) {
    Value first = arith::ConstantIndexOp::create(builder, 0);
    Value count = createAtomic(builder, AtomicKind::Add, {MemoryScope::Device},
                               getI64(builder, op.getWeight()), buffer, first);
    enterBranch(builder, arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, count,
                                               getI64(builder, 0)));
    return first;
  }

  /// Counts the print, and continues in a branch for those that the buffer can hold.
  /// Returns the place of the record.
  static Value emitPrint(ReportOp op, ImplicitLocOpBuilder &builder, Value buffer) {
    auto index = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, value);
    };
    if (op.getWeight() == 1) {
      Value isFirst;
      for (gpu::Dimension dimension : {gpu::Dimension::x, gpu::Dimension::y}) {
        Value id = gpu::ThreadIdOp::create(builder, dimension);
        Value isZero =
            arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, id, index(0));
        isFirst = isFirst ? arith::AndIOp::create(builder, isFirst, isZero) : isZero;
      }
      enterBranch(builder, isFirst);
    }
    Value count = createAtomic(builder, AtomicKind::Add, {MemoryScope::Device},
                               getI64(builder, 1), buffer, index(ReportOp::kEntries));
    enterBranch(builder,
                arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, count,
                                      getI64(builder, ReportOp::kPrints)));
    Value number = arith::IndexCastOp::create(builder, builder.getIndexType(), count);
    Value offset = arith::MulIOp::create(builder, number, index(ReportOp::kEntries));
    return arith::AddIOp::create(builder, offset, index(2 * ReportOp::kEntries));
  }

  /// A number as 64 bits.
  static Value getBits(ImplicitLocOpBuilder &builder, Value value) {
    Type i64 = builder.getI64Type(), type = value.getType();
    if (type == i64)
      return value;
    if (type.isIndex())
      return arith::IndexCastOp::create(builder, i64, value);
    if (type.isF64())
      return arith::BitcastOp::create(builder, i64, value);
    if (isa<FloatType>(type)) {
      if (!type.isF32())
        value = arith::ExtFOp::create(builder, builder.getF32Type(), value);
      value = arith::BitcastOp::create(builder, builder.getI32Type(), value);
    }
    return arith::ExtSIOp::create(builder, i64, value);
  }
};

struct StridePattern final : OpConversionPattern<StrideOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(StrideOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto metadata = memref::ExtractStridedMetadataOp::create(rewriter, op.getLoc(),
                                                             adaptor.getSource());
    rewriter.replaceOp(op, metadata.getStrides()[op.getMode()]);
    return success();
  }
};

/// Whether `emit` holds for all components of a work-item, which may be none.
template <typename Op, typename Emit>
Value emitAll(ImplicitLocOpBuilder &builder, const CoopMatrixPattern<Op> &pattern,
              Op op, Emit emit) {
  auto matrix = dyn_cast<CoopMatrixType>(op.getA().getType());
  if (!matrix)
    return emit(0);
  CoopMatrixLane lane(builder, pattern.getConverter().getLayout(matrix));
  Value yes = arith::ConstantOp::create(builder, builder.getBoolAttr(true)), all = yes;
  for (int64_t i = 0; i < lane.getLayout().getNumComponents(); ++i) {
    Value one = emit(i);
    if (Value isComponent = lane.isComponent(i))
      one = arith::SelectOp::create(builder, isComponent, one, yes);
    all = arith::AndIOp::create(builder, all, one);
  }
  return all;
}

struct IsDivisiblePattern final : CoopMatrixPattern<IsDivisibleOp> {
  using CoopMatrixPattern::CoopMatrixPattern;

  LogicalResult matchAndRewrite(IsDivisibleOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Type type = getScalarType(op.getA().getType());
    unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    auto constant = [&](APInt value) {
      return arith::ConstantOp::create(builder, IntegerAttr::get(type, value));
    };
    Value zero = constant(APInt::getZero(bits));
    Value minusOne = constant(APInt::getAllOnes(bits));
    Value smallest = constant(APInt::getSignedMinValue(bits));
    auto differ = [&](Value a, Value b) {
      return arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, a, b);
    };
    ValueRange a = adaptor.getA(), b = adaptor.getB();
    rewriter.replaceOp(op, emitAll(builder, *this, op, [&](size_t i) -> Value {
                         Value isLarger = differ(a[i], smallest);
                         Value isOther = differ(b[i], minusOne);
                         Value isDivisor = differ(b[i], zero);
                         Value fits = arith::OrIOp::create(builder, isLarger, isOther);
                         return arith::AndIOp::create(builder, fits, isDivisor);
                       }));
    return success();
  }
};

struct IsConvertiblePattern final : CoopMatrixPattern<IsConvertibleOp> {
  using CoopMatrixPattern::CoopMatrixPattern;

  LogicalResult matchAndRewrite(IsConvertibleOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    auto source = cast<FloatType>(getScalarType(op.getA().getType()));
    unsigned bits = op.getType().isIndex() ? 64 : op.getType().getIntOrFloatBitWidth();
    // The integers of the type, and the first ones below and above.
    APInt end = APInt::getOneBitSet(2 * 64, bits - 1);
    auto round = [&](const APInt &value) {
      APFloat rounded(source.getFloatSemantics());
      bool isExact =
          rounded.convertFromAPInt(value, /*IsSigned=*/true,
                                   APFloat::rmNearestTiesToEven) == APFloat::opOK;
      return std::pair(rounded, isExact);
    };
    auto compare = [&](arith::CmpFPredicate predicate, Value value, APFloat limit) {
      Value constant =
          arith::ConstantOp::create(builder, FloatAttr::get(source, limit));
      return arith::CmpFOp::create(builder, predicate, value, constant);
    };
    // Where the integer below the smallest is not a number of the type, the next one
    // above is the smallest, or infinity, which no number is below.
    auto [below, isBelowExact] = round(-end - 1);
    auto [smallest, isSmallestExact] = round(-end);
    bool isOpen = isBelowExact || !isSmallestExact;
    APFloat lower = isBelowExact ? below : smallest;
    APFloat upper = round(end).first;
    ValueRange a = adaptor.getA();
    rewriter.replaceOp(op, emitAll(builder, *this, op, [&](size_t i) -> Value {
                         Value isAbove = compare(isOpen ? arith::CmpFPredicate::OGT
                                                        : arith::CmpFPredicate::OGE,
                                                 a[i], lower);
                         Value isBelow =
                             compare(arith::CmpFPredicate::OLT, a[i], upper);
                         return arith::AndIOp::create(builder, isAbove, isBelow);
                       }));
    return success();
  }
};

} // namespace

void tinytc::populateCheckPatterns(const LinalgTypeConverter &converter,
                                   RewritePatternSet &patterns) {
  patterns.add<ReportPattern, StridePattern, IsDivisiblePattern, IsConvertiblePattern>(
      converter, patterns.getContext());
}
