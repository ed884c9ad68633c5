"""Opening a file of the earlier single-user program: it is backed up, and a store with its memories takes its place."""

from __future__ import annotations

import logging

from cortex.app import build
from cortex.app.settings import Settings
from cortex.engine import single_user
from cortex.errors import ForeignStore
from cortex.model.policy import Caller
from cortex.model.single_user import SingleUserFile
from cortex.model.transfer import Imported
from cortex.ports import Embedder
from cortex.stores.sqlite.replace import replace_single_user

log = logging.getLogger(__name__)


def take_over(path: str, caller: Caller, embedder: Embedder, settings: Settings) -> None:
    """Do so where the path leads to such a file, and tell it in a log record; else do nothing.

    `ForeignStore` names rows that cannot be kept; the file is untouched then.
    """

    def make(file: SingleUserFile, new: str) -> Imported:
        store = build.open_store(new, settings)
        try:
            deps = build.assemble(store, build.Plugs(embedder), settings, settings.timezone, wait=False)
            return single_user.fill(deps, caller, file)
        except ForeignStore as error:
            raise ForeignStore(
                f"{path} is a file of the earlier single-user program, but {error}; it was left untouched: "
                "mend these rows with another program, or choose another path with CORTEX_STORE"
            ) from error
        finally:
            store.close()

    replaced = replace_single_user(path, make)
    if replaced is not None:
        done, backup = replaced
        log.warning("%s", _told(path, done, backup))


def _told(path: str, done: Imported, backup: str) -> str:
    facts = [
        f"{done.added:,} memories of the earlier single-user program were taken over into {path}",
        f"the file as it was is {backup}",
    ]
    if done.duplicates:
        facts.append(f"{done.duplicates:,} repeat another one and are superseded by it")
    if done.pending:
        facts.append(f"{done.pending:,} wait for vectors of this model")
    if done.as_text:
        facts.append(f"{done.as_text:,} have a part that could not be read and is kept as text in their source")
    facts += [f"{count:,} {name} were left out and are in that file only" for name, count in done.left_out.items()]
    return "; ".join(facts)
