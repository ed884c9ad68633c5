"""What several commands take: the fields of a memory, the filters, and how their values are read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from cortex.cli.arguments import as_given
from cortex.model.scope import Scope

F = TypeVar("F", bound=Callable[..., Any])

# Written out, so that help needs no import of the model; a test compares them with it.
KINDS = "fact, preference, decision, error, pattern, context, instruction, event, relationship, project, summary"
TIERS = "identity, session, working, long_term, buffer"
STATUSES = "active, superseded, archived, quarantined"
ROLES = "user, assistant, system, tool"
CLEARANCES = "public, internal, confidential, restricted"
ORDERS = "newest, oldest, event, happened"
TIMES = "ISO 8601, such as 2026-05-31 or 2026-05-31T14:30+02:00"
SCOPES = "user:NAME, project:NAME, team:NAME or global"

MEMORY_TYPES: Mapping[str, Mapping[str, Any]] = {
    "identity": {"tier": "identity"},
    "semantic": {"kind": "fact"},
    "episodic": {"kind": "event"},
    "working": {"tier": "working"},
    "session": {"tier": "session"},
    "project": {"kind": "project"},
}

# What may be empty, and so may be emptied; the rest has a default that it falls back to.
CLEARABLE = (
    "speaker", "role", "session", "position", "event-time", "tags", "metadata", "source",
    "valid-from", "valid-to", "expires-at",
)  # fmt: skip


class File(click.Path):
    """A path as this system's calls want it: the command line is read as UTF-8, whatever the locale."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path, checked."""
        native = as_given(value) if isinstance(value, str) else value
        return super().convert(native, param, ctx)


class JsonObject(click.ParamType[Any]):
    """A JSON object; what it may hold is the verb's business."""

    name = "json"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The object that the text stands for."""
        if not isinstance(value, str):
            return value
        found = from_json(value)
        if isinstance(found, ValueError):
            self.fail(f'{found}; expected a JSON object such as {{"key": "value"}}', param, ctx)
        if not isinstance(found, dict):
            self.fail(f'{type(found).__name__} is no JSON object; expected such as {{"key": "value"}}', param, ctx)
        return found


def from_json(text: str) -> Any:
    """The value of a JSON text, or the `ValueError` that says why it is none, with the place if that is known."""
    try:
        return json.loads(text)
    except RecursionError:
        return ValueError("not JSON that can be read: nested too deeply")
    except json.JSONDecodeError as error:
        return json.JSONDecodeError(f"not JSON: {error.msg}", error.doc, error.pos)
    except ValueError as error:  # a number of thousands of digits
        return ValueError(f"not JSON that can be read: {error}")


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were really given, by the names that the verbs know."""
    return {name: list(v) if isinstance(v, tuple) else v for name, v in options.items() if v is not None and v != ()}


def own_scope(name: str) -> str:
    """The scope of a user, by name."""
    return Scope.user(name).key


def _all(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def text_of(value: str) -> str:
    """The text itself, or what stands on standard input for ``-``."""
    if value != "-":
        return value
    with click.open_file("-", "rb") as stream:
        raw: bytes = stream.read()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise click.UsageError(f"standard input is not UTF-8 ({error.reason} at byte {error.start})") from error
    return text.removesuffix("\n").removesuffix("\r")


def _fields(default: Callable[[str], str]) -> Callable[[F], F]:
    """The fields of a memory as options; ``default`` words what holds where one is not given."""
    return _all(
        click.option("--kind", metavar="KIND", help=f"One of {KINDS}.{default('fact')}"),
        click.option("--tag", "tags", metavar="TAG", multiple=True, help="A tag; may be given up to 12 times."),
        click.option("--scope", metavar="SCOPE", help=f"Where it lives: {SCOPES}.{default('your own')}"),
        click.option("--speaker", metavar="NAME", help="Who said it."),
        click.option("--role", metavar="ROLE", help=f"One of {ROLES}."),
        click.option("--session", metavar="ID", help="The conversation it belongs to."),
        click.option("--position", type=int, metavar="N", help="Its place in the session, from 0."),
        click.option("--event-time", metavar="TIME", help=f"When it happened: {TIMES}."),
        click.option("--metadata", type=JsonObject(), metavar="JSON", help="Anything else, as a JSON object."),
        click.option("--importance", type=int, metavar="N", help=f"1 to 10.{default('5')}"),
        click.option("--confidence", type=float, metavar="X", help=f"0 to 1.{default('1')}"),
        click.option("--tier", metavar="TIER", help=f"One of {TIERS}.{default('long_term')}"),
        click.option("--source", type=JsonObject(), metavar="JSON", help="Where it comes from, as a JSON object."),
        click.option("--clearance", "clearance_min", metavar="LEVEL",
                     help=f"Who may read it, at least: {CLEARANCES}.{default('internal')}"),
        click.option("--valid-from", metavar="TIME", help="From when on it holds."),
        click.option("--valid-to", metavar="TIME", help="Until when it holds, exclusive."),
        click.option("--expires-at", metavar="TIME", help="When it is no longer to be found."),
    )  # fmt: skip


memory_fields = _fields(lambda value: f" [default: {value}]")
changed_fields = _fields(lambda _: "")  # what is not given stays

limit = click.option("--limit", type=int, metavar="N", help="How many, 1 to 1000. [default: CORTEX_TOP_K, 5]")
page_limit = click.option("--limit", type=int, metavar="N", help="How many, 1 to 1000. [default: 20]")
scopes = click.option("--scope", metavar="SCOPE", multiple=True,
                      help=f"Where to look: {SCOPES}; may be repeated. [default: your own]")  # fmt: skip
chosen_scopes = click.option("--scope", metavar="SCOPE", multiple=True,
                             help=f"Only this scope: {SCOPES}; may be repeated. [default: every scope]")  # fmt: skip
kinds = click.option("--kind", "kinds", metavar="KIND", multiple=True, help=f"Only this kind; repeatable: {KINDS}.")
tags = click.option(
    "--tag", "tags", metavar="TAG", multiple=True, help="Only what has this tag; repeated: all of them."
)
once = click.option(
    "--key", "--idempotency-key", "idempotency_key", metavar="KEY", help="The same key again gives the same receipt."
)
cursor = click.option("--cursor", metavar="TEXT", help="Where to go on, as the page before said.")
as_of = click.option("--as-of", metavar="TIME", help="Look back: what was kept and held then; a date means its end.")

narrow = _all(
    kinds,
    tags,
    click.option("--metadata", type=JsonObject(), metavar="JSON",
                 help='Only what has these values; also {"key": {"$gte": 2}} with $in, $contains, $gt, $lt, …'),
    click.option("--session", metavar="ID", help="Only of this conversation."),
    click.option("--speaker", metavar="NAME", help="Only what this one said."),
    click.option("--author", metavar="NAME", help="Only what this user kept."),
    click.option("--tier", "tiers", metavar="TIER", multiple=True, help=f"Only this tier; repeatable: {TIERS}."),
    click.option("--status", "statuses", metavar="STATUS", multiple=True,
                 help=f"In this state; repeatable: {STATUSES}. [default: active]"),
    click.option("--min-importance", type=int, metavar="N", help="Only of at least this importance, 1 to 10."),
    click.option("--since", "event_since", metavar="TIME", help=f"Happened then or later: {TIMES}."),
    click.option("--until", "event_until", metavar="TIME", help="Happened then or earlier; a date means all of it."),
    click.option("--created-since", metavar="TIME", help="Kept then or later."),
    click.option("--created-until", metavar="TIME", help="Kept then or earlier."),
)  # fmt: skip
filters = _all(scopes, as_of, narrow)
