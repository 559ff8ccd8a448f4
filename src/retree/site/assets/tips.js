// What is to be known of a cell is told to the pointer, to a touch, and to the keyboard.
"use strict";

const tip = document.createElement("div");
tip.className = "rt-tip";
tip.setAttribute("role", "status");
tip.hidden = true;

// The first cell of a group has the text of all of it.
function tipped(target) {
  let cell = target.closest?.("td, [data-tip]");
  while (cell && cell.tagName === "TD" && !cell.dataset.tip) {
    cell = cell.classList.contains("rt-first") ? null : cell.previousElementSibling;
  }
  return cell?.dataset.tip ? cell : null;
}

function show(event) {
  const cell = tipped(event.target);
  tip.hidden = !cell;
  if (!cell) return;
  tip.textContent = cell.dataset.tip;
  const place = event.target.closest("td, [data-tip]").getBoundingClientRect();
  const left = Math.min(place.left, document.documentElement.clientWidth - tip.offsetWidth - 8);
  const below = place.bottom + 6;
  const fits = below + tip.offsetHeight < window.innerHeight;
  tip.style.left = `${Math.max(8, left)}px`;
  tip.style.top = `${fits ? below : Math.max(8, place.top - tip.offsetHeight - 6)}px`;
}

const STEPS = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };

// One stop of the tab key for each table; arrows go from cell to cell.
function makeWalkable(table) {
  for (const cell of table.querySelectorAll("td[data-tip]")) cell.tabIndex = -1;
  const first = table.querySelector("td[data-tip]");
  if (first) first.tabIndex = 0;
  table.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    const cell = event.target.closest("td[data-tip]");
    if (!step || !cell) return;
    const row = table.tBodies[0].rows[cell.parentElement.sectionRowIndex + step[0]];
    let index = cell.cellIndex + step[1];
    while (step[1] && row.cells[index] && !row.cells[index].dataset.tip) index += step[1];
    const next = row?.cells[index];
    if (!next?.dataset.tip) return;
    event.preventDefault();
    next.tabIndex = 0;
    next.focus();
    cell.tabIndex = -1;
  });
}

document.body.append(tip);
const hide = () => { tip.hidden = true; };
for (const type of ["mouseover", "focusin", "click"]) document.addEventListener(type, show);
for (const type of ["focusout", "scroll"]) document.addEventListener(type, hide, true);
document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
for (const table of document.querySelectorAll("table.rt-cells")) makeWalkable(table);
