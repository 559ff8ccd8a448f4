from __future__ import annotations

import math

import pytest
from toy_paper import PRINTED

from retree.errors import RetreeError
from retree_lab.experiments.definition.config import load_experiment
from retree_lab.reports.comparison import Comparison
from retree_lab.reports.formatting import cell_parts, verdict_legend
from retree_lab.reports.published import Published, known_wrong
from retree_lab.study.composing import compose


def test_a_cell_is_found_by_its_names(experiment):
    published = Published(experiment.paper)
    assert published.find("table2", "waveform1_R", "Base", "accuracy").value == 0.80
    assert math.isnan(published.find("table2", "waveform1_R", "Base", "accuracy").std)
    assert math.isnan(published.find("table2", "xor", "Base", "accuracy").value)


def test_single_data_sets_leave_out_the_means(experiment):
    values = Published(experiment.paper).datasets("Base", "accuracy")
    assert values == {"waveform1_R": 0.80, "waveform0_R": 0.70}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("table\ntable2\n", "lacks the columns dataset, method"),
        (PRINTED + PRINTED.splitlines()[1] + "\n", "table2 waveform1_R Base accuracy twice"),
        ("", "is empty: write a header line"),
        (PRINTED.replace("0.8000", "high"), "cannot be read .*'high'"),
    ],
)
def test_a_damaged_file_is_refused(experiment, content, message):
    experiment.paper.published.write_text(content)
    with pytest.raises(RetreeError, match=message):
        Published(experiment.paper)


@pytest.mark.parametrize(
    ("metric", "values", "meant"),
    [
        ("accuracy", ("93.1", "0.9"), ""),
        ("accuracy", ("93.1", "81.5"), "accuracy_pct"),
        ("error", ("6.9", "18.5"), "error_pct"),
        ("accuracy_pct", ("0.931", "0.815"), "accuracy"),
        ("accuracy_pct", ("0.931", "81.5"), ""),
        # A small error in per cent is one.
        ("error_pct", ("0.9", "0.1"), ""),
        ("leaves", ("93", "815"), ""),
    ],
)
def test_percentages_and_shares_are_told_apart(experiment, metric, values, meant):
    rows = "".join(f"t,{name},Base,{metric},{v}\n" for name, v in zip("ab", values, strict=True))
    experiment.paper.published.write_text(f"table,dataset,method,metric,value\n{rows}")
    if not meant:
        assert len(Published(experiment.paper).table()) == 2
        return
    with pytest.raises(RetreeError, match=f"name their metric {meant}\\.$"):
        Published(experiment.paper)


def test_an_edited_file_is_read_anew(experiment):
    paper = experiment.paper
    place = "table2", "waveform1_R", "Base", "accuracy"
    assert Published(paper).find(*place).value == 0.80
    paper.published.write_text(PRINTED.replace("0.8000", "0.8100"))
    assert Published(paper).find(*place).value == 0.81


def test_a_number_that_somebody_else_copied_is_marked_where_it_is_shown(experiment):
    place = "table2", "waveform1_R", "Base", "accuracy"
    assert not Published(experiment.paper).find(*place).second_hand
    row = PRINTED.splitlines()[1]
    experiment.paper.published.write_text(PRINTED.replace(row, row.rstrip(",") + ",,second hand"))
    found = Published(experiment.paper).find(*place)
    assert (found.value, found.second_hand) == (0.80, True)
    number = Comparison("waveform1_R", "Base", "accuracy", 0.8, 0.1, found)
    assert cell_parts(number)[2] == "§"
    assert any("second hand" in sentence for sentence in verdict_legend([number]))


def test_an_erratum_holds_for_all_it_does_not_name(experiment):
    paper = experiment.paper
    assert known_wrong(paper, "table2", "xor", "Base", "accuracy") == "A slip of the pen."
    assert known_wrong(paper, "table2", "xor", "Other", "depth") == "A slip of the pen."
    assert known_wrong(paper, "table3", "xor", "Base", "accuracy") == ""
    assert known_wrong(paper, "table2", "waveform1_R", "Base", "accuracy") == ""


def test_every_cell_of_latent_space_is_printed_or_known_to_be_unreadable():
    experiment = load_experiment(compose(["paper=latent_space", "item=[table2,table3]"]))
    published = Published(experiment.paper)
    cells = [
        (item.name, dataset, method.name, metric)
        for item in experiment.items
        for dataset in item.datasets
        for method in item.methods
        for metric in item.kind.metrics
    ]
    assert len(cells) == 2 * 12 * 7
    blanks = {cell[1] for cell in cells if math.isnan(published.find(*cell).value)}
    assert blanks == {"gauss_2D", "waveform", "waveformnoise", "threenorm"}
    assert not any(math.isnan(published.find(*c).std) for c in cells if c[1] not in blanks)
    assert published.find("table1", "spectf", "", "rows").value == 266


def test_every_cell_of_the_papers_numeric_tables_is_printed():
    experiment = load_experiment(compose(["item=[table2,table3]"]))
    published = Published(experiment.paper)
    cells = [
        (item.name, item.label(dataset), method.name, metric)
        for item in experiment.items
        for dataset in item.datasets
        for method in item.methods
        if not method.key.startswith("j48")  # beside the C4.5 that is published
        for metric in item.kind.metrics
    ]
    assert len(cells) == 21 * 8 + 21 * 4 * 2
    assert not [cell for cell in cells if math.isnan(published.find(*cell).value)]
