// All published numbers and claims: filtered, sorted, drawn, and each with where it comes from.
// The state of the page is its address, so that a choice can be kept and sent.
"use strict";

// In a block, since other scripts use the same names.
{
const all = window.retreeExplorer;
const { rows, label, fixed, places, count, off, csv, command } = window.retreeRows;
const FILTERS = {
  numbers: {
    paper: "Paper", item: "Table", learner: "Learner", method: "Method", metric: "Quantity",
    dataset: "Data set", word: "Match",
  },
  claims: { paper: "Paper", published: "In the paper", here: "Here", nested: "With honest selection" },
};
let state = new URLSearchParams();
// The paper that is shown where the address chooses nothing: the newest one that can be checked.
const first = rows.numbers.findLast((row) => all.verdicts[row.verdict].judged)?.paper;
const view = () => (state.get("view") === "claims" ? "claims" : "numbers");

function make(name, { text, ...attributes } = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  element.append(...children);
  return element;
}

function button(text, act, attributes = {}) {
  const element = make("button", { type: "button", text, ...attributes });
  element.addEventListener("click", act);
  return element;
}

// The address. A choice is a step that "back" undoes; an opened row and a word being typed are none.
const address = () => `${location.pathname}${location.search}${state.size ? `#${state}` : ""}`;
function set(changes, isStep = true) {
  for (const [key, value] of Object.entries(changes)) {
    state.delete(key);
    for (const one of [value].flat()) if (one !== "") state.append(key, one);
  }
  history[isStep ? "pushState" : "replaceState"](null, "", address());
}

// A row passes if for each list it has one of the chosen names, and all the words that are typed.
function passing(but) {
  const chosen = Object.keys(FILTERS[view()])
    .filter((name) => name !== but && state.has(name))
    .map((name) => [name, new Set(state.getAll(name))]);
  const words = (state.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  return (row) => chosen.every(([name, keys]) => keys.has(row[name] || "—")) && words.every((word) => textOf(row).includes(word));
}

function textOf(row) {
  row.searched ??= (view() === "claims" ? [row.place, row.text, row.check]
    : [row.place, row.item, row.dataset, row.method, row.learner, label("metric", row.metric), row.word, row.published]
  ).join(" ").toLowerCase();
  return row.searched;
}

// Lists of names, each with how many rows the other choices leave of it; filled when opened.
function options(name) {
  const counts = new Map(state.getAll(name).map((key) => [key, 0]));
  const passes = passing(name);
  for (const row of rows[view()]) {
    const key = row[name] || "—";
    if (passes(row)) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const known = [...counts].map(([key, n]) => [key, `${label(name, key === "—" ? "" : key)} (${n})`]);
  return known.sort((a, b) => a[1].localeCompare(b[1], undefined, { numeric: true }));
}

function fill(list, name) {
  const lines = options(name).map(([key, text]) => {
    const box = make("input", { type: "checkbox", name, value: key });
    box.checked = state.getAll(name).includes(key);
    return make("label", {}, box, ` ${text}`);
  });
  const none = button("all", () => { set({ [name]: "", row: "" }); render(); fill(list, name); list.querySelector("input").focus(); });
  list.replaceChildren(none, ...lines);
}

function choice(name, title) {
  const list = make("div", { class: "rt-choices", role: "group", "aria-label": title });
  const said = make("span", { class: "rt-chosen-names" });
  const box = make("details", { class: "rt-choice", "data-name": name }, make("summary", { text: `${title}: ` }, said), list);
  box.addEventListener("toggle", () => { if (box.open) { closeOthers(box); fill(list, name); } });
  list.addEventListener("change", () => {
    set({ [name]: [...list.querySelectorAll("input:checked")].map((input) => input.value), row: "" });
    render();
  });
  box.say = () => {
    const names = state.getAll(name);
    said.textContent = !names.length ? "all" : names.length === 1 ? label(name, names[0] === "—" ? "" : names[0]) : `${names.length} chosen`;
    if (box.open) for (const input of list.querySelectorAll("input")) input.checked = names.includes(input.value);
  };
  return box;
}

const closeOthers = (but) => root.querySelectorAll("details.rt-choice[open]").forEach((box) => { if (box !== but) box.open = false; });

function controls() {
  const views = make("select", { name: "view" });
  for (const [name, what] of [["numbers", "published numbers"], ["claims", "claims"]]) {
    views.append(new Option(`${what} (${rows[name].length.toLocaleString("en")})`, name === "numbers" ? "" : name, false, name === view()));
  }
  views.addEventListener("change", () => { state = new URLSearchParams(); set({ view: views.value }); start(); root.querySelector("select").focus(); });
  const search = make("input", { type: "search", name: "q", value: state.get("q") ?? "" });
  let typed = null;
  search.addEventListener("input", () => { set({ q: search.value.trim(), row: "" }, typed === null); typed = true; render(); });
  search.addEventListener("change", () => { typed = null; });
  return [
    make("label", { text: "Show " }, views),
    make("label", { text: "Search " }, search),
    ...Object.entries(FILTERS[view()]).map(([name, title]) => choice(name, title)),
    button("Show all", () => { state = new URLSearchParams(view() === "claims" ? "view=claims" : "sort=off"); set({}); enter(); }),
  ];
}

// The grid: heads sort, at first from the highest; what is missing comes last.
function byField(field, isSize) {
  const size = (value) => (isSize && value !== null ? Math.abs(value) : value);
  return (a, b, rowA, rowB, column, dir) => {
    if (a === null || b === null) return ((a === null) - (b === null)) * (dir === "asc" ? 1 : -1);
    return typeof a === "number" ? size(a) - size(b) : collator.compare(a, b);
  };
}
const collator = new Intl.Collator("en", { numeric: true });

function head(title, field) {
  return () => button(title, () => {
    const [by, dir] = [state.get("sort"), state.get("dir") ?? "desc"];
    const next = by !== field ? "" : dir === "desc" ? "asc" : null;
    set(next === null ? { sort: "", dir: "" } : { sort: field, dir: next });
    sort();
  }, { class: "rt-sort" });
}

const column = (title, field, width, text, isSize) => ({
  title, field, minWidth: width, widthGrow: width / 60, headerSort: true, sorter: byField(field, isSize), titleFormatter: head(title, field),
  formatter: (cell) => text(cell.getData()),
});

function opener(row) {
  const isOpen = state.get("row") === row.key;
  return button(row.place, () => select(row), { class: "rt-open", "aria-expanded": isOpen, "data-key": row.key });
}

const judged = (row) => make("span", { class: `rt-key rt-${all.styles[row.word]}`, text: row.word });
const counted = (row) => (row.correct === null ? "" : row.correct + (row.rows === null ? "" : ` of ${row.rows}`));
// Of a count the direction decides, on most or on few of the data sets, as on the paper's page.
const held = (row) => (row.replicates ? `${row.directed || row.held} of ${row.replicates} replicates${row.directed && " (direction)"}` : "");
const columns = {
  numbers: () => [
    column("table", "place", 140, opener),
    column("data set", "dataset", 100, (row) => label("dataset", row.dataset)),
    column("method", "method", 110, (row) => label("method", row.method)),
    column("quantity", "metric", 90, (row) => label("metric", row.metric)),
    column("published", "published", 104, (row) => `${row.published}${row.source && " §"}`),
    column("ours", "reproduced", 80, (row) => fixed(row.reproduced, places(row))),
    column("difference", "off", 108, off, true),
    column("match", "word", 100, judged),
  ],
  claims: () => [
    column("place", "place", 160, opener),
    column("claim", "text", 290, (row) => row.text),
    column("in the paper", "published", 80, (row) => row.published),
    column("here", "here", 90, (row) => row.here),
    column("with honest selection", "nested", 100, (row) => row.nested),
    column("holds in", "share", 130, held),
  ],
};

let grid = null;
function build() {
  grid?.destroy();
  const place = make("div", { class: "rt-grid-place" });
  parts.rows.replaceChildren(place);
  const name = view();
  grid = new Tabulator(place, {
    data: rows[name], columns: columns[name](), index: "id", height: "30rem", layout: "fitColumns",
    // By itself the grid makes its rows anew when it comes into view: a click or the focus is lost.
    autoResize: false, responsiveLayout: "collapse",
    // What stands below a row on a phone is a cell of it, for those who listen.
    rowFormatter: (row) => setTimeout(() => row.getElement().querySelector(".tabulator-responsive-collapse")?.setAttribute("role", "gridcell")),
    columnHeaderSortMulti: false, headerSortClickElement: "icon", placeholder: "No row matches: remove a filter.",
    columnDefaults: { resizable: false, vertAlign: "top" },
  });
  grid.on("tableBuilt", () => {
    // Rows are reached by their buttons, and what is focused may not stand between grid and rows.
    place.querySelector(".tabulator-tableholder").removeAttribute("tabindex");
    ready = true;
    render();
    place.setAttribute("aria-label", "Rows");
  });
  place.addEventListener("keydown", move);
  grid.on("rowClick", (event, row) => { if (!event.target.closest("button, a")) select(row.getData()); });
}

// Arrow keys go from row to row; the grid makes the rows that come into view.
async function move(event) {
  const own = event.target.closest(".rt-open") && { ArrowDown: "getNextRow", ArrowUp: "getPrevRow" }[event.key];
  const row = own && grid.getRow(event.target.closest(".tabulator-row"))[own]();
  if (!row) return;
  event.preventDefault();
  await grid.scrollToRow(row, "nearest", false);
  row.getElement().querySelector(".rt-open").focus({ preventScroll: true });
}

function sort() {
  const by = state.get("sort") ?? (view() === "numbers" ? "off" : null);
  const known = by && grid.getColumn(by);
  if (known) grid.setSort(by, state.get("dir") ?? "desc");
  else if (grid.getSorters().length) { grid.clearSort(); }
}

// What is known of a chosen number, below the grid.
const link = (href, text) => make("a", { href, text });
function facts(row) {
  const said = [`Published ${row.published}, reproduced ${fixed(row.reproduced, places(row))}: ${label("verdict", row.verdict)}. Judged by ${label("rule", row.rule)}.`];
  if (row.source) said.push(`§: ${all.copied}.`);
  if (row.correct !== null) said.push(`${counted(row)} test rows are classified correctly.`);
  if (row.low !== null) said.push(`The 95 % interval of one replicate is ${fixed(row.low, places(row))} to ${fixed(row.high, places(row))}.`);
  if (row.steps) said.push(`${row.steps} ${row.unit === "points" ? "test rows" : "nodes, leaves or levels"} away, over all folds.`);
  if (row.n_folds) said.push(`Mean over ${row.n_folds} folds${row.n_replicates > 1 ? ` in each of ${row.n_replicates} replicates` : ""}.`);
  if (row.params && row.params !== "{}") said.push(`Parameters: ${row.params}`);
  if (row.rule === "none") said[0] = `Published ${row.published}, reproduced ${fixed(row.reproduced, places(row))}: ${label("verdict", row.verdict)}.`;
  return said.join(" ");
}

function details(row) {
  const { home } = all.papers[row.paper];
  if (view() === "claims") return [make("p", { text: row.text }), make("p", { text: row.check }), make("p", {}, link(`${home}/claims.html`, "The numbers behind this answer"))];
  const block = make("div", { class: "highlight-console" }, make("div", { class: "highlight" }, make("pre", { text: command(row) })));
  addCopyButton(block);
  const links = make("p", {}, link(`${home}/${row.item}.html`, label("item", row.item)));
  if (row.folds === 2) {
    const end = row.params.startsWith("[") ? "-nested" : "";
    const place = `${all.slugs[row.dataset]}.html#${row.item}-${all.slugs[row.method]}${end}`;
    links.append(" · ", link(`${home}/folds/${place}`, "folds, parameters and source"));
  }
  const page = all.papers[row.paper].datasets[row.dataset];
  if (page) links.append(" · ", link(page, `${row.dataset} in all papers`));
  const title = `${row.place}: ${label("dataset", row.dataset)}, ${label("method", row.method)}, ${label("metric", row.metric)}`;
  return [make("p", {}, make("strong", { text: title })), make("p", { text: facts(row) }), block, links];
}

function summary(kept) {
  if (view() === "claims") return count(kept.length, "claim");
  // Papers are not alike: shares over several of them would say nothing.
  const papers = new Set(kept.map((row) => row.paper)).size;
  if (papers > 1) return `${count(kept.length, "number")} of ${papers} papers`;
  const said = Object.keys(all.styles).map((word) => [kept.filter((row) => row.word === word).length, word]);
  return [count(kept.length, "number"), ...said.filter(([n]) => n).map(([n, word]) => `${n.toLocaleString("en")} ${word}`)].join(", ");
}

function download() {
  const data = new Blob([csv(kept)], { type: "text/csv" });
  const anchor = make("a", { href: URL.createObjectURL(data), download: "register_selection.csv" });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 1000);
}

// Rows and marks are two faces of the same number.
function select(row) {
  const before = state.get("row");
  set({ row: before === row.key ? "" : row.key }, false);
  for (const own of [rows[view()].find((one) => one.key === before), row]) if (own) reopen(own);
  chosen();
  draw();
  parts.chosen.scrollIntoView({ block: "nearest" });
}

// The button stays the same, so that it keeps the focus.
function reopen(row) {
  const own = [...root.querySelectorAll(".rt-open")].find((one) => one.dataset.key === row.key);
  own?.setAttribute("aria-expanded", state.get("row") === row.key);
}

function chosen() {
  const row = rows[view()].find((one) => one.key === state.get("row"));
  parts.chosen.replaceChildren(...(row ? details(row) : []));
  return row;
}

const root = document.getElementById("rt-explorer");
const parts = Object.fromEntries(["controls", "said", "scatter", "rows", "chosen"].map((name) => [name, make("div", { class: `rt-${name}` })]));
parts.said.setAttribute("role", "status");
parts.chosen.setAttribute("role", "status");
const save = button("Download these numbers (csv)", download, { class: "rt-save" });
let kept = [];
let ready = false;

function render() {
  const passes = passing();
  kept = rows[view()].filter(passes);
  parts.said.textContent = summary(kept);
  save.hidden = view() === "claims";
  for (const box of root.querySelectorAll("details.rt-choice")) box.say();
  if (ready) {
    const ids = new Set(kept.map((row) => row.id));
    grid.setFilter((row) => ids.has(row.id));
    sort();
  }
  chosen();
  requestAnimationFrame(draw);
}

function draw() {
  const row = rows.numbers.find((one) => one.key === state.get("row"));
  const say = (one) => `${one.place}\n${one.dataset} · ${one.method} · ${label("metric", one.metric)}\n${fixed(one.reproduced, places(one))} (${one.published}), ${off(one)}`;
  parts.scatter.replaceChildren(...(view() === "numbers" ? window.retreePicture(kept, { chosen: row, say, select }) : []));
}

function start() {
  ready = false;
  parts.controls.replaceChildren(...controls());
  build();
  render();
  // Texts are put together before somebody searches them.
  setTimeout(() => rows[view()].forEach(textOf));
}

function enter() {
  const before = view();
  state = new URLSearchParams(location.hash.slice(1) || (first ? { paper: first } : ""));
  closeOthers();
  if (before !== view() || !grid) { start(); return; }
  root.querySelector("input[type=search]").value = state.get("q") ?? "";
  render();
}

document.addEventListener("DOMContentLoaded", () => {
  root.replaceChildren(parts.controls, parts.said, save, parts.scatter, parts.rows, parts.chosen);
  enter();
});
window.addEventListener("popstate", enter);
window.addEventListener("resize", () => grid.redraw());
document.addEventListener("click", (event) => closeOthers(event.target.closest?.("details.rt-choice")));
document.addEventListener("keydown", (event) => {
  const open = event.key === "Escape" && root.querySelector("details.rt-choice[open]");
  if (open) { open.open = false; open.querySelector("summary").focus(); }
});
new MutationObserver(() => requestAnimationFrame(draw)).observe(document.body, { attributeFilter: ["data-theme"] });
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => requestAnimationFrame(draw));
}
