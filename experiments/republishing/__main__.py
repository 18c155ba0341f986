"""Figures 2 to 5 of Re-publishing again, on Adult, with the paper's claims as checks.

python -m experiments.republishing [--data FOLDER] [--seeds N ...] [--write]

Prints the tables and, claim by claim, whether it holds. With --write they become README.md and the plots beside this file. Takes some minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from experiments.republishing.cases import ROOT, audit_here, measure
from experiments.republishing.desk import Adult

HERE = Path(__file__).parent


def main() -> None:
    """Measure, print, and write if asked to."""
    chosen = _arguments()
    if chosen.audit_here:
        print(json.dumps(audit_here(chosen.audit_here)))
        return
    from experiments.republishing import page, plots  # matplotlib is not needed for the measurement above

    path = chosen.data / "adult" / "adult.csv"
    if not path.is_file():
        raise SystemExit(f"there is no {path}: give --data FOLDER, or set DBAUDIT_DATA, to a folder with adult/adult.csv")
    adult = Adult.read(path)
    measured = measure(adult, chosen.seeds, lambda stage: print(stage, file=sys.stderr))
    text = page.written(adult, measured)
    print(text)
    if chosen.write:
        plots.write(measured, HERE / "figures")
        (HERE / "README.md").write_text(text, encoding="utf-8")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m experiments.republishing", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    data = Path(os.environ.get("DBAUDIT_DATA") or ROOT.parent / "shared" / "data")
    parser.add_argument("--data", type=Path, default=data, help="folder with adult/adult.csv (default: DBAUDIT_DATA, else ../shared/data)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 101, 201], help="samples; the first is the one of the tables (default: 1 101 201)")
    parser.add_argument("--write", action="store_true", help="write README.md and the plots")
    parser.add_argument("--audit-here", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
