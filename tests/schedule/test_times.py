"""When a schedule is due: once for every time that cron names, whatever the clocks do."""

from __future__ import annotations

import datetime
from collections import Counter
from itertools import islice
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dbaudit import ScheduleSpec, UsageError, add_schedule
from dbaudit.schedule import plan
from tests.sql import stores

# All kinds of changes: by an hour and by half an hour, at night and at midnight, in spring and in autumn, north, south and never.
ZONES = (
    *("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo"),
    *("America/Santiago", "Asia/Beirut", "Atlantic/Azores", "Asia/Kolkata", "UTC"),
)


def utc(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text)


def due(cron: str, zone: str, after: str, count: int = 3) -> list[str]:
    return [moment.isoformat(sep=" ", timespec="minutes") for moment in islice(plan.times(cron, zone, utc(after)), count)]


@pytest.mark.parametrize(
    ("cron", "zone", "after", "expected"),
    [
        # Berlin: on 2026-03-29 clocks go from 02:00 to 03:00 (01:00 UTC), on 2026-10-25 from 03:00 back to 02:00 (01:00 UTC).
        ("0 6 * * *", "Europe/Berlin", "2026-03-28 00:00", ["2026-03-28 05:00", "2026-03-29 04:00", "2026-03-30 04:00"]),
        ("30 2 * * *", "Europe/Berlin", "2026-03-28 00:00", ["2026-03-28 01:30", "2026-03-29 01:00", "2026-03-30 00:30"]),
        ("30 2 * * *", "Europe/Berlin", "2026-10-24 00:00", ["2026-10-24 00:30", "2026-10-25 00:30", "2026-10-26 01:30"]),
        # Asked in the second of the two hours called two o'clock: the time that is over does not come again.
        ("30 2 * * *", "Europe/Berlin", "2026-10-25 01:10", ["2026-10-26 01:30", "2026-10-27 01:30", "2026-10-28 01:30"]),
        # Every half hour is every half hour.
        ("*/30 * * * *", "Europe/Berlin", "2026-10-25 00:15", ["2026-10-25 00:30", "2026-10-25 01:00", "2026-10-25 01:30"]),
        ("*/30 * * * *", "Europe/Berlin", "2026-03-29 00:15", ["2026-03-29 00:30", "2026-03-29 01:00", "2026-03-29 01:30"]),
        # New York: 2026-03-08 at 07:00 UTC and 2026-11-01 at 06:00 UTC.
        ("30 2 * * *", "America/New_York", "2026-03-07 00:00", ["2026-03-07 07:30", "2026-03-08 07:00", "2026-03-09 06:30"]),
        ("30 1 * * *", "America/New_York", "2026-10-31 00:00", ["2026-10-31 05:30", "2026-11-01 05:30", "2026-11-02 06:30"]),
        # Restricted hours are times on the wall: what does not exist is run once, at the change, and what comes twice is run the first time.
        ("*/30 2 * * *", "Europe/Berlin", "2026-03-28 01:10", ["2026-03-28 01:30", "2026-03-29 01:00", "2026-03-30 00:00"]),
        ("*/30 2 * * *", "Europe/Berlin", "2026-10-24 22:00", ["2026-10-25 00:00", "2026-10-25 00:30", "2026-10-26 01:00"]),
        ("0 */2 * * *", "Europe/Berlin", "2026-03-28 22:30", ["2026-03-28 23:00", "2026-03-29 01:00", "2026-03-29 02:00"]),
        ("0 */2 * * *", "Europe/Berlin", "2026-10-24 22:30", ["2026-10-25 00:00", "2026-10-25 03:00", "2026-10-25 05:00"]),
        ("0 2,3 * * *", "Europe/Berlin", "2026-03-28 12:00", ["2026-03-29 01:00", "2026-03-30 00:00", "2026-03-30 01:00"]),
        ("*/30 2 * * *", "America/New_York", "2026-03-07 12:00", ["2026-03-08 07:00", "2026-03-09 06:00", "2026-03-09 06:30"]),
        ("*/30 1 * * *", "America/New_York", "2026-10-31 12:00", ["2026-11-01 05:00", "2026-11-01 05:30", "2026-11-02 06:00"]),
        # Every hour is every hour that passes, however it is written.
        ("15 * * * *", "Europe/Berlin", "2026-10-25 00:00", ["2026-10-25 00:15", "2026-10-25 01:15", "2026-10-25 02:15"]),
        ("15 0-23 * * *", "Europe/Berlin", "2026-10-25 00:00", ["2026-10-25 00:15", "2026-10-25 01:15", "2026-10-25 02:15"]),
        ("15 */1 * * *", "Europe/Berlin", "2026-03-29 00:00", ["2026-03-29 00:15", "2026-03-29 01:15", "2026-03-29 02:15"]),
        # Lord Howe: half an hour. On 2026-04-05 from 02:00 back to 01:30 (2026-04-04 15:00 UTC), on 2026-10-04 from 02:00 to 02:30 (2026-10-03 15:30 UTC).
        ("*/15 2 * * *", "Australia/Lord_Howe", "2026-10-03 12:00", ["2026-10-03 15:30", "2026-10-03 15:45", "2026-10-04 15:00"]),
        ("45 1 * * *", "Australia/Lord_Howe", "2026-04-04 12:00", ["2026-04-04 14:45", "2026-04-05 15:15", "2026-04-06 15:15"]),
        ("*/30 * * * *", "Australia/Lord_Howe", "2026-04-04 14:15", ["2026-04-04 14:30", "2026-04-04 15:00", "2026-04-04 15:30"]),
        ("*/30 * * * *", "Australia/Lord_Howe", "2026-10-03 15:15", ["2026-10-03 15:30", "2026-10-03 16:00", "2026-10-03 16:30"]),
        ("0 6 * * 1", "Europe/Berlin", "2026-10-20 00:00", ["2026-10-26 05:00", "2026-11-02 05:00", "2026-11-09 05:00"]),
        ("0 0 29 2 *", "UTC", "2026-01-01 00:00", ["2028-02-29 00:00", "2032-02-29 00:00", "2036-02-29 00:00"]),
    ],
)
def test_a_time_is_neither_skipped_nor_doubled_where_clocks_are_changed(cron: str, zone: str, after: str, expected: list[str]) -> None:
    assert due(cron, zone, after) == expected


@settings(max_examples=15, deadline=None)
@given(zone=st.sampled_from(ZONES), hour=st.integers(0, 3) | st.integers(0, 23), minute=st.integers(0, 59), step=st.integers(7, 600))
def test_a_daily_schedule_runs_once_on_every_day_of_the_year_however_late_somebody_looks(zone: str, hour: int, minute: int, step: int) -> None:
    """Rounds come every `step` minutes, and each due run moves the schedule on from the moment at which it began. The days are counted on the wall."""
    clock = ZoneInfo(zone)
    now = utc("2026-01-01 00:00")
    next_due = plan.next_due(f"{minute} {hour} * * *", zone, now)
    dues: list[datetime.date] = []
    while now < utc("2027-01-01 00:00"):
        if next_due <= now:
            dues.append(next_due.replace(tzinfo=datetime.UTC).astimezone(clock).date())
            next_due = plan.next_due(f"{minute} {hour} * * *", zone, now)
            assert next_due > now
        now += datetime.timedelta(minutes=step)
    assert set(Counter(dues).values()) == {1}
    assert dues == [dues[0] + datetime.timedelta(days=i) for i in range(len(dues))]
    assert len(dues) >= 364


def test_times_are_shown_on_the_clock_of_the_schedule() -> None:
    assert plan.on_the_clock(utc("2026-10-25 00:30"), "Europe/Berlin") == "Sun 2026-10-25 02:30 CEST"
    assert plan.on_the_clock(utc("2026-10-26 01:30"), "Europe/Berlin") == "Mon 2026-10-26 02:30 CET"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"cron": "0 6 * *"}, "five fields .* not 4"),
        ({"cron": "0 0 6 * * 1"}, "five fields .* not 6"),
        ({"cron": "0 25 * * *"}, "bad hour"),
        ({"cron": "@daily"}, "five fields"),
        ({"cron": "0 0 31 2 *"}, "bad day-of-month"),
        ({"cron": "0 0 * 2 1#5", "time_zone": "Mars/Olympus"}, "no time zone 'Mars/Olympus'"),
        ({"time_zone": "../../etc/passwd"}, "no time zone"),
        ({"name": "a,b"}, "cannot contain ','"),
        ({"max_probability": 1.5}, "between 0 and 1"),
        ({"watch": Path("nowhere/at/all")}, "no folder"),
        ({"on_breach": "no-such-program-anywhere --x"}, "no program no-such-program-anywhere"),
        ({"on_breach": "sh -c 'unclosed"}, "cannot be read: no closing quotation"),
        ({"on_breach": " "}, "needs a command"),
        *(({"on_breach": f"true {word} cat"}, "without a shell") for word in ("|", "||", "&", "&&", ";", "<", ">", ">>", "2>&1", "2>/dev/null")),
        ({"breach_timeout": 0.0}, "above 0"),
    ],
)
def test_a_schedule_that_could_only_fail_later_is_refused_at_once(wrong: dict, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ScheduleSpec(**{"name": "weekly", "dataset": "patients", "cron": "0 6 * * 1", **wrong})


def test_what_is_quoted_means_nothing_to_a_shell_either() -> None:
    for command in ("sh -c 'cat | mail a; true > b'", "tr '|' ';'", 'true ">" a&b'):
        assert ScheduleSpec("weekly", "patients", "0 6 * * 1", on_breach=command).on_breach == command


def test_a_program_in_a_relative_path_gets_its_full_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert plan.command_words(plan.full_command("./tell.sh 'a b'")) == [f"{tmp_path}/tell.sh", "a b"]
    assert plan.full_command("tee -a told") == "tee -a told"
    assert plan.full_command("/bin/sh -c 'a  b'") == "/bin/sh -c 'a  b'"
    script = tmp_path / "tell.sh"
    script.touch(0o700)
    added = add_schedule(stores.copy("hospital", tmp_path), ScheduleSpec("weekly", "patients", "0 6 * * 1", on_breach="./tell.sh"))
    assert added["on_breach"] == str(script)
