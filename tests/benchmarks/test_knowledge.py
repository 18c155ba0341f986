"""benchmarks.knowledge at a small size, on the generated table: what it measures is there, and everybody agrees."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from benchmarks.knowledge import measure, miners, telling
from benchmarks.knowledge.measure import Figures
from benchmarks.knowledge.records import ATTRIBUTES, SENSITIVE, everybody, stand_in, write_files
from benchmarks.solver.tables import Table

ROOT = Path(__file__).resolve().parents[2]
MIN_SUPPORT = 3
MINERS = [pytest.param(name, way, id=f"{name}, {way}") for name, way in miners.METHODS]


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> Figures:
    file = tmp_path_factory.mktemp("figures") / "all.json"
    sizes = ["--records", "500", "--bounds", "0", "20", "--mining-records", "600", "--strongest", "20", "--rounds", "1", "--limit", "60"]
    command = [sys.executable, "-m", "benchmarks.knowledge", "--table", "twin", *sizes, "--miners", "--json", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answer: Figures = json.loads(file.read_text())
    return answer


@pytest.mark.slow
def test_audits_are_certified_and_the_peers_have_the_same_answer(figures: Figures) -> None:
    assert [point["rules"] for point in figures["audits"]["points"]] == [0, 20]
    for point in figures["audits"]["points"]:
        for problem in ("whole", "relevant"):
            assert max(point["judge"][problem].values()) <= 1e-9
        for peer in point["peers"].values():
            assert peer["largest_difference"] <= 1e-3


@pytest.mark.slow
def test_without_rules_nothing_is_sent_to_the_solver_unless_everything_is(figures: Figures) -> None:
    none, some = figures["audits"]["points"]
    assert [len(point["relevant"]["solves"]) for point in (none, some)] == [0, 1]
    assert none["whole"]["solves"][0]["cell_count"] > some["relevant"]["solves"][0]["cell_count"] > 0
    assert [len(figures["audits"]["warm"][method]["solves"]) for method in ("alone", "sweep")] == [1, 1]


@pytest.mark.slow
def test_the_rules_are_those_of_an_independent_miner(figures: Figures) -> None:
    assert figures["audits"]["is_same"] and figures["mining"]["is_same"]


@pytest.mark.slow
def test_each_goal_is_told_with_what_was_measured(figures: Figures) -> None:
    text = telling.markdown(figures)
    assert all(f"| {goal} | {told} | {met} |" in text for goal, told, met in telling.goals(figures))
    assert "the generated twin of Adult" in text


@pytest.mark.slow
@pytest.mark.parametrize(("name", "way"), MINERS)
def test_other_miners_find_the_same_positive_rules(tmp_path: Path, name: str, way: str) -> None:
    module = "mlxtend" if name.startswith("mlxtend") else "efficient_apriori"
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is a peer of the benchmarks: pip install .[bench]")
    write_files(tmp_path, *everybody("twin", 300))
    records, table = miners.read(tmp_path / "truth.parquet")
    counted = miners.METHODS[name, way](records, table, MIN_SUPPORT)()()
    assert miners.whole(counted) == _every_rule(records.tolist(), table)
    if way == "plain":
        best, _ = miners.independent(tmp_path / "truth.parquet", 100, MIN_SUPPORT)
        assert set(miners.strongest(counted, 50)) == best


def _every_rule(records: list[list[int]], table: Table) -> set[miners.Rule]:
    """By counting every subset of every record."""
    columns = ATTRIBUTES
    named = [[table.names[column][code] for column, code in zip((*columns, SENSITIVE), record, strict=True)] for record in records]
    counts = Counter(
        (tuple((columns[member], record[member]) for member in members), record[-1])
        for record in named
        for size in range(1, len(columns) + 1)
        for members in combinations(range(len(columns)), size)
    )
    return {(condition, value, count) for (condition, value), count in counts.items() if count >= MIN_SUPPORT}


def test_every_positive_rule_of_a_small_table_is_stored_and_counted(tmp_path: Path) -> None:
    write_files(tmp_path, *stand_in("twin", 200))
    measure.prepare(tmp_path)
    mine = measure.mine(tmp_path, positive=10**6, negative=0, min_support=MIN_SUPPORT)
    records, table = miners.read(tmp_path / "truth.parquet")
    every = _every_rule(records.tolist(), table)
    assert mine["positive_count"] == len(every)
    assert miners.stored_rules(tmp_path / "store.duckdb", is_positive=True) == every
    assert measure.mined(tmp_path) == {"rule_count": len(every), "digest": miners.digest(every)}
