"""What the site is made of: the files of each paper, and its pages."""

from linked_pages import check_links


def test_the_distances_belong_to_the_page_with_their_picture(papers):
    with_distances = [paper for paper in papers if (paper.folder / "distances.csv").exists()]
    assert with_distances
    for paper in with_distances:
        assert paper.item("distances") is None
        chance = paper.item("chance")
        assert {"distances.csv", "chance.png", "chance.md"} <= {path.name for path in chance.files}
        assert "chance" in paper.rendered.pages
        assert chance.caption


def test_every_page_says_what_it_shows(papers):
    for paper in papers:
        assert all(item.caption for item in paper.items), paper.name


def test_committed_numbers_lead_to_their_folds(papers):
    found = {paper.name: check_links(paper.rendered) for paper in papers}
    assert all(found.values())
    assert sum(counts["folds"] for counts in found.values()) > 2000
