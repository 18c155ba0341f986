"""What `publish` writes: buckets as the papers define them, and a file that gives nothing away beyond them."""

from __future__ import annotations

import csv
import json
import os
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from dbaudit import (
    AuditSpec,
    DatasetSpec,
    InputRejected,
    PublishSpec,
    ReleaseSpec,
    Store,
    UsageError,
    add_dataset,
    add_release,
    cli,
    list_releases,
    make_release,
    publish_release,
    run_audit,
    run_query,
)
from dbaudit.publish import anatomy, deal_values, history

QUICK = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.function_scoped_fixture],
)

Row = dict[str, str]


def dice(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


# -- the draws, against what the papers say of them


@st.composite
def eligible(draw: st.DrawFn, least: int = 1) -> tuple[np.ndarray, int]:
    """Values none of which makes up more than one part in l, in any order."""
    diversity = draw(st.integers(2, 5))
    size = draw(st.lists(st.integers(0, 12), min_size=diversity, max_size=9))
    most = max(size)
    assume(sum(size) >= max(least, diversity * most))
    assume(most)
    value = np.repeat(np.arange(len(size)), size)
    return dice(draw(st.integers(0, 99))).permutation(value), diversity


@QUICK
@given(eligible(), st.integers(0, 99))
def test_anatomy_gives_every_bucket_l_values_each_once(case: tuple[np.ndarray, int], seed: int) -> None:
    value, diversity = case
    bucket = anatomy(value, diversity, dice(seed))
    assert len(bucket) == len(value)
    held: dict[int, list[int]] = defaultdict(list)
    for where, what in zip(bucket.tolist(), value.tolist(), strict=True):
        held[where].append(what)
    assert sorted(held) == list(range(len(held)))
    assert all(len(set(values)) == len(values) >= diversity for values in held.values())
    # Property 1 of Anatomy: what is left when the rounds end are fewer than l records, and they enlarge buckets that exist.
    assert sum(len(values) - diversity for values in held.values()) == len(value) - diversity * len(held) < diversity


@QUICK
@given(eligible(), st.integers(0, 99))
def test_anatomy_takes_from_the_largest_groups(case: tuple[np.ndarray, int], seed: int) -> None:
    """Round by round, no value that was passed over had more records left than one that was taken."""
    value, diversity = case
    bucket = anatomy(value, diversity, dice(seed))
    rounds: dict[int, list[int]] = defaultdict(list)
    for where, what in sorted(zip(bucket.tolist(), value.tolist(), strict=True)):
        rounds[where].append(what)
    left = Counter(value.tolist())
    enlarged = 0
    for number in range(len(rounds)):
        ranked = sorted(rounds[number], key=lambda what: -left[what])
        enlarged += len(ranked) - diversity
        if enlarged == 0:  # before any record that was left over, the bucket is what the round took
            passed_over = [left[what] for what in left if what not in ranked]
            assert max(passed_over, default=0) <= min(left[what] for what in ranked)
        left.subtract(ranked)
    assert set(left.values()) == {0}


def test_ties_between_values_are_not_always_broken_the_same_way() -> None:
    """Two releases whose buckets pair the same values over and over would hide what independent ones give away."""
    value = np.arange(6)
    pairs = {tuple(sorted(tuple(np.flatnonzero(anatomy(value, 2, dice(seed)) == k)) for k in range(3))) for seed in range(60)}
    assert len(pairs) == 15  # all ways to pair six values


@st.composite
def continued(draw: st.DrawFn) -> tuple[np.ndarray, ...]:
    """A release whose buckets are kept: values, where each person stood (-1: is new), and the slots of those who left."""
    bucket_count = draw(st.integers(1, 6))
    cells = st.tuples(st.integers(0, bucket_count - 1), st.integers(0, 5))
    stayed, left = draw(st.lists(cells, max_size=12)), draw(st.lists(cells, max_size=12))
    new = draw(st.lists(st.integers(0, 7), max_size=25))
    order = dice(draw(st.integers(0, 99))).permutation(len(stayed) + len(new))
    value = np.array([what for _, what in stayed] + new, dtype=np.int64)[order]
    stands_in = np.array([where for where, _ in stayed] + [-1] * len(new), dtype=np.int64)[order]
    slots = np.array(left, dtype=np.int64).reshape(-1, 2)
    return value, stands_in, slots[:, 0], slots[:, 1], np.array(bucket_count)


@QUICK
@given(continued(), st.integers(2, 4), st.integers(0, 99))
def test_history_keeps_who_stays_and_fills_every_slot_that_can_be(case: tuple[np.ndarray, ...], diversity: int, seed: int) -> None:
    value, stands_in, slot_bucket, slot_value, old_count = case
    bucket = history(value, stands_in, slot_bucket, slot_value, int(old_count), diversity, dice(seed))
    stays = stands_in >= 0
    assert np.array_equal(bucket[stays], stands_in[stays])
    slots = Counter(zip(slot_bucket.tolist(), slot_value.tolist(), strict=True))
    came = ~stays & (bucket >= 0) & (bucket < old_count)
    filled = Counter(zip(bucket[came].tolist(), value[came].tolist(), strict=True))
    assert filled <= slots, "a slot is filled by somebody with the same value"
    for what in range(8):  # a slot stays empty only where every new record of its value fills another
        assert sum(n for (_, v), n in filled.items() if v == what) == min(np.count_nonzero(slot_value == what), np.count_nonzero(value[~stays] == what))
    added: dict[int, list[int]] = defaultdict(list)
    for k in np.flatnonzero(bucket >= old_count):
        added[int(bucket[k])].append(int(value[k]))
    assert all(len(set(values)) == len(values) >= diversity for values in added.values()), "buckets of new records are as Anatomy makes them"
    assert sorted(added) == list(range(int(old_count), int(old_count) + len(added)))


@QUICK
@given(st.lists(st.integers(0, 9), max_size=7), st.integers(2, 4), st.integers(0, 99))
def test_history_holds_back_no_record_that_could_be_hidden(size: list[int], diversity: int, seed: int) -> None:
    """Nobody stays and nothing is free: of the new records as many are published as any choice of them could be, by brute force."""
    value = np.repeat(np.arange(len(size)), size).astype(np.int64)
    nothing = np.array([], dtype=np.int64)
    bucket = history(value, np.full(len(value), -1), nothing, nothing, 0, diversity, dice(seed))
    best = max(sum(min(n, cap) for n in size) for cap in range(10) if sum(min(n, cap) for n in size) >= diversity * cap)
    assert np.count_nonzero(bucket >= 0) == best


# -- what the file gives away


@QUICK
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), min_size=1, max_size=30), st.integers(0, 99))
def test_what_is_written_depends_on_the_buckets_and_not_on_who_has_which_value(cells: list[tuple[int, int]], seed: int) -> None:
    bucket, value = (np.array(column, dtype=np.int64) for column in zip(*cells, strict=True))
    rows, dealt = deal_values(bucket, value, dice(seed))
    assert sorted(rows) == list(range(len(cells)))
    assert Counter(zip(bucket[rows], dealt, strict=True)) == Counter(zip(bucket, value, strict=True))
    other = value.copy()  # the same buckets with another truth
    for k in range(5):
        other[bucket == k] = dice(seed + 1).permutation(other[bucket == k])
    rows_again, dealt_again = deal_values(bucket, other, dice(seed))
    assert np.array_equal(rows, rows_again) and np.array_equal(dealt, dealt_again)


def test_the_value_beside_a_person_is_a_random_one_of_the_bucket() -> None:
    """3,000 buckets of four different values: how often the value beside the k-th person is the j-th in order must not depend on k or j."""
    bucket, value = np.repeat(np.arange(3000), 4), np.tile(np.arange(4), 3000)  # the truth: everybody has the value of his place
    rows, dealt = deal_values(bucket, value, dice(5))
    seen = np.bincount(4 * (rows % 4) + dealt, minlength=16).reshape(4, 4)
    expected = 3000 / 4
    # Chi-squared with 9 degrees of freedom: 27.9 is exceeded once in a thousand. The truth itself would give 36,000.
    assert ((seen - expected) ** 2 / expected).sum() < 27.9


# -- files and stores


@pytest.fixture(scope="module")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store with a dataset that has ids, to which nothing is registered by the tests that share it."""
    folder = tmp_path_factory.mktemp("publish")
    store = Store.create(folder / "audit.duckdb")
    add_dataset(store, DatasetSpec("patients", ("sex", "zip"), ("disease",), id="id"))
    add_dataset(store, DatasetSpec("visits", ("sex",), ("disease", "ward")))
    add_dataset(store, DatasetSpec("odd", ("Bucket",), ("disease",)))
    return store


def patients(numbers: range, values: str = "ABCDE") -> list[Row]:
    return [{"id": str(k), "sex": "mf"[k % 2], "zip": f"0{k % 7}", "disease": values[k % len(values)]} for k in numbers]


def write(path: Path, rows: list[Row]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def read(path: Path) -> list[Row]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def published(store: Store, folder: Path, rows: list[Row], name: str = "r", **more: Any) -> tuple[dict[str, Any], list[str], list[Row]]:
    spec: dict[str, Any] = {"dataset": "patients", "method": "anatomy", "diversity": 3, "seed": 1, **more}
    done = make_release(store, PublishSpec(file=write(folder / f"{name}.d.csv", rows), out=folder / f"{name}.csv", **spec))
    return done.row, done.remarks, read(folder / f"{name}.csv")


def test_the_file_holds_every_person_once_with_the_values_of_all(hospital: Store, tmp_path: Path) -> None:
    rows = patients(range(62))
    _, _, out = published(hospital, tmp_path, rows)
    assert list(out[0]) == ["id", "sex", "zip", "disease", "bucket"]
    assert {path.name for path in tmp_path.iterdir()} == {"r.d.csv", "r.csv"}
    assert {row["id"]: (row["sex"], row["zip"]) for row in out} == {row["id"]: (row["sex"], row["zip"]) for row in rows}
    assert Counter(row["disease"] for row in out) == Counter(row["disease"] for row in rows)
    assert sum(row["disease"] == rows[int(row["id"])]["disease"] for row in out) < len(rows) / 2


def test_neither_the_order_of_the_rows_nor_the_folder_changes_the_file(hospital: Store, tmp_path: Path) -> None:
    rows = patients(range(40))
    first = published(hospital, tmp_path, rows)[2]
    assert published(hospital, tmp_path, sorted(rows, key=lambda row: row["disease"]), "again")[2] == first
    assert published(hospital, tmp_path, rows, "other", seed=2)[2] != first
    assert published(hospital, tmp_path, rows, "drawn", seed=None)[2] != published(hospital, tmp_path, rows, "anew", seed=None)[2]


def test_several_sensitive_columns_stay_together(hospital: Store, tmp_path: Path) -> None:
    rows = [{"sex": "mf"[k % 2], "disease": "AB"[k % 2], "ward": "xyz"[k % 3]} for k in range(30)]
    _, _, out = published(hospital, tmp_path, rows, dataset="visits")
    assert list(out[0]) == ["sex", "disease", "ward", "bucket"]
    assert Counter((row["disease"], row["ward"]) for row in out) == Counter((row["disease"], row["ward"]) for row in rows)


def test_a_bucket_column_never_takes_the_name_of_another(hospital: Store, tmp_path: Path) -> None:
    row, _, out = published(hospital, tmp_path, [{"Bucket": str(k), "disease": "ABC"[k % 3]} for k in range(9)], dataset="odd")
    assert row["bucket_column"] == "bucket_"
    assert list(out[0]) == ["Bucket", "disease", "bucket_"]


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({"diversity": 1}, UsageError, "--l"),
        ({"method": "mondrian"}, UsageError, "--method"),
        ({"after": "r1"}, UsageError, "--after"),
        ({"seed": -1}, UsageError, "--seed"),
        ({"register": "a,b"}, UsageError, "cannot contain"),
        ({"dataset": "nobody"}, UsageError, "no dataset nobody"),
        ({"method": "history"}, UsageError, "no published release"),
        ({"method": "history", "after": "r7"}, UsageError, "no release r7"),
        ({"method": "history", "dataset": "visits"}, UsageError, "needs ids"),
        ({"diversity": 4, "rows": patients(range(30), "AAABC")}, InputRejected, "18 of 30 records have the value 'A'"),
        ({"rows": [*patients(range(30)), *patients(range(1))]}, InputRejected, "more than one record"),
        ({"rows": patients(range(2))}, InputRejected, "more than one in 3"),
    ],
)
def test_what_cannot_be_published_is_refused_and_nothing_is_written(
    change: dict[str, Any], error: type[Exception], says: str, hospital: Store, tmp_path: Path
) -> None:
    rows = change.pop("rows", patients(range(30)))
    with pytest.raises(error, match=says):
        published(hospital, tmp_path, rows, **change)
    assert {path.name for path in tmp_path.iterdir()} <= {"r.d.csv"}


def test_a_file_that_exists_is_left_as_it_is(hospital: Store, tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("precious")
    with pytest.raises(UsageError, match="exists already"):
        published(hospital, tmp_path, patients(range(30)))
    assert (tmp_path / "r.csv").read_text() == "precious"
    with pytest.raises(UsageError, match="CSV"):
        PublishSpec("patients", tmp_path / "r.d.csv", tmp_path / "r.parquet", "anatomy", 3)


def test_a_refused_registration_writes_no_file(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "audit.duckdb")
    add_dataset(store, DatasetSpec("patients", ("sex", "zip"), ("disease",), id="id"))
    published(store, tmp_path, patients(range(30)), "r1", register="r1")
    with pytest.raises(UsageError, match="r1 already"):
        published(store, tmp_path, patients(range(30)), "r2", register="r1")
    assert not (tmp_path / "r2.csv").exists()
    assert [release["state"] for release in list_releases(store, "patients")] == ["candidate"]


def test_history_through_the_store(tmp_path: Path) -> None:
    """Ten leave and ten come with the same values: the buckets stay as they were, and both releases say no more than one (Re-publishing 4.1)."""
    store = Store.create(tmp_path / "audit.duckdb")
    add_dataset(store, DatasetSpec("patients", ("sex", "zip"), ("disease",), id="id"))
    _, _, first = published(store, tmp_path, patients(range(40)), "r1", register="r1")
    with pytest.raises(UsageError, match="no published release"):  # a candidate has not been published
        published(store, tmp_path, patients(range(10, 50)), "r2", method="history")
    publish_release(store, "patients", "r1")
    row, _, second = published(store, tmp_path, patients(range(10, 50)), "r2", method="history", register="r2")
    assert (row["after"], row["stayed_count"], row["filled_count"], row["empty_count"], row["held_back_count"]) == ("r1", 30, 10, 0, 0)
    was, now = ({entry["id"]: entry["bucket"] for entry in rows} for rows in (first, second))
    assert {person: now[person] for person in now if person in was} == {person: was[person] for person in was if person in now}
    assert Counter((entry["bucket"], entry["disease"]) for entry in first) == Counter((entry["bucket"], entry["disease"]) for entry in second)
    alone, both = run_audit(store, AuditSpec("patients", ("r2",))), run_audit(store, AuditSpec("patients", candidate="r2"))
    query = "select person, value, probability from report.posterior where audit_id = {} and probability > 0 and cast(person as int) >= 10 order by all"
    answers = [run_query(store, query.format(audit.audit_id)).to_pylist() for audit in (alone, both)]
    assert len(answers[0]) == len(answers[1]) > 40
    assert all(x["value"] == y["value"] and abs(x["probability"] - y["probability"]) <= 1e-9 for x, y in zip(*answers, strict=True))
    # Who stays has another value than was published for the bucket: nobody could say then who left which place.
    changed = patients(range(10, 50))
    changed[0]["disease"] = next(value for value in "ABCDE" if (now["10"], value) not in {(entry["bucket"], entry["disease"]) for entry in first})
    with pytest.raises(InputRejected, match="value has changed"):
        published(store, tmp_path, changed, "r3", method="history", after="r1")


def test_history_says_what_it_could_not_do(tmp_path: Path) -> None:
    """Nobody with the value of those who left comes; seven with one value do, and three others: one in three of nine can be hidden."""
    store = Store.create(tmp_path / "audit.duckdb")
    add_dataset(store, DatasetSpec("patients", ("sex", "zip"), ("disease",), id="id"))
    old = [{**row, "bucket": f"ward {int(row['id']) // 5}"} for row in patients(range(20))]
    add_release(store, ReleaseSpec("patients", "r1", "bucketized", write(tmp_path / "r1.csv", old), bucket="bucket"))
    came = [{"id": str(100 + k), "sex": "m", "zip": "1", "disease": value} for k, value in enumerate("XXXXXXXYZ")]
    row, remarks, out = published(store, tmp_path, [*patients(range(2, 20)), *came], "r2", method="history")
    assert (row["empty_count"], row["held_back_count"], row["record_count"]) == (2, 6, 21)
    assert Counter(entry["bucket"] for entry in out) == {"ward 0": 3, "ward 1": 5, "ward 2": 5, "ward 3": 5, "1": 3}
    assert {entry["disease"] for entry in out if entry["bucket"] == "1"} == {"X", "Y", "Z"}
    told = " ".join(remarks)
    assert "2 of the places" in told and "6 x X" in told
    assert row["short_bucket_count"] == 0


def test_the_command_line_writes_registers_and_audits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "umask", lambda mask: mask)
    monkeypatch.delenv("DBAUDIT_DB", raising=False)
    write(tmp_path / "d.csv", patients(range(30)))

    def run(line: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["dbaudit", *line.split()])
        try:
            cli.main()
        except SystemExit as end:
            code = int(end.code or 0)
        said = capsys.readouterr()
        return code, said.out, said.err

    for line in ("init", "dataset add patients --qi sex,zip --sensitive disease --id id"):
        assert run(line)[0] == 0
    code, out, err = run("publish patients d.csv --method anatomy --l 3 --out r1.csv --register r1")
    assert (code, out) == (0, "Wrote r1.csv: 30 records in 10 buckets, at least 3 different values in each.\n")
    assert "dbaudit audit patients --candidate r1" in err
    code, out, err = run("publish patients d.csv --method anatomy --l 3 --out r2.csv --seed 7 --json")
    told = json.loads(out)
    assert (code, told["record_count"], told["registered"]) == (0, 30, None)
    assert "keep it to yourself" in err
    assert run("release add patients r2.csv --name r2 --form bucketized --bucket bucket")[0] == 0
    assert run("audit patients --candidate r1")[0] == 0
    code, out, err = run("publish patients d.csv --method anatomy --l 6 --out r3.csv")
    assert (code, out) == (3, "")
    assert "more than one in 6" in err and not (tmp_path / "r3.csv").exists()
