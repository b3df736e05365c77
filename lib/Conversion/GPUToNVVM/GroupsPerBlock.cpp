//===- GroupsPerBlock.cpp - Several groups in a block ---------------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// A multiprocessor runs a limited number of blocks, and a warp lanes of one block, so
// that groups of few work-items leave it idle. Up to here a kernel is what one group
// runs; now as many groups as its manifest says form a block, neighbours in dimension x
// of the grid. The group is the third thread id, and the number of groups in x one more
// parameter: in the last block there may be fewer.
//
//===----------------------------------------------------------------------===//

#include "dialect/DiscardableAttrs.h"
#include "lib/Conversion/GPUToNVVM/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace mlir::tinytc;

/// The number of groups that the manifest of a kernel announces. From here on, the
/// manifest says how to launch them.
static int64_t takeGroups(gpu::GPUFuncOp kernel, ArrayRef<int32_t> block) {
  ManifestAttr manifest = getManifest(kernel);
  std::optional<int64_t> groups = manifest.getGroupsOfBlock();
  if (!groups)
    return 1;
  setManifest(kernel, manifest.withGroupsOfBlock(std::nullopt)
                          .withGroupsPerWorkGroup(groups)
                          .withLocalSize({block[0], block[1], *groups}));
  return *groups;
}

/// Lets work-items of groups beyond the last one return at once, and returns the id of
/// the group. The ops of the kernel's first block move to a new block after it.
static Value leaveBeyondLast(gpu::GPUFuncOp kernel, int64_t groups, Value number) {
  Block *entry = &kernel.getBody().front();
  Block *body = entry->splitBlock(entry->begin());
  auto builder = ImplicitLocOpBuilder::atBlockEnd(kernel.getLoc(), entry);
  Value block = gpu::BlockIdOp::create(builder, gpu::Dimension::x);
  Value size = arith::ConstantIndexOp::create(builder, groups);
  Value first = arith::MulIOp::create(builder, block, size);
  Value place = gpu::ThreadIdOp::create(builder, gpu::Dimension::z);
  Value group = arith::AddIOp::create(builder, first, place);
  Value exists =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, group, number);
  Block *exit = builder.createBlock(&kernel.getBody());
  gpu::ReturnOp::create(builder);
  builder.setInsertionPointToEnd(entry);
  cf::CondBranchOp::create(builder, exists, body, ValueRange(), exit, ValueRange());
  return group;
}

void tinytc::packGroupsIntoBlocks(gpu::GPUFuncOp kernel) {
  std::optional<ArrayRef<int32_t>> block = kernel.getKnownBlockSize();
  if (!block)
    return;
  int64_t groups = takeGroups(kernel, *block);
  if (groups <= 1)
    return;
  Builder builder(kernel.getContext());
  kernel.setKnownBlockSizeAttr(builder.getDenseI32ArrayAttr(
      {(*block)[0], (*block)[1], static_cast<int32_t>(groups)}));
  unsigned count = kernel.getNumArguments();
  (void)kernel.insertArgument(count, builder.getIndexType(), DictionaryAttr(),
                              kernel.getLoc());
  Value number = kernel.getArgument(count);
  Value group = leaveBeyondLast(kernel, groups, number);
  auto replace = [](Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  };
  kernel.walk([&](Operation *op) {
    if (op->getBlock() == &kernel.getBody().front())
      return;
    if (auto id = dyn_cast<gpu::BlockIdOp>(op);
        id && id.getDimension() == gpu::Dimension::x)
      replace(op, group);
    else if (auto size = dyn_cast<gpu::GridDimOp>(op);
             size && size.getDimension() == gpu::Dimension::x)
      replace(op, number);
  });
}
