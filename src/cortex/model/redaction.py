"""Secrets in texts: what they are, where they stand, and what was done about them. No value here holds one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Redaction(StrEnum):
    """What happens to secrets in what is to be kept: nothing, they are masked, or the text is refused."""

    OFF = "off"
    MASK = "mask"
    REFUSE = "refuse"


class SecretKind(StrEnum):
    """What a secret opens, or what it is a number of."""

    AWS_KEY = "aws_key"
    GITHUB_TOKEN = "github_token"
    GITLAB_TOKEN = "gitlab_token"
    SLACK_TOKEN = "slack_token"
    STRIPE_KEY = "stripe_key"
    OPENAI_KEY = "openai_key"
    ANTHROPIC_KEY = "anthropic_key"
    GOOGLE_KEY = "google_key"
    NPM_TOKEN = "npm_token"
    PYPI_TOKEN = "pypi_token"
    HUGGINGFACE_TOKEN = "huggingface_token"
    TWILIO_KEY = "twilio_key"
    SENDGRID_KEY = "sendgrid_key"
    CORTEX_KEY = "cortex_key"
    JWT = "jwt"
    PRIVATE_KEY = "private_key"
    URL_PASSWORD = "url_password"
    AUTHORIZATION = "authorization"
    PASSWORD = "password"
    CREDENTIAL = "credential"
    CARD_NUMBER = "card_number"
    IBAN = "iban"
    SSN = "ssn"


@dataclass(frozen=True, slots=True, order=True)
class Secret:
    """Where a secret stands in a text: from the character ``start`` up to, without, ``end``."""

    start: int
    end: int
    kind: SecretKind


@dataclass(frozen=True, slots=True)
class Masked:
    """A secret that was masked: in which field, of which kind, and where in the text as it was handed in.

    ``field`` is ``content``, or a path such as ``tags[1]`` or ``metadata.login.note``.
    """

    field: str
    kind: SecretKind
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A secret in a memory that is kept: in which version of it and which field, and where in that text."""

    id: str
    version: int
    field: str
    kind: SecretKind
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Scanned:
    """How many memories were looked at, what was found, and how many of them were masked.

    ``changed`` names memories that others changed meanwhile: they still have what was found. ``remaining``: the files
    that may still hold what was masked.
    """

    memories: int = 0
    masked: int = 0
    findings: tuple[Finding, ...] = ()
    changed: tuple[str, ...] = ()
    remaining: tuple[str, ...] = ()
