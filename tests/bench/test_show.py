from __future__ import annotations

import xml.etree.ElementTree as ET

from cortex_bench.evaluation.show import as_markdown, as_svg, as_table, tables

RESULT = {
    "n": 2,
    "overall": {"recall@10": 0.5, "ndcg@10": 0.25},
    "categories": {"a|b<c>": {"n": 2, "recall@10": 0.5, "ndcg@10": 0.25}, "empty": {"n": 0}},
    "left_out": {"abstention": 3},
}


def test_a_group_without_questions_has_no_numbers() -> None:
    """It is in the table, with dashes, and not in the picture."""
    assert list(tables(RESULT)["retrieval"][1]) == ["overall", "a|b<c>", "empty"]
    assert as_table(RESULT).splitlines()[3].split() == ["empty", "0", "-", "-"]
    assert "empty" not in as_svg(RESULT)


def test_names_break_neither_page_nor_picture() -> None:
    """What a data set calls its groups is text."""
    page = as_markdown(RESULT, {"data": "x", "limit": None})
    assert r"| a\|b<c> | 2 | 0.5000 | 0.2500 |" in page
    assert "| limit |  |" in page
    picture = ET.fromstring(as_svg(RESULT))  # noqa: S314 - our own text
    texts = [element.text for element in picture if element.tag.endswith("text")]
    assert texts == ["overall", "0.500 recall@10", "0.250 ndcg@10", "a|b<c>", "0.500 recall@10", "0.250 ndcg@10"]
