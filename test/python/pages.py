"""Blocks of code in the pages of the documentation, run as a reader would: in order, in one folder.

A block whose first line is a comment with a file's name is that file. The others run: Python in one
process for the page, commands in a shell.
"""

import linecache
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
from typing import NamedTuple

import tile_tools
from tinytc_mlir import tile_programs

ROOT = pathlib.Path(__file__).parents[2]
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.M | re.S)
_NAMED = re.compile(r"(?:;|#|//) ([\w.]+)\n")
_SCRIPT = '#!/bin/sh\nexec {words} "$@"\n'
#: An editor of files for those who have no terminal.
_EDITOR = "#!/bin/sh\nfor file; do echo '// edited' >> \"$file\"; done\n"


class Block(NamedTuple):
    """A block of a page.

    Args:
        language: the word after the fence.
        text: what is in it.
    """

    language: str
    text: str

    @property
    def file(self):
        """Name of the file that the block is, None if it runs."""
        match = _NAMED.match(self.text)
        return match and match[1]


def blocks(page, *languages):
    """Return the blocks of a page in some languages, in any without them."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    found = [Block(*match) for match in _FENCE.findall(text)]
    return [block for block in found if not languages or block.language in languages]


def write_files(page):
    """Write the files of a page into the working folder and return their names."""
    found = {block.file: block.text for block in blocks(page) if block.file}
    for name, text in found.items():
        pathlib.Path(name).write_text(text, encoding="utf-8")
    return set(found)


def tools(folder):
    """Write the commands that pages call into a folder, and return their PATH."""
    folder.mkdir()
    python = shlex.quote(sys.executable)
    scripts = {
        "python": _SCRIPT.format(words=python),
        "tinytc": _SCRIPT.format(words=f"{python} -m tinytc_mlir"),
        "tinytc-opt": _SCRIPT.format(words=shlex.quote(tile_tools.find_tool("tinytc-opt"))),
        "vi": _EDITOR,
    }
    for name, text in scripts.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    for name in ("tileiras", "tileirdisasm"):
        (folder / name).symlink_to(tile_programs.find_tool(name))
    return f"{folder}:/usr/bin:/bin"


def run_commands(block, environment):
    """Run the commands of a block, each of which must succeed, and return what they print.

    Installing is left out; commands that take minutes or a GPU are asked for help.
    """
    lines = []
    for line in block.text.splitlines():
        command = line.partition("  #")[0]
        if command.startswith("pip install "):
            continue
        needs_more = command.startswith(("python test/", "python -m tinytc_bench.cuda"))
        lines.append(f"{command} --help" if needs_more else command)
    bash = shutil.which("bash")
    words = [bash, "-euo", "pipefail", "-c", "\n".join(lines)]
    result = subprocess.run(words, capture_output=True, text=True, env=environment)
    assert result.returncode == 0, f"{block.text}\n{result.stdout}\n{result.stderr}"
    return result.stdout + result.stderr


def run(page, environment, *, python=True):
    """Run a page in the working folder and return what its commands print.

    Args:
        page: the page.
        environment: variables of the commands.
        python: whether to run blocks of Python, too.
    """
    write_files(page)
    names, printed = {}, []
    for block in blocks(page, "python", "sh"):
        if block.file:
            continue
        if block.language == "sh":
            printed.append(run_commands(block, environment))
        elif python:
            name = f"<{page}, {len(linecache.cache)}>"  # functions find their source there
            lines = block.text.splitlines(keepends=True)
            linecache.cache[name] = (len(block.text), None, lines, name)
            exec(compile(block.text, name, "exec"), names)
    return "".join(printed)
