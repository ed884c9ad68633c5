"""The suite of a record store: every promise of the port."""

from __future__ import annotations

from cortex.testing.contracts.adding import AtomicContract, DedupContract, IdempotencyContract
from cortex.testing.contracts.changing import (
    EraseContract,
    ReplaceContract,
    StatusContract,
    TouchContract,
    VectorsContract,
)
from cortex.testing.contracts.following import FeedContract, JobContract, LifeContract
from cortex.testing.contracts.layered import (
    ConflictsContract,
    HappenedContract,
    LinksContract,
    ReadingsContract,
    SupersedeContract,
)
from cortex.testing.contracts.reading import InfoContract, LookupContract, RoundTripContract
from cortex.testing.contracts.reindexing import ReindexingContract, RequeueContract, StrangerContract
from cortex.testing.contracts.remembering import HistoryContract, PastContract
from cortex.testing.contracts.rewriting import RewriteContract
from cortex.testing.contracts.selecting import FilterContract, OrderContract
from cortex.testing.contracts.whole import EraseScopeContract, LedgerContract, RecordsContract, RestoreContract


class RecordStoreContract(
    AtomicContract,
    DedupContract,
    IdempotencyContract,
    ReplaceContract,
    VectorsContract,
    StatusContract,
    TouchContract,
    EraseContract,
    EraseScopeContract,
    HistoryContract,
    PastContract,
    RecordsContract,
    LedgerContract,
    RoundTripContract,
    LookupContract,
    InfoContract,
    FilterContract,
    OrderContract,
    FeedContract,
    JobContract,
    RequeueContract,
    ReindexingContract,
    StrangerContract,
    RestoreContract,
    ReadingsContract,
    SupersedeContract,
    LinksContract,
    ConflictsContract,
    HappenedContract,
    LifeContract,
    RewriteContract,
):
    """Tests of a `Store`; a subclass gives the fixture ``new_store``, which makes an empty one."""
