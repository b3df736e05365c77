"""Each wrong statement gets its message, at its place, without frames of ours."""

import re
import traceback

import pytest
from wrong_functions import ARITHMETIC, CALLS, HEAD, NAMES
from wrong_statements import MATRICES, STATEMENTS, VIEWS

import tinytc_mlir as tt

CASES = NAMES | CALLS | ARITHMETIC | VIEWS | MATRICES | STATEMENTS


def function(statements, tmp_path):
    """Return a kernel with statements after the head."""
    path = tmp_path / "wrong.py"
    text = f"{HEAD}    {statements}\n"
    path.write_text(text)
    scope = {}
    exec(compile(text, str(path), "exec"), scope)
    return scope["f"]


def own_frames(error):
    """Return the functions of the package in a traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    return [f.name for f in frames if "tinytc_mlir" in f.filename]


DECORATED = """import tinytc_mlir as tt

@tt.kernel{}
def f(self, x):
    pass
"""
CALLS_OF_KERNELS = {
    "calls": lambda kernel: kernel(*[None] * 20),
    "submit": lambda kernel: kernel.submit(*[None] * 20),
    "bind": lambda kernel: kernel.bind(*[None] * 20),
    "module": lambda kernel: kernel.module,
    "compile": lambda kernel: kernel.compile("cpu"),
    "lower": lambda kernel: kernel.lower("linalg"),
    "explore": lambda kernel: kernel.explore("cpu"),
    "save": lambda kernel: kernel.save("kernel.tinytc", "cpu"),
    "tune": lambda kernel: kernel.tune(target="cpu"),
    "constants": lambda kernel: kernel[3],
    "python": lambda kernel: kernel.python(1.0),
}


@pytest.mark.parametrize("call", CALLS_OF_KERNELS)
def test_frames(call, tmp_path):
    kernel = function("v = missing", tmp_path)
    with pytest.raises(tt.TinyTCError) as caught:
        CALLS_OF_KERNELS[call](kernel)
    assert own_frames(caught.value) == []
    assert traceback.extract_tb(caught.value.__traceback__)[-1].filename == __file__


@pytest.mark.parametrize("options", ["", "(subgroup_size=16)"])
def test_frames_of_decorators(options, tmp_path):
    path = tmp_path / "method.py"
    path.write_text(DECORATED.format(options))
    with pytest.raises(tt.ParseError) as caught:
        exec(compile(path.read_text(), str(path), "exec"), {})
    assert own_frames(caught.value) == []


def test_there_are_many():
    assert len(CASES) >= 100


@pytest.mark.parametrize("statements", CASES)
def test_message(statements, tmp_path):
    kernel = function(statements, tmp_path)
    try:
        kernel.text  # noqa: B018
    except tt.CompileError as error:
        found = error
    else:
        pytest.fail("expected an error, got none")
    messages = [d.message for d in found.diagnostics]
    assert messages[0].startswith(CASES[statements]), messages
    assert "%" not in "".join(messages).replace("% ", "")
    for diagnostic in found.diagnostics:
        assert diagnostic.filename == str(tmp_path / "wrong.py")
        assert diagnostic.line is not None
        assert diagnostic.excerpt
    assert own_frames(found) == []


NOTES = {
    "print(s)": "use tt.print('text', x)",
    "v = s is None": "write == for numbers and types, and 'or' between several",
    "v = 1 if s > 0 else None": None,
    "v = x[-1]": "indices from the end are not in the language: write A.shape[0] - 1",
    "v = x[1.0]": None,
    "v, w = twice(s)": "assign names one by one",
    "for i in range(8): return": "'continue' ends one turn of a loop; for all, assign a truth value, and look at it",
    "while s > n * 2: s = 1": "write for k in range(n), with the most turns, and 'if s > n * 2:' in it",
    "for i in range(8):\n        if s > 1: break": "write done = False before the loop, 'if not done:' in "
    "it, and done = True here",
}


@pytest.mark.parametrize("statements", NOTES)
def test_notes(statements, tmp_path):
    with pytest.raises(tt.ParseError) as caught:
        function(statements, tmp_path).text  # noqa: B018
    notes = [note.message for note in caught.value.diagnostics[0].notes]
    assert notes == ([] if NOTES[statements] is None else [NOTES[statements]])


def test_several_at_once(tmp_path):
    kernel = function("v = missing\n    w = v + 1\n    tt.gem(A)\n    A[0, 0] = d + s", tmp_path)
    with pytest.raises(tt.ParseError) as caught:
        kernel.text  # noqa: B018
    assert [d.line for d in caught.value.diagnostics] == [52, 54, 55]


def test_the_whole_message(tmp_path):
    with pytest.raises(tt.ParseError) as caught:
        function("C[:] = A @ B + A.T", tmp_path).text  # noqa: B018
    assert re.sub(r"^.*wrong.py", "wrong.py", str(caught.value)) == (
        "wrong.py:52:5: error: expected one instruction, got a sum of several terms\n"
        "    C[:] = A @ B + A.T\n"
        "    ^~~~~~~~~~~~~~~~~~\n"
        "note: write C[:] = A @ B; C[:] += A.T"
    )


def test_a_call_is_shown(tmp_path):
    with pytest.raises(tt.ParseError) as caught:
        function("v = broken(s)", tmp_path).text  # noqa: B018
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.line == 29
    assert [(note.message, note.line) for note in diagnostic.notes[-1:]] == [
        ("'broken' is called here", 52)
    ]


HINTS = {
    "v = 2.5\n    for i in range(8): v = v * k": "write v = tt.f32(2.5) before the loop",
    "v = -float('inf')\n    for i in range(8): v = v + v": 'write v = tt.f32(-float("inf")) before the loop',
    "C[:] = A @ B + A": "write C[:] = A @ B; C[:] += A",
    "C += A @ B + C.T": "write t = tt.local(tt.f32, (8, 8)); t[:] = A @ B; t[:] += C.T; C += t",
    "C *= A @ B": "write t = tt.local(tt.f32, (8, 8)); t[:] = A @ B; C[:] *= t",
    "x[0:4], x[4:8] = x[4:8], x[0:4]": "assign arrays one by one",
    "if s > 0 and tt.subgroup_add.reduce(s) > 0: pass": "bind it to a name before 'and'",
    "v = ss": "did you mean 's'?",
    "v = tt.axpbi.n(A)": "did you mean 'axpby'?",
    "v = max(1.0 if s > 0 else 2.0, 3)": "note: write tt.f32(1.0) in it",
    "v = len(A)": "use A.shape[0]",
    "v = lambda: 1": "use functions marked with @tt.inline",
    "v = f(s)": "mark it with @tt.inline in place of @tt.kernel",
    "v, w = both(s)": "mark a function for each with @tt.inline, or store them in arrays",
    "v = (s, n)": "a tuple holds constants, or is assigned to as many names",
    "v = helper(s)": "mark 'helper' with @tt.inline to call it in kernels",
    "if s > 0: v = s\n    A[0, 0] = v": "'v' is assigned here",
    "C[:] = A @ B @ A": "for A @ B @ A, write t = tt.local(type, shape); t[:] = A @ B; and use t here",
    "v = 0\n    for i in range(8): v += 1\n    x[0] = v": "write tt.f32(v)",
    "v = s + n": "write tt.f32(n)",
    "x[0] = z": "write tt.re(z)",
    "v = x[-4]": "write A.shape[0] - 4",
    "v = x[::2]": "write a for loop, with an index for each element",
    "v = n in (1, 2)": "write == for numbers and types, and 'or' between several",
    "if not n: pass": "compare it: x != 0",
    "v = z.real": "use tt.re(z)",
    "v = numbers[0]": "use a tuple",
    "v = int(s)": "use tt.i32(x)",
    "v = float(n)": "use tt.f32(x)",
    "v = tt.float(n)": "use tt.f32(x)",
    "for i in x: pass": "write for i in range(A.shape[0]), and A[i] in it",
    "for i in reversed(range(8)): pass": "use for i in range(n): y[i] = x[n - 1 - i]",
    "v = n + 1.5 * s": "write tt.f32(n)",
    "v = d * s": "write tt.f64(s)",
    "if n > d: pass": "write tt.f64(n)",
    "x[0] = n": "write tt.f32(n)",
    "x[0] = n > 1": "write tt.f32(n > 1)",
    "A[n, 1] += n * n": "write tt.f32(n * n)",
    "for i in range(n, k): pass": "write tt.index(k)",
    "v = mixed(s, n)": "write tt.f32(y)",
    "C[:] = B + C @ A": "write t = tt.local(tt.f32, (8, 8)); t[:] = B; t[:] += C @ A; C[:] = t",
    "A[0, 0] = real\n    real = s": "the function assigns it, but not before",
    "v = np.sqrt(s)": "use tt.sqrt",
    "return s": "kernels write to arrays; functions marked with @tt.inline return",
    "v = A[-1, 0]": "indices from the end are not in the language: write A.shape[0] - 1",
}


@pytest.mark.parametrize("statements", HINTS)
def test_hints(statements, tmp_path):
    with pytest.raises(tt.CompileError) as caught:
        function(statements, tmp_path).text  # noqa: B018
    assert HINTS[statements] in str(caught.value)


@pytest.mark.parametrize("statements", ["v = k ** n", "v = {**s}"])
def test_places(statements, tmp_path):
    with pytest.raises(tt.ParseError) as caught:
        function(statements, tmp_path).text  # noqa: B018
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.excerpt.strip() == statements


@pytest.mark.parametrize("name", ["endless", "ping"])
def test_calls_of_recursive_functions(name, tmp_path):
    kernel = function(f"v = {name}(s)", tmp_path)
    with pytest.raises(tt.ParseError, match=f"expected no recursion, got a call of '{name}'") as e:
        kernel(*[None] * 13)
    assert e.value.diagnostics[0].excerpt


def test_operands_are_named_as_they_are_written(tmp_path):
    with pytest.raises(tt.CompileError) as caught:
        function("y[0:4] = s * A.T @ x[0:4]", tmp_path).text  # noqa: B018
    (diagnostic,) = caught.value.diagnostics
    message = "expected the rows of 'x[0:4]' to equal the columns of op('A') = 8, got 4"
    assert (diagnostic.message, diagnostic.column) == (message, 24)
    assert [(note.message, note.column) for note in diagnostic.notes] == [
        ("'x[0:4]' is of type f32[4]", 24),
        ("'A' is of type f32[8, 8]", 18),
    ]


def test_a_stage_of_another_target(tmp_path):
    with pytest.raises(tt.LoweringError) as caught:
        function("pass", tmp_path).lower("llvm", target="cpu")
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.message == "expected a target of the family 'native', got 'cpu'"
    assert diagnostic.excerpt.startswith("def f(s: tt.f32")
