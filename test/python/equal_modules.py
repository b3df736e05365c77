"""Compares modules without what the two forms of a kernel may write in different places."""

import re

from mlir import passmanager

CONSTANT = re.compile(r"^ *(%\S+) = tinytc\.constant (.*)\n", re.M)


def canonical(module):
    """Return the functions of a module without equal values, and with constants in place."""
    clone = module.operation.clone().operation
    with clone.context:
        passmanager.PassManager.parse("builtin.module(canonicalize,cse)").run(clone)
    return [_with_constants(str(op)) for op in clone.regions[0].blocks[0].operations]


def _with_constants(text):
    for name, value in CONSTANT.findall(text):
        text = re.sub(rf"{re.escape(name)}\b", f"<{value}>", text)
    return re.sub(r"^ *<.*> = tinytc\.constant .*\n", "", text, flags=re.M)
