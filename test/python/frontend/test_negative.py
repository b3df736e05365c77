"""Every forbidden program is rejected at the right place with the right message."""

import pytest

from frontend.negative_cases import Case, cases, described
from tinytc_mlir import frontend
from tinytc_mlir.errors import CompileError

CASES = list(cases())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_diagnostics(case: Case) -> None:
    with pytest.raises(CompileError) as error:
        frontend.parse(case.text, "case.ir")
    assert described(error.value.diagnostics) == case.expected
    for diagnostic in error.value.diagnostics:
        assert diagnostic.filename == "case.ir"
        assert diagnostic.excerpt is not None
        assert 1 <= diagnostic.length <= max(1, len(diagnostic.excerpt))


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 200
    assert len({case.name for case in CASES}) == len(CASES)


def test_messages_say_what_was_found() -> None:
    messages = [line for case in CASES for line in case.expected if line.startswith("error ")]
    assert [m for m in messages if ": expected " not in m or "got " not in m] == []
