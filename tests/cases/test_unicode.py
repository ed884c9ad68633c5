"""Text in every script: found as it is written, given back as it was, never cut in half."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cortex import Cortex
from cortex.core.text.clusters import cut_before
from cortex.engine.facade import Engine
from cortex.errors import InvalidInput
from cortex.testing import Failure, FakeEmbedder
from tests.cases.conftest import Cli, Server
from tests.e2e.wire import Wire
from tests.engine.support import Bench, by_words, found

# --- MEM-001: scripts without spaces ------------------------------------------------------------------

RUNS = {
    "下班前把仓库的备用钥匙交给保安": ["仓库的备用钥匙", "钥匙", "保安"],
    "金曜までに倉庫の合鍵を管理人に渡すこと": ["倉庫の合鍵", "合鍵", "管理人"],
    "コーヒーメーカーのフィルターを注文する": ["フィルター", "コーヒー"],
    "금요일까지창고열쇠를경비실에맡긴다": ["창고열쇠", "열쇠", "경비실"],
    "ฝากกุญแจห้องเก็บของไว้กับยาม": ["กุญแจ", "ห้องเก็บของ"],
    "ຝາກກະແຈສາງໄວ້ກັບຍາມ": ["ກະແຈ"],
    "សូមទុកសោឃ្លាំងនៅឆ្មាំ": ["សោឃ្លាំង"],
    "သော့ကိုအစောင့်ထံပေးပါ": ["အစောင့်"],
}
QUERIES = [(query, text) for text, queries in RUNS.items() for query in queries]


def test_mem_001_a_part_of_a_run_finds_the_run(ada: Engine) -> None:
    """Two characters are enough, by words alone, whether or not there are vectors."""
    ada.memorize_many(list(RUNS))
    for query, text in QUERIES:
        answer = ada.recall(query, limit=len(RUNS))
        assert text in by_words(answer), query
        lexical = min((hit for hit in answer.hits if "lexical" in hit.parts), key=lambda h: h.parts["lexical"].rank)
        assert lexical.memory.content == text, query


@settings(max_examples=25)
@given(st.text(st.sampled_from("山川東西南北語言鍵庫春夏秋冬あかさたなカキクケコ가나다라마"), min_size=2, max_size=30))
def test_mem_001_any_two_neighbours_find_their_run(text: str) -> None:
    """Whatever the run is, each pair of characters in it is a question that it answers."""
    ada = Bench(embedder=FakeEmbedder(fail=Failure.RAISE)).engine()
    ada.memorize_many(["some other note", text])
    for pair in {text[i : i + 2] for i in range(len(text) - 1)}:
        assert found(ada.recall(pair)) == [text], pair


@pytest.mark.slow
def test_mem_001_over_mcp_and_on_the_command_line(meaning: Wire, cli: Cli) -> None:
    """The same questions at the doors, through every encoding on the way."""
    for text, (query, *_) in RUNS.items():
        meaning.call("memorize", content=text, scope="project:runs")
        memories = meaning.call("recall", query=query, scope="project:runs")["memories"]
        assert next(memory for memory in memories if "lexical" in memory["parts"])["content"] == text
    cli("memorize", "--file", "-", stdin="\n".join(json.dumps(text) for text in RUNS))
    for query in ("合鍵", "钥匙", "창고열쇠"):
        hits = [hit for hit in cli("recall", query, "--json").json["hits"] if "lexical" in hit["parts"]]
        assert query in hits[0]["memory"]["content"]


# --- MEM-003: half of a surrogate pair ----------------------------------------------------------------

HALVES = [
    ("memorize", '{"content": "a boat \\ud83d"}', "content"),
    ("memorize", '{"content": "\\uDC4E is not enough"}', "content"),
    ("memorize", '{"content": "x", "tags": ["ok", "\\ud83d"]}', "tags"),
    ("memorize", '{"content": "x", "metadata": {"a": {"b": ["\\udfff"]}}}', "metadata.a.b"),
    ("memorize", '{"content": "x", "metadata": {"\\ud800": 1}}', "metadata."),
    ("memorize", '{"content": "x", "speaker": "\\ud83d \\udc4d"}', "speaker"),
    ("memorize", '{"content": "x", "scope": "user:\\udbff"}', "scope"),
    ("memorize", '{"content": "x", "idempotency_key": "\\ud83d"}', "idempotency_key"),
    ("recall", '{"query": "\\udc4d"}', "query"),
    ("recall", '{"query": "x", "tags": ["\\ud83d"]}', "tags"),
    ("list_memories", '{"cursor": "\\ud83d"}', "cursor"),
    ("get_memory", '{"memory_id": "\\ud83d000"}', "memory_id"),
    ("forget", '{"memory_id": "\\udc4d"}', "memory_id"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("tool", "arguments", "field"), HALVES, ids=range(len(HALVES)))
def test_mem_003_half_a_pair_is_refused_by_its_field(wire: Wire, tool: str, arguments: str, field: str) -> None:
    """The call is answered under its own id with an error that names the field, and the server goes on."""
    total = wire.call("list_memories")["total"]
    answer = wire.answer(wire.begin_raw(f'{{"name": "{tool}", "arguments": {arguments}}}'))
    assert f"read: {field}" in answer["error"]["message"]
    assert "half of a surrogate pair" in answer["error"]["message"]
    assert wire.call("list_memories")["total"] == total
    assert wire.only_protocol


@pytest.mark.slow
def test_mem_003_whole_pairs_are_kept_and_exported_as_utf8(server: Server, tmp_path: Path) -> None:
    """Two escapes that belong together are one character, and what is exported is valid UTF-8."""
    raw = '{"content": "a fish \\ud83d\\udc1f swims", "scope": "project:pairs", "tags": ["\\ud83d\\udc1f"]}'
    answer = server.wire.answer(server.wire.begin_raw(f'{{"name": "memorize", "arguments": {raw}}}'))
    one = server.wire.call("get_memory", memory_id=answer["result"]["structuredContent"]["id"])
    assert (one["content"], one["tags"]) == ("a fish 🐟 swims", ["🐟"])
    with Cortex(server.store, embedder=FakeEmbedder()) as cortex:
        cortex.admin.export_memories(tmp_path / "pairs.jsonl", scope="project:pairs")
    assert "a fish 🐟 swims" in (tmp_path / "pairs.jsonl").read_bytes().decode("utf-8")


def test_mem_003_in_python(ada: Engine) -> None:
    """Ids, cursors and keys are refused too, in every verb that takes one."""
    for half in ("\ud83d", "0123\udc4d"):
        calls: list[Callable[..., object]] = [ada.get, ada.history, ada.archive, ada.forget]
        for call in calls:
            with pytest.raises(InvalidInput):
                call(half)
        with pytest.raises(InvalidInput):
            ada.update(half, importance=1)
        with pytest.raises(InvalidInput):
            ada.list_memories(cursor=half)
        with pytest.raises(InvalidInput):
            ada.forget("0" * 32, idempotency_key=half)
        with pytest.raises(InvalidInput):
            ada.memorize("x", scope=f"user:{half}")


# --- MEM-004: nothing is cut in half ------------------------------------------------------------------

CLUSTERS = {
    "one character": "🛶",
    "a flag": "🇳🇴",
    "a family": "👩‍👩‍👧‍👦",
    "a skin": "👋🏽",
    "a keycap": "7\ufe0f\u20e3",
    "marks": "e\u0301\u0323",
    "jamo": "\u1112\u1161\u11ab",
}


@pytest.mark.slow
@pytest.mark.parametrize("unit", CLUSTERS.values(), ids=CLUSTERS)
def test_mem_004_a_cut_falls_between_characters(wire: Wire, unit: str) -> None:
    """What fits of each text is a whole number of what a reader sees, with the true number of what is missing."""
    scope = f"project:cut-{len(unit)}-{ord(unit[0]):x}"
    texts = [f"{'x' * i}{unit * 3000}" for i in range(8)]
    for text in texts:
        wire.call("memorize", content=text, scope=scope)
    result = wire.ask("tools/call", name="list_memories", arguments={"scope": scope})
    memories = result["structuredContent"]["memories"]
    assert len(memories) == len(texts)
    for memory, text in zip(memories, reversed(texts), strict=True):
        start, _, rest = memory["content"].partition("… [+")
        assert text.startswith(start)
        assert cut_before(text, len(start)) == len(start) > 0
        assert int(rest.removesuffix(" characters]").replace(",", "")) == memory["content_chars"] - len(start)
        assert memory["content_chars"] == len(text)
    json.dumps(result, ensure_ascii=False).encode("utf-8")


# --- MEM-005: forms of one word -----------------------------------------------------------------------

COMPOSED = {"composed": "Zoë's entrée in Łódź, über Tromsø", "hangul": "도서관 열쇠", "vietnamese": "Phở ở Huế"}
FORMS = {
    **{name: (text, unicodedata.normalize("NFD", text)) for name, text in COMPOSED.items()},
    "full width": ("Gate ７ opens at ＮＯＯＮ", "Gate 7 opens at NOON"),
    "turkish": ("İzmir ve ISPARTA", "izmir ve ısparta"),
    "arabic": ("المِفْتَاحُ فِي الدُّرْجِ", "المفتاح في الدرج"),
    "hebrew": ("הַמַּפְתֵּחַ בַּמְּגֵרָה", "המפתח במגרה"),
}


@pytest.mark.parametrize("pair", FORMS.values(), ids=FORMS)
def test_mem_005_any_form_finds_any_form(ada: Engine, pair: tuple[str, str]) -> None:
    """A question in the other form finds just what one in the same form does, and the text is as it was written."""
    for stored, other in (pair, pair[::-1]):
        scope = f"project:{'one' if stored is pair[0] else 'two'}"
        kept = ada.memorize(stored, scope=scope)
        ada.memorize("the kettle is on the stove", scope=scope)
        assert ada.get(str(kept.id)).content == stored  # type: ignore[union-attr] # it was kept a moment ago
        same, cross = (ada.recall(query, scope=scope) for query in (stored, other))
        assert by_words(cross) == by_words(same) == {stored}
        for word in other.split():
            if len(word) > 2:
                assert stored in by_words(ada.recall(word, scope=scope)), word


@pytest.mark.parametrize("name", ["composed", "hangul", "vietnamese", "full width"])
def test_mem_005_forms_of_one_text_are_duplicates(ada: Engine, name: str) -> None:
    """A text in another Unicode form is the text that was kept first."""
    one, other = FORMS[name]
    first, second = ada.memorize(one), ada.memorize(other)
    assert (second.id, second.deduplicated, ada.count()) == (first.id, True, 1)


def test_mem_005_on_the_command_line(cli: Cli) -> None:
    """A decomposed question, as some keyboards and file systems make it, finds the composed text."""
    one, other = FORMS["composed"]
    cli("memorize", one)
    cli("memorize", "the kettle is on the stove")
    hit = cli("recall", other, "--limit", "1", "--json").json["hits"][0]
    assert hit["memory"]["content"] == one
    assert "lexical" in hit["parts"]


# --- MEM-006: right to left ---------------------------------------------------------------------------

RIGHT_TO_LEFT = [
    "הקוד של הדלת הוא QX-4417 בקומה 3\nאחרי 18:30 מצלצלים",
    "رمز الباب هو QX-4417 في الطابق ٣\nبعد الساعة 18:30 يُقرع الجرس",
]
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@pytest.mark.parametrize("text", RIGHT_TO_LEFT, ids=["hebrew", "arabic"])
def test_mem_006_right_to_left_text_stays_in_logical_order(ada: Engine, tmp_path: Path, text: str) -> None:
    """Words as they are typed, codes and numbers find it; lines and order survive an export."""
    ada.memorize(text)
    for query in (*text.split()[:3], "QX-4417", "4417", "18:30"):
        assert text in by_words(ada.recall(query)), query
    with Cortex(tmp_path / "other.db", user="ada", embedder=FakeEmbedder()) as other:
        other.admin.import_lines(ada.admin.export_lines())
        assert other.list_memories().memories[0].content == text


def test_mem_006_direction_marks_are_kept_and_not_obeyed(cli: Cli, tmp_path: Path) -> None:
    """Stored as they came; on a terminal they are spelled out wherever they stand, in file names too."""
    text = f"note {BIDI} 4e8d0000"
    one = cli("memorize", text, "--tag", f"a{BIDI}", "--speaker", f"s{BIDI}", "--json").json["id"]
    assert cli("get", one, "--json").json["content"] == text
    told = [
        cli("list"), cli("get", one), cli("recall", "note"), cli("get", "ab\u202ecd"), cli("history", one),
        cli("export", tmp_path / f"a{BIDI}b.jsonl"), cli("import", tmp_path / f"c{BIDI}d"),
    ]  # fmt: skip
    for result in told:
        assert not set(BIDI) & set(result.out + result.err)
