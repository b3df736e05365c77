"""Highlighters see the same tokens as the front-end."""

import json
import pathlib
import re

from pygments.token import Error, Keyword, Name, Number

from tinytc_mlir.frontend.highlight import TensorLanguageLexer, textmate_grammar
from tinytc_mlir.frontend.instructions import INSTRUCTIONS

DATA = pathlib.Path(__file__).parent / "data"


def test_no_token_of_the_sample_is_unknown() -> None:
    text = (DATA / "sample.ir").read_text()
    tokens = list(TensorLanguageLexer().get_tokens(text))
    assert [value for kind, value in tokens if kind is Error] == []
    assert "".join(value for _, value in tokens) == text
    assert (Keyword, "func") in tokens
    assert (Name.Function, "@fused_kernel") in tokens
    assert (Name.Builtin, "gemm") in tokens
    assert (Name.Decorator, ".t") in tokens
    assert (Keyword.Type, "f32") in tokens
    assert (Number.Integer, "16") in tokens


def test_comments_and_compile_time_variables() -> None:
    tokens = list(TensorLanguageLexer().get_tokens("$n = !calc(2 3 +) ; five\n"))
    assert (Name.Constant, "$n") in tokens
    assert tokens[-2][1] == "; five"


def test_textmate_grammar_colours_every_instruction() -> None:
    patterns = json.loads(textmate_grammar())["patterns"]
    for name in INSTRUCTIONS:
        (scope,) = {
            pattern["name"]
            for pattern in patterns
            if re.fullmatch(pattern["match"], name.split(".")[0])
        }
        assert scope == "keyword.operator.instruction.tinytc"
