"""The whole story, with nothing to prepare: a hospital publishes twice, each time safely, and together it gives patients away.

It is Figure 1 of Re-publishing. What is printed is computed here and now from the files under fixtures/hospital.
"""

from __future__ import annotations

import datetime
import tempfile
from pathlib import Path
from typing import Any

from dbaudit.audit import Outcome, run_audit
from dbaudit.dataset import add_dataset
from dbaudit.explain import explain_person
from dbaudit.release import add_release
from dbaudit.report import gather
from dbaudit.spec import AuditSpec, DatasetSpec, ReleaseSpec
from dbaudit.store import Store
from dbaudit.store.catalogue import shipped_folder

HOSPITAL = "hospital"
_RELEASES = {"r1": (datetime.date(2008, 1, 1), "d1.csv"), "r2": (datetime.date(2008, 7, 1), "d2.csv")}
_EXPLAINED = (("10", None), ("14", "Flu"))  # found with certainty; excluded by the argument of the paper's Example 1


def run(db: Path | None = None) -> list[str]:
    """Tell the story of the hospital in a store of its own, which is kept only if `db` names it; returns what to tell."""
    if db is not None:
        return [*_story(Store.create(db)), "", *_what_next(db)]
    with tempfile.TemporaryDirectory(prefix="dbaudit-demo-") as folder:
        lines = _story(Store.create(Path(folder) / "demo.duckdb"))
    return [*lines, "", "The store was temporary. Keep one to look around: dbaudit demo --db demo.duckdb"]


def _story(store: Store) -> list[str]:
    files = shipped_folder("fixtures") / HOSPITAL
    add_dataset(store, DatasetSpec("patients", ("gender", "zip"), ("disease",), id="pseudonym"))
    for name, (day, truth) in _RELEASES.items():
        add_release(store, ReleaseSpec("patients", name, "bucketized", files / f"{name}.csv", bucket="bucket", published_on=day, microdata=files / truth))
    first, second = (run_audit(store, AuditSpec("patients", releases=(name,))) for name in _RELEASES)
    both = run_audit(store, AuditSpec("patients", bounds=True))
    return [
        "A hospital publishes twice who was treated, and hides each patient's disease among those of a bucket (Re-publishing, Figure 1).",
        "",
        f"  first release:  {_told(store, first)}",
        f"  second release: {_told(store, second)}",
        f"  both together:  {_told(store, both)}",
        "",
        "Whom the second release hurt most:",
        *_hurt(store, both, first),
        *(line for person, value in _EXPLAINED for line in ("", *explain_person(store, both.audit_id, person, value).words)),
        "",
        f"Certificate: all {both.row['constraint_count']} published figures are met (error {both.row['max_residual']:.0e}), "
        "and nothing that meets them all is more uncertain.",
    ]


def _told(store: Store, outcome: Outcome) -> str:
    """One release, or both, in a line: how many patients, who is certain, and otherwise the best guess."""
    told = gather(store, outcome.audit_id)
    count = outcome.row["person_count"]
    certain = [row for row in told["worst"] if row["possible_count"] == 1]
    if certain:
        listed = ", ".join(f"{row['person']} {row['likely_value']}" for row in certain)
        return f"{count} patients. The disease of {len(certain)} is CERTAIN: {listed}."
    return f"{count} patients. Nobody's disease is certain; the best guess about anybody has probability {told['worst'][0]['max_probability']:.2g}."


def _hurt(store: Store, both: Outcome, first: Outcome) -> list[str]:
    with store.reading() as session:
        rows: list[dict[str, Any]] = session.rows("read/hurt_by_release", audit_id=both.audit_id, baseline_audit_id=first.audit_id, person_count=5)
    return [f"  patient {row['person']:<3} {row['value']:<12} {row['before']:.2f} before, {row['after']:.2f} after" for row in rows]


def _what_next(db: Path) -> list[str]:
    return [
        "Try next:",
        f'  dbaudit sql --db {db} "select * from report.inference_channel where audit_id = 3 order by after - before desc"',
        f'  dbaudit sql --db {db} --original "select * from original.guess where audit_id = 3"',
        f"  dbaudit explain --db {db} 3 --person 15",
        f"  dbaudit audits history --db {db} patients --plot history.svg",
        f"  dbaudit audits diff --db {db} 1 3",
        f"  dbaudit audits verify --db {db} 3",
    ]
