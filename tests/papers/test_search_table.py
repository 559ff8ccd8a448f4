"""The table of searches: what another laboratory measured, and the numbers beside it."""

from types import SimpleNamespace

import pytest

from retree.errors import RetreeError
from retree_lab.papers.latent_space import kinds
from retree_lab.reports.published import PublishedValue, read_measured


def test_what_others_measured_is_read(tmp_path):
    rows = "dataset,method,metric,value,std\nwaveform,OC1,error_pct,18.01,1.35\n"
    (tmp_path / "others.csv").write_text(rows)
    found = read_measured(SimpleNamespace(folder=tmp_path), "others.csv")
    assert found["waveform", "OC1", "error_pct"][:2] == (18.01, 1.35)


@pytest.mark.parametrize(
    "text", ["dataset,method\na,b\n", "dataset,method,metric,value,std\na,b,c,?,1\n"]
)
def test_a_damaged_file_is_a_sentence(tmp_path, text):
    (tmp_path / "others.csv").write_text(text)
    with pytest.raises(RetreeError, match="restore the file"):
        read_measured(SimpleNamespace(folder=tmp_path), "others.csv")


def test_agreeing_numbers_are_counted_among_the_judged():
    verdicts = ["agrees", "differs", "", "agrees"]
    assert kinds._count(SimpleNamespace(verdict=v) for v in verdicts) == "2 of 3"


def test_a_number_without_deviation_has_no_sign():
    assert kinds._with_std("error_pct", PublishedValue(18.01, 1.35)) == "18.0±1.4"
    assert kinds._with_std("error_pct", PublishedValue(18.01, float("nan"))) == "18.0"
