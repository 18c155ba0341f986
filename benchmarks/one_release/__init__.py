"""One release, from the file to the stored answer, beside what DuckDB does with the same rows."""
