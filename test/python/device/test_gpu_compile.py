"""Every kind of kernel passes spirv-val and compiles for Intel's GPUs."""

import itertools
import pathlib
import random
import re
import shutil
import struct
import subprocess

import pytest
import test_atomics as atomics
import test_control_flow as control
import test_coopmatrix as coopmatrix
import test_elementwise as elementwise
import test_gemm as gemm
import test_local_memory as local
import test_scalar as scalar
import test_subgroup as subgroup
import test_sum_cumsum as sums
import test_unroll as unroll
import test_views as views
from operands import LAYOUTS, TYPES
from test_random_programs import Program

import tinytc_mlir as tt

KERNELS = 40
"""Kernels of one module, a sample of a family; ocloc needs a second for 20 of them."""


def families():
    """Return cases of every instruction on every type, by name."""
    rng = random.Random("gpu")
    return {
        "gemm": [
            *(
                gemm.gemm(rng, (t, t, t), "n.t", i, (layout,) * 3, (17, 9, 5))
                for i, (t, layout) in enumerate(itertools.product(TYPES, LAYOUTS))
            ),
            *(gemm.gemv(rng, (t, t, t), x, i) for i, t in enumerate(TYPES) for x in "nt"),
        ],
        "elementwise": [
            make(rng, types, *rest)
            for t in TYPES
            for make, types, rest in (
                (elementwise.axpby, (t, t), ("t", 2, 6)),
                (elementwise.product, (t, t, t), (0, 2)),
                (sums.total, (t, t), ("n", 2, 6)),
                (sums.running, (t, t), (2, 1, 3)),
            )
        ],
        "scalar": [*scalar.binary_cases(), *scalar.unary_cases(), *scalar.cast_cases()],
        "atomics": [
            *(atomics.add_case(t, local, "") for t in TYPES for local in (False, True)),
            *(atomics.store_case(t) for t in TYPES),
        ],
        "coopmatrix": [
            *(coopmatrix.copy_case(rng, t, (8, 5), "t", ".both_checked", "") for t in TYPES),
            *(coopmatrix.product_case(rng, (t,) * 4, (8, 4, 8)) for t in TYPES),
            *(coopmatrix.arithmetic_case(rng, t, (8, 4)) for t in TYPES),
        ],
        "subgroup": [
            subgroup.case(rng, f"subgroup_{word}.{mode} %a", t, 16)
            for word, mode in itertools.product(("add", "max"), subgroup.MODES)
            for t in ("i8", "i64", "bf16", "f16", "f32", "f64")
        ],
        "control_flow": [
            *(control.carried_case(t) for t in TYPES),
            *(
                control.for_case(t, (-3, 4, 2), constant, f" {{unroll={unroll}}}")
                for t in ("i8", "i64", "index")
                for constant in (False, True)
                for unroll in ("true", "false")
            ),
            *(control.foreach_case(rng, t, (0, 1), (7, 5), False) for t in ("i16", "index")),
            *(unroll.unrolled_case(*count, " {unroll=true}", "") for count in ((5, 7), (37, 5))),
            *(control.barrier_case(fences, "", True) for fences in ("", ".local", ".global")),
        ],
        "views": [
            views.visit(rng, layout, t, (4, 6))
            for t in ("i8", "bf16", "f32", "c32")
            for layout in LAYOUTS
        ],
        "local_memory": [
            *(local.lifetimes_case(t, "") for t in ("i8", "f32", "c64")),
            *(local.copy_case(rng, t, 35, 7, "") for t in ("i8", "f32", "f64")),
        ],
        "programs": [Program(random.Random(i)).case(f"program {i}") for i in range(20)],
    }


NAMES = (
    "gemm",
    "elementwise",
    "scalar",
    "atomics",
    "coopmatrix",
    "subgroup",
    "control_flow",
    "views",
    "local_memory",
    "programs",
)


def module_of(cases, target):
    """Return the binary of a sample of the cases with work-groups of the target's choice."""
    text = ""
    chosen = random.Random(0).sample(cases, min(KERNELS, len(cases)))
    for i, case in enumerate(chosen):
        case.attributes = ""
        text += case.text(f"k{i}")
    return tt.Context().parse(text, "gpu.ir").compile(target).spirv


def needs_f64(case):
    text = case.text("f")
    return "f64" in text or "c64" in text


def run_tool(*words):
    if shutil.which(words[0]) is None:
        pytest.skip(f"there is no {words[0]}")
    result = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-3000:]


@pytest.mark.parametrize("name", NAMES)
def test_binary_is_valid(name, tmp_path):
    path = tmp_path / "k.spv"
    path.write_bytes(module_of(families()[name], "cpu"))
    run_tool("spirv-val", "--target-env", "spv1.4", str(path))


@pytest.mark.parametrize("target", ["pvc", "dg2"])
@pytest.mark.parametrize("name", NAMES)
def test_driver_for_gpus_takes_it(name, target, tmp_path):
    cases = families()[name]
    if target == "dg2":
        cases = [case for case in cases if not needs_f64(case)]
    compile_for(target, module_of(cases, f"intel-gpu:{target}"), tmp_path)


def compile_for(target, spirv, folder):
    """Compile a binary for a GPU; return what the driver is told about its kernels."""
    path = folder / "k.spv"
    path.write_bytes(spirv)
    device = {"pvc": "pvc", "dg2": "dg2-g10"}[target]
    run_tool("ocloc", "compile", "-file", str(path), "-spirv_input", "-device", device,
             "-out_dir", str(folder), "-output", "k", "--format", "zebin", "-q")  # fmt: skip
    (binary,) = folder.glob("k_*.bin")
    return elf_section(binary.read_bytes(), ".ze_info").decode()


def elf_section(data, name):
    """Return a section of a 64-bit ELF file."""
    (start,) = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<3H", data, 0x3A)
    sections = [struct.unpack_from("<2I4Q", data, start + size * i) for i in range(count)]
    for section in sections:
        first = sections[names][4] + section[0]
        if data[first : data.index(0, first)] == name.encode():
            return data[section[4] : section[4] + section[5]]
    raise KeyError(name)


def spilled_bytes(info):
    """Return, by kernel, the memory for registers and variables that do not fit."""
    kernels = re.split(r"^  - name: *", info.split("kernels_misc_info:")[0], flags=re.M)[1:]
    buffer = re.compile(r"- type: *scratch.*?size: *(\d+)", re.S)
    return {text.split()[0]: sum(map(int, buffer.findall(text))) for text in kernels}


EXAMPLES = sorted((pathlib.Path(__file__).parents[3] / "examples").glob("*.ir"))


@pytest.mark.parametrize("target", ["pvc", "dg2"])
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_fit_into_registers(example, target, tmp_path):
    text = example.read_text()
    if target == "dg2":
        text = text.replace("f64", "f32")
    module = tt.Context().parse(text, example.name)
    program = module.compile(f"intel-gpu:{target}")
    spilled = spilled_bytes(compile_for(target, program.spirv, tmp_path))
    assert spilled == dict.fromkeys(program.kernels, 0)


def test_spilling_is_noticed(tmp_path):
    """A matrix of 16 KiB is more than the registers of a subgroup."""
    text = """
    func @f(%A: memref<f32x64x64>, %B: memref<f32x64x64>) attributes {subgroup_size=16} {
        %zero = constant 0 : index
        parallel {
            %a = cooperative_matrix_load.n %A[%zero, %zero] : coopmatrix<f32x64x64,matrix_acc>
            barrier.global
            cooperative_matrix_store %a, %B[%zero, %zero]
        }
    }"""
    spirv = tt.Context().parse(text).compile("intel-gpu:pvc").spirv
    assert spilled_bytes(compile_for("pvc", spirv, tmp_path))["f"] > 0


@pytest.mark.parametrize("type_", ["i8", "i16", "i32", "i64"])
def test_driver_ends_for_run_time_beta(type_, tmp_path):
    """IGC 1.0.12504 never ends on `beta != 0 ? beta * c : 0` of i8 in a loop."""
    text = f"""
    func @f(%alpha: {type_}, %beta: {type_}, %A: memref<{type_}x7x7>, %B: memref<{type_}x?x?>) {{
        cumsum %alpha, %A, 1, %beta, %B
    }}"""
    compile_for("pvc", tt.Context().parse(text).compile("intel-gpu:pvc").spirv, tmp_path)
