"""The guide's page on other packages has the numbers of its csv files."""

import re
import runpy
from pathlib import Path

SCRIPT = runpy.run_path(str(Path(__file__).parents[1] / "scripts" / "peers.py"))


def test_the_page_has_the_numbers_of_its_csv_files(capsys):
    assert SCRIPT["main"]([]) == 0, capsys.readouterr().out


def test_a_changed_number_of_the_page_is_found():
    text = SCRIPT["PAGE"].read_text()
    (leaves,) = re.findall(r"\*\*C4\.5 \(pruned\)\*\* \|.*\| (\d+) \|", text)
    assert SCRIPT["written"](text.replace(f"| {leaves} |", "| 9999 |")) == text


def test_every_method_has_every_set():
    scores = SCRIPT["read"]("scores")
    counts = scores[scores["dataset"] != "MEAN"].groupby(["method", "metric"])["reproduced"].count()
    assert set(counts) == {20}
