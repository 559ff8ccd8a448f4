"""How heavy the pages of the site are, how soon they show, and what a browser complains about.

    make site
    python benchmarks/bench_site.py [--site site] [--loads 3] > docs/site.md

A page of each kind is opened from the file system, at desktop and phone width, in light and dark.
`paint` is the median of the first paint over several loads, in milliseconds; `weight` is the page
with everything that it loads. The checks of the tests look at contrast, width and use by keyboard,
in a hundredth of the time that axe takes for contrast. At the top are the sums over these pages,
and the broken links of the whole site. Below is what a reader has to learn: the terms in README,
on the start page, and above the tables of the papers' pages. It
needs Chromium on the PATH, and the packages of the tests.
"""

from __future__ import annotations

import argparse
import html
import re
import shutil
import statistics
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
SCREENS = {"desk": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
PAGES = (
    *("index", "explorer", "findings", "claims", "search", "estimators", "guide/index"),
    *("guide/pruning", "guide/papers/openml", "api/C45Classifier", "methods/bnm_gini"),
    *("gallery/plot_oblique_boundary", "papers/structure_purity/index"),
    *("papers/structure_purity/table2", "papers/structure_purity/folds/sonar"),
    *("papers/hundreds/index", "papers/openml/table1", "papers/rockflows/blocks"),
    "papers/landmarkers/table1",
)
PAINT = """() => new Promise((resolve) => new PerformanceObserver((list) => {
  const [paint] = list.getEntriesByName("first-contentful-paint");
  if (paint) resolve(paint.startTime);
}).observe({ type: "paint", buffered: true }))"""
CHECKS = (ROOT / "tests" / "site" / "page_checks.js").read_text()
LINK = re.compile(r'<(?:a|img|script|link)\b[^>]*?\b(?:href|src)="([^"]*)"')

# Text that its box cuts off, but for what only screen readers read.
CLIPPED = """() => [...document.querySelectorAll("main *, article *")].filter((e) => {
  const style = getComputedStyle(e);
  return e.children.length === 0 && e.textContent.trim() && e.checkVisibility() && e.clientWidth > 4
    && style.overflowX === "hidden" && e.scrollWidth > e.clientWidth + 1;
}).map((e) => e.outerHTML.slice(0, 120))"""
# What a reader has to learn, however it is written.
CONCEPTS = {
    **{"match": r"\bmatch(es)?\b", "close": r"\bclose\b", "off": r"\d off\b|\boff:"},
    **{"not checkable": r"not checkable", "direction only": r"direction only"},
    **{
        "within 1 point": r"within 1 point",
        "exact rerun": r"exact rerun",
        "checked": r"\bchecked\b",
    },
    **{
        "apart: other programs": r"other programs",
        "apart: chosen by fit": r"chosen by fit|hatched",
    },
    **{"survives, lost, unknown": r"\bsurvives\b|\bunknown \("},
    **{"honest selection": r"honest|without the test rows|inside the training folds"},
    **{"equal": r"\bequal to the|\bequal\b.*digit", "agrees": r"\bagrees?\b"},
    **{"agrees weakly": r"weakly|\(✓\)", "at the edge": r"at the edge|\(✗\)"},
    **{"differs": r"\bdiffers?\b", "known misprint": r"misprint", "cannot be judged": r"be judged"},
    **{
        "wrong method": r"wrong method|another method",
        "skill": r"\bskill\b",
        "surely so": r"surely",
    },
    **{
        "inside the interval": r"inside the interval",
        "smallest difference": r"smallest difference",
    },
    **{"possible": r"here: possible|, possible", "no clear gain": r"not shown|no clear"},
    **{
        "steps away": r"rows away",
        "known before, made later": r"made later|known before",
    },
    **{"tested significance": r"significan|p = 0", "rank": r"\branks?\b"},
}


def concepts(text: str) -> set[str]:
    """Return which of `CONCEPTS` a text uses."""
    return {name for name, form in CONCEPTS.items() if re.search(form, text, re.IGNORECASE)}


def first_screens(site: Path) -> Iterator[tuple[str, str]]:
    """Yield README, the start page, and what each paper's page says above its first table."""
    yield "README", (ROOT / "README.md").read_text()
    yield "start page", _words(re.split("<main>|<footer>", (site / "index.html").read_text())[1])
    for page in sorted(site.glob("papers/*/index.html")):
        article = page.read_text().partition("<article")[2]
        yield page.parent.name, _words(re.split("<h2|<details", article)[0])


def _words(content: str) -> str:
    return html.unescape(re.sub("<[^>]+>", " ", content))


class Measured(NamedTuple):
    """What was found on a page."""

    paint: float
    weight: int
    violations: int
    problems: int  # Of contrast, width and keyboard
    complaints: int
    clipped: int  # Texts that their boxes cut off


def main() -> None:
    """Print a page in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--site", type=Path, default=Path("site"))
    parser.add_argument("--loads", type=int, default=3)
    args = parser.parse_args()
    path = next(filter(None, map(shutil.which, BROWSERS)))
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=OPTIONS)
        found = {n: measured(browser, args.site.resolve(), n, args.loads) for n in PAGES}
        version = browser.version
    print(f"# The site in a browser\n\nChromium {version}, two cores, {date.today():%Y-%m-%d}.")
    print(
        f"`python benchmarks/bench_site.py` opened {len(found)} pages, one of each kind, in light"
    )
    print("and dark mode, 1280 and 390 pixels wide.\n")
    print("| | all pages |\n| :-- | --: |")
    print(
        f"| accessibility violations found by axe | {sum(m.violations for m in found.values())} |"
    )
    problems = sum(m.problems for m in found.values())
    print(f"| low contrast, too wide, or not reachable by keyboard | {problems} |")
    print(f"| console errors | {sum(m.complaints for m in found.values())} |")
    print(f"| texts cut off | {sum(m.clipped for m in found.values())} |")
    links, broken = count_links(args.site.resolve())
    print(f"| broken internal links, out of {links:,} | {broken} |")
    paints = [m.paint for m in found.values()]
    print(f"| first paint, median over the pages | {statistics.median(paints):.0f} ms |")
    print(f"| heaviest page | {max(m.weight for m in found.values()) / 1e3:,.0f} kB |\n")
    learned = {name: concepts(text) for name, text in first_screens(args.site.resolve())}
    print(f"README has {len((ROOT / 'README.md').read_text().split())} words.\n")
    print("| first screen | terms to know | which |\n| :-- | --: | :-- |")
    print(f"| all | {len(set().union(*learned.values()))} | |")
    for name, own in learned.items():
        print(f"| {name} | {len(own)} | {', '.join(sorted(own))} |")
    print("\n| page | first paint | weight |\n| :-- | --: | --: |")
    for name, m in found.items():
        print(f"| {name} | {m.paint:.0f} ms | {m.weight / 1e3:,.0f} kB |")


def measured(browser: Browser, site: Path, name: str, loads: int) -> Measured:
    """Open a page as often as asked, and look at it on each screen in each scheme."""
    paints: list[float] = []
    violations = problems = clipped = 0
    files: set[Path] = set()
    complaints: list[str] = []
    for screen in SCREENS.values():
        for scheme in ("light", "dark"):
            context = browser.new_context(viewport=screen, color_scheme=scheme)
            page = context.new_page()
            page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on("request", lambda asked: files.add(Path(unquote(urlsplit(asked.url).path))))
            for _ in range(loads):
                page.goto((site / f"{name}.html").as_uri())
                paints.append(float(page.evaluate(PAINT)))
            rules, wrong, cut = violated(page), page.evaluate(CHECKS), page.evaluate(CLIPPED)
            for said in (*rules, *wrong, *cut):
                print(f"{name}: {said}", file=sys.stderr)
            violations, problems = violations + len(rules), problems + len(wrong)
            clipped += len(cut)
            context.close()
    weight = sum(file.stat().st_size for file in files if file.is_file())
    paint, errors = statistics.median(paints), len(complaints)
    return Measured(paint, weight, violations, problems, errors, clipped)


def count_links(site: Path) -> tuple[int, int]:
    """Return how many links to files of the site its pages have, and how many lead nowhere."""
    total = broken = 0
    for page in site.rglob("*.html"):
        for target in LINK.findall(page.read_text()):
            parts = urlsplit(html.unescape(target))
            if parts.scheme or parts.netloc or not parts.path:
                continue
            total += 1
            broken += not (page.parent / unquote(parts.path)).is_file()
    return total, broken


def violated(page: Page) -> list[str]:
    """Return the rules of axe that a page breaks."""
    without = {"color-contrast": {"enabled": False}}
    options = {"resultTypes": ["violations"], "preload": False, "rules": without}
    return [str(found["id"]) for found in Axe().run(page, options=options).response["violations"]]


if __name__ == "__main__":
    main()
