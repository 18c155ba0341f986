"""Settings that the solver's tests share: how many examples, and which tests wait for `-m slow`."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, Phase, settings

# An example takes from 1 to 100 ms, most of it in the oracle, and more on a loaded machine: no deadline.
common = settings(max_examples=60, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
# The same examples every time, so that a failure is news about the change and not about luck; it is reported as found, without the minutes of shrinking.
settings.register_profile("same", common, derandomize=True, phases=[Phase.explicit, Phase.generate])
# HYPOTHESIS_PROFILE=explore looks for new examples and shrinks what it finds.
settings.register_profile("explore", common)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


def many(examples: int) -> settings:
    """As many examples as the build has time for; whoever explores looks at four times as many."""
    return settings(max_examples=examples if os.environ.get("HYPOTHESIS_PROFILE", "same") == "same" else 4 * examples)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "slow" in (config.getoption("markexpr") or ""):
        return
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.skip(reason="slow: ask for it with -m slow"))
