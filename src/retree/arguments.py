"""The arguments of the command ``retree``, apart from all that takes time to import."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from retree import __version__
from retree.diffing import diff_options as diff_options
from retree.showing import show_options as show_options

EXAMPLES = """\
examples:
  retree plan item=table2                         what is to be computed, and how long it takes
  retree run item=table2 --report                 compute Table 2 and render it
  retree run item=table2 datasets=[sonar,bupa]    two of its data sets only
  retree run dataset=sonar method.k=5             one method (method=NAME) on one data set
  retree run -m dataset=sonar method.omega2=0.01,0.02 method.k=2,5
                                                  your own sweep
  retree init my_study                            a study of your own; then retree check my_study
  retree run --report --study my_study item=all   compute and render it
  retree quickstart                               parts of all papers on real data
  retree show structure_purity table2 sonar gini  the folds behind a number

Everything after the options is a Hydra override of conf/config.yaml: paper=, item=, datasets=,
methods=, dataset=, method=, protocol=, execution=, preset=, data.sources=, results=, store=,
committed=.
"""
_COMPARE = """\
Compute an estimator of your own on the folds of a paper's table, and show it beside the committed
results of the paper's methods on the same folds; of these nothing is computed. datasets=[...] and
methods=[...] restrict the table, and method.max_depth=3 sets a parameter of your estimator.
"""
_VERIFY = """\
Recompute stored cells and compare accuracy, sizes and a digest of trees and predictions. Where all
are equal, the estimators are noted as verified. Without ESTIMATOR all are taken, without paper= all
papers. Nothing stored is overwritten. The exit code is 1 if a cell differs.
"""


class _Parser(argparse.ArgumentParser):
    """A parser that knows options by their whole names only, as are those of its commands."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, allow_abbrev=False)


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = _Parser(
        prog="retree",
        description="Regenerates the tables and figures of decision-tree papers.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"retree {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_quickstart(commands)
    studies = {
        "init": "write a small study that works",
        "check": "check a study",
        "preregister": "freeze what a study computes and how it is judged, by hashes",
    }
    for name, text in studies.items():
        commands.add_parser(name, help=text).add_argument("folder", type=Path, metavar="DIR")
    _add_experiments(commands)
    _add_rendered(commands)
    _add_pages(commands)
    _add_verify(commands)
    _add_bundle(commands)
    _add_data(commands)
    return parser


def _add_folds(command: argparse.ArgumentParser) -> None:
    command.add_argument("--folds", type=Path, metavar="FILE", help="write a row for each fold")


def _add_study(command: argparse.ArgumentParser) -> None:
    command.add_argument("--study", type=Path, metavar="DIR", help="a study's folder")


def _add_quickstart(commands: Any) -> None:
    quick = commands.add_parser("quickstart", help="regenerate parts of all papers on real data")
    quick.add_argument("-j", "--jobs", type=int, default=-1, metavar="N", help="cells at a time")
    quick.add_argument("--results", type=Path, default=Path("results/quickstart"), metavar="DIR")
    quick.add_argument("--report", action="store_true", help="print the paths of the files too")
    quick.add_argument("--show", action="store_true", help="print the tables too")


def _add_experiments(commands: Any) -> None:
    """Add the commands that plan, run and render experiments."""
    texts = {
        "run": "compute the cells of an item, or of one method on one data set, that are missing",
        "plan": "show what is stored, stale or missing, and the expected time; computes nothing",
        "report": "render the tables and figures of an item from what is stored",
    }
    for name, text in texts.items():
        command = commands.add_parser(
            name,
            help=text,
            description=text.capitalize() + ".",
            epilog=EXAMPLES,
            usage=f"retree {name} [options] [NAME=VALUE ...]",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        _add_study(command)
        command.add_argument("-j", "--jobs", type=int, metavar="N", help="cells at a time; -1: all")
        command.add_argument(
            "-m", "--multirun", action="store_true", help="sweep over comma-separated values"
        )
        command.add_argument(
            "--reuse",
            action="store_true",
            help="keep results of earlier sources of a study's estimators, and say so",
        )
        if name == "run":
            command.add_argument("--report", action="store_true", help="render afterwards")
        if name != "plan":
            _add_folds(command)
            command.add_argument("--show", action="store_true", help="render and print the tables")
            command.add_argument("--tex", action="store_true", help="write tables in LaTeX too")


def _add_rendered(commands: Any) -> None:
    """Add the commands on what is rendered."""
    diff = commands.add_parser(
        "diff",
        help="compare your results with the committed ones",
        description=diff_options.DESCRIPTION,
        usage="retree diff [options] [NAME=VALUE ...]",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    diff_options.add_arguments(diff)
    _add_study(diff)
    _add_compare(commands)
    show = commands.add_parser(
        "show",
        help="show the folds behind a number in a table",
        description=show_options.DESCRIPTION,
        usage=show_options.USAGE,
    )
    show_options.add_arguments(show)
    _add_study(show)


def _add_pages(commands: Any) -> None:
    site = commands.add_parser("site", help="build a static site of what is rendered")
    site.add_argument("--output", type=Path, default=Path("site"), metavar="DIR")
    site.add_argument(
        "--study",
        type=Path,
        action="append",
        metavar="DIR",
        help="a rendered study that the site shows too; may be given several times",
    )
    overview = commands.add_parser(
        "overview", help="draw all reproduced numbers against the published ones"
    )
    _add_study(overview)
    for command in (site, overview):
        command.add_argument("--results", type=Path, default=Path("results"), metavar="DIR")


def _add_compare(commands: Any) -> None:
    compare = commands.add_parser(
        "compare",
        help="compute an estimator of your own beside the results of a paper",
        description=_COMPARE,
        usage="retree compare FILE:CLASS --with PAPER [options] [NAME=VALUE ...]",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    compare.add_argument("estimator", metavar="FILE:CLASS", help="or the dotted name of a class")
    compare.add_argument("--with", required=True, dest="with_paper", metavar="PAPER")
    compare.add_argument("--item", metavar="NAME", help="by default the first table of accuracies")
    compare.add_argument(
        "--metric",
        action="append",
        metavar="NAME",
        help="accuracy, leaves, …; several times for several; by default the item's first",
    )
    compare.add_argument(
        "--replicates", type=int, metavar="N", help="the first N only; by default all of the item"
    )
    _add_folds(compare)
    compare.add_argument("-j", "--jobs", type=int, metavar="N", help="cells at a time; -1: all")


def _add_verify(commands: Any) -> None:
    verify = commands.add_parser(
        "verify",
        help="recompute stored cells and compare",
        description=_VERIFY,
        usage="retree verify [options] [ESTIMATOR ...] [NAME=VALUE ...]",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verify.add_argument("names", nargs="*", metavar="ESTIMATOR", help="estimators of the registry")
    group = verify.add_mutually_exclusive_group()
    group.add_argument("--all", action="store_true", help="recompute all stored cells")
    group.add_argument(
        "--sample",
        type=int,
        default=1,
        metavar="N",
        help="recompute N cells of each method on each data set (default: 1)",
    )
    verify.add_argument("-j", "--jobs", type=int, metavar="N", help="cells at a time; -1: all")
    _add_study(verify)


def _add_bundle(commands: Any) -> None:
    bundle = commands.add_parser("bundle", help="pack the results of a paper as an RO-Crate")
    bundle.add_argument("paper", metavar="PAPER")
    bundle.add_argument("--output", type=Path, metavar="FILE", help="default: PAPER.crate.zip")
    bundle.add_argument("--results", type=Path, default=Path("results"), metavar="DIR")


def _add_data(commands: Any) -> None:
    data = commands.add_parser("data", help="list, fetch and verify the data sets")
    actions = data.add_subparsers(dest="action", required=True)
    actions.add_parser("list", help="show the catalogue and what is cached")
    fetch = actions.add_parser("fetch", help="fetch data sets that are not bundled, and keep them")
    fetch.add_argument("names", nargs="*", metavar="NAME")
    fetch.add_argument("--all", action="store_true", help="all sets of the catalogue")
    fetch.add_argument("--source", metavar="SOURCE", help="this source only")
    fetch.add_argument("--force", action="store_true", help="fetch anew what was fetched before")
    fetch.add_argument(
        "--accept",
        action="store_true",
        help="track the checksum of what --source gives, if rows and class counts are right",
    )
    verify = actions.add_parser(
        "verify", help="check bundled and cached content, and compare with OpenML and UCI"
    )
    verify.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    verify.add_argument(
        "--source", metavar="SOURCE", help="compare this source with the bundled rows"
    )
    for action in actions.choices.values():
        action.add_argument("--study", type=Path, metavar="DIR", help="the data sets of a study")
