"""Code for GPUs: how instructions are counted, how ocloc may fail, and the whole suite."""

import json
import re

import pytest

import tinytc_mlir as tt
from binaries import needs_ocloc
from tinytc_bench import ocloc_counts, ptxas
from tinytc_bench.cases import all_cases
from tinytc_bench.findings import gpu_targets
from tinytc_bench.report import gpu_problems, gpu_table
from tinytc_mlir.explore import ocloc

TEXT = """
func @double(%A: memref<f32x64>) {
  %one = constant 1.0 : f32
  axpby.n %one, %A, %one, %A
}
"""
ASSEMBLY = """\
//.kernel many_kinds
//.platform PVCXT
//.instCount 13

cross_thread_prolog:
(W)     and (1|M0)               r127.0<1>:ud  r0.0<0;1,0>:ud    0xFFFFFFC0:ud          //
        load.ugm.d32x16t.a32.ca.ca (1|M0)  r1:1 bti[255][r127:1]   {A@1,$0} // desc:0x6218D500
// B002: Preds:{B001},  Succs:{B003}
_main:
(W)     mad (1|M0)               r5.0<1>:d     r4.0<0;0>:d       r4.1<0;0>:d       8:w  {I@1}
(f1.0)  mad (16|M0)              r7.0<1>:f     r8.0<1;0>:f       r9.0<1;0>:f       r3.0<0>:f
        mad (16|M0)   (ge)f0.0   r7.0<1>:hf    r8.0<1;0>:hf      r9.0<1;0>:hf      r3.0<0>:hf
        mac (16|M0)              r7.0<1>:df    r8.0<1;1,0>:df    r9.0<1;1,0>:df    // $7
        dpas.8x8 (16|M0)         r12:f         r20:f             r30:bf            r40.0:bf
        atomic_fadd.ugm.d32.a64.uc.uc (16|M0)  null  [r4:2]  r9:1    {$2} // desc:0x0
(W)     send.dc0 (16|M0)         null     r126    r11:2  0x0  0x020F1050  {$3} // scratch write
        fence.slm.none.group (1|M0)  r11:1  r0:1    {$4}
(W&f0.1) jmpi                    _main                                                //
(W)     store.slm.d32x8t.a32 (1|M0)  [r2:1]  r4:1    {$5}
(W)     send.gtwy (1|M0)         null     r112    null:0  0x0  0x02000010  {EOT} // end of thread
"""

LOOPS = """\
//.kernel loops
_outer:
        mov (16|M0)              r5.0<1>:f     r4.0<1;1,0>:f
_inner:
        mad (32|M0)              r7.0<1>:f     r8.0<1;0>:f       r9.0<1;0>:f       r3.0<0>:f
        mad (8|M0)               r7.0<1>:f     r8.0<1;0>:f       r9.0<1;0>:f       r3.1<0>:f
(W)     load.ugm.d32x8t.a64 (1|M0)  r53:1      [r20:1]  {I@4,$3} // desc:0x210C580
(W&f0.1) jmpi                    _inner                                               //
_other:
        mov (16|M0)              r5.0<1>:f     r4.0<1;1,0>:f
(f0.0)  goto (16|M0)             _after        _other
(W&f0.1) jmpi                    _outer
_after:
"""


def test_instructions_are_counted():
    found = ocloc_counts.count(ASSEMBLY)
    assert found.kernel == "many_kinds"
    assert found.all == ocloc_counts.Code(
        instructions=13, messages=5, multiply_adds=3, dot_products=1, multiply_adds_of_16=3.0
    )


def test_hottest_loop_is_counted():
    found = ocloc_counts.count(LOOPS)
    assert found.all.instructions == 8
    assert found.hottest == ocloc_counts.Code(
        instructions=4, messages=1, multiply_adds=2, dot_products=0, multiply_adds_of_16=2.5
    )
    without = ocloc_counts.count(LOOPS.replace("mad", "add"))
    assert without.hottest == without.all


def test_assembly_without_a_kernel():
    with pytest.raises(ocloc.OclocError, match=r"got no line of '//\.kernel'"):
        ocloc_counts.count("(W)     and (1|M0)   r127.0<1>:ud  r0.0<0;1,0>:ud    0xFFFFFFC0:ud\n")


def compiled(text, gpu="pvc"):
    return tt.Context().parse(text).compile(ocloc.DEVICES[gpu].name).spirv


@needs_ocloc
@pytest.mark.parametrize("gpu", ocloc_counts.COUNTED)
def test_kernels_of_a_module_are_measured(gpu):
    found = ocloc_counts.measure(compiled(TEXT + TEXT.replace("double", "once_more"), gpu), gpu)
    assert list(found) == ["double", "once_more"]
    assert found["double"] == found["once_more"]
    assert found["double"]["spilled_bytes"] == found["double"]["dot_products"] == 0
    assert 2 < found["double"]["messages"] < found["double"]["instructions"] < 200


@needs_ocloc
def test_what_ocloc_refuses():
    double = compiled(TEXT.replace("f32", "f64"))
    expected = r"ocloc for dg2: expected status 0, got \d+\n(.|\n)*Double type is not supported"
    with pytest.raises(ocloc.OclocError, match=expected):
        ocloc.compile_binary(double, "dg2")
    with pytest.raises(
        ocloc.OclocError, match=r"ocloc for pvc: expected it to finish within 0\.001 s"
    ):
        ocloc.compile_binary(compiled(TEXT), "pvc", timeout_s=0.001)
    binary = ocloc.compile_binary(compiled(TEXT), "pvc").replace(b".ze_info", b".xe_info")
    with pytest.raises(ocloc.OclocError, match=r"a section '\.ze_info', got none"):
        ocloc_counts.spilled_bytes(binary)


def test_no_ocloc(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ocloc.OclocError, match="expected a command 'ocloc', got none"):
        ocloc.compile_binary(compiled(TEXT), "pvc")


@needs_ocloc
def test_command(tinytc, tmp_path):
    path = tmp_path / "gpu.json"
    status, out, err = tinytc("bench", "gpu", "--only", "gemm.f32.4", "--goals", "--json", path)
    assert (status, err) == (0, "")
    (result,) = json.loads(path.read_text())["gpu"]
    assert (result["case"], result["problems"]) == ("gemm.f32.4", {})
    of_intel = [
        (gpu, registers, "gemm") for gpu in ocloc_counts.COUNTED for registers in ocloc.REGISTERS
    ]
    kernels = [(found["gpu"], found["registers"], found["kernel"]) for found in result["kernels"]]
    assert kernels[: len(of_intel)] == of_intel
    assert [(gpu, kernel) for gpu, _, kernel in kernels[len(of_intel) :]] == [
        (gpu, f"gemm{of}") for gpu in ("sm_80", "sm_90", "sm_100") for of in ("__aligned", "")
    ]
    assert all(found["multiply_adds"] >= 4 for found in result["kernels"])
    assert re.search(r"^spilled bytes of any kernel for GPUs +<= 0 bytes +0 +met", out, re.M)
    assert tinytc("bench", "--goals", "--from", path)[1] == out


def test_command_without_ocloc(tinytc, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    status, out, err = tinytc("bench", "gpu", "--only", "gemm.f32.8")
    assert (status, err) == (0, "")
    assert "ocloc missing: ocloc, of the package intel-opencl-icd" in out
    assert not re.search(r"\bgemm +pvc ", out)


@pytest.mark.skipif(not ptxas.is_installed(), reason="ptxas is not installed")
def test_kernels_for_nvidia():
    program = tt.Context().parse(all_cases()["gemm.f32.4"].ours.text).compile("cuda")
    kernels = ptxas.measure(program.ptx, "sm_90")
    for found in kernels.values():
        assert found["spilled_bytes"] == found["dot_products"] == 0
        assert found["loads"] < found["messages"] < found["instructions"]
        assert found["multiply_adds"] == 4  # 16 lanes have a sum each
        assert 0 < found["registers"] < 64
    assert kernels["gemm__aligned"]["wide_loads"] > kernels["gemm"]["wide_loads"] == 0
    with pytest.raises(ptxas.PtxasError, match="ptxas for sm_90: expected status 0, got"):
        ptxas.measure(program.ptx.replace(".visible .entry", "nothing"), "sm_90")


def test_no_ptxas(monkeypatch):
    monkeypatch.setattr(ptxas, "find_tool", lambda name: None)
    assert not ptxas.is_installed()
    with pytest.raises(ptxas.PtxasError, match="expected ptxas, got none; pip install nvidia-cuda"):
        ptxas.assemble("", "sm_90")


def result(case, spilled_bytes, **problems):
    counts = {"instructions": 90, "messages": 12, "multiply_adds": 34, "dot_products": 5}
    loop = {"instructions": 60, "messages": 6, "dot_products": 0, "multiply_adds_of_16": 40.0}
    counts |= {f"loop_{name}": number for name, number in loop.items()}
    where = {"gpu": "pvc", "kernel": "gemm", "registers": 128, "lanes": 32}
    return {
        "case": case,
        "kernels": [{**where, **counts, "spilled_bytes": spilled_bytes}],
        "problems": problems,
    }


def test_table_targets_and_problems():
    results = [result("a", 0), result("b", 64), result("c", 0, ours="dg2: LoweringError: no")]
    row = gpu_table(results).splitlines()[2].split()
    counts = ["128", "32", "90", "12", "34", "5", "60", "6", "40", "0", "1.50", "0.15", "64"]
    assert row == ["b", "gemm", "pvc", *counts]
    target = gpu_targets(results)[0]
    assert (target.measured, target.is_met) == (64, False)
    assert target.worst == "b pvc; 2 of 3 reach it"
    assert gpu_targets(results[:1])[0].is_met
    assert gpu_targets([])[0].is_met is None
    assert gpu_table([]) == ""
    assert gpu_problems(results) == ["c: ours: dg2: LoweringError: no"]


def test_targets_beside_the_cpp_compiler():
    results = [result("gemm.f32.32", 0), result("gemm.f32.16", 0), result("gemm.f64.32", 0)]
    assert gpu_table(results).splitlines()[1].split()[-2:] == ["0.65", "0"]
    single, double, other = gpu_targets(results)[1:]
    assert single.measured == pytest.approx((1.5 / 0.65 * 1.5 / 1.5) ** 0.5)
    assert (single.is_met, single.worst) == (False, "gemm.f32.32")
    assert double.measured == pytest.approx(1.5 / 1.5)
    assert other.measured is None and other.is_met is None
