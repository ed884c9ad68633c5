"""Small data sets in the shapes of the public ones, in words of our own, and a model behind a loopback address."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import cli  # noqa: F401 - a fixture

Reply = Callable[[dict[str, Any]], Any]


@dataclass(frozen=True, slots=True)
class Slow:
    """A reply that comes after so many seconds."""

    reply: Any
    seconds: float


@dataclass
class Model:
    """A loopback double of an API of the OpenAI kind.

    ``reply`` makes of a request's body: a text (a whole completion), a dict (its parts), a number (an HTTP status),
    bytes (sent as they are), or one of these that is `Slow`. ``requests`` and ``keys``: what was asked, with which key.
    """

    reply: Reply = lambda _: "Answer: tea"
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    url: str = ""

    def answer(self, body: dict[str, Any], key: str | None) -> tuple[int, bytes]:
        """Status and body of one response."""
        self.requests.append(body)
        self.keys.append(key)
        said = self.reply(body)
        if isinstance(said, Slow):
            time.sleep(said.seconds)
            said = said.reply
        if isinstance(said, int):
            return said, json.dumps({"error": {"message": f"refused, and your key is {key}"}}).encode()
        if isinstance(said, bytes):
            return 200, said
        if isinstance(said, str):
            said = {"content": said}
        usage = {"prompt_tokens": 100, "completion_tokens": 10}
        choice = {"message": {"content": said["content"]}, "finish_reason": said.get("finish_reason", "stop")}
        return 200, json.dumps({"choices": [choice], "usage": said.get("usage", usage)}).encode()


@pytest.fixture
def model() -> Iterator[Model]:
    """A model on a loopback address, stopped at the end."""
    double = Model()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, answer = double.answer(body, self.headers.get("Authorization"))
            try:
                self.send_response(status)
                self.send_header("Content-Length", str(len(answer)))
                if status == 307:
                    self.send_header("Location", "http://192.0.2.1/elsewhere")
                self.end_headers()
                self.wfile.write(answer)
            except ConnectionError:  # who asked has gone
                pass

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        double.url = f"http://127.0.0.1:{server.server_port}/v1"
        yield double
        server.shutdown()
        thread.join()


def question_of(body: dict[str, Any]) -> str:
    """The last line of what a reader was sent, which is the question."""
    text: str = body["messages"][-1]["content"]
    return text.splitlines()[-1].partition(": ")[2]


CHATS = {
    "garden": ("2023/04/02 (Sun) 09:15", [
        ("user", "We planted three apple trees behind the shed today.", True),
        ("assistant", "Apple trees want sun; water them well in the first summer.", False),
    ]),
    "move": ("2023/05/20 (Sat) 02:21", [
        ("user", "I have moved, my new address is Harbour Street 9.", True),
        ("assistant", "Noted, enjoy the new flat!", False),
        ("user", "The kitchen is green.", False),
    ]),
    "old": ("2023/01/05 (Thu) 18:00", [
        ("user", "My address is Mill Lane 4.", True),
        ("assistant", "Thank you, Mill Lane 4 it is.", False),
    ]),
    "music": ("2023/03/01 (Wed) 20:30", [
        ("user", "I love slow piano music and cannot stand drums.", True),
        ("assistant", "Satie would be something for you.", False),
        ("user", "  ", False),
    ]),
}  # fmt: skip

# id, type, question, answer, sessions that answer it
ASKED = [
    ("q1", "single-session-user", "How many apple trees did I plant?", 3, ["garden"]),
    ("q2", "knowledge-update", "What is my address?", "Harbour Street 9", ["old", "move"]),
    ("q3", "single-session-preference", "Can you recommend music for tonight?", "slow piano, no drums", ["music"]),
    ("q4_abs", "single-session-user", "What is the name of my dog?", "You did not mention a dog.", ["garden"]),
    ("q5", "single-session-assistant", "Which composer did you name?", "Satie", ["music"]),
    ("q6", "temporal-reasoning", "On which date did I plant apple trees?", "2 April 2023", ["garden"]),
]


def longmemeval_entries() -> list[dict[str, Any]]:
    """Questions in the shape of LongMemEval, each with the same chats."""
    sessions = [
        [{"role": role, "content": text} | ({"has_answer": True} if marked else {}) for role, text, marked in turns]
        for _, turns in CHATS.values()
    ]
    return [
        {
            "question_id": id_,
            "question_type": kind,
            "question": text,
            "answer": answer,
            "question_date": "2023/06/01 (Thu) 12:00",
            "haystack_session_ids": list(CHATS),
            "haystack_dates": [date for date, _ in CHATS.values()],
            "haystack_sessions": sessions,
            "answer_session_ids": ids,
        }
        for id_, kind, text, answer, ids in ASKED
    ]


@pytest.fixture
def longmemeval_file(tmp_path: Path) -> Path:
    """A file of LongMemEval."""
    path = tmp_path / "longmemeval.json"
    path.write_text(json.dumps(longmemeval_entries()), "utf-8")
    return path


@pytest.fixture
def locomo_file(tmp_path: Path) -> Path:
    """A file of LoCoMo with one conversation."""
    sample = {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ada", "speaker_b": "Ben",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ada", "dia_id": "D1:1", "text": "I went to the harbour yesterday."},
                {"speaker": "Ben", "dia_id": "D1:2", "text": "What did you see?", "blip_caption": "a red boat"},
            ],
            "session_2_date_time": "10:02 am on 9 June, 2023",
            "session_2": [{"speaker": "Ada", "dia_id": "D2:1", "text": "My sister plays the oboe."}],
            "session_3_date_time": "10:02 am on 10 June, 2023",
        },
        "qa": [
            {"question": "When was Ada at the harbour?", "answer": "7 May 2023", "evidence": ["D1:1"], "category": 2},
            {"question": "Which boat?", "answer": "a red one", "evidence": ["D1:02; D:9:9"], "category": 4},
            {"question": "What does Ben's sister play?", "adversarial_answer": "oboe", "evidence": ["D2:1"],
             "category": 5},
            {"question": "What does Ada dream of?", "answer": "?", "evidence": [], "category": 3},
        ],
    }  # fmt: skip
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps([sample]), "utf-8")
    return path


@pytest.fixture
def documents(tmp_path: Path) -> list[str]:
    """The options that name a small document set with graded judgements."""
    corpus = [
        {"_id": "d1", "title": "Tea", "text": "Green tea is brewed at eighty degrees."},
        {"_id": "d2", "title": "", "text": "Black tea is brewed with boiling water."},
        {"_id": "d3", "title": "Harbour", "text": "The harbour has twelve berths."},
        {"_id": "d4", "title": "", "text": "The harbour has twelve berths."},
        {"_id": "d5", "title": "", "text": ""},
    ]
    queries = [
        {"_id": "a", "text": "how hot is the water for tea?"},
        {"_id": "b", "text": "berths of the harbour"},
        {"_id": "c", "text": "nobody judged this"},
    ]
    qrels = "query-id\tcorpus-id\tscore\na\td1\t2\na\td2\t1\na\td3\t0\nb\td3\t1\nb\td4\t1\nz\td1\t1\n"
    for name, entries in (("corpus", corpus), ("queries", queries)):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, entries)) + "\n", "utf-8")
    (tmp_path / "qrels.tsv").write_text(qrels, "utf-8")
    paths = {"corpus": "corpus.jsonl", "queries": "queries.jsonl", "qrels": "qrels.tsv"}
    return [part for name, file in paths.items() for part in (f"--{name}", str(tmp_path / file))]
