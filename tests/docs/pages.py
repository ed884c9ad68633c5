"""The project's Markdown pages, taken apart: fenced blocks, prose, links, headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

_FENCE = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]\n]*\]\((?P<target>[^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} (?P<text>.+)$", re.MULTILINE)
_CODE = re.compile(r"`(?P<code>[^`\n]+)`")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, the number of its first line, its text."""

    language: str
    line: int
    text: str


def pages() -> list[Path]:
    """Every page that a reader may open, by path."""
    found = {*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("packages/*/*.md")}
    return sorted(found)


def name(page: Path) -> str:
    """The page as the project knows it."""
    return page.relative_to(ROOT).as_posix()


def read(path: str) -> str:
    """The text of a file of the project."""
    return (ROOT / path).read_text("utf-8")


def blocks(text: str, language: str | None = None) -> list[Block]:
    """The fenced blocks in order, of one language if it is named."""
    found = [
        Block(match["language"], text.count("\n", 0, match.start("text")) + 1, match["text"])
        for match in _FENCE.finditer(text)
    ]
    return [block for block in found if language in (None, block.language)]


def prose(text: str) -> str:
    """The text without its fenced blocks."""
    return _FENCE.sub("", text)


def section(text: str, title: str) -> str:
    """What stands under a heading of the second level, up to the next one."""
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def codes(text: str) -> set[str]:
    """What stands between backticks in the prose."""
    return {match["code"] for match in _CODE.finditer(prose(text))}


def links(text: str) -> Iterator[str]:
    """The targets of links in the prose that stay inside the project."""
    for match in _LINK.finditer(prose(text)):
        if not re.match(r"[a-z]+:", match["target"]):
            yield match["target"]


def anchors(text: str) -> set[str]:
    """The fragments that the headings of a page answer to, as repository hosts make them."""
    return {
        re.sub(r"[^\w\- ]", "", match["text"].lower()).strip().replace(" ", "-")
        for match in _HEADING.finditer(prose(text))
    }
