// All published numbers and claims: filtered, sorted, drawn, and each with where it comes from.
// The state of the page is its address, so that a choice can be kept and sent.
"use strict";

// In a block, since other scripts use the same names.
{
const all = window.retreeExplorer;
const FILTERS = {
  numbers: { paper: "Paper", item: "Table", method: "Method", metric: "Quantity", dataset: "Data set", verdict: "Verdict" },
  claims: { paper: "Paper", published: "In the paper", here: "Here" },
};
const SORTS = {
  numbers: {
    "": "as in the papers", off: "difference, in points or per cent", ratio: "distance, in half intervals",
    published: "published value", reproduced: "reproduced value",
  },
  claims: { "": "as in the papers", share: "share of the replicates" },
};
const STEP = 50;
const PANEL = { width: 460, height: 260, left: 44, right: 12, top: 24, bottom: 36 };
const REACH = { points: 15, percent: 100 };
const SVG = "http://www.w3.org/2000/svg";
let state = new Map();
let shown = STEP;

const view = () => (state.get("view") === "claims" ? "claims" : "numbers");
const labels = {
  paper: (key) => all.papers[key].called,
  item: (key) => all.items[key],
  dataset: (key) => (key === "MEAN" ? "mean over the sets" : key || "—"),
  method: (key) => key || "—",
  metric: (key) => all.metrics[key].label,
  verdict: (key) => all.verdicts[key]?.text ?? key,
};
const label = (name, key) => (labels[name] ? labels[name](key) : key);

function decode(part) {
  return all[part].rows.map((row, id) => {
    const found = { id };
    all[part].columns.forEach((name, i) => {
      found[name] = typeof row[i] === "number" && all.words[name] ? all.words[name][row[i]] : row[i];
    });
    return found;
  });
}

// The difference in points of a share, in per cent of the published value otherwise, and how far the
// published value is from the middle of the interval: beyond 1 it lies outside.
function measure(row) {
  const { points } = all.metrics[row.metric];
  const difference = row.reproduced === null ? null : row.reproduced - row.published;
  row.x = points ? row.published * points : row.published;
  row.unit = points ? "points" : "percent";
  const whole = points ?? (row.published ? 100 / Math.abs(row.published) : null);
  row.off = difference === null || whole === null ? null : difference * whole;
  const half = row.low === null ? 0 : (row.high - row.low) / 2;
  row.ratio = half > 0 ? Math.abs(row.published - row.low - half) / half : null;
  return row;
}

const rows = { numbers: decode("numbers").map(measure), claims: decode("claims") };
for (const claim of rows.claims) claim.share = claim.replicates ? claim.held / claim.replicates : null;

function make(name, { text, ...attributes } = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  element.append(...children);
  return element;
}

function draw(name, attributes, parent, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

const fixed = (value, places) => (value === null ? "—" : value.toFixed(places).replace("-", "−"));
const signed = (value, places) => (value > 0 ? "+" : "") + fixed(value, places);
const places = (row) => all.metrics[row.metric].decimals;
const off = (row) => (row.off === null ? "—" : `${signed(row.off, row.unit === "points" ? 2 : 1)} ${row.unit === "points" ? "points" : "%"}`);

// Address and state.
const read = () => new Map(new URLSearchParams(location.hash.slice(1)));

function set(changes) {
  for (const [key, value] of Object.entries(changes)) {
    if (value === "" || value === null) state.delete(key);
    else state.set(key, String(value));
  }
  history.replaceState(null, "", `#${new URLSearchParams([...state])}`);
}

// An empty name stands for a count over data sets or methods; "" in a list stands for all.
const key = (row, name) => row[name] || "—";
const passes = (row, but) => Object.keys(FILTERS[view()]).every((name) => (
  name === but || !state.has(name) || key(row, name) === state.get(name)));

function found() {
  const by = state.get("sort");
  const kept = rows[view()].filter((row) => passes(row));
  if (!by || !(by in SORTS[view()])) return kept;
  const size = (row) => (row[by] === null ? -Infinity : by === "off" ? Math.abs(row[by]) : row[by]);
  return kept.sort((a, b) => size(b) - size(a) || a.id - b.id);
}

// Controls: each list has only what the other choices leave, with how many rows that is.
function options(name) {
  const counts = new Map();
  for (const row of rows[view()]) if (passes(row, name)) counts.set(key(row, name), (counts.get(key(row, name)) ?? 0) + 1);
  if (state.has(name) && !counts.has(state.get(name))) counts.set(state.get(name), 0);
  const known = [...counts].map(([key, count]) => [key, `${label(name, key)} (${count})`]);
  known.sort((a, b) => a[1].localeCompare(b[1], undefined, { numeric: true }));
  return [["", "all"], ...known];
}

function control(name, title, choices) {
  const select = make("select", { name });
  for (const [value, text] of choices) select.append(new Option(text, value, false, value === (state.get(name) ?? "")));
  select.addEventListener("change", () => {
    set({ [name]: select.value, row: "" });
    shown = STEP;
    render(name);
  });
  return make("label", { text: `${title} ` }, select);
}

function controls() {
  const used = Object.entries(FILTERS[view()]).map(([name, title]) => control(name, title, options(name)));
  const views = [["", `published numbers (${rows.numbers.length})`], ["claims", `claims (${rows.claims.length})`]];
  const reset = make("button", { type: "button", text: "Show all" });
  reset.addEventListener("click", () => { state = new Map(); set({}); shown = STEP; render("view"); });
  return [control("view", "Show", views), ...used, control("sort", "Sort by", Object.entries(SORTS[view()])), reset];
}

// The scatter: a panel for shares, in points, and one for all else, in per cent.
const clipped = (value, most) => Math.max(-most, Math.min(most, value));

function panel(part, unit, title) {
  const { width, height, left, right, top, bottom } = PANEL;
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `${title}, ${part.length} numbers; the table below has them`);
  const log = unit === "percent";
  const scale = (value) => (log ? Math.log10(Math.max(value, 0) + 1) : value);
  const ends = part.map((row) => scale(row.x));
  const [low, high] = [Math.min(...ends), Math.max(...ends) + 1e-9];
  const reach = Math.min(REACH[unit], Math.max(...part.map((row) => Math.abs(row.off)), 1));
  const x = (row) => left + (0.03 + 0.94 * (scale(row.x) - low) / (high - low)) * (width - left - right);
  const y = (value) => top + (0.5 - 0.48 * clipped(value, reach) / reach) * (height - top - bottom);
  for (const value of [-reach, 0, reach]) {
    draw("line", { x1: left, x2: width - right, y1: y(value), y2: y(value), class: value ? "rt-grid" : "rt-zero" }, svg);
    draw("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, svg, signed(value, 0));
  }
  draw("text", { x: left, y: 14 }, svg, title);
  for (const [at, anchor, text] of [[left, "start", low], [width - right, "end", high]]) {
    draw("text", { x: at, y: height - 20, "text-anchor": anchor }, svg, fixed(log ? 10 ** text - 1 : text, log ? 0 : 1));
  }
  draw("text", { x: (left + width) / 2, y: height - 4, "text-anchor": "middle" }, svg, log ? "published value (logarithmic)" : "published, in %");
  for (const row of part) mark(svg, row, x(row), y(row.off));
  return svg;
}

function mark(svg, row, x, y) {
  const { agrees } = all.verdicts[row.verdict];
  const shape = agrees ? `M${x - 3} ${y}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0` : `M${x - 3} ${y - 3}l6 6m0 -6l-6 6`;
  const path = draw("path", { d: shape, class: agrees ? "rt-mark" : "rt-mark rt-mark-differs" }, svg);
  path.dataset.row = row.id;
  path.dataset.tip = `${label("paper", row.paper)}, ${label("item", row.item)}\n${row.dataset} · ${row.method} · ${label("metric", row.metric)}\n${fixed(row.reproduced, places(row))} (${row.published}), ${off(row)}`;
  path.addEventListener("click", () => select(row.id, true));
}

function scatter(kept) {
  const drawn = kept.filter((row) => view() === "numbers" && row.off !== null);
  const titles = { points: "reproduced − published, in points", percent: "reproduced − published, in % of the published" };
  return Object.entries(titles).flatMap(([unit, title]) => {
    const part = drawn.filter((row) => row.unit === unit);
    return part.length ? [panel(part, unit, title)] : [];
  });
}

// The table: a button opens the details of a row.
const HEADS = {
  numbers: ["table", "data set", "method", "quantity", "published", "reproduced", "difference", "half intervals", "verdict"],
  claims: ["place", "claim", "in the paper", "here", "holds in"],
};

function cells(row) {
  const judged = make("span", { class: `rt-key rt-${row.verdict}`, text: label("verdict", row.verdict) });
  if (view() === "claims") return [row.text, row.published, row.here, row.replicates ? `${row.held} of ${row.replicates} replicates` : ""];
  return [
    label("dataset", row.dataset), label("method", row.method), label("metric", row.metric), String(row.published),
    fixed(row.reproduced, places(row)), off(row), fixed(row.ratio, 2), judged,
  ];
}

function line(row) {
  const open = state.get("row") === String(row.id);
  const name = `${label("paper", row.paper)}, ${view() === "claims" ? row.place : label("item", row.item)}`;
  const button = make("button", { type: "button", class: "rt-open", "aria-expanded": open, text: name });
  button.addEventListener("click", () => select(row.id, false));
  const heads = HEADS[view()];
  const data = cells(row).map((entry, i) => make("td", { "data-head": heads[i + 1] }, entry));
  const element = make("tr", { "data-row": row.id }, make("th", { scope: "row" }, button), ...data);
  return open ? [element, make("tr", { class: "rt-detail" }, make("td", { colspan: heads.length }, ...details(row)))] : [element];
}

const link = (href, text) => make("a", { href, text });
const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\"'\"'")}'`);

function details(row) {
  const { home, shown: named } = all.papers[row.paper];
  if (view() === "claims") return [make("p", { text: row.check }), make("p", {}, link(`${home}/claims.html`, "The numbers that decide"))];
  const facts = [];
  if (row.low !== null) facts.push(`95 % of replicates lie between ${fixed(row.low, places(row))} and ${fixed(row.high, places(row))}.`);
  if (row.steps) facts.push(`${row.steps} ${row.unit === "points" ? "test rows" : "nodes, leaves or levels"} away, over all folds.`);
  if (row.n_folds) facts.push(`Mean over ${row.n_folds} folds${row.n_replicates > 1 ? ` in each of ${row.n_replicates} replicates` : ""}.`);
  if (row.params && row.params !== "{}") facts.push(`Parameters: ${row.params}`);
  const metric = all.metrics[row.metric].show ? ["--metric", row.metric] : [];
  const words = row.folds
    ? ["retree", "show", ...named, row.item, row.dataset, row.method, ...metric]
    : ["retree", "run", "--report", "--show", ...(named.length > 1 ? named : [`paper=${named[0]}`]), `item=${row.item}`];
  const block = make("div", { class: "highlight-console" }, make("div", { class: "highlight" }, make("pre", { text: words.map(quoted).join(" ") })));
  addCopyButton(block);
  const links = make("p", {}, link(`${home}/${row.item}.html`, label("item", row.item)));
  if (row.folds) {
    const end = row.params.startsWith("[") ? "-nested" : "";
    const place = `${all.slugs[row.dataset]}.html#${row.item}-${all.slugs[row.method]}${end}`;
    links.append(" · ", link(`${home}/folds/${place}`, "folds, parameters and source"));
  }
  return [...(facts.length ? [make("p", { text: facts.join(" ") })] : []), block, links];
}

function table(kept) {
  const heads = HEADS[view()].map((text) => make("th", { scope: "col", text }));
  const at = kept.findIndex((row) => String(row.id) === state.get("row"));
  shown = Math.max(shown, at + 1);
  const body = make("tbody", {}, ...kept.slice(0, shown).flatMap(line));
  const content = make("table", { class: "rt rt-words rt-explored" }, make("thead", {}, make("tr", {}, ...heads)), body);
  const more = make("button", { type: "button", class: "rt-more", text: `Show ${Math.min(STEP, kept.length - shown)} more` });
  more.addEventListener("click", () => { shown += STEP; render(); });
  const box = make("div", { class: "rt-box", role: "region", tabindex: 0, "aria-label": "Rows" }, content);
  return kept.length > shown ? [box, more] : [box];
}

function summary(kept) {
  if (view() === "claims") return `${kept.length} claims`;
  const known = kept.map((row) => row.verdict).filter((key) => all.verdicts[key].judged);
  const agree = known.filter((key) => all.verdicts[key].agrees).length;
  const reasons = new Set(kept.map((row) => all.papers[row.paper].not_judged));
  const [reason] = reasons.size === 1 ? reasons : [""];
  const said = known.length && !reason ? `${agree} of ${known.length} agree` : `cannot be judged${reason && `: ${reason}`}`;
  return `${kept.length} numbers; ${said}`;
}

// Rows and marks are two faces of the same number.
function select(id, jump) {
  set({ row: state.get("row") === String(id) && !jump ? "" : id });
  render();
  const button = root.querySelector(`tr[data-row="${id}"] button`);
  if (jump) button.scrollIntoView({ block: "center" });
  button.focus({ preventScroll: true });
}

const root = document.getElementById("rt-explorer");
const parts = ["controls", "said", "scatter", "rows"].map((name) => make("div", { class: `rt-${name}` }));
parts[1].setAttribute("role", "status");

function render(focused) {
  const kept = found();
  const contents = [controls(), [summary(kept)], scatter(kept), table(kept)];
  parts.forEach((part, i) => part.replaceChildren(...contents[i]));
  root.querySelector(`path[data-row="${state.get("row")}"]`)?.classList.add("rt-chosen");
  if (focused) root.querySelector(`select[name="${focused}"]`).focus();
}

function start() {
  state = read();
  render();
  root.querySelector("tr.rt-detail")?.scrollIntoView({ block: "center" });
}

document.addEventListener("DOMContentLoaded", () => { root.replaceChildren(...parts); start(); });
window.addEventListener("hashchange", start);
// The row under the pointer is shown among the marks too.
root.addEventListener("mouseover", (event) => {
  const id = event.target.closest("[data-row]")?.dataset.row;
  for (const path of root.querySelectorAll("path.rt-near")) path.classList.remove("rt-near");
  if (id) root.querySelector(`path[data-row="${id}"]`)?.classList.add("rt-near");
});
}
