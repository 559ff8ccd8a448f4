// Tables are sorted by the heads of their columns, with the mouse or the keyboard, and show
// reproduced beside published values or the differences between them.
"use strict";

function keyOf(row, column, view) {
  const cell = row.cells[column];
  if (!cell) return null;
  const uncompared = view === "difference" && cell.tagName === "TD" ? "" : cell.textContent;
  const text = (cell.dataset[view] ?? uncompared).trim().replace("−", "-");
  if (text === "" || text.startsWith("—")) return null;
  const number = /^[+-]?[\d.]+(e[+-]?\d+)?(?=$|[\s%±])/i.exec(text);
  return number ? Number(number[0]) : text.toLowerCase();
}

// What is missing comes last either way; words come after numbers.
function compare(a, b, sign) {
  if (a === null || b === null) return (a === null) - (b === null);
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return sign * (typeof a === "number" ? a - b : a.localeCompare(b, undefined, { numeric: true }));
}

function sortBy(table, head) {
  const sign = head.ariaSort === "ascending" ? -1 : 1;
  for (const other of table.querySelectorAll("th[aria-sort]")) other.ariaSort = "none";
  head.ariaSort = sign === 1 ? "ascending" : "descending";
  const body = table.tBodies[0];
  const view = table.dataset.view ?? "value";
  const rows = [...body.rows].map((row) => [keyOf(row, head.cellIndex, view), row]);
  rows.sort((a, b) => compare(a[0], b[0], sign));
  body.append(...rows.map((pair) => pair[1]));
}

// A head without a link or remark is the button; beside these stands a button of its own.
function makeSortable(table) {
  for (const head of table.tHead.querySelectorAll("th")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "rt-sort";
    if (head.querySelector("a, abbr")) {
      button.ariaLabel = `Sort by ${head.textContent.trim()}`;
    } else {
      button.append(...head.childNodes);
    }
    head.append(button);
    head.ariaSort = "none";
    button.addEventListener("click", () => sortBy(table, head));
  }
}

function makeSwitchable(table) {
  if (!table.querySelector("td[data-difference]")) return;
  const select = document.createElement("select");
  select.append(new Option("reproduced (published)", "value"));
  select.append(new Option("reproduced − published", "difference"));
  select.addEventListener("change", () => { table.dataset.view = select.value; });
  const label = document.createElement("label");
  label.className = "rt-view";
  label.append("Show ", select);
  table.closest(".rt-box").before(label);
}

// On a narrow screen each row becomes a card, whose lines begin with the heads of the columns.
function nameCells(table) {
  const heads = [...table.tHead.rows[0].cells].map((head) => head.textContent.trim());
  for (const row of table.tBodies[0].rows) {
    [...row.cells].forEach((cell, index) => { cell.dataset.head = heads[index] ?? ""; });
  }
}

// Marks are read aloud in the words of the legend.
const markWords = new Map();
for (const key of document.querySelectorAll(".rt-legend [data-sign]")) {
  markWords.set(key.dataset.sign, key.textContent.replace(key.dataset.sign, "").trim());
}
for (const marks of markWords.size ? document.querySelectorAll(".rt-marks") : []) {
  marks.role = "img";
  marks.ariaLabel = marks.textContent.match(/\([✓✗]\)|./gu).map((sign) => markWords.get(sign) ?? sign).join(", ");
}

for (const table of document.querySelectorAll("table.rt-sortable, article table.docutils")) {
  if (!table.tHead || table.tBodies.length !== 1) continue;
  nameCells(table);
  makeSortable(table);
}
for (const table of document.querySelectorAll("table.rt-cells")) makeSwitchable(table);
for (const box of document.querySelectorAll(".rt-box, .table-wrapper")) {
  const say = () => box.classList.toggle("rt-more", box.scrollLeft + box.clientWidth < box.scrollWidth - 2);
  box.addEventListener("scroll", say);
  new ResizeObserver(say).observe(box);
}
// What scrolls is reached by the keyboard too.
for (const box of document.querySelectorAll(".table-wrapper, div.highlight pre")) {
  if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
}
