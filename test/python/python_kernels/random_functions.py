"""Random kernels as functions of Python, in which a seed decides everything.

All values are small whole numbers, also those of floating point, so that each result is exact and
no branch depends on rounding. Indices are in bounds by construction, and divisors are not 0. The
body is one of a single work-item (`tt.foreach(1)`), or is collective with such regions in it.
"""

import random

from function_expressions import ARRAYS, SIZE
from random_statements import NAMES, Statements

HEAD = """import tinytc_mlir as tt


@tt.inline
def bump(x, k, g):
    x[k, g] = (x[k, g] + 1) % 100
    return x[k, g]


@tt.inline
def mixed(x, y):
    x, y = y, x - y
    for k in range(3):
        x = x + (y if k < 2 and x < y else 2)
    return min(x, 50) if x > y else max(y, -50)


@tt.inline
def swept(t, g, x):
    for k in range(1, 4):
        x = x - t[k - 1, g]
        t[k, g] = x % 100
        x = x % 9
    x = 0
    t[0, g] = x


@tt.inline
def limited(x, y):
    if x > y:
        return y
    for k in range(3):
        if x % 2 == 0:
            continue
        x = x - 1
        if k == 1:
            x = x * 2
    if y % 3 == 1:
        if x < 0:
            return x + 1
        x = x - y
    elif y % 3 == 2:
        return x - 2
    return x


@tt.inline
def swapped(t, g, y):
    x = t[1, g]
    t[1, g] = y % 100
    if x > y:
        x = t[2, g]
    return x
"""
PARAMETERS = """
    a: tt.i64, b: tt.i32, c: tt.f64, d: tt.f32, n: tt.index, m: tt.i64,
    p: tt.i64[6, None], q: tt.i32[6, None], r: tt.f64[6, None], s: tt.f32[6, None],
    A: tt.f64[6, 6, None], B: tt.f64[6, 6, None], N: tt.const, F: tt.const
"""


MORE, LEAVING = 30000, 40000
"""The first seeds of functions with swaps, numbers that conditions choose, and more, and of those with
`continue` and `return`; of those before, many have been compared without."""


def module(seeds):
    """Return the text of a module with a function for each seed, called `f` and the seed."""
    return "\n\n".join([HEAD, *(Function(seed).text for seed in seeds)])


class Function(Statements):
    """A function that a seed decides."""

    def __init__(self, seed):
        super().__init__(random.Random(seed))
        self.kinds = {"a": "i64", "b": "i32", "c": "f64", "d": "f32", "n": "index", "m": "i64"}
        self.bounds = {"n": (0, 4), "m": (0, 4)}
        self.turns = 1
        self.has_more, self.has_leaving = seed >= MORE, seed >= LEAVING
        self.in_loop, self.can_return = False, True
        self.has_local = self.rng.random() < 0.3
        head = [f"@tt.kernel\ndef f{seed}({PARAMETERS}):", "    g = tt.group_id"]
        if self.has_local:
            head += ["    t = tt.local(tt.i64, (6, 1))", "    for z in tt.foreach(6):"]
            head += ["        t[z, 0] = tt.i64(z) - 2"]
        self.body()
        self.text = "\n".join([*head, *self.lines]) + "\n"

    def body(self):
        """Write all statements."""
        if self.rng.random() < 0.65:
            self.fixed = set(self.kinds)
            self.region("for _ in tt.foreach(1):", lambda: self.work(self.rng.randint(4, 9)))
            return
        self.is_collective = True
        self.block(self.rng.randint(3, 7))
        self.region("for _ in tt.foreach(1):", self.results)

    def work(self, count):
        """Write statements of one work-item."""
        self.is_collective = False
        self.block(count)
        self.results()

    def results(self):
        """Store all names that have values."""
        self.is_collective = False
        for position, (name, kind) in enumerate(self.kinds.items()):
            if kind in ARRAYS:
                self.line(f"{ARRAYS[kind]}[{position % SIZE}, g] += {name}")
            elif kind == "bool":
                self.line(f"p[{position % SIZE}, g] += tt.i64(7) if {name} else tt.i64(1)")
            else:
                self.line(f"p[{position % SIZE}, g] += tt.i64({name})")

    # Statements -----------------------------------------------------------------------------

    def block(self, count):
        """Write statements."""
        for _ in range(count):
            self.statement()

    def nested(self, head, fill):
        """Write a statement with a body."""
        self.line(head)
        self.indent += 1
        count = len(self.lines)
        fill()
        if len(self.lines) == count:
            self.line("pass")
        self.indent -= 1

    def statement(self):
        """Write one statement."""
        self.left = 25
        choices = [self.assign] * 5 + [self.update] * 3 + [self.several] * 2 + [self.literal]
        if self.indent < 5:
            choices += [self.conditional] * 3 + [self.loop] * 3
        if not self.is_collective:
            choices += [self.store] * 4 + [self.call]
        elif self.own is None:
            choices += [self.matrix] * 2 + [self.one_item] * 2 + [self.each_item] * 2
        if self.has_more:
            choices += [self.same] + ([] if self.is_collective else [self.choose] * 3)
            choices += [] if self.is_collective else [self.swap, self.convert] * 2
        if self.has_leaving and self.indent < 5:
            choices += [self.leave] * 3 + [self.limit]
        if self.rng.random() < 0.004:
            self.odd()
        self.rng.choice(choices)()

    def conditional(self):
        """Write `if`, perhaps with `elif` and `else`."""
        before, names = (dict(self.kinds), dict(self.bounds)), []
        heads = [f"if {self.truth(2)}:"]
        heads += [f"elif {self.truth(1)}:"] * (self.rng.random() < 0.3)
        heads += ["else:"] * (self.rng.random() < 0.6)
        for head in heads:
            self.kinds, self.bounds = map(dict, before)
            self.nested(head, lambda: self.block(self.rng.randint(1, 3)))
            names.append(self.kinds)
        if heads[-1] != "else:":
            names.append(before[0])
        self.kinds = {n: k for n, k in names[0].items() if all(e.get(n) == k for e in names)}
        self.bounds = {n: b for n, b in before[1].items() if n in self.kinds}
        changed = [n for n in self.bounds if any(n not in e for e in names)]
        for name in [*changed, *self.bounds]:
            self.bounds.pop(name, None)

    def leave(self):
        """Write a conditional of which a branch leaves a loop or the function."""
        words = ["continue"] * 3 * self.in_loop + ["return"] * self.can_return
        if not words:
            self.assign()
            return
        word, before = self.rng.choice(words), (dict(self.kinds), dict(self.bounds))

        def fill():
            self.block(self.rng.randint(0, 2))
            self.line(word)

        head = f"if {self.truth(2)}:"
        if self.rng.random() < 0.3:
            self.nested(head, lambda: self.block(1))
            head, before = "else:", (self.kinds, before[1])
            self.kinds = {n: k for n, k in self.kinds.items() if before[0].get(n) == k}
        self.nested(head, fill)
        self.kinds, self.bounds = before
        self.bounds = {}

    def limit(self):
        """Write a call of a function that returns in several places."""
        kind = self.rng.choice(tuple(ARRAYS))
        name = self.name(kind)
        self.line(f"{name} = limited({self.small(kind, 100)}, {self.small(kind, 100)})")
        self.bind(name, kind)

    def loop(self):
        """Write a loop over a range."""
        if self.turns > 60:
            return
        kind, arguments, bounds = self.range()
        taken = [n for n in self.kinds if n in NAMES]
        is_old = taken and self.rng.random() < 0.3
        name = self.rng.choice(taken) if is_old else self.rng.choice("ijk" + NAMES)
        before = dict(self.kinds)
        self.bind(name, kind)
        self.bounds = {name: bounds}
        turns, self.turns = self.turns, self.turns * 5
        was, self.in_loop, self.can_return = (self.in_loop, self.can_return), True, False
        self.nested(
            f"for {name} in range({arguments}):", lambda: self.block(self.rng.randint(1, 4))
        )
        self.turns = turns
        self.in_loop, self.can_return = was
        self.kinds = {n: k for n, k in before.items() if n != name}
        self.bounds = {}

    def range(self):
        """Return the type of a range, its operands, and its bounds."""
        kind = self.rng.choice(("index", "index", "i64"))
        low, step = self.rng.randint(-2, 2), self.rng.randint(1, 3)
        form = self.rng.randrange(4)
        end = str(self.rng.randint(0, 5))
        if form >= 2 or kind == "i64":
            end = f"abs({self.small(kind, 100)}) % 5" if self.rng.random() < 0.7 else self.end(kind)
            end = end if self.rng.random() < 0.9 else self.end(kind)
        if form in (0, 2):
            return kind, end, (0, 4)
        start = f"tt.i64({low})" if kind == "i64" else str(low)
        return kind, f"{start}, {end}" + f", {step}" * (form == 3), (low, 4)

    def end(self, kind):
        """Return a name that can be the end of a range."""
        found = [n for n, b in self.bounds.items() if b[1] <= 4 and self.kinds.get(n) == kind]
        return self.rng.choice(found) if found else "tt.i64(4)" if kind == "i64" else "4"

    # Regions --------------------------------------------------------------------------------

    def region(self, head, fill):
        """Write a region of work-items; names that it binds end with it."""
        before, bounds = dict(self.kinds), dict(self.bounds)
        was = self.is_collective, self.in_loop, self.can_return
        self.is_collective = self.in_loop = self.can_return = False
        self.nested(head, fill)
        self.kinds, self.bounds = before, bounds
        self.is_collective, self.in_loop, self.can_return = was

    def one_item(self):
        """Write a region of one work-item."""
        self.region("for _ in tt.foreach(1):", lambda: self.only_stores(self.rng.randint(1, 3)))

    def only_stores(self, count):
        """Write stores and loops of stores, which bind no name of outside."""
        for _ in range(count):
            self.store()
            if self.rng.random() < 0.4:
                name = self.rng.choice([n for n in "ijko" if n not in self.kinds])
                kinds, bounds = dict(self.kinds), dict(self.bounds)
                kind, arguments, found = self.range()
                self.kinds[name], self.bounds[name] = kind, found
                self.nested(f"for {name} in range({arguments}):", self.store)
                self.kinds, self.bounds = kinds, bounds

    def each_item(self):
        """Write a region in which each work-item has elements of its own."""
        if "e" in self.kinds:
            return

        def fill():
            self.own = "e"
            self.kinds["e"] = "index"
            self.only_stores(self.rng.randint(1, 3))
            self.own = None

        self.region("for e in tt.foreach(6):", fill)
