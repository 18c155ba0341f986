"""One audit after the other that differ only in how many mined rules are known: the answer is a table of bound and score (Privacy-MaxEnt, section 4.3)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dbaudit import mining
from dbaudit.audit import Outcome, Watch, audit_in
from dbaudit.chart import checked_ending, sweep_chart, write_chart
from dbaudit.dataset import find_dataset
from dbaudit.errors import UsageError
from dbaudit.report import plural
from dbaudit.spec import AuditSpec, MiningSpec
from dbaudit.store import Session, Store

_SURE = 1.0 - 1e-9  # the solver's tolerance


@dataclass(frozen=True)
class Sweep:
    """Audits under growing bounds: their outcomes, and their rows in report.sweep in the same order."""

    sweep_id: int
    outcomes: list[Outcome]
    rows: list[dict[str, Any]]
    remarks: list[str] = field(default_factory=list)

    @property
    def unit(self) -> str:
        """What is counted: persons, or records where each row stands for a person of its own."""
        return str(self.outcomes[0].row["unit"])

    @property
    def words(self) -> list[str]:
        """How the last bound differs from the first."""
        first, *others = self.rows
        lines = [
            f"Sweep {self.sweep_id} of {first['dataset']}: {', '.join(self.outcomes[0].row['releases']) or 'no release'}; adversary {first['adversary']}, "
            "who also knows so many of the strongest rules of the data, half of them positive and half negative:"
        ]
        unsolved = [row for row in others[:-1] if row["status"] != "solved"]
        return lines + [self._told(row) for row in (first, *unsolved, *others[-1:])]

    def _told(self, row: dict[str, Any]) -> str:
        if row["status"] != "solved":
            message = next(outcome.row["message"] for outcome in self.outcomes if outcome.audit_id == row["audit_id"])
            return f"With {plural(row['bound'], 'rule')}: no answer ({row['status']}). {message or ''}".rstrip()
        certain = f"the value of {plural(row['certain_count'], self.unit)} is certain" if row["certain_count"] else "nobody's value is certain"
        if not row["certain_count"] and row["worst_probability"] > _SURE:
            certain = "of no record is the value certain, but of a named person it is"
        bits = row["entropy_bits"] / max(row["person_count"], 1)
        return (
            f"With {plural(row['bound'], 'rule')}: {certain}, the surest guess about a {self.unit} has probability {row['mean_probability']:.4g} on average, "
            f"and {bits:.2f} bits per {self.unit} remain unknown."
        )

    @property
    def table(self) -> list[dict[str, Any]]:
        """A row for each bound, with what people compare."""
        return [
            {
                "rules": row["bound"],
                "audit": row["audit_id"],
                "worst_probability": row["worst_probability"],
                "mean_probability": row["mean_probability"],
                "certain": row["certain_count"],
                f"bits_per_{self.unit}": None if row["entropy_bits"] is None else row["entropy_bits"] / max(row["person_count"], 1),
                "estimation_accuracy": row["estimation_accuracy"],
                "verdict": row["verdict"],
            }
            for row in self.rows
        ]

    def as_data(self) -> list[dict[str, Any]]:
        """The audits for programs, each with its bound and score."""
        return [{**outcome.row, **row} for outcome, row in zip(self.outcomes, self.rows, strict=True)]


def run_sweep(store: Store, spec: AuditSpec, bounds: tuple[int, ...], watch: Watch | None = None) -> Sweep:
    """Audit under each bound in turn, the smallest first; every solve begins where the one before ended.

    The rules are those that the adversary keeps; where it keeps none, they are mined from the truth for this sweep alone. All audits
    are stored together at the end, or none is.
    """
    check_sweep(spec, bounds)
    tell: Watch = watch or (lambda _stage, _share: None)
    with store.reading() as session:
        keeps_rules, has_truth = _sources(session, spec)
    # Whoever has the audit file alone can still sweep over rules that are kept there.
    opens_truth = has_truth and (not keeps_rules or store.files.original.exists())
    with store.writing(truth=opens_truth) as session:
        dataset = find_dataset(session, spec.dataset)
        base = None
        if not keeps_rules:
            largest = _halves(max(bounds))
            base = mining.find_base(session, dataset, None)
            mining.mine(session, dataset, base, MiningSpec(*largest), tell)
        sweep_id = int(session.engine.value("key", "select nextval('result.sweep_key')"))
        outcomes: list[Outcome] = []
        for number, bound in enumerate(sorted(bounds)):
            asked = replace(spec, mined=_halves(bound), accuracy=opens_truth)
            before = next((outcome.audit_id for outcome in reversed(outcomes) if outcome.row["status"] == "solved"), None)
            outcome = audit_in(session, asked, _named(tell, bound, number, len(bounds)), mined=base, start_from=before, must_know_truth=False)
            session.run("write/sweep", sweep_id=sweep_id, audit_id=outcome.audit_id, bound=bound, **outcome.rules.counts)
            outcomes.append(outcome)
        rows = session.engine.dicts("sweep", "select * from report.sweep where sweep_id = ? order by bound", [sweep_id])
    mined = [f"{spec.adversary} keeps no rules about {spec.dataset}: they were mined from {base.words} for this sweep alone."] if base else []
    return Sweep(sweep_id, outcomes, rows, [*mined, *_remarks(outcomes, rows)])


def draw_sweep(sweep: Sweep, path: Path) -> None:
    """Draw scores over bounds into a file: SVG or PNG, by its ending."""
    checked_ending(path)
    first = sweep.rows[0]
    title = f"{first['dataset']}: what is given away to somebody who knows rules" + (
        "" if first["adversary"] == "default" else f" (adversary {first['adversary']})"
    )
    write_chart(sweep_chart(title, sweep.unit, sweep.rows), path)


def check_sweep(spec: AuditSpec, bounds: tuple[int, ...]) -> None:
    """Refuse a sweep that cannot be meant, before anything is run."""
    if spec.adversary == "none":
        raise UsageError("the adversary none knows only what was published. Sweep with another one, such as default: --adversary default")
    if not bounds:
        raise UsageError("--sweep takes numbers of rules, such as 0,10,100.")
    if min(bounds) < 0 or len(set(bounds)) < len(bounds):
        raise UsageError("--sweep takes different numbers of rules from 0 on, such as 0,10,100.")


def _halves(bound: int) -> tuple[int, int]:
    """How many positive and negative rules a bound means; one that is odd has a positive rule more."""
    return (bound + 1) // 2, bound // 2


def _sources(session: Session, spec: AuditSpec) -> tuple[bool, bool]:
    """Whether the adversary keeps rules about the dataset, and whether the truth is in the store."""
    dataset = find_dataset(session, spec.dataset)
    row = session.row("read/sweep_source", dataset_id=dataset.dataset_id, adversary=spec.adversary)
    return bool(row["keeps_rules"]), bool(row["has_truth"])


def _remarks(outcomes: list[Outcome], rows: list[dict[str, Any]]) -> list[str]:
    found = list(dict.fromkeys(remark for outcome in outcomes for remark in outcome.remarks))
    short = [row for row in rows if row["positive_count"] + row["negative_count"] < row["bound"]]
    if short:
        there = f"{short[0]['positive_count']} positive and {short[0]['negative_count']} negative"
        found.append(f"for a bound of {short[0]['bound']} and more there were fewer rules than asked for: {there}.")
    return found


def _named(tell: Watch, bound: int, number: int, total: int) -> Watch:
    """The same report on progress, with the bound it is about."""
    return lambda stage, share: tell(f"{plural(bound, 'rule')}: {stage}", (number + (share or 0.0)) / total)
