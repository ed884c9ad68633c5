"""Numbers that pay or name a person: cards, bank accounts, US social security."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from cortex.model.redaction import Secret, SecretKind

# Digits alone, or groups as on the card; "-" and " " do not mix.
_CARD = re.compile(
    r"(?<![\w.+-])(?<!\d[ /])(?:\d{13,19}|\d{4}(?P<s>[ -])\d{4}(?P=s)\d{4}(?P=s)\d{1,4}(?:(?P=s)\d{3})?"
    r"|\d{4}(?P<t>[ -])\d{6}(?P=t)\d{4,5})(?![\w-])"
)
_THIRTEEN_DIGITS = re.compile(r"\d(?:[ -]?\d){12}")
# First digits and lengths of the issuers' ranges (ISO/IEC 7812).
_ISSUERS = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})"  # Visa
    r"|(?:5[1-5]\d{2}|222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}"  # Mastercard
    r"|3[47]\d{13}"  # American Express
    r"|(?:6011|64[4-9]\d|65\d{2})\d{12}"  # Discover
    r"|35(?:2[89]|[3-8]\d)\d{12}"  # JCB
    r"|3(?:0[0-5]|[68]\d)\d{11}"  # Diners Club
    r"|62\d{14,17}"  # UnionPay
)
_CARD_WORDS = re.compile(
    r"(?i)card|visa|master|amex|american express|discover|credit|debit|karte|carte|tarjeta|\bpan\b|\bcc\b"
)
_OTHER_NUMBERS = re.compile(
    r"(?i)(?:\b(?:no|nr|number|num|id|order|invoice|track\w*|shipment|parcel|ticket|case|serial|ref\w*|sku|isbn|imei|phone"
    r"|tel|row|part|build)\b|#)\W{0,4}(?:\bis\b\W{0,2})?$"
)
_USUAL_LENGTHS: Final = (14, 15, 16)
_BEFORE: Final = 40  # characters in which a word says what number it is

_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}")
_LETTERS_AND_DIGITS = re.compile(r"[A-Z][A-Z]\d\d")
# Characters of an IBAN, by country (the registry of SWIFT): those that the most people have.
_IBAN_LENGTHS: Final = {
    "AD": 24, "AE": 23, "AT": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "CH": 21, "CR": 22, "CY": 28, "CZ": 24,
    "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22,
    "GI": 23, "GR": 27, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20,
    "LB": 28, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MT": 31, "MU": 30,
    "NL": 18, "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SE": 24,
    "SI": 19, "SK": 24, "SM": 27, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "XK": 20,
}  # fmt: skip

_SSN = re.compile(r"(?<![\w-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])")
_TWO_HYPHENS = re.compile(r"\d-\d\d-\d")
_SSN_WORDS = re.compile(r"(?i)\bssn\b|social.{0,3}security")


def numbers(text: str) -> Iterator[Secret]:
    """Card numbers, IBANs and social security numbers."""
    # What each of them has somewhere, found much faster than where it begins and ends.
    if _THIRTEEN_DIGITS.search(text):
        yield from _cards(text)
    if _LETTERS_AND_DIGITS.search(text):
        yield from _ibans(text)
    if _TWO_HYPHENS.search(text):
        yield from _ssns(text)


def _ssns(text: str) -> Iterator[Secret]:
    for found in _SSN.finditer(text):
        start, end = found.span()
        if _SSN_WORDS.search(text, max(0, start - _BEFORE), min(len(text), end + _BEFORE // 2)):
            yield Secret(start, end, SecretKind.SSN)


def _cards(text: str) -> Iterator[Secret]:
    for found in _CARD.finditer(text):
        digits = found.group().replace(" ", "").replace("-", "")
        if _ISSUERS.fullmatch(digits) is None or not _luhn(digits) or len(set(digits)) < 3:
            continue
        before = text[max(0, found.start() - _BEFORE) : found.start()]
        named = _CARD_WORDS.search(before) is not None
        other = _OTHER_NUMBERS.search(before) is not None
        if named or (not other and len(digits) in _USUAL_LENGTHS):
            yield Secret(*found.span(), SecretKind.CARD_NUMBER)


def _luhn(digits: str) -> bool:
    """The check digit of ISO/IEC 7812."""
    doubled = (int(digit) * (1 + i % 2) for i, digit in enumerate(reversed(digits)))
    return sum(number - 9 if number > 9 else number for number in doubled) % 10 == 0


def _ibans(text: str) -> Iterator[Secret]:
    for found in _IBAN.finditer(text):
        length = _IBAN_LENGTHS.get(found.group()[:2], 0)
        end, seen = found.start(), 0
        while seen < length and end < found.end():
            seen += text[end] != " "
            end += 1
        follows = text[end : end + 1]
        if seen == length > 0 and not follows.isalnum() and _checks(text[found.start() : end].replace(" ", "")):
            yield Secret(found.start(), end, SecretKind.IBAN)


def _checks(iban: str) -> bool:
    """The check digits of ISO 13616."""
    return int("".join(str(int(c, 36)) for c in iban[4:] + iban[:4])) % 97 == 1
