"""What an adversary knows, in audits: against Clarabel and linear programs, against the paper, and how it is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dbaudit import (
    UsageError,
    add_adversary,
    add_statement,
    check_store,
    explain_person,
    gather,
    import_statements,
    list_adversaries,
    list_statements,
    remove_adversary,
    remove_dataset,
    remove_statement,
    show_adversary,
    show_statement,
    verify_audit,
)
from dbaudit.errors import InputRejected
from dbaudit.report import summary
from tests.audit.helpers import VALUES, Answer, Desk, Row, Table, most_uncertain_point, program_of, tables
from tests.sql import stores

FIGURE_1 = [
    dict(zip(("gender", "degree", "s", "bucket"), line.split(","), strict=True))
    for line in (
        "male,college,Flu,1 male,college,Pneumonia,1 female,college,Breast Cancer,1 male,high school,Flu,1 male,college,HIV,2 male,high school,Pneumonia,2 "
        "female,junior,Breast Cancer,2 female,college,HIV,3 female,graduate,Lung Cancer,3 male,graduate,Flu,3"
    )
    .replace("high school", "high_school")
    .replace("Breast Cancer", "Breast_Cancer")
    .replace("Lung Cancer", "Lung_Cancer")
    .split()
]


@pytest.fixture
def figure_1(desk: Desk) -> Desk:
    desk.dataset(qi=("gender", "degree"))
    desk.release("patients", "r", FIGURE_1)
    return desk


# ------------------------------------------------------------------------------------------------ the paper
def test_men_have_no_breast_cancer_so_both_women_beside_them_have(figure_1: Desk) -> None:
    """Privacy-MaxEnt, section 1."""
    add_statement(figure_1.store, "patients", "P(s = 'Breast_Cancer' | gender = 'male') = 0")
    answer = figure_1.posterior(figure_1.audit())
    assert answer["r#3"]["Breast_Cancer"] == answer["r#7"]["Breast_Cancer"] == 1


def test_a_share_of_the_men_is_a_constraint_of_0_18_n() -> None:
    """Section 4.1: P(Flu | male) = 0.3 is P(q1,Flu,1) + P(q3,Flu,1) + P(q6,Flu,3) = 0.18, of ten records."""
    store = stores.store("knowing")
    with store.reading() as session:
        flu = "select sum(probability) from report.posterior where audit_id = 1 and value = 'Flu' and person in ('d#1', 'd#2', 'd#4', 'd#5', 'd#6', 'd#10')"
        assert session.engine.value("men with flu", flu) == pytest.approx(0.18 * 10, abs=1e-9)
        # Section 5.5: bucket 2 has no Flu, is irrelevant, and was answered without the solver.
        closed = "select sum(person_count) from result.subject where audit_id = 1 and is_closed"
        assert session.engine.value("closed", closed) == 3


def test_two_zeros_decide_bucket_1() -> None:
    """Section 3.2: from P(s1|q2) = 0 and P(s1 or s2|q3) = 0 follows that q3 has s3 and q2 has s2, with certainty."""
    store = stores.store("knowing")
    with store.reading() as session:
        query = (
            "select person, value, lower from report.posterior where audit_id = 2 and person in ('d#1', 'd#2', 'd#3', 'd#4') and probability > 0 order by all"
        )
        assert session.engine.rows("bucket 1", query) == [
            ("d#1", "Breast Cancer", 0), ("d#1", "Flu", 0), ("d#2", "Breast Cancer", 0), ("d#2", "Flu", 0), ("d#3", "Flu", 1), ("d#4", "Pneumonia", 1),
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "values", "sum_over_q3"),
    [
        ("P(s = 'Breast_Cancer' | gender = 'male' and degree = 'high_school') = 0.2", ["Breast_Cancer"], 0.4),
        (
            "P(s = 'Breast_Cancer' | gender = 'male' and degree = 'high_school') + P(s = 'Flu' | gender = 'male' and degree = 'high_school') = 0.4",
            ["Breast_Cancer", "Flu"],
            0.8,
        ),
        ("P(s = 'Pneumonia' | gender = 'male' and degree = 'high_school') = 0.5", ["Pneumonia"], 1.0),
    ],
    ids=["section 3.1: P(s1|q3) = 0.2", "section 3.1: P(s1|q3) + P(s2|q3) = 0.4", "section 5.5: P(s3|q3) = 0.5"],
)
def test_what_is_known_of_q3_joins_buckets_1_and_2_and_leaves_bucket_3_alone(figure_1: Desk, text: str, values: list[str], sum_over_q3: float) -> None:
    """q3 stands in buckets 1 and 2 (records 4 and 6), so that the two are solved together; bucket 3 is irrelevant and keeps its shares."""
    add_statement(figure_1.store, "patients", text)
    outcome = figure_1.audit()
    answer = figure_1.posterior(outcome)
    assert sum(answer[record].get(value, 0.0) for record in ("r#4", "r#6") for value in values) == pytest.approx(sum_over_q3, abs=1e-9)
    closed = figure_1.rows("select sum(person_count) as persons from result.subject where audit_id = ? and is_closed", outcome.audit_id)
    assert closed == [{"persons": 3}] and outcome.row["component_count"] == 2
    assert all(answer[record] == pytest.approx({"Flu": 1 / 3, "HIV": 1 / 3, "Lung_Cancer": 1 / 3}) for record in ("r#8", "r#9", "r#10"))


@pytest.mark.parametrize("audit_id", [1, 2, 3, 4])
def test_an_answer_with_knowledge_can_be_verified(audit_id: int) -> None:
    verification = verify_audit(stores.store("knowing"), audit_id)
    assert verification.holds
    assert verification.statement_count == {1: 1, 2: 2, 3: 2, 4: 0}[audit_id]


def test_a_verification_notices_a_statement_that_says_something_else(tmp_path: Path) -> None:
    store = stores.copy("knowing", tmp_path)
    with store.writing() as session:
        session.engine.run("damage", "update result.audit_statement set lower = 0.31, upper = 0.31 where audit_id = 1")
    assert not verify_audit(store, 1).holds
    with store.writing() as session:
        session.engine.run("damage", "update result.subject set is_closed = true where audit_id = 3 and subject_id in (1, 2)")
    assert verify_audit(store, 3).misplaced_count


# ------------------------------------------------------------------------------------------------ against other solvers
@dataclass(frozen=True)
class Said:
    """A statement, and what it means person by person."""

    text: str
    weight: Callable[[str, str], float]
    lower: float
    upper: float


def truth(table: Table, weight: Callable[[str, str], float]) -> float:
    return sum(weight(person, value) for person, value in zip(table.persons, table.value, strict=True))


@st.composite
def statements(draw: st.DrawFn, table: Table) -> Said:
    """Mostly true of the table, so that it can hold."""

    def term() -> tuple[str, Callable[[str, str], float]]:
        event = draw(st.lists(st.sampled_from(VALUES), min_size=1, max_size=2, unique=True))
        listed = ", ".join(f"'{value}'" for value in event)
        how = draw(st.sampled_from(["everybody", "qi", "person"]))
        if how == "everybody":
            chosen, condition = set(table.persons), ""
        elif how == "qi":
            q = draw(st.sampled_from(table.qi))
            chosen, condition = {person for person, own in zip(table.persons, table.qi, strict=True) if own == q}, f" | q = '{q}'" if q else " | q is null"
        else:
            chosen = set(draw(st.lists(st.sampled_from(table.persons), min_size=1, max_size=3)))
            condition = f" | person in ({', '.join(repr(person) for person in sorted(chosen))})"
        kind = draw(st.sampled_from(["P", "count"]))
        size = len(chosen) if kind == "P" else 1
        return f"{kind}(s in ({listed}){condition})", lambda person, value: float(person in chosen and value in event) / size

    text, weight = term()
    if draw(st.booleans()):
        other, minus = term()
        first = weight
        text, weight = f"2 * {text} - {other}", lambda person, value: 2 * first(person, value) - minus(person, value)
    # Of one term 0 may be untrue, but it is never refused; of two anything may be said.
    true = truth(table, weight) * draw(st.sampled_from([1, 1, 1, 0])) + (draw(st.sampled_from([0.0, 0.0, 0.05])) if " - " in text else 0.0)
    told = f"{true:.12f}"
    match draw(st.sampled_from(["=", "<=", ">=", "between"])):
        case "=":
            return Said(f"{text} = {told}", weight, float(told), float(told))
        case "<=":
            return Said(f"{text} <= {told}", weight, -np.inf, float(told))
        case ">=":
            return Said(f"{text} >= {told}", weight, float(told), np.inf)
        case _:
            return Said(f"{text} = {told} +- 0.1", weight, float(told) - 0.1, float(told) + 0.1)


def expected(table: Table, said: list[Said]) -> Answer | None:
    """Person by person, nobody lumped: None where nothing agrees; otherwise Clarabel's answer on the cells that no linear program excludes."""
    program = program_of(table)
    cells = program.cells
    eq, eq_to = program.matrix()
    rows = [np.array([each.weight(*cell) for cell in cells]) for each in said]
    same = [(row, each.lower) for row, each in zip(rows, said, strict=True) if each.lower == each.upper]
    less = [(row, each.upper) for row, each in zip(rows, said, strict=True) if each.lower != each.upper and np.isfinite(each.upper)]
    less += [(-row, -each.lower) for row, each in zip(rows, said, strict=True) if each.lower != each.upper and np.isfinite(each.lower)]
    eq, eq_to = np.vstack([eq, *(row for row, _ in same)]), np.r_[eq_to, [to for _, to in same]]
    le, le_to = np.array([row for row, _ in less]).reshape(len(less), len(cells)), np.array([to for _, to in less])
    point = most_uncertain_point(le, le_to, eq, eq_to)
    if point is None:
        return None
    found: Answer = {person: dict.fromkeys(values, 0.0) for person, values in program.possible.items()}
    for (person, value), probability in zip(cells, point, strict=True):
        found[person][value] = float(probability)
    return found


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_the_answer_is_that_of_clarabel_for_each_person_alone(shared: Desk, data: st.DataObject) -> None:
    table = data.draw(tables(data.draw(st.integers(1, 2)), max_persons=6))
    said = data.draw(st.lists(statements(table), min_size=1, max_size=3))
    wanted = expected(table, said)
    name = shared.publish(table)
    for each in said:
        add_statement(shared.store, name, each.text)
    outcome = shared.audit(name)
    assert outcome.row["status"] == ("infeasible" if wanted is None else "solved"), outcome.row["message"]
    if wanted is None:
        return
    answer = shared.posterior(outcome)
    for person, values in wanted.items():
        for value, probability in values.items():
            assert answer[person].get(value, 0.0) == pytest.approx(probability, abs=2e-5), (person, value)
    assert outcome.row["constraint_count"] == sum(map(len, table.counts().values())) + len(said)
    assert verify_audit(shared.store, outcome.audit_id).holds


# ------------------------------------------------------------------------------------------------ what it means
def test_a_coarser_value_means_its_leaves_and_patterns_look_at_numbers_as_text(tmp_path: Path) -> None:
    store = stores.copy("coarse", tmp_path)
    add_statement(store, "ward", "count(disease = 'Cancer' | person in (5, '6')) >= 0")
    add_statement(store, "ward", "count(disease <> 'Cancer') >= 0")
    desk = Desk(store, tmp_path)
    audit = desk.audit("ward").audit_id
    rows = desk.rows("select statement_id, value from result.statement_value where audit_id = ? order by all", audit)
    values: dict[int, list[str]] = {}
    for row in rows:
        values.setdefault(row["statement_id"], []).append(row["value"])
    assert list(values.values()) == [["Breast Cancer", "Lung Cancer", "Skin Cancer"], ["Flu"]]


def test_an_event_may_look_at_one_of_several_columns(tmp_path: Path) -> None:
    store = stores.copy("two_columns", tmp_path)
    add_statement(store, "clients", "P(income = 'high' and disease like 'F%' | gender = 'female') = 0.5")
    desk = Desk(store, tmp_path)
    audit = desk.audit("clients").audit_id
    assert desk.rows("select value from result.statement_value where audit_id = ?", audit) == [{"value": "disease=Flu; income=high"}]


TYPED: list[Row] = [
    {"id": "1", "age": 30, "zip": 13053, "born": "1980-05-01", "Odd, name": "x", "smokes": "yes", "s": 900, "bucket": 1},
    {"id": "2", "age": 41, "zip": 14850, "born": "1970-05-01", "Odd, name": "y", "smokes": "no", "s": 1000, "bucket": 1},
    {"id": "c", "age": None, "zip": 13068, "born": "1990-05-01", "Odd, name": "x", "smokes": "no", "s": 90, "bucket": 1},
]


@pytest.mark.parametrize(
    ("condition", "persons"),
    [
        ("age < 40", ["1"]),
        ("age is null or age / 2 > 20", ["2", "c"]),
        ("zip like '130%'", ["1", "c"]),
        ("zip = '14850'", ["2"]),
        ("zip between 13000 and 14000 and not smokes = 'yes'", ["c"]),
        ("born >= date '1980-01-01'", ["1", "c"]),
        ("year(born) = 1970", ["2"]),
        ("\"odd, NAME\" in ('x', 'z')", ["1", "c"]),
        ("length(zip) = 5 and lower(person) = 'c'", ["c"]),
        ("person = 2", ["2"]),
        ("person <> 'c' and zip > 14000", ["2"]),
        ("person like '%'", ["1", "2", "c"]),
    ],
)
def test_conditions_are_sql_over_typed_columns(desk: Desk, condition: str, persons: list[str]) -> None:
    desk.dataset(qi=("age", "zip", "born", "Odd, name", "smokes"), id="id")
    desk.release("patients", "r", TYPED)
    add_statement(desk.store, "patients", f"count(s > 100 | {condition}) >= 0")
    audit = desk.audit().audit_id
    by_qi = "select s.person_id from result.statement_qi as q join result.subject_person as s using (audit_id, qi_id) where q.audit_id = ?"
    by_name = "select person_id from result.statement_person where audit_id = ?"
    query = f"select person from published.person join ({by_qi} union {by_name}) using (person_id) order by person"
    assert [row["person"] for row in desk.rows(query, audit, audit)] == persons
    assert desk.rows("select person_count from result.statement_term where audit_id = ?", audit) == [{"person_count": len(persons)}]
    assert sorted(row["value"] for row in desk.rows("select value from result.statement_value where audit_id = ?", audit)) == ["1000", "900"]


def test_an_audit_keeps_what_it_assumed(figure_1: Desk) -> None:
    known = add_statement(figure_1.store, "patients", "P(s = 'Flu' | gender = 'male') = 0.3")
    before = figure_1.audit()
    assert show_statement(figure_1.store, known.statement_id)["audits"] == [{"audit_id": before.audit_id, "status": "solved", "person_counts": [6]}]
    remove_statement(figure_1.store, known.statement_id)
    assert verify_audit(figure_1.store, before.audit_id).holds
    after = figure_1.audit()
    assert after.row["constraint_count"] == before.row["constraint_count"] - 1
    assert figure_1.posterior(after) == figure_1.posterior(figure_1.audit(adversary="none"))
    assert any("knowledge 1" in line for line in summary(gather(figure_1.store, before.audit_id)))


# ------------------------------------------------------------------------------------------------ what says nothing, or too much
def test_what_counts_nobody_is_a_remark_where_it_holds_and_a_contradiction_where_not(figure_1: Desk) -> None:
    vacuous = add_statement(figure_1.store, "patients", "P(s = 'Anthrax' | degree = 'colege') = 0")
    assert vacuous.remarks == [
        "s is never Anthrax in anything that was registered so far.",
        "degree is never colege in anything that was registered so far. Most like it: college.",
    ]
    outcome = figure_1.audit()
    assert outcome.row["status"] == "solved" and "says nothing here" in outcome.remarks[0]
    add_statement(figure_1.store, "patients", "P(s = 'Lung_Cancer' | degree = 'junior') >= 0.1")
    failed = figure_1.audit()
    assert (failed.row["status"], failed.exit_code) == ("infeasible", 4)
    assert "knowledge 2: P(s = 'Lung_Cancer' | degree = 'junior') >= 0.1 cannot hold" in failed.row["message"]


def test_a_contradiction_names_a_smallest_set_of_statements_and_figures(figure_1: Desk) -> None:
    for text in ("P(s = 'HIV' | gender = 'male') <= 0.5", "count(s = 'Flu' | gender = 'female') = 0", "count(s = 'Flu' | person = 'r#10') = 0"):
        add_statement(figure_1.store, "patients", text)
    failed = figure_1.audit()
    conflict = figure_1.rows("select constraint_key from result.conflict where audit_id = ? order by all", failed.audit_id)
    assert [row["constraint_key"].split(":")[0] for row in conflict] == ["knowledge 2", "knowledge 3", "release r, bucket 3, Flu"]
    assert failed.row["message"].startswith("What is assumed to be known contradicts what was published: these 3 figures and statements")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("P(s = 'Flu' | person = 'r#11') = 0", "nobody in scope is called r#11. Names most like it: r#1, r#10,"),
        ("P(s = 'Flu' | degree = 'phd') <= P(s = 'Flu')", "nobody in scope meets degree = 'phd'"),
    ],
)
def test_what_has_no_meaning_in_a_scope_is_refused_there(figure_1: Desk, text: str, why: str) -> None:
    add_statement(figure_1.store, "patients", text)
    with pytest.raises(UsageError, match=why):
        figure_1.audit()
    assert figure_1.rows("select * from result.audit") == []


def test_a_condition_that_cannot_be_evaluated_is_refused_with_the_statement(figure_1: Desk) -> None:
    with pytest.raises(UsageError, match=r"cannot be evaluated: .*\n  P\(s = 'Flu' \| gender < 3\) = 0"):
        add_statement(figure_1.store, "patients", "P(s = 'Flu' | gender < 3) = 0")


# ------------------------------------------------------------------------------------------------ who knows what
def test_adversaries_come_and_go_with_what_they_know(figure_1: Desk) -> None:
    store = figure_1.store
    add_adversary(store, "nurse", "works there")
    add_statement(store, "patients", "P(s = 'Flu') = 0.3", "nurse")
    assert {row["adversary"]: row["statement_count"] for row in list_adversaries(store)} == {"default": 0, "none": 0, "nurse": 1}
    assert show_adversary(store, "nurse")["statements"][0]["statement"] == "P(s = 'Flu') = 0.3"
    assert list_statements(store, "patients", "default") == []
    remove_adversary(store, "nurse")
    assert list_statements(store, "patients") == []
    for wrong, why in (
        (lambda: remove_adversary(store, "default"), "always exists"),
        (lambda: remove_adversary(store, "nurse"), "there is no adversary nurse"),
        (lambda: add_adversary(store, "none"), "already"),
        (lambda: add_statement(store, "patients", "P(s = 'Flu') = 0.3", "none"), "only what was published"),
        (lambda: add_statement(store, "patients", "P(s = 'Flu') = 0.3", "eve"), "there is no adversary eve"),
        (lambda: show_statement(store, 99), "there is no statement 99"),
        (lambda: remove_statement(store, 99), "there is no statement 99"),
    ):
        with pytest.raises(UsageError, match=why):
            wrong()


def test_a_file_of_statements_is_stored_whole_or_not_at_all(figure_1: Desk) -> None:
    store, file = figure_1.store, figure_1.folder / "known.txt"
    file.write_text("# what is known\n\nP(s = 'Flu') = 0.3  -- of all\n-- nothing\ncount(s = 'HIV' | gender = 'male') >= 1;\n")
    assert [known.statement for known in import_statements(store, "patients", file)] == ["P(s = 'Flu') = 0.3", "count(s = 'HIV' | gender = 'male') >= 1"]
    file.write_text("P(s = 'HIV') = 0.2\nP(t = 'HIV') = 0.2\n")
    with pytest.raises(UsageError, match=r"known.txt, line 2: there is no sensitive column t"):
        import_statements(store, "patients", file)
    assert len(list_statements(store, "patients")) == 2
    file.write_text("# nothing\n")
    with pytest.raises(InputRejected, match="no statement"):
        import_statements(store, "patients", file)


def test_a_removed_dataset_takes_its_statements_along(tmp_path: Path) -> None:
    store = stores.copy("knowing", tmp_path)
    remove_dataset(store, "people", with_audits=True)
    assert list_statements(store) == []
    assert check_store(store).found == []


# ------------------------------------------------------------------------------------------------ why
def test_an_explanation_claims_no_proof_that_needs_knowledge() -> None:
    store = stores.store("knowing")
    told = explain_person(store, 2, "d#3")
    assert (told.finding, told.value, told.facts, told.is_smallest) == ("certain", "Flu", (), None)
    assert "knowledge 2: P(disease = 'Breast Cancer'" in "\n".join(told.words)
    # Bucket 3 is touched by nothing that this adversary knows: its explanation is the usual one.
    assert explain_person(store, 2, "d#8").influences
    probable = explain_person(store, 1, "d#1", "Flu")
    assert probable.influences == () and "knowledge 1" in "\n".join(probable.words)
    # What figures alone exclude is still proven by figures.
    assert explain_person(store, 1, "d#1", "HIV").facts
