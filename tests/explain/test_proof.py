"""Explanations of whole audits, against trying every set of figures."""

from __future__ import annotations

import re
import time
from random import Random

import pytest

from dbaudit import UsageError, add_hierarchy, explain_person
from tests.audit.helpers import Desk, Table
from tests.explain.oracle import Figures, Key, history


@pytest.mark.parametrize("seed", [3, 104])
def test_every_finding_of_a_small_history_is_proven_by_as_few_figures_as_possible(desk: Desk, seed: int) -> None:
    table = history(seed, persons=5 if seed < 100 else 4, releases=2 if seed < 100 else 3)
    figures = Figures(table)
    audit = desk.audit(desk.publish(table))
    for person, name in enumerate(table.persons):
        for value in figures.values[:-1]:
            told = explain_person(desk.store, audit.audit_id, name, value)
            sure = {certain: figures.forces(figures.keys, person, value, certain) for certain in (True, False)}
            assert told.finding == ("certain" if sure[True] else "impossible" if sure[False] else "probable")
            if told.finding == "probable":
                continue
            certain = told.finding == "certain"
            keys: list[Key] = [(int(fact.release[1:]) - 1, int(fact.bucket), fact.value) for fact in told.facts]
            assert [figures.count(key) for key in keys] == [fact.count for fact in told.facts]
            assert figures.forces(keys, person, value, certain)
            assert not any(figures.forces([other for other in keys if other != key], person, value, certain) for key in keys)
            assert told.is_smallest
            assert len(keys) == figures.least(person, value, certain)
            assert re.search(rf"So {name} {'has' if certain else 'does not have'} {value}( \(.*\))?\.$", told.steps[-1])


def test_two_thousand_persons_take_no_longer_than_their_neighbourhood(desk: Desk) -> None:
    random = Random(7)
    count, size = 2000, 5  # of whom a release shows 1,800: the others come and go
    value = [f"v{min(int(random.expovariate(0.4)), 11)}" for _ in range(count)]
    bucket: list[list[int | None]] = []
    for _ in range(2):
        where: list[int | None] = [None] * count
        dealt = sorted(random.sample(range(count), 1800), key=lambda i: (value[i], random.random()))
        for place, i in enumerate(dealt):
            where[i] = place % (1800 // size)
        bucket.append(where)
    audit = desk.audit(desk.publish(Table(["q"] * count, value, bucket)))
    assert audit.row["component_count"] == 1
    (certain,) = desk.rows(
        "select person, likely_value from report.disclosure where audit_id = ? and possible_count = 1 order by person desc limit 1", audit.audit_id
    )
    (open_one,) = desk.rows("select person from report.disclosure where audit_id = ? and possible_count > 2 order by person limit 1", audit.audit_id)
    begin = time.process_time()  # of ours alone, however busy the machine is
    told = explain_person(desk.store, audit.audit_id, certain["person"])
    assert (told.finding, told.value) == ("certain", certain["likely_value"])
    assert told.facts and told.is_smallest
    assert explain_person(desk.store, audit.audit_id, open_one["person"]).influences
    assert time.process_time() - begin < 10


def test_persons_whom_nothing_tells_apart_are_explained_together(desk: Desk) -> None:
    table = Table(["q"] * 5, ["A", "A", "B", "C", "B"], [[1, 1, 1, 2, 2], [1, 1, 2, 1, 2]])
    audit = desk.audit(desk.publish(table))
    told = explain_person(desk.store, audit.audit_id, "p1")
    assert (told.finding, told.value) == ("certain", "A")
    assert Figures(table).forces([(int(fact.release[1:]) - 1, int(fact.bucket), fact.value) for fact in told.facts], 1, "A", True)
    assert any("both p0 and p1" in step for step in told.steps)


def test_a_coarser_value_counts_its_leaves_together(desk: Desk, tmp_path) -> None:
    desk.dataset("cancers", id="id")
    tree = tmp_path / "tree.csv"
    tree.write_text("level0,level1,level2\nLung,Cancer,*\nBreast,Cancer,*\nSkin,Cancer,*\nFlu,Infection,*\nHIV,Infection,*\n")
    add_hierarchy(desk.store, "cancers", "s", tree)
    first = [("1", "Cancer", 1), ("2", "Cancer", 1), ("3", "Lung", 1), ("4", "Flu", 2), ("5", "HIV", 2), ("6", "Cancer", 2)]
    second = [("1", "Lung", 1), ("4", "Flu", 1), ("2", "Breast", 2), ("5", "HIV", 2), ("3", "Lung", 3), ("6", "Skin", 3)]
    for name, rows in (("r1", first), ("r2", second)):
        desk.release("cancers", name, [{"id": person, "q": "a", "s": value, "bucket": bucket} for person, value, bucket in rows])
    audit = desk.audit("cancers").audit_id
    coarse = explain_person(desk.store, audit, "1", "Cancer")
    assert [(fact.value, fact.count, fact.at_least, fact.at_most) for fact in coarse.facts] == [("Cancer", 2, 3, 3)]
    told = explain_person(desk.store, audit, "1")
    assert (told.value, told.finding, told.is_smallest) == ("Lung", "certain", True)
    # 1 has a cancer, so the Flu of his second bucket is 4's, and its Lung is his. Instead of the first, "no Flu" in his first bucket does as well.
    assert len(told.facts) == 3
    assert explain_person(desk.store, audit, "4", "Cancer").finding == "impossible"


def test_somebody_in_no_release_may_have_anything(desk: Desk) -> None:
    people = [{"id": name, "q": "a"} for name in ("p0", "p1", "p9")]
    dataset = desk.publish(Table(["a"] * 2, ["A", "B"], [[1, 1]]), population=people)
    told = explain_person(desk.store, desk.audit(dataset).audit_id, "p9")
    assert (told.finding, told.probability, told.influences) == ("probable", 0.5, ())
    assert "Nothing was published of this person" in told.words[-1]


def test_an_audit_without_an_answer_explains_nothing_but_its_contradiction(desk: Desk) -> None:
    table = Table(["q"] * 2, ["A", "B"], [[1, 2], [1, 2]], [["A", "B"], ["B", "A"]])
    audit = desk.audit(desk.publish(table))
    with pytest.raises(UsageError, match=r"is infeasible: it has no answer to explain\. These cannot hold together: .*bucket"):
        explain_person(desk.store, audit.audit_id, "p0")
