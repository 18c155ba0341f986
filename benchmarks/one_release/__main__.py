"""Registering and auditing one release beside DuckDB's own bare statements, in one run.

python -m benchmarks.one_release [--records N ...] [--rounds N] [--json FILE]

Registering is set against `create table as` from the same Parquet file, the whole audit against `group by bucket, value` into
a table. Each measurement is a process of its own, and the rounds take turns, so that whatever else the machine does hits all alike.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import duckdb

from dbaudit import AuditSpec, DatasetSpec, ReleaseSpec, Store, add_dataset, add_release, run_audit

ROOT = Path(__file__).resolve().parents[2]
PAIRS = {"register": "create table as", "audit": "group by"}
GOALS = {"register": 5.0, "audit": 10.0}
BUCKET_SIZE = 5  # as in records.sql
RECORDS = Path(__file__).with_name("records.sql")


def main() -> None:
    chosen = _arguments()
    if chosen.child:
        print(json.dumps(_measured(*chosen.child)))
        return
    everything = {}
    for records in chosen.records:
        everything[records] = _side_by_side(records, chosen.rounds)
    if chosen.json:
        chosen.json.write_text(json.dumps(everything, indent=1))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.one_release", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, nargs="+", default=[1_000_000, 10_000_000], help="sizes of the release (default: a million, then ten)")
    parser.add_argument("--rounds", type=int, default=5, help="how often everything is measured; the median counts (default: 5)")
    parser.add_argument("--json", type=Path, help="write every figure to this file")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args()


def _side_by_side(records: int, rounds: int) -> dict[str, dict[str, float]]:
    figures: dict[str, list[dict[str, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "release.parquet"
        generated = duckdb.sql(RECORDS.read_text(encoding="utf-8"), params={"records": records})
        assert generated is not None, "it is a query"
        generated.write_parquet(str(path))
        for _ in range(rounds):
            for ours, peer in PAIRS.items():
                for method in (peer, ours):
                    figures.setdefault(method, []).append(_in_child(method, Path(folder)))
    medians = {method: {key: median(run[key] for run in runs) for key in runs[0]} for method, runs in figures.items()}
    print(f"\n{records:,} records in {records // BUCKET_SIZE:,} buckets; medians of {rounds} rounds")
    print(f"{'':18} {'wall s':>8} {'CPU s':>8} {'peak GB':>8} {'x wall':>8}  goal")
    for ours, peer in PAIRS.items():
        for method in (peer, ours):
            figure = medians[method]
            ratio = f"{figure['wall'] / medians[peer]['wall']:8.1f}  at most {GOALS[ours]:.0f}" if method == ours else ""
            print(f"{method:18} {figure['wall']:8.2f} {figure['cpu']:8.2f} {figure['peak_gb']:8.2f} {ratio}")
    return medians


def _in_child(method: str, folder: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.one_release", "--child", method, str(folder)]
    answer: dict[str, float] = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)
    return answer


def _measured(method: str, folder: str) -> dict[str, float]:
    """Prepare what a method needs, then measure it; opening and closing the file count for everybody."""
    run = PREPARE[method](Path(folder))
    usage = resource.getrusage(resource.RUSAGE_SELF)
    begin, cpu = time.perf_counter(), usage.ru_utime + usage.ru_stime
    run()
    wall = time.perf_counter() - begin
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime - cpu, "peak_gb": usage.ru_maxrss / 1e6}


def _fresh(path: Path) -> Path:
    for old in path.parent.glob(path.stem + "*"):
        old.unlink()
    return path


def _create_table(folder: Path) -> Callable[[], None]:
    path = _fresh(folder / "bare.duckdb")
    return lambda: _bare(path, f"create table records as select * from '{folder / 'release.parquet'}'")


def _group_by(folder: Path) -> Callable[[], None]:
    """The table is the one that `create table as` just made."""
    return lambda: _bare(folder / "bare.duckdb", "create or replace table counted as select bucket, disease, count(*) as value_count from records group by all")


def _bare(path: Path, statement: str) -> None:
    with duckdb.connect(path) as connection:
        connection.execute(statement)


def _register(folder: Path) -> Callable[[], None]:
    store = Store.create(_fresh(folder / "store.duckdb"))
    add_dataset(store, DatasetSpec("people", ("age", "sex", "zip"), ("disease",), id="id"))
    spec = ReleaseSpec("people", "r1", "bucketized", folder / "release.parquet", bucket="bucket")
    return lambda: _checked(add_release(store, spec).row["record_count"] > 0)


def _audit(folder: Path) -> Callable[[], None]:
    """The store is the one that `register` just filled."""
    store = Store(folder / "store.duckdb")
    return lambda: _checked(run_audit(store, AuditSpec("people")).row["status"] == "solved")


def _checked(is_right: bool) -> None:
    if not is_right:
        raise SystemExit("the measured work did not do what it should")


PREPARE: dict[str, Callable[[Path], Callable[[], None]]] = {"create table as": _create_table, "group by": _group_by, "register": _register, "audit": _audit}

if __name__ == "__main__":
    main()
