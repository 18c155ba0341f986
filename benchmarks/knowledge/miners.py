"""The same rules mined by others: frequent itemsets with mlxtend and efficient-apriori, turned into rules.

Neither can be told which itemsets are wanted, so each is tried in two ways. *plain*: one call over all columns, as anybody would write
it; it also counts who meets a condition, which a rule's confidence needs. *split*: one call for the records of each sensitive value,
over the other columns; every itemset is then a rule with its count, and nothing is counted in vain, but no confidence is known.

A method is made ready (transactions or one-hot frames: not on the clock) and finds its itemsets. What was found plainly is then ranked:
the strongest rules by confidence, in order, which is what our miner stores; that is timed by itself.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from benchmarks.knowledge.records import ATTRIBUTES, SENSITIVE, patterns
from benchmarks.solver.mining import _strongest, subsets
from benchmarks.solver.tables import Ints, Table

Item = tuple[str, str]
Rule = tuple[tuple[Item, ...], str, int]  # its condition in order of columns, its value, how many have both
Work = Callable[[], Callable[[], list[Rule]]]  # finds itemsets; called, what it returns turns them into rules, and conditions into rules without a value


def read(truth: Path) -> tuple[Ints, Table]:
    """The records as whole numbers, and the names that these stand for."""
    table = pq.read_table(truth)
    codes, names = {}, {}
    for column in (*ATTRIBUTES, SENSITIVE):
        values, code = np.unique(np.array(table[column].to_pylist()), return_inverse=True)
        codes[column], names[column] = code.astype(np.int64), [str(value) for value in values]
    return np.column_stack(list(codes.values())), Table("file", codes, names)


def digest(rules: Iterable[Rule]) -> str:
    """The same for the same set of rules."""
    return hashlib.sha256("\n".join(sorted(map(repr, rules))).encode()).hexdigest()


def stored_rules(store: Path, is_positive: bool) -> set[Rule]:
    """The rules that dbaudit mined into a store."""
    from dbaudit import Store

    query = """
        select list(struct_pack(c := i.column_name, v := i.item) order by i.column_name), any_value(r.value), any_value(r.value_count)
        from adversary.rule as r join adversary.rule_item as i using (rule_id)
        where r.is_positive = ? group by r.rule_id
    """
    with Store(store).reading() as session:
        return {(tuple((item["c"], item["v"]) for item in items), value, count) for items, value, count in session.engine.rows("rules", query, [is_positive])}


def independent(truth: Path, rule_count: int, min_support: int) -> tuple[set[Rule], set[Rule]]:
    """The strongest positive and negative rules, as `benchmarks.solver` finds them with NumPy alone."""
    records, table = read(truth)
    counted = patterns(table, records)
    found = []
    for wanted, is_negative in (((rule_count + 1) // 2, False), (rule_count // 2, True)):
        chosen = _strongest(counted, wanted, min_support, is_negative)
        rules = set()
        for number, key, value, count in zip(chosen.subset, chosen.key, chosen.value, chosen.count, strict=True):
            items: list[Item] = []
            for member in reversed(subsets(len(ATTRIBUTES))[number]):
                key, code = divmod(int(key), table.size(ATTRIBUTES[member]))
                items.append((ATTRIBUTES[member], table.names[ATTRIBUTES[member]][code]))
            rules.add((tuple(reversed(items)), table.names[SENSITIVE][value], int(count)))
        found.append(rules)
    return found[0], found[1]


# --- mlxtend -----------------------------------------------------------------------------------------------------------


def _mlxtend(method: str, is_split: bool, records: Ints, table: Table, min_support: int) -> Work:
    frequent = getattr(import_module("mlxtend.frequent_patterns"), method)
    columns = ATTRIBUTES if is_split else (*ATTRIBUTES, SENSITIVE)
    frames = [(value, len(part), _one_hot(part[:, : len(columns)], table, columns, min_support)) for value, part in _parts(records, is_split, min_support)]

    def work() -> Callable[[], list[Rule]]:
        # A little less than the share: so many records must pass, whatever rounding does to the product.
        found = [(value, size, frequent(frame, min_support=(min_support - 0.5) / size)) for value, size, frame in frames]
        items = [[_item(column, table, columns) for column in frame.columns] for _, _, frame in frames]
        return lambda: [
            _rule(sorted(named[member] for member in members), round(support * size), "" if value is None else table.names[SENSITIVE][value])
            for (value, size, sets), named in zip(found, items, strict=True)
            for support, members in zip(sets["support"], sets["itemsets"], strict=True)
        ]

    return work


def _one_hot(codes: Ints, table: Table, columns: tuple[str, ...], min_support: int) -> Any:
    """A column for each value that is frequent by itself, named by its number."""
    pandas: Any = import_module("pandas")
    start = np.concatenate([[0], np.cumsum([table.size(column) for column in columns])])
    hot = np.zeros((len(codes), start[-1]), dtype=bool)
    hot[np.arange(len(codes))[:, None], codes + start[:-1]] = True
    kept = np.flatnonzero(hot.sum(axis=0) >= min_support)
    return pandas.DataFrame(hot[:, kept], columns=kept)


def _item(number: int, table: Table, columns: tuple[str, ...]) -> Item:
    for column in columns:
        if number < table.size(column):
            return column, table.names[column][number]
        number -= table.size(column)
    raise ValueError(number)


# --- efficient-apriori -------------------------------------------------------------------------------------------------


def _efficient(is_split: bool, records: Ints, table: Table, min_support: int) -> Work:
    frequent = import_module("efficient_apriori").itemsets_from_transactions
    columns = ATTRIBUTES if is_split else (*ATTRIBUTES, SENSITIVE)
    names = [[(column, name) for name in table.names[column]] for column in columns]
    parts = [
        (value, [tuple(items[code] for items, code in zip(names, record, strict=False)) for record in part.tolist()])
        for value, part in _parts(records, is_split, min_support)
    ]

    def work() -> Callable[[], list[Rule]]:
        found = [(value, frequent(rows, min_support=(min_support - 0.5) / len(rows), max_length=len(columns))[0]) for value, rows in parts]
        return lambda: [
            _rule(sorted(members), count, "" if value is None else table.names[SENSITIVE][value])
            for value, levels in found
            for sets in levels.values()
            for members, count in sets.items()
        ]

    return work


# --- Shared pieces -----------------------------------------------------------------------------------------------------


def _parts(records: Ints, is_split: bool, min_support: int) -> list[tuple[int | None, Ints]]:
    """All records, or those of each sensitive value that enough of them have."""
    if not is_split:
        return [(None, records)]
    parts = [(int(value), records[records[:, -1] == value]) for value in np.unique(records[:, -1])]
    return [(value, part) for value, part in parts if len(part) >= min_support]


def _rule(items: list[Item], count: int, value: str) -> Rule:
    """The rule that an itemset makes: of a value that is given, else of the sensitive value in it, which may be none."""
    inside = next((name for column, name in items if column == SENSITIVE), "")
    return tuple(item for item in items if item[0] != SENSITIVE), value or inside, int(count)


def whole(found: Iterable[Rule]) -> set[Rule]:
    """Those that have both a condition and a value."""
    return {rule for rule in found if rule[0] and rule[1]}


def strongest(found: Iterable[Rule], most: int) -> list[Rule]:
    """By confidence, then support, then fewer columns, then name: what MATHS 6 calls the strongest positive rules."""
    listed = list(found)
    people = {condition: count for condition, value, count in listed if not value}
    ranked = heapq.nsmallest(
        most,
        (
            (-count / people[condition], -count, len(condition), [name for name, _ in condition], [item for _, item in condition], value)
            for condition, value, count in listed
            if condition and value
        ),
    )
    return [(tuple(zip(names, items, strict=True)), value, -count) for _, count, _, names, items, value in ranked]


METHODS: dict[tuple[str, str], Callable[[Ints, Table, int], Work]] = {
    ("mlxtend fpgrowth", "plain"): partial(_mlxtend, "fpgrowth", False),
    ("mlxtend fpgrowth", "split"): partial(_mlxtend, "fpgrowth", True),
    ("mlxtend apriori", "plain"): partial(_mlxtend, "apriori", False),
    ("mlxtend apriori", "split"): partial(_mlxtend, "apriori", True),
    ("efficient-apriori", "plain"): partial(_efficient, False),
    ("efficient-apriori", "split"): partial(_efficient, True),
}
