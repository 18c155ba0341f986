"""What changed between two audits: compared with Clarabel on Figure 1, with plain Python on small tables, and with the way back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from typer.testing import CliRunner

from dbaudit import (
    AuditSpec,
    DatasetSpec,
    Difference,
    ReleaseSpec,
    Store,
    UsageError,
    add_dataset,
    add_release,
    compare_audits,
    remove_release,
    run_audit,
)
from dbaudit.cli import app
from tests.audit.helpers import HOSPITAL, Desk, Table, tables
from tests.history.oracle import figure_1
from tests.sql import stores

PAIRED = {
    "new_count": "gone_count",
    "newly_certain_count": "no_longer_certain_count",
    "new_certain_count": "gone_certain_count",
    "before_certain_count": "after_certain_count",
    "more_exposed_count": "less_exposed_count",
    "shared_before_bits": "shared_after_bits",
    "before_worst_probability": "after_worst_probability",
    "shared_count": "shared_count",
}


def assert_mirrored(there: Difference, back: Difference) -> None:
    """The way back says the same with before and after exchanged."""
    assert (there.before, there.after) == (back.after, back.before)
    assert (there.releases_added, there.releases_removed) == (back.releases_removed, back.releases_added)
    assert (there.inputs_added, there.inputs_removed) == (back.inputs_removed, back.inputs_added)
    for one, other in [*PAIRED.items(), *((other, one) for one, other in PAIRED.items())]:
        assert there.count[one] == pytest.approx(back.count[other], abs=1e-12), one
    for one_way, other_way in ((there, back), (back, there)):
        turned = [{**row, "before": row["after"], "after": row["before"], "change": -row["change"]} for row in other_way.fallen]
        assert one_way.risen == turned
        assert one_way.newly_certain == [{"person": row["person"], "value": row["value"], "before": row["after"]} for row in other_way.no_longer_certain]


def test_figure_1_names_whom_the_second_release_hurt(hospital: Store) -> None:
    """Patient 10 becomes certain, and 7 and 13; every figure against Clarabel and linear programs on the two files."""
    first, both = figure_1("r1"), figure_1("r1", "r2")
    shared = set(first.answer) & set(both.answer)
    found = compare_audits(hospital, 2, 1)
    assert (found.releases_added, found.releases_removed, found.inputs_added, found.inputs_removed) == (["r2"], [], [], [])
    assert found.options == [{"option": "bounds", "before": False, "after": True}]
    count = found.count
    assert (count["shared_count"], count["new_count"], count["gone_count"]) == (13, 2, 0)
    assert (len(shared), len(both.answer) - len(shared)) == (13, 2)
    assert count["shared_before_bits"] == pytest.approx(first.of(shared), abs=1e-5)
    assert count["shared_after_bits"] == pytest.approx(both.of(shared), abs=1e-5)
    assert found.after["entropy_bits"] == pytest.approx(both.entropy_bits, abs=1e-5)
    assert (count["before_worst_probability"], count["after_worst_probability"]) == pytest.approx((first.worst, both.worst), abs=1e-5)
    assert {row["person"]: row["value"] for row in found.newly_certain} == both.certain
    assert [row["person"] for row in found.newly_certain] == ["7", "10", "13"] and found.no_longer_certain == []
    assert all(row["before"] == pytest.approx(1 / 3) for row in found.newly_certain)
    rises: dict[str, float] = {}
    for person in shared:
        rises[person] = max(probability - first.answer[person].get(value, 0.0) for value, probability in both.answer[person].items())
    expected = {person: rise for person, rise in rises.items() if rise > 1e-4}
    assert {row["person"]: row["change"] for row in found.risen} == pytest.approx(expected, abs=1e-5)
    assert count["more_exposed_count"] == len(expected) == 9 and count["less_exposed_count"] == 0
    for row in found.risen:
        assert row["after"] == pytest.approx(both.answer[row["person"]][row["value"]], abs=1e-5)
        assert row["before"] == pytest.approx(first.answer[row["person"]][row["value"]], abs=1e-5)
    assert found.words == [
        "patients, from audit 2 to audit 1: r2 added; adversary default; bounds no, then yes.",
        "3 persons became certain, such as 7: Diabetes (before at 0.3333); 2 persons new.",
        "Of the 13 persons in both, 9 can be guessed better and 0 worse; what remains unknown of them fell from 1.56 to 0.92 bits each, "
        "and the surest guess about anybody rose from 0.5 to 1.",
    ]
    assert_mirrored(found, compare_audits(hospital, 1, 2))


def test_persons_are_named_in_order_and_no_more_than_asked_for(hospital: Store) -> None:
    everybody = compare_audits(hospital, 2, 1, top=1000).risen
    assert [row["person"] for row in everybody] == ["7", "10", "13", "5", "6", "8", "9", "11", "12"]
    assert compare_audits(hospital, 2, 1, top=5).risen == everybody[:5]
    nobody = compare_audits(hospital, 2, 1, top=0)
    assert nobody.risen == nobody.newly_certain == [] and nobody.count["newly_certain_count"] == 3
    assert nobody.words[1].startswith("3 persons became certain;")


def told_by(desk: Desk, audit_id: int) -> dict[str, dict[str, float]]:
    answer: dict[str, dict[str, float]] = {}
    for row in desk.rows(f"select person, value, probability from report.posterior where audit_id = {audit_id}"):
        answer.setdefault(row["person"], {})[row["value"]] = row["probability"]
    return answer


def proven_by(desk: Desk, audit_id: int) -> dict[str, str]:
    return {row["person"]: row["likely_value"] for row in desk.rows(f"select * from report.disclosure where audit_id = {audit_id} and possible_count = 1")}


@settings(max_examples=6, deadline=None, derandomize=True, phases=[Phase.explicit, Phase.generate], suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=tables(releases=2, max_persons=7))
def test_two_audits_are_compared_person_by_person_and_mirror_each_other(shared: Desk, table: Table) -> None:
    name = shared.name()
    shared.publish(table, name)
    audits = [run_audit(shared.store, AuditSpec(name, releases=scope)).audit_id for scope in (("r1",), ("r2",), ("r1", "r2"))]
    for before_id, after_id in ((audits[0], audits[1]), (audits[0], audits[2])):
        found = compare_audits(shared.store, before_id, after_id)
        assert_mirrored(found, compare_audits(shared.store, after_id, before_id))
        before, after = told_by(shared, before_id), told_by(shared, after_id)
        known = before.keys() & after.keys()
        proven_before, proven_after = proven_by(shared, before_id), proven_by(shared, after_id)
        expected = {
            "shared_count": len(known),
            "new_count": len(after.keys() - known),
            "gone_count": len(before.keys() - known),
            "before_certain_count": len(proven_before),
            "after_certain_count": len(proven_after),
            "newly_certain_count": sum(person in known and proven_before.get(person) != value for person, value in proven_after.items()),
            "new_certain_count": len(proven_after.keys() - known),
            "more_exposed_count": sum(max(after[person].values()) > max(before[person].values()) + 1e-8 for person in known),
        }
        assert {what: found.count[what] for what in expected} == expected
        rises = {person: max(p - before[person].get(value, 0.0) for value, p in after[person].items()) for person in known}
        assert {row["person"]: row["change"] for row in found.risen} == pytest.approx({p: rise for p, rise in rises.items() if rise > 1e-8}, abs=1e-8)
        changes = [row["change"] for row in found.risen]
        assert changes == pytest.approx(sorted(changes, reverse=True), abs=1e-8)


def test_linked_records_are_one_person_in_both_audits(tmp_path: Path) -> None:
    """Without ids the second release alone calls him r2#1; linked by his age to the first, he is r1#1, and certain: Flu is all that his buckets share."""
    store = stores.copy("empty", tmp_path)
    add_dataset(store, DatasetSpec("town", ("age",), ("ill",), link="qi"))
    for release, rows in (("r1", ["30,Flu,1", "31,HIV,1"]), ("r2", ["30,Flu,1", "32,Gout,1"])):
        (tmp_path / f"{release}.csv").write_text("\n".join(["age,ill,bucket", *rows]) + "\n")
        add_release(store, ReleaseSpec("town", release, "bucketized", tmp_path / f"{release}.csv", bucket="bucket"))
    first, second, both = (run_audit(store, AuditSpec("town", releases=scope)).audit_id for scope in (("r1",), ("r2",), ("r1", "r2")))
    found = compare_audits(store, second, both)
    assert {row["person"]: row["value"] for row in found.newly_certain} == {"r1#1": "Flu", "r2#2": "Gout"}
    assert {row["person"] for row in found.risen} == {"r1#1", "r2#2"}
    assert (found.count["shared_count"], found.count["new_count"], found.count["gone_count"]) == (2, 1, 0)
    assert_mirrored(found, compare_audits(store, both, second))
    # The two releases alone have no record in common.
    assert compare_audits(store, first, second).count["shared_count"] == 0
    assert "No person is in both audits" in compare_audits(store, first, second).words[2]


def test_what_else_differs_is_told(hospital: Store) -> None:
    again = ReleaseSpec("patients", "r1", "bucketized", HOSPITAL / "r1.csv", bucket="bucket")
    remove_release(hospital, "patients", "r1")
    add_release(hospital, again)
    audit_id = run_audit(hospital, AuditSpec("patients", releases=("r1",), adversary="none", max_probability=0.25)).audit_id
    with hospital.writing() as session:
        session.engine.run("another domain", "insert into result.audit_input values (?, 'domain', 'declared', 'abc')", [audit_id])
    found = compare_audits(hospital, 2, audit_id)
    assert found.words[0] == (
        "patients, from audit 2 to audit 3: r1 (registered anew) added; r1 (registered anew) left out; "
        "adversary default, then none; max-probability none, then 0.25; another domain declared."
    )
    assert found.inputs_added == [{"kind": "domain", "name": "declared", "digest": "abc"}]
    figures = {row["what"]: row for row in found.figures}
    assert (figures["findings"]["before"], figures["findings"]["change"]) == (None, None)
    assert figures["findings"]["after"] == 4 + 9 * 3 and figures["verdict"]["after"] == "breach"
    # The same patients and the same figures: nobody is exposed more or less.
    assert found.risen == found.fallen == [] and found.words[1] == "Nobody became certain."


def test_what_cannot_be_compared_is_refused_in_a_sentence(hospital: Store, tmp_path: Path) -> None:
    def refusal(store: Store, before_id: int, after_id: int, **more: Any) -> str:
        with pytest.raises(UsageError) as caught:
            compare_audits(store, before_id, after_id, **more)
        return str(caught.value)

    assert refusal(stores.store("two_datasets"), 1, 2).startswith("audit 1 is of patients and audit 2 of people: only audits of one dataset")
    assert refusal(stores.store("contradiction"), 2, 1).startswith("audit 1 is infeasible: there is no answer to compare.")
    assert refusal(hospital, 1, 9).startswith("there is no audit 9.")
    assert refusal(hospital, 1, 2, top=-1) == "--top takes a number of persons, not -1."


def test_the_command_says_it_in_words_first_and_as_data_on_demand(files: Store) -> None:
    def run(*words: str) -> str:
        done = CliRunner().invoke(app, ["audits", "diff", "2", "1", "--db", str(files.files.audit), *words], catch_exceptions=False)
        assert done.exit_code == 0
        return done.stdout

    found = compare_audits(files, 2, 1)
    lines = run("--top", "2").splitlines()
    assert lines[:4] == [*found.words, ""]
    assert any(line.split() == ["persons", "certain", "0", "3", "3"] for line in lines)
    assert [line.split()[0] for line in lines[-2:]] == ["7", "10"]
    told = json.loads(run("--json"))
    assert told["newly_certain"] == found.newly_certain and told["risen"] == found.risen and told["after"]["audit_id"] == 1
