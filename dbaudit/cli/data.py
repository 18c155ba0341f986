"""Commands about what is stored: the store itself, datasets with their hierarchies, and releases."""

from __future__ import annotations

import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

import dbaudit
from dbaudit.cli.options import DatasetName, Db, Json, ReleaseName, Wait, same_store, the_store
from dbaudit.cli.show import hint, print_json, print_rows, remark, say
from dbaudit.errors import ExitCode
from dbaudit.spec import DatasetSpec, ReleaseSpec, names

dataset_app = typer.Typer(help="Declare what is published about.", no_args_is_help=True, rich_markup_mode=None)
hierarchy_app = typer.Typer(help="Say which finer values a coarser one stands for.", no_args_is_help=True, rich_markup_mode=None)
release_app = typer.Typer(help="Register what was published, or may be.", no_args_is_help=True, rich_markup_mode=None)


ColumnName = Annotated[str, typer.Argument(metavar="COLUMN", help="A sensitive column or quasi-identifier.")]
HierarchyFile = Annotated[Path, typer.Argument(metavar="FILE", help="CSV, Parquet or JSON with columns level0, level1 and so on.")]


class Unit(StrEnum):
    """What a row stands for."""

    person = "person"
    record = "record"


class Form(StrEnum):
    """The form of a release."""

    bucketized = "bucketized"
    anatomy = "anatomy"
    generalized = "generalized"


class Link(StrEnum):
    """How records without an id are linked."""

    qi = "qi"


def register(app: typer.Typer) -> None:
    """Hang these commands into the program."""
    app.command()(init)
    app.command()(check)
    dataset_app.add_typer(hierarchy_app, name="hierarchy")
    app.add_typer(dataset_app, name="dataset")
    app.add_typer(release_app, name="release")


def init(db: Db = None) -> None:
    """Make an empty store: two files, one of them for the truth alone.

    Example: dbaudit init --db audit.duckdb
    """
    store = dbaudit.Store.create(db)
    say(f"Made {store.files.audit} (audits, releases) and {store.files.original} (the truth; keep it to yourself).")
    hint("Next, declare what you publish about: dbaudit dataset add --help")


def check(db: Db = None, wait: Wait = 0.0, json: Json = False) -> None:
    """Look for anything in the store that should not be there.

    Example: dbaudit check
    """
    report = dbaudit.check_store(the_store(db, wait))
    if json:
        print_json({"checked": report.checked, "found": report.found})
    else:
        say(f"{len(report.checked)} checks; {f'{len(report.found)} found something that is wrong:' if report.found else 'nothing is wrong.'}")
        print_rows(report.found, ["check", "what", "count", "example"]) if report.found else None
    raise typer.Exit(ExitCode.STORE if report.found else ExitCode.PASSED)


@dataset_app.command("add")
def dataset_add(
    name: DatasetName,
    qi: Annotated[list[str], typer.Option("--qi", metavar="COLUMNS", help="Quasi-identifiers: what others may know of a person. Separated by commas.")],
    sensitive: Annotated[list[str], typer.Option("--sensitive", metavar="COLUMNS", help="What nobody should learn. Several columns make one combined value.")],
    id: Annotated[str | None, typer.Option("--id", metavar="COLUMN", help="Pseudonym by which persons are followed from release to release.")] = None,
    population: Annotated[Path | None, typer.Option("--population", metavar="FILE", help="Persons who are known to be in the data.")] = None,
    microdata: Annotated[
        Path | None, typer.Option("--microdata", metavar="FILE", help="The same with the true sensitive value; goes to the file of the truth.")
    ] = None,
    domain: Annotated[list[str] | None, typer.Option("--domain", metavar="VALUES", help="All sensitive values that are possible. Separated by commas.")] = None,
    unit: Annotated[Unit, typer.Option("--unit", help="record: each row is audited as a person of its own.")] = Unit.person,
    null_value: Annotated[
        str | None, typer.Option("--null-value", metavar="NAME", help="What to call a missing sensitive value; without it, it is refused.")
    ] = None,
    link: Annotated[
        Link | None, typer.Option("--link", help="Without ids: records with the same quasi-identifiers, unique in each release, are one person.")
    ] = None,
    values_may_change: Annotated[
        bool, typer.Option("--values-may-change", help="A changed sensitive value makes a new person; each release then needs its --microdata.")
    ] = False,
    db: Db = None,
    wait: Wait = 0.0,
) -> None:
    """Declare a dataset: its columns, and who is known to be in it.

    Example: dbaudit dataset add patients --qi gender,zip --sensitive disease --id pseudonym
    """
    spec = DatasetSpec(
        name,
        names(qi),
        names(sensitive),
        id,
        population,
        microdata,
        names(domain or []),
        unit.value,
        null_value,
        link=link.value if link else None,
        values_may_change=values_may_change,
    )
    remark(dbaudit.add_dataset(the_store(db, wait), spec))
    say(f"Declared {name}.")
    hint(f"Next, register what was published: dbaudit release add{same_store(db)} {name} FILE --name r1 --form bucketized --bucket COLUMN")


@dataset_app.command("list")
def dataset_list(db: Db = None, wait: Wait = 0.0, json: Json = False) -> None:
    """List the datasets.

    Example: dbaudit dataset list
    """
    rows = dbaudit.list_datasets(the_store(db, wait))
    print_json(rows) if json else print_rows(rows, ["dataset", "quasi_identifiers", "sensitive", "id", "unit", "release_count", "population_count"])


@dataset_app.command("show")
def dataset_show(name: DatasetName, db: Db = None, wait: Wait = 0.0, json: Json = False) -> None:
    """Show one dataset with its domain.

    Example: dbaudit dataset show patients
    """
    row = dbaudit.show_dataset(the_store(db, wait), name)
    print_json(row) if json else print_rows([{"what": key, "is": value} for key, value in row.items()])


@dataset_app.command("remove")
def dataset_remove(
    name: DatasetName,
    with_audits: Annotated[bool, typer.Option("--with-audits", help="Remove its audits too.")] = False,
    db: Db = None,
    wait: Wait = 0.0,
) -> None:
    """Remove a dataset with its releases, persons and truth.

    Example: dbaudit dataset remove patients --with-audits
    """
    dbaudit.remove_dataset(the_store(db, wait), name, with_audits=with_audits)
    say(f"Removed {name}.")


@hierarchy_app.command("add")
def hierarchy_add(dataset: DatasetName, column: ColumnName, file: HierarchyFile, db: Db = None, wait: Wait = 0.0) -> None:
    """Declare the tree of a column: a row per value, columns level0 (the value) to levelN (*, all of them).

    Example: dbaudit dataset hierarchy add patients disease diseases.csv
    """
    remark(dbaudit.add_hierarchy(the_store(db, wait), dataset, column, file))
    say(f"Declared the hierarchy of {column}.")


@hierarchy_app.command("list")
def hierarchy_list(dataset: DatasetName, db: Db = None, wait: Wait = 0.0, json: Json = False) -> None:
    """List the hierarchies of a dataset.

    Example: dbaudit dataset hierarchy list patients
    """
    rows = dbaudit.list_hierarchies(the_store(db, wait), dataset)
    print_json(rows) if json else print_rows(rows, ["column_name", "height", "leaf_count", "source", "added_at"])


@hierarchy_app.command("remove")
def hierarchy_remove(dataset: DatasetName, column: ColumnName, db: Db = None, wait: Wait = 0.0) -> None:
    """Forget the tree of a column; audits that were run keep what it meant to them.

    Example: dbaudit dataset hierarchy remove patients disease
    """
    dbaudit.remove_hierarchy(the_store(db, wait), dataset, column)
    say(f"Removed the hierarchy of {column}.")


@release_app.command("add")
def release_add(
    dataset: DatasetName,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="Name of the release.")],
    form: Annotated[Form, typer.Option("--form", help="How it was anonymised.")],
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="CSV, Parquet or JSON; for anatomy use --records and --values.")] = None,
    records: Annotated[Path | None, typer.Option("--records", metavar="FILE", help="Anatomy: quasi-identifiers and bucket.")] = None,
    values: Annotated[Path | None, typer.Option("--values", metavar="FILE", help="Anatomy: bucket, value, and count if there is one.")] = None,
    bucket: Annotated[str | None, typer.Option("--bucket", metavar="COLUMN", help="Column that says in which bucket a record stands.")] = None,
    count: Annotated[str | None, typer.Option("--count", metavar="COLUMN", help="Column that says for how many records a row stands.")] = None,
    candidate: Annotated[bool, typer.Option("--candidate", help="Not published yet: counts only in audits that name it.")] = False,
    date: Annotated[
        datetime.datetime | None, typer.Option("--date", formats=["%Y-%m-%d"], metavar="YYYY-MM-DD", help="Day of publication.", show_default="today")
    ] = None,
    unit: Annotated[Unit | None, typer.Option("--unit", help="record: each row is audited as a person of its own.", show_default="the dataset's")] = None,
    null_value: Annotated[
        str | None, typer.Option("--null-value", metavar="NAME", help="What to call a missing sensitive value.", show_default="the dataset's")
    ] = None,
    map_values: Annotated[
        Path | None, typer.Option("--map-values", metavar="FILE", help="What values mean that this release spells in its own way: as published, means.")
    ] = None,
    microdata: Annotated[
        Path | None, typer.Option("--microdata", metavar="FILE", help="The true values of its persons (id, sensitive); goes to the file of the truth.")
    ] = None,
    db: Db = None,
    wait: Wait = 0.0,
    json: Json = False,
) -> None:
    """Register a release. It is checked whole before anything is stored.

    Example: dbaudit release add patients r1.csv --name r1 --form bucketized --bucket bucket
    """
    spec = ReleaseSpec(
        dataset,
        name,
        form.value,
        file,
        records,
        values,
        bucket,
        count,
        is_candidate=candidate,
        published_on=date.date() if date else None,
        unit=unit.value if unit else None,
        null_value=null_value,
        value_map=map_values,
        microdata=microdata,
    )
    registered = dbaudit.add_release(the_store(db, wait), spec)
    remark(registered.remarks)
    row = registered.row
    if json:
        print_json(row)
    else:
        from dbaudit.report import plural

        least, most = row["smallest_bucket"], row["largest_bucket"]
        size = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        held = f"{plural(row['record_count'], 'record')} in {plural(row['bucket_count'], 'bucket')} of {size}"
        say(f"Registered {name}: {held}, {plural(row['value_count'], 'sensitive value')}.")
        hint(f"Next: dbaudit audit{same_store(db)} {dataset}{f' --candidate {name}' if candidate else ''}")


@release_app.command("list")
def release_list(dataset: DatasetName, db: Db = None, wait: Wait = 0.0, json: Json = False) -> None:
    """List the releases of a dataset.

    Example: dbaudit release list patients
    """
    rows = dbaudit.list_releases(the_store(db, wait), dataset)
    print_json(rows) if json else print_rows(
        rows, ["release", "form", "state", "published_on", "record_count", "bucket_count", "smallest_bucket", "value_count", "source"]
    )


@release_app.command("show")
def release_show(dataset: DatasetName, release: ReleaseName, db: Db = None, wait: Wait = 0.0, json: Json = False) -> None:
    """Show one release with the digests of its files.

    Example: dbaudit release show patients r1
    """
    row = dbaudit.show_release(the_store(db, wait), dataset, release)
    print_json(row) if json else print_rows([{"what": key, "is": value} for key, value in row.items()])


@release_app.command("publish")
def release_publish(dataset: DatasetName, release: ReleaseName, db: Db = None, wait: Wait = 0.0) -> None:
    """Say that a candidate was published: it counts in every audit from now on.

    Example: dbaudit release publish patients r2
    """
    dbaudit.publish_release(the_store(db, wait), dataset, release)
    say(f"{release} is published.")


@release_app.command("withdraw")
def release_withdraw(dataset: DatasetName, release: ReleaseName, db: Db = None, wait: Wait = 0.0) -> None:
    """Say that a release was withdrawn. It has been seen, and still counts in audits.

    Example: dbaudit release withdraw patients r1
    """
    dbaudit.withdraw_release(the_store(db, wait), dataset, release)
    say(f"{release} is withdrawn; audits still count it unless --releases leaves it out.")


@release_app.command("remove")
def release_remove(dataset: DatasetName, release: ReleaseName, db: Db = None, wait: Wait = 0.0) -> None:
    """Take back a release that was registered by mistake.

    Example: dbaudit release remove patients r1
    """
    gone = dbaudit.remove_release(the_store(db, wait), dataset, release)
    say(f"Removed {release}." if gone else f"Removed {release} for later audits; its rows are kept for the audits that used it.")
