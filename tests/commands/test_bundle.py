import io
import json
import subprocess
import sys
import zipfile
from importlib.util import find_spec

import pytest
import yaml

from retree.cli import main

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
        check = yaml.safe_load(archive.read("codecheck.yml"))
        code = json.loads(archive.read("codemeta.json"))
    wanted = {"requirements.lock", "results/tiny/cells.csv.gz", "results/tiny/provenance.json"}
    assert wanted | {"paper/tiny/paper.yaml"} <= names
    entities = {entity["@id"]: entity for entity in crate["@graph"]}
    parts = {part["@id"] for part in entities["./"]["hasPart"]}
    assert parts == names - {"ro-crate-metadata.json"}
    assert {entry["file"] for entry in check["manifest"]} <= names
    assert check["manifest"]
    assert any(text.startswith("numpy==") for text in code["softwareRequirements"])


def test_equal_files_make_equal_bundles_but_for_the_time(bundle, tiny_clone, monkeypatch):
    monkeypatch.setattr("retree.commands.bundle.now", lambda: "2026-01-01T00:00:00+00:00")
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


def test_what_is_no_bundle_or_not_rendered_is_refused(tiny_clone, capsys):
    (tiny_clone / "no.zip").write_text("no")
    assert main(["diff", "paper=tiny", "--bundle", "no.zip"]) == 1
    assert "is no bundle of retree" in capsys.readouterr().err
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
