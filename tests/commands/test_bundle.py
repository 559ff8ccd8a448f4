import io
import json
import subprocess
import sys
import warnings
import zipfile
from contextlib import suppress
from importlib.util import find_spec

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retree.errors import RetreeError
from retree_lab.cli import main
from retree_lab.commands.bundle import sha256, unpack_bundle

# The context comes from the package rocrate: no server is asked.
VALIDATE = """
import json
import sys
from importlib.util import find_spec
from pathlib import Path

import rdflib.plugins.shared.jsonld.context as contexts
import requests
from rocrate_validator import services
from rocrate_validator.models import Severity, ValidationSettings
from rocrate_validator.utils.http import HttpRequester

def get(self, url, **options):
    assert url == "https://w3id.org/ro/crate/1.1/context", url
    found = requests.Response()
    found.status_code, found.url = 200, url
    found.headers["Content-Type"] = "application/ld+json"
    found._content = content
    return found

content = (Path(find_spec("rocrate").origin).parent / "data" / "ro-crate.jsonld").read_bytes()
contexts.source_to_json = lambda *given, **options: (json.loads(content), None)
HttpRequester.get = get
settings = ValidationSettings(
    rocrate_uri=sys.argv[1],
    profile_identifier="ro-crate-1.1",
    requirement_severity=Severity.REQUIRED,
)
result = services.validate(settings)
print(len(result.executed_checks))
print("\\n".join(str(issue) for issue in result.get_issues()))
"""


@pytest.fixture
def bundle(tiny_clone):
    assert main(["bundle", "tiny"]) == 0
    return tiny_clone / "tiny.crate.zip"


def test_a_bundle_has_results_definition_lock_and_what_they_are(bundle, tiny_clone):
    with zipfile.ZipFile(bundle) as archive:
        names = set(archive.namelist())
        crate = json.loads(archive.read("ro-crate-metadata.json"))
    wanted = {"requirements.lock", "results/tiny/cells.csv.gz", "results/tiny/provenance.json"}
    assert wanted | {"paper/tiny/paper.yaml"} <= names
    entities = {entity["@id"]: entity for entity in crate["@graph"]}
    parts = {part["@id"] for part in entities["./"]["hasPart"]}
    assert parts == names - {"ro-crate-metadata.json"}


def test_a_bundle_has_the_record_and_the_register_of_the_paper(bundle):
    with zipfile.ZipFile(bundle) as archive:
        record = json.loads(archive.read("record.json"))
        rows = archive.read("register.csv").decode().splitlines()
    assert record["key"] == "tiny"
    assert len(rows) == 1 + record["numbers"]["published"]
    assert set(record["outcomes"]) == {"computation", "robustness"}


def test_equal_files_make_equal_bundles_but_for_the_time(bundle, tiny_clone, monkeypatch):
    monkeypatch.setattr("retree_lab.commands.bundle.now", lambda: "2026-01-01T00:00:00+00:00")
    contents = []
    for name in ("a.zip", "b.zip"):
        assert main(["bundle", "tiny", "--output", name]) == 0
        contents.append((tiny_clone / name).read_bytes())
    assert contents[0] == contents[1]


def test_a_diff_with_its_own_bundle_finds_nothing(bundle, capsys):
    assert main(["diff", "paper=tiny", "--bundle", str(bundle)]) == 0
    capsys.readouterr()


def edited(bundle, change):
    """Rewrite a bundle with one table changed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(bundle) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    bundle.write_bytes(buffer.getvalue())


def test_an_edited_bundle_is_refused(bundle, capsys):
    edited(bundle, lambda name, text: text + b"\n" if name.endswith("cells.csv.gz") else text)
    assert main(["diff", "paper=tiny", "--bundle", str(bundle)]) == 1
    assert "was edited (results/tiny/cells.csv.gz)" in capsys.readouterr().err


def written(path, files, **listed):
    """Write a bundle of `files`, names with contents, that lists these or other `entities`."""
    entities = [{"@id": n, "@type": "File", "sha256": sha256(c)} for n, c in files]
    crate = {"@graph": listed.get("entities", entities)}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name that appears twice
        for name, content in [*files, ("ro-crate-metadata.json", json.dumps(crate).encode())]:
            archive.writestr(name, content)
    return path


GOOD = [("results/a/cells.csv.gz", b"1")]


@pytest.mark.parametrize(
    ("files", "listed"),
    [
        (GOOD, {"entities": []}),
        ([*GOOD, ("results//a/./cells.csv.gz", b"2")], {}),
        ([*GOOD, ("../out", b"2")], {}),
        ([*GOOD, ("/tmp/out", b"2")], {}),
        ([*GOOD, GOOD[0]], {}),
        (GOOD, {"entities": [{"@id": GOOD[0][0], "@type": "File", "sha256": sha256(b"1")}] * 2}),
        (GOOD, {"entities": [1]}),
    ],
)
def test_a_bundle_is_what_its_metadata_list_and_no_more(tmp_path, files, listed):
    path = written(tmp_path / "a.zip", files, **listed)
    with pytest.raises(RetreeError, match="download it again"):
        unpack_bundle(path, tmp_path / "inner" / "to")
    assert not (tmp_path / "inner" / "out").exists()
    written(path, GOOD)
    assert unpack_bundle(path, tmp_path / "well") == tmp_path / "well" / "results"
    assert (tmp_path / "well" / GOOD[0][0]).read_bytes() == b"1"


def test_a_large_bundle_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr("retree_lab.commands.bundle.MOST_BYTES", 100)
    path = written(tmp_path / "a.zip", [("results/a", bytes(1000))])
    with pytest.raises(RetreeError, match="unpacks to more than 100 bytes"):
        unpack_bundle(path, tmp_path / "to")


@settings(max_examples=150, deadline=None)
@given(place=st.integers(0, 10**4), bit=st.integers(0, 7))
def test_a_damaged_bundle_is_one_sentence(tmp_path_factory, place, bit):
    folder = tmp_path_factory.mktemp("damaged")
    path = written(folder / "a.zip", [("results/a", b"a,b\n1,2\n" * 20)])
    content = bytearray(path.read_bytes())
    content[place % len(content)] ^= 1 << bit
    path.write_bytes(content)
    with suppress(RetreeError):
        unpack_bundle(path, folder / "to")
        assert (folder / "to" / "results" / "a").read_bytes() == b"a,b\n1,2\n" * 20


def test_deep_metadata_are_one_sentence(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("ro-crate-metadata.json", "[" * 100_000)
    with pytest.raises(RetreeError, match="is not a bundle"):
        unpack_bundle(tmp_path / "a.zip", tmp_path / "to")


def test_what_is_no_bundle_or_not_rendered_is_refused(tiny_clone, capsys):
    (tiny_clone / "no.zip").write_text("no")
    assert main(["diff", "paper=tiny", "--bundle", "no.zip"]) == 1
    assert "is not a bundle of retree" in capsys.readouterr().err
    assert main(["bundle", "tiny", "--results", "elsewhere"]) == 1
    assert "has no cells.csv.gz" in capsys.readouterr().err


def test_the_crate_passes_the_validator(bundle, tmp_path):
    pytest.importorskip("rocrate_validator")
    if find_spec("rocrate") is None:
        pytest.skip("needs the context in the package rocrate")
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(tmp_path / "crate")
    done = subprocess.run(
        [sys.executable, "-c", VALIDATE, str(tmp_path / "crate")], capture_output=True, text=True
    )
    checks, *lines = done.stdout.splitlines()
    assert int(checks) > 20, done.stderr
    issues = [line for line in lines if line.startswith("Issue of")]
    assert issues == []
