"""Keys that say themselves whose they are: a fixed beginning, then random letters. The shapes are the vendors'."""

from __future__ import annotations

import binascii
import json
import re
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from cortex.core.understanding.secrets.chance import random_looking
from cortex.model.redaction import Secret, SecretKind


@dataclass(frozen=True, slots=True)
class _Shape:
    """``begins`` is what every key of this shape begins with; ``pattern`` matches the whole key, from there on.

    ``sure``: the shape alone tells, and the rest need not look random.
    """

    kind: SecretKind
    begins: str
    pattern: re.Pattern[str]
    sure: bool = False


def _shape(kind: SecretKind, begins: str, rest: str, *, sure: bool = False) -> _Shape:
    return _Shape(kind, begins, re.compile(re.escape(begins) + rest), sure)


# No quantifier is followed by something that may fail, so a key is read once.
_SHAPES: Final = (
    _shape(SecretKind.AWS_KEY, "AKIA", r"[A-Z2-7]{16}(?![A-Za-z0-9])", sure=True),
    _shape(SecretKind.AWS_KEY, "ASIA", r"[A-Z2-7]{16}(?![A-Za-z0-9])", sure=True),
    *(_shape(SecretKind.GITHUB_TOKEN, f"gh{letter}_", r"[A-Za-z0-9]{36,}", sure=True) for letter in "pousr"),
    _shape(SecretKind.GITHUB_TOKEN, "github_pat_", r"\w{30,}", sure=True),
    _shape(SecretKind.GITLAB_TOKEN, "glpat-", r"[\w-]{20,}", sure=True),
    _shape(SecretKind.SLACK_TOKEN, "xox", r"[abeprs]-[\w-]{15,}"),
    _shape(SecretKind.SLACK_TOKEN, "https://hooks.slack.com/services/", r"[\w/]{20,}", sure=True),
    _shape(SecretKind.STRIPE_KEY, "sk_live_", r"\w{16,}", sure=True),
    _shape(SecretKind.STRIPE_KEY, "rk_live_", r"\w{16,}", sure=True),
    _shape(SecretKind.STRIPE_KEY, "whsec_", r"\w{24,}"),
    _shape(SecretKind.ANTHROPIC_KEY, "sk-ant-", r"[\w-]{24,}"),
    _shape(SecretKind.OPENAI_KEY, "sk-", r"[\w-]{24,}"),
    _shape(SecretKind.GOOGLE_KEY, "AIza", r"[\w-]{35}(?![\w-])", sure=True),
    _shape(SecretKind.GOOGLE_KEY, "GOCSPX-", r"[\w-]{28}"),
    _shape(SecretKind.NPM_TOKEN, "npm_", r"[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    _shape(SecretKind.PYPI_TOKEN, "pypi-", r"[\w-]{60,}"),
    _shape(SecretKind.HUGGINGFACE_TOKEN, "hf_", r"[A-Za-z0-9]{34}(?![A-Za-z0-9])", sure=True),
    _shape(SecretKind.TWILIO_KEY, "SK", r"[0-9a-f]{32}(?![A-Za-z0-9])"),
    _shape(SecretKind.SENDGRID_KEY, "SG.", r"[\w-]{16,40}\.[\w-]{30,}"),
    _shape(SecretKind.CORTEX_KEY, "crtx_", r"[A-Za-z0-9]{32,}", sure=True),
)
_UNMISTAKABLE: Final = (SecretKind.GITHUB_TOKEN, SecretKind.GITLAB_TOKEN)  # no other word has such a middle
_ESCAPED: Final = re.compile(r"%[0-9A-Fa-f]{2}")
# At the beginning of a run only: a run that is none is not read again from its middle.
_JWT = re.compile(r"(?<![\w.-])eyJ[\w-]{8,}+\.[\w-]{8,}+\.[\w-]{16,}")


def tokens(text: str) -> Iterator[Secret]:
    """The keys that show by themselves."""
    for shape in _SHAPES:
        if shape.begins not in text:
            continue
        for found in shape.pattern.finditer(text):
            start, end = found.span()
            random = random_looking(text[start + len(shape.begins) : end])
            if (shape.sure or random) and (not _inside(text, start) or (shape.kind in _UNMISTAKABLE and random)):
                yield Secret(start, end, shape.kind)
    if "eyJ" in text:
        yield from (Secret(*found.span(), SecretKind.JWT) for found in _JWT.finditer(text) if _is_jwt(found.group()))


def _inside(text: str, start: int) -> bool:
    """Whether a word goes on there; what is spelled ``%3D`` ends one."""
    before = text[start - 1 : start]
    return (before.isalnum() or before == "_") and _ESCAPED.fullmatch(text, max(0, start - 3), start) is None


def _is_jwt(token: str) -> bool:
    """Whether its header and its claims are base64 of JSON objects."""
    return all(map(_is_object, token.split(".")[:2]))


def _is_object(part: str) -> bool:
    try:
        return isinstance(json.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4))), dict)
    except (binascii.Error, ValueError, RecursionError):
        return False
