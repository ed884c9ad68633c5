"""Taking over the memories of a file of the earlier single-user program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from cortex.core import intake, single_user
from cortex.engine import portability
from cortex.engine.deps import Deps
from cortex.errors import ForeignStore, InvalidInput
from cortex.model.policy import Caller
from cortex.model.record import Record
from cortex.model.single_user import SingleUserFile
from cortex.model.transfer import Conflict, Imported, Refused

_NAMED = 3


def take_in(deps: Deps, caller: Caller, file: SingleUserFile, conflict: Conflict) -> Imported:
    """Add the memories to those that are here, one commit per 200; a row that cannot be kept is named and left."""
    refused: list[Refused] = []
    counts: Counter[str] = Counter()
    records = _records(deps, file, refused)
    while chunk := list(islice(records, portability.CHUNK)):
        counts += portability.put(deps, caller, chunk, conflict)
        counts["as_text"] += sum(map(single_user.has_unread, chunk))
    return portability.summed(counts, refused, file.left_out)


def fill(deps: Deps, caller: Caller, file: SingleUserFile) -> Imported:
    """Put every memory into a store that is empty and becomes the file's successor.

    Of equal memories one is active and the others are superseded by it. `ForeignStore` names the rows for which no
    rule keeps everything; what was written by then is to be thrown away.
    """
    refused: list[Refused] = []
    counts: Counter[str] = Counter()
    total = 0
    records = single_user.set_apart(_records(deps, file, refused))
    while chunk := list(islice(records, portability.CHUNK)):
        total += len(chunk)
        if refused:
            continue  # the rest is read for what else is wrong with it
        counts += portability.put(deps, caller, chunk, Conflict.SKIP)
        counts["as_text"] += sum(map(single_user.has_unread, chunk))
        counts["duplicates"] += sum(map(single_user.is_duplicate, chunk))
    if refused:
        named = "; ".join(f"row {row.line}, {row.error}" for row in refused[:_NAMED])
        more = f"; and {len(refused) - _NAMED} more" if len(refused) > _NAMED else ""
        raise ForeignStore(f"{len(refused)} of its rows cannot be kept as they are ({named}{more})")
    if counts["added"] != total:
        raise ForeignStore(f"{total - counts['added']} of its rows have an id that another row has")
    return portability.summed(counts, refused, file.left_out)


def _records(deps: Deps, file: SingleUserFile, refused: list[Refused]) -> Iterator[Record]:
    """The records of the rows; a row of which none can be made is added to ``refused``."""
    signature = single_user.same_model(file, deps.embedder.signature)
    for row in file.rows:
        try:
            yield single_user.to_record(row, signature)
        except InvalidInput as error:
            refused.append(Refused(row.seq, f"id {intake.shown(row.id)}: {error}"))
