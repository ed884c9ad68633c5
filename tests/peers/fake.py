"""A peer of a few lines that the tests drive: words in common, a file of lines as its store."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    """Answer requests as a driver does; the query `die` ends the process, `raise` is an error, `sleep` waits."""
    path = Path()
    for line in sys.stdin:
        request = json.loads(line)
        if request["op"] == "open":
            path = Path(request["path"]) / "store.jsonl"
        answer = {"seconds": 0.001, **_answer(request, path)}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
        if request["op"] == "close":
            return


def _answer(request: dict[str, Any], path: Path) -> dict[str, object]:
    kept = [json.loads(row) for row in path.read_text("utf-8").splitlines()] if path.is_file() else []
    match request:
        case {"op": "add", "user": user, "items": items}:
            with path.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps([user, item["id"], item["plain"]]) + "\n" for item in items)
            return {"made": sum("unknown" in item["plain"] for item in items)}
        case {"query": "die"}:
            sys.exit(3)
        case {"query": "sleep"}:
            sys.stdin.read()
        case {"query": "raise"}:
            return {"error": "ValueError: as asked"}
        case {"op": "search"}:
            return {"ids": _nearest(kept, request)}
        case {"op": "count", "user": wanted}:
            return {"count": sum(user == wanted for user, _, _ in kept)}
        case {"op": "missing", "ids": ids}:
            return {"missing": sorted(set(ids) - {key for _, key, _ in kept})}
        case _:
            pass
    return {}


def _nearest(kept: list[list[str]], request: dict[str, Any]) -> list[str]:
    words = set(request["query"].lower().split())
    mine = [(len(words & set(text.lower().split())), key) for user, key, text in kept if user == request["user"]]
    return [key for _, key in sorted(mine, key=lambda pair: -pair[0])[: int(request["k"])]]


main()
