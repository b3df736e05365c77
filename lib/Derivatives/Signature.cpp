//===- Signature.cpp - Parameters of derivatives --------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/Derivatives/Signature.h"
#include "dialect/DiscardableAttrs.h"
#include "lib/Derivatives/Buffers.h"
#include "lib/Derivatives/Derivatives.h"

#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::tinytc;
using namespace mlir::tinytc::derivatives;

using NameAttr = TinyTCDialect::NameAttrHelper;
using ModesAttr = TinyTCDialect::ModesAttrHelper;
using NonzeroAttr = TinyTCDialect::NonzeroAttrHelper;
using BufferAttr = TinyTCDialect::BufferAttrHelper;

bool derivatives::isMemoryName(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return isa<MemrefType>(load.getType());
  return isa<ViewLikeOpInterface, AllocaOp, LifetimeStopOp>(op);
}

LogicalResult derivatives::addToKernels(ModuleOp module, StringRef name,
                                        function_ref<LogicalResult(FuncOp)> add) {
  // Taken first, as derivatives are kernels of the module, too.
  auto kernels = llvm::filter_to_vector(module.getOps<FuncOp>(), [&](FuncOp func) {
    return name.empty() || func.getSymName() == name;
  });
  if (!name.empty() && kernels.empty())
    return module.emitError("expected a kernel named '") << name << "', got none";
  return success(
      llvm::all_of(kernels, [&](FuncOp func) { return succeeded(add(func)); }));
}

StringRef derivatives::getParameterName(FuncOp func, unsigned index) {
  if (StringAttr name = getParameterAttr<NameAttr>(func, index))
    return name;
  if (auto named = dyn_cast<NameLoc>(func.getArgument(index).getLoc()))
    return named.getName();
  return {};
}

FailureOr<SmallVector<unsigned>>
derivatives::selectParameters(FuncOp func, ArrayRef<std::string> names) {
  SmallVector<unsigned> selected;
  unsigned count = func.getNumArguments();
  for (unsigned index = 0; names.empty() && index < count; ++index)
    if (isDifferentiable(func.getArgumentTypes()[index]) &&
        !isBuffer(func.getArgument(index)))
      selected.push_back(index);
  for (StringRef name : names) {
    unsigned index = 0;
    if (name.getAsInteger(10, index))
      for (index = 0; index < count && getParameterName(func, index) != name;)
        ++index;
    if (index >= count)
      return func.emitOpError("expected a parameter '") << name << "', got none";
    if (!isDifferentiable(func.getArgumentTypes()[index]))
      return func.emitOpError("expected parameter '")
             << name << "' to be of floating or complex type, got "
             << func.getArgumentTypes()[index];
    selected.push_back(index);
  }
  return selected;
}

bool derivatives::isActiveParameter(const Activity &activity, FuncOp func,
                                    unsigned index) {
  return activity.isActive(func.getArgument(index));
}

/// A name with a suffix, and with a number if a parameter of the function has it, as
/// the adjoint of `A` has in the derivative of a derivative.
static std::string getFreshName(FuncOp func, const Twine &name) {
  auto isTaken = [&](StringRef candidate) {
    return llvm::any_of(llvm::seq(func.getNumArguments()), [&](unsigned index) {
      return getParameterName(func, index) == candidate;
    });
  };
  std::string candidate = name.str();
  for (unsigned number = 2; isTaken(candidate); ++number)
    candidate = (name + Twine(number)).str();
  return candidate;
}

Value derivatives::addParameter(FuncOp kernel, FuncOp func, unsigned index,
                                StringRef suffix, Type type) {
  MLIRContext *context = func.getContext();
  Location loc = func.getArgument(index).getLoc();
  std::string of = getParameterName(func, index).str();
  if (of.empty())
    of = ("arg" + Twine(index)).str();
  std::string name = getFreshName(func, of + suffix);
  if (auto named = dyn_cast<NameLoc>(loc))
    loc = named.getChildLoc();
  unsigned place = kernel.getNumArguments();
  (void)kernel.insertArgument(place, type, {},
                              NameLoc::get(StringAttr::get(context, name), loc));
  if (getParameterAttr<NameAttr>(func, index))
    kernel.setArgAttr(place, NameAttr::getNameStr(), StringAttr::get(context, name));
  if (auto modes = getParameterAttr<ModesAttr>(func, index))
    if (type == func.getArgumentTypes()[index])
      kernel.setArgAttr(place, ModesAttr::getNameStr(), modes);
  if (auto nonzero = getParameterAttr<NonzeroAttr>(func, index))
    kernel.setArgAttr(place, NonzeroAttr::getNameStr(), nonzero);
  if (auto buffer = getParameterAttr<BufferAttr>(func, index))
    kernel.setArgAttr(place, BufferAttr::getNameStr(), buffer);
  return kernel.getArgument(place);
}

//===----------------------------------------------------------------------===//
// Memory shared by groups
//===----------------------------------------------------------------------===//

/// The modes of the source that an access fixes to the index of the group in one
/// dimension.
static SmallVector<int64_t> getModesOfGroup(Operation *access, Dimension dimension) {
  auto isGroupId = [&](Value value) {
    auto id = value.getDefiningOp<GroupIdOp>();
    return id && id.getDimension() == dimension;
  };
  SmallVector<int64_t> modes;
  ValueRange indices;
  if (auto load = dyn_cast<LoadOp>(access)) {
    for (auto [mode, index] : llvm::enumerate(load.getIndices()))
      if (isGroupId(index))
        modes.push_back(mode);
  } else if (auto subview = dyn_cast<SubviewOp>(access)) {
    unsigned next = 0;
    for (auto [mode, offset] : llvm::enumerate(subview.getStaticOffsets())) {
      if (!ShapedType::isDynamic(offset))
        continue;
      Value value = subview.getOffsets()[next++];
      if (subview.getStaticSizes()[mode] <= 1 &&
          !ShapedType::isDynamic(subview.getStaticSizes()[mode]) && isGroupId(value))
        modes.push_back(mode);
    }
  }
  return modes;
}

static bool isWritten(FuncOp func, Value parameter) {
  return func
      ->walk([&](Operation *op) {
        for (const MemrefUse &use : getMemrefUses(op))
          if (use.isWritten && getStorage(use.memref) == parameter)
            return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

ArrayRef<Dimension> derivatives::getGridModes(FuncOp func) {
  static constexpr Dimension kDimensions[] = {Dimension::X, Dimension::Y, Dimension::Z};
  size_t count = 1;
  func->walk([&](GroupIdOp id) {
    count = std::max<size_t>(count, llvm::find(kDimensions, id.getDimension()) -
                                        kDimensions + 1);
  });
  return ArrayRef(kDimensions).take_front(count);
}

/// Whether each group accesses the entry of one mode, or the member of a group, that
/// its index in a dimension names.
static bool hasOwnEntries(Value parameter, Dimension dimension) {
  std::optional<SmallVector<int64_t>> common;
  for (Operation *user : parameter.getUsers()) {
    if (isa<SizeOp, AssociatedOp>(user))
      continue;
    SmallVector<int64_t> modes = getModesOfGroup(user, dimension);
    if (common)
      llvm::erase_if(modes, [&](int64_t m) { return !llvm::is_contained(*common, m); });
    common = modes;
  }
  return !common || !common->empty();
}

Sharing derivatives::getSharing(FuncOp func, unsigned index) {
  Value parameter = func.getArgument(index);
  if (isBuffer(parameter))
    return Sharing::None;
  if (!isa<MemrefType, GroupType>(parameter.getType()))
    return Sharing::Read;
  auto hasOwn = [&](Dimension dimension) {
    return hasOwnEntries(parameter, dimension);
  };
  if (llvm::all_of(getGridModes(func), hasOwn))
    return Sharing::None;
  return isWritten(func, parameter) ? Sharing::Written : Sharing::Read;
}

//===----------------------------------------------------------------------===//
// Helpers of rules and passes
//===----------------------------------------------------------------------===//

LogicalResult derivatives::refuse(Operation *op, const Twine &reason) {
  return op->emitOpError("expected an instruction that can be differentiated, got one "
                         "that cannot: ")
         << reason;
}

LogicalResult derivatives::refuseWrites(CooperativeMatrixApplyOp apply) {
  WalkResult result = apply->walk([&](Operation *op) {
    bool isWritten = llvm::any_of(getMemrefUses(op),
                                  [](const MemrefUse &use) { return use.isWritten; });
    return isWritten ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted() ? refuse(apply, "its region writes memory")
                                 : success();
}

LogicalResult derivatives::refuseWithoutRule(Operation *op) {
  if (isa<BitcastOp>(op))
    return refuse(op, "bits have no derivative");
  if (isa<AtomicMinOp, AtomicMaxOp, CooperativeMatrixReduceMinOp,
          CooperativeMatrixReduceMaxOp, CooperativeMatrixAtomicMinOp,
          CooperativeMatrixAtomicMaxOp>(op))
    return refuse(op, "which of several values is the result is not known later");
  if (isa<AtomicOpInterface>(op))
    return refuse(op, "what others write at the same time is not known later");
  return refuse(op, "there is no rule for it");
}

LogicalResult derivatives::simplifyKernel(FuncOp func) {
  eraseDeadMemory(func);
  PassManager manager(func.getContext(), FuncOp::getOperationName());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  if (failed(manager.run(func)))
    return failure();
  eraseUnusedBuffers(func);
  return success();
}

void derivatives::attachDerivativeRules(DialectRegistry &registry) {
  attachBlasRules(registry);
  attachFactorRules(registry);
  attachOrthogonalRules(registry);
  attachCoopMatrixRules(registry);
  attachMatrixComponentRules(registry);
  attachMemoryRules(registry);
  attachScalarRules(registry);
  attachSubgroupRules(registry);
}
