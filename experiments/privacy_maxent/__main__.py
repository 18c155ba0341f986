"""Figures 5, 6, 7a, 7b and 7c of Privacy-MaxEnt again, on Adult, with the paper's claims as checks.

python -m experiments.privacy_maxent [--quick] [--out FOLDER]

Prints the tables and, claim by claim, whether it holds; README.md and the plots go to --out, which is this folder where Adult is there.
Takes some minutes. With --quick: a few hundred records of a generated twin of Adult, to see that everything runs; the figures mean nothing.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # before NumPy comes: CPU seconds of several threads that wait for each other tell nothing

HERE = Path(__file__).parent


def main() -> None:
    """Measure, print and write."""
    from benchmarks.solver.tables import adult_or_twin, census_twin
    from experiments.privacy_maxent import page
    from experiments.privacy_maxent.cases import FULL, QUICK, measure

    chosen = _arguments()
    table = census_twin(QUICK_ROWS) if chosen.quick else adult_or_twin()
    print(f"records: {page.SOURCE[table.name]}", file=sys.stderr)
    measured = measure(table, QUICK if chosen.quick else FULL, lambda stage: print(stage, file=sys.stderr))
    text = page.written(measured)
    print(text)
    out = chosen.out or (HERE if table.name == "adult" else None)
    if out is not None:
        from experiments.privacy_maxent import plots  # matplotlib is not needed for what is printed

        plots.write(measured, out / "figures")
        (out / "README.md").write_text(text, encoding="utf-8")


QUICK_ROWS = 1_500


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m experiments.privacy_maxent", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a smoke test on a few hundred records of the twin")
    parser.add_argument("--out", type=Path, help="folder for README.md and figures/ (default: this one, unless the records are the twin's)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
