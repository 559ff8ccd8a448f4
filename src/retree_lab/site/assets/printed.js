// A table as it is printed: switches choose among what was judged when the page was made, and the
// box says what is known of a number. The address of the page keeps both.
"use strict";

{
const make = (name, text, attributes = {}) => {
  const element = document.createElement(name);
  element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};
const address = () => new URLSearchParams(location.hash.slice(1));

// Where the published number, the interval and the replicates lie.
function strip([published, low, high, ...runs]) {
  const dots = runs.map((x) => `<circle cx="${x}" cy="9" r="1.7"/>`).join("");
  return `<svg class="rt-dots" viewBox="-3 0 106 18" aria-hidden="true"><rect x="${low}" y="5" width="${high - low}" height="8"/>${dots}<path d="M${published} 1v16"/></svg>`;
}

function makePrinted(part) {
  const data = JSON.parse(part.querySelector("script").textContent);
  const [body] = part.querySelector("table").tBodies;
  const form = part.querySelector("form");
  const box = part.querySelector(".rt-one");
  const [said, more] = box.children;
  const choices = Object.keys(data.choices);
  let chosen = null;
  const view = () => Math.max(0, choices.indexOf(form.querySelector("input:checked")?.value));
  const known = (cell) => data.cells[cell.parentElement.sectionRowIndex][cell.cellIndex - 1];
  const state = (cell) => cell.dataset.s.slice(2 * view(), 2 * view() + 2);

  function paint() {
    for (const cell of body.querySelectorAll("td[data-s]")) {
      const [letter, level] = state(cell);
      cell.className = [level === "-" ? "" : `d${level}`, ...(cell.classList.contains("rt-fit") ? ["rt-fit"] : [])].filter(Boolean).join(" ");
      cell.lastElementChild.textContent = data.words[letter]?.[0] ?? "";
      cell.ariaLabel = `${cell.firstChild.data.trim()}, ${data.words[letter]?.[1] ?? "not computed"}`;
    }
    part.querySelector("output").textContent = data.counts[view()];
    if (chosen) tell();
  }

  function tell() {
    const [row, column] = [data.rows[chosen.parentElement.sectionRowIndex], data.columns[chosen.cellIndex - 1]];
    const published = chosen.firstChild.data.trim();
    // A number that is ours to the last digit has its kind of link alone.
    const about = known(chosen);
    const [folds, reason, ...ours] = about.length ? about : [about, "", ...choices.map(() => [published])];
    const [shown, low, high, replicates, ...places] = ours[view()] ?? [];
    const words = data.words[state(chosen)[0]]?.[1] ?? "not computed";
    said.replaceChildren(make("strong", `${row[0]}, ${column[0]}`), make("p", `Published ${published}, ours ${shown ?? "not computed"}: ${words}.`));
    if (low) said.append(make("p", `95 % interval of one replicate: ${low} to ${high}${replicates > 1 ? `, from ${replicates} replicates` : ""}.`));
    if (reason) said.append(make("p", reason));
    if (places.length) said.insertAdjacentHTML("beforeend", strip(places));
    const block = make("div", "", { class: "highlight-console" });
    block.innerHTML = '<div class="highlight"><pre></pre></div>';
    block.querySelector("pre").textContent = folds ? `${data.show} ${row[1]} ${column[1]}${data.tail}` : data.whole;
    addCopyButton(block);
    const links = make("p", "");
    if (folds > 1) {
      const place = `${data.item[0]}-${column[2]}${folds === 3 ? "-nested" : ""}`;
      links.append(make("a", "folds, parameters and source", { href: `${data.folds}/${row[2]}.html#${place}` }), " · ");
    }
    more.replaceChildren(block, links);
    links.append(make("a", `${data.item[1]}, computed`, { href: `${data.item[0]}.html` }), " · ");
    const close = make("button", "close", { type: "button", class: "rt-shut" });
    close.addEventListener("click", () => { choose(null); });
    links.append(close);
    box.hidden = false;
  }

  function choose(cell) {
    chosen?.removeAttribute("aria-selected");
    chosen = cell;
    chosen?.setAttribute("aria-selected", "true");
    if (cell) tell();
    else box.hidden = true;
    keep();
  }

  function keep() {
    const found = new URLSearchParams({ table: part.dataset.key });
    if (chosen) found.set("cell", `${data.rows[chosen.parentElement.sectionRowIndex][2]}/${data.columns[chosen.cellIndex - 1][2]}`);
    if (view()) found.set("choice", choices[view()]);
    history.replaceState(null, "", `${location.pathname}${location.search}#${found}`);
  }

  function enter() {
    const asked = address();
    if (asked.get("table") !== part.dataset.key) return;
    part.open = true;
    const input = [...form.elements].find((one) => one.value === asked.get("choice"));
    if (input) input.checked = true;
    const [row, column] = (asked.get("cell") ?? "/").split("/");
    const cell = body.rows[data.rows.findIndex((one) => one[2] === row)]?.cells[1 + data.columns.findIndex((one) => one[2] === column)];
    paint();
    if (!cell?.dataset.s) return;
    choose(cell);
    makeStop(cell);
    // A browser that looks for the place called in the address goes back to the top.
    setTimeout(() => cell.scrollIntoView({ block: "center", inline: "center" }));
  }

  form.hidden = false;
  form.addEventListener("change", () => { paint(); keep(); });
  for (const type of ["focusin", "click"]) {
    body.addEventListener(type, (event) => {
      const cell = event.target.closest("td[data-s]");
      if (!cell || cell === chosen) return;
      choose(cell);
      makeStop(cell);
    });
  }
  body.addEventListener("keydown", (event) => event.key === "Escape" && choose(null));
  window.addEventListener("hashchange", enter);
  paint();
  enter();
}

document.querySelectorAll(".rt-printed").forEach(makePrinted);
}
