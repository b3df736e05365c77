"""`kernel.python` runs the function itself; collective kernels give what the device gives."""

import pickle
import sys

import numpy as np
import pytest

import tinytc_mlir as tt
from nearness import assert_near


@tt.inline
def add_rows(y, A, factor):
    y[:] += factor * A.sum(1)


@tt.kernel
def volume(
    alpha: tt.f32, D: tt.f32[6, 6], Q: tt.f32[6, 3, None], S: tt.f32[3, 3, None],
    R: tt.f32[6, 3, None],
):  # fmt: skip
    i = tt.group_id.x
    t = tt.local(tt.f32, (6, 3))
    tt.gemm(1.0, D, Q[:, :, i], 0.0, t)
    R[:, :, i] += alpha * (t @ S[:, :, i].T)


@tt.kernel
def all_instructions(
    A: tt.f64[4, 4], B: tt.f64[4, 4], C: tt.f64[4, 4], x: tt.f64[4], y: tt.f64[4], s: tt.f64
):
    C[:] = A.T @ B + s * C[:]
    C += tt.outer(x, y)
    C[:, 1:3] += 2 * A[:, 0:2]
    C[:] -= A * B
    tt.axpby.t(s, A, 1, C)
    tt.gemv.t(1, C, x, s, y)
    add_rows(y, C, s)
    C[:] = tt.cumsum(A, 1) + C[:]
    C[:] = tt.cumsum(A, 0, reverse=True) + C[:]
    x[:] = C.fuse(0, 1)[4:8]
    y[0:2] += 2 * C.expand(0, (2, 2))[1, :, 2]
    for i, j in tt.foreach(4, 4):
        C[i, j] = max(C[i, j], tt.exp(-s)) if i < j else C[i, j] / 2
    for k in range(3):
        y[:] = tt.f64(k) * x + y[:]


@tt.kernel
def members(A: tt.group[tt.f32[3, 4]], B: tt.f32[3, 4, None]):
    i = tt.group_id
    B[:, :, i] = 2 * A[i]


@tt.kernel
def together(x: tt.f32[16]):
    with tt.parallel():
        i = tt.cast(tt.subgroup_local_id, tt.index)
        x[i] = tt.subgroup_reduce_add(x[i])


def copies(arguments):
    return [a.copy("F") if isinstance(a, np.ndarray) else a for a in arguments]


def assert_same(kernel, *arguments):
    """Check that device and NumPy write the same."""
    on_device, on_numpy = copies(arguments), copies(arguments)
    kernel(*on_device)
    kernel.python(*on_numpy)
    changed = False
    for device, numpy, given in zip(on_device, on_numpy, arguments, strict=True):
        if isinstance(device, np.ndarray):
            assert_near(device, numpy)
            changed = changed or not np.array_equal(numpy, given)
    assert changed


def random(dtype, *shape):
    return np.asfortranarray(np.random.default_rng(1).uniform(1, 2, shape).astype(dtype))


def test_volume():
    shapes = ((6, 6), (6, 3, 5), (3, 3, 5), (6, 3, 5))
    assert_same(volume, 2.0, *(random(np.float32, *shape) for shape in shapes))


def test_all_instructions():
    shapes = ((4, 4), (4, 4), (4, 4), (4,), (4,))
    assert_same(all_instructions, *(random(np.float64, *s) for s in shapes), 0.5)


CALLS = (
    *(f"gemm.{a}.{b}(alpha, A, B, beta, C)" for a in "nt" for b in "nt"),
    *(f"gemv.{a}(alpha, A, x, beta, y)" for a in "nt"),
    *(f"axpby.{a}(alpha, A, beta, C)" for a in "nt"),
    *(f"sum.{a}(alpha, A, beta, y)" for a in "nt"),
    *(f"cumsum{word}(alpha, A, {mode}, beta, C)" for word in ("", ".reverse") for mode in (0, 1)),
    "ger(alpha, x, y, beta, C)",
    "hadamard_product(alpha, A, B, beta, C)",
    "hadamard_product(alpha, x, y, beta, z)",
    "axpby(alpha, x, beta, y)",
    "sum(alpha, x, beta, one)",
)


@pytest.mark.parametrize("type_", ["f32", "c64", "i32"])
@pytest.mark.parametrize("call", CALLS)
def test_each_call(call, type_, tmp_path):
    matrices = ", ".join(f"{name}: tt.{type_}[4, 4]" for name in "ABC")
    vectors = ", ".join(f"{name}: tt.{type_}[4]" for name in "xyz")
    head = f"alpha: tt.{type_}, beta: tt.{type_}, {matrices}, {vectors}, one: tt.{type_}[()]"
    path = tmp_path / "calls.py"
    path.write_text(f"import tinytc_mlir as tt\n@tt.kernel\ndef f({head}):\n    tt.{call}\n")
    scope = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    dtype = {"f32": np.float32, "c64": np.complex128, "i32": np.int32}[type_]
    arrays = [random(dtype, *shape) for shape in 3 * [(4, 4)] + 4 * [(4,)]]
    arrays = [10 * a for a in arrays] if type_ == "i32" else arrays
    arrays[-1] = arrays[-1][:1].reshape(())
    factors = (2, 3) if type_ == "i32" else (0.5, -2.0)
    assert_same(scope["f"], *factors, *arrays)


def test_groups():
    given = [random(np.float32, 3, 4) for _ in range(3)]
    on_device, on_numpy = np.zeros((2, 3, 4, 3), np.float32)
    on_device = np.asfortranarray(on_device)
    on_numpy = np.asfortranarray(on_numpy)
    members(given, on_device)
    members.python(given, on_numpy)
    assert np.array_equal(on_device, on_numpy)


def test_groups_are_those_of_the_launch():
    @tt.kernel
    def whole(x: tt.f32[None], n: tt.index):
        for j in tt.foreach(x.shape[0]):
            x[j] += 1

    @tt.kernel
    def halves(A: tt.f32[4, None], B: tt.f32[2, None]):
        B[:, tt.group_id] = 2 * A[0:2, tt.group_id]

    @tt.kernel
    def grid(A: tt.f32[None, None]):
        A[tt.group_id.x, tt.group_id.y] += tt.f32(tt.num_groups.x)

    assert_same(whole, random(np.float32, 7), 3)
    assert_same(halves, random(np.float32, 4, 5), random(np.float32, 2, 5))
    assert_same(grid, random(np.float32, 3, 2))
    A, B = random(np.float32, 4, 5), random(np.float32, 2, 3)
    with pytest.raises(tt.ArgumentError) as of_launch:
        halves(A, B)
    with pytest.raises(tt.ArgumentError) as of_numpy:
        halves.python(A, B)
    assert str(of_numpy.value) == str(of_launch.value)


@tt.inline
def half(n):
    return n // 2 + n % 2


def test_quotients_round_towards_zero():
    two = 2

    @tt.kernel
    def divided(n: tt.i32, m: tt.i32, f: tt.f32, x: tt.i32[8], y: tt.f32[2]):
        x[0] = n // m
        x[1] = n % m
        x[2] = n
        x[2] //= two
        x[3] = x[2]
        x[3] %= m
        x[4] = half(n)
        x[5] = tt.div(n, m) + tt.rem(n, m)
        i = n
        for _ in range(two):
            i //= 2
        x[6] = i
        x[7] = -7 // two
        y[0] = f % 2.0
        y[1] = f / 2

    for n, m in ((-7, 2), (7, -2), (-7, -2), (7, 3), (-8, 4)):
        given = np.zeros(8, np.int32), np.zeros(2, np.float32)
        assert_same(divided, n, m, n + 0.5, *given)


def test_functions_of_pickles(tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text(
        "import tinytc_mlir as tt\n@tt.kernel\ndef f(x: tt.f32[8]):\n    x[:] = 2 * x\n"
    )
    scope = {"__name__": "somewhere"}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    assert_same(pickle.loads(pickle.dumps(scope["f"])), random(np.float32, 8))


def test_odd_numbers_of_groups():
    with pytest.raises(tt.ArgumentError, match="members: expected .* as number of groups, got -1"):
        members.python([random(np.float32, 3, 4)], random(np.float32, 3, 4, 1), groups=-1)


def test_row_major_arrays():
    @tt.kernel
    def sums(A: tt.f64[3, 4], x: tt.f64[12], G: tt.group[tt.f64[3, 4]]):
        x += A.fuse(0, 1)
        G[0][:] = 2 * A

    A, given = np.arange(12.0).reshape(3, 4), [np.zeros((3, 4))]
    x = np.zeros(24)[::2]
    sums.python(A, x, given)
    assert x.tolist() == A.ravel("F").tolist()
    assert np.array_equal(given[0], 2 * A)


def test_what_work_items_do_together():
    with pytest.raises(tt.ArgumentError, match=r"got tt.subgroup_local_id|NumPy can run"):
        together.python(np.ones(16, np.float32))


def test_missing_arguments():
    with pytest.raises(tt.ArgumentError, match="volume: expected the arguments alpha, D, Q, S, R"):
        volume.python(1.0)


def test_debuggers_stop_in_the_function():
    seen = []

    def trace(frame, event, _):
        if frame.f_code.co_name == "members":
            seen.append((frame.f_code.co_filename, frame.f_lineno))
            return trace
        return None

    outer = sys.gettrace()
    sys.settrace(trace)
    try:
        members.python([random(np.float32, 3, 4)], random(np.float32, 3, 4, 1))
    finally:
        sys.settrace(outer)
    assert {name for name, _ in seen} == {__file__}
    assert len({line for _, line in seen}) >= 3


def test_atomic_updates():
    @tt.kernel
    def updated(x: tt.i32[8], y: tt.i32[8, 2]):
        for i in tt.foreach(1):
            y[i, 0] = tt.atomic_add(x[1], y, i, 0)
            y[i + 1, 0] = tt.atomic_max.device(x[7], y, 2, 1)
            y[i + 3, 0] = tt.atomic_min(tt.i32(-3), y, 4, 1)
            tt.atomic_add(5, y, 5, 1)
            tt.atomic_store(x[3], y, 6, 1)
            y[7, 0] = tt.atomic_load(x, 6)

    x, y = np.arange(8, dtype=np.int32), np.full((8, 2), 2, np.int32, order="F")
    expected = y.copy("F")
    updated.python(x, expected, groups=1)
    updated(x, y, groups=1)
    assert np.array_equal(y, expected)
    assert y[:, 1].tolist() == [2, 2, 7, 2, -3, 7, 3, 2]


@pytest.mark.parametrize("is_compiled", [False, True])
def test_operands_of_collective_instructions(is_compiled):
    @tt.kernel
    def summed(x: tt.f32[8], y: tt.f32[8]):
        y[:] = tt.cumsum.reverse(x, 0)

    run = summed if is_compiled else summed.python
    with pytest.raises(
        tt.TinyTCError, match=r"operands .*alpha, a, mode, beta, b.* of '?tt.cumsum"
    ):
        run(np.ones(8, np.float32), np.zeros(8, np.float32), groups=1)
