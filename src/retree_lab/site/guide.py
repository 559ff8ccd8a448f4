"""The pages for users of the estimators: the guide, the gallery and the API."""

from __future__ import annotations

import inspect
import posixpath
import re
import textwrap
from pathlib import Path
from typing import Any

from sklearn.base import RegressorMixin

import retree
from retree.trees.declaring import Declared
from retree.trees.growing import GrowsTree
from retree.trees.mixed import MixedInput
from retree_lab import paths
from retree_lab.reports.document import Entry, Table, TableCell, ToAddress
from retree_lab.reports.figures import seen, svg_size
from retree_lab.reports.html import element, text
from retree_lab.site.blocks import (
    element_image,
    raw_markdown,
    raw_rst,
    rst_section,
    rst_table,
    rst_title,
)
from retree_lab.site.examples import ScriptCell, run_code, run_script
from retree_lab.site.links import source_of
from retree_lab.site.notebooks import notebook_text

ENTRIES = ("estimators", "guide/index", "gallery/index", "api/index")
# The tree of README and of the start page.
TREE = "iris.svg"
TEXTS = ("findings.md", "estimators.md", "speed.md", "growth.md")
# In running text: a heading or the words of a link lead nowhere else.
_NAME = re.compile(rf"^#.*|\[[^][]*\]|`({'|'.join(retree.__all__)})`", re.M)
_LINK = re.compile(r"\[(?P<words>[^][]*)\]\((?P<to>\.\./[^)#:]*)(?:#[^)]*)?\)")
# Methods that a new family knows, and no user needs.
_FOR_AUTHORS = {name for base in (Declared, MixedInput, GrowsTree) for name in vars(base)}
# What people search for, as the titles of the pages of public names.
_TITLES = {
    "AdaBoostM1Classifier": "AdaBoost.M1 (Weka's) in Python",
    "BaggingTreesClassifier": "bagged decision trees (Weka's Bagging) in Python",
    "C45Classifier": "C4.5 decision trees (Weka's J48) in Python",
    "C45RulesClassifier": "C4.5rules in Python",
    "CartClassifier": "CART decision trees in Python",
    "CartRegressor": "CART regression trees in Python",
    "DecisionStumpClassifier": "Weka's DecisionStump in Python",
    "ID3Classifier": "ID3 decision trees in Python",
    "OC1Classifier": "OC1, oblique decision trees in Python",
    "OneRClassifier": "OneR (Weka's) in Python",
    "REPTreeClassifier": "REPTree (Weka's) in Python",
    "ReliefF": "Relief-F in Python",
}
# An example that shows the tree of a class.
_TREE = """from retree import {name}
from sklearn.datasets import load_iris

iris = load_iris(as_frame=True)
{fit}"""
_TARGET = "petal width (cm)"
_FIT = {
    True: '{name}(max_depth=2).fit(iris.data.drop(columns="{target}"), iris.data["{target}"])',
    False: "{name}({seed}).fit(iris.data, iris.target_names[iris.target])",
}
# Where files of the repository are on the site.
_PLACES = (
    (r"results/README\.md", "index.md"),
    (r"results/(\w+)/README\.md", r"papers/\1/index.md"),
    (r"results/(\w+)/(\w+)\.(?:md|svg)", r"papers/\1/\2.md"),
    (r"results/(\w+\.svg)", r"extra/files/\1"),
    (r"conf/.+", "conf"),
    (r"examples/(plot_\w+)\.(?:py|ipynb)", r"gallery/\1.md"),
)


def write_guide(source: Path, copies: Path) -> None:
    """Write the pages of findings, guide, gallery and API.

    `copies`: folder of the files that the site has as they are; the gallery's pictures go there,
    and the tree of the start page.
    """
    project = paths.project_dir()
    write_api(source)
    (source / "gallery").mkdir()
    (copies / "gallery").mkdir()
    cards = []
    for script in sorted((project / "examples").glob("plot_*.py")):
        cells = run_script(script)
        page = _example_page(cells, script, copies / "gallery")
        (source / "gallery" / f"{script.stem}.md").write_text(page)
        (copies / "gallery" / script.name).write_bytes(script.read_bytes())
        notebook = copies / "gallery" / script.with_suffix(".ipynb").name
        notebook.write_text(notebook_text(cells))
        cards.append(_card(cells, script, copies / "gallery"))
    (source / "gallery" / "index.md").write_text(_gallery_page(cards))
    write_texts(project / "docs", source)
    (copies / TREE).write_bytes((project / "docs" / TREE).read_bytes())


def write_texts(docs: Path, source: Path) -> None:
    """Write findings, estimators, speed and guide, with links to results as on the site."""
    texts = [*(docs / name for name in TEXTS), *sorted((docs / "guide").rglob("*.md"))]
    for path in texts:
        (source / path.relative_to(docs)).parent.mkdir(parents=True, exist_ok=True)
    for path in texts:
        page = path.relative_to(docs)
        (source / page).write_text(site_links(path.read_text(), page, source))
    for picture in docs.glob("*.svg"):
        (source / picture.name).write_bytes(picture.read_bytes())


def site_links(text: str, page: Path, source: Path) -> str:
    """Return a text of ``docs`` with links to where results, examples and names are on the site.

    `source`: folder of what Sphinx reads. Links to pages that it lacks become words.
    """
    folder = page.parent.as_posix()

    def named(match: re.Match[str]) -> str:
        there = f"api/{match[1]}.rst"
        if match[1] is None or not (source / there).exists():
            return match[0]
        return f"[{match[0]}]({posixpath.relpath(there, folder)})"

    def moved(match: re.Match[str]) -> str:
        there = posixpath.normpath(posixpath.join("docs", folder, match["to"]))
        for pattern, where in _PLACES:
            if re.fullmatch(pattern, there):
                there = re.sub(pattern, where, there)
                if not (source / there).exists():
                    return match["words"]
                return f"[{match['words']}]({posixpath.relpath(there, folder)})"
        return match[0]

    return _LINK.sub(moved, _NAME.sub(named, text))


def write_api(source: Path) -> None:
    """Write the pages of the API into what Sphinx reads."""
    (source / "api").mkdir()
    (source / "api" / "index.rst").write_text(api_index())
    for name in retree.__all__:
        (source / "api" / f"{name}.rst").write_text(api_page(name))


def _gallery_page(cards: list[str]) -> str:
    return "\n".join(
        [
            "---\nhide-toc: true\n---\n",
            "# Gallery\n",
            "Scripts from the folder `examples`, run when this site was built.\n",
            raw_markdown(element("div", "\n".join(cards), class_="rt-gallery")),
        ]
    )


def _card(cells: list[ScriptCell], script: Path, pictures: Path) -> str:
    """Return the title of an example with its last picture, both of which lead to its page."""
    title = cells[0].source.partition("\n")[0].removeprefix("# ")
    image = ""
    if own := sorted(pictures.glob(f"{script.stem}_*.svg")):
        image = _image(own[-1], title)
    caption = element("figcaption", text(title))
    shown = element("a", image + caption, href=f"{script.stem}.html")
    return element("figure", shown, class_="rt-figure")


def _example_page(cells: list[ScriptCell], script: Path, pictures: Path) -> str:
    """Return the page of an example: text, code and what the code shows, in Markdown."""
    parts, n_pictures, title = ["---\norphan: true\n---\n"], 0, script.stem
    for cell in cells:
        if cell.output is None:
            title = cell.source.partition("\n")[0].lstrip("# ")
            parts.append(cell.source + "\n")
            continue
        parts.append(f"```python\n{cell.source}\n```\n")
        if cell.output.svg is not None:
            parts.append(raw_markdown(_drawn(cell.output.svg)))
        elif cell.output.text:
            parts.append(f"```text\n{cell.output.text}\n```\n")
        for svg in cell.output.pictures:
            n_pictures += 1
            path = pictures / f"{script.stem}_{n_pictures}.svg"
            path.write_text(svg)
            parts.append(raw_markdown(_drawn(_image(path, title))))
    parts.append(raw_markdown(_downloads(script)))
    return "\n".join(parts)


def _image(path: Path, title: str) -> str:
    alt = seen(path) or f"A figure of the example: {title}"
    return element_image(f"../files/gallery/{path.name}", alt, *svg_size(path))


def _drawn(image: str) -> str:
    return element("figure", image, class_="rt-figure")


def _downloads(script: Path) -> str:
    links = [
        element("a", words, href=f"../files/gallery/{script.stem}{suffix}", download="")
        for words, suffix in (("notebook", ".ipynb"), ("script", ".py"))
    ]
    return element("p", f"Download this example as a {' or a '.join(links)}.")


def api_index() -> str:
    """Return the list of all public names in reStructuredText."""
    rows: list[list[Entry]] = [
        [TableCell(name, to=ToAddress(f"{name}.html")), _first_line(name)]
        for name in retree.__all__
    ]
    return "\n".join(
        [
            ":hide-toc: true\n",
            rst_title("API"),
            "Import them from ``retree``: ``from retree import C45Classifier``.\n",
            rst_table(Table(["name", "what it is"], rows, left=2), "Public names"),
        ]
    )


def api_page(name: str) -> str:
    """Return the page of a public name in reStructuredText; autodoc and numpydoc fill it."""
    thing = getattr(retree, name)
    kind = "class" if inspect.isclass(thing) else "function"
    where = element("code", text(f"{thing.__module__}.{thing.__qualname__}"))
    page = source_of(thing)
    source = where if page is None else element("a", where, href=f"../{page}")
    parts = [":orphan:\n", rst_title(title_of(name)), _tree_section(thing)]
    parts.append(rst_section("Reference", f".. auto{kind}:: retree.{name}"))
    methods = _methods(thing) if inspect.isclass(thing) else []
    parts += ["", *(f"   .. automethod:: {method}" for method in methods), ""]
    return "\n".join([*parts, rst_section("Source", raw_rst(element("p", source)))])


def title_of(name: str) -> str:
    """Return the title of the page of a public name, with what people call it."""
    return f"{name}: {_TITLES[name]}" if name in _TITLES else name


def _tree_section(thing: Any) -> str:
    """Return an example of a class of trees with the tree that it grows, "" for all else."""
    if not hasattr(thing, "_repr_svg_"):
        return ""
    code = tree_example(thing)
    output = run_code(code)
    code_block = ".. code-block:: python\n\n" + textwrap.indent(code, "   ") + "\n"
    return f"{code_block}\n{raw_rst(_drawn(output.svg or ''))}"


def tree_example(thing: type[Any]) -> str:
    """Return code that fits a tree of a class to iris."""
    fit = _FIT[issubclass(thing, RegressorMixin)]
    seed = "random_state=0" if "random_state" in thing().get_params() else ""
    named = fit.format(name=thing.__name__, target=_TARGET, seed=seed)
    return _TREE.format(name=thing.__name__, fit=named)


def _first_line(name: str) -> str:
    return (inspect.getdoc(getattr(retree, name)) or "").partition("\n")[0].replace("``", "")


def _methods(thing: type[Any]) -> list[str]:
    """Return the names of the public methods of retree, inherited ones too."""
    return [
        name
        for name, method in inspect.getmembers(thing, inspect.isfunction)
        if method.__module__.startswith("retree.")
        and method.__doc__
        and not (name.startswith("_") or name in _FOR_AUTHORS)
    ]
