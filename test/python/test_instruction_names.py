"""Names of instructions in both versions of the language."""

import pytest

from tinytc_mlir.frontend.instructions import ALIASES, EARLIER, INSTRUCTIONS, LATER_SPELLINGS
from tinytc_mlir.frontend.names import spellings


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
