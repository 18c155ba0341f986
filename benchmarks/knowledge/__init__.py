"""Mined rules through the store: from the files to the stored answer, and mining itself beside others."""
