"""Release after release: the whole of Re-publishing's Figure 1, and what must hold of any history."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dbaudit import AuditSpec, DatasetSpec, ReleaseSpec, add_dataset, add_release, problem, run_audit, verify_audit
from dbaudit.errors import ExitCode
from tests.audit.conftest import PROFILE
from tests.audit.helpers import HOSPITAL, VALUES, Answer, Desk, Row, Table, entropy_bits, same, tables
from tests.sql import stores


# ------------------------------------------------------------------------------------------------ Figure 1
@pytest.fixture
def hospital(desk: Desk) -> Desk:
    add_dataset(desk.store, DatasetSpec("patients", ("gender", "zip"), ("disease",), id="pseudonym"))
    for name in ("r1", "r2"):
        add_release(desk.store, ReleaseSpec("patients", name, "bucketized", HOSPITAL / f"{name}.csv", bucket="bucket"))
    return desk


def certain(answer: Answer) -> dict[str, str]:
    return {person: value for person, values in answer.items() for value, probability in values.items() if probability == 1}


def test_patient_10_is_found_by_both_releases_and_by_neither_alone(hospital: Desk) -> None:
    both = hospital.audit(bounds=True)
    assert certain(hospital.posterior(both)) == {"7": "Diabetes", "10": "Lung Cancer", "13": "Diabetes"}
    assert hospital.bounds(both)["10", "Lung Cancer"] == (1, 1)
    for alone in ("r1", "r2"):
        assert certain(hospital.posterior(hospital.audit(releases=(alone,)))) == {}


def test_what_the_paper_says_of_patients_11_14_and_15(hospital: Desk) -> None:
    audit = hospital.audit()
    both, second = hospital.posterior(audit), hospital.posterior(hospital.audit(releases=("r2",)))
    assert both["14"]["Flu"] == 0 and both["15"]["Flu"] == 0
    assert both["11"].get("Flu", 0) == 0 and both["11"]["Pneumonia"] == pytest.approx(1 / 2, abs=1e-9)
    assert second["11"]["Pneumonia"] == pytest.approx(1 / 3) and second["11"]["Flu"] == pytest.approx(1 / 3)
    assert audit.row["max_residual"] <= 1e-9 and audit.row["duality_gap"] <= 1e-9


def test_what_is_proven_in_figure_1_is_what_holds_in_every_world(hospital: Desk) -> None:
    """Every way to hand out the diseases of all buckets, by brute force; the two halves of the hospital share nobody."""
    figures = [figure(rows_of(name)) for name in ("r1", "r2")]
    audit = hospital.audit()
    found = hospital.posterior(audit)
    possible = {person: {value for value, p in values.items() if p > 0} for person, values in found.items()}
    assert possible == possible_in_some_world(figures)


def rows_of(name: str) -> list[Row]:
    lines = (HOSPITAL / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    return [dict(zip(lines[0].split(","), line.split(","), strict=True)) for line in lines[1:]]


def figure(rows: list[Row]) -> list[tuple[list[str], list[str]]]:
    """The buckets of a release: who stands there, and the diseases."""
    buckets = sorted({row["bucket"] for row in rows})
    return [([r["pseudonym"] for r in rows if r["bucket"] == b], sorted(r["disease"] for r in rows if r["bucket"] == b)) for b in buckets]


def possible_in_some_world(releases: list[list[tuple[list[str], list[str]]]]) -> dict[str, set[str]]:
    """Bucket by bucket of the first release, each permutation of its diseases; kept if no bucket of the second can break any more."""
    first, second = releases
    everybody = {person for release in releases for persons, _ in release for person in persons}
    worlds: list[dict[str, str]] = [{}]
    for persons, diseases in first:
        dealt = [dict(zip(persons, deal, strict=True)) for deal in set(itertools.permutations(diseases))]
        worlds = [{**world, **deal} for world in worlds for deal in dealt if fits({**world, **deal}, second)]
    found: dict[str, set[str]] = {person: set() for person in everybody}
    for world in worlds:
        whole = [world]
        for persons, diseases in second:
            new = [person for person in persons if person not in world]
            left = list(diseases)
            for person in persons:
                if person in world:
                    left.remove(world[person])
            whole = [{**one, **dict(zip(new, deal, strict=True))} for one in whole for deal in set(itertools.permutations(left))]
        for one in whole:
            for person, value in one.items():
                found[person].add(value)
    return found


def fits(world: dict[str, str], release: list[tuple[list[str], list[str]]]) -> bool:
    for persons, diseases in release:
        left = list(diseases)
        for person in persons:
            if person in world:
                if world[person] not in left:
                    return False
                left.remove(world[person])
    return True


# ------------------------------------------------------------------------------------------------ any history
def audited(desk: Desk, table: Table, order: list[int], **more: object) -> Answer:
    """The posterior after the releases of a table were registered in this order; a release may come twice."""
    name = desk.dataset(desk.name(), id="id", **more)  # type: ignore[arg-type]
    for turn, release in enumerate(order):
        desk.release(name, f"r{turn}", table.rows(release))
    return desk.posterior(desk.audit(name))


@given(table=tables(releases=3, max_persons=7), order=st.permutations([0, 1, 2]))
@settings(PROFILE, max_examples=3)
def test_the_order_of_releases_changes_nothing(shared: Desk, table: Table, order: list[int]) -> None:
    assert same(audited(shared, table, [0, 1, 2]), audited(shared, table, order))


@given(table=tables(releases=2, max_persons=7), again=st.integers(0, 1))
@settings(PROFILE, max_examples=3)
def test_a_release_that_is_published_twice_counts_once(shared: Desk, table: Table, again: int) -> None:
    assert same(audited(shared, table, [0, 1]), audited(shared, table, [0, 1, again]))


@given(table=tables(releases=3, max_persons=7, everybody=True))
@settings(PROFILE, max_examples=3)
def test_another_release_of_the_same_persons_never_leaves_more_unknown(shared: Desk, table: Table) -> None:
    bits = [entropy_bits(audited(shared, table, list(range(count)), domain=VALUES)) for count in (1, 2, 3)]
    assert bits[0] >= bits[1] - 1e-9 and bits[1] >= bits[2] - 1e-9


@given(table=tables(releases=2, max_persons=7))
@settings(PROFILE, max_examples=4)
def test_whoever_no_other_release_concerns_keeps_the_share_of_the_bucket(shared: Desk, table: Table) -> None:
    """A bucket is beside everything else if none of its persons appears again."""
    together, alone = audited(shared, table, [0, 1]), audited(shared, table, [0])
    elsewhere = set(table.members(1))
    beside = {bucket for bucket in set(table.bucket[0]) if not any(i in elsewhere for i, where in enumerate(table.bucket[0]) if where == bucket)}
    kept = [person for i, person in enumerate(table.persons) if table.bucket[0][i] in beside]
    assert all(together[person] == alone[person] for person in kept)


@given(table=tables(releases=2, max_persons=6, max_buckets=2), data=st.data())
@settings(PROFILE, max_examples=6)
def test_a_unit_moved_between_two_figures_of_a_bucket_is_never_ignored(shared: Desk, table: Table, data: st.DataObject) -> None:
    release = data.draw(st.integers(0, 1))
    person = data.draw(st.sampled_from(table.members(release)))
    other = data.draw(st.sampled_from([value for value in VALUES if value != table.value[person]]))
    told = [list(table.value), list(table.value)]
    told[release][person] = other
    moved = replace(table, other=told)
    before, after = shared.audit(shared.publish(table)), shared.audit(shared.publish(moved))
    assert before.exit_code == ExitCode.PASSED
    if after.exit_code == ExitCode.PASSED:
        assert not same(shared.posterior(before), shared.posterior(after), 1e-6)
    else:
        assert after.exit_code == ExitCode.CONTRADICTION


@given(table=tables(releases=3, max_persons=8))
@settings(PROFILE, max_examples=3)
def test_lumped_and_unlumped_problems_of_a_history_agree(shared: Desk, table: Table) -> None:
    name = shared.publish(table)
    assert same(shared.posterior(shared.audit(name)), shared.posterior(shared.audit(name, full_model=True)))


@given(table=tables(releases=3, max_persons=6), forms=st.lists(st.sampled_from(["bucketized", "anatomy", "generalized"]), min_size=3, max_size=3))
@settings(PROFILE, max_examples=3)
def test_forms_of_releases_may_be_mixed(shared: Desk, table: Table, forms: list[str]) -> None:
    """A generalized release with a bucket column tells the same of who stands where."""
    name = shared.dataset(shared.name(), id="id")
    for release, form in enumerate(forms):
        shared.release(name, f"r{release}", table.rows(release), form, bucket="bucket")
    assert same(shared.posterior(shared.audit(name)), audited(shared, table, [0, 1, 2]))


@given(table=tables(releases=2, max_persons=7), limit=st.sampled_from([0.0, 0.3, 0.5, 0.75, 1.0]))
@settings(PROFILE, max_examples=6)
def test_a_limit_finds_exactly_what_exceeds_it(shared: Desk, table: Table, limit: float) -> None:
    audit = shared.audit(shared.publish(table), max_probability=limit)
    found = {(row["person"], row["value"]) for row in shared.rows("select person, value from report.finding where audit_id = ?", audit.audit_id)}
    assert found == {(person, value) for person, values in shared.posterior(audit).items() for value, p in values.items() if p > limit + 1e-9}
    assert (audit.row["verdict"], audit.exit_code) == (("breach", ExitCode.BREACHED) if found else ("pass", ExitCode.PASSED))


@given(table=tables(releases=2, max_persons=7))
@settings(PROFILE, max_examples=3)
def test_an_inference_channel_tells_before_and_after_of_everybody(shared: Desk, table: Table) -> None:
    assume(table.members(1))
    name = shared.publish(table)
    small, large = shared.audit(name, releases=("r1",)), shared.audit(name)
    told = shared.rows("select person, value, before, after from report.inference_channel where audit_id = ? and baseline_audit_id = ?", *ids(large, small))
    before, after = shared.posterior(small), shared.posterior(large)
    assert len({(row["person"], row["value"]) for row in told}) == len(told)
    assert {row["person"] for row in told} == set(after)
    for row in told:
        assert row["after"] == after[row["person"]].get(row["value"], 0)
        assert row["before"] == (before[row["person"]].get(row["value"], 0) if row["person"] in before else None)
    assert verify_audit(shared.store, large.audit_id).holds


def ids(*audits: object) -> tuple[int, ...]:
    return tuple(audit.audit_id for audit in audits)  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["republication", "coarse"])
def test_the_solver_gets_the_rows_of_the_model(name: str, tmp_path: Path) -> None:
    """read/term goes by numbers where model.constraint_term goes by names."""
    store = stores.copy(name, tmp_path)
    with store.writing() as session:
        part = problem.read(session, 1)
        assert part is not None
        rows = session.engine.rows("model", "select constraint_key, subject_id, value, coefficient from model.constraint_term where audit_id = 1")
    matrix, keys, cells = part.problem.matrix.tocoo(), part.keys.to_pylist(), part.cells.to_pylist()
    read = [(keys[i], cells[j]["subject_id"], cells[j]["value"], x) for i, j, x in zip(*matrix.coords, matrix.data, strict=True)]
    assert len(rows) > 20 and sorted(read) == sorted(rows)


def test_a_changed_value_is_a_contradiction_that_names_the_person(desk: Desk) -> None:
    desk.dataset(id="id")
    desk.release("patients", "r1", [{"id": "a", "q": 1, "s": "Flu", "bucket": 1}, {"id": "b", "q": 2, "s": "Flu", "bucket": 1}])
    desk.release("patients", "r2", [{"id": "a", "q": 1, "s": "HIV", "bucket": 1}])
    outcome = run_audit(desk.store, AuditSpec("patients"))
    assert outcome.exit_code == ExitCode.CONTRADICTION
    assert "a stands in release r1, bucket 1 and in release r2, bucket 1, which have no value in common" in outcome.row["message"]
