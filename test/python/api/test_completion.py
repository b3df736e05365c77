"""`tinytc completion`: what shells propose."""

import shutil
import subprocess

import pytest

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
