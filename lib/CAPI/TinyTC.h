// SPDX-License-Identifier: BSD-3-Clause
/*===- TinyTC.h - C API of tinytc --------------------------------*- C -*-===*\
|*                                                                            *|
|* The surface that the Python extension is built on.                         *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TINYTC_LIB_CAPI_TINYTC_H
#define TINYTC_LIB_CAPI_TINYTC_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(TinyTC, tinytc);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Tile, tile);

/** Registers passes and pipelines in the global registry. */
MLIR_CAPI_EXPORTED void mlirTinyTCRegisterPasses(void);

/** Returns the line that printed stages begin with; it lives as long as the process. */
MLIR_CAPI_EXPORTED MlirStringRef mlirTinyTCGetStageStamp(void);

/** Calls back with the reason why a stage that begins with `head` is not read; not at
 * all if it is. */
MLIR_CAPI_EXPORTED void mlirTinyTCExplainStageStamp(MlirStringRef head,
                                                    MlirStringCallback onReason,
                                                    void *userData);

/** What is known of a target; strings and sizes live as long as the process. */
typedef struct MlirTinyTCTarget {
  MlirStringRef name;
  MlirStringRef alias; /* empty if there is none */
  MlirStringRef family;
  intptr_t subgroupSizeCount;
  const int32_t *subgroupSizes;
  bool hasF64;
  int64_t localMemoryBytes; /* of a work-group */
} MlirTinyTCTarget;

/** The targets, the default first. */
MLIR_CAPI_EXPORTED intptr_t mlirTinyTCGetTargetCount(void);
MLIR_CAPI_EXPORTED MlirTinyTCTarget mlirTinyTCGetTarget(intptr_t index);

/** Calls back with the families as JSON: their names, the format of their code, the
 * names of their targets, and their stages after preparation, each with its name, that
 * of its pipeline, and the op of its kernels. */
MLIR_CAPI_EXPORTED void mlirTinyTCDescribeFamilies(MlirStringCallback onJson,
                                                   void *userData);

/** The index of the target that a module is lowered for; -1 if it has none. */
MLIR_CAPI_EXPORTED intptr_t mlirTinyTCGetTargetOf(MlirOperation module);

/** Calls back with the name of each kernel of a gpu.binary. */
MLIR_CAPI_EXPORTED void
mlirTinyTCGetKernelsOf(MlirOperation binary, MlirStringCallback onName, void *userData);

/** Returns the code of a module at the spirv or at the ptx stage. Calls back once with
 *  its bytes and once with the manifest; failures are diagnostics. */
MLIR_CAPI_EXPORTED MlirLogicalResult mlirTinyTCEmit(MlirOperation lowered,
                                                    MlirStringCallback onCode,
                                                    MlirStringCallback onManifest,
                                                    void *userData);

/** Serializes a module at the spirv stage with the lines of its source. */
MLIR_CAPI_EXPORTED MlirLogicalResult mlirTinyTCEmitWithLines(MlirOperation lowered,
                                                             MlirStringCallback onSPIRV,
                                                             void *userData);

/** Calls back once with the Tile IR bytecode of the tile.module that an operation is,
 * or is around, in a version like 13.1, the oldest that fits if it is empty. */
MLIR_CAPI_EXPORTED MlirLogicalResult mlirTileWriteBytecode(MlirOperation op,
                                                           MlirStringRef version,
                                                           MlirStringCallback onBytes,
                                                           void *userData);

/** Calls back once with the strategies of the ops of a kernel that have one, and what
 * the tiles of sums were chosen from. */
MLIR_CAPI_EXPORTED void mlirTinyTCDescribeStrategies(MlirOperation kernel,
                                                     MlirStringCallback onJson,
                                                     void *userData);

/** Calls back with the bounds of the number of groups of a kernel that no pass has
 * changed, and what a group computes and moves, as the manifest has them; not at all if
 * the operation is no kernel. */
MLIR_CAPI_EXPORTED void mlirTinyTCDescribeGroupBounds(MlirOperation kernel,
                                                      MlirStringCallback onJson,
                                                      void *userData);

/** Whether the manifest of a kernel describes its parameters, as from the prepared
 * stage on. */
MLIR_CAPI_EXPORTED bool mlirTinyTCIsPrepared(MlirOperation kernel);

/** Whether conditions on the lane become broadcasts in a module, because the driver of
 * its target would move them (docs/decisions/cpu-driver.md). */
MLIR_CAPI_EXPORTED bool mlirTinyTCMovesLaneConditions(MlirOperation module);

/** Whether functions of a subgroup are undefined in a module where some of its lanes do
 * not run them; true where the target is unknown. */
MLIR_CAPI_EXPORTED bool mlirTinyTCNeedsWholeSubgroups(MlirOperation module);

/** Enum attributes by their mnemonic in the dialect and the word of the language; null
 * if there is none. */
MLIR_CAPI_EXPORTED MlirAttribute mlirTinyTCEnumAttrGet(MlirContext context,
                                                       MlirStringRef mnemonic,
                                                       MlirStringRef word);
/** The word of an enum attribute of the dialect, or of one that ops of the gpu dialect
 * have at the gpu stage; empty for all others. */
MLIR_CAPI_EXPORTED MlirStringRef mlirTinyTCEnumAttrGetWord(MlirAttribute attribute);

/** schedule: 0 leaves an entry to the compiler. */
typedef struct MlirTinyTCSchedule {
  int64_t rows, columns, unroll, groups;
} MlirTinyTCSchedule;

MLIR_CAPI_EXPORTED bool mlirAttributeIsATinyTCSchedule(MlirAttribute attribute);
MLIR_CAPI_EXPORTED MlirAttribute
mlirTinyTCScheduleAttrGetChecked(MlirLocation loc, MlirTinyTCSchedule schedule);
MLIR_CAPI_EXPORTED MlirTinyTCSchedule
mlirTinyTCScheduleAttrGetEntries(MlirAttribute attribute);

/** memref: `shape` and `stride` of `order` entries; a null stride means packed. The
 * address space is spelled as in the language. */
MLIR_CAPI_EXPORTED bool mlirTypeIsATinyTCMemref(MlirType type);
MLIR_CAPI_EXPORTED MlirTypeID mlirTinyTCMemrefTypeGetTypeID(void);
MLIR_CAPI_EXPORTED MlirType mlirTinyTCMemrefTypeGetChecked(
    MlirLocation loc, intptr_t order, const int64_t *shape, MlirType elementType,
    const int64_t *stride, MlirStringRef addressSpace);
MLIR_CAPI_EXPORTED intptr_t mlirTinyTCMemrefTypeGetOrder(MlirType type);
MLIR_CAPI_EXPORTED int64_t mlirTinyTCMemrefTypeGetSize(MlirType type, intptr_t mode);
MLIR_CAPI_EXPORTED int64_t mlirTinyTCMemrefTypeGetStride(MlirType type, intptr_t mode);
MLIR_CAPI_EXPORTED MlirType mlirTinyTCMemrefTypeGetElementType(MlirType type);
MLIR_CAPI_EXPORTED MlirStringRef mlirTinyTCMemrefTypeGetAddressSpace(MlirType type);

/** group */
MLIR_CAPI_EXPORTED bool mlirTypeIsATinyTCGroup(MlirType type);
MLIR_CAPI_EXPORTED MlirTypeID mlirTinyTCGroupTypeGetTypeID(void);
MLIR_CAPI_EXPORTED MlirType mlirTinyTCGroupTypeGetChecked(MlirLocation loc,
                                                          MlirType memrefType,
                                                          int64_t size, int64_t offset);
MLIR_CAPI_EXPORTED MlirType mlirTinyTCGroupTypeGetMemrefType(MlirType type);
MLIR_CAPI_EXPORTED int64_t mlirTinyTCGroupTypeGetSize(MlirType type);
MLIR_CAPI_EXPORTED int64_t mlirTinyTCGroupTypeGetOffset(MlirType type);

/** coopmatrix: `use` is the spelling of the language (matrix_a, ...). */
MLIR_CAPI_EXPORTED bool mlirTypeIsATinyTCCoopMatrix(MlirType type);
MLIR_CAPI_EXPORTED MlirTypeID mlirTinyTCCoopMatrixTypeGetTypeID(void);
MLIR_CAPI_EXPORTED MlirType mlirTinyTCCoopMatrixTypeGetChecked(MlirLocation loc,
                                                               int64_t rows,
                                                               int64_t columns,
                                                               MlirType elementType,
                                                               MlirStringRef use);
MLIR_CAPI_EXPORTED int64_t mlirTinyTCCoopMatrixTypeGetRows(MlirType type);
MLIR_CAPI_EXPORTED int64_t mlirTinyTCCoopMatrixTypeGetColumns(MlirType type);
MLIR_CAPI_EXPORTED MlirType mlirTinyTCCoopMatrixTypeGetElementType(MlirType type);
MLIR_CAPI_EXPORTED MlirStringRef mlirTinyTCCoopMatrixTypeGetUse(MlirType type);

#ifdef __cplusplus
}
#endif

#endif /* TINYTC_LIB_CAPI_TINYTC_H */
