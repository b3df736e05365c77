"""The bounds of the number of groups that the compiler derives for a kernel."""

import functools
import json
import operator

import pytest

import tinytc_mlir as tt
from tinytc_mlir._tinytc import describe_group_bounds
from tinytc_mlir.reference.arguments import kernel_info
from tinytc_mlir.reference.machine import Geometry
from tinytc_mlir.runtime.launches.arguments import Signature
from tinytc_mlir.runtime.manifest import Manifest


def _functions(module):
    return module.operation.regions[0].blocks[0].operations


def described(text):
    """Return the bounds and the unchecked uses of the only kernel of a program, as text."""
    module = tt.Context().parse(text)
    (func,) = _functions(module)
    fields = json.loads(describe_group_bounds(func.operation))
    bounds = [_bound_text(bound) for bound in fields["group_bounds"]]
    unchecked = [f"{_modes_text(use)}: {use['reason']}" for use in fields["unchecked_uses"]]
    return bounds, unchecked


def infos_of(text):
    """Return the descriptions of the kernels of a program."""
    module = tt.Context().parse(text)
    return [kernel_info(func, Geometry((16, 1), 16)) for func in _functions(module)]


def info_of(text):
    """Return the description of the only kernel of a program."""
    (info,) = infos_of(text)
    return info


def counts(info, values, groups):
    """Return the number of groups of a launch."""
    signature = Signature(info)
    total, local, _ = signature.ranges(groups, signature.parts(values, {}))
    return tuple(count // size for count, size in zip(total, local, strict=True))


def refusal(info, values, groups):
    """Return the message of a launch that has too many groups."""
    with pytest.raises(tt.ArgumentError) as caught:
        counts(info, values, groups)
    assert caught.value.argument == "groups"
    return str(caught.value)


def damaged_refusal(info, path, value):
    """Return the message about a manifest that has a value at a path where it must not be."""
    data = json.loads(Manifest("cpu", (info,)).to_json())
    *parents, last = path
    functools.reduce(operator.getitem, parents, data["kernels"][0])[last] = value
    with pytest.raises(tt.TinyTCError) as caught:
        Manifest.from_json(json.dumps(data))
    return str(caught.value)


def accepts(info, values, groups):
    """Return whether a launch of these numbers of groups is accepted."""
    signature = Signature(info)
    try:
        signature.ranges(groups, signature.parts(values, {}))
    except tt.ArgumentError:
        return False
    return True


def most_groups(info, values, limit):
    """Return the largest number of groups that a launch accepts, `limit` if it accepts that."""
    signature = Signature(info)
    try:
        parts = signature.parts(values, {})
    except tt.ArgumentError:  # no number of groups helps
        return 0
    for count in range(1, limit + 1):
        try:
            signature.ranges(count, parts)
        except tt.ArgumentError:
            return count - 1
    return limit


def _modes_text(fields):
    return f"{fields['argument']}[{','.join(map(str, fields['modes']))}]"


def _bound_text(bound):
    compared = ">= 0" if bound["size"] is None else f"< {_sum_text(bound['size'])}"
    conditions = "".join(f" if {_line_text(line)} >= 0" for line in bound["conditions"])
    return f"{_modes_text(bound)}: {_index_text(bound)} {compared}{conditions}"


def _index_text(bound):
    """Return the index; `g` is the id in x."""
    slopes = {bound["dimension"]: bound["index"]["slope"], **dict(bound.get("others", []))}
    return _line_text({"slope": slopes, "start": bound["index"]["start"]})


def _line_text(line):
    slopes = line["slope"] if isinstance(line["slope"], dict) else {0: line["slope"]}
    texts = [f"({_sum_text(slopes[d])}) {'g' + ' yz'[d].strip()}" for d in slopes if slopes[d]]
    start = _sum_text(line["start"])
    return " + ".join([*texts, start] if start else texts) or "0"


def _sum_text(terms):
    return " + ".join(
        "*".join([str(factor), *map(_value_text, values)]) for factor, *values in terms
    )


def _value_text(value):
    if value[0] == "/":
        return f"({_sum_text(value[1])})/{value[2]}"
    return ".".join(map(str, value))
