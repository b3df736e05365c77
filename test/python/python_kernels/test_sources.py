"""Where functions come from: files, edited ones, notebooks, `exec`; and the caches."""

import ast
import functools
import linecache
import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from _pytest.assertion.rewrite import rewrite_asserts
from kernel_files import TEXT, imported

import tinytc_mlir as tt


@tt.kernel
def of_module(x: tt.f32[8]):
    x[:] = 3 * x


def test_an_edited_file(tmp_path):
    path = tmp_path / "kernels.py"
    code = compile(TEXT, str(path), "exec")
    path.write_text(TEXT.replace("FACTOR * x", "FACTOR * x + x"))
    with pytest.raises(tt.ParseError, match="got a file that was edited since; import it again"):
        exec(code, {})
    path.write_text(TEXT.replace("8", "16"))  # an annotation: the body is the same
    scope = {}
    exec(code, scope)
    assert "%x: memref<f32x8>" in scope["scale"].text


CHECKED = TEXT.replace("    x[:]", '    assert FACTOR > 1, "large"\n    x[:]')
EDITS = (("FACTOR * x", "FACTOR * x + x"), ("FACTOR > 1", "FACTOR > 0"), ("large", "small"))


def rewritten(text, path):
    """Return the code of a file as pytest makes it."""
    tree = ast.parse(text)
    rewrite_asserts(tree, text.encode(), str(path))
    return compile(tree, str(path), "exec")


@pytest.mark.parametrize("compiled", [rewritten, lambda text, path: compile(text, path, "exec")])
@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_file_with_assert(tmp_path, compiled, edit):
    path = tmp_path / "kernels.py"
    path.write_text(CHECKED)
    code, scope = compiled(CHECKED, path), {}
    exec(code, scope)
    assert "axpby.n" in scope["scale"].text
    path.write_text(CHECKED.replace(*edit))
    with pytest.raises(tt.ParseError, match="got a file that was edited since; import it again"):
        exec(code, {})


def test_no_source():
    with pytest.raises(tt.ParseError, match="expected the source of 'scale', which is not kept"):
        exec(TEXT, {})


def test_a_notebook():
    lines = TEXT.splitlines(keepends=True)
    linecache.cache["<ipython-input-1>"] = (len(TEXT), None, lines, "<ipython-input-1>")
    scope = {}
    exec(compile(TEXT, "<ipython-input-1>", "exec"), scope)
    assert "axpby.n" in scope["scale"].text


IPYTHON = """
    import numpy as np
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    cells = [
        "from __future__ import annotations",
        "%precision 3\\nimport numpy as np\\nimport tinytc_mlir as tt",
        "factor = 2.0\\n@tt.kernel\\ndef scale(x: tt.f32[8]):\\n    x[:] = factor * x",
        "x = np.ones(8, np.float32)\\nscale(x)",
        "!true\\nimport tinytc_mlir as tt\\n@tt.kernel\\ndef scale(x: tt.f32[8]):\\n"
        "    for i in tt.foreach(8):\\n        x[i] = 4 * x[i]\\nscale(x)",
        "@tt.kernel\\ndef wrong(x: tt.f32[8]):\\n    x[:] = y\\nwrong(x)",
    ]
    for cell in cells:
        found = shell.run_cell(cell)
        if found.error_in_exec is not None:
            print(type(found.error_in_exec).__name__, found.error_in_exec.diagnostics[0].line)
    print(shell.user_ns["x"][0])
"""


def test_ipython():
    """Cells with magics, a kernel that is defined again, and an error."""
    pytest.importorskip("IPython")
    command = [sys.executable, "-c", textwrap.dedent(IPYTHON)]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert "ParseError 3\n" in found
    assert found.split()[-1] == "8.0"


def test_the_prompt():
    """Python keeps no source of what is typed, before 3.13."""
    typed = TEXT + "\nimport sys\nprint(sys.version_info >= (3, 13))\n"
    found = subprocess.run([sys.executable, "-i"], input=typed, capture_output=True, text=True)
    is_kept = found.stdout.split() == ["True"]
    assert is_kept or "expected the source of 'scale', which is not kept; save it" in found.stderr
    assert "kernels/source.py" not in found.stderr


def test_functions_below_other_decorators():
    def counted(function):
        counts = []

        def counting(*values):
            counts.append(values)
            return function(*values)

        counting.counts = counts
        return counting

    @counted
    @tt.kernel
    def scale(x: tt.f32[8]):
        x[:] = 2 * x

    x = np.ones(8, np.float32)
    scale(x)
    assert x.tolist() == [2] * 8
    assert len(scale.counts) == 1


class Kernels:
    """Functions of a class that take no `self` are kernels."""

    @staticmethod
    @tt.kernel
    def scale(x: tt.f32[8]):
        x[:] = 2 * x


def test_static_methods():
    x = np.ones(8, np.float32)
    Kernels().scale(x)
    Kernels.scale(x)
    assert x.tolist() == [4] * 8


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x, "expected a function with a name, got a lambda"),
        (3, "expected a function, got an object of type int"),
        (np.sum, "expected a function, got an object of type"),
    ],
)
def test_no_functions(function, message):
    with pytest.raises(tt.ParseError, match=message):
        tt.kernel(function)


def test_a_generator():
    def numbers():
        yield 1

    with pytest.raises(tt.ParseError, match="expected a plain function, got the generator"):
        tt.kernel(numbers)


def test_a_coroutine(tmp_path):
    text = TEXT.replace("def scale", "async def scale")
    with pytest.raises(tt.ParseError, match="generator or coroutine 'scale'") as caught:
        imported(tmp_path / "kernels.py", text)
    assert str(caught.value).startswith(f"{tmp_path / 'kernels.py'}:5:1: error: expected a plain")
    assert str(caught.value).endswith("\n@tt.kernel\n^")


def test_numbers_of_numpy(tmp_path):
    """They are constants as those of Python are, also in the key of the cache."""
    kernels = []
    for number in (2, 3):
        text = TEXT.replace("FACTOR = 2.0", f"import numpy as np\nFACTOR = np.float32({number})")
        kernels.append(imported(tmp_path / "kernels.py", text)["scale"])
    for number, kernel in zip((2, 3), kernels, strict=True):
        x = np.ones(8, np.float32)
        kernel(x)
        assert x.tolist() == [number] * 8
    assert pickle.loads(pickle.dumps(kernels[0])).text == kernels[0].text


def test_a_decorator_between():
    def counted(function):
        @functools.wraps(function)
        def counting(*values):
            return function(*values)

        return counting

    with pytest.raises(tt.ParseError, match="write that decorator above this one"):

        @tt.kernel
        @counted
        def scale(x: tt.f32[8]):
            x[:] = 2 * x


@pytest.mark.parametrize(
    ("parameters", "message", "column", "hint"),
    [
        ("*x", "parameters without '\\*' and '/', got others", 12, "name each parameter"),
        ("x, /", "parameters without '\\*' and '/', got others", 11, "name each parameter"),
        ("*, x", "parameters without '\\*' and '/', got others", 14, "name each parameter"),
        ("x=3", "no default of a parameter, got one", 13, "pass it in each call"),
        (
            "self, x",
            "a function, got a method",
            11,
            "use @staticmethod above, and pass what it needs",
        ),
    ],
)
def test_parameters(tmp_path, parameters, message, column, hint):
    text = TEXT.replace("x: tt.f32[8]", parameters)
    with pytest.raises(tt.ParseError, match=f"expected {message}") as caught:
        imported(tmp_path / "kernels.py", text)
    (found,) = caught.value.diagnostics
    assert (found.line, found.column, found.notes[0].message) == (6, column, hint)


@pytest.mark.parametrize("decorator", [staticmethod, classmethod])
def test_methods_below(decorator):
    message = f"expected a function, got what @{decorator.__name__} made of it; write @"
    with pytest.raises(tt.ParseError, match=message) as caught:

        class Holder:
            @tt.kernel
            @decorator
            def scale(x: tt.f32[8]):  # noqa: N805
                x[:] = 2 * x

    assert caught.value.diagnostics[0].excerpt.strip() == "@tt.kernel"


def test_help():
    assert of_module.__name__ == "of_module"
    assert repr(of_module).startswith("<KernelFunction of_module of ")
    assert of_module.__module__ == __name__


PROGRAM = """
    import sys, runpy
    import numpy as np
    import tinytc_mlir as tt
    scale = runpy.run_path(sys.argv[1])["scale"]
    x = np.ones(8, np.float32)
    scale(x)
    loaded = ("mlir.ir", "mlir._mlir_libs._mlir", "tinytc_mlir.frontend.parser",
              "tinytc_mlir.frontend.ast", "tinytc_mlir.frontend.instructions",
              "tinytc_mlir.kernels.reader")
    print(x[0], any(name in sys.modules for name in loaded))
"""


def run(path):
    """Return the output of a new process that launches the kernel of a file."""
    command = [sys.executable, "-c", textwrap.dedent(PROGRAM), str(path)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def test_the_cache_of_programs(tmp_path, monkeypatch):
    monkeypatch.setenv("TINYTC_CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "kernels.py"
    path.write_text(TEXT)
    assert run(path) == ["2.0", "True"]
    path.write_text(TEXT.replace("    x[:]", "    # a comment\n\n    x[:]"))
    assert run(path) == ["2.0", "False"]
    path.write_text(TEXT.replace("2.0", "4.0"))
    assert run(path) == ["4.0", "True"]
    path.write_text(TEXT.replace("FACTOR * x", "-x"))
    assert run(path) == ["-1.0", "True"]


def test_names_of_the_function_are_not_from_outside():
    text = (
        "import tinytc_mlir as tt\nN = 1\n{}\n@tt.kernel\ndef f(x: tt.f32[8]):\n"
        "    i = N\n    x[i] = 1\n"
    )
    keys = set()
    for number, globals_ in enumerate(("", "i = 1", "i = 2; x = 3")):
        filename = f"<names {number}>"
        source = text.format(globals_)
        linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
        scope = {}
        exec(compile(source, filename, "exec"), scope)
        keys.add(scope["f"].source.key())
    assert len(keys) == 1
