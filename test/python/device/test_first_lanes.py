"""What only the first lane of a subgroup runs, under conditions that all lanes share."""

import numpy as np
import pytest

import tinytc_mlir as tt
from tinytc_mlir.compiler import ABIS

#: How a program may say that the first lane runs.
REGIONS = {
    "foreach": "foreach (%l) = (0), (1) {",
    "lane": "parallel { %l = subgroup_local_id : i32  %first = equal %l, 0 : bool  if %first {",
    "bits": """parallel { %l = subgroup_local_id : i32  %low = and %l, 3 : i32
        %high = less_than %l, 4 : bool  %odd = equal %low, 0 : bool  if %high { if %odd {""",
}

TEXT = """
func @f(%c: f64, %d: f32, %n: index, %a: i64, %r: memref<f64x6x?>, %s: memref<f32x6x?>,
        %q: memref<i32x6x?>) attributes{{subgroup_size={lanes}}} {{
    %g = group_id : index
    %one = constant 1 : index
    {region}
        for %k = -1, 3 {{
            %last = for %y = -1, 3, 2 init(%i = %k) -> (index) {{
                %v = rem(%y, abs(rem(%i / 3 / 2, 100)) + 1) : index
                %bound = load %s[4, %g] : f32
                %runs = less_than_equal %bound, %d : bool
                %b = if %runs -> (bool) {{
                    %x = abs(rem(-rem(%c, -2.0), 100.0)) + 1.0 : f64
                    %z = rem(rem(-8.0, %x) + 2.0, -3.0) : f64
                    store 1.0, %r[%one, %g]
                    %is_less = less_than %z, 1.0 : bool
                    %w = if %is_less -> (f64) {{ yield (3.0) }} else {{ yield (1.0) }}
                    %is_small = less_than_equal %w, %c : bool
                    yield (%is_small)
                }} else {{
                    %is_long = greater_than_equal %n, 2 : bool
                    yield (%is_long)
                }}
                %next = if %b -> (index) {{ yield (%i) }} else {{
                    %p = less_than_equal 2, %a : bool
                    %j = if %p -> (index) {{
                        for %m = 1, 4 {{ store 1, %q[%m, %g] }}
                        %u = %i * rem(%v - %n, 100) : index
                        yield (%u)
                    }} else {{ yield (%i) }}
                    yield (%j)
                }}
                yield (%next)
            }}
        }}
    {end}
}}"""


def results(kernel, d, **options):
    """Return what the kernel writes in three groups."""
    r, s, q = (np.full((6, 3), 9, dtype, order="F") for dtype in ("f8", "f4", "i4"))
    kernel(c=3.0, d=d, n=1, a=5, r=r, s=s, q=q, **options)
    return r, q


@pytest.mark.similar
@pytest.mark.parametrize("abi", ABIS)
@pytest.mark.parametrize("lanes", [4, 8, 16, 32, 64])
@pytest.mark.parametrize("region", REGIONS)
def test_shared_condition(region, lanes, abi):
    opening = REGIONS[region]
    end = "}" * opening.count("{")
    text = TEXT.format(region=opening, end=end, lanes=lanes)
    kernel = tt.Context().parse(text).compile(abi=abi)["f"]
    for d, stored in ((0.5, 9), (10.0, 1)):
        r, q = results(kernel, d, groups=3)
        expected = np.full((6, 3), 9)
        expected[1] = stored
        np.testing.assert_array_equal(r, expected)
        # With d = 10 the condition of the other store, w <= c, holds.
        assert (q[1:4] == (1 if d == 0.5 else 9)).all()
        assert (q[[0, 4, 5]] == 9).all()
