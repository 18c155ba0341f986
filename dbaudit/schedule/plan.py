"""What a schedule is, and when it is due. Every moment is kept in UTC; only cron's fields are read on the clock of a time zone."""

from __future__ import annotations

import datetime
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from cronsim import CronSim, CronSimError

from dbaudit.errors import UsageError
from dbaudit.spec import AuditSpec, checked_name

_HOURS = 24
_SHELL = re.compile(r"\|\|?|&&?|;|<|&?[0-9]*>.*")  # words that mean something to a shell, and nothing without one
_FIELDS = 'minute, hour, day of month, month, day of week, such as "0 6 * * 1" for Mondays at six'


@dataclass(frozen=True)
class ScheduleSpec:
    """An audit of a dataset that runs again and again."""

    name: str
    dataset: str
    cron: str
    time_zone: str = "UTC"
    watch: Path | None = None
    adversary: str = "default"
    max_probability: float | None = None
    on_breach: str | None = None
    breach_timeout: float = 60.0

    def __post_init__(self) -> None:
        """Refuse what could only fail later, when nobody is watching."""
        checked_name("schedule", self.name)
        AuditSpec(self.dataset, adversary=self.adversary, max_probability=self.max_probability)
        _checked_times(self.cron, self.time_zone)
        if self.watch is not None and not self.watch.is_dir():
            raise UsageError(f"there is no folder {self.watch} to watch. Make it first, or name another with --watch.")
        if self.on_breach is not None:
            _checked_command(self.on_breach)
        if not 0 < self.breach_timeout < float("inf"):
            raise UsageError(f"--breach-timeout is a number of seconds above 0, not {self.breach_timeout}.")


def _checked_times(cron: str, time_zone: str) -> None:
    if time_zone not in available_timezones():
        raise UsageError(f"there is no time zone {time_zone!r}. Name one such as Europe/Berlin or UTC (if all are unknown here: install tzdata).")
    if len(cron.split()) != 5:
        raise UsageError(f"--cron has five fields ({_FIELDS}), not {len(cron.split())}: {cron!r}.")
    try:
        if not list(islice(times(cron, time_zone, utc_now()), 1)):
            raise UsageError(f"--cron {cron!r} names a day that never comes.")
    except CronSimError as error:
        raise UsageError(f"--cron {cron!r} cannot be read: {str(error).lower()}. Its fields are {_FIELDS}.") from None


def _checked_command(command: str) -> None:
    words = command_words(command)
    if not words:
        raise UsageError("--on-breach needs a command.")
    shell = sorted(word for word in {*words} & {*command.split()} if _SHELL.fullmatch(word))  # a quoted one differs from how it was written
    if shell:
        raise UsageError(f"--on-breach is run without a shell, where {shell[0]} means nothing. Write a script, and give its path.")
    if shutil.which(words[0]) is None:
        raise UsageError(f"there is no program {words[0]} (--on-breach). Give its full path: cron and systemd look in fewer folders than your shell.")


def full_command(command: str) -> str:
    """A command that runs from any folder: a program in a relative path, such as ./tell.sh, gets its full path."""
    program, *words = command_words(command)
    return shlex.join([str(Path(program).absolute()), *words]) if "/" in program and not Path(program).is_absolute() else command


def command_words(command: str) -> list[str]:
    """A command as its words: it is run without a shell."""
    try:
        return shlex.split(command)
    except ValueError as error:
        raise UsageError(f"--on-breach {command!r} cannot be read: {str(error).lower()}.") from None


def times(cron: str, time_zone: str, after: datetime.datetime) -> Iterator[datetime.datetime]:
    """The moments after `after` (UTC), in UTC.

    A schedule for every hour runs in every hour that passes, whatever it is called. Any other one names times on the wall:
    where clocks go forward, a time that does not exist is the moment at which they do; where they go back, a time that comes
    twice counts the first time only. A moment that is not later than the one before it is none.
    """
    clock = ZoneInfo(time_zone)
    begin = after.replace(tzinfo=datetime.UTC).astimezone(clock)
    named = CronSim(cron, begin.replace(tzinfo=None))
    if len(named.hours) == _HOURS:
        minute, _, *days = cron.split()
        named = CronSim(" ".join((minute, "*", *days)), begin)  # which follows the time that passes, as 0-23 would not
    last = after
    for moment in named:
        found = _moment(moment, clock) if moment.tzinfo is None else moment.astimezone(datetime.UTC).replace(tzinfo=None)
        if found > last:
            last = found
            yield found


def _moment(wall: datetime.datetime, clock: ZoneInfo) -> datetime.datetime:
    """When a clock first shows a time, in UTC; where it jumps over that time, when it jumps."""
    while True:
        moment = wall.replace(tzinfo=clock, fold=0).astimezone(datetime.UTC)
        if moment.astimezone(clock).replace(tzinfo=None, fold=0) == wall:
            return moment.replace(tzinfo=None)
        wall += datetime.timedelta(minutes=1)


def next_due(cron: str, time_zone: str, after: datetime.datetime) -> datetime.datetime:
    """The first moment after `after` (UTC), in UTC. There is one: a schedule whose day never comes is not accepted."""
    return next(times(cron, time_zone, after))


def corrected_due(coming: dict[str, Any], now: datetime.datetime) -> datetime.datetime:
    """When a schedule is due that is not yet, even if a clock was ahead when that was noted: not after its first time from now on.

    The time for which it last ran is over, though: a clock that is set back by a moment does not let it run twice.
    """
    noted: datetime.datetime = coming["next_due"]
    return min(noted, next(moment for moment in times(coming["cron"], coming["time_zone"], now) if moment != coming["last_due"]))


def on_the_clock(moment: datetime.datetime, time_zone: str) -> str:
    """A moment in UTC as people in a time zone say it."""
    return moment.replace(tzinfo=datetime.UTC).astimezone(ZoneInfo(time_zone)).strftime("%a %Y-%m-%d %H:%M %Z")


def utc_now() -> datetime.datetime:
    """The time as the store keeps it."""
    return datetime.datetime.now(datetime.UTC).replace(tzinfo=None)


def as_utc(moment: datetime.datetime | None) -> datetime.datetime:
    """A moment that a caller gave, as the store keeps it; now where none was given."""
    if moment is None:
        return utc_now()
    return moment.astimezone(datetime.UTC).replace(tzinfo=None) if moment.tzinfo else moment
