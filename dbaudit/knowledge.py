"""What an adversary is assumed to know beside the publications: keep statements, and tell an audit what each of them means in its scope."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from dbaudit import person
from dbaudit.dataset import Dataset, find_dataset
from dbaudit.engine import EngineError
from dbaudit.errors import InputRejected, UsageError
from dbaudit.language import statement as language
from dbaudit.language.statement import PERSON, Columns, Statement, parse_statement
from dbaudit.spec import checked_name
from dbaudit.store import Session, Store

_ALWAYS_THERE = ("default", "none")
_KEPT_BY = {"qi": "write/statement_qi", "person": "write/statement_person"}
_LARGEST_FILE = 10_000_000


@dataclass(frozen=True)
class Known:
    """A statement that was stored, with remarks for whoever wrote it."""

    statement_id: int
    dataset: str
    adversary: str
    statement: str
    remarks: list[str] = field(default_factory=list)


# -- statements


def add_statement(store: Store, dataset: str, text: str, adversary: str = "default") -> Known:
    """Let an adversary know a statement about a dataset. It counts in every later audit that assumes this adversary."""
    with store.writing() as session:
        found = may_know(session, dataset, adversary)
        return _add(session, found, parse_statement(text, _columns(found)), adversary)


def import_statements(store: Store, dataset: str, file: Path, adversary: str = "default") -> list[Known]:
    """Let an adversary know every statement of a text file, one a line: all of them, or none if one is wrong.

    Empty lines and comments (-- or # at the beginning of a line, -- behind a statement) are skipped.
    """
    written = read_statements(file)
    with store.writing() as session:
        return add_read(session, may_know(session, dataset, adversary), written, file.name, adversary)


def read_statements(file: Path) -> list[tuple[int, str]]:
    """The lines of a text file that hold a statement, each with its number."""
    try:
        if file.stat().st_size > _LARGEST_FILE:
            raise InputRejected(f"{file} is too large for a list of statements ({_LARGEST_FILE // 1_000_000} MB at most). Nothing was stored.")
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise InputRejected(f"{file} is not a text file in UTF-8. Nothing was stored.") from None
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {(error.strerror or str(error)).lower()}.") from None
    written = [(number, line) for number, line in enumerate(lines, 1) if line.strip() and not line.lstrip().startswith(("#", "--"))]
    if not written:
        raise InputRejected(f"{file.name} holds no statement. Write one on each line. Nothing was stored.")
    return written


def add_read(session: Session, dataset: Dataset, written: list[tuple[int, str]], source: str, adversary: str) -> list[Known]:
    """Store statements that were read from a file, in a session that is open."""
    known = []
    for number, line in written:
        try:
            known.append(_add(session, dataset, parse_statement(line, _columns(dataset)), adversary))
        except UsageError as error:
            raise UsageError(f"{source}, line {number}: {error}\nNothing was stored.") from None
    return known


def list_statements(store: Store, dataset: str | None = None, adversary: str | None = None) -> list[dict[str, Any]]:
    """The statements in order of entry; of one dataset and of one adversary if these are named."""
    with store.reading() as session:
        dataset_id = find_dataset(session, dataset).dataset_id if dataset is not None else None
        if adversary is not None:
            find_adversary(session, adversary)
        return session.rows("read/statement", dataset_id=dataset_id, adversary=adversary)


def show_statement(store: Store, statement_id: int) -> dict[str, Any]:
    """A statement, or a mined rule, with its parts, and the audits that assumed it."""
    with store.reading() as session:
        row = _find_statement(session, statement_id)
        parsed = parse_statement(row["statement"], _columns(find_dataset(session, row["dataset"])))
        terms = [{"coefficient": term.coefficient, "kind": term.kind, "event": term.event, "condition": term.condition} for term in parsed.terms]
        used = session.rows("read/statement_use", statement_id=statement_id)
        return {**row, "lower": parsed.lower, "upper": parsed.upper, "terms": terms, "audits": used}


def remove_statement(store: Store, statement_id: int) -> None:
    """Forget a statement, or a mined rule. Audits that assumed it keep what it meant to them."""
    with store.writing() as session:
        _find_statement(session, statement_id)
        session.engine.run("forget the statement", "delete from adversary.statement where statement_id = ?", [statement_id])
        session.engine.run("forget the rule", "delete from adversary.rule where rule_id = ?", [statement_id])
        session.run("write/sweep_rule_item")


# -- adversaries


def add_adversary(store: Store, name: str, remark: str | None = None) -> None:
    """Name a bundle of knowledge. It begins empty."""
    with store.writing() as session:
        name_adversary(session, name, remark)


def name_adversary(session: Session, name: str, remark: str | None) -> None:
    """The same in a session that is open."""
    checked_name("adversary", name)
    if name in _adversaries(session):
        raise UsageError(f"there is an adversary {name} already. Choose another name, or add to what it knows: dbaudit knowledge add --adversary {name}")
    session.engine.run("adversary", "insert into adversary.adversary values (?, ?)", [name, remark])


def list_adversaries(store: Store) -> list[dict[str, Any]]:
    """All adversaries, with how much each knows."""
    with store.reading() as session:
        return session.rows("read/adversary")


def show_adversary(store: Store, name: str) -> dict[str, Any]:
    """One adversary with all that it knows."""
    with store.reading() as session:
        find_adversary(session, name)
        (row,) = [row for row in session.rows("read/adversary") if row["adversary"] == name]
        return {
            **row,
            "statements": session.rows("read/statement", dataset_id=None, adversary=name),
            "strongest_rules": session.rows("read/strongest_rule", adversary=name),
        }


def remove_adversary(store: Store, name: str) -> None:
    """Forget an adversary and all that it knows. Audits that assumed it stay as they are."""
    with store.writing() as session:
        find_adversary(session, name)
        if name in _ALWAYS_THERE:
            raise UsageError(f"the adversary {name} always exists. Remove single statements instead: dbaudit knowledge remove ID")
        scheduled = session.engine.rows("schedules", "select schedule from schedule.schedule where adversary = ? order by schedule", [name])
        if scheduled:
            raise UsageError(f"the schedule {scheduled[0][0]} assumes the adversary {name}. Remove that first: dbaudit schedule remove {scheduled[0][0]}")
        for table in ("statement", "rule", "adversary"):
            session.engine.run("forget the adversary", f"delete from adversary.{table} where adversary = ?", [name])
        session.run("write/sweep_rule_item")


# -- in an audit


def inputs(session: Session, dataset: Dataset, adversary: str) -> list[tuple[str, str, str]]:
    """What an audit reads that assumes an adversary: kind, name and digest of each statement."""
    rows = session.rows("read/statement", dataset_id=dataset.dataset_id, adversary=adversary)
    return [("statement", str(row["statement_id"]), hashlib.sha256(row["statement"].encode()).hexdigest()) for row in rows]


def assume(session: Session, audit_id: int, dataset: Dataset, adversary: str) -> int:
    """Fix what the statements of an adversary mean in an audit: whom each term speaks of, and which values it counts. Returns how many there are.

    Runs before the subjects are known, because conditions tell persons apart, and after it was fixed whose records named persons may be. Follows
    write/statement_scope and write/statement_tuple.
    """
    rows = session.rows("read/statement", dataset_id=dataset.dataset_id, adversary=adversary)
    if not rows:
        return 0
    statements = {row["statement_id"]: parse_statement(row["statement"], _columns(dataset)) for row in rows}
    session.run("write/statement_part", audit_id=audit_id, dataset_id=dataset.dataset_id)
    ground = _Ground(session, dataset, list(statements.values()))
    ground.refuse_strangers(audit_id)
    ground.refuse_denials()
    for statement_id, statement in statements.items():
        key: dict[str, Any] = {"audit_id": audit_id, "statement_id": statement_id}
        session.run("write/audit_statement", **key, statement=statement.text, lower=statement.lower, upper=statement.upper)
        for number, term in enumerate(statement.terms, 1):
            ground.match_values(statement, number - 1)
            session.run("write/statement_value", **key, term=number)
            matched_by = ground.match_persons(statement, number - 1, audit_id)
            if matched_by != "everybody":
                session.run(_KEPT_BY[matched_by], **key, term=number)
            session.run("write/statement_term", **key, term=number, coefficient=term.coefficient, is_count=term.kind == "count", matched_by=matched_by)
    for row in session.rows("read/undefined_term", audit_id=audit_id):
        statement = statements[row["statement_id"]]
        nobody = statement.terms[row["term"] - 1].condition
        raise statement.wrong(f"nobody in scope meets {nobody}, so that this comparison has no meaning here: change or remove knowledge {row['statement_id']}")
    return len(statements)


def idle(session: Session, audit_id: int, *, is_all_closed: bool) -> tuple[list[str], list[str]]:
    """The statements of an audit that count nobody and nothing: those that cannot hold therefore, and those that hold anyhow. `idle_row` is lent."""
    rows = session.rows("read/idle_statement", audit_id=audit_id, is_all_closed=is_all_closed)
    return [row["constraint_key"] for row in rows if not row["is_vacuous"]], [row["constraint_key"] for row in rows if row["is_vacuous"]]


@dataclass(frozen=True)
class _Ground:
    """What statements are held against: `statement_tuple`, `statement_part` and, in an audit, `statement_scope`."""

    session: Session
    dataset: Dataset
    statements: list[Statement]

    def match_values(self, statement: Statement, term: int) -> None:
        """Put the values that a term counts into `statement_match`."""
        self._match(statement, language.matching(statement.terms[term].event_tree, "statement_typed_value", "value", self._values, self._finer), self._values)

    def match_persons(self, statement: Statement, term: int, audit_id: int | None = None) -> str:
        """Put those of whom a term speaks into `statement_match`, and say what they are: everybody (nothing is put there), qi or person."""
        condition = statement.terms[term].condition_tree
        if condition is None:
            return "everybody"
        if statement.terms[term].names_persons:
            names = {**self._tuples, PERSON: ("person", "person")}
            by_name = self._by_name(statement.terms[term])
            relation = self._everybody if by_name else self._named
            self._match(statement, language.matching(condition, relation, "person_id", names, self._finer), self._tuples)
            if by_name:
                self._refuse_somebody_else(statement, term, by_name[0], audit_id)
            return "person"
        self._match(statement, language.matching(condition, "statement_typed", "qi_id", self._tuples, self._finer), self._tuples)
        return "qi"

    def refuse_strangers(self, audit_id: int) -> None:
        """A name that nobody in scope has would make a statement mean nothing."""
        for statement in self.statements:
            for term in statement.terms:
                lacking = self.session.rows("read/statement_person_scope", audit_id=audit_id, persons=list(term.persons)) if term.persons else []
                for mention in term.mentions() if lacking else ():
                    if mention.column == PERSON and mention.text == lacking[0]["person"]:
                        if mention.text in self._given_names:
                            releases = self.session.engine.value("releases", "select count(*) from result.audit_release where audit_id = ?", [audit_id])
                            raise statement.wrong(
                                f"{mention.text} is somebody whom you named: {person.only_one(releases)}. Choose it with --releases NAME", mention.start
                            )
                        near = self.session.rows("read/nearest_person", dataset_id=self.dataset.dataset_id, person=mention.text)
                        listed = ", ".join(row["person"] for row in near)
                        raise statement.wrong(f"nobody in scope is called {mention.text}. Names most like it: {listed}.", mention.start)

    def refuse_denials(self) -> None:
        """Whoever is not a named person may have his record: what is said of everybody else cannot be counted."""
        for statement in self.statements:
            for term in statement.terms:
                for mention in self._by_name(term):
                    if mention.is_negated:
                        raise statement.wrong(f"nobody knows which record is that of {mention.text}, so that nothing can be said of all others", mention.start)

    def _by_name(self, term: language.Term) -> list[language.Mention]:
        """Where a condition mentions somebody who was named."""
        return [mention for mention in term.mentions() if mention.column == PERSON and not mention.is_event and mention.text in self._given_names]

    def _refuse_somebody_else(self, statement: Statement, term: int, mention: language.Mention, audit_id: int | None) -> None:
        """A condition that mentions a named person speaks of nobody but those whom it mentions; and not of records of which one may be his."""
        mentioned = list(statement.terms[term].persons)
        for row in self.session.rows("read/statement_somebody_else", audit_id=audit_id, persons=mentioned):
            if row["is_mentioned"]:
                message = f"{row['person']} may be the record of {row['named_person']}, who would then count twice: say it of each in a term of its own"
            else:
                message = (
                    f"the condition names {mention.text}, and {row['person']} meets it, too, whose record may be that of {mention.text} or of somebody else "
                    "who was named: name everybody who is meant, or nobody"
                )
            raise statement.wrong(message, mention.start)

    def remarks(self) -> list[str]:
        """What nobody has so far, of all that the statements mention: mostly a matter of spelling."""
        found = []
        for mention in dict.fromkeys(mention for statement in self.statements for term in statement.terms for mention in term.mentions()):
            known = self._known(mention)
            if known is not None and mention.text not in known:
                near = language.nearest(mention.text, known)
                whose = "nobody is called" if mention.column == PERSON and not mention.is_event else f"{mention.column} is never"
                found.append(f"{whose} {mention.text} in anything that was registered so far." + (f" Most like it: {', '.join(near)}." if near else ""))
        return found

    def try_out(self) -> None:
        """Refuse a statement that the engine cannot evaluate on what was registered so far; where nothing was, that is left to the audits."""
        engine = self.session.engine
        has_values, has_tuples = (engine.value("any", f"select count(*) > 0 from {table}") for table in ("statement_part", "statement_tuple"))
        for statement in self.statements:
            for number, term in enumerate(statement.terms):
                if has_values:
                    self.match_values(statement, number)
                if has_tuples and term.condition_tree is not None and not term.names_persons and not self._is_mixed(language.columns_of(term.condition_tree)):
                    self.match_persons(statement, number)

    def _match(self, statement: Statement, query: str, names: dict[str, tuple[str, str]]) -> None:
        try:
            self.session.engine.run("statement", f"create or replace temp table statement_match as {query}")
        except EngineError as error:
            reason = error.reason
            for name, (typed, text) in names.items():
                reason = reason.replace(typed, name).replace(text, name)
            raise statement.wrong(f"this cannot be evaluated: {reason.removesuffix('.')}") from error

    @cached_property
    def _kinds(self) -> dict[str, list[str]]:
        """The kinds of values of each quasi-identifier that is looked at."""
        trees = [term.condition_tree for statement in self.statements for term in statement.terms if term.condition_tree is not None]
        looked_at = sorted({name for tree in trees for name in language.columns_of(tree)} & set(self.dataset.quasi_identifiers))
        return {name: [kind for (kind,) in self.session.engine.rows("kinds", language.kinds_of_field(name))] for name in looked_at}

    @cached_property
    def _types(self) -> dict[str, str]:
        """The type in which each of these quasi-identifiers is compared."""
        types = {name: language.type_of_kinds(kinds) for name, kinds in self._kinds.items()}
        return {name: self.session.engine.value("type", language.type_of_texts(name)) if kind == "VARCHAR" else kind for name, kind in types.items()}

    def _is_mixed(self, columns: Iterable[str]) -> bool:
        """Whether a quasi-identifier is exact in one release and a range in another: what an audit will see is not known yet."""
        return any(
            self._types[name] == "VARCHAR" and any(kind not in ("VARCHAR", "VARIANT_NULL") for kind in kinds)
            for name, kinds in self._kinds.items()
            if name in columns
        )

    @cached_property
    def _tuples(self) -> dict[str, tuple[str, str]]:
        """The columns of `statement_typed`, which is made here, once for all statements."""
        names = _names(self._kinds)
        self.session.engine.run("quasi-identifiers", f"create or replace temp table statement_typed as {language.typed_tuples(self._types, names)}")
        return names

    @cached_property
    def _values(self) -> dict[str, tuple[str, str]]:
        """The columns of `statement_typed_value`, which is made here, once for all statements."""
        names = _names(self.dataset.sensitive)
        known = {row["column_name"]: row["type"] for row in self.session.rows("read/statement_part_type")}
        types = {name: known.get(name, "VARCHAR") for name in self.dataset.sensitive}
        self.session.engine.run("values", f"create or replace temp table statement_typed_value as {language.typed_values(types, names)}")
        return names

    @cached_property
    def _named(self) -> str:
        self.session.run("write/statement_named")
        return "statement_named"

    @cached_property
    def _everybody(self) -> str:
        """The persons of the records, and beside them those who are named."""
        named = language.typed_names(self._types, self._tuples)
        self.session.engine.run("names", f"create or replace temp view statement_everybody as select * from {self._named} union all by name {named}")
        return "statement_everybody"

    @cached_property
    def _given_names(self) -> frozenset[str]:
        return frozenset(person.names(self.session, self.dataset))

    @cached_property
    def _finer(self) -> dict[tuple[str, str], list[str]]:
        rows = self.session.rows("read/finer_value", dataset_id=self.dataset.dataset_id)
        return {(row["column_name"], row["node"]): row["leaves"] for row in rows}

    def _known(self, mention: language.Mention) -> list[str] | None:
        """The texts that a column has; None where nothing is known yet, or where the column does not hold text."""
        engine = self.session.engine
        if mention.is_event:
            rows = engine.rows("parts", "select distinct part from statement_part where column_name = ?", [mention.column])
        elif mention.column in self._kinds:
            rows = engine.rows("texts", language.texts_of_field(mention.column)) if self._types[mention.column] == "VARCHAR" else []
        else:
            unknown = self.session.rows("read/statement_person_known", dataset_id=self.dataset.dataset_id, persons=[mention.text])
            rows = (
                [(row["person"],) for row in self.session.rows("read/nearest_person", dataset_id=self.dataset.dataset_id, person=mention.text)]
                if unknown
                else []
            )
        return [text for (text,) in rows if text is not None] or None


def _names(columns: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Names of our own for users' columns: one for the typed column, one for its text."""
    return {name: (f"typed_{number}", f"text_{number}") for number, name in enumerate(columns)}


def _columns(dataset: Dataset) -> Columns:
    return Columns(dataset.sensitive, dataset.quasi_identifiers)


def may_know(session: Session, dataset: str, adversary: str) -> Dataset:
    """The dataset that an adversary shall know something of; raises UsageError where either does not exist, or must know nothing."""
    found = find_dataset(session, dataset)
    find_adversary(session, adversary)
    if adversary == "none":
        raise UsageError("the adversary none knows only what was published. Give the knowledge to another one: --adversary NAME")
    return found


def _add(session: Session, dataset: Dataset, statement: Statement, adversary: str) -> Known:
    session.run("write/statement_dataset_tuple", dataset_id=dataset.dataset_id)
    session.run("write/statement_dataset_part", dataset_id=dataset.dataset_id)
    ground = _Ground(session, dataset, [statement])
    ground.refuse_denials()
    ground.try_out()
    statement_id = int(session.engine.value("key", "select nextval('adversary.statement_key')"))
    session.run("write/statement", statement_id=statement_id, dataset_id=dataset.dataset_id, adversary=adversary, statement=statement.text)
    return Known(statement_id, dataset.name, adversary, statement.text, ground.remarks())


def _find_statement(session: Session, statement_id: int) -> dict[str, Any]:
    rows = session.rows("read/statement_or_rule", statement_id=statement_id)
    if not rows:
        raise UsageError(f"there is no statement {statement_id}. See: dbaudit knowledge list")
    return rows[0]


def _adversaries(session: Session) -> Sequence[str]:
    return [name for (name,) in session.engine.rows("adversaries", "select adversary from adversary.adversary order by adversary")]


def find_adversary(session: Session, name: str) -> None:
    """Refuse an adversary that does not exist, with the names of those that do."""
    known = _adversaries(session)
    if name not in known:
        raise UsageError(f"there is no adversary {name}. Known: {', '.join(known)}. Make another with: dbaudit adversary add NAME")
