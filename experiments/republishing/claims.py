"""What the paper says, as questions to the measurements. Each can come out either way."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from statistics import mean

from experiments.republishing.cases import DIVERSITIES, OVERLAPS, Measured

BAND = (0.20, 0.25)  # Figure 2: "20% to 25% lower"
SLIGHTLY = 0.05  # Figure 3 says "slightly" and no figure: we take it to mean at most this
EXACT = 1e-9


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, whether it holds here, and the figures that say so."""

    text: str
    holds: bool
    figures: str


def judged(measured: Measured) -> list[Claim]:
    """All claims in the order of the paper."""
    asked = (_band, _direction, _slightly, _unharmed, _better, _exact, _monotone, _certified)
    return [ask(measured) for ask in asked]


def lower(measured: Measured, method: str, diversity: int, overlap: int, whose: str) -> float:
    """By which share the entropy is lower, on average over the samples."""
    return mean(case.lower(whose) for case in measured.of(method, diversity=diversity, overlap=overlap))


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %"


def _band(measured: Measured) -> Claim:
    """One overlap must give the paper's figure at every l: that is how Figure 2 is drawn."""
    found = {
        (whose, overlap): [lower(measured, "independent", diversity, overlap, whose) for diversity in DIVERSITIES]
        for whose in ("D2", "everybody")
        for overlap in OVERLAPS
    }
    fitting = [(whose, overlap) for (whose, overlap), shares in found.items() if all(BAND[0] <= share <= BAND[1] for share in shares)]
    nearest = min(found, key=lambda key: max(max(BAND[0] - share, share - BAND[1]) for share in found[key]))
    told = ", ".join(f"l = {diversity}: {_percent(share)}" for diversity, share in zip(DIVERSITIES, found[nearest], strict=True))
    return Claim(
        "Figure 2, independent: together they leave 20 to 25 % less unknown than one release, at l = 2, 3 and 5 (overlap not stated)",
        bool(fitting),
        f"{'fits' if fitting else 'nearest'}: {nearest[1]:,} shared, persons of {nearest[0]}: {told}",
    )


def _direction(measured: Measured) -> Claim:
    shares = [case.lower(whose) for case in measured.of("independent") if case.overlap for whose in ("D2", "everybody")]
    return Claim(
        "Figure 2, independent: together they leave less unknown than one release, wherever they share persons",
        min(shares) > 0,
        f"least {_percent(min(shares))}, most {_percent(max(shares))}",
    )


def _slightly(measured: Measured) -> Claim:
    cases = [case for case in measured.of("history") if case.overlap]
    shares = [case.lower("everybody") for case in cases]
    return Claim(
        f"Figure 3, history-guided: together they leave slightly less unknown (we take: less, by at most {100 * SLIGHTLY:.0f} %)",
        min(shares) > 0 and max(shares) <= SLIGHTLY,
        f"everybody: {_percent(min(shares))} to {_percent(max(shares))}",
    )


def _unharmed(measured: Measured) -> Claim:
    change = max(abs(case.lower("D2")) for case in measured.of("history"))
    return Claim(
        "(ours) Figure 3, history-guided: of D2's persons both releases say no more than D2' alone",
        change <= EXACT,
        f"largest relative change of their entropy {change:.1e}",
    )


def _better(measured: Measured) -> Claim:
    pairs = [
        (lower(measured, "independent", diversity, overlap, "everybody"), lower(measured, "history", diversity, overlap, "everybody"))
        for diversity in DIVERSITIES
        for overlap in OVERLAPS[1:]
    ]
    ratio = min(independent / guided for independent, guided in pairs if guided > 0)
    return Claim(
        "4.1: history-guided re-publishing preserves more privacy than independent, wherever they share persons",
        all(guided < independent for independent, guided in pairs),
        f"independent loses at least {ratio:.0f} times as much of everybody's entropy",
    )


def _exact(measured: Measured) -> Claim:
    filled = measured.filled
    return Claim(
        "4.1: if every empty slot is filled, both releases say exactly what one says",
        filled["empty_count"] == 0 and filled["difference"] <= EXACT,
        f"1,200 of 7,200 replaced, l = 3: no probability of anybody in either differs by more than {filled['difference']:.1e}; D2's persons: "
        f"{filled['alone']:,.1f} and {filled['combined']:,.1f} bits",
    )


def _monotone(measured: Measured) -> Claim:
    steps = []
    for diversity in DIVERSITIES:
        for seed in sorted({case.seed for case in measured.cases}):
            bits = [case.combined["D2"] for case in sorted(measured.of("independent", diversity=diversity, seed=seed), key=lambda case: case.overlap)]
            steps += [before - after for before, after in pairwise(bits)]
    return Claim(
        "Figure 4: the more persons D1 shares with the same D2, the less is unknown of D2's persons",
        min(steps) > 0,
        f"least step {min(steps):,.0f} bits, over every l and sample",
    )


def _certified(measured: Measured) -> Claim:
    residual, gap = (max(values) for values in zip(*measured.certificates, strict=True))
    return Claim(
        "(ours) every audit is certified: relative residual and duality gap at most 1e-9",
        max(residual, gap) <= EXACT,
        f"{len(measured.certificates)} audits: residual at most {residual:.1e}, gap at most {gap:.1e}",
    )
