"""Settings that the solver's tests share: how many examples, and which tests wait for `-m slow`."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

# An example takes from 1 to 100 ms, most of it in the oracle, and more on a loaded machine: no deadline.
settings.register_profile("maxent", max_examples=60, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
settings.load_profile("maxent")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "slow" in (config.getoption("markexpr") or ""):
        return
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.skip(reason="slow: ask for it with -m slow"))
