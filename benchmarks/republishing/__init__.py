"""Histories of releases through the store: from the files to the stored answer."""
