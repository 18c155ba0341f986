"""Privacy-MaxEnt's worked example and its five theorems, checked by counting on paper, by enumeration and by rank."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dbaudit import ReleaseSpec, add_release
from tests.audit.conftest import PROFILE, many
from tests.audit.helpers import HOSPITAL, VALUES, Desk, Row, Table, entropy_bits, same, tables

# Figure 1(a) and (b): who has what, and in which bucket. All ten records (MATHS 11).
FIGURE_1 = [
    ("Allen", "male", "college", "Flu", 1),
    ("Brian", "male", "college", "Pneumonia", 1),
    ("Cathy", "female", "college", "Breast Cancer", 1),
    ("David", "male", "high school", "Flu", 1),
    ("Ethan", "male", "college", "HIV", 2),
    ("Frank", "male", "high school", "Pneumonia", 2),
    ("Grace", "female", "junior", "Breast Cancer", 2),
    ("Helen", "female", "college", "HIV", 3),
    ("Iris", "female", "graduate", "Lung Cancer", 3),
    ("James", "male", "graduate", "Flu", 3),
]
# Figure 1(b) again, as shares of a bucket: what every record of that bucket must get (Eq. 9).
SHARES = {
    1: {"Breast Cancer": Fraction(1, 4), "Flu": Fraction(1, 2), "Pneumonia": Fraction(1, 4)},
    2: {"Breast Cancer": Fraction(1, 3), "HIV": Fraction(1, 3), "Pneumonia": Fraction(1, 3)},
    3: {"Flu": Fraction(1, 3), "HIV": Fraction(1, 3), "Lung Cancer": Fraction(1, 3)},
}


def figure_1(desk: Desk, **options) -> int:
    rows: list[Row] = [{"gender": gender, "degree": degree, "disease": disease, "bucket": bucket} for _, gender, degree, disease, bucket in FIGURE_1]
    if not desk.rows("select 1 from published.dataset where dataset = 'figure1'"):
        desk.dataset("figure1", ("gender", "degree"), ("disease",))
        desk.release("figure1", "d", rows)
    return desk.audit("figure1", **options).audit_id


def constraint_system(desk: Desk, audit: int) -> tuple[list[tuple[int, int, str]], np.ndarray, np.ndarray]:
    """The QI- and SA-invariants as a matrix over the terms P(q, s, b), read from the model's views: terms, matrix, right side (in records)."""
    cells = desk.rows(
        """
        select distinct b.bucket_id as bucket, p.qi_id as qi, c.value
        from model.cell as c
        inner join result.subject_person as p on c.audit_id = p.audit_id and c.subject_id = p.subject_id
        inner join result.subject_bucket as b on c.audit_id = b.audit_id and c.subject_id = b.subject_id
        where c.audit_id = ? order by all
        """,
        audit,
    )
    terms = [(row["bucket"], row["qi"], row["value"]) for row in cells]
    of_qi = desk.rows("select bucket_id, qi_id, person_count from model.qi_invariant where audit_id = ? order by all", audit)
    of_value = desk.rows("select bucket_id, value, value_count from model.sa_invariant where audit_id = ? order by all", audit)
    lines = [[float((b, q) == (row["bucket_id"], row["qi_id"])) for b, q, _ in terms] for row in of_qi]
    lines += [[float((b, s) == (row["bucket_id"], row["value"])) for b, _, s in terms] for row in of_value]
    return terms, np.array(lines), np.array([row["person_count"] for row in of_qi] + [row["value_count"] for row in of_value], dtype=float)


def assignments(desk: Desk, audit: int) -> dict[int, list[Counter[tuple[int, int, str]]]]:
    """Every way to give the values of a bucket to its records (Definition 5.2): how many records of each (b, q, s), for each bucket (Lemma 1)."""
    persons: dict[int, list[int]] = defaultdict(list)
    for row in desk.rows("select bucket_id, qi_id, person_count from model.qi_invariant where audit_id = ? order by all", audit):
        persons[row["bucket_id"]] += [row["qi_id"]] * row["person_count"]
    values: dict[int, list[str]] = defaultdict(list)
    for row in desk.rows("select bucket_id, value, value_count from model.sa_invariant where audit_id = ? order by all", audit):
        values[row["bucket_id"]] += [row["value"]] * row["value_count"]
    found = {}
    for bucket, records in persons.items():
        orders = set(itertools.permutations(values[bucket]))
        different = {frozenset(Counter((bucket, q, s) for q, s in zip(records, order, strict=True)).items()) for order in orders}
        found[bucket] = [Counter(dict(assignment)) for assignment in different]
    return found


@st.composite
def small_buckets(draw: st.DrawFn) -> Table:
    """A dozen buckets of one to five records: each is an example of its own."""
    sizes = draw(st.lists(st.integers(1, 5), min_size=8, max_size=12))
    bucket: list[int | None] = [number for number, size in enumerate(sizes, 1) for _ in range(size)]
    count = len(bucket)
    qi = draw(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=count, max_size=count))
    return Table(qi, draw(st.lists(st.sampled_from(VALUES), min_size=count, max_size=count)), [bucket])


def rank(matrix: np.ndarray) -> int:
    return int(np.linalg.matrix_rank(matrix)) if matrix.size else 0


# ------------------------------------------------------------------------------------------------ Figure 1
@pytest.mark.parametrize("full_model", [False, True])
def test_without_knowledge_each_record_of_figure_1_has_the_shares_of_its_bucket(desk: Desk, full_model: bool) -> None:
    found = desk.posterior(figure_1(desk, full_model=full_model))
    expected = {f"d#{row}": {value: float(share) for value, share in SHARES[bucket].items()} for row, (*_, bucket) in enumerate(FIGURE_1, 1)}
    assert same(found, expected, 1e-12)


def test_a_person_of_figure_1_of_whom_only_the_quasi_identifiers_are_known_has_the_average_over_the_buckets(desk: Desk) -> None:
    audit = figure_1(desk)
    rows = desk.rows(
        "select cast(qi.gender as varchar) as gender, cast(qi.degree as varchar) as degree, value, probability from report.qi_posterior where audit_id = ?",
        audit,
    )
    found = {(row["gender"], row["degree"], row["value"]): row["probability"] for row in rows}
    # P(s | q) = sum over b of P(s | q, b) P(b | q); male, college stands twice in bucket 1 and once in bucket 2.
    assert found["male", "college", "Flu"] == pytest.approx(2 / 3 * 1 / 2)
    assert found["male", "college", "Breast Cancer"] == pytest.approx(2 / 3 * 1 / 4 + 1 / 3 * 1 / 3)
    assert found["male", "college", "HIV"] == pytest.approx(1 / 3 * 1 / 3)
    assert found["female", "college", "HIV"] == pytest.approx(1 / 2 * 1 / 3)
    assert found["male", "high school", "Pneumonia"] == pytest.approx(1 / 2 * 1 / 4 + 1 / 2 * 1 / 3)
    assert ("female", "graduate", "Breast Cancer") not in found
    for q in {key[:2] for key in found}:
        assert sum(p for key, p in found.items() if key[:2] == q) == pytest.approx(1)


def test_the_papers_model_has_a_subject_for_each_quasi_identifier_and_bucket(desk: Desk) -> None:
    row = desk.rows("select * from result.audit where audit_id = ?", figure_1(desk, full_model=True))[0]
    assert (row["person_count"], row["subject_count"], row["cell_count"], row["constraint_count"]) == (10, 9, 27, 9)
    assert row["component_count"] == 3  # Lemma 2: without knowledge buckets are independent


# ------------------------------------------------------------------------------------------------ Theorem 1
def test_the_truth_of_figure_1_satisfies_every_invariant(desk: Desk) -> None:
    """Soundness (Theorem 1): QI, SA and Zero hold for the original data, whose pairing the release hides."""
    audit = figure_1(desk, full_model=True)
    terms, matrix, target = constraint_system(desk, audit)
    keys = {
        (row["gender"], row["degree"]): row["qi_id"]
        for row in desk.rows("select cast(qi.gender as varchar) as gender, cast(qi.degree as varchar) as degree, qi_id from published.qi")
    }
    buckets = {row["bucket"]: row["bucket_id"] for row in desk.rows("select bucket, bucket_id from published.bucket")}
    truth = Counter((buckets[str(bucket)], keys[gender, degree], disease) for _, gender, degree, disease, bucket in FIGURE_1)
    assert set(truth) <= set(terms)
    assert np.array_equal(matrix @ np.array([truth[term] for term in terms], dtype=float), target)
    zero = desk.rows(
        """
        select b.bucket_id, p.qi_id, z.value
        from model.zero_invariant as z
        inner join result.subject_person as p on z.audit_id = p.audit_id and z.subject_id = p.subject_id
        inner join result.subject_bucket as b on z.audit_id = b.audit_id and z.subject_id = b.subject_id
        where z.audit_id = ?
        """,
        audit,
    )
    impossible = {(row["bucket_id"], row["qi_id"], row["value"]) for row in zero}
    assert not impossible & set(truth)
    assert len(impossible) == 9 * 5 - 27 and not impossible & set(terms)  # 9 pairs (q, b), 5 diseases


@given(table=small_buckets())
@settings(PROFILE, max_examples=3)
def test_every_assignment_satisfies_every_invariant(shared: Desk, table: Table) -> None:
    audit = full_audit(shared, table)
    terms, matrix, target = constraint_system(shared, audit)
    for bucket, ways in assignments(shared, audit).items():
        own = bucket_rows(terms, matrix, bucket)
        for assignment in ways:
            assert set(assignment) <= set(terms)
            assert np.array_equal(matrix[own] @ np.array([assignment[term] for term in terms], dtype=float), target[own])


# ------------------------------------------------------------------------------------------------ Theorems 2 and 3
def test_in_each_bucket_of_figure_1_exactly_one_invariant_is_redundant(desk: Desk) -> None:
    terms, matrix, _ = constraint_system(desk, figure_1(desk, full_model=True))
    assert ranks_by_bucket(terms, matrix) == dict.fromkeys({b for b, *_ in terms}, (3, 3, 5))


@given(table=tables(max_persons=60, max_buckets=12))
@settings(PROFILE, max_examples=4)
def test_in_each_bucket_exactly_one_invariant_is_redundant_and_any_one_will_do(shared: Desk, table: Table) -> None:
    """Conciseness (Theorem 3): rank g + h - 1, and still so after any one row is left out."""
    terms, matrix, _ = constraint_system(shared, full_audit(shared, table))
    for bucket, (g, h, found) in ranks_by_bucket(terms, matrix).items():
        assert found == g + h - 1
        own = matrix[bucket_rows(terms, matrix, bucket)]
        assert all(rank(np.delete(own, k, axis=0)) == found for k in range(len(own)))


@given(table=small_buckets())
@settings(PROFILE, max_examples=3)
def test_whatever_is_the_same_in_all_assignments_follows_from_the_invariants(shared: Desk, table: Table) -> None:
    """Completeness (Theorem 2): the expressions that are constant over all assignments are exactly the row space.

    An expression is constant iff it is orthogonal to all differences of assignments, so both spaces together must fill the room.
    """
    audit = full_audit(shared, table)
    terms, matrix, _ = constraint_system(shared, audit)
    for bucket, ways in assignments(shared, audit).items():
        own = [k for k, term in enumerate(terms) if term[0] == bucket]
        points = np.array([[assignment[terms[k]] for k in own] for assignment in ways], dtype=float)
        assert rank(matrix[bucket_rows(terms, matrix, bucket)][:, own]) + rank(points - points[0]) == len(own)


def test_an_expression_that_is_no_invariant_lies_outside_the_row_space(desk: Desk) -> None:
    """Section 5.1: P(q1, s1, 1) alone is an inference, not an invariant."""
    terms, matrix, _ = constraint_system(desk, figure_1(desk, full_model=True))
    for k in range(len(terms)):
        assert rank(np.vstack([matrix, np.eye(len(terms))[k]])) == rank(matrix) + 1


# ------------------------------------------------------------------------------------------------ Theorem 5
def test_the_general_solver_agrees_with_the_closed_form_on_figure_1(desk: Desk) -> None:
    assert same(desk.posterior(figure_1(desk)), desk.posterior(figure_1(desk, full_model=True)))


@pytest.mark.parametrize("file", ["r1.csv", "r2.csv"])
def test_the_general_solver_agrees_with_the_closed_form_on_the_hospital(desk: Desk, file: str) -> None:
    desk.dataset("hospital", ("gender", "zip"), ("disease",), id="pseudonym")
    add_release(desk.store, ReleaseSpec("hospital", "r", "bucketized", HOSPITAL / file, bucket="bucket"))
    short, full = desk.audit("hospital"), desk.audit("hospital", full_model=True)
    assert same(desk.posterior(short), desk.posterior(full))
    assert short.row["entropy_bits"] == pytest.approx(full.row["entropy_bits"], rel=1e-12)
    assert short.row["component_count"] == full.row["component_count"]


def agree(desk: Desk, table: Table) -> None:
    name = desk.dataset(desk.name())
    desk.release(name, "r", table.rows(ids=False))
    short, full = desk.audit(name), desk.audit(name, full_model=True)
    found = desk.posterior(short)
    assert same(found, desk.posterior(full))
    assert short.row["entropy_bits"] == pytest.approx(full.row["entropy_bits"], abs=1e-9)
    assert short.row["entropy_bits"] == pytest.approx(entropy_bits(found), abs=1e-9)


@given(table=tables(max_persons=40, max_buckets=8))
@settings(PROFILE, max_examples=5)
def test_the_general_solver_agrees_with_the_closed_form(shared: Desk, table: Table) -> None:
    agree(shared, table)


@pytest.mark.slow
@given(table=tables(max_persons=40, max_buckets=6))
@many(16)
def test_the_general_solver_agrees_with_the_closed_form_on_more_releases(shared: Desk, table: Table) -> None:
    agree(shared, table)


# ------------------------------------------------------------------------------------------------ pieces
def full_audit(desk: Desk, table: Table) -> int:
    name = desk.dataset(desk.name())
    desk.release(name, "r", table.rows(ids=False))
    return desk.audit(name, full_model=True).audit_id


def bucket_rows(terms: list[tuple[int, int, str]], matrix: np.ndarray, bucket: int) -> np.ndarray:
    """Which rows speak of a bucket."""
    return np.asarray(matrix[:, [term[0] == bucket for term in terms]].any(axis=1))


def ranks_by_bucket(terms: list[tuple[int, int, str]], matrix: np.ndarray) -> dict[int, tuple[int, int, int]]:
    """For each bucket the number of distinct q, of distinct s, and the rank of its rows."""
    found = {}
    for bucket in {b for b, *_ in terms}:
        columns = [k for k, term in enumerate(terms) if term[0] == bucket]
        own = matrix[:, columns]
        found[bucket] = (len({terms[k][1] for k in columns}), len({terms[k][2] for k in columns}), rank(own[own.any(axis=1)]))
    return found
