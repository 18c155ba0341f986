"""What an officer reads: about ten lines that say how many, who, how sure, and how it was judged."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from dbaudit import AuditSpec, DatasetSpec, ReleaseSpec, Store, UsageError, add_dataset, add_release, report, run_audit
from tests.audit.helpers import HOSPITAL, Desk, Table


@pytest.fixture
def hospital(desk: Desk) -> Desk:
    add_dataset(desk.store, DatasetSpec("patients", ("gender", "zip"), ("disease",), id="pseudonym"))
    for name in ("r1", "r2"):
        add_release(desk.store, ReleaseSpec("patients", name, "bucketized", HOSPITAL / f"{name}.csv", bucket="bucket"))
    return desk


def test_the_summary_of_one_release_says_all_an_officer_asks(hospital: Desk) -> None:
    run_audit(hospital.store, AuditSpec("patients", releases=("r1",), bounds_worst=3))
    lines = report.summary(report.gather(hospital.store))
    text = "\n".join(lines)
    assert 6 <= len(lines) <= 12
    assert lines[0].startswith("Audit 1 of patients: r1; adversary default.")
    assert re.search(r"13 persons.* 4 groups", text)
    assert "Nobody's value is certain" in text
    # Bucket 1 of Figure 1(b) holds Flu twice among four; the others hold three different values each.
    assert "4 persons at 0.5, 9 persons at 0.3333" in text
    assert "Certificate: every published figure is met" in text
    assert "Bounds were worked out for 4 persons" in text
    assert "Verdict: unjudged" in text


def test_the_summary_of_both_releases_names_somebody_whose_value_is_certain(hospital: Desk) -> None:
    """Re-publishing, Figure 1: both releases together prove values that neither alone gives away."""
    run_audit(hospital.store, AuditSpec("patients"))
    told = report.gather(hospital.store)
    certain = [line for line in report.summary(told) if line.startswith("Certain: ")]
    assert certain
    proven = {row["person"]: row["likely_value"] for row in hospital.rows("select * from report.disclosure where possible_count = 1")}
    assert told["proven"]["person_count"] == len(proven) > 0
    assert proven[told["proven"]["person"]] == told["proven"]["value"]
    assert told["proven"]["person"] in certain[0] and told["proven"]["value"] in certain[0]
    assert any(f"{len(proven)} persons at 1" in line or "1 person at 1" in line for line in report.summary(told))


def test_the_page_lists_the_most_exposed_in_order_with_what_the_audit_read(hospital: Desk) -> None:
    run_audit(hospital.store, AuditSpec("patients"))
    told = report.gather(hospital.store)
    worst = [round(row["max_probability"], 8) for row in told["worst"]]  # to the tolerance by which levels are one
    assert len(worst) == 10 and worst == sorted(worst, reverse=True)
    page = report.page(told)
    assert page[: len(report.summary(told))] == report.summary(told)
    assert any(line.startswith("Read release r1: SHA-256 ") for line in page)
    assert page[-1].endswith("dbaudit audits verify 1")


def test_what_a_report_tells_is_json_through_and_through(hospital: Desk, tmp_path: Path) -> None:
    run_audit(hospital.store, AuditSpec("patients", bounds=True))
    told = report.gather(hospital.store)
    data = json.loads(json.dumps(report.plain(told), allow_nan=False))
    assert data["audit"]["audit_id"] == 1 and data["audit"]["verdict"] == "unjudged"
    assert data["worst"][0]["max_probability"] == 1
    report.write(told, tmp_path / "report.json", as_json=True)
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8")) == data
    report.write(told, tmp_path / "report.txt", as_json=False)
    assert (tmp_path / "report.txt").read_text(encoding="utf-8").splitlines() == report.page(told)


def test_numbers_that_json_cannot_say_are_null() -> None:
    assert report.plain({"a": float("nan"), "b": [float("inf"), 1.5], 3: (True, None)}) == {"a": None, "b": [None, 1.5], "3": [True, None]}


def test_the_summary_of_a_contradiction_gives_no_numbers(desk: Desk) -> None:
    desk.publish(Table(["a"], ["Flu"], [[1], [1]], [["Flu"], ["HIV"]]), "patients")
    desk.audit()
    told = report.gather(desk.store)
    lines = report.summary(told)
    assert any("p0 stands in release r1, bucket 1 and in release r2, bucket 1" in line for line in lines)
    assert re.match(r"Verdict: unknown\W+there is no answer, so nothing can be said to be safe", lines[-1], re.IGNORECASE)
    assert not any("Certificate" in line or "Nobody's value is certain" in line for line in lines)
    assert json.dumps(report.plain(told), allow_nan=False)
    assert report.page(told)


def test_there_is_no_report_without_an_audit(desk: Desk) -> None:
    with pytest.raises(UsageError, match="there is no audit yet"):
        report.gather(desk.store)


def test_what_is_certain_of_a_single_sensitive_column_is_told(tmp_path: Path) -> None:
    """Two values of a bucket differ in the illness and agree in the pay: the pay is given away although no value is certain."""
    store = Store.create(tmp_path / "audit.duckdb")
    add_dataset(store, DatasetSpec("staff", ("age",), ("ill", "pay")))
    file = tmp_path / "r.csv"
    file.write_text("age,ill,pay,bucket\n30,flu,lo,1\n31,cold,lo,1\n32,flu,hi,2\n33,cold,lo,2\n")
    add_release(store, ReleaseSpec("staff", "r", "bucketized", file, bucket="bucket"))
    told = report.gather(store, run_audit(store, AuditSpec("staff")).audit_id)
    assert told["proven"]["person_count"] == 0
    assert told["proven_part"] == [{"column_name": "ill", "person_count": 0}, {"column_name": "pay", "person_count": 2}]
    assert any("Certain by single column: ill of 0 persons, pay of 2 persons" in line for line in report.summary(told))


def test_values_that_only_the_truth_shows_are_remarked_upon(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "audit.duckdb")
    truth = tmp_path / "truth.csv"
    truth.write_text("id,age,ill\n1,30,hiv\n2,31,hiv\n")
    add_dataset(store, DatasetSpec("one", ("age",), ("ill",), id="id", microdata=truth))
    assert any("taken from the microdata" in remark for remark in run_audit(store, AuditSpec("one")).remarks)
    add_dataset(store, DatasetSpec("two", ("age",), ("ill",), id="id", microdata=truth, domain=("hiv", "flu")))
    assert run_audit(store, AuditSpec("two")).remarks == []


def test_the_audit_file_holds_no_digest_of_the_truth(tmp_path: Path) -> None:
    """With a digest of the microdata's file, whoever has the audit file could try out truths until one fits."""
    digests = []
    for name, value in (("a", "hiv"), ("b", "flu")):
        store = Store.create(tmp_path / f"{name}.duckdb")
        truth = tmp_path / f"{name}.csv"
        truth.write_text(f"id,age,ill\n1,30,{value}\n2,31,flu\n")
        add_dataset(store, DatasetSpec("one", ("age",), ("ill",), id="id", microdata=truth, domain=("hiv", "flu")))
        run_audit(store, AuditSpec("one"))
        digests.append([item["digest"] for item in report.gather(store)["inputs"]])
        assert hashlib.sha256(truth.read_bytes()).hexdigest() not in digests[-1]
    assert digests[0] == digests[1]
