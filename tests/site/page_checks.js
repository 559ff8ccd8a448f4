// Returns what is wrong with the page that is shown, a sentence each. Contrast is looked at here, in
// a hundredth of the time that axe takes for it; the rest is what axe does not know of.
() => {
  const problems = [];
  const say = (what, element) => problems.push(`${what}: ${element.outerHTML.slice(0, 120)}`);
  const visible = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });

  // Contrast of text with what is painted behind it (WCAG 2, level AA).
  const channels = (css) => css.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const [R, G, B] = [r, g, b].map((v) => v / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * R + 0.7152 * G + 0.0722 * B;
  };
  const painted = new Map();
  const behind = (element) => {
    if (!element) return [255, 255, 255];
    if (!painted.has(element)) {
      const paint = channels(getComputedStyle(element).backgroundColor);
      painted.set(element, paint.length < 4 || paint[3] > 0.5 ? paint : behind(element.parentElement));
    }
    return painted.get(element);
  };
  const seen = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || element.closest("svg, script, style, template")) continue;
    const style = getComputedStyle(element);
    const key = [style.color, behind(element), style.fontSize, style.fontWeight].join();
    if (seen.has(key) || !visible(element)) continue;
    seen.add(key);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const [a, b] = [light(channels(style.color)), light(behind(element))].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < (large ? 3 : 4.5)) say(`contrast ${contrast.toFixed(2)}`, element);
  }

  // Nothing important is cut off: a table fits, or scrolls below its frozen first column.
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) problems.push("the page is wider than the screen");
  for (const box of document.querySelectorAll(".rt-box, .table-wrapper")) {
    if (!visible(box) || box.scrollWidth <= box.clientWidth + 1) continue;
    if (width > 1000) say(`a table of ${box.scrollWidth} px in ${box.clientWidth}`, box);
    const frozen = box.querySelector("tbody th[scope=row], tbody td:first-child");
    if (getComputedStyle(frozen).position !== "sticky") say("first column is not frozen", box);
    if (box.tabIndex < 0) say("scrolls but not by keyboard", box);
  }

  // The tab key stops at everything that can be used, and once in a table of cells.
  for (const table of document.querySelectorAll("table.rt-cells")) {
    const stops = [...table.querySelectorAll("td, td > a")].filter((e) => e.tabIndex === 0);
    if (table.querySelector("td[data-tip], td[data-s]") && stops.length !== 1) say(`${stops.length} stops`, table);
  }
  for (const element of document.querySelectorAll("a[href], button, select, input")) {
    if (!visible(element) || element.closest("table.rt-cells td")) continue;
    if (element.tabIndex < 0) say("not reachable by keyboard", element);
  }
  return problems;
}
