"""Imports of the package point down, go in no circle, and keep to the module that may."""

import ast
import functools
import graphlib
import itertools
import pathlib
import re

import tinytc_mlir

ROOT = pathlib.Path(__file__).parents[2]
PACKAGE = pathlib.Path(tinytc_mlir.__file__).parent
NAME = "tinytc_mlir"
#: What a function, or a checker of types, imports from above, as docs/architecture.md says.
EXCEPTIONS = {
    *(("compiler", name) for name in ("explore", "tuning", "verification")),
    ("tuning", "explore"),
    ("runtime", "verification"),
}
#: Kernels in Python, which take their language from the root package as those of users do.
KERNELS = {"recipes.ozaki_kernels"}
EXTENSIONS = {"_arrays", "_scalars_gen", "_tinytc"}
#: Who alone imports a library, at any level.
OWNERS = {"dpctl": {"runtime.spirv.sycl_devices"}, "tinytc_bench": {"cli.bench"}}
#: Packages that must work where MLIR is not installed.
WITHOUT_MLIR = (
    "cache",
    "child_processes",
    "errors",
    "files",
    "program_cache",
    "runtime",
    "scalars",
    "switches",
)


@functools.cache
def modules():
    """Return the modules below the package, by their names without it: name -> tree."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if not parts[-1].endswith("_gen"):
            found[name] = (path, ast.parse(path.read_text()))
    return found


def resolved(node, name, is_package):
    """Yield the absolute names that an import statement imports."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
        return
    base = node.module or ""
    if node.level:
        parts = [NAME, *name.split(".")] if name else [NAME]
        parts = parts[: len(parts) - node.level + is_package]
        base = ".".join([*parts, *filter(None, [node.module])])
    for alias in node.names:
        inner = f"{base}.{alias.name}"
        is_module = inner.removeprefix(f"{NAME}.") in (*modules(), *EXTENSIONS)
        yield inner if is_module else base


NOW, FOR_TYPES, LATER = KINDS = ("when it is imported", "for types", "in functions")


@functools.cache
def all_imports(name):
    """Return when a module imports, and the absolute names of what."""
    path, tree = modules()[name]
    kind_of = {}
    for node in ast.walk(tree):  # from the outside to the inside
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            kind_of |= dict.fromkeys(ast.walk(node), FOR_TYPES)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            kind_of |= dict.fromkeys(ast.walk(node), LATER)
    return [
        (kind_of.get(node, NOW), target)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for target in resolved(node, name, path.name == "__init__.py")
    ]


def imports(name, *kinds):
    """Yield the absolute names that a module imports at these times."""
    yield from (target for kind, target in all_imports(name) if kind in kinds)


def own(name, *kinds):
    """Yield the modules of the package that a module imports, without the name of the package."""
    for target in imports(name, *kinds):
        if target == NAME or target.startswith(f"{NAME}."):
            yield target.removeprefix(NAME).removeprefix(".")


def package_of(name):
    return name.split(".")[0]


@functools.cache
def ranks():
    """Return the ranks of packages, the lowest first, as the documentation has them."""
    text = (ROOT / "docs" / "architecture.md").read_text()
    block = re.search(r"a test reads it here:\n\n```\n(.*?)```", text, re.DOTALL).group(1)
    lines = [line.split() for line in reversed(block.splitlines())]
    return {name: rank for rank, names in enumerate(lines) for name in names}


def test_the_order_names_every_package():
    assert set(ranks()) == {package_of(name) for name in modules() if name} | EXTENSIONS


def test_imports_point_down():
    for name, kind in itertools.product(filter(None, modules()), KINDS):
        package = package_of(name)
        for target in own(name, kind):
            below = package_of(target)
            if below == package or (kind != NOW and (package, below) in EXCEPTIONS):
                continue
            if not target:
                assert name in KERNELS, f"{name} imports the root package"
                continue
            assert ranks()[below] < ranks()[package], f"{name} imports {target}"


def test_no_circles():
    graph = {}
    for name in filter(None, modules()):
        targets = set(own(name, NOW, FOR_TYPES))
        # Importing a module runs the packages that it is in.
        parents = {package_of(target) for target in targets} - {package_of(name)}
        later = {
            target
            for target in own(name, LATER)
            if (package_of(name), package_of(target)) not in EXCEPTIONS
        }
        graph[name] = {target for target in targets | parents | later if target in modules()}
    order = list(graphlib.TopologicalSorter(graph).static_order())
    assert set(order) >= set(graph)


def test_the_root_is_light():
    assert set(own("", NOW)) == {"runtime.spirv.driver", "switches", "version"}
    assert set(own("runtime.spirv.driver", NOW)) == {"runtime.installed_packages"}
    assert not {*own("runtime.installed_packages", NOW), *own("switches", NOW)}


def test_libraries_have_one_owner():
    for name in modules():
        for target in imports(name, *KINDS):
            library = target.split(".")[0]
            assert name in OWNERS.get(library, {name}), f"{name} imports {target}"
            if package_of(name) in WITHOUT_MLIR:
                assert library != "mlir", f"{name} imports {target}"
