"""Every spelling of a program is the same program, and the maker writes what SeisSol has."""

import dataclasses
import random
import re

import pytest

import tinytc_mlir as tt
from cases.seissol.chain_programs import MOST_STATEMENTS, chain_program, random_program
from cases.seissol.launching import compare
from cases.seissol.maker import OLD, SHORT_V04, V031, V04, Matrix, Program, Statement, View, whole
from tinytc_bench.chains import CHAINS, application
from tinytc_mlir.frontend import format_source
from tinytc_mlir.frontend.translation import translate


def some_programs(type_):
    rng = random.Random(f"spellings {type_}")
    chains = [chain_program(rng, chain, type_) for chain in CHAINS]
    return chains + [random_program(rng, type_) for _ in range(60)]


@pytest.mark.similar
@pytest.mark.parametrize("type_", ["f32", "f64"])
@pytest.mark.parametrize("spelling", [SHORT_V04, V031, OLD], ids=["short", "0.3.1", "old"])
def test_spellings(spelling, type_):
    context = tt.Context()
    programs = some_programs(type_)
    expected, actual = (
        context.parse("\n".join(program.text(each) for program in programs)).to_text()
        for each in (V04, spelling)
    )
    assert actual == expected


@pytest.mark.similar
@pytest.mark.parametrize(
    "spelling", [V04, SHORT_V04, V031, OLD], ids=["0.4", "short", "0.3.1", "old"]
)
def test_translations(spelling):
    earlier, later, text = (
        "\n".join(program.text(each) for program in some_programs("f64")[:30])
        for each in (OLD, SHORT_V04 if spelling is SHORT_V04 else V04, spelling)
    )
    assert translate(text, "0.3") == format_source(earlier)
    assert translate(text, "0.4") == format_source(later)


def test_what_a_spelling_is():
    rng = random.Random(5)
    texts = [p.text(V031) for p in (random_program(rng, "f64") for _ in range(40))]
    text = "\n".join(texts)
    for part in ("= group_id : index", "0:?,", "constant 0 : f64", "constant 1 : f64"):
        assert part in text
    assert "gemm %" in random_text(SHORT_V04)


def random_text(spelling):
    rng = random.Random(6)
    return "\n".join(random_program(rng, "f32").text(spelling) for _ in range(200))


def test_the_shape_of_programs():
    text = random_text(V04)
    for part in (
        r"func @(fused_gemm|copyscaleadd)_[0-9a-f]{64}\(%alpha: f32,",
        r"%m\d+: memref<f32x20x9, strided<1,20>>",
        r"%m\d+: group<memref<f32x\d+x\d+, strided<1,\d+>>x\?, offset: \?>",
        r"%m\d+: group<memref<f32x\d+x\d+, strided<1,\d+>>x\?>",
        r"%m\d+: group<memref<f32x\d+x\d+, strided<1,\d+>>x5, offset: \d+>",
        r"%m\d+: memref<f32x\d+x1x\?, strided<1,\d+,\d+>>",
        r"%0 = group_id\.x : index",
        r"= load %m\d+\[%0\] : memref<f32x1x1, strided<1,\d+>>",
        r"= subview %m\d+\[0:\d+,0:\d+,%0\] : memref<f32x",
        r"= alloca : memref<f32x10x9, strided<1,14>, local>",
        r"= subview %\d+\[[1-9]:\d+,[1-9]:\d+\] : memref<f32x\d+x\d+, strided<1,\d+>, local>",
        r"gemm\.n\.n %alpha, ",
        r"gemm\.n\.t %\d+, %\d+, %\d+, %\d+, %\d+",
        r"axpby\.n %\d+, %\d+, %\d+, %\d+",
        r"axpby\.t %alpha, ",
        r"constant -1\.5 : f32",
    ):
        assert re.search(part, text), part
    lengths = {len(function.split("\n  gemm.")) - 1 for function in text.split("func ")[1:]}
    assert lengths >= set(range(MOST_STATEMENTS - 2))


def test_the_listed_chains():
    sizes = {
        c.name: [f"{m}x{k}*{k}x{n}" for m, n, k in (p.sizes for p in c.products)] for c in CHAINS
    }
    assert sizes["order4.star"] == ["20x9*9x9", "28x20*20x9"]
    neighbour = ["12x20*20x9", "12x10*10x9", "12x9*9x9", "20x10*10x9"]
    assert sizes["order4.neighbour"] == neighbour
    assert sizes["order4.volume"] == ["20x25*25x9", "20x9*9x9"]
    assert sizes["order4.points"] == ["4x20*20x1"]
    assert sizes["order6.volume"] == ["56x56*56x9", "56x9*9x9"]
    neighbour = ["24x56*56x9", "24x21*21x9", "24x9*9x9", "56x21*21x9"]
    assert sizes["order6.neighbour"] == neighbour
    assert sizes["order6.star"] == ["56x9*9x9", "56x49*49x9"]
    derivative = "40x53*53x9 40x9*9x9 40x54*54x9 40x9*9x9 40x55*55x9 40x9*9x9"
    assert sizes["order6.derivative"] == derivative.split()
    local = ["24x56*56x9", "24x9*9x9", "56x21*21x9"]
    assert (sizes["order6.local3"], sizes["order6.local4"]) == (3 * local, 4 * local)
    assert sizes["order6.points"] == ["8x56*56x1"]


def test_an_application_has_many_chains():
    texts = {chain.text(type_) for chain, type_ in application()}
    assert len(texts) == len(list(application())) >= 200


def product(rows=9):
    a, b = Matrix("A", 20, 9, 20, "constant"), Matrix("B", 9, 9, 9, "group", offset="?")
    c = Matrix("C", 20, 9, 24, "group")
    view = View(c, 0, 0, rows, 9)
    statement = Statement(View(a, 0, 0, rows, 9), whole(b), view, None, 1.0)
    return Program("f32", (statement,))


@pytest.mark.parametrize(
    "change",
    [
        lambda s: dataclasses.replace(s, beta=0.0),
        lambda s: dataclasses.replace(s, alpha=1.001),
        lambda s: dataclasses.replace(s, is_transposed=True),
        lambda s: dataclasses.replace(s, c=dataclasses.replace(s.c, row=1)),
        lambda s: dataclasses.replace(s, a=dataclasses.replace(s.a, row=3)),
    ],
)
def test_a_wrong_kernel_is_found(change):
    right = product()
    wrong = Program("f32", tuple(change(s) for s in right.statements))
    text = wrong.text().replace(") {", ") {", 1)
    if not wrong.has_alpha:
        text = text.replace("(%A", "(%alpha: f32, %A")
    kernel = tt.Context().parse(text).compile("cpu")[wrong.name]
    assert "elements differ" in compare(random.Random(1), right, kernel, 3)
