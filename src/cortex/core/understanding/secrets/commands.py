"""Passwords on command lines, in cookies, in signed addresses, and PINs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from cortex.core.understanding.secrets.chance import random_looking
from cortex.core.understanding.secrets.placeholders import is_placeholder
from cortex.model.redaction import Secret, SecretKind

_QUOTED = r"(?:\"(?P<double>[^\"\n]{3,200})\"|'(?P<single>[^'\n]{3,200})'|(?P<plain>[^\s\"'|;&]{3,200}))"
# The rest of a command: one line, or several that end with a backslash.
_REST = r"(?:[^\n|;&\\]|\\\n){0,300}?\s"
_LOGIN = r"(?:-[a-zA-Z]{0,6}[uU]|--user|--proxy-user|-a|--auth)[\s=]{0,3}"
# Programs that take a password as an argument, each with what stands before it.
_COMMANDS: Final = tuple(
    (letters, re.compile(pattern + _QUOTED))
    for letters, pattern in (
        ("curl", rf"\bcurl\b{_REST}{_LOGIN}[^\s:\"'$]{{0,64}}:"),
        ("http", rf"\bhttps?\b{_REST}(?:-a|--auth)[\s=]{{1,3}}[^\s:\"'$]{{1,64}}:"),
        ("sshpass", r"\bsshpass\b[^\n|;]{0,60}?\s-p\s{0,3}"),
        ("SSHPASS", r"\bSSHPASS="),
        ("redis-cli", rf"\bredis-cli\b{_REST}(?:-a\s{{0,3}}|--pass\s{{1,3}})"),
        ("requirepass", r"(?m)^\s{0,8}requirepass\s{1,3}"),
        ("masterauth", r"(?m)^\s{0,8}masterauth\s{1,3}"),
        (" login", r"\b(?:docker|podman|helm registry|az|az acr|oc) login\b[^\n|;&,]{0,200}?\s-p\s{1,3}"),
        ("ldap", rf"\bldap\w{{3,10}}\b{_REST}-w\s{{1,3}}"),
        ("mongo", rf"\bmongo\w{{0,8}}\b{_REST}-p\s{{1,3}}"),
        ("htpasswd", r"\bhtpasswd\s{1,3}-\w{0,4}b\w{0,4}\s{1,3}\S{1,200}\s{1,3}\S{1,64}\s{1,3}"),
        ("zip", r"\b(?:un)?zip\b[^\n|;&]{0,60}?\s-P\s{1,3}"),
        ("pass:", r"\s-pass(?:in|out)?\s{1,3}pass:"),
        ("IDENTIFIED", r"\bIDENTIFIED\s{1,3}(?:WITH\s{1,3}\S{1,40}\s{1,3})?BY\s{1,3}(?=[\"'])"),
        ("-stdin", r"\becho\s{1,3}(?:-n\s{1,3})?(?=[^|\n]{3,200}\|[^\n]{0,200}--password-stdin)"),
        ("sudo -S", r"\becho\s{1,3}(?:-n\s{1,3})?(?=[^|\n]{3,200}\|\s{0,3}sudo -S)"),
        ("chpasswd", r"\becho\s{1,3}[\"']?[\w.-]{1,32}:(?=[^|\n]{3,200}\|[^\n]{0,60}chpasswd)"),
    )
)
# What touches the "-p" of these programs, which stand at the beginning of a command.
_TOUCHING = re.compile(
    r"(?:^|[|;&`($]\s{0,2}|\bsudo\s|\bexec\s[^\n|;&]{1,60}?\s)(?:mysql|mariadb)[\w-]{0,10}\b"
    + _REST
    + r"-p(?![\s=])"
    + _QUOTED,
    re.MULTILINE,
)
_LOGIN_IN_QUOTES = re.compile(
    rf"\bcurl\b{_REST}{_LOGIN}"
    r"(?:\"[^:\"$\n]{0,64}:(?P<double>[^\"\n]{3,200})\"|'[^:'$\n]{0,64}:(?P<single>[^'\n]{3,200})')"
)
_NO_PASSWORD = re.compile(r"[\d.:,/]+|[/.~].*|[a-z]{1,5}\d?|[\w.-]{1,60}:\d{2,5}")  # ports, paths, other options
_COOKIE = re.compile(
    r"(?i)\b(?:set-)?cookie[\"']?\s{0,3}[:=]\s{0,3}[\"']?([^\n\"']{12,4000})"
    r"|\s(?:-b|--cookie)[ =][\"']?([^\n\"']{12,4000})"
)
_CRUMB = re.compile(
    r"(?i)(?<![\w.-])[\w.-]{0,40}(?:sess|sid|auth|token|jwt|csrf|xsrf|remember|login|sso|access|refresh|key|ticket)"
    r"[\w.-]{0,20}=([^;,\s\"']{12,2000})"
)
_SIGNATURE = re.compile(
    r"(?i)[?&](?:x-(?:amz|goog)-signature|x-amz-security-token|sig|signature|hmac)=([\w%+/=.~-]{16,2000})"
)
_WORDS_AND_NUMBERS = re.compile(r"(?:(?:[a-zA-Z]+\d{0,4}|\d+)[-_.])+(?:[a-zA-Z]+\d{0,4}|\d+)")
_OWN = r"(?i:\b(?:my|your|her|his|our|card|door|sim|bank|alarm|garage|gate|safe|phone) pin(?:[- ]?code)?)"
_OF = r"(?:\s(?:for|of|on|für|vom|von) [^\n.,;:=]{1,30}?(?=\s(?:is|ist|lautet)\b))?"
_SAID = r"\s{0,3}(?:(?:is|ist|lautet|es|est)\b\s?:?|=|:)\s{0,3}[\"']?"
_ENDS = r"(?=[\"')]?(?:[.,;!?)]?(?:\s{0,2}$|\s?\n)|[.,;!?]\s|\s(?:and|und|et|y|so|but|opens)\b))"
# Of more than five digits it may be a place in India, and beside "pin" alone a pin of a chip.
_PINS: Final = tuple(
    re.compile(pattern + _ENDS)
    for pattern in (
        rf"{_OWN}{_OF}(?:{_SAID}|\s{{1,2}})(\d{{4,8}})",
        rf"\bPIN{_OF}{_SAID}(\d{{4,5}})",
        rf"(?i:\bpin[- ]code){_OF}(?:{_SAID}|\s{{1,2}})(\d{{4}})",
    )
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
    if "ookie" in text or "OOKIE" in text or "curl" in text:
        for found in _COOKIE.finditer(text):
            group = 1 if found.group(1) else 2
            yield from _chance(text, _CRUMB, found.start(group), found.end(group))
    if "://" in text and "=" in text:
        yield from _chance(text, _SIGNATURE, 0, len(text))
    if "PIN" in text or "pin" in text:
        found_pins = (found for pattern in _PINS for found in pattern.finditer(text))
        yield from (Secret(*each.span(1), SecretKind.PASSWORD) for each in found_pins if len(set(each.group(1))) > 1)


def _arguments(text: str, pattern: re.Pattern[str]) -> Iterator[Secret]:
    for found in pattern.finditer(text):
        group = next(name for name, value in found.groupdict().items() if value is not None)
        start, end = found.span(group)
        while end > start and text[end - 1] in ".,)`":
            end -= 1
        value = text[start:end]
        if len(value) >= 3 and not is_placeholder(value) and (group != "plain" or not _NO_PASSWORD.fullmatch(value)):
            yield Secret(start, end, SecretKind.PASSWORD)


def _chance(text: str, pattern: re.Pattern[str], start: int, end: int) -> Iterator[Secret]:
    for found in pattern.finditer(text, start, end):
        value = found.group(1)
        if random_looking(value) and not is_placeholder(value) and not _WORDS_AND_NUMBERS.fullmatch(value):
            yield Secret(*found.span(1), SecretKind.CREDENTIAL)
