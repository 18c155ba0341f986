"""What an adversary is assumed to know, written as a statement about probabilities or counts.

    P(disease = 'Flu' | gender = 'male' and zip like '131%') = 0.3        also <=, >=, between a and b, = 0.3 +- 0.05
    count(disease = 'HIV' | person in ('Alice', 'Bob')) >= 1
    2 * P(disease = 'Flu' | gender = 'male') - P(disease = 'Flu' | gender = 'female') <= 0.1

Before the bar stands an event over the sensitive columns, behind it a condition over the quasi-identifiers and `person`; without a bar
everybody is meant. Texts are cut into sqlglot's tokens and read as its trees. Only a short list of nodes passes, and what the engine gets is
written from the tree over columns of our own naming: no text can reach a file, a table, or a function that is not listed here.
`<` and `>` of probabilities mean `<=` and `>=`, which no finite number of observations could tell apart; of counts they mean the next whole number.
"""

from __future__ import annotations

import difflib
import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Literal, NoReturn

import sqlglot
from sqlglot import ParseError, Token, TokenError, TokenType, exp

from dbaudit.errors import UsageError
from dbaudit.language.query import silence

PERSON = "\0person"  # what the word person becomes in a tree: no column of a dataset can be called so

_DIALECT = "duckdb"
_PERSON_WORD = "person"
_LONGEST = 10_000
_MOST_TERMS = 100
_WINDOW = 100  # characters of a long statement that an error shows on each side
_GROUPS: dict[str, Literal["P", "count"]] = {"p": "P", "count": "count"}
_COMPARISONS = (exp.EQ, exp.LTE, exp.GTE, exp.LT, exp.GT)
_OUTSIDE = {
    *(TokenType.NUMBER, TokenType.DOT, TokenType.PLUS, TokenType.DASH, TokenType.STAR, TokenType.SLASH, TokenType.L_PAREN, TokenType.R_PAREN),
    *(TokenType.EQ, TokenType.LTE, TokenType.GTE, TokenType.LT, TokenType.GT, TokenType.BETWEEN, TokenType.AND),
}
_TRUTHS = (exp.And, exp.Or, exp.Not, exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.In, exp.Between, exp.Like, exp.ILike, exp.Is, exp.Boolean)
_FUNCTIONS = {
    "lower": exp.Lower,
    "upper": exp.Upper,
    "length": exp.Length,
    "trim": exp.Trim,
    "abs": exp.Abs,
    "year": exp.Year,
    "month": exp.Month,
    "day": exp.Day,
}
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Neg)
_NODES = {*_TRUTHS, *_FUNCTIONS.values(), *_ARITHMETIC, exp.Paren, exp.Null, exp.Literal, exp.Column, exp.Identifier, exp.Cast, exp.DataType}
_TYPES = {getattr(exp.DType, name) for name in ("SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL", "VARCHAR", "TEXT", "DATE", "TIMESTAMP", "BOOLEAN")}


@dataclass(frozen=True)
class Columns:
    """What a statement may speak of."""

    sensitive: tuple[str, ...]
    quasi_identifiers: tuple[str, ...]

    @property
    def behind_the_bar(self) -> tuple[str, ...]:
        """The columns of a condition. A quasi-identifier that is called person takes the word from the persons."""
        known = self.quasi_identifiers
        return known if any(name.casefold() == _PERSON_WORD for name in known) else (*known, _PERSON_WORD)


@dataclass(frozen=True)
class Mention:
    """A text that a statement compares with a column, and where it stands."""

    column: str
    text: str
    start: int
    is_event: bool
    is_negated: bool = False


@dataclass(frozen=True)
class Term:
    """`coefficient` times the probability, or the number, of persons of `condition` (None: everybody) for whom `event` holds."""

    coefficient: float
    kind: Literal["P", "count"]
    event: str
    condition: str | None
    event_tree: exp.Expr = field(compare=False, repr=False)
    condition_tree: exp.Expr | None = field(compare=False, repr=False)

    @property
    def names_persons(self) -> bool:
        """Whether its condition says who, and not only what they are like."""
        return self.condition_tree is not None and PERSON in _columns(self.condition_tree)

    @property
    def persons(self) -> tuple[str, ...]:
        """The persons whom its condition names."""
        found = self.mentions() if self.names_persons else []
        return tuple(dict.fromkeys(mention.text for mention in found if mention.column == PERSON and not mention.is_event))

    def mentions(self) -> list[Mention]:
        """The texts that are compared with a column, for telling which of them nobody has."""
        trees = [(self.event_tree, True), *([(self.condition_tree, False)] if self.condition_tree is not None else [])]
        return [mention for tree, is_event in trees for mention in _mentions(tree, is_event)]


@dataclass(frozen=True)
class Statement:
    """lower <= the sum of the terms <= upper; None is no bound. `text` is what was written, without comments and needless blanks."""

    terms: tuple[Term, ...]
    lower: float | None
    upper: float | None
    text: str

    def __str__(self) -> str:
        """The statement: parsed again it is the same."""
        return self.text

    def wrong(self, message: str, start: int | None = None) -> UsageError:
        """An error about this statement that points at a place in it."""
        return _error(self.text, message, start)


def parse_statement(text: str, columns: Columns) -> Statement:
    """Read a statement; raises UsageError that shows it, points at the word that is wrong, and names what is near to it."""
    if len(text) > _LONGEST:
        raise UsageError(f"a statement has at most {_LONGEST:,} characters; this one has {len(text):,}.")
    # Reading the text as it is printed makes the two the same by construction.
    return _Reader(_plain(text), columns).statement()


def matching(tree: exp.Expr, relation: str, key: str, names: Mapping[str, tuple[str, str]], finer: Mapping[tuple[str, str], Sequence[str]]) -> str:
    """A query for the keys of the rows of a relation for which an event or a condition holds.

    `names` gives for each column how the relation calls it with its own type, and as text, which is what patterns and functions of text look at. `finer` are
    the leaves of inner nodes of hierarchies: a coarser value means all of them.
    """

    def written(node: exp.Expr) -> exp.Expr:
        # The user's columns are quoted and ours are not: a column of theirs may be called like one of ours.
        return exp.column(names[node.name][0]) if isinstance(node, exp.Column) and node.this.quoted else node

    tree = tree.copy().transform(lambda node: _spelled_out(node, finer) if isinstance(node, exp.EQ | exp.NEQ | exp.In) else node)
    for node in list(tree.find_all(exp.Like, exp.ILike, exp.Lower, exp.Upper, exp.Length, exp.Trim)):
        node.set("this", _as_text(node.this, names))
    return exp.select(key).from_(relation).where(tree.transform(written)).sql(_DIALECT)


def typed_tuples(types: Mapping[str, str], names: Mapping[str, tuple[str, str]]) -> str:
    """The combinations of quasi-identifiers in `statement_tuple`, each column with its own type and as text."""
    chosen: list[exp.Expr] = [exp.column("qi_id")]
    for name, kind in types.items():
        typed, text = names[name]
        chosen += [exp.alias_(exp.cast(_field(name), kind), typed), exp.alias_(exp.cast(_field(name), "varchar"), text)]
    return exp.select(*chosen).from_("statement_tuple").sql(_DIALECT)


def typed_names(types: Mapping[str, str], names: Mapping[str, tuple[str, str]]) -> str:
    """The named persons in `named_value` with their quasi-identifiers, in the types of the records: nobody's own spelling changes how all are compared."""
    chosen: list[exp.Expr] = [exp.column("person_id"), exp.column("person")]
    for name, kind in types.items():
        typed, text = names[name]
        here = exp.EQ(this=exp.column("column_name"), expression=exp.Literal.string(name))
        given = exp.Filter(this=exp.Max(this=exp.column("text")), expression=exp.Where(this=here))
        chosen += [exp.alias_(exp.TryCast(this=given, to=exp.DataType.build(kind, dialect=_DIALECT)), typed), exp.alias_(given.copy(), text)]
    return exp.select(*chosen).from_("named_value").group_by("person_id", "person").sql(_DIALECT)


def typed_values(types: Mapping[str, str], names: Mapping[str, tuple[str, str]]) -> str:
    """The sensitive values in `statement_part`, a row for each, with each column's part in its own type and as text."""
    chosen: list[exp.Expr] = [exp.column("value")]
    for name, kind in types.items():
        typed, text = names[name]
        here = exp.EQ(this=exp.column("column_name"), expression=exp.Literal.string(name))
        part = exp.Filter(this=exp.Max(this=exp.column("part")), expression=exp.Where(this=here))
        chosen += [exp.alias_(exp.cast(part, kind), typed), exp.alias_(part.copy(), text)]
    return exp.select(*chosen).from_("statement_part").group_by("value").sql(_DIALECT)


def kinds_of_field(name: str) -> str:
    """A query for the kinds of values that a quasi-identifier has in `statement_tuple`."""
    kind = exp.Anonymous(this="variant_typeof", expressions=[_field(name)])
    return exp.select(exp.alias_(kind, "kind")).distinct().from_("statement_tuple").sql(_DIALECT)


def type_of_texts(name: str) -> str:
    """A query for the type of a quasi-identifier in `statement_tuple` that is stored as text, at least in part: a number if all texts are written as one.

    A file in which somebody's age is missing is no reason to compare ages letter by letter. 007 is text, and so is 1e5.
    """
    whole = "bool_and(t is null or coalesce(cast(try_cast(t as hugeint) as varchar) = t, false))"
    number = "bool_and(t is null or coalesce(cast(try_cast(t as double) as varchar) in (t, t || '.0'), false))"
    kind = sqlglot.parse_one(f"case when {whole} then 'HUGEINT' when {number} then 'DOUBLE' else 'VARCHAR' end", dialect=_DIALECT)
    texts = exp.select(exp.alias_(exp.cast(_field(name), "varchar"), "t")).from_("statement_tuple").subquery("texts")
    return exp.select(kind).from_(texts).sql(_DIALECT)


def texts_of_field(name: str) -> str:
    """A query for the different values of a quasi-identifier in `statement_tuple`, as text."""
    return exp.select(exp.alias_(exp.cast(_field(name), "varchar"), "text")).distinct().from_("statement_tuple").sql(_DIALECT)


def type_of_kinds(kinds: Iterable[str]) -> str:
    """The type in which values of these kinds can be compared: text, unless all of them are numbers, dates or flags."""
    known = {kind.split("(")[0] for kind in kinds} - {"VARIANT_NULL"}
    whole = {f"{sign}INT{size}" for sign in ("", "U") for size in (8, 16, 32, 64, 128)}
    if not known:
        return "VARCHAR"
    if known <= whole:
        return "HUGEINT"
    if known <= whole | {"DOUBLE", "FLOAT", "DECIMAL"}:
        return "DOUBLE"
    if known <= {"DATE"}:
        return "DATE"
    if all(kind == "DATE" or (kind.startswith("TIMESTAMP") and "TZ" not in kind) for kind in known):
        return "TIMESTAMP"
    return "BOOLEAN" if known <= {"BOOL_TRUE", "BOOL_FALSE"} else "VARCHAR"


def nearest(text: str, known: Iterable[str]) -> list[str]:
    """The known names most like a text, best first; capitals do not count."""
    by_fold = {name.casefold(): name for name in known}
    return [by_fold[name] for name in difflib.get_close_matches(text.casefold(), by_fold, n=3, cutoff=0.5)]


# -- reading


@dataclass(frozen=True)
class _Group:
    kind: Literal["P", "count"]
    first: int  # tokens: the word, and the closing parenthesis
    last: int
    bar: int | None


class _Reader:
    def __init__(self, text: str, columns: Columns) -> None:
        self._text, self._columns = text, columns
        self._tokens = _tokens(text)
        self._groups = self._find_groups()

    def statement(self) -> Statement:
        terms, lower, upper, stated = self._comparison()
        if all(factor <= 0 for factor in terms.values()):  # 0.3 = P(...) is P(...) = 0.3
            lower, upper = None if upper is None else -upper, None if lower is None else -lower
            terms, stated = {number: -factor for number, factor in terms.items()}, [-number for number in stated]
        trees = [self._trees(group) for group in self._groups]
        parts = [(terms[number], group, *trees[number]) for number, group in enumerate(self._groups) if terms.get(number)]
        if not parts:
            self._fail("its terms cancel each other out, so that it says nothing", self._tokens[0])
        self._refuse_impossible([(coefficient, group.kind) for coefficient, group, *_ in parts], stated)
        found = tuple(
            Term(float(coefficient), group.kind, self._source(group.first + 2, (group.bar or group.last) - 1), self._condition(group), event, condition)
            for coefficient, group, event, condition in parts
        )
        return Statement(found, None if lower is None else float(lower), None if upper is None else float(upper), self._text)

    # The groups P(...) and count(...)

    def _find_groups(self) -> list[_Group]:
        groups, position = [], 0
        if not self._tokens:
            raise UsageError("there is no statement in this text. Write one such as: P(disease = 'Flu' | gender = 'male') = 0.3")
        for token in self._tokens:
            if token.token_type == TokenType.SEMICOLON:
                self._fail("one statement at a time: nothing may follow a semicolon", token)
        while position < len(self._tokens):
            token = self._tokens[position]
            follows = self._tokens[position + 1].token_type if position + 1 < len(self._tokens) else None
            if token.text.lower() in _GROUPS and token.token_type != TokenType.STRING and follows == TokenType.L_PAREN:
                group = self._group(position)
                groups.append(group)
                position = group.last + 1
                continue
            if token.token_type not in _OUTSIDE:
                what = (
                    "an event belongs inside P(...) or count(...)"
                    if groups or token.token_type in (TokenType.VAR, TokenType.IDENTIFIER)
                    else "not expected here"
                )
                self._fail(f"{token.text!r}: {what}, as in P(disease = 'Flu' | gender = 'male') = 0.3", token)
            position += 1
        if not groups:
            self._fail("a statement says something of P(...) or count(...)", self._tokens[0])
        if len(groups) > _MOST_TERMS:
            self._fail(f"a statement has at most {_MOST_TERMS} terms", self._tokens[groups[_MOST_TERMS].first])
        return groups

    def _group(self, first: int) -> _Group:
        depth, bars = 0, []
        for position in range(first + 1, len(self._tokens)):
            kind = self._tokens[position].token_type
            depth += (kind == TokenType.L_PAREN) - (kind == TokenType.R_PAREN)
            if kind == TokenType.PIPE and depth == 1:
                bars.append(position)
            if depth == 0:
                if len(bars) > 1:
                    self._fail("there is one bar, between event and condition", self._tokens[bars[1]])
                if position - first < 3 or (bars and bars[0] in (first + 2, position - 1)):
                    self._fail("an event is missing, or a condition behind the bar", self._tokens[bars[0] if bars else position])
                return _Group(_GROUPS[self._tokens[first].text.lower()], first, position, bars[0] if bars else None)
        self._fail("this parenthesis is never closed", self._tokens[first + 1])

    def _condition(self, group: _Group) -> str | None:
        return None if group.bar is None else self._source(group.bar + 1, group.last - 1)

    def _trees(self, group: _Group) -> tuple[exp.Expr, exp.Expr | None]:
        event = self._predicate(group.first + 2, (group.bar or group.last) - 1, self._columns.sensitive, is_event=True)
        if group.bar is None:
            return event, None
        return event, self._predicate(group.bar + 1, group.last - 1, self._columns.behind_the_bar, is_event=False)

    def _predicate(self, first: int, last: int, known: Sequence[str], *, is_event: bool) -> exp.Expr:
        tree = self._parse(self._only(first, last), self._tokens[first])
        for node in tree.walk():
            self._check(node, known, self._tokens[first], is_event=is_event)
        inner: exp.Expr = tree
        while isinstance(inner, exp.Paren):
            inner = inner.this
        if not isinstance(inner, _TRUTHS) and not (isinstance(inner, exp.Column) and not is_event):
            self._fail(f"{'an event' if is_event else 'a condition'} is true or false, such as {known[0]} = 'a'", self._tokens[first])
        return tree

    def _check(self, node: exp.Expr, known: Sequence[str], first: Token, *, is_event: bool) -> None:
        """Refuse whatever is not on the list, and names that the dataset does not have; known ones get the dataset's spelling."""
        start = next((part.meta["start"] for part in node.walk() if "start" in part.meta), first.start)
        is_plain_type = not isinstance(node, exp.DataType) or (node.this in _TYPES and not any(isinstance(part, exp.DataType) for part in node.expressions))
        if type(node) not in _NODES and not isinstance(node, exp.DataTypeParam):
            called = (
                f"the function {min(node.sql_names()).lower() if not isinstance(node, exp.Anonymous) else node.name}" if isinstance(node, exp.Func) else "this"
            )
            self._fail(
                f"{called} cannot be used in a statement; functions are {', '.join(_FUNCTIONS)}, beside comparisons, in, between, like and arithmetic", start
            )
        if not is_plain_type:
            self._fail("a value can be read as a number, text, a flag, a date or a timestamp", start)
        if isinstance(node, exp.In) and not all(isinstance(item, exp.Literal | exp.Neg | exp.Cast | exp.Null) for item in node.expressions):
            self._fail("a list holds plain values", start)
        if isinstance(node, exp.Column):
            self._check_column(node, known, start, is_event=is_event)

    def _check_column(self, node: exp.Column, known: Sequence[str], start: int, *, is_event: bool) -> None:
        spelled = {name.casefold(): name for name in known}
        name = node.name
        if node.args.get("table") is None and name.casefold() in spelled:
            found = spelled[name.casefold()]
            is_person = not is_event and found not in self._columns.quasi_identifiers
            node.set("this", exp.to_identifier(PERSON if is_person else found, quoted=True))
            return
        elsewhere = self._columns.behind_the_bar if is_event else self._columns.sensitive
        if name.casefold() in (column.casefold() for column in elsewhere):
            place = "a condition stands behind the bar" if is_event else "what is sensitive stands before the bar, in the event"
            self._fail(f"{name} cannot stand here: {place}", start)
        near = nearest(name, known)
        quotes = " Text is written in single quotes." if node.this.args.get("quoted") else ""
        meant = f" Did you mean {near[0]}?" if near else ""
        self._fail(f"there is no {'sensitive column' if is_event else 'quasi-identifier'} {name}; known are {', '.join(known)}.{meant}{quotes}", start)

    # What is said of them

    def _comparison(self) -> tuple[dict[int, Fraction], Fraction | None, Fraction | None, list[Fraction]]:
        """Coefficients by group, the bounds, and the numbers as they were stated."""
        spread, end = self._tolerance()
        tree = self._parse(self._outside(end), self._tokens[0])
        while isinstance(tree, exp.Paren):
            tree = tree.this
        if isinstance(tree, exp.Between):
            terms, constant = self._linear(tree.this)
            low, high = (self._number(tree.args[side]) - constant for side in ("low", "high"))
            if low > high:
                self._fail("the first number of between is larger than the second", tree.args["low"])
            return terms, low, high, [low, high]
        if type(tree) not in _COMPARISONS:
            self._fail("a comparison is missing: =, <=, >=, between a and b, or = a +- e", self._tokens[-1])
        left, right = self._linear(tree.this), self._linear(tree.expression)
        terms = {number: left[0].get(number, Fraction(0)) - right[0].get(number, Fraction(0)) for number in left[0] | right[0]}
        target = right[1] - left[1]
        if spread is not None and not isinstance(tree, exp.EQ):
            self._fail("+- says how exactly something is equal: write = a +- e", self._tokens[end or 0])
        if isinstance(tree, exp.EQ):
            return terms, target - (spread or 0), target + (spread or 0), [target]
        strict = isinstance(tree, exp.LT | exp.GT) and all(self._groups[number].kind == "count" and factor.denominator == 1 for number, factor in terms.items())
        if isinstance(tree, exp.LT | exp.LTE):
            return terms, None, Fraction(math.ceil(target) - 1) if strict else target, [target]
        return terms, Fraction(math.floor(target) + 1) if strict else target, None, [target]

    def _tolerance(self) -> tuple[Fraction | None, int | None]:
        """What stands behind +-, and the token where that begins."""
        inside = {position for group in self._groups for position in range(group.first, group.last + 1)}
        depth = 0
        for position, (token, following) in enumerate(zip(self._tokens, self._tokens[1:], strict=False)):
            if position in inside:
                continue
            depth += (token.token_type == TokenType.L_PAREN) - (token.token_type == TokenType.R_PAREN)
            is_sign = token.token_type == TokenType.PLUS and following.token_type == TokenType.DASH and token.end + 1 == following.start
            if is_sign and depth == 0:
                if any(group.last > position for group in self._groups) or position + 2 >= len(self._tokens):
                    self._fail("behind +- stands a number", token)
                spread = self._number(self._parse(self._only(position + 2, len(self._tokens) - 1), token))
                if spread < 0:
                    self._fail("what stands behind +- is not negative", self._tokens[position + 2])
                return spread, position
        return None, None

    def _linear(self, node: exp.Expr) -> tuple[dict[int, Fraction], Fraction]:
        """The coefficient of each group, and a constant."""
        if isinstance(node, exp.Paren):
            return self._linear(node.this)
        if isinstance(node, exp.Neg):
            return _scaled(self._linear(node.this), Fraction(-1))
        if isinstance(node, exp.Column):
            return {int(node.name.removeprefix("t")): Fraction(1)}, Fraction(0)
        if isinstance(node, exp.Literal) and not node.is_string:
            return {}, self._digits(node)
        if isinstance(node, exp.Add | exp.Sub):
            left, right = self._linear(node.this), self._linear(node.expression)
            sign = -1 if isinstance(node, exp.Sub) else 1
            terms = {number: left[0].get(number, Fraction(0)) + sign * right[0].get(number, Fraction(0)) for number in left[0] | right[0]}
            return terms, left[1] + sign * right[1]
        if isinstance(node, exp.Mul | exp.Div):
            left, right = self._linear(node.this), self._linear(node.expression)
            if not right[0] and isinstance(node, exp.Div) and right[1]:
                return _scaled(left, 1 / right[1])
            if isinstance(node, exp.Mul) and not (left[0] and right[0]):
                return _scaled(left, right[1]) if left[0] else _scaled(right, left[1])
        self._fail("only sums of terms and numbers can be compared: a term may be multiplied or divided by a number, and that is all", node)

    def _number(self, node: exp.Expr) -> Fraction:
        terms, constant = self._linear(node)
        if terms:
            self._fail("a number belongs here", node)
        return constant

    def _digits(self, node: exp.Literal) -> Fraction:
        try:
            number = Decimal(node.name)
        except InvalidOperation:
            self._fail(f"{node.name} is not a number", node)
        if len(number.as_tuple().digits) > 30 or not -30 <= number.adjusted() <= 15:
            self._fail("this number has more digits than can be meant", node)
        return Fraction(number)

    def _refuse_impossible(self, parts: list[tuple[Fraction, str]], stated: list[Fraction]) -> None:
        if len(parts) > 1:
            return
        ((coefficient, kind),) = parts
        for number in stated:
            value = number / coefficient
            if kind == "P" and not 0 <= value <= 1:
                self._fail(f"a probability lies between 0 and 1, not at {float(value):g}", self._tokens[-1])
            if value < 0:
                self._fail(f"a number of persons is not negative, as {float(value):g} is", self._tokens[-1])

    # Texts and places

    def _source(self, first: int, last: int) -> str:
        return self._text[self._tokens[first].start : self._tokens[last].end + 1]

    def _only(self, first: int, last: int) -> str:
        """The text of some tokens where it stands, and blanks before it: places in it are places in the statement."""
        return " " * self._tokens[first].start + self._source(first, last)

    def _outside(self, end: int | None) -> str:
        """The statement with t0, t1 and so on in the place of its groups, each at its place."""
        text = self._text if end is None else self._text[: self._tokens[end].start]
        for number, group in enumerate(self._groups):
            start, stop = self._tokens[group.first].start, self._tokens[group.last].end + 1
            text = text[:start] + f"t{number}".ljust(stop - start) + text[stop:]
        return text

    def _parse(self, text: str, first: Token) -> exp.Expr:
        try:
            with silence():
                return sqlglot.parse_one(text, into=exp.Condition, dialect=_DIALECT)
        except RecursionError:
            self._fail("this is nested too deeply to be read", first)
        except Exception as error:
            # Some nonsense fails inside of sqlglot instead of being reported by it: it then has no place.
            found = error.errors[0] if isinstance(error, ParseError) and error.errors else None
            place: int | Token = first if found is None or found.get("col") is None else max(0, found["col"] - len(found["highlight"] or ""))
            self._fail("this cannot be read: a word or a parenthesis is missing, or one too many", place)

    def _fail(self, message: str, where: Token | exp.Expr | int) -> NoReturn:
        if isinstance(where, exp.Expr):
            where = next((part.meta["start"] for part in where.walk() if "start" in part.meta), 0)
        raise _error(self._text, message, where if isinstance(where, int) else where.start)


def _scaled(linear: tuple[dict[int, Fraction], Fraction], factor: Fraction) -> tuple[dict[int, Fraction], Fraction]:
    return {number: coefficient * factor for number, coefficient in linear[0].items()}, linear[1] * factor


def _tokens(text: str) -> list[Token]:
    try:
        return sqlglot.tokenize(text, dialect=_DIALECT)
    except TokenError:
        raise UsageError("the statement ends inside of quotes or of a comment: close them and try again.") from None


def _plain(text: str) -> str:
    """The text without comments, needless blanks and final semicolons."""
    if any(unicodedata.category(character) in ("Cc", "Cs") and character not in "\t\n\r" for character in text):
        raise UsageError("the statement contains a character that cannot be printed: write it again.")
    tokens = _tokens(text)
    while tokens and tokens[-1].token_type == TokenType.SEMICOLON:
        tokens.pop()
    pieces: list[str] = []
    for before, token in zip([None, *tokens], tokens, strict=False):
        if before is not None and token.start > before.end + 1:
            pieces.append(" ")
        pieces.append(text[token.start : token.end + 1])
    return "".join(pieces)


def _error(text: str, message: str, start: int | None) -> UsageError:
    """The message, the statement, and a caret under the word."""
    sentence = message if message.endswith((".", "?")) else f"{message}."
    if start is None:
        return UsageError(f"{sentence}\n  {text}")
    begin = max(0, start - _WINDOW)
    shown = "".join(" " if character in "\r\n\t" else character for character in text[begin : start + _WINDOW])
    return UsageError(f"{sentence}\n  {shown}\n  {' ' * (start - begin)}^")


# -- trees


def _columns(tree: exp.Expr) -> set[str]:
    return {column.name for column in tree.find_all(exp.Column)}


def columns_of(tree: exp.Expr) -> set[str]:
    """The columns that an event or a condition looks at, as the dataset spells them."""
    return _columns(tree)


def _mentions(tree: exp.Expr, is_event: bool) -> list[Mention]:
    found = []
    for node in tree.find_all(exp.EQ, exp.NEQ, exp.In):
        column, others = _compared(node)
        negated = isinstance(node, exp.NEQ) or node.find_ancestor(exp.Not) is not None
        for other in others if column is not None else ():
            if column is not None and isinstance(other, exp.Literal) and (other.is_string or column.name == PERSON):
                found.append(Mention(column.name, other.name, other.meta.get("start", 0), is_event, negated))
    return found


def _compared(node: exp.Expr) -> tuple[exp.Column | None, list[exp.Expr]]:
    """A column, and what it is compared with."""
    if isinstance(node, exp.In):
        return (node.this if isinstance(node.this, exp.Column) else None), list(node.expressions)
    sides = [node.this, node.expression]
    for column, other in (sides, sides[::-1]):
        if isinstance(column, exp.Column):
            return column, [other]
    return None, []


def _spelled_out(node: exp.Expr, finer: Mapping[tuple[str, str], Sequence[str]]) -> exp.Expr:
    """A comparison in which a person's name is text even if it was written as a number, and a coarser value stands for its leaves."""
    column, others = _compared(node)
    if column is None:
        return node
    texts: list[exp.Expr] = []
    for other in others:
        if isinstance(other, exp.Literal) and column.name == PERSON:
            other = exp.Literal.string(other.name)
        leaves = finer.get((column.name, other.name), ()) if isinstance(other, exp.Literal) and other.is_string else ()
        texts += [other.copy(), *(exp.Literal.string(leaf) for leaf in leaves)]
    if len(texts) == 1 and not isinstance(node, exp.In):
        return type(node)(this=column.copy(), expression=texts[0])
    listed = exp.In(this=column.copy(), expressions=texts)
    return exp.not_(listed) if isinstance(node, exp.NEQ) else listed


def _as_text(node: exp.Expr, names: Mapping[str, tuple[str, str]]) -> exp.Expr:
    """What a pattern looks at: the text of a column, or the text of what was computed."""
    if isinstance(node, exp.Column):
        return exp.column(names[node.name][1])
    return exp.cast(node.copy(), "varchar")


def _field(name: str) -> exp.Expr:
    return exp.Dot(this=exp.column("qi"), expression=exp.to_identifier(name, quoted=True))
