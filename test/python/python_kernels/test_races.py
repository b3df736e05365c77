"""Work-items that change the same element: the interpreter finds it, at its place in the function."""

import numpy as np
import pytest

import tinytc_mlir as tt


@tt.kernel
def total(n: tt.index, x: tt.f32[None], o: tt.f32[1]):
    for i in tt.foreach(n):
        o[0] += x[i]


@tt.kernel
def atomic(n: tt.index, x: tt.f32[None], o: tt.f32[1]):
    for i in tt.foreach(n):
        tt.atomic_add(x[i], o, 0)


def arguments():
    return 8, np.ones(8, np.float32), np.zeros(1, np.float32)


def test_python_hides_it():
    given = arguments()
    total.python(*given, groups=1)
    assert given[2] == 8


@pytest.mark.parametrize("is_switched", [False, True])
def test_the_interpreter_finds_it(is_switched, monkeypatch):
    def run(kernel, *given):
        if not is_switched:
            tt.interpret(kernel.module, kernel.name, given)
            return
        monkeypatch.setenv("TINYTC_INTERPRET", "1")
        kernel(*given, groups=1)

    with pytest.raises(tt.InterpreterError) as caught:
        run(total, *arguments())
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.message.startswith(
        "race: this writes element 0 of argument 'o', which another"
    )
    assert (diagnostic.filename, diagnostic.excerpt) == (__file__, "        o[0] += x[i]")
    given = arguments()
    run(atomic, *given)
    assert given[2] == 8
