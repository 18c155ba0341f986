"""The two files of a store on disk: where they are, and whether they are what they should be, before DuckDB touches them."""

from __future__ import annotations

import glob
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dbaudit.errors import StoreError, UsageError

# A client that opens the file directly calls its catalogue after the file's stem, and could then no longer tell
# the catalogue from a schema of the same name.
_TAKEN_STEMS = frozenset(
    ("published", "adversary", "model", "result", "report", "schedule", "original", "main", "temp", "system", "memory", "information_schema", "pg_catalog"),
)
_WORKSHOP = ".new"


@dataclass(frozen=True)
class Files:
    """Paths of the audit file, which holds everything but the truth, and of the file that holds the truth."""

    audit: Path
    original: Path

    @classmethod
    def at(cls, audit: Path | str, original: Path | str | None = None) -> Files:
        """The truth lies beside the audit file unless DBAUDIT_ORIGINAL, or the caller, says otherwise."""
        path = Path(audit)
        elsewhere = original or os.environ.get("DBAUDIT_ORIGINAL")
        return cls(path, Path(elsewhere) if elsewhere else path.with_name(f"{path.stem}.original{path.suffix}"))

    @property
    def spill(self) -> Path:
        """The folder for what does not fit into memory; it lies beside the audit file because it holds the same secrets."""
        return self.audit.with_name(self.audit.name + ".tmp")

    @property
    def truth_spill(self) -> Path:
        """The same for work that reads the truth: beside its file, so that nothing of it ever lies beside the other."""
        return self.original.with_name(self.original.name + ".tmp")

    def refuse_bad_names(self) -> None:
        """A store must be readable by other clients too."""
        for path in (self.audit, self.original):
            if path.stem.lower() in _TAKEN_STEMS:
                raise UsageError(
                    f"a store cannot be called {path.name}: {path.stem} is the name of a schema, and other DuckDB clients would confuse the two. "
                    "Choose another name."
                )
        if self.audit.resolve() == self.original.resolve():
            raise UsageError(f"{self.audit} cannot hold both the audits and the truth: the truth needs a file of its own (DBAUDIT_ORIGINAL).")


def must_be_file(path: Path, *, is_truth: bool = False) -> None:
    """Refuse what DuckDB would create or complain about. The file is not opened: closing it again would end every lock that this process has on it."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        if is_truth:
            raise StoreError(f"the file of the truth is missing: {path}. Put it back, or name it with DBAUDIT_ORIGINAL.") from None
        raise StoreError(f"there is no store at {path}. Make one with: dbaudit init --db {path}") from None
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {(error.strerror or str(error)).lower()}.") from error
    if not stat.S_ISREG(mode):
        raise StoreError(f"{path} is {'a folder' if stat.S_ISDIR(mode) else 'no file'}, not a store. Name a file with --db.")


# -- making a store


def already_there(path: Path) -> UsageError:
    """What `init` says of anything that it would have to replace."""
    return UsageError(f"{path} exists already and was left as it is. Choose another place with --db.")


@contextmanager
def workshop(path: Path, store_id: str) -> Iterator[Path]:
    """Where a file is built before it takes its place: in a hidden folder beside that place, and so on the same disk."""
    folder = Path(tempfile.mkdtemp(prefix=f".{path.name}.{store_id}.", suffix=_WORKSHOP, dir=path.parent))
    try:
        yield folder / "new.duckdb"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def workshops(path: Path, store_id: str = "*") -> list[Path]:
    """The workshops that are there for a file: an `init` that was killed leaves its own, and thereby tells which store it was making."""
    return list(path.parent.glob(f".{glob.escape(path.name)}.{store_id}.*{_WORKSHOP}"))


def sweep_workshops(path: Path) -> None:
    """Remove what killed processes left, once the file is in place."""
    for folder in workshops(path):
        shutil.rmtree(folder, ignore_errors=True)


def put_in_place(new: Path, path: Path) -> None:
    """Give a file its name unless that is taken, even by another process in this very moment."""
    try:
        os.link(new, path)
    except OSError as error:
        if os.path.lexists(path):
            raise already_there(path) from error
        os.rename(new, path)  # a disk without links
