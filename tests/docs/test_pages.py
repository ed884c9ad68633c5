from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, anchors, links, name, pages, prose, read

DECISIONS = sorted((ROOT / "docs/decisions").glob("[0-9]*.md"))


@pytest.mark.parametrize("page", [name(page) for page in pages()])
def test_links_lead_somewhere(page: str) -> None:
    """A link inside the project leads to a file that exists, and to a heading if it names one."""
    broken = []
    for target in links(read(page)):
        path, _, fragment = target.partition("#")
        found = (ROOT / page).parent / path if path else ROOT / page
        if not found.exists() or (fragment and fragment not in anchors(found.read_text("utf-8"))):
            broken.append(target)
    assert broken == []


def test_a_broken_link_is_seen() -> None:
    """Links are found in prose and not in blocks or on the network; headings answer to their fragments."""
    text = "# A page: its `name`\n\n[a](b.md#c) [d](https://example.com)\n\n```text\n[e](f.md)\n```\n"
    assert list(links(text)) == ["b.md#c"]
    assert anchors(text) == {"a-page-its-name"}


@pytest.mark.parametrize(("page", "most"), [("README.md", 200), ("ARCHITECTURE.md", 200)])
def test_a_first_page_is_short(page: str, most: int) -> None:
    """The pages that are read first stay readable in one go."""
    assert len(read(page).splitlines()) <= most


@pytest.mark.parametrize("record", DECISIONS, ids=lambda path: path.stem)
def test_a_decision_is_short_and_whole(record: Path) -> None:
    """A decision record has at most 40 lines, its number, and the four parts."""
    text = record.read_text("utf-8")
    assert len(text.splitlines()) <= 40
    assert text.startswith(f"# {record.stem[:4]} ")
    assert re.findall(r"^\*\*(\w+)\.\*\*", text, re.MULTILINE) == ["Context", "Decision", "Why", "Consequences"]


def test_decisions_are_numbered_and_listed() -> None:
    """Numbers have no gaps, and the index lists each record with its title."""
    assert [path.stem[:4] for path in DECISIONS] == [f"{number:04}" for number in range(1, len(DECISIONS) + 1)]
    assert set(links(read("docs/decisions/README.md"))) == {path.name for path in DECISIONS}


@pytest.mark.parametrize("page", [name(page) for page in pages()])
def test_a_page_has_one_title(page: str) -> None:
    """A page begins with its title and has no second one."""
    text = prose(read(page))
    assert text.startswith("# ")
    assert len(re.findall(r"^# ", text, re.MULTILINE)) == 1
