"""The experiment runs from end to end on a small twin of Adult: no shared data, no claim about its figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.solver.tables import census_twin
from experiments.privacy_maxent import page
from experiments.privacy_maxent.cases import QUICK, Measured, measure
from experiments.privacy_maxent.claims import judged
from experiments.privacy_maxent.desk import Records, is_new


@pytest.mark.slow
def test_a_small_twin_gives_every_figure_and_a_verdict_on_every_claim(tmp_path: Path) -> None:
    measured = measure(census_twin(1_500), QUICK, lambda _stage: None)
    _every_figure_is_told(measured)
    _true_rules_lead_to_the_truth(measured)
    _both_models_are_solved_both_ways(measured)
    _every_figure_is_drawn(measured, tmp_path)


def _every_figure_is_told(measured: Measured) -> None:
    text = page.written(measured)
    assert "a generated twin of Adult" in text
    for figure in ("Figure 5", "Figure 6", "Figure 7"):
        assert f"## {figure}" in text
    assert text.count("| holds |") + text.count("| **does not hold** |") == len(judged(measured))


def _true_rules_lead_to_the_truth(measured: Measured) -> None:
    for accuracy in measured.curves().accuracy.values():
        assert accuracy[-1] < accuracy[0] == pytest.approx(measured.base["stand-in"], abs=1e-9)


def _both_models_are_solved_both_ways(measured: Measured) -> None:
    full, touched = (measured.costs_of(full_model) for full_model in (True, False))
    assert [(cost.rule_count, cost.bucket_count) for cost in full] == [(cost.rule_count, cost.bucket_count) for cost in touched]
    assert all(small.cell_count <= large.cell_count for small, large in zip(touched, full, strict=True))
    assert all(cost.paper_residual < 0.01 for cost in full)


def _every_figure_is_drawn(measured: Measured, folder: Path) -> None:
    pytest.importorskip("matplotlib")
    from experiments.privacy_maxent import plots

    plots.write(measured, folder)
    assert sorted(path.name for path in folder.iterdir()) == [f"figure{name}.svg" for name in ("5", "6", "7a", "7b", "7c")]


def test_a_sure_rule_that_adds_to_the_condition_of_another_says_nothing_new() -> None:
    rules = [
        (1, True, "x", True, "a=1"),
        (2, True, "x", True, "a=1|b=2"),  # follows from the first
        (3, True, "y", True, "a=1|b=2"),  # another value
        (4, True, "x", False, "a=1|c=3"),  # its figure is its own
        (5, True, "x", True, "b=2|c=3"),
    ]
    assert is_new(rules) == [True, False, True, True, True]


def test_the_first_buckets_are_whole_buckets(tmp_path: Path) -> None:
    records = Records.distinct(census_twin(600), 100)
    lines = records.first(3).write(tmp_path / "some.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert sorted(line.rsplit(",", 1)[1] for line in lines) == sorted(["0", "1", "2"] * 5)
