"""Statements and adversaries as an officer and as a program use them."""

from __future__ import annotations

import json

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
