"""The records as files: what a publisher would hand to `dbaudit dataset add --microdata` and `dbaudit release add`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.solver.mining import KNOWLEDGE_ATTRIBUTES, Patterns
from benchmarks.solver.tables import DEFAULT_ADULT, Ints, Table, adult, census_twin
from benchmarks.solver.workloads import _distinct_records

ATTRIBUTES, SENSITIVE = KNOWLEDGE_ATTRIBUTES, "education"
STAND_IN, EVERYBODY = 14_210, 45_222
BUCKET_SIZE = 5

SOURCES = {"adult": "UCI Adult", "twin": "the generated twin of Adult"}


def name_table(asked: str | None) -> str:
    """The table that is asked for, else Adult where its files are."""
    return asked or ("adult" if DEFAULT_ADULT.exists() else "twin")


def stand_in(name: str, record_count: int = STAND_IN) -> tuple[Table, Ints]:
    """The records of `benchmarks.solver`'s One+K: [records x columns], the sensitive one last, sorted by it."""
    table = adult() if name == "adult" else census_twin()
    return table, _distinct_records(table, record_count)


def everybody(name: str, record_count: int = EVERYBODY) -> tuple[Table, Ints]:
    """Both parts of Adult without question marks, or as many of the twin; a smaller share is spread evenly over them."""
    table = _both_parts() if name == "adult" else census_twin(EVERYBODY)
    records = np.column_stack([table.codes[column] for column in (*ATTRIBUTES, SENSITIVE)])
    return table, records[np.arange(record_count) * len(records) // record_count]


def _both_parts() -> Table:
    parts = [adult(), adult(DEFAULT_ADULT.with_name("adult_test.csv"))]
    names = {column: sorted({name for part in parts for name in part.names[column]}) for column in parts[0].names}
    codes = {column: np.concatenate([np.searchsorted(names[column], part.names[column])[part.codes[column]] for part in parts]) for column in names}
    return Table("adult", codes, names)


def write_files(folder: Path, table: Table, records: Ints) -> None:
    """The truth with ids, and the records dealt in turn into buckets of five (sorted by value: almost no bucket holds a value twice)."""
    named = {column: pa.array(table.names[column]).take(pa.array(codes)) for column, codes in zip((*ATTRIBUTES, SENSITIVE), records.T, strict=True)}
    truth = pa.table({"id": np.arange(1, len(records) + 1), **named})
    pq.write_table(truth, folder / "truth.parquet")
    pq.write_table(truth.append_column("bucket", pa.array(np.arange(len(records)) % (len(records) // BUCKET_SIZE))), folder / "release.parquet")


def patterns(table: Table, records: Ints) -> Patterns:
    """The same records for the independent miner."""
    columns = dict(zip(ATTRIBUTES, records[:, :-1].T, strict=True))
    return Patterns(columns, {column: table.size(column) for column in ATTRIBUTES}, records[:, -1], table.size(SENSITIVE))
