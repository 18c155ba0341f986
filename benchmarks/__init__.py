"""Measurements of dbaudit: they need the bench requirements and are no part of the installed package."""
