"""Files that look odd but are right are accepted, and the audit finds in them what is there.

In a single release without further knowledge a person has a value with the share that it has in the bucket; all that is
expected below follows from that.
"""

from __future__ import annotations

import datetime
import decimal
import json
import uuid
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pytest

from dbaudit import Store
from dbaudit.engine import Engine
from tests.cli.conftest import Place, csv_text, parquet_bytes

HEADER = ["gender", "zip", "disease", "bucket"]
ROWS: list[list[Any]] = [
    ["male", "13053", "Flu", "a"],
    ["female", "13068", "HIV", "a"],
    ["male", "13053", "Flu", "b"],
    ["female", "14850", "Cold", "b"],
    ["x", "14850", "Cold", "b"],
]
SHARES = {
    (1, "Flu"): 1 / 2, (1, "HIV"): 1 / 2, (2, "Flu"): 1 / 2, (2, "HIV"): 1 / 2,
    **{(row, value): share for row in (3, 4, 5) for value, share in (("Flu", 1 / 3), ("Cold", 2 / 3))},
}  # fmt: skip
BUCKETIZED = ("--name", "r1", "--form", "bucketized", "--bucket", "bucket")


@dataclass(frozen=True)
class OpenPlace(Place):
    """A place whose store stays open from command to command: opening takes longer than most of what these commands do."""

    engine: Engine

    def sql(self, query: str) -> list[dict[str, Any]]:
        return self.engine.dicts("test", query)


@pytest.fixture
def place(place: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    engine, files = Engine(), Store(place.store).files
    for name, file in (("audit", files.audit), ("original", files.original)):
        engine.attach(file, name, read_only=False)
    engine.run("home", "use audit")
    monkeypatch.setattr(Store, "_current", lambda *_, **__: nullcontext(engine))
    yield OpenPlace(place.folder, place.store, place.run, engine)
    engine.close()


def declare(place: Place, *more: str, qi: str = "gender,zip", sensitive: str = "disease") -> None:
    place.add("dataset", "add", "d", "--qi", qi, "--sensitive", sensitive, *more)


def register(place: Place, name: str, content: str | bytes, *options: str, release: str = "r1") -> str:
    """Register a file as a release and return what was remarked."""
    chosen = options or BUCKETIZED
    file = place.write(name, content)
    return place.add("release", "add", "d", file, *(release if option == "r1" else option for option in chosen)).err


def as_columns(header: list[str], rows: list[list[Any]]) -> dict[str, Any]:
    return {name: list(values) for name, values in zip(header, zip(*rows, strict=True), strict=True)}


def as_records(header: list[str], rows: list[list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(header, row, strict=True)) for row in rows]


def file_of(kind: str, header: list[str], rows: list[list[Any]]) -> str | bytes:
    """The same rows in a file of any kind."""
    if kind == "csv":
        return csv_text([header, *rows])
    return json.dumps(as_records(header, rows)) if kind == "json" else parquet_bytes(as_columns(header, rows))


def register_all(place: Place, header: list[str], rows: list[list[Any]], *options: str) -> tuple[str, ...]:
    """Register the same rows in a file of each kind; without ids these releases have nobody in common, and one audit tells of all."""
    for kind in ("csv", "json", "parquet"):
        register(place, f"r.{kind}", file_of(kind, header, rows), *options, release=kind)
    return ("csv", "json", "parquet")


PLAIN = csv_text([HEADER, *ROWS])
WRITTEN: dict[str, str | bytes] = {
    "semicolons.csv": csv_text([HEADER, *ROWS], ";"),
    "tabs.tsv": csv_text([HEADER, *ROWS], "\t"),
    "bars.txt": csv_text([HEADER, *ROWS], "|"),
    "mark.csv": b"\xef\xbb\xbf" + PLAIN.encode(),
    "crlf.csv": PLAIN.replace("\n", "\r\n"),
    "cr.csv": PLAIN.replace("\n", "\r"),
    "no_end.csv": PLAIN.rstrip("\n"),
    "blank_end.csv": PLAIN + "\n\n",
    "quoted.csv": "\n".join(",".join(f'"{field}"' for field in row) for row in [HEADER, *ROWS]) + "\n",
    "index.csv": csv_text([["", *HEADER], *([number, *row] for number, row in enumerate(ROWS))]),
    "trailing.csv": PLAIN.replace("\n", ",\n"),
    "two_without_name.csv": csv_text([["", *HEADER, ""], *(["", *row, ""] for row in ROWS)]),
    "lines.jsonl": "\n".join(json.dumps(record) for record in as_records(HEADER, ROWS)),
    "array.json": json.dumps(as_records(HEADER, ROWS), indent=2),
    "mark.json": b"\xef\xbb\xbf" + json.dumps(as_records(HEADER, ROWS)).encode(),
    "nested_elsewhere.json": json.dumps([record | {"other": [1, {"a": 2}]} for record in as_records(HEADER, ROWS)]),
    "r.parquet": parquet_bytes(as_columns(HEADER, ROWS)),
    "no_ending": PLAIN,
    "no_ending_parquet": parquet_bytes(as_columns(HEADER, ROWS)),
    "plain_called.csv.gz": PLAIN,
    "it's.csv": PLAIN,
    "r*.csv": PLAIN,
    "r?[1].parquet": parquet_bytes(as_columns(HEADER, ROWS)),
    "[ab].json": json.dumps(as_records(HEADER, ROWS)),
    "zip=99999/gender=none/r.csv": PLAIN,
    "zip=99999/gender=none/r.parquet": parquet_bytes(as_columns(HEADER, ROWS)),
    "file:/r.csv": PLAIN,
    "Zürich Ж 日本.csv": PLAIN,
}


def test_the_same_table_gives_the_same_answer_however_it_is_written(place: Place) -> None:
    """DuckDB would read a name with * as a pattern, and columns from folders called zip=99999."""
    for other in ("r1.csv", "ra.csv", "a.json", "rx1.parquet", "b.json"):
        place.write(other, csv_text([HEADER, ["other", "1", "Wrong", "a"]]))
    declare(place)
    for number, (name, content) in enumerate(WRITTEN.items()):
        register(place, name, content, release=f"r{number}")
    found = place.posterior("d")
    for number, name in enumerate(WRITTEN):
        shares = {(int(person.partition("#")[2]), value): share for (person, value), share in found.items() if person.startswith(f"r{number}#")}
        assert shares == pytest.approx(SHARES), name
    assert {
        (row["gender"], row["zip"]) for row in place.sql("select cast(qi.gender as varchar) as gender, cast(qi.zip as varchar) as zip from published.qi")
    } == {(gender, zip_) for gender, zip_, *_ in ROWS}


def test_quoted_fields_may_hold_delimiters_quotes_and_line_ends(place: Place) -> None:
    declare(place, qi="address")
    register(place, "r.csv", csv_text([["address", "disease", "bucket"], ["1, Main Street\n\nNew York", 'the "Flu", again', "x,y"], ["2", "HIV", "x,y"]]))
    assert place.qi_posterior("d", "cast(qi.address as varchar)") == pytest.approx(
        {(address, value): 1 / 2 for address in ("1, Main Street\n\nNew York", "2") for value in ('the "Flu", again', "HIV")}
    )


NAMES = [
    "Größe Ж 日本 🙂",
    "zip code",
    'the "best" zip',
    '"; drop table published.release; --',
    "select",
    "c",
    "qi",
    "value",
    "o'clock",
    "z" * 200,
    "a,b",
    "a=b; c=d",
    "$1",
    "{x}",
]


def test_a_column_may_have_any_name(place: Place) -> None:
    quoted = ['"' + name.replace('"', '""') + '"' for name in NAMES]
    declare(place, qi=",".join(quoted), sensitive='"=;,""--"')
    rows = [[f"{row} {name}" for name in NAMES] + [value, "a"] for row, value in ((1, "Ж"), (2, "日本"))]
    register_all(place, [*NAMES, '=;,"--', "bucket"], rows)
    for name, field in zip(NAMES, quoted, strict=True):
        assert {row["told"] for row in place.sql(f"select cast(t.qi.{field} as varchar) as told from published.qi as t")} == {f"1 {name}", f"2 {name}"}
    told = place.qi_posterior("d", f"cast(qi.{quoted[3]} as varchar)")
    assert told == pytest.approx({(f"{row} {NAMES[3]}", value): 1 / 2 for row in (1, 2) for value in ("Ж", "日本")})


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_leading_zeros_long_digits_and_hexadecimals_are_kept_as_text(place: Place, kind: str) -> None:
    ids = ["007", "7", "07", "12345678901234567890", "12345678901234567891", "12e4", "120000"]
    declare(place, "--id", "id")
    register(place, f"r.{kind}", file_of(kind, ["id", *HEADER], [[id_, "m", "01234" if id_ == "7" else "1234", "Flu", "a"] for id_ in ids]))
    assert place.posterior("d") == pytest.approx({(id_, "Flu"): 1 for id_ in ids})
    assert place.qi_posterior("d", "cast(qi.zip as varchar)") == pytest.approx({("01234", "Flu"): 1, ("1234", "Flu"): 1})


def test_ids_and_buckets_that_look_like_powers_of_ten_are_names(place: Place) -> None:
    declare(place, "--id", "id")
    register(place, "r.csv", csv_text([["id", *HEADER], ["12e4", "m", 1, "Flu", "1e1"], ["120000", "m", 1, "HIV", "10"]]))
    assert place.posterior("d") == pytest.approx({("12e4", "Flu"): 1, ("120000", "HIV"): 1})


def test_numbers_of_twenty_digits_in_json_are_kept_apart(place: Place) -> None:
    declare(place, "--id", "id")
    rows = [[12345678901234567890, "m", 123456789012345678901234567890, "Flu", 1], [12345678901234567891, "m", 123456789012345678901234567891, "Flu", 1]]
    register(place, "r.json", file_of("json", ["id", *HEADER], rows))
    assert set(place.posterior("d")) == {("12345678901234567890", "Flu"), ("12345678901234567891", "Flu")}
    assert len(place.qi_posterior("d", "cast(qi.zip as varchar)")) == 2


def test_decimals_of_many_digits_are_kept_apart(place: Place) -> None:
    declare(place, qi="x")
    register(
        place, "r.csv", "x,disease,bucket\n0.12345678901234567,Flu,a\n0.12345678901234568,Flu,a\n123456789012345.12345,Flu,a\n123456789012345.12346,Flu,a\n"
    )
    assert len(place.qi_posterior("d", "cast(qi.x as varchar)")) == 4


@pytest.mark.parametrize(
    ("second", "kind"),
    [
        ([1, 2], "parquet"),
        (["1", "2"], "parquet"),
        ([1.0, 2.0], "parquet"),
        ([1, 2], "json"),
        (["1", "2"], "json"),
        (["1.0", "2.00"], "csv"),
        (["1", "2"], "csv"),
    ],
)
def test_an_id_is_the_same_person_whether_it_is_a_number_or_text(place: Place, second: list[Any], kind: str) -> None:
    declare(place, "--id", "id", qi="zip")
    register(place, "r1.parquet", parquet_bytes({"id": pa.array([1, 2], pa.int16()), "zip": [900, 901], "disease": ["Flu", "HIV"], "bucket": [1, 1]}))
    register(
        place, f"r2.{kind}", file_of(kind, ["id", "zip", "disease", "bucket"], [[second[0], "900", "Flu", "x"], [second[1], "901", "Cold", "y"]]), release="r2"
    )
    person = place.sql("select person from published.person order by person")
    assert person == [{"person": "1"}, {"person": "2"}]


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_a_number_is_the_same_value_however_it_is_written(place: Place, kind: str) -> None:
    declare(place, "--id", "id", qi="income", sensitive="dose")
    register(place, "r1.csv", "id,income,dose,bucket\n1,900,5,a\n2,1000,0,a\n")
    rows = [[1, "900.0", "5.00", "a"], [2, "1e3", "-0.0", "a"]] if kind == "csv" else [[1, 900.0, 5.0, "a"], [2, 1e3, -0.0, "a"]]
    register(place, f"r2.{kind}", file_of(kind, ["id", "income", "dose", "bucket"], rows), release="r2")
    assert place.posterior("d") == pytest.approx({(person, dose): 1 / 2 for person in "12" for dose in ("0", "5")})
    assert len(place.sql("select * from published.qi")) == 2


def test_a_text_that_looks_like_a_number_among_words_stays_as_it_is(place: Place) -> None:
    """1.10 and 1.1 are two codes in a column of codes: they must neither be merged nor double their records."""
    declare(place, qi="code", sensitive="icd")
    register(place, "r.csv", "code,icd,bucket\n1.10,250.00,a\n1.1,250.0,a\nx,V01,a\n")
    assert len(place.posterior("d")) == 9
    assert set(place.qi_posterior("d", "cast(qi.code as varchar)")) == {(code, icd) for code in ("1.10", "1.1", "x") for icd in ("250.00", "250.0", "V01")}


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_dates_times_numbers_and_flags_keep_their_types(place: Place, kind: str) -> None:
    declare(place, qi="born,seen,age,height,smoker")
    texts: list[list[Any]] = [["1990-05-01", "2020-01-31 10:00:00", 30, 1.75, True, "Flu", 1], ["1985-12-24", "2020-02-01 23:59:59", 34, 1.5, False, "HIV", 1]]
    typed = [[datetime.date.fromisoformat(row[0]), datetime.datetime.fromisoformat(row[1]), *row[2:]] for row in texts]
    header = ["born", "seen", "age", "height", "smoker", "disease", "bucket"]
    register(place, f"r.{kind}", file_of(kind, header, typed if kind == "parquet" else texts))
    kinds = {"born": "DATE", "seen": "TIMESTAMP", "age": "INT64", "height": "DOUBLE", "smoker": "BOOL" if kind != "csv" else "VARCHAR"}
    found = place.sql("select " + ", ".join(f"min(variant_typeof(qi.{name})) as {name}" for name in kinds) + " from published.qi")[0]
    assert all(found[name].startswith(kind) for name, kind in kinds.items()), found
    young = place.qi_posterior(
        "d", "cast(qi.born as date) > date '1987-01-01' and cast(qi.age as int) < 31 and cast(qi.seen as timestamp) < timestamp '2020-02-01'"
    )
    assert young == pytest.approx({(young, value): 1 / 2 for young in (True, False) for value in ("Flu", "HIV")})


def test_a_text_that_is_a_date_only_in_some_countries_stays_text(place: Place) -> None:
    """DuckDB would read 01-02-2020 in JSON as the first of February."""
    declare(place, qi="day")
    register(place, "r.json", file_of("json", ["day", "disease", "bucket"], [["01-02-2020", "Flu", 1], ["02-01-2020", "HIV", 1]]))
    assert set(place.qi_posterior("d", "cast(qi.day as varchar)")) == {(day, value) for day in ("01-02-2020", "02-01-2020") for value in ("Flu", "HIV")}


def test_a_missing_quasi_identifier_is_a_value_of_its_own(place: Place) -> None:
    declare(place)
    for release in register_all(place, HEADER, [["m", None, "Flu", 1], ["m", "", "HIV", 1], ["m", "null", "Cold", 2]]):
        found = place.qi_posterior("d", "cast(qi.zip as varchar)", release)
        assert found == pytest.approx({(None, "Flu"): 1 / 2, (None, "HIV"): 1 / 2, ("null", "Cold"): 1})
    assert len(place.sql("select * from published.qi")) == 2


def test_a_quasi_identifier_that_is_always_missing_is_no_obstacle(place: Place) -> None:
    declare(place)
    register_all(place, HEADER, [["m", None, "Flu", 1]])
    assert len(place.sql("select * from published.qi")) == 1


def test_a_missing_value_can_have_a_name(place: Place) -> None:
    declare(place, "--null-value", "unknown")
    releases = register_all(place, HEADER, [["m", "1", None, 1], ["f", "2", "Flu", 1]])
    assert place.posterior("d") == pytest.approx({(f"{release}#{row}", value): 1 / 2 for release in releases for row in (1, 2) for value in ("unknown", "Flu")})


def test_the_release_may_name_the_missing_value_otherwise(place: Place) -> None:
    declare(place, "--null-value", "unknown")
    register(place, "r.csv", csv_text([HEADER, ["m", "1", "", 1]]), *BUCKETIZED, "--null-value", "none said")
    assert place.posterior("d") == {("r1#1", "none said"): 1}


def test_several_sensitive_columns_make_one_value_whose_parts_can_be_queried(place: Place) -> None:
    declare(place, "--null-value", "?", qi="zip", sensitive="drug,disease")
    releases = register_all(place, ["zip", "drug", "disease", "bucket"], [["1", "x", "Flu", 1], ["2", "x", "HIV", 1], ["3", None, "HIV", 1]])
    assert {value for _, value in place.posterior("d")} == {"drug=x; disease=Flu", "drug=x; disease=HIV", "drug=?; disease=HIV"}
    for release in releases:
        parts = place.sql(f"select column_name, part, probability from report.part_posterior where person = '{release}#1'")
        assert {(row["column_name"], row["part"]): row["probability"] for row in parts} == pytest.approx(
            {("drug", "x"): 2 / 3, ("drug", "?"): 1 / 3, ("disease", "Flu"): 1 / 3, ("disease", "HIV"): 2 / 3}
        )


def test_a_counted_table_stands_for_its_records(place: Place) -> None:
    declare(place, qi="zip")
    rows = [["1", "Flu", "a", 3], ["2", "HIV", "a", 1], ["3", "Cold", "b", 0]]
    releases = register_all(place, ["zip", "disease", "bucket", "n"], rows, *BUCKETIZED, "--count", "n")
    shares = {(f"#{person}", value): share for person in ("1.1", "1.2", "1.3", "2") for value, share in (("Flu", 3 / 4), ("HIV", 1 / 4))}
    assert place.posterior("d") == pytest.approx({(release + person, value): share for release in releases for (person, value), share in shares.items()})


def anatomy(place: Place, records: tuple[str, str | bytes], values: tuple[str, str | bytes], *more: str) -> None:
    files = [place.write(*records), place.write(*values)]
    place.add("release", "add", "d", "--records", files[0], "--values", files[1], "--name", "r1", "--form", "anatomy", "--bucket", "bucket", *more)


def test_the_two_files_of_an_anatomy_may_be_of_different_kinds(place: Place) -> None:
    declare(place, qi="zip")
    records = parquet_bytes({"zip": [1, 2, 3], "bucket": pa.array([7, 7, 10], pa.int8())})
    anatomy(place, ("q.parquet", records), ("s.csv", "bucket;disease;count\n7;Flu;1\n7;HIV;1\n10;Flu;1\n"))
    assert place.posterior("d") == pytest.approx(
        {("r1#1", "Flu"): 1 / 2, ("r1#1", "HIV"): 1 / 2, ("r1#2", "Flu"): 1 / 2, ("r1#2", "HIV"): 1 / 2, ("r1#3", "Flu"): 1}
    )


def test_the_records_of_an_anatomy_may_be_counted(place: Place) -> None:
    declare(place, qi="zip")
    anatomy(
        place,
        ("q.csv", "zip,bucket,n\n1,a,2\n2,a,1\n"),
        ("s.json", '[{"bucket": "a", "disease": "Flu", "n": 1}, {"bucket": "a", "disease": "HIV", "n": 2}]'),
        "--count",
        "n",
    )
    assert place.qi_posterior("d", "cast(qi.zip as varchar)") == pytest.approx(
        {("1", "Flu"): 1 / 3, ("1", "HIV"): 2 / 3, ("2", "Flu"): 1 / 3, ("2", "HIV"): 2 / 3}
    )


def test_with_records_as_unit_an_id_may_repeat_and_the_release_says_so(place: Place) -> None:
    declare(place, "--id", "id")
    register(place, "r.csv", csv_text([["id", *HEADER], ["1", "m", "1", "Flu", "a"], ["1", "m", "1", "HIV", "a"]]), *BUCKETIZED, "--unit", "record")
    assert place.posterior("d") == pytest.approx({(f"r1#{row}", value): 1 / 2 for row in (1, 2) for value in ("Flu", "HIV")})
    assert json.loads(place.add("release", "show", "d", "r1", "--json").out)["unit"] == "record"
    audited = place.add("audit", "d")
    assert "record" in audited.err and "record" in audited.out and "person" not in audited.out.splitlines()[1]


def test_a_bucket_of_one_is_accepted_with_a_remark(place: Place) -> None:
    declare(place)
    assert "1 bucket holds a single record" in register(place, "r.csv", csv_text([HEADER, ["m", "1", "Flu", "a"]]))
    assert place.posterior("d") == {("r1#1", "Flu"): 1}


def test_values_that_look_alike_are_different_and_remarked(place: Place) -> None:
    declare(place)
    said = register(place, "r.csv", csv_text([HEADER, ["m", "1", "Flu", "a"], ["m", "1", "flu ", "a"], ["m", "1", "F\u04cfu \u0430nd", "a"]]))
    assert "'Flu' and 'flu '" in said and "Cyrillic and Latin" in said
    assert len(place.posterior("d")) == 9


def test_a_generalized_release_has_a_bucket_for_each_tuple_or_as_told(place: Place) -> None:
    declare(place)
    content = csv_text([HEADER, ["*", "130**", "Flu", "a"], ["*", "130**", "HIV", "b"], ["*", "14850", "Cold", "a"]])
    register(place, "r.csv", content, "--name", "r1", "--form", "generalized")
    assert place.posterior("d", "r1") == pytest.approx(
        {("r1#1", "Flu"): 1 / 2, ("r1#1", "HIV"): 1 / 2, ("r1#2", "Flu"): 1 / 2, ("r1#2", "HIV"): 1 / 2, ("r1#3", "Cold"): 1}
    )
    register(place, "r.csv", content, "--name", "r1", "--form", "generalized", "--bucket", "bucket", release="r2")
    assert place.posterior("d", "r2") == pytest.approx(
        {("r2#1", "Flu"): 1 / 2, ("r2#1", "Cold"): 1 / 2, ("r2#2", "HIV"): 1, ("r2#3", "Flu"): 1 / 2, ("r2#3", "Cold"): 1 / 2}
    )


def test_tuples_that_would_be_written_alike_are_different_buckets(place: Place) -> None:
    declare(place, qi="a,b")
    rows = [["x, b=y", "z", "v1"], ["x", "y, b=z", "v2"], ["", "null", "v3"], ["null", "", "v4"], ['"x"', "1", "v5"], ["x", "1", "v6"], ["\\", "1", "v7"]]
    register(place, "r.csv", csv_text([["a", "b", "disease"], *rows]), "--name", "r1", "--form", "generalized")
    assert place.posterior("d") == {(f"r1#{row}", f"v{row}"): 1 for row in range(1, 8)}


def test_a_quasi_identifier_may_say_which_bucket_it_is(place: Place) -> None:
    declare(place)
    register(place, "r.csv", PLAIN, "--name", "r1", "--form", "generalized", "--bucket", "zip")
    assert place.posterior("d")[("r1#4", "Cold")] == 1


def test_types_that_only_parquet_has(place: Place) -> None:
    names = ["amount", "whole", "key", "enum", "zoned", "clock"]
    declare(place, qi=",".join(names))
    zoned = [datetime.datetime(2020, 1, 1, 10, tzinfo=datetime.UTC), datetime.datetime(2020, 7, 1, 10, tzinfo=datetime.UTC)]
    columns = {
        "amount": pa.array([decimal.Decimal("1.50"), decimal.Decimal("2.00")], pa.decimal128(10, 2)),
        "whole": pa.array([decimal.Decimal(2**100), decimal.Decimal(2**100 + 1)], pa.decimal128(38, 0)),
        "key": pa.array([uuid.UUID(int=1).bytes, uuid.UUID(int=2).bytes], pa.uuid()),
        "enum": pa.array(["a", "b"]).dictionary_encode(),
        "zoned": pa.array(zoned, pa.timestamp("us", "Europe/Berlin")),
        "clock": pa.array([datetime.time(10), datetime.time(11)]),
        "disease": pa.array(["Flu", "HIV"]).dictionary_encode(),
        "bucket": pa.array([2**63, 2**63], pa.uint64()),
    }
    register(place, "r.parquet", parquet_bytes(columns))
    tuples = [json.loads(row["tuple"]) for row in place.sql("select tuple from published.qi order by tuple")]
    assert tuples == [
        {"amount": "1.5", "whole": str(2**100), "key": str(uuid.UUID(int=1)), "enum": "a", "zoned": "2020-01-01 10:00:00+00", "clock": "10:00:00"},
        {"amount": "2", "whole": str(2**100 + 1), "key": str(uuid.UUID(int=2)), "enum": "b", "zoned": "2020-07-01 10:00:00+00", "clock": "11:00:00"},
    ]
    assert place.posterior("d") == pytest.approx({(f"r1#{row}", value): 1 / 2 for row in (1, 2) for value in ("Flu", "HIV")})


def test_ten_thousand_values(place: Place) -> None:
    declare(place)
    register(place, "r.csv", csv_text([HEADER, *([n % 7, n % 11, f"value {n}", n // 4] for n in range(10_000))]))
    assert place.sql("select count(distinct value) as n from published.bucket_value") == [{"n": 10_000}]
    place.add("audit", "d")
    assert place.sql("select min(probability) as least, max(probability) as most, count(*) as n from report.posterior") == [
        {"least": 0.25, "most": 0.25, "n": 40_000}
    ]


@pytest.mark.parametrize("option", ["--population", "--microdata"])
@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_persons_of_a_population_are_those_of_the_release(place: Place, option: str, kind: str) -> None:
    rows: list[list[Any]] = [["007", "m", "01", "Flu"], ["7", "f", None, "HIV"]]
    declare(place, "--id", "id", option, str(place.write(f"p.{kind}", file_of(kind, ["id", "gender", "zip", "disease"], rows))))
    register(place, "r.csv", csv_text([["id", *HEADER], ["7", "f", "", "HIV", "a"], ["007", "m", "01", "Flu", "a"]]))
    assert place.posterior("d") == pytest.approx({(person, value): 1 / 2 for person in ("7", "007") for value in ("Flu", "HIV")})
    assert len(place.sql("select * from published.qi")) == 2
