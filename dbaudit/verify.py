"""Recompute the certificate of an audit from what is stored, without the solver."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from dbaudit.audit import find_audit
from dbaudit.errors import UsageError
from dbaudit.store import Store

# What the acceptance of an audit asks of its certificate; the solver works to a tenth of it.
TOLERANCE = 1e-8


@dataclass(frozen=True)
class Verification:
    """The certificate of an audit, recomputed."""

    audit_id: int
    figure_count: int
    statement_count: int
    max_residual: float
    normalisation_error: float
    duality_gap: float
    price_error: float
    headline_error: float
    forced_count: int
    missing_count: int
    misplaced_count: int
    misflagged_count: int
    misbounded_count: int
    derived_error: float = 0.0
    named_count: int = 0

    @property
    def holds(self) -> bool:
        """Whether the stored answer is what it claims to be."""
        return self._measures_hold and not self._damage

    def as_data(self) -> dict[str, Any]:
        """The same for programs."""
        return {**asdict(self), "holds": self.holds}

    @property
    def words(self) -> list[str]:
        """What was recomputed, what that proves, and what it does not."""
        lines = [
            f"Recomputed from the store, without the solver, over {self.figure_count:,} published figures{self._statements}:",
            f"  largest relative error of a published figure  {self.max_residual:.1e}",
            f"  probabilities of a person sum to 1 within     {self.normalisation_error:.1e}",
            f"  duality gap (relative)                        {self.duality_gap:.1e}",
            f"  largest difference from what the prices imply {self.price_error:.1e}",
            f"  the audit's own sums differ by (relative)     {self.headline_error:.1e}",
        ]
        if self.named_count:
            lines.append(f"  records that named persons may be are off by  {self.derived_error:.1e}")
        if not self.holds:
            if not self._measures_hold:
                lines.append(f"At least one of them exceeds {TOLERANCE:.0e}: the stored answer is not the one that the publications imply.")
            return [*lines, *self._damage]
        lines += [
            "The first two prove that the probabilities agree with every figure that is stored; the next two that no other distribution",
            f"that agrees is more uncertain: they assume nothing beyond the publications{self._statements}.",
        ]
        if self.forced_count:
            lines.append(
                f"Not proven again: that {self.forced_count:,} pairs of person group and value, which the solver called impossible or certain, are so. "
                "Running the audit again proves that."
            )
        lines += [
            "Not checked: bounds, beyond that they enclose the probabilities; and that the store holds what was published:",
            "compare the digests of the audit's inputs with the files.",
        ]
        return lines

    @property
    def _statements(self) -> str:
        return f" and {self.statement_count:,} {'statement' if self.statement_count == 1 else 'statements'} of the adversary" if self.statement_count else ""

    @property
    def _measures_hold(self) -> bool:
        measured = (self.max_residual, self.normalisation_error, self.duality_gap, self.price_error, self.headline_error, self.derived_error)
        # One by one: a figure that is not a number is within no tolerance, but max() may overlook it.
        return all(figure <= TOLERANCE for figure in measured)

    @property
    def _damage(self) -> list[str]:
        """What is wrong with the stored rows, whatever their numbers say."""
        found = {
            f"{self.missing_count} pairs of person group and value have no stored answer, two, or one that cannot be": self.missing_count,
            f"{self.misplaced_count} person groups do not stand where the publications have them": self.misplaced_count,
            f"{self.misflagged_count} person groups have values flagged as impossible or certain whose probabilities are not 0 or 1": self.misflagged_count,
            f"{self.misbounded_count} bounds do not enclose the probability": self.misbounded_count,
        }
        return [f"{what}: audit {self.audit_id} is damaged." for what, count in found.items() if count]


def verify_audit(store: Store, audit_id: int) -> Verification:
    """Recompute residual, normalisation and duality gap of a solved audit."""
    with store.reading() as session:
        key = find_audit(session, audit_id)
        status = session.engine.value("status", "select status from result.audit where audit_id = ?", [key])
        if status != "solved":
            raise UsageError(f"audit {key} is {status}: there is no answer to verify.")
        measured: dict[str, Any] = session.row("read/verification", audit_id=key)
        return Verification(audit_id=key, **measured)
