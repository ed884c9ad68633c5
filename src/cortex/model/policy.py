"""Who asks, what they want to do, and the grant that lets them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from cortex.model.memory import Clearance
from cortex.model.quick import quickly_made
from cortex.model.scope import LOCAL_ORG, Scope


class Action(StrEnum):
    """What a caller may be allowed to do in a scope."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Caller:
    """The person a call acts for, and the agent that makes it."""

    user: str
    org_id: str = LOCAL_ORG
    agent: str | None = None
    clearance: Clearance = Clearance.RESTRICTED


@quickly_made
@dataclass(frozen=True, slots=True)
class Grant:
    """Permission for one action in these scopes, up to a clearance; only the guard makes one."""

    caller: Caller
    action: Action
    scopes: tuple[Scope, ...]
    clearance: Clearance
