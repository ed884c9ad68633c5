"""The one table of verbs: each has one name, and the same one at every door.

``mcp`` and ``cli`` are the names there; a door that lacks a verb says why in ``absent``. ``aliases`` are
other names a door takes for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb and what it is called at each door; None where the door lacks it. In Python it may sit in a group."""

    name: str
    mcp: str | None
    cli: str | None
    absent: str = ""
    group: str = ""
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


_OPERATOR = "for whoever runs the server, not for an agent"

VERBS = (
    Verb("memorize", "memorize", "memorize", aliases={"cli": ("store",)}),
    Verb("memorize_many", None, "memorize", "one memory a call keeps errors clear; the CLI's takes --file"),
    Verb("recall", "recall", "recall", aliases={"cli": ("search",)}),
    Verb("get", "get_memory", "get"),
    Verb("history", None, "history", "an agent works with what holds now"),
    Verb("list_memories", "list_memories", "list"),
    Verb("timeline", "recall_timeline", "timeline"),
    Verb("count", None, "count", "list_memories tells the total"),
    Verb("update", "update_memory", "update"),
    Verb("archive", None, "archive", "an agent corrects or forgets; putting away is a person's choice"),
    Verb("forget", "forget", "forget"),
    Verb("forget_all", None, "forget-all", "too much for one call of an agent"),
    Verb("health", None, "health", _OPERATOR),
    Verb("stats", None, "stats", _OPERATOR),
    Verb("run_jobs", None, "worker", "the server runs them by itself", "admin"),
    Verb("requeue", None, "doctor", _OPERATOR, "admin"),
    Verb("mend", None, "doctor", _OPERATOR, "admin"),
    Verb("export_memories", None, "export", _OPERATOR, "admin"),
    Verb("export_lines", None, "copy", _OPERATOR, "admin"),
    Verb("import_memories", None, "import", _OPERATOR, "admin"),
    Verb("import_lines", None, "copy", _OPERATOR, "admin"),
    Verb("recall_about", "recall_about", "about", group="graph"),
    Verb("neighbors", None, "about", "recall_about shows them", "graph"),
    Verb("path", None, "about", "recall_about goes a step at a time", "graph"),
    Verb("list_conflicts", None, "conflicts", "deciding between two memories is a person's choice", "conflicts"),
    Verb("resolve_conflict", None, "resolve", "deciding between two memories is a person's choice", "conflicts"),
    Verb("reprocess", None, "reprocess", _OPERATOR, "admin"),
    Verb("scan", None, "scan", _OPERATOR, "admin"),
    Verb("reindex", None, "reindex", _OPERATOR, "admin"),
    Verb("roll_back", None, "reindex", _OPERATOR, "admin"),
    Verb("backup", None, "backup", _OPERATOR, "admin"),
    Verb("restore", None, "restore", _OPERATOR, "admin"),
)
