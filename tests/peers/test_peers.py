from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from cortex_bench.peers import environments, material, run, stages, table
from cortex_bench.peers.driver import Driver, PeerFailed
from cortex_bench.peers.environments import HERE, MODEL, ROOT
from cortex_bench.peers.material import Asked, Synthetic, Talk
from cortex_bench.peers.roster import PEERS
from cortex_bench.peers.stages import Bench

FAKE = [sys.executable, str(Path(__file__).with_name("fake.py"))]
PLAIN = MappingProxyType({"": MappingProxyType[str, str]({})})


def item(number: int, text: str) -> material.Item:
    return {
        "id": f"m{number}", "text": text, "plain": f"Ada (1 May 2023): {text}", "speaker": "Ada",
        "session": "session_1", "position": number, "time": "2023-05-01T10:00:00+00:00",
    }  # fmt: skip


TALK = Talk(
    "talk-1",
    (item(0, "my dog Rex swims"), item(1, "we moved to Berlin"), item(2, "green tea is my favourite drink")),
    (Asked("favourite drink", {"m2": 1.0}), Asked("where is Berlin", {"m1": 1.0, "m0": 1.0})),
)
DATA = Synthetic(
    tuple(item(number, f"note number {number}") for number in range(150)),
    tuple(item(number, f"note number {number}") for number in range(1000, 2000)),
    ("note number 7", "another number"),
)


@pytest.fixture
def fake() -> Bench:
    """The fake peer as the stages start one."""
    return Bench(FAKE, MODEL, None, Path("nowhere"), PLAIN)


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    """The fake peer with its store open."""
    with Driver(FAKE, tmp_path) as made:
        made.ask("open", path=str(tmp_path))
        yield made


def test_a_driver_answers(driver: Driver) -> None:
    """What was added by one user is found and counted for that user alone."""
    assert driver.ask("add", user="a", items=[item(1, "green tea"), item(2, "a dog")])["seconds"] == 0.001
    assert driver.ask("search", user="a", query="Tea green", k=1)["ids"] == ["m1"]
    assert driver.ask("search", user="b", query="tea", k=9)["ids"] == []
    assert driver.ask("count", user="a")["count"] == 2
    assert driver.ask("missing", user="a", ids=["m1", "m9"])["missing"] == ["m9"]


@pytest.mark.parametrize(("query", "said"), [("raise", "as asked"), ("die", "ended"), ("sleep", "no answer within")])
def test_a_failure_is_told(driver: Driver, query: str, said: str) -> None:
    """An error, an end and a silence of a peer are each a PeerFailed that says which."""
    with pytest.raises(PeerFailed, match=said):
        driver.ask("search", 0.5 if query == "sleep" else 9.0, user="a", query=query, k=1)
    if query == "sleep":
        driver.kill()


def test_a_peer_that_is_gone_stays_gone(driver: Driver) -> None:
    """After the end of a process each request fails; none waits for its limit."""
    driver.kill()
    for _ in range(2):
        with pytest.raises((PeerFailed, ValueError)):
            driver.ask("count", user="a")


@pytest.mark.slow
def test_the_stages_measure(fake: Bench) -> None:
    """Every stage gives its figures for a peer that keeps the protocol."""
    assert stages.quality(fake, [TALK])["searches"][""]["recall@10"] == 1.0
    speed = stages.speed(fake, DATA)
    assert speed["memories"] == 150
    assert speed["searches"][""].keys() == {"ms", "start_s", "resident_mb"}
    killed = stages.kills(fake, DATA)
    assert (killed["lost"], killed["first_error"]) == (0, "")
    assert killed["acknowledged"] > 0


def test_an_embedding_that_would_count_is_refused(fake: Bench) -> None:
    """A rate of ingest is no rate when the peer embeds texts whose vectors were not made beforehand."""
    with pytest.raises(PeerFailed, match="embeds"):
        stages.speed(fake, replace(DATA, items=(item(1, "unknown"),)))


@pytest.mark.slow
def test_refused_writers_are_counted(fake: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Writers whose process does not start count as refused calls, with what the first one said."""
    monkeypatch.setattr(stages, "EACH", 5)
    found = stages.writers(fake, DATA)
    assert (found["written"], found["refused"], found["kept"]) == (20, 0, 20)
    starts: list[int] = []

    def start(self: Bench, place: Path, cache: Path | None) -> Driver:
        starts.append(1)
        if 2 <= len(starts) <= 5:
            raise PeerFailed("one process only")
        return Driver(FAKE, place) if len(starts) == 1 else real(self, place, cache)

    real = Bench.start
    monkeypatch.setattr(Bench, "start", start)
    found = stages.writers(fake, DATA)
    assert (found["refused"], found["kept"], found["first_error"]) == (20, 0, "one process only")


@pytest.mark.slow
def test_the_driver_of_cortex_keeps_the_protocol(tmp_path: Path) -> None:
    """Cortex's own driver answers every request, in both rankings, with the model that ships."""
    (peer,) = (peer for peer in PEERS if peer.name == "cortex")
    bench = Bench(environments.command(peer, Path(sys.executable)), MODEL, None, Path("nowhere"), peer.searches)
    found = stages.quality(bench, [TALK])
    assert found["turns"] == 3
    assert {name: asked["recall@10"] for name, asked in found["searches"].items()} == {
        "relevance": 1.0,
        "conversation": 1.0,
    }
    with bench.start(tmp_path, None) as driver:
        driver.ask("add", user="a", items=[item(1, "green tea")])
        assert driver.ask("missing", user="a", ids=["m1", "m2"])["missing"] == ["m2"]


def test_every_peer_has_its_driver_and_its_pins() -> None:
    """A system of the table has a driver of at most 80 lines, and a list of exact versions unless it is Cortex."""
    drivers = {path.stem.removeprefix("drive_") for path in (HERE / "drivers").glob("drive_*.py")}
    assert drivers == {peer.name for peer in PEERS}
    assert all(len(path.read_text("utf-8").splitlines()) <= 80 for path in (HERE / "drivers").glob("drive_*.py"))
    for peer in PEERS[1:]:
        pins = (HERE / "requirements" / f"{peer.name}.txt").read_text("utf-8").splitlines()
        assert any(pin.startswith(f"{peer.package}==") for pin in pins)
        assert all(pin.count("==") == 1 for pin in pins)


def results(recall: float) -> dict[str, Any]:
    found = {
        peer.name: {
            "version": "1.0",
            "quality": {"turns": 3, "searches": {name: {"recall@10": 0.5, "ndcg@10": 0.5} for name in peer.searches}},
        }
        for peer in PEERS
    }
    found["mem0"]["quality"] = {"turns": 3, "searches": {"": {"recall@10": recall, "ndcg@10": 0.5}}}
    found["chroma"]["writers"] = {"failed": "no answer within 60 s"}
    return found


def test_the_table_says_where_cortex_is_behind() -> None:
    """A better number of another system is named below the tables; none is where there is none."""
    text = table.made(results(0.75))
    assert "- recall@10: Cortex with `relevance` and `conversation` 0.500; ahead: Mem0 0.750." in text
    assert "| Mem0 | .750 | .500 | 3 |" in text
    assert "- Chroma, writers: did not end: `no answer within 60 s`" in text
    assert "In no measure of this run." in table.made(results(0.25))


def test_what_a_peer_said_names_no_folder() -> None:
    """An error is quoted in one line, without the paths and processes of one run; a store that is not full is told."""
    found = results(0.25)
    found["mem0"]["writers"] = {
        "kept": 1,
        "refused": 2,
        "first_error": "Locked: /tmp/x/y is held by PID 12 (/a/b.py)\nwait",
    }
    found["mem0"]["speed"] = {"memories": 900, "per_second": 3.0, "disk_mb": 1.0, "searches": {}}
    text = table.made(found)
    assert "`Locked: … is held by PID … (… wait`" in text
    assert "- Mem0, speed: 900 memories when the time was up" in text


def test_the_page_holds_the_tables() -> None:
    """The page has the part that a run renews, with a row for each system; only that part changes."""
    page = (ROOT / "docs/comparison.md").read_text("utf-8")
    assert all(f"| {peer.title} |" in page for peer in PEERS)
    renewed = table.renewed(page, results(0.25))
    assert renewed.partition(table.BEGIN)[0] == page.partition(table.BEGIN)[0]
    assert renewed.partition(table.END)[2] == page.partition(table.END)[2]
    with pytest.raises(ValueError, match="lacks a mark"):
        table.renewed("# A page\n", {})


def test_without_data_it_says_what_to_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without the data set nothing is made or measured, and the message names the variable."""
    file = tmp_path / "results.json"
    assert run.main(["--data", "", "--results", str(file)]) == 2
    assert run.main(["--data", str(tmp_path), "--results", str(file)]) == 2
    assert "CORTEX_EVAL_DATA is not set" in capsys.readouterr().err
    assert not file.exists()


def test_synthetic_vectors_are_given_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each form of a text has the vector of the text, and a folder that holds them is left as it is."""
    monkeypatch.setattr(material, "SIZE", 20)
    monkeypatch.setattr(material, "SPARE", 5)
    data = material.synthetic(tmp_path, ["{}", "<{}>", "{}"])
    assert (len(data.items), len(data.spare), len(data.questions)) == (20, 5, material.QUESTIONS)
    lines = (tmp_path / "digests.txt").read_text("ascii").split()
    assert len(lines) == 2 * 25 + material.QUESTIONS
    (tmp_path / "digests.txt").write_text("kept", "ascii")
    material.synthetic(tmp_path, ["{}"])
    assert (tmp_path / "digests.txt").read_text("ascii") == "kept"


def test_replacing_a_peer_changes_its_command() -> None:
    """A driver runs with a home of its own and with the reports of others switched off."""
    command = environments.command(replace(PEERS[1], name="other"), Path("python-of-other"))
    assert command[-2:] == ["python-of-other", str(HERE / "drivers/drive_other.py")]
    assert {"HOME={home}", "MEM0_TELEMETRY=False", "ANONYMIZED_TELEMETRY=False"} <= set(command)
    assert json.dumps(command)
