"""What changed between two audits of a dataset, person by person, whatever their releases are."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from dbaudit.audit import find_audit
from dbaudit.errors import UsageError
from dbaudit.report import plural
from dbaudit.store import Session, Store

_SCOPE_OPTIONS = ("dataset", "releases", "candidate", "adversary")  # told as what they led to
_SIZES = {
    "persons": "person_count",
    "groups of persons": "subject_count",
    "possible values of groups": "cell_count",
    "published figures": "constraint_count",
    "independent parts": "component_count",
}


@dataclass(frozen=True)
class Difference:
    """Two audits side by side: `before` and `after` are their rows, the rest is what differs.

    `count` compares persons (shared, new, gone, certain, more or less exposed) and the bits over the persons whom both know.
    `risen` and `fallen` name the persons of whom a value became more, or less, probable, largest change first;
    `newly_certain` and `no_longer_certain` those whose value only one of the audits proves.
    """

    before: dict[str, Any]
    after: dict[str, Any]
    releases_added: list[str]
    releases_removed: list[str]
    inputs_added: list[dict[str, Any]]
    inputs_removed: list[dict[str, Any]]
    options: list[dict[str, Any]]
    count: dict[str, Any]
    risen: list[dict[str, Any]]
    fallen: list[dict[str, Any]]
    newly_certain: list[dict[str, Any]]
    no_longer_certain: list[dict[str, Any]]

    @property
    def words(self) -> list[str]:
        """What an officer reads in ten seconds."""
        return [self._scope(), self._certain(), self._exposure()]

    @property
    def figures(self) -> list[dict[str, Any]]:
        """The two audits as a table: what, before, after, and the change where it is a number."""
        before, after, count = self.before, self.after, self.count
        rows = [("audit", before["audit_id"], after["audit_id"])]
        rows += [(name, before[name], after[name]) for name in ("releases", "adversary")]
        sizes = [(what, before[column], after[column]) for what, column in _SIZES.items()]
        sizes += [
            ("bits unknown", before["entropy_bits"], after["entropy_bits"]),
            ("bits unknown per person", _share(before), _share(after)),
            (f"bits unknown of the {count['shared_count']:,} persons in both", count["shared_before_bits"], count["shared_after_bits"]),
            ("highest probability", count["before_worst_probability"], count["after_worst_probability"]),
            ("persons certain", count["before_certain_count"], count["after_certain_count"]),
        ]
        unit = self.after["unit"]
        told = [{"what": what, "before": old, "after": new, "change": None} for what, old, new in rows]
        told += [{"what": what.replace("person", unit), "before": old, "after": new, "change": new - old} for what, old, new in sizes]
        old, new = _findings(before), _findings(after)
        told.append({"what": "findings", "before": old, "after": new, "change": None if old is None or new is None else new - old})
        told.append({"what": "verdict", "before": before["verdict"], "after": after["verdict"], "change": None})
        return told

    def as_data(self) -> dict[str, Any]:
        """The same for programs."""
        return asdict(self)

    def _scope(self) -> str:
        before, after = self.before, self.after
        again = set(self.releases_added) & set(self.releases_removed)
        parts = [f"{_listed(self.releases_added, again)} added"] if self.releases_added else []
        parts += [f"{_listed(self.releases_removed, again)} left out"] if self.releases_removed else []
        parts = parts or ["the same releases"]
        parts.append(f"adversary {before['adversary']}" + ("" if before["adversary"] == after["adversary"] else f", then {after['adversary']}"))
        changed = [f"{item['option'].replace('_', '-')} {_said(item['before'])}, then {_said(item['after'])}" for item in self.options]
        others = sorted({f"{item['kind']} {item['name']}" for item in (*self.inputs_added, *self.inputs_removed)})
        parts += changed + [f"another {name}" for name in others]
        return f"{after['dataset']}, from audit {before['audit_id']} to audit {after['audit_id']}: {'; '.join(parts)}."

    def _certain(self) -> str:
        count, unit = self.count, self.after["unit"]
        if self.count["newly_certain_count"]:
            example = self.newly_certain[0] if self.newly_certain else None
            such = f", such as {example['person']}: {example['value']} (before at {example['before']:.4g})" if example else ""
            told = f"{plural(count['newly_certain_count'], unit)} became certain{such}"
        else:
            told = "Nobody became certain"
        if count["no_longer_certain_count"]:
            told += f"; {plural(count['no_longer_certain_count'], unit)} no longer certain"
        if count["new_count"]:
            at_once = f", {count['new_certain_count']:,} of them certain at once" if count["new_certain_count"] else ""
            told += f"; {plural(count['new_count'], unit)} new{at_once}"
        if count["gone_count"]:
            told += f"; {plural(count['gone_count'], unit)} gone"
        return f"{told}."

    def _exposure(self) -> str:
        count, unit = self.count, self.after["unit"]
        shared = count["shared_count"]
        if not shared:
            return f"No {unit} is in both audits, so that nobody can be compared."
        known = f"the {plural(shared, unit)} in both"
        return (
            f"Of {known}, {count['more_exposed_count']:,} can be guessed better and {count['less_exposed_count']:,} worse; "
            f"what remains unknown of them {_moved(count['shared_before_bits'] / shared, count['shared_after_bits'] / shared, '.2f')} bits each, "
            f"and the surest guess about anybody {_moved(count['before_worst_probability'], count['after_worst_probability'], '.4g')}."
        )


def compare_audits(store: Store, before_id: int, after_id: int, top: int = 20) -> Difference:
    """What changed from one solved audit to another of the same dataset; names at most `top` persons in each list."""
    if top < 0:
        raise UsageError(f"--top takes a number of persons, not {top}.")
    with store.reading() as session:
        before, after = (_solved(session, audit_id) for audit_id in (before_id, after_id))
        if before["dataset_id"] != after["dataset_id"]:
            raise UsageError(
                f"audit {before_id} is of {before['dataset']} and audit {after_id} of {after['dataset']}: only audits of one dataset can be compared. "
                "See: dbaudit audits list"
            )
        forward: dict[str, Any] = {"before_id": before_id, "after_id": after_id, "top": top}
        backward: dict[str, Any] = {"before_id": after_id, "after_id": before_id, "top": top}
        for step in ("person_pair", "compared_value", "compared_subject"):
            session.run(f"write/{step}", **forward)
        count = session.row("read/difference", **forward)
        risen, newly_certain = (session.rows(f"read/{name}", **forward) for name in ("risen", "newly_certain"))
        session.run("write/turned_pair")
        fallen, no_longer_certain = (session.rows(f"read/{name}", **backward) for name in ("risen", "newly_certain"))
        inputs = [_inputs(session, audit_id) for audit_id in (before_id, after_id)]
        releases = [_releases(session, audit_id) for audit_id in (before_id, after_id)]
    options = [json.loads(audit.pop("options")) for audit in (before, after)]
    return Difference(
        before,
        after,
        [name for key, name in releases[1].items() if key not in releases[0]],
        [name for key, name in releases[0].items() if key not in releases[1]],
        [item for item in inputs[1] if item not in inputs[0]],
        [item for item in inputs[0] if item not in inputs[1]],
        _changed_options(*options),
        count,
        risen,
        # Told in the direction of time: what was higher before.
        [{**row, "before": row["after"], "after": row["before"], "change": -row["change"]} for row in fallen],
        newly_certain,
        [{"person": row["person"], "value": row["value"], "after": row["before"]} for row in no_longer_certain],
    )


def _solved(session: Session, audit_id: int) -> dict[str, Any]:
    """The row of an audit that has an answer."""
    find_audit(session, audit_id)
    row = session.row("read/compared_audit", audit_id=audit_id)
    if row["status"] != "solved":
        raise UsageError(f"audit {audit_id} is {row['status']}: there is no answer to compare. See: dbaudit audits show {audit_id}")
    return row


def _inputs(session: Session, audit_id: int) -> list[dict[str, Any]]:
    """What an audit read beside releases."""
    return session.engine.dicts("inputs", "select kind, name, digest from result.audit_input where audit_id = ? and kind <> 'release' order by all", [audit_id])


def _releases(session: Session, audit_id: int) -> dict[int, str]:
    """The releases of an audit by key: a name may have been given again."""
    return dict(session.engine.rows("releases", "select release_id, release from model.release_order where audit_id = ? order by position", [audit_id]))


def _changed_options(before: dict[str, Any], after: dict[str, Any]) -> list[dict[str, Any]]:
    """The options that differ. One that an older version did not know yet was not used."""
    names = [name for name in {**before, **after} if name not in _SCOPE_OPTIONS]
    pairs = [(name, before.get(name), after.get(name)) for name in names]
    return [
        {"option": name, "before": old, "after": new}
        for name, old, new in pairs
        if old != new and not (None in (old, new) and (old or new) in (False, [], None))
    ]


def _share(audit: dict[str, Any]) -> float:
    return float(audit["entropy_bits"] / max(audit["person_count"], 1))


def _findings(audit: dict[str, Any]) -> int | None:
    """How many findings there are; where nothing was judged, none means nothing."""
    return None if audit["verdict"] == "unjudged" else audit["finding_count"]


def _listed(releases: list[str], again: set[str]) -> str:
    return ", ".join(f"{name} (registered anew)" if name in again else name for name in releases)


def _said(option: Any) -> str:
    """The value of an option as one would say it."""
    if isinstance(option, list):
        return ", ".join(map(str, option)) or "none"
    return {None: "none", True: "yes", False: "no"}.get(option, str(option)) if not isinstance(option, float) else f"{option:g}"


def _moved(before: float, after: float, form: str) -> str:
    """A change of a figure in words; what looks the same when it is printed stayed the same."""
    old, new = f"{before:{form}}", f"{after:{form}}"
    return f"stayed at {new}" if old == new else f"{'rose' if after > before else 'fell'} from {old} to {new}"
