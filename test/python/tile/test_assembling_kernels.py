"""NVIDIA's assembler takes the programs on tiles, and keeps those of products in registers."""

import json
import operator
import pathlib
import re
import subprocess

import pytest

import tinytc_mlir as tt
from instruction_kernels import INSTRUCTIONS, TEMPLATES, TYPES, kernel, parse
from tile_interpreter import TileStage
from tile_tools import architectures, assemble, check_assembles, find_nvidia_tool
from tinytc_mlir import _tinytc

ROOT = pathlib.Path(__file__).parents[3]


def bytecode_of(stage):
    return _tinytc.write_tile_bytecode(stage.operation)  # the oldest version that has all


def mapped_kernels(type_):
    """Return the tiny kernels of docs/instructions.md that become programs on tiles."""
    texts = []
    for instruction in INSTRUCTIONS:
        module = parse(instruction, type_)
        if module is None:
            continue
        try:
            TileStage(module)
        except tt.LoweringError:
            continue
        text = kernel(TEMPLATES[instruction], type_)
        texts.append(text.replace("@kernel", f"@k{len(texts)}"))
    return texts


@pytest.mark.similar
@pytest.mark.parametrize("type_", TYPES)
def test_instructions(type_, tmp_path):
    find_nvidia_tool()
    texts = mapped_kernels(type_)
    stage = TileStage(tt.Context().parse("".join(texts)))
    for architecture in architectures(type_):
        check_assembles(bytecode_of(stage), architecture, tmp_path)
    print(f"{len(texts)} kernels of {type_}")


def batched_gemm(element, result, m, n, k):
    """Return a product for each group, of slices of three arrays."""
    operands = (("A", element, m, k), ("B", element, k, n), ("C", result, m, n))
    parameters = ", ".join(f"%{name}0: memref<{t}x{x}x{y}x?>" for name, t, x, y in operands)
    views = "\n".join(
        f"%{name} = subview %{name}0[0:{x}, 0:{y}, %g] : memref<{t}x{x}x{y}>"
        for name, t, x, y in operands
    )
    return f"""func @gemm(%alpha: {element}, %beta: {result}, {parameters}) {{
      %g = builtin.group_id : index
      {views}
      gemm.n.n %alpha, %A, %B, %beta, %C
    }}"""


def resources(cubin):
    """Return the instructions of a program, its registers, and the bytes of its stack."""
    tool = find_nvidia_tool("cuobjdump")
    words = [
        subprocess.run([tool, option, cubin], capture_output=True, text=True, check=True).stdout
        for option in ("-sass", "-res-usage")
    ]
    registers, stack = re.search(r"REG:(\d+) STACK:(\d+)", words[1]).groups()
    return words[0], int(registers), int(stack)


def documented():
    """Return the rows that docs/tile.md shows: type, sizes, promise, multiplies, unit, numbers."""
    tables = json.loads((ROOT / "docs/measurements/tiles.json").read_text())
    rows = (" ".join(map(str, row)) for row in tables["products"]["rows"])
    return [row.replace(" x ", " ").split() for row in rows]


@pytest.mark.similar
@pytest.mark.parametrize("row", documented(), ids="-".join)
def test_products(row, tmp_path):
    """Code does not grow beyond what the page says."""
    find_nvidia_tool()
    type_, *sizes, aligned = row[:5]
    multiplies, unit, *most = row[5:]
    text = batched_gemm(type_, "f32" if type_ == "bf16" else type_, *map(int, sizes))
    stage = TileStage(tt.Context().parse(text), aligned=aligned == "yes")
    assert assemble(bytecode_of(stage), "sm_90", tmp_path) == ""
    code, registers, stack = resources(tmp_path / "kernels.cubin")
    loads = len(re.findall(r"\bLD[GS][.\w]*\.128\b", code))
    assert len(re.findall(rf"\b{unit}\b", code)) == int(multiplies)
    found = [registers, loads, stack]
    assert all(map(operator.le, found, map(int, most))), f"got {found} on sm_90"


def test_the_page_has_the_suite():
    units = {(row[0], row[6]) for row in documented()}
    assert units == {("f32", "FFMA"), ("f64", "DMMA"), ("bf16", "HGMMA")}
    assert {row[4] for row in documented()} == {"no", "yes"}
    assert {row[-1] for row in documented()} == {"0"}  # nothing spills
