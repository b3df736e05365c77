//===- Passes.td - Passes of tinytc ---------------------------*- tablegen -*-===//
// SPDX-License-Identifier: BSD-3-Clause

#ifndef TINYTC_PASSES_TD
#define TINYTC_PASSES_TD

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

def ChooseRegistersPass : Pass<"tinytc-choose-registers", "::mlir::ModuleOp"> {
  let summary = "choose how many registers a thread has";
  let description = [{
    On GPUs where a thread may have more registers if fewer threads run at once, sets
    the entry `registers` of the target if the kernels of the module gain from it by the
    cost model, or if products of cooperative matrices in loops would spill
    (docs/decisions/large-register-file.md). An entry that is already there
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
    get tiles of 1 x 4, which are built faster ([why](decisions/repeated-products.md)).
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
    The work-items of a matrix product lie along the rows of op(A), and every tile of
    columns reads A again. If there are enough columns, and local memory (on a GPU half
    of it) is large enough, A is copied into local memory first

    - if A is transposed, since its rows are then far apart; `gemm.t` becomes `gemm.n`;
    - if the columns of A fall on so few sets of the cache that they evict each other,
      for example 128 columns that are 512 bytes apart. In local memory they are spaced
      to use all sets.

    On NVIDIA's GPUs, columns in local memory are spaced such that work-items which
    write several of them at once use different banks.

    B is read element by element. Native code converts such an element of f16 or bf16 by
    itself, so B is copied into local memory in the type of C if that is wider.

    Sizes must be static.

    Precondition: the module has a target.
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

//===----------------------------------------------------------------------===//
// tinytc -> linalg
//===----------------------------------------------------------------------===//

def ConvertToLinalgPass
    : Pass<"tinytc-convert-to-linalg", "::mlir::ModuleOp"> {
  let summary = "lower kernels to linalg, scf and scalar arithmetic";
  let description = [{
    Each `tinytc.func` becomes a `func.func` with builtin memrefs. Collective
    BLAS-like instructions become linalg ops, `foreach` becomes `scf.parallel`, scalar
    code becomes arith, math, complex and scf, cooperative matrices become the scalars
    that each work-item holds. Barriers must have been inserted already: after this
    pass, the region of a `parallel` cannot be distinguished from the code around it.

    Precondition: the kernel has a subgroup size and a work-group size, and each alloca
    a place in local memory.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect",
    "::mlir::func::FuncDialect", "::mlir::gpu::GPUDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tinytc::TinyTCDialect"
  ];
}

//===----------------------------------------------------------------------===//
// linalg -> gpu
//===----------------------------------------------------------------------===//

def NormalizeLinalgPass : Pass<"tinytc-normalize-linalg", "::mlir::ModuleOp"> {
  let summary = "bring linalg ops into the forms that are distributed";
  let description = [{
    Upstream's passes may have generalized, specialized, interchanged or tiled the ops of
    the linalg stage. Afterwards all of them are `linalg.generic`, but for fills of
    accumulators, with the loops of the destination first. A sum that was tiled has its
    accumulator in local memory, which must be large enough, and each part of it is added
    to that. So is a sum whose destination is no accumulator.

    Precondition: the module has a target.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tinytc::TinyTCDialect"
  ];
}

def DistributeLinalgPass : Pass<"tinytc-distribute-linalg", "::mlir::ModuleOp"> {
  let summary = "distribute linalg ops and parallel loops over the work-items";
  let description = [{
    Rewrites each linalg op and each `scf.parallel` into the loops of one work-item, as its
    attribute `tinytc.strategy` says; one that does not fit the op is an error.
    Rows of a destination go along the first dimension of the work-group, columns along
    the second one. Sums are kept in registers: this pass removes the accumulator in
    private memory. The order of summation is that of the source.

    Precondition: the module has a target, the kernel has the attributes
    `tinytc.work_group_size` and `tinytc.subgroup_size`; `tinytc-normalize-linalg` and
    `tinytc-choose-strategies` have run.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tinytc::TinyTCDialect", "::mlir::vector::VectorDialect"
  ];
}

def OutlineKernelsPass : Pass<"tinytc-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "make gpu.func kernels whose memrefs are pointers";
  let description = [{
    Moves the kernels into one `gpu.module`. Parameters follow the kernel ABI: a memref
    becomes a one-dimensional memref, then an index for each dynamic size and each
    dynamic stride; a group becomes a memref of memrefs, then a memref of i64 for each
    dynamic size and stride of its elements, then its dynamic size, then its dynamic
    offset; scalars become what the ABI passes for them. Every access becomes an access to
    a one-dimensional memref at a linear index.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::tinytc::TinyTCDialect"
  ];
}

def OutlineProductsPass : Pass<"tinytc-outline-products", "::mlir::ModuleOp"> {
  let summary = "make functions of products that a kernel repeats";
  let description = [{
    `tinytc-distribute-linalg` puts products into an `scf.execute_region` each if the
    machine gains by calls. Those of a kernel that differ only in their pointers and
    indices become calls of one `func.func`; what the region gets of constants and the
    number of the work-item is computed again in the function. The others are put back
    to where they were.

    Drivers take long to compile a kernel, and as long again for each copy of a product.
  }];
  let options = [Option<"minOps", "min-ops", "int64_t", "48",
                        "Operations that a function has at least, to be worth a call.">];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def NarrowLoopsPass
    : InterfacePass<"tinytc-narrow-loops", "::mlir::FunctionOpInterface"> {
  let summary = "let loops count in 32 bits where that is cheaper";
  let description = [{
    Gives each `scf.for` over indices whose constant bounds and step allow it a counter
    of type i32, which is converted to an index at the start of its body. Only for
    targets where numbers of 64 bits take more instructions; other loops stay.

    Precondition: the module has a target.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def ConvertCountingLoopsPass
    : InterfacePass<"tinytc-convert-counting-loops", "::mlir::FunctionOpInterface"> {
  let summary = "write loops over a range as loops with a condition";
  let description = [{
    Converts each `scf.for` to an `scf.while`, which carries the counter as its first
    value and keeps the attributes of the loop. Upstream's `scf-for-to-while` does the
    same, but visits and folds all operations; and upstream's conversion of `scf.for` to
    SPIR-V loses the initial values of a loop that never runs.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def SeparateBlockLoadsPass
    : InterfacePass<"tinytc-separate-block-loads", "::mlir::FunctionOpInterface"> {
  let summary = "separate loops that read blocks from those that read elements";
  let description = [{
    A `cooperative_matrix_load` reads blocks where the address of its matrix allows, else
    elements: an `scf.if` with a `tinytc.subgroup_block_load`. Where its condition is the
    same in all iterations of a loop without barriers, the loop becomes two, one for all
    such conditions and one for elements only, which ask the driver not to unroll them.
    What follows in the block, up to a barrier or other blocks, goes into both branches.

    ```
    %1 = scf.for ... iter_args(%s = %x) -> f32 {
      %2:16 = scf.if %c -> (f16, ...) {
        %3:16 = tinytc.subgroup_block_load ...
        scf.yield %3#0, ...
      } else {
        ...
      }
    =>
    scf.if %c {
      %1 = scf.for ... iter_args(%s = %x) -> f32 {
        %3:16 = tinytc.subgroup_block_load ...
      ...
    } else {
      ...
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def UnrollLoopsPass
    : InterfacePass<"tinytc-unroll-loops", "::mlir::FunctionOpInterface"> {
  let summary = "unroll the loops that ask for it";
  let description = [{
    Unrolls each `scf.for` with `tinytc.unroll = true` and a known number of iterations,
    and makes four iterations one where it has `tinytc.unroll = 4 : i64`.
    A kernel does not grow beyond `max-ops`, since the time that a driver needs to
    compile it grows faster than its size: a loop that would be too large is unrolled by
    the largest factor within the limit and then asks not to be unrolled further. A
    factor in the program is kept, whatever the limit, but it may make at most 65536 ops
    of a loop. Other requests, and `tinytc.unroll = false`, become SPIR-V loop controls.

    Precondition: the module has a target.
  }];
  let options = [
    Option<"maxOps", "max-ops", "int64_t", "0",
           "limit on the ops of an unrolled kernel, not counting constants and indices; "
           "0: the target's limit">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::tinytc::TinyTCDialect"
  ];
}

//===----------------------------------------------------------------------===//
// gpu -> spirv
//===----------------------------------------------------------------------===//

def LowerMatrixProductsPass
    : Pass<"tinytc-lower-matrix-products", "::mlir::ModuleOp"> {
  let summary = "prepare products of subgroups for the matrix unit, or write them out";
  let description = [{
    Where the target has a matrix unit for the subgroup size of a kernel, the sums of
    `tinytc.subgroup_matrix_mul_add` become vectors, in loops, too: drivers copy single
    numbers into a row of registers and back in every iteration. Factors that lie side
    by side in local memory are loaded at once. Elsewhere,
    the op becomes broadcasts and multiply-adds, and `tinytc.subgroup_block_load` one
    load for each element. So does `tinytc.warp_matrix_mul_add`, by shuffles, on all
    targets of SPIR-V. Results differ by roundings of sums.

    ```
    %1:2 = scf.for ... iter_args(%s = %x, %t = %y) -> (f32, f32) {
      %2:2 = tinytc.subgroup_matrix_mul_add (...), (...), (%s, %t)
    =>
    %0 = vector.from_elements %x, %y : vector<2xf32>
    %1 = scf.for ... iter_args(%v = %0) -> (vector<2xf32>) {
      %2 = tinytc.subgroup_matrix_mul_add (...), (...), (%v)
    ```

    Precondition: the module has a target.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tinytc::TinyTCDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def FoldSharedExchangesPass
    : Pass<"tinytc-fold-shared-exchanges", "::mlir::ModuleOp"> {
  let summary = "compute functions of a subgroup without it where all lanes have the same";
  let description = [{
    A `gpu.subgroup_reduce` or `gpu.subgroup_broadcast` of a value that all lanes share
    becomes that value, or its product with the number of lanes. Only for targets whose
    driver fails on such functions (docs/decisions/shared-exchanges.md).

    Precondition: the module has a target.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect"];
}

def HideNegationsPass : Pass<"tinytc-hide-negations", "::mlir::ModuleOp"> {
  let summary = "keep negations from values that live across a barrier";
  let description = [{
    Gives ops that LLVM may make a negation of, on the way to a value that lives across
    a barrier of the work-group, a zero that no optimizer knows. Only for targets whose
    driver keeps one such value for all work-items (docs/decisions/negations.md).

    Precondition: the module has a target.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::math::MathDialect", "::mlir::tinytc::TinyTCDialect"
  ];
}

def HideFirstLanesPass : Pass<"tinytc-hide-first-lanes", "::mlir::ModuleOp"> {
  let summary = "hide conditions that hold for the first lane alone";
  let description = [{
    A condition under which the first lane alone may run becomes a comparison with a
    number that is zero in all launches. Only for targets whose driver loses the mask of
    the other lanes (docs/decisions/first-lanes.md).

    Precondition: the module has a target.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect"];
}

def ExpandBF16Pass : Pass<"tinytc-expand-bf16", "::mlir::ModuleOp"> {
  let summary = "compute with bf16 in f32";
  let description = [{
    Arithmetic on bf16 is done in f32, and conversions become integer operations: no
    driver takes the type. Modules without bf16 stay.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

def GatherPairsPass : Pass<"tinytc-gather-pairs", "::mlir::ModuleOp"> {
  let summary = "load pairs of elements that lanes read across lines of memory at once";
  let description = [{
    Two loads of adjacent elements of 4 bytes, whose lanes are apart in memory, become a
    `vector.load` of both. Only for targets where gathering numbers of 8 bytes pays.

    Precondition: the module has a target.
  }];
  let dependentDialects = ["::mlir::vector::VectorDialect"];
}

def HideLaneStridesPass : Pass<"tinytc-hide-lane-strides", "::mlir::ModuleOp"> {
  let summary = "hide the constant distance of narrow elements that lanes load";
  let description = [{
    Multiplies the index of an element of 8 or 16 bits, or of an integer that may become
    one, by a `tinytc.opaque_index` of 1, unless lanes load neighbours or the same. Only
    for targets whose driver fails on such loads (docs/decisions/strided-bytes.md).

    Precondition: the module has a target.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tinytc::TinyTCDialect"];
}

def ConvertGPUToSPIRVPass
    : Pass<"tinytc-convert-gpu-to-spirv", "::mlir::ModuleOp"> {
  let summary = "convert gpu.module to an OpenCL spirv.module";
  let description = [{
    Converts each `gpu.module` to a `spirv.module` with Physical64 addressing and the
    OpenCL memory model. The result declares more capabilities than it uses;
    `spirv-update-vce` trims them. Prefetches, fused multiply-adds and addresses are as
    the driver of the target wants them.

    Precondition: the module has a target and no bf16. The width of a `gpu.shuffle` is the subgroup
    size of its kernel. All work-items of a subgroup reach a `gpu.subgroup_broadcast`,
    which becomes a broadcast of the group.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::scf::SCFDialect", "::mlir::spirv::SPIRVDialect",
    "::mlir::tinytc::TinyTCDialect", "::mlir::vector::VectorDialect"
  ];
}

def ShareAddressesPass : Pass<"tinytc-share-addresses", "::mlir::ModuleOp"> {
  let summary = "make equal addresses one value";
  let description = [{
    Runs `cse` on each `spirv.module`. Only for targets whose driver would add the
    constants of several accesses to their base outside of loops, and run out of
    registers.

    Precondition: the module has a target.
  }];
}

def KeepCallsPass : Pass<"tinytc-keep-calls", "::mlir::ModuleOp"> {
  let summary = "keep calls of functions, whose parameters all work-items share";
  let description = [{
    Functions that are no entry points are not inlined, and get their parameters by a
    broadcast: drivers would take pointers for different ones in each work-item.

    Precondition: `tinytc-convert-gpu-to-spirv` has run, and entry points have their
    `spirv.entry_point_abi`.
  }];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}

def FinalizeSPIRVPass : Pass<"tinytc-finalize-spirv", "::mlir::ModuleOp"> {
  let summary = "complete what upstream leaves out of a spirv.module";
  let description = [{
    Makes each `spirv.module` one that drivers accept:

    - The version is 1.4. `spirv-update-vce` picks the lowest one that a module needs,
      but before 1.4, an entry point must not list variables in local memory, which ours
      do.
    - Capabilities that `spirv-update-vce` overlooks are declared: `Int64Atomics` for
      atomic exchange, compare-exchange and addition on 64 bits, `Linkage` for imported
      functions.
    - Variables without an initial value move to the start of their function, the only
      place that SPIR-V allows; in a loop they would use up the stack.
    - Attributes that have served their purpose are removed: `spirv.target_env`, and
      `known_block_size` and `workgroup_attributions` of functions.

    Precondition: `spirv-update-vce` has run.
  }];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}

//===----------------------------------------------------------------------===//
// gpu -> nvvm -> ptx
//===----------------------------------------------------------------------===//

def ConvertGPUToNVVMPass
    : Pass<"tinytc-convert-gpu-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "convert the kernels of a gpu.module to the llvm and nvvm dialects";
  let description = [{
    Each `gpu.func` becomes an `llvm.func` that is a kernel of the target, in the same
    `gpu.module`. Its parameters are those of the kernel ABI: memrefs are pointers to
    global memory, complex numbers vectors of two. Local memory is a variable; more than
    a kernel may declare, 48 KiB, is provided by the launch, all of it; the entry
    `local_memory_bytes` of `tinytc.manifest` says how much there is.

    A subgroup is a warp or an aligned part of one. Functions of math become arithmetic
    within 2 units in the last place, so that no library has to be linked.

    Before this pass, a kernel is the code of one group. With the entry `groups_of_block`
    of its manifest, it becomes the code of that many groups side by side in one block.
    The group is the third thread id, each group has local memory of its own, barriers
    and shuffles name its lanes, and the number of groups is the last parameter.

    Precondition: the module has a target of the family `nvidia_gpu`. The width of a
    `gpu.shuffle` is the subgroup size of its kernel. All work-items of a subgroup reach
    its shuffles, broadcasts and reductions.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::complex::ComplexDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::tinytc::TinyTCDialect"
  ];
}

def SerializeToPTXPass : Pass<"tinytc-serialize-to-ptx", "::mlir::ModuleOp"> {
  let summary = "compile kernels of the llvm dialect to PTX";
  let description = [{
    Replaces each `gpu.module` by a `gpu.binary` of the same name that holds the PTX of
    its kernels as text, optimized by LLVM, and their manifests. No part of NVIDIA's
    toolkit is needed.

    Precondition: the module has a target of the family `nvidia_gpu`.
  }];
  let dependentDialects = [
    "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::tinytc::TinyTCDialect"
  ];
}

//===----------------------------------------------------------------------===//
// From the gpu stage to machine code of a processor
//===----------------------------------------------------------------------===//

def ConvertGPUToVectorPass
    : Pass<"tinytc-convert-gpu-to-vector", "::mlir::ModuleOp"> {
  let summary = "make a vector of the work-items of a work-group";
  let description = [{
    Each `gpu.func`, the code of one work-item, becomes a `func.func` that runs
    work-groups one after the other. A value that is the same for all lanes stays a
    scalar, and so does an index that grows by a constant from lane to lane; any other is
    a vector with an element for each lane. A condition that differs between lanes is a
    mask: of loads, stores and updates of what a loop carries. Barriers are gone, local
    memory and arrays of a work-item are on the stack.

    The parameters are those of the kernel ABI as scalars and pointers, a complex number
    being two, and f16 its bits as i16. Then follow seven of i64: the first and the last
    work-group in x (the latter is not run), the ids in y and z, and the numbers of
    work-groups in x, y and z. A kernel with more than 32 KiB of local memory takes a
    pointer to it as its last parameter; the entry `local_memory_bytes` of
    `tinytc.manifest` says how much it is.

    Functions of math become arithmetic. If those of a kernel are more than about 8,192
    instructions, the arithmetic is in functions without a manifest, which the kernel
    calls with pointers to the operands and results of all lanes.

    Precondition: the module has a target of the family `native`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tinytc::TinyTCDialect", "::mlir::ub::UBDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def LoopOverSubgroupsPass
    : Pass<"tinytc-loop-over-subgroups", "::mlir::ModuleOp"> {
  let summary = "run the subgroups of a work-group one after the other";
  let description = [{
    Makes a kernel of one subgroup of a `gpu.func` of several: what is between two
    barriers becomes a loop over the subgroups, and the barriers are gone. Values that
    live across a barrier are in arrays with an element for each subgroup, and arrays of
    a work-item that do are as many times as large. Those that are the same for all
    subgroups are computed once, and a few operations on integers again.

    ```mlir
    %x = memref.load %a[%i]       // before
    gpu.barrier
    memref.store %x, %b[%i]

    %kept = memref.alloca()       // after
    scf.for %subgroup = ... {
      %x = memref.load %a[%i]
      memref.store %x, %kept[%subgroup]
    }
    scf.for %subgroup = ... {
      %x = memref.load %kept[%subgroup]
      memref.store %x, %b[%i]
    }
    ```

    Kernels stay as they are if a barrier is in a `while` or where work-items may part,
    or if a value that lives across a barrier can neither be kept nor computed again, as
    a pointer that a kernel loads from a group.

    Precondition: the module has a target, and the sizes of kernels are known. Results
    do not differ but for the order of atomic accesses.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def SimplifyLoopsPass : Pass<"tinytc-simplify-loops"> {
  let summary = "canonicalize the bodies of loops, inner loops first";
  let description = [{
    Upstream's canonicalizer visits a loop again whenever it has changed an op in it, and
    looks at all ops of the loop to find out whether it is dead. After this pass, little
    is left for it to change.
  }];
}

def ConvertVectorToLLVMPass
    : Pass<"tinytc-convert-vector-to-llvm", "::mlir::ModuleOp"> {
  let summary = "convert functions of a gpu.module to the llvm dialect";
  let description = [{
    Uses upstream's patterns. Only bf16 is not left to LLVM: it is computed in f32, and
    results are rounded by operations on integers, since the instruction of processors
    turns subnormal numbers into 0. The same holds for f16 on targets without an
    instruction that converts it.

    The loops of a function with more than 40 become functions, one for those that
    compute the same: LLVM's time grows with the square of the loops of a function.

    Precondition: the module has a target of the family `native`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::tinytc::TinyTCDialect", "::mlir::vector::VectorDialect"
  ];
}

def SerializeToObjectPass
    : Pass<"tinytc-serialize-to-object", "::mlir::ModuleOp"> {
  let summary = "compile functions of the llvm dialect to an object file";
  let description = [{
    Replaces each `gpu.module` by a `gpu.binary` of the same name that holds a
    relocatable object file (ELF, position-independent) with the code of its kernels for
    the processor of the target, optimized by LLVM, and their manifests. For people, the
    object can be the text of its assembly or of its LLVM IR instead.

    Precondition: the module has a target of the family `native`.
  }];
  let options = [
    Option<"form", "form", "::mlir::tinytc::CodeForm",
           "::mlir::tinytc::CodeForm::Object", "What is written",
           [{::llvm::cl::values(
             clEnumValN(::mlir::tinytc::CodeForm::Object, "object", "an object file"),
             clEnumValN(::mlir::tinytc::CodeForm::Assembly, "asm", "its assembly"),
             clEnumValN(::mlir::tinytc::CodeForm::LLVM, "llvm-ir",
                        "its LLVM IR"))}]>
  ];
  let dependentDialects = [
    "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::tinytc::TinyTCDialect"
  ];
}

//===----------------------------------------------------------------------===//
// Any stage
//===----------------------------------------------------------------------===//

def SimplifyCollectivePass : Pass<"tinytc-simplify-collective"> {
  let summary = "canonicalize, but keep the loops that are yet to be distributed";
  let description = [{
    Upstream's canonicalizer inlines an `scf.parallel` of a single iteration. Outside of
    such a loop, code is run by each work-item: the body would no longer run once. It
    also gives a `memref.view` of local memory a static size, which pointers do not have.

    It merges two adjacent barriers into one with the fences of both; upstream drops one
    of them and knows nothing of fences. A `memref.reinterpret_cast` with a size that is
    known to be negative, which is undefined behaviour, gets the size 0: upstream asserts
    when it makes such a size a part of the type.

    With `uplift-to-fma` it also does what `math-uplift-to-fma` does, without another
    traversal: products and sums that allow contraction become `math.fma`.
  }];
  let options = [Option<"upliftToFMA", "uplift-to-fma", "bool", "false",
                        "contract products and sums that allow it">];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::math::MathDialect"];
}

#endif // TINYTC_PASSES_TD
