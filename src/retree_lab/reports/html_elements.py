"""Elements and texts of HTML."""

from __future__ import annotations

import html
import json
import re
from typing import Any

# Of a page that needs no other file.
_STYLE = (
    ":root{color-scheme:light dark;--match:#d5e8f7;--close:#fdf0dc;--off:#fbdcc8}"
    "@media(prefers-color-scheme:dark){:root{--match:#12405f;--close:#4a3410;--off:#75340a}}"
    "body{font:15px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem}"
    "img{max-width:100%}code,p{overflow-wrap:anywhere}"
    "table{border-collapse:collapse;font-size:13px}.rt-box{overflow:auto}"
    "th,td{padding:.15rem .5rem;text-align:right;white-space:nowrap;border-bottom:1px solid #ddd}"
    "th:first-child{text-align:left}.rt-published{padding-left:.4rem}.rt-difference{display:none}"
    ".rt-box{margin:1rem 0}"
    ".rt-match{background:var(--match)}.rt-close{background:var(--close)}"
    ".rt-off{background:var(--off)}"
)


def whole_page(title: str, content: str) -> str:
    """Return a page that stands alone, with `content` in HTML below its title."""
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{text(title)}</title>\n<style>{_STYLE}</style>\n"
        f"<main>\n<h1>{text(title)}</h1>\n{content}</main>\n</html>\n"
    )


def element(name: str, content: str = "", **attributes: object) -> str:
    """Return an element around `content`, which is HTML already.

    Attributes that are None are left out; a trailing ``_`` of a name is dropped and other ``_``
    become hyphens.
    """
    texts = [
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    ]
    return f"<{name}{''.join(texts)}>{content}</{name}>"


def text(content: object) -> str:
    """Return `content` escaped."""
    return html.escape(str(content), quote=False)


def name(content: object) -> str:
    """Return a name escaped, which may be broken after its underscores, strokes and plus signs."""
    return re.sub("[_/+]", r"\g<0><wbr>", text(content))


def link(target: str, content: str) -> str:
    """Return a link to `target` with the name `content`; of a script, the name alone."""
    return element("a", name(content), href=target) if is_safe(target) else name(content)


def is_safe(target: str) -> bool:
    """Return whether an address is that of a page and not a script."""
    scheme = re.split("[/?#]", target, maxsplit=1)[0]
    return ":" not in scheme or scheme in ("http:", "https:")


def embedded(data: Any) -> str:
    """Return data for the scripts of a page, as JSON that nothing in it ends."""
    content = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json">{content}</script>'


def boxed(content: str, label: str) -> str:
    """Return `content` in a box that scrolls, by the keyboard too."""
    return element("div", content, class_="rt-box", role="region", tabindex=0, aria_label=label)
