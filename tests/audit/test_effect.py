"""What each statement gives away: against audits that were really run without it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dbaudit import MiningSpec, UsageError, add_adversary, add_statement, measure_effect, mine_rules
from dbaudit.errors import Unanswered
from dbaudit.maxent import NotSolved
from tests.audit.conftest import many
from tests.audit.helpers import Answer, Desk, tables
from tests.audit.test_knowledge import FIGURE_1, statements
from tests.sql import stores


def surest(answer: Answer) -> dict[str, float]:
    return {person: max(values.values()) for person, values in answer.items()}


@many(10)
@given(data=st.data())
def test_an_effect_is_the_difference_to_an_audit_without_the_statement(shared: Desk, data: st.DataObject) -> None:
    table = data.draw(tables(data.draw(st.integers(1, 2)), max_persons=6))
    said = data.draw(st.lists(statements(table), min_size=1, max_size=3))
    name = shared.publish(table)
    known = [add_statement(shared.store, name, each.text).statement_id for each in said]
    outcome = shared.audit(name)
    if outcome.row["status"] != "solved":
        with pytest.raises(UsageError, match="has no answer"):
            measure_effect(shared.store, outcome.audit_id)
        return
    effect = measure_effect(shared.store, outcome.audit_id)
    assert sorted(each.statement_id for each in effect.statements) == known
    assert [each.bits for each in effect.statements] == sorted((each.bits for each in effect.statements), reverse=True)
    with_all = surest(shared.posterior(outcome))
    for left_out, statement_id in zip(said, known, strict=True):
        (told,) = [each for each in effect.statements if each.statement_id == statement_id]
        other = f"{name}-{statement_id}"
        add_adversary(shared.store, other)
        for each in said:
            if each is not left_out:
                add_statement(shared.store, name, each.text, other)
        without = shared.audit(name, adversary=other)
        rise = {person: with_all[person] - before for person, before in surest(shared.posterior(without)).items()}
        assert told.statement == left_out.text
        assert told.bits == pytest.approx(without.row["entropy_bits"] - outcome.row["entropy_bits"], abs=1e-6)
        assert told.mean_rise == pytest.approx(sum(rise.values()) / len(rise), abs=1e-6)
        assert told.largest_rise == pytest.approx(max(0.0, *rise.values()), abs=1e-6)
        if told.person is not None:
            assert rise[told.person] == pytest.approx(told.largest_rise, abs=1e-6)
        assert told.certain_count == sum(with_all[person] > 1 - 1e-9 and with_all[person] - rise[person] < 1 - 1e-9 for person in rise)


def test_what_gives_away_most_comes_first_and_what_others_say_too_gives_nothing(desk: Desk) -> None:
    """Privacy-MaxEnt, section 1: that men have no breast cancer discloses two women."""
    desk.dataset(qi=("gender", "degree"))
    desk.release("patients", "r", FIGURE_1)
    for text in ("P(s = 'Flu' | degree = 'graduate') <= 0.9", "P(s = 'Breast_Cancer' | gender = 'male') = 0", "count(s = 'HIV') = 2", "P(s = 'Gout') = 0"):
        add_statement(desk.store, "patients", text)
    effect = measure_effect(desk.store, desk.audit().audit_id)
    first, *others = effect.statements
    assert (first.statement_id, first.certain_count, first.person) == (2, 2, "r#7") and first.largest_rise == pytest.approx(2 / 3)
    assert [each.bits for each in others] == [0, 0, 0]
    assert "3 of them give nothing away" in effect.words[1]
    assert effect.as_data()["statements"][0]["statement"] == "P(s = 'Breast_Cancer' | gender = 'male') = 0"


def test_mined_rules_are_left_out_one_by_one_too(tmp_path: Path) -> None:
    store = stores.copy("mined", tmp_path)
    effect = measure_effect(store, 1)
    assert len(effect.statements) == 9
    some = effect.statements[0].statement_id
    assert [each.statement_id for each in measure_effect(store, 1, only=(some,)).statements] == [some]
    mine_rules(store, "people", MiningSpec(0, 0))  # the audit keeps what it assumed
    assert measure_effect(store, 1).statements == effect.statements


def test_an_effect_that_cannot_be_certified_is_said_with_exit_code_5(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise NotSolved("It did not converge.", residual=1.0, duality_gap=1.0)

    monkeypatch.setattr("dbaudit.effect.solve", fail)
    with pytest.raises(Unanswered, match=r"without knowledge 1 no answer could be certified.*It did not converge.*--only ID") as caught:
        measure_effect(stores.store("knowing"), 1)
    assert caught.value.exit_code == 5


@pytest.mark.parametrize(
    ("audit_id", "only", "why"), [(4, (), "assumed no statement"), (1, (99,), "did not assume knowledge 99"), (77, (), "there is no audit 77")]
)
def test_what_cannot_be_measured_is_said(audit_id: int, only: tuple[int, ...], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        measure_effect(stores.store("knowing"), audit_id, only)


def test_what_is_said_of_named_persons_is_measured_on_the_records_and_on_them() -> None:
    """Privacy-MaxEnt, section 6: two of Alice, Bob and Charlie have HIV. Audit 2 is the same without that."""
    store = stores.store("named")
    (told,) = measure_effect(store, 1).statements
    with store.reading() as session:
        entropy = dict(session.engine.rows("entropy", "select audit_id, entropy_bits from result.audit where audit_id in (1, 2)"))
        certain = "select count(*) from report.disclosure where audit_id = 1 and possible_count = 1 and person like '%#%'"
        both = "report.disclosure as a join report.disclosure as b using (person) where a.audit_id = 1 and b.audit_id = 2"
        rises = f"select a.person, a.max_probability - b.max_probability from {both}"
        rise = dict(session.engine.rows("rise", rises))
        assert told.certain_count == session.engine.value("certain", certain)
    assert told.bits == pytest.approx(entropy[2] - entropy[1], abs=1e-7)
    assert told.person is not None and rise[told.person] == pytest.approx(max(rise.values()), abs=1e-7) == pytest.approx(told.largest_rise, abs=1e-7)
    # Sums are over the ten records; the three named persons are among them.
    assert told.mean_rise == pytest.approx(sum(size for person, size in rise.items() if "#" in person) / 10, abs=1e-7)
