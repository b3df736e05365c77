//===- AlignmentVariants.cpp - What LLVM may assume of pointers -----------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// LLVM loads what is adjacent at once only if it knows the alignment, and gathers loads
// only if no store is between them. A kernel with products has variants that promise
// both; the launch looks whether arrays keep the promise.
//
//===----------------------------------------------------------------------===//

#include "dialect/DiscardableAttrs.h"
#include "dialect/Scalars.h"
#include "lib/Conversion/GPUToLLVM/Patterns.h"

#include <variant>

using namespace mlir;
using namespace mlir::tinytc;

using Manifest = TinyTCDialect::ManifestAttrHelper;

namespace {
/// A memref parameter of a kernel.
struct PointerParameter {
  unsigned index;
  /// What the program promises; 0 for nothing.
  int64_t alignment;
  /// Whether the kernel reads elements and writes none.
  bool isOnlyRead;
  int64_t elementBytes;
  /// The parameters that are strides of modes after the first one, whose elements are
  /// adjacent.
  SmallVector<unsigned> strides;
};

/// A group parameter of a kernel, a table of pointers.
struct GroupParameter {
  unsigned index;
  int64_t elementBytes;
  /// Elements from each pointer to its member: a number or a parameter.
  std::variant<int64_t, unsigned> offset;
};

struct Parameters {
  SmallVector<PointerParameter> memrefs;
  SmallVector<GroupParameter> groups;
};
} // namespace

static bool hasAccess(DictionaryAttr argument, ArrayRef<StringRef> kinds) {
  auto access = argument.getAs<StringAttr>("access");
  return access && llvm::is_contained(kinds, access.getValue());
}

/// Describes a group parameter at `index`, whose unknown offset would be parameter
/// `last`.
static GroupParameter getGroup(DictionaryAttr argument, unsigned index, unsigned last) {
  GroupParameter group{index, 0, last};
  if (auto type = argument.getAs<StringAttr>("element_type"))
    group.elementBytes = getSizeBytesOf(type);
  if (auto offset = argument.getAs<IntegerAttr>("offset"))
    group.offset = offset.getValue().getSExtValue();
  return group;
}

/// The parameters that are strides of a memref, of which the first is `next`.
static SmallVector<unsigned> getStrides(DictionaryAttr argument, unsigned next) {
  SmallVector<unsigned> strides;
  auto list = argument.getAs<ArrayAttr>("stride");
  if (!list || list.empty() || isa<UnitAttr>(list[0]))
    return strides;
  for (Attribute stride : list)
    if (isa<UnitAttr>(stride))
      strides.push_back(next++);
  return strides;
}

/// The memref and group parameters of a kernel, by its manifest and the kernel ABI.
/// Fails if the manifest is not one of this kernel.
static FailureOr<Parameters> getParameters(LLVM::LLVMFuncOp kernel,
                                           ArrayAttr arguments) {
  Parameters parameters;
  unsigned next = 0;
  // A number that is only known at the launch is a parameter of its own.
  auto countUnknown = [](Attribute value) -> unsigned {
    auto list = dyn_cast_or_null<ArrayAttr>(value);
    return list ? llvm::count_if(list, llvm::IsaPred<UnitAttr>)
                : isa_and_nonnull<UnitAttr>(value);
  };
  for (Attribute entry : arguments) {
    auto argument = dyn_cast<DictionaryAttr>(entry);
    auto kind = argument ? argument.getAs<StringAttr>("kind") : StringAttr();
    if (!kind || next >= kernel.getNumArguments())
      return failure();
    if (kind == "memref") {
      auto alignment = argument.getAs<IntegerAttr>("alignment");
      auto type = argument.getAs<StringAttr>("element_type");
      parameters.memrefs.push_back(
          {next, alignment ? alignment.getValue().getSExtValue() : 0,
           hasAccess(argument, {"read"}), type ? getSizeBytesOf(type) : 0,
           getStrides(argument, next + 1 + countUnknown(argument.get("shape")))});
      if (!isa<LLVM::LLVMPointerType>(kernel.getArgumentTypes()[next]) ||
          (alignment && !alignment.getValue().isPowerOf2()))
        return failure();
    }
    unsigned index = next++;
    if (kind != "scalar")
      for (StringRef sizes : {"shape", "stride"})
        next += countUnknown(argument.get(sizes));
    if (kind == "group") {
      for (StringRef sizes : {"size", "offset"})
        next += countUnknown(argument.get(sizes));
      if (next > kernel.getNumArguments())
        return failure();
      parameters.groups.push_back(getGroup(argument, index, next - 1));
    }
  }
  return parameters;
}

static void setAlignment(LLVM::LLVMFuncOp kernel, unsigned parameter, int64_t bytes) {
  Builder builder(kernel.getContext());
  kernel.setArgAttr(parameter, LLVM::LLVMDialect::getAlignAttrName(),
                    builder.getI64IntegerAttr(bytes));
}

/// Whether a kernel writes members of a group, whose places no launch looks at.
static bool writesGroups(ArrayAttr arguments) {
  return llvm::any_of(arguments.getAsRange<DictionaryAttr>(), [](DictionaryAttr entry) {
    auto kind = entry.getAs<StringAttr>("kind");
    return kind && kind == "group" && hasAccess(entry, {"write", "read_write"});
  });
}

/// Promises that nothing is written where the kernel reads through these pointers: LLVM
/// then loads what is adjacent at once, and through the cache for constants. What is
/// written gets no promise. LLVM would take it to hold for other lanes as well, whose
/// stores are visible after a barrier. Kernels that load atomically expect others to
/// write.
static void promiseNoOverlap(LLVM::LLVMFuncOp kernel,
                             ArrayRef<PointerParameter> pointers) {
  WalkResult atomics = kernel.walk([](LLVM::LoadOp load) {
    return load.getOrdering() == LLVM::AtomicOrdering::not_atomic
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  if (atomics.wasInterrupted())
    return;
  for (const PointerParameter &pointer : pointers)
    if (pointer.isOnlyRead)
      kernel.setArgAttr(pointer.index, LLVM::LLVMDialect::getNoAliasAttrName(),
                        UnitAttr::get(kernel.getContext()));
}

/// Promises that the columns of matrices begin at multiples of 16 bytes.
static void promiseStrides(LLVM::LLVMFuncOp kernel,
                           ArrayRef<PointerParameter> pointers) {
  auto builder =
      ImplicitLocOpBuilder::atBlockBegin(kernel.getLoc(), &kernel.getBody().front());
  for (const PointerParameter &pointer : pointers) {
    if (pointer.elementBytes == 0)
      continue;
    int64_t multiple = std::max<int64_t>(kVectorBytes / pointer.elementBytes, 1);
    for (unsigned index : pointer.strides) {
      BlockArgument stride = kernel.getArgument(index);
      Value mask = LLVM::ConstantOp::create(builder, stride.getType(),
                                            builder.getI64IntegerAttr(-multiple));
      Value rounded = LLVM::AndOp::create(builder, stride, mask);
      stride.replaceAllUsesExcept(rounded, rounded.getDefiningOp());
    }
  }
}

bool tinytc::hasAny(LLVM::LLVMFuncOp kernel, function_ref<bool(Operation *)> isChosen) {
  return kernel
      .walk([&](Operation *op) {
        return isChosen(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether a kernel adds up products in registers. Loads that LLVM may move over the
/// stores after such sums take registers away from them, and ptxas then spills.
static bool hasSums(LLVM::LLVMFuncOp kernel,
                    function_ref<bool(Operation *)> isUnitProduct) {
  return hasAny(kernel, [&](Operation *op) {
    auto sum = dyn_cast<LLVM::FMAOp>(op);
    if (!sum)
      return isUnitProduct(op);
    auto argument = dyn_cast<BlockArgument>(sum.getC());
    bool isCarried = argument && !argument.getOwner()->isEntryBlock();
    return isCarried || sum.getC().getDefiningOp<LLVM::FMAOp>();
  });
}

/// The parameter that an address in memory is computed from; null if it is none.
static BlockArgument getParameter(Value address) {
  while (auto place = address.getDefiningOp<LLVM::GEPOp>())
    address = place.getBase();
  auto argument = dyn_cast<BlockArgument>(address);
  return argument && argument.getOwner()->isEntryBlock() ? argument : BlockArgument();
}

/// Promises that the member that a pointer of a table leads to begins at a multiple of
/// 16 bytes.
static void promiseAlignment(LLVM::LoadOp pointer, const GroupParameter &group) {
  ImplicitLocOpBuilder builder(pointer.getLoc(), pointer);
  builder.setInsertionPointAfter(pointer);
  Type i64 = builder.getI64Type();
  auto constant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(builder, i64, value);
  };
  Value offset;
  if (const int64_t *known = std::get_if<int64_t>(&group.offset))
    offset = constant(*known * group.elementBytes);
  else
    offset =
        LLVM::MulOp::create(builder,
                            pointer->getParentOfType<LLVM::LLVMFuncOp>().getArgument(
                                std::get<unsigned>(group.offset)),
                            constant(group.elementBytes));
  Value member =
      LLVM::GEPOp::create(builder, pointer.getType(), builder.getI8Type(),
                          pointer.getResult(), ArrayRef<LLVM::GEPArg>{offset});
  Value always = LLVM::ConstantOp::create(builder, builder.getI1Type(), 1);
  LLVM::AssumeOp::create(builder, always, LLVM::AssumeAlignTag(), member,
                         constant(kVectorBytes));
}

/// Promises the alignment of all members.
static void promiseAlignedMembers(LLVM::LLVMFuncOp kernel,
                                  ArrayRef<GroupParameter> groups) {
  kernel.walk([&](LLVM::LoadOp load) {
    if (!isa<LLVM::LLVMPointerType>(load.getType()))
      return;
    BlockArgument table = getParameter(load.getAddr());
    const GroupParameter *group = llvm::find_if(groups, [&](GroupParameter each) {
      return table && each.index == table.getArgNumber();
    });
    if (group != groups.end() && group->elementBytes > 0)
      promiseAlignment(load, *group);
  });
}

/// A copy of a kernel right after it, without its manifest.
static LLVM::LLVMFuncOp createVariant(LLVM::LLVMFuncOp kernel, const Twine &name) {
  OpBuilder builder(kernel.getContext());
  builder.setInsertionPointAfter(kernel);
  auto variant = cast<LLVM::LLVMFuncOp>(builder.clone(*kernel));
  variant.setName(name.str());
  removeDiscardable<Manifest>(variant);
  return variant;
}

LogicalResult
tinytc::addAlignmentVariants(LLVM::LLVMFuncOp kernel,
                             function_ref<bool(Operation *)> isUnitProduct) {
  DictionaryAttr manifest = getDiscardable<Manifest>(kernel);
  auto arguments = manifest ? manifest.getAs<ArrayAttr>("arguments") : ArrayAttr();
  if (!arguments)
    return success();
  FailureOr<Parameters> parameters = getParameters(kernel, arguments);
  if (failed(parameters))
    return kernel.emitError("expected '")
           << Manifest::getNameStr() << "' to describe the parameters of '"
           << kernel.getName() << "', got " << arguments;
  ArrayRef<PointerParameter> pointers = parameters->memrefs;
  bool sumsUp = hasSums(kernel, isUnitProduct);
  bool mayOverlap = writesGroups(arguments) || sumsUp;
  bool isDebug = manifest.contains("checks");
  bool hasProducts = hasAny(
      kernel, [&](Operation *op) { return isa<LLVM::FMAOp>(op) || isUnitProduct(op); });
  if (isDebug || !hasProducts)
    return success();
  Builder builder(kernel.getContext());
  NamedAttrList entries(manifest);
  auto addVariant = [&](LLVM::LLVMFuncOp of, StringRef entry, StringRef suffix) {
    auto name = builder.getStringAttr(kernel.getName() + suffix);
    entries.set(entry, name);
    return createVariant(of, name.getValue());
  };
  LLVM::LLVMFuncOp aligned = kernel;
  if (!pointers.empty()) {
    aligned = addVariant(kernel, "aligned_variant", "__aligned");
    for (const PointerParameter &pointer : pointers)
      setAlignment(aligned, pointer.index, std::max(pointer.alignment, kVectorBytes));
    if (!mayOverlap)
      promiseNoOverlap(aligned, pointers);
    if (mayOverlap)
      entries.set("variant_may_overlap", builder.getBoolAttr(true));
    bool hasStrides = llvm::any_of(pointers, [](const PointerParameter &pointer) {
      return !pointer.strides.empty();
    });
    if (sumsUp && hasStrides) {
      promiseStrides(aligned, pointers);
      entries.set("aligned_strides", builder.getBoolAttr(true));
    }
  }
  if (!parameters->groups.empty())
    promiseAlignedMembers(
        addVariant(aligned, "aligned_members_variant", "__aligned_members"),
        parameters->groups);
  setDiscardable<Manifest>(kernel, entries.getDictionary(kernel.getContext()));
  return success();
}
