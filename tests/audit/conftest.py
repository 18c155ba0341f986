"""What the tests of audits share: the same examples every time, and stores that cost little."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

from dbaudit.store import Store
from tests.audit.helpers import Desk, OpenStore

# An example takes some 100 ms: it reads files, runs the SQL of one or two audits, and asks an oracle.
# Fewer examples than elsewhere, therefore; `-m slow` brings more.
common = settings(
    max_examples=12,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much],
)
settings.register_profile("same-audits", common, derandomize=True, phases=[Phase.explicit, Phase.generate])
settings.register_profile("explore-audits", common)
PROFILE = settings.get_profile(os.environ.get("HYPOTHESIS_PROFILE", "same") + "-audits")


def many(examples: int) -> settings:
    """As many examples as the build has time for; whoever explores looks at four times as many."""
    return settings(PROFILE, max_examples=examples if PROFILE.derandomize else 4 * examples)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "slow" in (config.getoption("markexpr") or ""):
        return
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.skip(reason="slow: ask for it with -m slow"))


@pytest.fixture(scope="session")
def _empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty store, made once: copying it is much faster than making another."""
    folder = tmp_path_factory.mktemp("empty")
    Store.create(folder / "audit.duckdb")
    return folder


@pytest.fixture
def closed_desk(_empty: Path, tmp_path: Path) -> Desk:
    """A store of its own on disk, which is opened and let go again by each call."""
    for file in _empty.glob("*.duckdb"):
        shutil.copy(file, tmp_path / file.name)
    return Desk(Store(tmp_path / "audit.duckdb"), tmp_path)


@pytest.fixture
def desk(closed_desk: Desk) -> Iterator[Desk]:
    """A store of its own that stays open."""
    store = OpenStore(closed_desk.store.files.audit)
    yield Desk(store, closed_desk.folder)
    store.close()


@pytest.fixture(scope="module")
def shared(_empty: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A store that stays open, in which many datasets live beside each other: for properties of many examples."""
    folder = tmp_path_factory.mktemp("shared")
    for file in _empty.glob("*.duckdb"):
        shutil.copy(file, folder / file.name)
    store = OpenStore(folder / "audit.duckdb")
    yield Desk(store, folder, "parquet")
    store.close()
