"""Figure 1 of Re-publishing: what its text argues is what `explain` says."""

from __future__ import annotations

import pytest

from dbaudit import Explanation, UsageError, explain_person
from tests.audit.helpers import Desk, Program


def facts(told: Explanation) -> set[tuple[str, str, str, int]]:
    return {(fact.release, fact.bucket, fact.value, fact.count) for fact in told.facts}


@pytest.mark.parametrize(
    ("person", "value", "expected"),
    [
        ("10", "Lung Cancer", {("r1", "3", "Lung Cancer", 1), ("r2", "3", "Lung Cancer", 0), ("r2", "4", "Lung Cancer", 0)}),
        ("7", "Diabetes", {("r1", "2", "Diabetes", 1), ("r2", "3", "Diabetes", 0), ("r2", "4", "Diabetes", 0)}),
        ("13", "Diabetes", {("r1", "4", "Diabetes", 1), ("r2", "3", "Diabetes", 0), ("r2", "4", "Diabetes", 0)}),
    ],
)
def test_who_is_left_over_in_a_bucket_has_what_nobody_else_can_have(desk: Desk, hospital: int, person: str, value: str, expected: set) -> None:
    told = explain_person(desk.store, hospital, person)
    assert (told.value, told.finding, told.probability, told.is_smallest) == (value, "certain", 1.0, True)
    assert facts(told) == expected
    assert told.steps[-1].startswith(f"So {person} has {value}")


def test_patient_14_cannot_have_flu_by_the_argument_of_example_1(desk: Desk, hospital: int) -> None:
    (told,) = explain_person(desk.store, hospital, "14").impossible
    assert (told.value, told.finding, told.probability, told.is_smallest) == ("Flu", "impossible", 0.0, True)
    assert facts(told) == {("r2", "1", "Flu", 1), ("r1", "1", "Flu", 2), ("r2", "2", "Flu", 1)}
    assert list(told.steps) == [
        "Suppose 14 had Flu.",
        "Then neither 1 nor 2 has Flu (1).",
        "So both 3 and 4 have Flu (2).",
        "But only 1 of 3, 4 and 15 has Flu (3).",
        "That cannot be. So 14 does not have Flu.",
    ]


def test_patient_15_cannot_have_flu_for_the_same_reason(desk: Desk, hospital: int) -> None:
    told = explain_person(desk.store, hospital, "15", "Flu")
    assert facts(told) == {("r2", "1", "Flu", 1), ("r1", "1", "Flu", 2), ("r2", "2", "Flu", 1)}


def test_a_value_that_a_bucket_of_the_person_lacks_takes_one_figure(desk: Desk, hospital: int) -> None:
    told = explain_person(desk.store, hospital, "11", "Flu")
    assert (told.finding, told.is_smallest, facts(told)) == ("impossible", True, {("r1", "4", "Flu", 0)})
    assert told.facts[0].persons == ("11", "12", "13")


def without(bucket: tuple[str, str] | None) -> dict[str, dict[str, float]]:
    """The most uncertain answer to Figure 1 without one bucket, by Clarabel."""
    buckets = {
        ("r1", "1"): (["1", "2", "3", "4"], {"Diabetes": 1, "Flu": 2, "Pneumonia": 1}),
        ("r1", "2"): (["5", "6", "7"], {"Diabetes": 1, "Flu": 1, "Pneumonia": 1}),
        ("r1", "3"): (["8", "9", "10"], {"Flu": 1, "HIV": 1, "Lung Cancer": 1}),
        ("r1", "4"): (["11", "12", "13"], {"Diabetes": 1, "HIV": 1, "Pneumonia": 1}),
        ("r2", "1"): (["1", "2", "14"], {"Diabetes": 1, "Flu": 1, "Pneumonia": 1}),
        ("r2", "2"): (["3", "4", "15"], {"Diabetes": 1, "Flu": 1, "Pneumonia": 1}),
        ("r2", "3"): (["5", "8", "11"], {"Flu": 1, "HIV": 1, "Pneumonia": 1}),
        ("r2", "4"): (["6", "9", "12"], {"Flu": 1, "HIV": 1, "Pneumonia": 1}),
    }
    domain = ["Diabetes", "Flu", "HIV", "Lung Cancer", "Pneumonia"]
    seen = {key: told for key, told in buckets.items() if key != bucket}
    possible = {
        person: [value for value in domain if all(value in counts for members, counts in seen.values() if person in members)]
        for person in sorted({person for members, _ in buckets.values() for person in members})
    }
    return Program(possible, [(members, value, count) for members, counts in seen.values() for value, count in counts.items()]).most_uncertain()[0]


@pytest.mark.parametrize(("person", "value", "probability"), [("11", "Pneumonia", 0.5), ("14", "Diabetes", 0.5), ("5", "Flu", 0.5)])
def test_what_a_probability_depends_on_is_what_clarabel_finds_without_each_bucket(
    desk: Desk, hospital: int, person: str, value: str, probability: float
) -> None:
    told = explain_person(desk.store, hospital, person, value, top=100)
    assert (told.finding, told.facts) == ("probable", ())
    assert told.probability == pytest.approx(probability, abs=1e-8)
    changes = [abs(each.change) for each in told.influences]
    assert changes == sorted(changes, reverse=True)
    told_by_bucket = {(each.release, each.bucket): each.probability_without for each in told.influences}
    for bucket in [("r1", "1"), ("r1", "4"), ("r2", "1"), ("r2", "3")]:
        expected = without(bucket)[person].get(value, 0.0)
        assert told_by_bucket.get(bucket, told.probability) == pytest.approx(expected, abs=1e-6), bucket


def test_top_limits_how_many_buckets_are_told(desk: Desk, hospital: int) -> None:
    assert len(explain_person(desk.store, hospital, "14", "Diabetes", top=2).influences) == 2
    with pytest.raises(UsageError, match="at least 1"):
        explain_person(desk.store, hospital, "14", top=0)


def test_what_cannot_be_explained_is_said_with_what_was_probably_meant(desk: Desk, hospital: int) -> None:
    with pytest.raises(UsageError, match=r"nobody in audit \d+ is called 16\. The names most like it: 1, 6 and 1\d\."):
        explain_person(desk.store, hospital, "16")
    with pytest.raises(UsageError, match=r"knows no value flue\. The values most like it: Flu,"):
        explain_person(desk.store, hospital, "10", "flue")
    with pytest.raises(UsageError, match="there is no audit 99"):
        explain_person(desk.store, 99, "10")
