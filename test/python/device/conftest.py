"""Prints how many cases the tests of this folder compared with the reference."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))


def pytest_terminal_summary(terminalreporter):
    cases = sys.modules.get("cases")
    if cases is not None and cases.counted:
        terminalreporter.write_line(f"{len(cases.counted)} cases compared with the reference")
