"""Wrong annotations get a message at their place when the kernel is called or compiled."""

import pytest

import tinytc_mlir as tt

ANNOTATIONS = {
    "'tt.f32[4'": "expected a type such as tt.f32[8, None], got a text with an error: ",
    "'tt.f32[4] +'": "expected a type such as tt.f32[8, None], got a text with an error: ",
    "'tt.f32[\\0]'": "expected a type such as tt.f32[8, None], got a text with an error: ",
    "'missing[4]'": "expected a name that has a value, got 'missing'",
    "'tt.f32[2.5]'": "expected a size (an integer or None), got 2.5 (float)",
    "'8'": "expected a type such as tt.f32[8, None], got 8",
}
USES = {
    "text": lambda kernel: kernel.text,
    "call": lambda kernel: kernel(1, 2),
    "compile": lambda kernel: kernel.compile("cpu"),
    "python": lambda kernel: kernel.python(1, 2),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("annotation", ANNOTATIONS)
def test_message(annotation, use, tmp_path):
    path = tmp_path / "wrong.py"
    path.write_text(f"import tinytc_mlir as tt\n@tt.kernel\ndef f(x: {annotation}, y): pass\n")
    scope = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    with pytest.raises(tt.ParseError) as caught:
        USES[use](scope["f"])
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.message.startswith(ANNOTATIONS[annotation])
    assert (diagnostic.filename, diagnostic.line, diagnostic.column) == (str(path), 3, 10)
