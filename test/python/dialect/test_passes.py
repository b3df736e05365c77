"""The passes are named alike."""

import pathlib
import re

PASSES = pathlib.Path(__file__).parents[3] / "dialect" / "Passes.td"


def test_every_flag_begins_with_the_name_of_the_dialect():
    flags = re.findall(r"Pass<\"([^\"]+)\"", PASSES.read_text())
    assert len(flags) > 10
    assert [flag for flag in flags if not flag.startswith("tinytc-")] == []
