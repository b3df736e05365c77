//===- TinyTC.cpp - C API of tinytc ---------------------------------------===//
// SPDX-License-Identifier: BSD-3-Clause

#include "lib/CAPI/TinyTC.h"

#include "dialect/DiscardableAttrs.h"
#include "dialect/Register.h"
#include "dialect/TinyTC.h"
#include "dialect/tile/Tile.h"
#include "lib/Analysis/ModuleTarget.h"
#include "lib/Families/SPIRV/Drivers/Driver.h"
#include "lib/Pipeline/Emit.h"
#include "lib/Pipeline/Pipelines.h"
#include "lib/Pipeline/StageStamp.h"
#include "lib/Strategies/DescribeStrategies.h"
#include "lib/Target/Target.h"
#include "lib/Tile/Bytecode/Bytecode.h"
#include "lib/Transforms/Manifest.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::tinytc;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(TinyTC, tinytc, tinytc::TinyTCDialect)
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Tile, tile, tile::TileDialect)

/// The dialect asks for targets wherever it is loaded, also through the handle above.
[[maybe_unused]] static const bool kHasFamilies = (registerFamilies(), true);

void mlirTinyTCRegisterPasses() { registerPassesAndPipelines(); }

MlirStringRef mlirTinyTCGetStageStamp() { return wrap(getStageStamp()); }

void mlirTinyTCExplainStageStamp(MlirStringRef head, MlirStringCallback onReason,
                                 void *userData) {
  if (auto reason = explainStageStamp(unwrap(head)))
    onReason(wrap(StringRef(*reason)), userData);
}

intptr_t mlirTinyTCGetTargetCount() { return getTargets().size(); }

MlirTinyTCTarget mlirTinyTCGetTarget(intptr_t index) {
  const Target &target = getTargets()[index];
  return {
      wrap(target.name),           wrap(target.alias),
      wrap(target.family),         static_cast<intptr_t>(target.subgroupSizes.size()),
      target.subgroupSizes.data(), target.hasF64,
      target.localMemoryBytes};
}

void mlirTinyTCDescribeFamilies(MlirStringCallback onJson, void *userData) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(describeFamilies());
  onJson(wrap(StringRef(text)), userData);
}

intptr_t mlirTinyTCGetTargetOf(MlirOperation module) {
  TargetAttr target = findTarget(unwrap(module));
  return target ? lookupTarget(target.getName()) - getTargets().data() : -1;
}

void mlirTinyTCGetKernelsOf(MlirOperation binary, MlirStringCallback onName,
                            void *userData) {
  if (auto op = dyn_cast<gpu::BinaryOp>(unwrap(binary)))
    for (auto object : op.getObjects().getAsRange<gpu::ObjectAttr>())
      if (gpu::KernelTableAttr kernels = object.getKernels())
        for (gpu::KernelMetadataAttr kernel : kernels)
          onName(wrap(kernel.getName().getValue()), userData);
}

static FailureOr<Binary> emit(MlirOperation lowered, bool withLines) {
  Operation *op = unwrap(lowered);
  if (auto module = dyn_cast<ModuleOp>(op))
    return emitBinary(module, withLines);
  return op->emitError("expected a module, got '") << op->getName() << "'";
}

static MlirStringRef getBytes(const Binary &binary) {
  return wrap(StringRef(binary.code));
}

MlirLogicalResult mlirTinyTCEmit(MlirOperation lowered, MlirStringCallback onCode,
                                 MlirStringCallback onManifest, void *userData) {
  FailureOr<Binary> binary = emit(lowered, /*withLines=*/false);
  if (failed(binary))
    return wrap(LogicalResult(failure()));
  onCode(getBytes(*binary), userData);
  onManifest(wrap(StringRef(binary->manifest)), userData);
  return wrap(LogicalResult(success()));
}

MlirLogicalResult mlirTinyTCEmitWithLines(MlirOperation lowered,
                                          MlirStringCallback onSPIRV, void *userData) {
  FailureOr<Binary> binary = emit(lowered, /*withLines=*/true);
  if (failed(binary))
    return wrap(LogicalResult(failure()));
  onSPIRV(getBytes(*binary), userData);
  return wrap(LogicalResult(success()));
}

MlirLogicalResult mlirTileWriteBytecode(MlirOperation op, MlirStringRef version,
                                        MlirStringCallback onBytes, void *userData) {
  SmallVector<char, 0> bytes;
  LogicalResult result = tile::writeBytecode(unwrap(op), unwrap(version), bytes);
  if (succeeded(result))
    onBytes(wrap(StringRef(bytes.data(), bytes.size())), userData);
  return wrap(result);
}

void mlirTinyTCDescribeStrategies(MlirOperation kernel, MlirStringCallback onJson,
                                  void *userData) {
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::json::Value(describeStrategies(unwrap(kernel)));
  onJson(wrap(StringRef(text)), userData);
}

void mlirTinyTCDescribeGroupBounds(MlirOperation kernel, MlirStringCallback onJson,
                                   void *userData) {
  auto func = dyn_cast<FuncOp>(unwrap(kernel));
  if (!func)
    return;
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::json::Value(describeGroupBounds(func).toJson());
  onJson(wrap(StringRef(text)), userData);
}

bool mlirTinyTCIsPrepared(MlirOperation kernel) {
  return bool(getManifest(unwrap(kernel)).getKernel());
}

bool mlirTinyTCMovesLaneConditions(MlirOperation module) {
  TargetAttr target = findTarget(unwrap(module));
  return target && getDriver(target).movesLaneConditions;
}

bool mlirTinyTCNeedsWholeSubgroups(MlirOperation module) {
  TargetAttr target = findTarget(unwrap(module));
  return !target || getDriver(target).needsWholeSubgroups;
}

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

namespace {

/// How an enum attribute crosses the C API.
struct EnumKind {
  StringLiteral mnemonic;
  Attribute (*get)(MLIRContext *, StringRef);
  StringRef (*getWord)(Attribute);
};

} // namespace

template <typename Attr>
static StringRef getWord(Attribute attribute) {
  auto enumAttr = dyn_cast<Attr>(attribute);
  return enumAttr ? stringifyEnum(enumAttr.getValue()) : StringRef();
}

template <typename Attr>
static constexpr EnumKind getEnumKind() {
  using Enum = decltype(std::declval<Attr>().getValue());
  return {Attr::getMnemonic(),
          [](MLIRContext *context, StringRef word) -> Attribute {
            std::optional<Enum> value = symbolizeEnum<Enum>(word);
            return value ? Attr::get(context, *value) : Attr();
          },
          getWord<Attr>};
}

static constexpr EnumKind kEnumKinds[] = {
    getEnumKind<AddressSpaceAttr>(),    getEnumKind<MatrixUseAttr>(),
    getEnumKind<TransposeAttr>(),       getEnumKind<CheckedAttr>(),
    getEnumKind<StoreFlagAttr>(),       getEnumKind<GroupOperationAttr>(),
    getEnumKind<DimensionAttr>(),       getEnumKind<MemoryScopeAttr>(),
    getEnumKind<MemorySemanticsAttr>(), getEnumKind<AtomicKindAttr>(),
    getEnumKind<PackedNumbersAttr>(),   getEnumKind<ReduceModeAttr>(),
    getEnumKind<TensorFormAttr>(),      getEnumKind<TriangleAttr>(),
};

MlirAttribute mlirTinyTCEnumAttrGet(MlirContext context, MlirStringRef mnemonic,
                                    MlirStringRef word) {
  for (const EnumKind &kind : kEnumKinds)
    if (kind.mnemonic == unwrap(mnemonic))
      return wrap(kind.get(unwrap(context), unwrap(word)));
  return {};
}

MlirStringRef mlirTinyTCEnumAttrGetWord(MlirAttribute attribute) {
  for (const EnumKind &kind : kEnumKinds)
    if (StringRef word = kind.getWord(unwrap(attribute)); !word.empty())
      return wrap(word);
  for (auto getGpuWord :
       {getWord<gpu::DimensionAttr>, getWord<gpu::ShuffleModeAttr>,
        getWord<gpu::AllReduceOperationAttr>, getWord<gpu::BroadcastTypeAttr>})
    if (StringRef word = getGpuWord(unwrap(attribute)); !word.empty())
      return wrap(word);
  return {nullptr, 0};
}

//===----------------------------------------------------------------------===//
// schedule
//===----------------------------------------------------------------------===//

bool mlirAttributeIsATinyTCSchedule(MlirAttribute attribute) {
  return isa<ScheduleAttr>(unwrap(attribute));
}

MlirAttribute mlirTinyTCScheduleAttrGetChecked(MlirLocation loc,
                                               MlirTinyTCSchedule schedule) {
  Location location = unwrap(loc);
  return wrap(ScheduleAttr::getChecked(
      [&] { return emitError(location); }, location.getContext(), schedule.rows,
      schedule.columns, schedule.unroll, schedule.groups));
}

MlirTinyTCSchedule mlirTinyTCScheduleAttrGetEntries(MlirAttribute attribute) {
  auto schedule = cast<ScheduleAttr>(unwrap(attribute));
  return {schedule.getRows(), schedule.getColumns(), schedule.getUnroll(),
          schedule.getGroups()};
}

//===----------------------------------------------------------------------===//
// memref
//===----------------------------------------------------------------------===//

bool mlirTypeIsATinyTCMemref(MlirType type) { return isa<MemrefType>(unwrap(type)); }

MlirTypeID mlirTinyTCMemrefTypeGetTypeID() { return wrap(MemrefType::getTypeID()); }

MlirType mlirTinyTCMemrefTypeGetChecked(MlirLocation loc, intptr_t order,
                                        const int64_t *shape, MlirType elementType,
                                        const int64_t *stride,
                                        MlirStringRef addressSpace) {
  std::optional<AddressSpace> space = symbolizeAddressSpace(unwrap(addressSpace));
  if (!space) {
    emitError(unwrap(loc)) << "expected address_space to be 'global' or 'local', got '"
                           << unwrap(addressSpace) << "'";
    return {};
  }
  ArrayRef<int64_t> sizes(shape, order);
  SmallVector<int64_t> strides =
      stride ? llvm::to_vector(ArrayRef<int64_t>(stride, order)) : packedStride(sizes);
  return wrap(MemrefType::getChecked(unwrap(loc), unwrap(elementType).getContext(),
                                     sizes, unwrap(elementType),
                                     ArrayRef<int64_t>(strides), *space));
}

intptr_t mlirTinyTCMemrefTypeGetOrder(MlirType type) {
  return cast<MemrefType>(unwrap(type)).getOrder();
}

int64_t mlirTinyTCMemrefTypeGetSize(MlirType type, intptr_t mode) {
  return cast<MemrefType>(unwrap(type)).getShape()[mode];
}

int64_t mlirTinyTCMemrefTypeGetStride(MlirType type, intptr_t mode) {
  return cast<MemrefType>(unwrap(type)).getStride()[mode];
}

MlirType mlirTinyTCMemrefTypeGetElementType(MlirType type) {
  return wrap(cast<MemrefType>(unwrap(type)).getElementType());
}

MlirStringRef mlirTinyTCMemrefTypeGetAddressSpace(MlirType type) {
  return wrap(stringifyAddressSpace(cast<MemrefType>(unwrap(type)).getAddressSpace()));
}

//===----------------------------------------------------------------------===//
// group
//===----------------------------------------------------------------------===//

bool mlirTypeIsATinyTCGroup(MlirType type) { return isa<GroupType>(unwrap(type)); }

MlirTypeID mlirTinyTCGroupTypeGetTypeID() { return wrap(GroupType::getTypeID()); }

MlirType mlirTinyTCGroupTypeGetChecked(MlirLocation loc, MlirType memrefType,
                                       int64_t size, int64_t offset) {
  return wrap(GroupType::getChecked(unwrap(loc), unwrap(memrefType).getContext(),
                                    cast<MemrefType>(unwrap(memrefType)), size,
                                    offset));
}

MlirType mlirTinyTCGroupTypeGetMemrefType(MlirType type) {
  return wrap(cast<GroupType>(unwrap(type)).getMemrefType());
}

int64_t mlirTinyTCGroupTypeGetSize(MlirType type) {
  return cast<GroupType>(unwrap(type)).getSize();
}

int64_t mlirTinyTCGroupTypeGetOffset(MlirType type) {
  return cast<GroupType>(unwrap(type)).getOffset();
}

//===----------------------------------------------------------------------===//
// coopmatrix
//===----------------------------------------------------------------------===//

bool mlirTypeIsATinyTCCoopMatrix(MlirType type) {
  return isa<CoopMatrixType>(unwrap(type));
}

MlirTypeID mlirTinyTCCoopMatrixTypeGetTypeID() {
  return wrap(CoopMatrixType::getTypeID());
}

MlirType mlirTinyTCCoopMatrixTypeGetChecked(MlirLocation loc, int64_t rows,
                                            int64_t columns, MlirType elementType,
                                            MlirStringRef use) {
  std::optional<MatrixUse> parsed = symbolizeMatrixUse(unwrap(use));
  if (!parsed) {
    emitError(unwrap(loc))
        << "expected use to be 'matrix_a', 'matrix_b' or 'matrix_acc', got '"
        << unwrap(use) << "'";
    return {};
  }
  return wrap(CoopMatrixType::getChecked(unwrap(loc), unwrap(elementType).getContext(),
                                         rows, columns, unwrap(elementType), *parsed));
}

int64_t mlirTinyTCCoopMatrixTypeGetRows(MlirType type) {
  return cast<CoopMatrixType>(unwrap(type)).getRows();
}

int64_t mlirTinyTCCoopMatrixTypeGetColumns(MlirType type) {
  return cast<CoopMatrixType>(unwrap(type)).getColumns();
}

MlirType mlirTinyTCCoopMatrixTypeGetElementType(MlirType type) {
  return wrap(cast<CoopMatrixType>(unwrap(type)).getElementType());
}

MlirStringRef mlirTinyTCCoopMatrixTypeGetUse(MlirType type) {
  return wrap(stringifyMatrixUse(cast<CoopMatrixType>(unwrap(type)).getUse()));
}
