"""Rules mined from the truth: against enumeration, in audits against statements and Clarabel, and how they are kept and refused."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dbaudit import (
    MiningSpec,
    Store,
    UsageError,
    add_adversary,
    add_hierarchy,
    add_person,
    add_statement,
    check_store,
    equip_adversary,
    list_adversaries,
    list_rules,
    list_statements,
    mine_rules,
    remove_adversary,
    remove_audit,
    remove_dataset,
    remove_statement,
    run_sweep,
    show_adversary,
    show_statement,
    verify_audit,
)
from dbaudit.errors import StoreError
from dbaudit.language.pattern import spelled
from dbaudit.language.statement import Columns, parse_statement
from dbaudit.spec import AuditSpec, numbers
from tests.audit.conftest import many
from tests.audit.helpers import Desk, Program, Row, same
from tests.audit.test_knowledge import FIGURE_1
from tests.sql import stores

COLUMNS = ("zip code", "age", "Gender")


@st.composite
def microdata(draw: st.DrawFn, most: int = 14) -> list[Row]:
    """Small tables with few values, so that rules are borne out by several, and with gaps."""
    count = draw(st.integers(1, most))
    values: dict[str, list[str | None]] = {"zip code": ["1", "10", "2", None], "age": ["30", "4"], "Gender": ["f", "it's", None]}
    return [
        {
            "id": f"p{number}",
            **{name: draw(st.sampled_from(values[name])) for name in COLUMNS},
            "s": draw(st.sampled_from(["Flu", "HIV", "O'Neil"])),
        }
        for number in range(count)
    ]


def enumerated(rows: list[Row], spec: MiningSpec) -> list[tuple[bool, tuple[tuple[str, str], ...], str, int, int]]:
    """The strongest rules by trying every condition that somebody meets: is_positive, condition, value, persons of the condition, those with the value."""
    held: dict[tuple[tuple[str, str], ...], Counter[str]] = defaultdict(Counter)
    for row in rows:
        items = [(name, row[name]) for name in sorted(COLUMNS) if row[name] is not None]
        for size in range(1, len(items) + 1):
            for chosen in itertools.combinations(items, size):
                held[chosen][row["s"]] += 1
    found: list[tuple[bool, tuple[tuple[str, str], ...], str, int, int]] = []
    wanted = [size for size in range(1, 4) if size == (spec.attributes or size) and size <= (spec.max_attributes or 3)]
    for is_positive, most in ((True, spec.positive), (False, spec.negative)):
        rules = []
        for condition, counts in held.items():
            total = counts.total()
            for value in {row["s"] for row in rows}:
                support = counts[value] if is_positive else total - counts[value]
                if support >= spec.min_support and len(condition) in wanted:
                    name = ([column for column, _ in condition], [item for _, item in condition], value)
                    strength = (-Fraction(support, total), -support, len(condition), *name)
                    rules.append((strength, (is_positive, condition, value, total, counts[value])))
        found += [rule for _, rule in sorted(rules)[:most]]
    return found


@many(40)
@given(
    rows=microdata(),
    positive=st.integers(0, 30),
    negative=st.integers(0, 30),
    min_support=st.integers(1, 4),
    sizes=st.sampled_from([(None, None), (1, None), (2, None), (3, None), (None, 1), (None, 2)]),
    ids=st.booleans(),
)
def test_the_strongest_rules_are_those_of_an_enumeration(
    shared: Desk, rows: list[Row], positive: int, negative: int, min_support: int, sizes: tuple[int | None, int | None], ids: bool
) -> None:
    spec = MiningSpec(positive, negative, min_support, *sizes)
    told = rows if ids else [{key: value for key, value in row.items() if key != "id"} for row in rows]
    name = shared.dataset(shared.name(), qi=COLUMNS, id="id" if ids else None, microdata=told)
    wanted = enumerated(rows, spec)
    mined = mine_rules(shared.store, name, spec)
    items: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for row in shared.rows(
        "select i.* from adversary.rule_item as i join adversary.rule using (rule_id) join published.dataset using (dataset_id) where dataset = ?", name
    ):
        items[row["rule_id"]].append((row["column_name"], row["item"]))
    query = "select r.* from adversary.rule as r join published.dataset using (dataset_id) where dataset = ? order by is_positive desc, rank"
    rules = shared.rows(query, name)
    assert [(row["is_positive"], tuple(sorted(items[row["rule_id"]])), row["value"], row["person_count"], row["value_count"]) for row in rules] == wanted
    assert (mined.positive_count, mined.negative_count) == tuple(sum(rule[0] == kind for rule in wanted) for kind in (True, False))
    assert bool(mined.remarks) == (len(wanted) < positive + negative)
    # Printed as a statement, a rule says the same of the same persons.
    for row, (_, condition, value, _, count) in zip(rules, wanted, strict=True):
        (term,) = parse_statement(row["statement"], Columns(("s",), COLUMNS)).terms
        assert row["statement"].endswith(f" = {count}")
        assert term.event == "s = '" + value.replace("'", "''") + "'"
        assert term.condition == " and ".join(f"{spelled(name)} = '" + item.replace("'", "''") + "'" for name, item in condition)


@st.composite
def published(draw: st.DrawFn) -> tuple[list[Row], list[Row]]:
    """Microdata, and a release of it: the values of a bucket in another order."""
    rows = draw(microdata(10))
    bucket = [draw(st.integers(1, 3)) for _ in rows]
    shuffled = {number: sorted(row["s"] for row, own in zip(rows, bucket, strict=True) if own == number) for number in set(bucket)}
    turn = {number: iter(values) for number, values in shuffled.items()}
    return rows, [{**row, "s": next(turn[number]), "bucket": number} for row, number in zip(rows, bucket, strict=True)]


def clarabel(rows: list[Row], release: list[Row], rules: list[tuple[bool, tuple[tuple[str, str], ...], str, int, int]]) -> Program:
    """Person by person: the figures of the buckets, and each rule as one more figure."""
    counts = {number: Counter(row["s"] for row in release if row["bucket"] == number) for number in {row["bucket"] for row in release}}
    possible = {row["id"]: sorted(counts[row["bucket"]]) for row in release}
    figures = [([row["id"] for row in release if row["bucket"] == number], value, count) for number, held in counts.items() for value, count in held.items()]
    for _, condition, value, _, count in rules:
        figures.append(([row["id"] for row in rows if all(row[name] == item for name, item in condition)], value, count))
    return Program(possible, figures)


@many(6)
@given(data=published(), positive=st.integers(0, 6), negative=st.integers(0, 6))
def test_an_audit_with_rules_is_that_of_clarabel_and_of_the_same_rules_as_statements(
    shared: Desk, data: tuple[list[Row], list[Row]], positive: int, negative: int
) -> None:
    rows, release = data
    name = shared.dataset(shared.name(), qi=COLUMNS, id="id", microdata=rows)
    shared.release(name, "r", release)
    spec = MiningSpec(positive, negative, 1)
    mine_rules(shared.store, name, spec)
    outcome = shared.audit(name)
    assert outcome.row["status"] == "solved", outcome.row["message"]
    wanted, _ = clarabel(rows, release, enumerated(rows, spec)).most_uncertain()
    answer = shared.posterior(outcome)
    assert same(answer, wanted, 2e-5)
    assert verify_audit(shared.store, outcome.audit_id).holds
    said = f"s{name}"
    add_adversary(shared.store, said)
    for rule in list_rules(shared.store, name):
        add_statement(shared.store, name, rule["statement"], said)
    assert same(answer, shared.posterior(shared.audit(name, adversary=said)), 1e-8)
    supports = shared.rows("select person_count, value_count from model.rule_support where audit_id = ? order by rule_id", outcome.audit_id)
    assert supports == [{"person_count": rule["person_count"], "value_count": rule["value_count"]} for rule in list_rules(shared.store, name)]


# ------------------------------------------------------------------------------------------------ of whom they speak
PEOPLE: list[Row] = [
    {"id": number, "q": "a" if number < 4 else "b", "s": value, "bucket": bucket}
    for number, value, bucket in [(1, "Flu", 1), (2, "Flu", 1), (3, "HIV", 2), (4, "HIV", 1), (5, "Flu", 2), (6, "HIV", 2)]
]


def truth_of(rows: list[Row]) -> list[Row]:
    return [{key: value for key, value in row.items() if key != "bucket"} for row in rows]


def test_rules_of_a_population_do_not_count_others_in_scope(desk: Desk) -> None:
    """Two of the six are not in the microdata: what is known of four says nothing of them."""
    desk.dataset(id="id", microdata=truth_of([PEOPLE[0], PEOPLE[1], PEOPLE[3], PEOPLE[4]]))
    desk.release("patients", "r", PEOPLE)
    mine_rules(desk.store, "patients", MiningSpec(4, 0, 1))
    rules = {row["rule"]: (row["person_count"], row["value_count"]) for row in list_rules(desk.store, "patients")}
    assert rules == {"q=a => Flu": (2, 2), "q=b => Flu": (2, 1), "q=b => HIV": (2, 1)}
    outcome = desk.audit()
    assert desk.rows("select distinct is_over_population from result.statement_term") == [{"is_over_population": True}]
    assert verify_audit(desk.store, outcome.audit_id).holds and check_store(desk.store).found == []
    # 1 and 2 are all of q=a that the rule counts, so that 4 beside them has HIV; of 4 and 5 one has the flu. Counting 3 and 6 too, nothing would be certain.
    told = desk.posterior(outcome)
    assert [max(told[str(number)], key=lambda value: told[str(number)][value]) for number in range(1, 7)] == ["Flu", "Flu", "HIV", "HIV", "Flu", "HIV"]
    assert all(max(values.values()) == 1 for values in told.values())


def test_rules_of_a_release_speak_of_its_persons_and_need_it_in_scope(desk: Desk) -> None:
    desk.dataset(id="id")
    for name, rows in (("r1", PEOPLE[:4]), ("r2", PEOPLE[2:])):
        desk.release("patients", name, rows, microdata=desk.file(truth_of(rows)))
    for over, why in ((None, "the truth of 2 releases"), ("r9", "has no release r9")):
        with pytest.raises(UsageError, match=why):
            mine_rules(desk.store, "patients", MiningSpec(2, 2, 1, over=over))
    mined = mine_rules(desk.store, "patients", MiningSpec(2, 2, 1, over="r2"))
    assert mined.over == "release r2"
    assert desk.rows("select distinct over_release_id from adversary.rule") == [{"over_release_id": 2}]
    outcome = desk.audit()
    assert verify_audit(desk.store, outcome.audit_id).holds and check_store(desk.store).found == []
    # Of q=b all three stand in r2, of q=a only patient 3 does.
    assert sorted({row["rule"]: row["person_count"] for row in list_rules(desk.store, "patients")}.items())[0] == ("q=a => HIV", 1)
    assert desk.posterior(outcome)["3"]["HIV"] == 1
    with pytest.raises(UsageError, match="of release r2, which is not in scope"):
        desk.audit(releases=("r1",))
    assert desk.audit(releases=("r1",), adversary="none").row["status"] == "solved"


def test_rules_that_fit_the_persons_no_longer_are_left_out_and_told(desk: Desk) -> None:
    desk.dataset(id="id")
    desk.release("patients", "r1", PEOPLE, microdata=desk.file(truth_of(PEOPLE)))
    mine_rules(desk.store, "patients", MiningSpec(2, 2, 1))
    moved = [{**row, "q": "c"} if row["id"] == 1 else row for row in PEOPLE]
    desk.release("patients", "r2", moved)
    outcome = desk.audit()
    left = [remark for remark in outcome.remarks if "left out" in remark]
    assert left and "speak of other persons" in left[0]
    assert verify_audit(desk.store, outcome.audit_id).holds and check_store(desk.store).found == []


def test_rules_do_not_pass_to_others_who_have_the_quasi_identifiers_by_now(desk: Desk) -> None:
    """Two persons change places: as many women as before, but not the same."""
    rows: list[Row] = [{"id": name, "q": "f" if name in "abc" else "m", "s": "Flu" if name in "abc" else "HIV", "bucket": 1} for name in "abcdeg"]
    swapped = [{**row, "q": {"a": "m", "d": "f"}.get(row["id"], row["q"])} for row in rows]
    desk.dataset(id="id")
    desk.release("patients", "r1", rows, microdata=desk.file(truth_of(rows)))
    desk.release("patients", "r2", swapped)
    mine_rules(desk.store, "patients", MiningSpec(2, 2))
    outcome = desk.audit(accuracy=True)
    assert any("4 mined rules were left out" in remark for remark in outcome.remarks)
    assert desk.rows("select is_mined from result.audit_statement") == []
    assert desk.posterior(outcome)["a"]["Flu"] == pytest.approx(0.5)
    assert check_store(desk.store).found == []


def test_a_truth_of_coarser_and_finer_values_makes_rules_about_the_coarser_ones(desk: Desk) -> None:
    """Three women have some cancer: that none of them has lung cancer is not known."""
    diseases = {"a": "Cancer", "b": "Cancer", "c": "Cancer", "d": "Lung Cancer", "e": "Skin Cancer", "g": "Lung Cancer", "h": "Flu"}
    rows = [{"id": name, "q": "f" if name in "abc" else "m", "s": disease, "bucket": 1} for name, disease in diseases.items()]
    tree = [{"level0": leaf, "level1": above, "level2": "*"} for leaf, above in (("Lung Cancer", "Cancer"), ("Skin Cancer", "Cancer"), ("Flu", "Infection"))]
    desk.dataset(id="id", microdata=truth_of(rows))
    add_hierarchy(desk.store, "patients", "s", desk.file(tree))
    desk.release("patients", "r", rows)
    mine_rules(desk.store, "patients", MiningSpec(9, 9, 1))
    assert {row["value"] for row in desk.rows("select value from adversary.rule")} == {"Cancer", "Flu"}
    sweep = run_sweep(desk.store, AuditSpec("patients"), (0, 2, 8))
    assert [row["status"] for row in sweep.rows] == ["solved"] * 3
    # Six of seven have some cancer, which is told of all of them together; with the rules it is known of the women alone.
    without = 3 / 7 * math.log(7 / 6) + 4 / 7 * (3 / 4 * math.log(3 / 4 * 7 / 6) + 1 / 4 * math.log(1 / 4 * 7))
    assert sweep.rows[0]["estimation_accuracy"] == pytest.approx(without, abs=1e-9)
    assert sweep.rows[2]["estimation_accuracy"] == pytest.approx(0, abs=1e-9)
    assert [row["is_truth_excluded"] for row in sweep.rows] == [False] * 3


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"positive": -1, "negative": 0}, "--positive takes a whole number from 0 on"),
        ({"positive": 0, "negative": -1}, "--negative"),
        ({"positive": 1, "negative": 1, "min_support": 0}, "--min-support takes a whole number from 1 on"),
        ({"positive": 1, "negative": 1, "attributes": 0}, "--attributes"),
        ({"positive": 1, "negative": 1, "attributes": 1, "max_attributes": 1}, "not both"),
        ({"positive": 1, "negative": 1, "attributes": 2}, "patients has 1 quasi-identifiers, so that no rule is about 2"),
        ({"positive": 1, "negative": 1, "over": "r"}, "nobody in release r is followed by id"),
    ],
)
def test_what_cannot_be_mined_is_said(desk: Desk, spec: dict[str, int], why: str) -> None:
    desk.dataset(microdata=[{"q": row["q"], "s": row["s"]} for row in PEOPLE])
    desk.release("patients", "r", PEOPLE)
    with pytest.raises(UsageError, match=why):
        mine_rules(desk.store, "patients", MiningSpec(**spec))  # type: ignore[arg-type]
    assert desk.rows("select * from adversary.rule") == []


def test_nothing_is_mined_without_the_truth_or_for_nobody(desk: Desk) -> None:
    desk.dataset()
    desk.release("patients", "r", PEOPLE)
    with pytest.raises(UsageError, match=r"is not in the store\. Declare the dataset with --microdata"):
        mine_rules(desk.store, "patients", MiningSpec(1, 1))
    with pytest.raises(UsageError, match="no accuracy can be measured"):
        desk.audit(accuracy=True)
    for adversary, why in (("none", "only what was published"), ("eve", "no adversary eve")):
        with pytest.raises(UsageError, match=why):
            mine_rules(desk.store, "patients", MiningSpec(1, 1), adversary)
    assert desk.rows("select * from result.audit") == []


def test_too_many_sets_of_columns_are_refused_before_they_are_looked_at(desk: Desk) -> None:
    names = [f"c{number:02}" for number in range(40)]
    drawn = random.Random(2008)
    rows = [{**{name: drawn.randrange(3) for name in names}, "s": "Flu"} for _ in range(30)]
    desk.dataset(qi=names, microdata=rows)
    with pytest.raises(UsageError, match=r"have some 3,838,380 sets of 6.*--max-attributes 5"):
        mine_rules(desk.store, "patients", MiningSpec(1, 1, attributes=6))
    mine_rules(desk.store, "patients", MiningSpec(3, 3, max_attributes=2))


# ------------------------------------------------------------------------------------------------ who keeps them
def test_rules_are_kept_shown_replaced_and_forgotten_with_whoever_knows_them(desk: Desk) -> None:
    store = desk.store
    desk.dataset(id="id", microdata=truth_of(PEOPLE))
    desk.release("patients", "r", PEOPLE)
    known, mined = equip_adversary(store, "nurse", "works there", statements=["P(s = 'Flu') <= 0.9"], rules=MiningSpec(1, 1))
    assert len(known) == 1 and mined is not None and mined.negative_count <= 1
    counts = {row["adversary"]: (row["statement_count"], row["rule_count"]) for row in list_adversaries(store)}
    mine_rules(store, "patients", MiningSpec(2, 1, 1), "nurse")
    assert counts["default"] == (0, 0) and len(list_rules(store, "patients", "nurse")) == 3
    first = list_rules(store, "patients", "nurse")[0]
    outcome = desk.audit(adversary="nurse")
    shown = show_statement(store, first["rule_id"])
    assert shown["statement"] == first["statement"] and shown["audits"][0]["audit_id"] == outcome.audit_id
    assert show_adversary(store, "nurse")["strongest_rules"][0]["rule"] == first["rule"]
    remove_statement(store, first["rule_id"])
    assert len(list_rules(store, "patients", "nurse")) == 2 and check_store(store).found == []
    # An audit keeps what it assumed.
    assert verify_audit(store, outcome.audit_id).holds
    remove_adversary(store, "nurse")
    assert desk.rows("select * from adversary.rule_item") == [] and check_store(store).found == []


def test_an_adversary_is_made_with_all_that_it_knows_or_not_at_all(desk: Desk) -> None:
    store, file = desk.store, desk.folder / "known.txt"
    desk.dataset(id="id", microdata=truth_of(PEOPLE))
    file.write_text("P(s = 'Flu') = 0.5\nP(t = 'Flu') = 0.5\n")
    with pytest.raises(UsageError, match=r"known\.txt, line 2"):
        equip_adversary(store, "nurse", statements=[file], rules=MiningSpec(1, 1))
    with pytest.raises(UsageError, match=r"--statements, line 2: .*no sensitive column"):
        equip_adversary(store, "nurse", statements=["P(s = 'Flu') = 0.5", "P(x = 'Flu') = 0.5"])
    assert [row["adversary"] for row in list_adversaries(store)] == ["default", "none"] and list_statements(store) == []
    file.write_text("P(s = 'Flu') = 0.5\n")
    desk.dataset("others")
    with pytest.raises(UsageError, match=r"name it with --dataset NAME\. Known: others, patients"):
        equip_adversary(store, "nurse", statements=[file])
    known, mined = equip_adversary(store, "nurse", dataset="patients", statements=[file])
    assert [each.statement for each in known] == ["P(s = 'Flu') = 0.5"] and mined is None


def test_a_removed_dataset_takes_its_rules_along(tmp_path: Path) -> None:
    store = stores.copy("mined", tmp_path)
    remove_dataset(store, "people", with_audits=True)
    desk = Desk(store, tmp_path)
    assert [desk.rows(f"select * from {table}") for table in ("adversary.rule", "adversary.rule_item", "result.sweep")] == [[], [], []]
    assert check_store(store).found == []


# ------------------------------------------------------------------------------------------------ bounds and scores
def divergence(desk: Desk, audit_id: int, rows: list[Row], names: tuple[str, ...]) -> float:
    """The sum over q of P(q) KL(P(.|q) || P*(.|q)), in nats, straight from its formula."""
    parts = ", ".join(f"cast(qi.{spelled(name)} as varchar) as c{number}" for number, name in enumerate(names))
    estimate: dict[tuple[str | None, ...], dict[str, float]] = defaultdict(dict)
    for row in desk.rows(f"select {parts}, value, probability from report.qi_posterior where audit_id = ?", audit_id):
        estimate[tuple(row[f"c{number}"] for number in range(len(names)))][row["value"]] = row["probability"]
    groups: dict[tuple[str | None, ...], Counter[str]] = defaultdict(Counter)
    for row in rows:
        groups[tuple(None if row[name] is None else str(row[name]) for name in names)][row["s"]] += 1
    total = 0.0
    for key, counts in groups.items():
        for value, count in counts.items():
            guess = estimate[key].get(value, 0.0)
            share = count / counts.total()
            total += counts.total() / len(rows) * (share * math.log(share / guess) if guess > 0 else math.inf)
    return total


@many(5)
@given(data=published())
def test_a_sweep_is_its_audits_one_by_one(shared: Desk, data: tuple[list[Row], list[Row]]) -> None:
    rows, release = data
    name = shared.dataset(shared.name(), qi=COLUMNS, id="id", microdata=rows)
    shared.release(name, "r", release)
    sweep = run_sweep(shared.store, AuditSpec(name), (5, 0, 2))
    assert [row["bound"] for row in sweep.rows] == [0, 2, 5] and [row["audit_id"] for row in sweep.rows] == [outcome.audit_id for outcome in sweep.outcomes]
    assert list_rules(shared.store, name) == []  # mined for the sweep alone
    mine_rules(shared.store, name, MiningSpec(3, 2))
    for row, positive, negative in zip(sweep.rows, (0, 1, 3), (0, 1, 2), strict=True):
        alone = shared.audit(name, mined=(positive, negative), accuracy=True)
        assert row["positive_count"] <= positive and row["negative_count"] <= negative
        answer = shared.posterior(alone)
        assert same(shared.posterior(row["audit_id"]), answer, 1e-8)
        surest = [max(values.values()) for values in answer.values()]
        assert row["worst_probability"] == pytest.approx(max(surest)) and row["mean_probability"] == pytest.approx(np.mean(surest))
        assert row["entropy_bits"] == pytest.approx(alone.row["entropy_bits"], abs=1e-7)
        assert row["estimation_accuracy"] == pytest.approx(divergence(shared, alone.audit_id, rows, COLUMNS), abs=1e-7)
        assert row["certain_count"] == sum(len([p for p in values.values() if p > 0]) == 1 for values in answer.values())
    # More knowledge leaves no more uncertainty.
    entropies = [row["entropy_bits"] for row in sweep.rows]
    assert all(later <= earlier + 1e-7 for earlier, later in itertools.pairwise(entropies))
    kept = run_sweep(shared.store, AuditSpec(name), (0, 4))
    assert same(shared.posterior(kept.rows[1]["audit_id"]), shared.posterior(shared.audit(name, mined=(2, 2))), 1e-8)


def test_false_knowledge_is_infinitely_far_from_the_truth(desk: Desk) -> None:
    desk.dataset(microdata=[{"q": row["q"], "s": row["s"]} for row in PEOPLE])
    desk.release("patients", "r", [{key: value for key, value in row.items() if key != "id"} for row in PEOPLE])
    add_statement(desk.store, "patients", "P(s = 'HIV' | q = 'a') = 0")  # of three in truth one has it
    outcome = desk.audit(accuracy=True)
    assert desk.rows("select metric, parameter, value from result.metric where audit_id = ?", outcome.audit_id) == [
        {"metric": "estimation_accuracy", "parameter": "nats", "value": math.inf}
    ]
    sweep = run_sweep(desk.store, AuditSpec("patients"), (0,))
    assert sweep.as_data()[0]["estimation_accuracy"] == math.inf and sweep.as_data()[0]["is_truth_excluded"]
    assert check_store(desk.store).found == []


def test_without_ids_a_sweep_compares_quasi_identifiers_with_the_truth(desk: Desk) -> None:
    """Privacy-MaxEnt, Figure 1: the ten records, the truth beside them."""
    rows = [{key: value for key, value in row.items() if key != "bucket"} for row in FIGURE_1]
    desk.dataset(qi=("gender", "degree"), microdata=rows)
    desk.release("patients", "r", FIGURE_1)
    sweep = run_sweep(desk.store, AuditSpec("patients"), (0, 2, 40))
    for row in sweep.rows:
        assert row["estimation_accuracy"] == pytest.approx(divergence(desk, row["audit_id"], rows, ("gender", "degree")), abs=1e-9)
    scores = [row["estimation_accuracy"] for row in sweep.rows]
    assert scores == sorted(scores, reverse=True)
    assert any("fewer rules than asked for" in remark for remark in sweep.remarks)


@pytest.mark.parametrize(("bounds", "why"), [((), "takes numbers of rules"), ((1, 1), "different numbers"), ((-1, 2), "from 0 on")])
def test_bounds_that_cannot_be_meant_are_refused(tmp_path: Path, bounds: tuple[int, ...], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        run_sweep(stores.copy("mined", tmp_path), AuditSpec("people"), bounds)


@pytest.mark.parametrize("text", ["", "1,", "a", "1;2", "-1", "1.5", "1e3", "\u0661", "9999999999"])
def test_a_list_of_numbers_is_whole_numbers(text: str) -> None:
    with pytest.raises(UsageError, match="--sweep takes whole numbers"):
        numbers("--sweep", text)
    assert numbers("--sweep", "0, 10,500") == (0, 10, 500)


def test_a_sweep_stores_all_its_audits_or_none(tmp_path: Path) -> None:
    store = stores.copy("mined", tmp_path)
    before = Desk(store, tmp_path).rows("select count(*) as n from result.audit")
    with pytest.raises(UsageError, match="nobody in scope is called Zoe"):
        run_sweep(store, AuditSpec("people", bounds_for=("Zoe",)), (0, 2))
    with pytest.raises(UsageError, match="the adversary none"):
        run_sweep(store, AuditSpec("people", adversary="none"), (0, 2))
    assert Desk(store, tmp_path).rows("select count(*) as n from result.audit") == before
    assert check_store(store).found == []


def test_rules_that_are_kept_can_be_swept_over_by_whoever_has_the_audit_file_alone(tmp_path: Path) -> None:
    store = stores.copy("mined", tmp_path)
    store.files.original.unlink()
    sweep = run_sweep(store, AuditSpec("people"), (0, 2))
    assert [row["estimation_accuracy"] for row in sweep.rows] == [None, None] and all(row["status"] == "solved" for row in sweep.rows)
    with pytest.raises(StoreError):
        mine_rules(store, "people", MiningSpec(1, 1))


def test_the_truth_can_be_read_but_not_written_while_rules_are_mined(tmp_path: Path) -> None:
    store = stores.copy("mined", tmp_path)
    before = store.files.original.read_bytes()
    mine_rules(store, "people", MiningSpec(2, 2, 1))
    assert store.files.original.read_bytes() == before


def test_a_sweep_tells_of_named_persons_too(desk: Desk) -> None:
    """Privacy-MaxEnt, Figure 1: Frank is one of two men of the high school, and nobody knows which."""
    desk.dataset(qi=("gender", "degree"), microdata=[{key: value for key, value in row.items() if key != "bucket"} for row in FIGURE_1])
    desk.release("patients", "r", FIGURE_1)
    add_person(desk.store, "patients", "Frank", {"gender": "male", "degree": "high_school"})
    add_statement(desk.store, "patients", "P(s = 'Pneumonia' | person = 'Frank') = 1")
    told = run_sweep(desk.store, AuditSpec("patients", max_probability=0.9), (0,))
    (row,) = told.rows
    assert (row["verdict"], row["certain_count"], row["worst_probability"]) == ("breach", 0, 1)
    assert "of no record is the value certain, but of a named person it is" in told.words[1]


def test_removing_an_audit_takes_it_out_of_its_sweep(tmp_path: Path) -> None:
    store = stores.copy("mined", tmp_path)
    (first, *_) = Desk(store, tmp_path).rows("select audit_id from report.sweep order by bound")
    remove_audit(store, first["audit_id"])
    assert len(Desk(store, tmp_path).rows("select * from report.sweep")) == 2
    assert check_store(store).found == []


@pytest.mark.parametrize(
    ("column", "written"),
    [
        ("age", "age"),
        ("native-country", '"native-country"'),
        ("order", "order"),
        ('a"b', '"a""b"'),
        ("größe", "größe"),
        ("1st", '"1st"'),
        ("a.b", '"a.b"'),
        ("null", '"null"'),
    ],
)
def test_a_column_is_quoted_where_it_must_be(column: str, written: str) -> None:
    assert spelled(column) == written
    (term,) = parse_statement(f"P(s = 'x' | {written} = '1') = 0", Columns(("s",), (column,))).terms
    assert term.condition == f"{written} = '1'"


def test_a_store_without_rules_needs_no_second_file(tmp_path: Path) -> None:
    """Plain audits never open the truth."""
    store: Store = stores.copy("privacy_maxent", tmp_path)
    store.files.original.unlink()
    assert Desk(store, tmp_path).audit("people").row["status"] == "solved"
