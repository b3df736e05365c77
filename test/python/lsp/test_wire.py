"""The bytes that the language server writes, as a client with strict types reads them."""

import json
import subprocess
import sys

import pytest

URI = "file:///work/f.ir"
TEXT = "func @f(%A: memref<f32x8>) {\n  %zero = constant 0.0 : f32\n}\n"


def write(server, **message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    server.stdin.flush()


def answer(server, number):
    """Return the result of a request; messages that are no answers are skipped."""
    while True:
        length = 0
        for line in iter(server.stdout.readline, b"\r\n"):
            assert line, "the server has ended"
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        message = json.loads(server.stdout.read(length))
        if message.get("id") == number and "method" not in message:
            return message["result"] if "result" in message else message["error"]


@pytest.fixture
def server():
    words = [sys.executable, "-m", "tinytc_mlir", "lsp"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        yield process
        process.kill()


def open_text(server, text, folder=None):
    """Begin a session, open a text and return the capabilities of the server."""
    parameters = {"processId": None, "rootUri": folder, "capabilities": {}}
    write(server, id=1, method="initialize", params=parameters)
    capabilities = answer(server, 1)["capabilities"]
    write(server, method="initialized", params={})
    item = {"uri": URI, "languageId": "tinytc", "version": 0, "text": text}
    write(server, method="textDocument/didOpen", params={"textDocument": item})
    return capabilities


def test_semantic_tokens_are_integers(server):
    open_text(server, TEXT)
    tokens = {"textDocument": {"uri": URI}}
    write(server, id=2, method="textDocument/semanticTokens/full", params=tokens)
    data = answer(server, 2)["data"]
    assert {type(number) for number in data} == {int}  # JSON's true is a bool, not the integer 1
    assert min(data) == 0
    definitions = data[4::5]
    assert sorted(set(definitions)) == [0, 1]
    assert sum(definitions) == TEXT.count("%") + TEXT.count("@")


ALL = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
WRONG = {"message": "expected a type, got 'f33'\ndid you mean 'f32'?", "source": "tinytc"}
REQUESTS = {
    "codeAction": {"range": ALL, "context": {"diagnostics": [{"range": ALL, **WRONG}]}},
    "signatureHelp": {"position": {"line": 1, "character": 20}},
    "inlayHint": {"range": ALL},
    "foldingRange": {},
    "rangeFormatting": {"range": ALL, "options": {"tabSize": 2, "insertSpaces": True}},
}


def test_features_that_clients_ask_for(server, tmp_path):
    (tmp_path / "g.ir").write_text("func @elsewhere() { }")
    text = "func @f(%A: memref<f32x8>) {\n  foreach (%i) = (0), (8) {\n\n}\n}\n"
    text = text.replace("  foreach", "  %one = constant 1.0 : f32\n  foreach")
    capabilities = open_text(server, text, tmp_path.as_uri())
    results = {}
    for number, (name, more) in enumerate(REQUESTS.items(), 2):
        assert capabilities[f"{name.replace('range', 'documentRange')}Provider"]
        parameters = {"textDocument": {"uri": URI}, **more}
        write(server, id=number, method=f"textDocument/{name}", params=parameters)
        results[name] = answer(server, number)
    (action,) = results["codeAction"]
    assert action["edit"]["changes"] == {URI: [{"range": ALL, "newText": "f32"}]}
    assert results["signatureHelp"]["signatures"][0]["label"] == "%result = constant value : type"
    assert [hint["label"] for hint in results["inlayHint"]] == [": index"]
    assert [fold["startLine"] for fold in results["foldingRange"]] == [0, 2]
    assert results["rangeFormatting"]
    assert capabilities["workspaceSymbolProvider"]
    for query, names in (("ELSE", ["@elsewhere"]), ("", ["@f", "@elsewhere"])):
        write(server, id=50, method="workspace/symbol", params={"query": query})
        assert [each["name"] for each in answer(server, 50)] == names


def test_a_refused_name_leaves_no_traceback(server):
    open_text(server, TEXT)
    place = {"line": 1, "character": 3}
    parameters = {"textDocument": {"uri": URI}, "position": place, "newName": "1x"}
    write(server, id=2, method="textDocument/rename", params=parameters)
    assert "expected a number, or a letter" in answer(server, 2)["message"]
    write(server, id=3, method="shutdown")
    answer(server, 3)
    write(server, method="exit")
    assert server.stderr.read() == b""
