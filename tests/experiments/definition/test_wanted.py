"""A name that does not exist is refused before anything that computes is imported."""

import subprocess
import sys

import pytest

from retree.errors import RetreeError, UnknownNameError
from retree_lab.experiments.definition.wanted import check_wanted
from retree_lab.study.composing import compose

SLIPS = {
    ("run", "paper=structure_puriti"): "structure_purity",
    ("run", "item=tabel2"): "table2",
    ("plan", "item=table2", "datasets=[sonarr]"): "sonar",
    ("report", "item=table2", "methods=[ginni]"): "gini",
    ("run", "dataset=sonarr"): "sonar",
    ("show", "structure_puriti", "table2", "sonar", "gini"): "structure_purity",
    ("show", "structure_purity", "tabel2", "sonar", "gini"): "table2",
}
PROGRAM = """
import sys
from retree_lab.cli import main
code = main(sys.argv[1:])
heavy = {"numpy", "pandas", "scipy", "sklearn", "matplotlib", "requests", "joblib"}
print(code, sorted(heavy & sys.modules.keys()))
"""


@pytest.mark.parametrize("words", SLIPS, ids=" ".join)
def test_a_slip_is_said_before_anything_that_computes_is_imported(words):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words], capture_output=True, text=True, check=True
    )
    assert done.stdout == "2 []\n"
    assert f"'{SLIPS[words]}'" in done.stderr


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["item=table2", "data.sources=[uci]", "data.offline=true"], "leaves nothing"),
        (["item=[table2,tabel3]"], "Unknown item"),
        (["dataset=sonarr"], "Unknown data set"),
        (["item=table2", "data.sources=[openmll]"], "Unknown source"),
    ],
)
def test_names_that_do_not_exist_are_refused(overrides, message):
    with pytest.raises(RetreeError, match=message):
        check_wanted(compose(overrides))


def test_a_data_set_goes_by_its_other_names_too():
    check_wanted(compose(["item=table2", "datasets=[Sonar]"]))
    with pytest.raises(UnknownNameError):
        check_wanted(compose(["item=table2", "datasets=[Sonarr]"]))
