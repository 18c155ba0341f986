"""What can go wrong, each kind with the exit code of a command that ends with it.

A message says what is wrong, where, and what to do next, in one breath: whoever reads it sees no traceback and no
engine's text.
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """How a command ended."""

    PASSED = 0
    BREACHED = 1
    USAGE = 2
    REJECTED = 3
    CONTRADICTION = 4
    NOT_SOLVED = 5
    STORE = 6


class DbauditError(Exception):
    """The base of everything that dbaudit raises on purpose."""

    exit_code = ExitCode.USAGE


class UsageError(DbauditError):
    """A wrong command, option or specification: nothing was read yet."""

    exit_code = ExitCode.USAGE


class InputRejected(DbauditError):
    """Data that cannot be right; nothing was stored."""

    exit_code = ExitCode.REJECTED


class Unanswered(DbauditError):
    """A question whose answer could not be certified."""

    exit_code = ExitCode.NOT_SOLVED


class StoreError(DbauditError):
    """A store that is locked, damaged, not a store, or out of room."""

    exit_code = ExitCode.STORE


class StoreLocked(StoreError):
    """Another process has the store open."""


class QueryRefused(UsageError):
    """SQL from a user that does more than read the store, or that the engine cannot run."""
