"""What changes from release to release without anybody's value changing: spelling, granularity, ids that are missing; and values that do change."""

from __future__ import annotations

import itertools
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dbaudit import add_hierarchy, check_store, list_hierarchies, remove_hierarchy, verify_audit
from dbaudit.errors import ExitCode, InputRejected, UsageError
from tests.audit.conftest import PROFILE
from tests.audit.helpers import Answer, Desk, Row, entropy_bits, same

TREE: list[Row] = [
    {"level0": "Lung", "level1": "Cancer", "level2": "*"},
    {"level0": "Skin", "level1": "Cancer", "level2": "*"},
    {"level0": "Liver", "level1": "Cancer", "level2": "*"},
    {"level0": "Flu", "level1": "Infection", "level2": "*"},
    {"level0": "HIV", "level1": "Infection", "level2": "*"},
]
LEAVES = [row["level0"] for row in TREE]
MEANING = {node: {row["level0"] for row in TREE if node in row.values()} for tree_row in TREE for node in tree_row.values()}


def person(name: str, value: str, bucket: int = 1, q: str = "x") -> Row:
    return {"id": name, "q": q, "s": value, "bucket": bucket}


def csv_file(desk: Desk, name: str, text: str) -> Path:
    path = desk.folder / name
    path.write_text(text, encoding="utf-8")
    return path


# ------------------------------------------------------------------------------------------------ coarser values
@st.composite
def coarse_releases(draw: st.DrawFn) -> list[list[Row]]:
    """Two releases of a few persons; each record shows the true leaf or something above it."""
    count = draw(st.integers(2, 5))
    truth = draw(st.lists(st.sampled_from(LEAVES), min_size=count, max_size=count))
    shown = []
    for _ in range(2):
        rows = []
        for i, leaf in enumerate(truth):
            node = draw(st.sampled_from([leaf, leaf, next(row["level1"] for row in TREE if row["level0"] == leaf), "*"]))
            rows.append((i, node, draw(st.integers(1, 2))))
        shown.append([person(f"p{i}", node, bucket) for i, node, bucket in rows])
    return shown


def buckets(rows: list[Row]) -> dict[int, tuple[list[str], Counter[str]]]:
    return {
        number: ([row["id"] for row in rows if row["bucket"] == number], Counter(row["s"] for row in rows if row["bucket"] == number))
        for number in {row["bucket"] for row in rows}
    }


def most_uncertain(releases: list[list[Row]]) -> tuple[Answer, float]:
    """Clarabel on another model than ours: whose record is which does not matter, but every record of a bucket hands its label down to a leaf."""
    persons = sorted({row["id"] for rows in releases for row in rows})
    p = cp.Variable((len(persons), len(LEAVES)), nonneg=True)
    constraints: list[Any] = [cp.sum(p, axis=1) == 1]
    for rows in releases:
        for members, counts in buckets(rows).values():
            labels = list(counts)
            handed = cp.Variable((len(labels), len(LEAVES)), nonneg=True)
            allowed = np.array([[leaf in MEANING[label] for leaf in LEAVES] for label in labels])
            constraints += [handed[~allowed] == 0] if not allowed.all() else []
            constraints += [cp.sum(handed, axis=1) == [counts[label] for label in labels]]
            constraints += [cp.sum(p[[persons.index(m) for m in members], :], axis=0) == cp.sum(handed, axis=0)]
    problem = cp.Problem(cp.Maximize(cp.sum(cp.entr(p))), constraints)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        problem.solve(solver="CLARABEL", tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
    assert p.value is not None
    answer = {name: dict(zip(LEAVES, map(float, p.value[i]), strict=True)) for i, name in enumerate(persons)}
    return answer, float(problem.value / np.log(2))


def possible(releases: list[list[Row]]) -> dict[str, set[str]]:
    """The leaves that each person has in some world: by trying all."""
    persons = sorted({row["id"] for rows in releases for row in rows})
    found: dict[str, set[str]] = {name: set() for name in persons}
    for leaves in itertools.product(LEAVES, repeat=len(persons)):
        world = dict(zip(persons, leaves, strict=True))
        if all(labels_fit([world[m] for m in members], counts) for rows in releases for members, counts in buckets(rows).values()):
            for name, leaf in world.items():
                found[name].add(leaf)
    return found


def labels_fit(leaves: list[str], counts: Counter[str]) -> bool:
    labels = list(counts.elements())
    return any(all(leaf in MEANING[label] for leaf, label in zip(leaves, deal, strict=True)) for deal in set(itertools.permutations(labels)))


@given(releases=coarse_releases())
@settings(PROFILE, max_examples=10)
def test_a_coarser_value_counts_its_leaves_together(shared: Desk, releases: list[list[Row]]) -> None:
    name = shared.dataset(shared.name(), id="id")
    add_hierarchy(shared.store, name, "s", shared.file(TREE))
    for number, rows in enumerate(releases):
        shared.release(name, f"r{number}", rows)
    audit = shared.audit(name)
    found = shared.posterior(audit)
    expected, bits = most_uncertain(releases)
    assert audit.row["entropy_bits"] == pytest.approx(bits, abs=1e-5)
    assert same(found, expected, 1e-4)
    assert {who: {leaf for leaf, p in leaves.items() if p > 0} for who, leaves in found.items()} == possible(releases)
    assert verify_audit(shared.store, audit.audit_id).holds


def test_the_same_history_without_its_hierarchy_is_a_contradiction(desk: Desk) -> None:
    desk.dataset(id="id")
    desk.release("patients", "r1", [person("a", "Cancer"), person("b", "Flu")])
    desk.release("patients", "r2", [person("a", "Lung"), person("b", "Flu")])
    before = desk.audit()
    assert before.exit_code == ExitCode.CONTRADICTION
    add_hierarchy(desk.store, "patients", "s", desk.file(TREE))
    after = desk.audit()
    assert desk.posterior(after)["a"]["Lung"] == pytest.approx(0.5)
    assert [row["kind"] for row in desk.rows("select kind from result.audit_input where audit_id = ? order by kind", after.audit_id)] == [
        "hierarchy",
        "release",
        "release",
    ]
    # An audit keeps what its values meant, whatever becomes of the hierarchy.
    remove_hierarchy(desk.store, "patients", "s")
    assert list_hierarchies(desk.store, "patients") == []
    assert verify_audit(desk.store, after.audit_id).holds
    assert desk.audit().exit_code == ExitCode.CONTRADICTION
    assert check_store(desk.store).found == []


def test_a_declared_domain_says_which_leaves_are_possible(desk: Desk) -> None:
    desk.dataset(id="id", domain=("Lung", "Skin", "Flu"))
    with pytest.raises(InputRejected, match="not in the dataset's domain: Cancer"):
        desk.release("patients", "r1", [person("a", "Cancer"), person("b", "Flu")])
    add_hierarchy(desk.store, "patients", "s", desk.file(TREE))
    desk.release("patients", "r1", [person("a", "Cancer"), person("b", "Flu")])
    found = desk.posterior(desk.audit())
    assert found["a"] == pytest.approx({"Lung": 0.25, "Skin": 0.25, "Flu": 0.5})
    with pytest.raises(InputRejected, match="not in the dataset's domain: Gout"):
        desk.release("patients", "r2", [person("a", "Gout")])
    assert check_store(desk.store).found == []
    with pytest.raises(UsageError, match="allows Cancer only through this hierarchy"):
        remove_hierarchy(desk.store, "patients", "s")


def test_one_of_several_sensitive_columns_may_be_coarse(desk: Desk) -> None:
    desk.dataset(sensitive=("s", "drug"), id="id")
    add_hierarchy(desk.store, "patients", "s", desk.file(TREE))
    desk.release("patients", "r1", [{**person("a", "Cancer"), "drug": "x"}, {**person("b", "Flu"), "drug": "y"}])
    desk.release("patients", "r2", [{**person("a", "Lung"), "drug": "x"}, {**person("c", "Skin"), "drug": "x"}])
    audit = desk.audit()
    assert desk.posterior(audit)["a"] == pytest.approx({"s=Lung; drug=x": 0.5, "s=Skin; drug=x": 0.5})
    parts = desk.rows("select column_name, part, probability from report.part_posterior where audit_id = ? and person = 'a'", audit.audit_id)
    assert {(row["column_name"], row["part"]): row["probability"] for row in parts} == pytest.approx({("s", "Lung"): 0.5, ("s", "Skin"): 0.5, ("drug", "x"): 1})
    assert check_store(desk.store).found == []


def test_a_limit_judges_single_columns_and_coarser_values_of_one(desk: Desk) -> None:
    """Nobody's combined value is certain, but everybody has some cancer, and b has drug y."""
    desk.dataset(sensitive=("s", "drug"), id="id")
    add_hierarchy(desk.store, "patients", "s", desk.file(TREE))
    rows = [("a", "Cancer", "x", 1), ("b", "Lung", "x", 1), ("c", "Flu", "y", 2), ("d", "HIV", "y", 2)]
    desk.release("patients", "r1", [{**person(who, s, bucket), "drug": drug} for who, s, drug, bucket in rows])
    audit = desk.audit(max_probability=0.8)
    found = {(row["person"], row["value"]) for row in desk.rows("select person, value from report.finding where audit_id = ?", audit.audit_id)}
    assert found == {("a", "drug=x"), ("b", "drug=x"), ("a", "s=Cancer"), ("b", "s=Cancer"), ("c", "drug=y"), ("d", "drug=y")}
    assert audit.exit_code == ExitCode.BREACHED


def test_only_one_sensitive_column_can_have_a_tree(desk: Desk) -> None:
    desk.dataset(sensitive=("s", "drug"), id="id")
    add_hierarchy(desk.store, "patients", "s", desk.file(TREE))
    with pytest.raises(UsageError, match="only one sensitive column"):
        add_hierarchy(desk.store, "patients", "drug", desk.file(TREE))
    add_hierarchy(desk.store, "patients", "q", desk.file(TREE))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("level0,level1\nLung,Cancer\nLung,Tumour\n", "more than one row: Lung"),
        ("level0,level1,level2\na,x,*\nb,x,+\n", r"more than one value of the next level: x \(level1\)"),
        ("level0,level1\na,b\nb,b\n", "different sets of values at different levels: b"),
        ("level0,level1\na,x\nb,y\n", "its last level has 2 values"),
        ("level0,level1\na,\nb,*\n", "without a value: row 1"),
        ("level0,level2\na,*\n", "without a gap"),
        ("value,parent\na,*\n", "it needs columns level0"),
        ("level0,level1\n", "no value"),
    ],
)
def test_a_hierarchy_that_is_no_tree_is_refused_whole(desk: Desk, text: str, says: str) -> None:
    desk.dataset()
    with pytest.raises(InputRejected, match=says):
        add_hierarchy(desk.store, "patients", "s", csv_file(desk, "tree.csv", text))
    assert list_hierarchies(desk.store, "patients") == []


def test_hierarchies_are_of_known_columns_and_declared_once(desk: Desk) -> None:
    desk.dataset()
    with pytest.raises(UsageError, match=r"no sensitive column or quasi-identifier zip. Known: s, q"):
        add_hierarchy(desk.store, "patients", "zip", desk.file(TREE))
    add_hierarchy(desk.store, "patients", "q", desk.file(TREE))
    with pytest.raises(UsageError, match="has a hierarchy for q already"):
        add_hierarchy(desk.store, "patients", "q", desk.file(TREE))
    with pytest.raises(UsageError, match="no hierarchy for s"):
        remove_hierarchy(desk.store, "patients", "s")


# ------------------------------------------------------------------------------------------------ spelling
def test_values_that_differ_in_capitals_or_blanks_between_releases_are_remarked_upon_and_can_be_mapped(desk: Desk) -> None:
    desk.dataset(id="id")
    desk.release("patients", "r1", [person("a", "Lung Cancer"), person("b", "Flu")])
    drifted = [person("a", "lung  cancer"), person("b", "J10")]
    registered = desk.release("patients", "r2", drifted)
    assert any("'Lung Cancer' and 'lung  cancer' differ only in capitals, blanks" in remark and "--map-values" in remark for remark in registered.remarks)
    assert desk.audit().exit_code == ExitCode.CONTRADICTION
    spelling = csv_file(desk, "spelling.csv", "as published;means\nlung  cancer;Lung Cancer\nJ10;Flu\n")
    mapped = desk.release("patients", "r3", drifted, value_map=spelling)
    assert any("J10 means Flu; lung  cancer means Lung Cancer." in remark for remark in mapped.remarks)
    assert mapped.row["source"].endswith(", spelling.csv") and mapped.row["value_count"] == 2
    assert desk.audit(releases=("r1", "r3")).exit_code == ExitCode.PASSED


@pytest.mark.parametrize("form", ["bucketized", "anatomy", "generalized"])
def test_a_map_joins_the_counts_of_what_means_the_same(desk: Desk, form: str) -> None:
    desk.dataset(id="id")
    spelling = csv_file(desk, "map.csv", "published,means\nflu,Flu\nFLU,Flu\n")
    desk.release("patients", "r1", [person("a", "flu"), person("b", "FLU"), person("c", "HIV")], form, value_map=spelling)
    assert desk.posterior(desk.audit())["c"] == pytest.approx({"Flu": 2 / 3, "HIV": 1 / 3})


def test_a_map_may_name_the_column_that_it_is_about(desk: Desk) -> None:
    desk.dataset(sensitive=("s", "drug"), id="id")
    spelling = csv_file(desk, "map.csv", "column,published,means\ndrug,x,aspirin\n")
    desk.release("patients", "r1", [{**person("a", "x"), "drug": "x"}], value_map=spelling)
    assert list(desk.posterior(desk.audit())["a"]) == ["s=x; drug=aspirin"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("published,means\nflu,Flu\nflu,HIV\n", "more than one meaning: flu"),
        ("published,means\nflu,\n", "an empty field"),
        ("published\nflu\n", "has 1 column where a map of values has two"),
        ("column,published,means\ndrug,flu,Flu\n", "not sensitive here: drug"),
    ],
)
def test_a_map_that_cannot_be_right_is_refused(desk: Desk, text: str, says: str) -> None:
    desk.dataset(id="id")
    with pytest.raises(InputRejected, match=says):
        desk.release("patients", "r1", [person("a", "flu")], value_map=csv_file(desk, "map.csv", text))
    assert desk.rows("select * from published.release") == []


def test_a_map_that_renames_nothing_is_remarked_upon(desk: Desk) -> None:
    desk.dataset(id="id")
    registered = desk.release("patients", "r1", [person("a", "Flu")], value_map=csv_file(desk, "map.csv", "published,means\nHIV,Flu\n"))
    assert registered.remarks[0] == "map.csv renames nothing: no value of this release is written as in its first column."


# ------------------------------------------------------------------------------------------------ no ids
QI = st.sampled_from(["a", "b", "c", "d", "e"])
RECORDS = st.lists(st.tuples(QI, st.integers(1, 2)), min_size=1, max_size=5)


@given(first=RECORDS, second=RECORDS, data=st.data())
@settings(PROFILE, max_examples=7)
def test_records_are_linked_exactly_where_their_quasi_identifier_is_unique_in_both(shared: Desk, first: list, second: list, data: st.DataObject) -> None:
    """The same history with ids for whom the rule links gives the same answer, person by person."""
    value = {q: data.draw(st.sampled_from(["Flu", "HIV", "Gout"])) for q in "abcde"}
    rows = [[{"q": q, "s": value[q], "bucket": bucket} for q, bucket in records] for records in (first, second)]
    unique = [{q for q, times in Counter(q for q, _ in records).items() if times == 1} for records in (first, second)]
    both = unique[0] & unique[1]
    names = [[f"r1#{number}" for number in range(1, len(first) + 1)], [f"r2#{number}" for number in range(1, len(second) + 1)]]
    for number, (q, _) in enumerate(second):
        if q in both:
            names[1][number] = names[0][[other for other, _ in first].index(q)]
    linked = shared.dataset(shared.name(), link="qi")
    with_ids = shared.dataset(shared.name(), id="id")
    for turn in (0, 1):
        shared.release(linked, f"r{turn + 1}", rows[turn])
        shared.release(with_ids, f"r{turn + 1}", [{"id": name, **row} for name, row in zip(names[turn], rows[turn], strict=True)])
    audit = shared.audit(linked)
    assert same(shared.posterior(audit), shared.posterior(shared.audit(with_ids)))
    persons = f"{len(both)} {'person was' if len(both) == 1 else 'persons were'} linked across releases"
    assert any(persons in remark for remark in audit.remarks) and persons in audit.row["message"]
    assert verify_audit(shared.store, audit.audit_id).holds


def test_linking_is_done_audit_by_audit(desk: Desk) -> None:
    """Somebody with the same quasi-identifier in a third release ends the link where that release is in scope, and only there."""
    desk.dataset(link="qi")
    one, two = {"q": "a", "s": "Flu", "bucket": 1}, {"q": "b", "s": "HIV", "bucket": 1}
    for name, rows in {"r1": [one, two], "r2": [one], "r3": [one, one]}.items():
        desk.release("patients", name, rows)
    linked = "select count(*) as count from result.linked_person where audit_id = ?"
    assert desk.rows(linked, desk.audit(releases=("r1", "r2")).audit_id) == [{"count": 1}]
    assert desk.rows(linked, desk.audit().audit_id) == [{"count": 0}]
    assert check_store(desk.store).found == []


def test_a_link_that_a_later_release_ends_is_not_forgotten_in_the_channel(desk: Desk) -> None:
    """With r3 nobody knows any more which record is whose; both were the person whom the first two releases showed."""
    desk.dataset(link="qi")
    one, two = {"q": "a", "s": "Flu", "bucket": 1}, {"q": "b", "s": "HIV", "bucket": 1}
    for name, rows in {"r1": [one, two], "r2": [one, two], "r3": [one, one]}.items():
        desk.release("patients", name, rows)
    small, large = desk.audit(releases=("r1", "r2")), desk.audit()
    rows = desk.rows("select distinct person from report.inference_channel where audit_id = ? and before is null", large.audit_id)
    assert small.row["person_count"] == 2 and {row["person"] for row in rows} == {"r3#1", "r3#2"}


@pytest.mark.parametrize("more", [{"id": "id"}, {"unit": "record"}])
def test_linking_is_for_persons_without_ids(desk: Desk, more: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="--link qi follows persons who have no id"):
        desk.dataset(link="qi", **more)


# ------------------------------------------------------------------------------------------------ changed values
def release_with_truth(desk: Desk, name: str, truth: dict[str, str], dataset: str = "patients", **more: Any) -> list[str]:
    rows = [person(who, value) for who, value in truth.items()]
    return desk.release(dataset, name, rows, microdata=desk.file([{"id": who, "s": value} for who, value in truth.items()]), **more).remarks


def test_a_changed_value_makes_a_new_person_and_the_old_value_the_old_one(desk: Desk) -> None:
    desk.dataset(id="id", values_may_change=True)
    release_with_truth(desk, "r1", {"a": "Flu", "b": "HIV"})
    remarks = release_with_truth(desk, "r2", {"a": "Gout", "b": "HIV"})
    assert remarks == ["1 person has another value than before, such as a: each counts as a new person, called by id, # and a number."]
    release_with_truth(desk, "r3", {"a": "Flu", "c": "Flu"})
    release_with_truth(desk, "r4", {"a": "Asthma"})
    members = desk.rows(
        "select r.release, n.person from published.member m join published.person n using (person_id) join published.release r on m.release_id = r.release_id"
    )
    assert {(row["release"], row["person"]) for row in members} == {
        ("r1", "a"), ("r1", "b"), ("r2", "a#2"), ("r2", "b"), ("r3", "a"), ("r3", "c"), ("r4", "a#3"),
    }  # fmt: skip
    audit = desk.audit()
    assert audit.exit_code == ExitCode.PASSED
    assert desk.posterior(audit)["a#3"] == {"Asthma": 1}
    # b stands with Flu and HIV, then with Gout and HIV: only HIV is left, and a has Flu in r1 and Gout in r2.
    assert desk.posterior(audit)["b"]["HIV"] == 1 and desk.posterior(audit)["a"]["Flu"] == 1
    assert check_store(desk.store).found == []


def test_a_finer_name_of_the_same_value_is_no_change(desk: Desk) -> None:
    desk.dataset(id="id", values_may_change=True)
    add_hierarchy(desk.store, "patients", "s", desk.file(TREE))
    release_with_truth(desk, "r1", {"a": "Cancer", "b": "HIV"})
    assert release_with_truth(desk, "r2", {"a": "Lung", "b": "Flu"}) == [
        "1 person has another value than before, such as b: each counts as a new person, called by id, # and a number."
    ]
    wrong = desk.file([{"id": "a", "s": "Flu"}, {"id": "b", "s": "Flu"}])
    registered = desk.release("patients", "r3", [person("a", "Lung"), person("b", "HIV")], microdata=wrong)
    assert any("is it the right file?" in remark for remark in registered.remarks)


def test_a_leaf_that_ends_like_a_coarser_value_is_not_taken_for_it(desk: Desk) -> None:
    desk.dataset(id="id")
    add_hierarchy(desk.store, "patients", "s", csv_file(desk, "tree.csv", "level0,level1,level2\nLung Cancer,Cancer,*\nSkin Cancer,Cancer,*\nFlu,Flu,*\n"))
    wrong = desk.file([{"id": "a", "s": "Flu"}, {"id": "b", "s": "Flu"}])
    registered = desk.release("patients", "r1", [person("a", "Lung Cancer"), person("b", "Flu")], microdata=wrong)
    assert any("is it the right file?" in remark for remark in registered.remarks)


def test_without_leave_to_change_the_same_history_is_told_and_contradicts_itself(desk: Desk) -> None:
    desk.dataset(id="id")
    release_with_truth(desk, "r1", {"a": "Flu", "b": "HIV"})
    remarks = release_with_truth(desk, "r2", {"a": "Gout", "b": "HIV"})
    assert len(remarks) == 1 and "an audit will find contradictions" in remarks[0]
    assert desk.audit().exit_code == ExitCode.CONTRADICTION


def test_the_truth_must_be_that_of_the_release(desk: Desk) -> None:
    desk.dataset(id="id", values_may_change=True)
    rows = [person("a", "Flu"), person("b", "HIV")]
    with pytest.raises(UsageError, match="give the microdata of r1 with --microdata"):
        desk.release("patients", "r1", rows)
    wrong: list[tuple[list[Row], str]] = [
        ([{"id": "a", "s": "Flu"}], "1 person has no row in the microdata: id b"),
        ([{"id": "a", "s": "Flu"}, {"id": "b", "s": "HIV"}, {"id": "a", "s": "HIV"}], "more than one row in the microdata: id a"),
        ([{"id": "a", "s": "Flu"}, {"id": "b", "s": None}], "no sensitive value in the microdata"),
    ]
    for truth, says in wrong:
        with pytest.raises(InputRejected, match=says):
            desk.release("patients", "r1", rows, microdata=desk.file(truth))
    registered = desk.release("patients", "r1", rows, microdata=desk.file([{"id": "a", "s": "Flu"}, {"id": "b", "s": "Flu"}]))
    assert registered.remarks == ["in 1 of its buckets the published values are not those of the microdata: is it the right file?"]
    assert check_store(desk.store).found == []


def test_an_id_that_reads_like_a_changed_person_is_refused(desk: Desk) -> None:
    desk.dataset(id="id", values_may_change=True)
    release_with_truth(desk, "r1", {"a": "Flu", "a#2": "HIV"})
    with pytest.raises(InputRejected, match=r"a#2\. Choose ids without"):
        release_with_truth(desk, "r2", {"a": "Gout"})


def test_what_is_removed_leaves_no_truth_behind(desk: Desk) -> None:
    from dbaudit import remove_audit, remove_release

    desk.dataset(id="id", values_may_change=True)
    release_with_truth(desk, "r1", {"a": "Flu"})
    release_with_truth(desk, "r2", {"a": "HIV"})
    audit = desk.audit()
    assert not remove_release(desk.store, "patients", "r2")  # the audit rests on it
    assert check_store(desk.store).found == []
    remove_audit(desk.store, audit.audit_id)
    assert check_store(desk.store).found == []
    with desk.store.reading(truth=True) as session:
        assert session.engine.rows("truth", "select value from original.main.microdata") == [("Flu",)]


def test_values_may_change_only_where_persons_are_followed(desk: Desk) -> None:
    with pytest.raises(UsageError, match="--values-may-change needs persons who are followed by id"):
        desk.dataset(values_may_change=True)
    desk.dataset()
    with pytest.raises(UsageError, match="--microdata needs persons who are followed by id"):
        desk.release("patients", "r1", [{"q": "x", "s": "Flu", "bucket": 1}], microdata=desk.file([{"id": "a", "s": "Flu"}]))


def test_what_remains_unknown_is_counted_in_leaves(desk: Desk) -> None:
    desk.dataset(id="id")
    add_hierarchy(desk.store, "patients", "s", desk.file(TREE))
    desk.release("patients", "r1", [person("a", "Cancer")])
    assert entropy_bits(desk.posterior(desk.audit())) == pytest.approx(np.log2(3))
