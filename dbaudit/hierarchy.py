"""Declare which finer values a coarser one stands for: a tree over a column, read from a file with a row per leaf."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from dbaudit import intake
from dbaudit.dataset import Dataset, find_dataset
from dbaudit.errors import InputRejected, UsageError
from dbaudit.language.incoming import Roles
from dbaudit.store import Session, Store

_CHECKS = ("hierarchy_nothing", "hierarchy_value_missing", "hierarchy_leaf_twice", "hierarchy_parent_twice", "hierarchy_node_ambiguous", "hierarchy_root_twice")


def add_hierarchy(store: Store, dataset: str, column: str, file: Path) -> list[str]:
    """Read and store the tree of a column: columns level0 (the values in the data) to levelN (the root). Returns remarks for whoever asked.

    Audits that were run keep what they took the values to mean; later ones use the tree.
    """
    source = intake.find(file)
    with store.writing() as session:
        found = find_dataset(session, dataset)
        if column not in (*found.quasi_identifiers, *found.sensitive):
            known = ", ".join((*found.sensitive, *found.quasi_identifiers))
            raise UsageError(f"{dataset} has no sensitive column or quasi-identifier {column}. Known: {known}.")
        if _find(session, found, column):
            raise UsageError(f"{dataset} has a hierarchy for {column} already. Remove it first: dbaudit dataset hierarchy remove {dataset} {column}")
        if column in found.sensitive:
            _refuse_second(session, found, column)
        levels = _levels(source.place, list(intake.columns(session.engine, source, "level0", "level1")))
        intake.stage(session, source, Roles(sensitive=levels), into="incoming_tree")
        session.run("write/incoming_node")
        intake.refuse(session, _CHECKS, f"hierarchy of {column}, {source.name}")
        known_column = {"dataset_id": found.dataset_id, "column_name": column}
        session.run("write/hierarchy", **known_column, height=len(levels) - 1, source=source.name, digest=source.digest)
        session.run("write/hierarchy_node", **known_column)
        return _outside(session, found, column) if column in found.sensitive else []


def list_hierarchies(store: Store, dataset: str) -> list[dict[str, Any]]:
    """The hierarchies of a dataset."""
    with store.reading() as session:
        query = "select column_name, height, leaf_count, source, digest, added_at from published.hierarchy where dataset_id = ? order by column_name"
        return session.engine.dicts("hierarchies", query, [find_dataset(session, dataset).dataset_id])


def remove_hierarchy(store: Store, dataset: str, column: str) -> None:
    """Forget the tree of a column. Audits that used it keep what it meant to them."""
    with store.writing() as session:
        found = find_dataset(session, dataset)
        if not _find(session, found, column):
            raise UsageError(f"{dataset} has no hierarchy for {column}. See: dbaudit dataset hierarchy list {dataset}")
        needed = [row["value"] for row in session.rows("read/value_needing_hierarchy", dataset_id=found.dataset_id)] if column in found.sensitive else []
        if needed:
            raise UsageError(f"the declared domain of {dataset} allows {needed[0]} only through this hierarchy, and a release publishes it.")
        for table in ("hierarchy", "hierarchy_node"):
            session.engine.run("forget the tree", f"delete from published.{table} where dataset_id = ? and column_name = ?", [found.dataset_id, column])


def _refuse_second(session: Session, dataset: Dataset, column: str) -> None:
    """One tree at most among the sensitive columns: what figures say of two at once is more than one range for each of them."""
    others = [name for name in dataset.sensitive if name != column and _find(session, dataset, name)]
    if others:
        raise UsageError(
            f"{others[0]} has a hierarchy already, and only one sensitive column of a dataset can have one: what releases say of two coarser columns "
            f"together cannot be told exactly yet. Remove it first: dbaudit dataset hierarchy remove {dataset.name} {others[0]}"
        )


def _find(session: Session, dataset: Dataset, column: str) -> bool:
    query = "select count(*) > 0 from published.hierarchy where dataset_id = ? and column_name = ?"
    return bool(session.engine.value("hierarchy", query, [dataset.dataset_id, column]))


def _levels(place: str, columns: list[str]) -> tuple[str, ...]:
    """The columns level0 to levelN in order; others are not read."""
    levels = sorted((name for name in columns if re.fullmatch(r"level\d+", name)), key=lambda name: int(name.removeprefix("level")))
    if len(levels) < 2 or levels != [f"level{number}" for number in range(len(levels))]:
        raise InputRejected(
            f"{place} is no hierarchy: it needs columns level0 (the values in the data), level1 (what each belongs to) and so on, without a gap. "
            "Nothing was stored."
        )
    return tuple(levels)


def _outside(session: Session, dataset: Dataset, column: str) -> list[str]:
    """A remark on values of the dataset that the tree does not know: they stand for themselves, which may be a matter of spelling."""
    unknown = [row["part"] for row in session.rows("read/value_outside_hierarchy", dataset_id=dataset.dataset_id, column_name=column)]
    listed = ", ".join(unknown[:5]) + (f" and {len(unknown) - 5} more" if len(unknown) > 5 else "")
    return [f"not in the hierarchy, so standing for themselves: {listed}."] if unknown else []
