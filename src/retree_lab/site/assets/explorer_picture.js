// The picture of the explorer: reproduced against published numbers, drawn on canvases, since twenty
// thousand marks as elements would take seconds.
"use strict";

{
const SIZE = { width: 460, height: 240, left: 44, right: 12, top: 24, bottom: 36 };
const REACH = { points: 15, percent: 100 };
const TITLES = { points: "reproduced − published, in points", percent: "reproduced − published, in % of the published number" };
const NEAR = 8;
const MARK = 7;

const clipped = (value, most) => Math.max(-most, Math.min(most, value));
const paint = (name) => getComputedStyle(document.body).getPropertyValue(name).trim();

// One mark, copied to where numbers are: drawing each anew would take ten times as long.
function stamp(agrees, color, scale) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = MARK * scale;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  pen.strokeStyle = color;
  pen.lineWidth = 1.1;
  if (agrees) pen.arc(MARK / 2, MARK / 2, 2.7, 0, 7);
  else for (const [from, to] of [[0.8, MARK - 0.8], [MARK - 0.8, 0.8]]) { pen.moveTo(0.8, from); pen.lineTo(MARK - 0.8, to); }
  pen.stroke();
  return canvas;
}

// Where numbers are in the panel of a unit: published values along x, differences along y.
function layout(rows, unit) {
  const { width, height, left, right, top, bottom } = SIZE;
  const log = unit === "percent";
  const scaled = (value) => (log ? Math.log10(Math.max(value, 0) + 1) : value);
  let [low, high, most] = [Infinity, -Infinity, 1];
  for (const row of rows) {
    const at = scaled(row.x);
    low = Math.min(low, at);
    high = Math.max(high, at);
    most = Math.max(most, Math.abs(row.off));
  }
  const reach = Math.min(REACH[unit], most);
  const y = (value) => top + (0.5 - 0.48 * clipped(value, reach) / reach) * (height - top - bottom);
  const x = (row) => left + (0.03 + 0.94 * (scaled(row.x) - low) / (high - low + 1e-9)) * (width - left - right);
  const end = (value) => (log ? 10 ** value - 1 : value).toFixed(log ? 0 : 1);
  return { log, reach, beyond: most > reach, y, ends: [end(low), end(high)], marks: rows.map((row) => [x(row), y(row.off), row]) };
}

function drawAxes(pen, { log, reach, y, ends, beyond }, unit) {
  const { width, height, left, right } = SIZE;
  const write = (text, x, at, align) => { pen.textAlign = align; pen.fillText(text, x, at); };
  pen.font = `11px ${getComputedStyle(document.body).fontFamily}`;
  pen.fillStyle = paint("--color-foreground-primary");
  for (const value of [-reach, 0, reach]) {
    pen.strokeStyle = paint(value ? "--color-foreground-border" : "--color-foreground-secondary");
    pen.beginPath();
    pen.moveTo(left, y(value));
    pen.lineTo(width - right, y(value));
    pen.stroke();
    write(`${value > 0 ? "+" : ""}${value.toFixed(0)}`.replace("-", "−"), left - 6, y(value) + 4, "right");
  }
  write(TITLES[unit] + (beyond ? "; beyond the edge: on its line" : ""), left, 14, "left");
  write(ends[0], left, height - 20, "left");
  write(ends[1], width - right, height - 20, "right");
  write(log ? "published value (logarithmic)" : "published, in %", (left + width) / 2, height - 4, "center");
}

function drawMarks(pen, marks, chosen, scale) {
  const stamps = [stamp(false, "#d55e00", scale), stamp(true, paint("--rt-bar"), scale)];
  for (const [x, y, row] of marks) pen.drawImage(stamps[+row.agrees], x - MARK / 2, y - MARK / 2, MARK, MARK);
  const found = marks.find(([, , row]) => row === chosen);
  if (!found) return;
  pen.strokeStyle = paint("--color-foreground-primary");
  pen.lineWidth = 3;
  pen.beginPath();
  pen.arc(found[0], found[1], 6, 0, 7);
  pen.stroke();
}

function panel(rows, unit, { chosen, say, select }) {
  const canvas = document.createElement("canvas");
  const scale = window.devicePixelRatio || 1;
  canvas.width = SIZE.width * scale;
  canvas.height = SIZE.height * scale;
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `${TITLES[unit]}: ${rows.length} numbers, which are in the table below`);
  canvas.dataset.marks = rows.length;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  const laid = layout(rows, unit);
  drawAxes(pen, laid, unit);
  drawMarks(pen, laid.marks, chosen, scale);
  const under = (event) => {
    const box = canvas.getBoundingClientRect();
    const [x, y] = [(event.clientX - box.left) * SIZE.width / box.width, (event.clientY - box.top) * SIZE.width / box.width];
    let [nearest, least] = [null, NEAR];
    for (const [at, up, row] of laid.marks) {
      const away = Math.hypot(at - x, up - y);
      if (away < least) [nearest, least] = [row, away];
    }
    return nearest;
  };
  canvas.addEventListener("mousemove", (event) => {
    const row = under(event);
    canvas.title = row ? say(row) : "";
    canvas.style.cursor = row ? "pointer" : "";
  });
  canvas.addEventListener("click", (event) => { const row = under(event); if (row) select(row); });
  return canvas;
}

// Returns a canvas for shares, in points, and one for all else, in per cent.
window.retreePicture = (rows, options) => Object.keys(TITLES).flatMap((unit) => {
  const part = rows.filter((row) => row.unit === unit && row.off !== null);
  return part.length ? [panel(part, unit, options)] : [];
});
}
