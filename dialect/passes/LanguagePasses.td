//===- LanguagePasses.td - Passes on the language ----------*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_PASSES_LANGUAGE_TD
#define TINYTC_PASSES_LANGUAGE_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// linalg -> tinytc
//===----------------------------------------------------------------------===//

def RaiseLinalgPass : Pass<"tinytc-raise-linalg", "::mlir::ModuleOp"> {
  let summary = "make kernels of functions on memrefs";
  let description = [{
    Each `func.func` with a body becomes a `tinytc.func`. Its memrefs become those of the
    dialect, with the modes in the order of their strides (`tinytc.modes` says which
    dimension each is), products of matrices become `gemm` and `gemv`, all other linalg
    ops and parallel loops become `foreach`, and one work-item runs the code that writes
    single elements. A loop that is mapped to `#gpu.block<x>`, or the outermost loop of
    all linalg ops if that is a batch, becomes the group
    ([rules](decisions/linalg-entrance.md)). Ops of arith, math and complex stay.

    Tensors, calls, memory of dynamic size and types that the language does not have are
    errors. `affine.apply` and the like must have been lowered.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::tinytc::TinyTCDialect"
  ];
}

//===----------------------------------------------------------------------===//
// tinytc -> tinytc
//===----------------------------------------------------------------------===//

def AttachTargetPass : Pass<"tinytc-attach-target", "::mlir::ModuleOp"> {
  let summary = "attach the facts of a target to the module";
  let description = [{
    Sets the module attribute `tinytc.target`. A target that is already attached is
    kept. Fails if the table of targets has no such name, or if a kernel uses f64 and
    the target does not have it. With `native`, schedules for the target `cpu` are tuned
    for the vector registers of the host processor, as with `-march=native`; without it,
    the result is the same on every machine. With `vector-bytes`, they are for registers
    of that size.

    With `registers`, a thread has that many registers on GPUs where that is a choice.
    If these are more than usual, fewer threads run at once: `max_work_group_size` is
    smaller.

    With `allow-tf32`, products of f32 run on matrix units that ignore the last 13 bits
    of the factors: results differ. Fails if the target has no such unit.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"cpu\"",
           "name of the target">,
    Option<"native", "native", "bool", "false",
           "tune for the vector registers of the host processor">,
    Option<"vectorBytes", "vector-bytes", "int64_t", "0",
           "bytes of a vector register that schedules are for; 0: not decided here">,
    Option<"registers", "registers", "int64_t", "0",
           "registers of a thread; 0: not decided here">,
    Option<"allowTF32", "allow-tf32", "bool", "false",
           "let products of f32 ignore the last 13 bits of the factors">
  ];
  let dependentDialects = ["::mlir::tinytc::TinyTCDialect"];
}

class TinyTC_DerivativePass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  list<Option> commonOptions = [
    ListOption<"wrt", "wrt", "std::string",
               "parameters to differentiate with respect to, by name or number from 0; "
               "all of floating and complex type if none is named">,
    Option<"kernel", "kernel", "std::string", "\"\"",
           "name of the kernel; all kernels if empty">
  ];
}

def TangentPass : TinyTC_DerivativePass<"tinytc-tangent"> {
  let summary = "add the forward derivatives of kernels";
  let description = [{
    Adds for each kernel `@k` a kernel `@k_jvp`, which computes what `@k` does and the
    directional derivative of it ([rules](derivatives.md)). After the parameters of `@k`,
    it takes a tangent for each parameter in `wrt` and for each array that depends on
    one: `X_tangent` for `X`, of the same type. Tangents of arrays are updated as the
    arrays are.

    Fails at an instruction that has no derivative.
  }];
  let options = commonOptions;
}

def AdjointPass : TinyTC_DerivativePass<"tinytc-adjoint"> {
  let summary = "add the reverse derivatives of kernels";
  let description = [{
    Adds for each kernel `@k` a kernel `@k_vjp`, the transpose of the derivative of `@k`
    ([rules](derivatives.md)). After the parameters of `@k`, whose arrays it only reads,
    it takes an adjoint for each parameter in `wrt` and for each array that depends on
    one: `X_adjoint` for `X`. That of an array that `@k` writes holds the adjoint of its
    last value, and then that of its first one; that of an array that is only read is
    added to.

    An array or scalar that all groups share has a partial sum for each group instead,
    `X_partial` with one mode more for each dimension of the grid up to the last one that
    `@k` uses. A second kernel `@k_vjp_sum`, for which these are one mode, adds them to
    `X_adjoint`: a group of it those of one column, so that there must be a group for each
    index of all modes but the first, and of the only mode of a vector. With `atomic`,
    `@k_vjp` adds to `X_adjoint` atomically: the order of sums, and so the last bits, may
    then differ between launches.

    Values that the kernel overwrites are kept in local memory if they take at most
    `local-memory-bytes` for each loop. Otherwise they are kept in buffers: parameters
    `kept`, `kept_1`, ... of `@k_vjp`, with a part for each group, which a launch
    allocates if they are not given (`tinytc.buffer` says their sizes). Without
    `buffers`, and where no launch knows the sizes, they are computed again. `report`
    adds a remark at each instruction for which values are kept or computed again.

    Fails at an instruction that has no derivative.
  }];
  let options = !listconcat(commonOptions, [
    Option<"atomic", "atomic", "bool", "false",
           "add to the adjoints of what groups share atomically">,
    Option<"localMemoryBytes", "local-memory-bytes", "int64_t", "32768",
           "local memory in which the iterations of a loop may keep values">,
    Option<"buffers", "buffers", "bool", "true",
           "keep what local memory cannot in buffers that launches allocate">,
    Option<"report", "report", "bool", "false",
           "say which values are kept and which are computed again">
  ]);
}

def RequireKernelsPass : Pass<"tinytc-require-kernels", "::mlir::ModuleOp"> {
  let summary = "fail for a module without kernels";
  let description = [{
    The pipelines that continue from a stage begin with this pass. It changes nothing.
  }];
}

def ScalarizeKernelsPass : Pass<"tinytc-scalarize-kernels", "::mlir::tinytc::FuncOp"> {
  let summary = "write the instructions of small kernels as operations on numbers";
  let description = [{
    In native code, groups of such kernels run as lanes of vectors
    ([why](decisions/groups-in-lanes.md)). Local memory becomes numbers, loops of known
    counts are written out, and an element of other memory is loaded once and stored
    once, unless memory that may be the same is accessed in between.

    ```mlir
    tinytc.cholesky l %a : !tinytc.memref<2x2xf64>  // before

    %0 = tinytc.load %a[%c0, %c0]                   // after
    %1 = tinytc.sqrt %0
    ...
    ```

    Kernels stay as they are if they have no factorisation; if they ask for sizes of
    subgroups or work-groups or have a schedule; if sizes are not known; if there are
    conditions that only a launch knows, atomic updates, or complex numbers; if groups do
    not have neighbouring parts of what they write; or if the cost model says that rows in
    lanes are as fast. Results differ by the order of sums.

    Precondition: the module has a target.
  }];
  let dependentDialects = ["::mlir::tinytc::TinyTCDialect"];
}

def ExpandFactorizationsPass
    : Pass<"tinytc-expand-factorizations", "::mlir::tinytc::FuncOp"> {
  let summary = "make loops and products of factorisations and solves";
  let description = [{
    `cholesky`, `lu`, `qr`, `eigh`, `apply_q`, `trsm`, `trmm`, `swap_rows`, `syrk`,
    `solve.spd` and `solve.lu` become instructions that targets lower: loops over the rows of
    a block of 16 rows or columns and `gemm` for all that remains, and rotations for `eigh`. Sizes that must be equal and are not known become
    assertions. Results differ from those of other orders of the sums.
  }];
  let dependentDialects = ["::mlir::tinytc::TinyTCDialect"];
}

def RemoveAssertionsPass : Pass<"tinytc-remove-assertions", "::mlir::tinytc::FuncOp"> {
  let summary = "remove assertions, prints and what only they use";
  let description = [{
    Builds without checks begin with this pass. Results do not differ.
  }];
}

def DescribeGroupBoundsPass
    : Pass<"tinytc-describe-group-bounds", "::mlir::ModuleOp"> {
  let summary = "state in each kernel which groups fit its arrays";
  let description = [{
    Derives the bounds of the number of groups (docs/decisions/group-bounds.md), the
    arrays that must not overlap, and the operations and the traffic of a group from the
    kernel as it was written, and begins its attribute `tinytc.manifest` with them. A
    kernel that has bounds keeps them.

    Runs before passes that change accesses. Results do not differ.
  }];
}

def DescribeKernelsPass : Pass<"tinytc-describe-kernels", "::mlir::ModuleOp"> {
  let summary = "state in each kernel what a launch must know";
  let description = [{
    Completes the attribute `tinytc.manifest` of each kernel: its name, parameters, sizes
    and what it requires of a device. All later stages keep it, so that each of them
    can be written, read again and compiled to the same program.

    Precondition: kernels have a subgroup size and a work-group size, and the module has
    a kernel.
  }];
}

def CheckZerosPass : Pass<"tinytc-check-zeros", "::mlir::tinytc::FuncOp"> {
  let summary = "refuse writes outside of patterns of zeros";
  let description = [{
    Fails where an instruction writes elements outside of the boxes of `tinytc.nonzero` of
    a parameter, or of `nonzero` of an alloca, unless they are known to be zero: a
    product, as far as patterns of its factors do not make it zero there; an element or
    a block of a cooperative matrix, as far as indices are constant; and what a
    factorisation or a solve may fill.

    Kernels are left as they are. With `report`, a remark says of each product where it may
    be other than zero, unless that is everywhere.
  }];
  let options = [Option<"report", "report", "bool", "false", "whether to add remarks">];
}

def SkipZerosPass : Pass<"tinytc-skip-zeros", "::mlir::tinytc::FuncOp"> {
  let summary = "leave out of products what is known to be zero";
  let description = [{
    Patterns of zeros are promised by `tinytc.nonzero` of a parameter and by `nonzero` of an
    alloca. They go through chains: local memory that a BLAS-like instruction sets is zero
    where the product is.

    An instruction with such an operand becomes one for each of some blocks of its
    destination, and of some ranges of the steps of its sum, where the cost model of the
    target says that this pays ([page](decisions/zero-patterns.md)). Products with what is
    known to be zero are left out: results differ if the other factor is not finite.

    Elements of an alloca that are promised to be zero are set to zero if an instruction
    reads them. Kernels without `nonzero` are left as they are. Without `splits`, as in
    debug builds, products are.

    Precondition: with `splits`, the module has a target.
  }];
  let options = [Option<"splits", "splits", "bool", "true", "whether to split products">];
}

def ChooseRegistersPass : Pass<"tinytc-choose-registers", "::mlir::ModuleOp"> {
  let summary = "choose how many registers a thread has";
  let description = [{
    On GPUs where a thread may have more registers if fewer threads run at once, sets
    the entry `registers` of the target if the kernels of the module gain from it by the
    cost model, or if products of cooperative matrices in loops would spill
    (docs/decisions/intel-registers.md). An entry that is already there
    is kept. Results do not differ but for the order of sums.

    Precondition: the module has a target.
  }];
}

def ChooseWorkGroupSizePass
    : Pass<"tinytc-choose-work-group-size", "::mlir::ModuleOp"> {
  let summary = "choose and check subgroup and work-group sizes of kernels";
  let description = [{
    Sets `subgroup_size` and `work_group_size` where a kernel leaves them open, and
    checks given ones against the target. With `pack-groups`, the entry `groups` of the
    schedule is set for kernels whose groups are too small for a work-group each;
    without it, the entry is removed, and a work-group runs one group.

    In native code, kernels without SPMD regions and `num_subgroups` get one subgroup,
    whatever size they ask for ([why](decisions/lanes-as-vectors.md#several-subgroups)).

    Kernels for CPUs with AVX-512 that have more than 40 complex products and no schedule
    get tiles of 1 x 4, which are built faster ([why](decisions/cpu-driver.md#repeated-products)).
    With products of unknown sizes on the matrix unit of dg2, a work-group has
    8 subgroups, which share
    [packed factors](decisions/matrix-units.md#factors-in-local-memory).

    Precondition: the module has a target.
  }];
  let options = [
    Option<"packGroups", "pack-groups", "bool", "false",
           "let a work-group run several groups if they are small">
  ];
}

def ChooseStrategiesPass : Pass<"tinytc-choose-strategies", "::mlir::ModuleOp"> {
  let summary = "choose how each instruction is computed";
  let description = [{
    Sets the attribute `tinytc.strategy` by the cost model of the target and the schedule
    of the kernel

    - in a `tinytc.func`, of products of matrices and of cooperative matrices that run on a
      matrix unit or on tensor cores, and of running sums;
    - in a `func.func`, of each sum, element-wise op and parallel loop that
      `tinytc-distribute-linalg` gives to the work-items;
    - with `tiles`, in a `tinytc.func`, of all BLAS-like instructions, for
      `tinytc-convert-to-tile`.

    Instructions that have a strategy keep it; later passes follow it and ask no cost model
    ([page](decisions/strategies.md)). Results do not differ but for the order of sums.

    Precondition: but for tiles, the module has a target, and kernels have a subgroup size
    and a work-group size; `tinytc-normalize-linalg` has run on a `func.func`.
  }];
  let options = [Option<"tiles", "tiles", "bool", "false",
                        "choose for programs on tiles">];
  let dependentDialects = ["::mlir::tinytc::TinyTCDialect"];
}

def InsertChecksPass : Pass<"tinytc-insert-checks", "::mlir::tinytc::FuncOp"> {
  let summary = "check and report what the language leaves undefined";
  let description = [{
    Computes the condition under which an instruction is defined, before each one that can
    be undefined. The instruction moves into a `tinytc.if`, whose other branch reports the
    violation, and its results are 0 there. The conditions are about

    - indices of loads, stores and groups; unchecked cooperative matrices;
    - blocks of `subview`, shapes of `expand`, strides of `fuse`: as in the language,
      making such a view is not an error, so each access to it is checked;
    - sizes of the operands of collective instructions that must be equal, and blocks of
      one memref that such an instruction reads and updates;
    - division of integers, conversion of floating-point numbers to integers, and the
      step of a `for`.

    Each `assert` becomes such a condition and report.

    Conditions that hold by static sizes and constants add nothing. If any remains, the
    kernel gets one more parameter, the buffer of its reports. Sizes of parameters are
    those of the launch, which checks them.

    Results of valid programs do not differ.

    Precondition: the kernel has a work-group size.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def PackOperandsPass : Pass<"tinytc-pack-operands", "::mlir::tinytc::FuncOp"> {
  let summary = "copy factors of matrix products into local memory where that pays";
  let description = [{
    Follows the strategy `local_copies`, which is chosen as far as local memory (on a GPU
    half of it) suffices, then removes the attribute. The work-items of a matrix product
    lie along the rows of op(A), and every tile of columns reads A again. If there are
    enough columns, A is copied first

    - if A is transposed, since its rows are then far apart; `gemm.t` becomes `gemm.n`;
    - if the columns of A fall on so few sets of the cache that they evict each other,
      for example 128 columns that are 512 bytes apart. In local memory they are spaced
      to use all sets.

    On NVIDIA's GPUs, columns in local memory are spaced such that work-items which
    write several of them at once use different banks.

    B is read element by element. Native code converts such an element of f16 or bf16 by
    itself, so B is copied into local memory in the type of C if that is wider.

    Sizes must be static.

    Precondition: the module has a target, and strategies are chosen.
  }];
}

def AllocateLocalMemoryPass
    : Pass<"tinytc-allocate-local-memory", "::mlir::tinytc::FuncOp"> {
  let summary = "choose the offsets of allocas in local memory";
  let description = [{
    Sets the attribute `tinytc.local_offset` of each alloca, in bytes, and of each `gemm`
    whose factors the matrix unit takes from local memory. Allocas that are
    not live at the same time share memory; an alloca lives until its `lifetime_stop` or
    the end of its block. Each is aligned to 64 bytes, or to 128 if it asks for that.
    Factors come after all allocas, those of all products at the same place; where they do
    not fit, the strategy of the product becomes `matrix_unit`.
    Fails if it asks for an alignment that does not divide 128, or if the target has less
    local memory.
  }];
}

def InsertBarriersPass : Pass<"tinytc-insert-barriers", "::mlir::tinytc::FuncOp"> {
  let summary = "insert barriers between dependent collective instructions";
  let description = [{
    Inserts a `tinytc.barrier` in collective regions before an instruction that may
    touch what an earlier one wrote, or write what an earlier one read, in another
    work-item. Whole SPMD regions count as one instruction. Two memref parameters or
    two loads from groups may alias; an alloca aliases its own views and the allocas
    that `tinytc-allocate-local-memory` has put in the same place. Views and
    elements of one alloca or parameter are told apart if constant offsets and sizes
    show that they do not overlap. Only the address spaces concerned are fenced.
  }];
}

def LoopOverGroupsPass
    : Pass<"tinytc-loop-over-groups", "::mlir::tinytc::FuncOp"> {
  let summary = "run several groups in one work-group";
  let description = [{
    Puts the body of a kernel whose schedule has more than one group in a loop over the
    groups of its work-group, in which `group_id` and `group_size` keep their meaning.
    The number of groups becomes the last parameter.

    Where groups fill a warp of NVIDIA's GPUs or an aligned part of one, there is no
    loop: the entry `groups_of_block` of `tinytc.manifest` tells
    `tinytc-convert-gpu-to-nvvm` how many groups to put side by side, and the schedule
    has no groups any more.

    Runs after `tinytc-insert-barriers`: groups are independent of each other, so only
    the local memory that they share needs a barrier.
  }];
}

#endif // TINYTC_PASSES_LANGUAGE_TD
