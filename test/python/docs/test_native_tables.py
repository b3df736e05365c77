"""The table of native code's speed is that of the newest run, and of no other."""

import json
import pathlib

from scripts import loaded

ROOT = pathlib.Path(__file__).parents[3]
DOCS = ROOT / "docs"
TABLES = loaded(ROOT / "bench" / "native_tables.py")
NEWEST = [
    max((ROOT / "bench" / "results").glob(f"*-native-{name}.json"))
    for name in ("zen5", "zen5-avx2")
]
RUNS = tuple(json.loads(path.read_text()) for path in NEWEST)


def test_page_has_the_table():
    page = (DOCS / "native.md").read_text()
    assert all(path.name in page for path in NEWEST)
    assert "\n".join(TABLES.speed(RUNS)) in page


def test_ratios_are_those_of_the_times():
    times = {
        "gemm.f32.8": {"1 MiB": {"native": 2.0, "libxsmm": 1.8}},
        "gemm.f32.8.padded": {"1 MiB": {"native": 2.0, "libxsmm": 1.0}},
        "gemm.c32.8": {"1 MiB": {"native": 2.0}},
    }
    chosen, _ = TABLES._KINDS["products of static sizes"]
    assert TABLES.ratios(times, "1 MiB", chosen, "libxsmm") == {"gemm.f32.8": 0.9}
