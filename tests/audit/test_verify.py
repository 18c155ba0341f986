"""`audits verify` believes nothing that it can recompute: whatever is changed in a store behind dbaudit's back is noticed."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings

from dbaudit import Store, UsageError, Verification, verify_audit
from dbaudit.report import plain
from tests.audit.conftest import PROFILE, many
from tests.audit.helpers import Desk, OpenStore, Table, program_of, tables

# Two releases tie p0..p9 to each other, with prices of both signs and nothing proven; p10 and p11 stand in a bucket of their own.
TIED = Table(
    ["a", "a", "b", "b", "c", "c", "d", "d", "a", "b", "c", "d"],
    ["Flu", "HIV", "Flu", "Gout", "HIV", "Gout", "HIV", "Gout", "HIV", "HIV", "Flu", "HIV"],
    [[1, 1, 2, 2, 2, 1, 2, 1, 1, 1, 3, 3], [2, 1, 1, 1, 2, 2, 1, 2, 2, 1, None, None]],
)
# p8 has Flu, although both of his buckets hold other values too, and p0, p2, p3 cannot have it: only all figures together say so.
FORCING = Table(
    ["a"] * 10,
    ["HIV", "HIV", "Gout", "HIV", "Flu", "HIV", "HIV", "Gout", "Flu", "Flu"],
    [[2, 1, 2, 2, 1, 2, 2, 2, 1, 2], [1, 1, 1, 1, 1, 2, 2, 2, 2, 2]],
)


@pytest.fixture(scope="module")
def audited(_empty: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with three audits: 1 both releases, 2 the papers' full model of one, 3 something forced, with bounds."""
    folder = tmp_path_factory.mktemp("audited")
    for file in _empty.glob("*.duckdb"):
        shutil.copy(file, folder / file.name)
    desk = Desk(Store(folder / "audit.duckdb"), folder)
    population = [{"id": person, "q": q} for person, q in zip([*TIED.persons, "stranger"], [*TIED.qi, "a"], strict=True)]
    desk.publish(TIED, "tied", population=population)
    desk.publish(FORCING, "forcing")
    assert desk.audit("tied", bounds_for=("p0",)).audit_id == 1
    assert desk.audit("tied", releases=("r1",), full_model=True).audit_id == 2
    assert desk.audit("forcing", bounds=True).audit_id == 3
    return folder


@pytest.fixture(scope="module")
def _opened(audited: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenStore]:
    folder = tmp_path_factory.mktemp("opened")
    for file in audited.glob("*.duckdb"):
        shutil.copy(file, folder / file.name)
    store = OpenStore(folder / "audit.duckdb")
    yield store
    store.close()


@pytest.fixture
def copy(_opened: OpenStore) -> Iterator[OpenStore]:
    """The store with the three audits, open, in a transaction that is undone afterwards."""
    _opened.run("begin transaction")
    yield _opened
    _opened.run("rollback")


def tamper(store: OpenStore, *statements: str) -> None:
    """Past dbaudit, as somebody would who has the file."""
    for statement in statements:
        changed = store.run(statement)
        assert changed and changed[0][0] > 0, f"changed nothing: {statement}"


def subject_of(store: Store, audit: int, person: str) -> int:
    with store.reading() as session:
        return session.engine.value(
            "subject", "select subject_id from result.subject_person join published.person using (person_id) where audit_id = ? and person = ?", [audit, person]
        )


@pytest.mark.parametrize("audit", [1, 2, 3])
def test_an_audit_that_nobody_touched_holds(copy: OpenStore, audit: int) -> None:
    found = verify_audit(copy, audit)
    assert found.holds
    assert max(found.max_residual, found.normalisation_error, found.duality_gap, found.price_error, found.headline_error) < 1e-11
    assert found.figure_count == {1: 8 + 6, 2: 8, 3: 5 + 6}[audit]
    assert json.loads(json.dumps(plain(found.as_data())))["holds"] is True


@given(table=tables(releases=2, max_persons=9))
@settings(PROFILE, max_examples=4)
def test_every_solved_audit_holds(shared: Desk, table: Table) -> None:
    name = shared.publish(table)
    for options in ({}, {"full_model": True, "bounds": True}):
        found = verify_audit(shared.store, shared.audit(name, **options).audit_id)
        assert found.holds and found.price_error < 1e-9


@pytest.mark.slow
@given(table=tables(releases=3, max_persons=40, max_buckets=8))
@many(10)
def test_every_larger_solved_audit_holds(shared: Desk, table: Table) -> None:
    found = verify_audit(shared.store, shared.audit(shared.publish(table), bounds_worst=5).audit_id)
    assert found.holds and found.price_error < 1e-9


# ------------------------------------------------------------------------------------------------ probabilities
@pytest.mark.parametrize(("audit", "person", "why"), [(1, "p0", "open"), (1, "p10", "closed"), (1, "stranger", "in no release"), (2, "p0", "full model")])
def test_moving_probability_between_two_values_of_a_person_is_noticed(copy: OpenStore, audit: int, person: str, why: str) -> None:
    subject = subject_of(copy, audit, person)
    where = f"where audit_id = {audit} and subject_id = {subject}"
    tamper(
        copy,
        f"update result.posterior set probability = probability - 1e-6 {where} and value = 'Flu'",
        f"update result.posterior set probability = probability + 1e-6 {where} and value = 'HIV'",
    )
    found = verify_audit(copy, audit)
    assert found.normalisation_error < 1e-12
    assert not found.holds, why
    assert any("exceeds 1e-08" in line for line in found.words)


def test_moving_probability_in_a_circle_so_that_every_figure_still_holds_is_noticed_by_the_duality_gap(copy: OpenStore) -> None:
    """Persons exchange values within both releases' buckets: all counts stay, and only the entropy falls."""
    circle = circle_of(TIED)
    step = 0.05
    move(copy, circle, step)
    found = verify_audit(copy, 1)
    assert found.max_residual < 1e-12 and found.normalisation_error < 1e-12
    assert found.duality_gap > 1e-4 and not found.holds


def test_moving_so_little_in_a_circle_that_the_entropy_hardly_falls_is_noticed_by_the_prices(copy: OpenStore) -> None:
    """The entropy is flat at its top: a move of 1e-6 costs 1e-12 of it. The prices say what each probability must be."""
    move(copy, circle_of(TIED), 1e-6)
    found = verify_audit(copy, 1)
    assert max(found.max_residual, found.normalisation_error, found.duality_gap) < 1e-9
    assert found.price_error > 1e-7 and not found.holds


def move(store: OpenStore, circle: dict[tuple[str, str], float], step: float) -> None:
    """Go a step in that direction in audit 1."""
    for (person, value), direction in circle.items():
        where = f"audit_id = 1 and subject_id = {subject_of(store, 1, person)} and value = '{value}'"
        tamper(store, f"update result.posterior set probability = probability + {direction * step} where {where}")


def circle_of(table: Table) -> dict[tuple[str, str], float]:
    """A direction in which every figure and every sum stays as it is, on subjects of one person each."""
    program = program_of(table)
    matrix, _ = program.matrix()
    _, size, rows = np.linalg.svd(matrix)
    null = rows[int((size > 1e-9).sum()) :]
    alike: dict[tuple[int | None, ...], list[str]] = {}
    for i, person in enumerate(table.persons):
        alike.setdefault(tuple(buckets[i] for buckets in table.bucket), []).append(person)
    # Average over persons alike: they share a stored row.
    cells = program.cells
    direction = np.zeros(len(cells))
    for vector in null:
        smooth = np.zeros(len(cells))
        for k, (person, value) in enumerate(cells):
            group = next(members for members in alike.values() if person in members)
            smooth[k] = np.mean([vector[cells.index((other, value))] for other in group])
        if np.abs(smooth).max() > 1e-6:
            direction = smooth / np.abs(smooth).max()
            break
    assert np.abs(matrix @ direction).max() < 1e-9 and np.abs(direction).max() == 1
    first = {members[0] for members in alike.values()}
    return {cell: float(step) for cell, step in zip(cells, direction, strict=True) if abs(step) > 1e-9 and cell[0] in first}


@pytest.mark.parametrize("audit", [1, 2, 3])
def test_a_row_that_was_deleted_is_noticed_whichever_it_is(copy: OpenStore, audit: int) -> None:
    with copy.reading() as session:
        keys = session.engine.rows("rows", "select subject_id, value from result.posterior where audit_id = ? order by all", [audit])
    copy.run("create temp table kept as select * from result.posterior")
    for subject, value in keys[:: max(1, len(keys) // 4)]:
        tamper(copy, f"delete from result.posterior where audit_id = {audit} and subject_id = {subject} and value = '{value}'")
        found = verify_audit(copy, audit)
        assert found.missing_count == 1 and not found.holds
        tamper(copy, "delete from result.posterior", "insert into result.posterior select * from kept")
    assert verify_audit(copy, audit).holds


@pytest.mark.parametrize(
    "statement",
    [
        "insert into result.posterior select * from result.posterior where audit_id = 1 and probability = 0.5",
        "insert into result.posterior select audit_id, subject_id, place, 'Plague', 0.0, false from result.posterior where audit_id = 1 limit 1",
        "update result.posterior set value = 'Plague' where audit_id = 1 and value = 'Gout'",
        "update result.posterior set probability = 'nan' where audit_id = 1 and value = 'Gout'",
        "update result.posterior set probability = case value when 'Flu' then -0.5 when 'HIV' then 1.5 end where audit_id = 1 and value in ('Flu', 'HIV')",
        "update result.posterior set probability = 1.0 where audit_id = 1 and value = 'Gout'",
        "delete from result.posterior where audit_id = 1",
    ],
)
def test_rows_that_cannot_be_are_noticed(copy: OpenStore, statement: str) -> None:
    tamper(copy, statement)
    assert not verify_audit(copy, 1).holds


def test_an_answer_beyond_the_domain_of_somebody_in_no_release_is_noticed(copy: OpenStore) -> None:
    """No figure speaks of the stranger: only the domain does."""
    subject = subject_of(copy, 1, "stranger")
    tamper(copy, f"update result.posterior set value = 'Plague' where audit_id = 1 and subject_id = {subject} and value = 'Flu'")
    found = verify_audit(copy, 1)
    assert found.missing_count == 2 and not found.holds


# ------------------------------------------------------------------------------------------------ prices, figures, flags
def test_a_price_that_was_changed_is_noticed(copy: OpenStore) -> None:
    with copy.reading() as session:
        keys = [key for (key,) in session.engine.rows("prices", "select constraint_key from result.multiplier where audit_id = 1 order by all")]
    assert len(keys) == 6 + 6
    for key in keys[::3]:
        tamper(copy, f"update result.multiplier set multiplier = multiplier + 0.01 where audit_id = 1 and constraint_key = '{key}'")
        found = verify_audit(copy, 1)
        assert found.duality_gap > 1e-6 and not found.holds
        tamper(copy, f"update result.multiplier set multiplier = multiplier - 0.01 where audit_id = 1 and constraint_key = '{key}'")
    assert verify_audit(copy, 1).holds


@pytest.mark.parametrize("price", ["nan", "inf", "-inf"])
def test_a_price_that_is_no_number_proves_nothing(copy: OpenStore, price: str) -> None:
    tamper(copy, f"update result.multiplier set multiplier = '{price}' where audit_id = 1 and constraint_key = 'release r1, bucket 1, Flu'")
    assert not verify_audit(copy, 1).holds


def test_without_prices_nothing_is_proven(copy: OpenStore) -> None:
    """Unless they were all 0, the bound is only that of no figures at all."""
    tamper(copy, "delete from result.multiplier where audit_id = 1")
    assert not verify_audit(copy, 1).holds


@pytest.mark.parametrize("where", ["bucket_id = 1", "bucket_id = 3"])
def test_a_published_count_that_was_changed_is_noticed(copy: OpenStore, where: str) -> None:
    tamper(copy, f"update published.bucket_value set value_count = value_count + 1 where {where} and value = 'Flu'")
    found = verify_audit(copy, 1)
    assert found.max_residual > 0.1 and not found.holds


def test_a_published_value_that_was_removed_or_renamed_is_noticed(copy: OpenStore) -> None:
    tamper(copy, "update published.bucket_value set value = 'Plague' where bucket_id = 1 and value = 'Flu'")
    assert not verify_audit(copy, 1).holds


@pytest.mark.parametrize(
    "statement",
    [
        "update published.member set bucket_id = 2 where bucket_id = 1 and person_id = (select min(person_id) from published.member)",
        "update result.subject_person set subject_id = 1 where audit_id = 1 and subject_id = 2",
        "update result.subject set person_count = person_count + 1 where audit_id = 1 and subject_id = 1",
        "update result.subject set is_closed = true where audit_id = 1 and not is_closed",
        "update result.subject_bucket set bucket_id = 2 where audit_id = 1 and bucket_id = 1",
        "delete from result.subject_person where audit_id = 1 and subject_id = 1",
    ],
)
def test_who_stands_where_cannot_be_changed_unnoticed(copy: OpenStore, statement: str) -> None:
    tamper(copy, statement)
    found = verify_audit(copy, 1)
    assert found.misplaced_count > 0 and not found.holds
    assert any("do not stand where the publications have them" in line for line in found.words)


@pytest.mark.parametrize(
    ("audit", "statement"),
    [
        (3, "update result.posterior set is_forced = false where audit_id = 3 and is_forced and probability = 1"),
        (3, "update result.posterior set is_forced = false where audit_id = 3 and is_forced and probability = 0"),
        (3, "update result.posterior set is_forced = true where audit_id = 3 and probability between 0.01 and 0.99"),
        (1, "update result.posterior set is_forced = true where audit_id = 1"),
    ],
)
def test_a_flag_that_does_not_fit_its_probability_is_noticed(copy: OpenStore, audit: int, statement: str) -> None:
    tamper(copy, statement)
    assert not verify_audit(copy, audit).holds


def test_bounds_that_do_not_enclose_the_probability_are_noticed(copy: OpenStore) -> None:
    tamper(copy, "update result.bound set lower = 0.99 where audit_id = 1 and lower = 0")
    found = verify_audit(copy, 1)
    assert found.misbounded_count > 0 and not found.holds


@pytest.mark.parametrize("change", ["entropy_bits = entropy_bits + 1", "person_count = 3", "subject_count = 1", "cell_count = 1", "constraint_count = 1"])
def test_the_sums_in_the_audits_own_row_are_checked(copy: OpenStore, change: str) -> None:
    tamper(copy, f"update result.audit set {change} where audit_id = 1")
    found = verify_audit(copy, 1)
    assert found.headline_error > 1e-8 and not found.holds


def test_tampering_through_a_plain_connection_is_noticed_in_that_audit_and_in_no_other(audited: Path, tmp_path: Path) -> None:
    for file in audited.glob("*.duckdb"):
        shutil.copy(file, tmp_path / file.name)
    store = Store(tmp_path / "audit.duckdb")
    assert verify_audit(store, 1).holds
    with duckdb.connect(str(store.files.audit)) as connection:
        connection.execute("update result.posterior set probability = 1 - probability where audit_id = 1 and subject_id = 1")
    assert not verify_audit(store, 1).holds
    assert verify_audit(store, 2).holds and verify_audit(store, 3).holds


# ------------------------------------------------------------------------------------------------ the bound itself
@given(table=tables(releases=2, max_persons=7, max_buckets=2))
@settings(PROFILE, max_examples=3)
def test_whatever_the_prices_are_the_dual_lies_above_the_entropy_of_the_best_answer(shared: Desk, table: Table) -> None:
    """Weak duality: arbitrary prices give a bound that the optimum, by Clarabel, does not exceed."""
    audit = shared.audit(shared.publish(table), full_model=True).audit_id
    _, bits = program_of(table).most_uncertain()
    random = np.random.default_rng(len(table.value))
    query = """
        select (select sum(person_count * log_partition) from model.open_certificate where audit_id = $audit)
            - (
                select sum(m.multiplier * b.lower)
                from result.multiplier as m
                inner join model.constraint_bound as b on m.audit_id = b.audit_id and m.constraint_key = b.constraint_key
                where m.audit_id = $audit
            )
    """
    with shared.store.writing() as session:
        for _ in range(3):
            for (key,) in session.engine.rows("keys", "select constraint_key from result.multiplier where audit_id = ?", [audit]):
                session.engine.run(
                    "price", "update result.multiplier set multiplier = ? where audit_id = ? and constraint_key = ?", [random.normal(), audit, key]
                )
            assert session.engine.value("bound", query, {"audit": audit}) / math.log(2) >= bits - 1e-6
    found = verify_audit(shared.store, audit)
    assert found.duality_gap >= 0 and (found.holds == (found.duality_gap <= 1e-8 and found.price_error <= 1e-8))


INEQUALITIES = """
    create or replace view model.constraint_bound as
    select i.audit_id, i.constraint_key, 'relation' as kind, {lower} as lower, {upper} as upper, i.release_id as family, i.bucket_id as block
    from model.sa_invariant as i
    inner join result.multiplier as m on i.audit_id = m.audit_id and i.constraint_key = m.constraint_key
    where i.audit_id = 1
"""
SIGNS = "select count(*) filter (where multiplier > 1e-3), count(*) filter (where multiplier < -1e-3) from result.multiplier where audit_id = 1"


@pytest.mark.parametrize(
    ("lower", "upper", "holds"),
    [
        ("value_count - 0.0", "value_count + 0.0", True),
        # Prices of both signs stand on both sides: where a bound moves away from its price, the price proves too little.
        ("value_count - 1.0", "value_count + 0.0", False),
        ("value_count + 0.0", "value_count + 1.0", False),
        (
            "case when multiplier >= 0 then value_count else value_count - 1.0 end",
            "case when multiplier <= 0 then value_count else value_count + 1.0 end",
            True,
        ),
        ("case when multiplier >= 0 then value_count end", "case when multiplier <= 0 then value_count end", True),
        ("case when multiplier >= 0 then value_count else '-inf'::double end", "case when multiplier <= 0 then value_count else 'inf'::double end", True),
        ("case when multiplier <= 0 then value_count else '-inf'::double end", "case when multiplier >= 0 then value_count else 'inf'::double end", False),
    ],
)
def test_a_positive_price_counts_with_the_lower_bound_and_a_negative_one_with_the_upper(copy: OpenStore, lower: str, upper: str, holds: bool) -> None:
    """Inequalities will come with knowledge; until then the view that tells the bounds is exchanged behind verify's back."""
    with copy.reading() as session:
        session.engine.run("view", INEQUALITIES.format(lower=lower, upper=upper))
        measured = session.row("read/verification", audit_id=1)
        signs = session.engine.rows("signs", SIGNS)
    assert min(signs[0]) > 0, "the example has prices of both signs"
    assert Verification(audit_id=1, **measured).holds is holds


def test_a_prior_takes_part_in_the_bound(copy: OpenStore) -> None:
    """The answer without knowledge is not the one closest to a prior that favours Flu: with such weights nothing is proven."""
    with copy.reading() as session:
        session.engine.run(
            "table", "create table main.cell as select * replace (case when value = 'Flu' then 2.0 else 1.0 end as prior_weight) from model.cell"
        )
        session.engine.run("view", "create or replace view model.cell as select * from main.cell")
        skewed = Verification(audit_id=2, **session.row("read/verification", audit_id=2))
        # A weight that is the same for all values of a person says nothing; the bound must not see it.
        session.engine.run("weights", "update main.cell set prior_weight = 3.0")
        flat = Verification(audit_id=2, **session.row("read/verification", audit_id=2))
    assert flat.holds
    assert skewed.price_error > 1e-3


# ------------------------------------------------------------------------------------------------ words
def test_the_words_say_what_is_proven_and_what_is_not(copy: OpenStore) -> None:
    proven = verify_audit(copy, 3)
    text = "\n".join(proven.words)
    assert proven.forced_count > 0
    assert f"Not proven again: that {proven.forced_count} pairs" in text
    assert "Not checked: bounds" in text and "digests" in text
    assert "Not proven again" not in "\n".join(verify_audit(copy, 2).words)


def test_exclusions_are_believed_as_the_words_say(copy: OpenStore) -> None:
    """What verify cannot see: an answer that is right for a false exclusion. p10 and p11 share Flu and HIV; told that p10 cannot have HIV, all is certain."""
    split = "insert into result.{table} select * replace (99 as subject_id{more}) from result.{table} where audit_id = 1 and subject_id = {subject}{who}"
    subject = subject_of(copy, 1, "p10")
    p10 = copy.run("select person_id from published.person where person = 'p10' order by person_id limit 1")[0][0]
    tamper(copy, f"update result.subject set is_closed = false, person_count = 1 where audit_id = 1 and subject_id = {subject}")
    for table, more, who in (("subject", "", ""), ("subject_bucket", "", ""), ("posterior", "", ""), ("subject_person", "", f" and person_id = {p10}")):
        tamper(copy, split.format(table=table, more=more, subject=subject, who=who))
    tamper(
        copy,
        f"delete from result.subject_person where audit_id = 1 and subject_id = {subject} and person_id = {p10}",
        "update result.posterior set is_forced = true, probability = (value = 'Flu')::int where audit_id = 1 and subject_id = 99",
        f"update result.posterior set is_forced = true, probability = (value = 'HIV')::int where audit_id = 1 and subject_id = {subject}",
        "update result.audit as a set entropy_bits = m.entropy_bits, subject_count = m.subject_count, cell_count = m.cell_count "
        "from model.audit_measure as m where a.audit_id = 1 and m.audit_id = 1",
    )
    found = verify_audit(copy, 1)
    assert found.holds and found.forced_count == 4
    assert any("Not proven again: that 4 pairs" in line and "Running the audit again proves that" in line for line in found.words)


def test_an_audit_without_an_answer_cannot_be_verified(desk: Desk) -> None:
    desk.publish(Table(["a"], ["Flu"], [[1], [1]], [["Flu"], ["HIV"]]), "patients")
    audit = desk.audit().audit_id
    with pytest.raises(UsageError, match="is infeasible: there is no answer to verify"):
        verify_audit(desk.store, audit)
    with pytest.raises(UsageError, match="there is no audit 77"):
        verify_audit(desk.store, 77)
