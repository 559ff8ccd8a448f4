"""What is on a page, read without a browser."""

from __future__ import annotations

import html
import re
from collections import Counter

import pytest

# A test of a site: of few papers, which is made in seconds, and of all papers.
on_few_too = pytest.mark.parametrize("results", ["few", "all"], indirect=True)
VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
COMMENT = re.compile(r"<!--.*?-->|<!doctype[^>]*>", re.DOTALL | re.IGNORECASE)
CODE = re.compile(r"(<(script|style)\b[^>]*>).*?(?=</\2>)", re.DOTALL)
TAG = re.compile(r"""<(/?)([A-Za-z][\w:-]*)((?:[^<>"']|"[^"]*"|'[^']*')*)>""")
ATTRIBUTE = re.compile(r"""([\w:-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?""")


class Page:
    """Links, embedded files, anchors and classes of an HTML file, and what is not closed in it.

    A site has a million tags, for which `html.parser` is slow.
    """

    def __init__(self, path):
        self.links, self.embedded, self.ids, self.classes = [], [], set(), Counter()
        self.open = []
        text = CODE.sub(r"\1", COMMENT.sub("", path.read_text()))
        tags = TAG.findall(text)
        assert len(tags) == text.count("<"), f"{path} has a < that begins no tag"
        for closes, name, attributes in tags:
            if closes:
                self._close(name)
            else:
                self._start(name, attributes)

    def _start(self, tag, attributes):
        if tag not in VOID and not attributes.endswith("/"):
            self.open.append(tag)
        if not attributes.strip():
            return
        found = {name: html.unescape("".join(v)) for name, *v in ATTRIBUTE.findall(attributes)}
        self.ids |= {found[name] for name in ("id", "name") if found.get(name)}
        self.classes.update((tag, class_) for class_ in set(found.get("class", "").split()))
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif tag in ("img", "script", "iframe", "source") and found.get("src"):
            self.embedded.append(found["src"])
        elif tag == "link" and "stylesheet" in found.get("rel", ""):
            self.embedded.append(found["href"])

    def _close(self, tag):
        if tag in self.open:
            while self.open.pop() != tag:
                pass

    def count(self, tag, class_):
        return self.classes[tag, class_]


def decoded(data, part):
    """Yield the rows of a part of the explorer's data as the browser has them."""
    words, columns = data["words"], data[part]["columns"]
    for row in data[part]["rows"]:
        yield {
            name: words[name][value] if name in words and isinstance(value, int) else value
            for name, value in zip(columns, row, strict=True)
        }
