"""The papers' figures and tables again, on data that anyone can get."""
