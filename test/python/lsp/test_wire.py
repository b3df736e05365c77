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
            return message["result"]


@pytest.fixture
def server():
    words = [sys.executable, "-m", "tinytc_mlir", "lsp"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield process
        process.kill()


def test_semantic_tokens_are_integers(server):
    parameters = {"processId": None, "rootUri": None, "capabilities": {}}
    write(server, id=1, method="initialize", params=parameters)
    answer(server, 1)
    write(server, method="initialized", params={})
    item = {"uri": URI, "languageId": "tinytc", "version": 0, "text": TEXT}
    write(server, method="textDocument/didOpen", params={"textDocument": item})
    tokens = {"textDocument": {"uri": URI}}
    write(server, id=2, method="textDocument/semanticTokens/full", params=tokens)
    data = answer(server, 2)["data"]
    assert {type(number) for number in data} == {int}  # JSON's true is a bool, not the integer 1
    assert min(data) == 0
    definitions = data[4::5]
    assert sorted(set(definitions)) == [0, 1]
    assert sum(definitions) == TEXT.count("%") + TEXT.count("@")
