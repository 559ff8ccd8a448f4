"""What is on a page, read without a browser."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}


class Page(HTMLParser):
    """Links, embedded files, anchors and table cells of an HTML file."""

    def __init__(self, path):
        super().__init__()
        self.links, self.embedded, self.ids, self.classes = [], [], set(), []
        self.open = []
        self.feed(path.read_text())
        self.close()

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.ids |= {values[name] for name in ("id", "name") if values.get(name)}
        self.classes.append((tag, (values.get("class") or "").split()))
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif tag in ("img", "script", "iframe", "source") and values.get("src"):
            self.embedded.append(values["src"])
        elif tag == "link" and "stylesheet" in (values.get("rel") or ""):
            self.embedded.append(values["href"])
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in self.open:
            while self.open.pop() != tag:
                pass

    def count(self, tag, class_):
        return sum(t == tag and class_ in classes for t, classes in self.classes)
