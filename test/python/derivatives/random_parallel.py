"""How kernels at random use subgroups and cooperative matrices."""

from random_tensors import KINDS, SHARED, TOTAL, WRITTEN

_SUBGROUPS = ((16, 1), (16, 1), (16, 2), (32, 1))  # work-items, and subgroups of a group
_SHAPES = ((16, 8), (16, 4), (16, 16), (32, 4), (8, 8), (16, 1), (4, 16))
_COMPONENTWISE = ("add", "sub", "mul", "mul")


def _require_subgroups(m):
    """Fix the size of subgroups: the derivatives of a kernel have the same."""
    if not m.attributes:
        m.subgroup_size, m.subgroups = m.rng.choice(_SUBGROUPS)
        width = m.subgroup_size * m.subgroups
        m.attributes = (
            f" attributes {{subgroup_size={m.subgroup_size}, work_group_size=[{width}, 1]}}"
        )


class Matrices:
    """Values of one `parallel` region: numbers of work-items, numbers of subgroups, matrices."""

    def __init__(self, maker):
        self.maker, self.rng = maker, maker.rng
        self.uniform, self.varying = ["%quarter", *maker.scalars], []
        self.shape = self.rng.choice(_SHAPES)
        self.matrices = []  # of the shape, for components of results
        kinds = (TOTAL,) if self.rng.random() < 0.1 else WRITTEN
        self.adds = kinds == (TOTAL,) or maker.subgroups > 1 or self.rng.random() < 0.4
        self.dest = maker.tensor(self.shape if self.rng.random() < 0.6 else None, kinds)
        while len(self.dest.shape) != 2:
            self.dest = maker.tensor((maker.size(), maker.size()), kinds)
        self.result_place = self.place(self.dest, self.shape)
        if self.adds or self.rng.random() < 0.5:
            self.load_another()
        else:  # in place
            modifiers, indices = self.result_place
            text = f"cooperative_matrix_load{modifiers} {maker.same(self.dest).name}[{indices}]"
            self.keep(self.assign(text))

    def type(self, use="matrix_acc", shape=None, component=None):
        rows, columns = shape or self.shape
        return f"coopmatrix<{component or self.maker.type}x{rows}x{columns},{use}>"

    def assign(self, text, use="matrix_acc", shape=None):
        return self.maker.assign(f"{text} : {self.type(use, shape)}")

    def source(self, shape=None):
        """Return a matrix in memory that the region does not write."""
        m = self.maker
        shape = shape or self.shape
        if self.rng.random() < 0.5:
            shape = (m.size(), m.size())
        kinds = KINDS if m.depth == 1 else (SHARED,)  # which no other instruction writes either
        return m.tensor(shape, kinds, apart_from=(self.dest,))

    def place(self, tensor, shape):
        """Return the modifiers and the indices of an access to a matrix in memory."""
        rows, columns = tensor.shape
        flips = self.rng.random() < 0.4
        extent = shape[::-1] if flips else shape
        x, y = self.rng.choice(((0, 0), (self.rng.randrange(rows), self.rng.randrange(columns))))
        fits = (x + extent[0] <= rows, y + extent[1] <= columns)
        if flips:
            fits = fits[::-1]
        checked = {(True, True): "", (False, True): ".rows_checked", (True, False): ".cols_checked"}
        return (".t" if flips else ".n") + checked.get(fits, ".both_checked"), f"{x}, {y}"

    def load(self, tensor, use, shape=None):
        shape = shape or self.shape
        modifiers, indices = self.place(tensor, shape)
        return self.assign(
            f"cooperative_matrix_load{modifiers} {tensor.name}[{indices}]", use, shape
        )

    def matrix(self):
        return self.rng.choice(self.matrices[-2:])

    def keep(self, matrix):
        self.matrices.append(matrix)

    # Matrices --------------------------------------------------------------------------------

    def load_another(self):
        self.keep(self.load(self.source(), "matrix_acc"))

    def add(self):
        if self.rng.random() < 0.3:
            words = ("neg", "conj") if self.maker.type == "c64" else ("neg", "abs")
            return self.keep(self.assign(f"{self.rng.choice(words)} {self.matrix()}"))
        words = _COMPONENTWISE if self.maker.type == "c64" else (*_COMPONENTWISE, "min", "max")
        word = self.rng.choice(words)
        return self.keep(self.assign(f"{word} {self.matrix()}, {self.matrix()}"))

    def scale(self):
        scalar = self.rng.choice(self.uniform)
        self.keep(self.assign(f"cooperative_matrix_scale {scalar}, {self.matrix()}"))

    def construct(self):
        self.keep(self.assign(f"cooperative_matrix_construct {self.rng.choice(self.uniform)}"))

    def factors(self):
        """Return two factors: of what is not in memory, the other factor is constant."""
        rows, columns = self.shape
        inner = self.rng.choice((1, 4, 8, 16))
        a_shape, b_shape = (rows, inner), (inner, columns)

        def constant(use, shape):
            return self.maker.assign(
                f"constant {self.maker.literal(0.25)} : {self.type(use, shape)}"
            )

        form = self.rng.choice(("loaded", "loaded", "constant a", "constant b", "computed"))
        if form == "computed" and columns in (1, 4, 8, 16):
            computed = self.assign(f"cast {self.matrix()}", "matrix_a")
            return computed, constant("matrix_b", (columns, columns))
        a = (
            constant("matrix_a", a_shape)
            if form == "constant a"
            else self.load(self.source(a_shape), "matrix_a", a_shape)
        )
        b = (
            constant("matrix_b", b_shape)
            if form == "constant b"
            else self.load(self.source(b_shape), "matrix_b", b_shape)
        )
        return a, b

    def mul_add(self):
        a, b = self.factors()
        self.keep(self.assign(f"cooperative_matrix_mul_add {a}, {b}, {self.matrix()}"))

    def loop(self):
        """Add products in a loop that carries their sum."""
        m = self.maker
        carried, result, start = m.name(), m.name(), self.matrix()
        head = f"{result} = for {m.name()} = 0, {self.rng.randint(0, 3)} init({carried} = {start})"
        m.put(f"{head} -> ({self.type()}) {{")
        m.depth += 1
        a, b = self.factors()
        value = self.assign(f"cooperative_matrix_mul_add {a}, {b}, {carried}")
        if self.rng.random() < 0.5:
            value = self.assign(
                f"cooperative_matrix_scale {self.rng.choice(self.uniform)}, {value}"
            )
        m.put(f"yield ({value})")
        m.depth -= 1
        m.put("}")
        self.keep(result)

    def apply(self):
        m = self.maker
        row, column, p, q = (m.name() for _ in range(4))
        result = m.name()
        matrices = f"{self.matrix()}, {self.matrix()}"
        names = ", ".join((row, column, p, q))
        m.put(f"{result} = cooperative_matrix_apply ({names}) = {matrices} -> {self.type()} {{")
        m.depth += 1
        value = m.expression([p, q, *self.uniform])
        if self.rng.random() < 0.5:
            is_upper = m.assign(f"less_than {row}, {column} : bool")
            value = m.assign(f"select {is_upper}, {value}, {p} : {m.type}")
        m.put(f"yield ({value})")
        m.depth -= 1
        m.put("}")
        self.keep(result)

    def round(self):
        """Cast to single precision, and back."""
        m = self.maker
        single = {"f64": "f32", "c64": "c32"}[m.type]
        m.rounds = True
        narrow = m.assign(f"cast {self.matrix()} : {self.type(component=single)}")
        narrow = m.assign(f"add {narrow}, {narrow} : {self.type(component=single)}")
        self.keep(self.assign(f"cast {narrow}"))

    def components(self):
        """Extract a component, and insert another."""
        rows, columns = self.shape
        count = rows * columns // self.maker.subgroup_size
        if rows % self.maker.subgroup_size or count == 0:
            return self.add()
        number = self.rng.randrange(count)
        self.varying.append(
            self.maker.assign(
                f"cooperative_matrix_extract {self.matrix()}[{number}] : {self.maker.type}"
            )
        )
        scalar = self.rng.choice([*self.varying, *self.uniform])
        text = f"cooperative_matrix_insert {scalar}, {self.matrix()}[{number}]"
        return self.keep(self.assign(text))

    def reduce(self):
        rows, columns = self.shape
        mode, shape = self.rng.choice((("row", (rows, 1)), ("column", (1, columns))))
        total = self.assign(
            f"cooperative_matrix_reduce_add.{mode} {self.matrix()}", "matrix_acc", shape
        )
        self.store(total, ".atomic_add", shape)

    # Numbers of work-items -------------------------------------------------------------------

    def lane(self):
        """Load an element for each work-item."""
        m = self.maker
        name, shape, *_ = self.source()
        lane = m.assign("subgroup_local_id : i32")
        indices = []
        for size in shape:
            top = m.assign(f"constant {size} : i32")
            rest = m.assign(f"arith.rem {lane}, {top} : i32")
            indices.append(m.assign(f"cast {rest} : index"))
        self.varying.append(m.assign(f"load {name}[{', '.join(indices)}] : {m.type}"))

    def compute(self):
        if not self.varying:
            return self.lane()
        return self.varying.append(self.maker.expression([*self.varying, *self.uniform]))

    def subgroup(self):
        if not self.varying:
            self.lane()
        m, value = self.maker, self.rng.choice(self.varying)
        words = ["add.reduce", "add.inclusive_scan", "add.exclusive_scan", "broadcast"]
        if m.type != "c64":
            words += ["min.reduce", "max.reduce"]
        word = self.rng.choice(words)
        if word == "broadcast":
            lane = m.assign(f"constant {self.rng.randrange(m.subgroup_size)} : i32")
            self.uniform.append(m.assign(f"subgroup_broadcast {value}, {lane} : {m.type}"))
            return
        result = m.assign(f"subgroup_{word} {value} : {m.type}")
        (self.uniform if word.endswith("reduce") else self.varying).append(result)

    def add_to_memory(self):
        value = self.rng.choice([*self.varying, *self.uniform])
        place = ", ".join(str(self.rng.randrange(size)) for size in self.dest.shape)
        if self.rng.random() < 0.5:
            self.maker.put(f"store.atomic_add {value}, {self.dest.name}[{place}]")
        else:
            text = f"atomic_add{self.scope()} {value}, {self.dest.name}[{place}]"
            self.maker.assign(f"{text} : {self.maker.type}")

    def scope(self):
        return ".device" if self.dest.kind == TOTAL else ""

    # Results ---------------------------------------------------------------------------------

    def store(self, matrix, flag, shape=None):
        modifiers, indices = self.place(self.dest, shape) if shape else self.result_place
        operands = f"{matrix}, {self.dest.name}[{indices}]"
        if flag and self.rng.random() < 0.3:
            name = f"cooperative_matrix_atomic_add{modifiers}{self.scope()}"
            self.assign(f"{name} {operands}", "matrix_acc", shape)
        else:
            self.maker.put(f"cooperative_matrix_store{modifiers}{flag} {operands}")


def work_items(m):
    """Write a `parallel` region."""
    _require_subgroups(m)
    m.put("parallel {")
    m.depth += 1
    made = Matrices(m)
    choices = [made.load_another, made.add, made.add, made.scale, made.construct, made.mul_add]
    choices += [made.mul_add, made.loop, made.apply, made.components, made.reduce, made.lane]
    choices += [made.compute, made.subgroup, made.subgroup, made.add_to_memory]
    refused = [made.mul_add] * m.nests + [made.reduce, made.add_to_memory] * (not made.adds)
    choices = [c for c in choices if c not in refused]
    for _ in range(m.rng.randint(2, 6)):
        m.rng.choice(choices)()
    if m.rng.random() < 0.05:
        made.round()
    made.store(made.matrices[-1], ".atomic_add" if made.adds else "")
    m.depth -= 1
    m.put("}")


def tile_loop(m):
    """Write a `foreach_tile` loop."""
    _require_subgroups(m)
    dest = m.written((m.size(), m.size()))
    source = m.tensor(dest.shape, apart_from=(dest,))
    i, j, rows, columns = (m.name() for _ in range(4))
    top = ", ".join(map(str, dest.shape))
    head = f"foreach_tile ({i}, {j}) = (0, 0), ({top}) as ({rows}, {columns})"
    m.put(f"{head} <= ({m.subgroup_size}, 4) {{")
    m.depth += 1
    type_ = f"coopmatrix<{m.type}x{m.subgroup_size}x4,matrix_acc>"
    x, y = (
        m.assign(f"cooperative_matrix_load.both_checked {tensor.name}[{i}, {j}] : {type_}")
        for tensor in (source, dest)
    )
    value = m.assign(f"{m.rng.choice(_COMPONENTWISE)} {x}, {y} : {type_}")
    scalar = m.rng.choice(["%quarter", *m.scalars])
    value = m.assign(f"cooperative_matrix_scale {scalar}, {value} : {type_}")
    flag = m.rng.choice(("", ".atomic_add"))
    m.put(f"cooperative_matrix_store.both_checked{flag} {value}, {dest.name}[{i}, {j}]")
    m.depth -= 1
    m.put("}")
