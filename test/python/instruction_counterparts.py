"""For each kernel of instruction_kernels.py the same kernel without the instruction.

A word of the table in docs/instructions.md is an instruction's own if the counterpart lacks it.
"""

import re

_STORE = "store %x, %s[]"
_STORE_Y = "store %y, %s[]"
_STORE_REAL = "store %f, %o[]"
_MATRIX = "%m = constant {ONE} : coopmatrix<{T}x16x8,matrix_acc>\n"
_WRITE_MATRIX = "cooperative_matrix_store %m, %W[%n,%n]"
#: What is stored where the result was, if that is not %x.
_OTHER_VALUES = {
    "size": "%n",
    "arith.im": "%f",
    "arith.re": "%f",
    "cooperative_matrix_scale": "%m",
    "cooperative_matrix_mul_add": "%m",
    "arith.add of coopmatrix": "%m",
    **{f"cooperative_matrix_reduce_{word}.column": "%m" for word in ("add", "max", "min")},
}
_COUNTERPARTS = {
    "bitcast": "store %x, %s[]",
    "expandc2r": "store %x, %s[]\n%u = load %real[] : {R}\nstore %u, %real[]",
    "alloca": _STORE,
    "foreach": _STORE_REAL,
    "foreach_tile": _STORE_REAL,
    "parallel": _STORE_REAL,
    "barrier": "",
    "assert": "",
    "print": "",
    "cast from": "%r = constant [1.0,0.0] : c64\nstore %r, %z[]",
    "expand": "store %x, %a[%n]",
    "fuse": "%zero = constant 0 : index\nstore %x, %A[%n,%zero]",
    "subview": "store %x, %a[%n]",
    "associated": "if %c {{ store %x, %a[%n] }}",
    "for": _STORE_REAL,
    "load from a group": "store %x, %a[%n]",
    "store": "",
    "atomic_store": _STORE,
    "atomic_add": _STORE,
    "atomic_min": _STORE,
    "atomic_max": _STORE,
    "store.atomic": _STORE,
    "store.atomic_add": _STORE,
    "cooperative_matrix_load": f"parallel {{{{ {_MATRIX}{_WRITE_MATRIX} }}}}",
    "cooperative_matrix_atomic_load": f"parallel {{{{ {_MATRIX}{_WRITE_MATRIX} }}}}",
    "cooperative_matrix_store": f"parallel {{{{ {_STORE} }}}}",
    "cooperative_matrix_apply": f"parallel {{{{ {_STORE_Y} }}}}",
    "cooperative_matrix_construct": f"parallel {{{{ {_STORE} }}}}",
    "cooperative_matrix_extract": f"parallel {{{{ {_STORE} }}}}",
    "cooperative_matrix_insert": f"parallel {{{{ {_STORE_Y} }}}}",
    "cooperative_matrix_prefetch": "",
}


def without(instruction, templates):
    """Return the template of the counterpart.

    Args:
        instruction: name of the row.
        templates: those of the kernels with the instructions.
    """
    if instruction in _COUNTERPARTS:
        return _COUNTERPARTS[instruction]
    if instruction == "lifetime_stop":
        return templates["alloca"]
    if instruction.startswith(("cooperative_matrix_store.atomic", "cooperative_matrix_atomic_")):
        return templates["cooperative_matrix_store.atomic_add"].replace(".atomic_add", "")
    name = instruction.removesuffix(", atomic")
    if name != instruction:
        return templates[instruction].replace(".atomic", "")
    text = templates[instruction]
    if "%r = " not in text:
        return _STORE
    value = "%c" if instruction.startswith("cmp.") else _OTHER_VALUES.get(instruction, "%x")
    text = re.sub(r"%r = [^\n]*\n", "", text).replace("{SINK}", "{SINK_X}")
    return re.sub(r"%r\b", value, text)
