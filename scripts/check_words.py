"""Refuse words that the project has replaced, and long sentences; `make lint` runs it.

Sentences of a page of Markdown must have at most 16 words on average. For words it reads Markdown
and YAML files, docstrings and messages (strings with a space in them). Words between backticks are
names of code and are skipped, as are references to literature and examples.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

# What not to say, as a regular expression, and what to say instead.
WORDS = {
    r"told": "known, labelled, assigned, or drop it",
    r"holes?": "result blank, with the reason",
    r"(cannot|can) be had( again)?": "unavailable, or reproduced",
    r"in print|the print(?!ed)|print(ed)? (number|mean|value|table)s?": "published, as published",
    r"on the mean": "on average",
    r"cannot be told apart": "not significantly different",
    r"missed rows?|rows? (that are )?missed": "misclassified",
    r"nominal (feature|column|attribute|data|split|value)s?": "categorical",
    r"(numeric|nominal|latent|tested) attributes?": "feature",
    r"(holds|fails) in print( only| already)?": "true in the paper, not reproduced",
    r"differs? by more than chance allows": "outside tolerance",
    r"[Oo]ne a (class|feature|leaf|level|node|row|fold)": "one per class",
    r"a (branch|row|line|name) a (class|feature|leaf|level|node|fold|repeat)": "one per level",
    r"numbers that moved on purpose": "results changelog",
    r"(within|outside) (a wide )?tolerance|within a wide one": "agrees, weakly, or differs",
    r"agrees?, but weakly": "agrees weakly",
    r"nothing to be compared with": "cannot be judged",
    r"holds of": "name the subject",
    r"is known of": "is known about",
    r"at hand": "current, present, yours",
    r"(?<!Algorithm 1 )to the letter": "literally",
    r"of equals": "the first of equal ones",
    r"no fewer (rows|often|than)": "at least as many",
    r"errs? (least|no (less|more|fewer) in)": "has the lowest error, as many errors",
    r"least (errors?|accurac(y|ies))": "lowest",
    r"of (greatest|least)(?! (error|accura))": "highest, lowest",
    r"(greatest|least) (number|depth|difference)": "maximum, minimum",
    r"gone through": "passes over",
    r"made of them": "computed from them",
    r"(outside|inside) are \d": "put the number behind the verb",
    r"what is (computed|rendered) (is|of)": "results are cached; name the subject",
}
_REFUSED = re.compile("|".join(rf"(?P<w{i}>\b(?:{word})\b)" for i, word in enumerate(WORDS)))
_CODE = re.compile(r"```.*?```|`[^`]*`|^\s*(?:>>>|\.\.\.).*$|^\s*\w+ : ", re.DOTALL | re.MULTILINE)
_REFERENCES = re.compile(r"^\s*References\n\s*-{3,}\n.*?(?=^\s*\w+\n\s*-{3,}\n|\Z)", re.S | re.M)


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts of a file for people, each with the line where it begins."""
    if path.suffix != ".py":
        yield 1, path.read_text()
        return
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value


def refused(path: Path) -> Iterator[str]:
    """Yield a line for each refused word in a file."""
    for first, text in texts(path):
        blank = lambda match: re.sub(r"\S", " ", match.group())  # noqa: E731
        for match in _REFUSED.finditer(_CODE.sub(blank, _REFERENCES.sub(blank, text))):
            line = first + text.count("\n", 0, match.start())
            instead = list(WORDS.values())[int(str(match.lastgroup).removeprefix("w"))]
            phrase = " ".join(match.group().split())
            yield f"{path}:{line}: {phrase!r}; say: {instead}"


# What is no sentence: code, comments, headings, pictures, tables, addresses of links, placeholders.
_NO_PROSE = re.compile(
    r"```.*?```|<!--.*?-->|{%.*?%}|{{.*?}}|^[|#!][^\n]*$|(?<=\])\([^)]*\)", re.S | re.M
)
_END = re.compile(r"(?<=[.!?])[)*_]*\s+|\n\s*\n|\n\s*(?:[-*]|\d+\.) ")
MOST_WORDS = 16


def sentences(text: str) -> list[list[str]]:
    """Return the sentences of a page of Markdown, each as its words."""
    prose = _NO_PROSE.sub(lambda match: "" if match[0][0] in "({" else "\n", text)
    texts = _END.split(prose)
    words_of = [re.findall(r"[^\W_][\w'’.,/%-]*", part) for part in texts]
    return [words for words in words_of if len(words) > 2]


def long_winded(path: Path) -> Iterator[str]:
    """Yield a line if the sentences of a page of Markdown have too many words on average."""
    texts = sentences(path.read_text()) if path.suffix == ".md" else []
    mean = sum(map(len, texts)) / max(len(texts), 1)
    if mean > MOST_WORDS:
        yield f"{path}: {mean:.1f} words per sentence; write at most {MOST_WORDS} on average"


def main(arguments: list[str]) -> int:
    """Print the refused words of the files and folders given; return 1 if there are any."""
    faults = [
        line
        for argument in map(Path, arguments)
        for path in ([argument] if argument.is_file() else sorted(argument.rglob("*")))
        if path.suffix in (".py", ".md", ".rst", ".yaml") and "results" not in path.parts
        for line in (*refused(path), *long_winded(path))
    ]
    print(*faults, sep="\n", end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
