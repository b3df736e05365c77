"""The language server, asked like an editor asks it."""

import asyncio
import pathlib
import sys

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pytest_lsp import ClientServerConfig, LanguageClient

DATA = pathlib.Path(__file__).parents[1] / "frontend" / "data"
URI = "file:///work/f.ir"
PROGRAM = """$N = 8
func @f(%alpha: f32, %A: memref<f32x8x$N>) {
  %zero = constant 0.0 : f32  ; 𝄞 two units
  ; 𝄞
  axpby.n %alpha, %A, %zero, %A
  %s = for %k: i32 = 0, 4 init(%x = %zero) -> (f32) {
    %y = arith.add %x, %alpha : f32
    yield (%y)
  }
}

func @g(%A: memref<f32x8>) {
}
"""
BROKEN = "func @f(%alpha: f32) {\n  %b = arith.ad %alpha, %c : f32\n  %d = \n"


@pytest_lsp.fixture(
    scope="module",
    config=ClientServerConfig(server_command=[sys.executable, "-m", "tinytc_mlir", "lsp"]),
)
async def client(lsp_client: LanguageClient):
    capabilities = pytest_lsp.client_capabilities("visual-studio-code")
    parameters = lsp.InitializeParams(capabilities, initialization_options={"defines": {"M": 4}})
    await lsp_client.initialize_session(parameters)
    yield
    await lsp_client.shutdown_session()


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def opened(client, text, uri=URI):
    """Open a file and return its diagnostics."""
    client.diagnostics.pop(uri, None)
    item = lsp.TextDocumentItem(uri, "tinytc", 0, text)
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
    await diagnosed(client, uri)
    return list(client.diagnostics[uri])


async def diagnosed(client, uri=URI):
    """Wait for diagnostics of a file."""
    while uri not in client.diagnostics:
        await asyncio.wait_for(
            client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS), 600
        )


def changed(client, text, version):
    whole = lsp.TextDocumentContentChangeWholeDocument(text)
    document = lsp.VersionedTextDocumentIdentifier(version, URI)
    client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [whole]))


DOCUMENT = lsp.TextDocumentIdentifier(URI)


def place(text, piece, more=0, number=0):
    """Return the position of some text, in UTF-16 units."""
    offset = -1
    for _ in range(number + 1):
        offset = text.index(piece, offset + 1)
    offset += more
    line = text.count("\n", 0, offset)
    before = text[text.rfind("\n", 0, offset) + 1 : offset]
    return lsp.Position(line, len(before.encode("utf-16-le")) // 2)


def spans(ranges):
    return sorted((r.start.line, r.start.character, r.end.character) for r in ranges)


async def test_a_right_program_has_no_diagnostics(client):
    assert await opened(client, PROGRAM) == []


async def test_diagnostics_of_parser_and_verifier(client):
    (first, second, *_) = await opened(client, BROKEN)
    assert first.message == "expected an instruction, got 'arith.ad'\ndid you mean 'arith.add'?"
    assert spans([first.range]) == [(1, 7, 15)]
    assert (first.source, first.severity) == ("tinytc", lsp.DiagnosticSeverity.Error)
    assert second.range.start.line >= 2
    (found,) = await opened(client, "func @f(%a: memref<f32x8>) {\n  %s = size %a[1] : index\n}\n")
    assert found.message.startswith("expected the mode to be at least 0 and less than")
    (found,) = await opened(client, "func @f(%a: f32,\n  %b: f32 {\n}\n")
    assert spans([found.range]) == [(0, 7, 8)]
    assert "got" in found.related_information[0].message


async def test_empty_documents_and_other_characters(client):
    assert await opened(client, "") == []
    assert await opened(client, "\n; 𝄞 %x $N @f\r\n") == []
    (found,) = await opened(client, "; 𝄞\nfunc @f(%a: memref<f32x$M>) { } \x00")
    assert found.range.start.line == 1
    for request in ("hover", "definition", "completion", "document_highlight", "prepare_rename"):
        method = getattr(client, f"text_document_{request}_async")
        kind = "".join(map(str.title, request.split("_")))
        await method(getattr(lsp, f"{kind}Params")(DOCUMENT, lsp.Position(99, 99)))


async def test_diagnostics_wait_until_typing_pauses(client):
    await opened(client, PROGRAM)
    published = []
    original = client.diagnostics
    client.diagnostics = Recorded(published)
    try:
        for version in range(1, 9):
            changed(client, BROKEN if version < 8 else "", version)
        while [] not in published:
            client.diagnostics.pop(URI, None)
            await diagnosed(client)
    finally:
        client.diagnostics = original
    assert len(published) < 8


class Recorded(dict):
    """Diagnostics by file, of which each is noted."""

    def __init__(self, published):
        super().__init__()
        self._published = published

    def __setitem__(self, uri, found):
        self._published.append(list(found))
        super().__setitem__(uri, found)


async def test_closing_clears_diagnostics(client):
    assert await opened(client, BROKEN)
    client.diagnostics.pop(URI)
    client.text_document_did_close(lsp.DidCloseTextDocumentParams(DOCUMENT))
    await diagnosed(client)
    assert list(client.diagnostics[URI]) == []


async def hovered(client, piece, more=0):
    position = place(PROGRAM, piece, more)
    found = await client.text_document_hover_async(lsp.HoverParams(DOCUMENT, position))
    return None if found is None else found.contents.value


async def test_hover(client):
    await opened(client, PROGRAM)
    text = await hovered(client, "axpby.n", 2)
    assert text.startswith("```tinytc\naxpby(.n|.t|.r|.c)[.atomic] %alpha, %a, %beta, %b\n```")
    assert "`axpby_c1`" in text
    assert await hovered(client, "axpby.n", 6) == text
    assert "arith.add %a, %b : type" in await hovered(client, "arith.add", 8)
    assert await hovered(client, "%zero, %A", 2) == (
        "```tinytc\n%zero = constant 0.0 : f32  ; 𝄞 two units\n```"
    )
    assert await hovered(client, "memref") is None


async def test_definition_and_references(client):
    await opened(client, PROGRAM)
    position = place(PROGRAM, "%zero, %A", 1)
    found = await client.text_document_definition_async(lsp.DefinitionParams(DOCUMENT, position))
    assert (found.uri, spans([found.range])) == (URI, [(2, 2, 7)])
    for with_definition, expected in ((True, [(2, 2, 7), (4, 22, 27), (5, 36, 41)]),) * 2:
        context = lsp.ReferenceContext(with_definition)
        parameters = lsp.ReferenceParams(context, DOCUMENT, position)
        found = await client.text_document_references_async(parameters)
        assert spans(each.range for each in found) == expected
    parameters = lsp.DocumentHighlightParams(DOCUMENT, place(PROGRAM, "%A, %zero"))
    found = await client.text_document_document_highlight_async(parameters)
    assert spans(each.range for each in found) == [(1, 21, 23), (4, 18, 20), (4, 29, 31)]
    context = lsp.ReferenceContext(False)
    parameters = lsp.ReferenceParams(context, DOCUMENT, place(PROGRAM, "$N", 1, 1))
    found = await client.text_document_references_async(parameters)
    assert spans(each.range for each in found) == [(1, 38, 40)]
    found = await client.text_document_document_symbol_async(lsp.DocumentSymbolParams(DOCUMENT))
    assert [each.name for each in found] == ["@f", "@g"]


async def test_rename(client):
    await opened(client, PROGRAM)
    position = place(PROGRAM, "%x, %alpha", 1)
    found = await client.text_document_prepare_rename_async(
        lsp.PrepareRenameParams(DOCUMENT, position)
    )
    assert (found.placeholder, spans([found.range])) == ("x", [(6, 20, 21)])
    for name in ("sum", "%sum"):
        edit = await client.text_document_rename_async(lsp.RenameParams(DOCUMENT, position, name))
        edits = edit.changes[URI]
        assert {each.new_text for each in edits} == {"sum"}
        assert spans(each.range for each in edits) == [(5, 32, 33), (6, 20, 21)]
    for name, message in (("1x", "expected a number, or"), ("y", "expected a new name, got %y")):
        with pytest.raises(Exception, match=message):
            await client.text_document_rename_async(lsp.RenameParams(DOCUMENT, position, name))
    position = place(PROGRAM, "$N", 1)
    with pytest.raises(Exception, match=r"expected a variable without a value.*, got \$M"):
        await client.text_document_rename_async(lsp.RenameParams(DOCUMENT, position, "M"))


async def test_formatting(client):
    await opened(client, "func  @f( %a:f32 ){ }")
    options = lsp.FormattingOptions(2, True)
    parameters = lsp.DocumentFormattingParams(DOCUMENT, options)
    (edit,) = await client.text_document_formatting_async(parameters)
    assert (edit.new_text, spans([edit.range])) == ("func @f(%a: f32) {\n}\n", [(0, 0, 21)])
    changed(client, edit.new_text, 1)
    assert list(await client.text_document_formatting_async(parameters)) == []
    changed(client, BROKEN, 2)
    assert await client.text_document_formatting_async(parameters) is None


async def test_large_documents(client):
    body = (DATA / "sample.ir").read_text()
    copies = 2000 // body.count("\n") + 1
    text = "".join(body.replace("@", f"@f{i}_") for i in range(copies))
    assert text.count("\n") >= 2000
    assert await opened(client, text) == []
    position = place(text, "%", 1, number=text.count("%") - 1)
    await client.text_document_hover_async(lsp.HoverParams(DOCUMENT, position))
    found = await client.text_document_semantic_tokens_full_async(
        lsp.SemanticTokensParams(DOCUMENT)
    )
    assert len(found.data) > 5 * 2000
    completion = lsp.CompletionParams(DOCUMENT, position)
    assert (await client.text_document_completion_async(completion)).items
