//===- LocalView.cpp - A range of a kernel's local memory -----------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Builders/LocalView.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The buffer at the start of the kernel.
static memref::AllocOp findLocalBuffer(Operation *op) {
  auto func = op->getParentOfType<func::FuncOp>();
  if (!func)
    return {};
  auto buffers = func.getBody().front().getOps<memref::AllocOp>();
  return buffers.empty() ? memref::AllocOp() : *buffers.begin();
}

Value tinytc::createLocalView(ImplicitLocOpBuilder &builder, Operation *op,
                              LocalRange range, Type element) {
  memref::AllocOp buffer = findLocalBuffer(op);
  if (!buffer)
    return {};
  auto type =
      MemRefType::get(range.bytes / getSizeBytes(element), element,
                      MemRefLayoutAttrInterface(), buffer.getType().getMemorySpace());
  Value offset = arith::ConstantIndexOp::create(builder, range.offset);
  return memref::ViewOp::create(builder, type, buffer, offset, ValueRange());
}
