"""Changes of pages on their way to the site: wide tables are split, and measurements get plots."""

import html
import json
import math
import pathlib
import re

_TABLE = re.compile(r"^\|.*\|\n\| ?[-: |]+\|\n(?:\|.*\|\n)+", re.M)
_LINK = re.compile(r"^\[([\w ]+)\]\(([\w/]+)\.json\)$", re.M)
_PAGE = re.compile(r"^\| \[\]\(([\w/-]+)\.md\) \| (.*) \|$", re.M)
_SUMMARY = "Small tensors in batches: kernels in Python for CPUs, GPUs, PyTorch, JAX and C."
_WIDTH, _ROW, _TOP = 720, 22, 26
_CHARACTER = 6.8  # mean width of a letter in a label
#: What is drawn of a table: the first of these columns that it has, and what the axis is called.
_COLUMNS = {
    "GFLOP/s": "GFLOP/s, or GB/s where nothing is computed",
    "measured": "measured over goal, or goal over measured for limits",
    "an FMA": "instructions for each multiply-add",
    "binary ms": "milliseconds from text to SPIR-V and its manifest",
    "driver ms": "milliseconds in the driver",
    "call us": "microseconds of a call",
    "ms": "milliseconds",
    "in epsilons": "largest error, in epsilons",
    "torch": "how many times as long PyTorch takes",
}
_STYLE = """
.page { fill: #ffffff } .t { fill: #1d2433 } .s { fill: #667085 } .g { stroke: #d6dae3 }
.one { stroke: #c0392b }
circle { fill: #2f5bea; fill-opacity: 0.65 } .second { fill: #e08a1e }
text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif }
@media (prefers-color-scheme: dark) {
  .page { fill: #14181e } .t { fill: #e4e8f1 } .s { fill: #94a0b8 } .g { stroke: #2f3747 }
  circle { fill: #86a6ff }
  .second { fill: #f0a23b }
}
"""


def change(app, name, source):
    """Change the text of a page, for Sphinx's event `source-read`."""
    source[0] = with_tables(source[0], pathlib.Path(app.srcdir))
    if name == "instructions":
        source[0] = _TABLE.sub(_split, source[0], count=1)
    elif name == "measurements":
        folder = pathlib.Path(app.srcdir) / "generated" / "plots"
        folder.mkdir(parents=True, exist_ok=True)
        source[0] = with_plots(source[0], folder)


def leave_out_of_search(app, _doctree):
    """Keep the pages of decisions out of the site's search, for Sphinx's event `doctree-read`."""
    name = app.env.docname
    if name.startswith("decisions/"):
        app.env.metadata[name]["no-search"] = ""


def write_llms(app, failed):
    """Write `llms.txt`, a list of pages for language models, for the event `build-finished`."""
    if failed or app.builder.format != "html":
        return
    lines = ["# tinytc-mlir", "", f"> {_SUMMARY}"]
    for name in ("guide", "language/index", "reference", "internals"):
        title = app.env.titles[name].astext()
        lines += ["", f"## {title}", ""]
        told = dict(_PAGE.findall((app.srcdir / f"{name}.md").read_text(encoding="utf-8")))
        for page in app.env.toctree_includes[name]:
            about = told.get(page, "")
            link = f"- [{app.env.titles[page].astext()}](_sources/{page}.md.txt)"
            lines.append(f"{link}: {about}" if about else link)
    (pathlib.Path(app.outdir) / "llms.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")


def rows_of(table):
    """Return the cells of a table of Markdown, row by row, the heads first."""
    lines = [line for i, line in enumerate(table.strip().splitlines()) if i != 1]
    return [[cell.strip() for cell in line.strip()[1:-1].split("|")] for line in lines]


def _split(match):
    """Return the table of instructions as two: what they become, and their types."""
    head, *rows = rows_of(match[0])
    first = head.index("types")
    columns = {"What they become": [*range(first)], "Their types": [0, *range(first, len(head))]}
    return "\n".join(
        f"## {title}\n\n" + _table([[row[i] for i in places] for row in (head, *rows)])
        for title, places in columns.items()
    )


def _table(rows):
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|---" * len(rows[0]) + "|", *lines[1:], ""])


def with_tables(text, folder):
    """Return a page with tables in place of links to them, `[name](file.json)`.

    Numbers are written as they are in the file.
    """

    def table(match):
        data = (folder / f"{match[2]}.json").read_text(encoding="utf-8")
        found = json.loads(data, parse_float=str, parse_int=str)[match[1]]
        return _table([found["columns"], *found["rows"]]).rstrip()

    return _LINK.sub(table, text)


def with_plots(text, folder):
    """Return a page with a plot before each table of measurements, written to a folder."""
    count = 0

    def plotted(match):
        nonlocal count
        found = points(match[0])
        if found is None:
            return match[0]
        title, groups = found
        path = folder / f"measurements-{count}.svg"
        count += 1
        path.write_text(drawn(title, groups), encoding="utf-8")
        options = f":alt: {title}\n:class: dark-light"
        return f"```{{image}} generated/plots/{path.name}\n{options}\n```\n\n{match[0]}"

    return _TABLE.sub(plotted, text)


def points(table):
    """Return a title and the values to draw, None for a table without any.

    The values are lists of `(value, series)`, by the name of their group: the family and type of
    a case, or the first cell of a row.
    """
    head, *rows = rows_of(table)
    column = next((name for name in _COLUMNS if name in head), None)
    if column is None or not rows:
        return None
    place, groups, series = head.index(column), {}, []
    other = next((head.index(name) for name in ("batch", "GPU") if name in head), 0)
    for row in rows:
        value = _value(row, head, place, column)
        if value is None or value <= 0:
            continue
        is_case = head[0] == "case"
        name = ".".join(row[0].split(".")[:2]) if is_case else row[0]
        kind = row[other] if is_case and other else ""
        series += [kind] * (kind not in series)
        groups.setdefault(name, []).append((value, series.index(kind), row[0]))
    title = _COLUMNS[column]
    named = [kind for kind in series if kind]
    return (title + (f" ({', '.join(named)})" if named else ""), groups) if groups else None


def _value(row, head, place, column):
    """Return the number in a row, None if there is none."""
    number = _number(row[place])
    if column == "measured":
        goal = _number(row[head.index("goal")])
        if number is None or not goal:
            return None
        is_limit = row[head.index("goal")].startswith("<=")
        return goal / number if is_limit and number else number / goal
    if column == "GFLOP/s" and not number and "GB/s" in head:
        return _number(row[head.index("GB/s")])
    return number


def _number(text):
    match = re.search(r"\d[\d,]*\.?\d*", text)
    return float(match[0].replace(",", "")) if match else None


def drawn(title, groups):
    """Return a plot: a line for each group, a dot for each value, on a logarithmic axis."""
    values = [value for found in groups.values() for value, *_ in found]
    low, high = math.log10(min(values)), math.log10(max(values))
    span = max(high - low, 0.1)
    low, span = low - 0.05 * span, 1.1 * span
    left = 12 + _CHARACTER * max(map(len, groups))

    def x(value):
        return left + (_WIDTH - left - 20) * (math.log10(value) - low) / span

    height = _TOP + _ROW * len(groups) + 24
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img">',
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style>",
        f'<rect class="page" width="{_WIDTH}" height="{height}"/>',
        f'<text class="t" x="0" y="14" font-weight="600">{html.escape(title)}</text>',
    ]
    for tick in _ticks(low, low + span):
        style = "one" if tick == 1 and "goal" in title else "g"
        parts.append(
            f'<line class="{style}" x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{_TOP}" '
            f'y2="{height - 18}"/><text class="s" x="{x(tick):.1f}" y="{height - 4}" '
            f'text-anchor="middle">{tick:g}</text>'
        )
    for number, (name, found) in enumerate(groups.items()):
        y = _TOP + _ROW * (number + 0.5)
        parts.append(
            f'<text class="t" x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">'
            f"{html.escape(name)}</text>"
        )
        for value, series, case in found:
            style = ' class="second"' if series else ""
            parts.append(
                f'<circle{style} cx="{x(value):.1f}" cy="{y:.1f}" r="4">'
                f"<title>{html.escape(case)}: {value:g}</title></circle>"
            )
    return "\n".join([*parts, "</svg>", ""])


def _ticks(low, high):
    """Return round numbers between two powers of ten."""
    steps = (1, 2, 5) if high - low < 2.5 else (1,)
    found = [
        step * 10**power for power in range(math.floor(low), math.ceil(high) + 1) for step in steps
    ]
    return [tick for tick in found if low <= math.log10(tick) <= high]
