// Tables are sorted by the heads of their columns, with the mouse or the keyboard.
"use strict";

function keyOf(row, column) {
  const cell = row.cells[column];
  if (!cell) return null;
  const text = (cell.dataset.v ?? cell.textContent).trim().replace("−", "-");
  if (text === "" || text === "—") return null;
  const number = /^[+-]?[\d.]+(e[+-]?\d+)?(?=$|[\s%±])/i.exec(text.replace(/^[✓✗†]/, ""));
  return number ? Number(number[0]) : text.toLowerCase();
}

// What is missing comes last either way; words come after numbers.
function compare(a, b, sign) {
  if (a === null || b === null) return (a === null) - (b === null);
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return sign * (typeof a === "number" ? a - b : a.localeCompare(b, undefined, { numeric: true }));
}

function sortBy(table, head, column) {
  const sign = head.ariaSort === "ascending" ? -1 : 1;
  for (const other of table.querySelectorAll("th[aria-sort]")) other.ariaSort = "none";
  head.ariaSort = sign === 1 ? "ascending" : "descending";
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => [keyOf(row, column), row]);
  rows.sort((a, b) => compare(a[0], b[0], sign));
  body.append(...rows.map((pair) => pair[1]));
}

function makeSortable(table) {
  const heads = [...table.tHead.querySelectorAll("th")];
  const indexed = heads.some((head) => head.dataset.col);
  heads.forEach((head, index) => {
    if (indexed && !head.dataset.col) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "rt-sort";
    const told = head.querySelector("[data-tip]");
    if (told) button.dataset.tip = told.dataset.tip;
    button.append(...(told ?? head).childNodes);
    head.replaceChildren(button);
    head.ariaSort = "none";
    button.addEventListener("click", () =>
      sortBy(table, head, indexed ? Number(head.dataset.col) : index));
  });
}

for (const table of document.querySelectorAll("table.rt-sortable, article table.docutils")) {
  if (table.tHead && table.tBodies.length === 1) makeSortable(table);
}
