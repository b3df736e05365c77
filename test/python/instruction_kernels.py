"""One tiny kernel for each instruction and type, for the table in docs/instructions.md."""

import tinytc_mlir as tt
from tinytc_mlir.frontend import instructions

TYPES = ("bool", "i8", "i16", "i32", "i64", "index", "bf16", "f16", "f32", "f64", "c32", "c64")

_HEADER = """func @kernel(%x: {T}, %y: {T}, %c: bool, %n: index, %k: index, %lane: i32, %f: f32,
  %o: memref<f32>, %s: memref<{M}>, %real: memref<{R}>, %z: memref<c64>,
  %a: memref<{M}x4>, %b: memref<{M}x4>, %A: memref<{M}x4x4>, %B: memref<{M}x4x4>,
  %G: group<memref<{M}x4>x?>, %W: memref<{M}x64x64>)
  attributes{{subgroup_size=16, work_group_size=[32,1]}} {{
"""

_BLAS = {
    "axpby": "axpby.n %x, %a, %y, %b",
    "cumsum": "cumsum %x, %A, 0, %y, %B",
    "cumsum.reverse": "cumsum.reverse %x, %A, 0, %y, %B",
    "gemm": "gemm.n.t %x, %A, %A, %y, %B",
    "gemv": "gemv.t %x, %A, %a, %y, %b",
    "ger": "ger %x, %a, %b, %y, %A",
    "hadamard_product": "hadamard_product %x, %a, %a, %y, %b",
    "sum": "sum.n %x, %a, %y, %s",
}
_ALLOCA = (
    "%l = alloca : memref<{T}x4,local>\nstore %x, %l[%n]\n%r = load %l[%k] : {T}\nstore %r, %s[]"
)
_SQUARE = "%m = subview %A[0:4,0:4] : memref<{T}x4x4>\n"
_LOAD = "%m = cooperative_matrix_load.n.both_checked %W[%n,%n] : coopmatrix<{T}x16x8,matrix_acc>"
_WRITE = "cooperative_matrix_store %r, %W[%n,%n]"
_CONSTRUCT = "%m = cooperative_matrix_construct %x : coopmatrix<{T}x16x8,matrix_acc>\n"
_EXTRACT = "%r = cooperative_matrix_extract %m [0] : {T}\nstore %r, %s[]"
# What all lanes share needs no exchange.
_OF_LANE = "%l = builtin.subgroup_local_id : i32\n%p = cast %l : index\n%v = load %a[%p] : {T}\n"
TEMPLATES = {
    "alloca": _ALLOCA,
    "foreach": "foreach (%i):{T} = (%x),(%y) {{ store %f, %o[] }}",
    "foreach_tile": ("foreach_tile (%i) = (%x),(%y) as (%j) <= (16) {{ store %f, %o[] }}"),
    "parallel": "parallel {{ store %f, %o[] }}",
    "barrier": "barrier.global.local",
    "assert": 'assert %c, "c is true"',
    "print": 'print "x", %x',
    "select": "%r = select %c, %x, %y : {T}\n{SINK}",
    "builtin.group_id": "%r = builtin.group_id : {T}\nstore %r, %s[]",
    "builtin.group_size": "%r = builtin.group_size : {T}\nstore %r, %s[]",
    "group_id.y": "%r = group_id.y : {T}\nstore %r, %s[]",
    "num_groups.z": "%r = num_groups.z : {T}\nstore %r, %s[]",
    "builtin.num_subgroups": "%r = builtin.num_subgroups : {T}\nstore %r, %s[]",
    "num_subgroups.x": "%r = num_subgroups.x : {T}\nstore %r, %s[]",
    "builtin.subgroup_size": "%r = builtin.subgroup_size : {T}\nstore %r, %s[]",
    "builtin.subgroup_id": "parallel {{ %r = builtin.subgroup_id : {T}\nstore %r, %s[] }}",
    "subgroup_id.x": "parallel {{ %r = subgroup_id.x : {T}\nstore %r, %s[] }}",
    "builtin.subgroup_local_id": (
        "parallel {{ %r = builtin.subgroup_local_id : {T}\nstore %r, %s[] }}"
    ),
    "cast to": "%r = cast %lane : {T}\nstore %r, %s[]",
    "cast from": "%r = cast %x : c64\nstore %r, %z[]",
    "bitcast": (
        "%v = bitcast %x : {BITS}\n%w = constant {BITS_ONE} : {BITS}\n%u = add %v, %w : {BITS}\n"
        "%r = bitcast %u : {T}\nstore %r, %s[]"
    ),
    "constant": "%r = constant {ONE} : {T}\n{SINK}",
    "expand": "%v = expand %a[0->2 x 2] : memref<{T}x2x2>\nstore %x, %v[%n,%n]",
    "expandc2r": (
        "store %x, %a[%n]\n%v = expandc2r %a : memref<{R}x2x4>\n"
        "%r = load %v[%n,%k] : {R}\nstore %r, %real[]"
    ),
    "fuse": "%v = fuse %A[0,1] : memref<{T}x16>\nstore %x, %v[%n]",
    "subview": "%v = subview %A[1:2,%n] : memref<{T}x2>\nstore %x, %v[%n]",
    "size": "%r = size %G[0] : index\nstore %x, %a[%r]",
    "associated": "%r = associated %A : bool\nif %r {{ store %x, %a[%n] }}",
    "for": "for %i:{T} = %x,%y {{ store %f, %o[] }}",
    "for, carried": "%r = for %i = %n,%k init(%v=%x) -> ({T}) {{ yield (%y) }}\n{SINK}",
    "if": "%r = if %c -> ({T}) {{ yield (%x) }} else {{ yield (%y) }}\n{SINK}",
    "lifetime_stop": _ALLOCA + "\nlifetime_stop %l",
    "load": "%r = load %a[%n] : {T}\nstore %r, %s[]",
    "load from a group": "%r = load %G[%n] : memref<{T}x4>\nstore %x, %r[%n]",
    "store": "store %x, %s[]",
    "store.atomic": "store.atomic %x, %s[]",
    "store.atomic_add": "store.atomic_add %x, %s[]",
    "atomic_load": "%r = atomic_load %a[%n] : {T}\nstore %r, %s[]",
    "atomic_store": "atomic_store %x, %s[]",
    **{
        f"atomic_{word}": f"%p = atomic_{word} %x, %s[] : {{T}}\nstore %p, %a[%n]"
        for word in ("add", "min", "max")
    },
    "subgroup_broadcast": (
        "parallel {{ " + _OF_LANE + "%r = subgroup_broadcast %v, %lane : {T}\nstore %r, %s[] }}"
    ),
    "cooperative_matrix_load": "parallel {{ "
    + _LOAD
    + "\ncooperative_matrix_store %m, %W[%n,%n] }}",
    "cooperative_matrix_store": (
        "parallel {{ %m = constant {ONE} : coopmatrix<{T}x16x8,matrix_acc>\n"
        "cooperative_matrix_store.rows_checked %m, %W[%n,%n] }}"
    ),
    "cooperative_matrix_store.atomic_add": (
        "parallel {{ " + _LOAD + "\ncooperative_matrix_store.atomic_add %m, %W[%n,%n] }}"
    ),
    "cooperative_matrix_atomic_load": (
        "parallel {{ %m = cooperative_matrix_atomic_load %W[%n,%n] : "
        "coopmatrix<{T}x16x8,matrix_acc>\ncooperative_matrix_store %m, %W[%n,%n] }}"
    ),
    "cooperative_matrix_atomic_store": (
        "parallel {{ " + _LOAD + "\ncooperative_matrix_atomic_store %m, %W[%n,%n] }}"
    ),
    **{
        f"cooperative_matrix_atomic_{word}": (
            f"parallel {{{{ {_LOAD}\n%p = cooperative_matrix_atomic_{word} %m, %W[%n,%n] : "
            "coopmatrix<{T}x16x8,matrix_acc>\ncooperative_matrix_store %p, %W[%n,%n] }}"
        )
        for word in ("add", "min", "max")
    },
    "cooperative_matrix_scale": (
        "parallel {{ " + _LOAD + "\n%r = cooperative_matrix_scale %x, %m : "
        "coopmatrix<{T}x16x8,matrix_acc>\n" + _WRITE + " }}"
    ),
    "cooperative_matrix_mul_add": (
        "parallel {{ " + _LOAD + "\n"
        "%p = cooperative_matrix_load.n %W[%n,%n] : coopmatrix<{T}x16x4,matrix_a>\n"
        "%q = cooperative_matrix_load.n %W[%n,%n] : coopmatrix<{T}x4x8,matrix_b>\n"
        "%r = cooperative_matrix_mul_add %p, %q, %m : coopmatrix<{T}x16x8,matrix_acc>\n"
        + _WRITE
        + " }}"
    ),
    "cooperative_matrix_apply": (
        "parallel {{ " + _CONSTRUCT + "%t = cooperative_matrix_apply (%i, %j, %v) = %m -> "
        "coopmatrix<{T}x16x8,matrix_acc> {{ yield (%y) }}\n" + _EXTRACT.replace("%m", "%t") + " }}"
    ),
    "cooperative_matrix_construct": "parallel {{ " + _CONSTRUCT + _EXTRACT + " }}",
    "cooperative_matrix_extract": "parallel {{ " + _CONSTRUCT + _EXTRACT + " }}",
    "cooperative_matrix_insert": (
        "parallel {{ " + _CONSTRUCT + "%t = cooperative_matrix_insert %y, %m [0] : "
        "coopmatrix<{T}x16x8,matrix_acc>\n" + _EXTRACT.replace("%m", "%t") + " }}"
    ),
    "cooperative_matrix_prefetch": "parallel {{ cooperative_matrix_prefetch 0, %W[%n,%n], 16, 8 }}",
    **{
        f"cooperative_matrix_reduce_{word}.column": "parallel {{ "
        + _LOAD
        + f"\n%r = cooperative_matrix_reduce_{word}.column %m : "
        + "coopmatrix<{T}x1x8,matrix_acc>\n"
        + _WRITE
        + " }}"
        for word in ("add", "max", "min")
    },
    "cholesky": _SQUARE + "cholesky.l %m",
    "lu": "%p = alloca : memref<i32x4>\n" + _SQUARE + "lu %m, %p",
    "trsm": "trsm.l.n %x, %A, %B",
    "trmm": "trmm.l.n %x, %A, %B",
    "qr": "%v = alloca : memref<{T}x4>\n" + _SQUARE + "qr %m, %v",
    "apply_q": _SQUARE + "apply_q.n %m, %a, %B",
    "eigh": "%w = alloca : memref<{R}x4>\n" + _SQUARE + "eigh.l %m, %w",
    "swap_rows": "%p = alloca : memref<i32x4>\nstore %lane, %p[%n]\n"
    + _SQUARE
    + "swap_rows %p, %m",
    "syrk": "syrk.l.n %x, %A, %y, %B",
    "syrk, atomic": "%one = constant {ONE} : {T}\nsyrk.l.n.atomic %x, %A, %one, %B",
    "solve.spd": _SQUARE + "solve.spd.l %m, %B",
    "solve.lu": "%p = alloca : memref<i32x4>\n" + _SQUARE + "solve.lu %m, %p, %B",
    "arith.add of coopmatrix": (
        "parallel {{ "
        + _LOAD
        + "\n%r = arith.add %m, %m : coopmatrix<{T}x16x8,matrix_acc>\n"
        + _WRITE
        + " }}"
    ),
}
TEMPLATES.update(_BLAS)
TEMPLATES.update(
    {
        f"{name}, atomic": f"%one = constant {{ONE}} : {{T}}\n{name}.atomic"
        f"{text.removeprefix(name).replace('%y', '%one')}".replace(".atomic.n.t", ".n.t.atomic")
        .replace(".atomic.n", ".n.atomic")
        .replace(".atomic.t", ".t.atomic")
        for name, text in _BLAS.items()
    }
)
for _name, _spec in instructions.INSTRUCTIONS.items():
    _values = ", ".join(("%x", "%y", "%x")[: len(_spec.operands)])
    if _name.startswith("cmp."):
        TEMPLATES[_name] = f"%r = {_name} {_values} : bool\nif %r {{{{ store %f, %o[] }}}}"
    elif (_name in instructions.MATH or _name.startswith("arith.")) and (
        _spec.typing is instructions.Typing.SAME
    ):
        TEMPLATES[_name] = f"%r = {_name} {_values} : {{T}}\n{{SINK}}"
    elif _name.startswith("arith."):
        TEMPLATES[_name] = f"%r = {_name} {_values} : {{R}}\nstore %r, %real[]"
    elif _name.startswith("subgroup_") and _name not in TEMPLATES:
        for _mode in instructions.ENUMS["group_operation"]:
            TEMPLATES[f"{_name}.{_mode}"] = (
                "parallel {{ " + _OF_LANE + f"%r = {_name}.{_mode} %v : {{T}}\nstore %r, %s[] }}}}"
            )

INSTRUCTIONS = tuple(TEMPLATES)


_BITS = {"i16": "f16", "i32": "f32", "i64": "c32"}
_BITS |= {"bf16": "i16", "f16": "i16", "f32": "i32", "f64": "i64", "c32": "i64"}
"""A type that a type has the bits of."""


def _one(type_):
    if type_.startswith("c"):
        return "[1.0,0.0]"
    if type_ == "bool":
        return "true"
    return "1.0" if "f" in type_ else "1"


def kernel(template, type_):
    """Return the text of a program of one kernel, whose body is the template, on the type."""
    words = {
        "T": type_,
        "M": "f32" if type_ == "bool" else type_,
        "R": {"c32": "f32", "c64": "f64", "bool": "f32"}.get(type_, type_),
        "BITS": _BITS.get(type_, "void"),
        "BITS_ONE": _one(_BITS.get(type_, "void")),
        "ONE": _one(type_),
        "SINK": "if %r { store %f, %o[] }" if type_ == "bool" else "store %r, %s[]",
        "SINK_X": "if %x { store %f, %o[] }" if type_ == "bool" else "store %x, %s[]",
    }
    return (_HEADER + template + "\n}}\n").format(**words)


def parse(instruction, type_):
    """Return the module of the tiny kernel, None if the language does not allow the type."""
    try:
        return tt.Context().parse(kernel(TEMPLATES[instruction], type_))
    except tt.CompileError:
        return None
