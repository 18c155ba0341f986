"""What can go wrong while solving, each with what a caller needs to act on it."""

from __future__ import annotations

from collections.abc import Sequence


class MaxentError(Exception):
    """The base of everything that this package raises on purpose."""


class Infeasible(MaxentError):
    """No distribution satisfies the problem.

    `labels` is a smallest contradictory set of statements: all of them cannot hold together, and without any one of
    them the rest can. A subject that has no cell contradicts itself; it is then named in `subjects` and in the
    message, and `labels` holds that same name.
    """

    def __init__(self, labels: Sequence[str], subjects: Sequence[int] = ()) -> None:
        self.labels = list(labels)
        self.subjects = list(subjects)
        if self.subjects:
            message = f"{', '.join(self.labels)}: no value is possible any more for these persons."
        elif len(self.labels) == 1:
            message = f"{self.labels[0]!r} cannot hold, whatever the rest says."
        else:
            listed = "; ".join(self.labels[:20])
            more = f"; and {len(self.labels) - 20} more" if len(self.labels) > 20 else ""
            message = f"These {len(self.labels)} statements cannot hold together, but without any one of them the rest can: {listed}{more}."
        super().__init__(message)


class NotSolved(MaxentError):
    """No answer could be certified. The figures are those of the best attempt; no probability is returned."""

    def __init__(self, reason: str, *, residual: float, duality_gap: float, unproven_cells: int = 0) -> None:
        self.reason = reason
        self.residual = residual
        self.duality_gap = duality_gap
        self.unproven_cells = unproven_cells
        super().__init__(
            f"{reason} Best attempt: residual {residual:.1e}, duality gap {duality_gap:.1e}, {unproven_cells} cells that may or may not be possible."
        )


class TooLarge(MaxentError):
    """Exact enumeration was asked for a component beyond its stated size; nothing was counted."""
