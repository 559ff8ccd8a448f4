"""The command ``retree store merge``."""

from __future__ import annotations

import argparse

from rich.console import Console

from retree.errors import StoreError
from retree.experiments.planning.cell import cells_text
from retree.experiments.storing.merging import merge
from retree.experiments.storing.store import Store


def run(args: argparse.Namespace, console: Console) -> int:
    """Add to the store ``args.into`` the cells of ``args.others``.

    The exit code is 1 if rows are damaged, or if the same cell has other results in two stores.
    """
    for path in args.others:
        if not path.is_file():
            raise StoreError(f"{path} does not exist: name the store of another run.")
    code = 0
    with Store(args.into) as into:
        for path in args.others:
            with Store(path, readonly=True) as other:
                found = merge(into, other)
            text = f"{path}: {cells_text(found.new)} added to {args.into}"
            if found.damaged:
                text += f"; {cells_text(len(found.damaged))} damaged, left out"
            if found.contradicted:
                many = cells_text(len(found.contradicted))
                text += f"; {many} with other results than {args.into} has, which stay there: "
                text += "find out which with retree verify"
            code = max(code, int(bool(found.damaged or found.contradicted)))
            console.print(f"{text}.", markup=False, highlight=False, soft_wrap=True)
    return code
