"""Messages about expressions point into them, and those about arguments name what was given."""

import numpy as np
import pytest

import tinytc_mlir as tt
from target_under_test import TARGET

SHAPES = {"A": (3, 4), "B": (4, 5), "C": (3, 5), "v": (4,)}


def create(expression, shapes=SHAPES, dtype="f32", **options):
    return tt.recipes.contract(expression, shapes, dtype=dtype, target=TARGET, **options)


@pytest.mark.parametrize(
    "expression, pointed, message",
    [
        ("C[ik] = \u00e4", "\u00e4", "expected ASCII characters, got '\u00e4'"),
        ("C[ik = A[ij]", None, "expected assignments such as .*, got a mistake: "),
        ("", None, "expected assignments such as .*, got nothing"),
        ("import os", "import os", "expected assignments such as .*, got 'import os'"),
        ("C[ik] *= A[ik]", "C[ik] *= A[ik]", "expected assignments such as .*, got 'C"),
        ("C[ik] = C[ki] = A[ij]", "C[ik] = C[ki] = A[ij]", "expected assignments such as"),
        ("C = A[ij]", "C", "expected a tensor with its indices, got 'C'"),
        ("C[ii] = A[ij]", "C[ii]", "expected every index of the target once, got"),
        ("C[ik] = 2 * a", "2 * a", "expected a tensor in every term, got '2"),
        ("C[ik] = A[ij] / 2", "A[ij] / 2", "expected a tensor with its indices, a number, a na"),
        ("C[ik] = sin(A[ij])", "sin(A[ij])", "expected a tensor with its indices, a number"),
        ("C[ik] = True * A[ij]", "True", "expected a tensor with its indices, a number, a name"),
        ("C[ik] = _a * A[ij]", "_a", "expected a tensor with its indices, a number, a name"),
        ("C[ik] = 1e999 * A[ij]", "1e999", "expected a finite number, got '1e999'"),
        ("C[ik] = 1e200 * A[ij] * 1e200", "1e200 * A[ij] * 1e200", "expected a finite number"),
        ("C[ik] = f(a)[ij]", "f(a)", "expected the name of a tensor before the indices"),
        ("C[ik] = A[i, j+1]", "j+1", "expected letters, a number, or part of a mode such as"),
        ("C[ik] = A[i1]", "i1", "expected letters, a number, or part of a mode such as"),
        ("C[ik] = A[i, -1]", "-1", "expected letters, a number, or part of a mode such as"),
        ("C[ik] = A[i, j[0:4:2]]", "j[0:4:2]", "expected letters, a number, or part of a mode"),
        ("C[ik] = A[i, j[:-1]]", "-1", "expected a number, got '-1'"),
        ("C[ik] = D[ij]", "D[ij]", "expected a tensor with a shape, or assigned before, got 'D'"),
        ("t[ik] += A[ik]", "t[ik]", "expected a tensor with a shape, or assigned before, got 't'"),
        ("C[ik] = A[ijk]", "A[ijk]", "expected an index for each of the 2 modes of 'A', got 3"),
        ("C[ik] = A[i, 4]", "4", "expected an element of a mode of size 4, got 4"),
        (
            f"C[ik] = A[i, 0x{'f' * 9999}]",
            "0xf",
            "expected an element of a mode of size 4, got 0xf",
        ),
        ("C[ik] = A[i, j[3:5]]", "j[3:5]", "expected at least one element of a mode of size 4, a"),
        ("C[ik] = A[i, j[2:2]]", "j[2:2]", "expected at least one element of a mode of size 4, a"),
        ("C[ik] = A[ii]", "i]", "expected one size for index 'i' of 'A', got 3 and 4"),
        ("C[ik] = A[ij]*B[ik]", "i", "expected size 3 or 1 for index 'i' of 'B', as in other ten"),
        ("C[ik] = A[ik]", "k", "expected size 4 for index 'k' of 'C', as in other tensors, got 5"),
        (
            "C[ik] = A[ij] * C[jk]",
            "A[ij] * C[jk]",
            "expected 'C', which is written, only as one term of '=' with a factor and the "
            "target's indices, got 'A",
        ),
        ("C[ik] += C[ik]", "C[ik]", "expected 'C', which is written, only as one term of '='"),
        ("C[ik] = 2 * C[ik]", "C[ik] = 2 * C[ik]", "expected a term with another tensor than the"),
        ("t[ij] = v[j]", "i", "expected indices of the terms for 't', which has no shape, got 'i'"),
        ("t[0] = v[j]", "0", "expected indices of the terms for 't', which has no shape, got '0'"),
        ("t[jk] = A * B[jk]", "A * B[jk]", "expected indices after the tensor 'A', got none"),
        ("C[ik] = t * A[ij]\nt[j] = v[j]", "t[j]", "expected no indices after the factor 't', go"),
    ],
)
def test_wrong_expressions(expression, pointed, message):
    with pytest.raises(tt.ParseError, match=message) as caught:
        create(expression)
    diagnostic = caught.value.diagnostics[0]
    assert diagnostic.filename == "<expression>"
    if pointed is not None:
        line = expression.splitlines()[diagnostic.line - 1][diagnostic.column - 1 :]
        assert line.startswith(pointed)


def test_too_deep():
    with pytest.raises(tt.ParseError, match="expected assignments such as .*, got one that is too"):
        create("C[ik] = " + "-" * 5000 + "A[ik]")


@pytest.mark.parametrize(
    "dtype, factor, message",
    [
        ("i32", "0.5", "expected a factor that i32 holds, got 0.5"),
        ("i8", "128", "expected a factor that i8 holds, got 128"),
        ("f32", "1j", "expected a factor that f32 holds, got 1j"),
        ("f32", "1e39", r"expected a factor that f32 holds, got 1e\+39"),
        ("f16", "1e5", "expected a factor that f16 holds, got 100000.0"),
        ("c32", "1e39j", r"expected a factor that c32 holds, got 1e\+39j"),
    ],
)
def test_factors_that_the_type_does_not_hold(dtype, factor, message):
    with pytest.raises(tt.ParseError, match=message):
        create(f"C[ik] = {factor} * A[ij] * B[jk] + v[j]", dtype=dtype)


def test_the_whole_message():
    with pytest.raises(tt.ParseError) as caught:
        create("C[ik] += A[ij] * B[jk]\nC[ik] += A[il] * C[lk]")
    assert str(caught.value) == (
        "<expression>:2:10: error: expected 'C', which is written, only as one term of '=' with a "
        "factor and the target's indices, got 'A[il] * C[lk]'\n"
        "C[ik] += A[il] * C[lk]\n"
        "         ^~~~~~~~~~~~~"
    )


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"expression": 3}, "argument 'expression': expected a text such as .*, got 3"),
        ({"shapes": [(3, 4)]}, r"argument 'shapes': expected a mapping of names to sizes, got "),
        ({"shapes": {"C": 3, "v": (4,)}}, "argument 'shapes': expected a tuple of sizes for 'C'"),
        (
            {"shapes": {"C": (0,), "v": (4,)}},
            "argument 'shapes': expected an integer from 1 to .* as size of mode 0 of 'C', got 0",
        ),
        (
            {"shapes": {"C": (4,), "v": (4,), "w": (3,)}},
            "argument 'shapes': expected shapes of tensors of the expression, got 'w'",
        ),
        (
            {"shapes": {"C": (4,), "v": (4,), 3: (3,)}},
            "argument 'shapes': expected shapes of tensors of the expression, got an object of "
            "type int",
        ),
        ({"dtype": "f31"}, "argument 'dtype': expected a NumPy dtype or one of"),
        ({"optimize": 3}, "argument 'optimize': expected a name such as 'auto', True or False"),
    ],
)
def test_wrong_parameters(arguments, message):
    given = {"expression": "C[i] = v[i]", "shapes": {"C": (4,), "v": (4,)}, "dtype": "f32"}
    given |= arguments
    with pytest.raises(tt.ArgumentError, match=f"^contract: {message}"):
        tt.recipes.contract(given.pop("expression"), given.pop("shapes"), **given)


def test_a_batch_needs_a_batch_of_results():
    with pytest.raises(
        tt.ParseError, match=r"expected a batch mode of 'C', which is written, as '"
    ):
        create("C[i] = v[i]", {"C": (4,), "v": (4, None)})


def test_wrong_arguments():
    recipe = create(
        "C[ik] += a * A[ij] * B[jk]", {"A": (3, 4, None), "B": (4, 5), "C": (3, 5, None)}
    )
    a, b, c = (np.ones(shape, np.float32, order="F") for shape in ((3, 4, 6), (4, 5), (3, 5, 6)))
    with pytest.raises(tt.ArgumentError, match="expected a mapping of names to arguments, got 3"):
        recipe(3)
    with pytest.raises(tt.ArgumentError, match="expected 4 arguments .*missing: a"):
        recipe(A=a, B=b, C=c)
    with pytest.raises(tt.ArgumentError, match="'D'"):
        recipe(A=a, B=b, C=c, a=1, D=b)
    with pytest.raises(tt.ArgumentError, match="'C': expected 6 groups as in 'A', got 5"):
        recipe(A=a, B=b, C=c[..., :5], a=1)
    with pytest.raises(tt.ArgumentError, match="'A': expected an array of 3 modes, the last that"):
        recipe(A=b, B=b, C=c, a=1)
    with pytest.raises(tt.ArgumentError, match="'A': expected a NumPy or USM array, got 1"):
        recipe(A=1, B=b, C=c, a=1)
    with pytest.raises(tt.ArgumentError, match="'B': expected shape"):
        recipe(A=a, B=b[:, :4], C=c, a=1)
    with pytest.raises(tt.ArgumentError, match="'C': expected an array that does not overlap 'A'"):
        create("C[ij] = A[ij]", {"A": (3, 4), "C": (3, 4)})(A=a[..., 0], C=a[..., 0])
    with pytest.raises(tt.ArgumentError, match="'scratch': expected None, as all temporaries are"):
        recipe(A=a, B=b, C=c, a=1, scratch=b)
