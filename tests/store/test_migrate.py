"""A store that an older version made is brought up to date by the next command, in one step that succeeds or changes nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pytest

from dbaudit import AuditSpec, ReleaseSpec, Store, StoreError, add_release, check_store, list_datasets, run_audit
from dbaudit.store import catalogue, migrate
from dbaudit.store.catalogue import SqlFile
from dbaudit.store.files import Files
from tests.store.shared import Command, contents, make_old_store, write_people


@pytest.fixture(scope="session")
def old_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("old")
    make_old_store(folder / "audit.duckdb")
    return folder


@pytest.fixture
def old(old_store: Path, tmp_path: Path) -> Files:
    """A store to bring up to date."""
    shutil.copytree(old_store, tmp_path / "store")
    return Files.at(tmp_path / "store" / "audit.duckdb")


def ask(path: Path, query: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(query).fetchall()


def version_with(patch: pytest.MonkeyPatch, folder: str, *added: Path) -> None:
    """Make this version ship more files than it does."""
    real = catalogue.files
    patch.setattr(catalogue, "files", lambda asked: [*real(asked), *(SqlFile(path) for path in added)] if asked == folder else real(asked))


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


VIEW = "-- What:   Something.\n-- Grain:  audit_id\n-- Source: nowhere\n-- Note:   None.\n"


def test_the_old_store_is_old(old: Files) -> None:
    assert ask(old.audit, "select number from main.migration order by number") == [(1,), (2,), (3,)]
    assert ask(old.audit, "select dataset from report.forgotten") == [("people",)]
    assert ask(old.audit, "select * from duckdb_tables() where schema_name = 'result'") == []


def test_a_command_brings_an_old_store_up_to_date_and_keeps_its_data(old: Files, tmp_path: Path) -> None:
    columns = ask(
        old.audit,
        """
        select schema_name || '.' || table_name, string_agg(column_name, ', ')
        from duckdb_columns()
        where schema_name in ('published', 'adversary') or table_name = 'store'
        group by all
        """,
    )
    kept = [ask(old.audit, f"select {names} from {table} order by all") for table, names in columns]
    assert sum(map(len, kept)) > 100
    command = Command(("dataset", "list", "--json", "--db", old.audit), tmp_path / "log")
    assert command.end() == 0, command.said
    assert '"people"' in command.said
    assert [ask(old.audit, f"select {names} from {table} order by all") for table, names in columns] == kept
    assert ask(old.audit, "select number, name, digest from main.migration order by number") == [
        (number, file.name, file.digest) for number, file in enumerate(catalogue.files("schema/audit"), 1)
    ]


def test_an_old_store_can_be_worked_with_once_it_is_up_to_date(old: Files, tmp_path: Path) -> None:
    store = Store(old.audit)
    add_release(store, ReleaseSpec("people", "r1", "bucketized", write_people(tmp_path / "people.csv", 40), bucket="bucket"))
    assert run_audit(store, AuditSpec("people")).row["person_count"] == 40
    assert check_store(store).found == []


def test_an_updated_store_has_the_tables_and_views_of_a_new_one(old: Files, tmp_path: Path) -> None:
    with Store(old.audit).reading(truth=True):
        pass
    updated, new = contents(old), contents(Store.create(tmp_path / "new.duckdb").files)
    assert updated["views"] == new["views"]
    assert updated.keys() == new.keys()
    query = "select schema_name, table_name, column_name, data_type, comment from duckdb_columns() where not internal order by all"
    assert ask(old.audit, query) == ask(tmp_path / "new.duckdb", query)


def test_views_of_an_older_version_are_replaced(old: Files) -> None:
    list_datasets(Store(old.audit))
    names = {(schema, view) for schema, view in ask(old.audit, "select schema_name, view_name from duckdb_views() where not internal")}
    assert names == {(file.folder, file.name) for folder in catalogue.VIEW_FOLDERS for file in catalogue.files(folder)}
    assert ask(old.audit, "select digest from main.loaded_view") == [(migrate.AUDIT.view_digest,)]


def test_a_view_that_changed_its_text_is_loaded_again(hospital_copy: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    view = written(tmp_path / "report" / "added.sql", VIEW + "create view report.added as select audit_id from result.audit")
    version_with(monkeypatch, "report", view)
    with Store(hospital_copy.audit).reading() as session:
        assert session.engine.rows("the view", "select * from report.added") == [(1,)]
    view.write_text(VIEW + "create view report.added as select audit_id + 1 as audit_id from result.audit")
    with Store(hospital_copy.audit).reading() as session:
        assert session.engine.rows("the view", "select * from report.added") == [(2,)]


def test_a_store_that_is_up_to_date_is_not_written_to(hospital_copy: Files) -> None:
    before = hospital_copy.audit.read_bytes(), hospital_copy.original.read_bytes()
    with Store(hospital_copy.audit).reading(truth=True):
        pass
    assert (hospital_copy.audit.read_bytes(), hospital_copy.original.read_bytes()) == before


def test_a_new_migration_is_applied_once_and_recorded(hospital_copy: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    number = len(catalogue.files("schema/audit")) + 1
    file = written(
        tmp_path / f"{number:04}_more.sql", "-- More.\ncreate table published.more (\n    i integer -- a number\n);\ninsert into published.more values (1);"
    )
    version_with(monkeypatch, "schema/audit", file)
    store = Store(hospital_copy.audit)
    for _ in range(2):
        list_datasets(store)
    assert ask(hospital_copy.audit, "select * from published.more") == [(1,)]
    assert ask(hospital_copy.audit, f"select name, digest from main.migration where number = {number}") == [(file.stem, SqlFile(file).digest)]
    assert ask(hospital_copy.audit, "select comment from duckdb_columns() where table_name = 'more'") == [("a number",)]


def test_a_migration_that_fails_is_named_and_leaves_the_file_as_it_was(hospital_copy: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    number = len(catalogue.files("schema/audit")) + 1
    good = written(tmp_path / f"{number:04}_good.sql", "create table published.good (i integer);")
    bad = written(
        tmp_path / f"{number + 1:04}_bad.sql", "delete from result.posterior; create table published.half (i integer); insert into published.half values ('x');"
    )
    before = contents(hospital_copy)
    version_with(monkeypatch, "schema/audit", good, bad)
    with pytest.raises(StoreError, match=rf"change {bad.stem} fails \(.*\)\. It was left as it was\.") as refused:
        list_datasets(Store(hospital_copy.audit))
    assert str(hospital_copy.audit) in str(refused.value)
    monkeypatch.undo()
    assert contents(hospital_copy) == before, "not even the change before it may stay: the version that made the store must be able to go on with it"
    assert len(list_datasets(Store(hospital_copy.audit))) == 1


@pytest.mark.parametrize(
    "text",
    ["create view report.broken as select nothing as audit_id from result.audit", "create view report.broken as select audit_id from result.gone"],
)
def test_a_view_that_cannot_be_loaded_is_refused_with_its_name(text: str, hospital_copy: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(hospital_copy)
    version_with(monkeypatch, "report", written(tmp_path / "report" / "broken.sql", VIEW + text))
    with pytest.raises(StoreError, match=r"view report\.broken cannot be loaded"):
        list_datasets(Store(hospital_copy.audit))
    monkeypatch.undo()
    assert contents(hospital_copy) == before


def test_a_view_over_a_column_that_a_migration_took_away_is_found_at_once(hospital_copy: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    number = len(catalogue.files("schema/audit")) + 1
    version_with(monkeypatch, "schema/audit", written(tmp_path / f"{number:04}_rename.sql", "alter table published.dataset rename column unit to of_what;"))
    version_with(monkeypatch, "report", written(tmp_path / "report" / "added.sql", VIEW + "create view report.added as select audit_id from result.audit"))
    with pytest.raises(StoreError, match=r"view \w+\.\w+ cannot be loaded"):
        list_datasets(Store(hospital_copy.audit))


@pytest.mark.parametrize("name", ["audit.duckdb", "my-store.db", "2026.duckdb", "weird name.duckdb", "dbaudit", "select.duckdb"])
def test_other_clients_can_open_the_file_under_any_name_and_query_every_view(name: str, hospital: Files, tmp_path: Path) -> None:
    path = Path(shutil.copy(hospital.audit, tmp_path / name))
    with duckdb.connect(str(path), read_only=True) as connection:
        for folder in catalogue.VIEW_FOLDERS:
            for view in catalogue.files(folder):
                connection.execute(f"select * from {folder}.{view.name}").fetchall()
        assert connection.execute("select count(*) from report.disclosure").fetchone() == (15,)
