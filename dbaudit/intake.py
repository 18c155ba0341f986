"""Read what users hand over: a CSV, Parquet or JSON file becomes the temporary table `incoming`, typed and named by role.

Nothing is stored here. What a file must not contain is said by the files under sql/refuse, each of which selects the
places where something is wrong.
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from dbaudit.engine import Engine, EngineError
from dbaudit.errors import InputRejected, UsageError
from dbaudit.language import incoming
from dbaudit.language.incoming import Roles
from dbaudit.store import Session
from dbaudit.store.catalogue import statement_file

Kind = Literal["csv", "parquet", "json"]

LONGEST_TEXT = 10_000
_DELIMITERS = ",;\t|"
_BLOCK_BYTES = 1_000_000
_SHOWN = 5
_BOM = b"\xef\xbb\xbf"
# How files begin that hold others: gzip, zip (and spreadsheets), zstd, bzip2, xz.
_PACKED = (b"\x1f\x8b", b"PK\x03\x04", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ")


@dataclass(frozen=True)
class Source:
    """A file that was found, is not empty, and has a digest; with what was noticed while that was computed."""

    path: Path
    kind: Kind
    digest: str
    stamp: tuple[int, ...]
    is_array: bool = False
    has_blank_line: bool = False
    delimiter: str = ","

    @property
    def name(self) -> str:
        """The file's name without its folder: folders say more about the user than about the data."""
        return printable(self.path.name)

    @property
    def place(self) -> str:
        """The path, fit for a message."""
        return printable(str(self.path))


@dataclass
class _Look:
    """What is noticed of a file in one pass over its bytes."""

    start: bytes = b""
    tail: bytes = b""
    last: bytes = b""
    has_zero_byte: bool = False
    has_blank_line: bool = False

    def at(self, block: bytes) -> None:
        """Look at the next block; the tail of the one before shows a blank line that lies across the border."""
        joined = self.tail + block
        self.start = self.start or block
        self.tail = joined[-2:]
        self.last = block.rstrip()[-1:] or self.last
        self.has_zero_byte = self.has_zero_byte or b"\0" in block
        self.has_blank_line = self.has_blank_line or b"\n\n" in joined or b"\n\r\n" in joined or b"\r\r" in joined


def find(path: Path) -> Source:
    """Look at a file before DuckDB does: is it there, is it a file, what kind is it."""
    digest, look = hashlib.sha256(), _Look()
    try:
        _must_be_ordinary(path)
        with path.open("rb") as file:
            stamp = _stamp(os.fstat(file.fileno()))
            while block := file.read(_BLOCK_BYTES):
                digest.update(block)
                look.at(block)
    except FileNotFoundError:
        missing = "is a link to a file that is not there" if path.is_symlink() else "is not there"
        raise UsageError(f"the file {printable(str(path))} {missing}. Check its name and folder; nothing was stored.") from None
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    if not look.start:
        raise InputRejected(f"{printable(str(path))} is empty: 0 bytes. Write it again. Nothing was stored.")
    if look.start.startswith(_PACKED):
        raise InputRejected(f"{printable(str(path))} is a compressed file or a spreadsheet. Unpack it, or save it as CSV. Nothing was stored.")
    source = Source(path, _kind(path, look.start), digest.hexdigest(), stamp, look.start.removeprefix(_BOM).lstrip()[:1] == b"[", look.has_blank_line)
    _must_be_whole(source, look)
    return source


def _must_be_ordinary(path: Path) -> None:
    """Refuse what cannot be read twice (a pipe would hang), and names that DuckDB cannot be told."""
    if path.is_dir():
        raise InputRejected(f"{printable(str(path))} is a folder, not a file. Name a file in it. Nothing was stored.")
    if path.exists() and not path.is_file():
        raise InputRejected(f"{printable(str(path))} is a pipe or a device, not a file. Save the data to a file first. Nothing was stored.")
    if not str(path.absolute()).isprintable() and any("\ud800" <= character <= "\udfff" for character in str(path.absolute())):
        raise InputRejected(f"{printable(str(path))} has a name that is not UTF-8. Rename it. Nothing was stored.")


def _must_be_whole(source: Source, look: _Look) -> None:
    """Refuse text that holds binary data, and an array of JSON that is cut off: DuckDB takes both without a word."""
    if source.kind == "parquet":
        return
    if look.has_zero_byte and not look.start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputRejected(f"{source.place} is not a text file: it holds binary data. Give a CSV, Parquet or JSON file in UTF-8. Nothing was stored.")
    if source.kind == "json" and source.is_array and look.last != b"]":
        raise InputRejected(f"{source.place} is cut off: its array of records is not closed with ]. Write it again. Nothing was stored.")


def _stamp(status: os.stat_result) -> tuple[int, ...]:
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def _must_be_unchanged(source: Source) -> None:
    """The digest that is stored must be that of the data that is stored."""
    try:
        changed = _stamp(source.path.stat()) != source.stamp
    except OSError as error:
        raise _unreadable(source.path, error) from error
    if changed:
        raise InputRejected(f"{source.place} changed while it was read. Try again when it is complete. Nothing was stored.")


def _unreadable(path: Path, error: Exception) -> InputRejected:
    reason = "it is gone" if isinstance(error, FileNotFoundError) else (getattr(error, "strerror", None) or str(error)).lower()
    return InputRejected(f"{printable(str(path))} cannot be read: {reason}. Nothing was stored.")


def _kind(path: Path, start: bytes) -> Kind:
    """By the file's ending, else by how it begins."""
    by_ending: dict[str, Kind] = {".csv": "csv", ".tsv": "csv", ".txt": "csv", ".parquet": "parquet", ".json": "json", ".jsonl": "json", ".ndjson": "json"}
    ending = path.suffix.lower()
    if ending in by_ending:
        return by_ending[ending]
    if start.startswith(b"PAR1"):
        return "parquet"
    return "json" if start.lstrip()[:1] in (b"[", b"{") else "csv"


def columns(engine: Engine, source: Source, *wanted: str | None) -> dict[str, str]:
    """The file's columns with their DuckDB types; `wanted` are some that it should have, which tell how a CSV file is delimited."""
    if source.kind == "csv":
        return dict.fromkeys(_header(_with_delimiter(source, tuple(name for name in wanted if name))), "VARCHAR")
    if source.kind == "json":
        return dict.fromkeys(_names_in_json(engine, source), "JSON")
    there = {name: kind for name, kind, *_ in _ask(engine, source, incoming.columns_of(_relation(source)))}
    _refuse_twice(source, _names_in_parquet(engine, source))
    return there


def stage(session: Session, source: Source, roles: Roles, *, into: str = "incoming") -> None:
    """Read a file into a temporary table by role: row, person, bucket, value, parts, qi and what checks need."""
    engine = session.engine
    engine.run("one time zone", "set timezone = 'UTC'")  # a time with a zone is the same text wherever this runs
    source = _with_delimiter(source, roles.names)
    there = columns(engine, source, *roles.names)
    _need(source, roles.names, list(there))
    relation, types = _relation(source, roles.names), {name: there[name] for name in roles.names}
    if source.kind != "parquet":
        types = _stage_text(engine, source, roles, relation)
        relation = incoming.typed(types, "raw")
    _refuse_types(source, types)
    _ask(engine, source, f"create or replace temp table {into} as {incoming.staged(relation, roles, types)}")
    engine.run("forget the text", "drop table if exists raw")
    _must_be_unchanged(source)


def expand(session: Session) -> None:
    """Turn each row of `incoming` that is counted into as many records; its counts were checked before."""
    session.engine.run("records that are counted", f"create or replace temp table incoming as {incoming.one_row_per_record('incoming')}")


def _stage_text(engine: Engine, source: Source, roles: Roles, relation: str) -> dict[str, str]:
    """Read the columns of a CSV or JSON file as text into the temporary table `raw`; returns what each can be read as."""
    if source.kind == "csv":
        _refuse_blank_lines(source)
        _ask(engine, source, f"create or replace temp table raw as {incoming.only(roles.names, relation)}")
        return _types_of_text(engine, roles)
    _ask(engine, source, f"create or replace temp table raw as {incoming.text_of_json(roles.names, relation)}")
    (answer,) = engine.rows("kinds of the columns", incoming.kinds_of_json(roles.names, "raw"))
    kinds = {name: set(found) for name, found in zip(dict.fromkeys(roles.names), answer, strict=True)}
    _refuse_types(source, {name: "lists or objects" for name, found in kinds.items() if "nested" in found})
    types = _types_of_text(engine, roles, frozenset(name for name, found in kinds.items() if "quoted" in found))
    return {name: "BOOLEAN" if kinds[name] == {"flag"} else kind for name, kind in types.items()}


def stage_map(session: Session, source: Source, dataset_id: int) -> None:
    """Read what values mean that a release spells in its own way; leaves `value_map`. The columns may have any name: as published, means."""
    if source.kind == "csv":
        names = max((tuple(_header(replace(source, delimiter=delimiter))) for delimiter in _DELIMITERS), key=len)
    else:
        names = tuple(columns(session.engine, source))
    if len(names) not in (2, 3):
        raise InputRejected(
            f"{source.place} has {len(names)} {'column' if len(names) == 1 else 'columns'} where a map of values has two: as published, means. "
            "A third one before them may name the sensitive column. Nothing was stored."
        )
    stage(session, source, Roles(sensitive=names), into="incoming_map")
    session.run("write/value_map")
    refuse(session, ("map_missing", "map_twice", "map_column_unknown"), source.name, dataset_id=dataset_id)


def map_values(session: Session, dataset_id: int, table: str) -> dict[str, str]:
    """Replace the values of a staged table by what `value_map` says they mean; returns those that were replaced."""
    engine = session.engine
    engine.run("values as published", f"create or replace temp table unmapped as select distinct value, parts from {table} where value is not null")
    session.run("write/value_mapping", dataset_id=dataset_id)
    renamed = f"update {table} set value = m.mapped_value, parts = m.mapped_parts from value_mapping as m where {table}.value = m.value"
    engine.run("values as meant", renamed)
    return dict(engine.rows("values that were renamed", "select value, mapped_value from value_mapping order by value"))


def stage_tuples(session: Session, roles: Roles) -> None:
    """The distinct quasi-identifiers of `incoming` as the temporary table `incoming_qi`."""
    session.engine.run("distinct quasi-identifiers", f"create or replace temp table incoming_qi as {incoming.distinct_tuples(roles)}")


def store_tuples(session: Session, roles: Roles, dataset_id: int) -> None:
    """Store the quasi-identifiers that are new; leaves the temporary view `incoming_with_qi`, in which each record has its key."""
    session.run("write/qi", dataset_id=dataset_id)
    session.run("write/qi_key", dataset_id=dataset_id)
    session.engine.run("keys of the quasi-identifiers", f"create or replace temp view incoming_with_qi as {incoming.with_tuple_key(roles)}")


def refuse(session: Session, checks: Iterable[str], what: str, **parameters: Any) -> None:
    """Run the checks in turn; the first that finds something ends the intake with its sentence."""
    for check in checks:
        file = statement_file(f"refuse/{check}")
        taken = {name: parameters[name] for name in file.parameters} or None
        found = session.engine.rows(f"check {check}", f"select *, count(*) over () from ({file.text}) limit {_SHOWN}", taken)
        if found:
            places = ", ".join(_short(str(place)) for place, *_ in found)
            more = f" and {found[0][-1] - len(found)} more" if found[0][-1] > len(found) else ""
            sentence = file.header["Says"].format(places=places + more, count=found[0][-1], longest=f"{LONGEST_TEXT:,}")
            raise InputRejected(f"{what}: {_in_singular(sentence)} Nothing was stored.")


def _in_singular(sentence: str) -> str:
    """A sentence about a count, as people say it of one: 1 record has."""
    verbs = {"have": "has", "hold": "holds", "can": "can"}
    return re.sub(r"^1 (\w+)s( of the values)? (have|hold|can)\b", lambda found: f"1 {found[1]}{found[2] or ''} {verbs[found[3]]}", sentence)


def refuse_values(what: str, outside: list[str]) -> None:
    """A declared domain lists all values that are possible: a file with another one cannot be right."""
    if outside:
        shown = ", ".join(_short(value) for value in outside[:_SHOWN]) + (f" and {len(outside) - _SHOWN} more" if len(outside) > _SHOWN else "")
        raise InputRejected(
            f"{what}: not in the dataset's domain: {shown}. Correct the file, or declare the dataset with a --domain that lists all values. Nothing was stored."
        )


def look_alikes(session: Session, dataset_id: int | None = None) -> list[str]:
    """Remarks on values that a reader could take for each other: they count as different, which hides what they have in common.

    With `dataset_id` the values of the file are also set against those that the dataset has already.
    """
    remarks: list[str] = []
    groups: dict[str, list[str]] = {}
    fresh = values(session)
    known = {row["value"] for row in session.rows("read/known_value", dataset_id=dataset_id)} if dataset_id is not None else set()
    for value in sorted(fresh | known):
        groups.setdefault(" ".join(unicodedata.normalize("NFKC", value).casefold().split()), []).append(value)
        scripts = {unicodedata.name(letter, "?").split()[0] for letter in value if letter.isalpha()} & {"LATIN", "CYRILLIC", "GREEK"}
        if len(scripts) > 1 and value in fresh:
            remarks.append(f"value {_short(value)!r} mixes letters of {' and '.join(sorted(script.capitalize() for script in scripts))} that look alike.")
    for alike in groups.values():
        if len(alike) > 1 and fresh & set(alike):
            told = f"values {' and '.join(repr(_short(value)) for value in alike)} differ only in capitals, blanks or encoding, and count as different"
            remarks.append(f"{told}." if fresh >= set(alike) else f"{told}: one of them was there before. Say what they mean with --map-values FILE.")
    return remarks


def values(session: Session) -> set[str]:
    """The different sensitive values of the file that was staged."""
    return {value for (value,) in session.engine.rows("values", "select value from incoming_distinct_value")}


def _header(source: Source) -> list[str]:
    """The column names of a CSV file. A column without one, as pandas writes its index, gets one that nobody asks for."""
    try:
        with source.path.open("rb") as file:
            start = file.read(_BLOCK_BYTES)
        text = start.decode("utf-8-sig") if len(start) < _BLOCK_BYTES else start.decode("utf-8-sig", errors="ignore")
    except UnicodeDecodeError as error:
        line = start[: error.start].count(b"\n") + 1
        raise InputRejected(f"{source.place} is not UTF-8 text: line {line}. Save it as UTF-8 and try again. Nothing was stored.") from error
    except OSError as error:
        raise _unreadable(source.path, error) from error
    try:
        header = next(csv.reader(io.StringIO(text, newline=""), delimiter=source.delimiter), [])
    except csv.Error as error:
        raise InputRejected(f"{source.place} has no readable header: {error}. Name the columns in its first line. Nothing was stored.") from error
    _refuse_twice(source, [name for name in header if name])
    return [name or f"column {position} without a name" for position, name in enumerate(header, 1)]


def _names_in_json(engine: Engine, source: Source) -> list[str]:
    """Every name that a record has; which ones a file has is not said in one place."""
    found: dict[str | None, int] = dict(_ask(engine, source, incoming.names_in_json(_path(source), is_array=source.is_array)))
    if None in found:
        raise InputRejected(f"{source.place}: record {found[None]} is no object. Give an array of objects, or one object per line. Nothing was stored.")
    names = [name for name in found if name is not None]
    _refuse_twice(source, names)
    return names


def _names_in_parquet(engine: Engine, source: Source) -> list[str]:
    """The names of a Parquet file's own columns: its schema is a tree, written root first."""
    names: list[str] = []
    inside = 0
    for name, children in _ask(engine, source, incoming.names_in_parquet(_path(source)))[1:]:
        if inside:
            inside += children - 1
        else:
            names.append(name)
            inside = children
    return names


def _refuse_twice(source: Source, names: list[str]) -> None:
    """Capitals make no difference to DuckDB: it would rename one of two columns, or read the wrong one."""
    folded = Counter(name.casefold() for name in names)
    twice = [name for name in names if folded[name.casefold()] > 1]
    if twice:
        raise InputRejected(
            f"{source.place} has more than one column called {_short(twice[0])!r} (capitals do not make a difference). Rename one. Nothing was stored."
        )


def _refuse_blank_lines(source: Source) -> None:
    """Refuse a blank line between records: is it one that got lost? Rows are counted, so that skipping it would rename all that follow.

    Blank lines at the end are no records; in a file of one column they might be.
    """
    if not source.has_blank_line:
        return
    blank, width = 0, 0
    with source.path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        reader = csv.reader(file, delimiter=source.delimiter)
        try:
            for row in reader:
                width = width or len(row)
                blank = blank or (0 if row else reader.line_num)
                if blank and (row or width == 1):
                    raise InputRejected(f'{source.place}: line {blank} is blank. Delete it, or write "" for a value that is empty. Nothing was stored.')
        except csv.Error:
            return  # whatever it is, DuckDB will find it too and say where


def _with_delimiter(source: Source, wanted: tuple[str, ...]) -> Source:
    """The delimiter that finds the most of the wanted columns in the header; a comma where none finds any."""
    if source.kind != "csv":
        return source
    readings = [replace(source, delimiter=delimiter) for delimiter in _DELIMITERS]
    return max(readings, key=lambda reading: len(set(wanted) & set(_header(reading))))


def _need(source: Source, wanted: tuple[str, ...], there: list[str]) -> None:
    missing = [name for name in wanted if name not in there]
    if not missing:
        return
    plain = {_skeleton(name): name for name in there}
    close = plain.get(_skeleton(missing[0]))
    names = ", ".join(_short(name) for name in there[:20]) + (f" and {len(there) - 20} more" if len(there) > 20 else "")
    hint = (
        f"its column {_short(close)!r} looks alike, but is written differently. Rename it there"
        if close
        else f"its columns are {names}. Name one of them, or write the names into its first line"
        if there
        else "it names no columns. Write their names into its first line"
    )
    raise InputRejected(f"{source.place} has no column {' and no column '.join(_short(name) for name in missing)}: {hint}. Nothing was stored.")


def _skeleton(name: str) -> str:
    """A name without what readers overlook: capitals, blanks, accents, and letters of other scripts that look Latin."""
    lookalikes = str.maketrans("авекмнорстухіѕјԁԛԝαβεικνορτυχ", "abekmhopctyxisjdqwabeiknoptux")
    decomposed = unicodedata.normalize("NFKD", name).casefold().translate(lookalikes)
    return "".join(
        character for character in decomposed if not unicodedata.combining(character) and not character.isspace() and unicodedata.category(character) != "Cf"
    )


def _path(source: Source) -> str:
    """The path as DuckDB gets it: absolute, so that it is never taken for an address such as s3://."""
    return str(source.path.absolute())


def _relation(source: Source, wanted: tuple[str, ...] = ()) -> str:
    names = _header(source) if source.kind == "csv" else list(dict.fromkeys(wanted))
    return incoming.reader(source.kind, _path(source), names, source.delimiter, is_array=source.is_array)


def _types_of_text(engine: Engine, roles: Roles, quoted: frozenset[str] = frozenset()) -> dict[str, str]:
    """What the text of each column can be read as without loss; text where nothing else fits."""
    query, pairs = incoming.types_of_text(roles, "raw", quoted)
    (answer,) = engine.rows("types of the columns", query)
    fitting = [pair for pair, fits in zip(pairs, answer[: len(pairs)], strict=True) if fits]
    return {name: next((kind for column, kind in fitting if column == name), "VARCHAR") for name in roles.names}


def _refuse_types(source: Source, types: dict[str, str]) -> None:
    for name, kind in types.items():
        if not any(pattern.match(kind) for pattern in (incoming.NUMBER, incoming.WHOLE, incoming.PLAIN)):
            raise InputRejected(
                f"{source.place}: column {_short(name)} holds {_short(kind.lower())}. Make it text, numbers or dates, one in each row. Nothing was stored."
            )


def _ask(engine: Engine, source: Source, statement: str) -> list[tuple[Any, ...]]:
    """Run a statement that reads the file, and say what is wrong with the file where it fails."""
    try:
        return engine.rows(f"read {source.name}", statement)
    except EngineError as error:
        raise InputRejected(f"{source.place} cannot be read as {source.kind.upper()}{_wrong(source.kind, str(error.__cause__))} Nothing was stored.") from error


def _wrong(kind: Kind, text: str) -> str:
    """Where and what the engine found wrong with a file, in our words."""
    line = re.search(r"\b[Ll]ine:? (\d+)(?!: )", text)
    record = re.search(r"in record/value (\d+)", text)
    where = f" near line {line[1]}" if kind == "csv" and line else f" near record {record[1]}" if record else ""
    return f"{where}: {_reason(kind, text)}"


def _reason(kind: Kind, text: str) -> str:
    """What the engine found wrong, and what to do about it; its own words say more about its settings than about the file."""
    expected = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    named_twice = re.search(r'has duplicate key "(.*)"', text)
    if expected:
        return f"a row has {expected[2]} fields where the header has {expected[1]}. Put fields that contain the delimiter in double quotes."
    if named_twice:
        return f"a record has the name {_short(named_twice[1])!r} twice. Rename one."
    for sign, reason in _REASONS.items():
        if sign in text.lower():
            return reason
    return _OTHERWISE[kind]


_REASONS = {
    "utf-8": "it is not UTF-8 text. Save it as UTF-8 and try again.",
    "unicode": "it is not UTF-8 text. Save it as UTF-8 and try again.",
    "unterminated quote": "a quotation mark is not closed, or text follows it. Write a quotation mark inside quotes twice.",
    "state machine": "its lines end in different ways, or a quotation mark is out of place. Save it again with one kind of line end.",
    "maximum line size": f"a row is longer than 2 MB. A text may have {LONGEST_TEXT:,} characters: is it the right file?",
    "maximum_object_size": f"a record is longer than 16 MB. A text may have {LONGEST_TEXT:,} characters: is it the right file?",
    "no files found": "the file is gone. Nothing else was read.",
    "no such file": "the file is gone. Nothing else was read.",
}
_OTHERWISE: dict[Kind, str] = {
    "csv": "it is damaged, or no CSV file. Write it again.",
    "parquet": "it is damaged, cut off, or no Parquet file. Write it again.",
    "json": "its syntax is wrong. Write it again as an array of objects, or as one object per line.",
}


def printable(text: str) -> str:
    """A text that may be anything, without what would break a line or steer a terminal."""
    return "".join(character if character.isprintable() else "?" for character in text)


def _short(text: str) -> str:
    """A text that may be anything, fit for one line of a message."""
    plain = printable(text)
    return plain if len(plain) <= 60 else plain[:57] + "..."
