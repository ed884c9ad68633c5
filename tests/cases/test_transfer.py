"""Files that come in and go out, and very many memories at once."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cortex import Cortex
from cortex.engine.facade import Engine
from cortex.errors import CortexError, InvalidInput
from cortex.surfaces.mcp.stdio import LONGEST_LINE
from cortex.testing import FakeEmbedder
from tests.cases.conftest import Cli
from tests.e2e.wire import Wire
from tests.engine.support import fill, kept

# --- MEM-047: paths -----------------------------------------------------------------------------------

SECRET = "hunter2-do-not-tell"
HEADER = '{"format":"cortex-export","version":1}'
PATHS = [
    "../../escaped", "/tmp/escaped-absolute", "C:\\escaped", "\\\\host\\share\\escaped", "..\\escaped",
    "a/../../escaped",
    "file:///tmp/escaped", "~/escaped", "con", "x" * 300,
]  # fmt: skip


def tree(folder: Path) -> dict[str, bytes | None]:
    """Every file and folder below, with its content."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() and not path.is_symlink() else None
        for path in folder.rglob("*")
    }


@pytest.fixture
def inner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with room around it, in which an escape would be seen."""
    folder = tmp_path / "outer" / "more" / "inner"
    folder.mkdir(parents=True)
    monkeypatch.setenv("CORTEX_STORE", str(folder / "memory.db"))
    return folder


def test_mem_047_no_name_in_a_file_is_a_path(cli: Cli, inner: Path, tmp_path: Path) -> None:
    """Ids, scopes, tags and sources that look like paths are refused or kept as names; no file comes of them."""
    cli("memorize", "tea")
    cli("export", inner / "good.jsonl")
    header, line = (inner / "good.jsonl").read_text("utf-8").splitlines()
    records: list[str] = []
    for path in PATHS:
        for field, value in (("id", path), ("scope", f"project:{path}"), ("source", {"path": path}), ("session", path)):
            id_ = {"id": f"{len(records):032x}"} if field != "id" else {}
            records.append(json.dumps({**json.loads(line), "content": f"t{len(records)}", **id_, field: value}))
    (inner / "crafted.jsonl").write_text("\n".join([header, *records]) + "\n")
    before = tree(tmp_path).keys()
    done = cli("import", inner / "crafted.jsonl", "--json")
    assert done.code == 2
    assert len(done.json["refused"]) >= len(PATHS)
    assert {name for name in tree(tmp_path).keys() - before if "memory.db" not in name} == set()
    assert not [path for path in map(Path, PATHS) if path.is_absolute() and path.exists()]


def test_mem_047_what_is_no_export_is_not_read_aloud(cli: Cli, inner: Path) -> None:
    """Another file, a folder, a device, a pipe, a compressed file: refused, and no error repeats what stands in it."""
    (inner / "passwords").write_text(f"root:{SECRET}:0\n{SECRET}\n")
    (inner / "binary").write_bytes(b"\x1f\x8b\x08" + SECRET.encode() + b"\xff\xfe")
    (inner / "later").write_text(f"{HEADER}\n{SECRET}\n" + json.dumps({"content": SECRET, "id": SECRET}) + "\n")
    (inner / "link").symlink_to(inner / "passwords")
    (inner / "dangling").symlink_to(inner / "nowhere")
    os.mkfifo(inner / "pipe")
    before = tree(inner).keys()
    for name in ("passwords", "binary", "later", "link", "dangling", "pipe", ".", "nowhere", "/dev/zero", "/dev/null"):
        for command in (
            ["import", inner / name],
            ["restore", inner / name, "--yes"],
            ["memorize", "--file", inner / name],
        ):
            if command[0] == "memorize" and name in ("pipe", "/dev/zero", "/dev/null"):
                continue  # a shell's <(…) is a pipe too: what a person names there is read
            refused = cli(*command)
            assert refused.code not in (0, 1), (command, refused)
            assert SECRET not in refused.out + refused.err, command
            assert "Traceback" not in refused.err
    assert {name for name in tree(inner).keys() - before if "memory.db" not in name} == set()
    assert cli("count").out == "0\n"


def test_mem_047_a_byte_order_mark_is_not_content(cli: Cli, inner: Path) -> None:
    """A file that an editor marked as UTF-8 is read like any other."""
    cli("memorize", "tea")
    cli("export", inner / "good.jsonl")
    (inner / "marked.jsonl").write_bytes(b"\xef\xbb\xbf" + (inner / "good.jsonl").read_bytes())
    assert cli("import", inner / "marked.jsonl", "--json").json["unchanged"] == 1
    (inner / "lines.jsonl").write_bytes(b'\xef\xbb\xbf"coffee"\n')
    assert cli("memorize", "--file", inner / "lines.jsonl").code == 0
    assert sorted(m["content"] for m in cli("list", "--json").json["memories"]) == ["coffee", "tea"]


def test_mem_047_nothing_that_exists_is_overwritten(cli: Cli, inner: Path, tmp_path: Path) -> None:
    """An export or backup goes to a new file only: not over a file, through a link, or into a folder that it makes."""
    cli("memorize", "tea")
    (tmp_path / "outer" / "precious").write_text("precious")
    (inner / "link").symlink_to(tmp_path / "outer" / "precious")
    (inner / "dangling").symlink_to(tmp_path / "outer" / "made-by-link")
    before = tree(tmp_path)
    for name in ("../../precious", "link", "dangling", "no/such/folder/x", "memory.db", ".", "x" * 300):
        for command in ("export", "backup"):
            assert cli(command, f"{inner}/{name}").code not in (0, 1), (command, name)
    after = tree(tmp_path)
    assert {name: after[name] for name in before if "memory.db" not in name} == {
        name: content for name, content in before.items() if "memory.db" not in name
    }
    assert {name for name in after.keys() - before.keys() if "memory.db" not in name} == set()


def test_mem_047_half_a_restore_is_none(cli: Cli, inner: Path) -> None:
    """A backup that is cut short or spoilt is refused, and the store is what it was."""
    with Cortex(inner / "memory.db", embedder=FakeEmbedder()) as cortex:
        cortex.memorize_many(f"note {i} {'x' * 200}" for i in range(200))
    cli("backup", inner / "whole.db")
    cli("memorize", "written after the backup")
    whole = (inner / "whole.db").read_bytes()
    (inner / "short.db").write_bytes(whole[: len(whole) * 2 // 3])
    (inner / "spoilt.db").write_bytes(whole[:8192] + b"\x5a" * 4096 + whole[12288:])
    for name in ("short.db", "spoilt.db"):
        assert cli("restore", inner / name, "--yes").code == 7, name
        assert cli("count").out == "201\n"
        with Cortex(inner / "memory.db", embedder=FakeEmbedder()) as cortex:
            assert cortex.health().ok


@pytest.mark.parametrize("name", ["a\0b", "x" * 300, "\ud800", "a/" * 3_000], ids=["nul", "long", "half", "deep"])
def test_mem_047_what_can_name_no_file_is_refused(ada: Engine, tmp_path: Path, name: str) -> None:
    """Every verb that takes a path says so, as the caller's mistake."""
    before = tree(tmp_path)
    for call in (ada.admin.export_memories, ada.admin.import_memories, ada.admin.backup, ada.admin.restore):
        with pytest.raises(InvalidInput, match="path"):
            call(f"{tmp_path}/{name}")
    assert tree(tmp_path).keys() == before.keys()


# --- MEM-054: very many -------------------------------------------------------------------------------

MANY = 33_333


@pytest.mark.slow
def test_mem_054_a_very_long_list_is_kept_whole(tmp_path: Path) -> None:
    """More items than a statement has parameters, one bad in the middle, are kept and erased; others work meanwhile."""
    path = tmp_path / "memory.db"
    items: Iterator[Any] = ({"content": " "} if i == MANY // 2 else f"entry {i}" for i in range(MANY))
    with (
        Cortex(path, embedder=FakeEmbedder(dim=8)) as cortex,
        Cortex(path, user="bob", embedder=FakeEmbedder(dim=8)) as other,
    ):
        done = threading.Event()
        served: list[int] = []

        def serve() -> None:
            while not done.wait(0.05):
                other.memorize(f"meanwhile {len(served)}")
                served.append(other.count())

        beside = threading.Thread(target=serve)
        beside.start()
        receipts = cortex.memorize_many(items)
        done.set()
        beside.join()
        assert len(receipts) == MANY
        assert [i for i, receipt in enumerate(receipts) if receipt.error] == [MANY // 2]
        assert cortex.count() == MANY - 1
        assert served == list(range(1, len(served) + 1))
        assert len(served) > 10
        assert cortex.forget_all("user:local", confirm="user:local", kinds="fact").counts["memories"] == MANY - 1
        assert other.count() == len(served)


@pytest.mark.parametrize("size", [0, 1, 500, 501])
def test_mem_054_every_size_of_list(ada: Engine, size: int) -> None:
    """A receipt an item, in order, around the edges of a commit."""
    receipts = ada.memorize_many(f"entry {i}" for i in range(size))
    assert len({receipt.id for receipt in receipts}) == ada.count() == size
    if size:
        memory = ada.get(kept(receipts[-1].id))
        assert memory is not None
        assert memory.content == f"entry {size - 1}"


def test_mem_054_a_list_that_breaks_off_goes_on(ada: Engine) -> None:
    """What was committed stays; the same list again adds only the rest."""

    def items() -> Iterator[str]:
        for i in range(700):
            if i == 612:
                raise KeyboardInterrupt
            yield f"entry {i}"

    with pytest.raises(KeyboardInterrupt):
        ada.memorize_many(items())
    assert ada.count() == 500
    receipts = ada.memorize_many(f"entry {i}" for i in range(700))
    assert sum(receipt.deduplicated for receipt in receipts) == 500
    assert ada.count() == 700


@pytest.mark.parametrize("bench", ["file, no vectors", "ephemeral"], indirect=True)
def test_mem_054_very_many_scopes(ada: Engine) -> None:
    """A question over more scopes than a statement has parameters."""
    ada.memorize("entry", scope="project:p7")
    scopes = [f"project:p{i}" for i in range(40_000)]
    assert ada.count(scope=scopes) == 1
    assert ada.list_memories(scope=scopes).total == 1


@pytest.mark.slow
def test_mem_054_a_message_too_large_is_refused_by_its_limit(wire: Wire) -> None:
    """However long the line is, it is answered with the limit and forgotten, and the next call works."""
    huge = "x" * (LONGEST_LINE + 3_000_000)
    answer = wire.answer(wire.begin_raw(f'{{"name": "memorize", "arguments": {{"content": "{huge}"}}}}'))
    assert f"longer than {LONGEST_LINE:,} characters" in answer["error"]["message"]
    assert "1,000,000" in wire.refusal("memorize", content="x" * 5_000_000)
    assert wire.call("memorize", content="small", scope="project:size")["deduplicated"] is False
    assert wire.only_protocol


# --- MEM-055: there and back --------------------------------------------------------------------------


def body(path: Path) -> list[str]:
    """The lines of an export but the header, sorted."""
    return sorted(path.read_text("utf-8").removesuffix("\n").split("\n")[1:])


def test_mem_055_an_export_comes_back_equal(cli: Cli, tmp_path: Path) -> None:
    """Into an empty store, again into the same, and out once more: byte for byte the same lines."""
    with Cortex(tmp_path / "one.db", user="ada") as cortex:
        fill(cortex)
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    cli("export", first, "--db", tmp_path / "one.db")
    header = json.loads(first.read_text("utf-8").splitlines()[0])
    assert header["without"] == [
        "idempotency keys", "jobs", "vectors of models that are not searched by",
    ]  # fmt: skip
    done = cli("import", first, "--db", tmp_path / "two.db", "--json").json
    assert (done["added"], done["refused"]) == (len(body(first)), [])
    again = cli("import", first, "--db", tmp_path / "two.db", "--json").json
    assert (again["added"], again["unchanged"]) == (0, len(body(first)))
    cli("export", second, "--db", tmp_path / "two.db")
    assert body(second) == body(first)
    assert "forget me" not in second.read_text("utf-8")


@pytest.mark.parametrize("rule", ["skip", "overwrite", "new_id"])
def test_mem_055_a_clash_follows_its_rule(cli: Cli, tmp_path: Path, rule: str) -> None:
    """An id that stands for something else: left, replaced or given a new id, each counted."""
    for name in ("one", "two"):
        with Cortex(tmp_path / f"{name}.db", user="ada", embedder=FakeEmbedder()) as cortex:
            cortex.memorize("shared", scope="global")
    with Cortex(tmp_path / "one.db", user="ada", embedder=FakeEmbedder()) as cortex:
        one = kept(cortex.memorize("as it is here", tags=["ours"]).id)
        cortex.admin.export_memories(tmp_path / "ours.jsonl")
    with Cortex(tmp_path / "two.db", user="ada", embedder=FakeEmbedder()) as cortex:
        cortex.admin.import_memories(tmp_path / "ours.jsonl")
        cortex.update(one, content="as it is there")
    done = cli("import", tmp_path / "ours.jsonl", "--on-conflict", rule, "--db", tmp_path / "two.db", "--json").json
    with Cortex(tmp_path / "two.db", user="ada", embedder=FakeEmbedder()) as cortex:
        memory = cortex.get(one)
        assert memory is not None
        told = sorted(m.content for m in cortex.list_memories().memories)
    assert memory.content == ("as it is here" if rule == "overwrite" else "as it is there")
    assert told == (["as it is here", "as it is there"] if rule == "new_id" else [memory.content])
    counts = {"skip": "skipped", "overwrite": "overwritten", "new_id": "renamed"}
    assert done[counts[rule]] == 1
    assert done["duplicates"] == 1


@pytest.mark.parametrize(
    "wrong", ["", "{}", "[]", "null", '{"format":"cortex-export"}', '{"format":"other","version":1}']
)
def test_mem_055_another_header_is_refused(cli: Cli, tmp_path: Path, wrong: str) -> None:
    """A file of another kind or version changes nothing."""
    (tmp_path / "wrong.jsonl").write_text(f"{wrong}\n")
    assert cli("import", tmp_path / "wrong.jsonl").code == 2
    with Cortex(":memory:", embedder=FakeEmbedder()) as cortex, pytest.raises((InvalidInput, CortexError)):
        cortex.admin.import_memories(tmp_path / "wrong.jsonl")
