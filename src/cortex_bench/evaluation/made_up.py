"""Values of the shape of secrets, and of things that only look like some, made up when they are needed.

None of them ever opened anything. They are put together here, so that no file of the project holds a text that a
scanner of repositories takes for a key.
"""

from __future__ import annotations

import itertools
import json
import random
import string
import uuid
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from typing import Final

_ALNUM: Final = string.ascii_letters + string.digits
_URL_SAFE: Final = _ALNUM + "-_"
_HEX: Final = "0123456789abcdef"

Chance = random.Random


def made_up(slot: str, number: int) -> str:
    """The value that stands for a slot in the line of this number; the same each time. `KeyError` for no slot."""
    chance = random.Random(f"{slot} {number}")  # noqa: S311 - made up, and the same each time
    return (SECRETS.get(slot) or HARMLESS[slot])(chance)


def _some(chance: Chance, letters: str, count: int) -> str:
    """Letters of which some are digits, large and small, as in any key of that length."""
    return "".join(chance.choice(letters) for _ in range(count))


def _after(prefix: str, letters: str, count: int) -> Callable[[Chance], str]:
    return lambda chance: prefix + _some(chance, letters, count)


def _jwt(chance: Chance) -> str:
    parts = ({"alg": "HS256", "typ": "JWT"}, {"sub": str(chance.randrange(10**9)), "iat": 1700000000})
    coded = [urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts]
    return ".".join([*coded, _some(chance, _URL_SAFE, 43)])


def _block(name: str, *, ends: bool = True, joined: str = "\n") -> Callable[[Chance], str]:
    def make(chance: Chance) -> str:
        lines = [_some(chance, f"{_ALNUM}+/", 64) for _ in range(6)]
        last = [f"{_some(chance, _ALNUM, 30)}==", f"-----END {name}-----"] if ends else []
        return joined.join([f"-----BEGIN {name}-----", *lines, *last])

    return make


def _password(chance: Chance) -> str:
    word = chance.choice(["Quokka", "lantern", "Marzipan", "zeppelin", "Tundra", "pickle"])
    return f"{word}{chance.randrange(10, 999)}{chance.choice('!?#%+')}{_some(chance, string.ascii_lowercase, 3)}"


def _card(prefix: str, digits: int, groups: tuple[int, ...] = (), between: str = " ") -> Callable[[Chance], str]:
    def make(chance: Chance) -> str:
        body = prefix + _some(chance, string.digits, digits - len(prefix) - 1)
        card = body + next(d for d in string.digits if _luhn(body + d))
        if not groups:
            return card
        ends = [sum(groups[:i]) for i in range(len(groups) + 1)]
        return between.join(card[start:end] for start, end in itertools.pairwise(ends))

    return make


def _luhn(digits: str) -> bool:
    doubled = (int(d) * (1 + i % 2) for i, d in enumerate(reversed(digits)))
    return sum(n - 9 if n > 9 else n for n in doubled) % 10 == 0


def _wrong_card(chance: Chance) -> str:
    right = _card("4", 16)(chance)
    return right[:-1] + str((int(right[-1]) + chance.randrange(1, 9)) % 10)


def _iban(country: str, letters: str, count: int, *, spaced: bool = False) -> Callable[[Chance], str]:
    def make(chance: Chance) -> str:
        body = _some(chance, letters, count)
        number = "".join(str(int(c, 36)) for c in f"{body}{country}00")
        iban = f"{country}{98 - int(number) % 97:02}{body}"
        return " ".join(iban[i : i + 4] for i in range(0, len(iban), 4)) if spaced else iban

    return make


def _ssn(chance: Chance) -> str:
    return f"{chance.randrange(100, 600)}-{chance.randrange(10, 99)}-{chance.randrange(1000, 9999)}"


def _base64(size: int) -> Callable[[Chance], str]:
    return lambda chance: b64encode(chance.randbytes(size)).decode()


# What a line of the labelled set has to be found; the label of a slot is the part before the colon.
SECRETS: Final[Mapping[str, Callable[[Chance], str]]] = {
    "aws_key": _after("AK" + "IA", string.ascii_uppercase + "234567", 16),
    "aws_key:temporary": _after("AS" + "IA", string.ascii_uppercase + "234567", 16),
    "github_token": _after("gh" + "p_", _ALNUM, 36),
    "github_token:app": _after("gh" + "s_", _ALNUM, 36),
    "github_token:fine": lambda chance: f"github{'_pat_'}{_some(chance, _ALNUM, 22)}_{_some(chance, _ALNUM, 59)}",
    "gitlab_token": _after("gl" + "pat-", _URL_SAFE, 20),
    "slack_token": lambda c: f"xo{'xb-'}{c.randrange(10**10, 10**11)}-{c.randrange(10**11)}-{_some(c, _ALNUM, 24)}",
    "slack_token:hook": lambda c: (
        "https://hooks.slack.com/" + f"services/T{_some(c, string.digits, 8)}/"
        f"B{_some(c, string.digits, 8)}/{_some(c, _ALNUM, 24)}"
    ),
    "stripe_key": _after("sk" + "_live_", _ALNUM, 24),
    "stripe_key:restricted": _after("rk" + "_live_", _ALNUM, 24),
    "openai_key": _after("s" + "k-", _ALNUM, 48),
    "openai_key:project": _after("s" + "k-proj-", _URL_SAFE, 80),
    "anthropic_key": _after("s" + "k-ant-api03-", _URL_SAFE, 93),
    "google_key": _after("AI" + "za", _URL_SAFE, 35),
    "npm_token": _after("np" + "m_", _ALNUM, 36),
    "pypi_token": _after("py" + "pi-AgEIcHlwaS5vcmc", _URL_SAFE, 100),
    "huggingface_token": _after("h" + "f_", string.ascii_letters, 34),
    "twilio_key": _after("S" + "K", _HEX, 32),
    "sendgrid_key": lambda chance: f"S{'G.'}{_some(chance, _URL_SAFE, 22)}.{_some(chance, _URL_SAFE, 43)}",
    "cortex_key": _after("crt" + "x_", _ALNUM, 40),
    "jwt": _jwt,
    "private_key": _block("RSA PRIVATE" + " KEY"),
    "private_key:openssh": _block("OPENSSH PRIVATE" + " KEY"),
    "private_key:pgp": _block("PGP PRIVATE" + " KEY BLOCK"),
    "private_key:cut": _block("EC PRIVATE" + " KEY", ends=False),
    "private_key:json": _block("PRIVATE" + " KEY", joined="\\n"),
    "url_password": _password,
    "password": _password,
    "password:phrase": lambda chance: " ".join(chance.sample(["otter", "copper", "violin", "ninety", "cactus"], 4)),
    "credential": _after("", _ALNUM, 32),
    "credential:hex": _after("", _HEX, 40),
    "credential:base64": _after("", f"{_ALNUM}+/", 40),
    "authorization": _after("", _URL_SAFE, 40),
    "card_number": _card("4", 16),
    "card_number:spaced": _card("53", 16, (4, 4, 4, 4)),
    "card_number:dashed": _card("6011", 16, (4, 4, 4, 4), "-"),
    "card_number:amex": _card("37", 15, (4, 6, 5)),
    "iban": _iban("DE", string.digits, 18),
    "iban:spaced": _iban("FR", string.digits, 23, spaced=True),
    "iban:letters": _iban("MT", string.digits + string.ascii_uppercase, 27),
    "ssn": _ssn,
}

# What looks like a secret, and is none.
HARMLESS: Final[Mapping[str, Callable[[Chance], str]]] = {
    "uuid": lambda chance: str(uuid.UUID(int=chance.getrandbits(128), version=4)),
    "sha1": _after("", _HEX, 40),
    "sha256": _after("", _HEX, 64),
    "md5": _after("", _HEX, 32),
    "short": _after("", _HEX, 8),
    "base64": _base64(120),
    "digest": lambda chance: f"sha512-{b64encode(chance.randbytes(64)).decode()}",
    "phone": lambda chance: f"+49 30 {_some(chance, string.digits, 4)} {_some(chance, string.digits, 4)}",
    "digits16": _wrong_card,
    "luhn": _card("4", 16),
    "digits12": _after("", string.digits, 12),
    "iban_wrong": lambda chance: f"DE00{_some(chance, string.digits, 18)}",
    "ssn_like": _ssn,
    "public": _block("PUBLIC KEY"),
    "certificate": _block("CERTIFICATE"),
    "ssh_public": lambda chance: f"AAAAC3NzaC1lZDI1NTE5AAAAI{_some(chance, f'{_ALNUM}+/', 43)}",
    "account": _after("A" + "C", _HEX, 32),
    "publishable": _after("pk" + "_live_", _ALNUM, 24),
    "ulid": _after("01", string.ascii_uppercase + string.digits, 24),
    "nano": _after("", _URL_SAFE, 21),
}
