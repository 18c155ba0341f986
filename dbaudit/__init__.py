"""dbaudit tells a data publisher what the publications give away.

    from dbaudit import AuditSpec, DatasetSpec, ReleaseSpec, Store, add_dataset, add_release, run_audit

Every command of the command line is one call that a Python user can make too. The names below are imported when they are
first used: whoever only needs `dbaudit.maxent` does not load a database.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dbaudit.audit import Outcome, list_audits, remove_audit, run_audit, show_audit
    from dbaudit.dataset import add_dataset, list_datasets, remove_dataset, show_dataset
    from dbaudit.difference import Difference, compare_audits
    from dbaudit.effect import Effect, StatementEffect, measure_effect
    from dbaudit.errors import DbauditError, InputRejected, QueryRefused, StoreError, StoreLocked, Unanswered, UsageError
    from dbaudit.explain import Explanation, explain_person
    from dbaudit.hierarchy import add_hierarchy, list_hierarchies, remove_hierarchy
    from dbaudit.history import History, draw_history, run_history, show_history
    from dbaudit.knowledge import (
        Known,
        add_adversary,
        add_statement,
        import_statements,
        list_adversaries,
        list_statements,
        remove_adversary,
        remove_statement,
        show_adversary,
        show_statement,
    )
    from dbaudit.mining import Mined, equip_adversary, list_rules, mine_rules
    from dbaudit.person import Named, add_person, list_persons, remove_person
    from dbaudit.publish import Published, PublishSpec, make_release
    from dbaudit.query import run_query
    from dbaudit.release import Registered, add_release, list_releases, publish_release, remove_release, show_release, withdraw_release
    from dbaudit.report import gather
    from dbaudit.schedule.book import ScheduleHistory, add_schedule, list_schedules, pause_schedule, remove_schedule, resume_schedule, schedule_history
    from dbaudit.schedule.plan import ScheduleSpec
    from dbaudit.schedule.round import Round, run_due, run_schedule
    from dbaudit.spec import AuditSpec, DatasetSpec, MiningSpec, ReleaseSpec
    from dbaudit.store import Store
    from dbaudit.store.check import CheckReport, check_store
    from dbaudit.sweep import Sweep, draw_sweep, run_sweep
    from dbaudit.verify import Verification, verify_audit

__version__ = "0.4.0"

_HOME = {
    "audit": ("Outcome", "list_audits", "remove_audit", "run_audit", "show_audit"),
    "dataset": ("add_dataset", "list_datasets", "remove_dataset", "show_dataset"),
    "difference": ("Difference", "compare_audits"),
    "errors": ("DbauditError", "InputRejected", "QueryRefused", "StoreError", "StoreLocked", "Unanswered", "UsageError"),
    "effect": ("Effect", "StatementEffect", "measure_effect"),
    "explain": ("Explanation", "explain_person"),
    "publish": ("PublishSpec", "Published", "make_release"),
    "hierarchy": ("add_hierarchy", "list_hierarchies", "remove_hierarchy"),
    "history": ("History", "draw_history", "run_history", "show_history"),
    "knowledge": (
        "Known",
        "add_adversary",
        "add_statement",
        "import_statements",
        "list_adversaries",
        "list_statements",
        "remove_adversary",
        "remove_statement",
        "show_adversary",
        "show_statement",
    ),
    "mining": ("Mined", "equip_adversary", "list_rules", "mine_rules"),
    "person": ("Named", "add_person", "list_persons", "remove_person"),
    "query": ("run_query",),
    "release": ("Registered", "add_release", "list_releases", "publish_release", "remove_release", "show_release", "withdraw_release"),
    "report": ("gather",),
    "schedule.book": ("ScheduleHistory", "add_schedule", "list_schedules", "pause_schedule", "remove_schedule", "resume_schedule", "schedule_history"),
    "schedule.plan": ("ScheduleSpec",),
    "schedule.round": ("Round", "run_due", "run_schedule"),
    "spec": ("AuditSpec", "DatasetSpec", "MiningSpec", "ReleaseSpec"),
    "store": ("Store",),
    "sweep": ("Sweep", "draw_sweep", "run_sweep"),
    "store.check": ("CheckReport", "check_store"),
    "verify": ("Verification", "verify_audit"),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "AuditSpec",
    "CheckReport",
    "DatasetSpec",
    "DbauditError",
    "Difference",
    "Effect",
    "Explanation",
    "History",
    "InputRejected",
    "Known",
    "Mined",
    "MiningSpec",
    "Named",
    "Outcome",
    "PublishSpec",
    "Published",
    "QueryRefused",
    "Registered",
    "ReleaseSpec",
    "Round",
    "ScheduleHistory",
    "ScheduleSpec",
    "StatementEffect",
    "Store",
    "StoreError",
    "StoreLocked",
    "Sweep",
    "Unanswered",
    "UsageError",
    "Verification",
    "add_adversary",
    "add_dataset",
    "add_hierarchy",
    "add_person",
    "add_release",
    "add_schedule",
    "add_statement",
    "check_store",
    "compare_audits",
    "draw_history",
    "draw_sweep",
    "equip_adversary",
    "explain_person",
    "gather",
    "import_statements",
    "list_adversaries",
    "list_audits",
    "list_datasets",
    "list_hierarchies",
    "list_persons",
    "list_releases",
    "list_rules",
    "list_schedules",
    "list_statements",
    "make_release",
    "measure_effect",
    "mine_rules",
    "pause_schedule",
    "publish_release",
    "remove_adversary",
    "remove_audit",
    "remove_dataset",
    "remove_hierarchy",
    "remove_person",
    "remove_release",
    "remove_schedule",
    "remove_statement",
    "resume_schedule",
    "run_audit",
    "run_due",
    "run_history",
    "run_query",
    "run_schedule",
    "run_sweep",
    "schedule_history",
    "show_adversary",
    "show_audit",
    "show_dataset",
    "show_history",
    "show_release",
    "show_statement",
    "verify_audit",
    "withdraw_release",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'dbaudit' has no attribute {name!r}")
    return getattr(importlib.import_module(f"dbaudit.{_MODULE_OF[name]}"), name)
