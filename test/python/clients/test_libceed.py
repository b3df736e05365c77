"""libCEED's bases and operators on this package's kernels, compared with its reference back end."""

import inspect
import itertools
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import pages
import profiles
import tinytc_mlir as tt
from clients.ceed_problems import (
    BACK_ENDS,
    MASS,
    OTHERS,
    PROBLEMS,
    REFERENCE,
    SIZES,
    libceed,
    operator,
    vector,
)
from nearness import assert_near
from tinytc_mlir.clients.libceed import build_backend

ELEMENTS = (1, 8, 5) if profiles.IS_NIGHTLY else (1, 9)


def applied(resource, basis, elements, mode, transposed, given, size):
    """Return what a basis makes of some values; the results were NaN before."""
    ceed = libceed.Ceed(resource)
    dimension, components, nodes, points = basis
    made = ceed.BasisTensorH1Lagrange(dimension, components, nodes, points, libceed.GAUSS)
    result = vector(ceed, np.full(size, np.nan))
    made.apply(elements, mode, vector(ceed, given), result, transposed)
    with result.array_read() as values:
        return values.copy()


@pytest.mark.parametrize("resource", BACK_ENDS)
@pytest.mark.parametrize("nodes, points", SIZES + OTHERS)
def test_bases(back_end, resource, nodes, points):
    """Interpolation and derivatives, in all dimensions, and their transposes."""
    rng = np.random.default_rng(nodes)
    for dimension, components, elements in itertools.product((1, 2, 3), (1, 3), ELEMENTS):
        for mode, count in ((libceed.EVAL_INTERP, 1), (libceed.EVAL_GRAD, dimension)):
            size = elements * components
            sizes = [size * nodes**dimension, size * count * points**dimension]
            for transposed in (libceed.NOTRANSPOSE, libceed.TRANSPOSE):
                given = rng.standard_normal(sizes[0])
                basis = (dimension, components, nodes, points)
                words = (basis, elements, mode, transposed, given, sizes[1])
                right = applied(REFERENCE, *words)
                assert_near(applied(resource, *words), right)
                sizes.reverse()


@pytest.mark.parametrize("names", PROBLEMS, ids=lambda names: names[1])
@pytest.mark.parametrize("resource", BACK_ENDS)
def test_operators(back_end, resource, names):
    """The integral of 1 is the volume, derivatives of 1 are 0; the rest is as before."""
    results = []
    for each in (resource, REFERENCE):
        ceed = libceed.Ceed(each)
        made, _kept, size = operator(ceed, 3, 4, 5, names)
        found = []
        for values in (np.ones(size), np.random.default_rng(5).standard_normal(size)):
            result = vector(ceed, np.full(size, np.nan))
            made.apply(vector(ceed, values), result)
            with result.array_read() as array:
                found.append(array.copy())
        results.append(found)
    (ones, actual), (_, right) = results
    assert_near(ones.sum(), float(names[4] if names[3] == 1 else 0))
    assert_near(actual, right)


def test_data_that_change(back_end):
    """The fused operator orders its data again when they have changed."""
    ceed = libceed.Ceed("/cpu/self/tinytc/fused")
    made, kept, size = operator(ceed, 3, 4, 5, MASS)
    weights, found = kept[6], []
    for _ in range(2):
        result = ceed.Vector(size)
        made.apply(vector(ceed, np.ones(size)), result)
        with result.array_read() as array:
            found.append(array.sum())
        with weights.array() as array:
            array[...] = 3.0 * array
    assert_near(np.array(found), [1.0, 3.0])


COUNTED = """
import sys, libceed
sys.path[:0] = sys.argv[2:]
from clients.ceed_problems import DIFFUSION, MASS, VECTOR_DIFFUSION, VECTOR_MASS, operator
from tinytc_mlir.clients.libceed import load_backend
load_backend(sys.argv[1])
ceed = libceed.Ceed("/cpu/self/tinytc/fused")
problems = [(each, 4, 5) for each in (MASS, DIFFUSION, VECTOR_MASS, VECTOR_DIFFUSION)]
for names, nodes, points in [*problems, (MASS, 3, 3)]:
    made, _kept, size = operator(ceed, 2, nodes, points, names)
    u, v = ceed.Vector(size), ceed.Vector(size)
    u.set_value(1.0)
    made.apply(u, v)
"""


def test_which_operators_are_fused(back_end):
    """Debug output says it: builds of data are not, nor are sizes without a kernel."""
    library = back_end / "lib" / "libceed_tinytc.so"
    folders = [str(pathlib.Path(__file__).parents[1]), *sys.path]
    words = [sys.executable, "-c", COUNTED, library, *folders]
    environment = os.environ | {"CEED_DEBUG": "1"}
    done = subprocess.run(words, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    said = [line for line in (done.stdout + done.stderr).splitlines() if "tinytc: an op" in line]
    kinds = ["one kernel" if "one kernel" in line else "another" for line in said]
    assert kinds == ["another", "one kernel"] * 4 + ["another"] * 2


def test_the_page(back_end, monkeypatch):
    """The program of the page runs, with a library that was built before."""
    signature = inspect.signature(build_backend)

    def built(*given, **options):
        assert set(signature.bind(*given, **options).arguments) == {"folder", "sizes", "targets"}
        return back_end / "lib" / "libceed_tinytc.so"

    monkeypatch.setattr("tinytc_mlir.clients.libceed.build_backend", built)
    exec("\n".join(block.text for block in pages.blocks("libceed.md", "python")), {})


HOST = """
#include <ceed.h>
#include <math.h>
#include <stdio.h>
int main(int count, char **words) {
  const char *resource;
  double worst = 0;
  const double *values;
  Ceed ceed;
  CeedBasis basis;
  CeedVector u, v;
  if (count < 2 || CeedInit(words[1], &ceed))
    return 1;
  CeedGetResource(ceed, &resource);
  CeedBasisCreateTensorH1Lagrange(ceed, 3, 1, 4, 5, CEED_GAUSS, &basis);
  CeedVectorCreate(ceed, 64, &u);
  CeedVectorCreate(ceed, 125, &v);
  CeedVectorSetValue(u, 3);
  CeedBasisApply(basis, 1, CEED_NOTRANSPOSE, CEED_EVAL_INTERP, u, v);
  CeedVectorGetArrayRead(v, CEED_MEM_HOST, &values);
  for (int i = 0; i < 125; ++i)
    worst = fmax(worst, fabs(values[i] - 3));
  CeedVectorRestoreArrayRead(v, &values);
  printf("%s %d\\n", resource, worst < 1e-14);
  CeedVectorDestroy(&u);
  CeedVectorDestroy(&v);
  CeedBasisDestroy(&basis);
  return CeedDestroy(&ceed);
}
"""


@pytest.mark.parametrize("way", ["linked", "preloaded"])
def test_a_host_in_c(back_end, way, tmp_path):
    """A program that knows nothing of the back end names it."""
    package = pathlib.Path(libceed.__file__).parent
    (tmp_path / "host.c").write_text(HOST)
    words = ["gcc", f"-I{package}/include", "host.c"]
    if way == "linked":
        words += ["-Wl,--no-as-needed", back_end / "lib" / "libceed_tinytc.so"]
    words += [package / "lib" / "libceed.so", "-lm", f"-Wl,-rpath,{back_end}/lib:{package}/lib"]
    subprocess.run([*words, "-o", "host"], check=True, cwd=tmp_path)
    preload = {} if way == "linked" else {"LD_PRELOAD": f"{back_end}/lib/libceed_tinytc.so"}
    for resource in BACK_ENDS:
        command = [tmp_path / "host", resource]
        done = subprocess.run(
            command, env=os.environ | preload, capture_output=True, text=True, check=True
        )
        assert done.stdout == f"{resource} 1\n"


def test_a_preloaded_back_end_in_python(back_end):
    """Programs in Python that are not to be changed load libCEED before the back end."""
    package = pathlib.Path(libceed.__file__).parent
    files = f"{package}/lib/libceed.so {back_end}/lib/libceed_tinytc.so"
    words = [sys.executable, "-c", "import libceed; libceed.Ceed('/cpu/self/tinytc/fused')"]
    subprocess.run(words, env=os.environ | {"LD_PRELOAD": files}, check=True)


def test_another_resource(back_end):
    """libCEED ends the process with the message, which names what there is."""
    program = (
        "import sys, libceed; from tinytc_mlir.clients.libceed import load_backend; "
        "load_backend(sys.argv[1]); libceed.Ceed('/cpu/self/tinytc/other')"
    )
    words = [sys.executable, "-c", program, back_end / "lib" / "libceed_tinytc.so"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode != 0
    assert "/cpu/self/tinytc" in done.stdout + done.stderr


@pytest.mark.parametrize("sizes", [((2, 0),), ((2,),), (("a", 2),)])
def test_wrong_sizes(sizes, tmp_path):
    with pytest.raises(tt.TinyTCError, match="expected pairs of positive integers as sizes"):
        build_backend(tmp_path, sizes=sizes)


def test_without_headers(tmp_path):
    with pytest.raises(tt.TinyTCError, match="expected libCEED's headers, ceed/backend.h among"):
        build_backend(tmp_path, include=tmp_path)


def test_without_the_package(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(tt.TinyTCError, match="expected the package libceed"):
        build_backend(tmp_path)
