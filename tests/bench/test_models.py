"""The client of a model, the reader and the judge, against a double on a loopback address."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cortex_bench.evaluation.chat import Chat, Completion, Message, ModelFailed
from cortex_bench.evaluation.conduct import Endpoint
from cortex_bench.evaluation.evidence import Block, as_text
from cortex_bench.evaluation.judge import ModelJudge, OfflineJudge, by_words, instructions, rule_of
from cortex_bench.evaluation.parts import Question
from cortex_bench.evaluation.profile import TIERS, Profile, profile, tier_of
from cortex_bench.evaluation.reader import SENTINEL, Reader, Reading, abstains, asks_for_advice, parse, prompt
from tests.bench.conftest import Model, Slow

HELLO = [Message("user", "hello")]
KEY = "sk-secret-1234"
QUESTION = Question(id="q", text="What does Ada drink?", group="single-hop", answer="green tea")
BLOCK = Block(index=1, session="s1", date="2023-05-08 13:56", speaker="Ada", text="I drink green tea.")


def chat(model: Model, **options: Any) -> Chat:
    """A client of the double that does not wait between attempts."""
    return Chat(model.url, "m", key=KEY, pause_seconds=0, **options)


def reading(answer: str) -> Reading:
    """An answer, as a reader gives it."""
    return Reading(answer=answer, notes="", abstained=abstains(answer), completion=Completion("", 1, 1, False))


class TestChat:
    def test_it_asks_as_the_api_wants(self, model: Model) -> None:
        """One request at temperature 0, the key in the header, counts in the answer."""
        done = chat(model).complete(HELLO, 77)
        assert done == Completion("Answer: tea", 100, 10, truncated=False)
        assert model.keys == [f"Bearer {KEY}"]
        assert model.requests == [
            {"model": "m", "messages": [{"role": "user", "content": "hello"}], "temperature": 0, "max_tokens": 77}
        ]

    def test_a_busy_server_is_asked_again(self, model: Model) -> None:
        """Errors that pass are tried three times in all, others once."""
        replies: list[Any] = [503, 429, "fine"]
        model.reply = lambda _: replies.pop(0)
        assert chat(model).complete(HELLO, 9).text == "fine"
        model.reply = lambda _: 500
        with pytest.raises(ModelFailed, match=r"HTTP 500.*asked 3 times"):
            chat(model).complete(HELLO, 9)
        before = len(model.requests)
        model.reply = lambda _: 401
        with pytest.raises(ModelFailed, match="HTTP 401"):
            chat(model).complete(HELLO, 9)
        assert len(model.requests) == before + 1

    def test_no_error_tells_the_key(self, model: Model) -> None:
        """Not even one in which the server does, nor the look of an endpoint."""
        model.reply = lambda _: 403
        with pytest.raises(ModelFailed) as caught:
            chat(model).complete(HELLO, 9)
        assert "your key is" in str(caught.value)
        assert KEY not in str(caught.value)
        assert KEY not in repr(Endpoint(url="http://127.0.0.1/v1", model="m", key=KEY))

    @pytest.mark.parametrize(
        "garbage",
        [b"", b"no JSON", b"[]", b"{}", b'{"choices": []}', b'{"choices": [{"message": {"content": null}}]}', b"\xff"],
    )
    def test_what_is_no_completion_is_a_failure(self, model: Model, garbage: bytes) -> None:
        """An answer of another shape is no answer."""
        model.reply = lambda _: garbage
        with pytest.raises(ModelFailed, match=r"no completion|no JSON object"):
            chat(model).complete(HELLO, 9)

    def test_a_slow_server_is_given_up(self, model: Model) -> None:
        """After the time-out, each time."""
        model.reply = lambda _: Slow("late", 0.5)
        with pytest.raises(ModelFailed, match=r"no whole answer.*asked 2 times"):
            chat(model, timeout_seconds=0.1, attempts=2).complete(HELLO, 9)

    @pytest.mark.parametrize("key", ["sk-secret\r\nX: y", "sk-\u00e9", "sk\x00"])
    def test_a_key_that_no_header_can_hold_is_refused_unseen(self, model: Model, key: str) -> None:
        """The error does not show it; white space around a key is nothing."""
        with pytest.raises(ValueError, match="not shown") as refused:
            Chat(model.url, "double", key=key)
        assert "sk" not in str(refused.value)
        Chat(model.url, "double", key=" sk-1\n").complete(HELLO, 10)
        assert model.keys == ["Bearer sk-1"]

    def test_what_the_model_says_of_the_key_is_left_out(self, model: Model) -> None:
        """Answers are kept in files, and the key is in none."""
        model.reply = lambda _: "Answer: sk-secret\nNotes: sk-secret"
        assert "sk-secret" not in Chat(model.url, "double", key="sk-secret").complete(HELLO, 10).text

    @pytest.mark.parametrize("count", [-1, True, 10**400, "7", 1.5])
    def test_counts_that_can_be_none_are_not_known(self, model: Model, count: object) -> None:
        """No cost is told then."""
        model.reply = lambda _: {"content": "tea", "usage": {"prompt_tokens": count, "completion_tokens": 3}}
        done = Chat(model.url, "double").complete(HELLO, 10)
        assert (done.tokens_in, done.tokens_out) == (None, None)

    def test_deeply_nested_json_is_a_failure(self, model: Model) -> None:
        """As any other answer that is no completion."""
        model.reply = lambda _: b"[" * 100_000
        with pytest.raises(ModelFailed, match=r"no completion|no JSON object"):
            Chat(model.url, "double").complete(HELLO, 10)

    def test_nobody_there_is_a_failure(self, model: Model) -> None:
        """A refused connection is told."""
        with pytest.raises(ModelFailed, match="refused"):
            Chat("http://127.0.0.1:9/v1", "m", pause_seconds=0).complete(HELLO, 9)

    def test_a_redirect_is_not_followed(self, model: Model) -> None:
        """The key goes to the named server only."""
        model.reply = lambda _: 307
        with pytest.raises(ModelFailed, match="HTTP 307"):
            chat(model).complete(HELLO, 9)

    def test_counts_may_be_missing(self, model: Model) -> None:
        """A server that does not count is believed to know nothing."""
        model.reply = lambda _: {"content": "x", "usage": None, "finish_reason": "length"}
        assert chat(model).complete(HELLO, 9) == Completion("x", None, None, truncated=True)

    @pytest.mark.parametrize(
        "url", ["", "ftp://host", "host/v1", "http://", "http://user:pass@host/v1", "file:///etc", "http://h/v1?key=1"]
    )
    def test_what_is_no_url_is_refused(self, url: str) -> None:
        """Only addresses of the web, and no password in them, which would be written into the settings."""
        with pytest.raises(ValueError, match="expected a URL"):
            Chat(url, "m")


class TestReader:
    @pytest.mark.parametrize(
        ("text", "answer", "notes"),
        [
            ("Answer: tea\nNotes: [1] says so", "tea", "[1] says so"),
            ("Notes:\n[1] says so\nAnswer: tea", "tea", "[1] says so"),
            ("**Answer:** green\ntea\n\n**Notes:**\n- [1]", "green\ntea", "- [1]"),
            ("answer: tea", "tea", ""),
            ("tea", "tea", ""),
            ("Notes: nothing but notes", "", "nothing but notes"),
            ("Notes: x\nAnswer: first\nAnswer: last", "last", "x"),
            ("Answer: first\nNotes: x\nAnswer: again", "first", "x"),
            ("", "", ""),
        ],
    )
    def test_an_answer_is_found(self, text: str, answer: str, notes: str) -> None:
        """Before the notes or after them, with labels in whatever dress."""
        assert parse(text) == (answer, notes)

    @pytest.mark.parametrize("text", [SENTINEL, "I don't know.", " I don\u2019t know "])
    def test_the_sentinel_abstains(self, text: str) -> None:
        """Exactly the sentinel is an abstention."""
        assert abstains(text)

    @pytest.mark.parametrize("text", ["I don't know, but tea", "I do not know", "i don't know", "Unknown", ""])
    def test_nothing_else_abstains(self, text: str) -> None:
        """What begins like it, or means the same, is an answer."""
        assert not abstains(text)

    @pytest.mark.parametrize(
        ("text", "wanted"),
        [
            ("Can you recommend a book?", True),
            ("Any tips for the trip?", True),
            ("What should I cook?", True),
            ("I need some ideas for a party", True),
            ("Which book did I suggest to Ada?", True),
            ("When did I cook?", False),
            ("What is the ideal height?", False),
        ],
    )
    def test_questions_for_advice_are_known_by_their_words(self, text: str, *, wanted: bool) -> None:
        """Whole words decide."""
        assert asks_for_advice(text) is wanted

    def test_the_evidence_has_headings(self) -> None:
        """Number, session, date and speaker; what is not known is left out."""
        assert as_text([BLOCK]) == "[1] | session s1 | 2023-05-08 13:56 | Ada\nI drink green tea."
        assert as_text([Block(index=2, session="", date="", speaker="", text="x")]) == "[2]\nx"

    def test_the_prompt_follows_the_profile(self) -> None:
        """Answer first or notes first; advice is never met with the sentinel, unless that mode is off."""
        advice = Question(id="q", text="Recommend a drink", group="g")
        plain = [prompt(QUESTION, [BLOCK], Profile(top_k=1, answer_first=first))[0].content for first in (True, False)]
        assert plain[0].index("'Answer:'") < plain[0].index("'Notes:'")
        assert plain[1].index("'Notes:'") < plain[1].index("'Answer:'")
        assert SENTINEL in plain[0]
        assert SENTINEL not in prompt(advice, [BLOCK], Profile(top_k=1))[0].content
        assert SENTINEL in prompt(advice, [BLOCK], Profile(top_k=1, preference_mode=False))[0].content
        assert as_text([BLOCK]) in prompt(QUESTION, [BLOCK], Profile(top_k=1))[1].content

    def test_nothing_is_a_failure(self, model: Model) -> None:
        """A reader that wrote no answer, or was cut off before it, has failed."""
        model.reply = lambda _: {"content": "Notes: so many", "finish_reason": "length"}
        with pytest.raises(ModelFailed, match="cut off"):
            Reader(chat(model), Profile(top_k=1)).read(QUESTION, [BLOCK])
        model.reply = lambda _: "Answer: green tea"
        assert Reader(chat(model), Profile(top_k=1)).read(QUESTION, [BLOCK]).answer == "green tea"


class TestOfflineJudge:
    @pytest.mark.parametrize(
        ("answer", "gold", "exact", "contains"),
        [
            ("The green tea!", "green tea", 1, 1),
            ("She drinks GREEN TEA in the morning", "green tea", 0, 1),
            ("greenish tea", "green tea", 0, 0),
            ("tea", "green tea", 0, 0),
            ("anything", "", 0, 0),
            ("", "green tea", 0, 0),
            ("13", "3", 0, 0),
        ],
    )
    def test_words_decide(self, answer: str, gold: str, exact: int, contains: int) -> None:
        """Whole words in normal form, without articles."""
        found = by_words(answer, gold)
        assert (found["exact"], found["contains"]) == (exact, contains)

    def test_without_a_gold_answer_there_is_no_verdict(self) -> None:
        """Some questions have only points that an answer should make: words cannot tell."""
        with pytest.raises(ModelFailed, match="no answer to compare with"):
            OfflineJudge().judge(Question(id="q", text="?", group="g", rubric=("x",)), reading("tea"))
        assert "Correct answer" not in instructions(Question(id="q", text="?", group="g"), "tea")[1].content

    def test_f1_is_of_the_words(self) -> None:
        """Two of three said, two of two wanted."""
        assert by_words("hot green tea", "green tea")["f1"] == pytest.approx(0.8)

    def test_abstaining_is_right_exactly_where_nobody_knows(self) -> None:
        """The sentinel for a question without an answer, and only there."""
        unknown = Question(id="q", text="?", group="g", abstains=True)
        judge = OfflineJudge()
        assert judge.judge(unknown, reading(SENTINEL)).correct
        assert not judge.judge(unknown, reading("green tea")).correct
        assert not judge.judge(QUESTION, reading(SENTINEL)).correct
        assert judge.judge(QUESTION, reading("green tea")).correct


class TestModelJudge:
    @pytest.mark.parametrize(
        ("votes", "correct"), [("yn", True), ("ynn", False), ("yyn", True), ("n", False), ("yynn", True)]
    )
    def test_the_majority_counts_and_a_tie_is_a_yes(self, model: Model, votes: str, *, correct: bool) -> None:
        """As many calls as votes."""
        said = iter(votes)
        model.reply = lambda _: {"y": "Yes.", "n": "no, since"}[next(said)]
        verdict = ModelJudge(chat(model), len(votes)).judge(QUESTION, reading("tea"))
        assert (verdict.correct, len(verdict.votes), len(verdict.completions)) == (correct, len(votes), len(votes))

    def test_a_vote_that_is_none_is_a_failure(self, model: Model) -> None:
        """Neither yes nor no is not taken for either."""
        model.reply = lambda _: "perhaps"
        with pytest.raises(ModelFailed, match="neither yes nor no"):
            ModelJudge(chat(model)).judge(QUESTION, reading("tea"))

    @pytest.mark.parametrize(
        ("group", "rule"),
        [
            ("temporal-reasoning", "temporal"),
            ("temporal", "temporal"),
            ("knowledge_update", "update"),
            ("single-session-preference", "preference"),
            ("multi-session", "general"),
        ],
    )
    def test_each_kind_has_its_rules(self, group: str, rule: str) -> None:
        """The group tells which; a question without an answer has its own."""
        assert rule_of(Question(id="q", text="?", group=group)) == rule
        unknown = Question(id="q", text="?", group=group, answer="secret", abstains=True)
        assert rule_of(unknown) == "abstention"
        assert "secret" not in instructions(unknown, "x")[1].content

    def test_points_of_an_answer_are_shown(self) -> None:
        """The judge sees question, gold, rubric and answer."""
        question = Question(id="q", text="What?", group="g", answer="gold", rubric=("first", "second"))
        text = instructions(question, "mine")[1].content
        assert all(word in text for word in ("What?", "gold", "- first", "- second", "mine"))


class TestProfile:
    @pytest.mark.parametrize("name", ["flagship", " Flagship ", "FLAGSHIP"])
    def test_case_and_space_do_not_matter(self, name: str, silent: Callable[[str], None]) -> None:
        """A tier is known however it is written."""
        assert tier_of(name, silent) == "flagship"

    @pytest.fixture
    def silent(self) -> Callable[[str], None]:
        """Fails where there is something to warn of."""
        return pytest.fail

    @pytest.mark.parametrize("name", ["", "  ", "premium"])
    def test_an_unknown_tier_is_the_cheap_one(self, name: str) -> None:
        """With a warning that names the tiers."""
        told: list[str] = []
        assert tier_of(name, told.append) == "cheap"
        assert "cheap, flagship" in told[0]

    def test_no_tier_is_the_cheap_one(self, silent: Callable[[str], None]) -> None:
        """Without a warning."""
        assert tier_of(None, silent) == "cheap"

    def test_what_is_given_wins_then_the_data_set_then_the_tier(self) -> None:
        """Each knob by itself."""
        assert profile("cheap", "beam").top_k == 50
        assert profile("flagship", "beam").top_k == 100
        assert profile("cheap", "locomo") == Profile(top_k=100, preference_mode=False)
        assert profile("cheap", "locomo", top_k=7, preference_mode=None) == Profile(top_k=7, preference_mode=False)
        assert profile("cheap", "locomo", preference_mode=True).preference_mode

    def test_the_table_is_not_handed_out(self) -> None:
        """Whoever gets a profile has a copy."""
        assert profile("cheap", "beam") == TIERS["cheap"]
        assert profile("cheap", "beam") is not TIERS["cheap"]
