"""What users declare: a dataset, a release, an audit. Each says at once what is wrong with it."""

from __future__ import annotations

import csv
import datetime
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from dbaudit.errors import UsageError

Form = Literal["bucketized", "anatomy", "generalized"]
Unit = Literal["person", "record"]
Link = Literal["qi"]

_LONGEST_NAME = 100
_MOST_DIGITS = 9


def names(text: str | Iterable[str]) -> tuple[str, ...]:
    """Split a list of names at commas; a name that contains one is put in double quotes. Several lists are joined."""
    parts = [text] if isinstance(text, str) else list(text)
    try:
        split = [name.strip() for part in parts for row in csv.reader([part], skipinitialspace=True, strict=True) for name in row]
    except csv.Error:
        raise UsageError(f"not a list of names: {', '.join(parts)[:200]!r}. Separate them by commas; put a name that contains one in double quotes.") from None
    return tuple(name for name in split if name)


def numbers(option: str, text: str, *, count: int | None = None) -> tuple[int, ...]:
    """Whole numbers from 0 on, divided by commas; `count` of them if that is said."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) <= _MOST_DIGITS for part in parts) or (count is not None and len(parts) != count):
        example = ",".join(["50"] * count) if count else "0,10,100"
        raise UsageError(f"{option} takes whole numbers divided by commas, such as {example}, not {text[:100]!r}.")
    return tuple(int(part) for part in parts)


def pairs(text: str | Iterable[str]) -> dict[str, str]:
    """Split a list such as gender=male,degree=college; a pair that contains a comma is put in double quotes. Nothing behind = is a missing value."""
    found: dict[str, str] = {}
    for part in names(text):
        column, sign, value = (piece.strip() for piece in part.partition("="))
        if not sign or not column:
            raise UsageError(
                f'{part!r} does not say what a column is. Write COLUMN=VALUE, separated by commas; put a pair with a comma in double quotes: "a=x, y".'
            )
        if column.casefold() in (known.casefold() for known in found):
            raise UsageError(f"{column} was given twice: a person has one value of each quasi-identifier.")
        found[column] = value
    return found


def checked_name(what: str, name: str) -> str:
    """A name that can be typed, printed and listed; raises UsageError otherwise."""
    if not name or name != name.strip():
        raise UsageError(f"a {what} needs a name without blanks at its ends, not {name!r}.")
    if len(name) > _LONGEST_NAME:
        raise UsageError(f"the name of a {what} has at most {_LONGEST_NAME} characters; this one has {len(name)}: {name[:30]}...")
    bad = [character for character in name if character in ',#"' or unicodedata.category(character).startswith("C")]
    if bad:
        raise UsageError(f"the name of a {what} cannot contain {bad[0]!r}: {name!r}.")
    return name


def _checked_null_value(name: str | None) -> None:
    if name is not None and not name.strip():
        raise UsageError("--null-value needs a name, such as unknown: an empty one could not be told from a missing value.")


def _checked_choice(what: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise UsageError(f"{what} is one of {', '.join(choices)}, not {value!r}.")


@dataclass(frozen=True)
class DatasetSpec:
    """A table of persons about which releases are published."""

    name: str
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    id: str | None = None
    population: Path | None = None
    microdata: Path | None = None
    domain: tuple[str, ...] = ()
    unit: Unit = "person"
    null_value: str | None = None
    link: Link | None = None
    values_may_change: bool = False

    def __post_init__(self) -> None:
        """Refuse roles that cannot be."""
        checked_name("dataset", self.name)
        _checked_choice("--unit", self.unit, get_args(Unit))
        _checked_null_value(self.null_value)
        if not self.quasi_identifiers:
            raise UsageError("a dataset needs at least one quasi-identifier: --qi gender,zip")
        if not self.sensitive:
            raise UsageError("a dataset needs at least one sensitive column: --sensitive disease")
        columns = [*self.quasi_identifiers, *self.sensitive, *([self.id] if self.id else [])]
        folded = [column.casefold() for column in columns]
        twice = sorted({column for column in columns if folded.count(column.casefold()) > 1})
        if twice:
            raise UsageError(f"a column has one role, but {', '.join(twice)} was given more than once (capitals do not make a difference).")
        if self.population and self.microdata:
            raise UsageError("give --population or --microdata, not both: the persons of the microdata are the population.")
        if self.unit == "record" and (self.population or self.microdata) and self.id:
            raise UsageError("with --unit record nobody is followed by id, so that a population with ids says nothing: leave out --id, or the population.")
        if self.link is not None:
            _checked_choice("--link", self.link, get_args(Link))
            if self.id or self.unit == "record":
                raise UsageError("--link qi follows persons who have no id: leave out --id and --unit record, or leave out --link.")
        if self.values_may_change and (not self.id or self.unit == "record"):
            raise UsageError("--values-may-change needs persons who are followed by id: declare the dataset with --id, without --unit record.")
        if len(set(self.domain)) < len(self.domain):
            raise UsageError("--domain lists a value twice.")

    @property
    def persons(self) -> Path | None:
        """The file that says who is in the data."""
        return self.microdata or self.population


@dataclass(frozen=True)
class ReleaseSpec:
    """A publication of a dataset, or a candidate for one."""

    dataset: str
    name: str
    form: Form
    file: Path | None = None
    records: Path | None = None
    values: Path | None = None
    bucket: str | None = None
    count: str | None = None
    is_candidate: bool = False
    published_on: datetime.date | None = None
    unit: Unit | None = None
    null_value: str | None = None
    value_map: Path | None = None
    microdata: Path | None = None

    def __post_init__(self) -> None:
        """Refuse files that do not fit the form."""
        checked_name("release", self.name)
        if self.name.casefold() == "population":
            raise UsageError("a release cannot be called population: persons of the population without ids are named population#1, population#2, and so on.")
        _checked_choice("--form", self.form, get_args(Form))
        _checked_null_value(self.null_value)
        if self.unit is not None:
            _checked_choice("--unit", self.unit, get_args(Unit))
        if self.form == "anatomy":
            if self.file or not (self.records and self.values):
                raise UsageError("an anatomy release is two files: --records FILE (quasi-identifiers and bucket) and --values FILE (bucket and value).")
        elif self.records or self.values or not self.file:
            raise UsageError(f"a {self.form} release is one file: dbaudit release add {self.dataset} FILE --form {self.form}")
        if self.form != "generalized" and not self.bucket:
            raise UsageError(f"a {self.form} release needs the name of its bucket column: --bucket NAME")


@dataclass(frozen=True)
class MiningSpec:
    """Which rules to mine as knowledge: how many of each kind, and about how many quasi-identifiers."""

    positive: int
    negative: int
    min_support: int = 3
    attributes: int | None = None
    max_attributes: int | None = None
    over: str | None = None

    def __post_init__(self) -> None:
        """Refuse bounds that cannot be meant."""
        for option, number, least in (
            ("--positive", self.positive, 0),
            ("--negative", self.negative, 0),
            ("--min-support", self.min_support, 1),
            ("--attributes", self.attributes, 1),
            ("--max-attributes", self.max_attributes, 1),
        ):
            if number is not None and not least <= number < 10**_MOST_DIGITS:
                raise UsageError(f"{option} takes a whole number from {least} on, of at most {_MOST_DIGITS} digits, not {number}.")
        if self.attributes is not None and self.max_attributes is not None:
            raise UsageError("give --attributes (exactly so many quasi-identifiers) or --max-attributes (at most so many), not both.")


@dataclass(frozen=True)
class AuditSpec:
    """What an audit looks at, and how much it works out; `mined` is how many of the adversary's strongest positive and negative rules count, None all."""

    dataset: str
    releases: tuple[str, ...] = ()
    candidate: str | None = None
    adversary: str = "default"
    bounds: bool = False
    bounds_for: tuple[str, ...] = ()
    bounds_worst: int = 0
    full_model: bool = False
    max_probability: float | None = None
    mined: tuple[int, int] | None = None
    accuracy: bool = False

    def __post_init__(self) -> None:
        """Refuse questions that exclude each other."""
        if self.mined is not None and min(self.mined) < 0:
            raise UsageError(f"a number of rules is not negative, as in {self.mined[0]},{self.mined[1]}.")
        if sum((self.bounds, bool(self.bounds_for), self.bounds_worst > 0)) > 1:
            raise UsageError("give one of --bounds (everybody), --bounds-for PERSON and --bounds-worst N.")
        if self.bounds_worst < 0:
            raise UsageError(f"--bounds-worst takes a number of persons, not {self.bounds_worst}.")
        if self.max_probability is not None and not 0.0 <= self.max_probability <= 1.0:
            raise UsageError(f"--max-probability is a number between 0 and 1, not {self.max_probability}.")
        if self.releases and self.candidate:
            raise UsageError("give --releases or --candidate, not both: a list of releases may name candidates too.")
        if len(set(self.releases)) < len(self.releases):
            raise UsageError("--releases names a release twice.")
