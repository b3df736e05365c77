"""A name that is bound again in a region: the device and NumPy agree, or a message says why not."""

import numpy as np
import pytest

import tinytc_mlir as tt

HEAD = """import tinytc_mlir as tt

@tt.kernel
def f(n: tt.index, s: tt.f32, x: tt.f32[4], A: tt.f32[4, 4], B: tt.f32[4, 4]):
    v = {before}
    {region}
        {change}
        {use}
    {after}
"""
REGIONS = {
    "for": "for k in range(1, n):",
    "if": "if n > 2:",
    "foreach": "for k in tt.foreach(4):",
    "foreach_tile": "for k, size in tt.foreach_tile(4, 4):",
    "parallel": "with tt.parallel():",
}
# What is bound before and in the region, and how it is used.
KINDS = {
    "scalar": ("s", "s + 1.5", "x[{}] = v"),
    "array": ("A", "B", "v[{}, 1] = s"),
    "view": ("A[:, 0]", "A[:, 1]", "v[{}] = s"),
}
IS_GONE = "expected a value, got 'v' from a region that has ended"
IS_READ = "expected no value of 'v' from before the region, which changes it"
IN_A_LOOP = "expected a number for 'v', which the loop changes, got an array"
IN_A_BRANCH = "expected a number for 'v', which branches change, got an array"
SPMD = ("foreach", "foreach_tile", "parallel")
# How the region uses the name: it binds it first, or reads it first; and what follows the region.
USES = ("bound", "bound, used after", "read", "read, used after")
RESULTS = {
    **{(region, kind, "bound"): None for region in REGIONS for kind in KINDS},
    **{(region, kind, "bound, used after"): IS_GONE for region in SPMD for kind in KINDS},
    **{(region, kind, use): IS_READ for region in SPMD[:2] for kind in KINDS for use in USES[2:]},
    **{("parallel", kind, USES[2]): None for kind in KINDS},
    **{("parallel", kind, USES[3]): IS_GONE for kind in KINDS},
    **{("for", kind, use): IN_A_LOOP for kind in ("array", "view") for use in USES[1:]},
    **{("for", "scalar", use): None for use in USES[1:]},
    **{("if", "scalar", use): None for use in USES[1:]},
    **{("if", kind, "read"): None for kind in ("array", "view")},
    **{("if", k, use): IN_A_BRANCH for k in ("array", "view") for use in (USES[1], USES[3])},
}


def kernel(region, kind, use, path):
    """Return the kernel of a cell of the table."""
    before, bound, used = KINDS[kind]
    change, use_ = f"v = {bound}", used.format("0" if region in ("if", "parallel") else "k")
    if use.startswith("read"):
        change, use_ = use_, f"v = {bound if kind != 'scalar' else 'v + 1.5'}"
    after = used.format("3") if use.endswith("after") else "pass"
    if use.endswith("after") and kind == "scalar":
        after = "A[3, 3] = v"
    path.write_text(
        HEAD.format(before=before, region=REGIONS[region], change=change, use=use_, after=after)
    )
    scope = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    return scope["f"]


def test_the_table_is_full():
    assert set(RESULTS) == {(r, k, u) for r in REGIONS for k in KINDS for u in USES}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("region", REGIONS)
def test_rebinding(region, kind, use, tmp_path):
    f, message = kernel(region, kind, use, tmp_path / "rebinding.py"), RESULTS[region, kind, use]
    if message is not None:
        with pytest.raises(tt.ParseError) as caught:
            f.text  # noqa: B018
        assert [d.message for d in caught.value.diagnostics] == [message]
        return
    for n in (1, 2, 3):
        random = np.random.default_rng(n)
        given = [random.standard_normal(shape).astype(np.float32) for shape in (4, (4, 4), (4, 4))]
        device, numpy = ([np.asfortranarray(a.copy()) for a in given] for _ in range(2))
        f(n, 2.5, *device, groups=1)
        f.python(n, 2.5, *numpy, groups=1)
        assert all(map(np.array_equal, device, numpy))


NUMBERS = """import tinytc_mlir as tt

@tt.kernel
def f(x: tt.i64[8], n: tt.index, b: tt.i64):
    {}
"""
LOOPS = {
    "i = b\n    for k in range(n):\n        for i in range(3):\n            x[i] += 1\n"
    "        i = tt.i64(k)\n    x[5] = i": None,
    "i = b\n    for k in range(n):\n        for i in range(3):\n            x[i] += 1\n"
    "    x[5] = i": "expected a value, got 'i' from a region that has ended",
    "i = b\n    if n > 1:\n        for i in range(3):\n            x[i] += 1\n"
    "    x[5] = i": "expected a value, got 'i' from a region that has ended",
    "k = n\n    for k in range(4):\n        x[k] = 3\n        k = k + 1\n        x[k] = 5": None,
    "for k in range(4):\n        k += 1\n        x[k] += 5\n    for k in range(4):\n"
    "        k += 2\n        x[k] += 1": None,
}


@pytest.mark.parametrize("statements", LOOPS)
def test_variables_of_loops(statements, tmp_path):
    path = tmp_path / "loops.py"
    path.write_text(NUMBERS.format(statements))
    scope = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    f, message = scope["f"], LOOPS[statements]
    if message is not None:
        with pytest.raises(tt.ParseError) as caught:
            f.text  # noqa: B018
        assert [d.message for d in caught.value.diagnostics] == [message]
        return
    device, numpy = np.zeros(8, np.int64), np.zeros(8, np.int64)
    f(device, 3, 7, groups=1)
    f.python(numpy, 3, 7, groups=1)
    assert np.array_equal(device, numpy)
