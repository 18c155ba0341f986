"""Quasi-identifiers as items of patterns: one row for each combination and column, and column names as statements spell them."""

from __future__ import annotations

from collections.abc import Sequence

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

_DIALECT = "duckdb"


def items(columns: Sequence[str], relation: str) -> str:
    """A query for the value of each quasi-identifier, as text, of each combination in a relation: qi_id, column_name, item."""
    selects = [
        exp.select(
            exp.column("qi_id"),
            exp.alias_(exp.Literal.string(name), "column_name"),
            exp.alias_(exp.cast(exp.Dot(this=exp.column("qi"), expression=exp.to_identifier(name, quoted=True)), "varchar"), "item"),
        ).from_(relation)
        for name in columns
    ]
    return " union all ".join(select.sql(_DIALECT) for select in selects)


def spelled(column: str) -> str:
    """A column's name as it is written in a statement: in double quotes only where it needs them."""
    try:
        tree = sqlglot.parse_one(f"{column} = 1", into=exp.Condition, dialect=_DIALECT)
        if isinstance(tree, exp.EQ) and isinstance(tree.this, exp.Column) and tree.this.name == column and not tree.this.table and column.isidentifier():
            return column
    except SqlglotError:
        pass  # a name that cannot be read without quotes
    return exp.to_identifier(column, quoted=True).sql(_DIALECT)
