"""What the exit code of the command line says, and how an error is told."""

from __future__ import annotations

import errno

import click

from cortex.cli.escape import safe
from cortex.errors import CortexError, NotFound

FINE = 0
CHECK_FAILED = 1
USAGE = 2
NOT_FOUND = 3
AMBIGUOUS = 4
DENIED = 5
TRY_LATER = 6
STORE_UNUSABLE = 7
CONFIGURATION = 8
INTERRUPTED = 130

MEANINGS = {
    FINE: "fine",
    CHECK_FAILED: "a check failed: health, scan, or a job of the worker",
    USAGE: "wrong usage or input that cannot be accepted",
    NOT_FOUND: "no memory has that id",
    AMBIGUOUS: "several memories share that beginning of an id",
    DENIED: "not allowed",
    TRY_LATER: "busy, full or failed for now: try again",
    STORE_UNUSABLE: "the store cannot be used: foreign, read-only, closed or damaged",
    CONFIGURATION: "a setting is wrong, or an installed command cannot be loaded",
    INTERRUPTED: "interrupted",
}

CODES = {
    "error": CHECK_FAILED,
    "invalid_input": USAGE,
    "invalid_id": USAGE,
    "idempotency_conflict": USAGE,
    "not_found": NOT_FOUND,
    "ambiguous_id": AMBIGUOUS,
    "access_denied": DENIED,
    "embedder": TRY_LATER,
    "provider": TRY_LATER,
    "provider_unavailable": TRY_LATER,
    "provider_refused": CONFIGURATION,
    "provider_reply_invalid": TRY_LATER,
    "store_busy": TRY_LATER,
    "store_full": TRY_LATER,
    "store": STORE_UNUSABLE,
    "store_read_only": STORE_UNUSABLE,
    "store_closed": STORE_UNUSABLE,
    "foreign_store": STORE_UNUSABLE,
    "configuration": CONFIGURATION,
}

_HINTS = {
    "invalid_id": "cortex list shows ids; their first 8 digits are enough",
    "not_found": "cortex list shows ids; --status archived those that are put away",
    "ambiguous_id": "cortex get ID shows one of them whole",
    "configuration": "cortex --help says where settings come from",
    "store": "another file is chosen with --db FILE or CORTEX_STORE",
    "store_read_only": "another file is chosen with --db FILE or CORTEX_STORE",
    "foreign_store": "another file is chosen with --db FILE or CORTEX_STORE",
}


class CannotLoad(click.ClickException):
    """An installed command that cannot be imported."""

    exit_code = CONFIGURATION


def told(error: CortexError | click.ClickException | OSError, *, as_json: bool) -> int:
    """Tell the error on stderr and answer with its exit code."""
    from cortex.core.understanding.secrets import concealed  # help does not need it

    code, message, hint, exit_code = _facts(error)
    message = concealed(message)  # of the command line too: errors end in logs
    if as_json:
        import json

        click.echo(json.dumps({"error": {"code": code, "message": message}}), err=True)
        return exit_code
    click.echo(f"{click.style('error:', fg='red', bold=True)} {safe(message)}", err=True)
    if hint:
        click.echo(f"hint: {safe(hint)}", err=True)
    return exit_code


def _facts(error: CortexError | click.ClickException | OSError) -> tuple[str, str, str, int]:
    match error:
        case NotFound() if ";" in str(error):  # it says itself what to do
            return error.code, str(error), "", NOT_FOUND
        case CortexError():
            return error.code, str(error), _HINTS.get(error.code, ""), CODES.get(error.code, CHECK_FAILED)
        case click.UsageError():
            hint = f"{error.ctx.command_path} --help" if error.ctx else ""
            return "usage", error.format_message(), hint, USAGE
        case click.ClickException():
            return "command", error.format_message(), "", error.exit_code
        case _:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
            return "system", str(error), "", TRY_LATER if full else STORE_UNUSABLE


def interrupted() -> int:
    """Say that it was interrupted."""
    click.echo("interrupted", err=True)
    return INTERRUPTED
