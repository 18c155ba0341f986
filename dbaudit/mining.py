"""Mine what an adversary may know from the truth, with a bound: the strongest positive and negative rules (Privacy-MaxEnt, section 4.4).

A combination of quasi-identifiers is one whole number, some bits for each column, so that the patterns of a set of columns are found
by masking: one grouping of the records for all sets of a level, inside the engine. Levels are sets of 1, 2, ... columns; a set is
looked at only if each smaller one in it has a pattern with enough persons.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dbaudit.dataset import Dataset, find_dataset
from dbaudit.errors import UsageError
from dbaudit.knowledge import Known, add_read, may_know, name_adversary, read_statements
from dbaudit.language.pattern import items, spelled
from dbaudit.spec import MiningSpec
from dbaudit.store import Session, Store

Tell = Callable[[str, float | None], None]

_MOST_COLUMNS = 60  # a set of columns is a whole number of 64 bits
_MOST_BITS = 126  # and a pattern one of 128
_MOST_WORK = 100_000_000  # records times sets of columns of one level: some seconds, and some gigabytes


@dataclass(frozen=True)
class Mined:
    """The rules that were mined and stored, with remarks for whoever asked."""

    dataset: str
    adversary: str
    over: str
    positive_count: int
    negative_count: int
    remarks: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Assumed:
    """The mined rules that an audit assumes."""

    positive_count: int = 0
    negative_count: int = 0
    digest: str | None = None
    left_out_count: int = 0

    @property
    def counts(self) -> dict[str, int]:
        """How many there are of each kind."""
        return {"positive_count": self.positive_count, "negative_count": self.negative_count}


@dataclass(frozen=True)
class Base:
    """The persons of whom rules speak: those of a release, or of the population; and the load of the truth about them."""

    load_id: str
    release_id: int | None
    words: str


def mine_rules(store: Store, dataset: str, spec: MiningSpec, adversary: str = "default", watch: Tell | None = None) -> Mined:
    """Let an adversary know the strongest rules of the truth. They take the place of those mined for this adversary and dataset before."""
    with store.writing(truth=True) as session:
        found = may_know(session, dataset, adversary)
        return mine_into(session, found, spec, adversary, watch or (lambda _stage, _share: None))


def equip_adversary(
    store: Store,
    name: str,
    remark: str | None = None,
    *,
    dataset: str | None = None,
    statements: Sequence[str | Path] = (),
    rules: MiningSpec | None = None,
    watch: Tell | None = None,
) -> tuple[list[Known], Mined | None]:
    """Name an adversary together with what it knows of a dataset (the only one, if none is named): statements, files of them, and mined rules.

    All of it is stored, or nothing.
    """
    files = {each: read_statements(each) for each in statements if isinstance(each, Path)}
    with store.writing(truth=rules is not None) as session:
        name_adversary(session, name, remark)
        found = may_know(session, dataset or _only_dataset(session), name)
        known: list[Known] = []
        for number, each in enumerate(statements, 1):
            if isinstance(each, Path):
                known += add_read(session, found, files[each], each.name, name)
            else:
                known += add_read(session, found, [(number, each)], "--statements", name)
        return known, None if rules is None else mine_into(session, found, rules, name, watch or (lambda _stage, _share: None))


def _only_dataset(session: Session) -> str:
    known = [name for (name,) in session.engine.rows("datasets", "select dataset from published.dataset order by dataset")]
    if len(known) != 1:
        raise UsageError("knowledge speaks of a dataset: name it with --dataset NAME." + (f" Known: {', '.join(known)}." if known else ""))
    return str(known[0])


def mine_into(session: Session, dataset: Dataset, spec: MiningSpec, adversary: str, tell: Tell) -> Mined:
    """The same in a session that is open and has the truth."""
    base = find_base(session, dataset, spec.over)
    mine(session, dataset, base, spec, tell)
    forget_rules(session, dataset.dataset_id, adversary)
    session.run("write/rule", dataset_id=dataset.dataset_id, adversary=adversary, over_release_id=base.release_id)
    session.run("write/rule_item")
    counts = dict(session.engine.rows("rules", "select is_positive, count(*) from mined_rule group by is_positive"))
    mined = Mined(dataset.name, adversary, base.words, counts.get(True, 0), counts.get(False, 0))
    for kind, asked, there in (("positive", spec.positive, mined.positive_count), ("negative", spec.negative, mined.negative_count)):
        if there < asked:
            mined.remarks.append(f"{asked} {kind} rules were asked for, and there are {there} with a support of {spec.min_support} persons or more.")
    return mined


def list_rules(store: Store, dataset: str, adversary: str = "default", limit: int | None = None) -> list[dict[str, Any]]:
    """The mined rules of an adversary about a dataset, positive ones first, strongest first; of each kind at most `limit`."""
    with store.reading() as session:
        found = find_dataset(session, dataset)
        return session.rows("read/rule", dataset_id=found.dataset_id, adversary=adversary, limit=limit)


def forget_rules(session: Session, dataset_id: int, adversary: str) -> None:
    """Forget the mined rules of an adversary about a dataset. Audits that assumed them keep what they said."""
    session.engine.run("forget the rules", "delete from adversary.rule where dataset_id = ? and adversary = ?", [dataset_id, adversary])
    session.run("write/sweep_rule_item")


def find_base(session: Session, dataset: Dataset, over: str | None) -> Base:
    """Whose truth rules are mined from: the release that is named, else the population, else the only release with microdata."""
    own = session.engine.value("truth", "select load_id from published.dataset where dataset_id = ?", [dataset.dataset_id])
    releases = session.rows("read/mining_release", dataset_id=dataset.dataset_id)
    if over is None:
        if own is not None:
            return Base(own, None, "the population")
        known = [release for release in releases if release["load_id"] is not None]
        if len(known) == 1:
            return Base(known[0]["load_id"], known[0]["release_id"], f"release {known[0]['release']}")
        if known:
            raise UsageError(
                f"the truth of {len(known)} releases of {dataset.name} is known. Say from whose persons to mine: "
                f"dbaudit knowledge mine {dataset.name} --over RELEASE"
            )
        raise UsageError(
            f"rules are mined from the truth, and that of {dataset.name} is not in the store. "
            "Declare the dataset with --microdata FILE, or give --microdata with a release."
        )
    found = next((release for release in releases if release["release"] == over), None)
    if found is None:
        names = ", ".join(release["release"] for release in releases)
        raise UsageError(f"{dataset.name} has no release {over} (--over). " + (f"Known: {names}." if names else ""))
    if not found["is_followed"]:
        raise UsageError(f"nobody in release {over} is followed by id, so that the truth of its records is not known one by one. Leave out --over.")
    load_id = found["load_id"] or own
    lacking = session.row("read/mining_untold", release_id=found["release_id"], load_id=load_id)["person_count"]
    if lacking:
        raise UsageError(f"the truth of {lacking} persons of release {over} is not in the store, so that rules about all of them cannot be mined (--over).")
    return Base(load_id, found["release_id"], f"release {over}")


def mine(session: Session, dataset: Dataset, base: Base, spec: MiningSpec, tell: Tell) -> None:
    """Leave the strongest rules in the temporary tables mined_rule and mined_rule_item."""
    known: dict[str, Any] = {"dataset_id": dataset.dataset_id, "load_id": base.load_id, "release_id": base.release_id}
    session.run("write/mining_population" if base.release_id is None else "write/mining_release", **known)
    _take_coarsest(session, dataset)
    session.run("write/mining_tuple")
    code_tuples(session, dataset, lambda: session.run("write/mining_code", min_support=spec.min_support))
    for step in ("mining_value", "mining_record", "mining_begin", "mining_found"):
        session.run(f"write/{step}")
    record_count = int(session.engine.value("records", "select count(*) from mining_record"))
    column_count = int(session.engine.value("columns", "select count(*) from pattern_column"))
    asked = spec.attributes or spec.max_attributes or column_count
    if asked > len(dataset.quasi_identifiers):
        raise UsageError(f"{dataset.name} has {len(dataset.quasi_identifiers)} quasi-identifiers, so that no rule is about {asked}.")
    last = min(asked, column_count)
    if spec.attributes is not None:
        _refuse_too_much(dataset, record_count, math.comb(column_count, last), last)
    for level in range(1, last + 1):
        tell(f"mining: {level} of {last} quasi-identifiers", (level - 1) / last)
        # With one column more, a set of the level before becomes at most so many new ones, each of which arises from `level` of them.
        there = int(session.engine.value("sets", "select count(*) from mining_subset"))
        _refuse_too_much(dataset, record_count, min(there * column_count // level, math.comb(column_count, level)), level)
        session.run("write/mining_subset")
        if spec.attributes in (None, level):
            _mine_level(session, spec)
    spell_columns(session, dataset)
    session.run("write/mined_rule", **known, positive=spec.positive, negative=spec.negative)
    session.run("write/mined_rule_item")


def _take_coarsest(session: Session, dataset: Dataset) -> None:
    """Where the truth mixes coarser and finer values of a hierarchy, rules are about the coarser ones."""
    query = "select h.column_name from published.hierarchy as h where h.dataset_id = ? and list_contains(?, h.column_name)"
    for (column,) in session.engine.rows("hierarchies", query, [dataset.dataset_id, list(dataset.sensitive)]):
        if len(dataset.sensitive) == 1:
            session.run("write/mining_coarse", dataset_id=dataset.dataset_id, column_name=column)
            continue
        for row in session.rows("read/mining_mixed", dataset_id=dataset.dataset_id):
            raise UsageError(
                f"the truth of {dataset.name} says {row['column_name']} {row['part']}, which stands for several finer values. With several sensitive columns "
                "no rules can be mined from that yet: give the microdata in the finest values."
            )


def _mine_level(session: Session, spec: MiningSpec) -> None:
    wanted = {"min_support": spec.min_support, "positive": spec.positive, "negative": spec.negative}
    for step in ("mining_pattern", "mining_antecedent", "mining_prune", "mining_positive", "mining_absent"):
        session.run(f"write/{step}", **wanted)
    # Where nobody of a pattern has a value, nothing is surer; with enough such rules no others are among the strongest.
    sure = "select count(*) from (select 1 from mining_rule where not is_positive and value_count = 0 limit ?)"
    if session.engine.value("sure", sure, [spec.negative]) < spec.negative:
        session.run("write/mining_negative", **wanted)


def _refuse_too_much(dataset: Dataset, record_count: int, set_count: int, level: int) -> None:
    if record_count * set_count > _MOST_WORK:
        raise UsageError(
            f"the quasi-identifiers of {dataset.name} have some {set_count:,} sets of {level}, too many for {record_count:,} different records: "
            f"look for rules about fewer with --max-attributes {max(level - 1, 1)}, or raise --min-support."
        )


def code_tuples(session: Session, dataset: Dataset, number_items: Callable[[], None]) -> None:
    """Turn the combinations in `pattern_tuple` into whole numbers; `number_items` says which values have a number (`pattern_code`)."""
    query = items(dataset.quasi_identifiers, "pattern_tuple")
    session.engine.run("items", f"create or replace temp table pattern_item as {query}")
    number_items()
    session.run("write/pattern_column")
    columns, bits = session.engine.rows("width", "select count(*), coalesce(sum(bits), 0) from pattern_column")[0]
    if columns > _MOST_COLUMNS or bits > _MOST_BITS:
        raise UsageError(
            f"the quasi-identifiers of {dataset.name} have too many columns or different values for rules "
            f"({columns} columns, {bits} bits; at most {_MOST_COLUMNS} and {_MOST_BITS}). Raise --min-support, so that rare values do not count."
        )
    session.run("write/pattern_tuple_code")


def spell_columns(session: Session, dataset: Dataset) -> None:
    """How each column is written in a statement."""
    session.engine.run("names", "create or replace temp table spelled_column (column_name varchar, spelled varchar)")
    for name in (*dataset.quasi_identifiers, *dataset.sensitive):
        session.engine.run("names", "insert into spelled_column values (?, ?)", [name, spelled(name)])


# -- in an audit


def assume_kept(session: Session, audit_id: int, dataset: Dataset, adversary: str, bound: tuple[int, int] | None) -> Assumed:
    """Fix what the rules of an adversary mean in an audit: all that it knows, or the strongest so many of each kind."""
    rows = session.rows("read/rule_base", dataset_id=dataset.dataset_id, adversary=adversary)
    if not rows:
        return Assumed()
    (base,) = rows
    query = "select count(*) from result.audit_release where audit_id = ? and release_id = ?"
    if base["over_release_id"] is not None and not session.engine.value("in scope", query, [audit_id, base["over_release_id"]]):
        name = base["release"] or "that was removed"
        raise UsageError(
            f"the rules of the adversary {adversary} speak of the persons of release {name}, which is not in scope. "
            "Add it to --releases, mine other rules (dbaudit knowledge mine --over), or name another --adversary."
        )
    positive, negative = bound or (None, None)
    session.run("write/assumed_rule", dataset_id=dataset.dataset_id, adversary=adversary, positive=positive, negative=negative)
    session.run("write/assumed_rule_item")
    return _assume(session, audit_id, dataset, base["over_release_id"])


def assume_mined(session: Session, audit_id: int, dataset: Dataset, base: Base, bound: tuple[int, int]) -> Assumed:
    """The same for rules that were just mined and that nobody keeps."""
    session.run("write/assumed_mined_rule", positive=bound[0], negative=bound[1])
    session.run("write/assumed_mined_rule_item")
    return _assume(session, audit_id, dataset, base.release_id)


def _assume(session: Session, audit_id: int, dataset: Dataset, over_release_id: int | None) -> Assumed:
    told = session.row("read/assumed_rule_digest")
    if not told["positive_count"] + told["negative_count"]:
        return Assumed()
    session.run("write/assumed_moved", dataset_id=dataset.dataset_id, over_release_id=over_release_id)
    session.run("write/assumed_tuple")
    code_tuples(session, dataset, lambda: session.run("write/assumed_code"))
    # Without ids nobody can be told to be of the population or not: then everybody in scope is.
    is_followed = over_release_id is None and dataset.id is not None
    known: dict[str, Any] = {
        "audit_id": audit_id,
        "dataset_id": dataset.dataset_id,
        "over_release_id": over_release_id,
        "is_over_population": is_followed and session.row("read/outside_population", dataset_id=dataset.dataset_id)["is_somebody"],
    }
    for step in ("assumed_match", "assumed_base", "assumed_fit", "rule_statement", "rule_term", "rule_value", "rule_qi"):
        session.run(f"write/{step}", **known)
    left_out = session.engine.value("left out", "select count(*) from assumed_rule where rule_id not in (select rule_id from assumed_fit)")
    return Assumed(told["positive_count"], told["negative_count"], told["digest"], int(left_out))
