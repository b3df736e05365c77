"""Bounds of random kernels against all elements that their groups access."""

import dataclasses

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bounding import info_of, most_groups

_LIMIT = 30  # groups


@dataclasses.dataclass(frozen=True)
class Guard:
    """The condition `factor * g + constant < n`, or `>=` in the other branch."""

    factor: int
    constant: int
    is_else: bool

    def holds(self, group, n):
        return (self.factor * group + self.constant < n) != self.is_else


@dataclasses.dataclass(frozen=True)
class Use:
    """An access to index `slope * g + start + step * i` for i in [low, high), by slices."""

    slope: int
    start: int
    width: int
    low: int
    high: int
    step: int
    guards: tuple

    def text(self, number):
        """Return the instructions."""
        index = f"""%p{number} = arith.mul %g, %k{self.slope + 9} : index
        %q{number} = arith.add %p{number}, %k{self.start + 9} : index
        for %i{number} = %k{self.low + 9}, %k{self.high + 9} {{
          %r{number} = arith.mul %i{number}, %k{self.step + 9} : index
          %o{number} = arith.add %q{number}, %r{number} : index
          %v{number} = subview %A[%o{number}:{self.width}] : memref<f32x{self.width}>
          @@
        }}"""
        body = f"axpby.n %x, %v{number}, %x, %v{number}"
        for level, guard in enumerate(self.guards):
            name = f"{number}_{level}"
            test = f"""%a{name} = arith.mul %g, %k{guard.factor + 9} : index
            %b{name} = arith.add %a{name}, %k{guard.constant + 9} : index
            %c{name} = cmp.lt %b{name}, %n : bool"""
            branches = f"{{ }} else {{ {body} }}" if guard.is_else else f"{{ {body} }}"
            body = f"{test} if %c{name} {branches}"
        return index.replace("@@", body)

    def indices(self, group, n):
        """Yield the indices that a group accesses."""
        if all(guard.holds(group, n) for guard in self.guards):
            for i in range(self.low, self.high):
                first = self.slope * group + self.start + self.step * i
                yield from range(first, first + self.width)


SMALL = st.integers(-6, 6)
GUARDS = st.builds(Guard, st.integers(-3, 3), SMALL, st.booleans())
USES = st.builds(
    Use,
    slope=st.integers(-4, 6),
    start=st.integers(-6, 9),
    width=st.integers(1, 4),
    low=st.integers(-2, 2),
    high=st.integers(-1, 4),
    step=st.integers(-3, 3),
    guards=st.lists(GUARDS, max_size=2).map(tuple),
)


def info_with(uses):
    constants = " ".join(f"%k{n + 9} = constant {n} : index" for n in range(-9, 10))
    body = "\n".join(use.text(number) for number, use in enumerate(uses))
    return info_of(
        f"func @f(%x: f32, %A: memref<f32x?>, %n: i32) {{ {constants}\n"
        f"%g = group_id : index %m = cast %n : index\n{body.replace('%n', '%m')} }}"
    )


def first_outside(use, size, n):
    """Return the first group that leaves the array."""
    for group in range(_LIMIT):
        if not all(0 <= index < size for index in use.indices(group, n)):
            return group
    return _LIMIT


@given(st.lists(USES, min_size=1, max_size=3), st.integers(0, 40), st.integers(-5, 40))
def test_bounds_are_those_of_all_accesses(uses, size, n):
    allowed = most_groups(info_with(uses), (1.0, np.zeros(size, np.float32), n), _LIMIT)
    assert allowed == min(first_outside(use, size, n) for use in uses)


@given(
    slope=st.integers(1, 6),
    step=st.integers(-3, 3),
    low=st.integers(-2, 2),
    high=st.integers(-1, 5),
    size=st.integers(0, 40),
    n=st.integers(-5, 40),
)
def test_guards_within_loops_refuse_no_valid_launch(slope, step, low, high, size, n):
    info = info_of(f"""func @f(%x: f32, %A: memref<f32x?>, %n: index) {{
      %g = group_id : index
      %slope = constant {slope} : index %step = constant {step} : index
      %low = constant {low} : index %high = constant {high} : index
      %first = arith.mul %g, %slope : index
      for %i = %low, %high {{
        %offset = arith.mul %i, %step : index
        %index = arith.add %first, %offset : index
        %inside = cmp.lt %index, %n : bool
        if %inside {{ store %x, %A[%index] }}
      }}
    }}""")
    allowed = most_groups(info, (1.0, np.zeros(size, np.float32), n), _LIMIT)
    indices = {
        group: [slope * group + step * i for i in range(low, high)] for group in range(_LIMIT)
    }
    invalid = [
        group
        for group, found in indices.items()
        if any(index < n and not 0 <= index < size for index in found)
    ]
    assert allowed >= min(invalid, default=_LIMIT)
