"""Where a memory lives: the wall around every call."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from cortex.errors import MESSAGES, InvalidInput

LOCAL_ORG = "local"
MAX_NAME = 200
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True, slots=True, order=True)
class Scope:
    """One place in one organisation: ``user:<id>``, ``project:<name>``, ``team:<name>`` or ``global``.

    Names are kept as given (case, dots, hyphens, any script): two different names are never one scope.
    """

    KINDS: ClassVar[tuple[str, ...]] = ("user", "project", "team")

    key: str
    org_id: str = LOCAL_ORG

    def __post_init__(self) -> None:
        check_name("org_id", self.org_id)
        if self.key == "global":
            return
        kind, colon, name = self.key.partition(":")
        if kind not in self.KINDS or not colon:
            shown = MESSAGES.quoted(self.key, MAX_NAME)
            raise InvalidInput(
                "scope",
                f"{shown} is none; expected user:<id>, project:<name>, team:<name> or global",
            )
        check_name("scope", name)

    @classmethod
    def user(cls, name: str, org_id: str = LOCAL_ORG) -> Scope:
        """The scope of one person."""
        check_name("user", name)
        return cls(f"user:{name}", org_id)

    def __str__(self) -> str:
        return self.key


def check_name(field: str, name: str) -> None:
    """Raise `InvalidInput` unless ``name`` is 1 to 200 printable characters without outer white space."""
    if not isinstance(name, str):
        raise InvalidInput(field, f"expected text, got {type(name).__name__}")
    if len(name) > MAX_NAME:
        raise InvalidInput(field, f"{len(name)} characters; at most {MAX_NAME}")
    if not name or name != name.strip():
        raise InvalidInput(field, f"{name!r} is empty or has white space around it")
    if _UNPRINTABLE.search(name):
        raise InvalidInput(field, f"{name!r} has a control character or half of a surrogate pair")
