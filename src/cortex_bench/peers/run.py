"""`make peers`: the same conversations and loads through other memory systems, and a table of what came out."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cortex_bench.peers import environments, material, stages, table
from cortex_bench.peers.driver import PeerFailed
from cortex_bench.peers.environments import MODEL, ROOT
from cortex_bench.peers.roster import PEERS, Peer

CACHE = ROOT / ".peers"
PAGE = ROOT / "docs/comparison.md"
STAGES = ("quality", "speed", "writers", "kills")


@dataclass(frozen=True, slots=True)
class Given:
    """What all systems are given, and where the vectors of it are."""

    talks: Sequence[material.Talk]
    data: material.Synthetic


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, write `.peers/results.json` after each stage, and renew the table of docs/comparison.md."""
    options = _parser().parse_args(arguments)
    chosen = [peer for peer in PEERS if not options.only or peer.name in options.only]
    results = Path(options.results)
    found: dict[str, Any] = json.loads(results.read_text("utf-8")) if results.exists() else {}
    if not options.table_only:
        data = _data(options.data)
        if data is None:
            _say(
                "make peers reads LoCoMo from $CORTEX_EVAL_DATA/locomo/locomo10.json, and "
                f"{options.data or 'CORTEX_EVAL_DATA is not set'}; set it to the folder of data sets"
            )
            return 2
        results.parent.mkdir(parents=True, exist_ok=True)
        given = _given(data, chosen)
        for peer in chosen:
            _measure(peer, given, options.stages or STAGES, found.setdefault(peer.name, {}))
            results.write_text(json.dumps(found, indent=1), "utf-8")
    PAGE.write_text(table.renewed(PAGE.read_text("utf-8"), found), "utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make peers", description=__doc__)
    parser.add_argument("--data", default="", help="the folder of data sets: $CORTEX_EVAL_DATA")
    parser.add_argument("--only", nargs="*", choices=[peer.name for peer in PEERS], help="these systems")
    parser.add_argument("--stages", nargs="*", choices=STAGES, help="these stages")
    parser.add_argument("--table-only", action="store_true", help="write the table from the results that are there")
    parser.add_argument("--results", default=str(CACHE / "results.json"))
    return parser


def _data(folder: str) -> Path | None:
    path = Path(folder) / "locomo" / "locomo10.json"
    return path if folder and path.is_file() else None


def _given(data: Path, chosen: Sequence[Peer]) -> Given:
    forms = [peer.embeds for peer in PEERS]
    talks = material.talks(data)
    if any(peer.given for peer in chosen):
        _say("the vectors of all turns and questions, once")
        material.embed(CACHE / "vectors/locomo", MODEL, talks, forms)
    return Given(talks, material.synthetic(CACHE / "vectors/synthetic", forms))


def _measure(peer: Peer, given: Given, wanted: Sequence[str], found: dict[str, Any]) -> None:
    """Run the stages of one system; one that fails says why in its place, and the others go on."""
    try:
        python = environments.prepare(peer, CACHE)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        _say(f"{peer.name}: its environment could not be made: {error}")
        found["failed"] = "its environment could not be made"
        return
    found.pop("failed", None)
    found["version"] = environments.version(python, peer.package)
    bench = stages.Bench(
        environments.command(peer, python),
        MODEL,
        CACHE / "vectors/locomo" if peer.given else None,
        CACHE / "vectors/synthetic",
        peer.searches,
    )
    calls: dict[str, Callable[[], stages.Found]] = {
        "quality": lambda: stages.quality(bench, given.talks),
        "speed": lambda: stages.speed(bench, given.data),
        "writers": lambda: stages.writers(bench, given.data),
        "kills": lambda: stages.kills(bench, given.data),
    }
    for stage in wanted:
        began = time.monotonic()
        try:
            found[stage] = calls[stage]()
        except PeerFailed as error:
            found[stage] = {"failed": str(error)}
        _say(f"{peer.name} {stage} {time.monotonic() - began:.0f} s: {json.dumps(found[stage])}")


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
