"""Tell people what an audit found: a few lines for the terminal, a page of text, and the same as data."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from dbaudit.audit import find_audit
from dbaudit.errors import UsageError
from dbaudit.store import Store

_WORST = 10


def gather(store: Store, audit_id: int | None = None) -> dict[str, Any]:
    """Everything that a report tells of an audit (the latest where no id is given), as plain data."""
    with store.reading() as session:
        engine = session.engine
        key = find_audit(session, audit_id)
        (row,) = engine.dicts("audit", "select * exclude (options, versions) from result.audit where audit_id = ?", [key])
        bounded = session.row("read/bounded", audit_id=key)
        return {
            "audit": row,
            "inputs": engine.dicts("inputs", "select kind, name, digest from result.audit_input where audit_id = ? order by all", [key]),
            "statements": session.rows("read/audit_knowledge", audit_id=key),
            "exposure": session.rows("read/exposure", audit_id=key),
            "worst": session.rows("read/worst", audit_id=key, person_count=_WORST),
            "named": session.rows("read/named_disclosure", audit_id=key),
            "bounded_person_count": bounded["person_count"],
            "bounded_named_count": bounded["named_count"],
            "proven": session.row("read/proven", audit_id=key),
            "proven_part": session.rows("read/proven_part", audit_id=key),
            "proven_coarse": session.rows("read/proven_coarse", audit_id=key),
        }


def summary(told: dict[str, Any]) -> list[str]:
    """About ten lines for an officer."""
    audit = told["audit"]
    lines = [_title(audit), *_assumed(told)]
    if audit["status"] != "solved":
        return [*lines, *([audit["message"]] if audit["message"] else []), _verdict(audit)]
    unit = audit["unit"]
    lines.append(f"{plural(audit['person_count'], unit)} in {plural(audit['subject_count'], 'group')}; nothing published tells the {unit}s of a group apart.")
    lines += _certain(told)
    lines += _worst(told)
    lines += _named(told)
    share = audit["entropy_bits"] / max(audit["person_count"], 1)
    lines.append(f"What remains unknown: {share:.2f} bits per {unit} on average (0 is certainty, each bit is one yes-or-no question).")
    lines.append(_certificate(audit, has_statements=bool(told["statements"])))
    bounded = [plural(told["bounded_person_count"], unit)] if told["bounded_person_count"] else []
    bounded += [plural(told["bounded_named_count"], "named person")] if told["bounded_named_count"] else []
    if bounded:
        lines.append(f"Bounds were worked out for {' and '.join(bounded)}: columns lower and upper of report.posterior.")
    lines.append(_verdict(audit))
    return lines


def page(told: dict[str, Any]) -> list[str]:
    """A page of text: the summary, the most exposed persons, and what the audit rests on."""
    audit = told["audit"]
    lines = summary(told)
    if told["worst"]:
        width = max(len(str(row["person"])) for row in told["worst"])
        lines += ["", f"Most exposed {audit['unit']}s (the first {len(told['worst'])} by probability):"]
        lines += [
            f"  {row['person']!s:<{width}}  {row['max_probability']:.4f}  {row['likely_value']} ({plural(row['possible_count'], 'possible value')})"
            for row in told["worst"]
        ]
    lines += ["", f"Started {audit['started_at']:%Y-%m-%d %H:%M:%S} UTC, finished {audit['finished_at']:%Y-%m-%d %H:%M:%S} UTC."]
    lines += [f"Read {item['kind']} {item['name']}: SHA-256 {item['digest']}" for item in told["inputs"]]
    if audit["status"] == "solved":
        lines.append(f"Whoever has the store can check the answer without the solver: dbaudit audits verify {audit['audit_id']}")
    return lines


def write(told: dict[str, Any], path: Path, *, as_json: bool) -> None:
    """Write the page, or the data, to a file."""
    text = json.dumps(plain(told), ensure_ascii=False, indent=2) if as_json else "\n".join(page(told))
    try:
        path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {(error.strerror or str(error)).lower()}.") from error


def plain(value: Any) -> Any:
    """The same data in JSON's own types; what JSON cannot say (nan, infinity) is null."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, bytes):
        return value.hex()
    return value.isoformat() if isinstance(value, (datetime.date, datetime.time)) else str(value)


def _title(audit: dict[str, Any]) -> str:
    releases = ", ".join(audit["releases"]) or "no release"
    title = f"Audit {audit['audit_id']} of {audit['dataset']}: {releases}; adversary {audit['adversary']}."
    return title + (" Each record was audited as a person of its own." if audit["unit"] == "record" else "")


def _assumed(told: dict[str, Any]) -> list[str]:
    """What the answer rests on beside the publications."""
    statements = [f"knowledge {row['statement_id']}: {row['statement']}" for row in told["statements"] if not row["is_mined"]]
    listed = statements[:_WORST] + ([f"{len(statements) - _WORST} more"] if len(statements) > _WORST else [])
    rule_count = len(told["statements"]) - len(statements)
    if rule_count:
        listed.append(f"{plural(rule_count, 'rule')} mined from the data (model.rule_support)")
    return [f"Assumed to be known beside the publications: {'; '.join(listed)}."] if listed else []


def _certain(told: dict[str, Any]) -> list[str]:
    """Whose value is certain; where several columns are sensitive, also of whom a single column is."""
    unit, proven, parts = told["audit"]["unit"], told["proven"], told["proven_part"]
    whole = "combined value" if parts else "value"
    if proven["person_count"]:
        lines = [f"Certain: the {whole} of {plural(proven['person_count'], unit)} is given away beyond doubt, such as {proven['person']}: {proven['value']}."]
    elif told["named"]:
        lines = [f"Of no record is the {whole} certain: every {unit} has at least two possible {whole}s."]
    else:
        lines = [f"Nobody's {whole} is certain: every {unit} has at least two possible {whole}s."]
    if parts:
        listed = ", ".join(f"{part['column_name']} of {plural(part['person_count'], unit)}" for part in parts)
        lines.append(f"Certain by single column: {listed} (report.part_posterior).")
    if told["proven_coarse"]:
        listed = ", ".join(f"{coarse['value']} of {plural(coarse['person_count'], unit)}" for coarse in told["proven_coarse"][:_WORST])
        lines.append(f"Certain at a coarser level, though not which kind: {listed} (report.coarse_posterior).")
    return lines


def _worst(told: dict[str, Any]) -> list[str]:
    levels = ", ".join(f"{plural(level['person_count'], told['audit']['unit'])} at {level['max_probability']:.4g}" for level in told["exposure"])
    return [f"Highest probabilities of a value: {levels}."]


def _named(told: dict[str, Any]) -> list[str]:
    """What is known of those who are named, beside the records."""
    if not told["named"]:
        return []
    listed = [
        f"{row['person']} certainly has {row['likely_value']}"
        if row["possible_count"] == 1
        else f"{row['person']}: {row['likely_value']} at {row['max_probability']:.4g}"
        for row in told["named"][:_WORST]
    ]
    more = f"; and {len(told['named']) - _WORST} more" if len(told["named"]) > _WORST else ""
    return [f"By name, whose records are uncertain: {'; '.join(listed)}{more}."]


def _certificate(audit: dict[str, Any], *, has_statements: bool) -> str:
    met = "every published figure and every statement" if has_statements else "every published figure"
    return (
        f"Certificate: {met} is met (largest relative error {_tiny(audit['max_residual'])}), "
        f"and nothing that meets them all is more uncertain (gap {_tiny(audit['duality_gap'])})."
    )


def _verdict(audit: dict[str, Any]) -> str:
    meaning = {
        "unjudged": "No policy was given, so nothing was judged.",
        "unknown": "There is no answer, so nothing can be said to be safe.",
        "pass": "Nothing exceeds what is allowed.",
        "breach": "More is given away than is allowed: see report.finding.",
    }
    return f"Verdict: {audit['verdict']}. {meaning[audit['verdict']]}"


def _tiny(size: float) -> str:
    return f"{size:.0e}" if size else "0"


def plural(count: int, noun: str) -> str:
    """A count with its noun."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
