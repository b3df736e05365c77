//===- Attrs.td - Enums and attributes of the language -------*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause
//
// The modifiers that follow an instruction's name, as enum attributes that print
// as bare keywords, and the attribute that names the target of a module.
//
//===----------------------------------------------------------------------===//

#ifndef TINYTC_ATTRS_TD
#define TINYTC_ATTRS_TD

class TinyTC_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::tinytc";
  let genSpecializedAttr = 0;
}

/// An enum attribute whose custom form is the keyword alone.
class TinyTC_EnumAttr<EnumAttrInfo info, string mnemonic>
    : EnumAttr<TinyTC_Dialect, info, mnemonic> {
  let assemblyFormat = "$value";
}

def TinyTC_AddressSpace : TinyTC_Enum<"AddressSpace", "address space of a memref", [
  I32EnumAttrCase<"Global", 0, "global">,
  I32EnumAttrCase<"Local", 1, "local">]>;
def TinyTC_AddressSpaceAttr : TinyTC_EnumAttr<TinyTC_AddressSpace, "address_space">;

def TinyTC_MatrixUse : TinyTC_Enum<"MatrixUse", "position in a matrix product", [
  I32EnumAttrCase<"A", 0, "matrix_a">,
  I32EnumAttrCase<"B", 1, "matrix_b">,
  I32EnumAttrCase<"Acc", 2, "matrix_acc">]>;
def TinyTC_MatrixUseAttr : TinyTC_EnumAttr<TinyTC_MatrixUse, "matrix_use">;

def TinyTC_Transpose : TinyTC_Enum<"Transpose", "transposition of an operand", [
  I32EnumAttrCase<"N", 0, "n">,
  I32EnumAttrCase<"T", 1, "t">]>;
def TinyTC_TransposeAttr : TinyTC_EnumAttr<TinyTC_Transpose, "transpose">;

def TinyTC_TensorForm : TinyTC_Enum<"TensorForm", "form in which a tensor is used", [
  I32EnumAttrCase<"N", 0, "n">,
  I32EnumAttrCase<"T", 1, "t">,
  I32EnumAttrCase<"R", 2, "r">,
  I32EnumAttrCase<"C", 3, "c">]>;
def TinyTC_TensorFormAttr : TinyTC_EnumAttr<TinyTC_TensorForm, "tensor_form">;

def TinyTC_Triangle : TinyTC_Enum<"Triangle", "triangle of a matrix", [
  I32EnumAttrCase<"L", 0, "l">,
  I32EnumAttrCase<"U", 1, "u">]>;
def TinyTC_TriangleAttr : TinyTC_EnumAttr<TinyTC_Triangle, "triangle">;

def TinyTC_Checked : TinyTC_Enum<"Checked", "modes with a bounds check", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"Rows", 1, "rows_checked">,
  I32EnumAttrCase<"Cols", 2, "cols_checked">,
  I32EnumAttrCase<"Both", 3, "both_checked">]>;
def TinyTC_CheckedAttr : TinyTC_EnumAttr<TinyTC_Checked, "checked">;

def TinyTC_StoreFlag : TinyTC_Enum<"StoreFlag", "how a value is written", [
  I32EnumAttrCase<"Regular", 0, "regular">,
  I32EnumAttrCase<"Atomic", 1, "atomic">,
  I32EnumAttrCase<"AtomicAdd", 2, "atomic_add">]>;
def TinyTC_StoreFlagAttr : TinyTC_EnumAttr<TinyTC_StoreFlag, "store_flag">;

def TinyTC_MemoryScope
    : TinyTC_Enum<"MemoryScope", "work-items for which an access is atomic", [
  I32EnumAttrCase<"CrossDevice", 0, "cross_device">,
  I32EnumAttrCase<"Device", 1, "device">,
  I32EnumAttrCase<"WorkGroup", 2, "work_group">,
  I32EnumAttrCase<"Subgroup", 3, "subgroup">]>;
def TinyTC_MemoryScopeAttr : TinyTC_EnumAttr<TinyTC_MemoryScope, "memory_scope">;

def TinyTC_MemorySemantics
    : TinyTC_Enum<"MemorySemantics", "accesses that an atomic access orders", [
  I32EnumAttrCase<"Relaxed", 0, "relaxed">,
  I32EnumAttrCase<"Acquire", 1, "acquire">,
  I32EnumAttrCase<"Release", 2, "release">,
  I32EnumAttrCase<"AcquireRelease", 3, "acquire_release">,
  I32EnumAttrCase<"SequentiallyConsistent", 4, "sequentially_consistent">]>;
def TinyTC_MemorySemanticsAttr
    : TinyTC_EnumAttr<TinyTC_MemorySemantics, "memory_semantics">;

def TinyTC_AtomicKind : TinyTC_Enum<"AtomicKind", "what an atomic access does", [
  I32EnumAttrCase<"Load", 0, "load">,
  I32EnumAttrCase<"Store", 1, "store">,
  I32EnumAttrCase<"Add", 2, "add">,
  I32EnumAttrCase<"Min", 3, "min">,
  I32EnumAttrCase<"Max", 4, "max">]>;
def TinyTC_AtomicKindAttr : TinyTC_EnumAttr<TinyTC_AtomicKind, "atomic_kind">;

def TinyTC_GroupOperation
    : TinyTC_Enum<"GroupOperation", "result of a subgroup operation", [
  I32EnumAttrCase<"ExclusiveScan", 0, "exclusive_scan">,
  I32EnumAttrCase<"InclusiveScan", 1, "inclusive_scan">,
  I32EnumAttrCase<"Reduce", 2, "reduce">]>;
def TinyTC_GroupOperationAttr
    : TinyTC_EnumAttr<TinyTC_GroupOperation, "group_operation">;

def TinyTC_Dimension : TinyTC_Enum<"Dimension", "dimension of a grid", [
  I32EnumAttrCase<"X", 0, "x">,
  I32EnumAttrCase<"Y", 1, "y">,
  I32EnumAttrCase<"Z", 2, "z">]>;
def TinyTC_DimensionAttr : TinyTC_EnumAttr<TinyTC_Dimension, "dimension">;

def TinyTC_ReduceMode : TinyTC_Enum<"ReduceMode", "mode whose components are combined", [
  I32EnumAttrCase<"Row", 0, "row">,
  I32EnumAttrCase<"Column", 1, "column">]>;
def TinyTC_ReduceModeAttr : TinyTC_EnumAttr<TinyTC_ReduceMode, "reduce_mode">;

//===----------------------------------------------------------------------===//
// Target
//===----------------------------------------------------------------------===//

def TinyTC_TargetAttr : AttrDef<TinyTC_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "device that a module is lowered for";
  let description = [{
    What the passes need to know about the device. Set on the module, under the name
    `tinytc.target`, by the pass `tinytc-attach-target`.

    ```mlir
    module attributes {tinytc.target = #tinytc.target<
      name = "cpu", family = cpu, subgroup_sizes = [4, 8, 16, 32, 64],
      max_work_group_size = 8192, local_memory_bytes = 262144, f64 = true>} {}
    ```
  }];
  let parameters = (ins
    StringRefParameter<"name in the table of targets">:$name,
    StringRefParameter<"family of the target">:$family,
    ArrayRefParameter<"int32_t", "in ascending order">:$subgroup_sizes,
    "int32_t":$max_work_group_size,
    "int64_t":$local_memory_bytes,
    "bool":$f64,
    DefaultValuedParameter<"int64_t", "0",
        "registers of a thread, where that is a choice; 0: left to the driver, or to `tinytc-choose-registers`">:$registers,
    DefaultValuedParameter<"int64_t", "0",
        "bytes of a vector register; 0: typical for the target">:$vector_bytes,
    DefaultValuedParameter<"bool", "false",
        "whether products of f32 may ignore the last 13 bits of the factors">:$allow_tf32
  );
  let assemblyFormat = [{
    `<` struct($name, custom<TargetFamily>($family), custom<I32List>($subgroup_sizes), $max_work_group_size,
               $local_memory_bytes, $f64, $registers, $vector_bytes, $allow_tf32) `>`
  }];
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Schedule
//===----------------------------------------------------------------------===//

def TinyTC_ScheduleAttr : AttrDef<TinyTC_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "tiling of a kernel that overrules the choice of the compiler";
  let description = [{
    The attribute `schedule` of a `tinytc.func`. The compiler chooses the entries that
    are missing or 0; the others are upper bounds, reduced to the sizes of an
    instruction.

    - `rows`: rows of the destination that a work-item keeps in registers, one work-group
      width apart;
    - `columns`: adjacent columns that it keeps in registers;
    - `unroll`: steps of the summed mode in one iteration;
    - `groups`: groups that one work-group runs, one after the other or, where they are
      parts of warps of NVIDIA's GPUs, side by side.

    No entry is negative. With 1 for those that are missing, `rows` x `columns` is at
    most 256, since no target has registers for more elements, and `rows` x `columns` x
    `unroll` at most 4096: the steps of one iteration are written out, and more of them
    fit in no instruction cache.

    ```mlir
    tinytc.func @gemm() attributes {schedule = #tinytc.schedule<rows = 2, columns = 8>} {
    }
    ```
  }];
  let parameters = (ins
    DefaultValuedParameter<"int64_t", "0">:$rows,
    DefaultValuedParameter<"int64_t", "0">:$columns,
    DefaultValuedParameter<"int64_t", "0">:$unroll,
    DefaultValuedParameter<"int64_t", "0">:$groups
  );
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bounds of the elements of a tile, and of the steps in one iteration for all of
    /// them.
    static constexpr int64_t kMaxElements = 256, kMaxSteps = 4096;
  }];
}

//===----------------------------------------------------------------------===//
// Strategy
//===----------------------------------------------------------------------===//

def TinyTC_PackedNumbers
    : TinyTC_Enum<"PackedNumbers", "numbers in the 32 bits of a word", [
  I32EnumAttrCase<"I16", 0, "i16">,
  I32EnumAttrCase<"I8", 1, "i8">,
  I32EnumAttrCase<"UI8", 2, "ui8">,
  I32EnumAttrCase<"BF16", 3, "bf16">]>;
def TinyTC_PackedNumbersAttr
    : TinyTC_EnumAttr<TinyTC_PackedNumbers, "packed_numbers">;

def TinyTC_StrategyKind
    : TinyTC_Enum<"StrategyKind", "who computes an instruction, and in which order", [
  I32EnumAttrCase<"WorkItems", 0, "work_items">,
  I32EnumAttrCase<"MatrixUnit", 1, "matrix_unit">,
  I32EnumAttrCase<"PackedFactors", 2, "packed_factors">,
  I32EnumAttrCase<"TensorCores", 3, "tensor_cores">,
  I32EnumAttrCase<"Scan", 4, "scan">,
  I32EnumAttrCase<"LineWalks", 5, "line_walks">,
  I32EnumAttrCase<"SharedOperand", 6, "shared_operand">,
  I32EnumAttrCase<"SubgroupReduction", 7, "subgroup_reduction">,
  I32EnumAttrCase<"SplitComplex", 8, "split_complex">,
  I32EnumAttrCase<"Collapsed", 9, "collapsed">,
  I32EnumAttrCase<"LaneTranspose", 10, "lane_transpose">,
  I32EnumAttrCase<"PairGather", 11, "pair_gather">,
  I32EnumAttrCase<"VectorTranspose", 12, "vector_transpose">,
  I32EnumAttrCase<"Tiles", 13, "tiles">,
  I32EnumAttrCase<"TileProducts", 14, "tile_products">,
  I32EnumAttrCase<"LocalCopies", 15, "local_copies">,
  I32EnumAttrCase<"DotProducts", 16, "dot_products">,
  I32EnumAttrCase<"TileRegisters", 17, "tile_registers">,
  I32EnumAttrCase<"StagedFactors", 18, "staged_factors">]>;

def TinyTC_StrategyAttr : AttrDef<TinyTC_Dialect, "Strategy"> {
  let mnemonic = "strategy";
  let summary = "how an instruction is computed";
  let description = [{
    The attribute `tinytc.strategy`, which `tinytc-choose-strategies` sets, and which
    `tinytc-pack-operands`, `tinytc-convert-to-linalg`, `tinytc-distribute-linalg` and
    `tinytc-convert-to-tile` follow.

    Products of matrices and of cooperative matrices:
    - `work_items`: the work-items compute elements of their own, without a matrix unit.
    - `matrix_unit`: a subgroup computes tiles of `rows` x `columns` elements on the matrix
      unit; where it cannot read the factors by blocks, of `element_rows` x
      `element_columns`.
    - `packed_factors`: a grid of `grid_rows` x `grid_columns` subgroups does so with
      factors in `local_bytes` bytes of local memory, `unroll` operations along the summed
      mode at a time. The other tile is that of `matrix_unit` if memory does not suffice.
    - `tensor_cores`: a warp computes tiles of `rows` x `columns` elements, and loads the
      factors for `unroll` operations at once.
    - `local_copies`: the work-items compute elements of their own after op(A), with
      `copies_a`, and B in the type of the sums, with `copies_b`, are copied into local
      memory, `local_bytes` bytes in all. The product that remains is a sum at the linalg
      stage.
    - `dot_products`: the work-items pack neighbours along the summed mode of both factors
      into words in `local_bytes` bytes of local memory. The product that remains is a sum
      of `packed_mul_add` at the linalg stage.
    - `tile_registers`: a subgroup multiplies words that are packed in the same way on
      registers with `rows` x `columns` elements of C, `unroll` words of each row and
      column at a time. On AMX, all products of a kernel have one tile.
    - `staged_factors`: a work-group computes tiles of `rows` x `columns` elements, each by
      a grid of `grid_rows` x `grid_columns` subgroups. The factors of `unroll` steps of the
      summed mode are a stage in local memory. There are `stages` of them, in `local_bytes`
      bytes: copies into the others are under way while the work-group multiplies one.

    A product of cooperative matrices has no tile. Its only entry is `rows`, 2 if work-items
    hold B by pairs of neighbouring rows: the load of B then has the same `matrix_unit`.

    Running sums, and parallel loops over lines:
    - `scan`: a subgroup runs through a line.
    - `line_walks`: each work-item runs through `rows` lines of its own at once.

    Sums at the linalg stage:
    - `work_items`: a work-item has a tile of `rows` x `columns` sums and takes `unroll`
      steps in an iteration. `grid_rows` x `grid_columns` work-items lie along the mode
      `row_mode` of the destination and along the other one, which they share equally with
      `shares_columns`. A work-item loads `adjacent` rows at once. With `columns_outside`,
      the loop over columns is the outer one; with `prefetch`, tiles fetch the matrices of
      the next group into the cache.
    - `shared_operand`: the same, where lanes load the elements of input `operand`, which
      all rows share, for each other.
    - `subgroup_reduction`: the lanes lie along the summed mode. A subgroup takes `rows`
      lines at once, with `unroll` sums of each work-item for each of them, `tail_unroll`
      for a single line, and `adjacent` elements of a load.
    - `split_complex`: the parts of the complex numbers of input `operand` are lanes of
      their own, with tiles as above.

    Element-wise ops at the linalg stage:
    - `work_items`: each work-item has elements of its own. So has a parallel loop.
    - `collapsed`: all modes are one, along which a work-item takes `adjacent` elements at
      once.
    - `lane_transpose`: lanes read the lines of input `operand`, and exchange elements.
    - `pair_gather`: each lane reads its own line of input `operand`, two elements at once.
    - `vector_transpose`: one work-item transposes blocks of the only input in vectors.

    Collective instructions on Tile IR have a `tile`, the sizes of all modes:
    - `tiles`: elements are multiplied, then summed up.
    - `tile_products`: tiles are multiplied as matrices.

    Entries that a strategy does not have are 0, false, or empty.

    ```mlir
    func.func private @f() attributes {example = #tinytc.strategy<kind = tensor_cores,
      rows = 64, columns = 32, unroll = 2>}
    ```
  }];
  let parameters = (ins
    EnumParameter<TinyTC_StrategyKind>:$kind,
    DefaultValuedParameter<"int64_t", "0">:$rows,
    DefaultValuedParameter<"int64_t", "0">:$columns,
    DefaultValuedParameter<"int64_t", "0">:$unroll,
    DefaultValuedParameter<"int64_t", "0">:$grid_rows,
    DefaultValuedParameter<"int64_t", "0">:$grid_columns,
    DefaultValuedParameter<"int64_t", "0">:$element_rows,
    DefaultValuedParameter<"int64_t", "0">:$element_columns,
    DefaultValuedParameter<"int64_t", "0">:$local_bytes,
    DefaultValuedParameter<"int64_t", "0">:$stages,
    DefaultValuedParameter<"int64_t", "0">:$tail_unroll,
    DefaultValuedParameter<"int64_t", "0">:$adjacent,
    DefaultValuedParameter<"int64_t", "0">:$operand,
    DefaultValuedParameter<"int64_t", "0">:$row_mode,
    DefaultValuedParameter<"bool", "false">:$shares_columns,
    DefaultValuedParameter<"bool", "false">:$columns_outside,
    DefaultValuedParameter<"bool", "false">:$prefetch,
    DefaultValuedParameter<"bool", "false">:$copies_a,
    DefaultValuedParameter<"bool", "false">:$copies_b,
    OptionalParameter<"::mlir::DenseI64ArrayAttr">:$tile
  );
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Mapping of loops
//===----------------------------------------------------------------------===//

def TinyTC_WorkItemAttr : AttrDef<TinyTC_Dialect, "WorkItem", [
    DeclareAttrInterfaceMethods<DeviceMappingAttrInterface>]> {
  let mnemonic = "work_item";
  let summary = "mapping of a parallel loop to the work-items";
  let description = [{
    In the `mapping` of an `scf.forall`, which has one for each dimension: the work-items
    of a work-group share the iterations, in any order. Neither number limits the other
    one. Upstream's canonicalizer inlines a loop of one iteration without a mapping, and
    all work-items would run it.

    ```mlir
    func.func @example(%n: index, %x: f32, %a: memref<?x4xf32>) {
      scf.forall (%i, %j) in (%n, 4) {
        memref.store %x, %a[%i, %j] : memref<?x4xf32>
      } {mapping = [#tinytc.work_item<0>, #tinytc.work_item<1>]}
      return
    }
    ```
  }];
  let parameters = (ins "uint32_t":$dimension);
  let assemblyFormat = "`<` $dimension `>`";
}

#endif // TINYTC_ATTRS_TD
