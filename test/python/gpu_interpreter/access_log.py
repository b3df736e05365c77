"""The accesses to an address space between two barriers, and the checks of them.

Translated code appends an entry to the log for each access and goes on. At the next barrier
all of them are checked at once: bounds, uninitialised memory, races.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from tinytc_mlir.reference.rounding import Array

from .accesses import Accesses, AccessSite, Entry, gather
from .findings import Findings, Kind
from .memory import Memory
from .shadow import SEVERAL, Access, Batch, Conflict, Shadow

_WORDS = {
    Access.LOAD: "loaded",
    Access.STORE: "stored to",
    Access.ATOMIC: "updated atomically",
}
_NEVER = np.iinfo(np.int64).max

# The accesses of each width, by kind.
_Kinds = dict[Access, list[tuple[int, Accesses]]]


class AccessLog:
    """The accesses to an address space since the last barrier.

    Args:
        memory: the memory of the launch.
        sites: the instructions that access this address space, by number.
        findings: where faults are reported.
        buffers: numbers of the objects that are local memory.
        is_shared: whether other work-groups access the same memory.
        subgroup_size: number of work-items in a subgroup.
    """

    def __init__(
        self,
        memory: Memory,
        sites: Mapping[int, AccessSite],
        findings: Findings,
        *,
        buffers: range = range(0),
        is_shared: bool = False,
        subgroup_size: int = 1,
    ) -> None:
        self.entries: list[Entry] = []
        self._memory = memory
        self._sites = sites
        self._findings = findings
        self._buffers = buffers
        self._granule = min((each.width for each in sites.values()), default=1)
        keys = len(memory.data) // self._granule
        self._shadow = Shadow(keys)
        self._between_groups = Shadow(keys) if is_shared else None
        # Instructions that are atomic only within a subgroup, or within a work-group.
        self._in_subgroup = _with_scope(sites, ("subgroup",))
        self._in_group = _with_scope(sites, ("subgroup", "work_group"))
        self._between_subgroups = Shadow(keys) if self._in_subgroup.size else None
        self._subgroup_size = subgroup_size
        self._initialised = np.zeros(keys, bool) if buffers else None
        # First byte and end of what the pointer of an instruction is for.
        self._limits = np.zeros((2, max(sites, default=0) + 1), np.int64)
        self._limits[1] = len(memory.data)
        for number, each in sites.items():
            if each.buffer is not None:
                start = memory.starts[buffers[each.buffer]]
                self._limits[:, number] = start + np.array(each.piece)

    def enter_group(self) -> None:
        """Begin the next work-group."""
        self.synchronise()
        for number in self._buffers:
            self._memory.poison(number)
        if self._initialised is not None:
            self._initialised[:] = False

    def synchronise(self) -> None:
        """Check all accesses so far; later ones do not race with them."""
        self.check()
        self._shadow.epoch += 1
        if self._between_subgroups is not None:
            self._between_subgroups.epoch += 1

    def acquire(self, *, between_groups: bool) -> None:
        """Order later accesses after all so far, as if everybody had released them.

        Args:
            between_groups: whether accesses of other work-groups are ordered, too.
        """
        self.synchronise()
        if between_groups and self._between_groups is not None:
            self._between_groups.epoch += 1

    def check(self) -> None:
        """Check the accesses in the log, and empty it."""
        if not self.entries:
            return
        logs: dict[tuple[Access, int], list[tuple[int, Entry]]] = {}
        for time, entry in enumerate(self.entries):
            each = self._sites[entry[0]]
            logs.setdefault((each.access, each.width), []).append((time, entry))
        inside: _Kinds = {}
        for (access, width), log in logs.items():
            accesses = self._check_bounds(access, gather(log, width))
            inside.setdefault(access, []).append((width, accesses))
        self.entries.clear()
        self._check_initialised(inside)
        batches = {access: self._batch(inside[access]) for access in sorted(inside)}
        for conflict in self._shadow.note(batches):
            self._report_race(conflict)
        if self._between_subgroups is not None and Access.ATOMIC in batches:
            self._check_between_subgroups(self._between_subgroups, batches[Access.ATOMIC])
        if self._between_groups is not None:
            self._check_between_groups(self._between_groups, batches)

    def _check_bounds(self, access: Access, accesses: Accesses) -> Accesses:
        """Report accesses out of bounds; return the others."""
        addresses, sites = accesses.addresses, accesses.sites
        outside = self._memory.is_outside(addresses, accesses.bases)
        outside |= (addresses < self._limits[0, sites]) | (addresses >= self._limits[1, sites])
        if not outside.any():
            return accesses
        wrong = accesses.where(outside)
        for index in wrong.first_of_sites():
            site = self._sites[int(wrong.sites[index])]
            element = self._name(site, int(wrong.addresses[index]), int(wrong.bases[index]))
            who = _describe(int(wrong.agents[index]))
            message = f"out of bounds: {element} is {_WORDS[access]} by {who}"
            self._findings.add(Kind.BOUNDS, site.site, message)
        return accesses.where(~outside)

    def _check_initialised(self, inside: _Kinds) -> None:
        """Report loads of what nobody has stored before; note what is stored."""
        if self._initialised is None:
            return
        suspects: list[tuple[Accesses, Array, Array]] = []
        for width, loads in inside.get(Access.LOAD, []):
            keys = self._keys(loads.addresses, width)
            missing = ~self._initialised[keys]
            chosen = np.asarray(missing.any(axis=1))
            if chosen.any():
                suspects.append((loads.where(chosen), keys[chosen], missing[chosen]))
        first = np.full(len(self._initialised) if suspects else 0, _NEVER)
        for width, stores in [*inside.get(Access.STORE, []), *inside.get(Access.ATOMIC, [])]:
            keys = self._keys(stores.addresses, width)
            self._initialised[keys] = True
            if suspects:
                np.minimum.at(first, keys, stores.times[:, None])
        for loads, keys, missing in suspects:
            unset = missing & (first[keys] > loads.times[:, None])
            self._report_uninitialised(loads.where(np.asarray(unset.any(axis=1))))

    def _report_uninitialised(self, loads: Accesses) -> None:
        for index in loads.first_of_sites():
            site = self._sites[int(loads.sites[index])]
            element = self._name(site, int(loads.addresses[index]))
            who = _describe(int(loads.agents[index]))
            message = f"expected {element} to be initialised before it is loaded by {who}"
            self._findings.add(Kind.UNINITIALISED, site.site, message)

    def _keys(self, addresses: Array, width: int) -> Array:
        """Return the pieces of memory that elements consist of, a row for each element."""
        keys: Array = (addresses // self._granule)[:, None] + np.arange(width // self._granule)
        return keys

    def _batch(self, some: list[tuple[int, Accesses]]) -> Batch:
        """Return accesses of one kind piece by piece."""
        keys, agents, sites, bits = [], [], [], []
        for width, accesses in some:
            count = width // self._granule
            keys.append(self._keys(accesses.addresses, width).reshape(-1))
            agents.append(np.repeat(accesses.agents, count))
            sites.append(np.repeat(accesses.sites, count))
            if accesses.values is not None:
                bits.append(accesses.values.view(f"u{self._granule}").astype(np.uint64))
        join = np.concatenate
        return Batch(join(keys), join(agents), join(sites), join(bits) if bits else None)

    def _check_between_subgroups(self, shadow: Shadow, atomics: Batch) -> None:
        """Report atomic accesses that race with those of other subgroups."""
        numbers = np.where(
            atomics.agents == SEVERAL, SEVERAL, atomics.agents // self._subgroup_size
        )
        batch = dataclasses.replace(atomics, agents=numbers)
        for conflict in shadow.note(_by_scope({Access.ATOMIC: batch}, self._in_subgroup)):
            self._report_race(conflict, between="subgroup")

    def _check_between_groups(self, shadow: Shadow, batches: dict[Access, Batch]) -> None:
        """Report accesses that race with those of other work-groups."""
        group = self._findings.group
        of_group = {
            access: dataclasses.replace(batch, agents=np.full(len(batch.keys), group))
            for access, batch in batches.items()
        }
        for conflict in shadow.note(_by_scope(of_group, self._in_group)):
            self._report_race(conflict, between="work-group")

    def _report_race(self, conflict: Conflict, *, between: str = "work-item") -> None:
        one, other = self._sites[conflict.one.site], self._sites[conflict.other.site]
        kind = Kind.EQUAL_STORES if conflict.is_equal else Kind.RACE
        if self._findings.is_known(kind, one.site, other.site):
            return
        who = _describe(conflict.one.agent, between)
        rival = _describe(conflict.other.agent, between)
        remedy = "no barrier that fences this memory lies between"
        if between == "work-group":
            who, remedy = "this work-group", "work-groups cannot wait for each other"
        if one.access is other.access is Access.ATOMIC:
            remedy = "that is in one step only within the scope"
        element = self._name(one, conflict.key * self._granule)
        does, did = _WORDS[one.access], _WORDS[other.access]
        head = "equal stores" if conflict.is_equal else "race"
        message = f"{head}: {element} is {does} by {who} and {did} by {rival}; {remedy}"
        note = other.site.diagnostic("note", f"{did} by {rival} here")
        self._findings.add(kind, one.site, message, other=other.site, notes=[note])

    def _name(self, site: AccessSite, address: int, base: int | None = None) -> str:
        if site.buffer is None:
            return self._memory.name_element(address, base)
        start = self._memory.starts[self._buffers[site.buffer]]
        return site.name_in_piece(address - start)


def _with_scope(sites: Mapping[int, AccessSite], scopes: tuple[str, ...]) -> Array:
    """Return the numbers of the atomic instructions with some scopes."""
    found = (n for n, each in sites.items() if each.access is Access.ATOMIC)
    return np.array([n for n in found if sites[n].scope in scopes], np.int64)


def _by_scope(batches: Mapping[Access, Batch], narrow: Array) -> dict[Access, Batch]:
    """Return the batches with the atomics of some instructions apart."""
    result = dict(batches)
    atomics = batches.get(Access.ATOMIC)
    if atomics is None or not narrow.size:
        return result
    chosen = np.isin(atomics.sites, narrow)
    for access, mask in ((Access.ATOMIC, ~chosen), (Access.NARROW, chosen)):
        result.pop(access, None)
        if mask.any():
            some = (atomics.keys[mask], atomics.agents[mask], atomics.sites[mask])
            result[access] = Batch(*some)
    return {access: result[access] for access in sorted(result)}


def _describe(agent: int, word: str = "work-item") -> str:
    return f"several {word}s" if agent == SEVERAL else f"{word} {agent}"
