"""Look for anything in a store that should not be there: each file under sql/check selects what is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dbaudit.store import Store, catalogue


@dataclass(frozen=True)
class CheckReport:
    """The names of all checks, and for those that found something: check, what, count and an example."""

    checked: list[str]
    found: list[dict[str, Any]]


def check_store(store: Store) -> CheckReport:
    """Run every check. A clean store gives no findings. Needs both files: some checks compare them."""
    files = catalogue.files("check")
    found = []
    with store.reading(truth=True) as session:
        for file in files:
            rows = session.engine.dicts(f"check {file.name}", file.text)
            if rows:
                found.append(
                    {
                        "check": file.name,
                        "what": file.header["What"],
                        "count": len(rows),
                        "example": ", ".join(f"{key} {value}" for key, value in rows[0].items()),
                    }
                )
    return CheckReport([file.name for file in files], found)
