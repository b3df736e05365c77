"""Kernels written directly in MLIR's spirv dialect, to test the runtime without the compiler."""

import dataclasses
import functools

from mlir import ir
from mlir.dialects import gpu
from mlir.passmanager import PassManager

from tinytc_mlir.runtime.kernel_info import (
    GroupArgument,
    KernelInfo,
    MemrefArgument,
    ScalarArgument,
)
from tinytc_mlir.runtime.manifest import Manifest
from tinytc_mlir.runtime.program import Program

_MODULE = """
module attributes {{gpu.container_module}} {{
  gpu.module @kernels {{
    spirv.module Physical64 OpenCL requires #spirv.vce<v1.4, [Kernel, Addresses, Int64, Int16,
        Int8, Float16, Float64, Linkage, SubgroupDispatch], []> {{
      {declarations}
      spirv.GlobalVariable @group_id built_in("WorkgroupId") : !spirv.ptr<vector<3xi64>, Input>
      spirv.func @{name}({parameters}) "None" {{
        %id_pointer = spirv.mlir.addressof @group_id : !spirv.ptr<vector<3xi64>, Input>
        %ids = spirv.Load "Input" %id_pointer : vector<3xi64>
        %g = spirv.CompositeExtract %ids[0 : i32] : vector<3xi64>
        {body}
        spirv.Return
      }}
      spirv.EntryPoint "Kernel" @{name}, @group_id
      spirv.ExecutionMode @{name} "LocalSize", {local_size}
    }}
  }}
}}
"""


@functools.cache
def binary(name, parameters, body, local_size=(1, 1, 1), declarations=""):
    """Return the SPIR-V binary of one kernel in which %g is the group id."""
    text = _MODULE.format(
        name=name,
        parameters=parameters,
        body=body,
        local_size=", ".join(map(str, local_size)),
        declarations=declarations,
    )
    passes = (
        "spirv-attach-target{ver=v1.4 caps=Kernel,Addresses,Int64 client_api=OpenCL},"
        "gpu-module-to-binary"
    )
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        PassManager.parse(f"builtin.module({passes})").run(module.operation)
        objects = next(
            op.attributes["objects"]
            for op in module.body.operations
            if op.operation.name == "gpu.binary"
        )
        return gpu.ObjectAttr(objects[0]).object


def pointer(element):
    """Return the type of a pointer to global memory."""
    return f"!spirv.ptr<{element}, CrossWorkgroup>"


def load(result, base, index, element, size):
    """Return code that loads base[index]."""
    p = pointer(element)
    return (
        f"{result}_at = spirv.InBoundsPtrAccessChain {base}[{index}] : {p}, i64 -> {p}\n"
        f'{result} = spirv.Load "CrossWorkgroup" {result}_at ["Aligned", {size}] : {element}\n'
    )


def store(value, base, index, element, size):
    """Return code that stores to base[index]; value names the temporary."""
    p = pointer(element)
    return (
        f"{value}_to = spirv.InBoundsPtrAccessChain {base}[{index}] : {p}, i64 -> {p}\n"
        f'spirv.Store "CrossWorkgroup" {value}_to, {value} ["Aligned", {size}] : {element}\n'
    )


def program(arguments, spirv, **fields):
    """Return the program of one kernel."""
    fields = {"name": "kernel", "local_size": (1, 1, 1), "subgroup_size": 16} | fields
    info = KernelInfo(arguments=tuple(arguments), **fields)
    return Program(spirv, Manifest("cpu", (info,)))


def scale(**fields):
    """X[g] *= alpha, with X: memref<f32x?>."""
    arguments = [
        ScalarArgument("alpha", "f32"),
        MemrefArgument("X", "f32", (None,), (1,), fields.pop("access", "read_write")),
    ]
    body = load("%x", "%X", "%g", "f32", 4)
    body += "%y = spirv.FMul %x, %alpha : f32\n" + store("%y", "%X", "%g", "f32", 4)
    spirv = binary("scale", f"%alpha: f32, %X: {pointer('f32')}, %n: i64", body)
    return program(arguments, spirv, name="scale", **fields)


def unlinked():
    """X[g] = missing(X[g]), with an undefined function: the driver rejects it."""
    import_ = (
        'spirv.func @missing(%x: f32) -> f32 "None" attributes {linkage_attributes = '
        '#spirv.linkage_attributes<linkage_name = "missing", linkage_type = <Import>>}'
    )
    body = load("%x", "%X", "%g", "f32", 4)
    body += "%y = spirv.FunctionCall @missing(%x) : (f32) -> f32\n"
    body += store("%y", "%X", "%g", "f32", 4)
    spirv = binary("unlinked", f"%X: {pointer('f32')}", body, declarations=import_)
    return program([MemrefArgument("X", "f32", (4,), (1,))], spirv, name="unlinked")


def add():
    """Y[g] += X[g], with memref<f64x8>."""
    arguments = [
        MemrefArgument("X", "f64", (8,), (1,), "read"),
        MemrefArgument("Y", "f64", (8,), (1,), "read_write"),
    ]
    body = load("%x", "%X", "%g", "f64", 8) + load("%y", "%Y", "%g", "f64", 8)
    body += "%z = spirv.FAdd %x, %y : f64\n" + store("%z", "%Y", "%g", "f64", 8)
    p = pointer("f64")
    return program(arguments, binary("add", f"%X: {p}, %Y: {p}", body), name="add")


# What a kernel parameter of each scalar type is in SPIR-V, and its size in bytes.
SPIRV_TYPES = {
    "bool": ("i8", 1),
    "i8": ("i8", 1),
    "i16": ("i16", 2),
    "i32": ("i32", 4),
    "i64": ("i64", 8),
    "index": ("i64", 8),
    "bf16": ("i16", 2),
    "f16": ("f16", 2),
    "f32": ("f32", 4),
    "f64": ("f64", 8),
    "c32": ("vector<2xf32>", 8),
    "c64": ("vector<2xf64>", 16),
}


def store_scalar(type_name):
    """out[g] = x for a scalar of any type, between two other scalars."""
    spirv_type, size = SPIRV_TYPES[type_name]
    arguments = [
        ScalarArgument("before", "i8"),
        ScalarArgument("x", type_name),
        ScalarArgument("after", "f32"),
        MemrefArgument("out", type_name, (None,), (1,), "write"),
    ]
    parameters = f"%before: i8, %x: {spirv_type}, %after: f32, %out: {pointer(spirv_type)}, %n: i64"
    spirv = binary("store_scalar", parameters, store("%x", "%out", "%g", spirv_type, size))
    return program(arguments, spirv, name="store_scalar")


def describe_group(**fields):
    """out[0:5,g] = rows, columns, stride, size, offset of member g; value[g] = its element 0."""
    group = GroupArgument("A", "f32", (None, None), (1, None), "read", size=None, offset=None)
    arguments = [
        dataclasses.replace(group, **fields),
        MemrefArgument("out", "i64", (5, None), (1, 5), "write"),
        MemrefArgument("value", "f32", (None,), (1,), "write"),
    ]
    table, i64 = pointer(pointer("f32")), pointer("i64")
    parameters = (
        f"%A: {table}, %rows: {i64}, %columns: {i64}, %strides: {i64}, %size: i64, %offset: i64, "
        f"%out: {i64}, %n: i64, %value: {pointer('f32')}, %m: i64"
    )
    body = load("%base", "%A", "%g", pointer("f32"), 8)
    body += load("%element", "%base", "%offset", "f32", 4)
    body += store("%element", "%value", "%g", "f32", 4)
    body += "%c5 = spirv.Constant 5 : i64\n%column = spirv.IMul %g, %c5 : i64\n"
    for row, name in enumerate(("rows", "columns", "strides")):
        body += load(f"%{name}_value", f"%{name}", "%g", "i64", 8)
        body += _store_in_row(row, f"%{name}_value")
    body += _store_in_row(3, "%size") + _store_in_row(4, "%offset")
    return program(arguments, binary("describe_group", parameters, body), name="describe_group")


def _store_in_row(row, value):
    code = f"%row{row} = spirv.Constant {row} : i64\n"
    code += f"%index{row} = spirv.IAdd %column, %row{row} : i64\n"
    return code + store(value, "%out", f"%index{row}", "i64", 8)


def count_groups(groups_per_work_group):
    """out[work-group] = the number of groups, a parameter added for packed groups."""
    arguments = [MemrefArgument("out", "i64", (None,), (1,), "write")]
    parameters = f"%out: {pointer('i64')}, %n: i64, %groups: i64"
    spirv = binary("count_groups", parameters, store("%groups", "%out", "%g", "i64", 8))
    return program(
        arguments, spirv, name="count_groups", groups_per_work_group=groups_per_work_group
    )


def grid():
    """out[x,y,z] += 1 for the three group ids; local size 16."""
    arguments = [MemrefArgument("out", "i32", (5, 4, 3), (1, 5, 20), "write")]
    body = ""
    for mode, name in ((1, "y"), (2, "z")):
        body += f"%{name} = spirv.CompositeExtract %ids[{mode} : i32] : vector<3xi64>\n"
    body += """
        %c5 = spirv.Constant 5 : i64
        %c20 = spirv.Constant 20 : i64
        %one = spirv.Constant 1 : i32
        %y5 = spirv.IMul %y, %c5 : i64
        %z20 = spirv.IMul %z, %c20 : i64
        %xy = spirv.IAdd %g, %y5 : i64
        %xyz = spirv.IAdd %xy, %z20 : i64
    """
    p = pointer("i32")
    body += f"%to = spirv.InBoundsPtrAccessChain %out[%xyz] : {p}, i64 -> {p}\n"
    body += f"%old = spirv.AtomicIAdd <Device> <None> %to, %one : {p}\n"
    spirv = binary("grid", f"%out: {p}", body, (16, 1, 1))
    return program(arguments, spirv, name="grid", local_size=(16, 1, 1))
