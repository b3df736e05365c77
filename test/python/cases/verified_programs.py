"""Whole programs that are verified besides the device tests: all that users see, and derivatives.

Each source yields a name and the text of a program; all its kernels are verified.
"""

import pathlib
import random
import sys

import programs
import tinytc_mlir as tt
from cases.seissol.chain_programs import chain_program, random_program
from scripts import loaded
from tinytc_bench.chains import CHAINS
from tinytc_mlir import recipes
from tinytc_mlir.certificates import Claim, Outcome
from tinytc_mlir.errors import InterpreterError, TinyTCError
from tinytc_mlir.measure.sample_data import SampleOptions
from tinytc_mlir.verification import PARTS, default_groups

TESTS = pathlib.Path(__file__).parents[1]
WITHOUT_DEVICE = tuple(part for part in PARTS if part != "machine")
_DERIVATIVES = TESTS / "derivatives"
_RANDOM = 200


def _examples():
    for path in sorted((TESTS.parents[1] / "examples").glob("*.ir")):
        yield path.name, path.read_text(encoding="utf-8")


def _recipes():
    for type_ in ("f32", "f64", "c32"):
        yield f"small {type_}", recipes.small_gemm_batched(type_, 5, 7, 3).text
        yield f"skinny {type_}", recipes.tall_and_skinny(type_, 3, 5, target="cpu").text
    yield (
        "chain",
        recipes.einsum("ij,jk,kl->il", (4, 5), (5, 3, None), (3, 6, None), dtype="f32").text,
    )
    yield "trace", recipes.einsum("iij->j", (4, 4, 3), dtype="f64").text
    yield "ozaki", recipes.ozaki_gemm(8, 8, 8, target="cpu").text


def _seissol():
    rng = random.Random(1)
    for type_ in ("f32", "f64"):
        for number, chain in enumerate(CHAINS):
            yield f"chain {number} {type_}", chain_program(rng, chain, type_).text()
        for number in range(20):
            yield f"like it {number} {type_}", random_program(rng, type_).text()


def _derivatives():
    sys.path.insert(0, str(_DERIVATIVES))  # its modules import each other
    yield from loaded(_DERIVATIVES / "differentiated_factors.py").KERNELS.items()


def _random_derivatives():
    sys.path.insert(0, str(_DERIVATIVES))
    make = loaded(_DERIVATIVES / "random_derivatives.py").Maker
    for seed in range(_RANDOM):
        yield f"seed {seed}", make(seed).text()


def _random():
    for seed in range(_RANDOM):
        yield f"seed {seed}", programs.generate(random.Random(seed))


SOURCES = {
    "examples": _examples,
    "recipes": _recipes,
    "seissol": _seissol,
    "derivatives": _derivatives,
    "random derivatives": _random_derivatives,
    "random": _random,
}
"""Functions that yield the programs of each kind."""


def claims_of_program(text, target, *, machine):
    """Yield the names of kernels that fit a target, with what verification says of them."""
    module = tt.Context().parse(text)
    try:
        program = module.compile(target)
    except tt.LoweringError as error:  # the target lacks a type or local memory
        yield "", [Claim("stages", "lowering", Outcome.UNSHOWN, error.diagnostics[0].message)]
        return
    for name, info in program.kernels.items():
        options = SampleOptions(default_groups(info))
        parts = PARTS if machine else WITHOUT_DEVICE
        try:
            yield name, program.verify(name, options=options, parts=parts).claims
        except InterpreterError as error:  # sizes that are drawn need not fit each other
            text = f"undefined for random arguments: {error.diagnostics[0].message}"
            yield name, [Claim("stages", "arguments", Outcome.UNSHOWN, text)]
        except TinyTCError as error:
            yield name, [Claim("stages", "arguments", Outcome.UNSHOWN, str(error))]
