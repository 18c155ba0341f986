"""Audits that run by themselves: `plan` says when, `book` keeps the schedules, `folder` watches for candidates, `round` runs what is due, `breach` tells."""
