"""Refuse imports against the layers that CONTRIBUTING.md shows, and circles; `make lint` runs it.

Imports inside functions and those for type checking only count like all others.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from importlib.util import resolve_name
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
Imports = Mapping[str, set[str]]


def read_layers(text: str) -> list[list[str]]:
    """Return what is in each layer, the lowest first; a line without indent names a package."""
    block = re.search(r"```layers\n(.*?)```", text, re.DOTALL)
    assert block, "CONTRIBUTING.md has no block of layers"
    layers: list[list[str]] = []
    package = ""
    for line in block[1].splitlines():
        if not line.startswith(" "):
            package = line
        else:
            layers.insert(0, [f"{package}.{name}" for name in line.split()])
    return layers


def read_imports(source: Path) -> dict[str, set[str]]:
    """Return by module in the folder `source` which of the modules there it imports."""
    files = {_module(path.relative_to(source)): path for path in source.rglob("*.py")}
    return {
        name: {imported for imported in _imported(path, name, files) if imported != name}
        for name, path in files.items()
    }


def against_layers(imports: Imports, layers: list[list[str]]) -> Iterator[str]:
    """Yield a sentence for each import from a higher layer, and for each module without a layer."""
    heights = {name: i for i, layer in enumerate(layers) for name in layer}
    # A package itself only says where its names are defined.
    height = {name: _height(name, heights) if "." in name else -1 for name in imports}
    for name in sorted(imports):
        if (own_height := height[name]) is None:
            yield f"{name} is in no layer: add it to the block of layers in CONTRIBUTING.md."
            continue
        for other in sorted(imports[name] if "." in name else ()):
            if (height[other] or 0) > own_height:
                yield f"{name} imports {other}, which stands above it."


def circle(imports: Imports) -> str:
    """Return a circle of modules that import each other, "" if there is none."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return " <- ".join(error.args[1])
    return ""


def _module(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def _imported(path: Path, name: str, files: Mapping[str, Path]) -> Iterator[str]:
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in files)
        elif isinstance(node, ast.ImportFrom):
            base = resolve_name("." * node.level + (node.module or ""), package)
            names = (f"{base}.{alias.name}" for alias in node.names)
            modules = {name if name in files else base for name in names}
            yield from modules & files.keys()


def _height(module: str, heights: Mapping[str, int]) -> int | None:
    """Return the layer of the longest name that `module` is or lies in."""
    matching = [name for name in heights if f"{module}.".startswith(f"{name}.")]
    return heights[max(matching, key=len)] if matching else None


def main() -> int:
    """Check the package and return the exit code."""
    imports = read_imports(ROOT / "src")
    faults = list(against_layers(imports, read_layers((ROOT / "CONTRIBUTING.md").read_text())))
    if modules := circle(imports):
        faults.append(f"These import each other in a circle: {modules}.")
    print(*faults, sep="\n", end="\n" if faults else "")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
