"""How long the explorer takes to filter and sort a register of many rows in a browser.

    python benchmarks/bench_explorer.py [--rows 20000] [--repeats 5] [--keep DIR]

The register of the committed results is repeated, with other data set names, until it is long
enough. A time runs from a choice until the grid and the counts show it, in milliseconds. The
picture follows in the next frame, and has its own time. The lowest of several times is printed.
It only measures, and checks nothing. It needs Chromium on the PATH.
"""

from __future__ import annotations

import argparse
import math
import shutil
import tempfile
from pathlib import Path

import pandas as pd
from playwright.sync_api import Page, sync_playwright

from retree_lab import paths
from retree_lab.experiments.definition.paper_config import load_paper
from retree_lab.reports.agreement import read_comparisons
from retree_lab.reports.paper_pages import PaperPages
from retree_lab.reports.register import read_register
from retree_lab.site.build import run_sphinx
from retree_lab.site.explorer import write_explorer
from retree_lab.site.rendered_papers import PaperFiles, rendered_names

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
ROW = "{:<44} {:>9} {:>14}"
# Each step is done as a reader does it; `box` is one of the lists of names.
STEPS = {
    "filter: the largest paper": "choose('paper', 0)",
    "filter: one verdict more": "choose('verdict', 0)",
    "filter: all again": "press('Show all')",
    "free text: j48": "type('j48')",
    "free text: none": "type('')",
    "sort: difference": "head('difference')",
    "sort: difference, the other way": "head('difference')",
    "sort: method": "head('method')",
    "sort: published": "head('published')",
}
HELPERS = """() => {
  const click = (all, text) => [...all].find((one) => one.textContent === text).click();
  window.head = (title) => click(document.querySelectorAll(".rt-sort"), title);
  window.press = (text) => click(document.querySelectorAll("button"), text);
  window.type = (text) => {
    const box = document.querySelector("input[type=search]");
    box.value = text;
    box.dispatchEvent(new Event("input"));
  };
  window.choose = (name) => {
    const box = document.querySelector(`details[data-name=${name}]`);
    const size = (label) => Number(/\\((\\d+)\\)$/.exec(label.textContent)[1]);
    const labels = [...box.querySelectorAll("label")].sort((a, b) => size(b) - size(a));
    labels[0].querySelector("input").click();
    box.open = false;
  };
}"""
MEASURE = """async () => {
  const start = performance.now();
  %s;
  // What is laid out is shown.
  document.querySelector(".rt-rows").getBoundingClientRect();
  const shown = performance.now() - start;
  await new Promise(requestAnimationFrame);
  await new Promise((done) => setTimeout(done));
  return [shown, performance.now() - start];
}"""


def write_site(folder: Path, n_rows: int) -> Path:
    """Write a site of the explorer alone, and return its page."""
    results, source = paths.project_dir() / "results", folder / "source"
    (source / "extra" / "files").mkdir(parents=True)
    (source / "index.md").write_text("# Explorer alone\n\n```{toctree}\nexplorer\n```\n")
    papers = [
        PaperFiles(load_paper(name), results / name, (), PaperPages())
        for name in rendered_names(results)
    ]
    comparisons = read_comparisons(results)
    found = read_register(comparisons, [files.paper for files in papers])
    parts = [
        found.assign(dataset=found["dataset"] + (f" {i}" if i else ""))
        for i in range(math.ceil(n_rows / len(found)) if n_rows else 1)
    ]
    register = pd.concat(parts, ignore_index=True)
    register = register.head(n_rows) if n_rows else register
    write_explorer(papers, comparisons, register, source)
    run_sphinx(source, folder / "site", folder / "doctrees")
    return folder / "site" / "explorer.html"


def measure(page: Page, step: str) -> tuple[float, float]:
    """Return how long a step takes until the grid shows it, and until the picture does."""
    name = step.partition("'")[2].partition("'")[0]
    if step.startswith("choose"):
        # The list is filled when it is opened.
        page.locator(f"details[data-name={name}] summary").click()
        page.locator(f"details[data-name={name}] label").first.wait_for()
    shown, drawn = page.evaluate(MEASURE % step)
    return float(shown), float(drawn)


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=20_000, help="0: those that there are")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--keep", type=Path, help="a new folder that the site is left in")
    args = parser.parse_args()
    browser_path = next(filter(None, map(shutil.which, BROWSERS)))
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        address = write_site(args.keep or Path(scratch), args.rows).as_uri()
        browser = playwright.chromium.launch(executable_path=browser_path, args=OPTIONS)
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in STEPS}
        loads = []
        for _ in range(args.repeats):
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto(address)
            page.locator(".tabulator-row").first.wait_for()
            loads.append(page.evaluate("performance.now()"))
            page.evaluate(HELPERS)
            for name, step in STEPS.items():
                times[name].append(measure(page, step))
            page.close()
        browser.close()
    print(ROW.format(f"{args.rows:,} rows, in ms", "grid", "with picture"))
    print(ROW.format("page shown", "", f"{min(loads):.0f}"))
    for name, found in times.items():
        least = (min(column) for column in zip(*found, strict=True))
        print(ROW.format(name, *(f"{value:.0f}" for value in least)))


if __name__ == "__main__":
    main()
