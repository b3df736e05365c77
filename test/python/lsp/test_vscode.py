"""The extension for Visual Studio Code: its grammar, what it starts, and its package."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

import tinytc_mlir as tt
from tinytc_mlir.frontend.highlight import textmate_grammar

ROOT = pathlib.Path(__file__).parents[3]
EXTENSION = ROOT / "editors" / "vscode"


def test_grammar_is_that_of_the_table_of_tokens():
    path = EXTENSION / "syntaxes" / "tinytc.tmLanguage.json"
    assert path.read_text() == textmate_grammar(), "run editors/vscode/package.py --grammar"


def test_files_and_version():
    package = json.loads((EXTENSION / "package.json").read_text())
    assert package["version"] == tt.__version__
    json.loads((EXTENSION / "language-configuration.json").read_text())
    contributed = package["contributes"]
    paths = [each["path"] for each in (*contributed["grammars"], *contributed["snippets"])]
    paths += [each["configuration"] for each in contributed["languages"] if "configuration" in each]
    paths += [package["main"], package["icon"]]
    assert all((EXTENSION / path).is_file() for path in paths)
    assert (EXTENSION / package["icon"]).read_bytes().startswith(b"\x89PNG")


ENVIRONMENTS = ("VIRTUAL_ENV", "CONDA_PREFIX")
# In place of the modules that the editor has: they note what is started.
VSCODE = """
const values = { server: ["tinytc", "lsp"], mlirServer: ["absent"], defines: { N: 3 } };
exports.workspace = { getConfiguration: () => ({ get: (name) => values[name] }) };
exports.extensions = { getExtension: () => undefined };
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
    for name in ("extension.js", "environment.js"):
        shutil.copy(EXTENSION / name, tmp_path)
    words = ["node", "-e", RUN, str(tmp_path / "extension.js")]
    without = {name: value for name, value in os.environ.items() if name not in ENVIRONMENTS}
    result = subprocess.run(words, capture_output=True, text=True, env=without)
    assert (result.stdout, result.stderr) == (OUTPUT, "")


LOCATE = """
const { folders, locate } = require(process.argv[1]);
const [root, interpreter] = process.argv.slice(2);
const places = (chosen, variables) => folders([root], chosen, variables);
console.log(locate("tinytc", places(undefined, {})));
console.log(locate("tinytc", places(interpreter, {})));
console.log(locate("absent", places(interpreter, { VIRTUAL_ENV: root })));
console.log(locate("./tinytc", places(interpreter, {})));
console.log(locate("other", places(undefined, { CONDA_PREFIX: root + "/conda" })));
"""


@pytest.mark.skipif(not shutil.which("node"), reason="needs node")
def test_commands_are_found_in_environments(tmp_path):
    for name in (".venv/bin/tinytc", "chosen/bin/tinytc", "conda/bin/other", "venv/bin/absent"):
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755 if path.name != "absent" else 0o644)
    interpreter = str(tmp_path / "chosen" / "bin" / "python")
    words = ["node", "-e", LOCATE, str(EXTENSION / "environment.js"), str(tmp_path), interpreter]
    result = subprocess.run(words, capture_output=True, text=True)
    expected = [".venv/bin/tinytc", "chosen/bin/tinytc", None, None, "conda/bin/other"]
    found = [str(tmp_path / each) if each else each for each in expected]
    found[2:4] = ["absent", "./tinytc"]
    assert (result.stdout.splitlines(), result.stderr) == (found, "")


SNIPPETS = json.loads((EXTENSION / "snippets.json").read_text())
FRAME = """func @frame(%zero: f32, %x: f32, %y: f32, %condition: bool) {{
  {0}
}}
"""


@pytest.mark.parametrize("name", SNIPPETS)
def test_snippets_are_programs(name):
    body = "\n".join(SNIPPETS[name]["body"])
    text = re.sub(r"\$\{\d+:([^}]*)\}", r"\1", body).replace("$0", "")
    assert "$" not in text
    tt.Context().parse(text if text.startswith("func") else FRAME.format(text))


MLIR = """
// what it is
module attributes {tinytc.target = #tinytc.target<name = "cpu">} {
  func.func @f(%arg0: !tinytc.memref<f32>, %x: memref<8xf32>) {
    %c = arith.constant 1.5e-3 : f64
    scf.for %i = %0 to %1 step %2 { }
  ^bb1:
    return
  }
}
"""


def test_colours_of_mlir():
    """The rules that match first, as editors apply them from left to right."""
    rules = json.loads((EXTENSION / "syntaxes" / "mlir.tmLanguage.json").read_text())["patterns"]
    compiled = [(re.compile(r.get("match", r.get("begin")), re.M), r["name"]) for r in rules]
    found = {}
    for word in (
        *("// what", "module", "#tinytc.target", '"', "func.func", "@f", "%arg0"),
        *("!tinytc.memref", "memref<8", "arith.constant", "1.5e-3", "f64", "to %1", "^bb1"),
    ):
        place = MLIR.index(word)
        matches = (name for rule, name in compiled if rule.match(MLIR, place))
        found[word] = next(matches).removesuffix(".mlir")
    assert list(found.values()) == [
        *("comment.line.double-slash", "keyword.control", "entity.other.attribute-name"),
        *("string.quoted.double", "keyword.operator.op", "entity.name.function"),
        *("variable.other.local", "storage.type.dialect", "storage.type"),
        *("keyword.operator.op", "constant.numeric", "storage.type", "keyword.control"),
        "entity.name.label",
    ]


@pytest.mark.skipif(not shutil.which("npm"), reason="needs npm")
def test_package(tmp_path):
    words = [sys.executable, EXTENSION / "package.py", "--out", tmp_path]
    result = subprocess.run(words, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    (path,) = tmp_path.glob("tinytc-*.vsix")
    with zipfile.ZipFile(path) as package:
        names = set(package.namelist())
    assert {"extension/extension.js", "extension/syntaxes/tinytc.tmLanguage.json"} <= names
    assert {"extension/environment.js", "extension/snippets.json", "extension/icon.png"} <= names
    assert "extension/node_modules/vscode-languageclient/node.js" in names
    assert "extension/package.py" not in names
    assert not (EXTENSION / "node_modules").exists()
