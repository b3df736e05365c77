"""The sample code of the language document, from its text to the module."""

import pathlib

import pytest

import tinytc_mlir as tt
from tinytc_mlir import frontend
from tinytc_mlir.errors import ParseError

SAMPLE = (pathlib.Path(__file__).parent / "data" / "sample.ir").read_text()


def test_sample_is_accepted_as_printed() -> None:
    module = frontend.parse(SAMPLE, "sample.ir")
    function = module.body.operations[0]
    names = [op.operation.name for op in function.regions[0].blocks[0].operations]
    assert names == [
        "tinytc.builtin.group_id",
        "tinytc.load",
        "tinytc.subview",
        "tinytc.alloca",
        "tinytc.constant",
        "tinytc.constant",
        "tinytc.gemm",
        "tinytc.gemm",
        "tinytc.yield",
    ]


def test_locations_hold_range_and_name() -> None:
    module = frontend.parse(SAMPLE, "sample.ir")
    operations = module.body.operations[0].regions[0].blocks[0].operations
    location = operations[3].location
    assert location.name_str == "tmp0"
    place = location.child_loc
    assert (place.filename, place.start_line, place.start_col) == ("sample.ir", 9, 11)
    assert (place.end_line, place.end_col) == (9, 35)


def test_printed_module_has_the_names_of_the_text() -> None:
    printed = str(tt.Context().parse(SAMPLE, "sample.ir"))
    assert "%tmp0 = tinytc.alloca" in printed
    assert "%alpha: f32" in printed


def test_misspelt_instruction_is_found() -> None:
    with pytest.raises(ParseError) as error:
        frontend.parse(SAMPLE.replace("gemm.n.t", "gem.n.t"), "sample.ir")
    (diagnostic,) = error.value.diagnostics
    assert (diagnostic.line, diagnostic.column, diagnostic.length) == (12, 3, 3)
    assert diagnostic.message == "expected an instruction, got 'gem'"
    assert diagnostic.notes[0].message == "did you mean 'gemm'?"
