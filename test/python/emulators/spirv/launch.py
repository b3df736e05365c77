"""Launches: all work-items of some work-groups at once."""

import numpy as np

from emulators.accesses import WORD_BYTES
from emulators.findings import FINDINGS, Fault
from emulators.memory import ARENA, Space, round_up
from emulators.schedule import Run, Schedule, next_epochs
from emulators.spirv.accesses import Accesses
from emulators.spirv.compiler import Compiled, Jump
from emulators.spirv.convergence import ConvergencePoints
from tinytc_mlir._tinytc import Order

ITEMS_AT_ONCE = 1024


class Launch:
    """One run of a kernel.

    Args:
        module: what the kernel belongs to.
        name: that of the kernel.
        groups: number of work-groups in x, y and z.
        local_size: number of work-items likewise.
        parameters: the bytes of each parameter.
    """

    def __init__(self, module, name, groups, local_size, parameters):
        function = module.kernels[name]
        if function not in module.compiled:
            module.compiled[function] = Compiled(module, function)
        self.module, self.compiled = module, module.compiled[function]
        modes = module.modes[function]
        if modes.get("LocalSize", list(local_size)) != list(local_size):
            FINDINGS.add("launch", f"local size {local_size}, not {modes['LocalSize']}")
        (self.subgroup_size,) = modes["SubgroupSize"]
        self._groups, self._local, self._parameters = groups, local_size, parameters
        self.items = local_size[0] * local_size[1] * local_size[2]
        self.end, self.sites = self.compiled.end, {}
        self.order = Order(since=next_epochs())
        total = groups[0] * groups[1] * groups[2]
        at_once = max(1, ITEMS_AT_ONCE // self.items)
        for first in range(0, total, at_once):
            self._run(first, min(at_once, total - first))
        FINDINGS.counts["launches"] += 1

    def _run(self, first, count):
        number = count * self.items
        self.threads = np.arange(number)
        inside, self.group_of = self.threads % self.items, self.threads // self.items
        subgroups = -(-self.items // self.subgroup_size)
        self.lane = inside % self.subgroup_size
        self.unit = self.subgroup_of = self.group_of * subgroups + inside // self.subgroup_size
        self.subgroup_items = np.bincount(self.subgroup_of)
        self.specials = self._special_values(inside, first + self.group_of)
        self.domain = (first + self.group_of).astype(np.int64)
        self.epoch = np.full(number, self.order.since, np.int64)
        self.order.set_agents(self.epoch, self.domain)
        variables = self._place_memories(count)
        namespace = self.compiled.bind(number, Accesses(self).functions())
        namespace.update(variables)
        self._pass_parameters(namespace)
        self.namespace = namespace
        schedule = Schedule(self, first)
        schedule.run(ConvergencePoints(self, schedule))
        FINDINGS.counts["instructions"] += schedule.steps

    def _special_values(self, inside, group):
        (x, y, _), (groups_x, groups_y, _) = self._local, self._groups
        local = np.stack([inside % x, inside // x % y, inside // (x * y)], -1)
        rest = group // groups_x
        place = np.stack([group % groups_x, rest % groups_y, rest // groups_y], -1)
        sizes, counts = np.array(self._local), np.array(self._groups)
        subgroups = -(-self.items // self.subgroup_size)

        def everywhere(value):
            return np.broadcast_to(value, (len(inside), *np.shape(value)))

        return {
            "LocalInvocationId": local,
            "WorkgroupId": place,
            "LocalInvocationIndex": inside,
            "GlobalInvocationId": place * sizes + local,
            "GlobalSize": everywhere(counts * sizes),
            "WorkgroupSize": everywhere(sizes),
            "NumWorkgroups": everywhere(counts),
            "GlobalOffset": everywhere(np.zeros(3, int)),
            "NumSubgroups": everywhere(subgroups),
            "SubgroupId": inside // self.subgroup_size,
            "SubgroupLocalInvocationId": self.lane,
            **dict.fromkeys(("SubgroupSize", "SubgroupMaxSize"), everywhere(self.subgroup_size)),
        }

    def _place_memories(self, count):
        """Allocate local and private memory, and return the addresses of local variables."""
        top, variables = 0, {}
        for number, space in self.module.variables.items():
            if space == "Workgroup":
                start = round_up(top, 64)
                variables[f"g{number}"] = np.uint64(start)
                top = start + self.module.type_of[number].element.size_bytes
        private_bytes = self.compiled.statements.private_bytes
        local, private = (round_up(size, 64) for size in (top, private_bytes))
        top, private_bytes = (round_up(size, WORD_BYTES) for size in (top, private_bytes))
        number = len(self.threads)
        self.spaces = {
            "CrossWorkgroup": ARENA,
            "Workgroup": Space.of_parts(count, local, top, "local memory"),
            "Function": Space.of_parts(number, private, private_bytes, "private memory"),
        }
        self.starts = {"Workgroup": self.group_of * local, "Function": self.threads * private}
        return variables

    def _pass_parameters(self, namespace):
        expected = self.compiled.parameters
        if len(self._parameters) != len(expected):
            FINDINGS.add("launch", f"{len(self._parameters)} parameters, not {len(expected)}")
            raise Fault("parameters")
        for number, raw in zip(expected, self._parameters, strict=True):
            type_ = self.compiled.types[number]
            if len(raw) != type_.size_bytes:
                FINDINGS.add("launch", f"{len(raw)} bytes for a parameter of {type_.size_bytes}")
            value = np.frombuffer(raw, type_.dtype)
            values = type_.empty(len(self.threads))
            values[...] = value if type_.is_vector else value[0]
            namespace[f"v{number}"] = values

    def leave(self, threads):
        """End work-items; a barrier waits for them all the same."""

    def execute(self, at, threads, schedule):
        """Run a segment, and have the schedule run what follows."""
        segment = self.compiled.segments[at]
        schedule.count(segment.length if isinstance(segment, Run) else 1)
        if isinstance(segment, Jump):
            self._jump(segment, threads, schedule)
        elif isinstance(segment, Run):
            self.namespace[segment.function](self._select(threads))
            schedule.go(at + 1, threads)
        else:
            schedule.convergence.arrive(at, threads)

    def _select(self, threads):
        return slice(None) if len(threads) == len(self.threads) else threads

    def _jump(self, jump, threads, schedule):
        taken = np.ones(len(threads), bool)
        if jump.condition is not None:
            taken = self.value(jump.condition, threads)
        for (segment, edge), mine in zip(
            jump.targets, (threads[taken], threads[~taken]), strict=False
        ):
            if edge and len(mine):
                self.namespace[edge](self._select(mine))
            schedule.go(segment, mine)

    def value(self, number, threads):
        """Return the value of each of some work-items."""
        if number in self.module.constants:
            value = np.asarray(self.module.constants[number])
            return np.broadcast_to(value, (len(threads), *value.shape))
        return self.namespace[f"v{number}"][threads]
