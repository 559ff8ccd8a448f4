// The rows of the explorer: what they are called, how far a number is off, and their csv.
"use strict";

// In a block, since other scripts use the same names.
{
const all = window.retreeExplorer;
const labels = {
  paper: (key) => all.papers[key].called,
  item: (key) => all.items[key],
  dataset: (key) => (key === "MEAN" ? "mean over the data sets" : key || "—"),
  method: (key) => key || "—",
  metric: (key) => all.metrics[key].label,
  verdict: (key) => all.verdicts[key]?.text ?? key,
  rule: (key) => all.rules[key] ?? key,
};
const label = (name, key) => (labels[name] ? labels[name](key) : key || "—");

function decode(part) {
  const { columns, rows } = all[part];
  const words = columns.map((name) => all.words[name]);
  return rows.map((row, id) => {
    const found = { id };
    columns.forEach((name, i) => { found[name] = words[i] && typeof row[i] === "number" ? words[i][row[i]] : row[i]; });
    return found;
  });
}

// The difference in points of a share, in per cent of the published value otherwise.
function measure(row) {
  const { points } = all.metrics[row.metric];
  const difference = row.reproduced === null ? null : row.reproduced - row.published;
  row.learner = all.learners[row.method_key] ?? "";
  row.agrees = row.word === "match";
  row.x = points ? row.published * points : row.published;
  row.unit = points ? "points" : "percent";
  const whole = points ?? (row.published ? 100 / Math.abs(row.published) : null);
  row.off = difference === null || whole === null ? null : difference * whole;
  row.place = `${label("paper", row.paper)}, ${label("item", row.item)}`;
  row.key = [row.paper, row.item, row.dataset, row.method, row.metric].join("/");
  return row;
}

function measureClaim(claim) {
  claim.share = claim.replicates ? (claim.directed || claim.held) / claim.replicates : null;
  claim.key = [claim.paper, claim.id].join("/");
  claim.place = `${label("paper", claim.paper)}, ${claim.place}`;
  return claim;
}

const rows = { numbers: decode("numbers").map(measure), claims: decode("claims").map(measureClaim) };
const fixed = (value, places) => (value === null ? "—" : value.toFixed(places).replace("-", "−"));
const places = (row) => all.metrics[row.metric].decimals;
const count = (n, what) => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;
function off(row) {
  if (row.off === null) return "—";
  const text = fixed(row.off, row.unit === "points" ? 2 : 1);
  const zero = /^−?[0.]+$/.test(text);
  return `${zero ? text.replace("−", "") : row.off > 0 ? `+${text}` : text} ${row.unit === "points" ? "points" : "%"}`;
}

// The csv of what is shown has the columns of the register.
function csv(kept) {
  const made = {
    command, version: () => all.version, page: (row) => `${all.papers[row.paper].home}/${row.item}.html`,
  };
  const cell = (value) => (/[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  // As the register has them: 1.5e-09, from a ten-thousandth downwards.
  const text = (value) => (typeof value === "number" && value && Math.abs(value) < 1e-4 ? value.toExponential().replace(/-(\d)$/, "-0$1") : String(value));
  const line = (row) => all.csv.map((name) => cell(text(made[name]?.(row) ?? row[name] ?? ""))).join(",");
  return [all.csv.join(","), ...kept.map(line), ""].join("\n");
}

const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\"'\"'")}'`);

function command(row) {
  const { shown } = all.papers[row.paper];
  const metric = all.metrics[row.metric].show ? ["--metric", row.metric] : [];
  const words = row.folds
    ? ["retree", "show", ...shown, row.item, row.dataset, row.method, ...metric]
    : ["retree", "run", "--report", "--show", ...(shown.length > 1 ? shown : [`paper=${shown[0]}`]), `item=${row.item}`];
  return words.map(quoted).join(" ");
}

window.retreeRows = { rows, label, fixed, places, count, off, csv, command };
}
