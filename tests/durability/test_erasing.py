"""One scope of three is erased: no byte of it is left anywhere, and the others are whole."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.durability.support import Start, assert_sound, opened
from tests.durability.work import ALWAYS

pytestmark = pytest.mark.slow

SCOPES = ("project:gone", "project:stays", "user:ada")


def word(scope: str, number: int) -> str:
    """A word that occurs in one memory of one scope only."""
    letters = "".join(chr(ord("a") + int(digit)) for digit in f"{number:04d}")
    return f"{scope.split(':')[1]}qz{letters}"


def traces(folder: Path, scope: str) -> set[str]:
    """The files that have any word of a scope; read from copies, since to close a file would drop SQLite's locks."""
    copies = folder.with_name("copies")
    shutil.rmtree(copies, ignore_errors=True)
    shutil.copytree(folder, copies)
    pattern = re.compile(rf"{scope.split(':')[1]}qz[a-j]{{4}}".encode(), re.IGNORECASE)
    return {file.name for file in copies.iterdir() if pattern.search(file.read_bytes())}


def test_one_of_three_scopes_goes(tmp_path: Path, journal: str, start: Start) -> None:
    """Texts, tags, fields, versions, words, keys and vectors of a scope go; backups that have them are named."""
    path = tmp_path / "store" / "memory.db"
    with opened(path, "local") as cortex:
        cortex.memorize(ALWAYS)
        reader = start("work", "recall", journal, path, 64)
        assert reader.line() == "asking"
        for number in range(80):
            for scope in SCOPES:
                secret = word(scope, number)
                receipt = cortex.memorize(
                    f"{secret} " * (1 + number % 50),
                    scope=scope,
                    tags=[secret],
                    metadata={secret: secret},
                    speaker=secret,
                    source={"of": secret},
                    idempotency_key=f"{scope} {number}",
                )
                if number % 3 == 0:
                    cortex.update(str(receipt.id), content=f"{secret} said otherwise " * (number % 20 + 1))
                if number % 10 == 0:
                    cortex.archive(str(receipt.id))
        backup = path.with_name("backup.db")
        cortex.admin.backup(backup)
        warm = opened(path, "local")
        assert warm.recall(word("project:gone", 7), scope="project:gone", limit=1).hits
        before = list(cortex.admin.export_lines(scope=["project:stays", "user:ada"]))

        receipt = cortex.forget_all("project:gone", confirm="project:gone")
        assert (receipt.counts["memories"], str(backup) in receipt.remaining) == (80, True)
        cortex.admin.run_jobs()  # a reader may have been in the middle of a question
        reader.end()
        cortex.admin.run_jobs()
        assert "traces" not in " ".join(cortex.health().warnings)

        assert warm.recall(word("project:gone", 7), scope="project:gone").hits == ()
        warm.close()
        cortex.admin.export_memories(path.with_name("export.jsonl"))
        cortex.admin.backup(path.with_name("later.db"))
        assert traces(path.parent, "project:gone") == {"backup.db"}
        assert traces(path.parent, "project:stays") >= {"memory.db", "backup.db", "later.db", "export.jsonl"}
        assert list(cortex.admin.export_lines(scope=["project:stays", "user:ada"])) == before
    assert_sound(path)
    assert traces(path.parent, "project:gone") == {"backup.db"}
