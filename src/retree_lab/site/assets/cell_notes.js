// The note on a cell is shown to the pointer, to a touch, and to the keyboard.
"use strict";

const tip = document.createElement("div");
tip.className = "rt-tip";
tip.setAttribute("role", "status");
tip.hidden = true;

let shown = null;
let touched = null;

function show(noted) {
  shown = noted;
  tip.hidden = !noted;
  if (!noted) return;
  tip.textContent = noted.dataset.tip;
  place();
}

function place() {
  const around = shown.getBoundingClientRect();
  const left = Math.min(around.left, document.documentElement.clientWidth - tip.offsetWidth - 8);
  const below = around.bottom + 6;
  const fits = below + tip.offsetHeight < window.innerHeight;
  tip.style.left = `${Math.max(8, left)}px`;
  tip.style.top = `${fits ? below : Math.max(8, around.top - tip.offsetHeight - 6)}px`;
}

const noted = (target) => target.closest?.("[data-tip]") ?? null;

// The first touch of a number shows its note, the second follows its link.
function touch(event) {
  const cell = noted(event.target);
  if (event.pointerType === "touch" && cell && cell !== touched) event.preventDefault();
  touched = cell;
  show(cell);
}

const STEPS = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
const stop = (cell) => cell?.querySelector("a") ?? (cell?.dataset.tip || cell?.dataset.s ? cell : null);
const rowsOf = (table) => [...table.querySelectorAll("tbody tr, tfoot tr")];
const stopsOf = (rows) => rows.flatMap((row) => [...row.querySelectorAll("td")]).map(stop).filter(Boolean);

// The next cell in a direction that has a note; the footer follows the body.
function next(cell, [down, right]) {
  const rows = rowsOf(cell.closest("table"));
  let row = rows.indexOf(cell.parentElement) + down;
  let column = cell.cellIndex + right;
  while (rows[row]?.cells[column]) {
    const found = rows[row].cells[column];
    if (found.tagName === "TD" && stop(found)) return stop(found);
    row += down;
    column += right;
  }
  return null;
}

// Home and End go to the ends of the row or, with Ctrl, of the table.
function target(cell, event) {
  if (STEPS[event.key]) return next(cell, STEPS[event.key]);
  if (event.key !== "Home" && event.key !== "End") return null;
  return stopsOf(event.ctrlKey ? rowsOf(cell.closest("table")) : [cell.parentElement]).at(event.key === "Home" ? 0 : -1);
}

// What the tab key stops at in a table.
function makeStop(cell) {
  for (const other of cell.closest("table").querySelectorAll("td[tabindex='0'], td > a[tabindex='0']")) other.tabIndex = -1;
  stop(cell).tabIndex = 0;
}

// One stop of the tab key for each table; arrows go from cell to cell.
function makeWalkable(table) {
  const stops = stopsOf(rowsOf(table));
  if (!stops.length) return;
  table.role = "grid";
  stops.forEach((element, index) => { element.tabIndex = index ? -1 : 0; });
  table.addEventListener("keydown", (event) => {
    const cell = event.target.closest("td");
    const found = cell && target(cell, event);
    if (!found) return;
    event.preventDefault();
    makeStop(found.closest("td"));
    found.focus();
  });
}

document.body.append(tip);
for (const type of ["mouseover", "focusin"]) {
  document.addEventListener(type, (event) => show(noted(event.target)));
}
document.addEventListener("click", touch);
document.addEventListener("focusout", () => show(null));
// Arrow keys scroll: the note goes along with what it is on.
document.addEventListener("scroll", () => shown && place(), true);
document.addEventListener("keydown", (event) => event.key === "Escape" && show(null));
for (const table of document.querySelectorAll("table.rt-cells")) makeWalkable(table);
