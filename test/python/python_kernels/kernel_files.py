"""A file with a kernel, and what importing it defines."""

TEXT = """import tinytc_mlir as tt

FACTOR = 2.0

@tt.kernel
def scale(x: tt.f32[8]):
    x[:] = FACTOR * x
"""


def imported(path, text=TEXT, filename=None):
    """Return what a text defines, as a module of a file would."""
    path.write_text(text)
    scope = {"__name__": "somewhere"}
    exec(compile(text, str(filename or path), "exec"), scope)
    return scope
