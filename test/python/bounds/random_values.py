"""Writes random integers and conditions of groups, sizes, scalars and loops."""

import dataclasses

import numpy as np

DTYPES = {"i8": np.int8, "i32": np.int32, "i64": np.int64, "index": np.int64}


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel.

    Args:
        name: its name.
        kind: "memref", "group", "indices" (an array of indices) or an integer type.
        shape: sizes, None for `?`.
        padding: of the static shape: elements between columns.
        members: of a group: number of members, None for `?`.
    """

    name: str
    kind: str
    shape: tuple = ()
    padding: int = 0
    members: int | None = None

    @property
    def memref(self):
        """The type of the array, or of a member."""
        sizes = "".join(f"x{_text(size)}" for size in self.shape)
        if not self.padding:
            return f"memref<f32{sizes}>"
        strides = [1]
        for size in self.shape[:-1]:
            strides.append(strides[-1] * size + (self.padding if len(strides) == 1 else 0))
        return f"memref<f32{sizes},strided<{','.join(map(str, strides))}>>"

    @property
    def text(self):
        """The declaration."""
        types = {
            "memref": self.memref,
            "group": f"group<{self.memref}x{_text(self.members)}>",
            "indices": "memref<indexx?>",
        }
        return f"%{self.name}: {types.get(self.kind, self.kind)}"


@dataclasses.dataclass(frozen=True)
class View:
    """A memref in a kernel: its name and its sizes, None for `?`."""

    name: str
    shape: tuple
    is_local: bool = False

    @property
    def memref(self):
        """Its type, with unknown strides."""
        sizes = "".join(f"x{_text(size)}" for size in self.shape)
        strides = ",".join("?" * len(self.shape))
        space = ",local" if self.is_local else ""
        return f"memref<f32{sizes},strided<{strides}>{space}>" if sizes else "memref<f32>"


def _text(size):
    return "?" if size is None else str(size)


class ValueMaker:
    """Writes the head of a kernel, and values.

    Args:
        rng: decides everything.
    """

    def __init__(self, rng):
        self.rng = rng
        self.lines = []
        self.count = 0
        self.parameters = [self._parameter(n) for n in range(rng.randint(1, 3))]
        self.parameters += [Parameter(name, rng.choice(list(DTYPES))) for name in ("n", "m")]
        if rng.random() < 0.3:
            self.parameters.append(Parameter("I", "indices"))
        self.optional = {
            p.name for p in self.parameters if p.kind in ("memref", "group") and rng.random() < 0.15
        }
        # Values that are known at a place: integers, those of lanes, booleans, and memrefs.
        self.integers, self.lanes, self.memrefs = [], [], []
        self.is_spmd = self.is_divergent = False
        self._head()

    @property
    def text(self):
        """The program."""
        parameters = ", ".join(["%x: f32", *(p.text for p in self.parameters)])
        body = "\n".join(self.lines)
        attributes = "attributes{subgroup_size=4,work_group_size=[8,1]}"
        return f"func @f({parameters}) {attributes} {{\n{body}\n}}"

    def _parameter(self, number):
        rng = self.rng
        kind = rng.choice(["memref", "memref", "memref", "group"])
        order = rng.randint(1, 3)
        shape = tuple(rng.choice([None, None, rng.randint(1, 9)]) for _ in range(order))
        padding = 0
        if rng.random() < 0.2 and order > 1:
            shape = tuple(rng.randint(1, 9) for _ in range(order))
            padding = rng.randint(1, 4)
        members = rng.choice([None, None, rng.randint(1, 6)])
        return Parameter("ABC"[number], kind, shape, padding, members)

    def _head(self):
        for number in (0, 1, 2, 3, 4, 7):
            self.lines.append(f"%k{number} = constant {number} : index")
        self.integers += ["%k0", "%k1", "%k2", "%k3", "%k4"]
        self.integers += [self._let("group_id", "g"), *["%g1"] * 3]
        if self.rng.random() < 0.3:
            self.integers.append(self._let("group_id.y", "h"))
        for name in "nm":
            kind = next(p.kind for p in self.parameters if p.name == name)
            cast = f"%{name}" if kind == "index" else self._let(f"cast %{name}")
            self.integers.append(cast)
        for p in self.parameters:
            if p.kind != "memref":
                continue
            self.memrefs.append(View(f"%{p.name}", p.shape))
            if p.name not in self.optional or self.rng.random() < 0.5:
                mode = self.rng.randrange(len(p.shape))
                self.integers.append(self._let(f"size %{p.name}[{mode}]"))
        if self.rng.random() < 0.2:
            local = View(self._name("l"), (self.rng.randint(2, 9),), is_local=True)
            self.lines.append(f"{local.name} = alloca : memref<f32x{local.shape[0]},local>")
            self.memrefs.append(local)

    def _name(self, prefix="v"):
        self.count += 1
        return f"%{prefix}{self.count}"

    def _let(self, text, prefix="v", type_="index"):
        name = self._name(prefix)
        self.lines.append(f"{name} = {text} : {type_}")
        return name

    def _integer(self, depth=0, *, is_uniform=False):
        """Return an integer, which may be written before."""
        rng = self.rng
        if self.lanes and not is_uniform and rng.random() < 0.4:
            known = rng.choice(self.lanes)
        else:
            known = rng.choice(self.integers)
        if depth > 2 or rng.random() < 0.5:
            return known
        other = self._integer(depth + 1, is_uniform=is_uniform)
        if rng.random() < 0.08 and any(p.kind == "indices" for p in self.parameters):
            return self._let(f"load %I[{known}]")
        if rng.random() < 0.1:
            narrow = self._let(f"cast {known}", type_=rng.choice(["i32", "i16", "i64"]))
            return self._let(f"cast {narrow}")
        word, operand = rng.choice(
            [
                *[("add", other), ("add", other), ("sub", other), ("sub", "%k1"), ("mul", other)],
                *[("mul", "%k2"), ("mul", "%k3"), ("min", other), ("max", other), ("min", "%k4")],
                *[("div", "%k2"), ("div", "%k3"), ("rem", "%k4"), ("rem", "%k2"), ("and", "%k3")],
            ]
        )
        return self._let(f"arith.{word} {known}, {operand}")

    def _condition(self):
        rng = self.rng
        if self.optional and rng.random() < 0.4:
            name = rng.choice(sorted(self.optional))
            condition = self._let(f"associated %{name}", "b", "bool")
        else:
            word = rng.choice(["lt", "le", "gt", "ge", "lt", "eq", "ne"])
            a, b = self._integer(), self._integer()
            condition = self._let(f"cmp.{word} {a}, {b}", "b", "bool")
        if rng.random() < 0.2:
            other = self._condition()
            condition = self._let(
                f"arith.{rng.choice(['and', 'or'])} {condition}, {other}", "b", "bool"
            )
        return self._let(f"arith.not {condition}", "b", "bool") if rng.random() < 0.1 else condition
