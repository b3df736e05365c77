"""Routines that a generator writes, each once."""


class GpuRoutineGenerator:
    def target(self):
        return "gpu"


class RoutineCache:
    def __init__(self):
        self.routines = {}

    def addRoutine(self, name, generator):
        self.routines.setdefault(name, generator)

    def generate(self, cpp, path):
        """Write all routines to a file; `cpp` writes its first lines."""
        for generator in {type(each): each for each in self.routines.values()}.values():
            generator.header(cpp)
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(f"{line}\n" for line in cpp.lines))
        return [generator(name, path) for name, generator in self.routines.items()]


class TinytcWriter(GpuRoutineGenerator):
    def __init__(self, signature, source):
        self._signature, self._source = signature, source

    def header(self, cpp):
        for name in ("tinytc/tinytc.hpp", "tinytc/tinytc_sycl.hpp", "sycl/sycl.hpp", "stdexcept"):
            cpp.include(name)

    def __call__(self, routine_name, file_name):
        with open(file_name, "a", encoding="utf-8") as file:
            file.write(self._source)
        return self._signature
