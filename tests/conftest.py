"""Which files take long: `make test` leaves them out, `make test-all` and the build run them."""

from __future__ import annotations

import pytest

# Every command of these opens a store anew, often in a process of its own, as users do; that is what they are about, and what takes long.
SLOW_FILES = {
    "cli/test_odd_input.py",
    "audit/test_scope.py",
    "store/test_crash.py",
    "store/test_locks.py",
    "store/test_store.py",
}
# Of several hundred damaged files a newcomer's run looks at one in five; the build looks at all of them.
SAMPLED_FILE, SAMPLE = "cli/test_bad_input.py", 5


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what takes long."""
    for number, item in enumerate(items):
        path = item.path.as_posix()
        if any(path.endswith(f"tests/{name}") for name in SLOW_FILES) or (path.endswith(f"tests/{SAMPLED_FILE}") and number % SAMPLE):
            item.add_marker(pytest.mark.slow)
