"""Reading a function takes time in proportion to its length, or ends with a message."""

import pytest
from growing_functions import GROWING, NESTED
from kernel_files import imported

import growth
import profiles
import tinytc_mlir as tt

LENGTH = 2500 if profiles.IS_NIGHTLY else 60


def read(path, text):
    """Return the text of the kernel that a file defines."""
    return imported(path, text)["f"].text


@pytest.mark.similar
@pytest.mark.parametrize("kind", GROWING)
def test_calls(kind, tmp_path):
    def work(n):
        kernel = imported(tmp_path / f"f{n}.py", GROWING[kind](n))["f"]
        return lambda: (kernel.source.key(), kernel.text)

    growth.expect_linear(growth.calls_of, work, LENGTH, 1.1)


@pytest.mark.similar
@pytest.mark.parametrize("kind", GROWING)
def test_processor_time(kind, tmp_path):
    """Copies of names and lists, which calls do not show."""

    def work(n):
        text = GROWING[kind](n)
        return lambda: read(tmp_path / f"f{n}.py", text)

    growth.expect_linear(growth.processor_s, work, max(LENGTH, 150), 2.5)


@pytest.mark.parametrize("made", NESTED)
def test_nesting(made, tmp_path):
    accepted, refused, message = NESTED[made]
    read(tmp_path / "accepted.py", made(accepted))
    with pytest.raises(tt.ParseError) as caught:
        read(tmp_path / "refused.py", made(refused))
    found = {each.message: each.notes for each in caught.value.diagnostics}
    assert found[message], "what to write instead"
