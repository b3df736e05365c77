"""Sums over a subgroup of constants, with which a driver did not come to an end."""

import contextlib
import random

import pytest
from cases import Case, buffer
from other_processor import OtherProcessor

from tinytc_mlir.compiler import ABIS

SUMS = {
    "constant": "%q = subgroup_reduce_add %three : {t}",
    "choice": """%b = less_than %three, %four : bool
        %c = if %b -> ({t}) {{ yield (%four) }} else {{ yield (%three) }}
        %q = subgroup_reduce_add %c : {t}""",
}
#: What is done with a sum, and a number %y of each lane.
USES = ("max", "min", "mul", "xor")
GROUPS = ((4, 4),)

TEXT = """
    %three = constant 3 : {t}   %four = constant 4 : {t}   %zero = constant 0 : i32
    parallel {{
        %l = subgroup_local_id : i32   %g = cast %l : index
        %x = load %A[%g] : {t}
        %y = for %i : i32 = %zero, 2 init(%v = %x) -> ({t}) {{
            barrier
            %w = subgroup_inclusive_scan_add %three : {t}
            yield (%w)
        }}
        {sum}
        %z = add %q, %three : {t}
        %r = {use} %y, %z : {t}
        %first = subgroup_linear_id : i32
        %is_first = equal %first, 0 : bool
        if %is_first {{
            store %r, %A[%g]
        }}
    }}"""


def cases():
    for name, text in SUMS.items():
        for use in USES:
            for lanes, size in GROUPS:
                body = TEXT.format(t="i64", sum=text.format(t="i64"), use=use)
                attributes = f"subgroup_size={lanes}, work_group_size=[{size},1]"
                memory = (f"memref<i64x{lanes}>", buffer(random.Random(1), "i64", (lanes,)))
                yield Case(f"{use} of {name} {lanes} {size}", body, {"A": memory}, 1, attributes)


@pytest.mark.parametrize("abi", ABIS)
def test_sums_are_built_for_processors_with_f16(abi):
    with contextlib.closing(OtherProcessor("sapphirerapids", limit_s=60)) as processor:
        count = processor.check(list(cases()), abi)
    assert not count.unbuilt, "\n".join(count.unbuilt)
