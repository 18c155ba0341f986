"""The stores on which SQL is tested: each is built once, from a folder under fixtures/, and copied by whoever wants to change it."""

from __future__ import annotations

import dataclasses
import datetime
import os
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from dbaudit import (
    AuditSpec,
    DatasetSpec,
    MiningSpec,
    ReleaseSpec,
    Store,
    add_adversary,
    add_dataset,
    add_hierarchy,
    add_person,
    add_release,
    add_statement,
    mine_rules,
    remove_release,
    run_audit,
    run_sweep,
)

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
BUILDERS: dict[str, Callable[[Store], None]] = {}
# All stores would share the one file of the truth that it names.
os.environ.pop("DBAUDIT_ORIGINAL", None)


def builder(build: Callable[[Store], None]) -> Callable[[Store], None]:
    BUILDERS[build.__name__] = build
    return build


@cache
def _workshop() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="dbaudit-stores-")


@cache
def _blank() -> Store:
    return Store.create(Path(_workshop().name) / "blank.duckdb")


@cache
def store(name: str) -> Store:
    """A store that nobody may change."""
    made = _copy(_blank(), Path(_workshop().name) / f"{name}.duckdb")
    BUILDERS[name](made)
    return made


def copy(name: str, folder: Path) -> Store:
    """A store to do with as one likes."""
    return _copy(store(name), folder / "copy.duckdb")


def _copy(old: Store, path: Path) -> Store:
    new = Store(path)
    shutil.copy(old.files.audit, new.files.audit)
    shutil.copy(old.files.original, new.files.original)
    return new


def _hospital(made: Store, *releases: str) -> None:
    folder = FIXTURES / "hospital"
    add_dataset(made, DatasetSpec("patients", ("gender", "zip"), ("disease",), id="pseudonym", microdata=folder / "d1.csv"))
    for day, release in enumerate(releases, 1):
        spec = ReleaseSpec("patients", release, "bucketized", folder / f"{release}.csv", bucket="bucket", published_on=datetime.date(2026, 1, day))
        add_release(made, spec)


def _ten_patients(made: Store) -> None:
    add_dataset(made, DatasetSpec("people", ("gender", "degree"), ("disease",)))
    add_release(made, ReleaseSpec("people", "d", "bucketized", FIXTURES / "privacy_maxent" / "d.csv", bucket="bucket"))


@builder
def empty(made: Store) -> None:
    """Nothing."""


@builder
def hospital(made: Store) -> None:
    """Re-publishing, Figure 1(b). Audit 1: with bounds."""
    _hospital(made, "r1")
    run_audit(made, AuditSpec("patients", bounds=True))


@builder
def republication(made: Store) -> None:
    """Re-publishing, Figure 1(b) and (d). Audit 1: both releases, with bounds. Audit 2: the first alone."""
    _hospital(made, "r1", "r2")
    run_audit(made, AuditSpec("patients", bounds=True))
    run_audit(made, AuditSpec("patients", releases=("r1",)))


@builder
def privacy_maxent(made: Store) -> None:
    """Privacy-MaxEnt, Figure 1. Audit 1: as usual. Audit 2: the full model, bounds of two records."""
    _ten_patients(made)
    run_audit(made, AuditSpec("people"))
    run_audit(made, AuditSpec("people", full_model=True, bounds_for=("d#1", "d#7")))


@builder
def generalized(made: Store) -> None:
    """A population with ids and a generalized release; eve stands in none. Audit 1: with bounds of eve."""
    folder = FIXTURES / "generalized"
    domain = ("Cancer", "Flu", "Hepatitis")
    add_dataset(made, DatasetSpec("village", ("age", "zip"), ("disease",), id="name", population=folder / "population.csv", domain=domain))
    add_release(made, ReleaseSpec("village", "r1", "generalized", folder / "r1.csv", published_on=datetime.date(2026, 1, 1)))
    run_audit(made, AuditSpec("village", bounds_for=("eve",)))


@builder
def mixed(made: Store) -> None:
    """Exact and generalized releases by turns. Audit 1: all four. Audit 2: the generalized ones."""
    add_dataset(made, DatasetSpec("club", ("age",), ("disease",), id="name"))
    for day, (release, form) in enumerate([("g1", "generalized"), ("e1", "bucketized"), ("e2", "bucketized"), ("g2", "generalized")], 1):
        bucket = "bucket" if form == "bucketized" else None
        file = FIXTURES / "mixed" / f"{release}.csv"
        add_release(made, ReleaseSpec("club", release, form, file, bucket=bucket, published_on=datetime.date(2026, 1, day)))  # type: ignore[arg-type]
    run_audit(made, AuditSpec("club"))
    run_audit(made, AuditSpec("club", releases=("g1", "g2")))


@builder
def no_id(made: Store) -> None:
    """A population without ids: one man and one woman stand in no release. Audit 1."""
    folder = FIXTURES / "no_id"
    add_dataset(made, DatasetSpec("town", ("gender",), ("disease",), population=folder / "population.csv"))
    add_release(made, ReleaseSpec("town", "r1", "bucketized", folder / "r1.csv", bucket="bucket"))
    run_audit(made, AuditSpec("town"))


@builder
def two_datasets(made: Store) -> None:
    """The hospital and the ten patients in one store. Audit 1 is of the first, audit 2 of the second."""
    _hospital(made, "r1")
    _ten_patients(made)
    run_audit(made, AuditSpec("patients"))
    run_audit(made, AuditSpec("people"))


@builder
def two_columns(made: Store) -> None:
    """Disease and income are both sensitive. Audit 1."""
    add_dataset(made, DatasetSpec("clients", ("gender",), ("disease", "income")))
    add_release(made, ReleaseSpec("clients", "r1", "bucketized", FIXTURES / "two_columns" / "r1.csv", bucket="bucket"))
    run_audit(made, AuditSpec("clients"))


@builder
def counted(made: Store) -> None:
    """Rows that stand for several records. Audit 1."""
    add_dataset(made, DatasetSpec("census", ("gender",), ("disease",), unit="record"))
    add_release(made, ReleaseSpec("census", "t", "bucketized", FIXTURES / "counted" / "t.csv", bucket="bucket", count="count"))
    run_audit(made, AuditSpec("census"))


@builder
def anatomy(made: Store) -> None:
    """Records and values in files of their own. Audit 1: with bounds; the release was removed afterwards and given again."""
    folder = FIXTURES / "anatomy"
    add_dataset(made, DatasetSpec("clinic", ("gender", "age"), ("disease",)))
    spec = ReleaseSpec(
        "clinic", "a", "anatomy", records=folder / "records.csv", values=folder / "values.csv", bucket="bucket", published_on=datetime.date(2026, 1, 1)
    )
    add_release(made, spec)
    run_audit(made, AuditSpec("clinic", bounds=True))
    remove_release(made, "clinic", "a")
    add_release(made, spec)


@builder
def contradiction(made: Store) -> None:
    """Two releases that cannot both be right. Audit 1: both, infeasible. Audit 2: the first alone."""
    add_dataset(made, DatasetSpec("pair", ("zip",), ("disease",), id="name"))
    for release in ("r1", "r2"):
        add_release(made, ReleaseSpec("pair", release, "bucketized", FIXTURES / "contradiction" / f"{release}.csv", bucket="bucket"))
    run_audit(made, AuditSpec("pair"))
    run_audit(made, AuditSpec("pair", releases=("r1",)))


@builder
def coarse(made: Store) -> None:
    """Cancer in the first release, kinds of cancer in the second, both in one bucket of it. Audit 1: both, with bounds and a limit. Audit 2: the first."""
    folder = FIXTURES / "coarse"
    add_dataset(made, DatasetSpec("ward", ("zip",), ("disease",), id="id"))
    add_hierarchy(made, "ward", "disease", folder / "diseases.csv")
    add_release(made, ReleaseSpec("ward", "r1", "bucketized", folder / "r1.csv", bucket="bucket", published_on=datetime.date(2026, 1, 1)))
    second = ReleaseSpec("ward", "r2", "bucketized", folder / "r2.csv", bucket="bucket", published_on=datetime.date(2026, 1, 2))
    add_release(made, dataclasses.replace(second, value_map=folder / "spelling.csv"))
    run_audit(made, AuditSpec("ward", bounds=True, max_probability=0.6))
    run_audit(made, AuditSpec("ward", releases=("r1",)))


@builder
def linked(made: Store) -> None:
    """No ids; quasi-identifiers that are unique link three persons. Audit 1: both releases. Audit 2: the second alone."""
    folder = FIXTURES / "linked"
    add_dataset(made, DatasetSpec("clinic", ("zip", "age"), ("disease",), link="qi"))
    for day, release in enumerate(("r1", "r2"), 1):
        spec = ReleaseSpec("clinic", release, "bucketized", folder / f"{release}.csv", bucket="bucket", published_on=datetime.date(2026, 1, day))
        add_release(made, spec)
    run_audit(made, AuditSpec("clinic"))
    run_audit(made, AuditSpec("clinic", releases=("r2",)))


@builder
def changed(made: Store) -> None:
    """Patient 2 has HIV, then a cold, then HIV again. Audit 1: all three releases."""
    folder = FIXTURES / "changed"
    add_dataset(made, DatasetSpec("ward", ("zip",), ("disease",), id="id", values_may_change=True))
    for day in (1, 2, 3):
        spec = ReleaseSpec("ward", f"r{day}", "bucketized", folder / f"r{day}.csv", bucket="bucket", published_on=datetime.date(2026, 1, day))
        add_release(made, dataclasses.replace(spec, microdata=folder / f"d{day}.csv"))
    run_audit(made, AuditSpec("ward"))


@builder
def knowing(made: Store) -> None:
    """Privacy-MaxEnt, Figure 1, with knowledge. Audit 1: section 4.1. Audit 2, with bounds: what forces bucket 1. Audit 3: of persons. Audit 4: nothing."""
    _ten_patients(made)
    add_statement(made, "people", "P(disease = 'Flu' | gender = 'male') = 0.3")
    add_adversary(made, "reader", "has read section 3.2")
    add_statement(made, "people", "P(disease = 'Breast Cancer' | gender = 'female' and degree = 'college') = 0", "reader")
    add_statement(made, "people", "P(disease in ('Breast Cancer', 'Flu') | gender = 'male' and degree = 'high school') = 0", "reader")
    add_adversary(made, "friend")
    add_statement(made, "people", "count(disease = 'HIV' | person in ('d#5', 'd#8')) >= 1", "friend")
    add_statement(made, "people", "P(disease = 'Flu' | person = 'd#1') >= P(disease = 'Flu')", "friend")
    run_audit(made, AuditSpec("people"))
    run_audit(made, AuditSpec("people", adversary="reader", bounds=True))
    run_audit(made, AuditSpec("people", adversary="friend"))
    run_audit(made, AuditSpec("people", adversary="none"))


@builder
def mined(made: Store) -> None:
    """Privacy-MaxEnt, Figure 1, with the truth. Audit 1: five rules of each kind, two records for each. Audits 2 to 4: sweep 1, with 0, 2 and 4 rules."""
    data = FIXTURES / "privacy_maxent" / "d.csv"
    add_dataset(made, DatasetSpec("people", ("gender", "degree"), ("disease",), microdata=data))
    add_release(made, ReleaseSpec("people", "d", "bucketized", data, bucket="bucket"))
    mine_rules(made, "people", MiningSpec(5, 5, min_support=2))
    run_audit(made, AuditSpec("people"))
    run_sweep(made, AuditSpec("people"), (0, 2, 4))


@builder
def named(made: Store) -> None:
    """Two of three named persons have HIV (Privacy-MaxEnt, section 6). Audit 1: with bounds. Audit 2: nothing known. Audits 3, 4: so of l-diversity 1.1."""
    _ten_patients(made)
    for name, degree, gender in (("Alice", "college", "male"), ("Bob", "college", "female"), ("Charlie", "graduate", "female")):
        add_person(made, "people", name, {"gender": gender, "degree": degree})
    add_statement(made, "people", "count(disease = 'HIV' | person in ('Alice', 'Bob', 'Charlie')) = 2")
    run_audit(made, AuditSpec("people", bounds=True))
    run_audit(made, AuditSpec("people", adversary="none"))
    add_dataset(made, DatasetSpec("inpatients", ("zip", "age", "nationality"), ("condition",)))
    add_release(made, ReleaseSpec("inpatients", "r1", "generalized", FIXTURES / "l_diversity" / "r1.csv"))
    add_person(made, "inpatients", "Bob", {"zip": "13053", "age": 31, "nationality": "American"})
    add_person(made, "inpatients", "Umeko", {"zip": "13068", "age": 21, "nationality": "Japanese"})
    add_statement(made, "inpatients", "P(condition = 'Heart Disease' | person = 'Umeko') = 0")
    run_audit(made, AuditSpec("inpatients", bounds=True))
    run_audit(made, AuditSpec("inpatients", adversary="none"))
