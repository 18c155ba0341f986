"""Statements and adversaries as an officer and as a program use them."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Place

ROWS = "gender,illness,bucket\nm,Flu,1\nf,Breast Cancer,1\nf,Flu,1\n"


def test_from_the_first_statement_to_the_audit_that_assumes_it(place: Place) -> None:
    release = place.write("r.csv", ROWS)
    place.add("dataset", "add", "patients", "--qi", "gender", "--sensitive", "illness")
    place.add("release", "add", "patients", release, "--name", "r", "--form", "bucketized", "--bucket", "bucket")
    place.add("adversary", "add", "nurse", "--remark", "works there")
    told = place.add("knowledge", "add", "patients", "P(illness = 'Breast Cancer' | gender = 'M') = 0", "--adversary", "nurse")
    assert told.out == "Knowledge 1 of nurse: P(illness = 'Breast Cancer' | gender = 'M') = 0\n"
    assert told.err.splitlines()[0] == "Note: gender is never M in anything that was registered so far. Most like it: m."
    place.add("knowledge", "remove", "1")
    statements = place.write("known.txt", "# medicine\nP(illness = 'Breast Cancer' | gender = 'm') = 0\n")
    (known,) = json.loads(place.add("knowledge", "import", "patients", statements, "--adversary", "nurse", "--json").out)
    assert known["statement_id"] == 2
    assert [row["statement"] for row in json.loads(place.add("knowledge", "list", "patients", "--json").out)] == [known["statement"]]
    audit = json.loads(place.add("audit", "patients", "--adversary", "nurse", "--json").out)
    shown = json.loads(place.add("knowledge", "show", "2", "--json").out)
    assert shown["audits"] == [{"audit_id": audit["audit_id"], "status": "solved", "person_counts": [1]}]
    assert shown["terms"] == [{"coefficient": 1.0, "kind": "P", "event": "illness = 'Breast Cancer'", "condition": "gender = 'm'"}]
    assert place.sql("select probability from report.posterior where person = 'r#1' and value = 'Flu'") == [{"probability": 1.0}]
    assert "2" in place.add("adversary", "show", "nurse").out
    assert [row["statement_count"] for row in json.loads(place.add("adversary", "list", "--json").out)] == [0, 0, 1]
    place.add("adversary", "remove", "nurse")
    gone = place.run("audit", "patients", "--adversary", "nurse")
    assert gone.code == 2 and "there is no adversary nurse. Known: default, none." in gone.err


def test_a_wrong_statement_is_shown_with_a_caret_under_the_word(place: Place) -> None:
    place.add("dataset", "add", "patients", "--qi", "gender", "--sensitive", "illness")
    wrong = place.run("knowledge", "add", "patients", "P(ilness = 'Flu' | gender = 'm') = 0.3")
    assert wrong.code == 2
    assert wrong.err.splitlines() == [
        "dbaudit: there is no sensitive column ilness; known are illness. Did you mean illness?",
        "  P(ilness = 'Flu' | gender = 'm') = 0.3",
        "    ^",
    ]
    assert place.sql("select * from adversary.statement") == []


def test_a_person_is_named_spoken_of_and_forgotten(place: Place) -> None:
    release = place.write("r.csv", 'gender,"home, town",illness,bucket\nm,"A, B",Flu,1\nf,C,HIV,1\nm,C,HIV,2\nm,C,Flu,2\n')
    place.add("dataset", "add", "patients", "--qi", 'gender,"home, town"', "--sensitive", "illness")
    place.add("release", "add", "patients", release, "--name", "r", "--form", "bucketized", "--bucket", "bucket")
    told = place.add("knowledge", "person", "add", "patients", "Al", "--qi", 'gender=m,"home, town=A, B"')
    assert told.out == "Named Al: gender m, home, town A, B.\n"
    named = json.loads(place.add("knowledge", "person", "add", "patients", "Bo", "--qi", "GENDER=m", "--qi", '"home, town=C"', "--json").out)
    assert named == {"dataset": "patients", "person": "Bo", "qi": {"gender": "m", "home, town": "C"}}
    listed = json.loads(place.add("knowledge", "person", "list", "patients", "--json").out)
    assert [(row["person"], row["qi"]["home, town"]) for row in listed] == [("Al", "A, B"), ("Bo", "C")]
    assert "gender m, home, town C" in place.add("knowledge", "person", "list", "patients").out
    place.add("knowledge", "add", "patients", "P(illness = 'Flu' | person = 'Al') = 1")
    place.add("audit", "patients", "--bounds-for", "Al", "--bounds-for", "Bo")
    rows = place.sql("select person, value, probability from report.posterior where lower is not null and probability > 0 order by all")
    assert [(row["person"], row["value"]) for row in rows] == [("Al", "Flu"), ("Bo", "Flu"), ("Bo", "HIV")]
    assert place.add("explain", "1", "--person", "Al").out.startswith("Al certainly has Flu.\n")
    place.add("audits", "verify", "1")
    assert place.add("knowledge", "person", "remove", "patients", "Bo").out == "Removed Bo.\n"
    assert [row["person"] for row in json.loads(place.add("knowledge", "person", "list", "patients", "--json").out)] == ["Al"]
    place.add("check")


@pytest.mark.parametrize(
    ("name", "qi", "why"),
    [
        ("Zoe", "gender", "'gender' does not say what a column is. Write COLUMN=VALUE"),
        ("Zoe", "=m", "'=m' does not say what a column is"),
        ("Zoe", "gender=m,Gender=f", "Gender was given twice"),
        ("Zoe", "gnder=m", "patients has no quasi-identifier gnder; known are gender. Did you mean gender?"),
        ("Zoe", "", "a named person needs at least one quasi-identifier"),
        ("Zoe", "gender=x", "Zoe (gender x) cannot be in patients: no record of any release that is registered fits. gender is never x."),
        ("Zoe", "gender=", "Zoe (gender (missing)) cannot be in patients"),
        ("Zoe", '"gender=m', "not a list of names"),
        ("r#1", "gender=m", "the name of a person cannot contain '#'"),
    ],
)
def test_a_name_that_cannot_be_ends_with_2(place: Place, name: str, qi: str, why: str) -> None:
    place.add("dataset", "add", "patients", "--qi", "gender", "--sensitive", "illness")
    place.add("release", "add", "patients", place.write("r.csv", ROWS), "--name", "r", "--form", "bucketized", "--bucket", "bucket")
    wrong = place.run("knowledge", "person", "add", "patients", name, "--qi", qi)
    assert (wrong.code, wrong.out) == (2, "")
    assert why in wrong.err
    assert place.sql("select * from adversary.named_person") == []
