"""`dbaudit check`: every check finds its damage, only that, and nothing in a store that is as it should be."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import duckdb
import pytest

from dbaudit import check_store
from dbaudit.store import Store
from dbaudit.store.catalogue import SqlFile, files
from tests.sql import stores

CHECKS = files("check")
# What the audits say of themselves after their answers were tampered with.
RECOUNT = """
update result.audit set
    cell_count = (select count(*) from result.posterior as p where p.audit_id = result.audit.audit_id),
    constraint_count = (
        select count(*) from result.audit_release as r inner join published.bucket_value as v on r.release_id = v.release_id
        where r.audit_id = result.audit.audit_id
    ),
    entropy_bits = (
        select sum(case when p.probability > 0 then -s.person_count * p.probability * log2(p.probability) else 0 end)
        from result.posterior as p inner join result.subject as s on p.audit_id = s.audit_id and p.subject_id = s.subject_id
        where p.audit_id = result.audit.audit_id
    );
"""
REPUBLICATION: dict[str, str] = {
    "adversary_missing": "delete from adversary.adversary where adversary = 'none'",
    "audit_dataset_missing": "update result.audit set dataset = 'gone' where audit_id = 1",
    "audit_entropy_wrong": "update result.audit set entropy_bits = 1 where audit_id = 1",
    "audit_input_wrong": "delete from result.audit_input where kind = 'release' and audit_id = 1",
    "audit_release_wrong": "update result.audit set releases = ['r1'] where audit_id = 1",
    "audit_running": "update result.audit set status = 'running', verdict = 'unknown', finished_at = null where audit_id = 1",
    "audit_size_wrong": "update result.audit set person_count = 1 where audit_id = 1",
    "audit_status_unknown": "update result.audit set status = 'odd', verdict = 'unknown' where audit_id = 1",
    "audit_time_wrong": "update result.audit set finished_at = started_at - interval 1 day where audit_id = 1",
    "audit_verdict_unknown": "update result.audit set verdict = 'odd' where audit_id = 1",
    "bound_out_of_range": "update result.bound set upper = 1.5 where subject_id = 1 and value = 'Flu'",
    "bound_twice": "insert into result.bound select * from result.bound where subject_id = 1 and value = 'Flu'",
    "bound_without_posterior": "insert into result.bound values (1, 1, '', 'Nothing', 0, 1)",
    "bound_wrong": "update result.bound set upper = 0.1 where subject_id = 1 and value = 'Flu'",
    "bucket_name_twice": "update published.bucket set bucket = '1' where bucket_id = 2",
    "bucket_size_wrong": "update published.bucket set member_count = 5 where bucket_id = 1",
    "bucket_value_not_positive": "update published.bucket_value set value_count = if(value = 'Flu', 3, 0) where bucket_id = 1 and value <> 'Pneumonia'",
    "bucket_value_twice": "update published.bucket_value set value_count = 1 where bucket_id = 1; insert into published.bucket_value values (1, 1, 'Flu', 1);"
    + RECOUNT,
    "bucket_value_wrong": "update published.bucket_value set release_id = 2 where bucket_id = 1 and value = 'Flu'",
    "certificate_missing": "update result.audit set max_residual = null where audit_id = 1",
    "certificate_too_large": "update result.audit set duality_gap = 'nan' where audit_id = 1",
    "column_role_unknown": "update published.dataset_column set role = 'other' where role = 'id'",
    "column_twice": "insert into published.dataset_column values (1, 3, 'ZIP', 'qi')",
    "conflict_of_solved": "insert into result.conflict values (1, 'release r1, bucket 1, Flu')",
    "dataset_columns_wrong": "update published.dataset_column set position = 7 where column_name = 'zip'",
    "dataset_missing": "insert into published.domain_value values (99, 'Flu', 'microdata')",
    "finding_person_missing": "insert into result.finding values (1, 'rule', 999, 'Flu', 1, 1); update result.audit set verdict = 'breach' where audit_id = 1",
    "finding_wrong": "insert into result.finding values (1, 'rule', 1, 'Flu', 1, 0.5)",
    "key_twice": "insert into published.qi select qi_id, dataset_id, 'another', qi from published.qi where qi_id = 1",
    "loaded_view_wrong": "delete from main.loaded_view",
    "member_unknown": "update published.member set qi_id = 999 where person_id = 7",
    "metric_release_missing": "insert into result.metric values (1, 'r9', 'accuracy', null, 1, null)",
    "microdata_load_missing": "delete from original.main.microdata",
    "microdata_load_unknown": "insert into original.main.microdata values ('torn', 1, 'Flu')",
    "microdata_person_missing": "insert into original.main.microdata select load_id, 999, value from original.main.microdata limit 1",
    "microdata_twice": "insert into original.main.microdata select * from original.main.microdata limit 1",
    "microdata_value_missing": "update original.main.microdata set value = 'Plague' where person_id = 1",
    "migration_gap": "update main.migration set number = 1 + (select max(number) from main.migration) where number = (select max(number) from main.migration)",
    "multiplier_not_finite": "update result.multiplier set multiplier = 'nan' where constraint_key = 'release r1, bucket 1, Flu'",
    "multiplier_twice": "insert into result.multiplier select * from result.multiplier limit 1",
    "person_name_twice": "update published.person set person = '1' where person = '2'",
    "person_unused": "insert into published.person values (999, 1, null, 'nobody', null)",
    "population_source_wrong": "update published.dataset set population_digest = null",
    "population_twice": "insert into published.population select * from published.population limit 1",
    "population_wrong": "update published.population set qi_id = 999 where person_id = 1",
    "posterior_forced_wrong": "update result.posterior set is_forced = true where audit_id = 2 and subject_id = 1",
    "posterior_missing": "delete from result.posterior where audit_id = 2 and subject_id = 1;" + RECOUNT,
    "posterior_out_of_range": "update result.posterior set probability = if(value = 'Flu', 1.25, -0.125) where audit_id = 2 and subject_id = 1;" + RECOUNT,
    "posterior_sum_wrong": "update result.posterior set probability = 0.3 where audit_id = 2 and subject_id = 1 and value = 'Flu';" + RECOUNT,
    "posterior_twice": "update result.posterior set probability = 0.25 where audit_id = 2 and subject_id = 1;"
    "insert into result.posterior select * from result.posterior where audit_id = 2 and subject_id = 1 and value = 'Flu';" + RECOUNT,
    "qi_tuple_twice": "update published.qi set tuple = (select q.tuple from published.qi as q where q.qi_id = 1) where qi_id = 2",
    "qi_unused": "insert into published.qi select 999, dataset_id, 'another', qi from published.qi where qi_id = 1",
    "release_count_wrong": "update published.release set record_count = 99 where release_id = 1",
    "release_form_unknown": "update published.release set form = 'odd' where release_id = 1",
    "release_name_twice": "update published.release set release = 'r1'; update result.audit_input set name = 'r1' where name = 'r2';"
    "update result.audit set releases = ['r1', 'r1'] where audit_id = 1",
    "release_state_unknown": "update published.release set state = 'odd' where release_id = 1",
    "result_without_audit": "insert into result.metric values (99, null, 'accuracy', null, 1, null)",
    "store_id_wrong": "update original.main.store set store_id = 'another'",
    "subject_bucket_wrong": "update result.subject_person set subject_id = case person_id when 1 then 2 when 5 then 1 else subject_id end where audit_id = 2",
    "subject_missing": "insert into result.posterior values (1, 99, '', 'Flu', 1, false);" + RECOUNT,
    "subject_person_twice": "update result.subject_person set person_id = 2 where person_id = 1 and audit_id = 2",
    "subject_person_unknown": "update result.subject_person set qi_id = 999 where person_id = 1 and audit_id = 2",
    # Subjects 2 and 3 of the first release alone have the same entropy, so that only their sizes are wrong.
    "subject_size_wrong": "update result.subject set person_count = if(subject_id = 2, 4, 2) where audit_id = 2 and subject_id in (2, 3)",
    "unit_unknown": "update published.release set unit = 'row' where release_id = 1",
}
ELSEWHERE: dict[str, tuple[str, str]] = {
    "answer_of_unsolved": ("contradiction", "insert into result.multiplier values (1, 'release r1, bucket 1, Flu', 0)"),
    "audit_verdict_wrong": ("contradiction", "update result.audit set verdict = 'pass' where audit_id = 1"),
    "dataset_name_twice": ("two_datasets", "update published.dataset set dataset = 'patients'; update result.audit set dataset = 'patients'"),
    "domain_source_unknown": ("generalized", "update published.domain_value set source = 'guessed' where value = 'Hepatitis'"),
    "domain_value_missing": ("generalized", "delete from published.domain_value where value = 'Cancer'"),
    "domain_value_twice": ("generalized", "insert into published.domain_value values (1, 'Flu', 'declared')"),
    "hierarchy_column_wrong": ("coarse", "insert into published.hierarchy select * from published.hierarchy"),
    "hierarchy_wrong": ("coarse", "delete from published.hierarchy_node where leaf = 'Flu' and level = 1"),
    "link_unknown": ("linked", "update published.dataset set link = 'name'"),
    "linked_person_wrong": ("linked", "update result.linked_person set record_person_id = 999"),
    "member_elsewhere": ("anatomy", "update published.person set release_id = 1, person = 'another' where person_id = 6"),
    "member_twice": ("anatomy", "update published.member set person_id = 6 where person_id = 7; delete from published.person where person_id = 7"),
    "person_identity_wrong": ("changed", "update published.person set identity = '9' where person = '2#2'"),
    "person_release_missing": ("no_id", "update published.person set release_id = 99 where person = 'population#1'"),
    "release_truth_wrong": ("changed", "delete from original.main.microdata where person_id = 1"),
    "value_leaf_wrong": ("coarse", "insert into result.value_leaf select * from result.value_leaf limit 1"),
    "value_part_missing": ("two_columns", "delete from published.value_part where value = 'disease=Flu; income=low' and column_name = 'income'"),
    "value_part_twice": ("two_columns", "insert into published.value_part select * from published.value_part limit 1"),
}
# What an audit assumed: four kinds of rows that say together what a statement meant.
KNOWING: dict[str, list[str]] = {
    "statement_wrong": [
        "update adversary.statement set adversary = 'nobody' where statement_id = 1",
        "update adversary.statement set adversary = 'none' where statement_id = 1",
        "update adversary.statement set statement = ' ' where statement_id = 1",
    ],
    "audit_statement_wrong": [
        "update result.audit_statement set lower = null, upper = null where statement_id = 1",
        "update result.audit_statement set lower = 0.5 where statement_id = 1",
        "update result.audit_statement set upper = 'infinity' where statement_id = 4",
        "update result.audit set adversary = 'none' where audit_id = 1",
        "delete from result.statement_term where statement_id = 1; delete from result.statement_value where statement_id = 1;"
        "delete from result.statement_qi where statement_id = 1",
    ],
    "statement_term_wrong": [
        "update result.statement_term set person_count = 7 where statement_id = 1",
        "update result.statement_term set coefficient = 0 where statement_id = 1",
        "insert into result.statement_term select * from result.statement_term where statement_id = 1",
        "delete from result.statement_qi where statement_id = 1",
        "delete from result.statement_person where statement_id = 4",
        "update result.statement_term set person_count = 9 where statement_id = 5 and matched_by = 'everybody'",
        "insert into result.statement_term values (1, 99, 1, 1, true, 'person', 0, null, false)",
    ],
    "statement_match_wrong": [
        "insert into result.statement_value select * from result.statement_value where statement_id = 1",
        "insert into result.statement_value values (1, 1, 9, 'Flu')",
        "insert into result.statement_person values (1, 1, 1, 1)",
    ],
    "audit_input_wrong": ["update result.audit_statement set statement = 'another' where statement_id = 1"],
}
# Rules that were mined, and the sweep over them.
MINED: dict[str, list[str]] = {
    "rule_wrong": [
        "update adversary.rule set adversary = 'nobody'",
        "update adversary.rule set adversary = 'none'",
        "update adversary.rule set value_count = 9 where rule_id = 1",
        "update adversary.rule set support = 4 where rule_id = 5",
        "update adversary.rule set confidence = 0.6 where rule_id = 1",
        "update adversary.rule set rank = 0 where rule_id = 1",
        "delete from adversary.rule_item where rule_id = 1",
        "insert into adversary.rule_item values (1, 'degree', 'college')",
    ],
    "rule_twice": [
        "update adversary.rule set rank = 1 where rule_id = 2",
        "insert into adversary.statement values (1, 1, 'default', 'P(disease = ''Flu'') = 0.3', timestamp '2026-01-01')",
    ],
    "rule_item_missing": [
        "insert into adversary.rule_item values (99, 'gender', 'male')",
        "update adversary.rule_item set column_name = 'disease' where rule_id = 1",
    ],
    "sweep_wrong": [
        "update result.sweep set positive_count = 3 where bound = 4",
        "update result.sweep set negative_count = 3 where bound = 4",
        "update result.sweep set positive_count = 0, negative_count = 0 where bound = 4",
        "insert into result.sweep values (2, 3, 2, 1, 1)",
        "update result.sweep set bound = 4 where bound = 2",
    ],
    "result_without_audit": ["insert into result.sweep values (9, 99, 0, 0, 0)"],
    "audit_input_wrong": ["delete from result.audit_input where kind = 'rules' and audit_id = 1"],
    "statement_term_wrong": ["update result.statement_term set over_release_id = 7 where audit_id = 1 and statement_id = 1"],
}
# Persons who are named: who they are, which records each may be, and what follows from that.
NAMED: dict[str, list[str]] = {
    "named_person_wrong": [
        "update adversary.named_person set person = 'Ali' where person = 'Alice'",
        "insert into adversary.named_person select * from adversary.named_person where person = 'Alice'",
        """update adversary.named_person set qi = '{"age":"31"}' where person = 'Alice'""",
        "update adversary.named_person set qi = 'torn' where person = 'Alice'",
    ],
    "named_qi_wrong": [
        "insert into result.named_qi select * from result.named_qi limit 1",
        "insert into result.named_qi select audit_id, person_id, 999 from result.named_qi limit 1",
    ],
    "pool_wrong": [
        "update result.pool_subject set person_count = 9 where kind = 'other' and audit_id = 1",
        "delete from result.standing where audit_id = 1 and place = '2'",
        "update result.standing set place = 'elsewhere' where audit_id = 1 and place = '2'",
        "update result.named_person set person_id = 1 where audit_id = 1",
        "insert into result.named_person values (1, 1, 1)",
        "update result.subject set kind = 'person' where audit_id = 1",
    ],
    "audit_input_wrong": ["delete from result.audit_input where kind = 'person' and name = 'Alice'"],
    "result_without_audit": ["insert into result.named_person values (99, 1, 1)"],
    "posterior_missing": ["delete from result.posterior where audit_id = 1 and subject_id = 11"],
}
NAMED_BESIDE: dict[str, set[str]] = {
    NAMED["result_without_audit"][0]: {"pool_wrong"},
    NAMED["posterior_missing"][0]: {"audit_size_wrong", "bound_without_posterior"},
    NAMED["pool_wrong"][5]: {"audit_size_wrong"},
}
# A bucket in the wrong place is never alone: counts that rest on it are wrong too.
ENTANGLED: dict[str, tuple[str, str, set[str]]] = {
    "bucket_release_missing": ("anatomy", "insert into published.bucket values (99, 99, 'c', 1)", {"bucket_size_wrong"}),
    "member_wrong": ("anatomy", "update published.member set bucket_id = 1 where person_id = 6", {"bucket_size_wrong"}),
}
# One schedule with a run that found something, as it should be; each damage is done on top of it.
SCHEDULED = """
insert into schedule.schedule values
    (1, 'weekly', 'patients', '0 6 * * 1', 'UTC', 'default', 0.8, null, 'true', 60, timestamp '2026-01-01', timestamp '2026-01-12', null);
insert into schedule.run values (1, 1, 'due', timestamp '2026-01-05', timestamp '2026-01-05', timestamp '2026-01-05', 'finished', 'process 1', null);
insert into schedule.judgement values (1, null, 99, false, 'breach', 1, 'd', 'k', 'one finding');
insert into schedule.breach values ('k', 1, 1, null, 'd', 1, 'told', 1, timestamp '2026-01-05', 0, null);
insert into schedule.event values (1, 1, 1, timestamp '2026-01-05', timestamp '2026-01-05', 'r.toml', 'd', 'waiting', 'r', null, 'not there yet', 1);
"""
SCHEDULE: dict[str, list[str]] = {
    "schedule_wrong": [
        "update schedule.schedule set max_probability = 1.5",
        "update schedule.schedule set breach_timeout = 0",
        "insert into schedule.schedule select 2, * exclude (schedule_id) from schedule.schedule",
    ],
    "schedule_run_wrong": [
        "insert into schedule.run select 2, 99, * exclude (run_id, schedule_id) from schedule.run",
        "update schedule.run set status = 'done'",
        "update schedule.run set finished_at = null",
        "update schedule.run set due_at = null",
        "update schedule.run set finished_at = timestamp '2026-01-04'",
        "update schedule.run set status = 'failed'",
    ],
    "schedule_judgement_wrong": [
        "insert into schedule.judgement values (99, null, null, false, 'unknown', 0, 'd', null, 'torn')",
        "insert into schedule.judgement values (1, 'r2', 1, false, 'pass', 0, null, null, null)",  # the audit is unjudged
        "insert into schedule.judgement values (1, 'r2', null, false, 'pass', 0, null, null, null)",
        "insert into schedule.judgement select * from schedule.judgement",
    ],
    "schedule_breach_wrong": [
        "insert into schedule.breach values ('l', 1, 1, 'r2', 'd', 1, 'pending', 0, null, null, null)",
        "update schedule.breach set status = 'odd'",
        "update schedule.breach set exit_code = 1",
    ],
    "schedule_untold": [
        "insert into schedule.judgement values (1, 'r2', null, false, 'unknown', 0, 'e', null, 'no answer')",
        "update schedule.breach set status = 'void'; update schedule.judgement set audit_id = null, verdict = 'unknown'",  # nothing was removed
    ],
    "schedule_event_wrong": [
        "update schedule.event set schedule_id = 99",
        "update schedule.event set state = 'registered'",
        "update schedule.event set last_at = timestamp '2025-01-01'",
    ],
}
DAMAGE: list[tuple[str, str, str, set[str]]] = [
    *((check, "republication", damage, {check}) for check, damage in REPUBLICATION.items()),
    *((check, fixture, damage, {check}) for check, (fixture, damage) in ELSEWHERE.items()),
    *((check, fixture, damage, {check, *others}) for check, (fixture, damage, others) in ENTANGLED.items()),
    *((check, "knowing", damage, {check}) for check, damages in KNOWING.items() for damage in damages),
    *((check, "mined", damage, {check}) for check, damages in MINED.items() for damage in damages),
    *((check, "named", damage, {check, *NAMED_BESIDE.get(damage, ())}) for check, damages in NAMED.items() for damage in damages),
    *((check, "republication", SCHEDULED + damage, {check}) for check, damages in SCHEDULE.items() for damage in damages),
]


@pytest.fixture(scope="module")
def opened(tmp_path_factory) -> Iterator[Callable[[str], duckdb.DuckDBPyConnection]]:
    """Copies of stores on plain connections, with the checks prepared: each damage is done in a transaction and undone."""
    connections: dict[str, duckdb.DuckDBPyConnection] = {}

    def open_copy(fixture: str) -> duckdb.DuckDBPyConnection:
        if fixture not in connections:
            copied = stores.copy(fixture, tmp_path_factory.mktemp(fixture))
            connection = connections[fixture] = duckdb.connect(":memory:")
            connection.execute(f"attach '{copied.files.audit}' as audit")
            connection.execute(f"attach '{copied.files.original}' as original")
            connection.execute("use audit")
            for check in CHECKS:
                connection.execute(f"prepare {check.name} as {check.text}")
        return connections[fixture]

    yield open_copy
    for connection in connections.values():
        connection.close()


@contextmanager
def damaged(connection: duckdb.DuckDBPyConnection, damage: str) -> Iterator[None]:
    connection.execute("begin transaction")
    try:
        connection.execute(damage)
        yield
    finally:
        connection.execute("rollback")


def concerned(damage: str) -> list[SqlFile]:
    """The checks that read something which the damage mentions: to the others nothing has changed."""
    mentioned = set(re.findall(r"\b(?:update|into|from) ([a-z_.]+)", damage))
    assert mentioned
    return [check for check in CHECKS if check.reads & mentioned]


@pytest.mark.parametrize(("check", "fixture", "damage", "reported"), DAMAGE, ids=[case[0] for case in DAMAGE])
def test_a_check_finds_its_damage_and_no_other_does(check, fixture, damage, reported, opened):
    connection = opened(fixture)
    with damaged(connection, damage):
        assert {found.name for found in concerned(damage) if connection.execute(f"execute {found.name}").fetchall()} == reported


def test_every_check_has_a_damage_to_find():
    assert sorted({case[0] for case in DAMAGE}) == [check.name for check in CHECKS]


@pytest.mark.parametrize("fixture", stores.BUILDERS)
def test_a_store_as_it_should_be_has_no_findings(fixture):
    report = check_store(stores.store(fixture))
    assert report.found == []
    assert report.checked == [check.name for check in CHECKS]


def test_a_finding_says_what_is_wrong_how_often_and_where(tmp_path):
    copied = stores.copy("republication", tmp_path)
    with duckdb.connect(str(copied.files.audit)) as connection:
        connection.execute("update published.release set record_count = record_count + 1")
    (found,) = check_store(Store(copied.files.audit)).found
    assert (found["check"], found["count"]) == ("release_count_wrong", 2)
    assert found["what"] == "Releases that say another number of records or buckets than they have."
    assert "r1" in found["example"] or "r2" in found["example"]


def test_every_table_is_looked_at_by_some_check():
    read = {name for check in CHECKS for name in check.reads}
    tables = set()
    for prefix, path in (("", stores.store("empty").files.audit), ("original.", stores.store("empty").files.original)):
        with duckdb.connect(str(path), read_only=True) as connection:
            found = connection.execute("select schema_name, table_name from duckdb_tables()").fetchall()
        tables |= {f"{prefix}{schema}.{table}" for schema, table in found}
    assert tables <= read


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_a_check_is_one_query_that_says_what_it_looks_for(check):
    assert list(check.header) == ["What", "Note"]
    assert [line.split(":")[0] for line in check.text.splitlines()[:2]] == ["-- What", "-- Note"]
    (statement,) = check.statements
    assert statement.key in ("select", "union")
    assert check.parameters == frozenset()
