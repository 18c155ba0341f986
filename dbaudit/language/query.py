"""The door for users' SQL: one query that reads the store, and nothing else.

Two layers keep it, and neither relies on the other. `Engine.confine` takes the means away (files, network, settings; the
store is attached read-only, the truth not at all). `guard` reads the text first: it explains in a sentence what would
otherwise fail obscurely, and closes what the engine leaves open (databases in memory, temporary tables, macros, transactions,
the search path, and functions that tell where things lie).

What runs is the user's own text, not one written again from sqlglot's tree: that would rename columns (`x::int`) and now and
then change a meaning. The danger in this is a text that sqlglot reads one way and DuckDB another. Hence comments become
blanks, and of words, numbers, operators and quotes only the forms pass on which both agree; the text that is parsed here is,
character for character, the text that is returned.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import sqlglot
from sqlglot import ParseError, Token, TokenError, TokenType, exp

from dbaudit.errors import QueryRefused

_DIALECT = "duckdb"
_STORE, _TRUTH = "audit", "original"
_SCHEMAS = ("published", "adversary", "model", "result", "report")

# How a query may begin. The word decides before the parser does: it makes an expression of `checkpoint` and an error of `export`.
_BEGINNINGS = ("select", "with", "from", "values", "table", "pivot", "unpivot", "describe", "desc", "summarize", "(")
_LISTINGS = (["show", "tables"], ["show", "all", "tables"])
_READS = (exp.Query, exp.Values, exp.Pivot, exp.Describe, exp.Summarize)
_SOURCES = (exp.Table, exp.Subquery, exp.Values, exp.Lateral)
# A change hides well inside a query: `with d as (delete from t returning *) select * from d` is a select.
_CHANGES = (exp.DDL, exp.DML, exp.Command, exp.Into)

# What DuckDB's own catalogue may tell, as views without a schema and as functions. Left out: settings, secrets and paths.
_LISTED = ("columns", "constraints", "indexes", "schemas", "tables", "types", "views")
_LISTED_AS_IN_POSTGRESQL = ("attribute", "class", "constraint", "description", "index", "namespace", "tables", "type", "views")
_CATALOGUE_VIEWS = {f"duckdb_{name}" for name in _LISTED} | {f"pg_{name}" for name in _LISTED_AS_IN_POSTGRESQL}
# Functions that stand for a table. Of the hundred that DuckDB has, most read files, run SQL or change the engine.
_TABLE_FUNCTIONS = {f"duckdb_{name}" for name in (*_LISTED, "functions", "keywords")} | {
    *("range", "generate_series", "unnest", "repeat", "repeat_row", "json_each", "json_tree"),
}
# Functions in expressions pass unless they do one of these. A test compares with every function of the engine that is not pure.
_REFUSED_FUNCTIONS = {
    "reads the engine's settings or the environment": ("current_setting", "getenv", "getvariable"),
    "changes something or waits": ("nextval", "currval", "setval", "write_log", "sleep_ms", "pg_sleep"),
    "takes SQL as text": ("json_serialize_plan", "json_execute_serialized_sql", "query", "query_table"),
}
_WHY_REFUSED = {name: why for why, names in _REFUSED_FUNCTIONS.items() for name in names}

# The two forms of quotation on which sqlglot and DuckDB agree, whole. A lone surrogate is no text, and a NUL may end it.
_QUOTED = re.compile(r"""'(?:[^'\0\ud800-\udfff]|'')*+'|"(?:[^"\0\ud800-\udfff]|"")++\"""")
# Outside of quotes (whose characters are all ' here): what begins a comment, a prefix such as E'...', parameters and odd characters.
_AMBIGUOUS = re.compile(r"--|/\*|\w'|[^\w \t\r\n!#%&'()*+,\-./:;<=>@\[\]^{|}~]")


def guard(sql: str, *, original: bool = False) -> str:
    """Return the text of the one query in `sql`, without comments and final semicolon, if all it can do is read the store.

    With `original` it may read the catalogue `original`, the publisher's truth, too. Raises QueryRefused with a sentence that
    says what is refused and what to write instead. Columns, types and functions are not looked up: that is the engine's part.
    """
    prefix, tokens = "", _tokens(sql)
    if tokens and tokens[0].text.lower() == "explain":
        # To sqlglot the rest is mere text, to DuckDB a statement: it must be one that could run by itself.
        start = tokens[0].end + 1
        prefix, sql = "explain ", _blank(sql[:start]) + sql[start:]
        tokens = _tokens(sql)
    text = _one_statement(sql, tokens)
    if text.lower().split() not in _LISTINGS:
        _check(_parse(text), original)
    return prefix + text.strip()


def _tokens(sql: str) -> list[Token]:
    try:
        return sqlglot.tokenize(sql, dialect=_DIALECT)
    except TokenError:
        raise QueryRefused("the text ends inside of quotes or of a comment: close them and try again.") from None


def _one_statement(sql: str, tokens: Sequence[Token]) -> str:
    """The text up to its final semicolons, with blanks for comments, if it is one statement that begins like a query."""
    while tokens and tokens[-1].token_type == TokenType.SEMICOLON:
        tokens = tokens[:-1]
    if not tokens:
        raise QueryRefused("there is no query in this text: write one, such as select * from report.disclosure.")
    if any(token.token_type == TokenType.SEMICOLON for token in tokens):
        raise QueryRefused("several statements at once are refused: give one query, with a semicolon at its end or none.")
    text, first = _without_comments(sql, tokens), tokens[0].text.lower()
    if first not in _BEGINNINGS and text.lower().split() not in _LISTINGS:
        raise _not_a_query(first)
    _refuse_ambiguity(text)
    return text


def _without_comments(sql: str, tokens: Sequence[Token]) -> str:
    """The tokens where they were, so that lines and columns still count, and nothing between them but blanks."""
    pieces, end = [], 0
    for token in tokens:
        pieces += [_blank(sql[end : token.start]), sql[token.start : token.end + 1]]
        end = token.end + 1
    return "".join(pieces)


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _refuse_ambiguity(text: str) -> None:
    """Refuse what DuckDB may cut into other tokens than sqlglot does: `//*` is an operator to one, a comment to the other."""
    outside, end = "", 0
    for token in _tokens(text):
        source = text[token.start : token.end + 1]
        if token.token_type in (TokenType.STRING, TokenType.IDENTIFIER):
            if not _QUOTED.fullmatch(source):
                raise _unreadable(text, token.start)
            source = "'" * len(source)
        outside += text[end : token.start] + source
        end = token.end + 1
    found = _AMBIGUOUS.search(outside)
    if found:
        raise _unreadable(text, found.start())


def _unreadable(text: str, at: int) -> QueryRefused:
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    where = f"line {line}, column {column}: {text[at : at + 2]!a} is refused"
    return QueryRefused(f"{where}: write text in plain single quotes ('it''s'), unusual names in double quotes, and values instead of parameters.")


def _not_a_query(what: str) -> QueryRefused:
    return QueryRefused(f"{what} is refused because nothing is changed here: write a query, which begins with {', '.join(_BEGINNINGS[:-1])} or explain.")


def _parse(text: str) -> exp.Expr:
    try:
        with silence():
            return sqlglot.parse_one(text, dialect=_DIALECT)
    except RecursionError:
        raise QueryRefused("the query is nested too deeply to be read: give its parts names, in a with clause.") from None
    except Exception as error:
        # Some nonsense, such as `select {: 1}`, fails inside of sqlglot instead of being reported by it: it then has no place.
        found = error.errors[0] if isinstance(error, ParseError) and error.errors else None
        raise QueryRefused(f"the query cannot be read{_place(found)}: check the spelling, or write it more plainly.") from None


def _place(found: dict[str, Any] | None) -> str:
    """Where sqlglot stopped. Its column is the last one of the word."""
    if found is None:
        return ""
    near = found["highlight"] or ""
    return f" at line {found['line']}, column {found['col'] - len(near) + 1}, near {near!r}"


@contextmanager
def silence() -> Iterator[None]:
    """Keep sqlglot from writing to stderr what it could not parse: we say so ourselves."""
    logger = logging.getLogger("sqlglot")
    logger.addFilter(_nothing)
    try:
        yield
    finally:
        logger.removeFilter(_nothing)


def _nothing(_: logging.LogRecord) -> bool:
    return False


def _check(tree: exp.Expr, original: bool) -> None:
    """Refuse every node that does more than read what it may."""
    if not isinstance(tree, _READS):
        raise _not_a_query(tree.key)
    for node in tree.walk():
        if isinstance(node, _CHANGES):
            raise _not_a_query(node.key)
        if isinstance(node, exp.CTE | exp.Subquery | exp.Describe | exp.Summarize) and not isinstance(node.this, (*_READS, exp.Table)):
            raise _not_a_query(getattr(node.this, "key", node.key))
        if isinstance(node, exp.Func):
            _check_function(node)
        if isinstance(node, exp.From | exp.Join | exp.Lateral | exp.Table) and isinstance(node.this, exp.Func):
            _check_table_function(node.this, node)
        elif isinstance(node, exp.Table):
            _check_table(node, original)
        elif isinstance(node, exp.From | exp.Join | exp.Lateral) and not isinstance(node.this, _SOURCES):
            raise _not_a_table(node.key)


def _called(function: exp.Func) -> set[str]:
    """The names under which a function may have been called: sqlglot forgets the spelling of those that it knows."""
    names = [function.name] if isinstance(function, exp.Anonymous | exp.AnonymousAggFunc) else function.sql_names()
    return {name.lower() for name in names}


def _check_function(function: exp.Func) -> None:
    for name in _called(function) & _WHY_REFUSED.keys():
        raise QueryRefused(f"the function {name} is refused because it {_WHY_REFUSED[name]}: a query reads tables and computes with their values.")


def _check_table_function(function: exp.Func, source: exp.Expr) -> None:
    names = _called(function)
    if not names & _TABLE_FUNCTIONS or source.args.get("db"):
        raise QueryRefused(f"the function {min(names)} is refused as a table: those of the store are read, and functions like range, unnest and json_each.")


def _check_table(table: exp.Table, original: bool) -> None:
    parts = [part.name for part in table.parts]
    catalogue, schema, name = ([""] * 3 + [part.lower() for part in parts])[-3:]
    if len(parts) <= 3 and (_is_open(catalogue, schema, name, original) or (not schema and _is_with_query(table))):
        return
    if _TRUTH in (catalogue, schema) and not original:
        raise QueryRefused(f"{_TRUTH} is refused: the publisher's truth can only be read with dbaudit sql --original.")
    raise _not_a_table(".".join(parts) or table.key)


def _not_a_table(what: str) -> QueryRefused:
    return QueryRefused(f"{what!r} is refused as a table: a table is written with its schema, one of {', '.join(_SCHEMAS)} or information_schema.")


def _is_open(catalogue: str, schema: str, name: str, original: bool) -> bool:
    """Whether a table may be read. DuckDB reads two parts as schema and table, or as catalogue and table."""
    if catalogue in ("", _STORE) and schema in _SCHEMAS:
        return True
    if catalogue == "" and schema in ("", "main", "pg_catalog"):
        return name in _CATALOGUE_VIEWS
    if original and (catalogue, schema) in (("", _TRUTH), (_TRUTH, "main")):
        return True
    return (catalogue, schema) == ("", "information_schema")


def _is_with_query(table: exp.Table) -> bool:
    """Whether a bare name means a query of a surrounding `with`.

    Not inside of that query itself: `with duckdb_settings as (from duckdb_settings) ...` reads the engine's own.
    """
    name = table.name.lower()
    child: exp.Expr = table
    node = table.parent
    while node is not None:
        if isinstance(node, exp.With):
            here = [id(query) for query in node.expressions].index(id(child))
            visible = node.expressions[: here + 1 if node.recursive else here]
        else:
            clause = node.args.get("with_")
            visible = clause.expressions if clause is not None and clause is not child else []
        if any(query.alias.lower() == name for query in visible):
            return True
        child, node = node, node.parent
    return False
