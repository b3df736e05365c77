"""Enums cross from ODS to Python by the extension."""

import pytest
from mlir import ir

from tinytc_mlir._tinytc import enum_attribute, enum_word, register_dialect
from tinytc_mlir.frontend._instructions_gen import ENUMS
from tinytc_mlir.frontend.instructions import INSTRUCTIONS


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
    with pytest.raises(ValueError, match="expected an enum attribute of the dialect"):
        enum_word(ir.StringAttr.get("n", context))


def test_modifiers_without_a_word_have_a_default():
    store = INSTRUCTIONS["cooperative_matrix_store"]
    assert [(m.choices, m.default) for m in store.modifiers] == [
        (("rows_checked", "cols_checked", "both_checked"), "none"),
        (("atomic", "atomic_add"), "regular"),
    ]
    assert all(m.required != bool(m.default or m.enum is None) for m in store.modifiers)
    gemm = INSTRUCTIONS["gemm"]
    assert [m.default for m in gemm.modifiers] == ["n", "n", None]
    assert INSTRUCTIONS["subgroup_add"].modifiers[0].required
    assert gemm.modifiers[2].choices == ("atomic",)
