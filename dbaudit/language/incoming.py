"""Queries over a file that a user hands over, built as trees: columns have the user's names, which are never pasted into text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache

from sqlglot import exp, parse_one

# Types that can stand for a quasi-identifier, id or value.
NUMBER = re.compile(r"(DECIMAL\(.*\)|DOUBLE|FLOAT)$")
WHOLE = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$")
PLAIN = re.compile(r"(VARCHAR|BOOLEAN|DATE|TIME|TIMESTAMP.*|UUID|ENUM\(.*\)|BIT|\"NULL\")$", re.DOTALL)

# How text in a column is read as something else: only if every value is written so. A leading zero makes it text (007 is no
# number), and so do more digits than a number can hold. NaN and infinity are read as numbers so that they can be refused.
_WHOLE_TEXT = r"(0|-?[1-9][0-9]{0,17})"
_DECIMAL_TEXT = r"-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,17})?"
_TYPES_OF_TEXT: tuple[tuple[str, str], ...] = (
    ("BIGINT", _WHOLE_TEXT),
    ("DOUBLE", _DECIMAL_TEXT + r"([eE][+-]?[0-9]{1,3})?|[+-]?([nN][aA][nN]|[iI][nN][fF]([iI][nN][iI][tT][yY])?)"),
    ("DATE", r"[0-9]{4}-[0-9]{2}-[0-9]{2}"),
    ("TIMESTAMP", r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?"),
)
# Ids and buckets are names: 12e4 and 120000 are two of them, and a date is its own text.
_TYPES_OF_KEYS: tuple[tuple[str, str], ...] = (("BIGINT", _WHOLE_TEXT), ("DOUBLE", _DECIMAL_TEXT))
# JSON says which of its values are text; only dates must be guessed there, and nothing else can be written in other ways.
_TYPES_OF_QUOTED = ("DATE", "TIMESTAMP")
_GLOB = re.compile(r"[*?\[]")


@dataclass(frozen=True)
class Roles:
    """Which column of a file is what. With `tuple_is_bucket` the quasi-identifiers are the bucket; with `keys_as_text` two files share their keys."""

    qi: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    id: str | None = None
    bucket: str | None = None
    count: str | None = None
    tuple_is_bucket: bool = False
    null_value: str | None = None
    keys_as_text: bool = False
    names: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Collect the columns that the file must have."""
        wanted = [self.id, self.bucket, *self.qi, *self.sensitive, self.count]
        object.__setattr__(self, "names", tuple(name for name in wanted if name))


def columns_of(relation: str) -> str:
    """A query that tells the columns of a relation and their types."""
    return f"describe {relation}"


def names_in_parquet(path: str) -> str:
    """The names in a Parquet file as they are written there, with the number of their children: DuckDB renames those that occur twice."""
    return exp.select("name", "coalesce(num_children, 0)").from_(_function("parquet_schema", path, {})).sql("duckdb")


def names_in_json(path: str, *, is_array: bool) -> str:
    """The names in a JSON file, each with the first record that has it; null is the name of what is no record."""
    objects = _function("read_json_objects", path, _json_format(is_array))
    keys = "unnest(case when json_type(json) = 'OBJECT' then json_keys(json) else [null] end) as name"
    named = exp.select("row_number() over () as row", parse_one(keys, dialect="duckdb")).from_(objects).subquery("named")
    return exp.select("name", "min(row)").from_(named).group_by("name").order_by("min(row)").sql("duckdb")


def reader(kind: str, path: str, columns: list[str], delimiter: str = ",", *, is_array: bool = False) -> str:
    """select * from the DuckDB function that reads this kind of file."""
    options: dict[str, exp.Expression] = {"hive_partitioning": exp.false()}  # a folder called zip=13053 says nothing about the file
    if kind == "csv":
        # Everything comes as text: what it means is decided by rules that can be told, not by sniffing.
        options |= {
            "auto_detect": exp.false(),
            "header": exp.true(),
            "delim": exp.Literal.string(delimiter),
            "quote": exp.Literal.string('"'),
            "escape": exp.Literal.string('"'),
            "strict_mode": exp.true(),
            "null_padding": exp.false(),
            "compression": exp.Literal.string("none"),
            "columns": _struct([_part(name, exp.Literal.string("VARCHAR")) for name in columns]),
        }
    elif kind == "json":
        options |= _json_format(is_array) | {
            "records": exp.true(),
            "columns": _struct([_part(name, exp.Literal.string("JSON")) for name in columns]),
        }
    return exp.select("*").from_(_function(f"read_{kind}", path, options)).sql("duckdb")


def only(names: tuple[str, ...], relation: str) -> str:
    """The named columns of a relation."""
    return exp.select(*(_column(name) for name in dict.fromkeys(names))).from_(_file(relation)).sql("duckdb")


def text_of_json(names: tuple[str, ...], relation: str) -> str:
    """The named columns of a JSON file as text, each followed by what kind of JSON its values are."""
    kind = "case json_type(c) when 'OBJECT' then 'nested' when 'ARRAY' then 'nested' when 'VARCHAR' then 'quoted' when 'BOOLEAN' then 'flag' else 'bare' end"
    chosen = []
    for position, name in enumerate(dict.fromkeys(names)):
        text = _fill("json_extract_string(c, '$')", c=_column(name))
        chosen.append(exp.alias_(text, name, quoted=True))
        chosen.append(exp.alias_(_fill(f"case when t is not null then {kind} end", t=text, c=_column(name)), f"json kind {position}", quoted=True))
    return exp.select(*chosen).from_(_file(relation)).sql("duckdb")


def kinds_of_json(names: tuple[str, ...], table: str) -> str:
    """A query of one row: for each name, which kinds of JSON values its column holds."""
    distinct = "coalesce(list(distinct k) filter (where k is not null), [])"
    kinds = [_fill(distinct, k=_column(f"json kind {position}")) for position in range(len(set(names)))]
    return exp.select(*kinds).from_(table).sql("duckdb")


def types_of_text(roles: Roles, table: str, quoted: frozenset[str]) -> tuple[str, list[tuple[str, str]]]:
    """A query of one row that says, for each of the listed pairs, whether all text of a column can be read as a type without loss.

    `quoted` are columns that a JSON file says to be text.
    """
    pairs = [
        (name, kind, pattern)
        for name in dict.fromkeys(roles.names)
        for kind, pattern in (_TYPES_OF_KEYS if name in (roles.id, roles.bucket) and name not in roles.qi else _TYPES_OF_TEXT)
        if name not in quoted or kind in _TYPES_OF_QUOTED
    ]
    asked = [
        _fill(
            "coalesce(bool_and(regexp_full_match(c, p) and f), false)",
            c=_column(name),
            p=exp.Literal.string(pattern),
            f=_keeps_digits(_column(name)) if kind == "DOUBLE" else _fill("t is not null", t=_try_cast(_column(name), kind)),
        )
        for name, kind, pattern in pairs
    ]
    return exp.select(*asked, exp.true()).from_(table).sql("duckdb"), [(name, kind) for name, kind, _ in pairs]


def typed(types: dict[str, str], table: str) -> str:
    """A table of text with its columns read as these types."""
    return exp.select(*(exp.alias_(exp.cast(_column(name), kind), name, quoted=True) for name, kind in types.items())).from_(table).sql("duckdb")


def staged(relation: str, roles: Roles, types: dict[str, str]) -> str:
    """One row per row of the file, by role: what every file becomes, whatever its columns are called."""
    return _staged(exp.select("*").from_(_file(relation)), roles, types).sql("duckdb")


def one_row_per_record(table: str) -> str:
    """A staged table in which a counted row stands as often as it counts."""
    repeated = exp.select("* exclude (record, copy)", "unnest(range(1, cast(stated_count as bigint) + 1)) as turn", dialect="duckdb").from_(table)
    return (
        exp.select("row_number() over () as record", "case when stated_count > 1 then turn end as copy", "* exclude (turn)", dialect="duckdb")
        .from_(repeated.subquery("repeated"))
        .sql("duckdb")
    )


def distinct_tuples(roles: Roles) -> str:
    """The distinct quasi-identifiers of `incoming`: its columns, a struct of them, and the text that says whether two are the same, whatever their types."""
    columns = _qi_columns(roles)
    struct = _struct([_part(name, exp.column(column)) for name, column in columns.items()])
    text = "case when typeof(c) = 'VARCHAR' then cast(c as varchar) else n end"
    as_text = _struct([_part(name, _fill(text, c=exp.column(column), n=_without_zeros(exp.column(column)))) for name, column in columns.items()])
    query = exp.select(*columns.values(), exp.alias_(struct, "qi"), exp.alias_(exp.cast(exp.cast(as_text, "json"), "varchar"), "tuple"))
    return query.from_(exp.select(*columns.values()).distinct().from_("incoming").subquery("distinct_qi")).sql("duckdb")


def with_tuple_key(roles: Roles) -> str:
    """`incoming` with the key of its quasi-identifiers, where null equals null."""
    same = [_fill("i = k", i=exp.column(column, "i"), k=exp.column(column, "k")) for column in _qi_columns(roles).values()]
    alike = exp.and_(*(exp.NullSafeEQ(this=equal.this, expression=equal.expression) for equal in same))
    return exp.select("i.*", "k.qi_id").from_(exp.to_table("incoming", alias="i")).join(exp.to_table("incoming_qi_key", alias="k"), on=alike).sql("duckdb")


def _qi_columns(roles: Roles) -> dict[str, str]:
    """The columns of `incoming` that hold the quasi-identifiers, by the user's name for each."""
    return {name: f"qi_{position}" for position, name in enumerate(roles.qi, 1)}


def _staged(relation: exp.Select, roles: Roles, types: dict[str, str]) -> exp.Select:
    """One row per row of the file, by role."""
    values = [_text(name, types) for name in roles.sensitive]
    if roles.null_value is not None:
        values = [_fill("coalesce(v, n)", v=value, n=exp.Literal.string(roles.null_value)) for value in values]
    missing = exp.cast(exp.null(), "varchar")
    bucket = _key(roles.bucket, roles, types) if roles.bucket else _tuple_label(roles, types) if roles.tuple_is_bucket else missing
    lengths = [_fill("length(cast(t as varchar))", t=_column(name)) for name in roles.names if types[name].startswith(("VARCHAR", "ENUM", "BIT"))]
    numbers = [_fill("coalesce(not isfinite(n), false)", n=_column(name)) for name in roles.names if types[name] in ("DOUBLE", "FLOAT")]
    chosen = {
        "record": parse_one("row_number() over ()"),
        "row": parse_one("row_number() over ()"),
        "copy": exp.cast(exp.null(), "bigint"),
        "person": _key(roles.id, roles, types) if roles.id else missing,
        "bucket": bucket,
        "value": _combined(roles.sensitive, values),
        "parts": exp.Array(expressions=values) if len(values) > 1 else exp.cast(exp.null(), "varchar[]", dialect="duckdb"),
        "not_finite": exp.or_(*numbers) if numbers else exp.false(),
        "longest": exp.Greatest(this=exp.Literal.number(0), expressions=lengths) if lengths else exp.Literal.number(0),
        "stated_count": _try_cast(_column(roles.count), "DOUBLE") if roles.count else exp.cast(exp.null(), "double"),
        **{column: _fill("nullif(c, '')", c=_column(name)) if types[name] == "VARCHAR" else _column(name) for name, column in _qi_columns(roles).items()},
    }
    return relation.select(*(exp.alias_(value, name) for name, value in chosen.items()), append=False)


def _key(name: str, roles: Roles, types: dict[str, str]) -> exp.Expression:
    """An id or a bucket: a whole number stays one, because that is faster and becomes the same text; all else is text."""
    return _column(name) if WHOLE.match(types[name]) and not roles.keys_as_text else _text(name, types)


def _text(name: str, types: dict[str, str]) -> exp.Expression:
    """A column as text that does not depend on the file's format: 900 and 900.0 are the same value; empty text is none."""
    if NUMBER.match(types[name]):
        return _without_zeros(_column(name))
    return _fill("nullif(cast(c as varchar), '')", c=_column(name))


def _tuple_label(roles: Roles, types: dict[str, str]) -> exp.Expression:
    """The name of a bucket that is a tuple of quasi-identifiers: gender=*, zip=131*. Two tuples never share a name."""
    shown = [
        _fill(
            "n || case when t is null then 'null' when t = 'null' or regexp_matches(t, '[,=\"]') then cast(to_json(t) as varchar) else t end",
            n=exp.Literal.string(f"{name}="),
            t=_text(name, types),
        )
        for name in roles.qi
    ]
    return exp.Anonymous(this="concat_ws", expressions=[exp.Literal.string(", "), *shown])


def _combined(names_: tuple[str, ...], values: list[exp.Expression]) -> exp.Expression:
    """One value, or several as a=x; b=y; none where a part is missing."""
    if not values:
        return exp.cast(exp.null(), "varchar")
    if len(values) == 1:
        return values[0]
    parts = [
        exp.DPipe(this=exp.Literal.string(("; " if position else "") + f"{name}="), expression=value)
        for position, (name, value) in enumerate(zip(names_, values, strict=True))
    ]
    whole: exp.Expression = parts[0]
    for part in parts[1:]:
        whole = exp.DPipe(this=whole, expression=part)
    return whole


def _without_zeros(number: exp.Expression) -> exp.Expression:
    """A number as text without zeros that say nothing, and without the sign of -0; text that is no number stays as it is."""
    stripped = _fill("regexp_replace(cast(c as varchar), '^(-?[0-9]+\\.[0-9]*?)0+$', '\\1')", c=number)
    return _fill("regexp_replace(regexp_replace(s, '^(-?[0-9]+)\\.$', '\\1'), '^-0$', '0')", s=stripped)


def _keeps_digits(text: exp.Expression) -> exp.Expression:
    """Does a number that is written so stay the same as a DOUBLE: it has few digits, or comes back as it was."""
    few = "length(regexp_replace(c, '[eE].*|[^0-9]', '', 'g')) <= 15"
    return _fill(f"coalesce({few} or back = plain, false)", c=text, back=_without_zeros(_try_cast(text, "DOUBLE")), plain=_without_zeros(text))


def _try_cast(value: exp.Expression, kind: str) -> exp.Expression:
    return exp.TryCast(this=value, to=exp.DataType.build(kind, dialect="duckdb"))


def _file(relation: str) -> exp.Subquery:
    return exp.Subquery(this=parse_one(relation, dialect="duckdb"), alias=exp.TableAlias(this=exp.to_identifier("file")))


def _function(name: str, path: str, options: dict[str, exp.Expression]) -> exp.Table:
    """A table function over exactly this file: DuckDB would take *, ? and [ in its name for patterns, and read others."""
    literal = exp.Literal.string(_GLOB.sub(lambda found: f"[{found[0]}]", path))
    settings = [exp.EQ(this=exp.to_identifier(key), expression=value) for key, value in options.items()]
    return exp.Table(this=exp.Anonymous(this=name, expressions=[literal, *settings]))


def _json_format(is_array: bool) -> dict[str, exp.Expression]:
    return {"format": exp.Literal.string("array" if is_array else "auto"), "compression": exp.Literal.string("none")}


def _column(name: str) -> exp.Column:
    return exp.column(exp.to_identifier(name, quoted=True))


def _struct(parts: list[exp.Expression]) -> exp.Struct:
    return exp.Struct(expressions=parts)


def _part(name: str, value: exp.Expression) -> exp.Expression:
    return exp.PropertyEQ(this=exp.to_identifier(name, quoted=True), expression=value)


@cache
def _parsed(template: str) -> exp.Expression:
    tree: exp.Expression = exp.maybe_parse(template, dialect="duckdb")
    return tree


def _fill(template: str, **nodes: exp.Expression) -> exp.Expression:
    """Parse a template and put trees in the place of the columns of that name."""
    tree = _parsed(template).copy()
    holes = [node for node in tree.find_all(exp.Column) if not node.table and node.name in nodes]
    for hole in holes:
        hole.replace(nodes[hole.name].copy())
    return tree
