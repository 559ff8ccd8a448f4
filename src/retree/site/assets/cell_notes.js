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
const stop = (cell) => cell?.querySelector("a") ?? (cell?.dataset.tip ? cell : null);

// The next cell in a direction that has a note; the footer follows the body.
function next(cell, [down, right]) {
  const rows = [...cell.closest("table").querySelectorAll("tbody tr, tfoot tr")];
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

// One stop of the tab key for each table; arrows go from cell to cell.
function makeWalkable(table) {
  const stops = [...table.querySelectorAll("td")].map(stop).filter(Boolean);
  stops.forEach((element, index) => { element.tabIndex = index ? -1 : 0; });
  table.addEventListener("keydown", (event) => {
    const cell = STEPS[event.key] && event.target.closest("td");
    const found = cell && next(cell, STEPS[event.key]);
    if (!found) return;
    event.preventDefault();
    stop(cell).tabIndex = -1;
    found.tabIndex = 0;
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
