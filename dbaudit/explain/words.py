"""How lists and counts are said."""

from __future__ import annotations

from collections.abc import Sequence

_SHOWN = 8  # names before "and 5 more"


def listed(words: Sequence[str], link: str = "and") -> str:
    """a, b and c."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {link} {words[-1]}"


def names_in_words(names: Sequence[str], first: str | None = None, link: str = "and") -> str:
    """A few names, then how many more; `first` is among them in any case."""
    if len(names) <= _SHOWN:
        return listed(list(names), link)
    few = list(names[: _SHOWN - 1])
    if first in names and first not in few:
        few = [str(first), *few[:-1]]
    return f"{', '.join(few)} and {len(names) - len(few):,} more"


def among(count: int, total: int) -> str:
    """The beginning of a count out of some persons."""
    if count == 0:
        return "none of"
    return f"{count} of" if count < total or total == 1 else "all of"
