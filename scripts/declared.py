"""The stub of retree's public names, from the estimators' declarations.

python scripts/declared.py            say what has changed
python scripts/declared.py --write    write ``src/retree/__init__.pyi``
"""

from __future__ import annotations

import argparse
import pkgutil
import re
import sys
from importlib import import_module
from pathlib import Path

import retree

STUB = Path(retree.__file__).with_suffix(".pyi")
ROOMS = ("clustering", "forests", "relief", "trees")
HEAD = (
    '"""What `import retree` offers, for type checkers; '
    'at run time names are imported on first use."""'
)
TAIL = ("", "__version__: str", "__all__: list[str]", "_HOMES: dict[str, str]", "")


def stub() -> str:
    """Return the text of the stub: the functions that it has, and the classes that are declared."""
    homes = {n: m for n, m in retree._HOMES.items() if not n[0].isupper()} | declared_classes()
    lines = [HEAD, ""]
    for name, module in sorted(homes.items(), key=lambda home: (home[1], home[0].lower())):
        line = f"from {module} import {name} as {name}"
        wrapped = f"from {module} import (\n    {name} as {name},\n)"
        lines.append(line if len(line) <= 100 else wrapped)
    return "\n".join(
        [*lines, "", "__version__: str", "__all__: list[str]", "_HOMES: dict[str, str]", ""]
    )


def declared_classes() -> dict[str, str]:
    """Return the module of each class that `declare` has made public."""
    found = {}
    for room in ROOMS:
        package = import_module(f"retree.{room}")
        infos = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        for name in (package.__name__, *(info.name for info in infos)):
            for value in vars(import_module(name)).values():
                if isinstance(value, type) and "_declared" in vars(value):
                    found[value.__name__] = value.__module__
    return found


def main() -> int:
    """Compare or write, and return the exit code."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="replace the stub")
    if parser.parse_args().write:
        STUB.write_text(stub(), encoding="utf-8")
        return 0
    names = [set(re.findall(r"as (\w+)", text)) for text in (stub(), STUB.read_text())]
    print("Public names that moved:", *sorted(names[0] ^ names[1]) or ["none"])
    return int(stub() != STUB.read_text())


if __name__ == "__main__":
    sys.exit(main())
