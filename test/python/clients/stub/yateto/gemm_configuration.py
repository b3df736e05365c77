"""Tools for products, of which a collection chooses one."""


class Preference:
    HIGHEST, HIGH, MODERATE, LOW, LOWEST = 4, 3, 2, 1, 0


class GemmTool:
    def __init__(self, operation_name, includes=()):
        self.operation_name, self.includes = operation_name, list(includes)


class BLASlike(GemmTool):
    def __init__(self, prefix, includes, c_code_init=""):
        super().__init__(prefix, includes)
        self.prefix, self.c_code_init = prefix, c_code_init


class CodeGenerator(GemmTool):
    pass


class tinytc(CodeGenerator):
    def __init__(self, arch):
        super().__init__("")
        self._arch = arch

    def archSupported(self):
        return self._arch.backend == "oneapi"

    def preference(self, *_):
        return Preference.HIGHEST

    def supported(self, *given):
        is_dense = not (given[3] or given[4])
        return self.archSupported() and is_dense and given[-1] == "gpu"


class GeneratorCollection:
    def __init__(self, gemmTools):
        self.gemmTools, self.selected = gemmTools, set()

    def getGemmTool(self, *given):
        tools = [tool for tool in self.gemmTools if tool.supported(*given)]
        tool = max(tools, key=lambda each: each.preference(*given), default=None)
        self.selected |= {tool} - {None}
        return tool
