"""Taking secrets out of what is handed in or kept, field by field."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any, Final, TypeVar

from cortex.core import intake, keep
from cortex.core.understanding.secrets import concealed, mask, secret_named, secrets_in
from cortex.errors import MESSAGES, InvalidInput
from cortex.model.memory import Draft, Memory
from cortex.model.record import Form, Record
from cortex.model.redaction import Finding, Masked, Redaction, Secret

# What of a memory is text of the caller.
FIELDS: Final = ("content", "tags", "metadata", "source", "speaker", "session", "agent")

MESSAGES.conceal = concealed  # errors are made in every layer, also in those that know no secrets

S = TypeVar("S", Draft, Memory)
Note = Callable[[str, Secret], None]


def masked(source: S, given: Collection[str] = FIELDS) -> tuple[S, tuple[Masked, ...]]:
    """The same with every secret masked, and where they stood. The very same object where there are none.

    Raises `InvalidInput` where a text is too long with its masks.
    """
    found: list[Masked] = []

    def note(field: str, secret: Secret) -> None:
        found.append(Masked(field, secret.kind, secret.start, secret.end))

    changed: dict[str, Any] = {}
    for name in FIELDS:
        if name in given and (value := getattr(source, name)):
            changed[name] = _value(name, value, note)
    if not found:
        return source, ()
    if "content" in changed:
        intake.text("content", changed["content"])
    if changed.get("tags"):
        changed["tags"] = tuple(dict.fromkeys(changed["tags"]))
    return replace(source, **changed), tuple(found)


def refuse_secret_key(key: str | None, policy: Redaction) -> None:
    """An idempotency key must stay what it is, so it cannot be masked.

    Raises `InvalidInput` for one that looks like a secret, unless nothing is looked for.
    """
    found = () if key is None or policy is Redaction.OFF else secrets_in(key)
    if found:
        raise InvalidInput("idempotency_key", f"looks like a secret ({found[0].kind.value}); use another one")


def rewritten(record: Record) -> tuple[Record, tuple[Finding, ...]]:
    """The record with every secret masked, in its earlier versions too, and what was found where.

    What was masked has to be embedded anew; so has the current form where anything was found. What was read from the
    text goes.
    """
    pairs = [_form(form) for form in (*record.earlier, record.current)]
    findings = tuple(finding for _, found in pairs for finding in found)
    if not findings:
        return record, ()
    *earlier, current = (form for form, _ in pairs)
    return Record(_bare(current), tuple(earlier)), findings


def _form(form: Form) -> tuple[Form, list[Finding]]:
    memory, found = masked(form.memory)
    if not found:
        return form, []
    text = keep.found(memory.content)
    memory = replace(memory, fingerprint=text.fingerprint, language=text.language)
    findings = [
        Finding(id=memory.id, version=memory.version, **{f.name: getattr(each, f.name) for f in fields(Masked)})
        for each in found
    ]
    form = replace(form, memory=memory, identity=keep.identity(memory, text.fingerprint), terms=keep.terms(memory))
    return _bare(form), findings


def _bare(form: Form) -> Form:
    return replace(form, memory=replace(form.memory, **keep.searched_by(form.memory.content, None)), embedding=None)


def masked_value(value: object) -> object:
    """Any value of lists, mappings and texts with the secrets in its texts masked; equal where there are none."""
    return _value("", value, lambda _, __: None)


def reason(error: BaseException) -> str:
    """What went wrong in code that is not ours, fit for a note: its type and its message."""
    return concealed(f"{type(error).__name__}: {error}")


def texts(source: Draft | Memory) -> Iterator[str]:
    """The texts that somebody may read, one after the other."""
    yield source.content
    for name in FIELDS[1:]:
        if value := getattr(source, name):
            yield from _texts(value)


def _texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            for key, item in value.items():
                yield from _texts(key)
                yield from _texts(item)
        case list() | tuple():
            for item in value:
                yield from _texts(item)
        case _:
            pass


def _value(path: str, value: Any, note: Note) -> Any:
    match value:
        case str():
            return _text(path, value, note)
        case Mapping():
            return {_text(path, key, note): _entry(path, key, item, note) for key, item in value.items()}
        case list():
            return [_value(f"{path}[{i}]", item, note) for i, item in enumerate(value)]
        case tuple():
            return tuple(_value(f"{path}[{i}]", item, note) for i, item in enumerate(value))
        case _:
            return value


def _entry(path: str, key: Any, value: Any, note: Note) -> Any:
    """A value with the name it has, which may say that all of it is a secret."""
    shown = f"{path}.{mask(key, secrets_in(key))}" if isinstance(key, str) else path
    if isinstance(key, str) and isinstance(value, str) and not secrets_in(value):
        kind = secret_named(key, value)
        if kind is not None:
            secret = Secret(0, len(value), kind)
            note(shown, secret)
            return mask(value, [secret])
    return _value(shown, value, note)


def _text(path: str, value: Any, note: Note) -> Any:
    if type(value) is not str:  # an enumeration's member is a word of ours
        return value
    secrets = secrets_in(value)
    for secret in secrets:
        note(path, secret)
    return mask(value, secrets) if secrets else value
