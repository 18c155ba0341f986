"""One round at a time, and one transaction for several steps."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dbaudit.errors import StoreError, StoreLocked
from dbaudit.store import Session, Store
from dbaudit.store.files import must_be_file

_RETRY_SECONDS = 0.1


class RoundRunning(StoreLocked):
    """Another process runs schedules of this store."""


@contextmanager
def only_round(store: Store, *, wait: float) -> Iterator[None]:
    """Hold the store's round for as long as the block takes; raises RoundRunning where somebody else has it for longer than `wait` seconds.

    The system lets go of the lock when its process ends, however it ends. So whoever has it knows that every run which
    is still marked as running belongs to a dead process.
    """
    must_be_file(store.files.audit)
    path = lock_file(store)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StoreError(f"{path} cannot be opened: {(error.strerror or str(error)).lower()}. Schedules need it to run one at a time.") from error
    try:
        _lock(descriptor, time.monotonic() + wait, store)
        yield
    finally:
        os.close(descriptor)


def lock_file(store: Store) -> Path:
    """The empty file beside the store that is locked. It stays: removing it could let two rounds in."""
    audit = store.files.audit.resolve()  # the same file whichever link leads to the store
    return audit.with_name(audit.name + ".round")


def _lock(descriptor: int, deadline: float, store: Store) -> None:
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise RoundRunning(
                    f"another process is running the schedules of {store.files.audit} now. Wait for it to end, or give --wait SECONDS."
                ) from None
            time.sleep(_RETRY_SECONDS)


class Joined(Store):
    """A store inside a transaction that is open already: what is written through it counts together with the rest, or not at all."""

    def __init__(self, store: Store, session: Session) -> None:
        """Name the same files; `session` is where the writing goes."""
        self.files, self.wait, self._session = store.files, store.wait, session

    @contextmanager
    def writing(self, *, truth: bool = False) -> Iterator[Session]:
        """The session of the open transaction."""
        if truth:
            raise ValueError("the truth was not opened with this transaction")
        yield self._session
