"""The README's promises, executed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import dbaudit.maxent

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_example_gives_what_its_comments_say() -> None:
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert code is not None
    names: dict[str, Any] = {}
    exec(code[1], names)
    answer = names["answer"]
    assert answer.probability.tolist() == [0, 1, 0, 1, 0]
    assert answer.is_forced.all()
    assert answer.status == "solved"


def test_every_make_target_and_module_that_it_names_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"(?:^    |`)make ([a-z-]+)", README, re.MULTILINE)) <= targets
    for module in re.findall(r"`(\w+\.py)`", README):
        assert (ROOT / "dbaudit" / "maxent" / module).exists(), module


def test_every_call_in_its_table_is_public() -> None:
    for name in re.findall(r"^\| `(\w+)\(", README, re.MULTILINE):
        assert name in dbaudit.maxent.__all__
