"""Random expressions of kernels as functions of Python, of names that have values."""

SIZE = 6
"""Elements of each array for a group."""
ARRAYS = {"i64": "p", "i32": "q", "f64": "r", "f32": "s"}
KINDS = (*ARRAYS, "index")
LIMIT = 10**4
"""Largest magnitude of a value that gets a name."""


class Expressions:
    """Makes expressions; numbers are pairs of a text and the largest magnitude.

    Args:
        rng: the source of all choices.
    """

    def __init__(self, rng):
        self.rng = rng
        self.kinds = {}  # the types of names
        self.bounds = {}  # of names that may be indices or ends of ranges
        self.left = 0  # how many parts the statement may still get
        self.own = None  # the only index, where each work-item has elements of its own
        self.has_local = self.is_collective = False

    def value(self, kind):
        """Return an expression that may get a name."""
        return self.truth(3) if kind == "bool" else self.small(kind, LIMIT)

    def small(self, kind, limit):
        """Return an expression of a magnitude up to a limit."""
        text, bound = self.number(kind, self.rng.randint(0, 3))
        return text if bound <= limit else f"({text}) % {limit}"

    def divisor(self, kind):
        """Return an expression that is not 0."""
        if self.rng.random() < 0.5 or self.left < 0:
            return str(self.rng.choice((-7, -3, -2, 2, 3, 5)))
        text = self.small(kind, 100)
        return self.rng.choice((f"(abs({text}) + 1)", f"(-abs({text}) - 2)"))

    def index(self):
        """Return an index in bounds."""
        if self.own:
            return self.own
        found = [n for n, (low, _) in self.bounds.items() if low >= 0 and n in self.kinds]
        if found and self.rng.random() < 0.6:
            name = self.rng.choice(found)
            shifted = self.rng.choice(("", "", " + 1"))
            text = name + shifted
            return text if self.kinds[name] == "index" else f"tt.index({text})"
        if self.rng.random() < 0.3 and self.left >= 0:
            return f"tt.index(abs({self.small('i64', LIMIT)}) % 6)"
        return str(self.rng.randrange(SIZE))

    def element(self, kind):
        """Return an element of the array of a type."""
        if kind == "i64" and self.has_local and self.own is None and self.rng.random() < 0.4:
            return f"t[{self.index()}, 0]"
        return f"{ARRAYS[kind]}[{self.index()}, g]"

    def atom(self, kind):  # noqa: PLR0911, one for each form
        """Return a name, a literal, an element, a call or a conversion."""
        rng = self.rng
        names = [n for n, k in self.kinds.items() if k == kind]
        chance = rng.random()
        if names and chance < 0.5:
            return rng.choice(names), LIMIT
        if kind in ARRAYS and chance < 0.75:
            return self.element(kind), LIMIT
        if chance < 0.8 and self.left >= 0:
            other = rng.choice([k for k in KINDS if k != kind])
            return f"tt.{kind}({self.small(other, 100)})", LIMIT
        if (
            0.8 < chance < 0.9
            and self.left >= 0
            and kind in ARRAYS
            and not self.is_collective
            and self.own is None
        ):
            if rng.random() < 0.5:
                return f"bump({ARRAYS[kind]}, {self.index()}, g)", LIMIT
            return f"swapped({ARRAYS[kind]}, g, {self.small(kind, 100)})", LIMIT
        if chance < 0.93 and kind[0] == "i":
            return "N", 9
        typed = f"tt.{kind}({rng.randint(-9, 9)})"
        return typed if rng.random() < 0.95 else str(rng.randint(0, 9)), 9

    def number(self, kind, depth):  # noqa: PLR0911, one for each form
        """Return an expression of a type of numbers."""
        rng, self.left = self.rng, self.left - 1
        if depth == 0 or self.left < 0:
            return self.atom(kind)
        (left, one), (right, other) = (self.number(kind, depth - 1) for _ in range(2))
        form = rng.randrange(10)
        if form == 0:
            return f"({left} {rng.choice('+-')} {rng.randint(1, 5)})", one + 5
        if form < 3:
            return f"({left} {'+-'[form % 2]} {right})", one + other
        if form == 3:
            factor = rng.randint(-4, 4)
            return f"({left} * {factor})", 4 * one
        if form == 4:
            return f"({left}) % {self.divisor(kind)}", one
        if form == 5 and kind[0] == "i":
            return f"(({left}) // {self.divisor(kind)})", one
        if form == 6:
            return f"({left} if {self.truth(1)} else {right})", max(one, other)
        if form == 7:
            return f"{rng.choice(('min', 'max'))}({left}, {right})", max(one, other)
        if form == 8 and one + other <= LIMIT * 20:
            return f"mixed(tt.{kind}({left}), tt.{kind}({right}))", 30 * (one + other)
        return rng.choice((f"abs({left})", f"(-({left}))", f"(+{left})")), one

    def truth(self, depth):  # noqa: PLR0911, one for each form
        """Return an expression of truth values."""
        rng = self.rng
        form = rng.randrange(10)
        names = [n for n, k in self.kinds.items() if k == "bool"]
        self.left -= 1
        if depth == 0 or form < 3 or self.left < 0:
            if names and rng.random() < 0.4:
                return rng.choice(names)
            if rng.random() < 0.06:
                return rng.choice(("F", "True", "False", "N > 2", "not F"))
            return self.comparison()
        if form < 7:
            op = rng.choice((" and ", " or "))
            return f"({op.join(self.truth(depth - 1) for _ in range(rng.randint(2, 3)))})"
        if form == 7:
            return f"(not {self.truth(depth - 1)})"
        if form == 8:
            return f"({self.truth(depth - 1)} if {self.truth(depth - 1)} else {self.truth(0)})"
        kind = rng.choice(("i64", "i32"))
        found = [n for n, k in self.kinds.items() if k == kind]
        name = rng.choice(found) if found else "m"
        return f"({name} != 0 and 40 // {name} > {rng.randint(-5, 5)})"

    def comparison(self):
        """Return a comparison of numbers, perhaps a chain."""
        kind = self.rng.choice(KINDS)
        count = self.rng.choice((2, 2, 2, 3, 4))
        items = [self.number(kind, self.rng.randint(0, 1))[0] for _ in range(count)]
        ops = [self.rng.choice(("<", "<=", ">", ">=", "==", "!=")) for _ in range(count)]
        return f"({' '.join(part for pair in zip(items, ops, strict=True) for part in pair[:2])[: -len(ops[-1]) - 1]})"
