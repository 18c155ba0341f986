"""How a dataset fared release after release: the audits of each step of its history, run where they are missing, told and drawn."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dbaudit.audit import Outcome, Watch, run_audit
from dbaudit.chart import checked_ending, history_chart, write_chart
from dbaudit.dataset import find_dataset
from dbaudit.errors import UsageError
from dbaudit.report import plural
from dbaudit.spec import AuditSpec
from dbaudit.store import Store

_NAMED = 3  # commands that are told one by one; beyond, there is a command for all


@dataclass(frozen=True)
class History:
    """The steps of a release history: the first release alone, then one more each time.

    A step names its releases, and holds the figures of its latest solved audit (None where there is none) and how the latest
    attempt ended.
    """

    dataset: str
    adversary: str
    steps: list[dict[str, Any]]

    @property
    def audited(self) -> list[dict[str, Any]]:
        """The steps that have an answer."""
        return [step for step in self.steps if step["audit_id"] is not None]

    @property
    def unit(self) -> str:
        """What is counted: persons, or records where each row stands for a person of its own."""
        return str(self.audited[-1]["unit"]) if self.audited else "person"

    def missing(self, max_probability: float | None = None) -> list[dict[str, Any]]:
        """The steps that were never audited; with a limit, also those that were solved without being held to it."""
        return [
            step
            for step in self.steps
            if step["attempt_id"] is None or (max_probability is not None and step["audit_id"] is not None and step["max_probability"] != max_probability)
        ]

    def command(self, step: dict[str, Any], store: str = "") -> str:
        """What to type to audit a step; `store` is what names the store, where that is needed."""
        assumed = "" if self.adversary == "default" else f" --adversary {shlex.quote(self.adversary)}"
        return f"dbaudit audit{store} {shlex.quote(self.dataset)} --releases {shlex.quote(','.join(step['releases']))}{assumed}"

    @property
    def words(self) -> list[str]:
        """Two or three sentences: how many steps have an answer, and how the last differs from the first."""
        steps, known = self.steps, self.audited
        if not steps:
            return [f"{self.dataset} has no published release yet: there is no history."]
        lines = [f"{self.dataset}, adversary {self.adversary}: {plural(len(steps), 'release')}; {len(known)} of {plural(len(steps), 'step')} audited."]
        ends = [known[0], *known[-1:]] if len(known) > 1 else known
        for step in ends:
            certain = f"{plural(step['certain_count'], self.unit)} certain" if step["certain_count"] else "nobody certain"
            lines.append(
                f"With {_joined(step['releases'])}: {step['entropy_bits_per_person']:.2f} bits per {self.unit} remain unknown, "
                f"the surest guess has probability {step['worst_probability']:.4g}, {certain}."
            )
        return lines

    @property
    def table(self) -> list[dict[str, Any]]:
        """A row for each step, with what people compare."""
        return [
            {
                "release": step["release"] + (" (withdrawn)" if step["state"] == "withdrawn" else ""),
                "published_on": step["published_on"],
                "audit": step["audit_id"],
                f"{self.unit}s": step["person_count"],
                f"bits_per_{self.unit}": step["entropy_bits_per_person"],
                "highest_probability": step["worst_probability"],
                "certain": step["certain_count"],
                "findings": _findings(step),
                "verdict": step["verdict"] or step["attempt_status"] or "not audited",
            }
            for step in self.steps
        ]

    @property
    def remarks(self) -> list[str]:
        """What makes the steps less comparable than they look."""
        found = [
            f"{_joined(step['releases'])}: audit {step['attempt_id']} ended {step['attempt_status']}. {step['attempt_message'] or ''}".rstrip()
            for step in self.steps
            if step["attempt_status"] not in (None, "solved")
        ]
        if len({step["max_probability"] for step in self.audited}) > 1:
            found.append("not all steps were held to the same limit (--max-probability), so that their findings cannot be compared.")
        return found

    def left_to_do(self, store: str = "") -> list[str]:
        """The steps without an audit, each with the command that runs it."""
        missing = self.missing()
        lines = [f"Not audited yet: {_joined(step['releases'])}. Run: {self.command(step, store)}" for step in missing[:_NAMED]]
        if len(missing) > 1:
            assumed = "" if self.adversary == "default" else f" --adversary {shlex.quote(self.adversary)}"
            more = f"{len(missing) - _NAMED} more are missing. " if len(missing) > _NAMED else ""
            lines.append(f"{more}All at once: dbaudit audits history{store} {shlex.quote(self.dataset)}{assumed} --run")
        return lines

    def as_data(self) -> dict[str, Any]:
        """The same for programs."""
        commands = {step["step"]: self.command(step) for step in self.missing()}
        steps = [{**step, "command": commands.get(step["step"])} for step in self.steps]
        return {"dataset": self.dataset, "adversary": self.adversary, "unit": self.unit, "steps": steps, "remarks": self.remarks}


def show_history(store: Store, dataset: str, adversary: str = "default") -> History:
    """Each step of the release history with its latest solved audit. Withdrawn releases have been seen and count; candidates and removed ones do not."""
    with store.reading() as session:
        found = find_dataset(session, dataset)
        known = "select count(*) from (select adversary from adversary.adversary union all select adversary from result.audit) where adversary = ?"
        if not session.engine.value("adversary", known, [adversary]):
            raise UsageError(f"there is no adversary {adversary}.")
        return History(dataset, adversary, session.rows("read/history", dataset_id=found.dataset_id, adversary=adversary))


def run_history(store: Store, dataset: str, adversary: str = "default", *, max_probability: float | None = None, watch: Watch | None = None) -> list[Outcome]:
    """Audit the steps of the release history that are missing, oldest first; with a limit, also those that were not held to it."""
    outcomes = []
    for step in show_history(store, dataset, adversary).missing(max_probability):
        spec = AuditSpec(dataset, tuple(step["releases"]), adversary=adversary, max_probability=max_probability)
        outcomes.append(run_audit(store, spec, _named(watch, step["release"])))
    return outcomes


def draw_history(history: History, path: Path) -> None:
    """Draw the history into a file: SVG or PNG, by its ending."""
    checked_ending(path)
    if not history.steps:
        raise UsageError(f"{history.dataset} has no published release yet: there is nothing to draw.")
    figures = ("release", "entropy_bits_per_person", "worst_probability", "certain_count")
    steps = [{**{name: step[name] for name in figures}, "finding_count": _findings(step)} for step in history.steps]
    title = f"{history.dataset}: what the releases give away together" + ("" if history.adversary == "default" else f" (adversary {history.adversary})")
    write_chart(history_chart(title, history.unit, steps), path)


def _findings(step: dict[str, Any]) -> int | None:
    """How many findings there are; where nothing was judged, none means nothing."""
    return None if step["verdict"] == "unjudged" else step["finding_count"]


def _named(watch: Watch | None, release: str) -> Watch | None:
    """The same report on progress, with the step it is about."""
    return None if watch is None else lambda stage, share: watch(f"up to {release}: {stage}", share)


def _joined(releases: list[str]) -> str:
    """The releases of a step in words: all of a few, the ends of many."""
    return ", ".join(releases) if len(releases) <= _NAMED else f"{releases[0]} to {releases[-1]} ({len(releases)} releases)"
