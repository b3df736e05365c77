"""The language guide: each program compiles for all targets and computes what its page says."""

import re

import numpy as np
import pytest

import tinytc_mlir as tt
from guide import GUIDE, examples
from tinytc_mlir.frontend import instructions
from tinytc_mlir.measure.sample_data import SampleOptions, sample_arguments
from tinytc_mlir.reference import interpret

EXAMPLES = examples()
NAMES = [example.name for example in EXAMPLES]
# Sums of up to 200 numbers of f32 in any order, and the native functions.
TOLERANCE = {"rtol": 5e-4, "atol": 2e-5}
SCALARS = {"alpha": 0.75, "lane": 5, "n": 3}


def arguments_of(info, text):
    """Return the same random arguments at each call, groups as lists, and the number of groups."""
    groups = 3 if re.search(r"(?<!sub)group_id", text) else 1
    scalars = {name: value for name, value in SCALARS.items() if f"%{name}:" in text}
    found = sample_arguments(info, SampleOptions(groups=groups, scalars=scalars))
    return {
        name: list(value.members) if isinstance(value, tt.Group) else value
        for name, value in found.items()
    }, groups


def expected_of(example, arguments, groups):
    """Return the arguments as NumPy's lines leave them."""
    names = {"np": np, "groups": groups, **arguments}
    exec(compile(example.numpy, example.name, "exec"), names)
    return {name: names[name] for name in arguments}


def compare(found, expected):
    for name, value in expected.items():
        members = zip(found[name], value, strict=True) if isinstance(value, list) else None
        for one, other in members or [(found[name], value)]:
            np.testing.assert_allclose(one, other, err_msg=name, **TOLERANCE)


@pytest.fixture(scope="module")
def context():
    return tt.Context()


@pytest.mark.parametrize("example", EXAMPLES, ids=NAMES)
def test_program(context, example):
    module = context.parse(example.text, example.name)
    program = module.compile("cpu")
    (name,) = program.kernels
    info = program.kernels[name]
    launched, groups = arguments_of(info, example.text)
    interpreted, _ = arguments_of(info, example.text)
    program[name](*launched.values(), groups=groups)
    interpret(module, name, interpreted, groups)
    compare(launched, interpreted)
    if example.numpy is not None:
        arguments, _ = arguments_of(info, example.text)
        compare(launched, expected_of(example, arguments, groups))
    module.compile("intel-gpu:pvc")


def spellings():
    """Return every name of an instruction in either version of the language."""
    names = set()
    for name in instructions.INSTRUCTIONS:
        if name.startswith("subgroup_") and instructions.INSTRUCTIONS[name].modifiers:
            words = instructions.INSTRUCTIONS[name].modifiers[0].choices
            names |= {f"{name}.{word}" for word in words if name in instructions.EARLIER}
        elif name in instructions.EARLIER:
            names.add(name)
    later = {name for name in instructions.INSTRUCTIONS if "." not in name}
    later -= {f"subgroup_{word}" for word in ("add", "max", "min")}
    names |= later | set(instructions.LATER_SPELLINGS)
    names |= {"hadamard", "group_id", "subgroup_id", "num_subgroups", "subgroup_local_id"}
    return names


def test_every_instruction_has_an_example():
    text = "\n".join(example.text for example in EXAMPLES)
    used = set(re.findall(r"(?<![%@$\w.])[a-z_][\w]*(?:\.[a-z_]\w*)*", text))
    prefixes = {".".join(word.split(".")[:n]) for word in used for n in range(1, 4)}
    scans = {name for name in spellings() if "_scan" in name and "subgroup_add" in name}
    missing = spellings() - prefixes
    assert missing - scans <= {
        f"subgroup_{word}.{mode}"
        for word in ("add", "max", "min")
        for mode in ("exclusive_scan", "inclusive_scan", "reduce")
    }, missing


def test_every_instruction_has_a_place():
    """Pages can link to an instruction: (name)= stands before its section."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in GUIDE.glob("*.md"))
    places = re.findall(r"^\(([a-z_0-9]+)\)=$", text, re.M)
    assert len(places) == len(set(places))
    later = set(instructions.LATER_SPELLINGS) | {
        name for name in instructions.INSTRUCTIONS if "." not in name
    }
    later -= {f"subgroup_{word}" for word in ("add", "max", "min")}
    later -= {"num_groups", "hadamard_product"}
    assert later - set(places) == set()
