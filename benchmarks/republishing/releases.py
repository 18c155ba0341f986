"""The releases as files: what a publisher would hand to `dbaudit release add`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.solver.tables import Ints
from benchmarks.solver.workloads import _anatomy, _sensitive_values

SHARED = 5 / 6  # of each release stands in the one before: 6,000 of 7,200
SEED = 1


def write_releases(folder: Path, person_count: int, release_count: int, l: int, values: Ints | None) -> list[Path]:  # noqa: E741
    """Each release shows `person_count` persons and is bucketized by itself; the same draws as `workloads.releases`, so the same problem.

    values: the sensitive values of the first persons, as `workloads.releases` takes them. The quasi-identifiers are of usual kinds; the
    audit does not look at them, but registering does.
    """
    rng, other = np.random.default_rng(SEED), np.random.default_rng(SEED)
    step = person_count - round(person_count * SHARED)
    population = person_count + step * (release_count - 1)
    value = _sensitive_values(values, population, rng)
    known = {"age": other.integers(18, 88, population), "sex": other.integers(0, 2, population), "zip": other.integers(10_000, 11_000, population)}
    files = []
    for number in range(release_count):
        window = slice(number * step, number * step + person_count)
        disease = pa.array([f"Disease {code}" for code in range(int(value.max()) + 1)]).take(pa.array(value[window]))
        columns = {"id": np.arange(population)[window], **{name: column[window] for name, column in known.items()}}
        files.append(folder / f"r{number + 1}.parquet")
        pq.write_table(pa.table({**columns, "disease": disease, "bucket": _anatomy(value[window], l, rng)}), files[-1])
    return files
