"""One verb, one name, every door: the table is what the doors really have."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from cortex import AsyncCortex, Cortex
from cortex.app.aio import AsyncAdmin, AsyncConflicts, AsyncGraph
from cortex.cli.group import COMMANDS
from cortex.engine.admin import Admin
from cortex.engine.groups import Conflicts, Graph
from cortex.model.verbs import VERBS, Verb
from cortex.surfaces.mcp.server import SPECS

LIFE = {"close"}  # of the object, not of the memories
NO_VERB = {"init-db", "mcp", "demo"}  # commands that look after the installation
BY_NAME = {verb.name: verb for verb in VERBS}
GROUPS: dict[str, tuple[type, type]] = {
    "": (Cortex, AsyncCortex),
    "admin": (Admin, AsyncAdmin),
    "graph": (Graph, AsyncGraph),
    "conflicts": (Conflicts, AsyncConflicts),
}


def public_methods(of: type) -> dict[str, Any]:
    """The public methods of a class, its parents' included."""
    return {
        name: method for name, method in inspect.getmembers(of, inspect.isfunction) if not name.startswith("_")
    }  # fmt: skip


def unbound(signature: inspect.Signature) -> list[inspect.Parameter]:
    """The parameters after self."""
    return list(signature.parameters.values())[1:]


def test_each_verb_has_one_line() -> None:
    """No verb is listed twice, and no name at a door means two verbs but for the ones that share a command."""
    assert len(BY_NAME) == len(VERBS)
    tools = [verb.mcp for verb in VERBS if verb.mcp]
    assert len(tools) == len(set(tools))


def test_the_facade_has_exactly_the_verbs() -> None:
    """What Python can do is what the table says."""
    assert {verb.group for verb in VERBS} == GROUPS.keys()
    for group, (home, _) in GROUPS.items():
        named = {verb.name for verb in VERBS if verb.group == group}
        assert public_methods(home).keys() == (named if group else named | LIFE)


def test_the_async_facade_has_the_same_methods() -> None:
    """No verb is forgotten in either of the two, and each is awaited."""
    for blocking, awaited in GROUPS.values():
        methods = public_methods(awaited)
        assert methods.keys() == public_methods(blocking).keys()
        assert [name for name, method in methods.items() if not inspect.iscoroutinefunction(method)] == []


@pytest.mark.parametrize("name", sorted(BY_NAME.keys() | LIFE))
def test_the_async_signature_is_the_blocking_one(name: str) -> None:
    """The same arguments, defaults, annotations and promise: only the await differs."""
    homes = GROUPS[BY_NAME[name].group if name in BY_NAME else ""]
    blocking, awaited = (getattr(home, name) for home in homes)
    ours, theirs = inspect.signature(awaited), inspect.signature(blocking)
    assert unbound(ours) == unbound(theirs)
    assert ours.return_annotation == theirs.return_annotation
    assert inspect.getdoc(awaited) == inspect.getdoc(blocking)


def test_both_are_made_the_same_way() -> None:
    """Store, user and embedder are given alike."""
    assert unbound(inspect.signature(AsyncCortex.__init__)) == unbound(inspect.signature(Cortex.__init__))


def test_the_tools_are_the_table_s() -> None:
    """MCP has every tool that the table names, and no other."""
    assert {verb.mcp for verb in VERBS if verb.mcp} == SPECS.keys()


def test_the_commands_are_the_table_s() -> None:
    """The command line has every command and alias that the table names, and besides only its own affairs."""
    named = {verb.cli for verb in VERBS if verb.cli}
    aliases = {alias for verb in VERBS for alias in verb.aliases.get("cli", ())}
    assert named | aliases == COMMANDS.keys() - NO_VERB
    assert COMMANDS.keys() >= NO_VERB


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_a_verb_that_a_door_lacks_says_why(verb: Verb) -> None:
    """A gap is a decision with a reason; where there is none, no reason stands."""
    lacks = verb.mcp is None or verb.cli is None
    assert bool(verb.absent) == lacks
    assert set(verb.aliases) <= {"mcp", "cli"}
