"""docs/instructions.md has the names that differ between versions."""

import pathlib
import re

import pytest

from tinytc_mlir.frontend.instructions import ALIASES, EARLIER, INSTRUCTIONS, LATER_SPELLINGS
from tinytc_mlir.frontend.names import spellings

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "instructions.md"
ROW = re.compile(r"^\| `([^`]+)` \| `([^|]+)` \|$", re.MULTILINE)


def test_the_page_has_names_that_differ():
    section = PAGE.read_text().partition("## Names in both versions")[2].partition("The other")[0]
    rows = [(earlier, later.replace("`", "")) for earlier, later in ROW.findall(section)]
    assert rows == [pair for pair in spellings() if pair[0] and pair[0] != pair[1]]


def test_every_instruction_has_a_name():
    earlier = {name for name, _ in spellings()}
    plain = {
        name.rsplit(".", 1)[0] if name not in INSTRUCTIONS else name for name in earlier if name
    }
    assert plain == set(EARLIER)


@pytest.mark.parametrize("name", sorted(LATER_SPELLINGS))
def test_every_name_of_version_0_4_is_shown(name):
    shown = {word.partition(".")[0] for _, later in spellings() for word in later.split(", ")}
    assert name in shown or name in ALIASES
