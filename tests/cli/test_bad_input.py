"""Whatever is wrong with a file, a command says so in one sentence, and the store is as it was.

Each case is a command, the files it reads, the exit code, and words that its sentence must have: where it is wrong, and
what is wrong there. All are tried on a store that holds datasets, a release, the truth and an audit.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pytest

from dbaudit import AuditSpec, DatasetSpec, ReleaseSpec, Store, add_dataset, add_release, intake, run_audit
from tests.cli.conftest import Ended, Place, Run, csv_text, dump, parquet_bytes, place_at

USAGE, REJECTED, STORE = 2, 3, 6

# What the engine would say, and what a program says that was not finished.
_STRANGE = re.compile(
    r"[A-Z]\w+ (Error|Exception)|Traceback|duckdb|DuckDB|LINE 1:|Possible|auto_detect|strict_mode|sample_size|struct_pack|null_padding|mistake in dbaudit"
)

HEADER = ["id", "gender", "zip", "disease", "bucket"]
RECORDS = [["1", "male", "13053", "Flu", "a"], ["2", "female", "13068", "HIV", "a"], ["3", "male", "13053", "Flu", "b"], ["4", "female", "14850", "Cold", "b"]]
MANY = "gender,zip,disease,bucket\n" + "male,13053,Influenza,1\n" * 60_000
MICRODATA = csv_text([row[:4] for row in [HEADER, *RECORDS]])


def table(row: int = 0, column: str = "", value: str = "", delimiter: str = ",") -> str:
    """A table that is right but for one field; rows are counted from 1."""
    rows = [list(record) for record in RECORDS]
    if column:
        rows[row - 1][HEADER.index(column)] = value
    return csv_text([HEADER, *rows], delimiter)


def records(row: int = 0, column: str = "", value: object = None) -> list[dict[str, object]]:
    """The same as JSON records."""
    rows: list[dict[str, object]] = [dict(zip(HEADER, record, strict=True)) for record in RECORDS]
    if column:
        rows[row - 1][column] = value
    return rows


def columns(**changed: object) -> dict[str, object]:
    """The same as columns for Parquet."""
    return {name: list(values) for name, values in zip(HEADER, zip(*RECORDS, strict=True), strict=True)} | changed


def junk(size: int = 5000) -> bytes:
    """Bytes that mean nothing, the same every time."""
    return random.Random(1).randbytes(size)


BUCKETIZED = "release add crowd {} --name r1 --form bucketized --bucket bucket"
FOLLOWED = "release add patients {} --name r1 --form bucketized --bucket bucket"
GENERALIZED = "release add crowd {} --name r1 --form generalized"
ANATOMY = "release add crowd --records q.csv --values s.csv --name r1 --form anatomy --bucket bucket"
COUNTED = "release add crowd {} --name r1 --form bucketized --bucket bucket --count n"
POPULATION = "dataset add new --qi gender,zip --sensitive disease --id id --population {}"
TRUTH = "dataset add new --qi gender,zip --sensitive disease --id id --microdata {}"
QS: dict[str, str | bytes] = {"q.csv": "gender,zip,bucket\nmale,1,a\nmale,1,a\nfemale,2,b\n", "s.csv": "bucket,disease,count\na,Flu,1\na,HIV,1\nb,Flu,1\n"}
COUNTS = "gender,zip,disease,bucket,n\nmale,1,Flu,a,2\nfemale,2,HIV,a,{}\n"


@dataclass(frozen=True)
class Case:
    """A command with its files, and how it must end."""

    name: str
    command: str
    says: tuple[str, ...]
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    code: int = REJECTED
    before: Callable[[Place], object] | None = None


def case(
    name: str, command: str, *says: str, file: str = "r.csv", content: str | bytes | None = None, files: Mapping[str, str | bytes] | None = None, **more: object
) -> Case:
    given: Mapping[str, str | bytes] = files if files is not None else {} if content is None else {file: content}
    return Case(name, command.format(shlex.quote(file)), says, given, **more)  # type: ignore[arg-type]


def cut(content: bytes, share: float = 0.6) -> bytes:
    return content[: int(len(content) * share)]


def damaged_footer() -> bytes:
    content = parquet_bytes(columns())
    length = int.from_bytes(content[-8:-4], "little")
    return content[: -8 - length] + junk(length) + content[-8:]


FORMATS = [
    case("empty file", BUCKETIZED, "r.csv", "empty", content=b""),
    case("empty file of blanks", BUCKETIZED, "r.csv", "no column", content=b"\n\n"),
    case("header only", BUCKETIZED, "r.csv", "no record", content="gender,zip,disease,bucket\n"),
    case(
        "header only, Parquet",
        BUCKETIZED,
        "r.parquet",
        "no record",
        file="r.parquet",
        content=parquet_bytes({name: pa.array([], pa.string()) for name in HEADER}),
    ),
    case("no records, JSON", BUCKETIZED, "r.json", "no column", file="r.json", content="[]"),
    case("header only, population", POPULATION, "r.csv", "no record", content="id,gender,zip\n"),
    case("wrong delimiter", BUCKETIZED, "r.csv", "no column", r"id\^gender", content=table(delimiter="^")),
    case("missing header", BUCKETIZED, "r.csv", "no column", "1, male, 13053", "first line", content=table().split("\n", 1)[1]),
    case("missing column", BUCKETIZED, "r.csv", "no column zip", content="gender,disease,bucket\nmale,Flu,a\n"),
    case(
        "missing column, Parquet",
        BUCKETIZED,
        "r.parquet",
        "no column zip",
        file="r.parquet",
        content=parquet_bytes({"gender": ["m"], "disease": ["Flu"], "bucket": [1]}),
    ),
    case("missing column, JSON", BUCKETIZED, "r.json", "no column zip", file="r.json", content='[{"gender": "m", "disease": "Flu", "bucket": 1}]'),
    case("missing bucket column", BUCKETIZED, "r.csv", "no column bucket", content=MICRODATA),
    case("generalized without a quasi-identifier", GENERALIZED, "r.csv", "no column zip", content="gender,disease\nmale,Flu\n"),
    case("population without id", POPULATION, "r.csv", "no column id", content="gender,zip\nmale,1\n"),
    case("microdata without the truth", TRUTH, "r.csv", "no column disease", content="id,gender,zip\n1,male,1\n"),
    case("0 bytes of Parquet", BUCKETIZED, "r.parquet", "empty", file="r.parquet", content=b""),
    case("truncated Parquet", BUCKETIZED, "r.parquet", "cut off", file="r.parquet", content=cut(parquet_bytes(columns()))),
    case("corrupt footer", BUCKETIZED, "r.parquet", "damaged", file="r.parquet", content=damaged_footer()),
    case("wrong footer length", BUCKETIZED, "r.parquet", "damaged", file="r.parquet", content=parquet_bytes(columns())[:-8] + b"\xff\xff\xff\x7fPAR1"),
    case("junk called CSV", BUCKETIZED, "r.csv", "not a text file", content=junk()),
    case("junk called JSON", BUCKETIZED, "r.json", "not a text file", file="r.json", content=junk()),
    case("junk called Parquet", BUCKETIZED, "r.parquet", "damaged", file="r.parquet", content=junk()),
    case("junk called Parquet, population", POPULATION, "r.parquet", "damaged", file="r.parquet", content=junk()),
    case("CSV called Parquet", BUCKETIZED, "r.parquet", "no Parquet file", file="r.parquet", content=table()),
    case("CSV called JSON", BUCKETIZED, "r.json", "syntax", file="r.json", content=table()),
    case("not UTF-8 in the header", BUCKETIZED, "r.csv", "UTF-8", "line 1", content="géndér,zip,disease,bucket\n".encode("latin-1")),
    case("not UTF-8 in a row", BUCKETIZED, "r.csv", "UTF-8", "line 3", content=table(2, "disease", "Grippe é").encode("latin-1")),
    case("not UTF-8 in the second megabyte", BUCKETIZED, "r.csv", "UTF-8", "line 60002", content=MANY.encode() + b"male,1,Grippe \xe9,1\n"),
    case(
        "not UTF-8 in JSON",
        BUCKETIZED,
        "r.json",
        "UTF-8",
        file="r.json",
        content=json.dumps(records(1, "disease", "Gripp\u00e9"), ensure_ascii=False).encode("latin-1"),
    ),
    case("UTF-16", BUCKETIZED, "r.csv", "UTF-8", content=table().encode("utf-16")),
    case("UTF-16 without a mark", BUCKETIZED, "r.csv", "not a text file", content=table().encode("utf-16-le")),
    case("NUL byte", BUCKETIZED, "r.csv", "binary", content=table(2, "disease", "H\0IV")),
    case("NUL byte in the second megabyte", BUCKETIZED, "r.csv", "binary", content=MANY + "male,1,F\0lu,1\n"),
    case("compressed", BUCKETIZED, "r.csv.gz", "compressed", "Unpack", file="r.csv.gz", content=gzip.compress(table().encode())),
    case("compressed under another name", BUCKETIZED, "r.csv", "compressed", content=gzip.compress(table().encode())),
    case("a spreadsheet", BUCKETIZED, "r.xlsx", "spreadsheet", "CSV", file="r.xlsx", content=b"PK\x03\x04" + junk()),
]

ROWS = [
    case("a field too many", BUCKETIZED, "r.csv", "line 3", "6 fields where the header has 5", content=table().replace("HIV,a", "HIV,a,x")),
    case("a field too few", BUCKETIZED, "r.csv", "line 3", "4 fields where the header has 5", content=table().replace("HIV,a", "HIV")),
    case("unclosed quote", BUCKETIZED, "r.csv", "quotation mark", "line 3", content=table().replace("HIV", '"HIV')),
    case("text behind a quote", BUCKETIZED, "r.csv", "quotation mark", "line 3", content=table().replace("HIV", '"HI"V')),
    case("mixed line ends", BUCKETIZED, "r.csv", "line end", content=table().replace("a\n", "a\r\n")),
    case("a comment", BUCKETIZED, "r.csv", "line 2", "1 fields", content=table().replace("\n1,", "\n# what a fine table\n1,")),
    case("a comment first", BUCKETIZED, "r.csv", "no column", "# what", content="# what a fine table\n" + table()),
    case("a blank line between records", BUCKETIZED, "r.csv", "line 4 is blank", content=table().replace("\n3,", "\n\n3,")),
    case("a blank line between records, CRLF", BUCKETIZED, "r.csv", "line 4 is blank", content=table().replace("\n3,", "\n\n3,").replace("\n", "\r\n")),
    case(
        "a blank line in a file of one column", "dataset add new --qi zip --sensitive disease --population r.csv", "line 3 is blank", content="zip\n13053\n\n"
    ),
    case("a blank line first", BUCKETIZED, "r.csv", "no column", "first line", content="\n" + table()),
    case("two columns of one name", BUCKETIZED, "r.csv", "more than one column called 'zip'", content="gender,zip,zip,disease,bucket\nmale,1,2,Flu,a\n"),
    case(
        "two columns but for capitals",
        BUCKETIZED,
        "r.csv",
        "more than one column called '(zip|ZIP)'",
        content="gender,zip,ZIP,disease,bucket\nmale,1,2,Flu,a\n",
    ),
    case(
        "two columns but for capitals, Parquet",
        BUCKETIZED,
        "r.parquet",
        "more than one column called '(zip|ZIP)'",
        file="r.parquet",
        content=parquet_bytes(columns(ZIP=["1"] * 4)),
    ),
    case("two columns but for capitals, JSON", BUCKETIZED, "r.json", "more than one column called", file="r.json", content=json.dumps(records(2, "ZIP", "1"))),
    case(
        "a name twice in a JSON record",
        BUCKETIZED,
        "r.json",
        "record 1",
        "'zip' twice",
        file="r.json",
        content='[{"gender": "m", "zip": 1, "zip": 2, "disease": "Flu", "bucket": 1}]',
    ),
    case(
        "blanks around names in the header",
        BUCKETIZED,
        "r.csv",
        "no column gender",
        "' gender'",
        "looks alike",
        content=table().replace("gender,zip", " gender, zip"),
    ),
    case("a Cyrillic letter in a name", BUCKETIZED, "r.csv", "no column gender", "looks alike", content=table().replace("gender", "g\u0435nder")),
    case("other capitals in a name", BUCKETIZED, "r.csv", "no column gender", "'Gender'", content=table().replace("gender", "Gender")),
    case(
        "a name that is an attack, absent",
        GENERALIZED + """ --bucket '"; drop table published.release; --'""",
        "r.csv",
        'no column "; drop table',
        content=table(),
    ),
    case(
        "a name that would steer the terminal, absent",
        BUCKETIZED.replace("--bucket bucket", "--bucket 'a\x1b[2Jb'"),
        "r.csv",
        r"no column a\?\[2Jb",
        content=table(),
    ),
    case("a list in JSON", BUCKETIZED, "r.json", "column zip", "lists or objects", file="r.json", content=json.dumps(records(2, "zip", ["1"]))),
    case("an object in JSON", BUCKETIZED, "r.json", "column disease", "lists or objects", file="r.json", content=json.dumps(records(2, "disease", {"a": 1}))),
    case("a list in Parquet", BUCKETIZED, "r.parquet", "column zip", r"varchar\[\]", file="r.parquet", content=parquet_bytes(columns(zip=[["1"]] * 4))),
    case("a struct in Parquet", BUCKETIZED, "r.parquet", "column disease", "struct", file="r.parquet", content=parquet_bytes(columns(disease=[{"a": 1}] * 4))),
    case("bytes in Parquet", BUCKETIZED, "r.parquet", "column zip", "blob", file="r.parquet", content=parquet_bytes(columns(zip=[b"1"] * 4))),
    case("JSON that is no table", BUCKETIZED, "r.json", "no column", "rows", file="r.json", content=json.dumps({"rows": records()})),
    case("JSON of numbers", BUCKETIZED, "r.json", "record 1 is no object", file="r.json", content="[1, 2, 3]"),
    case("JSON of one text", BUCKETIZED, "r.json", "record 1 is no object", file="r.json", content='"Flu"'),
    case("JSON with something else among the records", BUCKETIZED, "r.json", "record 5 is no object", file="r.json", content=json.dumps([*records(), "end"])),
    case("JSON that is wrong", BUCKETIZED, "r.json", "syntax", file="r.json", content='[{"gender": "m", "zip": }]'),
    case("JSON that is cut off", BUCKETIZED, "r.json", "cut off", file="r.json", content=json.dumps(records()).rsplit("{", 1)[0]),
    case("JSON lines that are cut off", BUCKETIZED, "r.jsonl", "syntax", file="r.jsonl", content=json.dumps(records()[0]) + '\n{"gender": "m'),
    case(
        "JSON records of different shapes",
        BUCKETIZED,
        "r.json",
        "no sensitive value",
        "rows 2",
        file="r.json",
        content=json.dumps([records()[0], {"gender": "m", "zip": "1", "bucket": "a"}]),
    ),
]

VALUES = [
    case("id twice", FOLLOWED, "r.csv", r"id 1 \(rows 1, 3\)", "--unit record", content=table(3, "id", "1")),
    case("id twice, Parquet", FOLLOWED, "r.parquet", r"id 7 \(rows 1, 2, 3, 4\)", file="r.parquet", content=parquet_bytes(columns(id=[7] * 4))),
    case("id twice in JSON, as number and as text", FOLLOWED, "r.json", r"id 1 \(rows 1, 3\)", file="r.json", content=json.dumps(records(3, "id", 1))),
    case("id twice in a population", POPULATION, "r.csv", r"id 1 \(rows 1, 3\)", content=table(3, "id", "1")),
    case("id twice in the microdata", TRUTH, "r.csv", r"id 1 \(rows 1, 3\)", content=table(3, "id", "1")),
    case("no id", FOLLOWED, "r.csv", "no id", "rows 2", content=table(2, "id", "")),
    case("no id, Parquet", FOLLOWED, "r.parquet", "no id", "rows 2", file="r.parquet", content=parquet_bytes(columns(id=[1, None, 3, 4]))),
    case("no id in a population", POPULATION, "r.csv", "no id", "rows 2", content=table(2, "id", "")),
    case("no bucket", BUCKETIZED, "r.csv", "no bucket", "rows 4", content=table(4, "bucket", "")),
    case("no bucket, Parquet", BUCKETIZED, "r.parquet", "no bucket", "rows 1", file="r.parquet", content=parquet_bytes(columns(bucket=[None, "a", "b", "b"]))),
    case("no value", BUCKETIZED, "r.csv", "no sensitive value", "rows 2", "--null-value", content=table(2, "disease", "")),
    case("no value, JSON", BUCKETIZED, "r.json", "no sensitive value", "rows 2", file="r.json", content=json.dumps(records(2, "disease", None))),
    case("no value, generalized", GENERALIZED, "r.csv", "no sensitive value", "rows 2", content=table(2, "disease", "")),
    case("no value in the microdata", TRUTH, "r.csv", "no sensitive value", "rows 2", content=table(2, "disease", "")),
    case(
        "empty text for a value, Parquet",
        BUCKETIZED,
        "r.parquet",
        "no sensitive value",
        "rows 1",
        file="r.parquet",
        content=parquet_bytes(columns(disease=["", "a", "b", "b"])),
    ),
    case("NaN", BUCKETIZED, "r.csv", "NaN", "rows 3", content=table(3, "zip", "NaN")),
    case("NaN, Parquet", BUCKETIZED, "r.parquet", "NaN", "rows 2", file="r.parquet", content=parquet_bytes(columns(zip=[1.0, float("nan"), 2.0, 3.0]))),
    case(
        "NaN, JSON",
        BUCKETIZED,
        "r.json",
        "NaN",
        "rows 2",
        file="r.json",
        content=json.dumps([row | {"zip": float("nan") if row["id"] == "2" else 1} for row in records()]),
    ),
    case("infinity", BUCKETIZED, "r.csv", "infinity", "rows 3", content=table(3, "zip", "-Infinity")),
    case(
        "infinity, Parquet", BUCKETIZED, "r.parquet", "infinity", "rows 2", file="r.parquet", content=parquet_bytes(columns(zip=[1.0, float("inf"), 2.0, 3.0]))
    ),
    case("a number too great for one", BUCKETIZED, "r.csv", "infinity", "rows 3", content=table(3, "zip", "1e400")),
    case("NaN in a population", POPULATION, "r.csv", "NaN", "rows 3", content=table(3, "zip", "nan")),
    case("NaN as value", BUCKETIZED, "r.csv", "NaN", "rows 2", content="gender,zip,disease,bucket\nm,1,3.5,a\nm,2,NaN,a\n"),
    case(
        "NaN as value, Parquet",
        BUCKETIZED,
        "r.parquet",
        "NaN",
        "rows 4",
        file="r.parquet",
        content=parquet_bytes(columns(disease=[1.0, 2.0, 3.0, float("nan")])),
    ),
    case("NaN as value of an anatomy", ANATOMY, "s.csv", "NaN", "rows 2", files=QS | {"s.csv": "bucket,disease\na,1.5\na,NaN\nb,2.5\n"}),
    case("a value of 10 MB", BUCKETIZED, "r.csv", "2 MB", content=table(2, "disease", "x" * 10_000_000)),
    case(
        "a value of 10 MB, Parquet",
        BUCKETIZED,
        "r.parquet",
        "10,000 characters",
        "rows 2",
        file="r.parquet",
        content=parquet_bytes(columns(disease=["a", "x" * 10_000_000, "b", "b"])),
    ),
    case(
        "a value of 10 MB, JSON",
        BUCKETIZED,
        "r.json",
        "10,000 characters",
        "rows 2",
        file="r.json",
        content=json.dumps(records(2, "disease", "x" * 10_000_000)),
    ),
    case(
        "a quasi-identifier of 10 MB",
        BUCKETIZED,
        "r.parquet",
        "10,000 characters",
        "rows 2",
        file="r.parquet",
        content=parquet_bytes(columns(zip=["a", "x" * 10_000_000, "b", "b"])),
    ),
    case("a quasi-identifier of 11,000 characters", BUCKETIZED, "r.csv", "10,000 characters", "rows 2", content=table(2, "zip", "x" * 11_000)),
    case("an id of 11,000 characters in a population", POPULATION, "r.csv", "10,000 characters", "rows 2", content=table(2, "id", "x" * 11_000)),
    case(
        "a value of an anatomy of 11,000 characters",
        ANATOMY,
        "s.csv",
        "10,000 characters",
        "rows 2",
        files=QS | {"s.csv": f"bucket,disease\na,1.5\na,{'x' * 11_000}\nb,2.5\n"},
    ),
    case("outside the domain", BUCKETIZED.replace("crowd", "listed"), "r1", "domain", "Cold", content=table()),
    case("outside the domain, microdata", TRUTH + " --domain Flu,HIV", "r.csv", "domain", "Cold", content=MICRODATA),
    case(
        "outside the domain, anatomy",
        ANATOMY.replace("crowd", "listed"),
        "r1",
        "domain",
        "Cold",
        files=QS | {"s.csv": "bucket,disease\na,Flu\na,Cold\nb,Flu\n"},
    ),
    case(
        "combined values that read alike",
        "release add pairs r.csv --name r1 --form generalized",
        "r.csv",
        "more than one way",
        "drug=x; disease=y; disease=z",
        content="zip,drug,disease\n1,x,y; disease=z\n1,x; disease=y,z\n",
    ),
]

COUNTS_AND_SIZES = [
    case("negative count", COUNTED, "r.csv", "whole number", "rows 2", content=COUNTS.format("-1")),
    case("a fraction as count", COUNTED, "r.csv", "whole number", "rows 2", content=COUNTS.format("1.5")),
    case("no count", COUNTED, "r.csv", "whole number", "rows 2", content=COUNTS.format("")),
    case("a word as count", COUNTED, "r.csv", "whole number", "rows 2", content=COUNTS.format("three")),
    case("NaN as count", COUNTED, "r.csv", "whole number", "rows 2", content=COUNTS.format("NaN")),
    case("a count beyond everything", COUNTED, "r.csv", "whole number", "rows 2", content=COUNTS.format("1e300")),
    case("a count of more than ten million", COUNTED, "r.csv", "row 2", "Ten million", content=COUNTS.format("10000001")),
    case("counts of zero", COUNTED, "r.csv", "no record", content="gender,zip,disease,bucket,n\nmale,1,Flu,a,0\n"),
    case("count column absent", COUNTED, "r.csv", "no column n", content=table()),
    case("sizes that disagree", ANATOMY, "r1", r"bucket a \(2 records, 3 values\)", files=QS | {"s.csv": "bucket,disease,count\na,Flu,2\na,HIV,1\nb,Flu,1\n"}),
    case(
        "values for an unknown bucket",
        ANATOMY,
        "r1",
        r"bucket z \(0 records, 1 values\)",
        files=QS | {"s.csv": "bucket,disease,count\na,Flu,1\na,HIV,1\nb,Flu,1\nz,Flu,1\n"},
    ),
    case("no values for a bucket", ANATOMY, "r1", r"bucket b \(1 records, 0 values\)", files=QS | {"s.csv": "bucket,disease,count\na,Flu,1\na,HIV,1\n"}),
    case("no values at all", ANATOMY, "r1", "0 values", files=QS | {"s.csv": "bucket,disease,count\n"}),
    case(
        "anatomy files swapped", ANATOMY.replace("q.csv", "x.csv").replace("s.csv", "q.csv").replace("x.csv", "s.csv"), "q.csv", "no column disease", files=QS
    ),
    case("negative count of values", ANATOMY, "s.csv", "whole number", "rows 2", files=QS | {"s.csv": "bucket,disease,count\na,Flu,1\na,HIV,-1\n"}),
    case("missing count of values", ANATOMY, "s.csv", "whole number", "rows 2", files=QS | {"s.csv": "bucket,disease,count\na,Flu,1\na,HIV,\n"}),
    case("no bucket in the values", ANATOMY, "s.csv", "no bucket", "rows 2", files=QS | {"s.csv": "bucket,disease,count\na,Flu,1\n,HIV,1\n"}),
    case("no bucket in the records", ANATOMY, "q.csv", "no bucket", "rows 2", files=QS | {"q.csv": "gender,zip,bucket\nmale,1,a\nmale,1,\nfemale,2,b\n"}),
    case("no value in the values", ANATOMY, "s.csv", "no sensitive value", "rows 2", files=QS | {"s.csv": "bucket,disease,count\na,Flu,1\na,,1\n"}),
    case("count column in neither file", ANATOMY + " --count m", "q.csv", "s.csv", "no?.* column m", files=QS, code=USAGE),
]

COMMANDS = [
    case("unknown dataset", BUCKETIZED.replace("crowd", "nobody"), "no dataset nobody", "crowd", content=table(), code=USAGE),
    case("same dataset twice", POPULATION.replace("new", "crowd"), "a dataset crowd already", content=table(), code=USAGE),
    case("same release twice", FOLLOWED.replace("--name r1", "--name r0"), "a release r0 already", content=table(), code=USAGE),
    case("very long name of a dataset", POPULATION.replace("new", "n" * 101), "at most 100 characters", "101", content=table(), code=USAGE),
    case("very long name of a release", BUCKETIZED.replace("r1", "n" * 10_000), "at most 100 characters", content=table(), code=USAGE),
    case("comma in a name", BUCKETIZED.replace("r1", "a,b"), "cannot contain ','", content=table(), code=USAGE),
    case("# in a name", BUCKETIZED.replace("r1", "'a#1'"), "cannot contain '#'", content=table(), code=USAGE),
    case("a line end in a name", BUCKETIZED.replace("r1", "'a\nb'"), r"cannot contain '\\n'", content=table(), code=USAGE),
    case("an escape in a name of a dataset", POPULATION.replace("new", "'a\x1b[2Jb'"), r"cannot contain '\\x1b'", content=table(), code=USAGE),
    case("blank name", BUCKETIZED.replace("r1", "' '"), "name without blanks", content=table(), code=USAGE),
    case("empty name", BUCKETIZED.replace("r1", "''"), "needs a name", content=table(), code=USAGE),
    case("a release called population", BUCKETIZED.replace("r1", "Population"), "cannot be called population", content=table(), code=USAGE),
    case("sensitive column that is a quasi-identifier", "dataset add new --qi zip,disease --sensitive disease", "disease", "one role", code=USAGE),
    case("id that is a quasi-identifier", "dataset add new --qi zip,Id --sensitive disease --id id", "Id, id", "one role", code=USAGE),
    case("bucket that is the sensitive column", BUCKETIZED.replace("--bucket bucket", "--bucket disease"), "disease", "one role", content=table(), code=USAGE),
    case("bucket that is the id", FOLLOWED.replace("--bucket bucket", "--bucket id"), "id", "one role", content=table(), code=USAGE),
    case("count that is a quasi-identifier", BUCKETIZED + " --count zip", "zip", "one role", content=table(), code=USAGE),
    case("count that is the bucket", BUCKETIZED + " --count bucket", "bucket", "one role", content=table(), code=USAGE),
    case("count where persons are followed", FOLLOWED + " --count n", "counted", "--unit record", content=table(), code=USAGE),
    case("no quasi-identifier", "dataset add new --qi , --sensitive disease", "at least one quasi-identifier", code=USAGE),
    case("empty --null-value of a release", BUCKETIZED + " --null-value ''", "--null-value needs a name", content=table(), code=USAGE),
    case("blank --null-value of a dataset", "dataset add new --qi zip --sensitive disease --null-value ' '", "--null-value needs a name", code=USAGE),
    case("a line end in --qi", "dataset add new --qi 'a\nb' --sensitive disease", "not a list of names", code=USAGE),
    case("an unclosed quote in --qi", "dataset add new --qi '\"a' --sensitive disease", "not a list of names", code=USAGE),
    case("population and microdata", POPULATION + " --microdata r.csv", "not both", content=table(), code=USAGE),
    case("domain with a value twice", "dataset add new --qi zip --sensitive disease --domain Flu,Flu", "twice", code=USAGE),
    case("anatomy of one file", "release add crowd r.csv --name r1 --form anatomy --bucket bucket", "two files", content=table(), code=USAGE),
    case("bucketized without a bucket", "release add crowd r.csv --name r1 --form bucketized", "--bucket", content=table(), code=USAGE),
]

PATHS = [
    case("missing file", BUCKETIZED, "nothere.csv", "is not there", file="nothere.csv", files={}, code=USAGE),
    case("missing file of a population", POPULATION, "nothere.csv", "is not there", file="nothere.csv", files={}, code=USAGE),
    case("missing file of an anatomy", ANATOMY, "s.csv", "is not there", files={"q.csv": QS["q.csv"]}, code=USAGE),
    case("a folder", BUCKETIZED, "r.csv", "folder", files={}, before=lambda place: (place.folder / "r.csv").mkdir()),
    case("a broken link", BUCKETIZED, "r.csv", "link", files={}, before=lambda place: (place.folder / "r.csv").symlink_to("nothere"), code=USAGE),
    case("a link to itself", BUCKETIZED, "r.csv", "cannot be read", files={}, before=lambda place: (place.folder / "r.csv").symlink_to("r.csv")),
    case("a pipe", BUCKETIZED, "r.csv", "pipe", files={}, before=lambda place: os.mkfifo(place.folder / "r.csv")),
    case("a device", BUCKETIZED, "/dev/null", "device", file="/dev/null", files={}),
    case("a pattern that matches other files", BUCKETIZED, r"r\*.csv", "is not there", file="r*.csv", files={"r1.csv": table()}, code=USAGE),
    case("an address on the web", BUCKETIZED, "http", "is not there", file="http://localhost/r.csv", files={}, code=USAGE),
    case("an address in the cloud", BUCKETIZED, "s3", "is not there", file="s3://bucket/r.csv", files={}, code=USAGE),
    case("memory", BUCKETIZED, ":memory:", "is not there", file=":memory:", files={}, code=USAGE),
    case("a name too long for the disk", BUCKETIZED, "cannot be read", "too long", file="x" * 300, files={}),
    case("a line end in a file's name", BUCKETIZED, r"a\?b.csv", "empty", file="a\nb.csv", content=b""),
    case("a name that is not UTF-8", BUCKETIZED, r"\?.csv", "not UTF-8", file=os.fsdecode(b"\xff.csv"), content=table()),
]

TABLE = [*FORMATS, *ROWS, *VALUES, *COUNTS_AND_SIZES, *COMMANDS, *PATHS]


@pytest.fixture(scope="session")
def prepared(empty_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store that has something in every place that an intake writes to."""
    folder = tmp_path_factory.mktemp("prepared") / "store"
    shutil.copytree(empty_store, folder)
    store = Store(folder / "store.duckdb")
    file = folder.parent / "r0.csv"
    file.write_text(table())
    qi, sensitive = ("gender", "zip"), ("disease",)
    add_dataset(store, DatasetSpec("patients", qi, sensitive, "id"))
    add_dataset(store, DatasetSpec("crowd", qi, sensitive))
    add_dataset(store, DatasetSpec("listed", qi, sensitive, domain=("Flu", "HIV")))
    add_dataset(store, DatasetSpec("pairs", ("zip",), ("drug", "disease")))
    add_dataset(store, DatasetSpec("truth", qi, sensitive, "id", microdata=file))
    add_release(store, ReleaseSpec("patients", "r0", "bucketized", file, bucket="bucket"))
    run_audit(store, AuditSpec("patients"))
    return folder


def contents(folder: Path) -> dict[str, object]:
    """The files of a store's folder, with all that is in them."""
    return {path.name: path.read_bytes() for path in folder.rglob("*")}


def changes(place: Place, prepared: Path) -> list[str]:
    """The names of what differs: files that lie beside the store, and tables with other rows.

    Names only: where CI is set, pytest spells out every difference of what an assertion compares, and two stores keep it busy for minutes.
    """
    before, after = contents(prepared), contents(place.store.parent)
    if before.keys() != after.keys():
        return sorted(before.keys() ^ after.keys())
    if before == after:
        return []
    old, new = dump(prepared / place.store.name), dump(place.store)
    return sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))


def assert_unchanged(place: Place, prepared: Path) -> None:
    """No row of any table has changed, and nothing lies beside the store that was not there."""
    assert changes(place, prepared) == []


@pytest.fixture(scope="session")
def working(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the prepared store that all tests work on: as long as nothing changes, one is enough."""
    return Path(shutil.copytree(prepared, tmp_path_factory.mktemp("working") / "store"))


@pytest.fixture
def damaged(prepared: Path, working: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """A place whose store is like the prepared one, and is made so again if a test changed it."""
    yield place_at(working / "store.duckdb", tmp_path, run, monkeypatch)
    if contents(working) != contents(prepared):
        shutil.rmtree(working)
        shutil.copytree(prepared, working)


def assert_refused(ended: Ended, code: int, says: tuple[str, ...]) -> None:
    """One sentence, in our words, that says where and what; nothing else."""
    assert ended.code == code, ended
    assert ended.out == ""
    assert ended.err.startswith("dbaudit: ") and re.search(r"(\.|: (dbaudit|--)[^.]*)\n$", ended.err) and ended.err.count("\n") == 1, ended.err
    assert not _STRANGE.search(ended.err), ended.err
    assert len(ended.err) < 600 and ended.err.rstrip("\n").isprintable(), ended.err
    missing = [words for words in says if not re.search(words, ended.err)]
    assert not missing, (missing, ended.err)


@pytest.mark.parametrize("bad", [pytest.param(bad, id=bad.name) for bad in TABLE])
def test_what_is_wrong_is_refused_in_one_sentence_and_nothing_changes(bad: Case, damaged: Place, prepared: Path) -> None:
    for name, content in bad.files.items():
        damaged.write(name, content)
    if bad.before:
        bad.before(damaged)
    assert_refused(damaged.run(*shlex.split(bad.command)), bad.code, bad.says)
    assert_unchanged(damaged, prepared)


@pytest.mark.parametrize(
    "command",
    [
        *(command.format(file) for command in (BUCKETIZED, FOLLOWED, GENERALIZED, POPULATION, TRUTH) for file in ("r.csv", "r.json", "r.parquet")),
        ANATOMY,
        COUNTED.format("n.csv"),
    ],
)
def test_the_same_without_damage_is_accepted_and_changes_the_store(command: str, damaged: Place, prepared: Path) -> None:
    good: dict[str, str | bytes] = {**QS, "n.csv": COUNTS.format(1), "r.csv": table(), "r.json": json.dumps(records()), "r.parquet": parquet_bytes(columns())}
    for name, content in good.items():
        damaged.write(name, content)
    damaged.add(*shlex.split(command))
    assert changes(damaged, prepared)


@pytest.mark.parametrize("lines", ["--date 2026-02-30", "--date tomorrow", "--form permuted", "--unit nobody", "--wrong"])
def test_an_option_that_cannot_be_is_refused_before_anything_is_read(lines: str, damaged: Place, prepared: Path) -> None:
    ended = damaged.run(*shlex.split(BUCKETIZED.format("r.csv")), *lines.split())
    assert ended.code == USAGE and ended.out == "" and lines.split()[0] in ended.err and "Traceback" not in ended.err
    assert_unchanged(damaged, prepared)


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_a_file_that_vanishes_between_look_and_read_is_missed(kind: str, damaged: Place, prepared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content: dict[str, str | bytes] = {"csv": table(), "json": json.dumps(records()), "parquet": parquet_bytes(columns())}
    file = damaged.write(f"r.{kind}", content[kind])
    _after_looking(monkeypatch, file.unlink)
    assert_refused(damaged.run(*BUCKETIZED.format(file.name).split()), REJECTED, (file.name, "gone"))
    assert_unchanged(damaged, prepared)


def test_a_file_that_changes_between_look_and_read_is_refused(damaged: Place, prepared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The digest that is kept would be that of another file."""
    file = damaged.write("r.csv", table())

    def change() -> None:
        file.write_text(table(1, "disease", "HIV"))
        os.utime(file, (1, 1))

    _after_looking(monkeypatch, change)
    assert_refused(damaged.run(*BUCKETIZED.format("r.csv").split()), REJECTED, ("r.csv", "changed while it was read"))
    assert_unchanged(damaged, prepared)


def _after_looking(monkeypatch: pytest.MonkeyPatch, then: Callable[[], object]) -> None:
    """Let something happen to a file just after it was looked at."""
    look = intake.find

    def find(path: Path) -> intake.Source:
        source = look(path)
        then()
        return source

    monkeypatch.setattr(intake, "find", find)


def _process(*arguments: str, before: tuple[str, ...] = (), **options: object) -> Ended:
    """Run a command as a process of its own, which must end soon."""
    program = [*before, sys.executable, "-m", "dbaudit", *arguments]
    ended = subprocess.run(program, capture_output=True, text=True, timeout=60, check=False, **options)  # type: ignore[call-overload]
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def test_a_pipe_that_nobody_writes_to_does_not_hang(damaged: Place, prepared: Path) -> None:
    os.mkfifo("r.csv")
    assert_refused(_process(*BUCKETIZED.format("r.csv").split()), REJECTED, ("r.csv", "pipe"))
    assert_unchanged(damaged, prepared)


def test_a_process_of_its_own_refuses_in_the_same_way(damaged: Place, prepared: Path) -> None:
    damaged.write("r.csv", table(3, "id", "1"))
    assert_refused(_process(*FOLLOWED.format("r.csv").split()), REJECTED, (r"id 1 \(rows 1, 3\)",))
    assert_unchanged(damaged, prepared)


def test_a_file_without_permission_is_refused(damaged: Place, prepared: Path, tmp_path: Path) -> None:
    file = damaged.write("r.csv", table())
    file.chmod(0)
    before: tuple[str, ...] = ()
    if os.geteuid() == 0:
        if not shutil.which("setpriv"):
            pytest.skip("root may read everything, and there is no setpriv to become somebody else")
        before = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
        os.chown(tmp_path, 65534, 65534)
        os.chown(tmp_path / "files", 65534, 65534)
        look = [*before, sys.executable, "-c", "import dbaudit, os; os.stat('r.csv')"]
        if subprocess.run(look, capture_output=True, check=False, cwd=damaged.folder).returncode:
            pytest.skip("root may read everything, and nobody else may enter the folders of the tests")
    ended = _process(*BUCKETIZED.format("r.csv").split(), before=before, cwd=damaged.folder)
    assert ended.code == USAGE and "'r.csv' is not readable" in ended.err and "Traceback" not in ended.err and not ended.out, ended
    assert_unchanged(damaged, prepared)


def test_a_full_disk_leaves_the_store_as_it_was(damaged: Place, prepared: Path, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    room = sum(path.stat().st_size for path in prepared.iterdir()) + 1_000_000
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={room}", "tmpfs", str(small)], capture_output=True, check=False).returncode:
        pytest.skip("no file system of a small size can be mounted here: only root may do that")
    try:
        shutil.copytree(prepared, small / "store")
        place = Place(damaged.folder, small / "store" / "store.duckdb", damaged.run)
        place.write("r.csv", csv_text([HEADER[1:], *(["male", 10_000 + n, f"Flu {n} and more {n}", n // 3] for n in range(200_000))]))
        ended = _process(*BUCKETIZED.format("r.csv").split(), "--db", str(place.store))
        assert_refused(ended, STORE, ("disk is full", "Free some room"))
        assert_unchanged(place, prepared)
    finally:
        subprocess.run(["umount", "-l", str(small)], check=True)
