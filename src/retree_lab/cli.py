"""The command ``retree``: finds the command that is asked for, and calls it."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retree import __version__
from retree.errors import RetreeError, as_usage, unknown_name
from retree_lab import paths
from retree_lab.commands import command_texts

if TYPE_CHECKING:
    from rich.console import Console

USAGE_ERROR, INTERRUPTED = 2, 130
EXAMPLES = """\
examples:
  retree plan item=table2                         what is left to compute
  retree run item=table2 --report                 compute and render Table 2
  retree run item=table2 datasets=[sonar,bupa]    two of its data sets only
  retree run dataset=sonar method.k=5             one method on one data set
  retree run -m dataset=sonar method.omega2=0.01,0.02 method.k=2,5
                                                  your own sweep
  retree init my_study                            a study of your own
  retree check my_study                           find mistakes in its files
  retree run --report --study my_study item=all   compute and render it
  retree quickstart                               parts of all papers
  retree show structure_purity table2 sonar gini  the folds behind a number

Arguments like item=table2 are Hydra overrides of conf/config.yaml; retree run --help lists them.
"""
# What is said of errors of the system that no module can expect.
_EXPLAINED = {
    # Whoever read this has seen enough.
    errno.EPIPE: "",
    errno.ENOSPC: "No space is left on the disk: free some, and run the command again.\n",
    errno.EMFILE: "Too many files are open: raise ulimit -n, or use fewer jobs (-j N).\n",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    `argv`: the arguments after the command's name, by default those of the process.
    Returns 0; 1 if something failed; 2 if a name does not exist or the usage is wrong; 130 if
    interrupted.
    """
    of_study = False
    try:
        args, overrides = parse(sys.argv[1:] if argv is None else argv)
        of_study = args.command == "check" or bool(getattr(args, "study", None))
        with as_usage():
            if args.command != "compare":
                _check_committed([*overrides, *getattr(args, "names", ())])
        code: int = args.run(args, overrides, _console())
        sys.stdout.flush()
        return code
    except RetreeError as error:
        return _complain(error, of_study)
    except KeyboardInterrupt:
        print(
            "Interrupted. Finished work is stored; run the command again to continue.",
            file=sys.stderr,
        )
        return INTERRUPTED
    except OSError as error:
        if error.errno not in _EXPLAINED:
            raise
        if error.errno != errno.EMFILE:
            # What Python still has to write goes nowhere.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print(_EXPLAINED[error.errno], end="", file=sys.stderr)
        return 1


def parse(argv: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """Return the arguments of a command, its function `run` among them, and Hydra overrides."""
    parser = _Parser(
        prog="retree",
        description="Regenerate tables and figures of decision-tree papers, and compare numbers.",
        epilog=EXAMPLES,
        formatter_class=_Help,
    )
    parser.add_argument("--version", action="version", version=f"retree {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    asked = next((word for word in argv if not word.startswith("-")), None)
    for name, text in command_texts().items():
        first = text.partition("\n")[0]
        first = first[0].lower() + first[1:].rstrip(".")
        command = commands.add_parser(
            name,
            help=first,
            description=text,
            formatter_class=_Help,
        )
        if name == asked:
            module = import_module(f"retree_lab.commands.{name}")
            command.set_defaults(run=module.run, takes_overrides=False)
            module.add_arguments(command)
    args, others = parser.parse_known_args(argv)
    if not args.takes_overrides:
        parser.parse_args(argv)
    elif options := [word for word in others if word.startswith("-")]:
        with as_usage():
            raise unknown_name("option", options[0], commands.choices[args.command].options)
    return args, others


class _Help(argparse.HelpFormatter):
    """Fills paragraphs to the width of the screen, but for those with indented lines."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        fill = super()._fill_text
        paragraphs = text.strip().split("\n\n")
        return "\n\n".join(p if "\n  " in p else fill(p, width, indent) for p in paragraphs)


class _Parser(argparse.ArgumentParser):
    """A parser that knows options by their whole names only, as do its commands."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, allow_abbrev=False)

    @property
    def options(self) -> list[str]:
        """The names of its options."""
        return list(self._option_string_actions)


def _check_committed(words: Sequence[str]) -> None:
    """Refuse a folder of committed results that is named and not there."""
    for value in (word.partition("=")[2] for word in words if word.startswith("committed=")):
        if value != "null" and not Path(value.strip("'\"")).is_dir():
            raise RetreeError(
                f"committed={value} is not a folder: name one, or give committed=null."
            )


def _complain(error: RetreeError, of_study: bool) -> int:
    """Print an error; what is wrong with a study's files leads to the page of all keys."""
    more = f" See {paths.study_reference()}." if of_study and ".yaml" in str(error) else ""
    print(f"{error}{more}", file=sys.stderr)
    return USAGE_ERROR if error.is_usage else 1


def _console() -> Console:
    from rich.console import Console

    # A pipe has no width: tables should not be cut.
    return Console(highlight=False, width=None if sys.stdout.isatty() else 200)
