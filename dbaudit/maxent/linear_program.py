"""Linear programs over a problem's feasible set, solved by HiGHS, which keeps its basis from one question to the next."""

from __future__ import annotations

from typing import Any

import highspy
import numpy as np
import scipy.sparse as sp

from . import tolerance
from .problem import Floats, Ints

INFINITY = highspy.kHighsInf


class LinearProgram:
    """minimise cost . x  subject to  row_lower <= matrix x <= row_upper,  lower <= x <= upper."""

    def __init__(self, matrix: sp.csr_array, row_lower: Floats, row_upper: Floats, lower: Floats, upper: Floats, cost: Floats | None = None) -> None:
        rows, columns = matrix.shape
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = columns, rows
        model.col_cost_ = np.zeros(columns) if cost is None else cost
        model.col_lower_, model.col_upper_ = lower, np.where(np.isfinite(upper), upper, INFINITY)
        model.row_lower_ = np.where(np.isfinite(row_lower), row_lower, -INFINITY)
        model.row_upper_ = np.where(np.isfinite(row_upper), row_upper, INFINITY)
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_ = matrix.indptr.astype(np.int32)
        model.a_matrix_.index_ = matrix.indices.astype(np.int32)
        model.a_matrix_.value_ = matrix.data
        self._columns = np.arange(columns, dtype=np.int32)
        self._highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        for option, setting in {
            "output_flag": False,
            "threads": 1,
            "random_seed": 1,
            "primal_feasibility_tolerance": tolerance.PROGRAM,
            "dual_feasibility_tolerance": tolerance.PROGRAM,
        }.items():
            self._highs.setOptionValue(option, setting)
        self._highs.passModel(model)

    def run(self, from_here: bool = False) -> bool:
        """Solve; whether an optimum was found. `from_here`: a small change of the cost, for which the primal simplex method is quicker."""
        self._highs.setOptionValue("simplex_strategy", 4 if from_here else 1)
        self._highs.run()
        return bool(self._highs.getModelStatus() == highspy.HighsModelStatus.kOptimal)

    @property
    def value(self) -> float:
        return float(self._highs.getInfo().objective_function_value)

    @property
    def steps(self) -> int:
        """Steps of the simplex method that the last run took."""
        return int(self._highs.getInfo().simplex_iteration_count)

    @property
    def point(self) -> Floats:
        return np.array(self._highs.getSolution().col_value)

    @property
    def row_dual(self) -> Floats:
        return np.array(self._highs.getSolution().row_dual)

    def set_cost(self, cost: Floats) -> None:
        self._highs.changeColsCost(len(cost), self._columns, cost)

    def set_upper(self, upper: Floats) -> None:
        """Change the upper bound of every column."""
        lower = np.array(self._highs.getLp().col_lower_)
        self._highs.changeColsBounds(len(upper), self._columns, lower, np.where(np.isfinite(upper), upper, INFINITY))

    def set_row_bounds(self, rows: Ints, lower: Floats, upper: Floats) -> None:
        for row, low, high in zip(rows.tolist(), lower.tolist(), upper.tolist(), strict=True):
            self._highs.changeRowBounds(row, low, high)


def feasible_set(matrix: sp.csr_array, lower: Floats, upper: Floats, subject: Ints, person_count: Floats) -> tuple[sp.csr_array, Floats, Floats]:
    """The rows of a problem's feasible set in persons per cell: one row per subject, then the constraints."""
    ones = sp.csr_array((np.ones(len(subject)), (subject, np.arange(len(subject)))), shape=(len(person_count), len(subject)))
    return sp.vstack([ones, matrix]).tocsr(), np.r_[person_count, lower], np.r_[person_count, upper]
