"""Random programs mean the same if definitions and `!calc` write their numbers.

What only version 0.5 has is among it: shifts and bits in `!calc`, definitions used after the region
that they are made in, and divisors of modes that a memref does not have.
"""

import random
import re
import warnings

import pytest

from programs import generate
from tinytc_mlir import frontend
from tinytc_mlir.frontend.printer import to_text

_CONSTANT = re.compile(r"^(\s*%\w+ = constant )(-?\d{1,9})( : (?:i\d+|index).*)$")
_SURPLUS = re.compile(r"(_gcd = array<i64: [^>]*?)(?:, 1){8}>")
_DIVISORS = re.compile(r"((?:shape|stride)_gcd\s*=\s*\[)([^\]]+)\]")


def calc(value, rng):
    """Return an expression that is equal to a number."""
    other, bits = rng.randrange(1 << 20), rng.randrange(8)
    forms = [
        f"{value ^ other} {other} xor",
        f"{~value} not",
        f"{value << bits} {bits} shr",
        f"{value} {value | other} and",
        f"{value & other} {value & ~other} or",
        f"{value - other} {other} +",
    ]
    if value % (1 << bits) == 0:
        forms.append(f"{value >> bits} {bits} shl")
    return f"!calc({rng.choice(forms)})"


def rewritten(text, rng):
    """Return a program with definitions in place of numbers, and how many are used again."""
    lines, names, again = [], {}, 0
    for line in text.splitlines():
        match = _CONSTANT.match(line)
        if match is None:
            lines.append(line)
            continue
        value = int(match[2])
        if value in names and rng.random() < 0.7:
            again += 1
        else:
            names[value] = f"$d{len(lines)}"
            lines.append(f"{names[value]} = {calc(value, rng)}")
        lines.append(match[1] + names[value] + match[3])
    return "\n".join(lines), again


@pytest.mark.similar
@pytest.mark.parametrize("first", range(0, 200, 20))
def test_definitions(first):
    used_again = 0
    for seed in range(first, first + 20):
        text = generate(random.Random(seed), count=12)
        changed, again = rewritten(text, random.Random(seed))
        assert str(frontend.parse(changed)) == str(frontend.parse(text)), changed
        used_again += again
    assert used_again > 0


@pytest.mark.similar
@pytest.mark.parametrize("first", range(0, 100, 20))
def test_surplus_divisors(first):
    """They warn, are printed and read again, and change nothing else."""
    warned = 0
    for seed in range(first, first + 20):
        text = generate(random.Random(seed), count=12)
        changed = _DIVISORS.sub(r"\g<1>\g<2>, 1, 1, 1, 1, 1, 1, 1, 1]", text)
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            module = frontend.parse(changed)
            again = frontend.parse(to_text(module))
        kept = _SURPLUS.sub(r"\g<1>>", str(module))
        assert kept == str(frontend.parse(text)), changed
        assert str(again) == str(module)
        surplus = [each for each in found if "the others have no effect" in str(each.message)]
        assert (changed != text) == bool(surplus)
        warned += len(surplus)
    assert warned > 0
