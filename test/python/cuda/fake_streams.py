"""Streams and events of the fake driver."""

import itertools


class Handle:
    """An object of the driver, which callers see as a number."""

    def __init__(self, number):
        self.number = int(number)

    def __int__(self):
        return self.number

    def __repr__(self):
        return f"<{type(self).__name__} {self.number:#x}>"


class CUdevice(Handle):
    """A device."""


class CUstream(Handle):
    """A stream."""


class CUevent(Handle):
    """An event."""


class Streams:
    """Streams whose actions run when somebody waits for them, the youngest stream first."""

    def __init__(self):
        self.streams = {}  # by number: actions to come, and the device
        self.events = {}
        self._numbers = itertools.count(0x1000)
        self._begun = itertools.count()

    def cuStreamCreate(self, flags):
        assert flags in (0, 1)  # 1 waits for no other stream
        stream = CUstream(next(self._numbers))
        self.streams[int(stream)] = ([], self._device())
        return stream

    def cuStreamGetDevice(self, stream):
        return CUdevice(self.streams[int(stream)][1])

    def _push(self, stream, action):
        self.streams.setdefault(int(stream), ([], self._device()))[0].append(action)

    def cuEventCreate(self, flags):
        event = CUevent(next(self._numbers))
        self.events[int(event)] = {"is_timed": flags == 0, "record": {"time": 0}}
        return event

    def cuEventRecord(self, event, stream):
        # Who waits for an event waits for its last record, also if another follows.
        record = self.events[int(event)]["record"] = {"time": None}
        self._push(stream, lambda: record.update(time=next(self._begun)))

    def cuStreamWaitEvent(self, stream, event, flags):
        record = self.events[int(event)]["record"]
        self._push(stream, lambda: record["time"] is not None)

    def cuEventQuery(self, event):
        return (600,) if self.events[int(event)]["record"]["time"] is None else None

    def cuEventSynchronize(self, event):
        record = self.events[int(event)]["record"]
        while record["time"] is None:
            self._advance()

    def cuEventElapsedTime(self, begin, end):
        begin, end = self.events[int(begin)], self.events[int(end)]
        assert begin["is_timed"]
        return float(end["record"]["time"] - begin["record"]["time"])

    def cuStreamSynchronize(self, stream):
        while self.streams[int(stream)][0]:
            self._advance()

    def _drain(self):
        while any(actions for actions, _ in self.streams.values()):
            self._advance()

    def _advance(self):
        """Run one action of the youngest stream that has one and may go on."""
        for actions, _ in reversed(list(self.streams.values())):
            if actions and actions[0]() is not False:
                actions.pop(0)
                return
        raise AssertionError("streams wait for each other")
