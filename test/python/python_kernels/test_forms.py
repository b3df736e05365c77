"""Each form of Python becomes the instructions that the language has for it."""

import pytest

import tinytc_mlir as tt


def lines(kernel):
    """Return the text of a kernel, without its head."""
    text = kernel.text
    return [line.strip() for line in text[text.index(" {\n") + 3 :].splitlines()[:-1] if line]


def assert_same_as(kernel, text):
    """Check that a text makes the same module, locations and names aside."""
    expected = tt.Context().parse(text)
    assert generic(kernel.module) == generic(expected)


def generic(module):
    return module.operation.get_asm(print_generic_op_form=True)


def test_the_text_makes_the_same_module():
    @tt.kernel
    def volume(
        alpha: tt.f32, D: tt.f32[56, 56], Q: tt.f32[56, 9, None], S: tt.f32[9, 9, None],
        R: tt.f32[56, 9, None],
    ):  # fmt: skip
        i = tt.group_id.x
        t = tt.local(tt.f32, (56, 9))
        tt.gemm(1.0, D, Q[:, :, i], 0.0, t)
        R[:, :, i] += alpha * (t @ S[:, :, i].T)

    assert_same_as(volume, volume.text)
    assert "gemm.n.t %alpha, %t, %4, %5, %3" in lines(volume)


def test_annotations():
    @tt.kernel
    def types(
        a: tt.f32[8, None].strided(1, 16), b: tt.group[tt.f64[3, 4], None], c: tt.index,
        d: tt.f32[None].promise(shape_gcd=[4], alignment=64), e: tt.bf16[()],
    ):  # fmt: skip
        pass

    assert_same_as(
        types,
        """func @types(%a: memref<f32x8x?,strided<1,16>>, %b: group<memref<f64x3x4>x?, offset: ?>,
        %c: index, %d: memref<f32x?> {shape_gcd=[4], alignment=64}, %e: memref<bf16>) { }""",
    )


def test_options():
    @tt.kernel(subgroup_size=16, work_group_size=(16, 2))
    def empty(a: tt.f32):
        pass

    assert_same_as(
        empty,
        "func @empty(%a: f32) attributes {subgroup_size=16, work_group_size=[16, 2]} { }",
    )


MATRIX = {
    "C[:] = A @ B": ["gemm.n.n %0, %A, %B, %1, %C"],
    "C[:] = A.T @ B": ["gemm.t.n %0, %A, %B, %1, %C"],
    "C[:, :] = s * A @ B": ["gemm.n.n %s, %A, %B, %0, %C"],
    "C += s * (A @ B)": ["gemm.n.n %s, %A, %B, %0, %C"],
    "C[...] = s * A @ B + 2 * C[...]": ["gemm.n.n %s, %A, %B, %0, %C"],
    "C[:] = A @ B + s * C": ["gemm.n.n %0, %A, %B, %s, %C"],
    "C[:, :] = C[...] - A": ["axpby.n %0, %A, %1, %C"],
    "C -= A @ B.H": ["gemm.n.t %0, %A, %B, %1, %C"],
    "C[:] = A - C": ["axpby.n %0, %A, %1, %C", "%1 = constant -1.0 : f32"],
    "C[:] = A @ B - s * C[:]": ["%0 = arith.neg %s : f32", "gemm.n.n %1, %A, %B, %0, %C"],
    "C[:] = 2 * A": ["axpby.n %0, %A, %1, %C"],
    "C[:] = A.T": ["axpby.t %0, %A, %1, %C"],
    "C[:] += s * A * B": ["hadamard_product %s, %A, %B, %0, %C"],
    "C[:] = tt.outer(x, y)": ["ger %0, %x, %y, %1, %C"],
    "C[:] = tt.cumsum(A, 1)": ["cumsum %0, %A, 1, %1, %C"],
    "C[:] = 2 * tt.cumsum(A, 0, reverse=True)": ["cumsum.reverse %0, %A, 0, %1, %C"],
    "tt.cumsum.reverse.atomic(1, A, 0, 1, C)": ["cumsum.reverse.atomic %0, %A, 0, %1, %C"],
    "y[:] = A @ x": ["gemv.n %0, %A, %x, %1, %y"],
    "y[:] += A.T @ x": ["gemv.t %0, %A, %x, %1, %y"],
    "y[:] = A.sum(1)": ["sum.n %0, %A, %1, %y"],
    "y[:] = 3 * A.sum(axis=0)": ["sum.t %0, %A, %1, %y"],
    "y[:] = -s * x": ["%0 = arith.neg %s : f32", "axpby.n %0, %x, %1, %y"],
    "tt.gemm.t.n(s, A, B, 0.0, C)": ["gemm.t.n %s, %A, %B, %0, %C"],
    "tt.gemm(alpha=s, a=A, b=B, beta=1, c=C)": ["gemm.n.n %s, %A, %B, %0, %C"],
    "tt.sum.t.atomic(1, A, 1, x)": ["sum.t.atomic %0, %A, %1, %x"],
}
SCALAR = {
    "x[n] = s * 2 + 1": [
        "%0 = constant 2.0 : f32", "%1 = arith.mul %s, %0 : f32", "%3 = arith.add %1, %2 : f32",
    ],
    "x[0] += s": ["%1 = load %x[%0] : f32", "%2 = arith.add %1, %s : f32"],
    "x[n] = abs(-s)": ["%0 = arith.neg %s : f32", "%1 = arith.abs %0 : f32"],
    "x[n % 8] = max(s, 0)": ["%1 = arith.max %s, %0 : f32", "%3 = arith.rem %n, %2 : index"],
    "x[n] = tt.f32(n)": ["%0 = cast %n : f32"],
    "x[n] = tt.exp(s)": ["%0 = math.exp %s : f32"],
    "x[n] = s if s > 1 else 2": ["%1 = cmp.gt %s, %0 : bool", "%3 = if %1 -> (f32) {"],
    "x[n] = s if not (s < n0 and s >= 2) else s": ["%4 = arith.not %3 : bool"],
    "x[n] = x.shape[0] * s": ["%1 = arith.mul %0, %s : f32"],
    "x[A.shape[0] - 1] = s if n == D.shape[1] else 0": ["%0 = size %D[1] : index"],
    "v: tt.i32 = 3": ["%v = constant 3 : i32"],
    "p, q = n + 1, 2": ["%p = arith.add %n, %0 : index"],
    "v = tt.and_(n, 3)": ["%v = arith.and %n, %0 : index"],
    "v = n << 2 | 1": ["%1 = arith.shl %n, %0 : index", "%v = arith.or %1, %2 : index"],
    "v = tt.constant(1.5, tt.f64)": ["%v = constant 1.5 : f64"],
    "v = tt.subgroup_reduce_add(s)": ["%v = subgroup_add.reduce %s : f32"],
    "v = tt.subgroup_broadcast(s, 0)": ["%v = subgroup_broadcast %s, %0 : f32"],
    "v = tt.atomic_add.device(1, x, n)": ["%v = atomic_add.device %0, %x[%n] : f32"],
    "tt.atomic_store.device.release(s, x, n)": ["atomic_store.device.release %s, %x[%n]"],
    "v = tt.num_subgroups.y": ["%v = num_subgroups.y : i32"],
    "tt.barrier.local()": ["barrier.local"],
    "assert n > 2, 'a rule'": ['assert %1, "n > 2: a rule"'],
    "tt.assert_(n > 2, 'a rule')": ['assert %1, "a rule"'],
}  # fmt: skip
VIEWS = {
    "v = A[1:3, n]": ["%v = subview %A[1:2, %n] : memref<f32x2>"],
    "v = A[:, n : n + 4]": ["%v = subview %A[0:8, %n:4] : memref<f32x8x4>"],
    "v = A[n, ...]": ["%v = subview %A[%n, 0:8] : memref<f32x8,strided<8>>"],
    "v = A[2:, :]": ["%v = subview %A[2:6, 0:8] : memref<f32x6x8,strided<1,8>>"],
    "v = D[:, n:]": [
        "%0 = size %D[1] : index", "%1 = arith.sub %0, %n : index",
        "%v = subview %D[0:8, %n:%1] : memref<f32x8x?>",
    ],
    "v = G[n]": ["%v = load %G[%n] : memref<f32x3x4>"],
    "v = A.expand(0, (2, 4))": ["%v = expand %A[0 -> 2 x 4] : memref<f32x2x4x8>"],
    "v = A.fuse(0, 1)": ["%v = fuse %A[0, 1] : memref<f32x64>"],
    "v = tt.fuse(D, 0, 1)": ["%v = fuse %D[0, 1] : memref<f32x?>"],
    "v = tt.local(tt.f32, (4, 4), alignment=64)": [
        "%v = alloca {alignment=64} : memref<f32x4x4,local>"
    ],
}  # fmt: skip


def kernel_of(statement, tmp_path, **names):
    """Return a kernel with one statement."""
    path = tmp_path / "kernels.py"
    path.write_text(
        "import tinytc_mlir as tt\n\n@tt.kernel\ndef f(s: tt.f32, n: tt.index, n0: tt.f32, "
        "A: tt.f32[8, 8], B: tt.f32[8, 8], C: tt.f32[8, 8], D: tt.f32[8, None], x: tt.f32[8], "
        f"y: tt.f32[8], G: tt.group[tt.f32[3, 4]]):\n    {statement}\n"
    )
    scope = dict(names)
    exec(compile(path.read_text(), str(path), "exec"), scope)
    return scope["f"]


@pytest.mark.parametrize("statement", [*MATRIX, *VIEWS])
def test_statement(statement, tmp_path):
    kernel = kernel_of(statement, tmp_path)
    found = lines(kernel)
    for line in (MATRIX | VIEWS)[statement]:
        assert line in found
    assert_same_as(kernel, kernel.text)


@pytest.mark.parametrize("statement", SCALAR)
def test_scalar_statement(statement, tmp_path):
    is_spmd = "tt.barrier" not in statement
    text = f"with tt.parallel():\n        {statement}" if is_spmd else statement
    kernel = kernel_of(text, tmp_path)
    found = lines(kernel)
    for line in SCALAR[statement]:
        assert line in found
    assert_same_as(kernel, kernel.text)
