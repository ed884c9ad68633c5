"""Values that are given to a name which says that they are secret, and what is sent as authorisation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from cortex.core.understanding.secrets.chance import bits, random_looking
from cortex.core.understanding.secrets.placeholders import is_placeholder
from cortex.model.redaction import Secret, SecretKind

_NAMES: Final = (
    r"pass(?:word|wd|phrase|code|wort)?|pwd|(?<![a-z])pw|kennwort|contrase(?:ñ|n\u0303?)a|mot de passe|\bmdp|senha|"
    r"\bclave|wachtwoord|hasło|lösenord|пароль|密码|密碼|パスワード|비밀번호|"
    r"secret|token|credentials?|(?:api|access|auth|account|encryption|signing|master|license|secret|shared)[_-]?key"
)
# Names may stand in JSON inside of a string, in Markdown, a table or XML. The value may be quoted, then
# it may have spaces; else it goes to the next space. Names end where they are assigned.
_ASSIGNED = re.compile(
    rf"(?i)(?P<name>{_NAMES})(?:[_-]?(?:1|2|id))?[\"'\]`*\\]{{0,4}}"
    r"(?:\s(?:for|of|to|on|für|vom|von|zum|zur|du|de|del|della|dello) [^\n.,;:=]{1,30}?"
    r"(?=\s?:\s|\s(?:is|ist|lautet|heißt|est|es|è)\s)|\s\([^\n()]{1,20}\)(?=:))?"
    r"(?:\s{0,3}(?:=>|:=|={1,2}|:\*{0,2}|：|%3[AD]|\||\s->\s)\s{0,3}|>(?=[^\s<>]{6,200}</)"
    r"|\s{1,3}(?:is|lautet|heißt|ist|was|to|est|es|é|è|это)(?:\s(?:now|jetzt))?\s{1,3}|\s{0,2}(?:是|は)\s{0,2}|(?P<bare>\s{1,2}))"
    r"(?:\\\"(?P<escaped>[^\"\n]{4,4000})\\\"|"
    r"\*{0,2}(?:\"(?P<double>[^\"\n]{4,4000})\"|'(?P<single>[^'\n]{4,4000})'|`(?P<tick>[^`\n]{4,4000})`"
    r"|(?P<plain>[^\s\"'`\\*][^\s\"'`]{5,})))"
)
_STEMS: Final = (
    "pass", "pw", "secret", "token", "key", "credential", "kennwort", "contrase", "mdp", "senha", "clave",
    "wachtwoord", "hasło", "lösenord", "пароль", "密", "パスワード", "비밀번호",
)  # fmt: skip
_PASSWORDS: Final = (
    "pass",
    "pwd",
    "kenn",
    "cont",
    "mot ",
    "mdp",
    "senh",
    "clav",
    "wach",
    "hasł",
    "löse",
    "паро",
    "密",
    "パスワ",
    "비밀번호",
)
# Tokens that open nothing.
_HARMLESS = re.compile(r"(?i)(?:page|next|cursor|continuation|sync|csrf|eos|bos|pad|public)[_-]?\Z")
_SENT = re.compile(
    r"(?i)authorization[\"']?\s{0,3}[:=,]\s{0,3}[\"']?(?:bearer|token|basic|apikey|key)\s{1,3}([\w.~+/=-]{12,})"
    r"|\bbearer\s{1,3}([\w.~+/=-]{20,})"
)
_SHORTEST: Final = 12  # of a credential; a password may have six
_LEAST_BITS: Final = 2.0
_KNOWN_WORDS = re.compile(
    r"(?i)(?:base64|sha-?\d+|md5|utf-?8|argon2\w*|bcrypt\d*|scrypt|pbkdf2|aes-?\d+|oauth2?|\d+|[^\W\d_]+)"
)
# What stands behind the word and is none: a remark of a form, a version or a size, a name of a field, a test.
_REMARK = re.compile(
    r"[¡¿(]?[^\W\d_]+[!?)]{1,3}|v?\d+(?:[.,x×]\d+)*[a-zA-Z]{0,3}|(?i:\w*pass(?:word|wort|wd)\w*)|Test[A-Z]\S*"
)
_COUNTED = re.compile(r"\d{1,3}[a-z]{3,12}")  # "6digits"


def assigned(text: str) -> Iterator[Secret]:
    """Passwords and other credentials that stand behind their name, and authorisations."""
    lower = text.casefold() if text.isascii() else text.lower()
    for stem in _STEMS:
        if stem in lower:
            yield from _assigned(text)
            break
    if "bearer" in lower or "authorization" in lower:
        for found in _SENT.finditer(text):
            group = 1 if found.group(1) else 2
            value = found.group(group)
            if not is_placeholder(value) and random_looking(value):
                yield Secret(*found.span(group), SecretKind.AUTHORIZATION)


def kind_of(name: str, value: str) -> SecretKind | None:
    """What a value is that has such a name; None for no secret."""
    found = next((each for each in re.finditer(rf"(?i)(?:{_NAMES})\Z", name[-200:])), None)
    if found is None or _HARMLESS.search(name[-200:][: found.start()]):
        return None
    return _judged(found.group(), value, quoted=True)


def _assigned(text: str) -> Iterator[Secret]:
    for found in _ASSIGNED.finditer(text):
        before = text[max(0, found.start() - 16) : found.start()]
        if _HARMLESS.search(before):
            continue
        group = next(name for name in ("escaped", "double", "single", "tick", "plain") if found.group(name) is not None)
        start, end = found.span(group)
        if group == "plain":
            end = _end(text, start, end, in_query=before.endswith(("?", "&")) or "?" in before)
        value = text[start:end]
        stated = found.group("bare") is None and text[found.end("name") : start].strip("\"'` ]*\\")[:1] in tuple(
            ":=|>-%*\\："
        )
        if found.group("name").casefold() == "pass" and not (stated and not before[-1:].isalpha()):
            continue  # a word of its own in other sentences, and the end of others
        kind = _judged(found.group("name"), value, quoted=group != "plain", stated=stated)
        if kind is not None:
            yield Secret(start, end, kind)


def _end(text: str, start: int, end: int, *, in_query: bool) -> int:
    """Where a value ends that is not quoted: before the next parameter, and before what ends the sentence."""
    for mark in "&#" if in_query else ";<":
        at = text.find(mark, start, end)
        end = at if at > 0 else end
    while end > start and text[end - 1] in ".,;:)]}>*|\\":
        end -= 1
    return end


def _judged(name: str, value: str, *, quoted: bool, stated: bool = True) -> SecretKind | None:
    if len(value) < 6 or is_placeholder(value):
        return None
    if name[:4].casefold().startswith(_PASSWORDS) or name[:2].casefold() == "pw":
        return SecretKind.PASSWORD if _is_password(value, quoted=quoted, stated=stated) else None
    if len(value) < _SHORTEST or " " in value:
        return None
    return SecretKind.CREDENTIAL if random_looking(value) else None


def _is_password(value: str, *, quoted: bool, stated: bool) -> bool:
    """Whether people would choose it as a password: several sorts of characters, or several words in quotes."""
    if bits(value[:200]) < _LEAST_BITS or _REMARK.fullmatch(value) or (not stated and _COUNTED.fullmatch(value)):
        return False
    if quoted and value.count(" ") in range(2, 8):
        return value.replace(" ", "").isalpha() and value.islower()
    sorts = [any(test(c) for c in value) for test in (str.islower, str.isupper, str.isdigit, _is_sign)]
    known = all(_KNOWN_WORDS.fullmatch(part) for part in re.split(r"[-_/.,()]+", value) if part)
    if not stated:  # "the password is …" goes on with any word
        return sum(sorts) >= 2 and any(c.isdigit() for c in value) and not known
    return sum(sorts) >= 2 and not (known and not any(c.isdigit() for c in value)) and " " not in value


def _is_sign(c: str) -> bool:
    return not c.isalnum() and not c.isspace()
