"""What every file under sql/ keeps to, read from the files themselves and from the catalogue of the stores they make."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from dbaudit.store.catalogue import HEADER, SqlFile, files, in_order, shipped_folder
from tests.sql import stores

ROOT = Path(__file__).resolve().parents[2]
SQL = shipped_folder("sql")
EVERY = [SqlFile(path) for path in sorted(SQL.rglob("*.sql"))]
VIEWS = [view for schema in ("model", "report", "original") for view in files(schema)]
CODE = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "dbaudit").rglob("*.py")))
STATEMENTS = [statement for folder in ("write", "read", "refuse") for statement in files(folder)]


def of(file: SqlFile) -> str:
    return str(file.path.relative_to(SQL).with_suffix(""))


def from_text(folder: Path, text: str, name: str = "bad") -> SqlFile:
    """A file that breaks a rule, to see that the rule can be broken."""
    path = folder / f"{name}.sql"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return SqlFile(path)


# -- what a view file looks like


@pytest.mark.parametrize("view", VIEWS, ids=of)
def test_a_view_begins_with_the_four_lines_of_its_header(view):
    comments = []
    for line in view.text.splitlines():
        if not line.startswith("--"):
            break
        comments.append(re.match(r"-- (\w+): +\S", line))
    assert [match and match[1] for match in comments] == list(HEADER)


@pytest.mark.parametrize("view", VIEWS, ids=of)
def test_a_view_file_creates_the_view_that_it_is_called_after_and_nothing_else(view):
    (statement,) = view.statements
    assert isinstance(statement, exp.Create)
    assert statement.kind == "VIEW"
    assert (statement.this.db, statement.this.name) == (view.folder, view.name)


@pytest.mark.parametrize("view", VIEWS, ids=of)
def test_a_view_ends_with_a_list_of_columns_each_of_which_is_explained(view):
    (statement,) = view.statements
    final = statement.expression
    assert not any(column.is_star for column in final.selects)
    names = [column.alias_or_name for column in final.selects]
    assert "" not in names
    assert len(set(names)) == len(names)
    assert [name for name, comment in view.column_comments.items() if not comment] == []
    assert set(view.grain) <= set(names)


@pytest.mark.parametrize("file", EVERY, ids=of)
def test_sql_is_written_in_lower_case(file):
    without_text = re.sub(r"--[^\n]*|'(?:[^']|'')*'", "", file.text)
    assert re.findall(r"\w*[A-Z]\w*", without_text) == []


# -- what the catalogue says


@pytest.mark.parametrize("part", ["audit", "original"])
def test_every_table_view_and_column_of_a_new_store_has_a_comment(part):
    with duckdb.connect(str(getattr(stores.store("empty").files, part)), read_only=True) as connection:
        if part == "original":
            # Its views read the audit file, and DuckDB looks for it as soon as it lists their columns.
            connection.execute(f"attach '{stores.store('empty').files.audit}' as audit (read_only)")
        told = connection.execute("""
            select schema_name || '.' || table_name, comment from duckdb_tables() where database_name = current_database()
            union all
            select schema_name || '.' || view_name, comment from duckdb_views() where database_name = current_database() and not internal
            union all
            select schema_name || '.' || table_name || '.' || column_name, comment
            from duckdb_columns() where database_name = current_database() and not internal
        """).fetchall()
    assert len(told) > 10
    assert [name for name, comment in told if not comment] == []


@pytest.mark.parametrize("fixture", stores.BUILDERS)
def test_the_grain_of_every_view_is_unique_in_every_store(fixture):
    store = stores.store(fixture)
    with duckdb.connect(":memory:") as connection:
        connection.execute(f"attach '{store.files.audit}' as audit (read_only)")
        connection.execute(f"attach '{store.files.original}' as original (read_only)")
        connection.execute("use audit")
        for view in VIEWS:
            # The truth's views lie in the main schema of their file.
            name = f"{view.folder}.{'main.' if view.folder == 'original' else ''}{view.name}"
            grain = ", ".join(view.grain)
            twice = connection.execute(f"select {grain}, count(*) from {name} group by {grain} having count(*) > 1").fetchall()
            assert twice == [], name


# -- the leak guard


def leaks(file: SqlFile) -> list[str]:
    """What a view reads that could be the truth: anything called original, and functions that read files or run text as SQL."""
    named = [name for name in file.reads if "original" in name.lower().split(".")]
    functions = [node.name.lower() for statement in file.statements for node in statement.find_all(exp.Anonymous)]
    readers = [node.key for statement in file.statements for node in statement.find_all(exp.ReadCSV, exp.ReadParquet)]
    return sorted([*named, *readers, *(name for name in functions if re.match(r"read_|query|.*_scan$|glob$|getvariable$", name))])


@pytest.mark.parametrize("view", [view for view in VIEWS if view.folder != "original"], ids=of)
def test_nothing_that_is_published_or_modelled_reads_the_truth(view):
    assert leaks(view) == []


@pytest.mark.parametrize(
    "body",
    [
        "select value from original.main.microdata",
        "select value from Original.main.microdata",
        'select value from "original".microdata',
        "select g.is_true from report.posterior as p inner join original.guess as g on p.person = g.person",
        "with t as (select value from original.main.microdata) select value from t",
        "select (select max(value) from original.main.microdata) as value",
        "select value from report.posterior where exists (select 1 from original.main.microdata)",
        "select value from report.posterior union all select value from original.main.microdata",
        "select * from query('select * from original.main.microdata')",
        "select * from query_table('original.main.microdata')",
        "select * from read_csv('d1.csv')",
        "select * from read_parquet('d1.parquet')",
        "select * from read_text('d1.csv')",
    ],
)
def test_the_leak_guard_catches_a_view_that_reads_the_truth(body, tmp_path):
    assert leaks(from_text(tmp_path, f"create view report.bad as {body}")) != []


# -- the order of loading


def test_each_view_is_loaded_after_those_that_it_reads():
    views = [view for view in VIEWS if view.folder != "original"]
    ordered = [f"{view.folder}.{view.name}" for view in in_order(reversed(views))]
    assert len(ordered) == len(views)
    for view in views:
        read = [name for name in view.reads if name in ordered]
        assert all(ordered.index(name) < ordered.index(f"{view.folder}.{view.name}") for name in read), view.name


def test_what_views_read_is_found_wherever_it_is_mentioned(tmp_path):
    file = from_text(
        tmp_path / "report",
        "create view report.bad as with a as (select 1 from model.cell) select (select max(x) from model.domain) as x from a "
        "inner join published.release as r on r.y in (select y from result.bound) union all select x from report.posterior",
    )
    assert file.reads == {"model.cell", "model.domain", "published.release", "result.bound", "report.posterior"}


def test_views_that_read_each_other_cannot_be_ordered(tmp_path):
    one = from_text(tmp_path / "model", "create view model.one as select x from model.two", "one")
    two = from_text(tmp_path / "model", "create view model.two as select x from model.one", "two")
    with pytest.raises(ValueError, match="cycle"):
        in_order([one, two])


def test_every_object_that_a_view_reads_exists():
    with duckdb.connect(str(stores.store("empty").files.audit), read_only=True) as connection:
        known = {f"{schema}.{name}" for schema, name in connection.execute("select schema_name, table_name from duckdb_tables()").fetchall()}
    known |= {f"{view.folder}.{view.name}" for view in VIEWS}
    assert {name for view in VIEWS if view.folder != "original" for name in view.reads} <= known


# -- what Spark does not carry (DESIGN 5)


def unlike_spark(file: SqlFile) -> list[str]:
    """What sqlglot does not carry faithfully to Spark."""
    found = []
    for statement in file.statements:
        for node in statement.walk():
            if isinstance(node, exp.ArrayAgg | exp.List) and node.find(exp.Order):
                found.append("list(x order by y)")
            elif isinstance(node, exp.Comprehension):
                found.append("list comprehension")
            elif isinstance(node, exp.Qualify) and any(not aggregate.find_ancestor(exp.Window) for aggregate in node.find_all(exp.AggFunc)):
                found.append("qualify on an aggregate")
            elif isinstance(node, exp.Func) and (node.name if isinstance(node, exp.Anonymous) else node.sql_name()).lower() in ("hash", "list_aggregate"):
                found.append("hash or list_aggregate")
    return found


@pytest.mark.parametrize("view", files("model"), ids=of)
def test_the_model_stays_within_what_spark_understands(view):
    assert unlike_spark(view) == []
    for statement in view.statements:
        spark = statement.sql(dialect="spark", unsupported_level=sqlglot.ErrorLevel.RAISE)
        assert sqlglot.parse_one(spark, dialect="spark") is not None


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("list(value order by value)", "list(x order by y)"),
        ("array_agg(value order by value)", "list(x order by y)"),
        ("hash(value)", "hash or list_aggregate"),
        ("list_aggregate(values_of, 'sum')", "hash or list_aggregate"),
        ("[upper(x) for x in values_of]", "list comprehension"),
    ],
)
def test_what_spark_does_not_carry_is_noticed(expression, found, tmp_path):
    assert found in unlike_spark(from_text(tmp_path, f"create view model.bad as select {expression} as x from model.cell"))


def test_qualify_is_noticed_on_an_aggregate_and_allowed_on_a_window(tmp_path):
    aggregate = from_text(tmp_path, "create view model.a as select value from model.cell group by value qualify count(*) > 1", "a")
    window = from_text(tmp_path, "create view model.b as select value from model.cell qualify count(*) over (partition by value) > 1", "b")
    assert unlike_spark(aggregate) == ["qualify on an aggregate"]
    assert unlike_spark(window) == []


# -- statements and migrations


@pytest.mark.parametrize("statement", STATEMENTS, ids=of)
def test_a_statement_says_what_it_is_for_and_is_used(statement):
    assert next(iter(statement.header)) == "What"
    assert all(statement.header.values())
    assert len(statement.statements) == 1
    named_whole = f'"{statement.folder}/{statement.name}"' in CODE
    built_by_stem = f'f"{statement.folder}/{{' in CODE and f'"{statement.name}"' in CODE
    assert named_whole or built_by_stem


def test_every_statement_that_the_code_names_exists():
    named = set(re.findall(r'"((?:write|read|refuse)/\w+)"', CODE))
    assert named <= {of(statement) for statement in STATEMENTS}


def test_a_refusal_has_a_sentence_for_the_user():
    assert [file.name for file in files("refuse") if list(file.header) != ["What", "Says"] or not file.header["Says"].endswith((".", "?"))] == []


@pytest.mark.parametrize("part", ["audit", "original"])
def test_migrations_are_numbered_without_gaps(part):
    names = [file.name for file in files(f"schema/{part}")]
    assert [name.split("_")[0] for name in names] == [f"{number:04}" for number in range(1, len(names) + 1)]


def test_every_folder_under_sql_is_known():
    assert {path.name for path in SQL.iterdir()} == {"schema", "model", "report", "original", "check", "write", "read", "refuse"}
