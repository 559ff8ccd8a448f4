"""Pack the results of a paper as an RO-Crate, a zip file with metadata."""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import mimetypes
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from rich.console import Console

from retree import __version__
from retree.errors import RetreeError, as_usage
from retree_lab import paths
from retree_lab.commands import add_results, add_study
from retree_lab.experiments.definition.definitions import Paper
from retree_lab.experiments.definition.paper_config import load_paper
from retree_lab.experiments.storing.exports import CELLS, read_provenance
from retree_lab.plain_files import write_atomically
from retree_lab.provenance import now, provenance
from retree_lab.reports.agreement import read_folder
from retree_lab.reports.files import csv_text
from retree_lab.reports.register import json_text, paper_record, read_register
from retree_lab.screen import say
from retree_lab.study.folders import named, open_study, study_places

METADATA = "ro-crate-metadata.json"
# Of all files together; the largest paper has 60 MB.
MOST_BYTES = 2**30
# What a damaged archive, or one of another making, raises when it is read.
_DAMAGED = (
    *(OSError, EOFError, LookupError, TypeError, ValueError, AttributeError, RuntimeError),
    *(zlib.error, struct.error, zipfile.BadZipFile),
)


def sha256(content: bytes) -> str:
    """Return the checksum of a file as bundles note it."""
    return hashlib.sha256(content).hexdigest()


def unpack_bundle(path: Path, folder: Path) -> Path:
    """Write the files of a bundle to `folder`, and return where its results are.

    They are those that its metadata list with their checksums, each once, and no others.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            if sum(entry.file_size for entry in entries) > MOST_BYTES:
                raise RetreeError(
                    f"{path} unpacks to more than {MOST_BYTES:,} bytes, so it was not read."
                )
            listed = _checksums(json.loads(archive.read(METADATA)))
            names = [entry.filename for entry in entries]
            if odd := sorted({*names} ^ {METADATA, *listed}) or _repeated(names):
                raise RetreeError(f"{path} was edited ({odd[0]}): download it again.")
            for name, checksum in listed.items():
                content = archive.read(name)
                if sha256(content) != checksum or not _is_inside(name):
                    raise RetreeError(f"{path} was edited ({name}): download it again.")
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(content)
    except _DAMAGED as error:
        raise RetreeError(
            f"{path} is not a bundle of retree ({error}): download it again."
        ) from error
    return folder / "results"


def _checksums(crate: dict[str, Any]) -> dict[str, str]:
    """Return the checksums of the files that metadata list."""
    files = [entity for entity in crate["@graph"] if entity["@type"] == "File"]
    if repeated := _repeated([file["@id"] for file in files]):
        raise ValueError(f"{repeated[0]} is listed twice")
    return {str(file["@id"]): str(file["sha256"]) for file in files}


def _repeated(names: list[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]


def _is_inside(name: str) -> bool:
    """Return whether a name is written in one way only, and leads to a place below the folder."""
    path = PurePosixPath(name)
    return path.as_posix() == name and not path.is_absolute() and ".." not in path.parts


CONTEXT = "https://w3id.org/ro/crate/1.1/context"
LICENCE = "https://spdx.org/licenses/BSD-3-Clause"
LOCK, RECORD, REGISTER = "requirements.lock", "record.json", "register.csv"
# Zip files have no earlier time; a fixed one makes equal bundles of equal files.
TIME = (1980, 1, 1, 0, 0, 0)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "paper", metavar="PAPER", nargs="?", help="key of a paper; not with --study"
    )
    parser.add_argument("--output", type=Path, metavar="FILE", help="default: PAPER.crate.zip")
    add_results(parser)
    add_study(parser)


def run(args: argparse.Namespace, overrides: Sequence[str], console: Console) -> int:
    """Write the bundle of a paper, print its place, and return 0."""
    if (args.paper is None) == (args.study is None):
        raise RetreeError("Name a paper, or give the folder of a study with --study.")
    name, results = args.paper, args.results
    if args.study is not None:
        with as_usage():
            name = open_study(args.study)
        results = study_places(args.study, name)["results"]
    paper, folder = load_paper(name), results / name
    if not (folder / CELLS).is_file():
        raise RetreeError(
            f"{folder} has no {CELLS}: run retree run --report {named(name)} item=all."
        )
    files = dict(_files(paper, folder, args.study is not None))
    files |= _judged(paper, folder)
    crate = _crate(paper, files, _last_day(folder), args.study is not None)
    files[METADATA] = json_text(crate).encode()
    path = args.output or Path(f"{paper.name}.crate.zip")
    write_atomically(path, _zipped(files))
    say(f"{path}: {len(files)} files", console)
    return 0


def _files(paper: Paper, folder: Path, outside: bool) -> Iterator[tuple[str, bytes]]:
    """Yield what is bundled as it is: results, the definition of the paper, the lock."""
    for root, name in ((folder, f"results/{paper.name}"), (paper.folder, f"paper/{paper.name}")):
        for path in sorted(root.rglob("*")):
            inside = path.relative_to(root)
            hidden = any(part.startswith((".", "__pycache__")) for part in inside.parts)
            if path.is_file() and not hidden and inside.parts[0] != "results":
                yield f"{name}/{inside.as_posix()}", path.read_bytes()
    for name in (LOCK, "codemeta.json", *(() if outside else ("LICENSE",))):
        if (path := paths.project_dir() / name).is_file():
            yield name, path.read_bytes()


def _judged(paper: Paper, folder: Path) -> dict[str, bytes]:
    """Return the paper's record and its part of the register."""
    comparisons = read_folder(folder).assign(paper=paper.name)
    record = json_text(paper_record(paper, folder, comparisons))
    rows = csv_text(read_register(comparisons, [paper]), quoted=False)
    return {RECORD: record.encode(), REGISTER: rows.encode()}


def _crate(paper: Paper, files: Mapping[str, bytes], day: str, outside: bool) -> dict[str, Any]:
    """Return the metadata of the crate, after RO-Crate 1.1 and its profile for process runs."""
    entities = [_file(name, content) for name, content in files.items()]
    references = [{"@id": entity["@id"]} for entity in entities]
    results = [part for part in references if part["@id"].startswith("results/")]
    root: dict[str, Any] = {
        "@id": "./",
        "@type": "Dataset",
        "name": f"Reproduction of {paper.title}",
        "description": f"Results that retree computed for: {paper.reference}",
        "datePublished": day,
        "hasPart": references,
        "mentions": [{"@id": "#run"}],
    }
    about = {
        "@id": METADATA,
        "@type": "CreativeWork",
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
        "about": {"@id": "./"},
    }
    action = {
        "@id": "#run",
        "@type": "CreateAction",
        "name": f"retree run --report {'--study ' if outside else 'paper='}{paper.name} item=all",
        "instrument": {"@id": "#retree"},
        "endTime": day,
        "result": results,
    }
    software = {
        "@id": "#retree",
        "@type": "SoftwareApplication",
        "name": "retree",
        "softwareVersion": f"{__version__}, commit {provenance()['commit']}",
        "url": "https://pypi.org/project/retree/",
    }
    entities += [about, root, action, software]
    if not outside:  # A study's licence is its authors' to give.
        root["license"] = {"@id": LICENCE}
        entities.append({"@id": LICENCE, "@type": "CreativeWork", "name": "BSD 3-Clause License"})
    if paper.doi is not None:
        article = {"@id": f"https://doi.org/{paper.doi}", "@type": "ScholarlyArticle"}
        root["citation"] = {"@id": article["@id"]}
        entities.append({**article, "name": paper.title})
    return {"@context": CONTEXT, "@graph": entities}


def _file(name: str, content: bytes) -> dict[str, Any]:
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return {
        "@id": name,
        "@type": "File",
        "name": name,
        "encodingFormat": kind,
        "contentSize": str(len(content)),
        "sha256": sha256(content),
    }


def _last_day(folder: Path) -> str:
    """Return when the latest of the committed cells was computed."""
    runs = read_provenance(folder).get("runs", ())
    return max((str(run["started"]) for run in runs), default=now())[:10]


def _zipped(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return buffer.getvalue()
