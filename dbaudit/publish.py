"""Anonymise microdata into a bucketized release: by itself (Anatomy), or guided by what was published before.

A bucket says who stands in it and which values occur there, not who has which. The file that is written is made from
nothing else: its persons come in an order of their own, and the values of a bucket are sorted and then dealt out at random.
"""

from __future__ import annotations

import heapq
import os
import random
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from dbaudit import intake
from dbaudit.dataset import Dataset, find_dataset
from dbaudit.errors import InputRejected, UsageError
from dbaudit.intake import Source
from dbaudit.language.incoming import Roles
from dbaudit.release import Registered, add_release
from dbaudit.spec import ReleaseSpec, checked_name
from dbaudit.store import Session, Store

Method = Literal["anatomy", "history"]
Ints = np.ndarray[tuple[int], np.dtype[np.int64]]

_NOBODY = -1  # in no bucket yet
_NAMED = 5  # values that a remark lists at most


@dataclass(frozen=True)
class PublishSpec:
    """Microdata that shall be published, and how."""

    dataset: str
    file: Path
    out: Path
    method: Method
    diversity: int
    after: str | None = None
    seed: int | None = None
    register: str | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be done, before anything is read."""
        if self.method not in get_args(Method):
            raise UsageError(f"--method is one of {', '.join(get_args(Method))}, not {self.method!r}.")
        if self.diversity < 2:
            raise UsageError(f"--l is how many different values a bucket has at least, and one hides nobody: give 2 or more, not {self.diversity}.")
        if self.after and self.method != "history":
            raise UsageError("--after names the release whose buckets are kept, which only --method history does.")
        if self.seed is not None and self.seed < 0:
            raise UsageError(f"--seed is a whole number that is not negative, not {self.seed}.")
        if self.register is not None:
            checked_name("release", self.register)
        if self.out.suffix.lower() != ".csv":
            raise UsageError(f"a release is written as CSV: call it {self.out.stem or 'release'}.csv, not {self.out.name} (--out).")


@dataclass(frozen=True)
class Published:
    """What was written: figures by name, the release if it was registered, and remarks for whoever publishes it."""

    row: dict[str, Any]
    registered: Registered | None
    remarks: list[str]


@dataclass(frozen=True)
class _Records:
    """The microdata, one position per record: the columns that are published as text, and the values as numbers."""

    table: pa.Table  # person and quasi-identifiers
    value: Ints  # position in `values`
    values: pa.Table  # value and parts, in order of the text
    stands_in: Ints  # position of the person's bucket in the release before, or _NOBODY


@dataclass(frozen=True)
class _Before:
    """The release whose buckets are kept: their names, and the places that those who left have left empty."""

    release: str
    names: list[str]
    next_number: int
    slot_bucket: Ints
    slot_value: Ints


def make_release(store: Store, spec: PublishSpec) -> Published:
    """Anonymise microdata, write the release to a file, and register it as a candidate if asked to. On any error nothing is written.

    The same records, options and seed give the same file; without a seed nobody can draw the same again.
    """
    _refuse_place(spec)
    source = intake.find(spec.file)
    with store.reading() as session:
        dataset = find_dataset(session, spec.dataset)
        before_id, before_name = _choose_before(session, dataset, spec) if spec.method == "history" else (None, "")
        _stage(session, dataset, source)
        records, before = _read(session, source, before_id, before_name)
    draw, deal = np.random.default_rng(spec.seed).spawn(2)
    if before is None:
        _refuse_ineligible(records, spec.diversity, source)
        bucket = anatomy(records.value, spec.diversity, draw)
    else:
        bucket = history(records.value, records.stands_in, before.slot_bucket, before.slot_value, len(before.names), spec.diversity, draw)
    names = _names(bucket, before)
    row = _figures(spec, records, before, bucket)
    if not row["record_count"]:
        raise InputRejected(
            f"{source.name}: nobody can be published after {before_name}: no place is left that fits, and the new records have fewer than "
            f"{spec.diversity} different values. Nothing was written."
        )
    table = _release_table(dataset, records, bucket, names, deal)
    registered = _write(store, spec, dataset, table)
    return Published({**row, "bucket_column": table.column_names[-1]}, registered, _remarks(spec, records, row, bucket))


# -- the draws: positions in, bucket numbers out


def anatomy(value: Ints, diversity: int, rng: np.random.Generator) -> Ints:
    """The bucket of each record, by Xiao and Tao: one random record of each of the largest value groups, as long as there are enough.

    What is left over goes into random buckets that do not hold its value yet. Needs eligible values: none may make up
    more than one part in `diversity`. Then every bucket has at least that many values, each of them once.
    """
    size = np.bincount(value)
    drawn = _drawn_values(size, diversity, rng)
    taken = np.bincount(drawn, minlength=len(size))
    order, rank = _shuffled_within(value, rng)
    placed = rank < taken[value[order]]
    bucket = np.full(len(value), _NOBODY, dtype=np.int64)
    bucket[order[placed]] = np.argsort(drawn, kind="stable") // diversity
    bucket_count = len(drawn) // diversity
    for record in order[~placed]:  # fewer than `diversity`, and no two of one value
        room = np.setdiff1d(np.arange(bucket_count), bucket[value == value[record]])
        bucket[record] = rng.choice(room)
    return bucket


def history(value: Ints, stands_in: Ints, slot_bucket: Ints, slot_value: Ints, old_count: int, diversity: int, rng: np.random.Generator) -> Ints:
    """The bucket of each record, guided by the release before (Re-publishing 4.1 (2)).

    Who stays keeps the bucket; whoever left leaves a slot, filled by a random new record of the same value; the other new
    records get buckets of their own (from `old_count` on) by `anatomy`. The paper does not say what becomes of new records that cannot
    form such buckets. In an old bucket they would be exposed: everybody else's value there was published without theirs.
    So the fewest possible wait for a later release, chosen at random, and have no bucket (-1).
    """
    bucket = stands_in.copy()
    new = np.flatnonzero(bucket == _NOBODY)
    record, slot = _matched(value[new], slot_value, rng)
    bucket[new[record]] = slot_bucket[slot]
    new = np.flatnonzero(bucket == _NOBODY)
    order, rank = _shuffled_within(value[new], rng)
    hidden = np.sort(new[order[rank < _most_of_one(np.bincount(value[new]), diversity)]])
    if len(hidden):
        bucket[hidden] = old_count + anatomy(value[hidden], diversity, rng)
    return bucket


def deal_values(bucket: Ints, value: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """The rows of a release: whose record each is, bucket by bucket, and the value that is published beside it.

    The values of a bucket are sorted before they are dealt out. The answer therefore depends on which values a bucket holds
    and in no way on who has which, so that not even someone who knows the seed could turn the shuffling back.
    """
    order = np.argsort(bucket, kind="stable")
    by_bucket = bucket[order]
    in_order = value[np.lexsort((value, bucket))]
    return order, in_order[np.lexsort((rng.random(len(value)), by_bucket))]


def _drawn_values(size: Ints, diversity: int, rng: np.random.Generator) -> Ints:
    """Which values the buckets take, `diversity` after `diversity`: those of which most records are left; a tie is decided at random."""
    tie = random.Random(int(rng.integers(2**63))).random  # one number at a time, of which NumPy makes a long business
    heap = [(-int(count), tie(), number) for number, count in enumerate(size) if count]
    heapq.heapify(heap)
    drawn: list[int] = []
    while len(heap) >= diversity:
        largest = [heapq.heappop(heap) for _ in range(diversity)]
        for count, _, number in largest:
            drawn.append(number)
            if count < -1:
                heapq.heappush(heap, (count + 1, tie(), number))
    return np.array(drawn, dtype=np.int64)


def _shuffled_within(value: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Positions value by value, in random order within each, and the place of each within its value."""
    order = np.lexsort((rng.random(len(value)), value))
    size = np.bincount(value)
    return order, np.arange(len(value)) - np.repeat(np.cumsum(size) - size, size)


def _matched(value: Ints, slot_value: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Random pairs of a record and a slot of the same value, as many as there can be."""
    (record, record_rank), (slot, slot_rank) = _shuffled_within(value, rng), _shuffled_within(slot_value, rng)
    width = max(len(value), len(slot_value)) + 1
    _, in_record, in_slot = np.intersect1d(value[record] * width + record_rank, slot_value[slot] * width + slot_rank, assume_unique=True, return_indices=True)
    return record[in_record], slot[in_slot]


def _most_of_one(size: Ints, diversity: int) -> int:
    """How many records of each value can be bucketized at most, so that none makes up more than one part in `diversity` of what remains."""
    most = int(size.sum()) // diversity
    while most > (fitting := int(np.minimum(size, most).sum()) // diversity):
        most = fitting
    return most


# -- reading


def _refuse_place(spec: PublishSpec) -> None:
    place = intake.printable(str(spec.out))
    if os.path.lexists(spec.out):
        raise UsageError(f"{place} exists already and was left as it is. Choose another name (--out).")
    if not spec.out.parent.is_dir():
        raise UsageError(f"there is no folder {intake.printable(str(spec.out.parent))}. Make it first, or choose another place (--out).")


def _choose_before(session: Session, dataset: Dataset, spec: PublishSpec) -> tuple[int, str]:
    """The release whose buckets are kept: the one that is named, else the latest that was published."""
    if not dataset.id or dataset.unit == "record" or dataset.values_may_change:
        reason = "its values may change, so that nobody can tell who left which place" if dataset.values_may_change else "nobody is followed there"
        raise UsageError(
            f"--method history keeps persons in their buckets, which needs ids in {dataset.name} and values that stay: {reason}. Use --method anatomy."
        )
    known = session.rows("read/release_choice", dataset_id=dataset.dataset_id)
    chosen = [release for release in known if (release["release"] == spec.after if spec.after else release["state"] != "candidate")]
    if not chosen:
        listed = ", ".join(release["release"] for release in known)
        missing = f"has no release {spec.after}" if spec.after else "has no published release whose buckets could be kept"
        raise UsageError(f"{dataset.name} {missing}. " + (f"Known: {listed}." if known else "Publish the first with --method anatomy."))
    if chosen[-1]["unit"] == "record":
        raise UsageError(f"nobody is followed by id in release {chosen[-1]['release']}, so that its buckets cannot be kept. Use --method anatomy.")
    return int(chosen[-1]["release_id"]), str(chosen[-1]["release"])


def _stage(session: Session, dataset: Dataset, source: Source) -> None:
    """Read the microdata and refuse what could not be registered afterwards."""
    id_column = dataset.id if dataset.unit == "person" else None
    intake.stage(session, source, Roles(qi=dataset.quasi_identifiers, sensitive=dataset.sensitive, id=id_column, null_value=dataset.null_value))
    persons = ("person_missing", "person_twice") if id_column else ()
    intake.refuse(session, ("nothing", *persons, "value_missing", "not_finite", "text_too_long", "value_ambiguous"), source.name)
    session.run("write/distinct_value")
    domain = session.engine.rows("domain", "select value from published.domain_value where dataset_id = ? and source = 'declared'", [dataset.dataset_id])
    intake.refuse_values(source.name, sorted(intake.values(session) - {value for (value,) in domain}) if domain else [])


def _read(session: Session, source: Source, before_id: int | None, before_name: str) -> tuple[_Records, _Before | None]:
    records = session.arrow("read/publish_record", release_id=before_id)
    values = session.engine.arrow("values", "select value, parts from incoming_distinct_value order by value")
    value = _position(records["value"], values["value"])
    told = records.drop_columns(["value", "bucket_id"])
    if before_id is None:
        return _Records(told, value, values, np.full(len(value), _NOBODY)), None
    buckets = session.arrow("read/publish_bucket", release_id=before_id)
    slots = session.arrow("read/publish_slot", release_id=before_id)
    _refuse_changed(slots, buckets, source, before_name)
    free = pc.subtract(slots["stood_count"], slots["stayed_count"]).to_numpy()
    slot_value = _position(slots["value"], values["value"])  # a value that no record of the file has is nobody's, and its slots stay empty
    slot_bucket = _position(slots["bucket_id"], buckets["bucket_id"])
    before = _Before(
        before_name,
        buckets["bucket"].to_pylist(),
        buckets["next_number"][0].as_py(),
        np.repeat(slot_bucket, free),
        np.repeat(np.where(slot_value == _NOBODY, len(values), slot_value), free),
    )
    return _Records(told, value, values, _position(records["bucket_id"], buckets["bucket_id"])), before


def _position(what: pa.ChunkedArray, among: pa.ChunkedArray) -> Ints:
    """Where each element stands in a list; -1 where it is not there."""
    found: Ints = pc.index_in(what, among.combine_chunks()).fill_null(_NOBODY).to_numpy().astype(np.int64)
    return found


def _refuse_changed(slots: pa.Table, buckets: pa.Table, source: Source, before_name: str) -> None:
    """Who stays keeps the value: a bucket cannot hold more of one now than it was published with."""
    changed = slots.filter(pc.less(slots["stood_count"], slots["stayed_count"])).to_pylist()
    if changed:
        first = changed[0]
        name = dict(zip(buckets["bucket_id"].to_pylist(), buckets["bucket"].to_pylist(), strict=True))[first["bucket_id"]]
        raise InputRejected(
            f"{source.name}: {first['stayed_count']} of those who stay in bucket {name} of {before_name} have {first['value']!r}, which was published there "
            f"{first['stood_count']} times: somebody's value has changed ({len(changed)} such figures in all). Correct the file, or use --method anatomy. "
            "Nothing was written."
        )


def _refuse_ineligible(records: _Records, diversity: int, source: Source) -> None:
    size = np.bincount(records.value)
    most, total = int(size.argmax()), int(size.sum())
    if size[most] * diversity > total:
        name = intake.printable(records.values["value"][most].as_py())[:60]
        raise InputRejected(
            f"{source.name}: {size[most]:,} of {total:,} records have the value {name!r}, more than one in {diversity}: no buckets can have {diversity} "
            f"different values each. Choose a smaller --l, or combine values. Nothing was written."
        )


# -- writing


def _names(bucket: Ints, before: _Before | None) -> pa.Array:
    """The name of each bucket: kept ones keep theirs, new ones are numbered."""
    old = before.names if before else []
    first = before.next_number if before else 1
    return pa.array([*old, *map(str, range(first, first + max(0, int(bucket.max()) + 1 - len(old))))], pa.string())


def _release_table(dataset: Dataset, records: _Records, bucket: Ints, names: pa.Array, rng: np.random.Generator) -> pa.Table:
    """The release as it is written: id, quasi-identifiers, sensitive columns, bucket."""
    shown = np.flatnonzero(bucket != _NOBODY)
    order, value = deal_values(bucket[shown], records.value[shown], rng)
    told = records.table.take(pa.array(shown[order]))
    columns = dict(zip(dataset.quasi_identifiers, told.columns[1:], strict=True))
    if dataset.id and dataset.unit == "person":
        columns = {dataset.id: told["person"], **columns}
    for position, name in enumerate(dataset.sensitive):
        part = records.values["value"] if len(dataset.sensitive) == 1 else pc.list_element(records.values["parts"], position)
        columns[name] = part.take(pa.array(value))
    taken = {name.casefold() for name in columns}
    bucket_column = "bucket"
    while bucket_column in taken:
        bucket_column += "_"
    return pa.table({**columns, bucket_column: names.take(pa.array(bucket[shown][order]))})


def _write(store: Store, spec: PublishSpec, dataset: Dataset, table: pa.Table) -> Registered | None:
    """Write the file beside its place, register it from there, and give it its name when all went well."""
    try:
        folder = Path(tempfile.mkdtemp(prefix=f".{spec.out.name}.", dir=spec.out.parent))
        try:
            unfinished = folder / spec.out.name
            pyarrow.csv.write_csv(table, unfinished)
            registered = None
            if spec.register is not None:
                truth = spec.file if dataset.values_may_change else None  # it decides whose value has changed
                bucket = table.column_names[-1]
                candidate = ReleaseSpec(spec.dataset, spec.register, "bucketized", unfinished, bucket=bucket, is_candidate=True, microdata=truth)
                registered = add_release(store, candidate)
            os.replace(unfinished, spec.out)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    except OSError as error:
        raise UsageError(f"{intake.printable(str(spec.out))} cannot be written: {(error.strerror or str(error)).lower()}.") from error
    return registered


def _figures(spec: PublishSpec, records: _Records, before: _Before | None, bucket: Ints) -> dict[str, Any]:
    """What was done, in numbers."""
    shown = bucket != _NOBODY
    size = np.bincount(bucket[shown])
    different = _different_values(bucket[shown], records.value[shown])
    old_count = len(before.names) if before else 0
    stayed = int(np.count_nonzero(records.stands_in != _NOBODY))
    filled = int(np.count_nonzero(shown & (records.stands_in == _NOBODY) & (bucket < old_count)))
    return {
        "out": str(spec.out),
        "method": spec.method,
        "l": spec.diversity,
        "after": before.release if before else None,
        "record_count": int(np.count_nonzero(shown)),
        "bucket_count": int(np.count_nonzero(size)),
        "least_values": int(different.min()) if len(different) else 0,
        "short_bucket_count": int(np.count_nonzero(different < spec.diversity)),
        "stayed_count": stayed,
        "filled_count": filled,
        "empty_count": (len(before.slot_value) if before else 0) - filled,
        "held_back_count": int(np.count_nonzero(~shown)),
    }


def _different_values(bucket: Ints, value: Ints) -> Ints:
    """How many different values each bucket has that anybody stands in."""
    width = int(value.max(initial=0)) + 1
    return np.unique(np.unique(bucket * width + value) // width, return_counts=True)[1]


def _remarks(spec: PublishSpec, records: _Records, row: dict[str, Any], bucket: Ints) -> list[str]:
    """What a publisher must know before the file goes out."""
    remarks = []
    if row["empty_count"]:
        remarks.append(
            f"{row['empty_count']:,} of the places of those who left stay empty, because no new record has their value: what is missing there tells something."
        )
    if row["short_bucket_count"]:
        why = "because places stay empty" if row["empty_count"] else "as in the release before"
        remarks.append(
            f"{row['short_bucket_count']:,} of the {row['bucket_count']:,} buckets have fewer than {spec.diversity} different values "
            f"(the least has {row['least_values']}), {why}. Audit the release before you publish it."
        )
    if row["held_back_count"]:
        held = np.bincount(records.value[bucket == _NOBODY])
        names = [f"{held[k]} x {intake.printable(records.values['value'][int(k)].as_py())}" for k in np.argsort(-held, kind="stable")[:_NAMED] if held[k]]
        listed = ", ".join(names) + (" and others" if np.count_nonzero(held) > _NAMED else "")
        remarks.append(
            f"{row['held_back_count']:,} new {'record was' if row['held_back_count'] == 1 else 'records were'} left out of the file ({listed}): "
            "no place to fill, and too few different values for buckets of "
            "their own. Publish them later, or choose a smaller --l."
        )
    if spec.seed is not None:
        remarks.append("whoever knows the seed can work out more than the file says: keep it to yourself.")
    return remarks
