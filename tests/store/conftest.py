"""Stores that are made once and copied for each test that may do harm to one."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbaudit import AuditSpec, DatasetSpec, ReleaseSpec, Store, add_dataset, add_release, run_audit
from dbaudit.store.files import Files
from tests.store.shared import copied

HOSPITAL = Path(__file__).parents[2] / "fixtures" / "hospital"


@pytest.fixture(autouse=True)
def no_store_is_named_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DBAUDIT_DB", "DBAUDIT_ORIGINAL", "DBAUDIT_DEBUG"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """A store with microdata, two releases and an audit. Not to be changed: use `hospital_copy`."""
    store = Store.create(tmp_path_factory.mktemp("hospital") / "audit.duckdb")
    add_dataset(store, DatasetSpec("patients", ("gender", "zip"), ("disease",), id="pseudonym", microdata=HOSPITAL / "d1.csv"))
    for name in ("r1", "r2"):
        add_release(store, ReleaseSpec("patients", name, "bucketized", HOSPITAL / f"{name}.csv", bucket="bucket"))
    run_audit(store, AuditSpec("patients", bounds=True))
    return store.files


@pytest.fixture
def hospital_copy(hospital: Files, tmp_path: Path) -> Files:
    """A store to do harm to, in a folder of its own."""
    return copied(hospital, tmp_path / "store")
