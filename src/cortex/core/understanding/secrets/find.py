"""All rules together: every secret once, and the text without them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cortex.core.text.normal import INVISIBLE
from cortex.core.understanding.secrets.assigned import assigned, kind_of
from cortex.core.understanding.secrets.blocks import passwords_in_addresses, private_keys
from cortex.core.understanding.secrets.commands import commands
from cortex.core.understanding.secrets.numbers import numbers
from cortex.core.understanding.secrets.tokens import tokens
from cortex.model.redaction import Secret, SecretKind

# From the surest to the least sure: of two rules that see the same place, the first one names it.
_RULES = (private_keys, tokens, passwords_in_addresses, assigned, commands, numbers)
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_MASK_BEGINS = "[redacted: "
_MASK = re.compile(r"\[redacted: [a-z_]{2,24}\]")
_WIDE = re.compile("[\uff01-\uff5e]")


def secrets_in(text: str) -> tuple[Secret, ...]:
    """Where secrets stand in a text, in order; none overlaps another. The whole text is read, in linear time.

    Characters that nobody sees, and letters of full width, hide none. A mask is neither a name nor a value.
    """
    if _MASK_BEGINS in text:
        text = _MASK.sub(lambda found: "\n" * len(found.group()), text)  # no rule reads over so many line ends
    if text.isascii() or not (INVISIBLE.search(text) or _WIDE.search(text)):
        return _found(text)
    seen = [(i, c) for i, c in enumerate(text) if INVISIBLE.match(c) is None]
    places = [i for i, _ in seen]
    plain = "".join([c for _, c in seen]).translate(_FULL_WIDTH)
    return tuple(Secret(places[each.start], places[each.end - 1] + 1, each.kind) for each in _found(plain))


def _found(text: str) -> tuple[Secret, ...]:
    found = [(secret, rank) for rank, rule in enumerate(_RULES) for secret in rule(text)]
    if not found:
        return ()
    merged: list[tuple[Secret, int]] = []
    for secret, rank in sorted(found):
        last, before = merged[-1] if merged else (None, 0)
        if last is None or secret.start >= last.end:
            merged.append((secret, rank))
            continue
        kind = secret.kind if rank < before else last.kind
        merged[-1] = Secret(last.start, max(last.end, secret.end), kind), min(rank, before)
    return tuple(secret for secret, _ in merged)


def secret_named(name: str, value: str) -> SecretKind | None:
    """What a whole value is that stands under a name, such as a key of metadata; None where that tells nothing."""
    return kind_of(name, value)


def concealed(message: str) -> str:
    """The message with its secrets masked."""
    return mask(message, secrets_in(message))


def mask(text: str, secrets: Sequence[Secret]) -> str:
    """The text with ``[redacted: <kind>]`` in the place of each of these."""
    parts, end = [], 0
    for secret in secrets:
        parts += [text[end : secret.start], f"[redacted: {secret.kind.value}]"]
        end = secret.end
    return "".join([*parts, text[end:]])
