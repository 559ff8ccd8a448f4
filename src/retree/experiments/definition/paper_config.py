"""A paper as its folder describes it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from retree.experiments.definition.audit_config import read_audit
from retree.experiments.definition.checks import MEAN
from retree.experiments.definition.claim_config import read_claims, read_entries
from retree.experiments.definition.config_values import one_line
from retree.experiments.definition.definitions import Paper
from retree.plain_files import check_plain
from retree.statistics.power import Margins, read_margins
from retree.study.archive_index import archived_sets, label
from retree.study.folders import CLAIMS, PAPER, PUBLISHED, study_folder
from retree.study.methods import method_content
from retree.study.notes import KNOWN, NOTES, TRIED, read_notes
from retree.study.paper_schema import check_paper, with_texts
from retree.yaml_files import located, read_mapping, read_yaml

# What a paper may say of all its items at once.
PUBLISHED_KEYS = ("published_protocol", "tolerance")


def load_paper(name: str) -> Paper:
    """Return the paper or study called `name`, before any override."""
    return read_paper({"name": name, **read_mapping(study_folder(name) / PAPER)})


def read_paper(content: Mapping[str, Any]) -> Paper:
    """Return the paper that the content of its ``paper.yaml`` and the files beside it describe."""
    folder = study_folder(content["name"])
    check_paper(content, folder / PAPER)
    items = {str(name): with_texts(item) for name, item in content["items"].items()}
    names = {**_archive_labels(items), **(content.get("names") or {})}

    @cache
    def labels_of(item: str) -> dict[str, str]:
        keys = items[item].get("methods") or ()
        known = {} if items[item].get("own_names") else names
        methods = {key: known.get(key) or method_content(key, folder)["name"] for key in keys}
        return methods | _named_rows(items[item])

    sentences = read_yaml(folder / CLAIMS) if (folder / CLAIMS).exists() else ()
    with located(folder / CLAIMS, []):
        claims = read_claims(read_entries(sentences), items, labels_of, names)
    own = {item: labels_of(item) for item in items}
    methods = {key: name for names in own.values() for key, name in names.items()}
    datasets = {name for item in items.values() for name in item.get("datasets") or ()}
    called = {*items, *methods, *methods.values(), *datasets, *names.values(), MEAN}
    notes = read_notes(folder / NOTES, called)
    return Paper(
        name=content["name"],
        called=one_line(content.get("called") or content["name"]),
        title=one_line(content["title"]),
        authors=one_line(content["authors"]),
        reference=one_line(content["reference"]),
        doi=content.get("doi"),
        grid=content.get("grid") or {},
        items=items,
        errata=tuple(content.get("errata") or ()),
        remarks={methods.get(name, name): text for name, text in notes[KNOWN].items()},
        tried=notes[TRIED],
        published=_published(folder / PUBLISHED),
        how_published={key: content[key] for key in PUBLISHED_KEYS if key in content},
        folder=folder,
        names=names,
        methods=own,
        claims=claims,
        audit=read_audit(content.get("audit"), items, claims),
        not_judged=one_line(content.get("not_judged") or ""),
        our_data=tuple(map(str, content.get("our_data") or ())),
        drawn_anew=tuple(map(str, content.get("drawn_anew") or ())),
        margins=_margins(folder / PAPER, content.get("margins") or {}),
    )


def _named_rows(item: Mapping[str, Any]) -> dict[str, str]:
    """Return the names of rows that an item defines itself, as contrasts, by their keys."""
    options = (rows for rows in item.values() if isinstance(rows, Mapping))
    named = ((key, row) for rows in options for key, row in rows.items())
    return {key: row["name"] for key, row in named if isinstance(row, Mapping) and "name" in row}


def _margins(file: Path, content: Mapping[str, Any]) -> Margins:
    with located(file, ["margins"]):
        return read_margins(content)


def _archive_labels(items: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Return the published names of the data sets that are of a paper's archive."""
    datasets = {name for item in items.values() for name in item.get("datasets") or ()}
    return {name: label(name) for name in datasets if name in archived_sets()}


def _published(file: Path) -> Path | None:
    if not file.exists():
        return None
    check_plain(file, 64)
    return file
