"""`tinytc completion` and `tinytc man`: what shells propose, and manual pages."""

import re
import shutil
import subprocess

import pytest

from tinytc_mlir import cli
from tinytc_mlir.cli import man
from tinytc_mlir.compiler import STAGES, TARGETS

ASK = """
source {script}
COMP_WORDS=({words}) COMP_CWORD={last} COMP_LINE="{words}"
_shtab_tinytc tinytc "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD-1]}}"
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    path = tmp_path_factory.mktemp("completion") / "tinytc.bash"
    with path.open("w") as file:
        words = ["python", "-m", "tinytc_mlir", "completion", "bash"]
        subprocess.run(words, stdout=file, check=True)
    return path


def proposed(script, *words):
    text = ASK.format(script=script, words=" ".join(words), last=len(words) - 1)
    result = subprocess.run(["bash", "-c", text], capture_output=True, text=True)
    assert result.stderr == ""
    return result.stdout.split()


def test_commands_and_options(script):
    assert proposed(script, "tinytc", "com") == ["compile", "completion"]
    assert "--diagnostics" in proposed(script, "tinytc", "check", "--")
    assert proposed(script, "tinytc", "check", "--diagnostics", "j") == ["json"]
    assert set(proposed(script, "tinytc", "check", "--target", "in")) == {
        target for target in TARGETS if target.startswith("in")
    }
    assert set(proposed(script, "tinytc", "lower", "--to", "")) >= set(STAGES)
    assert "tile" in proposed(script, "tinytc", "compile", "--target", "t")
    assert "tile" not in proposed(script, "tinytc", "check", "--target", "t")


def test_files(script, tmp_path, monkeypatch):
    (tmp_path / "kernel.ir").touch()
    monkeypatch.chdir(tmp_path)
    assert "kernel.ir" in proposed(script, "tinytc", "check", "ker")


def test_zsh(tinytc, tmp_path):
    status, text, err = tinytc("completion", "zsh")
    assert (status, err) == (0, "")
    assert text.startswith("#compdef tinytc\n")
    path = tmp_path / "_tinytc"
    path.write_text(text)
    if shutil.which("zsh"):
        subprocess.run(["zsh", "-n", path], check=True)


def test_fish(tinytc, tmp_path):
    status, text, err = tinytc("completion", "fish")
    assert (status, err) == (0, "")
    assert "complete -c tinytc" in text
    path = tmp_path / "tinytc.fish"
    path.write_text(text)
    if shutil.which("fish"):
        ask = f"source {path}; complete -C 'tinytc com'"
        words = ["fish", "--no-config", "-c", ask]
        result = subprocess.run(words, capture_output=True, text=True, check=True)
        assert {line.split("\t")[0] for line in result.stdout.splitlines()} == {
            "compile",
            "completion",
        }


PAGES = man.pages(cli.make_parser())


def test_there_is_a_page_for_each_command(tinytc, tmp_path):
    status, out, err = tinytc("man", "-o", tmp_path / "man1")
    assert (status, err) == (0, "")
    assert {path.stem for path in (tmp_path / "man1").iterdir()} == set(PAGES)
    assert len(out.splitlines()) == len(PAGES)
    assert {"tinytc", "tinytc-run", "tinytc-cache", "tinytc-man"} <= set(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_pages_say_what_help_says(name):
    text = PAGES[name]
    plain = re.sub(r"^\.[A-Z]+ ?", "", text, flags=re.M).replace("\\-", "-").replace("\\e", "\\")
    help_ = cli.make_parser()
    for word in name.split("-")[1:]:
        (choices,) = (a.choices for a in help_._actions if isinstance(a.choices, dict))
        help_ = choices[word]
    for option in re.findall(r"^  (--?[\w-]+)", help_.format_help(), re.M):
        assert option in plain
    for title in ("NAME", "SYNOPSIS", "OPTIONS", "EXIT STATUS", "SEE ALSO"):
        assert f'.SH "{title}"' in text or f".SH {title}" in text
    if shutil.which("groff"):
        words = ["groff", "-man", "-ww", "-z", "-Tutf8"]
        result = subprocess.run(words, input=text, capture_output=True, text=True, check=True)
        assert result.stderr == ""
