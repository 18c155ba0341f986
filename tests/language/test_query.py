"""The door for users' SQL: what must not pass, what must, and that each of its two layers holds without the other."""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
import sqlglot
from sqlglot import exp

from dbaudit.engine import Engine
from dbaudit.errors import DbauditError, ExitCode, QueryRefused
from dbaudit.language.query import guard

_GROUPS: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("escapes.toml").read_text(encoding="utf-8"))
ESCAPES = [pytest.param(text, id=f"{name}-{number}") for name, group in _GROUPS.items() for number, text in enumerate(group["texts"], 1)]

# Planted where a query must not look: in a file, in the environment, in the truth, in a variable of the calling code.
SECRET = "tell-nobody"

_AUDIT = """
create schema published; create schema adversary; create schema model; create schema result; create schema report;
create table result.audit (audit_id integer, verdict varchar);
insert into result.audit values (1, 'breach'), (2, 'pass');
create sequence result.number;
create table result.posterior (audit_id integer, person varchar, value varchar, probability double);
comment on column result.posterior.probability is 'how probable it is';
insert into result.posterior values (1, 'ann', 'Flu', 0.25), (1, 'ann', 'HIV', 0.75), (1, 'bob', 'Flu', 1), (2, 'ann', 'Flu', 0.5), (2, 'ann', 'HIV', 0.5);
create view report.posterior as select * from result.posterior;
create table published.qi (person varchar, qi variant, visits integer[]);
insert into published.qi values ('ann', {'age': 29, 'zip': '13053'}::variant, [1, 2]), ('bob', {'age': 41, 'zip': '14850'}::variant, [3]);
create table model.odd ("set" integer, "update" integer, "drop table" integer);
insert into model.odd values (1, 2, 3);
"""
_TRUTH = f"create table microdata (person varchar, value varchar); insert into microdata values ('ann', '{SECRET}');"


@dataclass(frozen=True)
class Place:
    """A folder with a store, the truth and a file that is nobody's business."""

    folder: Path

    @property
    def audit(self) -> Path:
        return self.folder / "audit.duckdb"

    @property
    def original(self) -> Path:
        return self.folder / "audit.original.duckdb"

    def contents(self) -> dict[Path, bytes | None]:
        """Every file with its bytes, and every folder."""
        return {path: path.read_bytes() if path.is_file() else None for path in sorted(self.folder.rglob("*"))}

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """What happens inside leaves every byte as it was. What it did is undone, so that the next text is not blamed for it."""
        before = self.contents()
        yield
        after = self.contents()
        if after != before:
            self._restore(before)
        assert after == before

    def _restore(self, contents: dict[Path, bytes | None]) -> None:
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for path, data in contents.items():
            path.mkdir() if data is None else path.write_bytes(data)

    def confined(self, *, original: bool = False) -> Engine:
        """As `dbaudit sql` opens it."""
        engine = Engine(self.folder / "audit.duckdb.tmp")
        engine.attach(self.audit, "audit", read_only=True)
        if original:
            engine.attach(self.original, "original", read_only=True)
        engine.run("choose the audit file", "use audit")
        engine.confine(threads=1)
        return engine


def _build(path: Path, statements: str) -> None:
    with duckdb.connect(path) as connection:
        connection.execute(statements)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    place = Place(tmp_path_factory.mktemp("place"))
    _build(place.audit, _AUDIT)
    _build(place.original, _TRUTH)
    (place.folder / "secret.csv").write_text(f"a,b\n1,{SECRET}\n", encoding="utf-8")
    # Where DuckDB spills by itself, or as told: both folders exist, so that only the engine keeps a file from appearing there.
    for name in (".tmp", "audit.duckdb.tmp"):
        (place.folder / name).mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place.folder)
        patch.setenv("DBAUDIT_TEST_SECRET", SECRET)
        yield place


@pytest.fixture(scope="module")
def engine(place: Place) -> Iterator[Engine]:
    engine = place.confined()
    yield engine
    engine.close()


@pytest.mark.parametrize("text", ESCAPES)
def test_the_guard_alone_refuses_every_escape_in_one_sentence(text: str) -> None:
    with pytest.raises(QueryRefused) as refused:
        guard(text)
    sentence = str(refused.value)
    assert sentence.endswith(".") and "\n" not in sentence and ". " not in sentence
    assert refused.value.exit_code == ExitCode.USAGE


@pytest.mark.parametrize("text", ESCAPES)
def test_the_engine_alone_lets_no_escape_change_or_tell_anything(place: Place, text: str) -> None:
    secret_table = pa.table({"secret": [SECRET]})
    with place.unchanged():
        engine = place.confined()
        try:
            told = str(engine.rows("escape", text.replace("{folder}", str(place.folder))))
        except DbauditError as error:
            told = str(error)
        finally:
            engine.close()
    assert SECRET not in told
    del secret_table


@pytest.mark.parametrize("text", ["from 'secret.csv'", "from secret_table", "attach 'audit.original.duckdb' as o; from o.microdata"])
def test_an_engine_that_is_not_confined_would_tell_the_secrets(place: Place, text: str) -> None:
    secret_table = pa.table({"secret": [SECRET]})
    with duckdb.connect() as connection:
        assert SECRET in str(connection.execute(text).fetchall())
    del secret_table


QUERIES: list[tuple[str, list[tuple[Any, ...]]]] = [
    ("select verdict from result.audit order by audit_id", [("breach",), ("pass",)]),
    ("select verdict from audit.result.audit where audit_id = 1;", [("breach",)]),
    ('SELECT Verdict FROM Result."AUDIT" WHERE audit_id = 2 ; ;', [("pass",)]),
    ("-- what drop table original would do\nselect 1 /* ; delete /* from */ original.x */ as x -- ;", [(1,)]),
    ("select 'drop table original; -- it''s text' as x", [("drop table original; -- it's text",)]),
    ("select '/*' as a, 2 as b, '*/' as c", [("/*", 2, "*/")]),
    ("select 'a\\' as a, 'select * from original.microdata' as b", [("a\\", "select * from original.microdata")]),
    ("with a as (select max(probability) as p from report.posterior where audit_id = 1), b as (select p + 1 as q from a) select p, q from a, b", [(1.0, 2.0)]),
    ("with recursive n(i) as (select 1 union all select i + 1 from n where i < 3) select list(i order by i) from n", [([1, 2, 3],)]),
    ("with audit as (select 7 as x) select x from audit", [(7,)]),
    ("with t as materialized (from result.audit) (select count(*) from t)", [(2,)]),
    ("select * from (with t as (select 1 as x) select x from t) as u, lateral (with v as (select u.x + 1 as y) from v)", [(1, 2)]),
    (
        "select person, row_number() over (partition by audit_id order by probability desc, person) as r from report.posterior qualify r = 1 order by all",
        [("ann", 1), ("bob", 1)],
    ),
    ("select audit_id, sum(probability) filter (where value = 'HIV') as hiv from report.posterior group by all order by all", [(1, 0.75), (2, 0.5)]),
    ("select audit_id, count(*) from report.posterior group by rollup (audit_id) order by 1 nulls first", [(None, 5), (1, 3), (2, 2)]),
    ("select 1 as x union all by name select 2 as x order by x", [(1,), (2,)]),
    ("(select 1 as x) except (select 2) intersect (values (2))", [(1,)]),
    ("values (1, 'a'), (2, 'b')", [(1, "a"), (2, "b")]),
    ("select b from (values (1, 'a'), (2, 'b')) as t(a, b) where a = 2", [("b",)]),
    ("from result.audit select verdict where audit_id = 1", [("breach",)]),
    ("from result.audit limit 0", []),
    ("table model.odd", [(1, 2, 3)]),
    ('select set, "update", o."drop table" as original from model.odd as o', [(1, 2, 3)]),
    ("select original.verdict from result.audit as original where original.audit_id = 1", [("breach",)]),
    ("with original as (select 5 as x) select original.x from original", [(5,)]),
    ("select person from published.qi where qi.age < 30", [("ann",)]),
    ("select qi.zip::varchar as zip, visits[1], len(visits), {'a': {'b': 1}}.a.b from published.qi order by person", [("13053", 1, 2, 1), ("14850", 3, 1, 1)]),
    (
        "select [v * 2 for v in visits if v > 1], list_transform(visits, lambda v: v + 1), visits.list_sum() from published.qi where person = 'ann'",
        [([4], [2, 3], 3)],
    ),
    ("select q.person, u.v from published.qi as q, unnest(q.visits) as u(v) order by all", [("ann", 1), ("ann", 2), ("bob", 3)]),
    (
        "select audit_id, p from result.audit as a, lateral (select max(probability) as p from report.posterior where audit_id = a.audit_id) as m order by 1",
        [(1, 1.0), (2, 0.5)],
    ),
    ("select verdict from result.audit as a where exists (from report.posterior where audit_id = a.audit_id and probability = 1)", [("breach",)]),
    (
        "select verdict from result.audit where audit_id not in (select audit_id from report.posterior where value = 'Malaria') and audit_id = any (select 2)",
        [("pass",)],
    ),
    ("select a.verdict, b.i from (from result.audit order by audit_id) as a positional join (values (10), (20)) as b(i)", [("breach", 10), ("pass", 20)]),
    ("select distinct p.person from report.posterior as p semi join published.qi using (person) order by all", [("ann",), ("bob",)]),
    ("pivot (from report.posterior where audit_id = 1 and person = 'ann') on value using sum(probability) group by person", [("ann", 0.25, 0.75)]),
    (
        "select person, \"HIV\" from (pivot report.posterior on value in ('Flu', 'HIV') using max(probability) group by person) order by person",
        [("ann", 0.75), ("bob", None)],
    ),
    ("with t as (from report.posterior where value = 'Flu') pivot t on audit_id using count(*) group by value", [("Flu", 2, 1)]),
    ("unpivot model.odd on columns(*) into name n value v", [("set", 1), ("update", 2), ("drop table", 3)]),
    ("select * exclude (person) replace (audit_id * 10 as audit_id) from report.posterior order by all limit 1", [(10, "Flu", 0.25)]),
    ("select x: 1, y: x + 1 from r: range(1)", [(1, 2)]),
    ("select i // 2, i % 2, -(-i), 2 * i / 4, i::varchar || '!' from generate_series(3, 3) as t(i)", [(1, 1, 3, 1.5, "3!")]),
    ("select key, value from json_each('{\"a\": 1}')", [("a", "1")]),
    ("select table_name from information_schema.tables where table_schema = 'report'", [("posterior",)]),
    ("select comment from duckdb_columns() where table_name = 'posterior' and comment is not null", [("how probable it is",)]),
    ("select view_name from duckdb_views where schema_name = 'report'", [("posterior",)]),
    ("select relname from pg_catalog.pg_class where relname = 'odd'", [("odd",)]),
    ("select column_name, column_type from (describe report.posterior) where column_name = 'person'", [("person", "VARCHAR")]),
    ("select count from (summarize report.posterior) where column_name = 'person'", [(5,)]),
    ("select (select count(*) from result.audit) as n, case when true then 'set' else 'update' end as what", [(2, "set")]),
    ("select\tverdict\r\nfrom result.audit\u00a0where audit_id = 1", [("breach",)]),
    ('select \'Grüße\' as größe, "ä" from (select 1 as "ä")', [("Grüße", 1)]),
]


@pytest.mark.parametrize(("text", "rows"), QUERIES)
def test_a_query_passes_and_gives_its_rows(engine: Engine, text: str, rows: list[tuple[Any, ...]]) -> None:
    assert engine.rows("query", guard(text)) == rows


TELLING = [
    "describe report.posterior",
    "summarize report.posterior",
    "show all tables",
    "explain from report.posterior",
    "-- why\nExplain /* it */ from result.posterior;",
]


@pytest.mark.parametrize("text", TELLING)
def test_what_tells_about_tables_and_plans_passes(engine: Engine, text: str) -> None:
    assert "prob" in str(engine.rows("query", guard(text)))


def _tables_for_duckdb(tree: Any) -> Iterator[str]:
    """The names of all tables in DuckDB's own parse tree."""
    if isinstance(tree, dict):
        if tree.get("type") == "BASE_TABLE":
            yield ".".join(filter(None, (tree["catalog_name"], tree["schema_name"], tree["table_name"])))
        tree = list(tree.values())
    for part in tree if isinstance(tree, list) else ():
        yield from _tables_for_duckdb(part)


def _tables_for_sqlglot(text: str) -> set[str]:
    return {
        ".".join(part.name for part in table.parts)
        for table in sqlglot.parse_one(text, dialect="duckdb").find_all(exp.Table)
        if isinstance(table.this, exp.Identifier)
    }


@pytest.mark.parametrize("text", [text for text, _ in QUERIES])
def test_the_parser_that_runs_a_query_finds_the_same_tables_as_the_parser_that_checked_it(engine: Engine, text: str) -> None:
    allowed = guard(text)
    parsed = json.loads(engine.value("parse", "select json_serialize_sql(?)", [allowed]))
    if parsed["error"]:
        # DuckDB cannot show the tree of a pivot whose columns it has yet to look up.
        assert "pivot" in text
    else:
        assert len(parsed["statements"]) == 1
        assert set(_tables_for_duckdb(parsed)) == _tables_for_sqlglot(allowed)


def test_what_passes_is_the_users_own_text() -> None:
    assert guard("  select  x::int, 'a -- b' -- why\n from result.audit ; -- end") == "select  x::int, 'a -- b'       \n from result.audit"


def test_with_original_the_truth_can_be_read_and_nothing_else_changes(place: Place) -> None:
    engine = place.confined(original=True)
    try:
        for name in ("original.microdata", "ORIGINAL.main.microdata", '"original".microdata'):
            assert engine.rows("query", guard(f"select value from {name}", original=True)) == [(SECRET,)]
    finally:
        engine.close()
    for text in ("delete from original.microdata", "select * from original.pg_catalog.pg_settings", "from read_text('secret.csv')", "from audit.original.x"):
        with pytest.raises(QueryRefused):
            guard(text, original=True)


@pytest.mark.parametrize("text", ["delete from original.microdata", "copy (select 1) to '{folder}/audit.original.duckdb' (format csv, use_tmp_file false)"])
def test_with_original_the_engine_alone_keeps_the_truth_unchanged(place: Place, text: str) -> None:
    with place.unchanged():
        engine = place.confined(original=True)
        with pytest.raises(DbauditError):
            engine.rows("escape", text.replace("{folder}", str(place.folder)))
        engine.close()


def _functions(where: str) -> list[str]:
    with duckdb.connect() as connection:
        return [name for (name,) in connection.execute(f"select distinct function_name from duckdb_functions() where {where} order by all").fetchall()]


# What stands for a table and reads neither files, nor settings, nor SQL: read one by one in the list of duckdb 2.0.
TABLE_FUNCTIONS = {
    *("range", "generate_series", "unnest", "repeat", "repeat_row", "json_each", "json_tree", "duckdb_columns", "duckdb_constraints", "duckdb_functions"),
    *("duckdb_indexes", "duckdb_keywords", "duckdb_schemas", "duckdb_tables", "duckdb_types", "duckdb_views"),
}
# Functions that are not pure and yet tell nothing but the time, chance, and the query itself.
HARMLESS = {
    *("current_connection_id", "current_database", "current_date", "current_query", "current_query_id", "current_schema", "current_schemas"),
    *("current_transaction_id", "error", "gen_random_uuid", "get_current_time", "get_current_timestamp", "in_search_path", "now", "random", "setseed"),
    *("stats", "today", "transaction_timestamp", "txid_current", "uuid", "uuidv4", "uuidv7", "vector_type"),
}


def _passes(text: str) -> bool:
    try:
        guard(text)
    except QueryRefused:
        return False
    return True


def test_of_all_functions_that_stand_for_a_table_only_the_known_ones_pass() -> None:
    names = _functions("function_type in ('table', 'table_macro', 'pragma')")
    assert {name for name in names if _passes(f"select * from {name}(1, 2)")} == TABLE_FUNCTIONS
    assert {name for name in names if _passes(f"select * from result.audit, lateral {name}(1, 2)")} == TABLE_FUNCTIONS


def test_every_function_of_the_engine_that_is_not_pure_is_refused_or_known_to_be_harmless() -> None:
    names = _functions("function_type = 'scalar' and (has_side_effects or stability <> 'CONSISTENT')")
    assert {name for name in names if _passes(f"select {name}()") or _passes(f"select {name}('x')")} == HARMLESS


def test_of_the_catalogue_only_what_tells_no_setting_and_no_path_passes() -> None:
    with duckdb.connect() as connection:
        views = [
            name for (name,) in connection.execute("select view_name from duckdb_views() where internal and schema_name <> 'information_schema'").fetchall()
        ]
    passing = {name for name in views if _passes(f"select * from {name}")}
    assert passing == {name for name in views if name in TABLE_FUNCTIONS or name.removeprefix("pg_") in _POSTGRESQL}


_POSTGRESQL = {"attribute", "class", "constraint", "description", "index", "namespace", "tables", "type", "views"}


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("drop view report.posterior", "drop is refused because nothing is changed here: write a query"),
        ("with d as (delete from result.audit returning *) from d", "delete is refused"),
        ("select *\nfrom result.audit\nwhere where x", "the query cannot be read at line 3, column 7, near 'where': check"),
        ("select {: 1}", "the query cannot be read: check the spelling"),
        ("select 1,\n  $$x$$", "line 2, column 3: '$$' is refused"),
        ("select 1; select 2", "several statements at once are refused"),
        ("select * from posterior", "'posterior' is refused as a table: a table is written with its schema, one of published"),
        ("select * from 'x.csv'", "'x.csv' is refused as a table"),
        ("select * from read_csv('x.csv')", "the function read_csv is refused as a table"),
        ("select getenv('HOME')", "the function getenv is refused because it reads the engine's settings or the environment"),
        ("from original.microdata", "original is refused: the publisher's truth can only be read with dbaudit sql --original"),
        ("select 'x", "the text ends inside of quotes or of a comment"),
        ("", "there is no query in this text"),
        (" ; -- nothing", "there is no query in this text"),
        ("call pragma_version()", "call is refused because"),
        ("select ?", "line 1, column 8: '?' is refused: write"),
    ],
)
def test_a_refusal_says_what_and_what_to_do(text: str, part: str) -> None:
    with pytest.raises(QueryRefused) as refused:
        guard(text)
    assert str(refused.value).startswith(part)


@pytest.mark.parametrize("text", ["(" * 5000 + "select 1" + ")" * 5000, "explain " * 5000 + "select 1", "select '\ud800'"])
def test_nonsense_of_any_size_is_refused_and_does_not_crash(text: str) -> None:
    with pytest.raises(QueryRefused):
        guard(text)


def test_a_refusal_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    for text in ("with x as (copy result.audit to 'out.csv') select 1", "show databases", "call f()"):
        with pytest.raises(QueryRefused):
            guard(text)
    assert capfd.readouterr() == ("", "")
