"""Enums cross from ODS to Python by the extension."""

import pytest
from mlir import ir

from tinytc_mlir._tinytc import (
    enum_attribute,
    enum_word,
    register_dialect,
    schedule_attribute,
    schedule_entries,
    targets,
)
from tinytc_mlir.compiler import ALIASES, TARGETS
from tinytc_mlir.frontend._instructions_gen import ENUMS
from tinytc_mlir.frontend.instructions import INSTRUCTIONS
from tinytc_mlir.runtime.spirv.intel_gpus import INTEL_GPUS


@pytest.fixture(scope="module")
def context():
    context = ir.Context()
    register_dialect(context)
    return context


@pytest.mark.parametrize("mnemonic", ENUMS)
def test_each_word_has_an_attribute(context, mnemonic):
    assert len(ENUMS[mnemonic]) > 1
    for word in ENUMS[mnemonic]:
        attribute = enum_attribute(context, mnemonic, word)
        assert attribute == ir.Attribute.parse(f"#tinytc<{mnemonic} {word}>", context)
        assert enum_word(attribute) == word


@pytest.mark.parametrize(("mnemonic", "word"), [("transpose", "c"), ("colour", "n")])
def test_unknown_words(context, mnemonic, word):
    message = "expected an enum of the dialect and one of its words, got '{}' and '{}'"
    with pytest.raises(ValueError, match=message.format(mnemonic, word)):
        enum_attribute(context, mnemonic, word)


def test_other_attributes(context):
    with pytest.raises(ValueError, match='expected an enum attribute of the dialect .*got "n"'):
        enum_word(ir.StringAttr.get("n", context))


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("#gpu<dim y>", "y"),
        ("#gpu<shuffle_mode xor>", "xor"),
        ("#gpu<all_reduce_op maxnumf>", "maxnumf"),
        ("#gpu<broadcast specific_lane>", "specific_lane"),
    ],
)
def test_enums_of_the_gpu_stage(context, text, word):
    assert enum_word(ir.Attribute.parse(text, context)) == word


def test_schedules(context):
    attribute = schedule_attribute(context, 2, 8, 0, 1)
    assert str(attribute) == "#tinytc.schedule<rows = 2, columns = 8, groups = 1>"
    assert schedule_entries(attribute) == {"rows": 2, "columns": 8, "unroll": 0, "groups": 1}
    with pytest.raises(ValueError, match="^expected .*got .*2000"):
        schedule_attribute(context, 2000, 2000, 100, 0)
    with pytest.raises(ValueError, match='expected a schedule, got "n"'):
        schedule_entries(ir.StringAttr.get("n", context))


def test_targets():
    found = {target.name: target for target in targets()}
    assert tuple(found) == TARGETS
    assert {target.alias: name for name, target in found.items() if target.alias} == ALIASES
    assert {name: target.family for name, target in found.items() if name in INTEL_GPUS} == (
        dict.fromkeys(INTEL_GPUS, "intel_gpu")
    )
    assert list(found["intel-gpu:dg2"].subgroup_sizes) == [8, 16, 32]
    assert not found["intel-gpu:dg2"].has_f64
    assert list(found["intel-gpu:bmg"].subgroup_sizes) == [16, 32]
    assert found["intel-gpu:bmg"].has_f64
    assert found["cpu"].has_f64


def test_modifiers_without_a_word_have_a_default():
    store = INSTRUCTIONS["cooperative_matrix_store"]
    assert [(m.choices, m.default) for m in store.modifiers] == [
        (("n", "t"), "n"),
        (("rows_checked", "cols_checked", "both_checked"), "none"),
        (("atomic", "atomic_add"), "regular"),
    ]
    assert all(m.required != bool(m.default or m.enum is None) for m in store.modifiers)
    gemm = INSTRUCTIONS["gemm"]
    assert [m.default for m in gemm.modifiers] == ["n", "n", None]
    assert INSTRUCTIONS["subgroup_add"].modifiers[0].required
    assert gemm.modifiers[2].choices == ("atomic",)
