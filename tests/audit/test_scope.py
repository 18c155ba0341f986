"""Whom and what an audit looks at: the rules of DESIGN 3, one by one."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from dbaudit import (
    UsageError,
    list_audits,
    publish_release,
    remove_audit,
    remove_dataset,
    remove_release,
    report,
    show_audit,
    show_dataset,
    verify_audit,
    withdraw_release,
)
from tests.audit.helpers import Desk, Row


def rows(*records: tuple[str, str | None, str, int]) -> list[Row]:
    return [{"id": person, "q": q, "s": value, "bucket": bucket} for person, q, value, bucket in records]


def without_ids(records: list[Row]) -> list[Row]:
    return [{key: value for key, value in row.items() if key != "id"} for row in records]


MAY = rows(("ann", "a", "Flu", 1), ("bob", "b", "HIV", 1), ("cid", "c", "Gout", 2), ("dan", "d", "Flu", 2))
JUNE = rows(("ann", "a", "Flu", 1), ("cid", "c", "Gout", 1))
# Together: ann has Flu or nothing else that both buckets hold, so everybody is known.
ONLY_MAY = {"ann": {"Flu": 0.5, "HIV": 0.5}, "bob": {"Flu": 0.5, "HIV": 0.5}, "cid": {"Flu": 0.5, "Gout": 0.5}, "dan": {"Flu": 0.5, "Gout": 0.5}}
BOTH = {"ann": {"Flu": 1}, "bob": {"Flu": 0, "HIV": 1}, "cid": {"Flu": 0, "Gout": 1}, "dan": {"Flu": 1, "Gout": 0}}


def two_months(desk: Desk, **june: Any) -> Desk:
    desk.dataset(id="id")
    desk.release("patients", "may", MAY, published_on=datetime.date(2026, 5, 31))
    desk.release("patients", "june", JUNE, published_on=datetime.date(2026, 6, 30), **june)
    return desk


# ------------------------------------------------------------------------------------------------ which releases
def test_all_published_releases_count_and_naming_some_leaves_the_others_out(desk: Desk) -> None:
    two_months(desk)
    both, may = desk.audit(), desk.audit(releases=("may",))
    assert both.row["releases"] == ["may", "june"] and desk.posterior(both) == BOTH
    assert may.row["releases"] == ["may"] and desk.posterior(may) == ONLY_MAY
    assert desk.audit(releases=("june", "may")).row["releases"] == ["may", "june"]  # in order of publication


def test_a_candidate_counts_only_where_it_is_named(desk: Desk) -> None:
    two_months(desk, is_candidate=True)
    assert desk.posterior(desk.audit()) == ONLY_MAY
    assert desk.posterior(desk.audit(candidate="june")) == BOTH
    assert desk.posterior(desk.audit(releases=("may", "june"))) == BOTH
    publish_release(desk.store, "patients", "june")
    assert desk.posterior(desk.audit()) == BOTH
    with pytest.raises(UsageError, match="june is published, not a candidate"):
        desk.audit(candidate="june")


def test_a_withdrawn_release_has_been_seen_and_counts_with_a_remark(desk: Desk) -> None:
    two_months(desk)
    withdraw_release(desk.store, "patients", "june")
    audit = desk.audit()
    assert desk.posterior(audit) == BOTH
    assert audit.remarks == ["release june was withdrawn, but it has been seen and counts."]
    assert "june was withdrawn" in show_audit(desk.store, audit.audit_id)["message"]
    left_out = desk.audit(releases=("may",))
    assert desk.posterior(left_out) == ONLY_MAY and left_out.remarks == []


@pytest.mark.parametrize("full_model", [False, True])
def test_a_removed_release_is_gone_for_later_audits_and_earlier_ones_keep_their_meaning(desk: Desk, full_model: bool) -> None:
    two_months(desk)
    earlier = desk.audit(full_model=full_model, bounds=True)
    before = desk.rows("select * from report.posterior where audit_id = ? order by all", earlier.audit_id)
    assert remove_release(desk.store, "patients", "june") is False  # kept for the audit that rests on it
    assert desk.posterior(desk.audit()) == ONLY_MAY
    assert desk.rows("select * from report.posterior where audit_id = ? order by all", earlier.audit_id) == before
    assert verify_audit(desk.store, earlier.audit_id).holds
    assert show_audit(desk.store, earlier.audit_id)["releases"] == ["may", "june"]
    with pytest.raises(UsageError, match="has no release june"):
        desk.audit(releases=("june",))
    # The name is free again, and the earlier audit does not mistake the new release for the old one.
    desk.release("patients", "june", rows(("ann", "a", "HIV", 1), ("bob", "b", "Flu", 1)))
    assert desk.rows("select * from report.posterior where audit_id = ? order by all", earlier.audit_id) == before
    assert verify_audit(desk.store, earlier.audit_id).holds


def test_what_a_removed_release_left_goes_with_the_last_audit_that_used_it(desk: Desk) -> None:
    two_months(desk)
    audit = desk.audit()
    remove_release(desk.store, "patients", "june")
    assert desk.rows("select * from published.release where release = 'june'")
    remove_audit(desk.store, audit.audit_id)
    assert not desk.rows("select * from published.release where release = 'june'")
    assert not list_audits(desk.store)
    for table in ("subject", "subject_person", "subject_bucket", "posterior", "bound", "multiplier", "audit_release", "audit_input"):
        assert not desk.rows(f"select * from result.{table}")
    assert desk.posterior(desk.audit()) == ONLY_MAY


# ------------------------------------------------------------------------------------------------ whose quasi-identifiers
def qi_of(desk: Desk, audit: int) -> dict[str, str | None]:
    query = """
        select n.person, cast(q.qi.q as varchar) as q
        from result.subject_person as s
        inner join published.person as n on s.person_id = n.person_id
        inner join published.qi as q on s.qi_id = q.qi_id
        where s.audit_id = ?
    """
    return {row["person"]: row["q"] for row in desk.rows(query, audit)}


def moved(desk: Desk, **more: Any) -> Desk:
    """Ann moves: each release shows other quasi-identifiers of hers. The generalized one is the latest; registration is not in order of publication."""
    desk.dataset(id="id", **more)
    day = datetime.date
    desk.release("patients", "latest", rows(("ann", "*", "Flu", 1), ("bob", "*", "HIV", 1)), "generalized", bucket=None, published_on=day(2026, 3, 1))
    desk.release("patients", "second", rows(("ann", "a2", "Flu", 1), ("cid", "c", "HIV", 1)), published_on=day(2026, 2, 1))
    desk.release("patients", "first", rows(("ann", "a1", "Flu", 1), ("cid", "c", "HIV", 1)), published_on=day(2026, 1, 1))
    return desk


def test_quasi_identifiers_are_those_of_the_latest_release_that_does_not_generalize(desk: Desk) -> None:
    audit = moved(desk).audit()
    assert qi_of(desk, audit.audit_id) == {"ann": "a2", "bob": "*", "cid": "c"}
    assert any("quasi-identifiers of 1 person differ" in remark for remark in audit.remarks)
    assert [row["person"] for row in desk.rows("select person from report.quasi_identifier_conflict")] == ["ann"]


def test_quasi_identifiers_are_those_of_the_population_where_there_is_one(desk: Desk) -> None:
    audit = moved(desk, population=[{"id": "ann", "q": "a0"}, {"id": "cid", "q": "c"}]).audit()
    assert qi_of(desk, audit.audit_id) == {"ann": "a0", "bob": "*", "cid": "c"}
    assert any("quasi-identifiers of 1 person differ" in remark for remark in audit.remarks)


def test_quasi_identifiers_come_from_releases_in_scope_only(desk: Desk) -> None:
    moved(desk)
    assert qi_of(desk, desk.audit(releases=("first",)).audit_id)["ann"] == "a1"
    generalized = desk.audit(releases=("latest",))
    assert qi_of(desk, generalized.audit_id) == {"ann": "*", "bob": "*"} and generalized.remarks == []


# ------------------------------------------------------------------------------------------------ population and domain
def test_a_population_without_ids_adds_only_the_persons_beyond_the_records(desk: Desk) -> None:
    population: list[Row] = [{"q": "a"}, {"q": "a"}, {"q": "b"}, {"q": "e"}, {"q": None}, {"q": None}]
    desk.dataset(population=population, domain=("Flu", "HIV", "Gout", "Rare"))
    desk.release("patients", "may", without_ids(rows(("", "a", "Flu", 1), ("", "b", "HIV", 1), ("", None, "Flu", 1))))
    found = desk.posterior(desk.audit())
    # One a, one e and one without q are beyond the release; b is in it. The first rows of each are taken to be those in the release.
    anything = dict.fromkeys(("Flu", "HIV", "Gout", "Rare"), 0.25)
    shares = {"Flu": pytest.approx(2 / 3), "HIV": pytest.approx(1 / 3)}
    assert found == {"may#1": shares, "may#2": shares, "may#3": shares, "population#2": anything, "population#4": anything, "population#6": anything}


def test_a_population_without_ids_needs_exactly_one_release_that_does_not_generalize(desk: Desk) -> None:
    desk.dataset(population=[{"q": "a"}])
    with pytest.raises(UsageError, match="exactly one release, not 0"):
        desk.audit()
    desk.release("patients", "may", without_ids(MAY))
    desk.release("patients", "june", without_ids(JUNE))
    with pytest.raises(UsageError, match="exactly one release, not 2"):
        desk.audit()
    assert desk.audit(releases=("may",)).row["status"] == "solved"
    desk.release("patients", "july", without_ids(MAY), "generalized")
    with pytest.raises(UsageError, match="july is generalized"):
        desk.audit(releases=("july",))


def test_without_ids_two_releases_share_nobody(desk: Desk) -> None:
    desk.dataset()
    desk.release("patients", "may", without_ids(MAY))
    desk.release("patients", "june", without_ids(JUNE))
    audit = desk.audit()
    assert audit.row["person_count"] == 6
    assert set(desk.posterior(audit)) == {"may#1", "may#2", "may#3", "may#4", "june#1", "june#2"}


def test_without_a_declared_domain_values_are_those_of_the_microdata_and_the_releases_in_scope(desk: Desk) -> None:
    desk.dataset("told", id="id", microdata=[{"id": "eve", "q": "e", "s": "Rare"}])
    desk.release("told", "may", MAY)
    assert set(desk.posterior(desk.audit("told"))["eve"]) == {"Flu", "HIV", "Gout", "Rare"}
    desk.dataset("seen", id="id", population=[{"id": "eve", "q": "e"}])
    desk.release("seen", "may", MAY[:2])
    desk.release("seen", "june", rows(("zoe", "z", "Plague", 1)))
    assert set(desk.posterior(desk.audit("seen"))["eve"]) == {"Flu", "HIV", "Plague"}
    assert set(desk.posterior(desk.audit("seen", releases=("may",)))["eve"]) == {"Flu", "HIV"}


def test_a_population_is_audited_even_where_nothing_was_released(desk: Desk) -> None:
    desk.dataset(id="id", population=[{"id": "eve", "q": "e"}], domain=("Flu", "HIV"))
    audit = desk.audit()
    assert desk.posterior(audit) == {"eve": {"Flu": 0.5, "HIV": 0.5}}
    assert verify_audit(desk.store, audit.audit_id).holds


def test_without_any_value_there_is_nothing_to_audit(desk: Desk) -> None:
    desk.dataset(id="id", population=[{"id": "eve", "q": "e"}])
    with pytest.raises(UsageError, match="no sensitive value is known"):
        desk.audit()
    with pytest.raises(UsageError, match="no sensitive value is known"):
        desk.audit(full_model=True)
    assert not list_audits(desk.store)


# ------------------------------------------------------------------------------------------------ what is refused
def test_questions_about_nobody_or_nothing_are_refused_and_leave_no_trace(desk: Desk) -> None:
    desk.dataset(id="id")
    for wrong, words in (
        ({}, "nobody is known to be in patients"),
        ({"dataset": "strangers"}, "there is no dataset strangers. Known: patients"),
        ({"adversary": "Eve"}, "there is no adversary Eve"),
        ({"releases": ("may",)}, "patients has no release may"),
        ({"candidate": "may"}, "patients has no release may"),
    ):
        with pytest.raises(UsageError, match=words):
            desk.audit(**wrong)
    with pytest.raises(UsageError, match="there is no audit yet"):
        show_audit(desk.store)
    assert not list_audits(desk.store)


def test_both_adversaries_that_always_exist_may_be_assumed(desk: Desk) -> None:
    two_months(desk)
    assert [desk.audit(adversary=name).row["adversary"] for name in ("default", "none")] == ["default", "none"]


# ------------------------------------------------------------------------------------------------ records, removal, inputs
@pytest.mark.parametrize("declared_by", ["dataset", "release"])
def test_where_each_record_is_a_person_of_its_own_every_report_says_so(desk: Desk, declared_by: str) -> None:
    unit: dict[str, Any] = {"unit": "record"}
    desk.dataset(**(unit if declared_by == "dataset" else {}))
    desk.release("patients", "may", without_ids(MAY), **(unit if declared_by == "release" else {}))
    audit = desk.audit()
    assert audit.row["unit"] == "record"
    assert any("each record was audited as a person of its own" in remark for remark in audit.remarks)
    told = report.gather(desk.store, audit.audit_id)
    assert "Each record was audited as a person of its own." in report.summary(told)[0]
    assert "Each record was audited as a person of its own." in report.page(told)[0]
    assert told["audit"]["unit"] == "record" and "person of its own" in told["audit"]["message"]


def test_a_dataset_with_audits_is_removed_only_with_them(desk: Desk) -> None:
    two_months(desk)
    desk.dataset("other", id="id")
    desk.release("other", "may", MAY)
    kept = desk.posterior(desk.audit("other"))
    desk.audit()
    with pytest.raises(UsageError, match="1 audit rests on patients"):
        remove_dataset(desk.store, "patients")
    assert show_dataset(desk.store, "patients")["release_count"] == 2
    remove_dataset(desk.store, "patients", with_audits=True)
    assert [row["dataset"] for row in list_audits(desk.store)] == ["other"]
    assert desk.posterior(1) == kept and verify_audit(desk.store, 1).holds
    for query in ("published.release", "published.person", "published.qi", "published.dataset_column", "report.dataset", "published.value_part"):
        left = {row.get("dataset", row.get("dataset_id")) for row in desk.rows(f"select * from {query}")}
        assert left in ({"other"}, {2}), query
    two_months(desk)
    assert desk.posterior(desk.audit()) == BOTH


def test_an_audit_remembers_what_it_read(desk: Desk) -> None:
    desk.dataset(id="id", population=[{"id": "eve", "q": "e"}], domain=("Flu", "HIV", "Gout"))
    desk.release("patients", "may", MAY)
    shown = show_audit(desk.store, desk.audit(bounds_worst=2).audit_id)
    assert [(item["kind"], item["name"]) for item in shown["inputs"]] == [("domain", "declared"), ("population", "population"), ("release", "may")]
    assert all(len(item["digest"]) == 64 for item in shown["inputs"])
    assert shown["options"]["bounds_worst"] == 2 and set(shown["versions"]) >= {"dbaudit", "duckdb"}


def test_removing_an_audit_leaves_the_others_and_refuses_what_is_not_there(desk: Desk) -> None:
    two_months(desk)
    first, second = desk.audit(), desk.audit(releases=("may",))
    remove_audit(desk.store, first.audit_id)
    assert [row["audit_id"] for row in list_audits(desk.store)] == [second.audit_id]
    assert desk.posterior(second) == ONLY_MAY
    with pytest.raises(UsageError, match=f"there is no audit {first.audit_id}"):
        remove_audit(desk.store, first.audit_id)
    assert desk.audit().audit_id > second.audit_id  # a number is never used twice
