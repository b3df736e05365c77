"""NVIDIA's assembler takes the programs on tiles, and keeps those of products in registers."""

import re
import subprocess

import pytest

import tinytc_mlir as tt
from instruction_kernels import INSTRUCTIONS, TEMPLATES, TYPES, kernel, parse
from tile_tools import ARCHITECTURES, assemble, find_assembler
from tinytc_mlir import _tinytc
from tinytc_mlir.reference.tile import TileStage


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


@pytest.mark.parametrize("type_", TYPES)
def test_instructions(type_, tmp_path):
    find_assembler()
    texts = mapped_kernels(type_)
    stage = TileStage(tt.Context().parse("".join(texts)))
    for architecture in ARCHITECTURES:
        assert assemble(bytecode_of(stage), architecture, tmp_path) == ""
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
    """Return the instructions of a program, and the bytes of its stack."""
    tool = find_assembler("cuobjdump")
    words = [
        subprocess.run([tool, option, cubin], capture_output=True, text=True, check=True).stdout
        for option in ("-sass", "-res-usage")
    ]
    return words[0], int(re.search(r"STACK:(\d+)", words[1])[1])


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize(
    ("types", "sizes", "unit"),
    [
        (("f32", "f32"), (32, 32, 32), "FFMA"),
        (("f32", "f32"), (64, 64, 64), "FFMA"),
        (("f32", "f32"), (35, 9, 35), "FFMA"),
        (("f64", "f64"), (32, 32, 32), "DMMA"),
        (("f64", "f64"), (56, 9, 9), "DMMA"),
        (("bf16", "f32"), (64, 64, 64), "HGMMA"),
    ],
)
def test_products_need_no_stack(types, sizes, unit, aligned, tmp_path):
    find_assembler()
    module = tt.Context().parse(batched_gemm(*types, *sizes))
    code = bytecode_of(TileStage(module, aligned=aligned))
    assert assemble(code, "sm_90", tmp_path) == ""
    text, stack = resources(tmp_path / "kernels.cubin")
    assert unit in text
    assert stack == 0
