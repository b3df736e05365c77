"""Descriptions of chains in JSON, and what is wrong with some."""

import json
import math
import pathlib

import numpy as np
import pytest

import tinytc_mlir as tt
from nearness import whole_numbers
from tinytc_mlir.cli import main
from tinytc_mlir.embedding.chains import read_chains

MATRICES = {
    "K": [7, 5, "constant"],
    "I": [9, 4, "in"],
    "S": [4, 4, "in"],
    "T": [7, 4, "temporary"],
    "Q": [7, 4, "inout"],
    "R": [3, 2, "out"],
}
PRODUCTS = [
    "T = K I[2:7, 0:4]",
    "Q += -0.5 T S.t",
    "R = Q[1:4,0:4] S[0:4,2:4]",
    "R += K[0:3,0:4] S[0:4,0:2]",
]


def description(**changes):
    chain = {"matrices": MATRICES, "products": PRODUCTS} | changes
    return {"library": "waves", "type": "f64", "chains": {"volume": chain}}


@pytest.mark.parametrize("is_known", [False, True])
def test_results(is_known):
    """The kernel computes what NumPy does; an offset is given when it is launched."""
    rng = np.random.default_rng(1)
    k = np.asfortranarray(whole_numbers(rng, (7, 5)))
    matrices = MATRICES | ({"K": [7, 5, k.tolist()]} if is_known else {})
    chains = read_chains(json.dumps(description(matrices=matrices)), "chains.json")
    kernel = tt.Context().parse(chains.text()).compile("native")["volume"]
    given, elements = {} if is_known else {"K": k}, {}
    for name in "ISQR":
        rows, columns, role = MATRICES[name]
        memory = [whole_numbers(rng, 6 + rows * columns) for _ in range(5)]
        if role == "out":
            for each in memory:
                each[:] = np.nan
        given[name] = tt.Group(memory, 6, shape=(rows, columns))
        elements[name] = [each[6:].reshape(columns, rows).T for each in memory]
    expected = []
    for i, s, before in zip(*(elements[name] for name in "ISQ"), strict=True):
        t = k @ i[2:7]
        q = before - 0.5 * t @ s.T
        expected.append((q, q[1:4] @ s[:, 2:] + k[:3, :4] @ s[:, :2]))
    kernel(given, groups=5)
    for (q, r), actual_q, actual_r in zip(expected, elements["Q"], elements["R"], strict=True):
        np.testing.assert_array_equal(actual_q, q)
        np.testing.assert_array_equal(actual_r, r)


@pytest.mark.parametrize("name", ["1", "element", "alpha_0"])
def test_names_of_matrices(name, tmp_path):
    """No name of a matrix is that of a value; what is no name is refused."""
    matrices = {name: [4, 4, "constant"], "B": [4, 4, "in"], "C": [4, 4, "out"]}
    text = json.dumps(description(matrices=matrices, products=[f"C = {name} B"]))
    if name[0].isalpha():
        tt.Context().parse(read_chains(text, "a.json").text())
        return
    with pytest.raises(tt.ParseError, match="expected a name of letters, digits and '_', got '1'"):
        read_chains(text, "a.json")


def changed(**changes):
    return json.dumps(description(**changes), indent=1)


@pytest.mark.parametrize(
    "text, place, message",
    [
        ('{"library": ?', "?", "expected JSON: expecting value"),
        ("[]", "[", "expected an object as the description, got .. .list."),
        ('{"library": "a"}', "{", 'expected "type" with a text'),
        (changed().replace("f64", "i8"), "i8", "expected one of .* as type, got 'i8'"),
        ('{"library": "a", "type": "f32", "chains": {}}', "chains", "expected a chain in"),
        (changed(products=[]), "volume", 'expected "matrices" and "products" in chain volume'),
        (changed(products=[1]), "volume", "expected texts as products of volume, got 1"),
        (changed(products=["T = K"]), "T = K", "expected a product such as 'C .*', got 'T = K'"),
        (changed(products=["T = K X"]), "X", "expected one of K, I, S, T, Q, R, got 'X'"),
        (changed(products=["T = K I[1:3]"]), "I[1:3]", "expected a part such as A.*, got 'I.1:3.'"),
        (changed(products=["T = K I[2:10,0:4]"]), "I[2:10,0:4]", "a part of 9x4 .* rows 2 to 10"),
        (
            changed(products=["T = K I"]),
            "T = K I",
            "expected factors of 7xK and Kx4, got 7x5 and 9",
        ),
        (changed(products=["S = S S"]), "S = S S", "can be written, got S of role in"),
        (changed(products=["Q.t = S K.t"]), "Q.t = S K.t", "can be written, got a transpose"),
        (changed(products=["Q = T S"]), "T", "expected values in T before they are read, got none"),
        (changed(products=["T += K I[2:7,0:4]"]), "T", "expected values in T before they are"),
        (changed(matrices={"K": [1, 2]}), "K", "expected .rows, columns, role. as matrix K, got"),
        (
            changed(matrices={"K": [0, 2, "in"]}),
            "K",
            "expected sizes of at least 1 of matrix K, got 0",
        ),
        (changed(matrices={"K": [1, 2, "big"]}), "big", "expected constant, .* as role of K, got"),
        (
            changed(matrices={"K": [2, 1, [[1]]]}),
            "K",
            "expected 2 rows of 1 number .*, got 1 row",
        ),
        (changed(matrices={"K": [1, 2, [[1]]]}), "K", "elements of K, got 1 number in row 0"),
        (changed(matrices={"K": [1, 1, [["a"]]]}), "K", "of 1 number as .*, got 'a' in row 0"),
        (changed(matrices={"K": [1, 1, [[math.nan]]]}), "K", "of 1 number .*, got nan in row 0"),
        (changed(matrices={"K": [1, 1, [[-math.inf]]]}), "K", "of 1 number .*, got -inf in row 0"),
        (
            changed(matrices={"K": [1, 1, [[2]]]}, products=["K = K K"]),
            "K = K K",
            "can be written, got K of role constant",
        ),
    ],
)
def test_errors(text, place, message, tmp_path, capsys):
    """The place of an error is the words of the file that are wrong."""
    file = tmp_path / "chains.json"
    file.write_text(text)
    assert main(["build", str(file), "-o", str(tmp_path / "made")]) == 1
    assert not (tmp_path / "made").exists()
    with pytest.raises(tt.ParseError, match=message) as info:
        read_chains(text, str(file))
    (diagnostic,) = info.value.diagnostics
    assert str(diagnostic) in capsys.readouterr().err
    line = text.splitlines()[diagnostic.line - 1]
    assert line[diagnostic.column - 1 :].startswith(place)
    assert place in ("{", "[") or diagnostic.length == len(place)


def test_the_command(tmp_path, capsys):
    example = pathlib.Path(__file__).parents[3] / "examples" / "embedding" / "chains.json"
    assert main(["build", str(example), "--target", "native", "-o", str(tmp_path)]) == 0
    assert str(tmp_path / "include" / "waves.hpp") in capsys.readouterr().out
