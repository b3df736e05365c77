"""`tinytc explore` and `Module.explore`: what the page holds."""

import base64
import gzip
import json
import pathlib
import re

import pytest

import tinytc_mlir as tt
from binaries import needs_ocloc
from tinytc_mlir.explore.locations import mark_assembly, mark_disassembly

SAMPLE = pathlib.Path(__file__).parents[3] / "examples" / "fused_kernel.ir"
STAGES = ["text", "tinytc", "prepared", "linalg", "gpu", "spirv", "disassembly"]


def data_of(page):
    """Return the data in a page."""
    (text,) = re.findall(r'<script id="data" type="text/plain">(.*?)</script>', page)
    return json.loads(gzip.decompress(base64.b64decode(text)))


def panes_of(page):
    return {pane["name"]: pane for pane in data_of(page)["panes"]}


@pytest.fixture(scope="module")
def module():
    return tt.Context().parse_file(SAMPLE)


@pytest.fixture(scope="module")
def page(module):
    return module.explore("cpu").html


def test_all_stages_are_there(page):
    panes = panes_of(page)
    assert list(panes) == STAGES
    assert "\n".join(panes["text"]["lines"]) == SAMPLE.read_text().rstrip()
    assert not any(pane["note"] for pane in panes.values())
    for pane in panes.values():
        assert len(pane["lines"]) == len(pane["marks"]) > 10
        assert not any(" loc(" in line or "OpLine" in line for line in pane["lines"])


def test_native_stages(module):
    panes = panes_of(module.explore("native").html)
    assert list(panes) == [*STAGES[:-2], "vector", "llvm", "disassembly"]
    assert panes["disassembly"]["title"] == "machine code"
    assert any("fused_kernel:" in line for line in panes["disassembly"]["lines"])
    again = module.lower("object", target="native").explore()
    assert "keeps no text" in panes_of(again.html)["disassembly"]["lines"][0]


def test_each_product_is_found_at_every_stage(page):
    panes = panes_of(page)
    source = panes["text"]["lines"]
    products = [n for n, line in enumerate(source, 1) if line.strip().startswith("gemm")]
    # In SPIR-V, what a multiply-add is called depends on the processor.
    words = {"linalg": "linalg.generic", "gpu": "math.fma", "spirv": "fma"}
    for product in products:
        for name, word in {**words, "tinytc": "tinytc.gemm", "disassembly": "fma"}.items():
            lines = [
                line
                for line, marks in zip(panes[name]["lines"], panes[name]["marks"], strict=True)
                if product in marks
            ]
            assert any(word in line for line in lines), (product, name)
    # An op with a region is marked where it begins, not only where its region ends.
    gpu = panes["gpu"]
    loops = [n for n, line in enumerate(gpu["lines"]) if "scf.for" in line]
    assert loops
    assert all(gpu["marks"][n] for n in loops)


def test_facts(page, module):
    data = data_of(page)
    (kernel,) = data["kernels"]
    info = module.compile("cpu").kernels["fused_kernel"]
    assert data["target"] == "cpu"
    assert data["spirv_bytes"] == len(module.compile("cpu").spirv)
    assert kernel["work_group"] == list(info.local_size)
    assert kernel["local_bytes"] == info.local_memory_bytes > 0
    assert kernel["groups_per_work_group"] == info.groups_per_work_group
    assert kernel["flops"] == 2 * 16 * 8 * 8 + 2 * 16 * 8 * 16
    # A, B and C once, D read and written
    assert kernel["bytes"] == 4 * (16 * 8 + 8 * 8 + 8 * 16 + 2 * 16 * 16)
    assert kernel["intensity"] == pytest.approx(kernel["flops"] / kernel["bytes"])


def test_tiles_are_those_of_the_cost_model(page):
    (kernel,) = data_of(page)["kernels"]
    first, second = (each for each in kernel["strategies"] if "tiles" in each)
    assert (first["line"], first["shape"]) == (13, [16, 8, 8])
    assert (second["line"], second["shape"]) == (14, [16, 16, 8])
    for product in (first, second):
        assert (product["instruction"], product["kind"]) == ("gemm", "work_items")
        cheapest = min(product["tiles"], key=lambda tile: tile[2])
        assert cheapest[:2] == [product["rows"], product["columns"]]
        assert len(product["tiles"]) >= 6  # more, where registers hold 64 bytes


def test_unknown_facts_are_none():
    text = "func @f(%A: memref<f32x?>) { parallel { %z = constant 0.0 : f32\n store %z, %A[0] } }"
    (kernel,) = data_of(tt.Context().parse(text).explore("cpu").html)["kernels"]
    assert kernel["bytes"] is None
    assert kernel["intensity"] is None
    assert kernel["strategies"] == []


def test_strategies_are_those_that_lowering_follows():
    text = """
  func @f(%h: f16, %A: memref<f16x64x64>, %x: f32, %C: memref<f32x64x64>, %D: memref<f32x64x64>) {
        gemm.n.n %h, %A, %A, %x, %C
        cumsum %x, %C, 1, %x, %D
        axpby.n %x, %C, %x, %D
    }"""
    (kernel,) = data_of(tt.Context().parse(text).explore("intel-gpu:pvc").html)["kernels"]
    found = [(each["line"], each["instruction"], each["kind"]) for each in kernel["strategies"]]
    assert found[:2] == [(3, "gemm", "matrix_unit"), (4, "cumsum", "line_walks")]
    assert (5, "axpby", "collapsed") in found
    assert "columns = 32" in kernel["strategies"][0]["entries"]


def test_patterns_of_zeros_go_through_chains():
    text = """
  func @f(%A: memref<f64x40x40> {nonzero=[[0, 8, 0, 40]]}, %B: memref<f64x40x9>,
          %C: memref<f64x40x40>, %D: memref<f64x40x9>) {
      %T = alloca : memref<f64x40x9,local>
      %one = constant 1.0 : f64
      %zero = constant 0.0 : f64
      gemm.n.n %one, %A, %B, %zero, %T
      gemm.n.n %one, %C, %T, %one, %D
      gemm.n.n %one, %A, %B, %one, %D
    }"""
    (kernel,) = data_of(tt.Context().parse(text).explore("cpu").html)["kernels"]
    assert kernel["zeros"] == [
        {"line": 7, "text": "its product is zero but for [0:8, 0:9]"},
        {"line": 9, "text": "its product is zero but for [0:8, 0:9]"},
    ]


def test_later_stages_can_be_explored(module):
    lowered = module.lower("gpu", target="cpu")
    page = lowered.explore().html
    assert list(panes_of(page)) == ["text", "gpu", "spirv", "disassembly"]
    assert data_of(page)["kernels"][0]["flops"] == 2 * 16 * 8 * 8 + 2 * 16 * 8 * 16


def test_a_program_for_nvidia(module):
    page = module.explore("cuda:sm_90").html
    panes = panes_of(page)
    assert list(panes) == [*STAGES[:5], "nvvm", "disassembly"]
    assert "llvm.intr.fma" in "\n".join(panes["nvvm"]["lines"])
    program = module.compile("cuda:sm_90")
    assert panes["disassembly"]["lines"] == program.ptx.rstrip().split("\n")
    assert data_of(page)["spirv_bytes"] == len(program.code)


def test_without_the_disassembler(module, monkeypatch):
    monkeypatch.setenv("PATH", "")
    pane = panes_of(module.explore("cpu").html)["disassembly"]
    assert pane["lines"] == []
    assert pane["note"] == "needs spirv-dis: apt install spirv-tools"


@needs_ocloc
def test_machine_code(module):
    pane = panes_of(module.explore("intel-gpu:pvc").html)["machine"]
    assert any("mad (" in line for line in pane["lines"])
    assert "does not keep lines" in pane["note"]


@needs_ocloc
def test_machine_code_of_a_gpu_that_ocloc_does_not_know(module):
    pane = panes_of(module.explore("intel-gpu:bmg").html)["machine"]
    assert pane["lines"] or pane["note"] == (
        "expected an ocloc that knows intel-gpu:bmg, got an older one"
    )


def test_notebooks(module):
    shown = module._repr_html_()
    assert shown.startswith("<iframe")
    assert "&lt;!doctype html&gt;" in shown
    empty = tt.Context().parse("$n = 4\n")
    assert empty._repr_html_().startswith("<pre>")


def test_command(tinytc, tmp_path, page):
    path = tmp_path / "page.html"
    assert tinytc("explore", "--target", "cpu", SAMPLE, "-o", path) == (0, "", "")
    assert data_of(path.read_text())["kernels"] == data_of(page)["kernels"]
    assert "</script>" not in re.sub(r"</script>\n", "", page)


def test_text_cannot_leave_the_page():
    text = 'func @f() { } ; </script><script>alert("x")</script>\n'
    page = tt.Context().parse(text, "</title>.ir").explore("cpu").html
    assert "alert(" not in page
    assert "<title>&lt;" not in page or "</title>.ir" not in page


def test_locations_of_any_form():
    text = "\n".join(
        [
            "a.b {",
            '  c.d %x "loc(#loc9)" : i32 loc(fused[#loc1, "g.ir":9:1])',
            '  ^bb0(%y: i32 loc("x"(#loc1))):',
            "} loc(#loc2)",
            '#loc1 = loc("a \\22b\\22.ir":3:5 to :9)',
            '#loc2 = loc(callsite("n"(#loc1) at "a \\22b\\22.ir":7:1 to 8:2))',
        ]
    )
    lines, marks = mark_assembly(text, 'a "b".ir')
    assert lines == ["a.b {", '  c.d %x "loc(#loc9)" : i32', "  ^bb0(%y: i32):", "}"]
    assert marks == [(3, 7, 8), (3,), (), (3, 7, 8)]


def test_lines_of_disassembly():
    text = "%1 = OpLabel\nOpLine %9 4 1\nOpNop\nOpFunctionEnd\n%2 = OpLabel\n"
    assert mark_disassembly(text).marks == [(), (4,), (4,), ()]
