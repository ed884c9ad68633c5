"""Whether two texts are the same text."""

from __future__ import annotations

import hashlib

from cortex.core.text.normal import nfkc

FINGERPRINT_BYTES = 16


def fingerprint(text: str) -> bytes:
    """16 bytes (BLAKE2b) that are equal for texts equal but for Unicode form, case and white space."""
    key = nfkc(text)
    caseless = key.casefold()
    if caseless != key:
        caseless = nfkc(caseless)
    collapsed = " ".join(caseless.split())
    data = collapsed.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=FINGERPRINT_BYTES).digest()
