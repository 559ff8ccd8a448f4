"""The command ``retree``."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retree import paths
from retree.arguments import make_parser
from retree.diffing import diff_options as diff_options
from retree.errors import RetreeError, as_usage, unknown_name

if TYPE_CHECKING:
    from rich.console import Console

USAGE_ERROR, INTERRUPTED = 2, 130
# Commands that take Hydra overrides besides their own arguments.
OVERRIDABLE = ("plan", "run", "report", "diff", "compare")

# What is said of errors of the system that no module can expect.
_EXPLAINED = {
    # Whoever read this has seen enough.
    errno.EPIPE: "",
    errno.ENOSPC: "The output, or a disk, is full: make room and run again to go on.\n",
    errno.EMFILE: "Too few files may be open: raise ulimit -n, or take fewer jobs (-j N).\n",
}

# What a command needs is imported when it is called, so that help and usage errors come at once.
Command = Callable[[argparse.Namespace, list[str]], int]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    `argv`: the arguments after the command's name, by default those of the process.
    Returns 0; 1 if something failed; 2 if a name does not exist or the usage is wrong; 130 if
    interrupted.
    """
    args, overrides = make_parser().parse_known_args(argv)
    if args.command not in OVERRIDABLE:
        make_parser().parse_args(argv)
    try:
        with as_usage():
            _check_committed([*overrides, *getattr(args, "names", ())])
            if args.command != "site" and (study := _study(args)):
                overrides = _enter(study, args, overrides)
        code = _COMMANDS[args.command](args, overrides)
        sys.stdout.flush()
        return code
    except RetreeError as error:
        return _complain(error, of_study=args.command == "check" or bool(_study(args)))
    except KeyboardInterrupt:
        print("Interrupted: what was finished is stored, run again to go on.", file=sys.stderr)
        return INTERRUPTED
    except OSError as error:
        if error.errno not in _EXPLAINED:
            raise
        if error.errno != errno.EMFILE:
            # What Python still has to write goes nowhere.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print(_EXPLAINED[error.errno], end="", file=sys.stderr)
        return 1


def _check_committed(words: Sequence[str]) -> None:
    """Refuse a folder of committed results that is named and not there."""
    for value in (word.partition("=")[2] for word in words if word.startswith("committed=")):
        if value != "null" and not Path(value.strip("'\"")).is_dir():
            raise RetreeError(f"committed={value} is no folder: name one, or say committed=null.")


def _init(args: argparse.Namespace, _: list[str]) -> int:
    from retree.commands import check

    print(*check.init(args.folder), sep="\n")
    print(f"Go on with: retree run --report --study {args.folder} item=all")
    return 0


def _check(args: argparse.Namespace, _: list[str]) -> int:
    from retree.commands import check

    with as_usage():
        for line in check.check(args.folder):
            print(line, flush=True)
    return 0


def _preregister(args: argparse.Namespace, _: list[str]) -> int:
    from retree.commands import check

    with as_usage():
        print(check.freeze(args.folder))
    return 0


def _enter(folder: Path, args: argparse.Namespace, overrides: list[str]) -> list[str]:
    """Open a study, and return the overrides that make its folder the place of its results."""
    from retree.study.folders import open_study, study_places
    from retree.study.overrides import quoted

    name = open_study(folder)
    places = study_places(folder, name)
    defaults = {k: v if k == "paper" else quoted(v) for k, v in places.items()}
    given = {text.partition("=")[0].lstrip("+") for text in overrides}
    own = [f"{key}={value}" for key, value in defaults.items() if key not in given]
    if args.command == "show":
        plain = [text for text in args.names if "=" not in text]
        args.names = [*([name] if len(plain) == 3 else []), *args.names, *own[1:]]
    if args.command == "verify":
        args.names = [*own, *args.names]
    if args.command == "overview" and args.results == Path("results"):
        args.results = places["results"]
    return [*own, *overrides]


def _site(args: argparse.Namespace, _: list[str]) -> int:
    from retree.site import build_site

    print(build_site(args.results, args.output, args.study or ()))
    return 0


def _overview(args: argparse.Namespace, _: list[str]) -> int:
    from retree.reports.overview import write_overview, write_overview_page

    print(*write_overview(args.results), write_overview_page(args.results), sep="\n")
    return 0


def _quickstart(args: argparse.Namespace, _: list[str]) -> int:
    from retree.commands import quickstart

    screen = quickstart.Screen(_console(), tables=args.show, paths=args.report)
    return quickstart.run(args.results, args.jobs, screen)


def _data(args: argparse.Namespace, _: list[str]) -> int:
    from retree.commands import data

    return data.run(args)


def _bundle(args: argparse.Namespace, _: list[str]) -> int:
    from retree.commands import bundle

    return bundle.run(args, _console())


def _verify(args: argparse.Namespace, _: list[str]) -> int:
    from retree.commands import verify

    return verify.run(args, _console())


def _show(args: argparse.Namespace, _: list[str]) -> int:
    from retree.commands import show

    return show.run(args, _console())


def _diff(args: argparse.Namespace, overrides: list[str]) -> int:
    from retree.commands import diff

    if options := [text for text in overrides if text.startswith("-")]:
        raise unknown_name("option", options[0], diff_options.OPTIONS)
    return diff.run(args, overrides, _console())


def _compare(args: argparse.Namespace, overrides: list[str]) -> int:
    from retree.commands import compare

    return compare.run(args, overrides, _console())


def _experiment(args: argparse.Namespace, overrides: list[str]) -> int:
    from retree.commands import run

    return run.run(args, overrides, _console())


_COMMANDS: Mapping[str, Command] = {
    "init": _init,
    "check": _check,
    "preregister": _preregister,
    "plan": _experiment,
    "run": _experiment,
    "report": _experiment,
    "diff": _diff,
    "compare": _compare,
    "verify": _verify,
    "show": _show,
    "quickstart": _quickstart,
    "overview": _overview,
    "site": _site,
    "data": _data,
    "bundle": _bundle,
}


def _study(args: argparse.Namespace) -> Any:
    return getattr(args, "study", None)


def _complain(error: RetreeError, of_study: bool) -> int:
    """Print an error; what is wrong with a study's files leads to the page of all keys."""
    more = f" See {paths.study_reference()}." if of_study and ".yaml" in str(error) else ""
    print(f"{error}{more}", file=sys.stderr)
    return USAGE_ERROR if error.is_usage else 1


def _console() -> Console:
    from rich.console import Console

    # A pipe has no width: tables should not be cut.
    return Console(highlight=False, width=None if sys.stdout.isatty() else 200)
