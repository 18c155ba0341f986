"""What the tests of histories share: a store that stays open, for examples that are many."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dbaudit import Store
from tests.audit.helpers import Desk, OpenStore
from tests.sql import stores


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """Many datasets beside each other in one open store."""
    folder = tmp_path_factory.mktemp("shared")
    stores.copy("empty", folder)
    store = OpenStore(folder / "copy.duckdb")
    yield Desk(store, folder, "parquet")
    store.close()


@pytest.fixture
def hospital(tmp_path: Path) -> Iterator[Store]:
    """Figure 1 of Re-publishing in a store that stays open. Audit 1: both releases, with bounds. Audit 2: the first alone."""
    stores.copy("republication", tmp_path)
    store = OpenStore(tmp_path / "copy.duckdb")
    yield store
    store.close()


@pytest.fixture
def unaudited(hospital: Store) -> Store:
    """The same without its audits; the next is audit 3."""
    return without_audits(hospital)


def without_audits(store: Store) -> Store:
    with store.writing() as session:
        for audit_id in (1, 2):
            session.remove_rows("audit_id", audit_id, schema="result")
    return store


@pytest.fixture
def files(tmp_path: Path) -> Store:
    """Figure 1 on disk, for commands that open it themselves."""
    return stores.copy("republication", tmp_path)


@pytest.fixture
def unaudited_files(files: Store) -> Store:
    """The same without its audits."""
    return without_audits(files)
