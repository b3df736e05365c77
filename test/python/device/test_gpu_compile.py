"""Every kind of kernel passes spirv-val and compiles for Intel's GPUs."""

import itertools
import random
import shutil
import subprocess

import pytest
import test_atomics as atomics
import test_coopmatrix as coopmatrix
import test_elementwise as elementwise
import test_gemm as gemm
import test_scalar as scalar
import test_subgroup as subgroup
import test_sum_cumsum as sums
from operands import LAYOUTS, TYPES

import tinytc_mlir as tt

KERNELS = 24
"""Kernels of one module; ocloc needs seconds for each."""


def families():
    """Return cases of every instruction on every type, by name."""
    rng = random.Random("gpu")
    return {
        "gemm": [
            gemm.gemm(rng, (t, t, t), "n.t", i, (layout,) * 3, (17, 9, 5))
            for i, (t, layout) in enumerate(zip(TYPES, LAYOUTS, strict=False))
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
    }


NAMES = ("gemm", "elementwise", "scalar", "atomics", "coopmatrix", "subgroup")


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
    if name == "elementwise":
        # ocloc does not end for a cumsum of i8 in local memory.
        cases = [case for case in cases if "alloca : memref<i8" not in case.body]
    if target == "dg2":
        cases = [case for case in cases if not needs_f64(case)]
    path = tmp_path / "k.spv"
    path.write_bytes(module_of(cases, f"intel-gpu:{target}"))
    device = {"pvc": "pvc", "dg2": "dg2-g10"}[target]
    run_tool("ocloc", "compile", "-file", str(path), "-spirv_input", "-device", device,
             "-out_dir", str(tmp_path), "-q")  # fmt: skip
