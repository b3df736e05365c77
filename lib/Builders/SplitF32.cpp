//===- SplitF32.cpp - Numbers of f32 that two work-items share ------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Builders/SplitF32.h"
#include "lib/Builders/Indices.h"
#include "lib/Builders/SubgroupBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::tinytc;

Value tinytc::createHalf(ImplicitLocOpBuilder &builder, Value number, Value lane) {
  Type i32 = builder.getI32Type();
  Value bits = arith::BitcastOp::create(builder, i32, number);
  Value shift = arith::IndexCastOp::create(builder, i32, lane);
  shift = arith::AndIOp::create(builder, shift, createI32(builder, 1));
  shift = arith::ShLIOp::create(builder, shift, createI32(builder, 4));
  bits = arith::ShRUIOp::create(builder, bits, shift);
  return arith::TruncIOp::create(builder, builder.getI16Type(), bits);
}

Value tinytc::createFromHalves(ImplicitLocOpBuilder &builder, Value half,
                               int32_t lane) {
  Value bits = arith::ExtUIOp::create(builder, builder.getI32Type(), half);
  Value low = createBroadcast(builder, bits, createI32(builder, lane));
  Value high = createBroadcast(builder, bits, createI32(builder, lane + 1));
  high = arith::ShLIOp::create(builder, high, createI32(builder, 16));
  return arith::BitcastOp::create(builder, builder.getF32Type(),
                                  arith::OrIOp::create(builder, high, low));
}
