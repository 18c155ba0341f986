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


TRUTH = "id,gender,town,illness,bucket\n" + "".join(
    f"{number},{gender},{town},{illness},{bucket}\n"
    for number, (gender, town, illness, bucket) in enumerate(
        [
            ("m", "A", "Flu", 1),
            ("m", "B", "HIV", 1),
            ("f", "A", "Flu", 1),
            ("f", "B", "Flu", 2),
            ("f", "B", "Gout", 2),
            ("m", "A", "HIV", 2),
            ("m", "B", "HIV", 2),
        ],
        1,
    )
)


def _clinic(place: Place) -> None:
    data = place.write("d.csv", TRUTH)
    place.add("dataset", "add", "clinic", "--qi", "gender,town", "--sensitive", "illness", "--id", "id", "--microdata", data)
    place.add("release", "add", "clinic", data, "--name", "r", "--form", "bucketized", "--bucket", "bucket")


def test_rules_are_mined_told_and_assumed(place: Place) -> None:
    _clinic(place)
    told = place.add("knowledge", "mine", "clinic", "--positive", "1", "--negative", "1")
    assert told.out.splitlines()[0] == "1 positive and 1 negative rules, mined from the population, that default knows."
    assert "gender=m => HIV" in told.out and "gender=m => not Gout" in told.out
    mined = json.loads(place.add("knowledge", "mine", "clinic", "--positive", "9", "--negative", "0", "--min-support", "2", "--attributes", "1", "--json").out)
    assert (mined["positive_count"], mined["negative_count"], mined["over"]) == (4, 0, "the population")
    assert place.sql("select distinct attribute_count from adversary.rule") == [{"attribute_count": 1}]
    shown = place.add("adversary", "add", "insider", "--mined", "1,1", "--statements", "P(illness = 'Flu') <= 0.9", "--remark", "works there")
    assert shown.out == "Added insider, who knows 1 statement and 1 positive and 1 negative rules, mined from the population.\n"
    several = place.add("audit", "clinic", "--adversary", "insider,none", "--adversary", "default", "--json")
    assert [row["adversary"] for row in json.loads(several.out)] == ["insider", "none", "default"]
    lines = place.add("audit", "clinic", "--adversary", "insider").out
    assert "2 rules mined from the data (model.rule_support)" in lines
    effect = json.loads(place.add("knowledge", "effect", "1", "--json").out)
    assert len(effect["statements"]) == 3
    assert "left out in turn" in place.add("knowledge", "effect", "1", "--only", str(effect["statements"][0]["statement_id"])).out


def test_a_sweep_is_a_table_a_picture_and_data(place: Place) -> None:
    _clinic(place)
    drawing = place.folder / "sweep.svg"
    told = place.add("audit", "clinic", "--sweep", "0,2,4", "--plot", str(drawing))
    assert told.out.splitlines()[0].startswith("Sweep 1 of clinic: r; adversary default")
    assert drawing.read_text().startswith("<svg") and "strongest rules known" in drawing.read_text()
    rows = json.loads(place.add("audit", "clinic", "--sweep", "0,2", "--max-probability", "1", "--json").out)
    assert [(row["bound"], row["verdict"]) for row in rows] == [(0, "pass"), (2, "pass")] and rows[0]["estimation_accuracy"] > rows[1]["estimation_accuracy"]
    breached = place.run("audit", "clinic", "--sweep", "0,4", "--max-probability", "0.7")
    assert breached.code == 1
    assert len(place.sql("select * from report.sweep")) == 7


def test_questions_about_sweeps_that_make_no_sense_are_refused(place: Place) -> None:
    _clinic(place)
    for words, why in (
        (("--sweep", "ten"), "--sweep takes whole numbers divided by commas"),
        (("--plot", "x.svg"), "--plot draws one sweep"),
        (("--sweep", "0", "--plot", "x.txt"), "SVG or PNG"),
        (("--sweep", "0", "--adversary", "none"), "the adversary none knows only what was published"),
        (("--sweep", "0", "--adversary", "default,none"), "the adversary none knows only what was published"),
        (("--sweep", "0", "--plot", "nowhere/x.svg"), "there is no folder nowhere"),
        (("--adversary", "default,nobody"), "there is no adversary nobody"),
        (("--adversary", ","), "--adversary names nobody"),
    ):
        refused = place.run("audit", "clinic", *words)
        assert refused.code == 2 and why in refused.err, refused.err
    assert place.sql("select * from result.audit") == []
    wrong = place.run("adversary", "add", "x", "--mined", "5")
    assert wrong.code == 2 and "--mined takes whole numbers divided by commas, such as 50,50" in wrong.err
    wrong = place.run("adversary", "add", "x", "--min-support", "5")
    assert wrong.code == 2 and "give --mined with it" in wrong.err
    wrong = place.run("knowledge", "mine", "clinic", "--positive", str(2**64 + 1), "--negative", "0")
    assert wrong.code == 2 and "of at most 9 digits" in wrong.err
    assert "x" not in place.add("adversary", "list").out.split()


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
