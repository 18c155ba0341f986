"""Commands about what others are assumed to know: statements, and the adversaries who know them."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

import dbaudit
from dbaudit.cli.options import AuditId, DatasetName, Db, Json, Wait, same_store, the_store
from dbaudit.cli.show import hint, print_json, print_rows, progress, remark, say
from dbaudit.errors import UsageError
from dbaudit.spec import MiningSpec, numbers, pairs

knowledge_app = typer.Typer(help="Say what others are assumed to know beside the publications.", no_args_is_help=True, rich_markup_mode=None)
person_app = typer.Typer(help="Name persons in releases without ids: nobody knows which record is theirs.", no_args_is_help=True, rich_markup_mode=None)
adversary_app = typer.Typer(help="Name those whose knowledge is assumed.", no_args_is_help=True, rich_markup_mode=None)

StatementId = Annotated[int, typer.Argument(metavar="ID", help="Number of the statement.")]
PersonName = Annotated[str, typer.Argument(metavar="NAME", help="Name of the person.")]
AdversaryName = Annotated[str, typer.Argument(metavar="NAME", help="Name of the adversary.")]
Knower = Annotated[str, typer.Option("--adversary", metavar="NAME", help="Who knows it.")]
MinSupport = Annotated[int, typer.Option("--min-support", metavar="N", help="A rule must be borne out by so many persons.")]


def register(app: typer.Typer) -> None:
    """Hang these commands into the program."""
    knowledge_app.add_typer(person_app, name="person")
    app.add_typer(knowledge_app, name="knowledge")
    app.add_typer(adversary_app, name="adversary")


@knowledge_app.command("add")
def knowledge_add(
    dataset: DatasetName,
    statement: Annotated[str, typer.Argument(metavar="STATEMENT", help="What is known, such as: P(disease = 'Flu' | gender = 'male') = 0.3")],
    adversary: Knower = "default",
    db: Db = None,
    wait: Wait = 0.0,
    json: Json = False,
) -> None:
    """Let an adversary know something about probabilities or counts.

    P(event | condition) is a share, count(event | condition) a number of persons; an event speaks of sensitive columns, a condition of
    quasi-identifiers and of person. Terms are added, subtracted, and multiplied by numbers, and compared by =, <=, >=, between a and b, or
    = a +- e. Without a condition everybody is meant.

    Example: dbaudit knowledge add patients "P(disease = 'Flu' | gender = 'male') between 0.3 and 0.5"
    """
    known = dbaudit.add_statement(the_store(db, wait), dataset, statement, adversary)
    remark(known.remarks)
    print_json(asdict(known)) if json else say(f"Knowledge {known.statement_id} of {adversary}: {known.statement}")
    if not json:
        assumed = "" if adversary == "default" else f" --adversary {adversary}"
        hint(f"Next: dbaudit audit{same_store(db)} {dataset}{assumed}")


@knowledge_app.command("import")
def knowledge_import(
    dataset: DatasetName,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A text file, one statement a line; # and -- begin comments.")],
    adversary: Knower = "default",
    db: Db = None,
    wait: Wait = 0.0,
    json: Json = False,
) -> None:
    """Let an adversary know every statement of a file: all of them, or none if one is wrong.

    Example: dbaudit knowledge import patients statements.txt
    """
    known = dbaudit.import_statements(the_store(db, wait), dataset, file, adversary)
    remark([f"knowledge {each.statement_id}: {message}" for each in known for message in each.remarks])
    print_json([asdict(each) for each in known]) if json else say(f"{len(known)} {'statement' if len(known) == 1 else 'statements'} that {adversary} knows.")


@knowledge_app.command("mine")
def knowledge_mine(
    dataset: DatasetName,
    positive: Annotated[int, typer.Option("--positive", metavar="K", help="So many of the strongest rules that say who has a value.")],
    negative: Annotated[int, typer.Option("--negative", metavar="K", help="So many of the strongest rules that say who does not have a value.")],
    min_support: MinSupport = 3,
    attributes: Annotated[int | None, typer.Option("--attributes", metavar="T", help="Only rules about exactly so many quasi-identifiers.")] = None,
    max_attributes: Annotated[int | None, typer.Option("--max-attributes", metavar="T", help="Only rules about at most so many quasi-identifiers.")] = None,
    over: Annotated[
        str | None, typer.Option("--over", metavar="RELEASE", help="Mine from the persons of this release.", show_default="those of the microdata")
    ] = None,
    adversary: Knower = "default",
    db: Db = None,
    wait: Wait = 0.0,
    json: Json = False,
) -> None:
    """Let an adversary know the strongest rules of the truth, which is read from the microdata.

    A rule says how many of those with some quasi-identifiers have a value. The strongest are those of the highest confidence; then those
    that more persons bear out. They take the place of rules mined for this adversary before, and can be queried: adversary.rule.

    Example: dbaudit knowledge mine patients --positive 50 --negative 50
    """
    spec = MiningSpec(positive, negative, min_support, attributes, max_attributes, over)
    with progress() as watch:
        mined = dbaudit.mine_rules(the_store(db, wait), dataset, spec, adversary, watch)
    remark(mined.remarks)
    if json:
        print_json(asdict(mined))
        return
    say(f"{mined.positive_count} positive and {mined.negative_count} negative rules, mined from {mined.over}, that {adversary} knows.")
    strongest = dbaudit.list_rules(the_store(db, wait), dataset, adversary, limit=5)
    print_rows(strongest, ["rule_id", "rule", "confidence", "support"]) if strongest else None
    assumed = "" if adversary == "default" else f" --adversary {adversary}"
    hint(f"Next: dbaudit audit{same_store(db)} {dataset}{assumed}")


@knowledge_app.command("effect")
def knowledge_effect(
    audit: AuditId,
    only: Annotated[list[int] | None, typer.Option("--only", metavar="ID", help="Only this statement; may be repeated.")] = None,
    db: Db = None,
    wait: Wait = 0.0,
    json: Json = False,
) -> None:
    """Tell what each statement of an audit gives away: leave it out, solve again, and compare.

    bits is the uncertainty that it takes away, summed over persons; certain counts persons whose value is certain only because of it; rises are of the
    probability of the surest guess about a person. Named persons are among the records: no sum counts them again, but largest_rise tells of them
    too. Where two statements say the same, neither gives anything away beside the other.

    Example: dbaudit knowledge effect 1
    """
    with progress() as watch:
        effect = dbaudit.measure_effect(the_store(db, wait), audit, tuple(only or ()), watch)
    if json:
        print_json(effect.as_data())
        return
    say(*effect.words)
    print_rows(effect.table)


@knowledge_app.command("list")
def knowledge_list(
    dataset: DatasetName,
    adversary: Annotated[str | None, typer.Option("--adversary", metavar="NAME", help="Only what this one knows.")] = None,
    db: Db = None,
    wait: Wait = 0.0,
    json: Json = False,
) -> None:
    """List the statements about a dataset.

    Example: dbaudit knowledge list patients
    """
    rows = dbaudit.list_statements(the_store(db, wait), dataset, adversary)
    print_json(rows) if json else print_rows(rows, ["statement_id", "adversary", "statement", "added_at"])


@knowledge_app.command("show")
def knowledge_show(statement: StatementId, db: Db = None, wait: Wait = 0.0, json: Json = False) -> None:
    """Show a statement, or a mined rule: what it says, and the audits that assumed it.

    Example: dbaudit knowledge show 1
    """
    row = dbaudit.show_statement(the_store(db, wait), statement)
    print_json(row) if json else print_rows([{"what": key, "is": value} for key, value in row.items()])


@knowledge_app.command("remove")
def knowledge_remove(statement: StatementId, db: Db = None, wait: Wait = 0.0) -> None:
    """Forget a statement, or a mined rule. Audits that assumed it stay as they are.

    Example: dbaudit knowledge remove 1
    """
    dbaudit.remove_statement(the_store(db, wait), statement)
    say(f"Removed knowledge {statement}.")


@person_app.command("add")
def person_add(
    dataset: DatasetName,
    name: PersonName,
    qi: Annotated[
        list[str],
        typer.Option(
            "--qi",
            metavar="COLUMN=VALUE,...",
            help="What is known of the person. A column that is not given may be anything; nothing behind = is a missing value. "
            "Put a pair that contains a comma in double quotes.",
        ),
    ],
    db: Db = None,
    wait: Wait = 0.0,
    json: Json = False,
) -> None:
    """Name somebody who is one of the records with these quasi-identifiers; which one is uncertain.

    Statements can then speak of person = 'NAME'. In a generalized release the person may be any record whose published values cover the given
    ones: the same text, * (everything), 131* (any rest), 130** (a letter for each star), ranges such as [20-29], 20-29, [20-30), < 30, >= 40 and 90+,
    or a node of a declared hierarchy above the value. In other releases the values are equal. Only where persons have no ids, and in audits of
    exactly one release.

    Example: dbaudit knowledge person add patients Alice --qi gender=male,degree=college
    """
    named = dbaudit.add_person(the_store(db, wait), dataset, name, pairs(qi))
    print_json(asdict(named)) if json else say(f"Named {name}: {', '.join(f'{column} {_shown(value)}' for column, value in named.qi.items())}.")
    if not json:
        hint(f"Next: dbaudit knowledge add{same_store(db)} {dataset} STATEMENT, about person = '{name}'")


@person_app.command("list")
def person_list(dataset: DatasetName, db: Db = None, wait: Wait = 0.0, json: Json = False) -> None:
    """List the named persons of a dataset, with what is known of each.

    Example: dbaudit knowledge person list patients
    """
    rows = dbaudit.list_persons(the_store(db, wait), dataset)
    if json:
        print_json(rows)
        return
    print_rows([{**row, "qi": ", ".join(f"{column} {_shown(value)}" for column, value in row["qi"].items())} for row in rows], ["person", "qi", "added_at"])


@person_app.command("remove")
def person_remove(dataset: DatasetName, name: PersonName, db: Db = None, wait: Wait = 0.0) -> None:
    """Forget a named person. Audits in which he was stay as they are; statements about him are refused by later ones.

    Example: dbaudit knowledge person remove patients Alice
    """
    dbaudit.remove_person(the_store(db, wait), dataset, name)
    say(f"Removed {name}.")


def _shown(value: str | None) -> str:
    return "(missing)" if value is None else value


@adversary_app.command("add")
def adversary_add(
    name: AdversaryName,
    about: Annotated[str | None, typer.Option("--remark", metavar="TEXT", help="What it stands for.")] = None,
    statements: Annotated[
        list[str] | None, typer.Option("--statements", metavar="STATEMENT|FILE", help="What it knows: a statement, or a text file of them; may be repeated.")
    ] = None,
    mined: Annotated[
        str | None, typer.Option("--mined", metavar="K+,K-", help="It also knows so many of the strongest positive and negative rules of the truth.")
    ] = None,
    min_support: MinSupport = 3,
    dataset: Annotated[str | None, typer.Option("--dataset", metavar="NAME", help="What that is about.", show_default="the only dataset")] = None,
    db: Db = None,
    wait: Wait = 0.0,
) -> None:
    """Name a bundle of knowledge. It begins empty, or with what is given here: all of it, or nothing if something is wrong.

    Example: dbaudit adversary add insider --remark "a nurse of the ward" --mined 50,50
    """
    store = the_store(db, wait)
    if mined is None and min_support != 3:
        raise UsageError("--min-support says which rules are mined: give --mined with it.")
    if not statements and mined is None:
        dbaudit.add_adversary(store, name, about)
        say(f"Added {name}.")
        hint(f"Next: dbaudit knowledge add{same_store(db)} DATASET STATEMENT --adversary {name}")
        return
    given = [Path(text) if _is_file(text) else text for text in statements or []]
    rules = None
    if mined is not None:
        positive, negative = numbers("--mined", mined, count=2)
        rules = MiningSpec(positive, negative, min_support)
    with progress() as watch:
        known, found = dbaudit.equip_adversary(store, name, about, dataset=dataset, statements=given, rules=rules, watch=watch)
    remark([f"knowledge {each.statement_id}: {message}" for each in known for message in each.remarks])
    remark(found.remarks if found else [])
    what = [f"{len(known)} {'statement' if len(known) == 1 else 'statements'}"] if known else []
    what += [f"{found.positive_count} positive and {found.negative_count} negative rules, mined from {found.over}"] if found else []
    say(f"Added {name}, who knows {' and '.join(what)}.")
    about_which = found.dataset if found else known[0].dataset
    hint(f"Next: dbaudit audit{same_store(db)} {about_which} --adversary {name}")


def _is_file(text: str) -> bool:
    """Whether a text names a file. A statement may be longer than any name can be."""
    try:
        return Path(text).is_file()
    except OSError:
        return False


@adversary_app.command("list")
def adversary_list(db: Db = None, wait: Wait = 0.0, json: Json = False) -> None:
    """List the adversaries.

    Example: dbaudit adversary list
    """
    rows = dbaudit.list_adversaries(the_store(db, wait))
    print_json(rows) if json else print_rows(rows, ["adversary", "remark", "statement_count", "rule_count"])


@adversary_app.command("show")
def adversary_show(name: AdversaryName, db: Db = None, wait: Wait = 0.0, json: Json = False) -> None:
    """Show an adversary with all that it knows.

    Example: dbaudit adversary show default
    """
    row = dbaudit.show_adversary(the_store(db, wait), name)
    if json:
        print_json(row)
        return
    say(f"{name}: {row['remark'] or 'no remark'}")
    print_rows(row["statements"], ["statement_id", "dataset", "statement", "added_at"])
    if row["rule_count"]:
        say("", f"{row['rule_count']} mined rules; the strongest of each kind:")
        print_rows(row["strongest_rules"], ["rule_id", "dataset", "rule", "confidence", "support"])
        hint('All of them: dbaudit sql "select * from adversary.rule order by adversary, is_positive desc, rank"')


@adversary_app.command("remove")
def adversary_remove(name: AdversaryName, db: Db = None, wait: Wait = 0.0) -> None:
    """Forget an adversary and all that it knows. Audits that assumed it stay as they are.

    Example: dbaudit adversary remove insider
    """
    dbaudit.remove_adversary(the_store(db, wait), name)
    say(f"Removed {name}.")
