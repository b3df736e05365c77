"""Random programs are translated between versions of the language and back."""

import itertools
import random
import re

import pytest

from programs import INSTRUCTION_NAMES, generate
from tinytc_mlir import frontend
from tinytc_mlir.errors import ParseError
from tinytc_mlir.frontend.instructions import EARLIER, EXTENSION_MODIFIERS, EXTENSIONS
from tinytc_mlir.frontend.names import OF_FLAG
from tinytc_mlir.frontend.translation import translate

LANGUAGE_NAMES = [name for name in INSTRUCTION_NAMES if name not in EXTENSIONS]
# What has an op of its own since version 0.4.
ATOMIC_STORE = re.compile(r"store[.a-z_]*\.atomic")


def program(*arguments, **options):
    """Return a random program without the modifiers that are extensions."""
    text = generate(*arguments, **options)
    earlier = dict.fromkeys(EXTENSION_MODIFIERS, "") | {"r": ".n", "c": ".t"}
    words = "|".join(EXTENSION_MODIFIERS)
    return re.sub(rf"\.({words})\b", lambda found: earlier[found[1]], text)


def check(text):
    """Translate there and back; return whether version 0.3 has all that the text has."""
    later = translate(text, "0.5", "later.ir")
    assert translate(later, "0.5") == frontend.format_source(later) == later
    if not ATOMIC_STORE.search(text) and "num_subgroups" not in text:
        assert str(frontend.parse(later)) == str(frontend.parse(text))
    try:
        earlier = translate(later, "0.3", "earlier.ir")
    except ParseError as error:
        assert all("expected what version 0.3" in d.message for d in error.diagnostics)
        return False
    assert translate(earlier, "0.3") == frontend.format_source(earlier) == earlier
    if not any(f"{name}{end}" in text for name in OF_FLAG.values() for end in ". "):
        assert str(frontend.parse(earlier)) == str(frontend.parse(text))
    return True


@pytest.mark.similar
@pytest.mark.parametrize("name", LANGUAGE_NAMES)
def test_each_instruction(name):
    names = EARLIER | {name}
    texts = (program(random.Random(f"{name} {seed}"), 3, name, names) for seed in range(20))
    # The number of subgroups becomes a product of numbers that version 0.3 lacks.
    if name in EARLIER and name != "builtin.num_subgroups":
        there_and_back = (text for text in texts if check(text))
        assert len(list(itertools.islice(there_and_back, 2))) == 2
    else:
        done = list(map(check, itertools.islice(texts, 3)))
        assert not any(done) or name in OF_FLAG.values()


def test_random_programs():
    for names, seeds in ((EARLIER, range(30)), (LANGUAGE_NAMES, range(30, 45))):
        done = [check(program(random.Random(seed), 8, names=names)) for seed in seeds]
        assert any(done) or names is LANGUAGE_NAMES
