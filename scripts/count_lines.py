"""Count what the Python of retree is made of: ``python scripts/count_lines.py [FOLDER ...]``.

Every line is one of docstring, comment, blank, import or code. Docstrings and imports are found by
`ast`, comments by `tokenize`; a line that has code and a comment is code.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OTHERS = {
    "C++": ("src/engine", (".cpp", ".hpp", ".h")),
    "JavaScript, CSS": ("src", (".js", ".css")),
    "configuration": ("conf", (".yaml", ".md")),
}
KINDS = ("code", "docstrings", "imports", "comments", "blank")
_SILENT = {
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
    tokenize.ENCODING,
    tokenize.COMMENT,
}


def main(*folders: str) -> None:
    """Print the lines of each kind by subfolder of some folders, and what else a reader reads."""
    print(f"{'':18}{'modules':>9}{'lines':>9}" + "".join(f"{kind:>12}" for kind in KINDS))
    for folder in folders or ("src/retree", "src/retree_lab", "scripts", "tests"):
        by_part: dict[str, Counter[str]] = {}
        modules: Counter[str] = Counter()
        for path in sorted((ROOT / folder).rglob("*.py")):
            inside = path.relative_to(ROOT / folder).parts
            part = f"  {inside[0]}" if len(inside) > 1 and folder.startswith("src") else "  (flat)"
            counts = count_lines(path.read_text(encoding="utf-8"))
            by_part.setdefault(part, Counter()).update(counts)
            modules[part] += 1
        total = sum(by_part.values(), Counter[str]())
        for part, lines in [(folder, total), *by_part.items()]:
            count = modules[part] if part in modules else modules.total()
            row = "".join(f"{lines[kind]:>12,}" for kind in KINDS)
            print(f"{part:18}{count:>9,}{lines.total():>9,}{row}")
    for what, (folder, suffixes) in OTHERS.items():
        paths = [p for p in (ROOT / folder).rglob("*") if p.suffix in suffixes]
        n_lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)
        print(f"{what:18}{len(paths):>9,}{n_lines:>9,}")


def count_lines(text: str) -> Counter[str]:
    """Return how many lines of a module are of each of `KINDS`."""
    tree = ast.parse(text)
    docstrings, imports = set[int](), set[int]()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            imports.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        elif isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and ast.get_docstring(node, clean=False) is not None:
                docstrings.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    code, comments = set[int](), set[int]()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        lines = range(token.start[0], token.end[0] + 1)
        if token.type not in _SILENT:
            code.update(lines)
        elif token.type == tokenize.COMMENT:
            comments.update(lines)
    code -= docstrings | imports
    comments -= code | docstrings | imports
    n_lines = len(text.splitlines())
    counted = len(code) + len(comments) + len(docstrings) + len(imports)
    counts = (len(code), len(docstrings), len(imports), len(comments), n_lines - counted)
    return Counter(dict(zip(KINDS, counts, strict=True)))


if __name__ == "__main__":
    main(*sys.argv[1:])
