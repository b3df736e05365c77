"""Products that a kernel repeats, which become calls of one function on CPUs with AVX-512."""

import re

import numpy as np
import pytest

import tinytc_mlir as tt
from binaries import needs_spirv_val, validate
from nearness import whole_numbers
from tinytc_mlir.gpu_stage import GpuStage
from tinytc_mlir.runtime.spirv import driver
from tinytc_mlir.runtime.spirv.code import with_inlined_calls

# Name, instructions, and the calls and functions that they become.
BODIES = {
    "pointers": ("gemm %o, %A, %x, %z, %c gemm %o, %B, %y, %z, %d", 2, 1),
    "members_of_the_next_group": (
        "gemm %o, %A, %x, %z, %c gemm %o, %B, %y, %o, %d gemm %o, %B, %x, %o, %c",
        2,
        1,
    ),
    "fetched_once": (
        "gemm %o, %A, %x, %z, %t axpby %o, %t, %z, %c gemm %o, %B, %x, %z, %t axpby %o, %t, %z, %d",
        2,
        1,
    ),
    "other_fetches": ("gemm %o, %A, %x, %z, %c gemm %o, %B, %x, %z, %d", 0, 0),
    "offsets": (
        """%a = subview %A[4:16,2:20] : memref<f32x16x20,strided<1,24>>
        %b = subview %A[8:16,4:20] : memref<f32x16x20,strided<1,24>>
        %u = subview %x[0:20,0:9] : memref<f32x20x9,strided<1,56>>
        %s = subview %t[0:16,0:9] : memref<f32x16x9,strided<1,24>,local>
        gemm %o, %a, %u, %z, %s axpby %o, %t, %z, %c
        gemm %o, %b, %u, %z, %s axpby %o, %t, %z, %d""",
        2,
        1,
    ),
    # More constants differ than a function has parameters, but all by the same number.
    "offsets_of_columns": (
        """%a = subview %A[0:24,2:20] : memref<f32x24x20>
        %u = subview %x[0:20,1:7] : memref<f32x20x7,strided<1,56>>
        %v = subview %x[0:20,2:7] : memref<f32x20x7,strided<1,56>>
        %s = subview %t[0:24,0:7] : memref<f32x24x7,local>
        gemm %o, %a, %u, %z, %s axpby %o, %t, %z, %c
        gemm %o, %a, %v, %z, %s axpby %o, %t, %z, %d""",
        2,
        1,
    ),
    "two_of_each": (
        """gemm %o, %A, %x, %z, %t gemm %o, %t, %K, %z, %c
        gemm %o, %B, %y, %z, %t gemm %o, %t, %L, %z, %d""",
        4,
        2,
    ),
    "other_factor": ("gemm %o, %A, %x, %z, %c gemm %h, %B, %x, %z, %d", 0, 0),
    "other_strides": ("gemm %o, %A, %x, %z, %c gemm %o, %W, %y, %z, %d", 0, 0),
    "one": ("gemm %o, %A, %x, %z, %c axpby %o, %c, %z, %d", 0, 0),
}
MATRICES = {"A": (24, 56), "B": (24, 56), "W": (24, 56), "K": (9, 9), "L": (9, 9)}
BATCHES = {"x": (56, 9), "y": (56, 9), "c": (24, 9), "d": (24, 9)}


def text(body):
    matrices = {name: f"memref<f32x{m}x{n}>" for name, (m, n) in MATRICES.items()}
    matrices["W"] = "memref<f32x24x56,strided<1,28>>"
    parameters = [f"%{name}: {type_}" for name, type_ in matrices.items()]
    loads = []
    for name, (m, n) in BATCHES.items():
        parameters.append(f"%{name}s: group<memref<f32x{m}x{n}>x?, offset: ?>")
        loads.append(f"%{name} = load %{name}s[%g] : memref<f32x{m}x{n}>")
    return f"""func @f({", ".join(parameters)}) {{
      %g = group_id.x : index
      %o = constant 1.0 : f32 %z = constant 0.0 : f32 %h = constant 0.5 : f32
      {" ".join(loads)}
      %t = alloca : memref<f32x24x9,local>
      %first = subview %A[0:24,0:9] : memref<f32x24x9>
      axpby %z, %first, %z, %t
      {body}
    }}"""


def expected(name, v):
    """Return c and d of a group."""
    a, b, w, x, y, k, l = (v[key] for key in ("A", "B", "W", "x", "y", "K", "L"))  # noqa: E741
    c, d = np.zeros((24, 9)), np.zeros((24, 9))
    if name == "offsets":
        c[:16], d[:16] = a[4:20, 2:22] @ x[:20], a[8:, 4:24] @ x[:20]
        return c, d
    if name == "offsets_of_columns":
        c[:, :7], d[:, :7] = a[:, 2:22] @ x[:20, 1:8], a[:, 2:22] @ x[:20, 2:]
        return c, d
    if name == "members_of_the_next_group":
        return a @ x + b @ x, b @ y + v["d"]
    return {
        "pointers": lambda: (a @ x, b @ y),
        "fetched_once": lambda: (a @ x, b @ x),
        "other_fetches": lambda: (a @ x, b @ x),
        "two_of_each": lambda: (a @ x @ k, b @ y @ l),
        "other_factor": lambda: (a @ x, b @ x / 2),
        "other_strides": lambda: (a @ x, w @ y),
        "one": lambda: (a @ x, a @ x),
    }[name]()


def arguments(rng, groups):
    """Return the arguments of a launch; members begin at an offset."""
    values = {
        name: np.asfortranarray(whole_numbers(rng, s, np.float32)) for name, s in MATRICES.items()
    }
    values["W"] = np.asfortranarray(whole_numbers(rng, (28, 56), np.float32))[:24]
    members = {
        name: [np.asfortranarray(whole_numbers(rng, shape, np.float32)) for _ in range(groups)]
        for name, shape in BATCHES.items()
    }
    return values, members


def group_argument(members, offset=7):
    """Return members that a kernel finds at an offset into longer arrays."""
    longer = []
    for member in members:
        array = np.full(member.size + offset + 5, np.nan, np.float32)
        array[offset : offset + member.size] = member.ravel("F")
        longer.append(array)
    return longer, tt.Group(longer, offset, members[0].shape)


def check(name, run, groups):
    rng = np.random.default_rng(groups)
    values, members = arguments(rng, groups)
    longer, given = {}, dict(values)
    for key, arrays in members.items():
        longer[key], given[f"{key}s"] = group_argument(arrays)
    run(given, groups)
    for number in range(groups):
        operands = values | {key: arrays[number] for key, arrays in members.items()}
        for key, wanted in zip("cd", expected(name, operands), strict=True):
            array = longer[key][number]
            assert np.isnan(array[:7]).all() and np.isnan(array[-5:]).all()
            np.testing.assert_array_equal(array[7:-5].reshape(wanted.shape, order="F"), wanted)


@pytest.mark.parametrize("name", BODIES)
def test_calls(name):
    """They are in the gpu stage, and functions of SPIR-V that drivers must not inline."""
    body, calls, functions = BODIES[name]
    module = tt.Context().parse(text(body))
    stage = str(module.lower("gpu", target="cpu", vector_bytes=64))
    assert stage.count("func.call @f_product") == calls
    assert stage.count("func.func private @f_product") == functions
    assert "execute_region" not in stage
    spirv = str(module.lower("spirv", target="cpu", vector_bytes=64))
    assert len(re.findall(r'spirv\.func @f_product\w*\([^"]*"DontInline"', spirv)) == functions
    assert "call @f_product" not in str(module.lower("gpu", target="cpu", vector_bytes=32))
    assert "call @f_product" not in str(module.lower("gpu", target="intel-gpu:pvc"))


@needs_spirv_val
@pytest.mark.parametrize("name", BODIES)
def test_valid(name):
    body, _, _ = BODIES[name]
    validate(tt.Context().parse(text(body)).compile("cpu", vector_bytes=64).spirv)


def test_drivers_that_must_inline():
    """PoCL gives subgroups to kernels alone."""
    assert driver.cpu_build_options("Intel(R) Corporation") == driver.CPU_BUILD_OPTIONS
    assert driver.cpu_build_options("GenuineIntel") == ""
    module = tt.Context().parse(text(BODIES["two_of_each"][0]))
    code = module.compile("cpu", vector_bytes=64).spirv
    inlined = with_inlined_calls(code)
    changed = [(a, b) for a, b in zip(words(code), words(inlined), strict=True) if a != b]
    assert changed == [(2, 1)] * 2  # the functions' control: from DontInline to Inline
    assert with_inlined_calls(inlined) == inlined


def words(code):
    return np.frombuffer(code, np.uint32).tolist()


@pytest.mark.similar
@pytest.mark.parametrize("abi", ["packed", "plain"])
@pytest.mark.parametrize("name", BODIES)
def test_numbers(name, abi):
    kernel = tt.Context().parse(text(BODIES[name][0])).compile("cpu", abi=abi, vector_bytes=64)["f"]
    for groups in (1, 2, 23):
        check(name, lambda given, groups: kernel(given, groups=groups), groups)


@pytest.mark.similar
@pytest.mark.parametrize("name", BODIES)
def test_interpreted(name):
    """The gpu stage has no race, and the same numbers."""
    module = tt.Context().parse(text(BODIES[name][0]))
    stage = GpuStage(module, target="cpu", abi="packed", native=True)

    for seed in (None, 1):  # all work-items in step, or one after the other

        def run(given, groups, seed=seed):
            assert stage.check("f", given, groups, seed=seed) == []

        check(name, run, 2)


@pytest.mark.parametrize(("type_", "dtype"), [("c32", np.complex64), ("c64", np.complex128)])
def test_exchange_between_lanes(type_, dtype):
    """Complex products exchange parts between lanes, which only a kernel has the number of."""
    code = f"""func @f(%A: memref<{type_}x24x20>, %x: memref<{type_}x20x9>,
                    %c: memref<{type_}x24x9>, %d: memref<{type_}x24x9>) {{
      %o = constant [1.0,0.0] : {type_} %z = constant [0.0,0.0] : {type_}
      gemm %o, %A, %x, %z, %c gemm %o, %A, %x, %z, %d
    }}"""
    module = tt.Context().parse(code)
    assert "func.call" not in str(module.lower("gpu", target="cpu", vector_bytes=64))
    rng = np.random.default_rng(0)
    parts = [whole_numbers(rng, (2, *shape)) for shape in ((24, 20), (20, 9))]
    a, x = (np.asfortranarray(real + 1j * imaginary, dtype) for real, imaginary in parts)
    c, d = (np.zeros((24, 9), dtype, "F") for _ in range(2))
    module.compile("cpu", vector_bytes=64)["f"](a, x, c, d, groups=1)
    for result in (c, d):
        np.testing.assert_array_equal(result, a @ x)
