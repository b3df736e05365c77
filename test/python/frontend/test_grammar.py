"""The grammar of the documentation and the parser are the same, rule by rule."""

import pathlib
import re

import pytest

from tinytc_mlir.frontend.parser import Parser
from tinytc_mlir.frontend.tokens import RULES

TEXT = (pathlib.Path(__file__).parents[3] / "docs" / "grammar.md").read_text()
BLOCKS = re.findall(r"```ebnf\n(.*?)```", TEXT, re.DOTALL)
RULES_AS_TEXT = [rule for block in BLOCKS for rule in re.split(r"\n(?! )", block.strip())]
PRODUCTIONS = dict(rule.split(" = ", 1) for rule in RULES_AS_TEXT)
HELPERS = {"local-identifier"}


def documented(method: object) -> str | None:
    """Return the rule that a method's first line begins with."""
    match = re.match(r"([a-z-]+)(?: =|:)", getattr(method, "__doc__", None) or "")
    return match[1] if match else None


@pytest.mark.parametrize("rule", PRODUCTIONS)
def test_each_rule_is_a_method(rule: str) -> None:
    method = getattr(Parser, rule.replace("-", "_"))
    assert documented(method) == rule or rule == "region"


def test_each_method_is_a_rule() -> None:
    methods = [documented(getattr(Parser, name)) for name in dir(Parser) if name[0] != "_"]
    assert {rule for rule in methods if rule} <= set(PRODUCTIONS) | HELPERS


def test_each_token_is_described() -> None:
    for rule in RULES:
        if rule.kind not in ("space", "x", "punctuation", "calculator"):
            assert re.search(rf"^{rule.kind} += ", TEXT, re.MULTILINE), rule.kind
