"""The numbers in README, the findings and the pages of the papers are those of the results."""

import runpy
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "scripts" / "page_numbers"


@pytest.fixture(scope="module")
def script():
    known = set(sys.modules)
    yield runpy.run_path(str(FOLDER))
    for name in set(sys.modules) - known:
        if str(FOLDER) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.fixture(scope="module")
def pages(script):
    return {page: (script["ROOT"] / page, list(make())) for page, make in script["PAGES"].items()}


def test_numbers_of_the_pages_are_those_of_the_committed_results(script, pages):
    for page, (path, phrases) in pages.items():
        assert list(script["complaints"](page, path.read_text(), phrases)) == []


def test_a_number_that_moves_is_found_and_written(script, pages):
    path, phrases = pages["docs/findings.md"]
    text = path.read_text()
    moved = [phrase.replace("«307»", "«308»").replace("«64»", "«63»") for phrase in phrases]
    assert len(list(script["different"](text, moved))) == 2
    new = script["written"](text, moved)
    assert "308 of 385 numbers agree" in new
    assert list(script["different"](new, moved)) == []


def test_a_sentence_that_is_no_longer_so_is_found(script):
    phrase = script["findings"].__globals__["cmdt"].only_if
    assert list(script["different"]("It is 3 times so.", [phrase(True, "is «3» times")])) == []
    (line,) = script["different"]("It is 3 times so.", [phrase(False, "is «3» times")])
    assert line.startswith("not found once")


def test_words_stay_words_and_signs_are_part_of_numbers(script):
    text = "Three claims hold; the gain is −0.55 points,\nand 1,200 rows are used."
    phrases = ["«5» claims", "is «+0.10» points, and «900» rows"]
    expected = "Five claims hold; the gain is +0.10 points,\nand 900 rows are used."
    assert script["written"](text, phrases) == expected
    assert list(script["different"]("Seven claims.", ["«7» claims"])) == []


def test_a_number_typed_by_hand_is_found(script):
    text = (
        "Table 2 of 2023 has 21 sets, see `x[3]` and [it](a5.md).\n\n## A worked example\n7\n## B\n"
    )
    assert list(script["unexplained"](text, ["has «21» sets"])) == []
    (there,) = script["unexplained"](text, [])
    assert "21" in there


def test_a_phrase_that_is_there_twice_is_refused(script):
    assert list(script["different"]("3 of 4, 3 of 4", ["«3» of «4»"]))
