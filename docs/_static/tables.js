/* Lets every table scroll within the page and sort by its columns. */
"use strict";
const NUMBER = /^[+-]?[\d,]*\.?\d+(?:e[+-]?\d+)?$/i;

function keyOf(cell) {
  const text = cell ? cell.textContent.trim() : "";
  return NUMBER.test(text) ? Number(text.replaceAll(",", "")) : text;
}

function compare(a, b) {
  const isText = [typeof a === "string", typeof b === "string"];
  if (isText[0] !== isText[1]) return isText[0] ? 1 : -1; // numbers before words
  return isText[0] ? a.localeCompare(b, "en", { numeric: true }) : a - b;
}

function sortBy(table, column, header) {
  const isAscending = header.getAttribute("aria-sort") !== "ascending";
  const rows = [...table.tBodies[0].rows];
  const keys = new Map(rows.map((row) => [row, keyOf(row.cells[column])]));
  const isEmpty = (row) => keys.get(row) === "";
  rows.sort((a, b) => isEmpty(a) - isEmpty(b) || (isAscending ? 1 : -1) * compare(keys.get(a), keys.get(b)));
  table.tBodies[0].append(...rows);
  for (const other of header.parentElement.cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", isAscending ? "ascending" : "descending");
}

function prepare(table) {
  const wrapper = document.createElement("div");
  const rows = [...(table.tBodies[0]?.rows ?? [])];
  const longest = Math.max(0, ...rows.flatMap((row) => [...row.cells].map((cell) => cell.textContent.length)));
  const columns = table.tHead?.rows[0]?.cells.length ?? 0;
  wrapper.className = `table-scroll${longest > 60 ? " prose" : ""}${columns > 9 ? " wide" : ""}${rows.length > 25 ? " tall" : ""}`;
  wrapper.tabIndex = 0;
  wrapper.setAttribute("role", "region");
  wrapper.setAttribute("aria-label", "table");
  (table.closest(".pst-scrollable-table-container") ?? table).replaceWith(wrapper);
  wrapper.append(table);
  for (const row of rows)
    for (const cell of row.cells) cell.classList.toggle("number", NUMBER.test(cell.textContent.trim()));
  const head = table.tHead?.rows[0];
  if (!head || rows.length < 4) return;
  [...head.cells].forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    button.addEventListener("click", () => sortBy(table, column, header));
    header.append(button);
  });
}

document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll("article table").forEach(prepare);
});
