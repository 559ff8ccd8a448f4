"""Running examples, and the committed notebook."""

from pathlib import Path

import pytest

from retree_lab.site.examples import run_script

ROOT = Path(__file__).parents[2]

SCRIPT = '''"""# Title

Words.
"""

# %%
# ## Section
x = 2
print("printed")
x + 1

# %%
from matplotlib import pyplot as plt

figure, ax = plt.subplots(figsize=(1, 1))

# %%
x
# a comment inside code is code
y = x
'''


@pytest.fixture
def cells(tmp_path):
    path = tmp_path / "plot_it.py"
    path.write_text(SCRIPT)
    return run_script(path)


def test_comments_at_the_top_of_a_cell_are_text(cells):
    assert [cell.source for cell in cells if cell.output is None] == [
        "# Title\n\nWords.",
        "## Section",
    ]
    assert cells[-1].source.endswith("y = x")


def test_a_cell_shows_what_it_prints_its_last_value_and_its_figures(cells):
    first, second, third = (cell.output for cell in cells if cell.output)
    assert first.text == "printed\n3"
    assert first.pictures == ()
    assert second.text == third.text == ""
    (picture,) = second.pictures
    assert picture.rstrip().endswith("</svg>")


def test_errors_of_an_example_are_not_hidden(tmp_path):
    path = tmp_path / "plot_it.py"
    path.write_text('"""# T"""\n# %%\n1 / 0\n')
    with pytest.raises(ZeroDivisionError):
        run_script(path)
