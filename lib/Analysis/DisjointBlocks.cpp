//===- DisjointBlocks.cpp - What must not overlap at a launch -------------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The verifier sees operands of one memref. Those of two parameters overlap if the
// arrays of a launch do.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/DisjointBlocks.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tinytc;

/// Whether every group executes an instruction.
static bool isAlwaysExecuted(Operation *op) {
  Operation *parent = op->getParentOp();
  if (isa<FuncOp>(parent))
    return true;
  auto loop = dyn_cast<ForOp>(parent);
  if (!loop)
    return false;
  std::optional<int64_t> from = getConstantIntValue(loop.getFrom());
  std::optional<int64_t> to = getConstantIntValue(loop.getTo());
  return from && to && *from < *to && isAlwaysExecuted(loop);
}

/// Nothing for memrefs that are none of a parameter, and for unusual views.
static std::optional<ParameterBlock> getParameterBlock(Value memref) {
  Value root = getViewRoot(memref);
  MemrefBlock block = getBlock(memref, root);
  if (!block.isExact)
    return std::nullopt;
  ParameterBlock result{{}, {}, std::move(block.modes)};
  Value source = root;
  if (auto load = root.getDefiningOp<LoadOp>()) {
    source = load.getSource();
    BlockMode &member = result.member.emplace();
    Value index = load.getIndices().front();
    if (std::optional<int64_t> constant = getConstantIntValue(index))
      member.constant = *constant;
    else
      member.values.push_back(index);
  }
  result.parameter = dyn_cast<BlockArgument>(source);
  if (!result.parameter || !isa<FuncOp>(result.parameter.getOwner()->getParentOp()))
    return std::nullopt;
  return result;
}

/// Whether a place is the number of the group, in one dimension or the sum of several;
/// it is 0 in the first group, which every launch has.
static bool isGroupId(const BlockMode &mode) {
  return mode.constant == 0 && llvm::all_of(mode.values, [](Value value) {
           return isa_and_nonnull<GroupIdOp>(value.getDefiningOp());
         });
}

/// The modes that do not begin at 0 in the first group.
static SmallVector<unsigned> getMovedModes(const ParameterBlock &block) {
  SmallVector<unsigned> moved;
  for (auto [number, mode] : llvm::enumerate(block.modes))
    if (!isGroupId(mode))
      moved.push_back(number);
  return moved;
}

/// The mode of a block of a memref that counts the members of a group, too.
static std::optional<unsigned> getMemberMode(const ParameterBlock &memref,
                                             const BlockMode &member) {
  for (auto [number, mode] : llvm::enumerate(memref.modes))
    if (mode.beginsWith(member) && getConstantIntValue(mode.size) == 1)
      return number;
  return std::nullopt;
}

/// Whether the distance of two blocks is that of the parameters; sets which modes are
/// moved or count members.
static bool comparePlaces(DisjointBlocks &blocks) {
  const ParameterBlock &written = blocks.written, &read = blocks.read;
  for (const ParameterBlock *side : {&written, &read})
    if (side->member && (side->member->values.empty() || !isGroupId(*side->member)))
      return false;
  SmallVector<unsigned> moved = getMovedModes(written), other = getMovedModes(read);
  if (written.member && read.member && !written.member->beginsWith(*read.member))
    return false;
  if (written.member && !read.member)
    blocks.memberMode = getMemberMode(read, *written.member);
  if (read.member && !written.member)
    blocks.memberMode = getMemberMode(written, *read.member);
  blocks.moved = moved;
  return moved == other && llvm::all_of(moved, [&](unsigned mode) {
           return written.modes[mode].beginsWith(read.modes[mode]);
         });
}

std::vector<DisjointBlocks> tinytc::getDisjointBlocks(FuncOp func) {
  std::vector<DisjointBlocks> found;
  func.walk([&](BlasOpInterface op) {
    std::optional<ParameterBlock> written = getParameterBlock(op.getDestination());
    if (!written || !isAlwaysExecuted(op))
      return;
    for (const BlasFactor &factor : op.getFactors()) {
      std::optional<ParameterBlock> read = getParameterBlock(factor.operand->get());
      if (!read || read->parameter == written->parameter)
        continue;
      DisjointBlocks blocks{op, *written, *read, {}, {}};
      if (comparePlaces(blocks))
        found.push_back(std::move(blocks));
    }
  });
  return found;
}
