"""Kernels of the gpu stage written by hand, and what the checker says of them."""

import functools

import numpy as np

import profiles
import tinytc_mlir as tt
from tinytc_mlir._tinytc import targets
from tinytc_mlir.gpu_stage import GpuStage

GLOBAL = "memref<?xf32>"
LOCAL = "memref<?xf32, #gpu.address_space<workgroup>>"
FENCES = {
    "none": "{tinytc.fences = []}",
    "global": "{tinytc.fences = [#tinytc<address_space global>]}",
    "local": "{tinytc.fences = [#tinytc<address_space local>]}",
    "both": "{tinytc.fences = [#tinytc<address_space global>, #tinytc<address_space local>]}",
    "default": "",
}
WORK_ITEMS = 8
SUBGROUP = 4
SEEDS = (None, 1, 2) if profiles.IS_NIGHTLY else (None, 1)
"""All work-items in step, and in other orders."""


def target(name):
    """Return the attribute of a module for a target."""
    family = {each.name: each.family for each in targets()}[name]
    facts = "subgroup_sizes = [4], max_work_group_size = 64, local_memory_bytes = 64, f64 = true"
    return (
        "attributes {tinytc.target = #tinytc.target<"
        f'name = "{name}", family = {family}, {facts}>}}'
    )


def text(body, parameters, target_name):
    """Return a kernel of 8 work-items in subgroups of 4.

    %item is the number of a work-item, %next that of the next one, the first after the last; %lane
    is the number in the subgroup. %x and %y are numbers, the same for all; %m is local memory.
    """
    return f"""
    module {target(target_name)} {{ gpu.module @kernels {{
    gpu.func @f({parameters}) kernel attributes {{
        known_block_size = array<i32: {WORK_ITEMS}, 1, 1>, tinytc.subgroup_size = {SUBGROUP} : i32
    }} {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %c3 = arith.constant 3 : index
        %c4 = arith.constant 4 : index
        %c8 = arith.constant 8 : index
        %i0 = arith.constant 0 : i32
        %i1 = arith.constant 1 : i32
        %i4 = arith.constant 4 : i32
        %x = arith.constant 1.0 : f32
        %y = arith.constant 2.0 : f32
        %item = gpu.thread_id x
        %lane = gpu.lane_id
        %subgroup = gpu.subgroup_id : index
        %group = gpu.block_id x
        %following = arith.addi %item, %c1 : index
        %next = arith.remui %following, %c8 : index
        %is_first = arith.cmpi eq, %item, %c0 : index
        %is_low = arith.cmpi slt, %item, %c4 : index
        %bytes = memref.alloc() : memref<64xi8, #gpu.address_space<workgroup>>
        %m = memref.view %bytes[%c0][%c8] :
            memref<64xi8, #gpu.address_space<workgroup>> to {LOCAL}
        {body}
        gpu.return
    }} }} }}"""


@functools.cache
def stage(body, parameters=f"%a: {GLOBAL}", target_name="cpu"):
    """Return a kernel, ready to run."""
    return GpuStage(tt.Context().parse_mlir(text(body, parameters, target_name)))


def check(body, *arguments, parameters=f"%a: {GLOBAL}", groups=1, target_name="cpu", **options):
    """Return what the checker finds; the argument %a is 8 numbers if there is none."""
    arguments = arguments or (zeros(),)
    return stage(body, parameters, target_name).check("f", arguments, groups, **options)


def kinds(*arguments, **options):
    """Return the kinds of what the checker finds, in words."""
    return sorted({finding.kind.value for finding in check(*arguments, **options)})


def message(*arguments, **options):
    """Return the message of the only finding."""
    (finding,) = check(*arguments, **options)
    return finding.diagnostic.message


def zeros(count=WORK_ITEMS, dtype=np.float32):
    """Return the argument of a kernel."""
    return np.zeros(count, dtype)


def load(name, index, memory="global"):
    """Return the line of a load from %a or %m."""
    pointer, type_ = {"global": ("%a", GLOBAL), "local": ("%m", LOCAL)}[memory]
    return f"{name} = memref.load {pointer}[{index}] : {type_}\n"


def store(value, index, memory="global"):
    """Return the line of a store to %a or %m."""
    pointer, type_ = {"global": ("%a", GLOBAL), "local": ("%m", LOCAL)}[memory]
    return f"memref.store {value}, {pointer}[{index}] : {type_}\n"


def atomic(value, index, memory="global", kind="addf"):
    """Return the line of an atomic update of %a or %m."""
    pointer, type_ = {"global": ("%a", GLOBAL), "local": ("%m", LOCAL)}[memory]
    return f"memref.atomic_rmw {kind} {value}, {pointer}[{index}] : (f32, {type_}) -> f32\n"


def barrier(fences="default"):
    """Return the line of a barrier."""
    return f"gpu.barrier {FENCES[fences]}\n"


def initialised(body, memory):
    """Return a body that begins with local memory stored to, if it uses that."""
    return store("%x", "%item", "local") + barrier() + body if memory == "local" else body
