"""Runs small programs of the tensor language on the reference interpreter."""

import functools

import numpy as np

import tinytc_mlir as tt
from tinytc_mlir.reference import interpret
from tinytc_mlir.scalars import SCALAR_TYPES, bfloat16_bits

# dtype of arrays and numbers; types that NumPy does not have are given as bit patterns.
DTYPES = {name: each.dtype for name, each in SCALAR_TYPES.items()}
INTEGERS = ("i8", "i16", "i32", "i64", "index")
FLOATS = ("f16", "f32", "f64")
COMPLEX = ("c32", "c64")


@functools.cache
def context():
    """Return the context of all programs; one for each would take 5 MB each."""
    return tt.Context()


@functools.lru_cache(maxsize=16)
def parsed(text):
    return context().parse(text, "test.ir")


def run(text, *args, kernel="f", groups=1, **sizes):
    """Interpret the kernel of a program; its arrays change."""
    interpret(parsed(text), kernel, args, groups, **sizes)


def result_of(text, result_type, *args, shape=(), **options):
    """Return the last argument, an array that starts as zeros."""
    result = np.zeros(shape, DTYPES[result_type], order="F")
    run(text, *args, result, **options)
    return result


def scalar(instruction, result_type, **operands):
    """Return what an instruction gives for scalar operands, `name=(type, value)`."""
    parameters = "".join(f"%{name}: {type_}, " for name, (type_, _) in operands.items())
    text = f"""
    func @f({parameters}%out: memref<{result_type}>) {{
        %result = {instruction}
        store %result, %out[]
    }}"""
    return result_of(text, result_type, *(value for _, value in operands.values()))[()]


def array(values, type_="f32"):
    """Return a column-major array of a type."""
    return np.array(values, DTYPES[type_], order="F")


def random(rng, type_, *shape):
    """Return a column-major array of small whole numbers."""
    dtype = np.dtype(DTYPES[type_])
    values = rng.integers(-4, 5, shape)
    if type_ == "bf16":
        return np.asfortranarray(bfloat16_bits(values.astype(np.float32)))
    if dtype.kind == "c":
        values = values + 1j * rng.integers(-4, 5, shape)
    return np.asarray(values, dtype, order="F")


def failure(text, *args, **options):
    """Return the diagnostic of the undefined behaviour of a program."""
    try:
        run(text, *args, **options)
    except tt.errors.InterpreterError as error:
        (diagnostic,) = error.diagnostics
        return diagnostic
    raise AssertionError("the interpreter found nothing")


# Two subgroups of four work-items, and the number of each.
HEAD = "attributes {subgroup_size=4, work_group_size=[8,1]}"
ITEM = """
        %s = builtin.subgroup_id : i32
        %l = builtin.subgroup_local_id : i32
        %four = constant 4 : i32
        %base = arith.mul %s, %four : i32
        %item = arith.add %base, %l : i32
        %i = cast %item : index
"""


def at(text, marker):
    """Return line and column of a marker, which precedes the instruction in question."""
    before = text[: text.index(marker)]
    return before.count("\n") + 1, len(marker) + len(before) - before.rfind("\n")


def expect(text, message, *args, **options):
    """Check the message and the location of the undefined behaviour of a program."""
    place = at(text, "@@ ")
    diagnostic = failure(text.replace("@@ ", "   "), *args, **options)
    assert message in diagnostic.message
    assert (diagnostic.filename, diagnostic.line, diagnostic.column) == ("test.ir", *place)
    return diagnostic
