"""Functions of numbers in the code for each GPU, and in programs on tiles."""

import numpy as np
import pytest

import tinytc_mlir as tt
from emulators.machines import TARGETS, machine
from nearness import assert_units
from tile_interpreter import TileStage
from tinytc_mlir.emulators.findings import FINDINGS

FUNCTIONS = {
    "sqrt(%p)": lambda a, p: np.sqrt(p),
    "rsqrt(%p)": lambda a, p: 1 / np.sqrt(p),
    "tanh(%a)": lambda a, p: np.tanh(a),
    "expm1(%a)": lambda a, p: np.expm1(a),
    "log1p(%p)": lambda a, p: np.log1p(p),
    "floor(%a)": lambda a, p: np.floor(a),
    "ceil(%a)": lambda a, p: np.ceil(a),
    "pow(%p, %a)": lambda a, p: p**a,
    "hypot(%a, %p)": np.hypot,
    "fma(%a, %p, 1)": lambda a, p: a * p + 1,
    "%a < 0 ? -1 : %p": lambda a, p: np.where(a < 0, -1, p),
}
TYPES = ("f16", "f32", "f64")
# Twice what docs/language/scalars.md says, without pow of OpenCL, which is 16 units.
UNITS = 6


def program(type_):
    """Return a kernel that stores all functions of an element."""
    lines = [f"%r{n} = {text} : {type_}" for n, text in enumerate(FUNCTIONS)]
    lines += [f"store %r{n}, %B[%i, {n}]" for n in range(len(FUNCTIONS))]
    return f"""func @f(%A: memref<{type_}x16>, %B: memref<{type_}x16x{len(FUNCTIONS)}>) {{
      foreach (%i) = (0), (16) {{
        %a = load %A[%i] : {type_}
        %p = abs %a : {type_}
        {" ".join(lines)}
      }}
    }}"""


def check(type_, run):
    """Run a kernel and compare all functions."""
    dtype = {"f16": np.float16, "f32": np.float32, "f64": np.float64}[type_]
    a = np.concatenate([np.linspace(-2.75, 3.1, 12), [1e-3, -1e-3, 0.5, 1]]).astype(dtype)
    b = np.zeros((16, len(FUNCTIONS)), dtype, order="F")
    run(a, b)
    wide = a.astype(np.float64)
    expected = [function(wide, np.abs(wide)) for function in FUNCTIONS.values()]
    for found, exact in zip(b.T, expected, strict=True):
        assert_units(found, exact, UNITS)


@pytest.fixture(scope="module", params=TARGETS)
def gpu(request):
    with machine(request.param).installed() as installed:
        yield installed


@pytest.mark.similar
@pytest.mark.parametrize("type_", TYPES)
def test_gpus(gpu, type_):
    module = tt.Context().parse(program(type_))
    if type_ == "f64" and gpu.target == "intel-gpu:dg2":
        with pytest.raises(tt.TinyTCError, match="f64"):
            module.compile(gpu.target)
        return
    kernel = module.compile(gpu.target)["f"]
    FINDINGS.start()
    check(type_, kernel)
    assert not FINDINGS.serious()


@pytest.mark.parametrize("type_", TYPES)
def test_tiles(type_):
    stage = TileStage(tt.Context().parse(program(type_)))
    check(type_, lambda a, b: stage.run("f", [a, b]))
