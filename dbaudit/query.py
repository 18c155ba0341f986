"""Answer a query that somebody else wrote: parsed, confined to the store, and unable to change anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from dbaudit.engine import EngineError
from dbaudit.errors import QueryRefused
from dbaudit.language.query import guard
from dbaudit.store import Store

if TYPE_CHECKING:
    import pyarrow as pa


def run_query(store: Store, sql: str, *, original: bool = False, variant_as: Literal["json", "varchar"] = "json", threads: int = 1) -> pa.Table:
    """The answer to one query; `original` opens the file of the truth too, read-only.

    Two walls stand behind each other. The engine has the file open read-only, with access to files, network,
    extensions and settings closed; and the text is parsed beforehand, which also gives better messages.
    """
    allowed = guard(sql, original=original)
    with store.querying(truth=original, threads=threads) as session:
        try:
            return session.engine.answer(allowed, variant_as)
        except EngineError as error:
            raise QueryRefused(f"the query cannot be answered: {error.reason}") from error
