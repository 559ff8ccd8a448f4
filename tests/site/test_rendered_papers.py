"""Which page of the site a rendered file belongs to."""

from pathlib import Path

from retree.site.rendered_papers import read_papers

RESULTS = Path(__file__).parents[2] / "results"


def test_the_distances_belong_to_the_page_with_their_picture():
    papers = [paper for paper in read_papers(RESULTS) if (paper.folder / "distances.csv").exists()]
    assert papers
    for paper in papers:
        assert paper.item("distances") is None
        chance = paper.item("chance")
        assert {"distances.csv", "chance.png", "chance.md"} <= {path.name for path in chance.files}
        assert chance.markdown
        assert chance.caption


def test_every_page_says_what_it_shows():
    for paper in read_papers(RESULTS):
        assert all(item.caption for item in paper.items), paper.name
