"""The licence goes into the head of a file, once."""

import pathlib
import subprocess
import sys

import pytest

SCRIPT = pathlib.Path(__file__).parents[2] / "tools" / "licence_lines.py"
# In two parts, as `reuse` would take it for the licence of this file.
LINE = "SPDX-" + "License-Identifier: BSD-3-Clause"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "a.cpp",
            "//===- a.cpp ---===//\n\nint a;\n",
            f"//===- a.cpp ---===//\n// {LINE}\n\nint a;\n",
        ),
        ("a.h", "int a;\n", f"// {LINE}\nint a;\n"),
        ("a.py", '"""Text."""\n', f'# {LINE}\n"""Text."""\n'),
        ("a.sh", "#!/bin/sh\ntrue\n", f"#!/bin/sh\n# {LINE}\ntrue\n"),
        ("CMakeLists.txt", "project(a)\n", f"# {LINE}\nproject(a)\n"),
    ],
)
def test_line(tmp_path, name, text, expected):
    path = tmp_path / name
    path.write_text(text)
    words = [sys.executable, SCRIPT, path]
    first = subprocess.run(words, capture_output=True, text=True)
    assert (first.returncode, first.stdout) == (1, f"{path}: {LINE}\n")
    assert path.read_text() == expected
    second = subprocess.run(words, capture_output=True, text=True)
    assert (second.returncode, second.stdout) == (0, "")
    assert path.read_text() == expected
