//===- SubgroupBuilder.cpp - Subgroup operations on any scalar ------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Builders/SubgroupBuilder.h"
#include "lib/Builders/Indices.h"
#include "lib/Builders/ScalarBuilder.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The type in which values of `type` cross from one work-item to another.
static Type getExchangeType(Type type) {
  if (type.isIndex())
    return IntegerType::get(type.getContext(), 64);
  return tinytc::getComputeType(type);
}

/// Applies `emit` to a value that the gpu dialect can exchange: complex numbers by
/// parts, index as i64, 16 bit floats as f32.
static Value emitByParts(ImplicitLocOpBuilder &builder, Value value,
                         function_ref<Value(Value)> emit) {
  ScalarBuilder scalars(builder);
  Type type = value.getType();
  if (isa<ComplexType>(type)) {
    Value real = emit(complex::ReOp::create(builder, value));
    Value imaginary = emit(complex::ImOp::create(builder, value));
    return complex::CreateOp::create(builder, type, real, imaginary);
  }
  return scalars.cast(emit(scalars.cast(value, getExchangeType(type))), type);
}

/// Applies `emit` to a value of at least 32 bits: OpenCL has functions of subgroups for
/// smaller integers only in an extension.
static Value emitInWord(ImplicitLocOpBuilder &builder, Value value,
                        function_ref<Value(Value)> emit) {
  auto type = dyn_cast<IntegerType>(value.getType());
  if (!type || type.getWidth() >= 32)
    return emit(value);
  ScalarBuilder scalars(builder);
  return scalars.cast(emit(scalars.cast(value, builder.getI32Type())), type);
}

Value tinytc::createBroadcast(ImplicitLocOpBuilder &builder, Value value, Value lane) {
  return emitByParts(builder, value, [&](Value part) {
    return emitInWord(builder, part, [&](Value word) {
      return gpu::SubgroupBroadcastOp::create(builder, word, lane,
                                              gpu::BroadcastType::specific_lane);
    });
  });
}

static Value createExchange(ImplicitLocOpBuilder &builder, Value value, Value operand,
                            int32_t subgroupSize, gpu::ShuffleMode mode) {
  return emitByParts(builder, value, [&](Value part) {
    auto shuffle = gpu::ShuffleOp::create(builder, part, operand,
                                          createI32(builder, subgroupSize), mode);
    return shuffle.getShuffleResult();
  });
}

Value tinytc::createShuffle(ImplicitLocOpBuilder &builder, Value value, Value lane,
                            int32_t subgroupSize) {
  return createExchange(builder, value, lane, subgroupSize, gpu::ShuffleMode::IDX);
}

Value SubgroupBuilder::emitAmong(Value value, int32_t first, int32_t last) {
  for (int32_t distance = first; distance < last; distance *= 2) {
    Value other = createExchange(builder, value, createI32(builder, distance),
                                 subgroupSize, gpu::ShuffleMode::XOR);
    value = combine(value, other);
  }
  return value;
}

Value SubgroupBuilder::emit(GroupOperation mode, Value value) {
  return emitByParts(builder, value, [&](Value part) {
    switch (mode) {
    case GroupOperation::Reduce:
      return createReduce(part);
    case GroupOperation::InclusiveScan:
      return createInclusiveScan(part);
    case GroupOperation::ExclusiveScan:
      return createShuffleUp(createInclusiveScan(part), 1,
                             createIdentity(part.getType()));
    }
    llvm_unreachable("all modes are covered");
  });
}

Value SubgroupBuilder::combine(Value a, Value b) {
  ScalarBuilder scalars(builder);
  switch (reduction) {
  case GroupReduction::Add:
    return scalars.add(a, b);
  case GroupReduction::Max:
    return scalars.max(a, b);
  case GroupReduction::Min:
    return scalars.min(a, b);
  }
  llvm_unreachable("all reductions are covered");
}

Value SubgroupBuilder::createNeutral(Type type) {
  auto real = dyn_cast<FloatType>(type);
  if (!real || reduction == GroupReduction::Add)
    return createIdentity(type);
  auto nan = APFloat::getQNaN(real.getFloatSemantics());
  return arith::ConstantOp::create(builder, FloatAttr::get(type, nan));
}

Value SubgroupBuilder::createIdentity(Type type) {
  bool isMax = reduction == GroupReduction::Max;
  // Max and min have none for complex numbers.
  if (reduction == GroupReduction::Add)
    return ScalarBuilder(builder).constant(type, 0);
  TypedAttr identity;
  if (auto floatType = dyn_cast<FloatType>(type)) {
    auto infinity = APFloat::getInf(floatType.getFloatSemantics(), /*Negative=*/isMax);
    identity = FloatAttr::get(type, infinity);
  } else {
    unsigned width = type.isIndex() ? IndexType::kInternalStorageBitWidth
                                    : type.getIntOrFloatBitWidth();
    identity = IntegerAttr::get(type, isMax ? APInt::getSignedMinValue(width)
                                            : APInt::getSignedMaxValue(width));
  }
  return arith::ConstantOp::create(builder, identity);
}

Value SubgroupBuilder::createReduce(Value value) {
  bool isFloat = isa<FloatType>(value.getType());
  gpu::AllReduceOperation operation = gpu::AllReduceOperation::ADD;
  if (reduction == GroupReduction::Max)
    operation =
        isFloat ? gpu::AllReduceOperation::MAXNUMF : gpu::AllReduceOperation::MAXSI;
  else if (reduction == GroupReduction::Min)
    operation =
        isFloat ? gpu::AllReduceOperation::MINNUMF : gpu::AllReduceOperation::MINSI;
  return emitInWord(builder, value, [&](Value word) {
    return gpu::SubgroupReduceOp::create(builder, word, operation, /*uniform=*/true);
  });
}

Value SubgroupBuilder::createShuffleUp(Value value, int32_t distance, Value fallback) {
  auto shuffle =
      gpu::ShuffleOp::create(builder, value, createI32(builder, distance),
                             createI32(builder, subgroupSize), gpu::ShuffleMode::UP);
  return arith::SelectOp::create(builder, shuffle.getValid(),
                                 shuffle.getShuffleResult(), fallback);
}

Value SubgroupBuilder::createInclusiveScan(Value value) {
  // Hillis and Steele: after step d, each work-item has combined 2d values.
  for (int32_t distance = 1; distance < subgroupSize; distance *= 2) {
    Value below = createShuffleUp(value, distance, createNeutral(value.getType()));
    value = combine(below, value);
  }
  return value;
}
