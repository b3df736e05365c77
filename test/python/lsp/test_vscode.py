"""The extension for Visual Studio Code: its grammar, what it starts, and its package."""

import json
import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest

import tinytc_mlir
from tinytc_mlir.frontend.highlight import textmate_grammar

ROOT = pathlib.Path(__file__).parents[3]
EXTENSION = ROOT / "editors" / "vscode"


def test_grammar_is_that_of_the_table_of_tokens():
    path = EXTENSION / "syntaxes" / "tinytc.tmLanguage.json"
    assert path.read_text() == textmate_grammar(), "run editors/vscode/package.py --grammar"


def test_files_and_version():
    package = json.loads((EXTENSION / "package.json").read_text())
    assert package["version"] == tinytc_mlir.__version__
    json.loads((EXTENSION / "language-configuration.json").read_text())
    contributed = package["contributes"]
    paths = [each["path"] for each in contributed["grammars"]]
    paths += [each["configuration"] for each in contributed["languages"] if "configuration" in each]
    assert all((EXTENSION / path).is_file() for path in [*paths, package["main"]])


# In place of the modules that the editor has: they note what is started.
VSCODE = """
const values = { server: ["tinytc", "lsp"], mlirServer: ["absent"], defines: { N: 3 } };
exports.workspace = { getConfiguration: () => ({ get: (name) => values[name] }) };
exports.window = { showErrorMessage: (text) => console.log(`error ${text}`) };
exports.commands = { registerCommand: (name) => console.log(`command ${name}`) };
"""
CLIENT = """
exports.LanguageClient = class {
  constructor(id, name, server, options) { Object.assign(this, { id, server, options }); }
  async start() {
    if (this.server.command === "absent") throw new Error("no such file");
    console.log(`start ${this.id} ${this.server.command} ${this.server.args}`);
    console.log(JSON.stringify(this.options.initializationOptions));
  }
  async stop() { console.log(`stop ${this.id}`); }
};
"""
RUN = """
const extension = require(process.argv[1]);
extension.activate({ subscriptions: [] }).then(extension.deactivate);
"""
OUTPUT = """\
command tinytc.restart
start tinytc.tinytc tinytc lsp
{"defines":{"N":3}}
error MLIR with tinytc: expected the command 'absent' to start, got: no such file. \
pip install 'tinytc-mlir[lsp]', or set tinytc.mlirServer.
stop tinytc.tinytc
"""


@pytest.mark.skipif(not shutil.which("node"), reason="needs node")
def test_extension_starts_both_servers(tmp_path):
    modules = tmp_path / "node_modules"
    (modules / "vscode-languageclient").mkdir(parents=True)
    (modules / "vscode.js").write_text(VSCODE)
    (modules / "vscode-languageclient" / "node.js").write_text(CLIENT)
    shutil.copy(EXTENSION / "extension.js", tmp_path)
    words = ["node", "-e", RUN, str(tmp_path / "extension.js")]
    result = subprocess.run(words, capture_output=True, text=True)
    assert (result.stdout, result.stderr) == (OUTPUT, "")


@pytest.mark.skipif(not shutil.which("npm"), reason="needs npm")
def test_package(tmp_path):
    words = [sys.executable, EXTENSION / "package.py", "--out", tmp_path]
    result = subprocess.run(words, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    (path,) = tmp_path.glob("tinytc-*.vsix")
    with zipfile.ZipFile(path) as package:
        names = set(package.namelist())
    assert {"extension/extension.js", "extension/syntaxes/tinytc.tmLanguage.json"} <= names
    assert "extension/node_modules/vscode-languageclient/node.js" in names
    assert "extension/package.py" not in names
    assert not (EXTENSION / "node_modules").exists()
