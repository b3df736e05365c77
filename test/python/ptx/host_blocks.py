"""Kernels of the nvvm stage on the host: each work-item of a block is a thread.

What lanes do together calls back: who comes must be in the mask, and all lanes of the mask have to
come with the same one. Blocks run one after the other, so that they can share local memory.
"""

import ctypes
import itertools
import re
import threading

from ptx.host_engine import HostEngine

WARP = 32
_TIMEOUT_S = 600
_IDS = tuple(f"{kind}.{mode}" for kind in ("tid", "ctaid", "nctaid") for mode in "xyz")
_ID = re.compile(r"nvvm\.read\.ptx\.sreg\.([\w.]+)[^:\n]*: i32")
_SYNC_WARP = re.compile(r"nvvm\.bar\.warp\.sync (%\w+) : i32")
_SYNC_BLOCK = re.compile(
    r"nvvm\.barrier0|nvvm\.barrier\b"
    r'|llvm\.call_intrinsic "llvm\.nvvm\.barrier\.cta[.\w]*"\(%\w+\) : \(i32\) -> \(\)'
)
_SHUFFLE = re.compile(r"nvvm\.shfl\.sync\s+(\w+) (%\w+), (%\w+), (%\w+), (%\w+) : i32 -> i32")
_REDUCE = re.compile(r"nvvm\.redux\.sync\s+(\w+) (%\w+), (%\w+) : i32 -> i32")
_FUNCTION = re.compile(r"(llvm\.func @(\w+)\()(.*)\) attributes \{.*\} \{$", re.MULTILINE)
_OTHERS = ("nvvm.", "llvm.inline_asm")
_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int32, *6 * (ctypes.c_int32,))
_KINDS = ("idx", "bfly", "up", "down", "add", "min", "max")
_SYNC, _BLOCK = 100, 101


class Exchange:
    """Lanes of a mask that exchange words."""

    def __init__(self, count):
        self.words = {}
        self.barrier = threading.Barrier(count, timeout=_TIMEOUT_S)

    def exchange(self, place, word):
        """Return the words of all once they are there."""
        self.words[place] = word
        self.barrier.wait()
        words = dict(self.words)
        self.barrier.wait()  # none goes on to the next word before all have these
        return words


class HostKernel:
    """A kernel of the nvvm stage.

    Args:
        context: the context of `stage`.
        stage: the module.
        info: what the manifest says of the kernel.
        name: name of a variant of the kernel; None is the kernel itself.
    """

    def __init__(self, context, stage, info, name=None):
        self.info = info
        self._name = name or info.name
        (kernels,) = stage.operation.regions[0].blocks[0].operations
        text = "\n".join(map(str, kernels.operation.regions[0].blocks[0].operations))
        self._callback = _CALLBACK(self._call)  # alive as long as the code that calls it
        self._errors = []
        text = self._on_the_host(text)
        self.is_supported = not any(op in text for op in _OTHERS)
        if self.is_supported:
            self._engine = HostEngine(context, text)  # owns the code
            self._function = self._engine.function(self._name)

    def _on_the_host(self, text):
        numbers = itertools.count()
        address = ctypes.cast(self._callback, ctypes.c_void_p).value

        def call(kind, mask="%thread", word="%thread", operand="%thread", clamp="%thread"):
            n = next(numbers)
            return (
                f"llvm.call %callback_{n}({', '.join(['%kind_' + str(n), mask, word, operand])}, "
                f"{clamp}, %thread) : !llvm.ptr, (i32, i32, i32, i32, i32, i32) -> i32",
                f"%address_{n} = llvm.mlir.constant({address} : i64) : i64\n"
                f"%callback_{n} = llvm.inttoptr %address_{n} : i64 to !llvm.ptr\n"
                f"%kind_{n} = llvm.mlir.constant({kind} : i32) : i32\n",
            )

        def line(text):
            if found := _SHUFFLE.search(text):
                made, before = call(_KINDS.index(found[1]), *found.groups()[1:])
            elif found := _REDUCE.search(text):
                made, before = call(_KINDS.index(found[1]), found[3], found[2])
            elif found := _SYNC_WARP.search(text):
                made, before = call(_SYNC, found[1])
            elif found := _SYNC_BLOCK.search(text):
                made, before = call(_BLOCK)
            else:
                return text
            is_value = "=" in text[: found.start()]
            result = "" if is_value else f"%unused_{next(numbers)} = "
            return before + text[: found.start()] + result + made + text[found.end() :]

        def identity(found):
            name = found[1].replace(".", "_")
            return f"llvm.bitcast %{'thread_lane' if name == 'laneid' else name} : i32 to i32"

        names = [name.replace(".", "_") for name in _IDS]
        extra = ", ".join(f"%{name}: i32" for name in [*names, "thread", "thread_lane"])
        text = "\n".join(map(line, _ID.sub(identity, text).split("\n")))
        return _FUNCTION.sub(
            lambda found: f"{found[1]}{', '.join(filter(None, [found[3], extra]))}) {{", text
        )

    def __call__(self, values, grid):
        """Run a launch.

        Args:
            values: the parameters as ctypes values, in the order of the ABI.
            grid: number of blocks in three dimensions.
        """
        block = self.info.local_size
        places = [(x, y, z) for z, y, x in itertools.product(*map(range, reversed(block)))]
        for number in itertools.product(*map(range, grid)):
            self._exchanges, self._lock = {}, threading.Lock()
            self._num_items = len(places)
            threads = [
                threading.Thread(target=self._run, args=(values, (*place, *number, *grid), item))
                for item, place in enumerate(places)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            if self._errors:
                raise AssertionError(self._errors[0])

    def _run(self, values, ids, item):
        every = [*values, *map(ctypes.c_int32, [*ids, item, item % WARP])]
        packed = (ctypes.c_void_p * len(every))(*map(ctypes.addressof, every))
        self._function(ctypes.addressof(packed))

    def _call(self, kind, mask, word, operand, clamp, item):
        try:
            return self._result(kind, mask & 0xFFFFFFFF, word, operand, clamp, item)
        except Exception as error:
            self._errors.append(repr(error))
            return 0

    def _result(self, kind, mask, word, operand, clamp, item):
        if kind == _BLOCK:
            self._exchange(None, self._num_items).exchange(item, 0)
            return 0
        warp, lane = divmod(item, WARP)
        if not mask >> lane & 1:
            raise ValueError(f"expected lane {lane} in the mask, got {mask:#x}")
        words = self._exchange((warp, mask), mask.bit_count()).exchange(lane, word)
        if kind == _SYNC:
            return 0
        name = _KINDS[kind]
        if name in ("add", "min", "max"):
            return {"add": sum, "min": min, "max": max}[name](words.values())
        size = WARP - (clamp >> 8)
        first = lane // size * size
        source = {
            "idx": first + operand % size,
            "bfly": lane ^ operand,
            "up": lane - operand,
            "down": lane + operand,
        }[name]
        return words[source if first <= source < first + size else lane]

    def _exchange(self, key, count):
        with self._lock:
            return self._exchanges.setdefault(key, Exchange(count))
