"""The tables for the front-end have all that ODS says; what they cannot have is an error."""

import pytest

import ods
from scripts import loaded
from tinytc_mlir.frontend._instructions_gen import DISCARDABLE_ATTRIBUTES, ENUMS, INSTRUCTIONS

generator = loaded(ods.ROOT / "python" / "generate_instructions.py")


def instruction(name, **changes):
    """Return the row of an op of which some fields are others."""
    return generator.Definitions(ods.records()).instruction(ods.ops()[name] | changes)


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_each_argument_is_in_the_table(name):
    row = INSTRUCTIONS[name]
    assert instruction(name) == row
    columns = (*row["operands"], *row["indices"], *row["trailing"])
    found = [argument.lstrip('#"*') for argument in columns]
    found += [modifier["attribute"] for modifier in row["modifiers"]]
    arguments = [argument for _, argument in ods.ops()[name]["arguments"]["args"]]
    assert sorted({*found, *generator.READ_BY_SYNTAX.get(name, ())}) == sorted(arguments)
    assert len(found) == len(set(found))


def test_enums_and_discardable_attributes():
    mnemonics = {
        ods.records()[name]["mnemonic"] for name in ods.records()["!instanceof"]["EnumAttr"]
    }
    assert set(ENUMS) <= mnemonics
    assert ENUMS["transpose"] == ("n", "t")
    assert ENUMS["tensor_form"] == ("n", "t", "r", "c")
    arguments = ods.records()["TinyTC_Dialect"]["discardableAttrs"]["args"]
    assert list(DISCARDABLE_ATTRIBUTES) == [name for _, name in arguments]
    assert DISCARDABLE_ATTRIBUTES["fences"] == "tinytc.fences"


def test_a_flag_without_a_word():
    assembly = ods.ops()["gemm"]["assemblyFormat"]
    assert "(`atomic` $atomic^)?" in assembly
    message = r"gemm: expected the assembly to have a word for 'atomic', like .*, got none"
    with pytest.raises(ValueError, match=message):
        instruction("gemm", assemblyFormat=assembly.replace("(`atomic` $atomic^)?", ""))


def test_an_argument_that_the_table_cannot_have():
    message = "except for none, got factor$"
    for kind in ("StrAttr", "F64Attr", "I32Attr"):
        arguments = {"args": [*ods.ops()["ger"]["arguments"]["args"], [{"def": kind}, "factor"]]}
        with pytest.raises(ValueError, match=f"ger: expected all arguments to be .*{message}"):
            instruction("ger", arguments=arguments)
    hidden = ods.ops()["ger"]["assemblyFormat"].replace("$alpha", "")
    with pytest.raises(ValueError, match="except for none, got alpha$"):
        instruction("ger", assemblyFormat=hidden)


def test_a_rule_of_the_grammar_without_its_argument():
    arguments = {"args": ods.ops()["if"]["arguments"]["args"][1:]}
    with pytest.raises(ValueError, match="if: expected .* except for condition, got none$"):
        instruction("if", arguments=arguments)
