"""Private keys as blocks of lines, whole or cut off, and passwords inside of addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cortex.core.understanding.secrets.chance import random_looking
from cortex.core.understanding.secrets.placeholders import is_placeholder
from cortex.model.redaction import Secret, SecretKind

_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
# Lines of a block: their ends may be spelled out, as in JSON; a header such as "Proc-Type: 4,ENCRYPTED" may be there.
# What quotations, comments, lists and listings put before a line.
_MARKED = r"(?:(?:[>#*|]{1,3}|-(?!-)|\+(?= )|//|\d{1,6}[:|-])[ \t]?){1,4}"
_BODY = re.compile(
    rf"(?:(?<=\n)[ \t]{{0,20}}{_MARKED}(?=[ \t]|[A-Za-z0-9+/]|-----END|\n)"
    r"|\s|\\[nr]|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): [^\n\\]{0,100}|[A-Za-z0-9+/]{16,}+={0,2}"
    r"|[A-Za-z0-9+/]{1,15}={1,2}|=[A-Za-z0-9+/]{4}\b|[A-Za-z0-9+/]{1,15}(?=(?:\s|\\[nr]){0,4}-----END))*+"
)
_KEY_LINE = re.compile(rf"(?:{_MARKED}[ \t]*)?[A-Za-z0-9+/=]*")
_NO_KEY = " \t\r\n\\>#*|-/:+"
_LONGEST = 20_000  # characters of a key
# What stands before "://" is not looked at: every address of any scheme may have a password.
_LOGIN = re.compile(r"://([^\s/:@\"'<>?#]{0,100}):(?!\d{1,5}[?#])([^\s/\"'<>]{1,200})@(?=[\w\[$])")

_TOKEN = re.compile(r"://([\w-]{20,200})@(?=[\w\[$])")  # in the place of the user


def private_keys(text: str) -> Iterator[Secret]:
    """Blocks from their first line to their last, or as far as they go; and what stands before a lone last line."""
    if "PRIVATE KEY" not in text:
        return
    done = 0
    for found in _BEGIN.finditer(text):
        if found.start() < done:
            continue
        body = _BODY.match(text, found.end())
        end = body.end() if body else found.end()
        last = _END.match(text, end)
        done = last.end() if last else found.end() + len(text[found.end() : end].rstrip())
        if text[found.end() : end].strip(_NO_KEY):
            yield Secret(found.start(), done, SecretKind.PRIVATE_KEY)
    yield from _without_beginning(text)


def _without_beginning(text: str) -> Iterator[Secret]:
    floor = 0
    for last in _END.finditer(text):
        begin = text.rfind("-----BEGIN", floor, last.start())
        if begin < 0:
            start = _first_line(text, max(floor, last.start() - _LONGEST), last.start())
            if text[start : last.start()].strip():
                yield Secret(start, last.end(), SecretKind.PRIVATE_KEY)
        floor = last.end()


def _first_line(text: str, floor: int, end: int) -> int:
    """Where the lines of base64 begin that end here."""
    start = end
    for line in reversed(text[floor:end].split("\n")):
        bare = line.strip()
        if bare and _KEY_LINE.fullmatch(bare) is None:
            break
        start -= len(line) + 1
    return min(max(start + 1, floor), end)


def passwords_in_addresses(text: str) -> Iterator[Secret]:
    """Only the password, or the token in the place of the user: whose it is and where it leads may stay."""
    if "://" not in text:
        return
    for found in _LOGIN.finditer(text):
        if not is_placeholder(found.group(2)):
            yield Secret(*found.span(2), SecretKind.URL_PASSWORD)
    for found in _TOKEN.finditer(text):
        if random_looking(found.group(1)) and not is_placeholder(found.group(1)):
            yield Secret(*found.span(1), SecretKind.URL_PASSWORD)
