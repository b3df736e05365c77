//===- DiscardableAttrs.cpp - Our attributes on ops of any dialect --------===//
// SPDX-License-Identifier: BSD-3-Clause
//
// Checks the ops and the values of the attributes that ODS declares for the dialect.
//
//===----------------------------------------------------------------------===//

#include "dialect/DiscardableAttrs.h"
#include "lib/IR/Verify.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tinytc;

using TargetHelper = TinyTCDialect::TargetAttrHelper;
using SubgroupSize = TinyTCDialect::SubgroupSizeAttrHelper;
using WorkGroupSize = TinyTCDialect::WorkGroupSizeAttrHelper;
using Schedule = TinyTCDialect::ScheduleAttrHelper;
using LocalOffset = TinyTCDialect::LocalOffsetAttrHelper;
using Strategy = TinyTCDialect::StrategyAttrHelper;
using Unroll = TinyTCDialect::UnrollAttrHelper;
using Fences = TinyTCDialect::FencesAttrHelper;
using Elements = TinyTCDialect::ElementsAttrHelper;
using Alignment = TinyTCDialect::AlignmentAttrHelper;
using ShapeGcd = TinyTCDialect::ShapeGcdAttrHelper;
using StrideGcd = TinyTCDialect::StrideGcdAttrHelper;
using Nonzero = TinyTCDialect::NonzeroAttrHelper;
using Manifest = TinyTCDialect::ManifestAttrHelper;
using Modes = TinyTCDialect::ModesAttrHelper;
using Buffer = TinyTCDialect::BufferAttrHelper;
using Name = TinyTCDialect::NameAttrHelper;

//===----------------------------------------------------------------------===//
// Access
//===----------------------------------------------------------------------===//

TargetAttr tinytc::findTarget(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  return module ? getDiscardable<TargetHelper>(module) : TargetAttr();
}

ManifestAttr tinytc::getManifest(Operation *kernel) {
  if (ManifestAttr manifest = getDiscardable<Manifest>(kernel))
    return manifest;
  return ManifestAttr::get(kernel->getContext(), KernelAttr(), {}, std::nullopt,
                           std::nullopt, std::nullopt, StringAttr(), StringAttr(),
                           false, false, false, GroupBoundsAttr());
}

void tinytc::setManifest(Operation *kernel, ManifestAttr manifest) {
  setDiscardable<Manifest>(kernel, manifest);
}

std::optional<bool> tinytc::getUnroll(Operation *loop) {
  if (std::optional<int64_t> factor = getUnrollFactor(loop))
    return *factor > 1;
  if (IntegerAttr unroll = getDiscardable<Unroll>(loop))
    return unroll.getValue().getBoolValue();
  return std::nullopt;
}

std::optional<int64_t> tinytc::getUnrollFactor(Operation *loop) {
  IntegerAttr unroll = getDiscardable<Unroll>(loop);
  if (!unroll || !unroll.getType().isSignlessInteger(64))
    return std::nullopt;
  return unroll.getInt();
}

void tinytc::setUnroll(Operation *loop, bool value) {
  auto type = IntegerType::get(loop->getContext(), 1);
  setDiscardable<Unroll>(loop, IntegerAttr::get(type, value));
}

FailureOr<KernelSizes> tinytc::getKernelSizes(FunctionOpInterface kernel) {
  IntegerAttr subgroupSize = getDiscardable<SubgroupSize>(kernel);
  DenseI32ArrayAttr workGroupSize = getDiscardable<WorkGroupSize>(kernel);
  if (subgroupSize && workGroupSize)
    return KernelSizes{static_cast<int32_t>(subgroupSize.getInt()),
                       workGroupSize.asArrayRef()};
  return kernel.emitError("expected the kernel to have the attributes '")
         << WorkGroupSize::getNameStr() << "' and '" << SubgroupSize::getNameStr()
         << "', got " << (subgroupSize ? "only the latter" : "")
         << (workGroupSize ? "only the former" : "")
         << (subgroupSize || workGroupSize ? "" : "neither");
}

//===----------------------------------------------------------------------===//
// Attributes of ops
//===----------------------------------------------------------------------===//

namespace {

/// The requirement on an op with one of our attributes, and on the attribute itself.
struct AttrRule {
  StringLiteral name;
  StringLiteral op;
  bool (*isOp)(Operation *);
  StringLiteral value;
  bool (*hasClass)(Attribute);
  /// Asked only of an attribute of the class.
  bool (*isValue)(Attribute);

  bool accepts(Attribute attr) const { return hasClass(attr) && isValue(attr); }
};

} // namespace

/// Unregistered ops have no dialect.
static bool isForeign(Operation *op) {
  return !isa_and_nonnull<TinyTCDialect>(op->getDialect());
}

static bool isForeignKernel(Operation *op) {
  return isForeign(op) && isa<FunctionOpInterface>(op);
}

static bool isKernel(Operation *op) { return isa<FuncOp>(op) || isForeignKernel(op); }

static bool isNoOp(Operation *) { return false; }

template <typename... Ops>
static bool isOp(Operation *op) {
  return isa<Ops...>(op);
}

static bool isNamed(Operation *op, StringRef name) {
  return op->getName().getStringRef() == name;
}

static bool mayHaveStrategy(Operation *op) {
  return isa<BlasOpInterface, CooperativeMatrixMulAddOp, CooperativeMatrixLoadOp>(op) ||
         isNamed(op, "linalg.generic") || isNamed(op, "scf.forall");
}

template <unsigned width>
static bool isInteger(Attribute value) {
  return cast<IntegerAttr>(value).getType().isSignlessInteger(width);
}

static bool areAddressSpaces(Attribute value) {
  return llvm::all_of(cast<ArrayAttr>(value), llvm::IsaPred<AddressSpaceAttr>);
}

static bool areNumbersOfBytes(Attribute value) {
  Type element = cast<DenseElementsAttr>(value).getElementType();
  return element.isIntOrFloat() &&
         llvm::is_contained({8u, 16u, 32u, 64u}, element.getIntOrFloatBitWidth());
}

static bool areBoxes(Attribute value) {
  return llvm::all_of(cast<ArrayAttr>(value), llvm::IsaPred<DenseI64ArrayAttr>);
}

/// The rule of the attribute that `Helper` stands for. Its name and class are those of
/// ODS, and `isValue` says what else is asked of the value.
template <typename Helper>
static AttrRule makeRule(
    StringLiteral op, bool (*isOp)(Operation *), StringLiteral value,
    bool (*isValue)(Attribute) = [](Attribute) { return true; }) {
  auto hasClass = [](Attribute attr) {
    return isa<decltype(std::declval<Helper>().getAttr(nullptr))>(attr);
  };
  return {Helper::getNameStr(), op, isOp, value, hasClass, isValue};
}

static const AttrRule kAttrRules[] = {
    makeRule<TargetHelper>("a module", isOp<ModuleOp>, "a target"),
    makeRule<SubgroupSize>("a kernel of another dialect", isForeignKernel, "an i32",
                           isInteger<32>),
    makeRule<WorkGroupSize>("a kernel of another dialect", isForeignKernel,
                            "an array of i32"),
    makeRule<Schedule>("a kernel of another dialect", isForeignKernel, "a schedule"),
    makeRule<Manifest>("a kernel", isKernel, "a manifest"),
    makeRule<LocalOffset>("an alloca or a gemm", isOp<AllocaOp, GemmOp>, "an i64",
                          isInteger<64>),
    makeRule<Strategy>("a BLAS-like instruction, a cooperative_matrix_mul_add, a "
                       "cooperative_matrix_load, a linalg.generic or an scf.forall",
                       mayHaveStrategy, "a strategy"),
    makeRule<Unroll>(
        "a loop of another dialect",
        [](Operation *op) { return isForeign(op) && isa<LoopLikeOpInterface>(op); },
        "true, false or a positive i64",
        [](Attribute value) {
          auto integer = cast<IntegerAttr>(value);
          return integer.getType().isSignlessInteger(1) ||
                 (integer.getType().isSignlessInteger(64) && integer.getInt() > 0);
        }),
    makeRule<Fences>(
        "a gpu.barrier", [](Operation *op) { return isNamed(op, "gpu.barrier"); },
        "an array of address spaces", areAddressSpaces),
    makeRule<Elements>(
        "a spirv.GlobalVariable",
        [](Operation *op) { return isNamed(op, "spirv.GlobalVariable"); },
        "dense integers or floating-point numbers of 8 to 64 bits", areNumbersOfBytes),
    makeRule<Alignment>("a parameter of a kernel", isNoOp, "an i64", isInteger<64>),
    makeRule<ShapeGcd>("a parameter of a kernel", isNoOp, "an array of i64"),
    makeRule<StrideGcd>("a parameter of a kernel", isNoOp, "an array of i64"),
    makeRule<Nonzero>("a parameter of a kernel", isNoOp, "an array of arrays of i64",
                      areBoxes),
    makeRule<Modes>("a parameter of a kernel", isNoOp, "an array of i64"),
    makeRule<Buffer>("a parameter of a kernel", isNoOp, "an array of i64"),
    makeRule<Name>("a parameter of a kernel", isNoOp, "a string that is not empty",
                   [](Attribute value) { return !cast<StringAttr>(value).empty(); }),
};

static const AttrRule *findRule(StringRef name) {
  const auto *rule = llvm::find_if(
      kAttrRules, [&](const AttrRule &candidate) { return candidate.name == name; });
  return rule == std::end(kAttrRules) ? nullptr : rule;
}

/// Checks the sizes of a kernel of another dialect. A size of another type than i32 is
/// left to the rule of its attribute, which may not have been asked yet.
static LogicalResult verifySizes(Operation *op) {
  std::optional<int32_t> subgroupSize;
  if (IntegerAttr size = getDiscardable<SubgroupSize>(op); size && isInteger<32>(size))
    subgroupSize = size.getInt();
  std::optional<ArrayRef<int32_t>> workGroupSize;
  if (DenseI32ArrayAttr size = getDiscardable<WorkGroupSize>(op))
    workGroupSize = size.asArrayRef();
  return verifyKernelSizes(op, subgroupSize, workGroupSize);
}

LogicalResult TinyTCDialect::verifyOperationAttribute(Operation *op,
                                                      NamedAttribute attr) {
  // attribute_c1
  const AttrRule *rule = findRule(attr.getName());
  if (!rule) {
    auto names = llvm::map_range(
        kAttrRules, [](const AttrRule &known) { return known.name.str(); });
    return op->emitOpError("expected one of the attributes ")
           << llvm::join(names, ", ") << " of the dialect, got " << attr.getName();
  }
  // attribute_c2
  if (!rule->isOp(op))
    return op->emitOpError("expected '") << rule->name << "' on " << rule->op
                                         << ", got it on '" << op->getName() << "'";
  // attribute_c3
  if (!rule->accepts(attr.getValue()))
    return op->emitOpError("expected '")
           << rule->name << "' to be " << rule->value << ", got " << attr.getValue();
  // attribute_c4
  if (isForeignKernel(op))
    return verifySizes(op);
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes of parameters and results
//===----------------------------------------------------------------------===//

namespace {

/// The properties of the memrefs of a memref or group parameter, ours or a builtin one.
struct ParameterMemref {
  Type elementType;
  SmallVector<int64_t> shape, stride;
};

} // namespace

static std::optional<ParameterMemref> getParameterMemref(Type type) {
  if (auto group = dyn_cast<GroupType>(type))
    type = group.getMemrefType();
  if (auto memref = dyn_cast<MemrefType>(type))
    return ParameterMemref{memref.getElementType(), llvm::to_vector(memref.getShape()),
                           llvm::to_vector(memref.getStride())};
  auto builtin = dyn_cast<MemRefType>(type);
  if (!builtin)
    return std::nullopt;
  if (auto member = dyn_cast<MemRefType>(builtin.getElementType()))
    builtin = member;
  if (!isScalarType(builtin.getElementType()))
    return std::nullopt;
  SmallVector<int64_t> stride;
  int64_t offset;
  if (failed(builtin.getStridesAndOffset(stride, offset)))
    stride.assign(builtin.getRank(), ShapedType::kDynamic);
  return ParameterMemref{builtin.getElementType(), llvm::to_vector(builtin.getShape()),
                         stride};
}

/// Checks a list of divisors against the sizes or the strides that it divides.
static LogicalResult verifyGcds(Operation *op, unsigned index, StringRef name,
                                ArrayRef<int64_t> gcds, ArrayRef<int64_t> sizes) {
  // func_c8
  for (int64_t gcd : gcds)
    if (gcd < 1)
      return op->emitOpError("expected the entries of '")
             << name << "' of parameter " << index << " to be positive, got " << gcd;
  // func_c9
  for (auto [mode, gcd, size] :
       llvm::enumerate(gcds.take_front(sizes.size()), sizes.take_front(gcds.size())))
    if (!ShapedType::isDynamic(size) && size % gcd != 0)
      return op->emitOpError("expected entry ")
             << mode << " of '" << name << "' of parameter " << index << " to divide "
             << size << ", got " << gcd;
  return success();
}

/// Whether a launch knows the size that four numbers of a buffer name.
static bool isLaunchSize(FunctionOpInterface func, unsigned index,
                         ArrayRef<int64_t> numbers) {
  int64_t parameter = numbers[0], mode = numbers[1];
  if (numbers[3] < 1)
    return false;
  if (parameter == -1)
    return mode >= 0 && mode < 3;
  if (!func || parameter < 0 || parameter >= int64_t(index))
    return false;
  Type type = func.getArgumentTypes()[parameter];
  if (type.isIntOrIndex() || isa<GroupType>(type))
    return mode == -1;
  std::optional<ParameterMemref> memref = getParameterMemref(type);
  return memref && mode >= 0 && mode < int64_t(memref->shape.size());
}

static LogicalResult verifyBuffer(Operation *op, unsigned index,
                                  ArrayRef<int64_t> shape, ArrayRef<int64_t> numbers) {
  // func_c14
  int64_t dynamic = llvm::count_if(shape, ShapedType::isDynamic);
  if (int64_t(numbers.size()) != 4 * dynamic)
    return op->emitOpError("expected '")
           << Buffer::getNameStr() << "' of parameter " << index
           << " to have four numbers for each of " << dynamic << " dynamic sizes, got ["
           << numbers << "]";
  for (; !numbers.empty(); numbers = numbers.drop_front(4))
    if (!isLaunchSize(dyn_cast<FunctionOpInterface>(op), index, numbers))
      return op->emitOpError("expected '")
             << Buffer::getNameStr() << "' of parameter " << index
             << " to have an earlier integer or a mode of an earlier array, or a "
                "dimension of groups, and a positive divisor, got ["
             << numbers.take_front(4) << "]";
  return success();
}

LogicalResult TinyTCDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                      unsigned index,
                                                      NamedAttribute attr) {
  StringRef name = attr.getName();
  const AttrRule *rule = findRule(name);
  // func_c6
  if (!rule || rule->isOp != isNoOp)
    return op->emitOpError("expected one of the attributes '")
           << Alignment::getNameStr() << "', '" << ShapeGcd::getNameStr() << "', '"
           << StrideGcd::getNameStr() << "', '" << Nonzero::getNameStr() << "', '"
           << Modes::getNameStr() << "', '" << Buffer::getNameStr() << "' and '"
           << Name::getNameStr() << "' on parameter " << index << ", got '" << name
           << "'";
  auto isAccepted = [&] { return rule->accepts(attr.getValue()); };
  auto emitValueError = [&] {
    return op->emitOpError("expected '")
           << name << "' of parameter " << index << " to be " << rule->value << ", got "
           << attr.getValue();
  };
  if (name == Name::getNameStr())
    return isAccepted() ? success() : LogicalResult(emitValueError());
  auto func = dyn_cast<FunctionOpInterface>(op);
  Type type = func ? func.getArgumentTypes()[index]
                   : op->getRegion(0).getArgument(index).getType();
  std::optional<ParameterMemref> memref = getParameterMemref(type);
  if (!memref)
    return op->emitOpError("expected '")
           << name << "' on a memref or group parameter, got it on parameter " << index
           << " of type " << type;
  if (!isAccepted())
    return emitValueError();
  // func_c13
  if (name == Modes::getNameStr()) {
    auto modes = cast<DenseI64ArrayAttr>(attr.getValue()).asArrayRef();
    if (modes.size() == memref->shape.size() && isPermutationVector(modes))
      return success();
    return op->emitOpError("expected '")
           << name << "' of parameter " << index << " to be a permutation of "
           << memref->shape.size() << " modes, got [" << modes << "]";
  }
  if (name == Buffer::getNameStr())
    return verifyBuffer(op, index, memref->shape,
                        cast<DenseI64ArrayAttr>(attr.getValue()));
  // func_c15
  if (name == Nonzero::getNameStr())
    return verifyNonzero(op, "'" + name + "' of parameter " + Twine(index),
                         cast<ArrayAttr>(attr.getValue()), memref->shape);
  // func_c7
  if (auto alignment = dyn_cast<IntegerAttr>(attr.getValue()))
    return verifyAlignment(op, "'" + name + "' of parameter " + Twine(index),
                           alignment.getInt(), memref->elementType);
  return verifyGcds(op, index, name, cast<DenseI64ArrayAttr>(attr.getValue()),
                    name == ShapeGcd::getNameStr() ? memref->shape : memref->stride);
}

LogicalResult TinyTCDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                         unsigned index,
                                                         NamedAttribute attr) {
  // attribute_c2
  return op->emitOpError("expected no attribute of the dialect on result ")
         << index << ", got " << attr.getName();
}
