"""Passwords on command lines, in cookies, in signed addresses, and PINs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from cortex.core.understanding.secrets.chance import random_looking
from cortex.core.understanding.secrets.placeholders import is_placeholder
from cortex.model.redaction import Secret, SecretKind

_QUOTED = r"(?:\"(?P<double>[^\"\n]{3,200})\"|'(?P<single>[^'\n]{3,200})'|(?P<plain>[^\s\"'|;]{3,200}))"
# Programs that take a password as an argument, each with what stands before it. Only the rest of the line is read.
_COMMANDS: Final = tuple(
    (letters, re.compile(pattern + _QUOTED))
    for letters, pattern in (
        ("curl", r"\bcurl\b[^\n|;]{0,300}?\s(?:-u|--user|--proxy-user)[\s=]{0,3}[^\s:\"'$]{0,64}:"),
        ("sshpass", r"\bsshpass\b[^\n|;]{0,60}?\s-p\s{0,3}"),
        ("redis-cli", r"\bredis-cli\b[^\n|;]{0,200}?\s(?:-a|--pass)\s{1,3}"),
        (" login", r"\b(?:docker|podman|helm registry|az acr|oc) login\b[^\n|;]{0,200}?\s-p\s{1,3}"),
        ("ldap", r"\bldap\w{3,10}\b[^\n|;]{0,200}?\s-w\s{1,3}"),
        ("pass:", r"\s-pass(?:in|out)?\s{1,3}pass:"),
    )
)
_TOUCHING = re.compile(r"\b(?:mysql|mariadb)[\w-]{0,10}\b[^\n|;]{0,200}?\s-p(?![\s=])" + _QUOTED)
_LOGIN_IN_QUOTES = re.compile(
    r"\bcurl\b[^\n|;]{0,300}?\s(?:-u|--user|--proxy-user)[\s=]{0,3}"
    r"(?:\"[^:\"$\n]{0,64}:(?P<double>[^\"\n]{3,200})\"|'[^:'$\n]{0,64}:(?P<single>[^'\n]{3,200})')"
)
_COOKIE = re.compile(r"(?i)\b(?:set-)?cookie[\"']?\s{0,3}[:=]\s{0,3}[\"']?([^\n\"']{12,4000})")
_CRUMB = re.compile(r"([\w.-]{1,64})=([^;,\s\"']{12,2000})")
_SIGNATURE = re.compile(
    r"(?i)[?&](?:x-(?:amz|goog)-signature|x-amz-security-token|sig|signature|token|hmac)=([\w%+/=.~-]{16,2000})"
)
_PIN = re.compile(
    r"(?:\bPINs?\b|(?i:\bpin[- ]?code|\b(?:my|your|card|door|sim|bank|alarm) pin))"
    r"\s{0,3}(?:is|ist|lautet|=|:|\s)\s{0,3}(\d{4,8})(?![\w-]|[.,]\d|\s?(?:(?:k?m|[km]s|[kmg]?b|v|hz)\b|%))"
)


def commands(text: str) -> Iterator[Secret]:
    """What programs, browsers and doors are told to let somebody in."""
    for letters, pattern in _COMMANDS:
        if letters in text:
            yield from _arguments(text, pattern)
    if "mysql" in text or "mariadb" in text:
        yield from _arguments(text, _TOUCHING)
    if "curl" in text:
        yield from _arguments(text, _LOGIN_IN_QUOTES)
    if "ookie" in text or "OOKIE" in text:
        for found in _COOKIE.finditer(text):
            yield from _chance(text, _CRUMB, found.start(1), found.end(1), 2)
    if "://" in text and "=" in text:
        yield from _chance(text, _SIGNATURE, 0, len(text), 1)
    if "PIN" in text or "pin" in text:
        yield from (Secret(*found.span(1), SecretKind.PASSWORD) for found in _PIN.finditer(text))


def _arguments(text: str, pattern: re.Pattern[str]) -> Iterator[Secret]:
    for found in pattern.finditer(text):
        group = next(name for name, value in found.groupdict().items() if value is not None)
        start, end = found.span(group)
        while end > start and text[end - 1] in ".,)`":
            end -= 1
        value = text[start:end]
        # A word of small letters alone that touches "-p" is another option.
        option = found.re is _TOUCHING and value.isalpha() and value.islower()
        if len(value) >= 3 and not option and not is_placeholder(value):
            yield Secret(start, end, SecretKind.PASSWORD)


def _chance(text: str, pattern: re.Pattern[str], start: int, end: int, group: int) -> Iterator[Secret]:
    for found in pattern.finditer(text, start, end):
        value = found.group(group)
        if random_looking(value) and not is_placeholder(value):
            yield Secret(*found.span(group), SecretKind.CREDENTIAL)
