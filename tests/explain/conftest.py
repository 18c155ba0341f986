"""A store that stays open, in which the hospital of Figure 1 and many small histories live beside each other."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dbaudit import AuditSpec, DatasetSpec, ReleaseSpec, Store, add_dataset, add_release, run_audit
from tests.audit.helpers import HOSPITAL, Desk, OpenStore


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("explained")
    Store.create(folder / "audit.duckdb")
    store = OpenStore(folder / "audit.duckdb")
    yield Desk(store, folder, "parquet")
    store.close()


@pytest.fixture(scope="session")
def hospital(desk: Desk) -> int:
    """The audit of both releases of Figure 1."""
    add_dataset(desk.store, DatasetSpec("hospital", ("gender", "zip"), ("disease",), id="pseudonym", microdata=HOSPITAL / "d1.csv"))
    for name in ("r1", "r2"):
        add_release(desk.store, ReleaseSpec("hospital", name, "bucketized", HOSPITAL / f"{name}.csv", bucket="bucket"))
    return run_audit(desk.store, AuditSpec("hospital")).audit_id
