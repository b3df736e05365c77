"""Writes random batched functions; seeds decide everything."""

import itertools

import numpy as np

SIZES = (1, 2, 3, 4, 5, 7)
UNARY = ("tt.exp(-abs({}))", "tt.sqrt(abs({}) + 1)", "tt.sin({})", "-{}", "abs({})", "{} ** 2",
         "tt.tanh({})", "tt.where({} > 0.1, {}, 0.5)", "{} * 0.5", "1.5 - {}", "{} / 3")  # fmt: skip
BINARY = ("{} + {}", "{} - {}", "{} * {}", "tt.maximum({}, {})", "{} / (1 + abs({}))",
          "tt.where({} < {}, 1.0, -2.0)")  # fmt: skip
COMPLEX_UNARY = ("-{}", "{} * 0.5", "1.5 - {}", "{} / 3", "{} * 1j", "tt.conj({})", "{} ** 2")
COMPLEX_BINARY = ("{} + {}", "{} - {}", "{} * {}")


class Maker:
    """Writes a function; names have shapes."""

    def __init__(self, seed, *, is_pure=False):
        self.random = np.random.default_rng(seed)
        self.is_pure = is_pure  # JAX runs it, too: nothing changes in place, no turns of run time
        self.dtype = self.pick("f64", "f64", "f32", "c64")
        if is_pure:
            self.dtype = "f64"
        self.sizes = [int(self.pick(*SIZES)) for _ in range(3)]
        self.names, self.lines, self.depth = {}, [], 1

    def pick(self, *items):
        return items[self.random.integers(len(items))]

    def chance(self, share):
        return self.random.random() < share

    def shape(self):
        return tuple(self.pick(*self.sizes) for _ in range(self.pick(0, 1, 1, 2, 2, 2)))

    def say(self, line):
        self.lines.append("    " * self.depth + line)

    def name(self, shape=None):
        """Return a name, of a shape if one is given and there is one."""
        fitting = [n for n, s in self.names.items() if shape is None or s == shape]
        return self.pick(*fitting) if fitting else None

    def new(self, text, shape):
        name = f"v{len(self.lines)}"
        self.say(f"{name} = {text}")
        self.names[name] = shape
        return name

    def of_shape(self, shape):
        """Return an expression of a shape."""
        if found := self.name(shape):
            return found
        if self.chance(0.3):
            return f"tt.ones({shape})"
        if len(shape) == 2 and shape[0] == shape[1] and self.chance(0.4):
            return f"tt.eye({shape[0]})"
        source = self.name()
        inner = self.names[source]
        total = int(np.prod(shape, dtype=int))
        if total == int(np.prod(inner, dtype=int)):
            return f"tt.reshape({source}, {shape})"
        return f"(tt.zeros({shape}) + {f'tt.sum({source})' if inner else source})"

    def statement(self):
        kinds = ("unary", "binary", "binary", "product", "product", "affine", "reduce", "part",
                 "transpose", "stack", "change", "loop", "branch", "chain", "number", "shape",
                 "solve", "solve")  # fmt: skip
        kind = self.pick(*kinds)
        if not (self.is_pure and kind == "change"):
            getattr(self, f"_{kind}")()

    def _unary(self):
        x = self.name()
        form = self.pick(*(COMPLEX_UNARY if self.dtype == "c64" else UNARY))
        self.new(form.replace("{}", x), self.names[x])

    def _binary(self):
        x = self.name()
        shape = self.names[x]
        other = shape
        if self.chance(0.5) and shape:
            other = tuple(s if self.chance(0.6) else 1 for s in shape)[
                self.pick(0, 0, len(shape) - 1) :
            ]
        y = self.of_shape(other)
        form = self.pick(*(COMPLEX_BINARY if self.dtype == "c64" else BINARY))
        pair = (x, y) if self.chance(0.5) else (y, x)
        self.new(form.format(*pair), shape)

    def _product(self):
        x = self.name()
        if not self.names[x]:
            return
        text, shape = x, self.names[x]
        if len(shape) == 2 and self.chance(0.4):
            text, shape = f"{x}.T", shape[::-1]
        inner = shape[-1]
        n = self.pick(*self.sizes)
        y = self.of_shape((inner, n) if self.chance(0.7) else (inner,))
        other = self.names.get(y, (inner, n))
        if y not in self.names:
            y = self.new(y, (inner, n) if f"({inner}, {n})" in y or "eye" in y else (inner,))
            other = self.names[y]
            if "eye" in self.lines[-1]:
                other = self.names[y] = (inner, inner)
        self.new(f"{text} @ {y}", (*shape[:-1], *other[1:]))

    def _affine(self):
        m, k, n = (self.pick(*self.sizes) for _ in range(3))
        a, b, c = (self.new(self.of_shape(s), s) for s in ((m, k), (k, n), (m, n)))
        scale = self.pick("", "2.0 * ", "-", "0.5 * ")
        self.new(
            self.pick(
                f"{c} + {scale}({a} @ {b})", f"{c} - {scale}{a} @ {b}", f"{scale}{a} @ {b} - {c}"
            ),
            (m, n),
        )

    def _chain(self):
        sizes = [self.pick(*self.sizes) for _ in range(self.pick(3, 4, 5))]
        names = [self.new(self.of_shape(s), s) for s in itertools.pairwise(sizes)]
        shape = (sizes[0], sizes[-1])
        if self.chance(0.3):
            names.append(self.new(self.of_shape((sizes[-1],)), (sizes[-1],)))
            shape = shape[:1]
        self.new(" @ ".join(names), shape)

    def _solve(self):
        n, k = self.pick(*self.sizes), self.pick(*self.sizes)
        a = self.new(self.of_shape((n, n)), (n, n))
        shape = (n, k) if self.chance(0.6) else (n,)
        b = self.new(self.of_shape(shape), shape)
        turned = f"{a}.T" if self.dtype != "c64" else f"tt.conj({a}.T)"
        near = self.new(f"{a} / (1 + tt.norm({a})) + 2 * tt.eye({n})", (n, n))
        positive = self.new(f"{a} @ {turned} / (1 + tt.sum(abs({a}) ** 2)) + tt.eye({n})", (n, n))
        kind = self.pick("lu", "lu", "spd", "triangle", "inv", "cholesky", "det")
        if kind == "lu":
            self.new(f"tt.solve({near}, {b})", shape)
        elif kind == "spd":
            self.new(f"tt.solve({positive}, {b})", shape)
            if not self.is_pure:
                self.new(f"tt.solve({positive}, {b}, assume_a='pos')", shape)
        elif kind == "triangle" and not self.is_pure:
            words = f"lower={self.chance(0.5)}, trans={self.pick(0, 1, 2)}"
            self.new(f"tt.solve_triangular({near}, {b}, {words})", shape)
        elif kind == "inv":
            self.new(f"tt.inv({near})", (n, n))
        elif kind == "cholesky":
            self.new(f"tt.cholesky({positive})", (n, n))
        elif kind == "det":
            self.new(f"tt.slogdet({near})[1] + tt.det({positive})", ())

    def _reduce(self):
        x = self.name()
        shape = self.names[x]
        if not shape:
            return
        kinds = ("sum", "mean") if self.dtype == "c64" else ("sum", "mean", "max", "min", "norm")
        kind = self.pick(*kinds)
        axis = int(self.random.integers(len(shape)))
        choice = self.pick("all", "axis", "keep", "cumsum", "softmax")
        if choice == "cumsum":
            self.new(f"tt.cumsum({x}, {axis}) / {shape[axis]}", shape)
        elif choice == "softmax" and self.dtype != "c64":
            self.new(f"tt.softmax({x}, axis={axis})", shape)
        elif choice == "keep" and kind != "norm":
            self.new(
                f"tt.{kind}({x}, axis={axis}, keepdims=True)",
                tuple(1 if m == axis else s for m, s in enumerate(shape)),
            )
        elif choice == "axis":
            self.new(f"tt.{kind}({x}, axis={axis})", shape[:axis] + shape[axis + 1 :])
        else:
            self.new(f"tt.{kind}({x})", ())

    def _part(self):
        x = self.name()
        items, shape = [], []
        for size in self.names[x]:
            kind = self.pick("all", "all", "at", "slice", "step", "back", "new")
            if kind == "new":
                items.append("None")
                shape.append(1)
                kind = "all"
            if kind == "at":
                items.append(str(self.random.integers(-size, size)))
            elif kind == "slice" and size > 1:
                start = int(self.random.integers(size - 1))
                stop = int(self.random.integers(start + 1, size + 1))
                items.append(f"{start}:{stop}")
                shape.append(stop - start)
            elif kind == "step":
                items.append("::2")
                shape.append(len(range(0, size, 2)))
            elif kind == "back":
                items.append("::-1")
                shape.append(size)
            else:
                items.append(":")
                shape.append(size)
        if items:
            self.new(f"{x}[{', '.join(items)}]", tuple(shape))

    def _transpose(self):
        x = self.name()
        self.new(f"{x}.T", self.names[x][::-1])

    def _stack(self):
        x = self.name()
        shape = self.names[x]
        if len(shape) == 2:
            self.new(
                f"tt.concatenate([{x}, {self.of_shape(shape)}], axis=1)", (shape[0], 2 * shape[1])
            )
        else:
            self.new(f"tt.stack([{x}, {self.of_shape(shape)}, {x}])", (3, *shape))

    def _shape(self):
        x = self.name()
        shape = self.names[x]
        total = int(np.prod(shape, dtype=int))
        wanted = self.pick((total,), (1, total), shape[::-1])
        self.new(f"{x}.reshape({', '.join(map(str, wanted))})" if wanted else f"{x} + 1", wanted)

    def _change(self):
        x = self.name()
        shape = self.names[x]
        if not shape:
            return
        y = self.new(f"{x}.copy()", shape)
        if len(shape) == 1:
            at = self.random.integers(shape[0])
            self.say(f"{y}[{at}] {self.pick('=', '+=', '*=')} {self.of_shape(())}")
        else:
            self.say(
                f"{y}[{self.random.integers(shape[0])}, :] {self.pick('=', '-=')} {self.of_shape(shape[1:])}"
            )

    def _number(self):
        self.new(self.pick("0.5", "tt.ones(()) * 2", "1.25"), ())
        if "ones" not in self.lines[-1]:
            self.names.pop(next(reversed(self.names)))

    def _loop(self):
        x = self.name()
        shape = self.names[x]
        y = self.new(f"0.5 * {x}", shape)
        turns = self.pick("range(3)", "range(70)", "range(count)", "range(1, count, 2)")
        if self.is_pure and "count" in turns:
            turns = "range(2, 7, 2)"
        self.say(f"for k{len(self.lines)} in {turns}:")
        k = self.lines[-1].split()[1]
        self.depth += 1
        other = self.of_shape(shape)
        self.say(f"{y} = 0.5 * {y} + {self.pick(other, '0.25', f'0.1 * {k}')}")
        if len(shape) == 2 and shape[0] == shape[1] and self.chance(0.5):
            self.say(f"{y} = 0.1 * {y} @ {y}.T")
        if shape and "3" in turns and self.chance(0.5) and not self.is_pure:
            self.say(f"{y}[{k} % {shape[0]}] = {self.of_shape(shape[1:])}")
        if shape and "3" not in turns and self.chance(0.3):
            self.say(f"{y} = {y} + {x}[{k} % {shape[0]}]")
        self.depth -= 1

    def _branch(self):
        x = self.name()
        shape = self.names[x]
        y = self.new(f"2 * {x}", shape)
        real = "tt.real(tt.sum({}))" if self.dtype == "c64" else "tt.sum({})"
        self.say(f"if {real.format(x)} > 0.1:")
        self.depth += 1
        self.say(f"{y} = {y} + {self.of_shape(shape)}")
        self.depth -= 1
        if self.chance(0.6):
            self.say("else:")
            self.depth += 1
            self.say(f"{y} = 0.5 * {y}")
            self.depth -= 1


def source_of(seed, statements=8, *, is_pure=False):
    """Return the source of a function, the dtype of its arguments and their shapes."""
    maker = Maker(seed, is_pure=is_pure)
    parameters = {f"a{k}": maker.shape() for k in range(maker.pick(1, 2, 3))}
    if all(not shape for shape in parameters.values()):
        parameters["a0"] = (maker.sizes[0],)
    maker.names = dict(parameters)
    for _ in range(maker.pick(2, 4, statements)):
        maker.statement()
    results = list(dict.fromkeys(maker.pick(*maker.names) for _ in range(maker.pick(1, 2, 3))))
    listed = "".join(f"{n}: tt.{maker.dtype}[{s if s else '()'}], " for n, s in parameters.items())
    body = "\n".join([*maker.lines, f"    return {', '.join(results)}"])
    text = f"@tt.batched\ndef f{seed}({listed}count: tt.i64):\n{body}\n"
    return text, maker.dtype, parameters
