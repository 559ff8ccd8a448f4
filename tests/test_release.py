"""What a release says of itself, in one version; what the core lacks is said with the extra."""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib

import pytest
import yaml

import retree
from retree import C45Classifier
from retree.errors import EXTRAS, MissingExtraError, needs_extra
from retree_lab import paths
from retree_lab.study.importing import import_estimator
from retree_lab.study.registry import ESTIMATORS

ROOT = paths.project_dir()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LAB = tomllib.loads((ROOT / "src/retree_lab/pyproject.toml").read_text())["project"]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
CODEMETA = json.loads((ROOT / "codemeta.json").read_text())


def test_every_file_names_the_same_version():
    newest = re.search(r"^## \[(.+?)\] - ([\d-]+)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    version = retree.__version__
    assert {PROJECT["version"], CODEMETA["version"], citation["version"], newest[1]} == {version}
    assert {CODEMETA["datePublished"], str(citation["date-released"])} == {newest[2]}
    assert PROJECT["optional-dependencies"]["lab"] == [f"retree-lab=={version}"]
    assert f"retree=={version}" in LAB["dependencies"]


def test_pages_install_from_the_clone_and_name_extras_that_exist():
    lines = [
        text for page in PAGES for text in re.findall(r"pip install ([^`\n#]+)", page.read_text())
    ]
    own = [text.strip() for text in lines if "retree" in text or "." in text]
    assert own
    for text in own:
        (target, extras) = re.search(r"(\S*?\.)(?:\[([\w,]+)\])?'?$", text).groups()
        assert target.strip("'") == ".", text
        if extras:
            assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"]), text
            assert text.startswith("./src/retree_lab "), text


def test_codemeta_has_the_requirements_of_the_project():
    assert CODEMETA["softwareRequirements"] == PROJECT["dependencies"]


def test_the_registry_has_every_declared_name_with_its_version():
    classes = [getattr(retree, name) for name in retree.__all__]
    declared = {c: c._declared for c in classes if isinstance(c, type) and c._declared[0]}
    found = {import_estimator(e.target): (name, e.version) for name, e in ESTIMATORS.items()}
    assert {c: found[c] for c in declared} == declared


def test_drawing_without_matplotlib_names_the_extra(monkeypatch):
    tree = C45Classifier().fit([[0], [1]] * 9, [0, 1] * 9)
    for name in [name for name in sys.modules if name.startswith("retree.trees.export.")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("matplotlib", "matplotlib.axes", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"pip install 'retree\[plot\]'"):
        tree.plot()
    assert tree._repr_mimebundle_()
    assert "fillcolor" in tree.export_graphviz()


def test_packages_that_no_extra_has_are_left_to_python():
    with pytest.raises(ModuleNotFoundError, match="no_such_package"), needs_extra("this"):
        import no_such_package  # noqa: F401
    said = r"^This needs yaml, .*retree\[lab\]"
    with pytest.raises(MissingExtraError, match=said), needs_extra("this"):
        raise ModuleNotFoundError(name="yaml.nodes")


IMPORTED_AS = {
    "arff": "liac-arff",
    "hydra": "hydra-core",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}


def imported():
    """Return the packages that the sources of retree import, wherever they do."""
    trees = (ast.parse(file.read_text()) for file in (ROOT / "src").rglob("*.py"))
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def test_whatever_is_imported_is_declared_by_the_extra_that_is_named():
    foreign = set(imported()) - sys.stdlib_module_names - {"retree", "retree_lab"}
    of_extras = {name for names in EXTRAS.values() for name in names}
    core = foreign - of_extras
    assert {IMPORTED_AS.get(name, name) for name in core} == declared(PROJECT["dependencies"])
    # Those that Sphinx imports, and the laboratory, which its command imports by name.
    assert of_extras - foreign <= {"furo", "myst_parser", "retree_lab"}
    for extra, names in EXTRAS.items():
        packages = {IMPORTED_AS.get(name, name).replace("_", "-") for name in names}
        more = LAB["dependencies"] if extra == "lab" else []
        assert packages <= declared([*PROJECT["optional-dependencies"][extra], *more])


@pytest.mark.parametrize("extra", ["site", "dask"])
def test_an_extra_of_a_command_brings_the_command(extra):
    assert "retree[lab]" in PROJECT["optional-dependencies"][extra]


def declared(requirements):
    return {re.match(r"[A-Za-z0-9_.-]+", text).group() for text in requirements}


@pytest.mark.parametrize("name", ["ci.yml", "wheels.yml"])
def test_actions_are_pinned_and_may_only_read(name):
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text())
    assert workflow["permissions"] == {"contents": "read"}
    for job, content in workflow["jobs"].items():
        granted = {"id-token": "write"} if job == "publish" else {}
        assert content.get("permissions", {}) == granted
        for step in content["steps"]:
            assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step.get("uses", "a/b@" + "0" * 40))


def test_wheels_for_linux_are_built_for_an_old_glibc_and_looked_at():
    """cibuildwheel has auditwheel give them their tag, unless a command takes its place."""
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["cibuildwheel"]
    assert not {"repair-wheel-command", "linux"} & set(tool)
    steps = yaml.safe_load((ROOT / ".github/workflows/wheels.yml").read_text())["jobs"]["wheel"]
    commands = [step.get("run", "") for step in steps["steps"]]
    built = next(i for i, run in enumerate(commands) if "cibuildwheel --output-dir" in run)
    assert "manylinux_*.whl" in commands[built + 1]
