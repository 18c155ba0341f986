"""A worked example: what two releases of a hospital's table give away together (Re-publishing, Figure 1).

    python -m dbaudit.maxent

Each release hides a patient's disease among those of a bucket. Put side by side they say more than either was meant to.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import scipy.sparse as sp

from dbaudit.maxent import Problem, Solution, solve

# One release is a list of buckets: the patients in it, and the diseases that they have between them.
Release = list[tuple[list[int], list[str]]]

FIRST: Release = [
    ([1, 2, 3, 4], ["Diabetes", "Flu", "Flu", "Pneumonia"]),
    ([5, 6, 7], ["Diabetes", "Flu", "Pneumonia"]),
    ([8, 9, 10], ["Flu", "HIV", "Lung Cancer"]),
    ([11, 12, 13], ["Diabetes", "HIV", "Pneumonia"]),
]
SECOND: Release = [
    ([1, 2, 14], ["Diabetes", "Flu", "Pneumonia"]),
    ([3, 4, 15], ["Diabetes", "Flu", "Pneumonia"]),
    ([5, 8, 11], ["Flu", "HIV", "Pneumonia"]),
    ([6, 9, 12], ["Flu", "HIV", "Pneumonia"]),
]
Cell = tuple[int, str]


def possible(releases: list[Release]) -> list[Cell]:
    """The pairs (patient, disease) in which the disease stands in every bucket that holds the patient."""
    buckets = [bucket for release in releases for bucket in release]
    patients = sorted({patient for members, _ in buckets for patient in members})
    offered = {patient: [set(values) for members, values in buckets if patient in members] for patient in patients}
    return [(patient, value) for patient in patients for value in sorted(set.intersection(*offered[patient]))]


def as_problem(releases: list[Release], cells: list[Cell]) -> Problem:
    """One constraint for each disease of each bucket: as many of its patients have it as the release says."""
    rows, targets, labels, family, block = [], [], [], [], []
    for number, release in enumerate(releases):
        for bucket, (members, values) in enumerate(release):
            for value, count in Counter(values).items():
                rows.append([float(patient in members and disease == value) for patient, disease in cells])
                targets.append(float(count))
                labels.append(f"release {number + 1}, bucket {bucket + 1}, {value}")
                family.append(number)
                block.append(bucket)
    patients, subject = np.unique([patient for patient, _ in cells], return_inverse=True)
    target = np.array(targets)
    return Problem(subject, np.ones(len(patients)), sp.csr_array(np.array(rows)), target, target, labels=labels, family=np.array(family), block=np.array(block))


def tell(cells: list[Cell], solution: Solution) -> list[str]:
    """A line for each patient: the likely disease, how likely, and what is proven."""
    lines = [f"{'patient':>7}  {'likely disease':<14}  {'probability':>11}  proven"]
    for patient in sorted({patient for patient, _ in cells}):
        own = [number for number, (someone, _) in enumerate(cells) if someone == patient]
        likely = max(own, key=lambda number: round(float(solution.probability[number]), 9))  # a tie goes to the first by name
        ruled_out = [cells[number][1] for number in own if solution.is_forced[number] and number != likely]
        proven = [f"has {cells[likely][1]}"] if solution.is_forced[likely] else [f"not {value}" for value in ruled_out]
        lines.append(f"{patient:>7}  {cells[likely][1]:<14}  {solution.probability[likely]:>11.4f}  {', '.join(proven) or '-'}")
    return lines


def main() -> None:
    """Solve the hospital and print the answer with its certificate."""
    cells = possible([FIRST, SECOND])
    solution = solve(as_problem([FIRST, SECOND], cells))
    print("A hospital published its table twice, diseases hidden in buckets. What both releases together say:\n")
    print("\n".join(tell(cells, solution)))
    print(f"\n'proven' holds in every table that agrees with both releases. Uncertainty left: {solution.entropy:.3f} bits.")
    print(f"Certificate: status {solution.status}, largest violation {solution.residual:.1e}, duality gap {solution.duality_gap:.1e}.")


if __name__ == "__main__":
    main()
