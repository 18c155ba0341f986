"""A dataset release after release: which audits make its history, what they say, and what is run where one is missing."""

from __future__ import annotations

import datetime
import json
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dbaudit import (
    AuditSpec,
    DatasetSpec,
    History,
    ReleaseSpec,
    Store,
    UsageError,
    add_dataset,
    add_release,
    draw_history,
    publish_release,
    remove_release,
    run_audit,
    run_history,
    show_history,
    withdraw_release,
)
from dbaudit.cli import app
from dbaudit.errors import ExitCode
from dbaudit.spec import names
from tests.audit.helpers import HOSPITAL
from tests.history.oracle import figure_1
from tests.sql import stores


def scopes(store: Store) -> list[tuple[list[str], int | None]]:
    return [(step["releases"], step["audit_id"]) for step in show_history(store, "patients").steps]


def add(store: Store, name: str, day: int, *, is_candidate: bool = False) -> None:
    """The first release of Figure 1 once more under another name: the same again says nothing new."""
    spec = ReleaseSpec(
        "patients", name, "bucketized", HOSPITAL / "r1.csv", bucket="bucket", is_candidate=is_candidate, published_on=datetime.date(2026, 1, day)
    )
    add_release(store, spec)


def test_each_step_of_figure_1_says_what_clarabel_and_linear_programs_say(hospital: Store) -> None:
    history = show_history(hospital, "patients")
    assert [step["release"] for step in history.steps] == ["r1", "r2"]
    for step in history.steps:
        truth = figure_1(*step["releases"])
        assert step["person_count"] == len(truth.answer)
        assert step["entropy_bits"] == pytest.approx(truth.entropy_bits, abs=1e-5)
        assert step["entropy_bits_per_person"] == pytest.approx(truth.entropy_bits / len(truth.answer), abs=1e-6)
        assert step["worst_probability"] == pytest.approx(truth.worst, abs=1e-5)
        assert step["certain_count"] == len(truth.certain)
    assert figure_1("r1", "r2").certain == {"7": "Diabetes", "10": "Lung Cancer", "13": "Diabetes"}
    assert history.words[1:] == [
        "With r1: 1.56 bits per person remain unknown, the surest guess has probability 0.5, nobody certain.",
        "With r1, r2: 0.93 bits per person remain unknown, the surest guess has probability 1, 3 persons certain.",
    ]
    assert history.left_to_do() == []


def test_missing_steps_are_named_with_their_commands_and_run_oldest_first(unaudited: Store) -> None:
    history = show_history(unaudited, "patients")
    assert history.audited == []
    commands = ["dbaudit audit patients --releases r1", "dbaudit audit patients --releases r1,r2"]
    assert [history.command(step) for step in history.missing()] == commands
    assert [line.partition("Run: ")[2] for line in history.left_to_do()[:2]] == commands
    assert [step["command"] for step in history.as_data()["steps"]] == commands
    told: list[str] = []
    outcomes = run_history(unaudited, "patients", watch=lambda stage, _share: told.append(stage))
    assert [outcome.row["releases"] for outcome in outcomes] == [["r1"], ["r1", "r2"]]
    assert scopes(unaudited) == [(["r1"], 3), (["r1", "r2"], 4)]
    assert told[0].startswith("up to r1: ") and told[-1].startswith("up to r2: ")
    assert run_history(unaudited, "patients") == []


def test_only_what_is_missing_is_run(hospital: Store) -> None:
    add(hospital, "r3", 3)
    (outcome,) = run_history(hospital, "patients")
    assert outcome.row["releases"] == ["r1", "r2", "r3"]
    assert scopes(hospital) == [(["r1"], 2), (["r1", "r2"], 1), (["r1", "r2", "r3"], 3)]
    # A later audit of the same scope takes the place of the earlier one; one of another scope does not.
    run_audit(hospital, AuditSpec("patients", releases=("r1",)))
    run_audit(hospital, AuditSpec("patients", releases=("r2",)))
    run_audit(hospital, AuditSpec("patients", releases=("r1", "r3")))
    assert scopes(hospital) == [(["r1"], 4), (["r1", "r2"], 1), (["r1", "r2", "r3"], 3)]


def test_candidates_wait_withdrawn_releases_stay_and_removed_ones_never_were(hospital: Store) -> None:
    add(hospital, "next", 3, is_candidate=True)
    run_audit(hospital, AuditSpec("patients", candidate="next"))
    assert scopes(hospital) == [(["r1"], 2), (["r1", "r2"], 1)]
    publish_release(hospital, "patients", "next")
    assert scopes(hospital) == [(["r1"], 2), (["r1", "r2"], 1), (["r1", "r2", "next"], 3)]
    withdraw_release(hospital, "patients", "r1")
    assert scopes(hospital) == [(["r1"], 2), (["r1", "r2"], 1), (["r1", "r2", "next"], 3)]
    assert show_history(hospital, "patients").table[0]["release"] == "r1 (withdrawn)"
    remove_release(hospital, "patients", "r2")
    assert scopes(hospital) == [(["r1"], 2), (["r1", "next"], None)]
    add(hospital, "r2", 2)
    # It has the name of the one that audits 1 and 3 rest on, and is another.
    assert scopes(hospital) == [(["r1"], 2), (["r1", "r2"], None), (["r1", "r2", "next"], None)]


def test_each_adversary_has_a_history(hospital: Store) -> None:
    history = show_history(hospital, "patients", "none")
    assert [step["audit_id"] for step in history.steps] == [None, None]
    assert history.command(history.steps[0]) == "dbaudit audit patients --releases r1 --adversary none"
    assert [outcome.row["adversary"] for outcome in run_history(hospital, "patients", "none")] == ["none", "none"]
    assert scopes(hospital) == [(["r1"], 2), (["r1", "r2"], 1)]
    with pytest.raises(UsageError, match="there is no adversary eve"):
        show_history(hospital, "patients", "eve")


def test_with_a_limit_each_step_is_held_to_it(hospital: Store) -> None:
    """Above 0.4 in the first release: Flu of patients 1 to 4. In both: the same, the three certain values, and two values of each of eight patients."""
    assert [row["findings"] for row in show_history(hospital, "patients").table] == [None, None]
    first, both = run_history(hospital, "patients", max_probability=0.4)
    assert (first.exit_code, both.exit_code) == (ExitCode.BREACHED, ExitCode.BREACHED)
    expected = [sum(probability > 0.4 for values in figure_1(*scope).answer.values() for probability in values.values()) for scope in (("r1",), ("r1", "r2"))]
    history = show_history(hospital, "patients")
    assert [row["findings"] for row in history.table] == expected == [4, 4 + 3 + 2 * 8]
    assert history.remarks == []
    assert run_history(hospital, "patients", max_probability=0.4) == []
    run_audit(hospital, AuditSpec("patients", releases=("r1",), max_probability=0.9))
    assert any("same limit" in remark for remark in show_history(hospital, "patients").remarks)
    assert [step["releases"] for step in show_history(hospital, "patients").missing(0.4)] == [["r1"]]


def test_a_step_without_an_answer_says_why_and_is_not_run_again(tmp_path: Path) -> None:
    store = stores.copy("contradiction", tmp_path)
    history = show_history(store, "pair")
    assert [(step["audit_id"], step["attempt_id"], step["attempt_status"]) for step in history.steps] == [(2, 2, "solved"), (None, 1, "infeasible")]
    assert history.table[1]["verdict"] == "infeasible"
    (remark,) = history.remarks
    assert remark.startswith("r1, r2: audit 1 ended infeasible. The publications contradict each other")
    assert run_history(store, "pair") == []
    draw_history(history, tmp_path / "history.svg")
    # Never audited, the same step is run, and the command ends as that audit does.
    with store.writing() as session:
        session.remove_rows("audit_id", 1, schema="result")
    done = CliRunner().invoke(app, ["audits", "history", "pair", "--run", "--db", str(store.files.audit)])
    assert done.exit_code == ExitCode.CONTRADICTION


def test_audits_of_another_domain_than_todays_do_not_count(hospital: Store) -> None:
    """So that what a hierarchy or a domain mends is audited again."""
    assert [step["audit_id"] for step in show_history(hospital, "patients").steps] != [None, None]
    with hospital.writing() as session:
        session.engine.run("another domain", "insert into result.audit_input select audit_id, 'domain', 'declared', 'abc' from result.audit")
    history = show_history(hospital, "patients")
    assert [step["audit_id"] for step in history.steps] == [None, None] and len(history.missing()) == 2


def test_no_release_no_history(tmp_path: Path) -> None:
    store = stores.copy("empty", tmp_path)
    add_dataset(store, DatasetSpec("patients", ("zip",), ("disease",)))
    history = show_history(store, "patients")
    assert history.steps == []
    assert run_history(store, "patients") == []
    assert history.words == ["patients has no published release yet: there is no history."]
    with pytest.raises(UsageError, match="nothing to draw"):
        draw_history(history, tmp_path / "history.svg")
    with pytest.raises(UsageError, match="nowhere"):
        show_history(store, "nowhere")


def test_the_command_of_a_step_can_be_typed_whatever_the_names_are() -> None:
    odd = "it's $HOME; *"
    releases = ["r1", odd, *(f"r{number}" for number in range(3, 8))]
    steps = [{"step": number, "releases": releases[:number], "audit_id": None, "attempt_id": None} for number in range(1, 8)]
    history = History("pati ents", "eve & co", steps)
    words = shlex.split(history.command(steps[1], " --db 'my store'"))
    assert words[:5] == ["dbaudit", "audit", "--db", "my store", "pati ents"]
    assert names(words[words.index("--releases") + 1]) == ("r1", odd)
    assert words[-2:] == ["--adversary", "eve & co"]
    assert history.left_to_do()[-1] == "4 more are missing. All at once: dbaudit audits history 'pati ents' --adversary 'eve & co' --run"


def test_the_command_tells_runs_and_draws(unaudited_files: Store, tmp_path: Path) -> None:
    def run(*words: str) -> tuple[int, str]:
        done = CliRunner().invoke(app, ["audits", "history", "patients", "--db", str(unaudited_files.files.audit), *words])
        return done.exit_code, done.stdout

    code, told = run()
    assert code == 0 and told.count("not audited") == 2
    assert f"Run: dbaudit audit --db {unaudited_files.files.audit} patients --releases r1\n" in told
    with pytest.raises(UsageError, match="SVG or PNG"):
        CliRunner().invoke(
            app, ["audits", "history", "patients", "--run", "--plot", "history.pdf", "--db", str(unaudited_files.files.audit)], catch_exceptions=False
        )
    with pytest.raises(UsageError, match="give --run too"):
        CliRunner().invoke(app, ["audits", "history", "patients", "--max-probability", "0.5", "--db", str(unaudited_files.files.audit)], catch_exceptions=False)
    assert show_history(unaudited_files, "patients").audited == []  # refused before anything was run
    code, told = run("--run", "--max-probability", "0.8", "--plot", str(tmp_path / "history.svg"), "--json")
    assert code == ExitCode.BREACHED
    assert [(step["releases"], step["certain_count"], step["verdict"]) for step in json.loads(told)["steps"]] == [
        (["r1"], 0, "pass"),
        (["r1", "r2"], 3, "breach"),
    ]
    assert (tmp_path / "history.svg").stat().st_size > 1000
    code, told = run("--run")
    assert code == 0 and len(told.splitlines()) == 3 + 1 + 2
