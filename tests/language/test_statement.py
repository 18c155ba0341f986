"""The language of statements: what each means, what is refused and how that is told, and that no text breaks it."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dbaudit.errors import UsageError
from dbaudit.language.statement import PERSON, Columns, Statement, parse_statement

COLUMNS = Columns(("disease", "income"), ("gender", "zip", "age", "Born On"))


def read(text: str) -> Statement:
    return parse_statement(text, COLUMNS)


def told(text: str) -> tuple[list[tuple[float, str, str, str | None]], float | None, float | None]:
    statement = read(text)
    return [(term.coefficient, term.kind, term.event, term.condition) for term in statement.terms], statement.lower, statement.upper


FLU, MALE = "disease = 'Flu'", "gender = 'male'"


@pytest.mark.parametrize(
    ("text", "terms", "lower", "upper"),
    [
        (f"P({FLU} | {MALE}) = 0.3", [(1, "P", FLU, MALE)], 0.3, 0.3),
        (f"P({FLU}) = 0.25", [(1, "P", FLU, None)], 0.25, 0.25),
        (f"0.25 = p( {FLU} );", [(1, "P", FLU, None)], 0.25, 0.25),
        (f"P({FLU} | {MALE}) between 0.3 and 0.5", [(1, "P", FLU, MALE)], 0.3, 0.5),
        (f"P({FLU} | {MALE}) = 0.3 +- 0.05", [(1, "P", FLU, MALE)], 0.25, 0.35),
        (f"P({FLU} | {MALE}) = 0.02+-0.05", [(1, "P", FLU, MALE)], -0.03, 0.07),
        (f"P({FLU} | {MALE}) <= .1 -- rare", [(1, "P", FLU, MALE)], None, 0.1),
        (f"P({FLU}) >= P(income = 'low')", [(1, "P", FLU, None), (-1, "P", "income = 'low'", None)], 0, None),
        (f"2 * P({FLU} | {MALE}) - P({FLU} | age < 30) / 4 <= 0.1", [(2, "P", FLU, MALE), (-0.25, "P", FLU, "age < 30")], None, 0.1),
        (f"(P({FLU}) + 0.1) * 2 = 0.6", [(2, "P", FLU, None)], 0.4, 0.4),
        (f"-count({FLU}) >= -3", [(1, "count", FLU, None)], None, 3),
        # Persons are whole: fewer than three are at most two. A probability has no next smaller number.
        (f"count({FLU} | {MALE}) < 3", [(1, "count", FLU, MALE)], None, 2),
        (f"count({FLU} | {MALE}) > 2.5", [(1, "count", FLU, MALE)], 3, None),
        (f"P({FLU} | {MALE}) < 0.3", [(1, "P", FLU, MALE)], None, 0.3),
    ],
)
def test_a_statement_is_a_sum_of_terms_between_bounds(text, terms, lower, upper):
    assert told(text) == (terms, lower, upper)


def test_columns_are_found_whatever_their_capitals_and_persons_are_named():
    statement = read("P(DISEASE = 'Flu' | \"born on\" >= date '1980-01-01' and Person in ('Ann', 7)) = 1")
    (term,) = statement.terms
    assert term.names_persons and term.persons == ("Ann", "7")
    assert [(mention.column, mention.text, statement.text[mention.start]) for mention in term.mentions()] == [
        ("disease", "Flu", "'"), (PERSON, "Ann", "'"), (PERSON, "7", "7"),
    ]  # fmt: skip


def test_a_quasi_identifier_called_person_is_one():
    (term,) = parse_statement("P(disease = 'Flu' | person = 'Ann') = 1", Columns(("disease",), ("person",))).terms
    assert not term.names_persons and term.persons == ()


WRONG = [
    (f"P({FLU} | {MALE}) = 1.5", "1.5", "between 0 and 1"),
    (f"P({FLU} | {MALE}) = -0.1", "0.1", "between 0 and 1"),
    (f"2 * P({FLU}) <= 3", "3", "between 0 and 1"),
    (f"count({FLU}) = -1", "1", "not negative"),
    (f"P({FLU} | {MALE})", ")", "comparison is missing"),
    (f"P({FLU} | {MALE} = 0.3", "(disease", "never closed"),
    ("P(illness = 'Flu' | gender = 'male') = 0.3", "illness", "known are disease, income"),
    ("P(disaese = 'Flu') = 0.3", "disaese", "Did you mean disease?"),
    (f"P({FLU} | sex = 'male') = 0.3", "sex", "gender, zip, age, Born On, person"),
    (f"P({FLU} | gendr = 'male') = 0.3", "gendr", "Did you mean gender?"),
    (f"P({MALE} | {FLU}) = 1", "gender", "behind the bar"),
    (f"P({FLU} | {FLU}) = 1", "disease = 'Flu')", "before the bar"),
    ('P(disease = "Flu") = 1', '"Flu"', "single quotes"),
    (FLU, "disease", "inside P(...)"),
    ("0.3 = 0.3", "0.3 =", "P(...) or count(...)"),
    (f"P({FLU} | {MALE}) between 0.5 and 0.3", "0.5", "larger than the second"),
    (f"P({FLU}) = 0.3; drop table x", "; drop", "one statement at a time"),
    (f"P({FLU}) * P({FLU}) = 0.3", "P(", "only sums"),
    (f"P({FLU}) / 0 = 0.3", "0 =", "only sums"),
    (f"P({FLU}) = 0.3 or 1", "or 1", "or"),
    (f"P({FLU}) <= 0.3 +- 0.1", "+-", "write = a +- e"),
    (f"P({FLU}) = 0.3 +- -0.1", "-0.1", "not negative"),
    (f"P({FLU} | {MALE} | age < 3) = 0.3", "| age", "one bar"),
    (f"P({FLU} | ) = 0.3", "| )", "missing"),
    ("P(disease) = 0.3", "disease", "true or false"),
    (f"P({FLU}) = 1e999999999", "1e9", "digits"),
    (f"P({FLU} | age in (select 1)) = 0.3", "1)) =", "cannot be used"),
    (f"P({FLU} | zip = (select zip from published.qi)) = 0.3", "zip from", "cannot be used"),
    (f"P({FLU} | read_text('/etc/passwd') = 'x') = 0.3", "read_text", "function read_text"),
    (f"P({FLU} | getenv('HOME') = 'x') = 0.3", "getenv", "function getenv"),
    (f"P({FLU} | q.zip = 1) = 0.3", "zip", "no quasi-identifier"),
    (f"P({FLU} | zip = ?) = 0.3", "zip", "cannot be used"),
    (f"P({FLU} | cast(zip as struct(a int)) = 1) = 0.3", "a int", "can be read as"),
    (f"P({FLU} | zip = 1 zip) = 0.3", "zip) =", "cannot be read"),
]


@pytest.mark.parametrize(("text", "word", "why"), WRONG, ids=[case[0] for case in WRONG])
def test_an_error_says_why_and_points_at_the_word(text, word, why):
    with pytest.raises(UsageError) as caught:
        read(text)
    message, shown, caret = str(caught.value).splitlines()
    assert why in message
    assert shown.strip() == text
    assert shown[caret.index("^") :].startswith(word)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no statement"),
        ("-- nothing", "no statement"),
        (";", "no statement"),
        (f"P({FLU} | gender = 'male) = 0.3", "inside of quotes"),
        ("P(" * 3000, "nested|closed|long|characters"),
        ("(" * 2000 + f"P({FLU})" + ")" * 2000 + " = 1", "nested"),
        ("P(" + "not " * 2000 + FLU + ") = 1", "nested"),
        ("x" * 20_000, "characters"),
        ("P(disease = 'a\0') = 1", "printed"),
    ],
)
def test_what_has_no_place_is_told_all_the_same(text, why):
    with pytest.raises(UsageError, match=why):
        read(text)


def test_a_long_list_is_no_deep_nesting():
    many = " or ".join(f"zip = {number}" for number in range(600))
    assert read(f"P({FLU} | {many}) = 0.5").terms[0].condition == many


# -- no text crashes it, and what it accepts it prints so that it is the same again

PIECES = [
    *("P(", "count(", ")", "(", "|", "=", "<=", ">", "between", "and", "or", "not", "in", "like", "is null", "+", "-", "+-", "*", "/", ",", ";", "."),
    *("0.3", "1", "1e5", "'Flu'", "'it''s'", '"zip"', "disease", "income", "gender", "age", "person", "date '2020-01-01'", "null", "true", "::int"),
    *("select", "from", "published.qi", "$1", "?", "--", "/*", "*/", "lower(", "case when", "$$x$$", "[1]", "{'a': 1}", "\n", "\t", "\\", "é", "😀", "'", '"'),
]
event = st.sampled_from(["disease = 'Flu'", "income in ('a', 'b''c')", "disease like '%x' and not income = 'l'", "lower(disease) = 'flu'", "(disease = 'a')"])
condition = st.sampled_from(
    [None, "gender='m'", "age between 3 and 4", "person in ('1', 2)", "zip like '1%' or age is not null", 'abs(age - 3) < 2 and "Born On" > 1']
)
number = st.sampled_from(["0.3", ".5", "2", "1e-3", "(1 + 2)", "0"])
blank = st.sampled_from(["", " ", "\n", " /* x */ "])


@st.composite
def written(draw: st.DrawFn) -> str:
    def term() -> str:
        when = draw(condition)
        return f"{draw(st.sampled_from(['P', 'p', 'count', 'COUNT']))}({draw(event)}{'' if when is None else draw(blank) + '|' + draw(blank) + when})"

    factors = [draw(st.sampled_from(["", "2 * ", "-", "0.5*"])) + term() for _ in range(draw(st.integers(1, 3)))]
    signs = [draw(st.sampled_from([" + ", "-", " - "])) for _ in factors[1:]]
    left = factors[0] + "".join(sign + factor for sign, factor in zip(signs, factors[1:], strict=True))
    right = draw(st.sampled_from(["= {a}", "<= {a}", ">= {a} + {b}", "< {a}", "between {a} and {a} + {b}", "= {a} +- {b}", "= {a} * P(disease = 'z')"]))
    return left + draw(blank) + right.format(a=draw(number), b=draw(number)) + draw(st.sampled_from(["", ";", " -- so"]))


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(
        written(),
        st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join),
        st.lists(st.sampled_from(PIECES), max_size=8).map("".join),
        st.text(max_size=30),
    )
)
@example("P(disease = 'Flu' | gender = 'male') = 0.3")
@example("count(disease='a'|person='x')>=1/**/")
def test_any_text_is_read_or_refused_in_a_sentence(text):
    try:
        statement = read(text)
    except UsageError:
        return
    again = read(str(statement))
    assert again == statement
    assert [term.event_tree for term in again.terms] == [term.event_tree for term in statement.terms]
    assert [term.condition_tree for term in again.terms] == [term.condition_tree for term in statement.terms]
