"""The recipes of docs/contributing, typed as they stand, leave the tests of a copy green."""

import json
import re
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "contributing"
BLOCK = re.compile(r"(?:^ *`([\w/.]+)`:\n\n)?^( *)```(\w+)\n(.*?)^ *```$", re.M | re.S)
BUILD = ROOT / "build" / "engine"
OF_ALL_ESTIMATORS = ["real_weights", "importances", "weights_are_rows", "declared_parameters"]
OF_ALL_ESTIMATORS += ["smoothing", "capabilities", "class_weights", "kinds_of_tables"]
OF_ALL_ESTIMATORS += ["extreme_weights", "validation"]


class Checkout:
    """A copy of the files of the repository, with its packages and its engine."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.python = folder, folder / ".venv" / "bin" / "python"
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        files = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout
        copy = ["xargs", "-0", "cp", "--parents", "-t", str(folder)]
        subprocess.run(copy, cwd=ROOT, input=files, check=True)
        engine = "src/retree/_engine"
        subprocess.run(["cp", "-r", ROOT / engine, folder / engine], check=True)
        subprocess.run(
            [sys.executable, "-m", "venv", "--without-pip", folder / ".venv"], check=True
        )
        (site,) = (folder / ".venv").glob("lib/*/site-packages")
        # Without the hook that leads to the sources of this checkout.
        (site / "copy.pth").write_text(f"{folder / 'src'}\n{sysconfig.get_path('purelib')}\n")
        subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)

    def follow(self, page: str, but: str = "") -> None:
        """Write the files of a recipe, and run its commands but one."""
        for file, indent, language, text in BLOCK.findall((PAGES / f"{page}.md").read_text()):
            block = re.sub(rf"^{indent}", "", text, flags=re.M)
            path = self.folder / file
            if file and language == "diff":
                self._edit(path, block.splitlines(keepends=True))
            elif file:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block)
            elif language == "console" and page != "study":
                for line in block.splitlines():
                    if line != but:
                        self.type(line)

    def _edit(self, path: Path, lines: list[str]) -> None:
        old, new = ("".join(s[1:] for s in lines if s[0] != sign) for sign in "+-")
        assert path.read_text().count(old) == 1, f"{path} has not: {old}"
        path.write_text(path.read_text().replace(old, new))

    def type(self, line: str) -> None:
        """Run a line of a recipe."""
        words = shlex.split(line)
        if words == ["make", "engine"]:
            self.build_cart()
        elif words == ["make", "generated"]:
            self.run("scripts/generated.py")
        elif words[0] == "retree":
            self.run("-c", "from retree_lab.cli import main; raise SystemExit(main())", *words[1:])
        elif words[0] == "git":
            subprocess.run(words, cwd=self.folder, check=True)
        else:
            assert words == ["make", "test"], f"no test runs {line}"

    def build_cart(self) -> None:
        """Compile the room of CART, and link it with the other objects of this checkout."""
        commands = json.loads((BUILD / "compile_commands.json").read_text())
        (command,) = (c["command"] for c in commands if "unity_cart" in c["file"])
        (unity,) = BUILD.glob("CMakeFiles/retree_objects.dir/Unity/unity_cart_cxx.cxx")
        moved, compiled = self.folder / "unity_cart.cxx", self.folder / "unity_cart.o"
        moved.write_text(unity.read_text().replace(str(ROOT / "src"), str(self.folder / "src")))
        (target,) = re.findall(r"-o (\S+)", command)
        command = command.replace(str(ROOT / "src"), str(self.folder / "src"))
        command = command.replace(target, str(compiled)).replace(str(unity), str(moved))
        subprocess.run(shlex.split(command), cwd=BUILD, check=True)
        objects = [str(o) for o in (BUILD / "CMakeFiles/retree_objects.dir").rglob("*.cxx.o")]
        objects += [str(o) for o in (BUILD / "CMakeFiles/retree_objects.dir/src").rglob("*.cpp.o")]
        others = [o for o in objects if "unity_cart" not in o]
        library = self.folder / "src" / "retree" / "_engine" / "retree_engine.so"
        link = [command.split()[0], "-shared", "-pthread", "-o", library, compiled, *others]
        subprocess.run(link, check=True)
        headers = library.parent / "include"
        subprocess.run(["cp", "-r", self.folder / "src/engine/include/.", headers], check=True)

    def run(self, *words: str) -> None:
        """Run Python in the copy; what it says is shown if it fails."""
        done = subprocess.run(
            [self.python, *words],
            cwd=self.folder,
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "RETREE_OFFLINE": "1"},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"

    def test(self, *files: str, only: str = "") -> None:
        """Run fast tests of the copy."""
        chosen = ["-k", only] if only else []
        quiet = ["-q", "-x", "-n0", "-p", "no:cacheprovider", "-m", "not slow and not whole_site"]
        self.run("-m", "pytest", *quiet, *chosen, *(f"tests/{file}" for file in files))


@pytest.fixture
def checkout(tmp_path):
    return Checkout(tmp_path)


def test_a_command(checkout):
    checkout.follow("command")
    checkout.test("commands/test_count.py", "test_layers.py")


def test_a_statistical_test(checkout):
    checkout.follow("test")
    checkout.test("statistics/test_permutation.py", "statistics/test_fold_tests.py")


@pytest.mark.slow
def test_a_dataset(checkout):
    checkout.follow("dataset")
    (checkout.folder / "visits.csv").unlink()
    checkout.test("datasets/test_bundled_sets.py", "datasets/test_catalogue.py")
    checkout.run("scripts/generated.py", "--check", "checksums")


@pytest.mark.slow
@pytest.mark.skipif(not BUILD.is_dir(), reason="the engine was not built here: make engine")
def test_a_kind_an_estimator_a_criterion_and_a_paper(checkout):
    checkout.follow("kind")
    checkout.follow("estimator", but="make generated")
    checkout.follow("criterion", but="make generated")
    checkout.follow("paper")  # It ends in what all of them generate.
    checkout.test("trees/test_stump.py")
    checkout.test(*(f"trees/test_{name}.py" for name in OF_ALL_ESTIMATORS), only="Stump or stump")
    checkout.test("trees/cart/test_cart.py", only="not scikit")
    checkout.test("golden/test_golden.py", "test_release.py", "study/test_composing.py")
    checkout.test("engine/test_cart_interface.py", "experiments/definition/test_config.py")
    of_papers = ["commands/test_quickstart.py", "study/test_study_files.py"]
    of_papers += ["experiments/definition/test_reading_claims.py"]
    checkout.test(*of_papers, "reports/test_committed_results.py", only="demo or paper")


def test_every_recipe_is_in_the_table():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    linked = set(re.findall(r"\(docs/contributing/(\w+)\.md\)", text))
    assert linked == {page.stem for page in PAGES.glob("*.md")}
