"""`dbaudit explain` as an officer and as a program use it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from dbaudit import AuditSpec, ReleaseSpec, Store, add_release, run_audit
from dbaudit.demonstration import run as demonstrate
from tests.audit.helpers import HOSPITAL
from tests.cli.conftest import Place, Run, place_at


@pytest.fixture(scope="module")
def both_releases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with an audit of both releases of Figure 1; its number is the largest."""
    folder = tmp_path_factory.mktemp("both")
    demonstrate(folder / "store.duckdb")
    return folder


@pytest.fixture
def place(both_releases: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Place:
    shutil.copytree(both_releases, tmp_path / "store")
    return place_at(tmp_path / "store" / "store.duckdb", tmp_path, run, monkeypatch)


def audit_of_both(place: Place) -> str:
    store = Store(place.store)
    if not place.sql("select 1 from published.release where release = 'r2'"):
        add_release(store, ReleaseSpec("patients", "r2", "bucketized", HOSPITAL / "r2.csv", bucket="bucket"))
    return str(run_audit(store, AuditSpec("patients", ("r1", "r2"))).audit_id)


def test_an_officer_reads_figures_and_an_argument(place: Place) -> None:
    told = place.add("explain", audit_of_both(place), "--person", "10")
    assert told.err == ""
    assert told.out.splitlines() == [
        "10 certainly has Lung Cancer: 3 published figures prove it, and no fewer do.",
        "  1. release r1, bucket 3: 1 Lung Cancer among 8, 9 and 10",
        "  2. release r2, bucket 3: no Lung Cancer among 5, 8 and 11",
        "  3. release r2, bucket 4: no Lung Cancer among 6, 9 and 12",
        "Step by step:",
        "  Neither 8 (2) nor 9 (3) has Lung Cancer.",
        "  So 10 has Lung Cancer (1).",
    ]


def test_a_program_reads_the_same_as_json(place: Place) -> None:
    audit = audit_of_both(place)
    told = json.loads(place.add("explain", audit, "--person", "14", "--value", "Flu", "--json").out)
    assert list(told) == [
        "audit_id", "person", "value", "finding", "probability", "facts", "is_smallest", "steps", "influences", "remarks", "impossible",
    ]  # fmt: skip
    assert (told["audit_id"], told["person"], told["value"], told["finding"], told["probability"], told["is_smallest"]) == (
        int(audit), "14", "Flu", "impossible", 0.0, True,
    )  # fmt: skip
    assert told["facts"][0] == {
        "release": "r2", "bucket": "1", "value": "Flu", "count": 1, "persons": ["1", "2", "14"], "person_count": 3, "at_least": 1, "at_most": 1,
    }  # fmt: skip
    assert told["steps"][0] == "Suppose 14 had Flu."
    probable = json.loads(place.add("explain", audit, "--person", "11", "--value", "Pneumonia", "--top", "1", "--json").out)
    assert probable["probability"] == pytest.approx(0.5)
    (influence,) = probable["influences"]
    assert list(influence) == ["release", "bucket", "probability_without", "change"]
    assert influence["change"] == pytest.approx(influence["probability_without"] - probable["probability"])


def test_a_wrong_name_is_a_usage_error_that_tells_the_nearest(place: Place) -> None:
    ended = place.run("explain", "1", "--person", "100")
    assert (ended.code, ended.out) == (2, "")
    assert "nobody in audit 1 is called 100. The names most like it: 10" in ended.err
