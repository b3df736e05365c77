"use strict";
const HEIGHT = 19; // of a line, as in the style sheet
const AROUND = 12; // lines that are drawn above and below the visible ones
const $ = (id) => document.getElementById(id);
const make = (name, props = {}, ...children) => {
  const element = Object.assign(document.createElement(name), props);
  element.append(...children);
  return element;
};

/* Colours: one regular expression a language, its groups name the classes. */
const MLIR = /(?<c>\/\/.*)|(?<s>"(?:[^"\\]|\\.)*")|(?<v>[%@^#][\w$.-]+(?:#\d+)?)|(?<t>![\w.]+|\b(?:index|memref|tensor|vector|complex|[if]\d+|bf16)\b)|(?<k>\b[a-z_]+\.[\w.]+)|(?<n>\b\d[\w.+-]*\b)/g;
const COLOURS = {
  mlir: MLIR,
  tinytc: /(?<c>;.*)|(?<v>[%@$][\w]+)|(?<t>\b(?:memref|group|coopmatrix|strided|index|bool|local|global|[ifc]\d+|bf16)(?=[x<>,:\s)\]}]|$))|(?<k>^\s*[a-z_][\w.]*|(?<==\s*)[a-z_][\w.]*|\b(?:func|init|else|attributes|as)\b)|(?<n>[+-]?\b\d[\w.]*\b)/g,
  spirv: /(?<c>;.*)|(?<s>"(?:[^"\\]|\\.)*")|(?<v>%[\w]+)|(?<k>\bOp\w+)|(?<n>\b\d[\w.]*\b)/g,
  asm: /(?<c>\/\/.*)|(?<k>^\s*(?:\([^)]*\)\s*)?[a-z][\w.]*)|(?<v>\b(?:r|acc|f|a)\d+(?:\.\d+)?)|(?<t>:[a-z]+\d*\b)|(?<n>\b0x[\da-f]+|\b\d+\b)/gi,
};
function coloured(text, language) {
  const parts = [];
  let start = 0;
  for (const match of text.matchAll(COLOURS[language])) {
    if (match.index > start) parts.push(text.slice(start, match.index));
    const kind = Object.keys(match.groups).find((name) => match.groups[name] !== undefined);
    parts.push(make("span", { className: kind, textContent: match[0] }));
    start = match.index + match[0].length;
  }
  parts.push(text.slice(start));
  return parts;
}

const state = { marked: new Set(), pinned: null, cursor: null, query: "" };

class Pane {
  constructor(data, index) {
    Object.assign(this, data, { index, origins: new Map(), first: 0, drawn: null });
    this.marks.forEach((lines, number) => lines.forEach((line) => {
      if (!this.origins.has(line)) this.origins.set(line, []);
      this.origins.get(line).push(number);
    }));
    this.lower = null;
    this.count = make("span", { className: "count" });
    this.rows = make("div", { className: "rows" });
    this.sizer = make("div");
    this.code = make("div", { className: "code", tabIndex: 0 }, this.sizer, this.rows);
    this.code.setAttribute("role", "listbox");
    this.code.setAttribute("aria-label", `${this.title}, ${this.lines.length} lines`);
    this.map = make("canvas", { className: "map" });
    this.map.setAttribute("aria-hidden", "true");
    const note = make("span", { className: "note", textContent: this.note, title: this.note });
    const heading = make("header", {}, make("h2", { textContent: this.title }), note, this.count);
    this.element = make("section", { className: "pane" }, heading, this.code, this.map);
    this.element.dataset.name = this.name;
    this.element.setAttribute("aria-label", this.title);
    const widest = this.lines.reduce((most, line) => Math.max(most, line.length), 0);
    this.sizer.style.cssText = `height:${this.lines.length * HEIGHT}px;width:calc(${widest}ch * .9 + 60px)`;
    this.code.addEventListener("scroll", () => schedule(this), { passive: true });
    this.code.addEventListener("pointermove", (event) => this.hover(event));
    this.code.addEventListener("pointerleave", () => { if (state.pinned === null) mark([]); });
    this.code.addEventListener("click", (event) => this.click(event));
    this.code.addEventListener("focus", () => this.focused());
  }

  lineAt(event) {
    const row = event.target.closest(".line");
    if (row) return Number(row.dataset.number);
    // Rows that were drawn again between pressing and releasing leave the event to their parent.
    const top = event.clientY - this.code.getBoundingClientRect().top + this.code.scrollTop;
    const number = Math.floor(top / HEIGHT);
    return number >= 0 && number < this.lines.length ? number : null;
  }

  hover(event) {
    const number = this.lineAt(event);
    if (state.pinned === null && number !== null) mark(this.marks[number]);
  }

  click(event) {
    const number = this.lineAt(event);
    if (number !== null) select(this, number);
  }

  focused() {
    if (state.cursor?.pane !== this) setCursor(this, Math.round(this.code.scrollTop / HEIGHT));
  }

  hits() {
    const found = new Set();
    for (const line of state.marked) for (const number of this.origins.get(line) ?? []) found.add(number);
    return [...found].sort((a, b) => a - b);
  }

  matches() {
    this.lower ??= this.lines.map((line) => line.toLowerCase());
    if (!state.query) return [];
    return this.lower.flatMap((line, number) => (line.includes(state.query) ? [number] : []));
  }

  show(number) {
    const top = number * HEIGHT, view = this.code;
    if (top < view.scrollTop || top + HEIGHT > view.scrollTop + view.clientHeight)
      view.scrollTop = Math.max(0, top - view.clientHeight / 3);
  }

  draw() {
    const first = Math.max(0, Math.floor(this.code.scrollTop / HEIGHT) - AROUND);
    const last = Math.min(this.lines.length, first + Math.ceil(this.code.clientHeight / HEIGHT) + 2 * AROUND);
    if (first !== this.first || last !== this.last) {
      const fragment = document.createDocumentFragment();
      for (let number = first; number < last; ++number) fragment.append(this.row(number));
      this.rows.replaceChildren(fragment);
      this.rows.style.transform = `translateY(${first * HEIGHT}px)`;
      [this.first, this.last] = [first, last];
    }
    for (const row of this.rows.children) this.paint(row, Number(row.dataset.number));
    const cursor = state.cursor?.pane === this ? `line-${this.index}-${state.cursor.number}` : "";
    if (cursor) this.code.setAttribute("aria-activedescendant", cursor);
    else this.code.removeAttribute("aria-activedescendant");
  }

  row(number) {
    const row = make("div", { className: "line", id: `line-${this.index}-${number}` });
    row.dataset.number = number;
    row.setAttribute("role", "option");
    row.append(make("i", { textContent: number + 1 }), make("span", {}, ...coloured(this.lines[number], this.language)));
    return row;
  }

  paint(row, number) {
    const isHit = this.marks[number].some((line) => state.marked.has(line));
    const classes = {
      line: true,
      hit: isHit,
      found: state.query && this.matched?.has(number),
      pin: state.pinned?.pane === this && state.pinned.number === number,
      cursor: state.cursor?.pane === this && state.cursor.number === number,
    };
    row.setAttribute("aria-selected", String(isHit));
    row.className = Object.keys(classes).filter((name) => classes[name]).join(" ");
  }

  drawMap(hits) {
    const height = this.map.clientHeight, ratio = devicePixelRatio || 1;
    this.map.width = 9 * ratio;
    this.map.height = height * ratio;
    const context = this.map.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    context.scale(ratio, ratio);
    const paint = (numbers, colour) => {
      context.fillStyle = colour;
      for (const number of numbers) context.fillRect(1, (number / this.lines.length) * height, 7, Math.max(2, height / this.lines.length));
    };
    paint(this.matched ?? [], style.getPropertyValue("--good"));
    paint(hits, style.getPropertyValue("--hit-edge"));
  }

  refresh() {
    const hits = this.hits();
    const found = this.matched?.size ? `${this.matched.size} found · ` : "";
    this.count.textContent = hits.length ? `${found}${hits.length} of ${this.lines.length}` : `${found}${this.lines.length} lines`;
    schedule(this);
    this.drawMap(hits);
    return hits;
  }
}

const waiting = new Set();
function schedule(pane) {
  if (!waiting.size) requestAnimationFrame(() => {
    for (const each of waiting) each.draw();
    waiting.clear();
  });
  waiting.add(pane);
}

let panes = [];
const visible = () => panes.filter((pane) => !pane.element.hidden);

function mark(lines) {
  if (lines.length === state.marked.size && lines.every((line) => state.marked.has(line))) return;
  state.marked = new Set(lines);
  panes.forEach((pane) => pane.refresh());
}

function setCursor(pane, number) {
  const before = state.cursor?.pane;
  number = Math.max(0, Math.min(pane.lines.length - 1, number));
  state.cursor = { pane, number };
  if (before && before !== pane) schedule(before);
  pane.show(number);
  schedule(pane);
}

function select(pane, number) {
  if (!pane.lines.length) return;
  setCursor(pane, number);
  state.pinned = state.cursor;
  state.marked = new Set(pane.marks[state.cursor.number]);
  for (const each of panes) {
    const hits = each.refresh();
    if (each !== pane && hits.length) each.show(hits[0]);
  }
  const lines = [...state.marked].join(", ");
  $("status").textContent = lines ? `came from line ${lines}` : "no line of the source";
}

function unmark() {
  state.pinned = null;
  mark([]);
  panes.forEach((pane) => pane.refresh());
}

/* Keys: those of a pane act on its cursor. */
function neighbour(pane, step) {
  const all = visible();
  const next = all[(all.indexOf(pane) + step + all.length) % all.length];
  const hits = next.hits();
  next.code.focus({ preventScroll: true });
  next.element.scrollIntoView({ inline: "nearest", block: "nearest" });
  if (hits.length) setCursor(next, hits[0]);
}

function step(pane, numbers, direction) {
  const here = state.cursor?.number ?? -1;
  const order = direction > 0 ? numbers : [...numbers].reverse();
  const next = order.find((number) => (number - here) * direction > 0) ?? order[0];
  if (next !== undefined) setCursor(pane, next);
}

function paneKey(pane, event) {
  const page = Math.max(1, Math.floor(pane.code.clientHeight / HEIGHT) - 2);
  const here = state.cursor?.pane === pane ? state.cursor.number : 0;
  const moves = {
    ArrowDown: () => select(pane, here + 1), ArrowUp: () => select(pane, here - 1),
    PageDown: () => select(pane, here + page), PageUp: () => select(pane, here - page),
    Home: () => select(pane, 0), End: () => select(pane, pane.lines.length - 1),
    ArrowRight: () => neighbour(pane, 1), ArrowLeft: () => neighbour(pane, -1),
    Enter: () => select(pane, here), " ": () => select(pane, here),
    n: () => step(pane, pane.hits(), 1), N: () => step(pane, pane.hits(), -1),
  };
  if (!moves[event.key] || event.ctrlKey || event.metaKey || event.altKey) return false;
  moves[event.key]();
  event.preventDefault();
  return true;
}

function key(event) {
  if (event.target === $("search")) {
    if (event.key === "Escape") { event.target.value = ""; search(); event.target.blur(); }
    if (event.key === "Enter") nextFound(event.shiftKey ? -1 : 1);
    return;
  }
  const pane = panes.find((each) => each.code === event.target);
  if (pane && paneKey(pane, event)) return;
  const actions = { "/": () => $("search").focus(), t: toggleTheme, "?": toggleHelp, Escape: unmark };
  if (actions[event.key] && !event.ctrlKey && !event.metaKey && !event.altKey) {
    actions[event.key]();
    event.preventDefault();
  }
}

function search() {
  state.query = $("search").value.trim().toLowerCase();
  for (const pane of panes) pane.matched = new Set(pane.matches());
  panes.forEach((pane) => pane.refresh());
}

function nextFound(direction) {
  const start = state.cursor?.pane && !state.cursor.pane.element.hidden ? state.cursor.pane : visible()[0];
  const pane = start.matched?.size ? start : visible().find((each) => each.matched?.size);
  if (!pane) return;
  if (state.cursor?.pane !== pane) state.cursor = { pane, number: -1 };
  step(pane, [...pane.matched], direction);
}

function toggleTheme() {
  const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  setTheme(next);
  try { localStorage.setItem("tinytc-theme", next); } catch { /* a sandboxed frame has no storage */ }
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  panes.forEach((pane) => pane.refresh());
}

function toggleHelp() {
  $("keys").hidden = !$("keys").hidden;
  $("help").setAttribute("aria-expanded", String(!$("keys").hidden));
}

function startTheme() {
  let stored = null;
  try { stored = localStorage.getItem("tinytc-theme"); } catch { /* as above */ }
  return stored ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

/* Facts */
const grouped = (number) => number.toLocaleString("en-US", { maximumFractionDigits: 2 });
function size(bytes) {
  return bytes < 10240 ? [grouped(bytes), "bytes"] : [grouped(bytes / 1024), "KiB"];
}

function numbers(kernel, spirvBytes) {
  const unknown = ["—", "depends on run-time sizes, loops or SPMD code"];
  const entries = [
    ["work-group", [kernel.work_group.join(" × "), "work-items"]],
    ["subgroup", [kernel.subgroup, "work-items"]],
    ["groups per work-group", [kernel.groups_per_work_group, ""]],
    ["local memory", size(kernel.local_bytes)],
    ["FLOPs per group", kernel.flops === null ? unknown : [grouped(kernel.flops), ""]],
    ["bytes per group", kernel.bytes === null ? unknown : size(kernel.bytes)],
    ["arithmetic intensity", kernel.intensity === null ? unknown : [kernel.intensity.toFixed(2), "FLOP/byte"]],
    ["code", size(spirvBytes)],
  ];
  const list = make("dl", { className: "numbers" });
  for (const [name, [value, unit]] of entries) {
    const isKnown = value !== "—";
    const shown = make("dd", { title: isKnown ? "" : unit }, String(value), " ", make("small", { textContent: isKnown ? unit : "" }));
    list.append(make("div", {}, make("dt", { textContent: name }), shown));
  }
  return list;
}

function product(each) {
  const best = Math.min(...each.tiles.map((tile) => tile[2]));
  const width = Math.max(...each.tiles.map((tile) => tile[1]));
  const shape = each.shape.map((extent) => extent ?? "?").join(" × ");
  const heading = make("h3", {}, make("b", { textContent: each.instruction ?? each.op }),
    `${each.line ? ` of line ${each.line}` : ""}, ${shape}: tile of `,
    make("b", { textContent: `${each.rows} × ${each.columns}` }), `, ${each.unroll} ${each.unroll === 1 ? "step" : "steps"} per iteration`);
  const head = make("tr", {}, make("th", { scope: "col", textContent: "rows \\ columns" }));
  for (let column = 1; column <= width; ++column) head.append(make("th", { scope: "col", textContent: column }));
  const body = make("tbody");
  for (const rows of [...new Set(each.tiles.map((tile) => tile[0]))]) {
    const row = make("tr", {}, make("th", { scope: "row", textContent: rows }));
    for (let column = 1; column <= width; ++column) {
      const tile = each.tiles.find((one) => one[0] === rows && one[1] === column);
      const cell = make("td", { textContent: tile ? (tile[2] / best).toFixed(2) : "" });
      if (tile) {
        cell.title = `${rows} × ${column}: ${grouped(Math.round(tile[2]))} cycles`;
        cell.style.setProperty("--heat", Math.max(0, 2 - tile[2] / best));
      } else cell.style.setProperty("--heat", 0);
      if (rows === each.rows && column === each.columns) {
        cell.className = "chosen";
        cell.setAttribute("aria-label", `chosen, ${cell.title}`);
      }
      row.append(cell);
    }
    body.append(row);
  }
  const table = make("table", {}, make("caption", { textContent: "", hidden: true }), make("thead", {}, head), body);
  table.setAttribute("aria-label", `estimated cost of tiles of ${each.instruction}, relative to the best`);
  return make("div", { className: "product" }, heading, table);
}

function strategy(each) {
  const name = each.instruction ?? each.op;
  const place = each.line ? `${name} of line ${each.line}` : name;
  return [make("dt", { textContent: place }), make("dd", {}, make("code", { textContent: each.entries }))];
}

function zeros(each) {
  return [make("dt", { textContent: each.line ? `line ${each.line}` : "" }), make("dd", { textContent: each.text })];
}

function kernelCard(kernel, spirvBytes) {
  const summary = make("summary", {}, make("h2", { textContent: kernel.signature }), numbers(kernel, spirvBytes));
  const strategies = make("dl", { className: "strategies" }, ...kernel.strategies.flatMap(strategy));
  strategies.setAttribute("aria-label", "strategies of the instructions");
  const patterns = make("dl", { className: "strategies" }, ...kernel.zeros.flatMap(zeros));
  patterns.setAttribute("aria-label", "patterns of zeros");
  const products = make("div", { className: "products" }, ...kernel.strategies.filter((each) => each.tiles).map(product));
  const card = make("details", { className: "kernel" }, summary, strategies, patterns, products);
  card.addEventListener("toggle", () => panes.forEach((pane) => pane.refresh()));
  return card;
}

async function start() {
  const bytes = Uint8Array.from(atob($("data").textContent), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const data = await new Response(stream).json();
  $("file").textContent = data.title;
  $("target").textContent = data.target;
  $("facts").append(...data.kernels.map((kernel) => kernelCard(kernel, data.spirv_bytes)));
  panes = data.panes.map((pane, index) => new Pane(pane, index));
  const open = [panes[0].name, "gpu", panes.at(-1).name]; // others would leave lines of 30 characters
  for (const pane of panes) {
    $("panes").append(pane.element);
    const button = make("button", { type: "button", textContent: pane.title });
    pane.element.hidden = !open.includes(pane.name);
    button.setAttribute("aria-pressed", String(!pane.element.hidden));
    button.addEventListener("click", () => {
      pane.element.hidden = !pane.element.hidden;
      button.setAttribute("aria-pressed", String(!pane.element.hidden));
      panes.forEach((each) => each.refresh());
    });
    $("toggles").append(button);
  }
  setTheme(startTheme());
  $("theme").addEventListener("click", toggleTheme);
  $("help").addEventListener("click", toggleHelp);
  $("search").addEventListener("input", search);
  document.addEventListener("keydown", key);
  new ResizeObserver(() => panes.forEach((pane) => pane.refresh())).observe($("panes"));
  document.documentElement.dataset.ready = "true";
}
start();
