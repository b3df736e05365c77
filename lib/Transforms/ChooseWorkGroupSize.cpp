//===- ChooseWorkGroupSize.cpp - Sizes of work-group and subgroup ---------===//

#include "dialect/Passes.h"

#include "llvm/ADT/StringExtras.h"

namespace mlir::tinytc {
#define GEN_PASS_DEF_CHOOSEWORKGROUPSIZEPASS
#include "dialect/Passes.h.inc"
} // namespace mlir::tinytc

using namespace mlir;
using namespace mlir::tinytc;

/// The subgroup size where neither the kernel nor the table says otherwise: on all of
/// our targets 16 lanes of f32 fill a vector register.
static constexpr int32_t kPreferredSubgroupSize = 16;

/// Rows that the largest collective instruction of the kernel writes.
static int64_t getMaxRows(FuncOp func) {
  int64_t rows = 1;
  func.walk([&](Operation *op) {
    if (!op->hasTrait<Collective>() || op->getNumOperands() == 0)
      return;
    auto type =
        dyn_cast<MemrefType>(op->getOperands().back().getType());
    if (type && type.getOrder() > 0 && !type.isDynamicSize(0))
      rows = std::max(rows, type.getShape()[0]);
  });
  return rows;
}

/// Subgroups that one work-group is made of, if that is left open. One on the CPU, whose
/// cores run one work-group each; enough for the rows of the kernel on a GPU.
static int32_t chooseNumSubgroups(FuncOp func, TargetAttr target,
                                  int32_t subgroupSize) {
  if (target.getName() == "cpu")
    return 1;
  int64_t needed = llvm::divideCeil(getMaxRows(func), int64_t(subgroupSize));
  return std::clamp<int64_t>(needed, 1, 8);
}

/// The subgroup size: the kernel's own, else one that divides its work-group size.
static FailureOr<int32_t> chooseSubgroupSize(FuncOp func, TargetAttr target) {
  ArrayRef<int32_t> supported = target.getSubgroupSizes();
  auto list = [&] {
    return llvm::join(
        llvm::map_range(supported, [](int32_t size) { return std::to_string(size); }),
        ", ");
  };
  if (std::optional<uint32_t> size = func.getSubgroupSize()) {
    if (llvm::is_contained(supported, static_cast<int32_t>(*size)))
      return static_cast<int32_t>(*size);
    return func.emitError("expected 'subgroup_size' to be one of ")
           << list() << " on target '" << target.getName() << "', got " << *size;
  }
  std::optional<ArrayRef<int32_t>> group = func.getWorkGroupSize();
  auto fits = [&](int32_t size) { return !group || (*group)[0] % size == 0; };
  if (llvm::is_contained(supported, kPreferredSubgroupSize) &&
      fits(kPreferredSubgroupSize))
    return kPreferredSubgroupSize;
  for (int32_t size : llvm::reverse(supported))
    if (fits(size))
      return size;
  return func.emitError("expected the first mode of 'work_group_size' to be a multiple "
                        "of one of the subgroup sizes ")
         << list() << " of target '" << target.getName() << "', got " << (*group)[0];
}

static LogicalResult chooseSizes(FuncOp func, TargetAttr target) {
  FailureOr<int32_t> subgroupSize = chooseSubgroupSize(func, target);
  if (failed(subgroupSize))
    return failure();
  SmallVector<int32_t> group;
  if (std::optional<ArrayRef<int32_t>> given = func.getWorkGroupSize())
    group = llvm::to_vector(*given);
  else
    group = {*subgroupSize * chooseNumSubgroups(func, target, *subgroupSize), 1};

  int64_t product = int64_t(group[0]) * group[1];
  if (product > target.getMaxWorkGroupSize())
    return func.emitError("expected the product of 'work_group_size' to be at most ")
           << target.getMaxWorkGroupSize() << " on target '" << target.getName()
           << "', got " << group[0] << " * " << group[1] << " = " << product;
  func.setSubgroupSize(*subgroupSize);
  func.setWorkGroupSize(ArrayRef<int32_t>(group));
  return success();
}

namespace {
struct ChooseWorkGroupSize final
    : tinytc::impl::ChooseWorkGroupSizePassBase<ChooseWorkGroupSize> {
  using ChooseWorkGroupSizePassBase::ChooseWorkGroupSizePassBase;

  void runOnOperation() override {
    auto target = getOperation()->getAttrOfType<TargetAttr>(kTargetAttrName);
    if (!target) {
      getOperation().emitError("expected the module to have a target, run "
                               "tinytc-attach-target first");
      return signalPassFailure();
    }
    for (FuncOp func : getOperation().getOps<FuncOp>())
      if (failed(chooseSizes(func, target)))
        return signalPassFailure();
  }
};
} // namespace
