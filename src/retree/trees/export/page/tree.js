"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (node) => document.getElementById(`n${node}`);
  const details = () => [...document.querySelectorAll("#tree details")];
  // What stands in a closed node has a box in some browsers, so boxes do not say what is visible.
  const heads = () => [...document.querySelectorAll("#tree summary, #tree .leaf")].filter(
    (head) => !head.closest("li").parentElement.closest("details:not([open])"),
  );
  const percent = (share) => `${+(100 * share).toFixed(1)} %`;
  const element = (name, text, attributes = {}) => {
    const made = document.createElement(name);
    made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };

  // What stands beside the tree of the node that the pointer, or the keyboard, is at.
  const info = document.getElementById("info");
  const show = (head) => {
    const node = +head.id.slice(1);
    const { prediction, rows, table } = data.nodes[node];
    const path = [];
    for (let own = node; own > 0; own = data.nodes[own].parent) {
      path.unshift(at(own).querySelector(".step").textContent);
    }
    const list = element("ol", "");
    for (const step of path) list.append(element("li", step));
    const counts = element("table", "");
    for (const [name, value] of table) {
      const row = element("tr", "");
      row.append(element("th", name, { scope: "row" }), element("td", value));
      counts.append(row);
    }
    info.replaceChildren(
      element("p", prediction, { class: "class" }), element("p", rows), counts,
      ...(path.length ? [element("p", "Path:"), list] : []),
    );
  };
  for (const kind of ["pointerover", "focusin"]) {
    document.getElementById("tree").addEventListener(kind, (event) => {
      const head = event.target.closest("summary, .leaf");
      if (head) show(head);
    });
  }
  show(at(0));

  // Arrows walk over what is visible, as in a tree of files.
  document.getElementById("tree").addEventListener("keydown", (event) => {
    const all = heads(), place = all.indexOf(document.activeElement);
    if (place < 0) return;
    const head = all[place], own = head.tagName === "SUMMARY" ? head.parentElement : null;
    let next = null;
    if (event.key === "ArrowDown") next = all[place + 1];
    else if (event.key === "ArrowUp") next = all[place - 1];
    else if (event.key === "Home") next = all[0];
    else if (event.key === "End") next = all.at(-1);
    else if (event.key === "ArrowRight") {
      if (own && !own.open) own.open = true;
      else if (own) next = all[place + 1];
    } else if (event.key === "ArrowLeft") {
      if (own && own.open) own.open = false;
      else next = head.closest("ul").closest("li")?.querySelector("summary");
    } else return;
    event.preventDefault();
    next?.focus();
  });
  document.getElementById("open").addEventListener("click", () => details().forEach((d) => (d.open = true)));
  document.getElementById("close").addEventListener("click", () => details().forEach((d) => (d.open = false)));

  // The path of a row.
  const form = document.getElementById("row");
  if (!form) return;
  const branch = ({ feature, threshold, sides, normal, missing, children }, row) => {
    if (normal) {
      const sum = normal.reduce((total, [j, a]) => total + a * row[j], 0);
      return Number.isNaN(sum) ? -1 : +!(sum <= threshold);
    }
    const value = row[feature];
    if (Number.isNaN(value)) return missing ? children.length - 1 : -1;
    if (threshold !== null) return +!(value <= threshold);
    return sides ? +!sides.includes(value) : value;
  };
  const visit = (node, part, row, parts) => {
    parts.set(node, part);
    const { children, weight, known } = data.nodes[node];
    if (!children.length) return;
    const taken = branch(data.nodes[node], row);
    if (taken >= 0) return visit(children[taken], part, row, parts);
    const weights = children.map((child) => data.nodes[child].weight);
    if (!data.divides) return visit(children[weights.indexOf(Math.max(...weights))], part, row, parts);
    if (!(weight > 0)) return visit(children[0], part, row, parts);
    for (const child of children) {
      if (data.nodes[child].weight > 0) visit(child, part * (data.nodes[child].sent / known), row, parts);
    }
  };
  const clear = () => {
    document.querySelectorAll(".on").forEach((e) => e.classList.remove("on"));
    document.querySelectorAll(".part").forEach((e) => e.remove());
    document.getElementById("said").textContent = "";
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clear();
    const row = {}, parts = new Map();
    for (const field of form.querySelectorAll("[data-feature]")) {
      row[field.dataset.feature] = field.value.trim() === "" ? NaN : +field.value;
    }
    visit(0, 1, row, parts);
    const ends = [...parts].filter(([node]) => !data.nodes[node].children.length);
    for (const [node, part] of parts) {
      const head = at(node);
      head.classList.add("on");
      if (head.tagName === "SUMMARY") head.parentElement.open = true;
      if (part < 1) head.append(element("span", percent(part), { class: "part" }));
    }
    ends.sort((a, b) => b[1] - a[1]);
    const words = ends.map(([node, part]) => `${data.nodes[node].prediction}${part < 1 ? ` (${percent(part)})` : ""}`);
    document.getElementById("said").textContent = `The row ends in: ${words.join(", ")}`;
    document.body.dataset.ends = JSON.stringify(ends);
    at(ends[0][0]).scrollIntoView({ block: "nearest" });
  });
  form.addEventListener("reset", clear);
})();
