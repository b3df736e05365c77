"""What Python and notebooks show of kernels: signatures and help."""

import inspect
import pydoc

import numpy as np

import tinytc_mlir as tt


@tt.kernel
def scaled(a: tt.f32, x: "tt.f32[N]", y, N: tt.const, T: tt.const):  # noqa: F821
    """Scale an array.

    The second line.
    """
    x[:] = a * x


@tt.kernel
def plain(x: tt.f32[8]):
    x[:] = 2 * x


@tt.autotune({"N": [8, 16]})
@tt.kernel
def tuned(x: tt.f32[None], N: tt.const):
    """Search."""
    for i in tt.foreach(N):
        x[i] += 1


@tt.inline
def twice(x):
    """Double a number."""
    return 2 * x


OPTIONS = "groups=None, queue=None, verify=False, copy=True"


def test_signatures():
    shown = f"(a: tt.f32, x: tt.f32[N], y, *, N: tt.const, T: tt.const, {OPTIONS})"
    assert str(inspect.signature(scaled)) == shown
    child = scaled.with_constants({"N": 8}).with_constants({"T": tt.f32})
    assert str(inspect.signature(child)) == f"(a: tt.f32, x: tt.f32[N], y, *, {OPTIONS})"
    typed = child.typed(1.0, np.ones(8, "f4"), np.ones(3))
    assert str(inspect.signature(typed)) == f"(a: tt.f32, x: tt.f32[N], y: f64[3], *, {OPTIONS})"
    assert str(inspect.signature(twice)) == "(x)"


def test_arguments_are_bound():
    bound = inspect.signature(scaled).bind(2.0, x=np.ones(8), y=1, N=8, T=tt.f32, groups=3)
    assert sorted(bound.arguments) == ["N", "T", "a", "groups", "x", "y"]


def test_help():
    text = pydoc.plain(pydoc.render_doc(scaled))
    assert f"scaled(a: tt.f32, x: tt.f32[N], y, *, N: tt.const, T: tt.const, {OPTIONS})" in text
    assert "    Scale an array.\n" in text
    assert "    The second line.\n" in text
    assert "Args:" not in text  # nothing of the class
    assert f"plain(x: tt.f32[8], *, {OPTIONS})" in pydoc.plain(pydoc.render_doc(plain))
    assert "Double a number." in pydoc.plain(pydoc.render_doc(twice))
    assert "twice(x)" in pydoc.plain(pydoc.render_doc(twice))
    text = pydoc.plain(pydoc.render_doc(tuned))
    assert f"tuned(x: tt.f32[None], *, {OPTIONS})" in text
    assert "    Search.\n" in text


def test_kernels_in_classes():
    class Holder:
        kernel = plain

    assert Holder.kernel is plain
    assert Holder().kernel is plain
